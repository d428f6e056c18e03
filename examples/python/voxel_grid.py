#!/usr/bin/env python3
"""voxel_grid.py: thins out a point cloud: the points of each cube of a grid become their mean.

    python3 examples/python/voxel_grid.py

The cube's number is a key; one call of gpuprims.group_by gives means and counts of all cubes.
"""
import gpuprims as gp
import numpy as np


def downsample(points, size):
    """(A point for each cube that has any, how many points each stands for)."""
    cubes = np.floor((points - gp.min(points, axis=0)) / size).astype(np.int64)
    extent = gp.max(cubes, axis=0) + 1
    keys = (cubes[:, 0] * extent[1] + cubes[:, 1]) * extent[2] + cubes[:, 2]
    means = [gp.group_by(keys, points[:, d], "mean")[1] for d in range(3)]
    return np.stack(means, axis=1), gp.group_by(keys, None, "count")[1]


def main():
    rng = np.random.default_rng(3)
    angles, heights = rng.uniform(0, 2 * np.pi, 200_000), rng.uniform(0, 2, 200_000)
    points = np.stack([np.cos(angles), np.sin(angles), heights], axis=1) + rng.normal(0, 0.01, (200_000, 3))
    thin, counts = downsample(points, 0.1)
    # NumPy: the same cubes, and the same sums.
    cubes = np.unique(np.floor((points - points.min(0)) / 0.1).astype(int), axis=0)
    assert len(thin) == len(cubes) and counts.sum() == len(points)
    assert np.allclose((thin * counts[:, None]).sum(0), points.sum(0))
    print(f"{len(points)} points become {len(thin)}, of {counts.min()} to {counts.max()} points each")


if __name__ == "__main__":
    main()
