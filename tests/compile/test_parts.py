"""The parts under src/ and the header made from them (tools/amalgamate.py, tools/lint.py)."""
import functools
import os
import re
import shutil
import subprocess
import sys
import zlib

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "tests"), os.path.dirname(os.path.abspath(__file__))]
import amalgamate  # noqa: E402
import operators  # noqa: E402
from turn import turn  # noqa: E402

DEVICE_PARTS = [path for path in amalgamate.paths() if path.endswith(".cuh")]
if os.environ.get("GPUPRIMS_LONG") == "0":  # the parts of this turn
    DEVICE_PARTS = DEVICE_PARTS[turn(6)::6]
TOOL = os.path.join("tools", "amalgamate.py")


def run(folder, *words):
    return subprocess.run([sys.executable, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def put(text, *path):
    with open(os.path.join(*path), "w", encoding="utf-8") as file:
        file.write(text)


def furnish(place):
    """A copy of the header's sources."""
    shutil.copytree(os.path.join(ROOT, "src"), place / "src")
    (place / "tools").mkdir()
    for name in ("amalgamate.py", "c_names.py", "docs.py", "lint.py", "markdown_links.py"):
        shutil.copy(os.path.join(ROOT, "tools", name), place / "tools")
    shutil.copy(os.path.join(ROOT, "gpuprims.h"), place)
    shutil.copy(os.path.join(ROOT, ".clang-format"), place)
    return str(place)


@pytest.fixture
def house(tmp_path):
    return furnish(tmp_path)


@pytest.mark.turn
def test_the_header_is_what_its_parts_make(house):
    os.remove(os.path.join(house, "gpuprims.h"))
    assert run(house, TOOL).returncode == 0
    assert read(house, "gpuprims.h") == read(ROOT, "gpuprims.h"), "make header"
    assert run(house, TOOL, "--check").returncode == 0


@pytest.mark.turn
def test_an_edit_of_a_part_and_one_of_the_header(house):
    part, header = read(house, "src", "scan", "kernels.cuh"), read(house, "gpuprims.h")
    line = "template<class P> GP_DEVICE void gp__pdl_wait() {\n"
    assert header.count(line) == 1
    put(part + "\nstruct gp__end;\n", house, "src", "scan", "kernels.cuh")
    found = run(house, TOOL, "--check")
    assert found.returncode == 1 and "make header" in found.stdout
    assert run(house, TOOL).returncode == 0 and "\nstruct gp__end;\n" in read(house, "gpuprims.h")
    assert read(house, "build", "replaced-gpuprims.h") == header
    # Taken back from the header: changed lines, lines added at the beginning, and removed lines.
    edited = header.replace(line, f"// How.\n{line}").replace("(Green, Odeh and Birk, Merge Path)", "(Merge Path)")
    put(edited, house, "edited.h")
    put(part, house, "src", "scan", "kernels.cuh")
    found = run(house, TOOL, "--back", "edited.h")
    assert found.returncode == 0 and sorted(found.stdout.split()) == ["src/api/merge.h", "src/device/kernel.cuh"]
    assert run(house, TOOL).returncode == 0 and read(house, "gpuprims.h") == edited
    assert run(house, TOOL, "--back", os.path.join(ROOT, "gpuprims.h")).returncode == 0
    assert run(house, TOOL).returncode == 0 and read(house, "gpuprims.h") == header
    # A condition around parts belongs to the manifest.
    put(header.replace("// >>warp -", "// >>warps "), house, "edited.h")
    found = run(house, TOOL, "--back", "edited.h")
    assert found.returncode == 1 and "by hand" in found.stdout


@pytest.mark.turn
def test_lines(house):
    assert run(house, TOOL, "--lines", "lines/gpuprims.h").returncode == 0
    words = ["-x", "c", "-DGPUPRIMS_IMPLEMENTATION"]
    texts = [subprocess.run(["gcc", "-E", "-P", *words, '-DGPUPRIMS_SOURCE="here"', name], cwd=house,
                            stdout=subprocess.PIPE, check=True).stdout for name in ("gpuprims.h", "lines/gpuprims.h")]
    assert texts[0] == texts[1] and b"gp_run(" in texts[0]
    text = read(house, "lines", "gpuprims.h")
    put(text.replace("gp_result gp_run(", "gp_resul gp_run(", 1), house, "lines", "gpuprims.h")
    found = subprocess.run(["gcc", "-fsyntax-only", *words, "lines/gpuprims.h"], cwd=house, stderr=subprocess.PIPE,
                           text=True, check=False).stderr
    number = read(house, "src", "api", "run.h").split("gp_result gp_run(")[0].count("\n") + 1
    assert f"src/api/run.h:{number}:" in found


# (lint's finding, the part, its edit)
FINDINGS = [
    ("is not a part of", "src/scan/more.cuh", lambda text: "// scan/more.cuh - more\n\nint gp__more;\n"),
    ("a part begins with", "src/scan/kernels.cuh", lambda text: text.replace("// scan/", "// ", 1)),
    ("of 800", "src/scan/kernels.cuh", lambda text: text + "//\n" * 800),
    ("do not close", "src/scan/kernels.cuh", lambda text: text + "#ifdef GP_SHARED\n"),
    ("`uses` line is wrong", "src/scan/kernels.cuh", lambda text: text + "// \nstruct gp__more : gp_bf16 {};\n"),
    ("defines below it", "src/device/kernel.cuh", lambda text: text + "\nstruct gp__more : gp__scan_share {};\n"),
    ("mention a primitive", "src/core/run.c", lambda text: text + "\nenum { GP__MORE = GP_SORT };\n"),
    ("listed more than once", "src/manifest", lambda text: text + "part manual.h\n"),
    ("no part defines", "src/scan/kernels.cuh", lambda text: text + "\nstruct gp__more : gp__nowhere {};\n"),
    ("no name to be found by", "src/scan/kernels.cuh",
     lambda text: text + "\nGP_DEVICE int operator+(gp_vector a, gp_vector) { return 1; }\n"),
    ("a part of a name", "src/find/names.c",
     lambda text: text.replace('gp__add(t, ", gp__find', 'gp__add(t, ", gp__find%s', 1)),
    ("NVRTC may get", "src/scan/kernels.cuh", lambda text: text + "\ntemplate <> struct gp_sum<gp_vector> {};\n"),
    ("defines again below", "src/scan/kernels.cuh", lambda text: text + "\nint gp__bits_of_f64(int);\n"),
]
# Edits whose findings would hide behind others', or cause others; lint sees the rest together.
ALONE = ("a part begins with", "do not close", "`uses` line is wrong")


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """lint's output for a tree with these findings."""
    @functools.cache
    def of(findings):
        house = furnish(tmp_path_factory.mktemp("house"))
        for finding, path, change in FINDINGS:
            if finding in findings:
                there = os.path.exists(os.path.join(house, path))
                put(change(read(house, path) if there else ""), house, path)
        return run(house, "-c", "import sys; sys.path.insert(0, 'tools'); import lint; "
                   "lint.lint_parts(lint.Findings(), lint.tracked_files())").stdout

    return of


@pytest.mark.parametrize("finding", [finding for finding, _, _ in FINDINGS])
@pytest.mark.turn(14)  # they share runs of lint
def test_findings(said, finding):
    together = tuple(name for name, _, _ in FINDINGS if name not in ALONE)
    assert finding in said((finding,) if finding in ALONE else together)
    assert finding not in said(())


def test_the_map_is_true():
    """Each `name`, part in src/README.md is a name that the part declares."""
    text = " ".join(read(ROOT, "src", "README.md").split())
    places = re.findall(r"`(\w+)`, (\w+/\w+\.\w+)", text)
    assert len(places) > 40
    for name, part in places:
        assert re.search(rf"^(?![ ]*//).*\b{name}\b", read(ROOT, "src", *part.split("/")), re.M), (name, part)
    for part in re.findall(r"[a-z_]+/[a-z_0-9]+\.(?:cuh|c|h)\b", text):
        assert os.path.exists(os.path.join(ROOT, "src", part)) or part in ("lines/gpuprims.h",), part


# ---- a part of device text compiles alone with its uses, direct or not -----------------------------------------------


def alone(path):
    return amalgamate.text_of(amalgamate.header_lines(amalgamate.closure(path)))


@pytest.mark.parametrize("path", DEVICE_PARTS)
@pytest.mark.turn
def test_alone_under_the_emulator(tmp_path, path):
    put(alone(path), tmp_path, "gpuprims.h")
    put('#include "simt.h"\n#define GPUPRIMS_SIMT\n#include "gpuprims.h"\n', tmp_path, "alone.cpp")
    folders = [f"-I{tmp_path}", "-I" + os.path.join(ROOT, "tests", "simt")]
    found = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", *folders, str(tmp_path / "alone.cpp")],
                           stderr=subprocess.PIPE, text=True, check=False)
    assert found.returncode == 0, found.stderr


@pytest.fixture(scope="module")
def nvrtc():
    for name in ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"):
        try:
            return operators.Nvrtc(name)
        except OSError:
            pass
    return pytest.skip("no libnvrtc: pip install nvidia-cuda-nvrtc, and put its folder into LD_LIBRARY_PATH")


@pytest.mark.parametrize("path", DEVICE_PARTS)
@pytest.mark.turn
def test_alone_under_nvrtc(nvrtc, path):
    """The library's text for NVRTC for a kernel of this part; a part that is not embedded: the header with its uses."""
    text = (alone(path) if path in amalgamate.not_embedded() else amalgamate.embedded_text(path)).encode()
    for architecture in {75, 90} & nvrtc.architectures:
        nvrtc.compile('#include "gpuprims.h"\n', text, architecture)


AUTHORS = """#include "gpuprims.h"
struct storage {
  gp_tile_exchange_storage<128, 4, unsigned> exchange;
  gp_tile_merge_sort_storage<128, 4, unsigned, float> sort;
  gp_tile_radix_sort_storage<128, 4, unsigned> radix;
  gp_tile_shuffle_storage<128, unsigned> shuffle;
  gp_tile_scan_storage<128, unsigned> scan;
};
extern "C" __global__ void authors(unsigned *data, float *values) {
  GP_SHARED(storage, s);
  unsigned x[4];
  float v[4] = {values[0], values[1], values[2], values[3]};
  gp_tile_load_transposed<128>(x, data, 512, 0u, s.exchange);
  gp_tile_merge_sort_pairs<128>(x, v, [](unsigned a, unsigned b) { return a % 9 < b % 9; }, s.sort);
  gp_tile_radix_sort<128, true>(x, s.radix, 3, 17);
  gp_tile_difference<128, GP_BEFORE>(x, x, gp_sub<unsigned>(), s.shuffle);
  gp_tile_inclusive_scan_items(x, gp_max<unsigned>(), s.scan);
  x[0] = gp_warp_group_reduce<8>(x[0], gp_sum<unsigned>());
  gp_tile_store_direct(x, data, 512);
  gp_tile_store_direct(v, values, 512);
}
"""


VECTORISED = """#include "gpuprims.h"
struct of_12_bytes { unsigned x, y, z; };
extern "C" __global__ void vectorised(TYPE *data) {
  TYPE items[ITEMS];
  gp_tile_CALL;
  data[threadIdx.x] = items[0];
}
"""


@pytest.mark.parametrize("call", ["load_vectorised<32, GP_CACHE_ALL>(items, data, 9, items[0])",
                                  "store_vectorised<32, GP_CACHE_ALL>(items, data, 9)"])
@pytest.mark.parametrize("type_, items, fits", [("unsigned", 4, True), ("unsigned", 8, True), ("unsigned", 3, False),
                                                ("unsigned", 6, False), ("unsigned char", 8, False),
                                                ("double", 1, False), ("double", 2, True), ("of_12_bytes", 4, False)])
@pytest.mark.turn
def test_vectors_of_a_tile_are_whole(tmp_path, nvrtc, call, type_, items, fits):
    """Items that fill no vector would be left unread: both compilers say what ITEMS must be."""
    said = "ITEMS is a multiple of 16 / sizeof(T)"
    program = VECTORISED.replace("CALL", call).replace("TYPE", type_).replace("ITEMS", str(items))
    part = alone("device/tile_load.cuh")
    put(part, tmp_path, "gpuprims.h")
    put(f'#include "simt.h"\n#define GPUPRIMS_SIMT\n{program}', tmp_path, "program.cpp")
    folders = [f"-I{tmp_path}", "-I" + os.path.join(ROOT, "tests", "simt")]
    found = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", *folders, str(tmp_path / "program.cpp")],
                           stderr=subprocess.PIPE, text=True, check=False)
    assert (found.returncode == 0) == fits and (said in found.stderr) != fits, found.stderr
    try:
        nvrtc.compile(program, part.encode(), 90)
        error = ""
    except RuntimeError as caught:
        error = str(caught)
    assert bool(error) != fits and (said in error) != fits, error


