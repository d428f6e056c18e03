#!/usr/bin/env python3
"""Worlds on a GPU: NCCL with one rank and with a rank a GPU; tests/world/loopback.c, whose eight ranks share one GPU.

    tests/gpu/worlds.py [--quick] [--several] [--program FILE --loopback FILE] [--seconds N]

FILE: tests/world/world.c and tests/world/loopback.c as built before; otherwise they are built. Parts of the program run
in processes of their own, since most of their time is compilation. Of parts that do not end in N seconds (400), what
they said counts, and one failure. --several: only what several GPUs add. The last line is "N passed, N failed, N
skipped".
"""
import argparse
import concurrent.futures
import glob
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CC = os.environ.get("CC", "gcc")
PARTS = [["folds", "refusals"], ["structs", "groups"], ["moves"], ["transposes"], ["parts"], ["graphs"],
         ["reproducible"], ["sorts"], ["top_k"], ["nth"], ["digits"]]
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


def find_nccl():
    """The path of NCCL: $GPUPRIMS_NCCL, the loader's, or that of the wheel which PyTorch and CuPy bring; or None."""
    if os.environ.get("GPUPRIMS_NCCL"):
        return os.environ["GPUPRIMS_NCCL"]
    for command in ("ldconfig", "/sbin/ldconfig"):
        try:
            known = subprocess.run([command, "-p"], stdout=subprocess.PIPE, text=True, check=False).stdout
        except OSError:
            continue
        found = re.search(r"libnccl\.so\.2 .*=> (\S+)", known)
        if found:
            return found.group(1)
    try:
        wheel = importlib.util.find_spec("nvidia.nccl")
    except ImportError:
        wheel = None
    for folder in wheel.submodule_search_locations if wheel else []:
        for path in sorted(glob.glob(os.path.join(folder, "lib", "libnccl.so*"))):
            return path
    return None


def jobs(program, loopback, nccl, gpus, quick, several=False):
    """[[(name, words, settings of the loopback)]]: lists that run one after the other, jobs of one at the same time."""
    def job(library, ranks, seeds, *words, settings="timeout=60000"):
        name = f"{'NCCL' if library == nccl else 'loopback'}, {ranks} ranks: " + " ".join(
            word for word in words if word != "--only")
        return name, [program, "--cuda", "--nccl", library, "--ranks", str(ranks), "--seeds", str(seeds), "--bulk",
                      "100000", *words], settings
    seeds = 2 if quick else 5
    only = [[word for part in parts for word in ("--only", part)] for parts in PARTS]
    first = [job(loopback, 2, 1, *words) for words in only]  # they compile what the others need
    rest = [job(loopback, 8, seeds, *words) for words in only]
    rest += [job(loopback, 4, 1, "--only", "sorts", "--only", "moves", settings="timeout=60000,reorder=5,delay=100")]
    rest += [job(loopback, 3, 1, "--inject", call, "--elements", "150", settings="")
             for call in ("reduce", "scan", "select", "sort", "group_by")]
    if nccl:
        rest += [job(nccl, 1, seeds, *words, "--own") for words in only]
        rest += [job(nccl, 1, seeds, "--capture", "--only", "capture")]
    stages = [first] if several else [first, rest]
    if nccl and gpus > 1:  # alone: kernels of NCCL wait for one another, and want the GPUs for themselves
        stages += [[job(nccl, gpus, seeds, "--capture")],
                   [job(nccl, gpus, seeds, "--capture", "--own", "--only", "capture", "--only", "folds")]]
    return stages


def run(job, limit):
    name, words, settings = job
    if limit < 5:
        print(f"{name:<44} not begun: no time left", flush=True)
        return 0, 1, 0
    begin = time.monotonic()
    try:
        done = subprocess.run(words, env={**os.environ, "GPUPRIMS_LOOPBACK": settings}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=max(limit, 1), check=False)
        output, problem = done.stdout.decode(errors="replace"), done.returncode and f"exit status {done.returncode}"
    except subprocess.TimeoutExpired as error:
        output, problem = (error.stdout or b"").decode(errors="replace"), f"did not end in {limit:.0f} s"
    found = COUNTS.search(output)
    passed, failed, skipped = map(int, found.groups()) if found else (0, 0, 0)
    failed = failed or int(not found or bool(problem))
    print(f"{name:<44} {passed:6d} passed {failed:4d} failed {time.monotonic() - begin:6.1f} s  {problem or ''}",
          flush=True)
    if failed:
        said = [line for line in output.splitlines() if not COUNTS.match(line)]
        print("\n".join("    " + line[:250] for line in said[:12]), flush=True)
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--several", action="store_true")
    parser.add_argument("--program")
    parser.add_argument("--loopback")
    parser.add_argument("--seconds", type=float, default=400)
    args = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from run import gpu_count, gpu_reason  # pylint: disable=import-outside-toplevel
    reason = gpu_reason()
    if reason:
        print(f"skipped: worlds on a GPU: {reason}\n0 passed, 0 failed, 1 skipped")
        return 0
    begin, counts = time.monotonic(), [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        if not args.program:
            args.program, args.loopback = os.path.join(folder, "world"), os.path.join(folder, "libgp_loopback.so")
            subprocess.run([CC, "-std=gnu11", "-O1", "-DWITH_LIBRARY", "-I.", "-Itools", "tests/world/world.c", "-o",
                            args.program, "-ldl", "-lpthread", "-lm"], cwd=ROOT, check=True)
            subprocess.run([CC, "-std=gnu11", "-O2", "-shared", "-fPIC", "-pthread", "tests/world/loopback.c", "-o",
                            args.loopback, "-ldl"], cwd=ROOT, check=True)
        nccl = find_nccl()
        if not nccl:
            print("skipped: worlds by NCCL: no libnccl.so.2: pip install nvidia-nccl-cu13, or set GPUPRIMS_NCCL")
            counts[2] += 1
        at_once = max(2, min(20, os.cpu_count() or 1))
        for stage in jobs(os.path.abspath(args.program), os.path.abspath(args.loopback), nccl, gpu_count(), args.quick,
                          args.several):
            with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
                left = args.seconds - (time.monotonic() - begin)
                for done in pool.map(lambda job, left=left: run(job, left), stage):
                    counts = [a + b for a, b in zip(counts, done)]
    print(f"{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped")
    return counts[1] != 0


if __name__ == "__main__":
    sys.exit(main())
