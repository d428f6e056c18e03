"""docs/coverage.md: the page is what the tables say; names, links and anchors in them exist; every algorithm of Thrust
and every device-wide call of CUB has a row, where their headers are on this machine."""
import glob
import os
import re
import shutil
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import coverage  # noqa: E402

HEADERS = sorted(glob.glob("/usr/local/cuda*/include/cccl"))
# Steps of CUB's own calls, which are public by accident.
INTERNAL = re.compile(r"NoNVTX$|^custom_radix_sort$|^segmented_reduce$|^for_each_n$|^AdjacentDifference$")


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


@pytest.fixture
def copy(tmp_path):
    """What the tool reads, for tests to change."""
    for folder in ("src/api", "tools/coverage", "docs"):
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
