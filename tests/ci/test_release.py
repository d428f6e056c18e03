"""ci/release.py: what it refuses, and a dry run of the whole; ci/nvrtc_matrix.py's judgements and its table."""
import ctypes
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
from ci import nvrtc_matrix, release  # noqa: E402

LONG = os.environ.get("GPUPRIMS_LONG", "0") == "1"
HEADER = """#define GPUPRIMS_VERSION_MAJOR 1
#define GPUPRIMS_VERSION_MINOR 20
#define GPUPRIMS_VERSION_PATCH 3
#define GPUPRIMS_VERSION "1.20.3"
"""
CHANGELOG = """# Changelog

## [Unreleased]

- to come

## [1.20.3] - with words

### Added
- one

## [1.20.30]
- another

[1.20.3]: https://example.org/1.20.3
"""


def text_of(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


def test_version():
    assert release.version_of(HEADER) == "1.20.3"
    for wrong in (HEADER.replace("MINOR 20", "MINOR 21"), HEADER.replace('"1.20.3"', '"1.20.4"'), ""):
        with pytest.raises(release.Wrong):
            release.version_of(wrong)
    assert release.abi_of("0.2.0") == "0.2" and release.abi_of("1.20.3") == "1"


def test_tag():
    release.check_tag("v1.20.3", "1.20.3")
    for tag in ("1.20.3", "v1.20", "v1.20.3-rc1", "v1.20.4", "v01.20.3", "v1.20.3\n"):
        with pytest.raises(release.Wrong):
            release.check_tag(tag, "1.20.3")


def test_notes():
    assert release.notes_of(CHANGELOG, "1.20.3") == "### Added\n- one\n"
    assert release.notes_of(CHANGELOG, "1.20.30") == "- another\n"
    assert release.notes_of(CHANGELOG, "1.21.0", unreleased=True) == "- to come\n"
    for version, text in (("1.20.4", CHANGELOG), ("1.2", CHANGELOG), ("1.0.0", "## [1.0.0]\n\n## [0.9.0]\n- x\n"),
                          ("1.0.0", "## [1.0.0]\n" + "- x\n" * 121)):
        with pytest.raises(release.Wrong):
            release.notes_of(text, version)


def test_this_version_has_notes():
    """What is committed could be tagged."""
    version = release.version_of(text_of("gpuprims.h"))
    assert len(release.notes_of(text_of("CHANGELOG.md"), version).splitlines()) > 10


def test_no_step_without_what_it_needs(capsys):
    for words in ([], ["--draft"], ["--draft", "--dry-run"], ["--draft", "--dry-run", "--tag", "v0.2.0"]):
        with pytest.raises(SystemExit):
            release.main(words)
    assert release.main(["--tag", "v99.0.0"]) == 1
    assert "is not v" in capsys.readouterr().err


@pytest.mark.turn
def test_dry_run(tmp_path, monkeypatch, capsys):
    if not LONG:
        monkeypatch.setattr(release, "OPTIMISE", "-O0")
    out = str(tmp_path / "release")
    assert release.main(["--dry-run", "--out", out]) == 0
    said = capsys.readouterr().out
    version = release.version_of(release.command("git", "show", "HEAD:gpuprims.h").decode())
    missing = [one for one in release.ARCHITECTURES if not release.compiler_for(one)]
    assert said.count("skipped: no compiler for") == len(missing) and said.count("skipped: no wheel for") == 2
    libraries = {f"libgpuprims-{version}-{one}.so" for one in release.ARCHITECTURES if one not in missing}
    assert set(os.listdir(out)) == {"gpuprims.h", "gpuprims_policies.h", f"gpuprims-{version}.tar.gz", "notes.md",
                                    "SHA256SUMS"} | libraries
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=out, check=True)
    with open(os.path.join(out, "SHA256SUMS"), encoding="utf-8") as file:
        summed = {line.split()[1] for line in file}
    assert summed == set(os.listdir(out)) - {"SHA256SUMS", "notes.md"}  # what a release's page offers
    with tarfile.open(os.path.join(out, f"gpuprims-{version}.tar.gz")) as archive:
        names = archive.getnames()
        assert f"gpuprims-{version}/src/manifest" in names and f"gpuprims-{version}/LICENSE" in names
        assert all(name.startswith(f"gpuprims-{version}") for name in names)
        member = archive.extractfile(f"gpuprims-{version}/gpuprims.h")
        with open(os.path.join(out, "gpuprims.h"), "rb") as file:
            assert member.read() == file.read()
    own = os.path.join(out, f"libgpuprims-{version}-{os.uname().machine}.so")
    assert release.main(["--try", own]) == 0
    assert isinstance(ctypes.CDLL(own).gp_version(), int)
    # A draft is made of these files, and of no other.
    with open(os.path.join(out, "gpuprims.h"), "a", encoding="utf-8") as file:
        file.write("\n")
    assert release.main(["--tag", f"v{version}", "--draft", "--out", out]) == 2
    assert "SHA256SUMS does not match the files" in capsys.readouterr().err


