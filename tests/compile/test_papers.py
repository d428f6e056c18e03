"""docs/papers.md: the page is what tools/papers.py says; no numbered item of a paper is missing; files and programs
that it names exist; what was not measured says so."""
import os
import re
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import papers  # noqa: E402

# Items of the papers, counted in their texts: tables, figures, listings, equations of runs, Harris's kernels.
COUNTED = [{"Figure": 8, "Table": 6, "Listing": 3}, {"Figure": 7, "Table": 4}, {"Figure": 3, "Table": 3},
           {"Figure": 3, "Table": 2, "Listing": 3, "Equation": 2}, {"Kernel": 7}]
NAMED = ("Coalescing", "Transposes", "Transfers", "Kernel 7, 16 M")  # Harris's figures without a number
ROWS = [(paper, row) for paper in papers.papers() for row in paper.rows]


def test_the_page_is_current():
    assert papers.main(["--check"]) == 0


def test_no_numbered_item_is_missing():
    assert [paper.numbered for paper in papers.papers()] == COUNTED
    assert [papers.gaps(paper) for paper in papers.papers()] == [[]] * 5


def test_a_missing_row_is_found():
    paper = papers.MATOG
    assert papers.gaps(paper._replace(rows=paper.rows[1:])) == ["Figure 1"]
    assert papers.gaps(paper._replace(rows=[*paper.rows, paper.rows[0]])) == ["Figure 1"]
    assert papers.gaps(paper._replace(rows=[*paper.rows, paper.rows[0]._replace(item="Table 3")])) == ["Table 3"]


def test_harriss_figures_have_their_rows():
    rows = papers.papers()[4].rows
    found = {name: sum(row.item == name for row in rows) for name in NAMED}
    assert found == {"Coalescing": 6, "Transposes": 8, "Transfers": 3, "Kernel 7, 16 M": 1}


@pytest.mark.parametrize("paper, row", ROWS, ids=[f"{row.item}: {row.what}"[:50] for _, row in ROWS])
def test_what_a_row_names_exists(paper, row):
    assert row.what and row.printed and row.measured, "printed and measured stand side by side"
    if row.files and not row.files.startswith("<"):
        assert os.path.exists(os.path.join(ROOT, "ci", "measurements", row.files))
        assert row.measured != papers.NOT_YET
    if row.measured == papers.NOT_YET:
        assert row.command and row.files.startswith("<"), "what is not measured has a command and a file to come"
    for program in re.findall(r"build/examples/(\w+/\w+)", row.command):
        assert os.path.exists(os.path.join(ROOT, "examples", f"{program}.c"))
    for module in re.findall(r"-m (tools[\w.]+)", row.command):
        path = os.path.join(ROOT, *module.split("."))
        assert os.path.isdir(path) or os.path.exists(f"{path}.py")
    for path in re.findall(r"\b((?:docs|examples|src|tools)/[\w/]+\.\w+)", row.measured):
        assert os.path.exists(os.path.join(ROOT, path))


def test_the_ladder_shows_what_the_papers_print():
    """Figures that ladder.c prints beside its own are those of the page."""
    with open(os.path.join(ROOT, "examples", "ladder", "ladder.c"), encoding="utf-8") as file:
        text = file.read()
    assert "{8054, 3456, 1722, 965, 536, 381, 268}" in text
    assert [float(row[2].split()[0]) for row in papers.REDUCTION] == [8.054, 3.456, 1.722, 0.965, 0.536, 0.381, 0.268]
    for name, _, printed in papers.FLOATS:
        us = printed.split()[0].replace(",", "")
        assert re.search(rf'\{{"{name}", "[^"]*", "\w+", \d, \d, \d, {us}\}}', text), name
    for width, height, naive, better in papers.TURNS:
        us = [round(1000 * float(time.split()[0])) for time in (naive, better)]
        assert f"{{{width}, {height}, {{{us[0]}, {us[1]}}}}}" in text
    assert "/ 72," in text and "published_gbs = 72" in text
