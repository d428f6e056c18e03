"""The dashboard on synthetic nights, whole and broken, and on the committed ones."""
import csv
import datetime
import functools
import gzip
import html.parser
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

import made_up
import pytest
from conftest import BLANK, CACHE, MEASURED, ROOT, TODAY

from ci import baseline, steps
from dashboard import build, commits, figures, model, pages, read, reports
from tools import bench
from tools.farm import store
from tools.quality import __main__ as quality_command

LONG = os.environ.get("GPUPRIMS_LONG") == "1"
HEAVIEST = 2 << 20  # bytes of a page with everything that it loads
COMMON = ["index.html", "primitives.html", "regressions.html", "compare.html", "commits.html", "noise.html",
          "landscape.html", "online.html", "programs.html", "quality.html", "table.html", "reports.html", "data.html",
          "search.html"]


# Tags with attributes that the checks need: a tenth of a page, because the parser is slow on whole pages.
TAG = re.compile(r"""<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>""")
ASKED_FOR = re.compile(r"\b(?:id|href|src|action)\s*=")
SCRIPT = re.compile(r"(<script\b[^>]*>).*?</script>", re.S)


class Document(html.parser.HTMLParser):
    """A page's links, loads, and link targets."""
    CDATA_CONTENT_ELEMENTS = ()  # scripts are left out

    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links, self.loads = path, [], [], []
        with open(path, encoding="utf-8") as file:
            tags = TAG.findall(SCRIPT.sub(r"\1</script>", file.read()))
        for tag in filter(ASKED_FOR.search, tags):
            self.feed(tag)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "a":
            self.links.append(attrs["href"])
        if "src" in attrs:
            self.loads.append(attrs["src"])
        if tag == "form" and "action" in attrs:
            self.links.append(attrs["action"])
        if tag == "link":
            self.loads.append(attrs["href"])

    @functools.cached_property
    def text(self):
        words = Words()
        with open(self.path, encoding="utf-8") as file:
            words.feed(file.read())
        return words.text


class Words(html.parser.HTMLParser):
    text = ""

    def handle_data(self, data):
        self.text += data + " "


def documents(site):
    found = {}
    for place, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(place, name)
                found[path] = Document(path)
    return found


def check_whole(site):
    """Every link and anchor leads somewhere, nothing comes from outside, nothing is too heavy. Returns the number of
    links."""
    found, checked = documents(site), 0
    for path, document in found.items():
        assert len(document.ids) == len(set(document.ids)), path
        for link in document.links + document.loads:
            assert not re.match(r"[a-z]+:|/", link), f"{path}: {link} is not relative"
            target, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            assert os.path.isfile(target), f"{path}: {link}"
            if anchor and target.endswith(".html"):
                assert anchor in found[target].ids, f"{path}: {link}"
            checked += 1
        weight = os.path.getsize(path) + sum(os.path.getsize(os.path.join(os.path.dirname(path), link))
                                             for link in set(document.loads))
        assert weight <= HEAVIEST, f"{path}: {weight} bytes"
    check_files(site, found)
    return checked


def check_files(site, found):
    """Each CSV file has its JSON twin; the feed and the search lead to pages and anchors."""
    for name in os.listdir(os.path.join(site, "csv")):
        with open(os.path.join(site, "json", name[:-4] + ".json"), encoding="utf-8") as file:
            twin = json.load(file)
        with open(os.path.join(site, "csv", name), encoding="utf-8", newline="") as file:
            columns, *rows = csv.reader(file)
        assert twin["columns"] == columns and len(twin["rows"]) == len(rows), name
        for one, other in zip(twin["rows"], rows):
            assert ["NO DATA" if value is None else str(value) for value in one] == other, name
    feed = xml.etree.ElementTree.parse(os.path.join(site, "feed.xml")).getroot()
    assert feed.find(f"{ATOM}id").text and feed.find(f"{ATOM}updated").text
    links = [link.get("href") for link in feed.iter(f"{ATOM}link")]
    links += [one[2] for one in data_of(site, "search")]
    for link in links:
        target, _, anchor = link.partition("#")
        path = os.path.join(site, target)
        assert os.path.isfile(path), link
        assert not anchor or anchor in found[path].ids, link


ATOM = "{http://www.w3.org/2005/Atom}"


def data_of(site, name):
    """The data of a page's script."""
    with open(os.path.join(site, f"{name}-data.js"), encoding="utf-8") as file:
        return json.loads(file.read().split(f"gpuprims.{name} = ", 1)[1].rsplit(";", 1)[0])


@functools.cache
def committed_files():
    """[(device, name, content)] of all committed reports."""
    kept = build.Cache(f"{CACHE}.blank")  # the site's build has read them, too
    return [(device, name, kept.made_of(read.read, [path], path, device, name))
            for path, device, name in read.files_below(MEASURED)[0]]


def text_of(site, name="data.html"):
    return re.sub(r"\s+", " ", Document(os.path.join(site, name)).text)


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ---- whole stores ----------------------------------------------------------------------------------------------------


@pytest.mark.turn
def test_every_page_is_there_and_every_link_leads_somewhere(small_site):
    assert set(COMMON) <= set(os.listdir(small_site))
    assert check_whole(small_site) > 500
    assert not [name for name in os.listdir(os.path.dirname(small_site)) if name.endswith((".new", ".old"))]


def test_a_cell_has_its_numbers_and_its_anchor(small_site, small_store):
    night = made_up.night_of(11)
    records = read.read(os.path.join(small_store, "example-one", f"{night}.jsonl"), "example-one", f"{night}.jsonl")
    measured = {measure.text: measure for measure in records.bench[0].cells.values()}
    found = 0
    for name in os.listdir(os.path.join(small_site, "csv")):
        if name.startswith("example-one.") and name.endswith("-cells.csv"):
            for row in rows_of(os.path.join(small_site, "csv", name)):
                ours = measured[row["cell"]].ours[0]
                assert float(row["us"]) == ours.us and float(row["GB/s"]) == ours.gbs
                assert float(row["against the best peer"]) == ours.of_peer
                assert row["night"] == night
                found += 1
    assert found == len(measured) == 60
    page = Document(os.path.join(small_site, "example-one", "reduce.html"))
    assert "c-sum-u32-cold-1048576" in page.ids and "reduce/sum-u32-cold-1048576.html" in " ".join(page.links)
    assert "--cell 'reduce SUM u32 bytes=4M'" in page.text


def test_the_heat_map_shows_medians_and_what_was_never_measured(small_site):
    rows = {(row["primitive"], row["input from, bytes"]): row for row in
            rows_of(os.path.join(small_site, "csv", "index.example-one-map.csv"))}
    cells = [row for name in os.listdir(os.path.join(small_site, "csv")) if name.startswith("example-one.copy.")
             and name.endswith("-cells.csv") for row in rows_of(os.path.join(small_site, "csv", name))]
    mine = [row for row in cells if row["cell"] == "copy u32 bytes=16M"]
    assert len(mine) == 1 and float(rows["copy", "16M"]["of the roof (median)"]) == float(mine[0]["of the roof"])
    assert rows["shuffle", ""]["of the roof (median)"] == "NO DATA"
    assert {primitive for primitive, _ in rows} == set(store.primitives())


@pytest.mark.turn
def test_cells_that_only_a_regression_measured_fill_the_map(tmp_path, make_site):
    """As shares of the library's copy in the same run, or as times; each has its page. A benchmark's cells show the
    benchmark. A square without a cell says whether the nights' list has one."""
    texts = ["copy u32 n=1048576 protocol=cold_graph", "top_k u32 k=64 n=1048576 protocol=cold_graph",
             "bfs u32 graph=kronecker:scale=18 n=8388608 protocol=back_to_back", "copy u32 n=1024 protocol=cold"]
    first = [text.replace(text.split("=")[-1], "first_call") for text in texts[:3]]  # with pages, and in no square
    place = tmp_path / "example-one"
    made_up.write(str(place / f"{made_up.night_of(0)}.jsonl"), made_up.records(0, 1))  # the last copy
    for night, factor in ((0, 1), (1, 2)):
        made_up.write(str(place / f"{made_up.night_of(night)}.regress.jsonl.gz"),
                      made_up.night_of_list(texts + first, night, factor=factor, code="ab"[night] * 16))
    site = make_site(tmp_path)
    check_whole(site)
    rows = {(row["primitive"], row["input from, bytes"]): row for row in
            rows_of(os.path.join(site, "csv", "index.example-one-map.csv"))}
    assert float(rows["top_k", "4M"]["of our copy (median)"]) == pytest.approx(1, abs=0.02)
    assert rows["top_k", "4M"]["of the roof (median)"] == "NO DATA"
    assert rows["bfs", "16M"]["of our copy (median)"] == "NO DATA" and float(rows["bfs", "16M"]["us (median)"]) > 30
    assert float(rows["copy", "4K"]["of the roof (median)"]) > 0 and rows["copy", "4K"]["cells"] == "1"
    assert float(rows["copy", "4M"]["of our copy (median)"]) == 1
    assert [rows[square]["cells"] for square in (("top_k", "4M"), ("bfs", "16M"))] == ["1", "1"]
    assert "of our copy" not in text_of(site, "example-one/top_k/u32-k-64-first-call-1048576.html")
    text = text_of(site, "example-one/top_k/u32-k-64-cold-graph-1048576.html")
    assert "measured by regression" in text and "against the fastest peer" not in text
    assert "make regress BASE=BASE" in text
    assert f"{'a' * 16} → {'b' * 16} e000000 → e000001" in text, "machine code as it changed"
    assert len(rows_of(os.path.join(site, "csv", "example-one.top-k.u32-k-64-cold-graph-1048576.history.csv"))) == 2
    index = open(os.path.join(site, "index.html"), encoding="utf-8").read()
    assert index.count('class="due"') == 5 + 6 and index.count('class="out"') == 6  # of 4K to 16M: copy, top_k; bfs
    assert "every night's list has them: fill, iota" in text_of(site, "index.html")
    assert "in no list of cells: graph transpose" in text_of(site, "index.html")
    assert "Slower" not in text_of(site, "index.html"), "two nights' regressions have verdicts, and are no change"


@pytest.mark.turn
def test_first_calls_are_shown(tmp_path, make_site):
    for night in (0, 1):
        lines = [*made_up.records(night, 3), {"kind": "first_call", "cell": "copy u32 n=65536", "compiled_ms":
                                              64.0 + night, "disk_ms": 0.194, "memory_ms": 0.00258}]
        made_up.write(str(tmp_path / "example-one" / f"{made_up.night_of(night)}.jsonl"), lines)
    site = make_site(tmp_path)
    text = text_of(site, "primitives.html")
    assert f"{made_up.night_of(1)} copy u32 n=65536 65.000 0.194 0.003" in text and "64.000" not in text
    assert len(rows_of(os.path.join(site, "csv", "primitives.example-one-first-calls.csv"))) == 2


