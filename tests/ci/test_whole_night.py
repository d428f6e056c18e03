"""A whole night on this machine, like `make nightly`: gp_tune on synthetic workers, then on replayed ones, into a bare
repository. No GPU and no NVRTC; gp_tune is compiled."""
import fcntl
import json
import os
import signal
import subprocess
import sys
import time

import nights
import pytest
from test_gp_tune import program  # noqa: F401 (a fixture: gp_tune of this tree)

from ci import steps
from tools.farm import noise, regress, store, table
from tools.farm.verdicts import SLOW

SLOWER = "reduce SUM u32 n=262144 protocol=cold"
CELLS = [SLOWER, "reduce SUM u32 n=4096 protocol=cold", "copy u32 n=4096 protocol=cold"]
NOISE = {**noise.QUIET, "between": 0.004, "within": 0.003}
TUNE = ["--primitives", "adjacent_difference", "--sizes", "4M", "--strategy", "quick", "--processes", "3"]
# A policy as fast as a reduction's default, but with other machine code.
OTHER = "algorithm=EVEN_SHARE,threads=512,vectors=4,load=STREAMING,store=ALL,stages=0,blocks_per_sm=4,overlap=0"


class Machine:
    def __init__(self, folder, gp_tune):
        self.folder, self.gp_tune, self.world = folder, gp_tune, nights.World(folder)
        self.environment = {**os.environ, "GPUPRIMS_NIGHTS": str(folder / "nights"), "TMPDIR": str(folder),
                            "XDG_RUNTIME_DIR": str(folder), "PATH": clean_path(), "OPENBLAS_NUM_THREADS": "1"}
        (folder / "cells").write_text("\n".join(CELLS))
        self.base = nights.ROOT  # both sides are synthetic: nothing else has to be compiled

    def model(self, name, **keys):
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"device": nights.DEVICE, "noise": NOISE, **keys}))
        return str(path)

    def command(self, out, *words):
        return [sys.executable, os.path.join("ci", "night.py"), "--out", str(self.folder / out), "--repository",
                self.world.repository, "--remote", self.world.remote, "--gp-tune", self.gp_tune,
                "--seconds", "300", "--stores", str(self.folder / "stores"), "--no-dashboard", *words]

    def small(self):
        """Options that shorten a night. A replayed one knows them."""
        return ["--base", self.base, "--cells", str(self.folder / "cells"), *TUNE]

    def run(self, command, status):
        done = subprocess.run(command, cwd=nights.ROOT, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=280)
        assert done.returncode == status, f"exit status {done.returncode}\n{done.stdout}"
        assert "Traceback" not in done.stdout, done.stdout
        return done.stdout


def clean_path():
    """Hides the machine's gh, which must not be asked."""
    return os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep)
                           if not os.path.exists(os.path.join(folder, "gh")))


@pytest.fixture
def machine(tmp_path, program):  # noqa: F811
    return Machine(tmp_path, program)


@pytest.mark.turn
def test_made_up_and_replayed(machine):
    """A better policy becomes a pull request, an injected slowdown an issue's text; the replayed night gives the
    same."""
    slow = machine.model("slow", defaults={"reduce": OTHER}, slower=[{"cells": SLOWER.split(" protocol")[0] + " ",
                                                                      "factor": 1.15}])
    said = machine.run(machine.command("one", *machine.small(), "--made-up", slow, "--made-up-base",
                                       machine.model("base")), 1)
    out = str(machine.folder / "one")
    summary = {one["name"]: one["status"] for one in steps.read_json(os.path.join(out, "summary.json"))}
    assert list(summary) == ["measure", "decide", "regress", "keep", "pull_request"]
    assert [summary[name] for name in ("measure", "decide", "regress", "keep", "pull_request")] == [0, 0, 1, 0, 0], said
    found = nights.proposal(out)
    rows = [row for row in found["rows"] if row["after"]]
    assert rows and all(row["low"] > 0 and row["scope"] == nights.DEVICE for row in rows)
    changed = machine.world.files_of("bot/policies-90")
    assert table.TABLE in changed and "ci/baselines/example-one.jsonl" in changed and len(changed) == 4
    text = nights.text_of(out, "regress", "issues", "example-one-reduce-sum-u32.md")
    assert SLOWER in text and "| 10 |" in text and "overlap=0" in text and "make regress BASE=" in text
    verdicts = {one["board"]: one for one in steps.read_json(os.path.join(out, "regress", "regress.json"))}
    slow, = verdicts["gpu-sm90"]["slow"]
    assert slow["cell"] == SLOWER and 1 < slow["low"] < slow["ratio"]
    assert "nights" in machine.world.branches()

    again = machine.run(machine.command("two", "--replay", os.path.join(out, "boards", "board")), 1)
    replayed = str(machine.folder / "two")
    assert [row["after"] for row in nights.proposal(replayed)["rows"]] == [row["after"] for row in found["rows"]], again
    other, = steps.read_json(os.path.join(replayed, "regress", "regress.json"))
    assert other["slow"] == [slow] and other["outcomes"] == verdicts["gpu-sm90"]["outcomes"]


