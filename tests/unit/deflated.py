#!/usr/bin/env python3
"""Prints texts and what the library inflates to them, for test_inflate.cpp: `tests/unit/deflated.py SEED COUNT`. Each
has a line with its bytes as hexadecimal digits, or `-` (none), or `before` (200 that match what precedes them); one
with the number of lines of digits; and these lines. All kinds of blocks, matches of every length and distance, and
codes of up to 15 bits are among them."""
import random
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import amalgamate  # noqa: E402

KINDS = ((0, zlib.Z_DEFAULT_STRATEGY), (9, zlib.Z_DEFAULT_STRATEGY), (1, zlib.Z_DEFAULT_STRATEGY), (9, zlib.Z_FIXED),
         (9, zlib.Z_HUFFMAN_ONLY), (6, zlib.Z_RLE))


def texts(count):
    yield from (b"", b"x", b"x" * 70000, bytes(range(256)) * 300)
    skewed = [bytes([i]) * int(1.6 ** (25 - i)) for i in range(25)]  # long codes
    yield b"".join(skewed)
    for _ in range(count):
        alphabet = random.randrange(1, 257)
        words = [bytes(random.randrange(alphabet) for _ in range(random.randrange(1, 300))) for _ in range(40)]
        yield b"".join(random.choice(words) for _ in range(random.randrange(400)))


def main():
    random.seed(int(sys.argv[1]))
    for at, text in enumerate(texts(int(sys.argv[2]))):
        level, strategy = KINDS[at % len(KINDS)]
        packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
        cut = random.randrange(len(text) + 1)
        data = packer.compress(text[:cut]) + packer.flush(zlib.Z_FULL_FLUSH) + packer.compress(text[cut:])
        lines = amalgamate.in_digits(data + packer.flush())
        print(text.hex() or "-", len(lines), *lines, sep="\n")
    words = bytes(random.randrange(256) for _ in range(200))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=words)  # its matches begin before the text
    lines = amalgamate.in_digits(packer.compress(words) + packer.flush())
    print("before", len(lines), *lines, sep="\n")


main()