@pytest.mark.turn
def test_what_changed_since_the_night_before(tmp_path, make_site):
    place = str(tmp_path / "example-one")
    made_up.write(f"{place}/{made_up.night_of(0)}.jsonl", made_up.records(0, 30, noise=0))
    made_up.write(f"{place}/{made_up.night_of(1)}.jsonl",
                  made_up.records(1, 40, noise=0, slow={("copy", "u32"): (1, 1.10), ("reduce", "u32"): (1, 1.015)}))
    changes = rows_of(os.path.join(make_site(tmp_path), "csv", "index.example-one-changes.csv"))
    kinds = {}
    for row in changes:
        kinds.setdefault(row["what"], []).append(row)
    assert len(kinds["slower"]) == 10 and all(row["cell"].startswith("copy u32") for row in kinds["slower"])
    assert all(abs(float(row["time now / before"]) - 1.10) < 1e-3 for row in kinds["slower"])
    assert len(kinds["new"]) == 10 and set(kinds) == {"slower", "new"}


def test_a_peer_that_overtakes(tmp_path, make_site):
    """Our times stay; a newer peer takes half of copies' and 0.99 of reductions', by less than the noise."""
    place = str(tmp_path / "example-one")
    for night in (0, 1):
        records = list(made_up.records(night, 30, noise=0))
        if night:
            records += [{**one, "label": "cub_next", "median_us": one["median_us"] * {"copy": 0.5, "reduce": 0.99}.get(
                one["primitive"], 1.5)} for one in records if one.get("variant") == "ours"]
            records = [{**one, "variant": "peer"} if one.get("label") == "cub_next" else one for one in records]
        made_up.write(f"{place}/{made_up.night_of(night)}.jsonl", records)
    site = make_site(tmp_path)
    changes = rows_of(os.path.join(site, "csv", "index.example-one-changes.csv"))
    assert {row["what"] for row in changes} == {"overtaken"} and len(changes) == 10
    assert all(row["cell"].startswith("copy u32") and row["reason"].startswith("cub_next ") for row in changes)
    assert "Overtaken by a peer" in text_of(site, "index.html")


@pytest.mark.turn
def test_a_slower_benchmark_that_was_accepted(tmp_path, make_site, capsys):
    """ci/baseline.py accepts it by its name on the first page; then it is listed as accepted, with the reason, and
    returns when it is slower than accepted."""
    place = tmp_path / "ci" / "measurements" / "example-one"
    for night, factor in ((0, 1), (1, 1.1)):
        made_up.write(str(place / f"{made_up.night_of(night)}.jsonl"),
                      made_up.records(night, 30, noise=0, slow={("copy", "u32"): (1, factor)}))
    where, cell = ["--folder", str(tmp_path), "--device", "Example One"], "copy u32 bytes=16M"
    for words, said in (([cell, "--reason", ""], "needs"), (["fill u32 n=16M", "--reason", "x"], "does not list"),
                        (["copy u32 dist=dream", "--reason", "x"], "dream")):
        with pytest.raises(steps.CannotRun, match=said):
            baseline.main([*where, "--accept", *words])
    assert baseline.main([*where, "--accept", cell, "--reason", "it is exact <now>"]) == 0
    line, = baseline.accepted_of(str(tmp_path))
    assert (line["cell"], line["base"], line["commit"]) == (cell, "abc0000", "abc0001")
    assert line["high"] == pytest.approx(1.1, abs=1e-3)

    def kinds():
        site = make_site(place.parent, baselines=str(tmp_path / "ci" / "baselines"))
        found = {}
        for row in rows_of(os.path.join(site, "csv", "index.example-one-changes.csv")):
            found.setdefault(row["what"], []).append(row["cell"])
        return site, found
    site, found = kinds()
    assert found["accepted"] == [cell] and len(found["slower"]) == 9 and cell not in found["slower"]
    assert "1 slower, and accepted with a reason" in text_of(site, "index.html")
    assert "it is exact <now>" in text_of(site, "index.html")
    made_up.write(str(place / f"{made_up.night_of(1)}.jsonl"),
                  made_up.records(1, 30, noise=0, slow={("copy", "u32"): (1, 1.3)}, commit="another"))
    assert len(kinds()[1]["slower"]) == 10 and "accepted" not in kinds()[1]


@pytest.mark.turn
def test_committed_acceptances_hold():
    """Each names a slowdown between two benchmarks or two trees with committed measurements."""
    accepted, notices = read.read_accepted(os.path.join(ROOT, "ci", "baselines"))
    folder = os.path.join(ROOT, "ci", "measurements")
    files = [read.read(*one) for one in read.files_below(folder)[0]
             if not any(word in one[2] for word in (".tune.", ".landscape."))]
    found = {(device.title, new.get("commit")) for device in model.devices_of(files)
             for _, _, _, new, _ in device.verdict_runs()}
    for device in model.devices_of(files):
        for night in {run.night for run in device.runs}:
            found |= {(device.title, change.now.run.environment["commit"]) for change in model.changes_of(
                device, night, accepted)["accepted"]}
    assert accepted and notices == [] and {(line["device"], line["commit"]) for line in accepted} <= found


@pytest.mark.turn
def test_change_points_are_found_where_they_are_and_nowhere_else():
    import random
    draw, steps, alarms = random.Random(7), 0, 0
    for _ in range(200):
        quiet = [100 * (1 + 0.004 * draw.gauss(0, 1)) for _ in range(60)]
        alarms += bool(model.change_points(quiet))
        found = model.change_points(quiet[:40] + [1.05 * value for value in quiet[40:]])
        steps += found == [40]
    assert alarms == 0 and steps >= 195
    assert model.change_points([1.0] * 7) == []
    spike = [100.0 + draw.random() for _ in range(30)]
    spike[12] = 150.0
    assert model.change_points(spike) == []


def test_history_marks_the_level_and_the_policy(small_site):
    rows = rows_of(os.path.join(small_site, "csv", "example-one.reduce.sum-u32-cold-1048576.history.csv"))
    assert len(rows) == 11  # a night is missing
    text = text_of(small_site, "example-one/reduce/sum-u32-cold-1048576.html")
    told = re.search(r"What changed night time level policy machine code commits (.*?) Verdicts", text)
    assert re.match(rf"{made_up.night_of(8)} \+[78]\.\d % new level abc0007 → abc0008 $", told[1] + " "), told[1]


@pytest.mark.turn
def test_a_regression_is_open_until_a_later_run_finds_it_fast(tmp_path, make_site):
    place = str(tmp_path / "example-one")
    made_up.write(f"{place}/{made_up.night_of(0)}.regress.jsonl.gz", made_up.regress(0, {3: ("SLOW", 1.2),
                                                                                         4: ("SLOW", 1.3)}))
    made_up.write(f"{place}/{made_up.night_of(1)}.regress.jsonl.gz", made_up.regress(1, {3: ("FAST", 0.8)}))
    text = text_of(make_site(tmp_path), "regressions.html")
    assert "Open 1" in text and "Past 1" in text and f"FAST on {made_up.night_of(1)}" in text
    assert "a" * 16 in text and "b" * 16 in text  # machine code of both sides
    assert "make regress BASE=b000000" in text
    assert "1.300" in text and "10 pairs, stage 2" in text


