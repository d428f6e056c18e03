"""Before and after examples/tuner/marching_cubes.c: makes a raw volume of a measured one, and draws a mesh.

    mesh.py raw VOLUME.nii.gz build/brain.raw         bytes, x fastest; prints the options of marching_cubes
    mesh.py draw build/brain.ply --out build/brain    writes build/brain.png

Debian's package mricron-data has measured volumes, a brain by MRI at 0.5 mm (ch2better) and a whole head at 1 mm (ch2):

    apt-get install mricron-data
    mesh.py raw $(dpkg -L mricron-data | grep ch2better.nii.gz) build/brain.raw
    marching_cubes --volume build/brain.raw --dimensions 301,370,316 --write build/brain.ply
"""
import argparse
import gzip
import os
import struct

PIXELS = 900
SAMPLES_AT_A_TIME = 4 << 20


def raw(arguments):
    """NIfTI-1, bytes: a header of 348 bytes, then points with x fastest, at the offset that the header has."""
    opener = gzip.open if arguments.volume.endswith(".gz") else open
    with opener(arguments.volume, "rb") as file:
        data = file.read()
    order = next((order for order in "<>" if data[:4] == struct.pack(f"{order}i", 348)), None)
    if not order:
        raise SystemExit(f"{arguments.volume} is not NIfTI-1")
    dimensions = struct.unpack(f"{order}8h", data[40:56])
    kind, = struct.unpack(f"{order}h", data[70:72])
    offset = int(struct.unpack(f"{order}f", data[108:112])[0])
    if kind != 2 or dimensions[0] < 3:
        raise SystemExit(f"{arguments.volume}: only volumes of bytes are read")
    x, y, z = dimensions[1:4]
    points = data[offset:offset + x * y * z]
    if len(points) != x * y * z:
        raise SystemExit(f"{arguments.volume} is cut short")
    os.makedirs(os.path.dirname(os.path.abspath(arguments.raw)), exist_ok=True)
    with open(arguments.raw, "wb") as file:
        file.write(points)
    print(f"--volume {arguments.raw} --dimensions {x},{y},{z}")


def read_mesh(path):
    """Vertices and triangles of the binary PLY that marching_cubes writes."""
    import numpy as np
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    counts = {words[1]: int(words[2]) for words in (line.split() for line in data[:end].decode().splitlines())
              if words[0] == "element"}
    places = np.frombuffer(data, "<f4", 3 * counts["vertex"], end).reshape(-1, 3)
    faces = np.frombuffer(data, np.dtype([("count", "u1"), ("vertex", "<u4", 3)]), counts["face"],
                          end + places.nbytes)
    if not (faces["count"] == 3).all():
        raise SystemExit(f"{path}: not a mesh of triangles")
    return places, faces["vertex"]


def shaded(places, faces, turn, tilt):
    """The mesh from one direction, parallel projection: brightness a pixel, NaN where there is none. Each triangle is
    sampled densely enough to leave no gap; the nearest sample of a pixel stays."""
    import numpy as np
    a, b = np.radians(turn), np.radians(tilt)
    right = np.array([np.cos(a), np.sin(a), 0])
    into = np.array([-np.sin(a) * np.cos(b), np.cos(a) * np.cos(b), -np.sin(b)])
    up = np.cross(right, into)
    view = (places - (places.min(0) + places.max(0)) / 2) @ np.stack([right, up, -into], 1)  # the third: towards us
    corners = view[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])  # as long as twice the area
    smooth = np.stack([np.bincount(faces.ravel(), np.repeat(normals[:, k], 3), len(places)) for k in range(3)], 1)
    smooth /= np.linalg.norm(smooth, axis=1, keepdims=True) + 1e-30
    light = np.array([-0.4, 0.5, 0.77])
    bright = 0.15 + 0.85 * np.clip(smooth @ light, 0, 1)
    half = np.abs(view[:, :2]).max() * 1.04
    scale = PIXELS / 2 / half
    nearest = np.zeros(PIXELS * PIXELS, np.uint64)  # depth, then brightness
    edges = max(np.linalg.norm(corners[:, k, :2] - corners[:, k - 1, :2], axis=1).max() for k in range(3))
    steps = int(np.ceil(edges * scale)) + 1
    shares = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]) / steps
    low, high = view[:, 2].min(), view[:, 2].max()
    chunk = max(1, SAMPLES_AT_A_TIME // len(shares))
    for first in range(0, len(faces), chunk):
        part = faces[first:first + chunk]
        samples = np.einsum("sk,fkc->fsc", shares, view[part]).reshape(-1, 3)
        light_here = np.einsum("sk,fk->fs", shares, bright[part]).ravel()
        x = np.clip((samples[:, 0] + half) * scale, 0, PIXELS - 1).astype(np.int64)
        y = np.clip((half - samples[:, 1]) * scale, 0, PIXELS - 1).astype(np.int64)
        depth = ((samples[:, 2] - low) / max(high - low, 1e-30) * 0xffffff).astype(np.uint64) + np.uint64(1)
        key = depth << np.uint64(32) | (light_here * 0xffff).astype(np.uint64)
        np.maximum.at(nearest, y * PIXELS + x, key)
    image = (nearest & np.uint64(0xffffffff)).astype(float) / 0xffff
    image[nearest == 0] = np.nan
    return image.reshape(PIXELS, PIXELS)


def draw(arguments):
    folder = os.path.dirname(os.path.abspath(arguments.out))
    os.makedirs(folder, exist_ok=True)
    os.environ.setdefault("MPLCONFIGDIR", os.path.join(folder, "matplotlib"))
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    places, faces = read_mesh(arguments.mesh)
    directions = [(arguments.turn, arguments.tilt), (arguments.turn + 110, arguments.tilt)]
    figure, grid = plt.subplots(1, 2, figsize=(12, 6.4), layout="constrained")
    for axes, (turn, tilt) in zip(grid, directions):
        axes.imshow(shaded(places, faces, turn, tilt), cmap="bone", vmin=0, vmax=1.05)
        axes.set_axis_off()
    figure.suptitle(f"{os.path.basename(arguments.mesh)}: {len(faces):,} triangles, {len(places):,} vertices",
                    fontsize=10)
    path = f"{arguments.out}.png"
    figure.savefig(path, dpi=110, metadata=None)
    print(path)


def main():
    parser = argparse.ArgumentParser(description="volumes for marching_cubes, and pictures of its meshes")
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("raw", help="a raw volume from NIfTI-1")
    one.add_argument("volume")
    one.add_argument("raw")
    one.set_defaults(run=raw)
    one = commands.add_parser("draw", help="a picture of a mesh")
    one.add_argument("mesh")
    one.add_argument("--out", default=os.path.join("build", "mesh"), help="path without .png")
    one.add_argument("--turn", type=float, default=150, help="degrees about the vertical axis")
    one.add_argument("--tilt", type=float, default=20, help="degrees from above")
    one.set_defaults(run=draw)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
