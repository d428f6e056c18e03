#!/usr/bin/env python3
"""nearest_neighbours.py: the k nearest points to each query, from a matrix of distances.

    python3 examples/python/nearest_neighbours.py

gpuprims.topk selects in each row; nothing is sorted but the k results.
"""
import gpuprims as gp
import numpy as np


def nearest(points, queries, k):
    """(Distances, indices) of the k nearest points to each query, the nearest first."""
    squares = (queries**2).sum(1)[:, None] + (points**2).sum(1)[None, :] - 2 * queries @ points.T
    found, indices = gp.topk(squares.astype(np.float32), k, axis=1, largest=False)
    return np.sqrt(np.maximum(found, 0)), indices


def main():
    rng = np.random.default_rng(2)
    points, queries, k = rng.normal(size=(20_000, 16)), rng.normal(size=(50, 16)), 8
    distances, indices = nearest(points, queries, k)
    # NumPy: sorts all distances.
    exact = np.sqrt(((queries[:, None, :] - points[None, :, :])**2).sum(2))
    expected = np.sort(exact, axis=1)[:, :k]
    assert np.allclose(distances, expected, rtol=1e-3)
    assert np.allclose(np.take_along_axis(exact, indices, axis=1), expected, rtol=1e-3)
    print(f"{k} nearest of {len(points)} points to {len(queries)} queries: the nearest is {distances.min():.3f} away")


if __name__ == "__main__":
    main()
