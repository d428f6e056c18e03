"""Whose turn it is. `make test` runs what is dear in parts, by turns; `make test ARGS=--every-turn` runs all parts.

The commit decides: its number on its branch. A failed run fails again, an edit keeps the turns and so the results of
what it does not touch, and successive commits have successive turns: TURNS of them run everything. TURNS is a prime, so
that runs at every second, third, ... commit get through all turns as well.

tests/run.py sets GPUPRIMS_TURN, the number, for a row that shall run its share alone. Without it the row runs whole.
GPUPRIMS_TURN=3 make test: the third turn, whatever the commit is."""
import functools
import hashlib
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TURNS = 17


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout if done.returncode == 0 else b""


def a_hash(data):
    return int.from_bytes(hashlib.sha256(data).digest()[:4], "big")


@functools.cache
def number():
    """So many commits lead to HEAD, merged branches left out. A shallow clone cannot count them: a hash of HEAD's name;
    without git, of the header."""
    if os.environ.get("GPUPRIMS_TURN"):
        return int(os.environ["GPUPRIMS_TURN"])
    try:
        if git("rev-parse", "--is-shallow-repository").strip() == b"false":
            return int(git("rev-list", "--count", "--first-parent", "HEAD"))
        if git("rev-parse", "HEAD"):
            return a_hash(git("rev-parse", "HEAD"))
    except (OSError, ValueError):
        pass
    with open(os.path.join(ROOT, "gpuprims.h"), "rb") as file:
        return a_hash(file.read())


def turn(count):
    """A number below `count`, the next one at the next commit."""
    return number() % count


def has_turn(place, count=TURNS):
    """Does a part of a row run, whose place in the row is this number?"""
    return not os.environ.get("GPUPRIMS_TURN") or place % count == turn(count)