def test_a_regression_that_was_taken_back_is_not_open(tmp_path):
    """Against the same base, which stays until nothing is slower: SLOW, SLOW again, SAME. With two bases both stay."""
    place = str(tmp_path / "example-one")
    nights = [("good", {3: ("SLOW", 1.2), 4: ("SLOW", 1.3), 5: ("SLOW", 1.1)}), ("good", {3: ("SLOW", 1.21)}),
              ("good", {4: ("SLOW", 1.3), 5: ("SLOW", 1.1)}), ("later", {4: ("SLOW", 1.05)})]
    for night, (base, outcomes) in enumerate(nights):
        made_up.write(f"{place}/{made_up.night_of(night)}.regress.jsonl.gz",
                      made_up.regress(night, outcomes, count=6, base_commit=base))
    found, past, _ = model.cases_of(model.devices_of([read.read(path, device, name) for path, device, name in
                                                      read.files_below(str(tmp_path))[0]])[0], [])

    def short(cases):
        return [(str(case.verdict["n"]), case.date[:10], case.state) for case in cases]

    sizes = [str(size // 4) for *_, size, _ in made_up.cells(6)[3:]]
    days = [made_up.night_of(night) for night in range(4)]
    assert short(found) == [(sizes[1], days[3], "open"), (sizes[2], days[2], "open"), (sizes[1], days[2], "open")]
    assert sorted(short(past)) == sorted([
        (sizes[0], days[1], f"SAME as that base on {days[2]}"), (sizes[0], days[0], f"SLOW again on {days[1]}"),
        (sizes[1], days[0], f"SAME as that base on {days[1]}"), (sizes[2], days[0], f"SAME as that base on {days[1]}")])


@pytest.mark.turn
def test_what_two_nights_of_one_commit_disagree_about(tmp_path, make_site):
    """Verdicts against the same base, times, and rows of the table; of a commit, on a device."""
    texts = [f"{name} u32 n={n} protocol=cold_graph" for name in ("copy", "sort") for n in (1024, 4096, 16384)]
    place, commit = tmp_path / "example-one", "c0ffee1"
    nights = [(0, {1: ("SLOW", 1.05), 2: ("SAME", 1.01)}, "b000001", 1.0), (1, {2: ("UNSURE", 1.02)}, "b000001", 1.1),
              (2, {2: ("SLOW", 1.2)}, "b000002", 1.1)]
    for night, outcomes, base, factor in nights:
        made_up.write(str(place / f"{made_up.night_of(night)}.regress.jsonl.gz"),
                      made_up.night_of_list(texts, night, commit=commit, base=base, outcomes=outcomes, factor=factor))
    made_up.write(str(place / f"{made_up.night_of(3)}.regress.jsonl.gz"),
                  made_up.night_of_list(texts, 3, commit="c0ffee2"))
    groups = "copy 4/0/4", "sort 4/0/0"
    for night, decisions in enumerate((
            [(groups[0], 0, 13), (groups[0], 13, 20, 512), (groups[1], 0, 13)],
            [(groups[0], 0, 13, 256), (groups[0], 13, 20, 512, "kept")])):
        made_up.write(str(place / f"{made_up.night_of(night)}.tune.jsonl"), made_up.tune(
            night, commit, [made_up.decision(night, *words) for words in decisions]))
    site = make_site(tmp_path)
    check_whole(site)
    rows = rows_of(os.path.join(site, "csv", "regressions.example-one-same-commit.csv"))
    assert [[row[name] for name in ("cells of both", "with the same base", "verdicts that differ")]
            for row in rows] == [["6", "6", "2"], ["6", "0", "0"]]
    assert float(rows[0]["times apart (median)"]) == pytest.approx(0.1, abs=0.01)
    assert [row["cells 5 % apart"] for row in rows] == ["6", "0"]
    found = rows_of(os.path.join(site, "csv", "regressions.example-one-same-commit-verdicts.csv"))
    assert [(row["cell"], row["first outcome"], row["second outcome"]) for row in found] == [
        (texts[1], "SLOW", "SAME"), (texts[2], "SAME", "UNSURE")]
    row, = rows_of(os.path.join(site, "csv", "regressions.example-one-same-commit-rows.csv"))
    assert [row[name] for name in ("groups of both", "rows after the first", "rows after the second",
                                   "gone", "new")] == ["1", "2", "2", "1", "1"]
    text = text_of(site, "regressions.html")
    assert "One commit, two nights" in text and "Verdicts that differ: 2" in text


@pytest.mark.turn
def test_compare_begins_with_the_newest_two_moments_that_share_a_cell(tmp_path, make_site):
    place = tmp_path / "example-one"
    for night, count in enumerate((3, 3)):
        made_up.write(str(place / f"{made_up.night_of(night)}.jsonl"), made_up.records(night, count))
    lines = list(made_up.records(2, 60))
    made_up.write(str(place / f"{made_up.night_of(2)}.jsonl"), [lines[0], *lines[-3:]])  # other cells
    site = make_site(tmp_path)
    with open(os.path.join(site, "json", "compare.json"), encoding="utf-8") as file:
        device, = json.load(file)["devices"]
    assert len(device["moments"]) == 3 and device["first"] == [0, 1]
    assert f"{made_up.night_of(1)} abc0001 against {made_up.night_of(0)} abc0000" in text_of(site, "compare.html")
    assert rows_of(os.path.join(site, "csv", "compare.example-one-last-two.csv"))[0]["cells that both have"] == "3"


@pytest.mark.turn
def test_cells_that_drifted_from_their_baseline(tmp_path, make_site):
    """Cells whose last run exceeds ci/baseline.py's limit, if the baseline is not newer; the rest is folded."""
    place, slow = tmp_path / "store" / "example-one", {index: ("SAME", 1.2 + index / 100) for index in range(15)}
    made_up.write(str(place / "2026-01-05.regress.jsonl.gz"), made_up.regress(0, {20: ("SAME", 2.0)}))
    made_up.write(str(place / "2026-01-06.regress.jsonl.gz"), made_up.regress(1, {**slow, 20: ("SAME", 1.0)}))
    texts = {store.cell_of(made_up.verdict("b", "e", of)).text: index for index, of in enumerate(made_up.cells(60))}
    lines = [json.dumps({"cell": text, "us": 100.0, "commit": "abc1234", "date": "2026-01-07" if index == 3 else
                         "2026-01-01"}) + "\n" for text, index in texts.items()]
    made_up.write(str(tmp_path / "baselines" / "example-one.jsonl"), [*lines, "{}\n"])
    site = make_site(tmp_path / "store", baselines=str(tmp_path / "baselines"))
    check_whole(site)
    rows = rows_of(os.path.join(site, "csv", "regressions.example-one-drift.csv"))
    assert [texts[row["cell"]] for row in rows] == [index for index in range(14, -1, -1) if index != 3]
    assert {(row["night"], row["since"], row["commit"]) for row in rows} == {("2026-01-06", "2026-01-01", "abc1234")}
    assert "Drift 14" in text_of(site, "regressions.html") and "2 more" in text_of(site, "regressions.html")
    assert "14 cells drifted" in re.sub(r"\s+", " ", text_of(site, "index.html"))
    assert "line 61: not a line of a baseline" in text_of(site, "data.html")
    os.unlink(tmp_path / "baselines" / "example-one.jsonl")
    site = make_site(tmp_path / "store", baselines=str(tmp_path / "baselines"))
    assert "Drift" not in text_of(site, "regressions.html") and "drifted" not in text_of(site, "index.html")


@pytest.mark.turn
def test_an_accepted_slowdown_is_past_with_its_reason(tmp_path, make_site):
    """ci/baseline.py --accept: by device, cell and commit, and in a later run against the same base while that is no
    slower than accepted; an unusable line is named."""
    store_, baselines = tmp_path / "store", tmp_path / "baselines"
    made_up.write(str(store_ / "example-one" / f"{made_up.night_of(0)}.jsonl"), made_up.records(0, 60))
    made_up.write(str(store_ / "example-one" / f"{made_up.night_of(0)}.regress.jsonl.gz"),
                  made_up.regress(0, {3: ("SLOW", 1.2), 4: ("SLOW", 1.3)}))
    for night, ratio in ((1, 1.21), (2, 1.3)):
        made_up.write(str(store_ / "example-one" / f"{made_up.night_of(night)}.regress.jsonl.gz"),
                      made_up.regress(night, {3: ("SLOW", ratio)}, base_commit="b000000"))
    cells = [store.cell_of(made_up.verdict("", "", made_up.cells(5)[place])).text for place in (3, 4)]
    good = {"device": "Example One", "cell": cells[0], "commit": "e000000", "base": "b000000", "high": 1.21,
            "reason": "it is exact <now>"}
    made_up.write(str(baselines / "accepted.jsonl"), [json.dumps(line) + "\n" for line in (
        good, {**good, "cell": cells[1], "commit": "another"}, {"device": "Example One"})] + ["half of a li"])
    site = make_site(store_, baselines=str(baselines))
    text = text_of(site, "regressions.html")
    assert "Open 1" in text and "Past 3" in text and text.count("accepted, because it is exact <now>") == 2
    assert f"SAME as that base on {made_up.night_of(1)}" in text  # the other cell
    said = text_of(site)
    assert "accepted.jsonl line 3: not an accepted slowdown" in said and "accepted.jsonl line 4: no JSON" in said
    assert "open regressions 1 " in text_of(site, "index.html")
    page = Document(os.path.join(site, "regressions.html"))
    anchor = f"c-u32-cold-{made_up.cells(5)[3][3] // 4}"
    assert f"example-one/copy/{anchor[2:]}.html" in page.links  # a verdict leads to its cell
    check_whole(site)


@pytest.mark.turn
def test_a_night_in_which_everything_is_slower_fits_a_page(tmp_path, make_site):
    made_up.write(str(tmp_path / "example-one" / f"{made_up.night_of(0)}.regress.jsonl.gz"),
                  made_up.regress(0, {place: ("SLOW", 1.2) for place in range(400)}, count=400))
    site = make_site(tmp_path)
    assert "Open 400" in text_of(site, "regressions.html")
    assert text_of(site, "regressions.html").count("n=1048576 protocol=cold") >= 40
    pictures = sum(name.startswith("regressions.v-") and name.endswith(".svg") for name in os.listdir(f"{site}/img"))
    assert 10 <= pictures <= 40  # some 20 KB each
    check_whole(site)


@pytest.mark.turn
def test_reports_are_shown(tmp_path, make_site):
    """Texts beside the measurements; their tables as CSV, without Markdown."""
    place = tmp_path / "example-one"
    made_up.write(str(place / "2026-01-05.jsonl"), made_up.records(0, 3))
    (place / "2026-01-05.graphs.md").write_text(
        "# Graphs, <measured>\n\nIn `a_program`, **once**, see [notes](NOTES.md):\nmore.\n\n"
        "| graph | ms |\n|---|---:|\n| Kronecker `24` | 0.76 |\n| grid |\n\n"
        "## Building\n\n- one\n  and more\n- two\n\n```sh\n| make\n```\n")
    (place / "bad.md").write_bytes(b"\xff")
    (place / "long.md").write_text("x " * reports.LARGEST)
    site = make_site(tmp_path)
    check_whole(site)
    text = text_of(site, "reports.html")
    for said in ("Graphs, <measured>", "In a_program , once , see notes: more.", "one and more", "| make",
                 "Kronecker 24", "bad.md : cannot be read", "long.md : too long"):
        assert said in text, said
    assert "**" not in text and "|---" not in text
    table, = [name for name in os.listdir(os.path.join(site, "csv")) if name.startswith("reports.")]
    assert rows_of(os.path.join(site, "csv", table)) == [{"graph": "Kronecker 24", "ms": "0.76"},
                                                         {"graph": "grid", "ms": ""}]
    assert "Graphs, <measured>" in text_of(site, "index.html")


@pytest.mark.turn
def test_strange_files_are_named_and_not_shown(tmp_path, make_site):
    """A report, a run, a store, a landscape or an accepted slowdown that is a link, a pipe or not a file: the pages say
    so and continue; the link's target is on no page, in no picture and in no table."""
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    lines = [json.dumps(line) for line in made_up.records(1, 3)]
    (secrets / "report").write_text("# A token of this machine\n\n" + "\n".join(lines).replace("reduce", "A token of"))
    store_, place, accepted = tmp_path / "store", tmp_path / "store" / "example-one", tmp_path / "baselines"
    made_up.write(str(place / "2026-01-05.jsonl"), made_up.records(0, 3))
    (place / "2026-01-05.md").write_text("# Honest\n")
    accepted.mkdir()
    endings = ("md", "jsonl", "json", "tune.jsonl", "regress.jsonl.gz", "landscape.jsonl", "night.json")
    named = {}

    def put(folder, root, name, target):
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name)
        os.mkfifo(path) if target is None else os.symlink(target, path)
        named[os.path.relpath(path, root)] = "it is a pipe" if target is None else "it is a link"

    for number, target in enumerate((secrets / "report", secrets, "/proc/self/environ", "/dev/zero", "none", None)):
        for ending in endings:
            put(place, store_, f"2026-02-0{number + 1}.{ending}", target)
        put(accepted, accepted, f"{number}.jsonl", target)
        put(accepted / "accepted", accepted, f"{number}.jsonl", target)
    put(store_, store_, "example-two", secrets)
    put(place / "deeper", store_, "folder", secrets)
    (place / os.fsdecode(b"2026-03-01.\xff.md")).write_text("# A token of")
    (place / "2026-03-01.\n.json").write_text("{}")
    site = make_site(store_, baselines=str(accepted))
    check_whole(site)
    text = text_of(site, "data.html")
    for name, reason in {**named, "example-one/2026-03-01.\\udcff.md": "its name is not one line of text",
                         "example-one/2026-03-01.\\n.json": "its name is not one line of text"}.items():
        assert f"{name} refused: {reason}" in text, name
    text = text_of(site, "reports.html")
    assert "Honest" in text and "2026-02-03.md : refused: it is a link" in text
    assert "2026-02-06.md : refused: it is a pipe" in text
    with open("/proc/self/environ", "rb") as file:
        environment = file.read().split(b"\0")[0]
    for folder, _, names in os.walk(site):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            assert b"A token of" not in data and environment not in data, name


@pytest.mark.turn
def test_controls_that_were_called_slow_are_false_alarms(tmp_path, make_site):
    lines = list(made_up.regress(0))
    index = next(place for place, line in enumerate(lines) if line["kind"] == "verdict")
    lines[index] = {**lines[index], "outcome": "SLOW", "ratio": 1.1}
    made_up.write(str(tmp_path / "example-one" / "2026-01-05.regress.jsonl"), lines)
    text = text_of(make_site(tmp_path), "noise.html")
    assert "controls measured 60 in 1 regression runs" in text
    assert "false alarms 1 1.67 % of the controls were called SLOW or FAST" in text


def test_equal_specifications_give_equal_pictures():
    spec = {"draw": "dots", "rows": [{"label": "a", "values": {"ours": 1.5, "CUB": 1.2}}]}
    assert figures.render(spec) == figures.render(spec)
    svg = figures.render(spec)
    assert "prefers-color-scheme:dark" in svg and "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", svg)


@pytest.mark.parametrize("draw, row", [
    ("dots", {"values": {"ours": 1.0}}), ("bars", {"values": [["now", 1.0]]}),
    ("forest", {"ratio": 1.0, "low": 0.9, "high": 1.1, "outcome": "SAME"})])
