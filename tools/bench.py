#!/usr/bin/env python3
"""make bench: ours, the peers and the roofs on this GPU (Python's standard library only).

Builds build/gp_bench with gcc and build/libgp_peers.so with nvcc (left out where there is no nvcc), each only when its
sources changed; runs the list of cells; writes JSON Lines to ci/measurements/<device>/; prints the ratios last.

    tools/bench.py                        the standard list (below 9 minutes on an H200)
    tools/bench.py --quick                three sizes of six types (a minute)
    tools/bench.py --cells FILE           a list of your own: a cell a line, see the top of tools/gp_cells.h
    tools/bench.py --cell "reduce SUM f32 bytes=1G" --policy threads=256 --policy threads=1024
    tools/bench.py --host                 on the host back end, whatever there is
    tools/bench.py --list                 prints the cells, runs nothing
    tools/bench.py --show FILE            the table of a file measured before
    tools/bench.py --build-only           builds, runs nothing
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

# ---- the cells -------------------------------------------------------------------------------------------------------

TYPES = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64", "s12", "s16"]
FIRST_TYPES = ["u8", "u16", "u32", "u64", "f16", "f32", "f64", "s16"]  # measured at more sizes, and in graphs
SIZES = [4 * KIB << 2 * k for k in range(10)]  # 4 KiB to 1 GiB
GRAPH_SIZES = [4 * KIB, 64 * KIB, MIB, 4 * MIB, 16 * MIB]
PRIMITIVES = ["copy", "reduce SUM", "exclusive_scan SUM"]


def size_text(size):
    for unit, name in ((GIB, "G"), (MIB, "M"), (KIB, "K")):
        if size >= unit:
            return f"{size // unit}{name}"
    return str(size)


def standard_cells():
    """Largest sizes first: what a run that is cut short must have."""
    cells = []
    for size in reversed(SIZES):
        for primitive in PRIMITIVES:
            for type_ in TYPES:
                if type_ not in FIRST_TYPES and size not in (GIB, 64 * MIB, MIB, 64 * KIB):
                    continue
                cells.append(f"{primitive} {type_} bytes={size_text(size)}")
                if size in GRAPH_SIZES and type_ in FIRST_TYPES:
                    cells.append(f"{primitive} {type_} bytes={size_text(size)} protocol=graph")
        if size in (GIB, 32 * MIB, 64 * MIB, MIB):
            text = f"bytes={size_text(size)}"
            cells += [
                # sums in a wider accumulator
                f"reduce SUM u8 {text} out=u64", f"reduce SUM u16 {text} out=u32", f"reduce SUM f16 {text} out=f32",
                f"reduce SUM f32 {text} out=f64",
                # other operators and moves
                f"reduce MAX f32 {text}", f"reduce MIN i32 {text}", f"inclusive_scan SUM f32 {text}",
                f"fill u8 {text}", f"fill u32 {text}", f"transform NEGATE f32 {text}", f"transform2 SUM f32 {text}",
                # off the 16-byte grid: one element; input and output apart
                f"copy u8 {text} in_offset=1", f"copy u8 {text} in_offset=3 out_offset=3",
                f"copy u8 {text} in_offset=5 out_offset=2", f"copy f32 {text} in_offset=4",
                f"reduce SUM u8 {text} in_offset=1", f"reduce SUM f32 {text} in_offset=4",
                f"exclusive_scan SUM u8 {text} in_offset=1 out_offset=1",
                f"exclusive_scan SUM u8 {text} in_offset=3 out_offset=2",
                f"exclusive_scan SUM u32 {text} in_offset=4 out_offset=4",
                f"exclusive_scan SUM u32 {text} in_offset=4", f"exclusive_scan SUM f64 {text} in_offset=8",
            ]
    return cells


def quick_cells():
    return [f"{primitive} {type_} bytes={size_text(size)}" for size in (GIB, 16 * MIB, 64 * KIB)
            for primitive in PRIMITIVES for type_ in ("u8", "u16", "u32", "u64", "f32", "s16")]


def host_cells():
    return [f"{primitive} {type_} bytes={size_text(size)}" for size in (16 * MIB, MIB, 64 * KIB)
            for primitive in PRIMITIVES for type_ in ("u8", "u16", "u32", "u64", "f16", "f32", "f64")]


# ---- building --------------------------------------------------------------------------------------------------------


def run(command, **options):
    try:
        subprocess.run(command, check=True, cwd=ROOT, **options)
    except subprocess.CalledProcessError as error:
        sys.exit(f"bench.py: exit status {error.returncode} of: {' '.join(command)}")


def read(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def stamp_of(sources, command):
    digest = hashlib.sha256()
    for source in sources:
        digest.update(read(source))
    digest.update("\0".join(command).encode())
    return digest.hexdigest()


def current(target, stamp):
    """Contents decide, not times: a copied tree needs no new build."""
    try:
        with open(f"{target}.stamp", encoding="utf-8") as file:
            return os.path.exists(target) and file.read() == stamp
    except OSError:
        return False


def sign(target, stamp):
    with open(f"{target}.stamp", "w", encoding="utf-8") as file:
        file.write(stamp)


def openmp(compiler):
    probe = subprocess.run([compiler, "-fopenmp", "-x", "c", "-", "-o", os.devnull], input=b"int main(void){return 0;}",
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return ["-fopenmp"] if probe.returncode == 0 else []


def build_bench():
    compiler = os.environ.get("CC", "gcc")
    command = [compiler, "-O2", "-g", "-std=gnu11", "-Wall", "-Wextra", *openmp(compiler), "-I.", "-Itools",
               "tools/gp_bench.c", "-o", "build/gp_bench", "-ldl", "-lpthread", "-lm"]
    sources = ["gpuprims.h", "tools/gp_bench.c", "tools/gp_cells.h", "tools/gp_cuda.h",
               "tools/peers/data.h", "tools/peers/peers.h"]
    if os.path.exists(os.path.join(ROOT, "gpuprims_policies.h")):
        sources.append("gpuprims_policies.h")
    stamp = stamp_of(sources, command)
    target = os.path.join(BUILD, "gp_bench")
    if not current(target, stamp):
        print("bench.py: compiling gp_bench", file=sys.stderr, flush=True)
        run(command)
        sign(target, stamp)
    return target


def find_nvcc():
    return shutil.which(os.environ.get("NVCC", "nvcc")) or shutil.which("/usr/local/cuda/bin/nvcc")


def device_architecture():
    """sm_90 and so on, or None where nvidia-smi does not say."""
    try:
        text = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], check=True,
                              timeout=60, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        match = re.match(r"(\d+)\.(\d+)", text.strip())
        return f"sm_{match.group(1)}{match.group(2)}" if match else None
    except (OSError, subprocess.SubprocessError):
        return None


def build_peers(architecture=None):
    """The path, or None with the reason printed. `architecture`: sm_90 and so on; None: the machine's."""
    nvcc = find_nvcc()
    target = os.path.join(BUILD, "libgp_peers.so")
    architecture = architecture or device_architecture()
    if not architecture:
        print("bench.py: no GPU, so no peers", file=sys.stderr)
        return None
    flags = ["-O3", "-std=c++17", f"-arch={architecture}", "-Xcompiler", "-fPIC,-fvisibility=hidden"]
    stamp = stamp_of(["tools/peers/peers.cu", "tools/peers/peers.h", "tools/peers/data.h"], flags)
    if current(target, stamp):
        return target
    if not nvcc:
        print("bench.py: no nvcc, so no peers", file=sys.stderr)
        return None
    print(f"bench.py: compiling the peers for {architecture} (half a minute)", file=sys.stderr, flush=True)
    parts = range(5)
    objects = [f"build/gp_peers_{part}.o" for part in parts]

    def compile_part(part):
        run([nvcc, *flags, f"-DGP_PEERS_PART={part}", "-c", "tools/peers/peers.cu", "-o", objects[part]])

    with concurrent.futures.ThreadPoolExecutor(max_workers=min(5, os.cpu_count() or 1)) as pool:
        for job in [pool.submit(compile_part, part) for part in parts]:
            job.result()
    run([nvcc, "-shared", f"-arch={architecture}", "-cudart", "static", *objects, "-o", target, "-ldl"])
    for name in objects:
        os.remove(os.path.join(ROOT, name))
    sign(target, stamp)
    return target


