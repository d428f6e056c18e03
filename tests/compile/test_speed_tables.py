"""tools/speed_tables.py: which run a row shows, what a row says, and what it refuses."""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "speed_tables.py")
sys.path.insert(0, os.path.join(ROOT, "tools"))
import speed_tables  # noqa: E402

CELL = "reduce SUM u32 n=1M"


def sample(label, us, cell=CELL, **fields):
    variant = {"default": "ours", "cub": "peer", "thrust": "peer"}.get(label, "roof")
    return {"kind": "sample", "cell": cell, "n": 1 << 20, "variant": variant, "label": label, "status": "ok",
            "median_us": us, "gbs": 4000 / us, "of_roof": 0.5, **fields}


def run(date, *samples, commit="0123456789ab", peers="CUB and Thrust 3.0.1, CUDA runtime 13.0"):
    return [{"kind": "environment", "date": f"{date}T01:00:00Z", "device": "Example One", "commit": commit,
             "peers": peers}, *samples]


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """A function of {file's name: lines}: what the tool reads."""
    def read(**files):
        place = tmp_path / "ci" / "measurements" / "example-one"
        place.mkdir(parents=True)
        for name, lines in files.items():
            (place / f"{name.replace('__', '.')}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
        monkeypatch.setattr(speed_tables, "ROOT", str(tmp_path))
        return speed_tables.measured()
    return read


def row(found, row_=speed_tables.Row(CELL)):
    chosen = speed_tables.chosen(found[speed_tables.key_of(row_.cell)], row_)
    return [entry.strip() for entry in speed_tables.row_text(row_, chosen).strip("|").split("|")]


def test_the_newest_run_with_a_peer_counts(measured):
    found = measured(a=run("2026-01-02", sample("default", 30.0), sample("cub", 60.0)),
                     b=run("2026-01-03", sample("default", 20.0), sample("cub", 50.0), sample("thrust", 40.0)),
                     c=run("2026-01-04", sample("default", 10.0)))
    assert row(found) == ["`reduce SUM u32`", "1 Mi", "200 GB/s", "0.50", "2.00", "Thrust 3.0.1", "Example One",
                          "2026-01-03", "0123456"]
    later = row(found, speed_tables.Row(CELL, "newer", False))
    assert later[2:] == ["400 GB/s, 10.0 µs", "0.50", "", "newer", "Example One", "2026-01-04", "0123456"]


def test_what_does_not_count(measured):
    """A result that is wrong, a policy that was asked for, a store of the farm."""
    found = measured(a=run("2026-01-02", sample("default", 30.0), sample("cub", 60.0)),
                     b=run("2026-01-03", sample("default", 1.0, status="wrong"), sample("cub", 50.0)),
                     c=run("2026-01-04", sample("threads=64", 1.0, variant="ours"), sample("cub", 50.0)),
                     d__tune__0123456=run("2026-01-05", sample("default", 1.0), sample("cub", 50.0)))
    assert row(found)[2:5] == ["133 GB/s", "0.50", "2.00"]


def test_cells_are_alike_however_they_are_spelt():
    key = speed_tables.key_of
    assert key("sort u32 payload=u32 n=1M dist=uniform") == key("sort u32 n=1048576 payload=u32 protocol=cold")
    assert len({key("sort u32 n=1M"), key("sort u32 n=1M dist=zipf"), key("sort u32 n=1M protocol=graph"),
                key("sort u64 n=1M")}) == 4


def test_cublas_is_named_by_its_toolkit():
    peer = {"label": "cublas"}
    assert speed_tables.peer_text(peer, {"peers": "CUDA runtime 13.0"}) == "cuBLAS (CUDA runtime 13.0)"
    assert speed_tables.peer_text(peer, {}) == "cuBLAS"


def test_comparisons_with_another_call_say_so():
    """CUB has calls of its own by now for top-k and for segments of one length."""
    for rows in speed_tables.TABLES.values():
        for one in rows:
            if one.cell.startswith(("top_k", "nth_element")):
                assert one.remark == speed_tables.FULL_SORT, one
            elif "form=fixed" in one.cell:
                assert one.remark == speed_tables.OFFSETS, one


def tool(*words):
    return subprocess.run([sys.executable, TOOL, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


@pytest.mark.turn
def test_a_page_is_filled_and_compared(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- speed: shuffle -->\n<!-- end -->\n\nbetween\n\n<!-- speed: graph -->\nold\n"
                    "<!-- end -->\nafter\n")
    assert tool("--check", page).returncode == 1 and "old" in page.read_text()
    assert tool(page).returncode == 0
    text = page.read_text()
    assert re.search(r"before\n\n<!-- speed: shuffle -->\n\| cell .*\n\|---.*\n\| `shuffle u32` \| 64 Mi .*\n"
                     r"\n!\[shuffle: .*\]\(speed-shuffle.svg\)\n<!-- end -->\n\nbetween\n\n"
                     r"<!-- speed: graph -->\nNo run .*\n<!-- end -->\nafter\n$", text)
    assert tool("--check", page).returncode == 0 and tool(page).returncode == 0 and page.read_text() == text
    picture = tmp_path / "speed-shuffle.svg"
    drawn = picture.read_text()
    picture.write_text(drawn.replace('width="', 'width="9'))
    assert "speed-shuffle.svg" in tool("--check", page).stdout and tool(page).returncode == 0
    assert picture.read_text() == drawn
    page.write_text(text.replace("| 64 Mi | ", "| 64 Mi | 9"))
    assert "run tools/speed_tables.py" in tool("--check", page).stdout


@pytest.mark.parametrize("text, said", [
    ("<!-- speed: poems -->\n<!-- end -->\n", "no table is named 'poems'"),
    ("<!-- speed: sort -->\n| 1 |\n", "no line <!-- end -->"),
    ("<!-- speed: sort -->\n<!-- speed: scan -->\n<!-- end -->\n", "no line <!-- end -->")])
def test_a_block_that_cannot_be_filled(tmp_path, text, said):
    page = tmp_path / "page.md"
    page.write_text(text)
    done = tool(page)
    assert done.returncode == 1 and said in done.stdout and page.read_text() == text


def test_a_picture_has_a_bar_a_cell_and_a_mark_a_peer():
    found = speed_tables.measured()
    for name in speed_tables.TABLES:
        rows = [run for _, run in speed_tables.rows_of(name, found) if "gteps" not in run["default"]]
        drawn = speed_tables.picture(name, found)
        assert drawn.count("<rect ") == len(rows) and bool(drawn) == bool(rows), name
        assert drawn.count('class="p"') == sum(speed_tables.peer_of(run) is not None for run in rows), name
        if drawn:
            root = xml.etree.ElementTree.fromstring(drawn)
            assert float(root.attrib["viewBox"].split()[2]) > speed_tables.LABELS + speed_tables.AXIS


def test_every_table_can_be_made():
    found = speed_tables.measured()
    for name, rows in speed_tables.TABLES.items():
        assert speed_tables.table(name, found).count("\n") == (len(rows) + 2 if rows else 1), name
