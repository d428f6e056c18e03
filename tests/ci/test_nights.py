"""Nights from synthetic artifacts: decisions, proposals, reports, history. No GPU, no NVRTC."""
import argparse
import gzip
import json
import os
import re
import subprocess
import sys

import nights
import pytest
from nights import DEVICE, both, proposal, quiet, regressed, text_of, tuned

from ci import (baseline, check_proposal, contribute, dashboard, decide, issues, keep, machine_code, measure,
                pull_request, status, steps)
from tools.farm import standard, store, table, trust
from tools.farm.verdicts import FAST, NO_DATA, SAME, SLOW, UNSURE

BRANCH = "bot/policies-90"
STORE = "ci/measurements/example-one/2026-03-04.tune.0000000.jsonl.gz"
OLD_NAME = "ci/measurements/example-one/2026-03-04.tune.jsonl.gz"  # of before commits were part of names
REDUCE, COPY = "reduce SUM u32 n=262144 protocol=cold", "copy u32 n=4096 protocol=cold"


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setattr(nights.regress.regress, "FOLDER", str(tmp_path / "regress"))  # where commits are checked out
    return nights.World(tmp_path)


@pytest.mark.turn
def test_a_quiet_night(world, capsys):
    """No pull request, no issue, even after a regression."""
    world.night("first", both(tuned(quiet), regressed({COPY: (SAME, 1.001)})))  # a new device: its baseline
    git_merge(world)
    results = world.night("second", both(tuned(quiet), regressed({COPY: (SAME, 1.002)}, date="2026-03-05T00:00:00Z")))
    assert world.status == 0 and proposal(results)["files"] == []
    assert BRANCH not in world.branches() and "nothing is left to propose" in capsys.readouterr().out
    assert not os.path.exists(os.path.join(results, "regress", "issues"))


def git_merge(world):
    """A maintainer merges the open proposal."""
    nights.git(world.repository, "fetch", "--quiet", world.remote, BRANCH)
    nights.git(world.repository, "merge", "--quiet", "--ff-only", "FETCH_HEAD")
    nights.git(world.repository, "push", "--quiet", "origin", "main")


def forge(world):
    """A commit that adds a row of +300 % to the proposed store, without samples."""
    path = os.path.join(world.repository, STORE)
    lines = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
    true = next(line for line in lines if line.get("verdict") == "accepted")
    store.append(path, [{**true, "id": "0" * 16, "replaces": [], "group": "copy 4/0/4", "gain": 3.0}])
    world.commit("Better still")


@pytest.mark.turn
def test_a_better_policy(world, capsys):
    """A pull request with the row; its branch has only allowed files, with the bytes that the tools make."""
    results = world.night("one", tuned(nights.better))
    said = capsys.readouterr().out
    found = proposal(results)
    assert sorted(world.files_of(BRANCH)) == sorted(found["files"]) == [STORE, table.TABLE]
    assert [row["group"] for row in found["rows"]] == ["exclusive_scan 4/4/4", "inclusive_scan 4/4/4"]
    row = found["rows"][0]
    assert row["scope"] == DEVICE and row["before"] is None and "threads=512" in row["after"]
    assert 0.1 < row["low"] < row["gain"] < row["high"] < 0.2 and row["pairs"] == 3
    assert f"branch: {BRANCH}" in said and f"+{100 * row['gain']:.1f} %" in said and "## Regret" in said
    assert "with its rows" in found["regret"] and found["pictures"] == ["rows.png"]
    git_merge(world)  # a fast-forward: one commit on main
    assert check_proposal.main(["--base", "HEAD~1", "--repository", world.repository]) == 0
    forge(world)
    assert check_proposal.main(["--base", "HEAD~2", "--repository", world.repository]) == 1
    assert "does not follow from the samples" in capsys.readouterr().out
    nights.git(world.repository, "reset", "--quiet", "--hard", "HEAD~1")
    folder = os.path.join(world.repository, store.STORES)
    assert table.is_current(os.path.join(world.repository, table.TABLE), store.read_all(store.paths_under(folder)))
    store.append(os.path.join(world.repository, table.TABLE), [{}])  # somebody edits it
    assert check_proposal.main(["--base", "HEAD~1", "--repository", world.repository]) == 1


@pytest.mark.turn
def test_updated_in_place_and_closed(world, tmp_path, monkeypatch):
    hub = nights.Hub(tmp_path / "hub", monkeypatch)
    world.night("one", tuned(nights.better))
    first = world.branches()[BRANCH]
    create, = hub.asked("pr", "create")
    assert create[create.index("--head") + 1] == BRANCH and create[create.index("--base") + 1] == "main"
    world.night("two", tuned(nights.better, date="2026-03-05T00:00:00Z", seed=2))
    second = world.branches()[BRANCH]
    assert second != first and len(hub.asked("pr", "create")) == len(hub.asked("pr", "edit")) == 1
    assert world.files_of(BRANCH) == [STORE.replace("03-04", "03-05"), table.TABLE]  # not on top of the first
    parents = [nights.git(world.remote, "rev-parse", f"{commit}^") for commit in (first, second)]
    assert parents == [nights.git(world.repository, "rev-parse", "main")] * 2
    world.night("three", tuned(quiet, date="2026-03-06T00:00:00Z"))
    assert BRANCH not in world.branches() and hub.asked("pr", "close")[0][2] == "7"
    assert not hub.asked("pr", "merge")


@pytest.mark.turn
def test_a_branch_that_somebody_moved(world, monkeypatch):
    """The other's push is not overwritten."""
    results = world.night("one", tuned(nights.better))
    seen = world.branches()[BRANCH]
    moved = world.commit("Another", note="x")
    nights.git(world.repository, "push", "--quiet", "--force", world.remote, f"{moved}:refs/heads/{BRANCH}")
    monkeypatch.setattr(pull_request, "tip_of", lambda *_: seen)
    with open(os.path.join(results, "decide", "90", "proposal.json"), encoding="utf-8") as file:
        found = json.load(file)
    found["date"] = "2026-03-09"
    steps.write_json(os.path.join(results, "decide", "90", "proposal.json"), found)
    with pytest.raises(steps.CannotRun, match="stale info|rejected"):
        world.pull(results)
    assert world.branches()[BRANCH] == moved


@pytest.mark.turn
def test_a_proposal_that_fails_does_not_stop_the_others(world):
    results = world.night("one", tuned(nights.better), tuned(nights.better, device="Example Two", board="b",
                                                             compute_capability=86), pull=False)
    path = os.path.join(results, "decide", "86", "proposal.json")
    steps.write_json(path, {**steps.read_json(path), "branch": "main"})
    with pytest.raises(steps.CannotRun, match="must not have branch main"):
        world.pull(results)
    assert list(world.branches()) == [BRANCH]


@pytest.mark.turn
def test_a_branch_is_checked_when_it_moved(world, tmp_path, monkeypatch):
    """A workflow's push starts no workflow: the night requests ci.yml, once for each commit."""
    hub = nights.Hub(tmp_path / "hub", monkeypatch)
    results = world.night("one", tuned(nights.better), pull=False)
    for _ in range(2):
        assert world.pull(results, "--check", "ci.yml", "--github", "who/what") == 0
    assert hub.asked("workflow") == [["workflow", "run", "ci.yml", "--ref", BRANCH, "--repo", "who/what"]]


def test_a_proposal_touches_what_it_may(world):
    results = world.night("one", tuned(nights.better), pull=False)
    for change in ({"files": ["gpuprims.h"]}, {"files": ["ci/measurements/../../x.tune.jsonl.gz"]}, {"branch": "main"}):
        found = {**proposal(results), **change}
        steps.write_json(os.path.join(results, "decide", "90", "proposal.json"), found)
        with pytest.raises(steps.CannotRun, match="must not"):
            world.pull(results)
        steps.write_json(os.path.join(results, "decide", "90", "proposal.json"), {**found, "branch": BRANCH})
    assert not world.branches()


# ---- failing nights --------------------------------------------------------------------------------------------------


@pytest.mark.turn
def test_a_runner_that_dies_in_the_middle(world, capsys):
    """It proposes nothing, takes nothing back, and says so."""
    world.night("one", tuned(nights.better))
    standing = world.branches()
    cut = tuned(quiet, date="2026-03-05T00:00:00Z", done=(), running=("tune",),
                change=lambda lines: "\n".join(lines[:15]) + "\n" + lines[15][:40])
    results = world.night("two", cut)
    said = capsys.readouterr().out
    assert world.files_of(BRANCH) == [STORE, table.TABLE] and set(standing) == {BRANCH}
    notes = " ".join(proposal(results)["notes"])
    assert "began and did not end: the runner died" in notes and "broken lines" in notes and "line 16" in notes
    assert "NO DATA: the regression run did not begin" in text_of(results, "regress", "regress.md")
    assert "Traceback" not in said
    results = world.night("three", expected="gpu-sm90,gpu-sm86")  # nothing arrived at all
    assert steps.read_json(os.path.join(results, "decide", steps.PROPOSALS))["silent"] == ["gpu-sm86", "gpu-sm90"]
    assert BRANCH in world.branches() and "gpu-sm86: NO DATA" in capsys.readouterr().out


