"""The package as its users install it: pip in fresh environments, from the folder and from a source distribution. It
compiles the whole library, and so runs in the long tests."""
import glob
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import LONG, ROOT

pytestmark = pytest.mark.skipif(not LONG, reason="compiles the library: make test-long")


def run(*command, **options):
    env = {name: value for name, value in os.environ.items()
           if name not in ("PYTHONPATH", "GPUPRIMS_SYSTEM_LIBRARY", "CFLAGS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=env,
                          **options)
    if done.returncode and re.search("Could not find a version|Connection|Temporary failure", done.stdout):
        pytest.skip(f"no package index within reach: {done.stdout.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stdout
    return done.stdout


def environment(folder):
    run(sys.executable, "-m", "venv", folder)
    return os.path.join(folder, "bin", "python")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """What pip reads of a checkout, so that nothing is written to this one."""
    place = tmp_path_factory.mktemp("checkout")
    for name in ("gpuprims.h", "gpuprims_policies.h", "LICENSE"):
        shutil.copy(os.path.join(ROOT, name), place)
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "python"], stdout=subprocess.PIPE, text=True, check=True)
    for name in listed.stdout.split():
        os.makedirs(os.path.dirname(place / name), exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), place / name)
    return place


@pytest.fixture(scope="module")
def wheel(checkout, tmp_path_factory):
    """From a source distribution, which has all that it needs."""
    place = tmp_path_factory.mktemp("wheel")
    python = environment(str(place / "venv"))
    run(python, "-m", "pip", "install", "--quiet", "build")
    run(python, "-m", "build", "--sdist", "--outdir", str(place), str(checkout / "python"))
    (source,) = glob.glob(str(place / "*.tar.gz"))
    run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(place), source, cwd=place)
    (made,) = glob.glob(str(place / "*.whl"))
    return made


def test_the_folder(checkout, tmp_path):
    """pip install ./python && python -m gpuprims.demo"""
    python = environment(str(tmp_path / "venv"))
    run(python, "-m", "pip", "install", "--quiet", str(checkout / "python"))
    assert "NumPy says the same." in run(python, "-m", "gpuprims.demo", cwd=tmp_path)
    assert "back end:" in run(python, "-c", "import gpuprims; gpuprims.show_config()", cwd=tmp_path)


def test_the_wheel(wheel, tmp_path):
    assert re.search(r"gpuprims-[\d.]+-cp310-abi3-linux_\w+\.whl$", wheel)
    assert os.path.getsize(wheel) <= 3_000_000
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("gpuprims/_gpuprims.abi3.so", "gpuprims/raw.pyi", "gpuprims/py.typed", "gpuprims/__init__.py"):
        assert name in names
    assert not any(name.endswith((".h", ".c")) for name in names)
    python = environment(str(tmp_path / "venv"))
    run(python, "-m", "pip", "install", "--quiet", wheel)
    assert "NumPy says the same." in run(python, "-m", "gpuprims.demo", cwd=tmp_path)
    zipfile.ZipFile(wheel).extract("gpuprims/_gpuprims.abi3.so", tmp_path)
    symbols = run("nm", "-D", "--defined-only", str(tmp_path / "gpuprims" / "_gpuprims.abi3.so"))
    assert not re.search(r" gp_\w+", symbols)  # another copy of the library in the process stays itself


def test_libraries_of_arrays(wheel, tmp_path):
    """The tests that need PyTorch and JAX, in an environment that has them."""
    python = environment(str(tmp_path / "venv"))
    run(python, "-m", "pip", "install", "--quiet", wheel, "torch", "jax", "networkx", "scipy", "pytest", "hypothesis")
    names = [os.path.join(ROOT, "tests", "python", f"test_{name}.py")
             for name in ("torch", "torch_arguments", "torch_compile", "jax")]
    output = run("env", "GPUPRIMS_INSTALLED=1", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *names,
                 cwd=tmp_path)
    assert re.search(r"\d+ passed", output) and "skipped" not in output and "failed" not in output
    # NetworkX finds the backend by the wheel's entry point.
    assert "True" in run(python, "-c", "import networkx as nx; print(nx.is_connected(nx.path_graph(4), "
                         "backend='gpuprims'))", cwd=tmp_path)


def test_the_notebook(wheel, tmp_path):
    """With the packages that docs/python/requirements.txt names."""
    python = environment(str(tmp_path / "venv"))
    run(python, "-m", "pip", "install", "--quiet", wheel, "pytest", "hypothesis", "-r",
        os.path.join(ROOT, "docs", "python", "requirements.txt"))
    output = run("env", "GPUPRIMS_INSTALLED=1", python, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                 os.path.join(ROOT, "tests", "python", "test_notebook.py"), cwd=tmp_path)
    assert re.search(r"2 passed", output) and "skipped" not in output
