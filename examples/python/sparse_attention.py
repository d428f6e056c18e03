#!/usr/bin/env python3
"""sparse_attention.py: which blocks of keys each block of queries attends to, and the lists that a kernel of sparse
attention reads: the blocks of each row, and for its derivative the rows of each block.

    python3 examples/python/sparse_attention.py [cuda]

Blocks are scored by their means (as in Lu et al., MoBA, 2025), the best k of each row are kept, then both lists are
sorted. Beside it the same with NumPy, or PyTorch.
"""
import gpuprims as gp
import numpy as np
from _beside import arrays, beside, host


def scores_of(queries, keys, block):
    """Products of the blocks' means; a block of keys that lies behind the queries is out of the question."""
    q, k = (x.reshape(-1, block, x.shape[1]).mean(1) for x in (queries, keys))
    scores = q @ k.T
    places = np.arange(len(q))
    return scores, places[None, :] > places[:, None]


def select(scores, k):
    """(The blocks of each row, ascending; the rows of all blocks, block by block; where each block's begin)."""
    rows, blocks = scores.shape
    chosen = gp.sort(gp.topk(scores, k, axis=1)[1], axis=1)
    order = gp.argsort(chosen.reshape(-1))  # stable: the rows of a block ascend
    counts = gp.bincount(chosen.reshape(-1), length=blocks)
    return chosen, order // k, gp.scan(counts, "sum", exclusive=True)


def select_by(scores, k, xp):
    """The same without gpuprims."""
    if xp is np:
        chosen = np.sort(np.argpartition(-scores, k - 1, axis=1)[:, :k], axis=1)
        order = np.argsort(chosen.reshape(-1), kind="stable")
    else:
        chosen = xp.sort(xp.topk(scores, k, 1)[1], 1)[0]
        order = xp.argsort(chosen.reshape(-1), stable=True)
    counts = xp.bincount(chosen.reshape(-1), minlength=scores.shape[1])
    return chosen, order // k, xp.cumsum(counts, 0) - counts


def main():
    xp, here = arrays()
    rng = np.random.default_rng(5)
    tokens, width, block, k = 32_768, 64, 32, 16
    queries, keys = (rng.normal(size=(tokens, width)).astype(np.float32) for _ in range(2))
    scores, behind = scores_of(queries, keys, block)
    scores = here(np.where(behind, np.float32(-1e9) - np.arange(len(scores), dtype=np.float32), scores))
    made, others = beside(lambda: select(scores, k), xp.__name__, lambda: select_by(scores, k, xp))
    for one, other in zip(made[:1], others[:1], strict=True):
        assert (host(one)[k:] == host(other)[k:]).all()  # the first rows have fewer than k blocks
    chosen, rows, begins = (host(one) for one in made)
    some = tokens // block // 2
    assert (rows[begins[some]:begins[some + 1]] == np.flatnonzero((chosen == some).any(1))).all()
    print(f"{tokens // block} blocks of {block} tokens, {k} kept a row: block {some} serves "
          f"{begins[some + 1] - begins[some]} rows")


if __name__ == "__main__":
    main()