@pytest.mark.turn
def test_a_program_that_includes_the_header_has_what_is_not_embedded(nvrtc):
    text = read(ROOT, "gpuprims.h").encode()
    for architecture in {75, 90} & nvrtc.architectures:
        assert b"authors" in nvrtc.compile(AUTHORS, text, architecture)


@pytest.mark.turn
def test_what_is_not_embedded():
    """The end of the header has nothing of these parts: not their text, not their names."""
    apart = amalgamate.not_embedded()
    assert len(apart) > 4 and apart < set(amalgamate.paths()) and all(path.endswith(".cuh") for path in apart)
    header = read(ROOT, "gpuprims.h")
    public = header.partition(f"\n{amalgamate.BEGIN}\n")[0]
    whole = amalgamate.whole_text(amalgamate.embedded_of(os.path.join(ROOT, "gpuprims.h")))
    listed, _, text = whole.partition("\ntext\n")
    names = listed.partition("\nnames")[2] + "\n"
    assert "gp_tile_reduce_storage" in text and "\ngp_tile_reduce_storage " in names
    for path in apart:
        assert f"// ---- {path} - " in public and path not in listed and path not in text
        body = "\n".join(amalgamate.read_part(path).body)
        own = set(re.findall(r"GP_DEVICE [^(]*?\bgp_\w+(?=\()|struct gp_\w+(?= \{)", body))
        own = {one.split()[-1] for one in own}
        assert len(own) > 2, path
        for name in own:
            assert not re.search(rf"\b{name}\b", text) and f"\n{name} " not in names, name