@pytest.mark.parametrize("length", [10, 59, 80, 500])
def test_labels_are_not_cut_off(draw, row, length):
    figure = figures.Figure()
    with figures.matplotlib.rc_context(figures.SETTINGS):
        label = "u32>i32 graph=geometric:rows=1000 " * 20
        figures.DRAW[draw](figure, {"draw": draw, "rows": [{**row, "label": label[:length]}], "form": "{}",
                                    "xlabel": ""})
        figures.FigureCanvasSVG(figure)
        axes, = figure.axes
        assert axes.get_yticklabels()[0].get_window_extent().x0 >= 0
        assert axes.get_position().width * figure.get_size_inches()[0] > 2, "inches that are left for the values"


def test_columns_without_a_value_are_in_the_files_only(tmp_path):
    os.makedirs(tmp_path / "csv")
    os.makedirs(tmp_path / "json")
    page = pages.Page(None, "x.html", build.Shelf(str(tmp_path)))
    table = page.table("t", ["a", "none", "b"], [[1, None, None], [2, None, 0.5]])
    assert table["columns"] == ["a", "b"] and table["rows"] == [["1", pages.NO_DATA], ["2", "0.5"]]
    assert table["numeric"] == [True, True]
    assert rows_of(tmp_path / "csv" / "x.t.csv") == [{"a": "1", "none": "NO DATA", "b": "NO DATA"},
                                                     {"a": "2", "none": "NO DATA", "b": "0.5"}]
    assert page.table("e", ["a", "none"], [])["columns"] == ["a", "none"]


