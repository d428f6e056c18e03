"""Kernel Tuner's strategies (van Werkhoven, Kernel Tuner, FGCS 2019; PyPI: kernel_tuner) in its simulation mode, on a
measured space.

It is no requirement of this project: tools/farm/requirements.lock installs it into an environment of its own.
"""
import contextlib
import importlib.metadata
import importlib.util
import io
import itertools
import json
import os
import random
import tempfile
import time
import warnings

NAME = "Kernel Tuner"
INSTALL = "python3 tools/venv.py build/tuners tools/farm/requirements.lock, then " \
    "build/tuners/bin/python -m tools.farm online ..."
KERNEL = "space"
# It measures a whole space by this one, and takes no limit.
WITHOUT_END = ("brute_force",)
SLOWEST = 10  # seconds of a start, most of them a strategy's own: a slower one is left out


def version():
    """The installed version, or None."""
    if importlib.util.find_spec("kernel_tuner") is None:
        return None
    return importlib.metadata.version("kernel_tuner")


def strategies():
    from kernel_tuner.interface import strategy_map
    return [name for name in strategy_map if name not in WITHOUT_END]


def write_cache(space, path, times):
    """A cache file of Kernel Tuner's. times: {values: its one time}; other configurations fail at their run."""
    cache = {}
    for values in itertools.product(*space.axes):
        cache[",".join(map(str, values))] = {
            **dict(zip(space.names, values)), "time": times.get(values, "RuntimeFailedConfig"), "compile_time": 0,
            "verification_time": 0, "benchmark_time": 0}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"device_name": space.head["device"], "kernel_name": KERNEL, "problem_size": 1,
                   "tune_params_keys": space.names, "tune_params": dict(zip(space.names, space.axes)),
                   "objective": "time", "cache": cache}, file)


def run(space, strategy, path, seed, options):
    """[(values, time or None)]: each configuration once, in the order in which the strategy measured them."""
    import kernel_tuner
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, _ = kernel_tuner.tune_kernel(
            KERNEL, f"__global__ void {KERNEL}() {{}}", 1, [], dict(zip(space.names, space.axes)), strategy=strategy,
            strategy_options=options, cache=path, simulation_mode=True, seed=seed, quiet=True, lang="CUDA")
    measured = {}
    for one in found:
        values = tuple(one[name] for name in space.names)
        measured.setdefault(values, None if "__error__" in one else one["time"])
    return list(measured.items())


def job(work):
    """([what each seed measured], why the strategy is left out or ""). work: (space, strategy, seeds, limit). A
    strategy that takes a start begins at the default."""
    space, strategy, seeds, limit = work
    import numpy
    limits = {"max_fevals": limit}
    ways = [{**limits, "x0": list(space.default)}, limits]
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cache.json")
        for seed in seeds:
            began = time.monotonic()
            draw = random.Random(f"{space.head['program']} {seed}")
            write_cache(space, path, {values: draw.choice(us) for values, us in space.us.items()})
            while True:
                random.seed(seed)
                numpy.random.seed(seed)
                try:
                    runs.append(run(space, strategy, path, seed, dict(ways[0])))
                    break
                except ModuleNotFoundError as error:
                    return [], f"it needs {error.name}"
                except Exception as error:  # a strategy's own fault: its name and reason are in the results
                    if len(ways) == 2 and "x0" in str(error):
                        del ways[0]
                        continue
                    return [], f"{type(error).__name__}: {str(error)[:200]}"
            if time.monotonic() - began > SLOWEST:
                return [], f"a start takes more than {SLOWEST} s"
    return runs, ""
