#!/usr/bin/env python3
"""voxel_grid.py: thins out a point cloud: the points of each cube of a grid become their mean.

    python3 examples/python/voxel_grid.py [cuda]

The cube's number is a key; gpuprims.group_by gives means and counts of all cubes. Beside it unique and sums by index of
NumPy, or of PyTorch.
"""
import gpuprims as gp
import numpy as np
from _beside import arrays, beside, host


def keys_of(points, size, xp):
    """The number of each point's cube."""
    cubes = gp.transform("convert", xp.floor((points - gp.min(points, axis=0)) / size), dtype="int64")
    extent = gp.max(cubes, axis=0) + 1
    return (cubes[:, 0] * extent[1] + cubes[:, 1]) * extent[2] + cubes[:, 2]


def downsample(points, keys, xp):
    """(A point for each cube that has any, how many points each stands for)."""
    means = [gp.group_by(keys, points[:, d], "mean", sync=True)[1] for d in range(3)]
    return xp.stack(means, 1), gp.group_by(keys, None, "count", sync=True)[1]


def downsample_by(points, keys, xp):
    """The same without gpuprims."""
    _, cube, counts = xp.unique(keys, return_inverse=True, return_counts=True)
    sums = xp.stack([xp.bincount(cube, points[:, d]) for d in range(3)], 1)
    return sums / counts[:, None], counts


def main():
    xp, here = arrays()
    rng = np.random.default_rng(3)
    angles, heights = rng.uniform(0, 2 * np.pi, 200_000), rng.uniform(0, 2, 200_000)
    cloud = np.stack([np.cos(angles), np.sin(angles), heights], axis=1) + rng.normal(0, 0.01, (200_000, 3))
    points = here(cloud)
    keys = keys_of(points, 0.1, xp)
    (thin, counts), (others, numbers) = beside(lambda: downsample(points, keys, xp), xp.__name__,
                                               lambda: downsample_by(points, keys, xp))
    assert np.allclose(host(thin), host(others)) and (host(counts) == host(numbers)).all()
    cubes = np.unique(np.floor((cloud - cloud.min(0)) / 0.1).astype(int), axis=0)
    assert len(thin) == len(cubes)
    print(f"{len(points)} points become {len(thin)}, of {int(counts.min())} to {int(counts.max())} points each")


if __name__ == "__main__":
    main()