@pytest.mark.turn
def test_pictures_are_kept_by_content(small_store, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(figures, "render", lambda spec: BLANK)
    for _ in range(2):
        build.build(str(tmp_path / "out"), small_store, TODAY, cache=str(tmp_path / "cache"))
    drawn = re.findall(r"(\d+) pictures drawn, (\d+) from the cache", capsys.readouterr().err)
    assert int(drawn[0][0]) > 10 and drawn[1][0] == "0" and int(drawn[1][1]) >= int(drawn[0][0])


@pytest.mark.turn
def test_regret_of_a_device_that_is_left_out(make_site):
    """The farm's recorded stores of three devices: the rows are those of the matching header."""
    stores = os.path.join(ROOT, "tests", "farm", "data")
    site = make_site(os.path.join(stores, "stores"))
    text = text_of(site, "table.html")
    assert "left out, by the others' portable rows" in text and "class:" in text
    with open(os.path.join(stores, "gpuprims_policies.h"), encoding="utf-8") as file:
        assert len(rows_of(os.path.join(site, "csv", "table.rows.csv"))) == file.read().count("  ROW(")
    check_whole(site)


# ---- broken ones -----------------------------------------------------------------------------------------------------


@pytest.mark.turn
def test_an_empty_store_says_how_to_make_data(tmp_path, make_site):
    site = make_site(tmp_path)
    check_whole(site)
    for name in COMMON:
        assert "make bench" in text_of(site, name) and "NO DATA" in text_of(site, name)


@pytest.mark.turn
def test_corrupt_lines_are_named_and_the_rest_is_used(tmp_path, make_site):
    lines = [json.dumps(line) + "\n" for line in made_up.records(0, 20)]
    good = len(lines)
    lines[5:5] = ["\x00\x01\n", "[1, 2]\n", '{"kind": "sample"}\n', '{"kind": 7}\n',
                  lines[1].replace('"status": "ok"', '"status": "ok", "x": NaN'),
                  re.sub(r'"median_us": [\d.]+', '"median_us": -1', lines[1])]
    made_up.write(str(tmp_path / "example-one" / "2026-01-05.jsonl"), lines)
    site = make_site(tmp_path)
    text = text_of(site)
    for reason in ("line 6: no JSON", "line 7: not a line of tools/bench.py", "line 8: sample without cell",
                   "line 9: not a line", "line 10: no JSON", "line 11: sample that is ok and has no time"):
        assert reason in text
    assert f"{good + 6}" in text
    assert sum(len(rows_of(os.path.join(site, "csv", name))) for name in os.listdir(os.path.join(site, "csv"))
               if name.endswith("-cells.csv")) == 20
    check_whole(site)


@pytest.mark.turn
def test_programs_over_layouts_show_their_best_combination(tmp_path, make_site):
    def variant(array, transposed, us):
        return {"array": array, "second": "SoA", "transposed": transposed, "us": us}
    content = {"device": "Example One", "results": [
        {"program": "kd_tree", "n": 70000, "variants": [variant("AoS", 0, 30.0), variant("AoSoA 8", 1, 12.0)]},
        {"program": "kd_tree", "n": 900, "variants": [variant("AoS", 0, 2.0), variant("SoA", 0, 0)]}]}
    path = tmp_path / "device" / "2026-01-05.layout_programs.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(content))
    site = make_site(tmp_path)
    check_whole(site)
    text = text_of(site, "landscape.html")
    assert "KD-tree binning: the best combination of layouts" in text and "AoSoA 8, SoA, transposed" in text
    assert "2.50" in text, "30 us against 12"
    assert "results of examples/layouts that cannot be used were left out" in text_of(site), "a time of 0 us"


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


@pytest.mark.turn
def test_online_tuners_beside_the_paper(tmp_path, make_site):
    place = tmp_path / "example-one"
    write_json(place / "2026-01-05.online.abc0000.json", made_up.online())
    write_json(place / "2026-01-04.online.abc0000.json", made_up.online(near=3))
    scan = made_up.online("scan", parameters=[{"name": "threads", "values": [32, 64, 96], "default": 32,
                                               "categorical": False}],
                          default={"values": [32], "us": 9.0}, optimum={"values": [64], "us": 8.0},
                          path={"strategy": "auto", "seed": 0, "near": None, "steps": [[32], [96]]},
                          maps=[{"down": None, "across": 0, "rows": [], "columns": [32, 64, 96],
                                 "times": [[1.125, 1.0, None]]}])
    write_json(place / "2026-01-06.online.abc0000.json", scan)
    write_json(place / "2026-01-07.online.abc0000.json", made_up.online_live())
    write_json(place / "2026-01-06.tuner_empty_kernel.abc0000.json", {"device": "Example One", "rows": []})
    made_up.write(str(place / "2026-01-06.tuner_scan.abc0000.jsonl.gz"), [
        {"program": "scan", "device": "Example One", "driver": "13.0", "cuda": "13.0", "date": "2026-01-06T00:00:00Z",
         "size": 1000, "rounds": 1, "parameters": scan["spaces"][0]["parameters"]},
        *({"values": [values], "us": [1.0 * values]} for values in (32, 64, 96))])
    site = make_site(tmp_path, True)
    check_whole(site)
    text = text_of(site, "online.html")
    for words in ("n body, size 131,072", "5 configurations and 1 invalid ones", "2 are within 2 % of the optimum",
                  "Kernel Tuner 1.5.0", "Left out: skopt (it needs skopt)", "not reached", "2013, Table 3",
                  "224; 128", "GTX 680"):
        assert words in text, words
    assert "3 are within 2 %" not in text, "the newest comparison of a program counts"
    rows = {row[0]: row for row in json_rows(site, "online.example-one-n-body-paper")}
    assert rows["Example One"] == ["Example One", 4.0, 2.5, 0.375, 11, "32/1; 64/2", "measured, 2026-01-05"]
    assert rows["GTX 680"][1:5] == [2937, 2824, 0.038474634, 14]
    rows = json_rows(site, "online.example-one-n-body-strategies")
    assert rows[0] == ["auto", "gpuprims", 11, 22, 1.0, 0.0, 0.0, 0.031, 0.047, 30]
    assert rows[2][:5] == ["minimize", "Kernel Tuner", None, None, 0.2]
    assert "5 runs of 400 sections each" in text
    assert json_rows(site, "online.example-one-n-body-live") == \
        [["simplex", 11, 4, 0.0, 0.031, 30, 4000.0, 2520.0, -0.3]]
    assert json_rows(site, "online.example-one-n-body-unroll-by-threads") == \
        [["1", 1.6, 1.015, 1.2], ["2", 1.5, 1.0, None]]
    assert [row[1:4] for row in json_rows(site, "online.example-one-empty-kernel")] == \
        [[128, 7, 3.14], [128, None, 256.0], [256, None, 210.0], [512, None, 232.0], [1024, None, 251.0]]
    data = text_of(site)
    assert "a comparison of online tuners" in data and "a space of examples/tuner" in data


def reyes(**fields):
    """A table of examples/reyes."""
    return {"program": "reyes", "device": "Example One", "layouts": "default", "width": 1920, "height": 1080,
            "frames": 50, "frames_a_second": 800.0, "ms": {"bound_split": 10.0, "compact": 5.0, "dice_shade": 20.0,
                                                           "paint": 1.0, "scan and select": 4.0}, **fields}


def run_of_the_tuner(case, values, us, name="kd_tree", **fields):
    return json.dumps({"kind": "application", "application": name, "device": "Example One", "capability": 90,
                       "stamp": "a", "case": case, "features": [1000, 32], "phase": "matrix", "values": values,
                       "us": us, **fields}) + "\n"


@pytest.mark.turn
def test_programs_beside_the_papers(tmp_path, make_site):
    place = tmp_path / "example-one"
    write_json(place / "2026-01-05.reyes.abc0000.json", reyes())
    write_json(place / "2026-01-06.reyes.abc0001.json", reyes(layouts="learned", ms={"dice_shade": 15.0, "paint": 0.5}))
    write_json(place / "2026-01-05.transfers.abc0000.json", {"device": "Example One", "rows": [
        {"way": "page-locked to device", "bytes": 1 << 20, "us": 20.0, "gbs": 52.4},
        {"way": "pageable to device", "bytes": 1 << 20, "us": 90.0, "gbs": 11.6},
        {"way": "pageable to device", "bytes": "many", "us": 1.0, "gbs": 1.0}, {"way": "cut"}]})
    variant = {"array": "AoS", "second": "AoS", "transposed": 0, "us": 100.0, "min_us": 90.0, "max_us": 110.0}
    write_json(place / "2026-01-05.layout_programs.abc0000.json", {"device": "Example One", "results": [
        {"program": "bitonic", "n": 65536, "whole_us": 9.0, "variants": [
            variant, {**variant, "array": "SoA", "second": "SoA", "us": 50.0, "min_us": 40.0}]}]})
    packed = gzip.compress("".join(run_of_the_tuner("scanx32", [place, 0], {"kd_bin": [40.0 + place]})
                                   for place in range(2000)).encode())
    (place / "2026-01-05.kd_tree.abc0000.jsonl.gz").write_bytes(packed[:-100])
    (place / "2026-01-06.kd_tree.abc0000.jsonl").write_text(
        run_of_the_tuner("scanx32", [0, 0], {"kd_bin": [40.0, 41.0, 40.0]}) +
        run_of_the_tuner("scanx32", [1, 0], {"kd_bin": [10.0]}) + run_of_the_tuner("scanx64", [0, 0], {}) +
        run_of_the_tuner("otherx32", [0, 0], {"kd_bin": [30.0]}) + run_of_the_tuner("otherx32", [1, 0], {
            "kd_bin": [20.0]}, failed="another result") + run_of_the_tuner("scanx32", [2, 0], {"kd_bin": [9.0]})[:60])
    site = make_site(tmp_path, True)
    check_whole(site)
    text = text_of(site, "programs.html")
    for words in ("REYES: the Utah teapot", "The bitonic sort", "Learned: kd tree", "2014, Table 2", "2014, Figure 3",
                  "2014, Table 1", "3.2 common, 4 measured"):
        assert words in text, words
    rows = json_rows(site, "programs.example-one-reyes")
    assert rows[0] == ["Example One", "default", 40.0, 2.0, 10.0, 20.0, 8.0, 80.0, 800.0, "1920 x 1080",
                       "measured, 2026-01-05"]  # of 100 frames
    assert rows[1][:4] == ["Example One", "learned", 30.0, 1.0] and rows[1][4:7] == [None, None, None]
    assert rows[2][:4] == ["GTX680", "hand-tuned", 3834.31, 630.9] and rows[3][8] == 21.45
    assert json_rows(site, "programs.example-one-bitonic")[0][:6] == \
        ["Example One", 65536, 100.0, 50.0, "SoA, SoA", 2.0]
    assert [row[:2] for row in json_rows(site, "programs.example-one-transfers")] == \
        [["page-locked to device", 52.4], ["pageable to device", 11.6]]
    cases = {row[0]: row[2:] for row in json_rows(site, "programs.example-one-kd-tree-application")}
    assert cases["scanx32"] == [2, 40.0, 10.0, 4.0] and cases["otherx32"] == [1, 30.0, 30.0, 1.0]
    assert "scanx64" not in cases
    summary = json_rows(site, "programs.example-one-kd-tree-optimum")
    assert summary[0][1:5] == [1.0, 4.0, None, 2.5] and summary[1][:5] == ["GTX680, complete", 0.7, 9.83, 2.47, 2.99]
    said = text_of(site)
    assert "2 transfers that cannot be used were left out" in said and "no JSON: left out" in said
    for words in ("a table of examples/reyes", "transfers of examples/ladder", "runs of the layout tuner"):
        assert words in said, words
    name = "2026-01-05.kd_tree.abc0000.jsonl.gz"
    file = read.read(str(place / name), "example-one", name)
    assert file.kind == "application" and 0 < len(file.application.us["scanx32"]) < 2000
    assert [notice.text.split(": ")[-2] for notice in file.notices] == ["no JSON"] and file.lines > 1


@pytest.mark.parametrize("change", [
    {"device": None}, {"frames": 0}, {"frames_a_second": "fast"}, {"width": None}, {"ms": None}, {"ms": {}},
    {"ms": {"paint": "slow"}}, {"ms": {"paint": -1.0}}])
def test_a_table_of_reyes_that_is_damaged_is_named(tmp_path, change):
    path = tmp_path / "2026-01-05.reyes.abc0000.json"
    write_json(path, reyes(**change))
    file = read.read(str(path), "example-one", path.name)
    assert file.reyes is None and "a table of examples/reyes that cannot be used" in file.notices[0].text


@pytest.mark.turn
def test_programs_that_are_cut_short_or_missing_are_named(tmp_path, make_site):
    place = tmp_path / "example-one"
    write_json(place / "2026-01-05.reyes.abc0000.json", reyes())
    (place / "2026-01-05.reyes.abc0000.json").write_text(json.dumps(reyes())[:90])
    write_json(place / "2026-01-05.transfers.abc0000.json", {"device": "Example One", "rows": []})
    (place / "2026-01-05.bitonic.abc0000.jsonl").write_text("not a line\n")
    (place / "2026-01-06.reyes.abc0000.jsonl").write_text(run_of_the_tuner("1920x1080", [0], {"paint": [1.0]}, "reyes"))
    site = make_site(tmp_path, True)
    text, said = text_of(site, "programs.html"), text_of(site)
    assert "examples/reyes was not measured on this device" in text
    assert "transfers were not measured on this device" in text and "Learned: reyes" in text
    for words in ("no JSON (", "transfers without a device, or none at all", "no run of bitonic that can be used"):
        assert words in said, words


def json_rows(site, name):
    with open(os.path.join(site, "json", f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)["rows"]


@pytest.mark.turn
def test_the_path_of_a_search_is_drawn():
    spec = {"draw": "path", "x": ["32", "64"], "y": ["1", "2"], "xlabel": "threads", "ylabel": "unroll", "worst": 2.0,
            "times": [[1.6, 1.0], [None, 1.2]], "path": [[0, 0, True], [1, 1, False], [1, 0, True]],
            "default": [0, 0, True], "optimum": [1, 0, True]}
    drawn = figures.render(spec)
    assert "measured" in drawn and "its shadow" in drawn and "optimum" in drawn and "<image" in drawn
    assert figures.render({**spec, "path": []}) != drawn and figures.render(spec) == drawn
    assert "its shadow" not in figures.render({**spec, "path": spec["path"][:1]})
    line = figures.render({**spec, "y": [], "times": [[1.6, 1.0]], "ylabel": "", "path": [[0, 0, True]]})
    assert "time / the optimum" in line and "<image" not in line


@pytest.mark.parametrize("change", [
    {"spaces": []}, {"spaces": None}, {"device": 3}, {"seeds": None}, {"empty": {"rows": [[1]]}}, {"empty": 7}])
def test_an_unusable_comparison_of_tuners_is_named(tmp_path, change):
    path = tmp_path / "2026-01-05.online.abc0000.json"
    write_json(path, {**made_up.online(), **change})
    file = read.read(str(path), "example-one", path.name)
    assert [notice.level for notice in file.notices] == ["bad"] and "tuners" in file.notices[0].text or \
        "empty kernel" in file.notices[0].text


@pytest.mark.parametrize("field, value", [
    ("default_us", 0), ("last_us", None), ("worst", "x"), ("final", {}), ("runs", 1.5)])
def test_live_runs_of_another_form_are_left_out(tmp_path, field, value):
    path = tmp_path / "2026-01-05.online.abc0000.json"
    write_json(path, {**made_up.online(), "live": made_up.online_live(**{field: value})["live"]})
    file = read.read(str(path), "example-one", path.name)
    assert file.online["live"] == [] and len(file.online["spaces"]) == 1
    assert "live runs of a comparison of tuners that cannot be used were left out" in file.notices[0].text


@pytest.mark.parametrize("field, value", [
    ("program", None), ("size", "x"), ("parameters", []), ("parameters", [{"name": "threads"}]), ("default", {}),
    ("default", {"values": [33, 1], "us": 1.0}), ("optimum", {"values": [64, 2], "us": 0}), ("strategies", []),
    ("strategies", [{"by": "x"}]), ("maps", [{}]), ("maps", 3), ("left_out", {"skopt": 1}), ("path", {}),
    ("maps", [{"down": 1, "across": 0, "rows": [1], "columns": [1], "times": [["x"]]}]),
    ("maps", [{"down": 1, "across": 0, "rows": [1, 2], "columns": [32, 64], "times": [[1, 1], [1, 1]]}]),
    ("maps", [{"down": 1, "across": 2, "rows": [1, 2], "columns": [32, 64], "times": [[1, 1], [1, 1]]}]),
    ("path", {"strategy": "auto", "seed": 3, "near": 3, "steps": [[32, 1, 1]]})])
def test_a_space_of_another_form_is_left_out(tmp_path, make_site, field, value):
    path = tmp_path / "example-one" / "2026-01-05.online.abc0000.json"
    write_json(path, made_up.online(**{field: value}))
    file = read.read(str(path), "example-one", path.name)
    assert file.online["spaces"] == []
    assert "spaces of a comparison of tuners that cannot be used were left out" in file.notices[0].text


QUALITY = {"kind": "environment", "device": "Example One", "date": "2026-01-05T00:00:00Z", "commit": "abc0000",
           "peers": "CUB 3"}


@pytest.mark.turn
def test_criteria_by_counters(tmp_path, make_site):
    place, cell = tmp_path / "example-one", "reduce SUM f32 n=64M"
    made_up.write(str(place / "2026-01-04.jsonl"), [made_up.environment(), *(
        made_up.sample(("reduce", "SUM", "f32", size, 1), 9.0, dist=dist)
        for size, dist in ((1 << 28, "uniform"), (1 << 28, "sorted"), (1 << 22, "uniform")))])
    made_up.write(str(place / "2026-01-05.quality.abc0000.jsonl"), [
        QUALITY, made_up.quality(cell, "gpuprims", qm=0.4, criteria={"MC": 0.5}), made_up.quality(cell, "cub"),
        made_up.quality("reduce SUM f32 n=1M", "gpuprims", n=1 << 20, qm=0.1)])
    made_up.write(str(place / "2026-01-06.quality.abc0001.jsonl"), [
        {**QUALITY, "no_counters": "no permission"}, made_up.quality(cell, "gpuprims", qm=0.7, speedup=202.0),
        made_up.quality("sort u32 n=64M", "torch", status="FAILED x", median_us=None, kernels=[], qm=None,
                        criteria=dict.fromkeys(made_up.quality("a", "b")["criteria"])),
        {"kind": "quality", "cell": cell}, '{"kind": "qual'])
    case = "load_balance u32 n=1M segments=fixed:256"
    made_up.write(str(place / "2026-01-06.quality.abc0001.2.jsonl"), [
        QUALITY, made_up.quality(case, "gpuprims", n=1 << 20, speedup=64.0),
        made_up.quality(case, "gpuprims threads=512,vectors=1", n=1 << 20, qm=0.75, speedup=80.0)])
    made_up.write(str(place / "2026-01-06.points.abc0001.jsonl"), [QUALITY, *(
        made_up.point("copy u32 n=32M", f"threads={64 * k}" if k else "", 10.0 + k, 3.0 - k) for k in range(3))])
    site = make_site(tmp_path, True)
    check_whole(site)
    text = text_of(site, "quality.html")
    for words in ("without counters: no permission", "2026-01-06.quality.abc0001.jsonl", "202.00", "NO DATA"):
        assert words in text, words
    assert json_rows(site, "quality.example-one-table-ii") == [
        ["Reduction", "Reduction", "X", "X", ""], ["Search", "Load-Balancing Search", "X", "", ""],
        ["Reordering", "Radix Sort", "", "", "err"]]
    figure = "quality.example-one-load-balance-u32-n-1m-segments-fixed-256"
    assert [row[1] for row in json_rows(site, f"{figure}-speedup")] == [64.0, 80.0]
    assert [row[1] for row in json_rows(site, f"{figure}-qm")] == [0.6, 0.75]
    rows = {row[0]: row for row in json_rows(site, "quality.example-one-table-iii")}
    assert rows[cell] == [cell, 0.7, 0.6, None, 50.0, 50.0, None, 202.0, None, None], "the newer row counts"
    assert rows[f"{case} (threads=512,vectors=1)"][1] == 0.75
    figure = "quality.example-one-reduce-sum-f32-n-64m"
    assert [row[:2] for row in json_rows(site, figure)] == [["gpuprims", 0.5], ["cub", 0.5]]
    assert not os.path.exists(os.path.join(site, "json", figure.replace("64m", "1m") + ".json")), "the largest size"
    assert [row[:4] for row in json_rows(site, "quality.example-one-drift")] == [
        [cell, "2026-01-05", "abc0000", 0.4], [cell, "2026-01-06", "abc0000", 0.7]]
    assert "No fit: 0 rows with a time and criteria that vary; a fit needs 10." in text
    for name in ("reduce-sum-f32-n-64m-coordinates", "reduce-sum-f32-n-64m-by-night"):
        assert os.path.exists(os.path.join(site, "img", f"quality.example-one-{name}.svg")), name
    assert json_rows(site, "quality.example-one-points-copy-u32-n-32m")[0] == \
        ["default", 10.0, 3.0, 8.0, None, 32.0, "barrier", 0.5]
    assert "instructions -1.00" in text and "l2 bytes NO DATA" in text
    data = text_of(site)
    assert "criteria by hardware counters" in data and "line 4: neither an environment, nor criteria" in data
    nights = [name for name in os.listdir(os.path.join(site, "json")) if name.endswith(".criteria-by-night.json")]
    assert [[row[:3] for row in json_rows(site, name[:-5])] for name in nights] == [
        [["2026-01-05", "abc0000", 0.4], ["2026-01-06", "abc0000", 0.7]]], "beside the history of the one cell"
    own = [name for name in os.listdir(os.path.join(site, "json")) if name.endswith(".criteria.json")]
    assert len(own) == 2, "both sizes; not the sorted data"
    assert [row[:2] for row in json_rows(site, [name for name in own if "67108864" in name or "64m" in name][0][:-5])
            ] == [["gpuprims", 0.7], ["cub", 0.6]]


@pytest.mark.turn
def test_the_picture_of_docs_is_made_of_the_committed_file(tmp_path, capsys):
    path = os.path.join(ROOT, "ci", "measurements", "nvidia-h200", "2026-11-28.quality.5b6c688.jsonl")
    target, cells = tmp_path / "a.svg", ["--cell", "reduce SUM f32 n=64M", "--cell", "inclusive_scan SUM f32 n=64M"]
    assert quality_command.main(["--picture", str(target), path, *cells]) == 0
    with open(os.path.join(ROOT, "docs", "quality-criteria.svg"), encoding="utf-8") as file:
        assert file.read() == target.read_text(), "docs/quality.md has the command that draws it again"
    for library in ("gpuprims", "cub", "thrust", "moderngpu", "cudpp", "cupy", "torch"):
        assert f">{library}<" in target.read_text(), library
    assert quality_command.main(["--picture", str(target), path, "--cell", "copy u32 n=7"]) == 1
    assert "no criteria of copy u32 n=7" in capsys.readouterr().err


@pytest.mark.turn
def test_weights_by_regression_are_on_the_page(tmp_path, make_site):
    rows = [made_up.quality(f"{primitive} u32 n=64M", library, gbs=100.0 + 10 * k + k * k,
                            criteria={"MC": 0.1 + 0.05 * k, "OC": 0.9 - 0.07 * ((3 * k) % 7)})
            for k, (primitive, library) in enumerate((primitive, library) for primitive in ("copy", "sort", "merge")
                                                     for library in ("gpuprims", "gpuprims threads=64", "cub",
                                                                     "thrust", "torch"))]
    rows.append(made_up.quality("fill u32 n=64M", "cub", gbs=50.0, criteria={"MC": None}))
    made_up.write(str(tmp_path / "example-one" / "2026-01-05.quality.abc0000.jsonl"), [QUALITY, *rows])
    site = make_site(tmp_path, True)
    check_whole(site)
    text = text_of(site, "quality.html")
    assert "15 rows: 6 of gpuprims, 3 of cub, 3 of thrust, 3 of torch; 1 of cub left out" in text
    assert [row[0] for row in json_rows(site, "quality.example-one-weights")] == ["OC", "MC"], "others are constant"
    models = {row[0]: row[1:] for row in json_rows(site, "quality.example-one-models")}
    assert "fitted bottleneck" in models and all(low <= mean <= high for mean, low, high in
                                                 (row[at:at + 3] for row in models.values() for at in (0, 3)))


@pytest.mark.parametrize("change", [
    {"cell": 3}, {"cell": " "}, {"library": None}, {"status": None}, {"criteria": None}, {"criteria": {"OC": "x"}},
    {"criteria": {"OC": -1}}, {"qm": "x"}, {"median_us": -1.0}, {"kernels": None}, {"speedup": []}, {"kind": "x"}])
def test_a_row_of_criteria_of_another_form_is_left_out(tmp_path, change):
    path = tmp_path / "2026-01-05.quality.abc0000.jsonl"
    row = {**made_up.quality("copy u32 n=5", "cub"), **change}
    made_up.write(str(path), [QUALITY, made_up.quality("copy u32 n=5", "gpuprims"), row])
    file = read.read(str(path), "example-one", path.name)
    assert [row["library"] for row in file.quality["rows"]] == ["gpuprims"]
    assert [notice.text[:7] for notice in file.notices] == ["line 3:"]


def test_a_file_of_criteria_may_hold_several_runs(tmp_path):
    path = tmp_path / "2026-01-05.quality.abc0000.jsonl"
    made_up.write(str(path), [QUALITY, made_up.quality("copy u32 n=5", "cub"),
                              {**QUALITY, "commit": "abc0001"}, made_up.quality("copy u32 n=6", "cub")])
    file = read.read(str(path), "example-one", path.name)
    assert [row["cell"] for row in file.quality["rows"]] == ["copy u32 n=5", "copy u32 n=6"] and not file.notices
    assert file.quality["environment"]["commit"] == "abc0000"


@pytest.mark.parametrize("change", [{"cell": None}, {"policy": 1}, {"median_us": 0}, {"instructions": "x"},
                                    {"stalls": None}, {"stalls": {"a": None}}])
def test_a_point_of_another_form_is_left_out(tmp_path, change):
    path = tmp_path / "2026-01-05.points.abc0000.jsonl"
    made_up.write(str(path), [QUALITY, {**made_up.point("copy u32 n=5", "", 1.0, 2.0), **change}])
    file = read.read(str(path), "example-one", path.name)
    assert file.quality is None and len(file.notices) == 2 and "criteria without" in file.notices[1].text


def test_a_damaged_space_names_its_line(tmp_path):
    path = tmp_path / "2026-01-05.tuner_scan.abc0000.jsonl"
    path.write_text('{"program": "scan"}\n')
    file = read.read(str(path), "example-one", path.name)
    assert file.kind == "" and [notice.text for notice in file.notices] == ["line 1: KeyError('parameters')"]


@pytest.mark.parametrize("content", [b"", b"\n", b"not JSON\n", b"{}\n", b"null\n", b"\xff\xfe",
                                     b'{"kind":"environment"}', b'{"kind":"environment","v":99}\n',
                                     b'{"kind":"samples","v":1}\n', b'{"kind":"sample","n":1}\n', b"[" * 5000])
@pytest.mark.parametrize("name", ["2026-01-05.jsonl", "2026-01-05.tune.jsonl", "2026-01-05.regress.jsonl.gz",
                                  "2026-01-05.ladder.json", "2026-01-05.night.json", "2026-01-05.layout_programs.json",
                                  "landscape/2026-01-05.landscape.jsonl", "no date.jsonl",
                                  "2026-01-05.standard.0123456.jsonl", "2026-01-05.tune.0123456.2.jsonl",
                                  "2026-01-05.night.0123456.json", "2026-01-05.online.0123456.json",
                                  "2026-01-05.quality.0123456.jsonl", "2026-01-05.points.0123456.jsonl",
                                  "2026-01-05.tuner_scan.0123456.jsonl", "2026-01-05.tuner_empty_kernel.json"])
def test_no_file_stops_the_reader(tmp_path, name, content):
    path = tmp_path / "device" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    file = read.read(str(path), "device", name)
    assert file.notices, "shown, never hidden"
    model.devices_of([file])


@pytest.mark.parametrize("name, night, set_", [
    ("2026-01-05.segments.0123456.jsonl", "2026-01-05", "segments"),
    ("2026-01-05.bench.2.jsonl", "2026-01-05", "bench"),
    ("2026-01-05.jsonl", "2026-01-05", "standard"), ("2026-01-05.2.segments.jsonl", "2026-01-05", "segments"),
    ("mine.jsonl", "2026-02-01", "standard")])
def test_a_run_by_its_files_name(tmp_path, name, night, set_):
    """With a commit, without one, numbered as before commits were part of names, or of no date at all."""
    lines = [dict(line) for line in made_up.records(0, 3)]
    lines[0]["date"] = "2026-02-01T00:00:00Z"
    made_up.write(str(tmp_path / name), lines)
    run, = read.read(str(tmp_path / name), "example-one", name).bench
    assert (run.night, run.set) == (night, set_)


@pytest.mark.turn
def test_a_site_of_unusable_files_is_whole_and_names_them(tmp_path, make_site):
    for name, content in (("2026-01-05.jsonl", b"\xff\n"), ("2026-01-06.tune.jsonl", b"no\n"),
                          ("2026-01-06.regress.jsonl.gz", b"no gzip"), ("2026-01-07.ladder.json", b'{"tables": [1]}'),
                          ("2026-01-07.layout_programs.json", b'{"results": [{"program": "x", "n": 1}]}'),
                          ("landscape/2026-01-05.landscape.jsonl", b'{"kind":"run","v":1}\n'),
                          ("2026-01-08.tune.jsonl", b'{"kind":"run","v":2}\n')):
        path = tmp_path / "device" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "stray.jsonl").write_bytes(b"{}\n")
    site = make_site(tmp_path)
    check_whole(site)
    text = text_of(site)
    for name in ("2026-01-05.jsonl", "2026-01-06.tune.jsonl", "2026-01-06.regress.jsonl.gz", "2026-01-07.ladder.json",
                 "2026-01-07.layout_programs.json",
                 "schema version 2", "stray.jsonl not in a device's folder"):
        assert name in text
    assert "NO DATA" in text_of(site, "index.html")


@pytest.mark.turn
def test_a_runner_that_died_in_the_middle(tmp_path, make_site):
    place = str(tmp_path / "example-one")
    made_up.write(f"{place}/{made_up.night_of(0)}.jsonl", made_up.records(0, 40))
    lines = [json.dumps(line) + "\n" for line in made_up.records(1, 40, planned=40)]
    made_up.write(f"{place}/{made_up.night_of(1)}.jsonl", lines[:30] + [lines[30][:100]])
    lines = list(made_up.regress(1))
    made_up.write(f"{place}/{made_up.night_of(1)}.regress.jsonl",
                  [line for line in lines if line["kind"] == "environment"] +
                  [made_up.farm_sample("e" + f"{1:015x}", 0, made_up.cells(1)[0], 5.0)])
    made_up.write(f"{place}/{made_up.night_of(1)}.night.json", [json.dumps({
        "v": 1, "date": "2026-01-06", "complete": False, "steps": [
            {"name": "tune", "status": "ok"}, {"name": "bench", "status": "running"},
            {"name": "regress", "status": "failed", "message": "no compiler"}]})])
    text = text_of(make_site(tmp_path))
    assert "step bench: began and did not end: the runner died or was cancelled" in text
    assert "step regress: failed: no compiler" in text and "step tune" not in text
    assert "line 31: the file ends in the middle of a line: the run was cut off" in text
    assert "was asked for 40 cells and reached 10" in text
    assert "no line of a run: the process that measured them died before the end" in text
    assert "no verdicts: the run died before it could judge" in text


@pytest.mark.turn
def test_a_partial_run_is_no_problem(tmp_path, make_site):
    """Some cells of a list, because only these were requested; primitives that a night leaves for the next one."""
    place = str(tmp_path / "example-one")
    made_up.write(f"{place}/{made_up.night_of(0)}.jsonl", made_up.records(0, 40))
    for night, fields in ((1, {}), (2, {"planned": 3})):
        made_up.write(f"{place}/{made_up.night_of(night)}.jsonl", made_up.records(night, 3, **fields))
    made_up.write(f"{place}/{made_up.night_of(2)}.night.json", [json.dumps({
        "v": 1, "date": "2026-01-07", "complete": True, "steps": [
            {"name": "tune", "status": "incomplete", "message": "out of time: 2 primitives were not tuned: any, all"},
            {"name": "bench", "status": "ok"}]})])
    site = make_site(tmp_path)
    text = text_of(site, "index.html")
    assert "problems in the data 0 and 1 notes" in text and "Data is missing or wrong" not in text
    assert "2 primitives were not tuned: any, all" in text_of(site, "data.html")


@pytest.mark.turn
def test_missing_nights_and_two_nights_at_once(small_site, tmp_path, make_site):
    assert f"1 nights without a measurement between {made_up.night_of(0)} and {made_up.night_of(11)}: " \
           f"{made_up.night_of(5)}" in text_of(small_site)
    place = str(tmp_path / "example-one")
    made_up.write(f"{place}/{made_up.night_of(0)}.jsonl", made_up.records(0, 20))
    second = list(made_up.records(0, 10, seed=2))
    second[0]["date"] = f"{made_up.night_of(0)}T04:00:00Z"
    made_up.write(f"{place}/{made_up.night_of(0)}.2.jsonl", second)
    site = make_site(tmp_path)
    assert "10 cells were measured by several of 2 runs of this night" in text_of(site)
    rows = rows_of(os.path.join(site, "csv", "example-one.copy.u32-cold-cells.csv"))
    assert float(rows[0]["us"]) == second[1]["median_us"]


@pytest.mark.turn
def test_a_device_that_was_renamed(tmp_path, make_site):
    made_up.write(str(tmp_path / "example-one" / f"{made_up.night_of(0)}.jsonl"), made_up.records(0, 10))
    made_up.write(str(tmp_path / "example-one" / f"{made_up.night_of(1)}.jsonl"),
                  made_up.records(1, 10, device="Example One Max"))
    made_up.write(str(tmp_path / "example-uno" / f"{made_up.night_of(1)}.jsonl"),
                  made_up.records(1, 10, device="Example Uno"))
    site = make_site(tmp_path)
    text = text_of(site)
    assert "goes by 2 names: Example One (last on 2026-01-05), Example One Max (last on 2026-01-06)" in text
    assert "if one was renamed, its history goes on in the other folder" in text
    assert "Today" in text_of(site, "index.html")


def test_wrong_cells_are_seen(small_site):
    assert "WRONG n=4096 uniform: 3 of 4096 elements differ" in text_of(small_site, "example-two/copy.html")
    assert "✗" in open(os.path.join(small_site, "index.html"), encoding="utf-8").read()


@pytest.mark.turn
def test_text_from_files_is_text(tmp_path, make_site):
    evil = "<script>alert(1)</script>"
    lines = list(made_up.records(0, 3, device=f"Evil {evil}"))
    lines[1]["cell"] = evil
    lines[4]["status"] = evil
    made_up.write(str(tmp_path / "evil" / "2026-01-05.jsonl"), lines)
    site = make_site(tmp_path)
    for place, _, names in os.walk(site):
        for name in names:
            if name.endswith((".html", ".svg")):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    assert evil not in file.read()
    check_whole(site)


def test_a_folder_that_is_no_dashboard_is_left_alone(tmp_path, make_site):
    out = tmp_path / "precious"
    out.mkdir()
    (out / "thesis.txt").write_text("all of it")
    with pytest.raises(build.CannotBuild, match="not a dashboard"):
        build.build(str(out), str(tmp_path), TODAY, cache=str(tmp_path / "cache"), quiet=True)
    assert (out / "thesis.txt").read_text() == "all of it"
    with pytest.raises(build.CannotBuild, match="no such folder"):
        build.build(str(tmp_path / "out"), str(tmp_path / "nothing"), TODAY, cache=str(tmp_path / "cache"), quiet=True)


@pytest.mark.turn
def test_a_page_that_cannot_be_made_says_so_and_the_others_are_made(small_store, tmp_path, monkeypatch):
    def fail(page):
        raise KeyError("nothing like that")

    monkeypatch.setattr(figures, "render", lambda spec: BLANK)
    monkeypatch.setitem(build.PAGES, "noise.html", ("noise.html", fail, "Noise"))
    out = str(tmp_path / "out")
    problems = build.build(out, small_store, TODAY, cache=str(tmp_path / "cache"), quiet=True)
    assert [name for name, _ in problems] == ["noise.html"]
    assert "could not be made" in text_of(out, "noise.html")
    assert "Today" in text_of(out, "index.html")


# ---- the command -----------------------------------------------------------------------------------------------------


def command(*words):
    return subprocess.run([sys.executable, "-m", "dashboard", *words], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.turn
def test_the_command_says_how_to_open_the_site_and_shows_progress(tmp_path):
    (tmp_path / "store").mkdir()
    done = command("--out", str(tmp_path / "site"), "--store", str(tmp_path / "store"), "--cache", str(tmp_path / "c"))
    assert done.returncode == 0 and "index.html in a browser" in done.stdout
    assert re.search(r"pages (\d+)/\1\n", done.stderr)


@pytest.mark.parametrize("words, said", [
    (["--today", "yesterday"], "--today yesterday"), (["--jobs", "0"], "--jobs 0"), (["--store", "nowhere"], "nowhere"),
    (["--until", "2026-01-01"], "--picture"), (["--url", "javascript:alert(1)"], "--url javascript"),
    (["--home", "here"], "--home here"), (["--picture", "no-such-device"], "no-such-device")])
@pytest.mark.turn
def test_bad_arguments_are_named(tmp_path, words, said):
    done = command("--out", str(tmp_path / "site"), *words)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "site").exists()


# ---- the committed measurements --------------------------------------------------------------------------------------

def test_the_newest_measurements_are_read():
    """Each commit: the site of all files is dear, and takes turns."""
    files = read.files_below(MEASURED)[0]
    newest = max(name[:10] for _, _, name in files if bench.FILE_NAME.fullmatch(name))
    assert not [notice for path, device, name in files if name.startswith(newest)
                for notice in read.read(path, device, name).notices if notice.level == "bad"]


@pytest.mark.turn(16)
def test_the_committed_measurements_make_a_whole_site(committed_site):
    check_whole(committed_site)
    problems = [notice for _, _, file in committed_files() for notice in file.notices if notice.level == "bad"]
    assert problems == []
    table = rows_of(os.path.join(committed_site, "csv", "table.rows.csv"))
    with open(os.path.join(ROOT, "gpuprims_policies.h"), encoding="utf-8") as file:
        assert len(table) == file.read().count("  ROW(")
    assert all(row["decision"] or row["scope"] == "portable" or row["scope"].startswith("class:") for row in table)
    for name in ("slowdown-shares", "variance", "share"):
        assert "slowdown" in text_of(committed_site, "landscape.html").lower(), name


def spelt_out(cell):
    """A cell's words in order, with numbers in full, without the usual distribution: 256M is 268435456."""
    cell = " ".join(sorted(cell.replace(" dist=uniform", "").split()))
    return re.sub(r"\b(\d+)([KMG])\b", lambda m: str(int(m[1]) << {"K": 10, "M": 20, "G": 30}[m[2]]), cell)


@pytest.mark.turn(16)
def test_every_committed_report_is_on_a_page(committed_site):
    text = text_of(committed_site, "reports.html")
    names = [os.path.relpath(os.path.join(place, name), MEASURED).split(os.sep, 1)[1]
             for place, _, names in os.walk(MEASURED) if place != MEASURED for name in names
             if name.endswith(".md") and name != "README.md"]
    assert all(f"{name} " in text for name in names)
    assert bool(names) != ("no device's folder has such a text" in text)


@pytest.mark.turn(16)
def test_every_committed_cell_is_on_a_page(committed_site):
    shown = set()
    for name in os.listdir(os.path.join(committed_site, "csv")):
        if name.startswith("nvidia-h200.") and name.endswith("-cells.csv"):
            shown |= {spelt_out(row["cell"]) for row in rows_of(os.path.join(committed_site, "csv", name))}
    for _, name, file in committed_files():
        if name.startswith("landscape/"):
            continue
        for run in file.bench:
            missing = [measure.text for measure in run.cells.values()
                       if measure.ours and spelt_out(measure.text) not in shown]
            # a cell measured again since may be spelt differently
            assert len(missing) <= len(run.cells) / 4, missing[:5]


@pytest.mark.turn
def test_readmes_picture_is_drawn_from_what_is_committed(tmp_path):
    """Its first line is the command that remakes it."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        path = re.search(r"!\[[^]]*\]\((\S+)\)", file.read()).group(1)
    folder = os.path.join(ROOT, os.path.dirname(path))
    assert os.path.basename(path) == "today.svg"
    with open(os.path.join(folder, "today.csv"), encoding="utf-8") as file:
        first = file.readline()
    device, until = re.fullmatch(r"# python3 -m dashboard --picture (\S+) --until (\S+)\n", first).groups()
    assert datetime.date.fromisoformat(until)
    os.symlink(folder, tmp_path / device)
    spec, (columns, rows) = heat_map_until(device, until)
    out = tmp_path / "today.csv"
    with open(out, "w", encoding="utf-8") as file:
        file.write(first)
        pages.write_csv(file, columns, [[pages.plain(entry) for entry in row] for row in rows])
    with open(os.path.join(folder, "today.csv"), encoding="utf-8") as file:
        assert file.read() == out.read_text(encoding="utf-8"), f"run: {first[2:]}"
    with open(os.path.join(folder, "today.svg"), encoding="utf-8") as file:
        svg = file.read()
    drawn = [("✗ " if square["wrong"] else "") + f"{100 * square['roof']:.0f}" for row in spec["rows"]
             for square in row["squares"] if square and square["roof"] is not None]
    texts = re.findall(r"<text style=\"[^\"]*700[^\"]*\"[^>]*>([^<]+)</text>", svg)
    assert [text for text in texts if text != "–"] == drawn, f"run: {first[2:]}"


def heat_map_until(device, until):
    files = [read.read(*one) for one in read.files_below(MEASURED)[0]
             if one[1] == device and one[0].endswith((".jsonl", ".jsonl.gz")) and not read.is_store(one[0])]
    found = model.devices_of([file for file in files if file.kind == "bench" and file.night <= until])
    return pages.map_of(found[0])


# ---- size ------------------------------------------------------------------------------------------------------------


@pytest.mark.turn
def test_a_hundred_nights_of_five_hundred_cells(tmp_path, monkeypatch):
    """In 20 seconds, on two cores; the short run has a tenth of the nights, is not timed and draws nothing."""
    nights, cells = (100, 500) if LONG else (10, 40)
    if not LONG:
        monkeypatch.setattr(figures, "render", lambda spec: BLANK)
    made_up.whole(str(tmp_path / "store"), nights, cells)
    start = time.monotonic()
    out = str(tmp_path / "site")
    assert build.build(out, str(tmp_path / "store"), TODAY, jobs=2, cache=str(tmp_path / "cache"), quiet=True) == []
    seconds = time.monotonic() - start
    if LONG:
        assert seconds <= 20
    check_whole(out)
    rows = rows_of(os.path.join(out, "csv", "example-one.copy.u32-cold-4096.history.csv"))
    assert len(rows) == nights


# ---- missing parts, one at a time ------------------------------------------------------------------------------------


# Parts that a page may lack only as a whole: the parts of a table of numbers, pairs, and the nights of a measured
# commit.
NULLABLE = {"map", "summary", "figure", "accept", "line", "roof", "decision"}
TOGETHER = {"columns", "numeric", "policies", "codes", "commits", "moments", "nights"}


def without_each(value, path=()):
    """(path, replacement) for everything optional in a context: lists without an entry, empty texts, None for a part
    that may be missing; a list's first entry represents all."""
    if isinstance(value, dict):
        for name, one in list(value.items()):
            if name in TOGETHER and path:
                continue
            if isinstance(one, (list, str)):
                yield path + (name,), type(one)()
            elif isinstance(one, dict) and name in NULLABLE:
                yield path + (name,), None
            yield from without_each(one, path + (name,))
    elif isinstance(value, list) and value:
        yield from without_each(value[0], path + (0,))


def put(value, path, new):
    """A copy with something else at a path; all that is not on the path is shared."""
    if not path:
        return new
    found = dict(value) if isinstance(value, dict) else list(value)
    found[path[0]] = put(value[path[0]], path[1:], new)
    return found


def contexts_of(store_folder, tmp_path, monkeypatch):
    """{template: what its pages are filled with} of a site."""
    found = {}
    original = build.jinja2.Template.render

    def render(self, *words, **context):
        found.setdefault(self.name, context)
        return original(self, *words, **context)

    monkeypatch.setattr(build.jinja2.Template, "render", render)
    monkeypatch.setattr(figures, "render", lambda spec: BLANK)

    class InPlace:  # the contexts are needed here, not in another process
        def __init__(self, *words):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *words):
            pass

        def imap_unordered(self, function, jobs):
            return map(function, jobs)

    monkeypatch.setattr(build.multiprocessing, "get_context", lambda kind: type("", (), {"Pool": InPlace}))
    assert build.build(str(tmp_path / "site"), store_folder, TODAY, cache=str(tmp_path / "cache"), quiet=True) == []
    monkeypatch.setattr(build.jinja2.Template, "render", original)
    return found


