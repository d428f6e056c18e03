"""The Python package on tensors of PyTorch and arrays of CuPy, random calls against NumPy: types, shapes, strides.

    PYTHONPATH=build/python/lib python3 -m pytest -q tests/gpu/test_package.py

GPUPRIMS_CALLS says how many calls (1,000 of each library). Without a GPU tensors of PyTorch are on the host.
"""
import os

import numpy as np
import pytest

gp = pytest.importorskip("gpuprims", reason="no package: make python, then PYTHONPATH=build/python/lib")
CALLS = int(os.environ.get("GPUPRIMS_CALLS", "1000"))
TYPES = ["int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"]


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch", reason="no PyTorch: pip install torch")
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"

    def put(self, array):
        """The same elements with the same strides, as far as tensors have them."""
        turned = [d for d in range(array.ndim) if array.strides[d] < 0]
        order = sorted(range(array.ndim), key=lambda d: -abs(array.strides[d]))
        dense = self.torch.from_numpy(np.ascontiguousarray(array.transpose(order))).to(self.device)
        assert turned or dense.shape == tuple(array.shape[d] for d in order)
        return dense.permute([order.index(d) for d in range(array.ndim)]) if array.ndim else dense

    def get(self, array):
        return array.cpu().numpy()


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy", reason="no CuPy")
        if not self.cupy.cuda.is_available():
            pytest.skip("no GPU")

    def put(self, array):
        base = self.cupy.zeros([2 * extent for extent in array.shape], array.dtype)
        made = base[tuple(slice(None, None, 2) for _ in array.shape)]
        made[...] = self.cupy.asarray(array)
        return made if array.size % 2 else self.cupy.ascontiguousarray(made)

    def get(self, array):
        return self.cupy.asnumpy(array)


@pytest.fixture(params=[Torch, Cupy])
def library(request):
    return request.param()


def random_array(rng, dimensions=None, types=TYPES):
    """Small numbers, so that sums are exact and equal elements frequent; transposed, in steps, or neither."""
    dtype, count = np.dtype(rng.choice(types)), dimensions or int(rng.integers(1, 5))
    most = int(rng.choice([8, 300, 100_000]))
    shape = [max(0, round(most**(1 / count)) + int(rng.integers(-1, 2))) for _ in range(count)]
    x = rng.integers(0 if dtype.kind in "ub" else -3, 2 if dtype.kind == "b" else 5, shape).astype(dtype)
    return x.transpose(rng.permutation(count))


def ordered(x, axis=0):
    """numpy.sort, whose quicksort of float16 leaves elements out of order on some processors (NumPy 2.4.6)."""
    return np.sort(x, axis, kind="stable")


def distinct(x):
    y = ordered(x.ravel())
    return y[np.concatenate([[True], y[1:] != y[:-1]])[:y.size]]


def calls(rng):
    """(Name, what the package computes on its arrays, what NumPy does) of a random call."""
    x = random_array(rng)
    axis = int(rng.integers(-x.ndim, x.ndim))
    k = int(rng.integers(0, x.shape[axis] + 1))
    flat, whole = random_array(rng, 1), random_array(rng, 1, ["int32", "int64"])
    order = rng.integers(0, max(1, flat.size), 50)
    flags = rng.random(flat.size) < 0.5
    offsets = np.sort(rng.integers(0, flat.size + 1, 20)) if flat.size else np.zeros(20, np.int64)
    positive = np.abs(whole)

    def sums():
        return np.array([flat[a:b].sum() for a, b in zip(offsets[:-1], offsets[1:], strict=True)])

    some = [
        ("sum", (x,), lambda a: gp.sum(a, axis=axis), lambda: _sum(x, axis)),
        ("any", (x,), lambda a: gp.any(a, axis=axis), lambda: x.any(axis)),
        ("cumsum", (x,), lambda a: gp.cumsum(a, axis=axis), lambda: _cumsum(x, axis)),
        ("sort", (x,), lambda a: gp.sort(a, axis=axis), lambda: ordered(x, axis)),
        ("argsort", (x,), lambda a: gp.argsort(a, axis=axis), lambda: np.argsort(x, axis, kind="stable")),
        ("topk", (x,), lambda a: gp.topk(a, k, axis=axis)[0],
         lambda: np.flip(ordered(x, axis), axis).take(range(k), axis)),
        ("flip", (x,), lambda a: gp.flip(a, axis=axis), lambda: np.flip(x, axis)),
        ("transpose", (x,), gp.transpose, lambda: x.T),
        ("unique", (x,), lambda a: gp.unique(a, sync=True), lambda: distinct(x)),
        ("flatnonzero", (x,), lambda a: gp.flatnonzero(a, sync=True), lambda: np.flatnonzero(x)),
        ("bincount", (positive,), lambda a: gp.bincount(a, length=9), lambda: np.bincount(positive, minlength=9)),
        ("searchsorted", (ordered(flat), flat), gp.searchsorted, lambda: np.searchsorted(ordered(flat), flat)),
        ("compress", (flags, flat), lambda c, a: gp.compress(c, a, sync=True), lambda: flat[flags]),
        ("group_by", (whole, flat), lambda a, b: gp.group_by(a, b, "max", sync=True)[1] if flat.size == whole.size
         else a, lambda: np.array([flat[whole == one].max() for one in np.unique(whole)], flat.dtype)
         if flat.size == whole.size else whole)]
    if flat.size:
        some += [("take", (flat, order), gp.take, lambda: flat[order]),
                 ("segment_sum", (flat, offsets), gp.segment_sum, sums)]
    if x.shape[axis]:
        some += [(name, (x,), lambda a, name=name: getattr(gp, name)(a, axis=axis),
                  lambda name=name: getattr(np, name)(x, axis=axis)) for name in ("min", "max", "argmin", "argmax")]
    return some[int(rng.integers(len(some)))]


def _sum(x, axis):
    return x.sum(axis) if x.dtype.kind != "f" else x.sum(axis, dtype=np.float64)


def _cumsum(x, axis):
    return x.cumsum(axis) if x.dtype.kind != "f" else x.cumsum(axis, dtype=np.float64)


def test_random_calls(library):
    seed = int(os.environ.get("GPUPRIMS_SEED", "1"))
    for number in range(CALLS):
        rng = np.random.default_rng([seed, number])
        name, arrays, ours, theirs = calls(rng)
        made = library.get(ours(*(library.put(array) for array in arrays)))
        expected = np.asarray(theirs())
        assert made.shape == expected.shape, (number, name, made.shape, expected.shape)
        # Whole numbers: float16 alone has too few bits for some.
        close = np.allclose(made, expected, rtol=2e-3) if made.dtype == np.float16 else (made == expected).all()
        assert close, (number, name, arrays, made, expected)