def test_libraries_of_another_kind_are_refused(tmp_path):
    path = str(tmp_path / "library.so")
    head = b"\x7fELF" + bytes(14) + (183).to_bytes(2, "little")
    good = head + b"libgpuprims.so.0.2\0/* device text of gpuprims.h\nGLIBC_2.17\0GLIBC_2.34\0"
    for data, architecture, says in ((good, "aarch64", None), (good, "x86_64", "is not a library for"),
                                     (good.replace(b"0.2\0", b"0.3\0"), "aarch64", "lacks"),
                                     (good.replace(b"device", b"no"), "aarch64", "lacks"),
                                     (good + b"GLIBC_2.38\0", "aarch64", "needs glibc 2.38")):
        with open(path, "wb") as file:
            file.write(data)
        if says:
            with pytest.raises(release.CannotRun, match=says):
                release.check_library(path, architecture, "0.2.0")
        else:
            release.check_library(path, architecture, "0.2.0")


def made_wheel(folder, name, data):
    """A wheel as far as check_wheel looks."""
    path = os.path.join(folder, name)
    with zipfile.ZipFile(path, "w") as file:
        for one in ("__init__.py", "raw.pyi"):
            file.writestr(f"gpuprims/{one}", "")
        if data:
            file.writestr("gpuprims/_gpuprims.abi3.so", data)
    return path


GOOD = b"\x7fELF" + bytes(14) + (183).to_bytes(2, "little") + b"/* device text of gpuprims.h\nGLIBC_2.17\0"


def test_wheels_of_another_kind_are_refused(tmp_path, monkeypatch):
    name = release.wheel_name("1.2.3", "aarch64")
    assert name == "gpuprims-1.2.3-cp310-abi3-manylinux_2_35_aarch64.whl"
    release.check_wheel(made_wheel(tmp_path, name, GOOD), "aarch64", "1.2.3")
    for given, data, architecture, says in (
            (name, GOOD, "x86_64", "is not named"), (name.replace("1.2.3", "1.2.4"), GOOD, "aarch64", "is not named"),
            (name.replace("manylinux_2_35", "linux"), GOOD, "aarch64", "is not named"),
            (name.replace("aarch64", "x86_64"), GOOD, "x86_64", "is not a library for"),
            (name, None, "aarch64", "lacks gpuprims/_gpuprims.abi3.so"),
            (name, GOOD.replace(b"device", b"no"), "aarch64", "lacks"),
            (name, GOOD + b"GLIBC_2.38\0", "aarch64", "needs glibc 2.38"),
            (name, GOOD + b"libgomp.so.1", "aarch64", "needs OpenMP")):
        with pytest.raises(release.CannotRun, match=says):
            release.check_wheel(made_wheel(tmp_path, given, data), architecture, "1.2.3")
    monkeypatch.setattr(release, "MOST_WHEEL", 10)
    with pytest.raises(release.CannotRun, match="more than 10"):
        release.check_wheel(made_wheel(tmp_path, name, GOOD), "aarch64", "1.2.3")


def test_what_builds_a_wheel_is_locked():
    """Packages with their hashes, and nothing else; conditions are left out, since each is wanted."""
    text = release.locked(text_of("requirements.lock"), "setuptools", "cffi", "pycparser")
    assert [line.split("==")[0] for line in text.splitlines() if "==" in line] == ["setuptools", "cffi", "pycparser"]
    assert ";" not in text and text.count("--hash=sha256:") > 10
    with pytest.raises(release.CannotRun, match="lacks one of nothing"):
        release.locked("", "nothing")