# ---- the table -------------------------------------------------------------------------------------------------------


def load(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def name_of(sample):
    """What a row of the table is about: everything of a cell but its size."""
    parts = [sample["primitive"]]
    if sample["op"]:
        parts.append(sample["op"])
    parts.append(sample["in"] if sample["in"] == sample["out"] else f"{sample['in']}>{sample['out']}")
    if sample["in_offset"] or sample["out_offset"]:
        parts.append(f"+{sample['in_offset']}/+{sample['out_offset']}")
    if sample["dist"] != "uniform":
        parts.append(sample["dist"])
    return " ".join(parts)


def input_bytes(sample):
    """The size by which cells are lined up: bytes of the input (of the output where there is none), rounded to a power
    of two, because sizes of 12 do not divide one."""
    sizes = {"8": 1, "16": 2, "32": 4, "64": 8}
    one = {"s12": 12, "s16": 16}.get(sample["in"]) or sizes[sample["in"].lstrip("iufb")]
    size = sample["n"] * one
    return 1 << (size - 1).bit_length()


def print_table(records, out=sys.stdout):
    """ours / roof and ours / peer (the fastest one), a row a cell, a column a size."""
    wrong = [r for r in records if r["kind"] == "sample" and r["status"] != "ok"]
    for protocol in ("cold", "back_to_back", "graph"):
        rows, sizes = {}, set()
        for r in records:
            if r["kind"] != "sample" or r["variant"] != "ours" or r["label"] != "default" or r["protocol"] != protocol:
                continue
            size = input_bytes(r)
            sizes.add(size)
            if r["status"] != "ok":
                text = "WRONG" if r["status"].startswith("WRONG") else "failed"
            else:
                text = f"{r['of_roof']:.2f}" if "of_roof" in r else "-"
                text += f"/{r['of_peer']:.2f}" if "of_peer" in r else "/-"
            rows.setdefault(name_of(r), {})[size] = text
        if not rows:
            continue
        sizes = sorted(sizes)
        width = max(len(name) for name in rows)
        print(f"\n{protocol}: GB/s of the roof / times the peer's speed", file=out)
        print(" " * width + "".join(f"{size_text(size):>11}" for size in sizes), file=out)
        for name, row in rows.items():
            print(f"{name:<{width}}" + "".join(f"{row.get(size, ''):>11}" for size in sizes), file=out)
    for r in wrong[:20]:
        print(f"{r['cell']} [{r['label']}]: {r['status']}", file=out)
    if len(wrong) > 20:
        print(f"... and {len(wrong) - 20} more", file=out)


def folder_name(device):
    return re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--cells", metavar="FILE")
    parser.add_argument("--cell", action="append", default=[])
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("--out", metavar="FOLDER", help="instead of ci/measurements/<device>")
    parser.add_argument("--seconds", type=float, default=500, help="start no cell after so long")
    parser.add_argument("--peers", default=None, help="cub,cuda,thrust,cublas, or none")
    parser.add_argument("--arch", help="of the peers, where the GPU is on another machine")
    parser.add_argument("--commit", default=None)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", metavar="FILE")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="every cell as it is measured")
    args = parser.parse_args()
    if args.show:
        print_table(load(args.show))
        return 0
    if args.cell or args.cells:
        cells = list(args.cell)
        if args.cells:
            with open(args.cells, encoding="utf-8") as file:
                cells += [line.split("#")[0].strip() for line in file if line.split("#")[0].strip()]
    else:
        cells = quick_cells() if args.quick else host_cells() if args.host else standard_cells()
    if args.list:
        print("\n".join(cells))
        return 0
    start = time.monotonic()
    os.makedirs(BUILD, exist_ok=True)
    bench = build_bench()
    peers = None if args.host else build_peers(args.arch)
    if args.build_only:
        return 0
    commit = args.commit
    if commit is None:
        answer = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        commit = answer.stdout.decode().strip() if answer.returncode == 0 else ""
    fresh = os.path.join(BUILD, "bench.jsonl.new")
    if os.path.exists(fresh):
        os.remove(fresh)
    command = [bench, "--cells", "-", "--out", fresh, "--commit", commit,
               "--seconds", str(max(1, args.seconds - (time.monotonic() - start)))]
    if peers:
        command += ["--peers-library", peers]
    if args.peers is not None:
        command += ["--peers", args.peers]
    for policy in args.policy:
        command += ["--policy", policy]
    if args.host:
        command += ["--backend", "host"]
    if not (args.cell or args.cells or args.host):
        command += ["--overhead", "--first-call"]
    show = args.verbose or args.cell or args.cells
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True)
    process.stdin.write("\n".join(cells) + "\n")
    process.stdin.close()
    with open(os.path.join(BUILD, "bench.log"), "w", encoding="utf-8") as log:
        in_cells = False
        for line in process.stdout:
            log.write(line)
            # Cells and their indented lines go to the log; the rest (environment, overhead, first call) is short.
            if line.strip() in cells:
                in_cells = True
            elif not line.startswith("  "):
                in_cells = False
            if show or not in_cells:
                print(line, end="", flush=True)
    status = process.wait()
    if not os.path.exists(fresh) or not os.path.getsize(fresh):
        return status or 3
    records = load(fresh)
    environment = records[0]
    date = environment["date"][:10]
    folder = args.out or (os.path.join(BUILD, "measurements") if args.cell or args.cells or args.host or args.quick else
                          os.path.join(ROOT, "ci", "measurements", folder_name(environment["device"])))
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, f"{date}.jsonl")
    if not args.cell and not args.cells and not args.quick and not args.host:
        shutil.copyfile(fresh, target)  # the standard list: the day's latest run
    else:
        with open(target, "a", encoding="utf-8") as file, open(fresh, encoding="utf-8") as new:
            file.write(new.read())
    print_table(records)
    print(f"\nwritten to {os.path.relpath(target, ROOT)}; every cell is in build/bench.log")
    return status


if __name__ == "__main__":
    sys.exit(main())
