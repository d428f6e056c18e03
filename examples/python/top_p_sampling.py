#!/usr/bin/env python3
"""top_p_sampling.py: draws the next token of a language model from the smallest set of tokens whose probabilities add
up to p (nucleus sampling; Holtzman et al., The Curious Case of Neural Text Degeneration, 2020).

    python3 examples/python/top_p_sampling.py [cuda]

A row of logits for each sequence: sort, running sums, two counts. Beside it the same with NumPy, or PyTorch.
"""
import gpuprims as gp
import numpy as np
from _beside import arrays, beside, host


def top_p(logits, p, random, xp):
    """A token for each row of logits; random: a number from 0 to 1 for each."""
    order = gp.argsort(logits, axis=1, descending=True)
    ordered = gp.sort(logits, axis=1, descending=True)
    running = gp.cumsum(xp.exp(ordered - ordered[:, :1]), axis=1)
    kept = gp.sum(running < p * running[:, -1:], axis=1)[:, None]  # the place of the token that reaches p
    rows = xp.arange(len(logits), device=logits.device)[:, None]
    drawn = gp.sum(running <= random[:, None] * running[rows, kept], axis=1)[:, None]
    return order[rows, xp.minimum(drawn, kept)][:, 0]


def top_p_by(logits, p, random, xp):
    """The same without gpuprims."""
    order = xp.argsort(-logits, 1)
    rows = xp.arange(len(logits), device=logits.device)[:, None]
    ordered = logits[rows, order]
    running = xp.cumsum(xp.exp(ordered - ordered[:, :1]), 1)
    kept = (running < p * running[:, -1:]).sum(1)[:, None]
    drawn = (running <= random[:, None] * running[rows, kept]).sum(1)[:, None]
    return order[rows, xp.minimum(drawn, kept)][:, 0]


def main():
    xp, here = arrays()
    rng = np.random.default_rng(1)
    rows, vocabulary, p = 64, 32_000, 0.9
    logits, random = here(rng.normal(0, 3, (rows, vocabulary))), here(rng.random(rows))
    tokens, others = beside(lambda: top_p(logits, p, random, xp), xp.__name__, lambda: top_p_by(logits, p, random, xp))
    assert (host(tokens) == host(others)).mean() > 0.9  # sums are rounded otherwise
    # Every token that was drawn is one of the kept ones.
    ranks = []
    for row, token in zip(host(logits), host(tokens), strict=True):
        probability = np.exp(row - row.max())
        probability /= probability.sum()
        likelier = probability > probability[token]
        assert probability[likelier].sum() < p
        ranks.append(int(likelier.sum()))
    print(f"{rows} sequences, {vocabulary} tokens, p = {p}: the drawn tokens' median rank is {int(np.median(ranks))}")


if __name__ == "__main__":
    main()
