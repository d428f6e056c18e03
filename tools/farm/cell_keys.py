"""Cells as text: what a cell is called, and its key. tools/tune/cells.c makes both, for gp_tune and for Python; it is
compiled once, in a second, as build/cells.so.

    read("reduce SUM f16 bytes=1M") -> (store.Cell(...), "reduce SUM f16 n=524288 protocol=cold")
"""
import ctypes
import fcntl
import functools
import json
import os
import subprocess

from tools import bench
from tools.farm import store

SOURCES = [os.path.join("tools", "tune", name) for name in ("cells.c", "json.c", "util.c")]
MOST = 2048  # bytes of a key


class CannotBuild(store.StoreError):
    """The message is the compiler's."""


@functools.cache
def library():
    """The functions of cells.c, compiled anew only where a source changed."""
    target = os.path.join(bench.BUILD, "cells.so")
    command = [os.environ.get("CC", "gcc"), "-O1", "-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", *SOURCES, "-o"]
    stamp = bench.stamp_of([*SOURCES, os.path.join("tools", "tune", "tune.h")], command)
    os.makedirs(bench.BUILD, exist_ok=True)
    with open(f"{target}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another program may be building it
        if not bench.current(target, stamp):
            fresh = f"{target}.fresh"  # what is loaded already stays whole
            try:
                done = subprocess.run([*command, fresh], cwd=bench.ROOT, check=False, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
            except OSError as error:
                raise CannotBuild(f"{command[0]}: {error.strerror}") from error
            if done.returncode:
                raise CannotBuild(done.stdout.decode(errors="replace").strip())
            os.replace(fresh, target)
            bench.sign(target, stamp)
    found = ctypes.CDLL(target)
    found.cell_key.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    return found


def read(text):
    """(store.Cell, its one text) of a cell as people write it: sizes with K, M, G, bytes= for n=, and no protocol for
    cold (of graphs: back_to_back). ValueError says what is wrong."""
    answer = ctypes.create_string_buffer(MOST)
    good = library().cell_key(text.encode(), answer, MOST)
    said = answer.value.decode(errors="replace")
    if not good:
        raise ValueError(said)
    key = json.loads(said)
    return store.cell_of(key), key["text"]