@pytest.mark.turn
def test_every_template_is_rendered_without_each_of_its_parts(small_store, tmp_path, monkeypatch):
    """One at a time; the next test covers the parts that are always present, and fields of lines."""
    environment, failed, tried = build.environment(), [], set()
    contexts = contexts_of(small_store, tmp_path, monkeypatch)
    assert set(contexts) >= {template for template, *_ in build.PAGES.values()} | {"cell.html", "primitive.html",
                                                                                   "search.html", "feed.xml"}
    for name, context in contexts.items():
        if name == "feed.xml":
            continue
        template = environment.get_template(name)
        fixed = {"site", "root", "path", "title", "link_to_commit"}
        for path, new in without_each({key: value for key, value in context.items() if key not in fixed}):
            tried.add((name, path))
            try:
                template.render(**put(context, path, new))
            except Exception as error:  # all of them are named
                failed.append(f"{name}: without {'.'.join(map(str, path))}: {error}")
    assert len(tried) > 200 and not failed, failed[:20]


def optional_fields(lines):
    """(kind of line, field) of made_up's lines that may be missing."""
    return sorted({(line["kind"], name) for line in lines if isinstance(line, dict) for name in line
                   if name not in ("kind", "v")})


@pytest.mark.turn
def test_no_field_of_a_line_is_needed(tmp_path, monkeypatch):
    """Leaves out every field of every kind of line, one at a time, in all lines: no page fails."""
    monkeypatch.setattr(figures, "render", lambda spec: BLANK)
    for of in (lambda night: list(made_up.records(night, 2)), lambda night: list(made_up.regress(night, count=2))):
        ending = "jsonl" if of(0)[0].get("v") is None else "regress.jsonl"
        for kind, field in optional_fields(of(0)):
            folder = tmp_path / f"{ending}-{kind}-{field}"
            for night in (0, 1):
                lines = [{name: value for name, value in line.items() if (line["kind"], name) != (kind, field)}
                         for line in of(night)]
                made_up.write(str(folder / "one" / f"{made_up.night_of(night)}.{ending}"), lines)
            files = [read.read(*one) for one in read.files_below(str(folder))[0]]
            site = pages.Site(model.devices_of(files), model.Table([], [], [], []), {}, [], [], [], ([], []), TODAY,
                              str(folder))
            monkeypatch.setattr(build, "SITE", site)
            monkeypatch.setattr(build, "CACHE", build.Cache(str(tmp_path / "cache")))
            out = tmp_path / "out" / folder.name
            for name in ("img", "csv", "json"):
                (out / name).mkdir(parents=True)
            wrong = [error for group in build.page_jobs(site) for job in group
                     for *_, error in [build.render(job, str(out))] if error]
            assert not wrong, f"{kind} without {field}: {wrong[0][-600:]}"


