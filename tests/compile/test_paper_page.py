"""make paper: the page on made-up measurements with results known by hand, on missing and damaged files, without
matplotlib, without a browser and with one that fails."""
import json
import os
import stat
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [ROOT, os.path.join(ROOT, "tests", "farm")]
from test_landscape import E1, ENVIRONMENT, MIB, sample  # noqa: E402

from tools import papers  # noqa: E402
from tools.paper import __main__ as paper  # noqa: E402
from tools.paper import back40, draw, harris, page, sources  # noqa: E402

SIZES = (128 * MIB, 128 * 1024)


@pytest.fixture(autouse=True)
def committed():
    """papers.MEASUREMENTS as it was."""
    before = papers.MEASUREMENTS
    yield
    papers.MEASUREMENTS = before


def policy(algorithm, threads):
    return {"algorithm": algorithm, "threads": threads, "vectors": 1, "load": "ALL", "store": "ALL", "stages": 0,
            "blocks_per_sm": 2, "overlap": 1}


def write(folder, name, lines):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def landscape_lines():
    """Reductions: stealing takes 2 x the time of even shares at 128 MiB, half of it at 128 KiB; copies: 1.05 x."""
    lines = [ENVIRONMENT]
    for type_ in ("u8", "u32"):
        for size, (even, steal) in zip(SIZES, ((100.0, 200.0), (4.0, 2.0))):
            lines += [sample("reduce", type_, size, 300.0)]
            lines += [sample("reduce", type_, size, us, policy(name, 256)) for name, us in
                      (("EVEN_SHARE", even), ("STEALING", steal))]
            lines += [sample("copy", type_, size, us, policy("DIRECT", threads)) for threads, us in
                      ((128, 210.0), (256, 200.0))]
    return lines


def search_lines():
    """A search without a landscape: 256 MiB of u32."""
    found = []
    for primitive, algorithm, us in (("copy", "DIRECT", 400.0), ("reduce", "EVEN_SHARE", 200.0)):
        found.append({**sample(primitive, "u32", 256 * MIB, us, policy(algorithm, 256)), "phase": "matrix"})
        found.append({**sample(primitive, "u32", 256 * MIB, 2 * us, policy(algorithm, 512)), "phase": "matrix"})
        found.append({**sample(primitive, "u32", 256 * MIB, us / 4, policy(algorithm, 64)), "phase": "matrix",
                      "status": "wrong"})  # wrong outputs are fast
    return [{**ENVIRONMENT, "device": "Made-up 2"}, *found]


def ladder():
    def rung(name, us, moved):
        return {"name": name, "what": f"step {name}", "us": us, "gbs": moved / us / 1e3, "published_us": 0,
                "published_gbs": 0}
    moved, width = 16 * MIB, 8 * 1024 * 2048
    times = [80, 40, 39, 20, 19, 18, 10]
    return {"device": "Made-up 1", "tables": [
        {"family": "reduction", "elements": 4 * MIB, "width": 0, "height": 0, "moved": moved,
         "rungs": [*(rung(str(place + 1), us, moved) for place, us in enumerate(times)), rung("read", 8, moved)]},
        {"family": "transpose", "elements": 1024 * 2048, "width": 1024, "height": 2048, "moved": width,
         "rungs": [rung(name, us, width) for name, us in (("naive", 40), ("shared", 12), ("padded", 10),
                                                          ("copy", 9))]}]}


@pytest.fixture
def measured(tmp_path):
    one, two = tmp_path / "made-up-1", tmp_path / "made-up-2"
    write(one / "landscape", "2026-11-21.landscape.abc.jsonl", landscape_lines())
    write(one, "2026-11-21.points.abc.jsonl", [{"kind": "environment"}, *(
        {"kind": "point", "v": 1, "cell": "reduce SUM u32 n=32M", "instructions": instructions,
         "policy": f"algorithm=EVEN_SHARE,threads=256,vectors=2,blocks_per_sm={blocks}"}
        for blocks, instructions in ((1, 1.0), (2, 1.5), (8, 4.0)))])
    write(one, "2026-11-21.ladder.abc.json", [ladder()])
    write(one, "2026-11-21.ladder_counters.abc.json", [{"device": "Made-up 1", "kernels": [
        {"family": "reduction", "name": "3", "instructions": 1, "instructions_an_element": 4.0},
        {"family": "reduction", "name": "7", "instructions": 1, "instructions_an_element": 1.0}]}])
    write(two, "2026-11-22.tune.abc.jsonl", search_lines())
    return tmp_path


