#!/usr/bin/env python3
"""top_p_sampling.py: draws the next token of a language model from the smallest set of tokens whose probabilities add
up to p (nucleus sampling; Holtzman et al., The Curious Case of Neural Text Degeneration, 2020).

    python3 examples/python/top_p_sampling.py

A row of logits for each sequence: sort, running sums, a search, all in the library. Arrays of NumPy run on the host;
with tensors of PyTorch on a GPU the same lines run there.
"""
import gpuprims as gp
import numpy as np


def top_p(logits, p, random):
    """A token for each row of logits; random: a number from 0 to 1 for each."""
    order = gp.argsort(logits, axis=1, descending=True)
    weights = np.exp(np.take_along_axis(logits, order, axis=1) - gp.max(logits, axis=1, keepdims=True))
    running = gp.cumsum(weights, axis=1)
    total = running[:, -1]
    tokens = np.empty(len(logits), np.int64)
    for row, sums in enumerate(running):
        kept = int(gp.searchsorted(sums, [p * total[row]])[0])  # the first token that reaches p
        drawn = gp.searchsorted(sums, [random[row] * sums[kept]], side="right")[0]
        tokens[row] = order[row, min(int(drawn), kept)]
    return tokens


def main():
    rng = np.random.default_rng(1)
    rows, vocabulary, p = 64, 32_000, 0.9
    logits = rng.normal(0, 3, (rows, vocabulary))
    tokens = top_p(logits, p, rng.random(rows))
    # NumPy: every token that was drawn is one of the kept ones.
    ranks = []
    for row, token in enumerate(tokens):
        probability = np.exp(logits[row] - logits[row].max())
        probability /= probability.sum()
        likelier = probability > probability[token]
        assert probability[likelier].sum() < p
        ranks.append(int(likelier.sum()))
    print(f"{rows} sequences, {vocabulary} tokens, p = {p}: the drawn tokens' median rank is {int(np.median(ranks))}")


if __name__ == "__main__":
    main()
