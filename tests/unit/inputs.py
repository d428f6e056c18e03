"""Arrays for the tests of the host back end: elements of every kind, outputs with canaries, comparison."""
import numpy as np

import oracle
from gpuprims_ctypes import DTYPES, TYPES

TYPE_NAMES = list(DTYPES)  # test_host_types.py has the others
SIZE_LIST = [0, 1, 2, 3, 7, 31, 32, 33, 255, 1023, 1024, 1025, 2047, 4097]
KINDS = ["uniform", "small", "special", "constant", "zeros", "extremes"]


def values(type_, n, kind, seed):
    """n elements; deterministic."""
    rng = np.random.default_rng([seed, TYPES[type_], n])
    if oracle.is_float(type_):
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 65504.0, 3e38, -3e38, 1e-40, 5e-324, 1e-7,
                            0.5, 2.5, 255.5, -128.5, 2.0**31, 2.0**32, 2.0**63, 2.0**64, -2.0**63])
        x = {"uniform": lambda: rng.standard_normal(n), "small": lambda: rng.integers(-4, 5, n).astype(float),
             "special": lambda: np.where(rng.random(n) < 0.8, rng.choice(special[:8], n), rng.choice(special, n)),
             "constant": lambda: np.full(n, rng.standard_normal()), "zeros": lambda: rng.choice([0.0, -0.0], n),
             "extremes": lambda: np.ldexp(rng.standard_normal(n), rng.integers(-160, 160, n))}[kind]()
        return oracle.convert(x, "f64", type_)
    limits = np.iinfo(DTYPES[type_])
    low, high = {"uniform": (limits.min, limits.max), "small": (max(limits.min, -4), 4)}.get(kind, (0, 0))
    if kind in ("special", "extremes"):
        return rng.choice(np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1], DTYPES[type_]), n)
    if kind == "constant":
        return np.full(n, rng.integers(0, 100), DTYPES[type_])
    return rng.integers(low, high, n, DTYPES[type_], endpoint=True)


def shifted(array, offset):
    """The same elements, `offset` elements into a larger buffer."""
    buffer = np.zeros(len(array) + offset + 1, array.dtype)
    view = buffer[offset:offset + len(array)]
    view[:] = array
    return view


def guarded(n, dtype, offset):
    """An output of n elements with canaries on both sides."""
    buffer = np.zeros(n + offset + 2, dtype)
    buffer.view(np.uint8)[:] = 0xA5
    return buffer, buffer[offset + 1:offset + 1 + n]


def check_canaries(buffer, out):
    rest = np.concatenate([buffer[:(out.ctypes.data - buffer.ctypes.data) // buffer.itemsize], buffer[-1:]])
    assert (rest.view(np.uint8) == 0xA5).all(), "wrote outside the output"


def expect(got, wanted, type_):
    good = oracle.same(got, np.asarray(wanted, got.dtype), type_)
    bad = np.flatnonzero(~good)
    assert bad.size == 0, (
        f"{bad.size} of {got.size} differ, first at {bad[0]}: {got[bad[0]]} instead of {wanted[bad[0]]}")


def pair(type_):
    return np.dtype({"names": ["value", "index"], "formats": [DTYPES[type_], np.int64], "offsets": [0, 8],
                     "itemsize": 16})
