"""Makes pictures of what examples/reyes/reyes.c renders, with Python's standard library alone.

    reyes.py teapot.ppm --out teapot.png              one frame: a PNG
    reyes.py turn.ppm --out turn.png --a-second 25    several frames: an animated PNG
    reyes.py --table hand_tuned.json learned.json     Table 2 of Weber and Goesele (2014), with theirs beside it
"""
import argparse
import json
import re
import struct
import sys
import zlib

PRINTED = {"dice_shade": ("Dice & Shade", 3834.31, 3642.73, 3673.72), "paint": ("Paint", 630.90, 601.69, 602.90),
           "compact": ("Compact", 374.01, 351.90, 351.50), "bound_split": ("Bound & Split", 67.81, 64.75, 64.90)}
PRINTED_RATES = (20.37, 21.45, 21.31)  # frames a second: hand-tuned, complete, small


class BadPicture(Exception):
    pass


def read_frames(data):
    """[(width, height, rows of red, green and blue)] of PPM pictures one after another."""
    frames, at = [], 0
    while at < len(data):
        match = re.compile(rb"P6\n(\d+) (\d+)\n255\n").match(data, at)
        if not match:
            raise BadPicture(f"frame {len(frames) + 1}: no picture begins at byte {at}")
        width, height = map(int, match.groups())
        at = match.end() + 3 * width * height
        if at > len(data):
            raise BadPicture(f"frame {len(frames) + 1}: {at - len(data)} bytes of its {width} x {height} pixels are "
                             "missing")
        frames.append((width, height, data[match.end():at]))
    if not frames:
        raise BadPicture("no frames")
    if len({frame[:2] for frame in frames}) > 1:
        raise BadPicture("frames of several sizes")
    return frames


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed(width, height, rows):
    """Rows as PNG packs them: each as differences from the row above, which compress well."""
    stride, lines, above = 3 * width, bytearray(), bytes(3 * width)
    for y in range(height):
        row = rows[y * stride:(y + 1) * stride]
        lines.append(2)
        lines += bytes((a - b) & 255 for a, b in zip(row, above))
        above = row
    return zlib.compress(bytes(lines), 9)


def png(frames, a_second):
    """The bytes of a PNG; of an animation where there are several frames."""
    width, height, _ = frames[0]
    parts = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))]
    number = 0
    if len(frames) > 1:
        parts.append(chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    for place, (_, _, rows) in enumerate(frames):
        data = packed(width, height, rows)
        if len(frames) > 1:
            parts.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, a_second, 0, 0)))
            number += 1
        if place == 0:
            parts.append(chunk(b"IDAT", data))
        else:
            parts.append(chunk(b"fdAT", struct.pack(">I", number) + data))
            number += 1
    return b"".join([*parts, chunk(b"IEND", b"")])


def table(paths):
    """Table 2: a column a file, beside what the paper prints."""
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found.append(json.load(file))
    print(f"{'kernel':<14}" + "".join(f"{one['layouts'][:14]:>15}" for one in found) + "   printed (GTX680): "
          "hand-tuned   complete      small")
    for kernel, (name, *printed) in PRINTED.items():
        print(f"{name:<14}" + "".join(f"{one['ms'][kernel]:>15.2f}" for one in found) + " " * 20 +
              "".join(f"{ms:>11.2f}" for ms in printed))
    totals = [sum(one["ms"][kernel] for kernel in PRINTED) for one in found]
    print(f"{'Total':<14}" + "".join(f"{total:>15.2f}" for total in totals) + " " * 20 +
          "".join(f"{sum(row[1 + k] for row in PRINTED.values()):>11.2f}" for k in range(3)))
    print(f"{'frames a second':<14}" + "".join(f"{one['frames_a_second']:>15.2f}" for one in found)[1:] + " " * 20 +
          "".join(f"{rate:>11.2f}" for rate in PRINTED_RATES))
    for one, total in zip(found[1:], totals[1:]):
        print(f"{one['layouts']}: {totals[0] / total:.3f} times the speed of {found[0]['layouts']} "
              f"({found[0]['device']}, {found[0]['frames']} frames of {found[0]['width']} x {found[0]['height']})")


def main(argv):
    parser = argparse.ArgumentParser(description="makes pictures of what reyes renders")
    parser.add_argument("frames", nargs="?", help="of reyes --out")
    parser.add_argument("--out", default="build/teapot.png")
    parser.add_argument("--a-second", type=int, default=25)
    parser.add_argument("--table", nargs="+", metavar="FILE.json", help="of reyes --table; the first is the base")
    arguments = parser.parse_args(argv)
    if arguments.table:
        table(arguments.table)
        return 0
    if not arguments.frames:
        parser.error("frames, or --table")
    try:
        with open(arguments.frames, "rb") as file:
            frames = read_frames(file.read())
    except (OSError, BadPicture) as error:
        print(f"{arguments.frames}: {error}", file=sys.stderr)
        return 2
    with open(arguments.out, "wb") as file:
        file.write(png(frames, arguments.a_second))
    print(f"{arguments.out}: {len(frames)} frame{'s' * (len(frames) > 1)} of {frames[0][0]} x {frames[0][1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
