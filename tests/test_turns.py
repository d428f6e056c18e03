"""Turns (turn.py): at successive commits, everything that takes turns runs, and each part at one of them."""
import os
import shutil
import subprocess
import sys

import conftest
import pytest
import run
import turn

HERE = os.path.dirname(os.path.abspath(__file__))
COMMITS = range(100, 100 + turn.TURNS)


def places_at(monkeypatch, commit, count=turn.TURNS):
    monkeypatch.setenv("GPUPRIMS_TURN", str(commit))
    turn.number.cache_clear()
    return {place for place in range(50) if turn.has_turn(place, count)}


@pytest.fixture(autouse=True)
def forget():
    yield
    turn.number.cache_clear()


@pytest.mark.parametrize("count", [2, 4, turn.TURNS])
def test_each_place_has_one_turn(monkeypatch, count):
    found = [places_at(monkeypatch, commit, count) for commit in range(100, 100 + count)]
    assert sorted(place for places in found for place in places) == list(range(50))
    monkeypatch.delenv("GPUPRIMS_TURN")
    assert all(turn.has_turn(place, count) for place in range(50))


@pytest.mark.parametrize("stride", range(1, turn.TURNS))
def test_not_each_commit_is_tested(monkeypatch, stride):
    """Main gets several commits at a time."""
    assert set().union(*(places_at(monkeypatch, commit * stride) for commit in COMMITS)) == set(range(50))


def test_the_next_commit_has_the_next_turn(tmp_path, monkeypatch):
    """A merge is one commit; a clone without history, and a folder without git, have some turn or other."""
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a", *words], cwd=tmp_path / "one", check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def number(name="one"):
        monkeypatch.setattr(turn, "ROOT", str(tmp_path / name))
        turn.number.cache_clear()
        return turn.number()

    monkeypatch.delenv("GPUPRIMS_TURN", raising=False)
    (tmp_path / "one").mkdir()
    git("init", "-b", "main")
    git("commit", "--allow-empty", "-m", "1")
    assert number() == 1
    git("checkout", "-b", "other")
    git("commit", "--allow-empty", "-m", "2")
    git("commit", "--allow-empty", "-m", "3")
    assert number() == 3
    git("checkout", "main")
    git("merge", "--no-ff", "other")
    assert number() == 2
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{tmp_path}/one", str(tmp_path / "shallow")],
                   check=True)
    assert number("shallow") > 100 and number("shallow") == number("shallow")
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "gpuprims.h").write_text("x")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert number("none") > 100


def test_all_builds_run():
    """Each build of each row; the race builds at every commit, the others as often as it takes."""
    whole, seen, most = {}, {}, 0
    for program in run.PROGRAMS:
        whole[program.name] = {flavour for commit in range(3)
                               for flavour in run.flavours_of(program, every=True, commit=commit)}
        found = [run.flavours_of(program, commit=commit) for commit in COMMITS]
        seen[program.name] = {flavour for flavours in found for flavour in flavours}
        assert not program.sources or "race" not in program.flavours or all("race" in flavours for flavours in found)
        if program.name in run.KERNEL_ROWS + run.DEAR_ROWS:
            counts = [flavours.count(flavour) for flavour in ("plain", "asan") for flavours in found]
            most = max(most, *(sum(counts[i:i + turn.TURNS]) for i in (0, turn.TURNS)))
    assert seen == whole and most == 1


class Item:
    """Of a test, what conftest.py asks for."""
    def __init__(self, nodeid, *marker):
        self.nodeid, self.marker = nodeid, pytest.mark.turn(*marker[0]).mark if marker else None

    def iter_markers(self, _):
        return iter([pytest.mark.turn.mark, self.marker] if self.marker else [])


def test_all_tests_run(monkeypatch):
    items = [Item(f"tests/a/test_{file}.py::test_{i}", *[()] * (i % 3 > 0)) for file in "abc" for i in range(40)]
    items.append(Item("tests/a/test_a.py::test_named", (3,)))
    place, ran = conftest.places(items), {}
    items.append(Item("tests/a/test_a.py::test_case", (12, 4)))
    place = conftest.places(items)
    assert place[items[-2]] == (3, turn.TURNS) and place[items[-1]] == (12, 4)
    for commit in COMMITS:
        monkeypatch.setenv("GPUPRIMS_TURN", str(commit))
        turn.number.cache_clear()
        for item in items:
            if item not in place or turn.has_turn(*place[item]):
                ran.setdefault(item, []).append(commit)
    assert ran.pop(items.pop()) == [commit for commit in COMMITS if commit % 4 == 0]
    assert all(len(ran[item]) == (1 if item.marker else turn.TURNS) for item in items)
    assert ran[items[-1]] == [commit for commit in COMMITS if commit % turn.TURNS == 3]
    shares = [sum(commit in commits for item, commits in ran.items() if item.marker) for commit in COMMITS]
    assert max(shares) - min(shares) <= 4  # of three files and one that names its turn