@pytest.mark.turn
def test_one_of_two_boards_dies(world):
    """The open proposal keeps the other device's part, even when the first device's is replaced."""
    world.night("one", tuned(nights.better), tuned(nights.better, device="Example Two", board="gpu-sm90-b"))
    assert len(world.files_of(BRANCH)) == 3
    world.night("two", tuned(nights.better, date="2026-03-05T00:00:00Z"),
                tuned(quiet, device="Example Two", board="gpu-sm90-b", done=(), running=("tune",)))
    assert world.files_of(BRANCH) == [STORE.replace("03-04", "03-05"), STORE.replace("example-one", "example-two"),
                                      table.TABLE]


@pytest.mark.turn
def test_primitives_take_turns(world):
    """A night that tunes other primitives keeps the open proposal's other parts, also on the same date; one that tunes
    all of them again replaces them."""
    both_of_them = (("exclusive_scan", "u32"), ("copy", "u32"))
    world.night("one", tuned(nights.better, groups=both_of_them[:1]))
    world.night("two", tuned(nights.better, groups=both_of_them[1:]))
    assert world.files_of(BRANCH) == [STORE.replace("0000000", "0000000.2"), STORE, table.TABLE]
    text = nights.git(world.repository, "show", f"FETCH_HEAD:{table.TABLE}")
    assert "GP_EXCLUSIVE_SCAN" in text and "GP_COPY" in text
    world.night("three", tuned(nights.better, date="2026-03-05T00:00:00Z", groups=both_of_them, seed=2))
    assert world.files_of(BRANCH) == [STORE.replace("03-04", "03-05"), table.TABLE]


