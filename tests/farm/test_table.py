"""The table: bytes from stores, the compilers' opinion of them, and the header's use of each row."""
import collections
import functools
import itertools
import os
import shutil
import subprocess

import pytest

import made_up
from turn import TURNS

from tools.farm import __main__ as farm
from tools.farm import cell_keys, decide, devices, rows, store, table

RECORDED = os.path.join(made_up.DATA, "stores")
GOLDEN = os.path.join(made_up.DATA, table.TABLE)
COMMITTED = os.path.join(made_up.ROOT, table.TABLE)
STORES = os.path.join(made_up.ROOT, store.STORES)
ANEW = "if that is right: build/venv/bin/python tests/farm/made_up.py"
CC, CXX = os.environ.get("CC", "gcc"), os.environ.get("CXX", "g++")
PLUS = "clang++" if shutil.which("clang++") and CXX == "g++" else CXX  # which takes half of the time


def run(*command, **options):
    done = subprocess.run(command, cwd=made_up.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


# ---- bytes -----------------------------------------------------------------------------------------------------------


def test_the_recorded_stores_give_the_recorded_table():
    text = made_up.table_of(RECORDED)
    assert text.encode() == bytes_of(GOLDEN), f"the recorded stores give another table; {ANEW}"
    assert all(f'"{scope}' in text for scope in ("Example One", "Example Two", "Example Three", "class:", "portable"))


def test_the_recorded_samples_give_the_recorded_decisions(tmp_path):
    """Deciding again adds nothing to the recorded decisions."""
    shutil.copytree(RECORDED, tmp_path / "stores")
    for path in store.paths_under(str(tmp_path / "stores")):
        _, appended = decide.decide(path, str(tmp_path / "stores"))
        assert not appended, f"{ANEW}\n" + "\n".join(map(decide.describe, appended))


def test_recording_is_reproducible(tmp_path):
    made_up.record(str(tmp_path / "stores"))
    for path, other in zip(store.paths_under(RECORDED), store.paths_under(str(tmp_path / "stores"))):
        assert bytes_of(path) == bytes_of(other), ANEW


@pytest.fixture(scope="module")
def committed():
    """(rows, classes) of ci/measurements, which takes seconds."""
    return devices.table_of(made_up.stores_of(STORES))


@pytest.mark.turn(1, 2 * TURNS)
def test_the_committed_stores_give_the_committed_table(committed):
    """gpuprims_policies.h matches ci/measurements; without either there is nothing to compare."""
    text = table.text_of_rows(*committed)
    if not os.path.exists(COMMITTED):
        assert not store.paths_under(STORES), f"there are stores, and no {table.TABLE}: make table"
        assert "no rows" in text
    else:
        assert text.encode() == bytes_of(COMMITTED), f"{table.TABLE} is not what the stores say: make table"


def test_check(tmp_path, capsys):
    out = str(tmp_path / table.TABLE)
    arguments = ["table", "--stores", RECORDED, "--out", out]
    assert farm.main([*arguments, "--check"]) == 1 and not os.path.exists(out)
    assert farm.main(arguments) == 0 and bytes_of(out) == bytes_of(GOLDEN)
    assert farm.main([*arguments, "--check"]) == 0
    capsys.readouterr()
    with open(out, "ab") as file:
        file.write(b"// edited\n")
    assert farm.main([*arguments, "--check"]) == 1
    command = capsys.readouterr().out.split(": ", 1)[1].split()  # it says what to type
    assert command[:4] == ["python3", "-m", "tools.farm", "table"] and farm.main(command[3:]) == 0
    assert bytes_of(out) == bytes_of(GOLDEN)


def test_an_empty_table(tmp_path):
    text = made_up.table_of(tmp_path)
    assert text == table.text_of_rows([], []) and "no rows" in text
    assert "#define GP_POLICY_ROWS(ROW)\n" in text and "#define GP_POLICY_CLASSES(CLASS)\n" in text


# All that a name may have; test_trust.py has what it may not.
STRANGE = [rows.Row("GPU (Ti) 1g.5gb/A+B_C-D", "exclusive_scan 4/4/4", 0, 64, store.policy_of(made_up.WIDE),
                    "GPU (Ti), 2026: +1.5 % (-1 to 2), 3 pairs, 1 board")]


def test_layout(tmp_path):
    """No line is too long, none ends in a space, and clang-format leaves the text unchanged."""
    long = STRANGE[0]._replace(scope="NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition with a longer name",
                               group="exclusive_scan 16/16/16")
    for text in (made_up.table_of(RECORDED), table.text_of_rows([long], [("like", "GPU")]),
                 table.text_of_rows([], [])):
        assert all(len(line) <= table.COLUMNS and line == line.rstrip() for line in text.splitlines())
    version = shutil.which("clang-format") and subprocess.run(["clang-format", "--version"], stdout=subprocess.PIPE,
                                                              text=True, check=True).stdout
    if not version or " 14." not in version:
        pytest.skip("no clang-format 14: apt-get install clang-format-14")
    path = tmp_path / "table.h"
    path.write_text(text)
    assert run("clang-format", f"--style=file:{made_up.ROOT}/.clang-format", str(path)) == text


# ---- compilers -------------------------------------------------------------------------------------------------------


# With others that read all committed stores.
COMMITTED_ROWS = pytest.param("committed", marks=pytest.mark.turn(1, 2 * TURNS))


@pytest.fixture(scope="module")
def tables(tmp_path_factory, request):
    """Tables to compile and to look things up in: name -> (path, rows, classes)."""
    folder = tmp_path_factory.mktemp("tables")
    contents = {"empty": lambda: ([], []), "strange": lambda: (STRANGE, []),
                "recorded": lambda: devices.table_of(made_up.stores_of(RECORDED)),
                "committed": lambda: request.getfixturevalue("committed"), "mixed": lambda: MIXED,
                "every group": lambda: (of_every_group(), [])}

    @functools.cache
    def found(name):
        those, classes = contents[name]()
        path = folder / f"{name}.h"
        path.write_text(table.text_of_rows(those, classes))
        return str(path), those, classes

    return found


UNSEARCHED = ("graph_from_edges", "connected_components")  # nothing that a row could choose


def of_every_group():
    """A row for each, with the header's own policy: finding it shows only that the row's key is the header's."""
    groups = {group for _, group, _ in everything()} - {"none"}
    return [rows.Row("Every", group, 0, 64, table.NONE, "made up") for group in sorted(groups)
            if group.split()[0] not in UNSEARCHED]


def including(path):
    return f'-DGPUPRIMS_POLICIES="{path}"'


@pytest.mark.parametrize("name", ["empty", "strange", "recorded", "mixed", COMMITTED_ROWS])
@pytest.mark.parametrize("flags", [[CC, "-std=c99", "-x", "c"], [CXX, "-std=c++11", "-x", "c++"]])
@pytest.mark.turn
def test_it_compiles(tables, name, flags):
    """Strictly, followed by the whole implementation."""
    run(*flags, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-DGPUPRIMS_IMPLEMENTATION",
        "-D_GNU_SOURCE", including(tables(name)[0]), "-I.", "gpuprims.h")


@pytest.mark.turn
def test_it_compiles_as_cuda(tables, tmp_path):
    nvcc = shutil.which(os.environ.get("NVCC", "nvcc")) or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        pytest.skip("no nvcc: apt-get install nvidia-cuda-toolkit, or NVIDIA's CUDA toolkit")
    source = tmp_path / "table.cu"
    path = tables("mixed")[0]
    source.write_text(f'#define GPUPRIMS_IMPLEMENTATION\n#define GPUPRIMS_POLICIES "{path}"\n#include "gpuprims.h"\n'
                      "int main() { return 0; }\n")
    run(nvcc, "-std=c++17", "-arch=sm_90", "-I.", "-c", str(source), "-o", str(tmp_path / "table.o"))


# ---- lookups ---------------------------------------------------------------------------------------------------------


# A row for a group of each primitive on segments and runs: its sizes must be the header's.
STREAM = "algorithm=LOOK_BACK,threads=128,vectors=2,stages=3,blocks_per_sm=4,store=ALL"
LATER = {
    STREAM: ["segmented_inclusive_scan 4/4/4", "segmented_exclusive_scan 8/8/8", "inclusive_scan_by_key 4/4/4",
             "exclusive_scan_by_key 1/1/1", "reduce_by_key 2/2/2", "run_lengths 4/0/0", "nontrivial_runs 8/0/4",
             "unique 4/0/0", "unique 2/0/2", "select 4/0/4", "partition 8/0/8"],
    "algorithm=MERGE_PATH,threads=128,vectors=3,blocks_per_sm=4,store=ALL": ["segmented_reduce 4/4/4",
                                                                             "load_balance 0/0/4"],
    "algorithm=GLOBAL_BINS,threads=256,vectors=2,blocks_per_sm=4,store=ALL": ["histogram_even 1/0/4",
                                                                              "histogram_ranges 4/0/8"],
    "algorithm=EVEN_SHARE,threads=256,vectors=2,blocks_per_sm=4,store=ALL": ["count_if 4/8/8", "any 2/4/1",
                                                                             "all 8/4/1"],
    "threads=128,vectors=2,blocks_per_sm=4": ["adjacent_difference 4/0/4", "lower_bound 4/0/4", "upper_bound 8/0/4"],
    "algorithm=EXPAND_CONTRACT,threads=256,vectors=1,blocks_per_sm=1,overlap=2,alpha=-1,small=64":
        ["bfs 4/4/0", "bfs 8/4/8", "bfs 8/8/8", "bfs_sources 4/4/8"],
    "algorithm=EXPAND_CONTRACT,threads=512,vectors=1,blocks_per_sm=2,overlap=2,alpha=3,cluster=8": ["bfs 4/4/8"],
}


def mixed():
    """Every kind of scope for one group, in the order of choice; a policy that older devices cannot run; a bucket that
    ends; an unrelated primitive with other sizes."""
    wide, deep, lean, rule = (store.policy_of(made_up.policy(name)) for name in ("wide", "deep", "lean", "rule"))
    pipelined = {**wide, "algorithm": "PIPELINED", "threads": 256, "vectors": 5, "stages": 3, "overlap": 1}
    scan, copy = "exclusive_scan 4/4/4", store.policy_of(made_up.policy("wide", "copy"))
    found = [rows.Row("Exact", scan, 12, 20, wide, "exact"), rows.Row("Exact", scan, 20, 24, pipelined, "exact"),
             rows.Row("sm_90", scan, 0, 22, deep, "capability"), rows.Row("class:kin", scan, 0, 30, lean, "class"),
             rows.Row("portable", scan, 10, 64, rule, "portable"), rows.Row("portable", scan, 0, 3, pipelined, "small"),
             rows.Row("portable", "copy 16/0/16", 30, 64, copy, "portable"),
             rows.Row("class:kin", "reduce 2/4/2", 5, 6, store.policy_of(made_up.policy("wide", "reduce")), "narrow")]
    for policy, groups in LATER.items():
        found += [rows.Row("portable", group, 11, 23, {**copy, **store.policy_of(policy)}, "later") for group in groups]
    return found, [("kin", "Exact"), ("kin", "Cousin")]


MIXED = mixed()
# Outputs (default: the type itself) and words, for primitives with them.
WORDS = {
    **dict.fromkeys(("segmented_reduce", "segmented_inclusive_scan", "segmented_exclusive_scan"),
                    (("", "segments=fixed:1048576"),)),
    **dict.fromkeys(("inclusive_scan_by_key", "exclusive_scan_by_key", "reduce_by_key"),
                    (("", "key=u32 runs=32"), ("", "key=s16 runs=1"))),
    **dict.fromkeys(("run_lengths", "nontrivial_runs"), (("", "runs=32"), ("", "lengths=u64 runs=4"))),
    "unique": (("", "runs=32"), ("", "payload=u16 runs=32")),
    "select": (("", "keep=50"), ("", "form=flags key=u8 keep=1")), "partition": (("", "parts=2 keep=50"),),
    **dict.fromkeys(("count_if", "any", "all"), (("", "keep=50"),)),
    **dict.fromkeys(("histogram_even", "histogram_ranges"), (("u32", "bins=256"), ("u64", "bins=100000"))),
    **dict.fromkeys(("lower_bound", "upper_bound"), (("u32", "haystack=1000"),)),
    **dict.fromkeys(("sort", "merge_sort", "merge"), (("", ""), ("", "payload=u32"), ("", "payload=s16"))),
    "segmented_sort": (("", "segments=fixed:1048576"), ("", "segments=fixed:1048576 payload=u32")),
    "segmented_top_k": (("", "segments=fixed:1048576 k=1"),),
    "top_k": (("", "k=1"),), "group_by": (("", "key=u32 groups=16"),),
    **dict.fromkeys(("expand", "run_length_expand"), (("", "segments=fixed:1048576"),)),
    "load_balance": (("u32", "segments=fixed:1048576"),), "check_offsets": (("", "segments=fixed:1048576"),),
}
NUMBERS_ONLY = ("iota", "transform", "transform2", "adjacent_difference", "row_map", "scan_axis", "histogram_even",
                "histogram_ranges", "lower_bound", "upper_bound", "is_sorted", *cell_keys.having("keys"))
OF_OFFSETS = ("load_balance", "check_offsets")
TYPES = ("u8", "u16", "u32", "u64", "f16", "f64", "s12", "s16")
MANY_NUMBERS = 15  # binary logarithm: the header's GP__NUMBERS_LOG2


@pytest.fixture(scope="module")
def emulator(tmp_path_factory):
    """The emulator's objects: the driver uses its memory."""
    folder, objects = tmp_path_factory.mktemp("emulator"), []
    for name in ("simt", "async", "race"):
        objects.append(str(folder / f"{name}.o"))
        run(CXX, "-std=c++17", "-O0", "-I.", "-Itests/simt", "-c", f"tests/simt/{name}.cpp", "-o", objects[-1])
    return objects


def cells():
    """Every primitive on every element size, at every power of two of bytes, and just below the next one."""
    for primitive, type_, log2 in itertools.product(store.primitives(), TYPES, range(41)):
        if primitive in cell_keys.having("no_cells") + cell_keys.having("device_sized"):
            continue
        if primitive in cell_keys.having("graph"):
            if type_ in ("u32", "u64"):
                yield from cells_of_graphs(primitive, type_, log2)
            continue
        operator = store.description()["cells"][primitive]["op"]
        for out, words in WORDS.get(primitive, (("", ""),)):
            acc = "f32" if type_ == "f16" else type_
            one = store.Cell(primitive, operator, type_, acc, out or type_, 1, "cold", words)
            if (type_ in ("s12", "s16") and primitive in NUMBERS_ONLY) or \
                    (primitive in OF_OFFSETS and type_ not in ("u32", "u64")):
                continue
            for n in sorted({(1 << log2) // one.bytes, ((2 << log2) - 1) // one.bytes}):
                if n and (n <= 1 << 26 or "segments=" not in words):  # offsets are made one by one
                    yield one._replace(n=n)


def cells_of_graphs(primitive, type_, log2):
    """On either side of the mean degree that separates classes, in both sizes of offsets."""
    for degree, graph in ((4, "grid:rows=1:columns="), (6, "uniform:factor=3:n="), (8, "uniform:factor=4:n="),
                          (32, "uniform:n=")):
        for offsets, bytes_ in itertools.product(("", " offsets=u64"), (1 << log2, (2 << log2) - 1)):
            vertices = bytes_ // store.type_sizes()[type_] // (degree + 1)
            if vertices and vertices < 1 << 32 and (offsets or not degree * vertices >> 32):
                yield store.Cell(primitive, "", type_, "", type_, degree * vertices, "back_to_back",
                                 f"graph={graph}{vertices}{offsets}")


def group_of(cell):
    """The primitive whose rows serve a call. In the header merge sorts of integers, and of many floats, are radix
    sorts, by a key without rows."""
    if cell.primitive != "merge_sort":
        return cell.group
    floats = cell.in_[0] == "f" and cell.n >> MANY_NUMBERS
    return "none" if floats else cell.group.removeprefix("merge_") if cell.in_[0] == "u" else cell.group


@functools.cache
def everything():
    return [(cell, group_of(cell), cell.log2) for cell in cells()]


@pytest.mark.parametrize("name", ["empty", "recorded", "mixed", COMMITTED_ROWS, "every group"])
@pytest.mark.turn
def test_the_header_finds_what_the_stores_say(tables, emulator, tmp_path, name):
    """Exhaustively: each device of the table, unknown ones of the same and of other compute capabilities."""
    path, those, classes = tables(name)
    program = str(tmp_path / "lookup")
    run(PLUS, "-std=c++17", "-O0", "-w", including(path), "-I.", "-Itests/simt", "tests/farm/lookup.cpp",
        *emulator, "-o", program, "-ldl", "-lpthread", "-lm")
    named = {row.scope for row in those if row.scope.find(":") < 0 and not row.scope.startswith("sm_")} - {"portable"}
    machines = sorted({(device, 90) for device in named | {device for _, device in classes} | {"Stranger"}} |
                      {("Stranger", 80), ("Cousin", 80)})

    def ask(lines):  # through files: a pipe would fill and empty by pages
        (tmp_path / "questions").write_text("".join(f"{line}\n" for line in lines))
        with open(tmp_path / "questions", encoding="utf-8") as questions, \
                open(tmp_path / "answers", "w+", encoding="utf-8") as answers:
            done = subprocess.run([program], stdin=questions, stdout=answers, stderr=subprocess.PIPE, text=True,
                                  check=False)
            assert done.returncode == 0, done.stderr
            answers.seek(0)
            return answers.read().splitlines()

    # only the header knows whether a device can run a row's policy
    by_group, texts = collections.defaultdict(list), {id(row.policy): store.policy_text(row.policy) for row in those}
    for row in those:
        by_group[row.group].append(row)
    keys = [(capability, cell, texts[id(row.policy)]) for capability in (80, 90) for cell, group, _ in everything()
            for row in by_group.get(group, ())]
    answers = ask(f"Nobody\t{capability}\t{cell.text}\t{policy}" for capability, cell, policy in keys)
    runs = {key: answer != "invalid" for key, answer in zip(keys, answers, strict=True)}
    served = wrong = 0
    questions = [(device, capability, cell, group, log2, offset) for device, capability in machines
                 for cell, group, log2 in everything()
                 for offset in (("", " in_offset=8") if log2 == 24 and cell.sizes[0] in (1, 2, 4, 8) and
                                "payload=s16" not in cell.words and not cell.degree else ("",))]
    answers = ask(f"{device}\t{capability}\t{cell.text}{offset}\t-"
                  for device, capability, cell, _, _, offset in questions)
    policy_of = functools.cache(store.policy_of)
    for (device, capability, cell, group, log2, offset), answer in zip(questions, answers, strict=True):
        source, text = answer.split("\t")
        # in_offset moves what is sorted along, not the keys, and no offsets; copies of rows move single elements
        moved = offset and not ("payload=" in cell.words and cell.primitive in cell_keys.having("keys")) and \
            cell.primitive not in ("check_offsets", "sort_axis", "top_k_axis")
        wanted, row = rows.lookup([] if moved else by_group.get(group, []), classes, device, capability, group, log2,
                                  lambda policy, c=cell, k=capability: runs[k, c, texts[id(policy)]])
        served += row is not None
        same = row is None or all(value in (0, "AUTO", "DEFAULT", found) for value, found in
                                  zip(row.policy.values(), (policy_of(text)[field] for field in row.policy)))
        wrong += source != wanted or not same
        assert wrong < 5, (device, capability, cell.text, answer, wanted, row)
    assert not wrong and (served > 100) == bool(those)
