#!/usr/bin/env python3
"""nearest_neighbours.py: the k nearest points to each query, from a matrix of distances.

    python3 examples/python/nearest_neighbours.py [cuda]

gpuprims.topk selects in each row; nothing is sorted but the k results. Beside it numpy.argpartition, or torch.topk.
"""
import gpuprims as gp
import numpy as np
from _beside import arrays, beside, host


def selected_by(squares, k, xp):
    """(The k smallest of each row, their indices), without gpuprims."""
    if xp is not np:
        return xp.topk(squares, k, largest=False)
    indices = np.argpartition(squares, k, axis=1)[:, :k]
    values = np.take_along_axis(squares, indices, axis=1)
    order = np.argsort(values, axis=1)
    return np.take_along_axis(values, order, axis=1), np.take_along_axis(indices, order, axis=1)


def main():
    xp, here = arrays()
    rng = np.random.default_rng(2)
    points, queries, k = rng.normal(size=(20_000, 16)), rng.normal(size=(50, 16)), 8
    p, q = here(points.astype(np.float32)), here(queries.astype(np.float32))
    squares = (q**2).sum(1)[:, None] + (p**2).sum(1)[None, :] - 2 * q @ p.T
    (found, indices), (others, _) = beside(lambda: gp.topk(squares, k, axis=1, largest=False), xp.__name__,
                                           lambda: selected_by(squares, k, xp))
    assert (host(found) == host(others)).all()
    # NumPy: sorts all distances, in float64.
    exact = np.sqrt(((queries[:, None, :] - points[None, :, :])**2).sum(2))
    expected = np.sort(exact, axis=1)[:, :k]
    assert np.allclose(np.take_along_axis(exact, host(indices), axis=1), expected, rtol=1e-3)
    print(f"{k} nearest of {len(points)} points to {len(queries)} queries: the nearest is {expected.min():.3f} away")


if __name__ == "__main__":
    main()
