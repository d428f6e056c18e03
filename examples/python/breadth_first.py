#!/usr/bin/env python3
"""breadth_first.py: distances and components of a graph with few hubs and many leaves, as those of the collection SNAP.

    python3 examples/python/breadth_first.py [EDGES.txt] [cuda]

EDGES.txt is a list of edges as SNAP has them, two numbers a line, comments behind #; without it a graph is made up.
Beside it scipy.sparse.csgraph, on the host.
"""
import os
import sys

import gpuprims as gp
import numpy as np
from _beside import arrays, beside, host
from scipy import sparse
from scipy.sparse import csgraph


def made_up(scale=15, edges=300_000):
    """R-MAT (Chakrabarti, Zhan, Faloutsos, 2004): each bit of an edge's ends is drawn from four quarters."""
    rng = np.random.default_rng(6)
    ends = np.zeros((2, edges), np.int64)
    for _ in range(scale):
        quarter = rng.choice(4, edges, p=[0.57, 0.19, 0.19, 0.05])
        ends = 2 * ends + np.stack([quarter >> 1, quarter & 1])
    return ends


def csr(ends):
    """Both directions of every edge, each once."""
    n = int(ends.max()) + 1
    matrix = sparse.coo_matrix((np.ones(ends.shape[1], np.int8), (ends[0], ends[1])), (n, n)).tocsr()
    matrix = ((matrix + matrix.T) > 0).astype(np.int8).tocsr()
    return matrix


def main():
    _, here = arrays()
    path = next((word for word in sys.argv[1:] if os.path.exists(word)), None)
    matrix = csr(np.loadtxt(path, np.int64, comments="#", unpack=True) if path else made_up())
    graph = here(matrix.indptr.astype(np.int32)), here(matrix.indices.astype(np.int32))
    source = int(np.argmax(np.diff(matrix.indptr)))
    print("search: ", end="")
    depths, others = beside(lambda: gp.bfs(graph, source, directed=False), "SciPy",
                            lambda: csgraph.breadth_first_order(matrix, source, return_predecessors=False))
    assert (host(depths) >= 0).sum() == len(others)  # it says what is reached, in which order
    print("components: ", end="")
    (count, labels), (number, _) = beside(lambda: gp.connected_components(graph, directed=False), "SciPy",
                                          lambda: csgraph.connected_components(matrix, directed=False))
    assert int(count) == number and len(np.unique(host(labels))) == number
    expected = csgraph.shortest_path(matrix, unweighted=True, indices=source)
    assert (host(depths) == np.where(np.isinf(expected), -1, expected)).all()
    print(f"{matrix.shape[0]} vertices, {matrix.nnz} edges, {number} components; from vertex {source} at most "
          f"{int(host(depths).max())} steps, {int((host(depths) >= 0).sum())} vertices reached")


if __name__ == "__main__":
    main()
