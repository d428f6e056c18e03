"""No kernel keeps bits of a register that may be unwritten. ptxas assumes for such a register the narrow load that
writes it on another path, drops masks that this load makes redundant, and neighbours' bits come out wrong. This happens
when elements smaller than a word are assembled one by one, each under a condition. The emulator has no such compiler,
and compute-sanitizer looks only at memory. So this test follows the kernels' PTX forward over its branches, and finds
the registers written on every path."""
import os
import re
import shutil
import subprocess

import pytest

CELLS = ["inclusive_scan SUM u16", "segmented_reduce SUM u8 segments=uniform:300",
         "segmented_reduce SUM u16 segments=fixed:5", "inclusive_scan_by_key SUM u8", "reduce_by_key SUM u8 key=u16",
         "unique u16", "histogram_even u8", "sort u8", "sort u16 payload=u8", "segmented_sort u8",
         "merge u16 payload=u8", "merge_sort u8 payload=u8", "set_union u8", "set_difference u16 payload=u8",
         "top_k u8", "transpose u8 shape=1023x1025", "transpose u16 shape=33x1048576"]
REGISTER = re.compile(r"%(?:r|rd|rs|p)\d+\b")
NARROW = re.compile(r"(?:ld\.\S*|cvt\.u(?:32|64))\.u(?:8|16)$")  # writes fewer bits of a register than it has
NO_RESULT = ("st.", "red.", "bra", "ret", "exit", "bar.", "barrier.", "fence.", "membar.", "call", "trap", "prefetch",
             "cp.", "mbarrier.init", "mbarrier.inval", "nanosleep", "griddepcontrol")


def statements(body):
    """[(guard, operation, registers written, registers read, text)], {label: number of its statement}"""
    found, labels = [], {}
    for text in re.sub(r"//[^\n]*", "", body).split(";"):
        text = text.strip()
        while label := re.match(r"(?:[{}]|(\$?[\w$]+):)\s*", text):
            if label.group(1):
                labels[label.group(1)] = len(found)
            text = text[label.end():]
        if not text or text.startswith("."):
            continue
        guard = re.match(r"@!?(%p\d+)\s+", text)
        operation, _, operands = (text[guard.end():] if guard else text).partition("\t" if "\t" in text else " ")
        operation = operation.split()[0]
        results = re.match(r"\s*(\{[^}]*\}|\([^)]*\)|[^,]*)", operands)
        end = 0 if operation.startswith(NO_RESULT) and not results.group(1).startswith("(") else results.end()
        found.append((guard, operation, REGISTER.findall(operands[:end]), REGISTER.findall(operands[end:]), text))
    return found, labels


def written_before(code, labels):
    """For each statement, the registers written on every path to it, as a bit set; and their order."""
    number = {}
    for _, _, writes, _, _ in code:
        for register in writes:
            number.setdefault(register, len(number))
    everything = (1 << len(number)) - 1
    before = [everything] * len(code)
    before[0] = 0
    work = [0]
    seen = {0}
    while work:
        at = work.pop()
        guard, operation, writes, _, text = code[at]
        after = before[at]
        for register in writes if not guard else ():
            after |= 1 << number[register]
        following = []
        if operation.startswith("bra"):
            following.append(labels[re.search(r"(\$?[\w$]+)$", text).group(1)])
        if guard or not operation.startswith(("bra", "ret", "exit", "trap")) or operation.startswith("brx"):
            following.append(at + 1)
        for to in following:
            if to < len(code) and (to not in seen or before[to] & ~after):
                seen.add(to)
                before[to] &= after
                work.append(to)
    return before, number


def perhaps_unwritten(body):
    """Statements that keep some bits of a register which a narrow load or conversion writes on some paths only."""
    code, labels = statements(body)
    before, number = written_before(code, labels)
    narrow = {register for _, operation, writes, _, _ in code if NARROW.match(operation) for register in writes}
    return [text for at, (_, operation, _, reads, text) in enumerate(code)
            if re.match(r"and\.b\d+$", operation) and len(reads) == 1 and reads[0] in narrow
            and not before[at] >> number[reads[0]] & 1]


def functions(ptx):
    for head in re.finditer(r"^[^\n/]*\.(?:entry|func)\b", ptx, re.M):
        begin = ptx.find("{\n", head.start())
        yield ptx[begin + 1:ptx.index("\n}", begin)]


def test_what_is_found():
    """Two bytes of a word: as ptxas got them wrong, correctly, and with a loop around."""
    two = """
      .reg .pred %p<9>;
      {zero}
      @%p1 bra $L1;
      ld.global.u8 %r1, [%rd1];
    $L1:
      @%p2 bra $L2;
      ld.global.u8 %r2, [%rd1+1];
      and.b32 %r3, %r1, -65281;
      shl.b32 %r2, %r2, 8;
      or.b32 %r1, %r3, %r2;
    $L2:
      {again}
      st.global.u32 [%rd2], %r1;
      ret;
    """

    def found(zero, again=""):
        return perhaps_unwritten(two.replace("{zero}", zero).replace("{again}", again))

    assert found("") == ["and.b32 %r3, %r1, -65281"]
    assert not found("mov.u32 %r1, 0;")
    assert found("@%p3 mov.u32 %r1, 0;")
    assert found("bra.uni $L1;", "@%p4 bra $L1;")
    assert not found("mov.u32 %r1, 0;", "@%p4 bra $L1;")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    compiler = os.environ.get("CC", "gcc")
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} to compile the program with")
    path = str(tmp_path_factory.mktemp("ptx") / "kernel_ptx")
    subprocess.run([compiler, "-std=gnu11", "-O0", "-w", "-I.", "-Itools", "tests/compile/kernel_ptx.c", "-o", path,
                    "-ldl", "-lpthread", "-lm"], check=True)
    return path


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.turn
def test_kernels(program, cell):
    n = "" if "shape" in cell else " n=1M"
    done = subprocess.run([program, cell + n], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    assert not done.returncode, done.stderr
    bodies = list(functions(done.stdout))
    assert bodies and all("st." in body or "red." in body or "atom." in body for body in bodies)
    for body in bodies:
        assert not perhaps_unwritten(body)
