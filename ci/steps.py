"""Shared by the steps of a night (ci/README.md): the folder of a board's night, the record of its steps, git, the
lock."""
import contextlib
import datetime
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
from tools import bench  # noqa: E402
from tools.farm import files, store  # noqa: E402

NIGHTS = os.environ.get("GPUPRIMS_NIGHTS") or os.path.join(bench.BUILD, "night")
RECORD = "night.json"
PROPOSALS = "proposals.json"
# The files of a board's night: stores of the farm, and tools/bench.py's benchmark.
TUNE, REGRESS, BENCH = "tune.jsonl", "regress.jsonl", "bench.jsonl"
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
FOUND_SLOW, CANNOT_RUN, BUSY, NO_GPU, PAUSED = 1, 2, 3, 4, 5

FEW = 0.01  # a larger share of cells without data fails a night


class CannotRun(Exception):
    """An error message for the user."""


def say(step, text):
    print(f"{step}: {text}", file=sys.stderr, flush=True)


def main_of(step, function):
    """Runs a step; errors become a sentence and exit status 2, never a traceback."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return function(sys.argv[1:])
    except (CannotRun, store.StoreError) as error:
        say(step, error)
        return CANNOT_RUN
    except OSError as error:
        say(step, f"{error.filename or 'system'}: {error.strerror}")
        return CANNOT_RUN
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("tools", "ci")):
            raise
        say(step, f"needs {error.name}: pip install {error.name}")
        return CANNOT_RUN
    except KeyboardInterrupt:
        say(step, "interrupted")
        return 130


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


# ---- the record of a board's night -----------------------------------------------------------------------------------


def write_json(path, value):
    store.replace(path, (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode())


def read_json(path):
    """The value, or None: no such file, or one half written by a dying machine."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def is_record(value):
    """Checks a record, because it comes from a board: it names files and branches."""
    return isinstance(value.get("compute_capability", 0), int) and isinstance(value.get("device", ""), str) and \
        isinstance(value.get("steps", []), list) and isinstance(value.get("board", ""), str) and \
        re.fullmatch(rf"{DATE.pattern}T\d\d:\d\d:\d\dZ", str(value.get("date", ""))) is not None and \
        all(isinstance(step, dict) and {"name", "status"} <= set(step) for step in value.get("steps", []))


def is_proposal(value):
    """Checks proposal.json, because it comes from another machine: it names files and branches."""
    return isinstance(value, dict) and DATE.fullmatch(str(value.get("date"))) is not None and \
        all(isinstance(value.get(name), list) and all(isinstance(one, str) for one in value[name])
            for name in ("pictures", "files", "devices")) and isinstance(value.get("branch"), str) and \
        re.fullmatch(r"[0-9a-f]{40,64}", str(value.get("base"))) is not None


def proposals_in(folder):
    """({capability: (its folder, proposal or None)}, the night's summary) from ci/decide.py's output; None without
    output. Raises Refused or CannotRun if a path leads elsewhere."""
    files.check(folder)
    night = read_json(os.path.join(folder, PROPOSALS))
    if not night:
        return None
    found = {}
    for capability in night["capabilities"]:
        if type(capability) is not int:
            raise CannotRun(f"{folder}: {PROPOSALS}: {capability!r} is not a compute capability")
        place = os.path.join(folder, str(capability))
        proposal = read_json(os.path.join(place, "proposal.json"))
        if proposal and not is_proposal(proposal):
            raise CannotRun(f"{place}: proposal.json was not written by ci/decide.py")
        found[capability] = place, proposal
    return found, night