@pytest.mark.turn
def test_an_embedded_part_may_not_use_one_that_is_not(house):
    part = read(house, "src", "scan", "kernels.cuh")
    put(part + "\nstruct gp__more : gp_tile_shuffle_storage<32, int> {};\n", house, "src", "scan", "kernels.cuh")
    assert run(house, "tools/lint.py", "--uses").returncode == 0
    found = run(house, TOOL)
    assert found.returncode == 2
    assert "src/scan/kernels.cuh uses device/tile_neighbours.cuh, which is not embedded: src/manifest" in found.stdout
    listed = read(house, "src", "manifest").replace("tile_neighbours.cuh not embedded", "tile_neighbours.cuh")
    put(listed, house, "src", "manifest")  # where it stands, it is below
    assert "gp_tile_shuffle_storage" not in amalgamate.embedded_text()


@pytest.mark.turn
def test_the_device_text(house):
    """Comments, white space and the host's text do not change it; an edit changes only its part's lines."""
    def parts():
        whole = amalgamate.device_text(os.path.join(house, "gpuprims.h")).decode()
        return dict(re.findall(r'^#line 1 "(.*)"\n((?:(?!#line).*\n)*)', whole, re.M))

    before, part = parts(), read(house, "src", "scan", "kernels.cuh")
    assert len(before) > 100 and "device/machine.cuh" in before and "core/run.c" not in before
    assert before["scan/kernels.cuh"] in amalgamate.embedded_text("scan/kernels.cuh")
    assert "//" not in "".join(before.values()) and "GP_DEVICE float " in before["device/machine.cuh"]
    put(part.replace("  ", "    ").replace("\n}\n", "\n  // An end.\n\n} /* of it */ // it\n"), house, "src", "scan",
        "kernels.cuh")
    put(read(house, "src", "core", "run.c") + "\nenum { GP__MORE = 1 };\n", house, "src", "core", "run.c")
    assert run(house, TOOL).returncode == 0 and parts() == before
    put(part + "\n#ifdef GPUPRIMS_SIMT\nint gp__none;\n#else\nGP_DEVICE int gp__more() { return 1, 'a' , 2; }\n"
        "#endif\n", house, "src", "scan", "kernels.cuh")
    assert run(house, TOOL).returncode == 0
    after = parts()
    more = "GP_DEVICE int gp__more(){return 1,'a',2;}\n"
    assert after.pop("scan/kernels.cuh") == before.pop("scan/kernels.cuh") + more
    assert after == before