def devices(folder):
    return sources.devices_of(str(folder))


def text_of(detail):
    return " ".join(detail.text)


def test_bandwidth_by_hand(measured):
    detail = back40.bandwidth(devices(measured))
    rows = {row[0]: row[1:] for row in detail.tables[0][2]}
    # 128 MiB in 100 us: 1342 GB/s; half of it by stealing; a search's best of 256 MiB in 200 us.
    assert rows["read, even share"] == ["163.4", "135.6", "67.8", "1,342", "1,342"]
    assert rows["read, stealing"] == ["168.6", "63.6", "42.6", "671", "not measured yet"]
    assert "0.50 x the speed of even shares" in text_of(detail) and "still costs" in text_of(detail)


def test_shares_of_bandwidth_by_hand(measured):
    best = back40.shares_table(devices(measured), True)
    rows = {row[0]: row[1:] for row in best.tables[0][2]}
    assert rows["reduction"] == ["0.96", "0.88", "0.95", "1.00", "1.00"]
    assert rows["prefix sum"][3:] == rows["reduce-by-key"][3:] == ["not measured yet"] * 2
    mean = back40.shares_table(devices(measured), False)  # no mean of a search
    assert [row[4:] for row in mean.tables[0][2]] == [["0.98"], ["0.75"], ["not measured yet"], ["not measured yet"]]


def test_mean_squares_by_hand(measured):
    # Shares 1, .5, 1, .5 and .5, 1, .5, 1: means .75 both, so nothing between; within 8 * .25^2 / 6.
    assert back40.mean_squares(devices(measured)[0], "reduce") == pytest.approx((0, 0.5 / 6))
    assert back40.mean_squares(devices(measured)[0], "exclusive_scan") is None


@pytest.mark.turn
def test_copies_and_the_best_single_policy_by_hand(measured):
    detail = back40.copy_histogram(devices(measured))
    assert detail.tables[0][2][0][:3] == ["Made-up 1, 128MiB", "25 %", "100 %"]
    detail = back40.strength(devices(measured))
    rows = {row[0]: row[1:] for row in detail.tables[0][2]}
    assert rows["Made-up 1, reduction"] == ["0.73", "0.750", "0.667", "2"]
    assert rows["Made-up 1, copy"][1] == "1.000"
    assert "no policy suits all instances" in text_of(detail) and "does not hold here" in text_of(detail)


def test_instructions_by_hand(measured):
    text = text_of(back40.blocks(devices(measured)))
    assert "1.00 instructions an element with 1 blocks a multiprocessor, 4.00 with 8 blocks a multiprocessor: 75 % " \
        "saved" in text and "(GTX480, against a block a tile: 67 %)" in text
    assert "save 75 % of the instructions" in text_of(back40.phases(devices(measured)))


@pytest.mark.turn
def test_the_ladder_has_its_printed_times(measured):
    """Files from before ladder.c knew them hold 0."""
    text = text_of(harris.reduction(devices(measured)))
    assert "gain 8.0 x together (printed: 30 x)" in text
    assert "at least 10 %: 2, 4, 7; those that no longer do: 3, 5, 6" in text
    detail = harris.transposes(devices(measured))
    rows = {row[0]: row for row in detail.tables[0][2]}
    assert rows["naive"][2:4] == ["6.600 ms", "2.5"] and rows["padded"][2:5] == ["0.790 ms", "21.2", "8.35"]
    assert rows["shared"][2:5] == ["", "", ""]
    assert "gain 4.00 x (printed: 8.4 x), of which padding against bank conflicts 1.20 x" in text_of(detail)


def numbered(text):
    return text.count("<h3>")


@pytest.mark.turn
def test_the_page_has_every_item(measured):
    text = paper.page_of(str(measured))
    assert numbered(text) == sum(len(one.rows) for one in papers.papers())
    assert "Made-up 1; Made-up 2" in text and "could not be read" not in text and "<script" not in text
    assert text.count("<svg") >= 4


