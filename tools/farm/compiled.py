"""C files as shared objects for ctypes."""
import ctypes
import fcntl
import os
import subprocess

from tools import bench


def library(name, sources, headers, options, error, libraries=()):
    """build/NAME, loaded; compiled only after a source or a header changed. Paths are relative to the project.
    error: the exception with the compiler's message."""
    target = os.path.join(bench.BUILD, name)
    command = [os.environ.get("CC", "gcc"), *options, "-shared", "-fPIC", *sources, *libraries, "-o"]
    stamp = bench.stamp_of([*sources, *headers], command)
    os.makedirs(bench.BUILD, exist_ok=True)
    with open(f"{target}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another program may be building it
        if not bench.current(target, stamp):
            fresh = f"{target}.fresh"  # a loaded library stays whole
            try:
                done = subprocess.run([*command, fresh], cwd=bench.ROOT, check=False, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
            except OSError as failure:
                raise error(f"{command[0]}: {failure.strerror}") from failure
            if done.returncode:
                raise error(done.stdout.decode(errors="replace").strip())
            os.replace(fresh, target)
            bench.sign(target, stamp)
    return ctypes.CDLL(target)