def test_pytest_leaves_out_what_waits(tmp_path):
    for name in ("conftest.py", "turn.py"):
        shutil.copy(os.path.join(HERE, name), tmp_path)
    (tmp_path / "test_it.py").write_text("""import pytest
from turn import TURNS


@pytest.mark.turn
@pytest.mark.parametrize('i', range(2 * TURNS))
def test_dear(i):
    pass


def test_cheap():
    pass
""")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_it.py")]
    env = dict(os.environ, GPUPRIMS_TURN="5")
    done = subprocess.run(command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0 and f"waiting: {2 * turn.TURNS - 2}" in done.stdout.splitlines()
    del env["GPUPRIMS_TURN"]
    done = subprocess.run(command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=False)
    assert f"{2 * turn.TURNS + 1} passed" in done.stdout and "waiting" not in done.stdout


def test_all_cases_of_emulated_kernels_run(tmp_path):
    """simt/turn.h: each case of 60 groups of TURNS at one of TURNS commits. A commit's cases are of all remainders by
    5, and of more than half of the groups, as it were of all seeds and of many sizes."""
    count = 60 * turn.TURNS
    source, program = tmp_path / "cases.cpp", str(tmp_path / "cases")
    source.write_text(f"#define COUNT {count}\n" + """#include "turn.h"
#include <cstdio>
int main() {
  for (int i = 0; i < COUNT; ++i)
    if (has_turn()) std::printf("%d ", i);
  std::printf("%lu\\n", cases_waiting);
}
""")
    subprocess.run([os.environ.get("CXX", "g++"), f"-I{HERE}/simt", str(source), "-o", program], check=True)

    def cases(**env):
        clean = {name: value for name, value in os.environ.items() if name != "GPUPRIMS_TURN"}
        words = subprocess.run([program], env={**clean, **env}, stdout=subprocess.PIPE, check=True).stdout.split()
        *found, waiting = map(int, words)
        assert len(found) + waiting == count
        return found

    found = [cases(GPUPRIMS_TURN=str(commit)) for commit in COMMITS]
    assert sorted(case for some in found for case in some) == cases() == list(range(count))
    for some in found:
        assert {case % 5 for case in some} == set(range(5)) and len({case // turn.TURNS for case in some}) > 30


def test_kept_results_are_those_of_the_turn(monkeypatch):
    """The key of a row that takes turns has the commit's number; the others' keys do not. What runs whole has none."""
    def of(name, flavour="plain", turns=True):
        runner = run.Runner(False, {}, {}, turns)
        program = next(program for program in run.rows([]) if program.name == name)
        return runner.environment(program, flavour).get("GPUPRIMS_TURN")

    monkeypatch.setenv("GPUPRIMS_TURN", "12")
    turn.number.cache_clear()
    for name, flavour in (("sort kernels", "race"), ("policies", "plain"), ("test_dashboard", "plain"),
                          ("compile: gcc", "plain"), ("mutants", "plain"), ("operators", "plain")):
        assert of(name, flavour) == "12" and of(name, flavour, False) is None, name
    for name, flavour in (("sort kernels", "asan"), ("sort kernels", "plain"), ("map kernels", "race"),
                          ("workflows", "plain"), ("lint", "plain"), ("test_watch", "plain")):
        assert of(name, flavour) is None, name


def test_cases_of_builds_with_turns_run(monkeypatch):
    """The plain build of the graph search runs at one commit in TURNS, its cases at one in TURNS of these."""
    program = next(program for program in run.PROGRAMS if program.name == "breadth-first search")
    seen = []
    for commit in range(200, 200 + turn.TURNS ** 2):
        if "plain" in run.flavours_of(program, commit=commit):
            monkeypatch.setenv("GPUPRIMS_TURN", str(commit))
            turn.number.cache_clear()
            seen.append(int(run.Runner(False, {}, {}, True).environment(program, "plain")["GPUPRIMS_TURN"]))
    assert {commit % turn.TURNS for commit in seen} == set(range(turn.TURNS)) and len(seen) == turn.TURNS


def test_a_file_of_which_all_tests_wait(tmp_path):
    """pytest ends with 5 where it has no tests, which is a failure of a file in which nothing waits."""
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite tests="0" failures="0" errors="0" skipped="0"/></testsuites>')
    assert run.read_junit(5, "\nwaiting: 3\n3 deselected in 0.1s\n", str(report)) == (run.Counts(0, 0, 0), "")
    assert run.read_junit(5, "\nno tests ran in 0.1s\n", str(report))[0].failed == 1
    assert run.read_junit(2, "\nwaiting: 3\n", str(report))[0].failed == 1