@pytest.mark.parametrize("seconds, served, left", [(4000, 12, 0), (300, 5, 7), (30, 1, 11)])
def test_a_primitive_has_time_or_waits(tmp_path, monkeypatch, seconds, served, left):
    """A night tunes as many primitives as it has time for; the others are named, and nothing failed."""
    names, now = [f"p{number}" for number in range(12)], [0.0]
    lines = {}
    night = argparse.Namespace(worker="", args=argparse.Namespace(call=None), record={}, save=lambda: None,
                               call=argparse.Namespace(left=1e9), path=lambda name: str(tmp_path / name))

    def tune_some(_, primitives, share):
        assert share >= min(seconds, measure.LEAST_TUNE) * len(primitives) * 0.99 or len(primitives) == 1
        now[0] += share
        lines.update({name: {"kind": "samples", "phase": "matrix", "primitive": name} for name in primitives})
        return "ok", ""

    monkeypatch.setattr(measure.steps.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(measure, "searched", lambda _: names)
    monkeypatch.setattr(measure, "tune_some", tune_some)
    monkeypatch.setattr(measure.store, "read", lambda _: argparse.Namespace(of=lambda kind: list(lines.values())))
    status, message = measure.do_tune(night, seconds, None)
    assert status == "ok" and night.record["tuned"] == names[:served]
    assert message == (f"{left} primitives wait for another night: {', '.join(names[served:])}" if left else "")


@pytest.mark.parametrize("script", ["measure", "night", "regress", "machine_code", "baseline", "decide", "contribute"])
def test_a_python_without_packages_is_told(script):
    done = subprocess.run([sys.executable, "-S", os.path.join("ci", f"{script}.py"), "--artifacts", "none"],
                          cwd=nights.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr, done.stderr
    assert "make venv" in done.stderr or "none" in done.stderr or "--artifacts" in done.stderr


@pytest.mark.turn
def test_a_night_of_some_steps(world):
    """A missing tune is noted if one was requested; the open proposal stays either way."""
    world.night("one", tuned(nights.better))
    for number, asked in enumerate((["regress"], ["regress", "tune"])):
        results = world.night(f"night{number}", regressed({COPY: (SAME, 1.0)}, asked=asked))
        notes = " ".join(proposal(results)["notes"])
        assert ("the tune left no samples" in notes) == ("tune" in asked), asked
        assert STORE in world.files_of(BRANCH)


def test_a_store_with_corrupt_lines(world, capsys):
    def spoil(lines):
        return "\n".join([*lines[:3], "{broken", lines[3][:50], '"no object"', *lines[3:]]) + "\n"

    results = world.night("one", tuned(nights.better, change=spoil))
    notes = " ".join(proposal(results)["notes"])
    assert "3 broken lines were left out, the first is line 4" in notes
    assert {row["scope"] for row in proposal(results)["rows"]} == {DEVICE}
    kept = store.read(os.path.join(results, "decide", "90", "tree", STORE))
    assert not kept.broken and kept.of("decision")


def test_an_empty_store(world, capsys):
    for number, change in enumerate((lambda lines: "", lambda lines: lines[0] + "\n", lambda lines: "rubbish\n")):
        results = world.night(f"night{number}", tuned(quiet, change=change))
        notes = " ".join(proposal(results)["notes"])
        assert proposal(results)["files"] == [] and "the tune left no samples" in notes
    assert not world.branches()


@pytest.mark.turn
def test_a_renamed_device(world, capsys):
    """A store under another name than the record's is not used; a new name for a known shape is noted."""
    results = world.night("one", both(tuned(nights.better, device="Example Uno"),
                                      lambda folder: nights.record(folder, DEVICE)))
    assert proposal(results)["files"] == [] and "renamed or exchanged" in " ".join(proposal(results)["notes"])
    world.night("two", tuned(nights.better))
    git_merge(world)
    results = world.night("three", tuned(nights.better, device="Example Uno", date="2026-03-05T00:00:00Z"))
    notes = " ".join(proposal(results)["notes"])
    assert "Example Uno is new here, and of the shape of Example One" in notes
    assert {row["scope"] for row in proposal(results)["rows"]} >= {"Example Uno"}


def test_what_was_not_measured_is_not_proposed(world):
    results = world.night("one", tuned(nights.better, change=lambda lines: "\n".join(lines).replace(
        '"source": "live"', '"source": "synthetic"') + "\n"))
    assert proposal(results)["files"] == [] and "synthetic, not measured" in " ".join(proposal(results)["notes"])


def test_a_record_that_lies(world):
    """A board's record names files and branches: anything but numbers and dates is refused."""
    results = world.night("one", tuned(nights.better, compute_capability="../../x"),
                          tuned(nights.better, board="b", date="2026-03-05T00:00:00Z"))
    assert sorted(os.listdir(os.path.join(results, "decide"))) == ["90", steps.PROPOSALS]
    assert steps.read_json(os.path.join(results, "decide", steps.PROPOSALS))["silent"] == ["board-0"]


def throttled(lines):
    """An unlocked card: half of the confirming samples throttled, varying clocks."""
    found = []
    for number, line in enumerate(map(json.loads, lines)):
        if line["kind"] == "samples":
            line["sm_mhz"] = [1200 + 37 * (number % 20), 1980 - 53 * (number % 13)]
            if line["phase"] == "confirm" and line["process"] != 1:
                line["throttle"], line["us"] = 0x40, [2 * us for us in line["us"]]
        found.append(store.dump(line))
    return "\n".join(found) + "\n"


@pytest.mark.turn
def test_an_unlocked_throttled_card(world):
    """The same rules for all: throttled samples do not count, the rest confirms nothing, and the night says so."""
    results = world.night("one", tuned(nights.better, change=throttled))
    found = proposal(results)
    notes = " ".join(found["notes"])
    assert found["rows"] == [] and found["verdicts"].get("accepted", 0) == 0
    assert "throttled and left out" in notes and "not steady" in notes
    unlocked = tuned(nights.better, device="Example Two", change=lambda lines: "\n".join(
        line.replace('"sm_mhz": [1980, 1980]', f'"sm_mhz": [{1400 + 9 * k % 500}, 1800]')
        for k, line in enumerate(lines)) + "\n")
    found = proposal(world.night("two", unlocked))  # boost alone is no fault if processes agree
    assert {row["scope"] for row in found["rows"]} == {"Example Two"} and "not steady" in " ".join(found["notes"])
    name, = [name for name in found["files"] if store.is_tune(name)]
    kept = store.read(os.path.join(world.folder, "two.results", "decide", "90", "tree", name))
    assert {one["name"]: one["passed"] for one in kept.of("check") if one["name"] in ("clocks", "throttled")} == \
        {"clocks": False, "throttled": True}
    noisy = proposal(world.night("three", tuned(nights.better, device="Example Four", between=0.2)))
    assert not any(row["scope"] == "Example Four" and row["gain"] for row in noisy["rows"]) or \
        all(row["low"] > 0 for row in noisy["rows"] if row["gain"])


def test_trust_is_said(tmp_path, capsys):
    nights.tuned(nights.better, change=throttled)(str(tmp_path / "board"))
    assert trust.main([str(tmp_path / "board" / steps.TUNE)]) == 0
    said = capsys.readouterr().out
    assert "3 processes confirm" in said and "not steady" in said and "throttled and left out" in said


# ---- regressions -----------------------------------------------------------------------------------------------------


def history(world):
    """Commits; the third and the fifth change reduce's machine code."""
    names = [nights.git(world.repository, "rev-parse", "HEAD")]
    for number, code in enumerate(("a", "a", "b", "b", "c", "c"), 1):
        header = f"// {number}\ncode: reduce {code}\ncode: copy x{number // 4}\n"
        names.append(world.commit(f"Change {number}", **{"gpuprims.h": header}))
        world.commit("Not of the library", note=str(number))
    return names


@pytest.mark.turn
def test_a_regression(world, capsys):
    """The issue's text: cells, ratios, hashes, the commits that changed the machine code, how to reproduce it."""
    names = history(world)
    head = nights.git(world.repository, "rev-parse", "HEAD")
    other = made_policy(threads=128)
    board = regressed({REDUCE: (SLOW, 1.08), REDUCE.replace("262144", "1048576"): (SLOW, 1.06), COPY: (FAST, 0.9)},
                      commits=(names[0], head), policies=(nights.made_up.RULE, other))
    results = world.night("one", board, pull=False)
    assert world.status == steps.FOUND_SLOW
    path, = os.listdir(os.path.join(results, "regress", "issues"))
    text = text_of(results, "regress", "issues", path)
    assert text.startswith(f"# Slower on {DEVICE}: reduce SUM u32")
    for said in (REDUCE, "1.080 | 1.070 to 1.090 | 10", nights.made_up.number("0"), nights.made_up.number("1"),
                 names[0][:12], f"make regress BASE={names[0]}", "2 of 6 commits", "threads=128"):
        assert said in text, said
    suspects = [line for line in text.splitlines() if line.startswith("- ")]
    assert [line.split()[1] for line in suspects] == [names[3][:12], names[5][:12]]
    assert "Change 3" in suspects[0] and "machine code" in suspects[0]
    found, = steps.read_json(os.path.join(results, "regress", "regress.json"))
    assert found["outcomes"] == {SLOW: 2, FAST: 1}
    assert found["cells"] == {cell: {"base": names[0], "moves": cell == COPY} for cell in found["cells"]}


def made_policy(**fields):
    return store.policy_text({**store.policy_of(nights.made_up.RULE), **fields})


@pytest.mark.turn
def test_suspects_by_the_table(world):
    """Every policy's code is equal; the device's row changed."""
    base = nights.git(world.repository, "rev-parse", "HEAD")
    world.commit("Another device's row", **{table.TABLE: '  ROW("Other", GP_REDUCE, 4, 4, 4, 0, 64, "x")\n'})
    wanted = world.commit("The row", **{table.TABLE: f'  ROW("{DEVICE}", GP_REDUCE, 4, 4, 4, 0, 64, "x")\n'})
    head = world.commit("A comment", **{"gpuprims.h": "code: reduce a\n// more\n"})
    results = world.night("one", regressed({REDUCE: (SLOW, 1.2)}, commits=(base, head),
                                           policies=(nights.made_up.RULE, made_policy(threads=1024))), pull=False)
    text = text_of(results, "regress", "issues", os.listdir(os.path.join(results, "regress", "issues"))[0])
    suspect, = [line for line in text.splitlines() if line.startswith("- ")]
    assert wanted[:12] in suspect and "rows of the table" in suspect


def test_another_host_is_no_drift():
    cells = [f"copy u32 n=1048576 protocol={protocol}" for protocol in ("cold", "first_call")]
    lines = {cell: {"us": 100.0} for cell in cells}
    assert [found[0] for found in baseline.beyond(dict.fromkeys(cells, 120.0), lines)] == cells[:1]


@pytest.mark.turn
def test_suspects_of_a_first_call(world):
    """Suspects are the commits that made the header longer; the machine code is equal. It has an issue of its own."""
    base = nights.git(world.repository, "rev-parse", "HEAD")
    world.commit("A comment", **{"gpuprims.h": "code: copy a\n// x\n"})
    long = world.commit("A family", **{"gpuprims.h": "code: copy a\n" + "// more\n" * 100})
    cell = "copy u32 n=1048576 protocol=first_call"
    results = world.night("one", regressed({cell: (SLOW, 1.2), COPY: (SLOW, 1.1)}, commits=(base, long)), pull=False)
    text = text_of(results, "regress", "issues", "example-one-copy-u32-first-call.md")
    suspects = [line for line in text.splitlines() if line.startswith("- ")]
    assert suspects[0].startswith(f"- {long[:12]} A family") and "bytes" in suspects[0] and len(suspects) == 2
    assert cell in text and COPY not in text
    assert COPY in text_of(results, "regress", "issues", "example-one-copy-u32.md")


@pytest.mark.parametrize("commits, said", [(None, "No commit between base and head touched the library"),
                                           (("1" * 40, "0" * 40), "not a commit of this repository")])
def test_no_suspects(world, commits, said):
    head = nights.git(world.repository, "rev-parse", "HEAD")
    results = world.night("one", regressed({COPY: (SLOW, 1.1)}, commits=commits or (head, head)), pull=False)
    text = text_of(results, "regress", "issues", "example-one-copy-u32.md")
    assert said in text and "## To reproduce" in text


def test_what_fails_here_only(world):
    results = world.night("one", regressed({COPY: ("NO DATA", 1.0)}), pull=False)
    assert world.status == steps.FOUND_SLOW
    assert "fails: wrong made up" in text_of(results, "regress", "issues", "example-one-copy-u32.md")


def test_issues_are_opened_once(world, tmp_path, monkeypatch, capsys):
    results = world.night("one", regressed({COPY: (SLOW, 1.1), REDUCE: (SLOW, 1.1)}), pull=False)
    assert issues.main(["--regress", os.path.join(results, "regress")]) == 0
    assert "to be opened by hand" in capsys.readouterr().out
    opened = [{"number": 3, "title": f"Slower on {DEVICE}: copy u32", "body": ""}]
    hub = nights.Hub(tmp_path / "hub", monkeypatch, opened)
    assert issues.main(["--regress", os.path.join(results, "regress")]) == 0
    assert hub.asked("issue", "comment")[0][2] == "3" and len(hub.asked("issue", "create")) == 1
    assert not hub.asked("issue", "close")


@pytest.mark.turn
def test_issues_are_closed(world, tmp_path, monkeypatch):
    """A reverted slowdown: its issue is closed by a night that measures all its cells against its base."""
    base = nights.git(world.repository, "rev-parse", "HEAD")
    slow, mended = (world.commit(title, **{"gpuprims.h": f"code: {title}\n"}) for title in ("slow", "mended"))
    larger = REDUCE.replace("262144", "1048576")

    def night(name, commits, first, second=None):
        cells = {REDUCE: (first, 1.08), **({larger: (second, 1.06)} if second else {})}
        return os.path.join(world.night(name, regressed(cells, commits=commits), pull=False), "regress")

    found = night("one", (base, slow), SLOW, SLOW)
    path, = os.listdir(os.path.join(found, "issues"))
    title, body = text_of(found, "issues", path).removeprefix("# ").split("\n", 1)
    opened = [{"number": number, "title": name, "body": body}
              for number, name in ((7, title), (8, "Slower on Other: x"))]
    for name, commits, first, second in (("two", (base, mended), SAME, FAST), ("three", (base, mended), SAME, None),
                                         ("four", (base, mended), SAME, UNSURE), ("five", (base, mended), SAME, SLOW),
                                         ("six", (slow, mended), SAME, SAME)):
        with monkeypatch.context() as patch:
            hub = nights.Hub(tmp_path / f"hub.{name}", patch, opened)
            assert issues.main(["--regress", night(name, commits, first, second)]) == 0
            closed = hub.asked("issue", "close")
        assert [line[2] for line in closed] == ["7"] * (name == "two"), name
        assert not closed or f"at {mended[:12]} finds all its 2 cells no slower than at {base[:12]}" in closed[0][4]


def test_machine_code_of_two_commits(world, tmp_path, capsys):
    folders = [tmp_path / name for name in ("base", "head")]
    for folder, text in zip(folders, ("code: copy a\ncode: reduce a\ncode: fill a\n",
                                      "// other\ncode: copy a\ncode: reduce b\ncode: sort a\n")):
        folder.mkdir()
        (folder / "gpuprims.h").write_text(text)
    kernels = ("copy", "reduce SUM", "fill", "sort", "merge")
    (tmp_path / "cells").write_text("".join(f"{kernel} u32 n=1M\n" for kernel in kernels))
    words = ["--base", str(folders[0]), "--head", str(folders[1]), "--architectures", "75,sm_90", "--cells",
             str(tmp_path / "cells"), "--compiler-command", nights.COMPILER, "--out", str(tmp_path / "out")]
    assert machine_code.main(words) == 1  # fill is gone
    kernels = steps.read_json(str(tmp_path / "out" / "machine_code.json"))["kernels"]
    outcomes = {(line["cell"].split()[0], line["capability"]): line["outcome"] for line in kernels}
    assert outcomes == {(name, capability): outcome for capability in (75, 90) for name, outcome in
                        (("copy", "same"), ("reduce", "changed"), ("fill", "gone"), ("sort", "new"),
                         ("merge", "neither compiles"))}
    assert "2 changed" in (tmp_path / "out" / "machine_code.md").read_text()
    assert machine_code.main([*words[:2], "--head", str(folders[0]), *words[4:8]]) == 0  # without any compiler
    assert "nothing had to be compiled" in capsys.readouterr().out


# ---- baselines -------------------------------------------------------------------------------------------------------


@pytest.mark.turn
def test_the_committed_baselines_are_what_their_tool_makes():
    assert baseline.main(["--check"]) == 0, "ci/baseline.py"


def lines_of(world):
    return baseline.lines_of(world.repository, DEVICE)


@pytest.mark.turn
def test_baselines_change_by_a_proposal_and_for_a_reason(world, capsys):
    commits = [("1" * 40, f"{k}" * 40) for k in range(2, 8)]
    world.night("one", regressed({COPY: (SAME, 1.0), REDUCE: (SAME, 1.0)}, commits=commits[0]))
    assert set(world.files_of(BRANCH)) == {"ci/baselines/example-one.jsonl",
                                           OLD_NAME.replace("tune", "regress.2222222")}
    git_merge(world)
    assert {line["reason"] for line in lines_of(world).values()} == {"first measured"}
    results = world.night("two", regressed({COPY: (SLOW, 1.1), REDUCE: (SAME, 1.02)}, commits=commits[1],
                                           date="2026-03-05T00:00:00Z"))
    assert proposal(results)["files"] == []  # a slowdown does not become the base by itself
    assert "1.100 times its baseline of 2026-03-04" in text_of(results, "regress", "regress.md")
    results = world.night("three", regressed({COPY: (FAST, 0.8), REDUCE: (SAME, 1.0)}, commits=commits[2],
                                             date="2026-03-06T00:00:00Z"))
    change, = proposal(results)["baselines"]
    assert change["cell"] == COPY and change["reason"] == "1.250 times as fast as the base" and change["after"] == 8
    assert "1.250 times as fast" in capsys.readouterr().out
    git_merge(world)
    assert lines_of(world)[COPY]["us"] == 8 and lines_of(world)[REDUCE]["reason"] == "first measured"
    assert baseline.main(["--check", "--folder", world.repository]) == 0
    path = os.path.join(world.repository, "ci", "baselines", "example-one.jsonl")
    with open(path, "ab") as file:
        file.write(b"{}\n")
    assert baseline.main(["--check", "--folder", world.repository]) == 1
    assert baseline.main(["--folder", world.repository]) == 0 and "example-one" in capsys.readouterr().out
    assert baseline.main(["--check", "--folder", world.repository]) == 0


@pytest.mark.turn
def test_a_slowdown_that_is_meant_to_stay(world, capsys):
    """The night that found it is only on branch `nights`: it is committed with the acceptance, which holds for later
    nights against the same base, while they are no slower."""
    world.night("one", regressed({COPY: (SAME, 1.0)}))
    git_merge(world)
    world.night("two", regressed({COPY: (SLOW, 1.1)}, date="2026-03-05T00:00:00Z", commits=("1" * 40, "2" * 40)),
                pull=False)
    where = ["--folder", world.repository, "--device", DEVICE]
    accept = ["--accept", COPY, "--reason", "the result is exact now"]
    for words, said in ((["--accept", REDUCE, "--reason", "x"], "no committed regression"),
                        (accept, "no night that was kept"), (["--accept", COPY], "needs")):
        with pytest.raises(steps.CannotRun, match=said):
            baseline.main([*where, *words])
    assert world.keep("two") == 0
    assert baseline.main([*where, *accept]) == 0  # the nights are in origin, the default
    assert "ci/measurements/example-one/2026-03-05.regress.2222222.jsonl.gz\n" in capsys.readouterr().out
    assert lines_of(world)[COPY]["us"] == 11 and lines_of(world)[COPY]["reason"] == "accepted: the result is exact now"
    world.commit("Accepted")
    assert baseline.main(["--check", "--folder", world.repository]) == 0
    for number, (ratio, status) in enumerate(((1.1, 0), (1.2, 1))):  # of the next commit, against the base that stays
        results = world.night(f"later {number}", regressed(
            {COPY: (SLOW, ratio)}, date="2026-03-06T00:00:00Z", commits=("1" * 40, "3" * 40)), pull=False)
        found, = steps.read_json(os.path.join(results, "regress", "regress.json"))
        assert world.status == status and found["accepted"] == [COPY] * (not status)
        assert found["commit"] == "3" * 40 and found["cells"] == {COPY: {"base": "1" * 40, "moves": not status}}


# ---- the history, and contributions ----------------------------------------------------------------------------------


@pytest.mark.turn
def test_the_history_of_nights(world, capsys, tmp_path):
    head = nights.git(world.repository, "rev-parse", "HEAD")
    world.night("one", both(tuned(nights.better), regressed({COPY: (SAME, 1.0)}, commits=(head, head))))
    assert world.keep("one") == 0 and world.keep("one") == 0
    assert "has this night" in capsys.readouterr().out
    tip = world.branches()[keep.BRANCH]
    names = nights.git(world.remote, "ls-tree", "-r", "--name-only", tip).split()
    first = [f"2026-03-04.night.{head[:7]}.json", f"2026-03-04.regress.{head[:7]}.jsonl.gz",
             f"2026-03-04.tune.{head[:7]}.jsonl.gz"]
    assert names == [*(f"example-one/{name}" for name in first), "example-one/bases.tsv",
                     "pictures/2026-03-04/90/rows.png"]
    kept = gzip.decompress(subprocess.run(["git", "-C", world.remote, "cat-file", "blob", f"{tip}:{names[2]}"],
                                          check=True, stdout=subprocess.PIPE).stdout)
    assert b'"matrix"' in kept and b'"phase": "search"' not in kept
    world.night("two", tuned(quiet, date="2026-03-05T00:00:00Z"),
                tuned(quiet, date="2026-03-05T00:00:00Z", board="gpu-sm90-b"))  # two boards of one device
    assert world.keep("two") == 0
    where = ["--remote", world.remote, "--repository", world.repository]
    os.makedirs(os.path.join(world.repository, store.STORES), exist_ok=True)
    assert keep.main(["--fetch", str(tmp_path / "store"), *where]) == 0
    assert sorted(os.listdir(tmp_path / "store" / "example-one")) == [
        *first, "2026-03-05.night.0000000.2.json", "2026-03-05.night.0000000.json",
        "2026-03-05.tune.0000000.2.jsonl.gz", "2026-03-05.tune.0000000.jsonl.gz"]
    assert keep.bases_of(world.repository, world.remote, DEVICE) == {COPY: keep.Base(head, "2026-03-04")}
    assert keep.bases_of(world.repository, world.remote, "Example Two") == {}
    assert keep.bases_of(world.repository, str(tmp_path / "nowhere"), DEVICE) == {}


@pytest.mark.turn
def test_a_second_night_on_a_date_is_added(world):
    """The first one stays; a continued one replaces its earlier files."""
    def kept():
        tip = world.branches()[keep.BRANCH]
        names = nights.git(world.remote, "ls-tree", "-r", "--name-only", tip, "example-one/").split()
        return {name.split("/")[1]: steps.file_at(world.remote, tip, name) for name in names}
    for name, clock, ratio in (("one", "01", 1.0), ("two", "02", 1.01)):
        world.night(name, regressed({COPY: (SAME, ratio)}, date=f"2026-03-04T{clock}:00:00Z"), pull=False)
        assert world.keep(name) == 0
    first = kept()
    one, two = "2026-03-04.regress.0000000.jsonl.gz", "2026-03-04.regress.0000000.2.jsonl.gz"
    assert sorted(first) == ["2026-03-04.night.0000000.2.json", "2026-03-04.night.0000000.json", two, one, "bases.tsv"]
    assert first[one] != first[two]
    world.night("one goes on", regressed({COPY: (SAME, 1.0), REDUCE: (SAME, 1.0)}, date="2026-03-04T01:00:00Z"),
                pull=False)
    assert world.keep("one goes on") == 0
    then = kept()
    assert sorted(then) == sorted(first)
    assert {name for name in then if then[name] != first[name]} == {one, "bases.tsv"}


@pytest.mark.parametrize("outcome, accepted, moves", [
    (SAME, False, True), (FAST, False, True), (SLOW, False, False), (SLOW, True, True), (UNSURE, False, False),
    (NO_DATA, False, False)])
@pytest.mark.turn
def test_whose_base_moves(world, monkeypatch, outcome, accepted, moves):
    """Bases move by the verdicts; the next night compares with the new bases, and only that moves them."""
    commits = [world.commit(f"Change {number}") for number in range(4)]
    others = {f"copy u32 n={4096 + number} protocol=cold": (SAME, 1.0) for number in range(100)}  # 1 % may be NO DATA
    line = {"device": DEVICE, "cell": REDUCE, "commit": commits[1][:12], "base": commits[0][:12], "high": 1.2,
            "reason": "exact"}
    monkeypatch.setattr(baseline, "accepted_of", lambda root: [line] * accepted)

    def night(name, base, head, date, outcome):
        world.night(name, regressed({REDUCE: (outcome, 1.1), **others}, commits=(commits[base], commits[head]),
                                    date=f"{date}T00:00:00Z"), pull=False)
        assert world.keep(name) == 0
        return keep.bases_of(world.repository, world.remote, DEVICE)
    bases = night("one", 0, 1, "2026-03-04", outcome)
    base = 1 if moves else 0
    assert bases.pop(REDUCE) == keep.Base(commits[base], "2026-03-04")
    assert set(bases.values()) == {keep.Base(commits[1], "2026-03-04")} and set(bases) == set(others)
    bases = night("two", 1, 2, "2026-03-05", SAME)  # proves nothing for a cell with an older base
    assert bases[REDUCE].commit == commits[2 if moves else 0]
    assert bases[REDUCE].date == ("2026-03-05" if moves else "2026-03-04")
    if not moves:
        assert night("three", 0, 3, "2026-03-06", SAME)[REDUCE] == keep.Base(commits[3], "2026-03-06")


def test_two_boards_must_agree(world):
    head = world.commit("Change")
    base = nights.git(world.repository, "rev-parse", "HEAD~1")
    boards = [regressed({COPY: (outcome, 1.0)}, commits=(base, head), board=name)
              for outcome, name in ((SAME, "a"), (UNSURE, "b"))]
    world.night("one", *boards, pull=False)
    assert world.keep("one") == 0
    assert keep.bases_of(world.repository, world.remote, DEVICE)[COPY].commit == base


def test_many_cells_without_data_move_no_base(world):
    head = world.commit("Change")
    base = nights.git(world.repository, "rev-parse", "HEAD~1")
    world.night("one", regressed({COPY: (SAME, 1.0), REDUCE: (NO_DATA, 1.0)}, commits=(base, head)), pull=False)
    assert world.status == steps.FOUND_SLOW and world.keep("one") == 0
    bases = keep.bases_of(world.repository, world.remote, DEVICE)
    assert {one.commit for one in bases.values()} == {base} and len(bases) == 2


def a_night(folder, *words):
    """A synthetic ci/measure.py before its first step."""
    parser = argparse.ArgumentParser()
    measure.add_arguments(parser)
    parser.add_argument("--out")
    args = parser.parse_args(["--out", str(folder), "--made-up", *words])
    measure.check(parser, args)
    night = measure.Night(args)
    night.record.update(device=DEVICE, compute_capability=90)
    return night


@pytest.mark.parametrize("words, works, asked, newer", [
    ([], "main", ["main"], True), ([], "kept", ["main", "kept"], True), ([], measure.bench.CCCL[1],
                                                                       ["main", "kept", measure.bench.CCCL[1]], True),
    ([], None, ["main", "kept", measure.bench.CCCL[1], None], False), (["--cccl", "none"], None, [None], False)])
def test_the_newest_cccl_or_an_older_one(tmp_path, monkeypatch, words, works, asked, newer):
    """The night fetches CCCL's main, and measures beside it if it compiles."""
    tried = []

    def run(command, *_):
        cccl = command[command.index("--cccl") + 1] if "--cccl" in command else None
        tried.append(cccl)
        return 0 if cccl in (works, None) else 1
    monkeypatch.setattr(measure.steps, "run", run)
    monkeypatch.setattr(measure.bench, "git_of", lambda folder: "1" * 40)
    night = a_night(tmp_path / "night", *words)
    measure.build_peers(night)
    assert tried == asked and night.newer_peers == newer


@pytest.mark.turn
def test_cells_rotate_by_age(tmp_path):
    """Each night measures what fits, and changed primitives always; every cell has its turn, none twice before that."""
    cells = {text: cell for cell, text in nights.regress.regress.cells_of(None).items()}
    every = set(cells)
    bases, count, seen = {}, 0, set()
    while seen < every:
        night = a_night(tmp_path / str(count), "--seconds", "400", "--steps", "tune,regress")
        night.record.update(date=f"2026-03-{count + 1:02}T00:00:00Z", changed=["merge"])
        found = measure.choose(night, "1" * 40, bases)
        texts = found.pop("1" * 40)
        assert not found and len(set(texts)) == len(texts) < len(every) / 2
        assert {text for text in every if text.startswith("merge ")} <= set(texts)
        for first in (True, False):  # each kind has a share of the time
            kind = {text for text in every if (cells[text].protocol == "first_call") == first}
            mine = kind & set(texts)
            assert not seen & {text for text in mine if not text.startswith("merge ")} or kind <= seen | mine
        seconds = {first: sum(nights.regress.regress.seconds_of(cells[text]) for text in texts
                              if (cells[text].protocol == "first_call") == first) for first in (True, False)}
        first = nights.regress.regress.FIRST_CALL_SECONDS  # one of them, at least
        assert first <= seconds[True] <= max(first, 0.3 * 127.5)  # 127.5: 0.85 * 3/8 of 400 s
        assert sum(seconds.values()) < 127.5
        seen |= set(texts)
        bases.update({text: keep.Base("1" * 40, night.record["date"][:10]) for text in texts})
        count += 1
        assert count < 30
    assert count > 2


def test_the_list_is_as_documented():
    """The numbers of ci/README.md; a one-hour night has time for two thirds of the cells, so no cell waits long."""
    text = " ".join(text_of(nights.ROOT, "ci", "README.md").split())
    regress_ = nights.regress.regress
    cells = regress_.cells_of(None)
    kinds = [sum(cell.primitive in standard.CELLS and cell.protocol != "first_call" for cell in cells),
             len(standard.GRAPH_CELLS), len(standard.FIRST_CALLS)]
    types = sum(len(types) for _, types, _ in standard.CELLS.values())
    seconds = sum(map(regress_.seconds_of, cells))
    hour = measure.PAIRS_SHARE * measure.SHARE["regress"] * 3600
    assert sum(kinds) == len(cells) and f"The standard list has {len(cells)} cells" in text
    assert f"| {kinds[0]} | {len(standard.CELLS)} primitives in {types} types, at the ten sizes" in text
    assert all(f"| {count} | " in text for count in kinds) and f"These need {round(seconds, -1):.0f} s" in text
    assert f"{hour:.0f} s in an hour" in text and seconds < 1.5 * hour


def test_a_night_compares_with_few_bases(tmp_path):
    """The most common base, and those whose cells wait longest; a cell only with its own base."""
    texts = [f"copy u32 n={4096 + number} protocol=cold" for number in range(20)]
    (tmp_path / "cells").write_text("\n".join(texts))
    bases = {text: keep.Base("9" * 40, "2026-03-09") for text in texts[6:]}  # texts[5] is unknown
    for number in range(5):
        bases[texts[number]] = keep.Base(str(number) * 40, f"2026-03-0{(number * 2) % 5 + 1}")
    night = a_night(tmp_path / "out", "--cells", str(tmp_path / "cells"), "--base", "good")
    assert measure.choose(night, "9" * 40, bases) == {"9" * 40: texts[5:], "0" * 40: texts[:1], "3" * 40: texts[3:4]}


@pytest.mark.parametrize("base", ["", "folder"])
def test_a_night_against_a_folder_continues_at_another_commit(tmp_path, monkeypatch, base):
    """After `git pull`, the same command compares the same cells with the folder, under the commit it has now; the
    checkout itself is the base of made-up nights."""
    (tmp_path / "cells").write_text("copy u32 n=4096 protocol=cold\n")
    folder = measure.steps.ROOT
    if base:
        folder = str(tmp_path / base)
        os.makedirs(folder)
    words = ["--steps", "regress", "--cells", str(tmp_path / "cells"), *(["--base", folder] if base else [])]
    for commit in ("1" * 12, "2" * 12 + "+"):
        if base:
            (tmp_path / base / "COMMIT").write_text(commit * 2)
        monkeypatch.setattr(nights.regress.regress, "commit_of", lambda _, commit=commit: commit)
        night, name = a_night(tmp_path / "night", *words), commit * 2 if base else f"base:{commit[:12]}"
        assert measure.name_commits(night) == [measure.Comparison(folder, name, "cells.0")]
        record = measure.steps.read_json(night.path(measure.steps.RECORD))
        assert record["bases"] == [name] and record["base_commit"] == name
    assert text_of(night.folder, "cells.0").split() == ["copy", "u32", "n=4096", "protocol=cold"]


def test_a_base_of_one_cell_has_time(tmp_path, monkeypatch):
    """A base costs the start of its processes too. The rest goes to the others."""
    texts = list(nights.regress.regress.cells_of(None).values())[:401]
    comparisons, given = [], []
    for number, mine in enumerate((texts[:400], texts[400:])):
        (tmp_path / f"cells.{number}").write_text("\n".join(mine))
        comparisons.append(measure.Comparison("base", str(number) * 40, f"cells.{number}"))
    monkeypatch.setattr(measure, "compare", lambda night, one, seconds: (given.append(seconds), ("ok", ""))[1])
    measure.do_regress(a_night(tmp_path), 600, comparisons)
    assert 60 <= given[1] <= 600 and 400 <= given[0] <= 550  # the second has all that the first left
    given.clear()
    measure.do_regress(a_night(tmp_path / "again"), 600, [one._replace(cells=str(tmp_path / one.cells)) for one in
                                                          reversed(comparisons)])
    assert 50 <= given[0] <= 120


def test_the_weekly_base(world):
    commits = [world.commit(f"Change {number}") for number in range(3)]
    assert measure.release_of(world.repository, {}) == "HEAD~1"
    bases = {"a": keep.Base(commits[1], ""), "b": keep.Base(commits[0], ""), "c": keep.Base(commits[2], "")}
    assert measure.release_of(world.repository, bases) == commits[0]
    nights.git(world.repository, "tag", "v1", commits[1])
    assert measure.release_of(world.repository, bases) == "v1"


@pytest.mark.parametrize("missing, status", [(0, "ok"), (1, "ok"), (2, "failed"), (100, "failed")])
def test_the_step_fails_where_cells_have_no_data(tmp_path, monkeypatch, missing, status):
    """One in a hundred may be without data."""
    cells = {f"copy u32 n={4096 + number} protocol=cold": (NO_DATA if number < missing else SAME, 1.0)
             for number in range(100)}
    regressed(cells)(str(tmp_path))
    (tmp_path / "cells.0").write_text("\n".join(cells) + "\n")
    night = a_night(tmp_path)
    monkeypatch.setattr(measure, "compare", lambda *_: ("ok", ""))
    found, message = measure.do_regress(night, 10, [measure.Comparison("base", "1" * 40, "cells.0")])
    assert found == status and (f"{missing} of 100 cells are NO DATA" in message) == (status == "failed")


def test_no_gpu_and_no_benchmark(tmp_path):
    """It says so, and leaves nothing."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "bench.py").write_bytes(baseline.read_bytes(os.path.join(nights.ROOT, "tools", "bench.py")))
    done = subprocess.run([sys.executable, str(tmp_path / "tools" / "bench.py")], check=False, text=True,
                          stderr=subprocess.PIPE, env={**os.environ, "CUDA_VISIBLE_DEVICES": "",
                                                       "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == steps.NO_GPU and "no GPU here" in done.stderr and "--host" in done.stderr
    assert os.listdir(tmp_path) == ["tools"] and os.listdir(tmp_path / "tools") == ["bench.py"]


def contribution(world, *words):
    return contribute.main(["--repository", world.repository, "--out", os.path.join(world.folder, "pr"), *words])


@pytest.mark.turn
@pytest.mark.parametrize("commit, kept", [
    ("made-up", OLD_NAME), ("0123456789ab+", OLD_NAME.replace("tune", "tune.0123456"))])
def test_a_contribution(world, capsys, commit, kept):
    """make pr, with a store that make tune of an older version left: small store, table, branch, text."""
    with pytest.raises(steps.CannotRun, match="make tune"):
        contribution(world)
    folder = os.path.join(world.repository, store.STORES, "example-one")
    nights.tuned(nights.better)(os.path.join(world.folder, "mine"))
    os.makedirs(folder)
    path = os.path.join(folder, "2026-03-04.tune.jsonl")
    os.rename(os.path.join(world.folder, "mine", steps.TUNE), path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('"commit": "made-up"', f'"commit": "{commit}"'))
    with pytest.raises(steps.CannotRun, match="the tune is not complete"):
        contribution(world)
    assert os.listdir(folder) == [os.path.basename(kept)]
    decide.decide.decide(os.path.join(world.repository, kept), os.path.join(world.repository, store.STORES))
    capsys.readouterr()
    assert contribution(world, "--remote", world.remote) == 0
    said = capsys.readouterr().out
    assert "branch: policies-example-one" in said and "3 processes confirm" in said and "SM clock 1980" in said
    assert world.files_of("policies-example-one") == [kept, table.TABLE]
    stores = store.read_all(store.paths_under(os.path.join(world.repository, store.STORES)))
    assert table.is_current(os.path.join(world.repository, table.TABLE), stores)
    assert nights.git(world.repository, "rev-parse", "--abbrev-ref", "HEAD") == "main"


def test_a_contribution_that_changes_nothing(world, capsys):
    folder = os.path.join(world.repository, store.STORES, "example-one")
    nights.tuned(quiet)(folder)
    os.remove(os.path.join(folder, steps.RECORD))
    path = os.path.join(folder, "2026-03-04.tune.jsonl")
    os.rename(os.path.join(folder, steps.TUNE), path)
    decide.decide.decide(path, os.path.join(world.repository, store.STORES))
    assert contribution(world) == 1 and "nothing to propose" in capsys.readouterr().out and not world.branches()


# ---- the workflows, as far as they can be checked without GitHub (actionlint: ci/lint_workflows.sh) ------------------


def jobs_of(name):
    """{job: its text} of a workflow, and the text before them."""
    text = text_of(nights.ROOT, ".github", "workflows", name)
    head, body = text.split("\njobs:\n")
    parts = re.split(r"^  ([a-z-]+):\n", body, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2])), head


def commands_of(text):
    return re.findall(r"(?:- | {8})run: (?:>-\n)?((?:.|\n {10})*)", text)


def script_of(words):
    """The files that a command runs, as paths below the root; mkdir and make are files too."""
    if words[0] == "make":
        assert f"\n{words[1]}:" in text_of(nights.ROOT, "Makefile")
        return "Makefile"
    if words[:2] == ["python3", "-m"]:
        return os.path.join(*words[2].split("."), f"{words[3]}.py")
    return next(word for word in words if "/" in word and word[0] != '"' or word == "mkdir")


@pytest.mark.parametrize("name", ["ci.yml", "nightly.yml"])
@pytest.mark.turn
def test_every_step_is_a_script_that_takes_these_options(name):
    jobs, _ = jobs_of(name)
    found = 0
    for text in jobs.values():
        assert re.search(r"^    timeout-minutes: \d+$", text, flags=re.M), text
        for command in commands_of(text):
            words = command.split()
            script = script_of(words)
            if script == "mkdir":
                continue
            path = os.path.join(nights.ROOT, script)
            runs = os.access(path, os.X_OK) or words[0] in ("sudo", "python3", "make")
            assert os.path.exists(path) and runs, command
            if script.endswith(".py") and words[0] != "python3":
                known = subprocess.run([sys.executable, path, "--help"], check=True, stdout=subprocess.PIPE,
                                       text=True).stdout
                assert all(re.search(rf"{word}\b", known) for word in words if word.startswith("--")), command
            found += 1
    assert found >= 5


@pytest.mark.parametrize("in_actions, left, stops", [(True, True, True), (True, False, False), (False, True, False)])
def test_no_build_folder_of_another_job(tmp_path, in_actions, left, stops):
    """In a workflow no night begins if an earlier job left build/."""
    script = tmp_path / "ci" / "runner" / "check.sh"
    store.replace(str(script), baseline.read_bytes(os.path.join(nights.ROOT, "ci", "runner", "check.sh")))
    if left:
        (tmp_path / "build").mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    done = subprocess.run(["bash", str(script)], check=False, stdout=subprocess.PIPE, text=True,
                          env={**environment, **({"GITHUB_ACTIONS": "true"} if in_actions else {})})
    assert ("missing  a fresh working tree" in done.stdout) == stops and done.returncode >= stops


def test_the_rules_for_boards_are_written_down():
    """Settings outside of this repository: the runner's page lists them."""
    text = text_of(nights.ROOT, "ci", "runner", "README.md")
    assert "approval is required for all outside contributors" in text and "--ephemeral" in text
    jobs, _ = jobs_of("nightly.yml")
    assert "group: boards" in jobs["measure"] and "github.ref == 'refs/heads/main'" in jobs["measure"]


def test_the_documented_night_runs_on_every_change():
    """The commands of docs/policies.md and ci/README.md, where nothing was set up before."""
    jobs, _ = jobs_of("ci.yml")
    commands = commands_of(jobs["night"])
    assert [command.split()[:2] for command in commands] == [["make", "nightly"]] * 2
    assert commands[0].strip() == "make nightly ARGS=--made-up" and "--replay" in commands[1]
    assert "make nightly ARGS=--made-up " in text_of(nights.ROOT, "docs", "policies.md")


def test_who_may_write_and_who_runs_on_a_board():
    """No pull request reaches a board; steps that measure or decide cannot write; a board that fails, or times out
    (GitHub calls that cancelled), stops nothing."""
    jobs, head = jobs_of("nightly.yml")
    assert "pull_request" not in head and "permissions:\n  contents: read\n" in head
    writers = {name for name, text in jobs.items() if ": write" in text}
    assert writers == {"propose", "deploy", "status"}
    assert not any("self-hosted" in jobs[name] for name in writers)
    assert "fail-fast: false" in jobs["measure"] and "group: board-${{ matrix.board }}" in jobs["measure"]
    assert "group: boards\n" in jobs["measure"] and "clean:" not in jobs["measure"]
    for name, text in jobs.items():
        condition = re.search(r"^    if: (.*)$", text, flags=re.M).group(1)
        assert name in ("measure", "long", "nvrtc") or condition.startswith("always()") and "cancelled" not in condition
        assert name not in ("measure", "propose", "deploy") or condition.endswith("&& github.ref == 'refs/heads/main'")
    others, head = jobs_of("ci.yml")
    assert "self-hosted" not in "".join(others.values()) and ": write" not in head + "".join(others.values())
    assert "workflow_dispatch" in head and "--check ci.yml" in jobs["propose"] and "actions: write" in jobs["propose"]


def test_what_a_token_is_given_to():
    """Actions are pinned to commits, with their versions beside them; no checkout leaves a token behind; a job that
    writes installs nothing, and only its steps that need the token have it."""
    jobs = {**jobs_of("ci.yml")[0], **jobs_of("nightly.yml")[0]}
    for name, text in jobs.items():
        found = re.split(r"^      - ", text, flags=re.M)
        head, parts = found[0], found[1:]
        assert parts and "GH_TOKEN" not in head and "github.token" not in head and "secrets." not in text, name
        for part in parts:
            if part.startswith("uses: "):
                assert re.match(r"uses: actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+\n", part), part
            if "actions/checkout@" in part:
                assert "persist-credentials: false" in part, name
            script = script_of(commands_of(f"- {part}")[0].split()) if "run: " in part else ""
            needs = script in ("ci/keep.py", "ci/pull_request.py", "ci/issues.py", "ci/status.py")
            assert ("GH_TOKEN: ${{ github.token }}" in part) == needs, (name, part)
            assert not needs or ": write" in head, name
            if ": write" in head and script.endswith(".py"):  # -S: without packages
                subprocess.run([sys.executable, "-S", os.path.join(nights.ROOT, script), "--help"], check=True,
                               stdout=subprocess.DEVNULL)
            elif ": write" in head:
                assert script in ("", "mkdir"), part


@pytest.mark.turn
def test_what_writes_needs_no_package(world):
    """A night's history, pull request and issues with a Python without packages (-S)."""
    results = world.night("one", both(tuned(nights.better), regressed({COPY: (SLOW, 1.1)})), pull=False)
    where = ["--remote", world.remote, "--repository", world.repository]
    for words in (["keep", "--artifacts", os.path.join(world.folder, "one"), "--results", results, *where],
                  ["pull_request", "--proposals", os.path.join(results, "decide"), *where],
                  ["issues", "--regress", os.path.join(results, "regress")]):
        done = subprocess.run([sys.executable, "-S", os.path.join(nights.ROOT, "ci", f"{words[0]}.py"), *words[1:]],
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
    assert set(world.branches()) == {keep.BRANCH, BRANCH}


@pytest.mark.turn
def test_the_pages_of_a_night(world, tmp_path):
    """ci/dashboard.py on committed and kept nights, and a board that died tonight; all of it is shown."""
    world.night("one", both(tuned(nights.better), regressed({COPY: (SLOW, 1.1)})), pull=False)
    assert world.keep("one") == 0
    nights.record(os.path.join(world.folder, "two", "board-0"), date="2026-03-05T00:00:00Z", done=(), running=("tune",))
    where = ["--remote", world.remote, "--repository", world.repository, "--artifacts",
             os.path.join(world.folder, "two")]
    store.replace(os.path.join(world.repository, baseline.FOLDER, baseline.ACCEPTED), json.dumps(
        {"device": DEVICE, "cell": COPY, "commit": "0" * 12, "base": "1" * 12, "high": 1.11,
         "reason": "exact now"}).encode())
    out = str(tmp_path / "site")
    assert dashboard.main(["--out", out, "--store", str(tmp_path / "store"), *where]) == 0
    assert "step tune: began and did not end: the runner died" in text_of(out, "data.html")
    assert "exact now" in text_of(out, "regressions.html")


# ---- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("script, words, said", [
    ("decide", ["--artifacts", "nowhere"], "nowhere: no such folder"),
    ("regress", ["--artifacts", "nowhere"], "nowhere: no such folder"),
    ("issues", ["--regress", "nowhere"], "left nothing there"),
    ("pull_request", ["--proposals", "nowhere"], "left nothing there"),
    ("keep", ["--artifacts", "nowhere"], "nowhere: no such folder"),
    ("base", ["no-such-commit", "--out", "build/tests/none"], "no-such-commit"),
    ("base", ["--out", "tests"], "tests: exists, and is not a base"),
    ("measure", ["--out", "build/tests/none", "--steps", "dream"], "unknown step 'dream'"),
    ("measure", ["--out", "build/tests/none", "--cells", "nowhere"], "nowhere: no such file"),
    ("measure", ["--out", "build/tests/none", "--made-up", "README.md"], "not a model of a device"),
    ("measure", ["--out", "build/tests/none", "--replay", "nowhere"], "nowhere is not a folder"),
    ("machine_code", ["--base", "HEAD", "--architectures", "x"], "numbers such as 75,90"),
    ("machine_code", ["--base", "no-such-commit"], "no-such-commit"),
    ("baseline", ["--accept", "dream", "--device", "x", "--reason", "y"], "dream")])
def test_bad_usage(script, words, said, monkeypatch, capsys):
    """Errors are a sentence and exit status 2; runs the scripts' main functions."""
    import importlib
    module = importlib.import_module(f"ci.{script}")
    monkeypatch.chdir(nights.ROOT)
    monkeypatch.setattr("sys.argv", [script, *words])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    try:
        status = steps.main_of(script, module.main)
    except SystemExit as error:
        status = error.code
    err = capsys.readouterr().err
    assert status == 2 and said in err and "Traceback" not in err


def tree_of(folder):
    """{path below it: bytes} of all plain files of a folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in names):
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


# (script, arguments, place of the strange file): every step, and each foreign folder that it reads.
READS = [
    ("decide", "--artifacts {night} --out {out}", "{night}/board-0/tune.jsonl"),
    ("decide", "--artifacts {night} --out {out}", "{night}/board-0/night.json"),
    ("decide", "--artifacts {night} --out {out}", "{night}/board-0"),
    ("regress", "--artifacts {night} --out {out}", "{night}/board-0/regress.jsonl"),
    ("regress", "--artifacts {night} --out {out}", "{repository}/ci/baselines/accepted.jsonl"),
    ("issues", "--regress {results}/regress", "{results}/regress/issues/example-one-copy-u32.md"),
    ("issues", "--regress {results}/regress", "{results}/regress/regress.json"),
    ("keep", "--artifacts {night} --results {results}", "{night}/board-0/bench.jsonl"),
    ("keep", "--artifacts {night} --results {results}", "{night}/board-0/deeper/x"),
    ("keep", "--artifacts {night} --results {results}", "{results}/decide/90/rows.png"),
    ("keep", "--artifacts {night} --results {results}", "{results}/regress/regress.json"),
    ("keep", "--fetch {out}", "{repository}/ci/measurements/example-one/2026-01-05.md"),
    ("keep", "--fetch {out}", "{repository}/ci/measurements"),
    ("dashboard", "--out {out} --store {out}.store", "{repository}/ci/measurements/example-one/2026-01-05.md"),
    ("dashboard", "--out {out} --store {out}.store --artifacts {night}", "{night}/board-0/bench.jsonl"),
    ("pull_request", "--proposals {results}/decide", "{results}/decide/90/tree/gpuprims_policies.h"),
    ("pull_request", "--proposals {results}/decide", "{results}/decide/proposals.json"),
    ("baseline", "--check --folder {repository}", "{repository}/ci/measurements/example-one/1.regress.jsonl"),
    ("baseline", "--check --folder {repository}", "{repository}/ci/baselines/accepted/one.jsonl"),
    ("baseline", "--check --folder {repository}", "{repository}/ci/baselines/example-one.jsonl"),
    ("status", "--statuses {results}/status.json --github them/it", "{results}/status.json"),
    ("measure", "--replay {night}/board-0 --out {out}", "{night}/board-0/tune.jsonl")]


@pytest.fixture(scope="module")
def one_night(tmp_path_factory):
    """The outputs of a night with all steps."""
    folder = tmp_path_factory.mktemp("strange")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nights.regress.regress, "FOLDER", str(folder / "regress"))
        world = nights.World(folder)
        results = world.night("one", both(tuned(nights.better), regressed({COPY: (SLOW, 1.1)})), pull=False)
    (folder / "secrets").mkdir()
    (folder / "secrets" / "token").write_text('{"secret": "a token of this machine"}\n')
    return world, {"night": os.path.join(world.folder, "one"), "results": results, "repository": world.repository}


@pytest.mark.parametrize("script, words, where", READS, ids=lambda text: re.sub("[^a-z]+", "-", text[-40:]))
@pytest.mark.turn
def test_a_step_reads_plain_files_only(one_night, tmp_path, monkeypatch, capsys, script, words, where):
    """A link, a pipe or a device in a foreign folder: the step names it and stops; nothing is copied."""
    import importlib
    world, places = one_night
    module, path = importlib.import_module(f"ci.{script}"), where.format(**places)
    secret, out = os.path.join(world.folder, "secrets", "token"), str(tmp_path / "out")
    monkeypatch.setattr("signal.signal", lambda *_: None)
    repository = [] if script in ("baseline", "issues", "status", "measure") else ["--repository", world.repository]
    aside = f"{world.folder}/aside"
    for kind, make in nights.made_up.STRANGE.items():
        monkeypatch.setattr("sys.argv", [script, *words.format(out=out, **places).split(), *repository])
        made = [path]
        while not os.path.exists(os.path.dirname(made[-1])):
            made.append(os.path.dirname(made[-1]))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.lexists(path):
            os.rename(path, aside)
        make(path, secret)
        branches = world.branches()
        try:
            code = steps.main_of(script, module.main)
        except SystemExit as error:
            code = error.code
        finally:
            os.unlink(path)
            for folder in made[1:]:
                os.rmdir(folder)
            if os.path.lexists(aside):
                os.rename(aside, path)
        said = capsys.readouterr()
        assert code == steps.CANNOT_RUN and "Traceback" not in said.err, (kind, said)
        assert f"{path}: refused: it is a {kind.split()[1]}" in said.err, kind
        assert "a token of" not in said.out + said.err and world.branches() == branches
        assert not any(b"a token of" in data for data in tree_of(tmp_path).values())


def test_a_path_in_a_report_stays_in_its_folder(one_night, tmp_path, monkeypatch, capsys):
    """Files that decide.py and regress.py name for later steps: an issue's text is never a file of this machine."""
    world, places = one_night
    hub = nights.Hub(tmp_path / "hub", monkeypatch)
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def run(module, name, words, change, path):
        before = open(path, "rb").read()
        steps.write_json(path, change(steps.read_json(path)))
        monkeypatch.setattr("sys.argv", [name, *words.format(**places).split()])
        try:
            assert steps.main_of(name, module.main) == steps.CANNOT_RUN
        finally:
            store.replace(path, before)
        err = capsys.readouterr().err
        assert "Traceback" not in err and not hub.asked("issue", "create") and not hub.asked("pr", "create")
        return err

    for name in ("/proc/self/environ", "../../secrets/token", "issues/../../../secrets/token", "issues", "a\0b"):
        err = run(issues, "issues", "--regress {results}/regress",
                  lambda boards, name=name: [{**boards[0], "issues": [{"title": "x", "path": name}]}],
                  os.path.join(places["results"], "regress", "regress.json"))
        assert "refused: " in err, name
    found = os.path.join(places["results"], "decide", "90", "proposal.json")
    keep_words = "--artifacts {night} --results {results} --repository {repository}"
    pull_words = "--proposals {results}/decide --repository {repository}"
    for name in ("/proc/self/environ", "../../../secrets/token", "tree"):
        err = run(keep, "keep", keep_words, lambda one, name=name: {**one, "pictures": [name]}, found)
        assert "refused: " in err, name
    for field, value in (("date", "../../x"), ("date", "2026-03-04/x"), ("branch", None), ("base", "main"),
                         ("files", "x"), ("pictures", [1])):
        for module, name, words in ((keep, "keep", keep_words), (pull_request, "pull_request", pull_words)):
            assert "proposal.json was not written by ci/decide.py" in run(module, name, words,
                                                  lambda one, f=field, v=value: {**one, f: v}, found), field
    for value in ("../../secrets", "/proc", 1.5, None):
        err = run(pull_request, "pull_request", pull_words, lambda one, v=value: {**one, "capabilities": [v]},
                  os.path.join(places["results"], "decide", steps.PROPOSALS))
        assert "is not a compute capability" in err
    assert not world.branches()


def test_a_branch_with_a_link(world, tmp_path):
    """The history of nights, a proposal, and its base: git has links too."""
    blob = nights.git(world.repository, "hash-object", "-w", "--stdin", input="/proc/self/environ")

    def commit(name, parents=()):
        nights.git(world.repository, "read-tree", "HEAD")
        nights.git(world.repository, "update-index", "--add", "--cacheinfo", f"120000,{blob},{name}")
        made = nights.git(world.repository, "commit-tree", nights.git(world.repository, "write-tree"), "-m", "x",
                          *parents)
        nights.git(world.repository, "reset", "--quiet", "--hard")
        return made

    nights.git(world.repository, "push", "--quiet", "origin",
               f"{commit('example-one/2026-01-05.night.json')}:refs/heads/{keep.BRANCH}")
    where = ["--remote", world.remote, "--repository", world.repository]
    os.makedirs(os.path.join(world.repository, store.STORES))
    with pytest.raises(steps.CannotRun, match="2026-01-05.night.json: refused: it is not a plain file"):
        keep.main(["--fetch", str(tmp_path / "store"), *where])
    proposed = commit(STORE, ("-p", "HEAD"))
    nights.git(world.repository, "checkout", "--quiet", proposed)
    with pytest.raises(steps.CannotRun, match="tune.0000000.jsonl.gz: refused: it is not a plain file"):
        check_proposal.main(["--base", "HEAD~1", "--repository", world.repository])
    nights.git(world.repository, "checkout", "--quiet", "main")
    os.makedirs(tmp_path / "night" / "board")
    tuned(quiet)(str(tmp_path / "night" / "board-0"))
    with pytest.raises(OSError) as caught:
        decide.main(["--artifacts", str(tmp_path / "night"), "--out", str(tmp_path / "out"), "--base", proposed,
                     *where])
    assert "refused: it is a link" in caught.value.strerror


def test_statuses_are_posted_as_they_are_checked(tmp_path, monkeypatch, capsys):
    """ci/status.py passes the dashboard's statuses to gh; a bad status stops it, and nothing is posted."""
    good = {"sha": "a" * 40, "state": "failure", "context": "night/nvidia-h200", "description": "2 slower",
            "target_url": "https://pages.example/index.html#nvidia-h200"}
    path, asked = tmp_path / "status.json", []
    monkeypatch.setattr(status.github, "is_there", lambda: True)
    monkeypatch.setattr(status.github, "gh", lambda *words: asked.append(words))
    words = ["--statuses", str(path), "--github", "them/it"]
    path.write_text(json.dumps([good]))
    assert status.main(words) == 0 and "night/nvidia-h200: failure: 2 slower" in capsys.readouterr().out
    assert asked == [("api", f"repos/them/it/statuses/{'a' * 40}", "-f", "state=failure", "-f",
                      "context=night/nvidia-h200", "-f", "description=2 slower", "-f",
                      "target_url=https://pages.example/index.html#nvidia-h200")]
    asked.clear()
    for name, value in (("sha", "../../x"), ("state", "pending"), ("context", "ci"), ("description", "x" * 141),
                        ("target_url", "javascript:alert(1)"), ("sha", None)):
        path.write_text(json.dumps([good, {**good, name: value}]))
        with pytest.raises(steps.CannotRun, match="entry 1 is not a status"):
            status.main(words)
    path.write_text("{}")
    with pytest.raises(steps.CannotRun, match="not a list of statuses"):
        status.main(words)
    path.unlink()
    with pytest.raises(steps.CannotRun, match="no such file"):
        status.main(words)
    assert asked == []


def test_a_page_accepts_a_slowdown_by_a_file_of_its_own(tmp_path):
    """ci/baselines/accepted/*.jsonl counts like accepted.jsonl."""
    folder = tmp_path / baseline.FOLDER
    (folder / "accepted").mkdir(parents=True)
    lines = [{"device": "A", "cell": str(number), "commit": "c", "base": "b", "high": 1.1, "reason": "r"}
             for number in range(3)]
    for name, line in zip(("accepted.jsonl", "accepted/one.jsonl", "accepted/two.jsonl"), lines):
        (folder / name).write_text(json.dumps(line) + "\n")
    assert baseline.accepted_of(str(tmp_path)) == lines
    assert baseline.committed(str(tmp_path)) == set()
    (folder / "accepted" / "two.jsonl").write_text("no\n")
    with pytest.raises(steps.CannotRun, match="two.jsonl"):
        baseline.accepted_of(str(tmp_path))