@pytest.mark.skipif(not LONG, reason="compiles the library, and needs a package index: make test-long")
def test_a_wheel(tmp_path):
    path = release.make_wheel(str(tmp_path))
    again = release.make_wheel(str(tmp_path / "again"))
    with open(path, "rb") as one, open(again, "rb") as two:
        assert one.read() == two.read()
    assert release.main(["--try", path]) == 0


def test_the_workflow_builds_wheels():
    text = text_of(".github", "workflows", "release.yml")
    job = text.partition("  wheels:")[2].partition("\n  build:")[0]
    for architecture in release.ARCHITECTURES:
        assert f"architecture: {architecture} }}" in job
    assert "ci/release.py --wheel --out build/wheel" in job and "ci/release.py --try build/wheel/" in job
    assert "needs: wheels" in text and "--wheels build/wheels" in text.partition("\n  build:")[2]


def test_the_workflow_runs_this_script():
    text = text_of(".github", "workflows", "release.yml")
    assert 'tags: ["v*"]' in text and 'ci/release.py --tag "$GITHUB_REF_NAME" --out build/release' in text
    assert "--draft" in text and "contents: write" in text.partition("  draft:")[2]
    assert "contents: write" not in text.partition("  draft:")[0]


# ---- versions of NVRTC


def test_matrix_judges():
    """A version counts where the test ran on it, whole, and ended well."""
    good = "NVRTC 12.4: 75 80 90\n20 passed, 0 failed, 0 skipped\n"
    row, wrong = nvrtc_matrix.judge("12.4", 0, good)
    assert not wrong and row == {"version": "12.4", "architectures": ["75", "80", "90"], "passed": 20, "failed": 0}
    row, wrong = nvrtc_matrix.judge("12.0", 0, "NVRTC 12.0: refused\n20 passed, 0 failed, 0 skipped\n")
    assert not wrong and row["architectures"] == [] and row["failed"] == 0
    for version, code, output in (("12.9", 0, good), ("12.4", 1, good), ("12.4", -11, "NVRTC 12.4: 75\n"),
                                  ("12.4", 0, good.replace("0 skipped", "5 skipped")),
                                  ("12.4", 0, "20 passed, 0 failed, 0 skipped\n"),
                                  ("12.4", 1, good.replace("0 failed", "3 failed"))):
        row, _ = nvrtc_matrix.judge(version, code, output)
        assert row["failed"] >= 1


def test_matrix_table(tmp_path):
    """The page has the table of these versions, and nothing around it changes."""
    blocks = nvrtc_matrix.wheels(text_of("ci", "nvrtc_matrix.lock"))
    assert list(blocks) == ["12.0", "12.3", "12.4", "12.9", "13.0", "13.5"]
    page = text_of("docs", "support.md")
    table = page.partition(nvrtc_matrix.BEGIN)[2].partition(nvrtc_matrix.END)[0]
    for version, block in blocks.items():
        line = re.search(rf"^\| {re.escape(version)} \| ([^|]+) \| ([^|]+) \| (\d+) passed, 0 failed \|$", table, re.M)
        assert line and line.group(1) == block.split()[0]
        assert (line.group(2) == "refused") == (version == "12.0") and int(line.group(3)) > 1000
    copy = tmp_path / "support.md"
    copy.write_text(page, encoding="utf-8")
    nvrtc_matrix.write_table(str(copy), table)
    assert copy.read_text(encoding="utf-8") == page
    copy.write_text(page.replace(nvrtc_matrix.END, ""), encoding="utf-8")
    with pytest.raises(nvrtc_matrix.CannotRun):
        nvrtc_matrix.write_table(str(copy), table)


def test_matrix_is_what_the_makefile_locks():
    asked = re.search(r"^NVRTC_MATRIX = (.*)$", text_of("Makefile"), re.M).group(1).split()
    found = [block.split()[0] for block in nvrtc_matrix.wheels(text_of("ci", "nvrtc_matrix.lock")).values()]
    assert found == [f"nvidia-cuda-nvrtc{one}" for one in asked]


def test_matrix_refuses_what_it_does_not_have(capsys, tmp_path):
    assert nvrtc_matrix.main(["11.0", "--out", str(tmp_path)]) == 2
    assert "has no NVRTC 11.0" in capsys.readouterr().out
    assert json.dumps(os.listdir(tmp_path)) == "[]"
