"""The record of tests/watch/sitecustomize.py about a row's Python processes, and its use by tests/run.py."""
import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import run  # noqa: E402

CHILD = "import subprocess, sys; subprocess.run([sys.executable, *{words!r}, '-c', {text!r}]{more})"


@pytest.fixture
def seen(tmp_path):
    """Runs a program text and returns its recorded lines."""
    def once(text, *words):
        log = tmp_path / "watch"
        log.write_text("")
        environment = {**os.environ, "GPUPRIMS_WATCH": str(log), "PYTHONPATH": os.path.join(ROOT, run.WATCH)}
        subprocess.run([sys.executable, *words, "-c", text], cwd=ROOT, env=environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return set(log.read_text().splitlines()) - {"read ."}  # where -c searches modules

    return once


def test_what_is_read(seen):
    assert seen("") == {"watched"}
    assert seen("import os; open('src/manifest'); os.listdir('src/scan'); os.scandir('src')") == {
        "watched", "read src/manifest", "read src/scan", "read src"}
    assert seen("import gzip, tempfile; tempfile.TemporaryFile(); gzip.open('gpuprims.h')") == {
        "watched", "read gpuprims.h"}
    assert seen("try:\n    open('src/none')\nexcept OSError:\n    pass") == {"watched", "read src/none"}
    assert "read tests/turn.py" in seen("import sys; sys.path.append('tests'); import turn")


def test_what_is_read_through_a_link(seen, tmp_path):
    os.symlink(os.path.join(ROOT, "src"), tmp_path / "link")
    assert "read src/manifest" in seen(f"open({str(tmp_path / 'link' / 'manifest')!r})")


def test_other_programs(seen):
    def child(text, *words, more=""):
        return seen(CHILD.format(words=words, text=text, more=more))

    assert child("open('gpuprims.h')") == {"watched", "read gpuprims.h"}
    assert any(line.startswith("opaque") for line in child("open('gpuprims.h')", "-S"))
    assert any(line.startswith("opaque") for line in child("open('gpuprims.h')", more=", env={}"))
    for text in ("import subprocess; subprocess.run(['cat', 'gpuprims.h'])", "import os; os.system('true')",
                 "import subprocess; subprocess.run('true', shell=True)",
                 "import os; os.posix_spawn('/bin/true', ['true'], {})",
                 "import ctypes\ntry:\n    ctypes.CDLL('build/libgpuprims.so')\nexcept OSError:\n    pass"):
        assert any(line.startswith("opaque") for line in seen(text)), text


def test_a_file_of_lines_that_cannot_be_written(seen, tmp_path):
    """It is gone, and nothing is kept."""
    with pytest.raises(FileNotFoundError):
        seen("import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))\nopen('gpuprims.h')")
    assert run.inputs_of(run.lines_of(str(tmp_path / "watch"))) is None


def test_git(seen, tmp_path):
    def git(*words, cwd=ROOT):
        return seen(f"import subprocess; subprocess.run(['git', *{words!r}], cwd={str(cwd)!r})")

    assert git("rev-parse", "HEAD") == {"watched", "commits"}
    assert git("-C", ROOT, "log", "-1", cwd=tmp_path) == {"watched", "commits"}
    assert git("diff", "--numstat", "HEAD", "HEAD", "--", "src") == {"watched", "commits"}
    assert git("diff", "HEAD", "--", "src") == {"watched", "opaque git diff"}
    assert git("status") == {"watched", "opaque git status"}
    assert git("init", "-q", cwd=tmp_path) == {"watched"}


def test_what_is_kept():
    assert run.inputs_of({"watched"}) == {}
    assert run.inputs_of(set()) is None  # nobody watched
    assert run.inputs_of({"watched", "opaque cat"}) is None
    inputs = run.inputs_of({"watched", "commits", "read gpuprims.h", "read src", "read README.md", "read src/none"})
    assert set(inputs) == {"commits", "gpuprims.h", "src", "src/none"}  # everything else is in the row's key
    assert inputs["src/none"] is None and "scan" in inputs["src"]
    assert run.unchanged(inputs) and not run.unchanged({**inputs, "src/none": "0"})
    assert not run.unchanged({**inputs, "commits": "0"})
