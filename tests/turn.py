"""What make test samples takes turns, and make test-long runs whole. Whose turn it is, the header's text decides: a run
that failed fails again, and as the header changes, everything has its turn. Mutants take turns by commit."""
import hashlib
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def number_below(count, data):
    return int.from_bytes(hashlib.sha256(data).digest()[:4], "big") % count


def turn(count):
    """A number below `count`."""
    with open(os.path.join(ROOT, "gpuprims.h"), "rb") as file:
        return number_below(count, file.read())


def turn_of_commit(count):
    """A number below `count`, another one for each commit; turn's where there is no git."""
    try:
        done = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return turn(count)
    return number_below(count, done.stdout) if done.returncode == 0 else turn(count)
