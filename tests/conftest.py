"""What all folders of tests share: dear tests, marked `@pytest.mark.turn`, take turns (tests/turn.py)."""
import gc
import os
import sys
import zlib

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from turn import TURNS, has_turn  # noqa: E402


# The collector looks for cycles among the committed measurements again and again, which takes a fifth of the time of
# tests that read them.
gc.set_threshold(100_000, 50, 100)


def pytest_configure(config):
    config.addinivalue_line("markers", f"turn(n, count): a dear test; a case of it runs at one commit in {TURNS}, "
                            "or in count; n: at its turn")


def places(items):
    """{a dear test: (its place, the turns)}: those that its marker names, or the next place after the test before it in
    its file, so that neighbours run at different commits. Files begin at different places."""
    found, last = {}, {}
    for item in items:
        markers = list(item.iter_markers("turn"))  # of the function and of the case
        if markers:
            file = item.nodeid.partition("::")[0]
            first = zlib.crc32(os.path.basename(file).encode()) % TURNS
            last[file] = last.get(file, first - 1) + 1
            args = next((marker.args for marker in markers if marker.args), (last[file],))
            found[item] = (args[0], args[1] if len(args) > 1 else TURNS)
    return found


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    place = places(items)
    waiting = [item for item in items if item in place and not has_turn(*place[item])]
    if waiting:
        config.hook.pytest_deselected(items=waiting)
        items[:] = [item for item in items if item not in waiting]
        config.stash[WAITING] = len(waiting)


WAITING = pytest.StashKey()


def pytest_terminal_summary(terminalreporter, config):
    if WAITING in config.stash:
        terminalreporter.write_line(f"waiting: {config.stash[WAITING]}")