class Board:
    """A board's folder. record: the measurement's own record; {} if there is none."""

    def __init__(self, folder, name=""):
        self.folder = folder
        found = read_json(self.path(RECORD))
        self.record = found if isinstance(found, dict) and is_record(found) else {}
        self.name = self.record.get("board") or name or os.path.basename(os.path.abspath(folder))
        self.problems = [] if self.record else ["the runner left no record of the night that can be used"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def step(self, name):
        return next((step for step in self.record.get("steps", []) if step.get("name") == name), {})

    def is_done(self, name):
        return self.step(name).get("status") == "ok"

    def said(self, name):
        """How a step ended, in words."""
        step = self.step(name)
        if not step:
            return "did not begin"
        if step["status"] == "running":
            return "began and did not end: the runner died or was cancelled"
        return step["status"] + (f": {step['message']}" if step.get("message") else "")

    def store(self, name):
        """One of its stores, or None if unreadable; broken lines are reported as problems."""
        path = self.path(name)
        if not os.path.exists(path):
            return None
        try:
            found = store.read(path)
        except store.StoreError as error:
            self.problems.append(str(error))
            return None
        if found.broken:
            number, reason = found.broken[0]
            self.problems.append(f"{name}: {len(found.broken)} broken lines were left out, the first is line {number}: "
                                 f"{reason}")
        return found

    @property
    def device(self):
        return self.record.get("device", "")

    @property
    def capability(self):
        return self.record.get("compute_capability", "")

    @property
    def date(self):
        return self.record.get("date", "")[:10]


def boards_of(artifacts, expected=()):
    """The boards of a night: the folder itself if it is a board's, otherwise its folders. expected: names of boards,
    shown without data if missing. Reads nothing if one of the files is not a plain file."""
    if not os.path.isdir(artifacts):
        raise CannotRun(f"{artifacts}: no such folder")
    files.check(artifacts)
    if os.path.exists(os.path.join(artifacts, RECORD)):
        return [Board(artifacts)]
    folders = sorted(os.path.join(artifacts, name) for name in os.listdir(artifacts))
    found = [Board(folder) for folder in folders if os.path.isdir(folder) and
             any(os.path.exists(os.path.join(folder, name)) for name in (RECORD, TUNE, REGRESS, BENCH))]
    names = {board.name for board in found}
    found += [Board(os.path.join(artifacts, name), name) for name in expected if name and name not in names]
    return sorted(found, key=lambda board: board.name)


# ---- programs --------------------------------------------------------------------------------------------------------


def run(command, log, timeout=None, echo=False, **options):
    """Runs a program with its output in the log; returns its exit status. When the time is up or we are interrupted,
    stops it with its children by the signal that lets gp_tune leave a complete store."""
    with open(log, "ab") as file:
        process = subprocess.Popen(command, cwd=options.pop("cwd", ROOT), stdin=subprocess.DEVNULL,
                                   stdout=None if echo else file, stderr=None if echo else subprocess.STDOUT,
                                   start_new_session=True, **options)
        try:
            return process.wait(timeout)
        except (KeyboardInterrupt, subprocess.TimeoutExpired) as error:
            stop(process)
            if isinstance(error, KeyboardInterrupt):
                raise
            return 124


def stop(process):
    for number, patience in ((signal.SIGINT, 30), (signal.SIGKILL, 10)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return


def last_line(log):
    """The last lines of a failed program."""
    try:
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
    except OSError:
        return ""
    return lines[-1][:300] if lines else ""


def git(repository, *words, check=True, data=None, env=None):
    """Its output, stripped. check: failure is a user's error; otherwise None."""
    try:
        done = subprocess.run(["git", "-C", repository, *words], check=False, input=data, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, **(env or {}), "GIT_TERMINAL_PROMPT": "0"})
    except OSError as error:
        raise CannotRun(f"git: {error.strerror}") from error
    if done.returncode == 0:
        return done.stdout.decode(errors="replace").strip()
    if check:
        raise CannotRun(f"git {words[0]}: {done.stderr.decode(errors='replace').strip() or done.returncode}")
    return None


def commit_named(repository, name):
    """The whole name of a commit."""
    found = git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", check=False)
    if not found:
        raise CannotRun(f"{name}: no commit of the repository {os.path.relpath(repository)}")
    return found


# The author of a night's commits.
BOT = {"GIT_AUTHOR_NAME": "gpuprims nights", "GIT_AUTHOR_EMAIL": "nights@gpuprims.invalid",
       "GIT_COMMITTER_NAME": "gpuprims nights", "GIT_COMMITTER_EMAIL": "nights@gpuprims.invalid"}


def tree_with(repository, base, files, gone=()):
    """The name of a tree: that of commit `base` (None: empty) with the files {path: bytes} added and those in `gone`
    removed. Does not touch the working tree or its index."""
    index = os.path.join(git(repository, "rev-parse", "--absolute-git-dir"), f"night-index-{os.getpid()}")
    environment = {"GIT_INDEX_FILE": index}
    try:
        git(repository, "read-tree", *([base] if base else ["--empty"]), env=environment)
        for path, data in sorted(files.items()):
            blob = git(repository, "hash-object", "-w", "--stdin", data=data)
            git(repository, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=environment)
        for path in gone:
            git(repository, "update-index", "--force-remove", path, env=environment)
        return git(repository, "write-tree", env=environment)
    finally:
        for path in (index, f"{index}.lock"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)


def file_at(repository, commit, path):
    """The bytes of a file of a commit, or None."""
    done = subprocess.run(["git", "-C", repository, "cat-file", "blob", f"{commit}:{path}"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else None


def names_at(repository, commit, folder=""):
    """The files of a commit, below a folder. CannotRun if it has anything else, such as a link."""
    text, found = git(repository, "ls-tree", "-r", "-z", commit, *([f"{folder}/"] if folder else [])), []
    for entry in text.split("\0"):
        kind, _, name = entry.partition("\t")
        if entry and not kind.startswith(("100644 ", "100755 ")):
            raise CannotRun(f"{commit[:12]}: {files.named(name)}: refused: it is not a plain file (mode {kind[:6]})")
        found += [name] * bool(entry)
    return found


def extract(repository, commit, paths, folder):
    """Writes those of the paths that a commit has into a folder."""
    there = [path for path in paths if git(repository, "cat-file", "-e", f"{commit}:{path}", check=False) is not None]
    os.makedirs(folder, exist_ok=True)
    if there:
        archive = subprocess.run(["git", "-C", repository, "archive", commit, *there], check=False,
                                 stdout=subprocess.PIPE)
        unpack = subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=False)
        if archive.returncode or unpack.returncode:
            raise CannotRun(f"{commit}: git archive or tar failed")


@contextlib.contextmanager
def locked(path):
    """One night at a time: the second one is told about the first."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            raise CannotRun(f"another night is under way: {file.read().strip() or 'it does not say which'}") from error
        file.truncate(0)
        file.write(f"process {os.getpid()}, since {now()}\n")
        file.flush()
        yield


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


class Clock:
    """The rest of a time; None: unlimited."""

    def __init__(self, seconds):
        self.end = time.monotonic() + (float("inf") if seconds is None else seconds)

    @property
    def left(self):
        return max(0.0, self.end - time.monotonic())
