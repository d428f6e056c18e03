"""The tables of docs/tile.md: every routine for kernel authors occurs in an example, and its row names that one; the
library's own kernels use what the page says that they use, and nothing of section >>authors."""
import os
import re
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import amalgamate  # noqa: E402
import docs  # noqa: E402


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def names():
    return [item.name for item in docs.pages()[-1].items() if item.name not in docs.OWN]


def test_every_routine_has_an_example():
    assert len(names()) > 80
    assert docs.without_example() == []


def table_of(name):
    begin, end = (line.format(name) for line in docs.TABLE)
    with open(docs.GUIDE, encoding="utf-8") as file:
        return file.read().partition(begin)[2].partition(end)[0]


def test_rows_name_what_shows_them():
    table = table_of("routines")
    rows = re.findall(r"^\|[^|]*\| (.*) \| (\[.*\)) \|$", table, re.M)
    listed = [name for row, _ in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(name for name in names() if not name.endswith("_storage"))
    shown = docs.examples()
    for row, link in rows:
        for name in re.findall(r"`(\w+)`", row):
            assert re.search(rf"^[^\n/]*\b{name}\b", shown[link], re.M), f"{link} lacks {name}"


@pytest.mark.parametrize("name", ["gp_tile_rotate", "gp_warp_match", "gp_tile_rank_storage", "gp_warp_merge_split"])
@pytest.mark.parametrize("change", [lambda name: name + "s", lambda name: "// " + name])
def test_a_routine_without_an_example(monkeypatch, name, change):
    shown = docs.examples()
    assert any(name in code for code in shown.values())
    monkeypatch.setattr(docs, "examples", lambda: {
        link: re.sub(rf"\b{name}\b", change(name), code) for link, code in shown.items()})
    found = docs.without_example()
    assert found[0].startswith(f"{name}: no example") and len(found) >= 1
    assert any(name in line for line in docs.differs())


def test_users():
    rows = dict(re.findall(r"^\| \[`(\w+)`\]\S* \| (.*) \|$", table_of("users"), re.M))
    assert set(rows) < set(names()) | set(docs.OWN) and len(rows) > 12
    assert "hash" in rows["gp_tile_load_balance"] and re.match(r"\d+ of \d+ families", rows["gp_warp_reduce"])
    apart = docs.Page("", "", "")
    for path in set(docs.TILE_PARTS) & amalgamate.not_embedded():
        docs.read_tile(path, apart)
    assert len(apart.items()) > 40 and not {item.name for item in apart.items()} & set(rows)