# ---- files for other programs ----------------------------------------------------------------------------------------


def test_every_primitive_has_a_family():
    assert set(model.FAMILY_OF) == set(store.primitives())


@pytest.mark.turn
def test_a_nights_summary(tmp_path, make_site):
    """Geometric means by family: against the peer, and against the last measurement seven days before."""
    place = str(tmp_path / "example-one")
    for night, factor in ((0, 1.0), (5, 7.0), (8, 1.25)):
        made_up.write(f"{place}/{made_up.night_of(night)}.jsonl", made_up.records(
            night, 20, noise=0, slow={("reduce", "u32"): (0, factor)}))
    site = make_site(tmp_path)
    rows = {row["family"]: row for row in rows_of(os.path.join(site, "csv", "index.example-one-summary.csv"))}
    assert float(rows["reduce"]["speed against a week before"]) == pytest.approx(1 / 1.25, rel=1e-3)
    assert float(rows["copy and transform"]["speed against a week before"]) == pytest.approx(1, rel=1e-3)
    assert float(rows["all"]["speed against a week before"]) == pytest.approx(1 / 1.25 ** 0.5, rel=1e-3)
    assert rows["all"]["cells"] == "20" and rows["reduce"]["cells with a week before"] == "10"
    feed = xml.etree.ElementTree.parse(os.path.join(site, "feed.xml")).getroot()
    titles = [one.find(f"{ATOM}title").text for one in feed.iter(f"{ATOM}entry")]
    assert len(titles) == 3 and titles[0].startswith(f"Example One, {made_up.night_of(8)}: 20 cells, ")
    assert "-10.6 % against a week before" in titles[0]


