"""A second make test keeps the results of passed programs while their inputs are unchanged (tests/run.py)."""
import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import run  # noqa: E402

TILE = run.Program("kept for a test", ["tests/kernels/test_tile.cpp"])


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Runs a program that passes `passed` checks and leaves a line each time; returns (its counts, its runs so far)."""
    monkeypatch.setattr(run, "BUILD", str(tmp_path))
    binary, mark, kept = str(tmp_path / "program"), tmp_path / "runs", {}

    def once(passed=3, failed=0, args=(), row=TILE, kept=kept):
        (tmp_path / "program.c").write_text(
            '#include <stdio.h>\nint main(void) { FILE *f = fopen("%s", "a"); fputs("x", f); fclose(f); '
            'printf("%d passed, %d failed, 0 skipped\\n"); return %d; }\n' % (mark, passed, failed, failed > 0))
        subprocess.run([run.CC, str(tmp_path / "program.c"), "-o", binary], check=True)
        runner = run.Runner(False, {}, kept)
        runner.run(row, row.name, [binary, *args])
        return tuple(runner.results[0][1][:2]), len(mark.read_text())

    return once


@pytest.mark.turn
def test_what_passed_is_kept_while_nothing_changes(play, monkeypatch):
    assert play() == ((3, 0), 1)
    assert play() == ((3, 0), 1)  # kept, with its counts
    assert play(args=["7"]) == ((3, 0), 2)
    assert play(args=["7"], passed=4) == ((4, 0), 3)  # another program
    monkeypatch.setenv("ASAN_OPTIONS", "halt_on_error=1")
    assert play(args=["7"], passed=4) == ((4, 0), 4)
    assert play(args=["7"], passed=4, kept=None) == ((4, 0), 5)  # asked for by name


def test_what_failed_is_run_again(play):
    assert play(failed=1) == ((3, 1), 1)
    assert play(failed=1) == ((3, 1), 2)
    assert play() == ((3, 0), 3)
    assert play(failed=1) == ((3, 1), 4)
    assert play() == ((3, 0), 5)  # the failure removed the older result


def test_what_opens_no_file_is_kept():
    for name in ("tile routines", "contract", "dispatch: sorting"):
        assert run.reads_its_program_alone(next(program for program in run.PROGRAMS if program.name == name)), name


@pytest.mark.turn
def test_what_reads_files_runs_always(play):
    for name in ("dispatch", "policies", "kernel source", "rows of graphs", "ladder", "layout examples",
                 "graph checks"):
        row = next(program for program in run.PROGRAMS if program.name == name)
        assert not run.reads_its_program_alone(row)
        assert play(row=row)[1] < play(row=row)[1]