@pytest.mark.turn
def test_every_item_says_something():
    """Of the committed measurements: a paragraph, or what to run."""
    text = paper.page_of(papers.MEASUREMENTS)
    silent = [item.split("</h3>")[0] for item in text.split("<h3>")[1:] if "<p>" not in item.split("Made by")[0]
              and 'class="to-do"' not in item]
    shared = ("Kernel", "Coalescing", "Transposes", "Transfers")  # their detail stands at one of the rows
    assert [one for one in silent if not one.startswith(shared)] == []


def test_nothing_measured(tmp_path):
    text = paper.page_of(str(tmp_path))
    assert numbered(text) == sum(len(one.rows) for one in papers.papers())
    assert "Devices measured: none." in text and "<svg" not in text
    for item in ("Figure 2", "Figure 6", "Figure 7"):
        part = text.split(f"<h3>{item}: ")[1].split("<h3>")[0]
        assert "measure" in part and "holds" not in part


@pytest.mark.turn
def test_a_damaged_file_is_named(measured):
    (measured / "made-up-1" / "2026-11-22.ladder.abd.json").write_text('{"device": ')
    (measured / "made-up-1" / "2026-11-22.tune.abd.jsonl").write_text('{"phase":"matrix","protocol":"cold"\n')
    (measured / "made-up-1" / "landscape" / "2026-11-22.landscape.abd.jsonl").write_text(
        json.dumps({**ENVIRONMENT, "id": E1}) + "\n")
    damaged = [text for device in devices(measured) for text in device.damaged]
    for name in ("ladder.abd.json", "tune.abd.jsonl", "landscape.abd.jsonl"):
        assert sum(text.startswith(f"2026-11-22.{name}: ") for text in damaged) == 1, damaged
    assert f"<li>made-up-1/{damaged[0][:10]}" in paper.page_of(str(measured))


def test_text_is_escaped():
    row = papers.Row("Figure 1", "<b>", "a < b", "", "x & y", "<i>")
    text = page.item_html(row, page.Detail([("<t>", ["<h>"], [["<c>"]])], [(None, "<p>")], ["<q>"]), "<r>")
    assert not any(tag in text for tag in ("<b>", "<i>", "<t>", "<h>", "<c>", "<q>", "<r>"))
    assert "matplotlib is missing" in text


def test_without_matplotlib(monkeypatch, measured):
    monkeypatch.setitem(sys.modules, "dashboard.figures", None)
    monkeypatch.setitem(sys.modules, "dashboard", None)
    assert draw.render(draw.bars, [("a", [1])], ["b"], "c") is None
    text = paper.page_of(str(measured))
    assert "matplotlib is missing" in text and "<svg" not in text


def run(capsys, *arguments):
    code = paper.main(list(arguments))
    return code, *capsys.readouterr()


def program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_browsers(measured, tmp_path, capsys, monkeypatch):
    out = str(tmp_path / "out")
    usual = ["--measurements", str(measured), "--out", out]
    monkeypatch.setattr(paper, "page_of", lambda folder: "<html></html>")
    code, said, _ = run(capsys, *usual, "--browser", "no-such-browser")
    assert code == 0 and "no PDF: no-such-browser was not found (apt-get install chromium)" in said
    prints = program(tmp_path / "prints", 'for a; do case $a in --print-to-pdf=*) echo PDF > "${a#*=}";; esac; done')
    code, said, _ = run(capsys, *usual, "--browser", prints)
    assert code == 0 and os.path.exists(os.path.join(out, "papers.pdf")) and said.strip().endswith("papers.pdf")
    code, said, error = run(capsys, *usual, "--browser", program(tmp_path / "fails", "echo no display >&2; exit 3"))
    assert code == 1 and "no display" in error and not os.path.exists(os.path.join(out, "papers.pdf"))
    code, said, error = run(capsys, *usual, "--browser", program(tmp_path / "silent", "exit 0"))
    assert code == 1 and "exit status 0" in error, "a browser that writes nothing failed"
    code, said, _ = run(capsys, *usual, "--no-pdf")
    assert code == 0 and "PDF" not in said
    assert os.path.exists(os.path.join(out, "index.html"))


def test_no_such_folder(tmp_path, capsys):
    code, said, error = run(capsys, "--measurements", str(tmp_path / "none"), "--out", str(tmp_path / "out"))
    assert code == 2 and "--measurements: there is no folder" in error and not said
    assert not os.path.exists(tmp_path / "out")
