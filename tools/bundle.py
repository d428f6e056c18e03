#!/usr/bin/env python3
"""A bundle file: the kernels of the commonest calls, compiled and packed (Python's standard library only).

    make bundle                                for the architectures below, on all cores: build/gpuprims.bundle
    make bundle ARGS="90 --jobs 4"             for compute capability 9.0 alone
    tools/bundle.py [--list FILE] [--out FILE] [--jobs N] [--cache FOLDER] [ARCHITECTURE...]

build/gp_bundle finds the kernels of the list (tools/bundle.txt), and compiles with NVRTC what --cache lacks: a run that
was stopped goes on where it was. Two runs with one NVRTC make the same file from the same machine code. Exit status: 0
done; 1 something is missing or does not compile.

The file, which src/core/bundle_file.c reads, is little-endian: a head; a line for each kernel, with its key, its
compute capability, and place and length of its record; the records. A record is what a file of the disk cache is: a
head, the key, an image. The image is the length of the machine code (8 bytes), and the machine code deflated. Nothing
is taken from a file with a record that is damaged.
"""
import argparse
import hashlib
import os
import struct
import subprocess
import sys
import time
import zlib
from concurrent.futures import ProcessPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
ARCHITECTURES = [75, 80, 86, 89, 90, 100, 120]
HEAD, LINE, RECORD = struct.Struct("<8s48s3Q"), struct.Struct("<40s3Q"), struct.Struct("<8s2Q32s")


def hash_bytes(data):
    """gp__hash_bytes of src/core/sha256.c."""
    value = len(data)
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


def record(kernel):
    """The record of a kernel, (key, capability, image): the image's bytes, and the image deflated."""
    key, capability, image = kernel
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    packed = struct.pack("<Q", len(image)) + packer.compress(image) + packer.flush()
    digest = hashlib.sha256(key.encode() + packed).digest()
    return key, capability, RECORD.pack(b"GPUPRIM1", len(key), len(packed), digest) + key.encode() + packed


def whole(header, records):
    """The file of records, (key, capability, record)."""
    lines, body, at = [], [], HEAD.size + LINE.size * len(records)
    for key, capability, data in sorted(records):
        lines.append(LINE.pack(key.encode(), capability, at, len(data)))
        body.append(data)
        at += len(data)
    listed = b"".join(lines)
    return HEAD.pack(b"GPUPRIMB", header.encode(), at, len(records), hash_bytes(listed)) + listed + b"".join(body)


def images(stream):
    """The kernels of gp_bundle --images."""
    while line := stream.readline():
        key, capability, size = line.decode().split()
        image = stream.read(int(size))
        if len(image) != int(size):
            return
        yield key, int(capability), image


def make(options):
    began = time.monotonic()
    command = [options.tool, "--images", os.path.abspath(options.cache), str(options.jobs), options.list,
               *map(str, options.architectures)]
    os.makedirs(options.cache, exist_ok=True)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        header = process.stdout.readline().decode().rstrip("\n")
        with ProcessPoolExecutor(options.jobs) as pool:
            kernels = list(images(process.stdout))
            records = list(pool.map(record, kernels, chunksize=16))
    if process.returncode or not records:
        print(f"bundle: gp_bundle ends with {process.returncode}", file=sys.stderr)
        return 1
    data = whole(header, records)
    new = f"{options.out}.{os.getpid()}"
    with open(new, "wb") as file:
        file.write(data)
    os.replace(new, options.out)
    raw = sum(len(image) for _, _, image in kernels)
    for one in options.architectures:
        own = [len(data) for _, capability, data in records if capability == one]
        print(f"{one:6}: {len(own)} kernels, {sum(own):,} bytes")
    print(f"{options.out}: {len(records)} kernels, {raw:,} bytes of machine code in {len(data):,}; {header}; "
          f"{time.monotonic() - began:.0f} s")
    return 0


def main():
    parser = argparse.ArgumentParser(description="packs the kernels of the commonest calls into a bundle file")
    parser.add_argument("architectures", nargs="*", type=int, metavar="ARCHITECTURE")
    parser.add_argument("--list", default=os.path.join(ROOT, "tools", "bundle.txt"))
    parser.add_argument("--out", default=os.path.join(BUILD, "gpuprims.bundle"))
    parser.add_argument("--cache", default=os.path.join(BUILD, "bundle"))
    parser.add_argument("--tool", default=os.path.join(BUILD, "gp_bundle"), help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    options.architectures = sorted(set(options.architectures or ARCHITECTURES))
    if options.jobs < 1:
        parser.error(f"--jobs is {options.jobs}, not 1 or more")
    return make(options)


if __name__ == "__main__":
    sys.exit(main())