@pytest.mark.turn
def test_the_device_text_is_embedded_whole(house):
    """Other digits for the same text stay as they are: versions of zlib differ."""
    path = os.path.join(house, "gpuprims.h")
    text, before = amalgamate.embedded_text(), read(path)
    assert amalgamate.device_text(path).decode() == text
    assert run(house, TOOL, "--device-text").stdout.endswith("\ntext\n" + text)
    lines = amalgamate.embedded_of(path)
    assert len("".join(lines)) < len(text) // 3 and max(map(len, lines)) <= 120
    packer = zlib.compressobj(1, zlib.DEFLATED, -15, 9)
    coded = amalgamate.with_codes(amalgamate.whole_text(lines))
    whole = coded.encode("latin-1")
    assert amalgamate.with_words(coded) == amalgamate.whole_text(lines) and len(coded) < 0.7 * len(text)
    other = "\n".join(amalgamate.in_digits(packer.compress(whole) + packer.flush()))
    put(before.replace("\n".join(lines[2:-1]), other), path)
    assert run(house, TOOL, "--check").returncode == 0 and run(house, TOOL).returncode == 0
    assert read(path) != before and amalgamate.device_text(path).decode() == text
    damaged = other.replace(other[1000:1010], "##########")
    put(before.replace("\n".join(lines[2:-1]), damaged), path)
    assert run(house, TOOL, "--check").returncode == 1
    assert run(house, TOOL).returncode == 0 and read(path) == before


