"""Shared by the tests of nights: a repository with a bare one beside it, synthetic artifacts of boards, a gh that only
records its requests, a compiler whose machine code is a line of the header."""
import json
import os
import stat
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [ROOT, os.path.join(ROOT, "tests", "farm")]
import made_up  # noqa: E402
from ci import decide, keep, pull_request, regress, steps  # noqa: E402
from tools.farm import cell_keys, store, table  # noqa: E402

DATE = "2026-03-04T05:06:07Z"
DEVICE = "Example One"


def git(folder, *words, **options):
    return subprocess.run(["git", "-C", str(folder), *words], check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **steps.BOT}, **options).stdout.strip()


class World:
    """repository: a clone of the bare `remote`, with a header, an empty table and no stores."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.repository, self.remote = os.path.join(self.folder, "clone"), os.path.join(self.folder, "remote.git")
        git(folder, "init", "--quiet", "--bare", "--initial-branch=main", self.remote)
        git(folder, "clone", "--quiet", self.remote, self.repository, stderr=subprocess.DEVNULL)
        git(self.repository, "checkout", "--quiet", "-B", "main")
        self.commit("The header", **{"gpuprims.h": "code: reduce a\n", table.TABLE: table.text_of([])})

    def commit(self, message, **files):
        """Commits files {path: text} to main; returns the commit's name."""
        for name, text in files.items():
            store.replace(os.path.join(self.repository, name), text.encode())
        git(self.repository, "add", "-A")
        git(self.repository, "commit", "--quiet", "--allow-empty", "-m", message)
        git(self.repository, "push", "--quiet", "origin", "main")
        return git(self.repository, "rev-parse", "HEAD")

    def branches(self):
        """{branch: commit} of the remote, without main."""
        lines = git(self.repository, "ls-remote", "--heads", self.remote).splitlines()
        found = {line.split("\t")[1].removeprefix("refs/heads/"): line.split("\t")[0] for line in lines}
        return {name: commit for name, commit in found.items() if name != "main"}

    def files_of(self, branch):
        """The files that a branch of the remote changes against main."""
        git(self.repository, "fetch", "--quiet", self.remote, branch)
        return git(self.repository, "diff", "--name-only", "main", "FETCH_HEAD").split()

    # ---- a night's steps

    def night(self, name, *boards, expected="", pull=True):
        """Runs decide, regress and pull_request on the boards (functions of a folder); returns the folder of the
        results."""
        artifacts, results = os.path.join(self.folder, name), os.path.join(self.folder, f"{name}.results")
        os.makedirs(artifacts)
        for number, board in enumerate(boards):
            board(os.path.join(artifacts, f"board-{number}"))
        where = ["--repository", self.repository]
        assert decide.main(["--artifacts", artifacts, "--out", os.path.join(results, "decide"), "--remote", self.remote,
                            "--expected", expected, *where]) == 0
        self.status = regress.main(["--artifacts", artifacts, "--out", os.path.join(results, "regress"), "--expected",
                                    expected, "--compiler-command", COMPILER, *where])
        if pull:
            assert self.pull(results) == 0
        return results

    def pull(self, results, *words):
        return pull_request.main(["--proposals", os.path.join(results, "decide"), "--remote", self.remote,
                                  "--repository", self.repository, *words])

    def keep(self, name):
        return keep.main(["--artifacts", os.path.join(self.folder, name), "--results",
                          os.path.join(self.folder, f"{name}.results"), "--remote", self.remote, "--repository",
                          self.repository])


def proposal(results, capability=90):
    with open(os.path.join(results, "decide", str(capability), "proposal.json"), encoding="utf-8") as file:
        return json.load(file)


def text_of(results, *parts):
    with open(os.path.join(results, *parts), encoding="utf-8") as file:
        return file.read()


# ---- boards ----------------------------------------------------------------------------------------------------------


def better(name, log2, _):
    """A policy that is 12 % faster from 2^24 bytes on."""
    return {"wide": 0.88 if log2 >= 24 else 1.05}.get(name, 1.03)


def quiet(name, _log2, _type):
    return {"wide": 1.02, "deep": 1.01}.get(name, 1.0)


