"""docs/coverage.md: the page is what the tables say; names, links and anchors in them exist; every algorithm of Thrust
and every device-wide, block-wide and warp-wide function of CUB has a row, where their headers are on this machine; so
has every function of moderngpu, whose names stand here."""
import glob
import os
import re
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [ROOT, os.path.join(ROOT, "tools")]
import coverage  # noqa: E402
from tools.quality import libraries  # noqa: E402

HEADERS = sorted(glob.glob("/usr/local/cuda*/include/cccl"))
# Steps of CUB's own calls, which are public by accident.
INTERNAL = re.compile(r"NoNVTX$|^custom_radix_sort$|^segmented_reduce$|^for_each_n$|^AdjacentDifference$")
# The same of its block and warp headers: helpers of classes, and functors.
HELPERS = re.compile(r"^Internal|::CallBack$|::get_\w+$|^\w*(?:Callback|DigitExtractor)::")
# CUB's own folder with block/ and warp/: of the toolkit, and where tools/bench.py fetched it, of CCCL.
CUB = [os.path.join(path, "cub") for path in HEADERS[-1:] + glob.glob(os.path.join(ROOT, "build/peers/cccl/cub"))]

# moderngpu 2.x: the functions of each header of src/moderngpu, and 1.x: those of include/mgpuhost.cuh, as
# test_moderngpu_sources finds them.
MODERNGPU = {
    "cta_load_balance.hxx": "cta_load_balance_fill cta_load_balance_place cta_load_balance_t::load_balance",
    "cta_merge.hxx": "cta_merge_from_mem gather_two_streams_strided load_two_streams_reg load_two_streams_shared "
                     "merge_path merge_predicate serial_merge transfer_two_streams_strided",
    "cta_mergesort.hxx": "cta_sort_t::block_sort cta_sort_t::merge_pass",
    "cta_reduce.hxx": "cta_reduce_t::reduce shfl_reduce_t::reduce",
    "cta_scan.hxx": "cta_scan_t::scan",
    "cta_search.hxx": "binary_search serial_search",
    "cta_segscan.hxx": "cta_segscan_t::segscan",
    "cta_segsort.hxx": "cta_segsort_t::block_sort cta_segsort_t::merge_pass segmented_merge_path "
                       "segmented_serial_merge",
    "kernel_bulkinsert.hxx": "bulk_insert",
    "kernel_bulkremove.hxx": "bulk_remove",
    "kernel_compact.hxx": "transform_compact",
    "kernel_intervalmove.hxx": "interval_expand interval_gather interval_move interval_scatter",
    "kernel_join.hxx": "inner_join",
    "kernel_load_balance.hxx": "load_balance_search transform_lbs",
    "kernel_merge.hxx": "merge",
    "kernel_mergesort.hxx": "mergesort",
    "kernel_reduce.hxx": "reduce transform_reduce",
    "kernel_scan.hxx": "scan scan_event transform_scan transform_scan_event",
    "kernel_segreduce.hxx": "lbs_segreduce segreduce spmv transform_segreduce",
    "kernel_segsort.hxx": "segmented_sort segmented_sort_indices",
    "kernel_sortedsearch.hxx": "sorted_search",
    "kernel_workcreate.hxx": "lbs_workcreate",
    "transform.hxx": "cta_launch cta_transform transform",
    "mgpuhost.cuh": "BulkInsert BulkRemove IndirectReduceCsr IntervalExpand IntervalGather IntervalMove "
                    "IntervalScatter LoadBalanceSearch LocalitySortKeys LocalitySortPairs MergeKeys MergePairs "
                    "MergesortIndices MergesortKeys MergesortPairs Reduce ReduceByKey ReduceByKeyApply "
                    "ReduceByKeyPreprocess RelationalJoin Scan ScanExc SegReduceApply SegReduceCsr "
                    "SegReduceCsrPreprocess SegSortKeysFromFlags SegSortKeysFromIndices SegSortPairsFromFlags "
                    "SegSortPairsFromIndices SetOpKeys SetOpPairs SortedEqualityCount SortedSearch SpmvBinaryApply "
                    "SpmvCsrBinary SpmvCsrIndirectBinary SpmvCsrIndirectUnary SpmvCsrUnary SpmvPreprocessBinary "
                    "SpmvPreprocessUnary SpmvUnaryApply",
}
MODERNGPU_CLONE = os.path.join(ROOT, "build", "peers", "moderngpu")


def rows_of(title):
    for found, _, rows in coverage.tables(ROOT):
        if found.startswith(title):
            return {name for _, names, _, _ in rows for name in names}
    raise AssertionError(f"no table {title}")


