"""Makes the twelve scenes that examples/layouts/layouts.c bins: boxes of triangles, 69 thousand to 28 million.

    scenes.py build/scenes                 all of them, 1.3 GB
    scenes.py build/scenes --share 0.001   the same, with a thousandth of the triangles

The scenes of Weber and Goesele's evaluation (Auto-Tuning Complex Array Layouts for GPUs, 2014) are not published.
These are of the same kinds and sizes: closed surfaces as of 3D scanners, buildings of axis-parallel walls, fleets of
cars, and artificial structures. TRAINING are the four that the paper trains with (69 k, 282 k, 1 M, 10 M triangles; two
scans, two buildings); the other eight judge. A file is "GPBOXES1", the number of boxes (8 bytes), and of each its low
x, y, z and high x, y, z (floats). The same numbers in every run.
"""
import argparse
import os
import struct
import sys

import numpy as np

TRAINING = {"scan_69k": ("scan", 69451), "building_282k": ("building", 282664), "scan_1m": ("scan", 1087716),
            "building_10m": ("building", 10021000)}
JUDGING = {"scan_871k": ("scan", 871414), "scan_28m": ("scan", 28055742), "building_530k": ("building", 530168),
           "building_2m": ("building", 2014672), "cars_180k": ("cars", 180400), "cars_4m": ("cars", 4205000),
           "soup_100k": ("soup", 100000), "dust_7m": ("dust", 7219045)}
CHUNK = 1 << 20  # triangles


def scan(numbers, count, _):
    """A closed surface with waves, triangle by triangle along its rows."""
    across = int(count ** 0.5) + 1
    rows = -(-count // (2 * across))
    row, column = np.divmod(numbers, 2 * across)
    odd, column = column % 2, column // 2

    def vertex(r, c):
        v, u = np.pi * r / rows, 2 * np.pi * c / across
        radius = 1 + 0.2 * np.sin(7 * u + 3 * v) * np.sin(5 * v)
        return np.stack([radius * np.sin(v) * np.cos(u), radius * np.sin(v) * np.sin(u), 1.5 * radius * np.cos(v)], 1)

    return [vertex(row, column + odd), vertex(row + odd, column + 1 - odd), vertex(row + 1, column + odd)]


def building(numbers, count, rng):
    """Walls and floors on a grid of rooms; a wall is a strip of triangles."""
    strip = 64
    wall = numbers // strip
    walls = -(-count // strip) + 1
    place = rng.integers(0, 40, (walls, 3))[wall] * np.array([3.0, 3.0, 2.8])
    axis = rng.integers(0, 3, walls)[wall]
    along, step = numbers % strip // 2, 3.0 / (strip / 2)
    found = []
    for first, second in ((0, 0), (1, 0), (0, 1)):
        at = place.copy()
        flip = numbers % 2
        a = along * step + (first ^ flip) * step
        b = (second ^ flip) * 2.8
        rows = np.arange(len(numbers))
        at[rows, (axis + 1) % 3] += a
        at[rows, (axis + 2) % 3] += b
        found.append(at)
    return found


def cars(numbers, count, rng):
    """Bodies of a few thousand triangles each, in a car park."""
    body = 5000
    bodies = -(-count // body) + 1
    centre = np.column_stack([rng.integers(0, 60, (bodies, 2)) * [5.5, 2.6], np.full(bodies, 0.7)])[numbers // body]
    u, v = rng_of(numbers, 1) * 2 * np.pi, np.arccos(1 - 2 * rng_of(numbers, 2))
    found = []
    for k in range(3):
        du, dv = 0.05 * (k == 1), 0.05 * (k == 2)
        found.append(centre + np.stack([2.2 * np.sin(v + dv) * np.cos(u + du), 0.9 * np.sin(v + dv) * np.sin(u + du),
                                        0.7 * np.cos(v + dv)], 1))
    return found


def soup(numbers, count, _):
    """Random triangles of any size."""
    del count
    centre = np.stack([rng_of(numbers, k) for k in range(3)], 1)
    size = (0.3 * rng_of(numbers, 3) ** 6)[:, None]
    return [centre + size * (np.stack([rng_of(numbers, 4 + 3 * corner + k) for k in range(3)], 1) - 0.5)
            for corner in range(3)]


def dust(numbers, count, _):
    """Small triangles at the points of a Sierpinski tetrahedron."""
    del count
    at, scale, left = np.zeros((len(numbers), 3)), 0.5, numbers.copy()
    corners = np.array([[0, 0, 0], [1, 0, 0], [0.5, 0.87, 0], [0.5, 0.29, 0.82]])
    for _ in range(12):
        at += scale * corners[left % 4]
        left, scale = left // 4, scale / 2
    return [at + scale * np.eye(3)[corner] for corner in range(3)]


def rng_of(numbers, stream):
    """A number of [0, 1) for each triangle, by a hash."""
    x = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(stream * 0x632BE5AB)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return (x >> np.uint64(40)).astype(float) / 2**24


KINDS = {"scan": scan, "building": building, "cars": cars, "soup": soup, "dust": dust}


def boxes(kind, count):
    """The boxes of a scene, in chunks."""
    for first in range(0, count, CHUNK):
        numbers = np.arange(first, min(first + CHUNK, count))
        corners = KINDS[kind](numbers, count, np.random.default_rng(count))
        yield np.hstack([np.minimum.reduce(corners), np.maximum.reduce(corners)]).astype("<f4")


def make(path, kind, count):
    with open(path + ".new", "wb") as file:
        file.write(b"GPBOXES1" + struct.pack("<Q", count))
        for chunk in boxes(kind, count):
            file.write(chunk.tobytes())
    os.replace(path + ".new", path)


def main(argv):
    parser = argparse.ArgumentParser(description="makes the scenes of examples/layouts")
    parser.add_argument("folder")
    parser.add_argument("--share", type=float, default=1, help="of the triangles")
    arguments = parser.parse_args(argv)
    if not 0 < arguments.share <= 1:
        parser.error("--share: above 0, at most 1")
    os.makedirs(arguments.folder, exist_ok=True)
    names = {**TRAINING, **JUDGING}
    for name, (kind, count) in names.items():
        make(os.path.join(arguments.folder, f"{name}.boxes"), kind, max(1, int(count * arguments.share)))
    bins = (32, 64, 128, 256, 512)
    print("--scenes " + ",".join(os.path.join(arguments.folder, f"{name}.boxes") for name in names))
    print("--judge " + ",".join(f"{name}x{bin}" for name in JUDGING for bin in bins))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
