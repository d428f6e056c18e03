"""docs/python.md: its examples are doctests, its table is current; the scripts of examples/python."""
import doctest
import glob
import os
import re
import subprocess
import sys

import gpuprims as gp
import numpy as np
import pytest
from conftest import BUILT, ROOT, search_path

EXAMPLES = sorted(glob.glob(os.path.join(ROOT, "examples", "python", "[!_]*.py")))


@pytest.mark.parametrize("page", ["docs/python.md", "python/README.md"])
def test_blocks(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", file.read(), re.M | re.S))
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert test.examples
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.failed == 0


def test_the_table():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "python_page.py"), "--check"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_table_names_every_function():
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        page = file.read()
    elsewhere = {"Allocator", "Context", "GpuprimsError", "Operator", "Sized", "errors", "maximum", "minimum",
                 "operator", "raw", "reverse", "show_config", "use", "where"}
    for name in set(gp.__all__) - elsewhere:
        assert f"| `{name}(" in page, name
    for name in elsewhere - {"Operator", "Allocator", "reverse"}:
        assert name in page, name


def run(path, *arguments):
    env = dict(os.environ, PYTHONPATH=search_path(BUILT))
    return subprocess.run([sys.executable, path, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


@pytest.mark.turn
@pytest.mark.parametrize("path", EXAMPLES, ids=os.path.basename)
def test_example(path):
    done = run(path)
    assert done.returncode == 0 and done.stdout.strip(), done.stdout


def test_the_examples_are_on_the_page():
    assert len(EXAMPLES) >= 6
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        page = file.read()
    for path in EXAMPLES:
        assert f"(../examples/python/{os.path.basename(path)})" in page


def test_a_parquet_file(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rng = np.random.default_rng(1)
    columns = {"shop": rng.integers(0, 9, 999), "day": rng.integers(0, 9, 999), "amount": rng.random(999)}
    path = str(tmp_path / "table.parquet")
    parquet.write_table(pyarrow.table(columns), path)
    done = run(os.path.join(ROOT, "examples", "python", "group_by.py"), path)
    assert done.returncode == 0 and "\nshop" in done.stdout, done.stdout
