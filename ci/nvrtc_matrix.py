#!/usr/bin/env python3
"""The library's kernels under several versions of NVRTC, which need no GPU (Python's standard library only).

    ci/nvrtc_matrix.py [VERSION ...] [--out FOLDER] [--docs docs/support.md]

ci/nvrtc_matrix.lock lists the wheels. pip installs each below FOLDER (build/nvrtc), and tests/unit/test_kernel_source.c
runs on its library: messages of the compiler, kernels for each architecture that it knows, users' types and operators,
the disk cache, layouts; or, of a version that is too old, the message that says so. VERSION, such as 12.4, picks some
of them. FOLDER gets matrix.json; --docs writes the table between the marks of that page. The last line is "N passed,
N failed, N skipped".

Exit status: 0 all versions passed; 1 one failed; 2 a wheel or the test cannot be had.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOCK = os.path.join(ROOT, "ci", "nvrtc_matrix.lock")
BEGIN, END = "<!-- ci/nvrtc_matrix.py --docs writes this table -->\n", "<!-- end of the table -->\n"
BLOCK = re.compile(r"^(nvidia-cuda-nvrtc[\w-]*==(\d+\.\d+)\.[\d.]+ \\\n(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)",
                   re.M)
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")


class CannotRun(Exception):
    pass


def wheels(text):
    """{version: the lines of pip's requirements file that name the wheel}"""
    return {version: block for block, version in BLOCK.findall(text)}


def install(block, folder):
    """Installs the wheel of a block into `folder`, and returns the path of its libnvrtc."""
    os.makedirs(folder, exist_ok=True)
    wanted = os.path.join(folder, "wheel.txt")
    if not os.path.exists(wanted) or open(wanted, encoding="utf-8").read() != block:
        with open(f"{wanted}.new", "w", encoding="utf-8") as file:
            file.write(block)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                               "--no-deps", "--only-binary", ":all:", "--upgrade", "--require-hashes", "--target",
                               folder, "-r", f"{wanted}.new"], check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise CannotRun(f"{block.split()[0]}: {done.stdout.strip()}")
        os.replace(f"{wanted}.new", wanted)
    found = [path for path in sorted(glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libnvrtc.so.*")))
             if "alt" not in os.path.basename(path)]
    if not found:
        raise CannotRun(f"{block.split()[0]}: the wheel has no libnvrtc.so")
    return os.path.abspath(found[0])


def build(folder):
    program = os.path.join(folder, "kernel_source")
    done = subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-O1", "-I.", "tests/unit/test_kernel_source.c",
                           "-o", program, "-ldl", "-lpthread", "-lm"], cwd=ROOT, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise CannotRun(done.stdout)
    return program


def judge(version, code, output):
    """What one run says, as a line of the table."""
    lines = output.strip().split("\n")
    counts = COUNTS.match(lines[-1])
    ran = next(filter(None, (re.match(r"NVRTC ([\d.]+):((?: \d+)+| refused)$", line) for line in lines)), None)
    known = re.findall(r"\d+", ran.group(2)) if ran else []
    row = {"version": version, "architectures": known, "passed": 0, "failed": 1}
    if counts:
        row.update(passed=int(counts.group(1)), failed=int(counts.group(2)))
    wrong = "ended without counts" if not counts else \
        "was skipped" if not ran or int(counts.group(3)) else \
        f"ran on NVRTC {ran.group(1)}" if ran.group(1) != version else \
        f"ended with {code}" if code and not row["failed"] else ""
    if wrong:
        row.update(failed=max(row["failed"], 1))
    return row, wrong


def table(rows, blocks):
    lines = ["| NVRTC | wheel | compute capabilities that it compiles for, from 7.5 on | test_kernel_source |",
             "|---|---|---|---|"]
    for row in rows:
        known = [f"{int(one) // 10}.{int(one) % 10}" for one in row["architectures"] if int(one) >= 75]
        lines.append(f"| {row['version']} | {blocks[row['version']].split()[0]} | {', '.join(known) or 'refused'} | "
                     f"{row['passed']} passed, {row['failed']} failed |")
    return "\n".join(lines) + "\n"


def write_table(page, text):
    with open(page, encoding="utf-8") as file:
        before, found, rest = file.read().partition(BEGIN)
    after = rest.partition(END)
    if not found or not after[1]:
        raise CannotRun(f"{page} lacks the marks of the table")
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + text + END + after[2])


def main(words=None):
    parser = argparse.ArgumentParser(description="kernels under several versions of NVRTC")
    parser.add_argument("versions", nargs="*")
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "nvrtc"))
    parser.add_argument("--docs")
    options = parser.parse_args(words)
    with open(LOCK, encoding="utf-8") as file:
        blocks = wheels(file.read())
    unknown = [version for version in options.versions if version not in blocks]
    rows, passed, failed = [], 0, 0
    try:
        if unknown:
            raise CannotRun(f"{LOCK} has no NVRTC {', '.join(unknown)}: it has {', '.join(blocks)}")
        out = os.path.abspath(options.out)
        os.makedirs(out, exist_ok=True)
        program = build(out)
        for version in options.versions or blocks:
            library = install(blocks[version], os.path.join(out, version))
            folders = [os.path.dirname(library), os.environ.get("LD_LIBRARY_PATH", "")]
            done = subprocess.run([program, library], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", cwd=out,
                                  env={**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, folders))})
            row, wrong = judge(version, done.returncode, done.stdout)
            rows.append(row)
            passed, failed = passed + row["passed"], failed + row["failed"]
            print(f"NVRTC {version}: {row['passed']} passed, {row['failed']} failed {wrong}".rstrip(), flush=True)
            if row["failed"]:
                print("".join(f"    {line[:200]}\n" for line in done.stdout.strip().split("\n")[-40:]), end="")
        with open(os.path.join(out, "matrix.json"), "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
        if options.docs and not options.versions:
            write_table(options.docs, table(rows, blocks))
    except CannotRun as error:
        print(error)
        return 2
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
