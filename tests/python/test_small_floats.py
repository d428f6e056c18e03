"""Types that NumPy has from ml_dtypes: bfloat16, float8_e4m3fn, float8_e5m2."""
import sys

import gpuprims as gp
import numpy as np
import pytest
from emulated import BYTES, numbers_of
from gpuprims import _arrays, _work


@pytest.mark.parametrize("name", BYTES)
def test_numbers_are_rounded_once(name):
    """The bits of each number, of those between two, of ties, and beyond the largest."""
    table = numbers_of(name).astype(np.float64)
    for byte, number in enumerate(table):
        if not np.isnan(number):
            assert _work.byte_bits(name, number) == byte
    assert _work.byte_bits(name, float("nan")) == 0x7F and _work.byte_bits(name, -float("nan")) & 0x7F == 0x7F
    finite = [byte for byte in range(0x7F) if np.isfinite(table[byte])]
    for low, high in zip(finite, finite[1:]):
        middle = (table[low] + table[high]) / 2
        even = low if low % 2 == 0 else high
        for sign in (1, -1):
            assert _work.byte_bits(name, sign * middle) & 0x7F == even
            assert _work.byte_bits(name, sign * np.nextafter(middle, 0)) & 0x7F == low
            assert _work.byte_bits(name, sign * np.nextafter(middle, 1e9)) & 0x7F == high
            assert _work.byte_bits(name, sign * middle) >> 7 == (sign < 0)
    top, step = finite[-1], table[finite[-1]] - table[finite[-2]]
    beyond = 0x7F if name == "float8_e4m3fn" else 0x7C
    assert _work.byte_bits(name, np.nextafter(table[top] + step / 2, 0)) == top
    for number in (table[top] + step, 1e30, float("inf")):
        assert _work.byte_bits(name, number) == beyond and _work.byte_bits(name, -number) == beyond | 0x80


def test_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    monkeypatch.setattr(_arrays.numpy_library(), "foreign", {})
    for name in _arrays.FOREIGN:
        with pytest.raises(TypeError, match=f"dtype: NumPy has no {name}: install ml_dtypes"):
            gp.transform("convert", np.arange(3.0), dtype=name)


@pytest.mark.parametrize("name", sorted(_arrays.FOREIGN))
def test_arrays_of_ml_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="no ml_dtypes: pip install ml_dtypes")
    kind = np.dtype(getattr(ml_dtypes, name))
    x = np.random.default_rng(1).integers(-6, 7, (4, 9)).astype(kind)
    wide = x.astype(np.float32)

    def same(made, expected):
        assert made.dtype == kind and (made.astype(np.float32) == expected.astype(np.float32)).all()

    same(gp.sort(x), np.sort(wide)), same(gp.sort(x, axis=0), np.sort(wide, 0)), same(gp.max(x, axis=1), wide.max(1))
    same(gp.unique(x), np.unique(wide)), same(gp.topk(x, 2)[0], -np.sort(-wide)[:, :2]), same(x[:, ::2], wide[:, ::2])
    same(gp.sum(x[:1]), wide[:1].sum().astype(kind)), same(gp.mean(x), wide.mean(dtype=float).astype(kind))
    same(gp.select(x[0], ">", 1), wide[0][wide[0] > 1]), same(gp.take(x, [3, 1]), wide.take([3, 1]))
    same(gp.reduce(x[:, :1], "max", initial=7), np.float32(7).astype(kind))
    same(gp.transform("convert", wide, dtype=kind), wide), same(gp.cumsum(x[0, :2]), wide[0, :2].cumsum().astype(kind))
    assert (gp.argmax(x, axis=1) == wide.argmax(1)).all() and (gp.flatnonzero(x) == np.flatnonzero(wide)).all()
    assert gp.any(x) and not gp.all(np.zeros(3, kind)) and gp.count_nonzero(x) == np.count_nonzero(wide)
    assert (gp.argsort(x, axis=1) == np.argsort(wide, 1, kind="stable")).all()
    keys, sums = gp.group_by(x[0], np.ones(9))
    assert keys.dtype == kind and sums.sum() == 9
