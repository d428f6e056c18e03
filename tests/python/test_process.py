"""The package in its process: import, threads, forks, the GIL, logging, contexts, the demo, types."""
import logging
import multiprocessing
import os
import subprocess
import sys
import threading
import time

import gpuprims as gp
import numpy as np
import pytest
from conftest import BUILT, ROOT, search_path


def python(*arguments, **more):
    env = dict(os.environ, PYTHONPATH=search_path(BUILT), **more)
    return subprocess.run([sys.executable, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


def test_import_is_small():
    """No NumPy, no ctypes, nothing opened: what an import costs, it costs every program."""
    done = python("-c", "import sys, gpuprims; print(sorted(set(sys.modules) & "
                        "{'numpy', 'torch', 'cupy', 'jax', 'scipy', 'ctypes', 'asyncio'}))")
    assert done.stdout.strip() == "[]", done.stdout


@pytest.mark.turn
def test_threads_share_the_default_context():
    x = np.random.default_rng(1).integers(0, 1000, 20_000)
    expected, wrong = np.sort(x), []

    def work(number):
        for _ in range(5):
            if not (gp.sort(x) == expected).all() or gp.sum(x + number) != x.sum() + number * x.size:
                wrong.append(number)
        gp.transform(OPERATOR, x)

    OPERATOR = gp.operator("a * 3")
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.turn
def test_calls_release_the_gil():
    """Another thread counts while a sort of some hundred milliseconds runs."""
    x, counted, done = np.random.default_rng(2).random(3_000_000), [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    start = time.perf_counter()
    gp.argsort(x)
    took, during = time.perf_counter() - start, counted[0] - before
    done.set()
    thread.join()
    assert during >= 5, f"{during} turns in {took:.3f} s"


def child(queue):
    try:
        x = np.arange(400_000)[::-1].copy()  # enough for the host back end to use threads, were it not for the fork
        queue.put([int(gp.sum(x)), bool((gp.sort(x) == x[::-1]).all()), type(parents_call()).__name__])
    except BaseException as error:
        queue.put(repr(error))


def parents_call():
    try:
        return gp.raw.gp_trim(PARENTS.handle, 0)
    except gp.GpuprimsError as error:
        return error


def test_a_forked_child_opens_its_own_context():
    global PARENTS
    PARENTS = gp.Context("host")
    x = np.arange(400_000)
    assert gp.sum(x) == x.sum() and (gp.sort(x[::-1]) == x).all()  # the parent has used threads
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    process = fork.Process(target=child, args=(queue,))
    process.start()
    try:
        assert queue.get(timeout=60) == [int(x.sum()), True, "ForkError"]
    finally:
        process.join(10)
        process.kill()
    assert gp.sum(x) == x.sum()
    PARENTS.close()


def test_logging(caplog):
    caplog.set_level(logging.INFO, "gpuprims")
    gp.Context().close()
    assert caplog.records and all(one.name == "gpuprims" for one in caplog.records)
    assert any("host" in one.getMessage() for one in caplog.records) or os.path.exists("/dev/nvidiactl")


def test_contexts():
    with gp.Context("host", host_threads=3) as context:
        assert repr(context) == "<gpuprims.Context: host, 3 threads>"
        gp.use(context)
        assert (gp.sort([2, 1]) == [1, 2]).all()
    assert repr(context) == "<gpuprims.Context: closed>"
    context.close()
    assert (gp.sort([2, 1]) == [1, 2]).all()
    assert gp.Context("host").policies() == "HOST"
    about = gp.Context("host").describe()
    assert about["name"] == "host" and about["device"] == -1


def test_show_config():
    done = python("-c", "import gpuprims, numpy; gpuprims.sort([1]); gpuprims.show_config()")
    assert done.returncode == 0 and f"gpuprims {gp.__version__}" in done.stdout
    for word in ("back end:", "NVRTC of a wheel:", "cache of kernels:", f"numpy: {np.__version__}", "open: <gpuprims"):
        assert word in done.stdout


def test_the_nvrtc_of_a_wheel(tmp_path, monkeypatch):
    from gpuprims._context import find_nvrtc

    assert find_nvrtc() is None or os.path.exists(find_nvrtc())
    place = tmp_path / "nvidia" / "cu13" / "lib"
    place.mkdir(parents=True)
    (place / "libnvrtc.so.13").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)
    assert str(place / "libnvrtc.so.13") == find_nvrtc() or "site-packages" in (find_nvrtc() or "")


@pytest.mark.turn
def test_demo():
    done = python("-m", "gpuprims.demo", CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 0 and "NumPy says the same." in done.stdout, done.stdout


@pytest.mark.turn
def test_types():
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir",
                           os.path.join(ROOT, "build", "tests", "mypy"), "-p", "gpuprims"], cwd=BUILT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout


def test_public_names_are_documented():
    for name in gp.__all__:
        one = getattr(gp, name)
        assert name == "raw" or one.__doc__, name