def test_digits():
    assert len(amalgamate.DIGITS) ** 2 >= 1 << amalgamate.PAIR_BITS
    assert not set(amalgamate.DIGITS) & set("*\\? \n")  # the text stands in a comment
    for size in [*range(60), 1000, 4999]:
        data = bytes((at * 37 + size) % 256 for at in range(size))
        lines = amalgamate.in_digits(data)
        assert amalgamate.of_digits(lines)[:size] == data and all(len(line) <= 120 for line in lines)
        assert not any(amalgamate.of_digits(lines)[size:])


def of_a_part(text):
    return amalgamate.for_nvrtc([amalgamate.Line(one, "p", at) for at, one in enumerate(text.split("\n"), 1)])


@pytest.mark.parametrize("code, dense", [
    ("a = b + c * d;", "a=b+c*d;"), ("a = b * -d;", "a=b* -d;"), ("x = !a & ~b | !c;", "x=!a&~b|!c;"),
    ("a + +b - -c", "a+ +b- -c"), ("a & &b / *p", "a& &b/ *p"), ("0x1e + 1 - 2e - 3", "0x1e +1-2e -3"),
    ("size + 1", "size+1"), ("a < ::b", "a< ::b"), ("A<B<int> > *p", "A<B<int> > *p"), ("n [ 3 ] [ 4 ]", "n[ 3 ][ 4 ]"),
    ('say("a + b" "c")', 'say("a + b" "c")'), ("return *p == 'a + b'", "return*p== 'a + b'"),
    ("f(a) \\", "f(a) \\"), ("#define GP_X (a + b)", "#define GP_X (a + b)"),
])
def test_without_spaces(code, dense):
    assert amalgamate.without_spaces(code) == dense
    tokens = re.compile(r"""\d(?:[eEpP][+-]|\w)*|\w+|"[^"]*"|'[^']*'|<<|>>|&&|\+\+|--|->|::|<:|/\*|\S""")
    assert tokens.findall(dense) == tokens.findall(code)