@pytest.mark.turn
def test_all_bases_are_replayed(machine):
    """A night that compared its cells with two commits, with more controls than are measured again."""
    board = machine.folder / "board"
    groups = [CELLS[1:2], CELLS[:1] + [f"copy u8 n={65536 + n} protocol=cold" for n in range(70)]]
    os.makedirs(board)
    own = {"launch_us": 0, "bus": f"made-up-{os.getpid()}"}  # unlike other tests': gp_tune locks it
    slow = machine.model("slow", **own, slower=[{"cells": SLOWER.split(" protocol")[0] + " ", "factor": 1.2}])
    models = str(machine.folder / "model.{side}.json")
    os.rename(slow, models.format(side="new"))
    os.rename(machine.model("base", **own), models.format(side="base"))
    worker = f"{sys.executable} -m tools.farm.measure --synthetic {models}"
    names = [str(number) * 12 for number in range(len(groups))]
    for name, cells in zip(names, groups):
        (board / "cells").write_text("\n".join(cells))
        regress.main(["--base", machine.base, "--base-commit", name, "--cells", str(board / "cells"), "--store",
                      str(board / steps.REGRESS), "--commit", "9" * 12, "--worker-command", worker,
                      "--compiler-command", worker.replace("--synthetic", "--compiler --synthetic")])
    nights.record(str(board), done=["regress"], base_commit=names[0], bases=[name * 3 for name in names])
    out = machine.folder / "again"
    machine.run([sys.executable, os.path.join("ci", "measure.py"), "--out", str(out), "--steps", "regress",
                 "--gp-tune", machine.gp_tune, "--seconds", "300", "--replay", str(board)], 0)
    verdicts = [store.read(str(place / steps.REGRESS)) for place in (board, out)]
    found = [{store.cell_of(line).text: (commits[line["base"]], line["outcome"], line["ratio"], line["stage"])
              for line in one.of("verdict")} for one in verdicts
             for commits in [{env["id"]: env["commit"] for env in one.of("environment")}]]
    assert found[0] == found[1] and len(found[0]) == 72
    assert {base for base, *_ in found[1].values()} == set(names)
    assert {text for text, (_, outcome, *_) in found[1].items() if outcome == SLOW} == {SLOWER}
    said = machine.run([sys.executable, os.path.join("ci", "measure.py"), "--out", str(board), "--replay", str(board)],
                       2)
    assert "is where this night is written" in said


@pytest.mark.turn
def test_two_nights_at_once(machine):
    os.makedirs(machine.folder / "nights")
    with open(machine.folder / "nights" / "night.lock", "w", encoding="utf-8") as file:
        file.write("process 1, since yesterday\n")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        said = machine.run(machine.command("one", *machine.small(), "--made-up"), steps.BUSY)
    assert "another night is under way: process 1, since yesterday" in said and not (machine.folder / "one").exists()


def test_no_gpu(machine):
    """Missing parts are reported; nothing is decided or pushed."""
    said = machine.run(machine.command("one", *machine.small(), "--worker-command",
                                       "echo 'fatal\tmessage=no driver here'; exit 3"), steps.NO_GPU)
    assert "no device: no driver here" in said and "make nightly ARGS=--made-up" in said
    assert not machine.world.branches()


@pytest.mark.turn
def test_interrupted_and_continued(machine):
    """A stopped night leaves a record; its results are used without needless complaints; the same command continues
    it."""
    model = machine.model("slow", seconds_per_job=0.02)
    out, cells = machine.folder / "board", ["--steps", "tune"]
    command = [sys.executable, os.path.join("ci", "measure.py"), "--out", str(out), "--made-up", model, "--gp-tune",
               machine.gp_tune, "--base", machine.base, "--seconds", "300", *TUNE, *cells]
    process = subprocess.Popen(command, cwd=nights.ROOT, env=machine.environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if (out / steps.TUNE).exists() and (out / steps.TUNE).read_text().count('"samples"') > 10:
            process.send_signal(signal.SIGTERM)
            break
        time.sleep(0.02)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in said, said
    board = steps.Board(str(out))
    assert board.said("tune") == "interrupted" and not board.record["complete"] and not board.problems
    assert store.read(str(out / steps.TUNE)).of("samples") and not board.store(steps.TUNE).broken
    machine.run([sys.executable, os.path.join("ci", "decide.py"), "--artifacts", str(out), "--out",
                 str(machine.folder / "decide"), "--any-source", "--repository", machine.world.repository], 0)
    assert "interrupted: nothing is proposed" in " ".join(nights.proposal(str(machine.folder))["notes"])
    machine.model("slow")
    machine.run(command, 0)
    assert steps.Board(str(out)).is_done("tune") and "was done" in machine.run(command, 0)


def test_a_base_as_a_folder(machine):
    """ci/base.py, for machines without a repository."""
    out = str(machine.folder / "base")
    machine.world.commit("Another", **{"gpuprims.h": "code: reduce b\n"})
    machine.run([sys.executable, os.path.join("ci", "base.py"), "--out", out, "--repository",
                 machine.world.repository], 0)
    assert nights.text_of(out, "gpuprims.h") == "code: reduce a\n"
    assert nights.text_of(out, "COMMIT").strip() == nights.git(machine.world.repository, "rev-parse", "HEAD~1")
    assert nights.text_of(out, "HEAD").strip() == nights.git(machine.world.repository, "rev-parse", "HEAD")
    assert regress.tree_of_folder(out).path == out