def record(folder, device=DEVICE, done=("tune", "regress"), running=(), date=DATE, **fields):
    steps_ = [{"name": name, "status": "ok", "message": ""} for name in done] + \
        [{"name": name, "status": "running", "message": ""} for name in running]
    store.replace(os.path.join(folder, steps.RECORD), json.dumps(
        {"v": 1, "date": date, "device": device, "compute_capability": 90, "board": "gpu-sm90", "steps": steps_,
         "commit": "0" * 40, "base_commit": "1" * 40, **fields}).encode())


def tuned(factor, device=DEVICE, date=DATE, change=None, **fields):
    """A tuned board; change(lines of the store) may spoil them."""
    def measure(folder):
        os.makedirs(folder)
        path = os.path.join(folder, steps.TUNE)
        made_up.Tune(path, factor, device=device, date=date, source="live", sizes=range(16, 31, 4),
                     **{name: fields.pop(name) for name in ("between", "seed", "groups") if name in fields}
                     ).search().confirm(os.path.join(folder, "none"))
        if change:
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            with open(path, "w", encoding="utf-8") as file:
                file.write(change(lines))
        record(folder, device, **{"date": date, **fields})
    return measure


def regressed(cells, device=DEVICE, commits=("1" * 40, "0" * 40), date=DATE, policies=(made_up.RULE, made_up.RULE),
              **fields):
    """A board with the regression results {cell: (outcome, ratio)}."""
    def measure(folder):
        os.makedirs(folder, exist_ok=True)
        sides = [made_up.environment(device, date, commit=commit[:12], source="live",
                                     header=made_up.number(commit)) for commit in commits]
        lines = list(sides)
        for text, (outcome, ratio) in cells.items():
            cell = cell_keys.read(text)[0]
            for process in range(12):
                side = process % 2
                us = 10.0 * (ratio if side else 1)
                status = {"status": "wrong", "message": "made up"} if outcome == "NO DATA" and side else {}
                lines.append(made_up.sample(sides[side]["id"], "regress", cell, "default", [us] * 3, process,
                                            policy=store.policy_of(policies[side]), code=made_up.number(f"{side}"),
                                            **status))
            verdict = {"outcome": outcome, "ratio": ratio, "low": ratio - 0.01, "high": ratio + 0.01, "pairs": 10,
                       "stage": 2, "p": 1e-6, "q": 1e-5}
            names = {"base": sides[0]["id"], "new": sides[1]["id"]}
            lines.append(regress.regress.line_of(cell, names, verdict, 0, False, ""))
        with open(os.path.join(folder, steps.REGRESS), "w", encoding="utf-8") as file:
            file.writelines(store.dump(line) + "\n" for line in lines)
        record(folder, device, **{"date": date, "commit": commits[1], "base_commit": commits[0], **fields})
    return measure


def both(*boards):
    """One board with all of these; the last one's record counts."""
    def measure(folder):
        for board in boards:
            board(folder)
    return measure


# ---- replacements of programs ----------------------------------------------------------------------------------------

# Speaks gp_tune --compiler's protocol: a primitive's machine code is the header's line "code: PRIMITIVE ...".
FAKE = os.path.join(ROOT, "tests", "ci", "fake_compiler.py")
COMPILER = f"{sys.executable} {FAKE} {{tree}}"

GH = """#!{python}
import json, os, sys
place = {place!r}
with open(os.path.join(place, "asked"), "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
words = sys.argv[1:3]
state = os.path.join(place, "open")
if words == ["pr", "list"]:
    print(json.dumps([{{"number": 7}}] if os.path.exists(state) else []))
if words == ["pr", "create"]:
    open(state, "w").close()
if words == ["pr", "close"]:
    os.remove(state)
if words == ["issue", "list"]:
    print(json.dumps({issues}))
"""


class Hub:
    """A gh on PATH, authorised, with no pull request and these issues open."""

    def __init__(self, folder, monkeypatch, issues=()):
        self.folder = str(folder)
        os.makedirs(self.folder)
        path = os.path.join(self.folder, "gh")
        with open(path, "w", encoding="utf-8") as file:
            file.write(GH.format(python=sys.executable, place=self.folder, issues=repr(list(issues))))
        os.chmod(path, stat.S_IRWXU)
        monkeypatch.setenv("PATH", self.folder + os.pathsep + os.environ["PATH"])

    def asked(self, *words):
        """The requests to gh that begin with these words."""
        try:
            with open(os.path.join(self.folder, "asked"), encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
        except FileNotFoundError:
            return []
        return [line for line in lines if line[:len(words)] == list(words)]
