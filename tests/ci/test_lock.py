"""The lock files are what `make lock` makes of the requirements, as far as can be told offline; and what is installed
from a lock is what its hashes say."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile

import pytest
from packaging.requirements import Requirement

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def text_of(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def locked(name):
    """[(requirement, hashes, what needs it)] of a lock file; every line must be understood."""
    text = re.sub(r"^#.*\n", "", text_of(name), flags=re.M)
    blocks = re.findall(r"^(\S[^\\\n]*) \\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)((?: +#.*\n)*)", text, re.M)
    assert sum(len("".join(block)) + len(" \\\n") for block in blocks) == len(text), "a line that is no package's"
    return [(Requirement(head), hashes.split(), re.findall(r"# +(?:via +)?(\S.*)", needed_by))
            for head, hashes, needed_by in blocks]


def key_of(requirement):
    return requirement.name.lower().replace("_", "-"), str(requirement.specifier), \
        tuple(sorted(re.split(r" and ", str(requirement.marker or ""))))


@pytest.mark.parametrize("folder", ["", "docs/", "tools/farm/"])
def test_the_lock_is_of_these_requirements(folder):
    wanted = f"-r {folder}requirements.txt"
    lines = text_of(f"{folder}requirements.txt").splitlines()
    asked = [Requirement(line) for line in lines if line and line[0] != "#"]
    assert all(re.fullmatch(r"==[\w.]+", str(one.specifier)) for one in asked)
    found = locked(f"{folder}requirements.lock")
    assert {key_of(one) for one, _, via in found if wanted in via} == {key_of(one) for one in asked}, "make lock"
    names = {one.name for one, _, _ in found}
    for one, hashes, via in found + locked("ci/nvrtc.lock") + locked("ci/nvrtc_matrix.lock"):
        assert re.fullmatch(r"==[\w.]+", str(one.specifier)) and hashes, one
        assert set(via) - {wanted, "via"} <= names, one


def test_whoever_installs_checks_hashes():
    """make venv, ci/setup.sh: automatic programs install nothing else by pip."""
    for name in ("Makefile", "ci/setup.sh", ".ci/run", ".github/workflows/ci.yml", ".github/workflows/nightly.yml",
                 ".github/workflows/release.yml", "ci/release.py"):
        for line in text_of(name).splitlines():
            run = line.partition("#")[0]
            assert not re.search(r"\bpip3?\b.* install|npm |curl |wget ", run) or "--require-hashes" in run, name
    assert "requirements.lock" in text_of("Makefile") and '"--require-hashes"' in text_of("tools/venv.py")


def wheel(folder, name, text):
    """A wheel of one module, and its line of a lock."""
    path = os.path.join(folder, f"{name}-1.0-py3-none-any.whl")
    files = {f"{name}.py": text,
             f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
             f"{name}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                                            "Tag: py3-none-any\n"}
    record = f"{name}-1.0.dist-info/RECORD"
    with zipfile.ZipFile(path, "w") as file:
        for inside, data in files.items():
            file.writestr(inside, data)
        file.writestr(record, "".join(
            f"{inside},sha256={base64.urlsafe_b64encode(hashlib.sha256(data.encode()).digest()).decode().rstrip('=')},"
            f"{len(data)}\n" for inside, data in files.items()) + f"{record},,\n")
    with open(path, "rb") as file:
        return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(file.read()).hexdigest()}\n"


@pytest.mark.parametrize("case, said", [
    ("whole", ""), ("another thing", "DO NOT MATCH THE HASHES"), ("another setuptools", "DO NOT MATCH THE HASHES")])
@pytest.mark.turn
def test_an_environment_of_a_lock(tmp_path, case, said):
    """tools/venv.py installs what matches the hashes, or nothing; without a network."""
    lines = [wheel(tmp_path, name, "value = 1\n") for name in ("setuptools", "thing")]
    (tmp_path / "lock").write_text(f"# made\n{''.join(lines)}    # via -r requirements.txt\n")
    if case.startswith("another"):
        wheel(tmp_path, case.split()[1], "value = 2\n")
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "venv.py"), str(tmp_path / "venv"),
                           str(tmp_path / "lock")], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path),
                                          "PIP_NO_CACHE_DIR": "1"})
    assert (done.returncode == 0) == (case == "whole") == (tmp_path / "venv" / ".ready").exists(), done.stdout
    assert said in done.stdout