def texts(pattern):
    for path in sorted(glob.glob(os.path.join(HEADERS[-1], pattern))):
        with open(path, encoding="utf-8", errors="replace") as file:
            yield file.read()


def test_page():
    assert coverage.main(["--check"]) == 0


@pytest.mark.skipif(not HEADERS, reason="no CCCL headers: install the CUDA toolkit")
def test_thrust():
    names = {name for text in texts("thrust/*.h")
             for name in re.findall(r"\b(\w+)\s*\(\s*const thrust::detail::execution_policy_base", text)}
    assert len(names) > 80
    assert not names - rows_of("Thrust")


@pytest.mark.skipif(not HEADERS, reason="no CCCL headers: install the CUDA toolkit")
def test_cub():
    names = set()
    for text in texts("cub/device/device_*.cuh"):
        owner = re.search(r"^(?:struct|class) (Device\w+)", text, re.M)
        names |= {f"{owner.group(1)}::{name}" for name in re.findall(r"cudaError_t\s+(\w+)\s*\(", text)
                  if not INTERNAL.search(name)}
    assert len(names) > 60
    assert not names - rows_of("CUB: device-wide")


def functions_of(text, mark):
    """The functions behind `mark` of no namespace that the text names, and of its classes where they are public, with
    the class before their names; and the enumerators of enumerations of no namespace and no class."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", "", text, flags=re.M | re.S)
    found, enumerators, scopes, head = set(), set(), [], ""  # scopes: kind, name, public
    for piece in re.split(r"([{};]|\b(?:public|private|protected):)", text):
        if piece.endswith(":") and piece[:-1] in ("public", "private", "protected"):
            if scopes:
                scopes[-1][2] = piece == "public:"
        elif piece in ("{", ";"):
            name = re.search(mark + r"[^(]*?\b(\w+)\s*\(", head)
            if name and name.group(1) != "operator":
                if not scopes:
                    found.add(name.group(1))
                elif len(scopes) == 1 and scopes[0][2] and scopes[0][1] != name.group(1):
                    found.add(f"{scopes[0][1]}::{name.group(1)}")
            if piece == "{":
                kind = re.search(r"\b(namespace|enum|class|struct|union)\s+(?:class\s+)?"
                                 r"(?:_CCCL_\w+(?:\([^)]*\))?\s+)*(\w+)[^()]*$", head)
                scopes.append([kind.group(1), kind.group(2), kind.group(1) == "struct"] if kind else ["", "", False])
        elif piece == "}":
            if scopes and scopes.pop()[0] == "enum" and not scopes:
                enumerators |= set(re.findall(r"\w+", head))
        else:
            head = piece
            continue
        head = ""
    assert not scopes, f"{len(scopes)} braces are left open"
    return found, enumerators


def missing_of_cub(folder, kind):
    """Functions of cub/block or cub/warp without a row."""
    names = set()
    for path in sorted(glob.glob(os.path.join(folder, kind, "*.cuh"))):
        with open(path, encoding="utf-8") as file:
            names |= set().union(*functions_of(file.read(), "_CCCL_DEVICE\\w*"))
    # The class that both merge sorts inherit from.
    of_both = {name for name in names if name.startswith("BlockMergeSortStrategy::")}
    names = {name for name in names - of_both if not HELPERS.search(name)}
    names |= {name.replace("BlockMergeSortStrategy", "BlockMergeSort") for name in of_both if not HELPERS.search(name)}
    assert len(names) > {"block": 60, "warp": 20}[kind]
    return names - rows_of(f"CUB: {kind}-wide")


@pytest.mark.skipif(not HEADERS, reason="no CCCL headers: install the CUDA toolkit")
@pytest.mark.parametrize("folder", CUB)
@pytest.mark.parametrize("kind", ["block", "warp"])
def test_cub_in_kernels(folder, kind):
    assert not missing_of_cub(folder, kind)


@pytest.mark.skipif(not HEADERS, reason="no CCCL headers: install the CUDA toolkit")
@pytest.mark.parametrize("kind, name", [
    ("block", "BlockShuffle::Rotate"), ("block", "BlockMergeSort::StableSort"), ("block", "BLOCK_SCAN_WARP_SCANS"),
    ("block", "StoreDirectWarpStriped"), ("warp", "WarpScan::Broadcast"), ("warp", "WARP_LOAD_TRANSPOSE")])
def test_a_row_of_cub_is_missing(monkeypatch, kind, name):
    rows = rows_of(f"CUB: {kind}-wide")
    assert name in rows
    monkeypatch.setattr(sys.modules[__name__], "rows_of", lambda title: rows - {name})
    assert missing_of_cub(CUB[0], kind) == {name}


def test_moderngpu():
    names = {name for listed in MODERNGPU.values() for name in listed.split()}
    assert not names - rows_of("moderngpu"), "functions without a row"
    assert not rows_of("moderngpu") - names, "rows without a function"


def test_moderngpu_commit():
    [before] = [before for title, before, _ in coverage.tables(ROOT) if title == "moderngpu"]
    assert libraries.LIBRARIES["moderngpu"].commit[:7] in " ".join(before), "not the commit that quality measures"


@pytest.mark.skipif(not os.path.isdir(MODERNGPU_CLONE),
                    reason="no moderngpu: python3 -m tools.quality.libraries --fetch")
@pytest.mark.parametrize("header", MODERNGPU)
def test_moderngpu_sources(header):
    old = header == "mgpuhost.cuh"
    commit = "4cddabe" if old else libraries.LIBRARIES["moderngpu"].commit
    shown = subprocess.run(["git", "-C", MODERNGPU_CLONE, "show", f"{commit}:{'include' if old else 'src/moderngpu'}/"
                            + header], capture_output=True, text=True)
    if old and shown.returncode:
        pytest.skip(f"no branch_1.1: git -C {MODERNGPU_CLONE} fetch origin branch_1.1")
    assert shown.returncode == 0, shown.stderr
    if old:
        found = set(re.findall(r"MGPU_HOST\b[^;(]*?\b(\w+)\(", re.sub(r"//[^\n]*", "", shown.stdout)))
    else:
        text = re.sub(r"operator *\(\)|\w+_NAMESPACE|namespace expt {", "", shown.stdout)
        found, _ = functions_of(text, r"template *<[^{}]*>\s")
    # A header keeps these for itself.
    internal = re.compile(r"^operator$|::(?:load|find_left_lane|type_t|upsweep|downsweep)$|_(?:frame|range)$|"
                          r"^out_of_range_flags$|^merge_sort_partitions$")
    assert {name for name in found if not internal.search(name)} == set(MODERNGPU[header].split())


@pytest.fixture
def copy(tmp_path):
    """What the tool reads, for tests to change."""
    for folder in ("src/api", "src/device", "tools/coverage", "docs"):
        shutil.copytree(os.path.join(ROOT, folder), tmp_path / folder)

    def run(capsys, **changed):
        (tmp_path / "tools/coverage/99_more.txt").write_text("More\n" + changed["row"] + "\n")
        result = coverage.main(["--check"], str(tmp_path))
        return result, capsys.readouterr().out
    return run


@pytest.mark.parametrize("row, said", [
    ("sum | gp_sum_up |", "99_more.txt:2: gp_sum_up is no function of the header"),
    ("sum | gp_reduce | as gp_sum_up", "gp_sum_up is no function of the header"),
    ("sum | gp_reduce | GP_SUM_UP", "GP_SUM_UP is no constant of the header"),
    ("sum | gp_reduce | [here](sums.md)", "there is no docs/sums.md"),
    ("sum | gp_reduce | [here](inputs.md#sums)", "docs/inputs.md has no sums"),
    ("sum |\n  gp_reduce | as\n  GP_SUM_UP", "99_more.txt:2: GP_SUM_UP is no constant of the header"),
    ("sum | |", "neither a function nor a reason"),
    ("sum | | comes later", "the remark puts off what is missing"),
    (" | gp_reduce |", "no entry point"),
    ("sum, sum | gp_reduce |", "sum has a row already"),
    ("sum | gp_reduce", "a row has three parts, not 2"),
    ("", "More: no rows"),
    ("sum | gp_reduce | GP_SUM, [here](inputs.md#speed)", "is not what tools/coverage says"),
])
def test_faults(copy, capsys, row, said):
    result, out = copy(capsys, row=row)
    assert result == 1 and said in out


def test_a_page_without_the_function(copy, tmp_path, capsys):
    path = tmp_path / "docs/reference/reduce.md"
    path.write_text(path.read_text().replace("gp_reduce", "gp_reduced"))
    result, out = copy(capsys, row="sum | gp_reduce |")
    assert result == 1 and "docs/reference/reduce.md has no gp_reduce" in out


def test_an_edited_page(copy, tmp_path, capsys):
    path = tmp_path / "docs/coverage.md"
    path.write_text(path.read_text() + "\n")
    (tmp_path / "tools/coverage/99_more.txt").unlink(missing_ok=True)
    assert coverage.main(["--check"], str(tmp_path)) == 1 and "run tools/coverage.py" in capsys.readouterr().out
    assert coverage.main([], str(tmp_path)) == 0 and coverage.main(["--check"], str(tmp_path)) == 0