@pytest.fixture
def repository(tmp_path):
    """A repository of two commits; their hashes."""
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*words):
        return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(folder), *words],
                              check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    git("init", "-q")
    hashes = []
    for text in ("slow <b>\n", "fast <i>\n"):
        (folder / "gpuprims.h").write_text(text)
        git("add", "gpuprims.h")
        git("commit", "-qm", f"Makes it {text.strip()}")
        hashes.append(git("rev-parse", "HEAD"))
    return str(folder), hashes


@pytest.mark.turn
def test_commits_lead_to_their_diffs_and_to_statuses(tmp_path, repository, make_site):
    folder, hashes = repository
    place = str(tmp_path / "store" / "example-one")
    for night, commit in enumerate((hashes[0][:7], hashes[1] + "")):
        made_up.write(f"{place}/{made_up.night_of(night)}.jsonl", made_up.records(night, 3, commit=commit))
    made_up.write(f"{place}/{made_up.night_of(2)}.jsonl", made_up.records(2, 3, commit="--output=x"))
    site = make_site(tmp_path / "store", repository=folder, home="https://pages.example/it/")
    check_whole(site)
    diff = f"commits/{hashes[0][:7]}-{hashes[1][:7]}.html"
    text = text_of(site, diff)
    assert "-slow <b>" in text and "+fast <i>" in text and "Makes it fast <i>" in text
    assert diff in " ".join(Document(os.path.join(site, "commits.html")).links)
    assert "--output=x" in text_of(site, "commits.html") and not os.path.exists("x")
    with open(os.path.join(site, "status.json"), encoding="utf-8") as file:
        assert json.load(file) == [], "the last night's commit is none of this repository's"
    os.unlink(f"{place}/{made_up.night_of(2)}.jsonl")
    site = make_site(tmp_path / "store", repository=folder, home="https://pages.example/it/")
    with open(os.path.join(site, "status.json"), encoding="utf-8") as file:
        status, = json.load(file)
    assert "Documentation" not in text_of(site, "index.html")
    site = make_site(tmp_path / "store", repository=folder, docs="docs/index.html")
    assert "docs/index.html" in Document(os.path.join(site, "data.html")).links
    assert status["sha"] == hashes[1] and status["state"] == "success" and status["context"] == "night/example-one"
    assert len(status["description"]) <= 140 and status["target_url"].startswith("https://pages.example/it/index.html#")


@pytest.mark.parametrize("remote, url", [
    ("git@github.com:them/it.git\n", "https://github.com/them/it"),
    ("https://github.com/them/it", "https://github.com/them/it"),
    ("https://user:secret@host.example/a/b.git", ""), ("ssh://git@host.example/a/b", "https://host.example/a/b"),
    ("/srv/git/it.git", ""), ("../it", ""), ("", ""), ("javascript:alert(1)", "")])
def test_a_remotes_address_on_the_web(remote, url):
    assert commits.web_address(remote) == url


@pytest.mark.turn
def test_a_primitive_of_any_name_stays_in_its_folder(tmp_path, make_site):
    lines = list(made_up.records(0, 3))
    for line in lines[1:]:
        line["primitive"] = "../../out <x>"
    made_up.write(str(tmp_path / "store" / "example-one" / "2026-01-05.jsonl"), lines)
    site = make_site(tmp_path / "store")
    check_whole(site)
    assert any(name.startswith("out-x-") for name in os.listdir(os.path.join(site, "example-one")))


@pytest.mark.turn
def test_reports_run_nothing_and_point_nowhere(tmp_path, make_site):
    """HTML, addresses and pictures in a report are text."""
    evil = "<script>alert(1)</script>"
    place = tmp_path / "example-one"
    made_up.write(str(place / "2026-01-05.jsonl"), made_up.records(0, 3))
    (place / "2026-01-05.md").write_text(
        f"# {evil}\n\n{evil} [a](javascript:alert(1)) [b](https://example.org) ![c](https://example.org/c.png)\n\n"
        f"<img src=x onerror=alert(1)>\n\n| |{evil}|\n|-|-|\n| 1 | 2 |\n\n```\n{evil}\n```\n")
    site = make_site(tmp_path)
    check_whole(site)
    with open(os.path.join(site, "reports.html"), encoding="utf-8") as file:
        text = file.read()
    assert evil not in text and "<img" not in text and 'href="javascript' not in text and "example.org" not in text
    assert re.search(r"<thead><tr><td></td><th", text), "a column without a title has no header"
