"""Shared by the dashboard's tests."""
import fcntl
import os
import shutil
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [ROOT, HERE]

from dashboard import build  # noqa: E402

TODAY = "2026-04-20"
MEASURED = os.path.join(ROOT, "ci", "measurements")


# Kept from run to run: each file is read and each picture drawn only once.
CACHE = os.path.join(ROOT, "build", "tests", "dashboard.cache")
# Sites for both test programs, built by the first one of a run of tests/run.py, which names the run.
SITES = os.path.join(ROOT, "build", "tests", "dashboard.sites")
RUN = os.environ.get("GPUPRIMS_RUN")
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="72pt"/>\n'


@pytest.fixture(scope="session")
def make_site(tmp_path_factory):
    """Builds a store's site; returns its folder. Pictures are drawn only for tests that look at them, because they take
    most of the time."""
    def make(store, draw=False, out=None, **options):
        out = out or str(tmp_path_factory.mktemp("site") / "site")
        os.makedirs(CACHE, exist_ok=True)
        with pytest.MonkeyPatch.context() as patch, open(f"{CACHE}.lock", "w", encoding="utf-8") as lock:
            if draw:  # by one process: the other test program finds its pictures in the cache
                fcntl.flock(lock, fcntl.LOCK_EX)
            else:
                patch.setattr(build.figures, "render", lambda spec: BLANK)
            problems = build.build(out, str(store), TODAY, cache=CACHE if draw else f"{CACHE}.blank", quiet=True,
                                   **options)
        assert problems == []
        return out

    return make


def shared(name, make_site, store, draw):
    """A store's site, built once a run; without a run's name, only for this program."""
    if not RUN:
        return make_site(store, draw)
    place = os.path.join(SITES, RUN, name)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(os.path.join(SITES, f"{name}.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for other in os.listdir(SITES):
            if other != RUN and os.path.isdir(os.path.join(SITES, other)):
                shutil.rmtree(os.path.join(SITES, other))
        if not os.path.isdir(place):
            make_site(store, draw, place)
    return place


@pytest.fixture(scope="session")
def committed_site(make_site):
    """The committed measurements. Only the long tests draw pictures."""
    return shared("committed", make_site, MEASURED, os.environ.get("GPUPRIMS_LONG") == "1")


@pytest.fixture(scope="session")
def small_store(tmp_path_factory):
    """Twelve nights of 60 cells of one device; another device with one night, and its faults."""
    import made_up
    folder = str(tmp_path_factory.mktemp("store"))
    place = made_up.whole(folder, 12, 60)
    os.unlink(os.path.join(place, f"{made_up.night_of(5)}.jsonl"))
    os.unlink(os.path.join(place, f"{made_up.night_of(5)}.regress.jsonl.gz"))
    lines = list(made_up.records(11, 30, "Example Two"))
    lines[4] = made_up.sample(made_up.cells(2)[1], 1, status="WRONG n=4096 uniform: 3 of 4096 elements differ")
    lines.append('{"kind": "sample", "n')
    made_up.write(os.path.join(folder, "example-two", f"{made_up.night_of(11)}.jsonl"), lines)
    return folder


@pytest.fixture(scope="session")
def small_site(small_store, make_site):
    return shared("small", make_site, small_store, True)