def test_without_host_rules():
    """A function goes if nothing calls it, and then what only it called; strings and macros of parts in C are calls."""
    def kept(text):
        return [line.text for line in amalgamate.without_host_rules(of_a_part(text))]

    called = "GP__RULE int gp__a(int n) {\n  if (n) {\n    return 1;\n  }\n  return n;\n}\n"
    caller = "GP__BOTH static inline __attribute__((unused)) int gp__b(int n) { return gp__a(n); }\n"
    kernel = "GP_DEVICE int gp__c() { return gp__b(1); }"
    assert kept(called + caller + "int after;") == ["int after;"]
    assert kept(called + "int after;\n" + caller.replace("gp__a(n)", "1")) == ["int after;"]
    assert kept(called + caller + kernel) == [line.text for line in of_a_part(called + caller + kernel)]
    assert len(kept(called + kernel.replace("gp__b(1)", "gp__a(1)"))) == 7
    assert len(kept(called + "#define GP_X gp__a(1)")) == 7
    assert kept(called.replace("return n;", "return gp__a(n - 1);") + "int after;") == ["int after;"]
    assert kept("GP__RULE int gp__none(int n) { return n; }") == ["GP__RULE int gp__none(int n){return n;}"]
    assert kept("GP_DEVICE int gp__d() { return 1; }") == ["GP_DEVICE int gp__d(){return 1;}"]
    assert kept("#define GP_X \\\nGP__RULE int gp__e() { return 1; }") == [
        "#define GP_X \\", "GP__RULE int gp__e(){return 1;}"]
    with pytest.raises(amalgamate.Wrong, match="p:1: the end of this function"):
        kept("GP__RULE int gp__a(int n) {")


def test_names_that_programs_mention():
    said = amalgamate.said_by_the_host()
    assert {"gp__copy_kernel", "gp__scan_args", "gp__none", "gp_sum", "gp__u32"} <= said
    assert "gp__policy_valid_scan" not in said and "gp__look_back_slots" not in said


def test_conditions_that_are_known():
    def kept(text):
        return [line.text for line in of_a_part(text)]

    assert kept("#ifdef GPUPRIMS_SIMT\na;\n#if X\nb;\n#else\nc;\n#endif\n#else\nd;\n#endif\ne;") == ["d;", "e;"]
    assert kept("#if defined(GPUPRIMS_SIMT) || X\na;\n#elif Y\nb;\n#endif") == [
        "#if defined(GPUPRIMS_SIMT) || X", "a;", "#elif Y", "b;", "#endif"]
    assert kept("#if defined(__CUDACC__) && !defined(GPUPRIMS_SIMT)\na;\n#else\nb;\n#endif") == ["a;"]
    assert kept("#ifdef GPUPRIMS_STATIC\na;\n#elif defined(__cplusplus)\nb;\n#else\nc;\n#endif") == ["b;"]
    assert kept("#if X\n#ifndef __CUDACC_RTC__\na;\n#endif\n#if 0\nb;\n#endif\n#endif") == [
        "#if X", "#if 0", "b;", "#endif", "#endif"]
    assert kept('x("a , // b" , c); // d') == ['x("a , // b",c);']
