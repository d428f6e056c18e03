"""Every function on NumPy's arrays of any type, shape and strides, against NumPy: random calls by Hypothesis, 100 times
as many in the long tests."""
import math

import gpuprims as gp
import numpy as np
import pytest
from conftest import LONG
from gpuprims import _sorting
from hypothesis import given, settings
from hypothesis import strategies as st

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
CALLS = 400 if LONG else 4  # of each function


@st.composite
def arrays(draw, types=(*INTEGERS, *FLOATS, "bool"), most=4, least=0, whole=False):
    """Arrays of up to `most` dimensions, some of them transposed, reversed, with steps; small numbers, so that sums are
    exact and equal elements are frequent. whole: no element of 0, no NaN."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = tuple(draw(st.lists(st.integers(0, 6), min_size=least, max_size=most)))
    if len(shape) == 1 and draw(st.booleans()):
        shape = (draw(st.integers(0, 700)),)
    dtype = np.dtype(draw(st.sampled_from(types)))
    steps = [draw(st.sampled_from([1, 1, -1, 2, -2])) for _ in shape]
    big = tuple(extent * abs(step) for extent, step in zip(shape, steps, strict=True))
    low = 1 if whole else 0 if dtype.kind in "ub" else -3
    x = rng.integers(low, 2 if dtype.kind == "b" else 5, big).astype(dtype)
    if dtype.kind == "f":
        x = x * dtype.type(0.5)
    x = np.asarray(x)[tuple(slice(None, None, step) for step in steps)] if shape else np.asarray(x)
    assert x.shape == shape
    return x.transpose(draw(st.permutations(range(len(shape)))))


def axes(draw, x, tuples=True):
    kinds = [None, *range(-x.ndim, x.ndim)]
    if tuples and x.ndim > 1:
        kinds.append(tuple(draw(st.permutations(range(x.ndim)))[:2]))
    return draw(st.sampled_from(kinds))


def same(made, expected, what=""):
    made, expected = np.asarray(made), np.asarray(expected)
    assert made.dtype == expected.dtype, (what, made.dtype, expected.dtype)
    assert made.shape == expected.shape, (what, made.shape, expected.shape)
    assert np.array_equal(made, expected, equal_nan=expected.dtype.kind == "f"), (what, made, expected)


def close(made, expected, what="", ulps=4):
    """Within a few units in the last place: what is rounded twice, or folded in another order."""
    made, expected = np.asarray(made), np.asarray(expected)
    assert made.dtype == expected.dtype and made.shape == expected.shape, what
    if expected.dtype.kind == "f":
        np.testing.assert_array_max_ulp(made, expected, ulps)
    else:
        assert (made == expected).all(), what


def random_calls(test):
    return settings(max_examples=CALLS)(test)


# ---- reductions


@pytest.mark.parametrize("name", ["sum", "min", "max", "any", "all", "mean", "count_nonzero", "prod"])
@random_calls
@given(data=st.data())
def test_reductions(name, data):
    few = ["int64", "uint8", "float64", "bool"]
    x = data.draw(arrays(types=few if name == "prod" else INTEGERS + FLOATS + ["bool"]))
    axis, keep = axes(data.draw, x), data.draw(st.booleans())
    if name in ("min", "max", "mean") and math.prod(
            x.shape[d] for d in (range(x.ndim) if axis is None else np.atleast_1d(axis))) == 0:
        with pytest.raises(ValueError, match="^x has no elements along the axis"):
            getattr(gp, name)(x, axis=axis)
        return
    with np.errstate(over="ignore"):
        if name == "mean" and x.dtype.kind == "f":
            expected = np.asarray(np.mean(x, axis=axis, keepdims=keep, dtype=np.float64)).astype(x.dtype)
        elif name == "sum" and x.dtype == np.float16:
            expected = np.asarray(np.sum(x, axis=axis, keepdims=keep, dtype=np.float32)).astype(x.dtype)
        else:
            expected = getattr(np, name)(x, axis=axis, keepdims=keep)
    (close if name == "prod" else same)(getattr(gp, name)(x, axis=axis, keepdims=keep), expected, (x, axis))


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@random_calls
@given(data=st.data())
def test_places(name, data):
    x = data.draw(arrays())
    axis, keep = axes(data.draw, x, tuples=False), data.draw(st.booleans())
    if x.dtype.kind == "f" and x.size and data.draw(st.booleans()):
        x = x.copy()
        x[tuple(data.draw(st.integers(0, extent - 1)) for extent in x.shape)] = np.nan
    if (x.size if axis is None else x.shape[axis]) == 0:
        with pytest.raises(ValueError, match="^x has no elements along the axis"):
            getattr(gp, name)(x, axis=axis)
        return
    same(getattr(gp, name)(x, axis=axis, keepdims=keep), getattr(np, name)(x, axis=axis, keepdims=keep), (x, axis))


def test_nan_and_zeros():
    x = np.array([1, np.nan, -np.inf, 3], np.float32)
    assert np.isnan(gp.min(x)) and np.isnan(gp.max(x)) and gp.argmin(x) == 1 and gp.argmax(x) == 1
    assert np.signbit(gp.min([0.0, -0.0])) and not np.signbit(gp.max([0.0, -0.0]))
    assert gp.any([np.nan]) and gp.all([np.nan, 0.25]) and not gp.any([0.0, -0.0])
    assert gp.any(np.array([[0.25], [0]], np.float16), axis=1).tolist() == [True, False]
    assert gp.any(np.array([[256], [0]], np.int16), axis=1).tolist() == [True, False]


def test_types_of_sums():
    for name in (*INTEGERS, "bool"):
        x = np.ones(300, name)
        same(gp.sum(x), np.sum(x))
        same(gp.prod(x), np.prod(x))
        same(gp.cumsum(x), np.cumsum(x))
        same(gp.cumprod(x), np.cumprod(x))
    same(gp.sum(np.full(5000, 0.25, np.float32), dtype="float64"), np.float64(1250))
    same(gp.sum(np.full(300, 255, np.uint8), dtype=np.uint8), np.full(300, 255, np.uint8).sum(dtype=np.uint8))
    same(gp.sum([1, 2, 3], dtype=float), np.float64(6))
    with pytest.raises(TypeError, match="^dtype: .*clongdouble|^dtype: .*complex256"):
        gp.sum([1, 2], dtype=np.clongdouble)
    same(gp.transform("convert", np.array([0.5, 0, -0.0, np.nan, 256]), dtype="bool"), np.array([1, 0, 0, 1, 1], bool))


@pytest.mark.turn
def test_large_arrays():
    rng = np.random.default_rng(7)
    x = rng.integers(-2**40, 2**40, 300_001)
    same(gp.sum(x), x.sum())
    same(gp.cumsum(x), x.cumsum())
    same(gp.sort(x), np.sort(x))
    same(gp.argsort(x % 100), np.argsort(x % 100, kind="stable"))
    same(gp.unique(x % 1000), np.unique(x % 1000))
    f = rng.normal(size=300_001).astype(np.float32)
    assert abs(float(gp.sum(f)) - f.sum(dtype=np.float64)) < 300_001 * 2.0**-24 * np.abs(f).sum(dtype=np.float64)


# ---- scans


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummin", "cummax", "diff"])
@random_calls
@given(data=st.data())
def test_scans(name, data):
    whole = name == "cumprod"
    x = data.draw(arrays(types=["int64", "uint8", "int16"] if whole else [*INTEGERS, "float32", "float64", "bool"],
                         least=name == "diff"))
    axis = axes(data.draw, x, tuples=False)
    oracle = {"cummin": lambda x, axis: np.minimum.accumulate(x.ravel() if axis is None else x, axis or 0),
              "cummax": lambda x, axis: np.maximum.accumulate(x.ravel() if axis is None else x, axis or 0)}
    if name == "diff":
        axis = -1 if axis is None else axis
    same(getattr(gp, name)(x, axis=axis), oracle.get(name) and oracle[name](x, axis) if name in oracle else
         getattr(np, name)(x, axis=axis), (x, axis))


@random_calls
@given(data=st.data())
def test_exclusive_scans(data):
    x = data.draw(arrays(types=["int64", "float64"], most=1, least=1))
    start = data.draw(st.integers(-5, 5))
    expected = np.concatenate([[start], start + np.cumsum(x)[:-1]]).astype(x.dtype)[:x.size]
    same(gp.scan(x, "sum", exclusive=True, initial=start), expected)
    matrix = np.stack([x, -x])
    same(gp.scan(matrix, "sum", axis=1, exclusive=True), np.cumsum(matrix, axis=1) - matrix)
    same(gp.reduce(x, "sum", initial=start), x.sum() + x.dtype.type(start))


@pytest.mark.parametrize("name", ["sum", "min", "max"])
@random_calls
@given(data=st.data())
def test_segments(name, data):
    x = data.draw(arrays(types=["int32", "float64", "uint8"], most=1, least=1))
    kind = data.draw(st.sampled_from(["int32", "uint32", "int64", "uint64"]))
    cuts = sorted(data.draw(st.lists(st.integers(0, x.size), min_size=1, max_size=8)))
    made = getattr(gp, f"segment_{name}")(x, np.array(cuts, kind))
    for s, (begin, end) in enumerate(zip(cuts, cuts[1:], strict=False)):
        if begin < end or name == "sum":
            assert made[s] == getattr(np, name)(x[begin:end])
    if name == "sum":
        assert made.dtype == np.sum(x).dtype


def test_wrong_offsets():
    for offsets in ([0, 3, 2], [0, 11], [-1, 2], []):
        with pytest.raises(ValueError, match="offsets"):
            gp.segment_sum(np.arange(10), np.array(offsets, np.int64))


# ---- sorts


@random_calls
@given(data=st.data())
def test_sort(data):
    x = data.draw(arrays(least=1))
    axis = axes(data.draw, x, tuples=False)
    same(gp.sort(x, axis=axis), np.sort(x, axis=axis), (x, axis))
    same(gp.argsort(x, axis=axis), np.argsort(x, axis=axis, kind="stable"), (x, axis))
    down = gp.sort(x, axis=axis, descending=True)
    same(down, np.flip(np.sort(x, axis=axis), axis=axis if axis is not None else 0))
    order = gp.argsort(x, axis=axis, descending=True)
    same(np.take_along_axis(x.ravel() if axis is None else x, order, axis or 0), down)


def test_sort_leaves_its_input():
    x = np.arange(12)[::-1].reshape(12, 1).copy()
    before = x.copy()
    gp.sort(x, axis=0)
    gp.argsort(x, axis=0)
    assert (x == before).all()


@random_calls
@given(data=st.data())
def test_topk(data):
    x = data.draw(arrays(least=1))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    k, largest = data.draw(st.integers(0, x.shape[axis])), data.draw(st.booleans())
    values, indices = gp.topk(x, k, axis=axis, largest=largest)
    order = gp.argsort(x, axis=axis, descending=largest)
    best = np.take(order, range(k), axis=axis)
    same(indices, best)
    same(values, np.take_along_axis(x, best, axis))
    unsorted = gp.topk(x, k, axis=axis, largest=largest, sorted=False)[0]
    same(np.sort(unsorted, axis=axis), np.sort(values, axis=axis))
    if x.dtype.kind in "iu":
        same(gp.topk(x, k, axis=axis, largest=largest, order="<")[1], best)
    if x.size:
        n = data.draw(st.integers(0, x.size - 1))
        same(gp.nth_element(x, n), np.sort(x, axis=None)[n])


@random_calls
@given(data=st.data())
def test_segment_topk(data):
    x = data.draw(arrays(least=1)).ravel()
    offsets = np.sort(np.array(data.draw(st.lists(st.integers(0, x.size), min_size=1, max_size=6)), np.int64))
    k, largest, own = data.draw(st.integers(0, 5)), data.draw(st.booleans()), data.draw(st.booleans())
    rows = len(offsets) - 1
    counts = np.arange(rows, dtype=np.uint32) if own else None
    payload = np.arange(x.size) * 0.5
    values, indices = gp.segment_topk(x, offsets, k, largest=largest, counts=counts)
    three = gp.segment_topk(x, offsets, k, largest=largest, counts=counts, payload=payload)
    same(three[0], values), same(three[1], indices)
    assert values.shape == indices.shape == three[2].shape == (rows, k)
    for s in range(rows):
        part = slice(offsets[s], offsets[s + 1])
        best = gp.argsort(x[part], descending=largest)[:min(k, s) if own else k]
        rest = np.full(k - len(best), -1)
        same(indices[s], np.concatenate([best, rest]).astype(np.int64))
        same(values[s], np.concatenate([x[part][best], np.zeros(len(rest), x.dtype)]))
        same(three[2][s], np.concatenate([payload[part][best], np.zeros(len(rest))]))


@random_calls
@given(data=st.data())
def test_unique(data):
    x = data.draw(arrays())
    names = ["return_index", "return_inverse", "return_counts"]
    wanted = {name: data.draw(st.booleans()) for name in names}
    made, expected = gp.unique(x, **wanted), np.unique(x, **wanted)
    if not any(wanted.values()):
        made, expected = (made,), (expected,)
    assert len(made) == len(expected)
    for one, other in zip(made, expected, strict=True):
        same(one, other, x)


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"])
@random_calls
@given(data=st.data())
def test_sets(name, data):
    x = data.draw(arrays(types=[*INTEGERS, "float32"]))
    y = data.draw(arrays(types=[x.dtype.name]))
    if name == "isin":  # whose zeros have one sign
        x, y = x + x.dtype.type(0), y + y.dtype.type(0)
    same(getattr(gp, name)(x, y), getattr(np, name)(x, y), (x, y))
    if name in ("intersect1d", "setxor1d"):
        p, q = np.unique(x), np.unique(y)
        same(getattr(gp, name)(p, q, assume_unique=True), getattr(np, name)(p, q, assume_unique=True))


@random_calls
@given(data=st.data())
def test_merge_and_search(data):
    x = data.draw(arrays(most=1, least=1))
    y = data.draw(arrays(types=[x.dtype.name]))
    side = data.draw(st.sampled_from(["left", "right"]))
    same(gp.merge(np.sort(x), np.sort(y, axis=None)), np.sort(np.concatenate([x, y.ravel()])))
    same(gp.searchsorted(np.sort(x), y, side=side), np.searchsorted(np.sort(x), y, side=side))


@random_calls
@given(data=st.data())
def test_group_by(data):
    keys = data.draw(arrays(types=INTEGERS, most=1, least=1))
    values = np.arange(keys.size, dtype=data.draw(st.sampled_from(["int32", "uint8", "float32", "float64"]))) % 7
    how = ("sum", "min", "max", "count", "mean", "argmin", "argmax")
    made, results = gp.group_by(keys, values, how)
    same(made, np.unique(keys))
    for g, key in enumerate(made):
        group, where = values[keys == key], np.flatnonzero(keys == key)
        expected = [group.sum(), group.min(), group.max(), group.size, group.mean(dtype=np.float64),
                    where[group.argmin()], where[group.argmax()]]
        assert [result[g] for result in results] == expected
    assert [one.dtype for one in results] == [values.sum().dtype, values.dtype, values.dtype, "int64", "float64",
                                              "int64", "int64"]
    same(gp.group_by(keys, values)[1], results[0])
    same(gp.group_by(keys, None, "count")[1], results[3])


# ---- moves


ELEMENTS = [*INTEGERS, *FLOATS, "bool", "complex64", "complex128", "datetime64[s]", "S3", "U5"]


@random_calls
@given(data=st.data())
def test_moves(data):
    x = data.draw(arrays(types=["int64"]))
    x = x.astype(data.draw(st.sampled_from(ELEMENTS if x.ndim else ELEMENTS[:8])))  # (a scalar of text has its length)
    if data.draw(st.booleans()):
        x = x[..., ::-1] if x.ndim else x
    order = data.draw(st.permutations(range(x.ndim)))
    same(gp.transpose(x, order), np.transpose(x, order), (x, order))
    same(gp.transpose(x), x.T)
    axis = axes(data.draw, x)
    same(gp.flip(x, axis=axis), np.flip(x, axis=axis), (x, axis))
    axis, shift = axes(data.draw, x, tuples=False), data.draw(st.integers(-9, 9))
    same(gp.roll(x, shift, axis=axis), np.roll(x, shift, axis=axis), (x, shift, axis))
    flags = data.draw(arrays(types=["bool"], most=1, least=1))
    flags = np.resize(flags, x.size) if flags.size else np.zeros(x.size, bool)
    same(gp.compress(flags, x), np.compress(flags, x))
    first, second = gp.partition(x, flags)
    same(first, x.ravel()[flags])
    same(second, x.ravel()[~flags])
    if x.size:
        index = data.draw(st.lists(st.integers(-x.size, x.size - 1), max_size=20))
        index = np.array(index, data.draw(st.sampled_from(["int32", "int64"])))
        same(gp.take(x, index), np.take(x, index))
        target, expected, some = np.zeros_like(x, order="C"), np.zeros_like(x, order="C"), np.unique(index % x.size)
        gp.put(target, some, x.ravel()[some])
        np.put(expected, some, x.ravel()[some])
        same(target, expected)
    shuffled = gp.permutation(x, seed=5)
    same(np.sort(shuffled), np.sort(x, axis=None))
    same(shuffled, x.ravel()[gp.permutation(x.size, seed=5)])
    copy = x.copy(order="C")
    gp.shuffle(copy, seed=5)
    same(copy.ravel(), shuffled)


def test_structured_elements():
    x = np.array([(1, 2.5), (3, 4.5), (5, 6.5)], "i4,f8")
    assert (gp.take(x, [2, 0]) == x[[2, 0]]).all() and (gp.roll(x, 1) == np.roll(x, 1)).all()
    assert (gp.flip(x) == x[::-1]).all() and (gp.compress([True, False, True], x) == x[[0, 2]]).all()
    same(gp.permute(np.arange(24).reshape(2, 3, 4), (2, 0, 1)), np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1))
    with pytest.raises(TypeError, match="elements of 100 bytes"):
        gp.take(np.zeros(3, "S100"), [0])


@pytest.mark.turn
def test_many_dimensions():
    x = np.arange(2**9).reshape((2,) * 9)
    turned = x.transpose(8, 1, 7, 2, 6, 3, 5, 4, 0)
    same(gp.sum(turned, axis=(0, 3, 5)), turned.sum((0, 3, 5)))
    same(gp.transpose(turned, range(9)), turned)
    same(gp.cumsum(turned, axis=4), turned.cumsum(4))
    same(gp.sort(-turned, axis=4), np.sort(-turned, 4))
    same(gp.argsort(-turned, axis=7), np.argsort(-turned, 7, kind="stable"))
    values, indices = gp.topk(turned, 1, axis=2)
    same(values, turned.max(2, keepdims=True))
    same(indices, turned.argmax(2, keepdims=True))


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_complex_numbers(kind):
    """Sums and products of small whole numbers are exact."""
    rng = np.random.default_rng(8)
    x = (rng.integers(-3, 4, (5, 6, 7)) + 1j * rng.integers(-3, 4, (5, 6, 7))).astype(kind).transpose(2, 0, 1)
    for axis in (None, 0, 1, 2, (0, 2)):
        same(gp.sum(x, axis=axis), x.sum(axis))
        close(np.abs(gp.mean(x, axis=axis) - x.mean(axis)) < 1e-5, np.ones_like(x.mean(axis), bool))
    for axis in (0, 1, 2):
        same(gp.cumsum(x, axis=axis), x.cumsum(axis))
        same(gp.prod(x[:3], axis=axis), x[:3].prod(axis))
        same(gp.any(x, axis=axis), x.any(axis))
        same(gp.all(x, axis=axis), x.all(axis))
        same(gp.diff(x, axis=axis), np.diff(x, axis=axis))
    flat = x.ravel()
    same(gp.segment_sum(flat, [0, 10, 10, 200]), np.array([flat[:10].sum(), 0, flat[10:200].sum()], kind))
    same(gp.unique(flat), np.unique(flat))
    same(gp.sort(flat), np.sort(flat))
    x[1, 2], x[2, 1, :3], x[0, 0, :2] = -0.0, complex(np.nan, 1), complex(1, np.nan)
    for axis in (0, 1, 2, -1):
        np.testing.assert_array_equal(gp.sort(x, axis=axis), np.sort(x, axis))
        values, indices = _sorting.sort_with_indices(x, axis, False)
        np.testing.assert_array_equal(values, np.sort(x, axis))
        same(indices, np.argsort(x, axis, kind="stable"))
        same(gp.argsort(x, axis=axis), indices)
        backwards = np.take_along_axis(x, gp.argsort(x, axis=axis, descending=True), axis)
        np.testing.assert_array_equal(backwards, np.flip(np.sort(x, axis), axis))
        out = np.zeros(x.shape, kind)
        assert gp.sort(x, axis=axis, descending=True, out=out) is out
        np.testing.assert_array_equal(out, backwards)
    same(gp.sort(x[:0], axis=1), x[:0])
    with pytest.raises(TypeError, match="gp_top_k_axis: key_type is c"):
        gp.topk(x, 2)
    same(gp.transform("negate", flat), -flat)
    same(gp.count_nonzero(flat), np.count_nonzero(flat))
    same(gp.scan(flat, "sum", exclusive=True, initial=1j), np.cumsum(flat) - flat + kind_of(kind, 1j))
    keys = rng.integers(0, 4, flat.size)
    same(gp.bincount(keys), np.bincount(keys))
    odd = np.frombuffer(b"12345678" + flat[:9].tobytes(), kind, 9, 8) if kind == "complex128" else flat[:9]
    same(gp.take(odd, [3, 1]), odd[[3, 1]])  # aligned to 8 bytes
    with pytest.raises(TypeError, match="complex|c32|c64"):
        gp.max(x)


def kind_of(kind, value):
    return np.dtype(kind).type(value)


def test_exclusive_scans_along_axes():
    x = np.arange(120).reshape(2, 3, 4, 5)[:, ::-1].transpose(3, 0, 2, 1)
    for axis in range(-4, 4):
        same(gp.scan(x, "sum", axis=axis, exclusive=True, initial=7), x.cumsum(axis) - x + 7)


@random_calls
@given(data=st.data())
def test_selections(data):
    x = data.draw(arrays())
    same(gp.flatnonzero(x), np.flatnonzero(x))
    if x.ndim:
        for one, other in zip(gp.nonzero(x), np.nonzero(x), strict=True):
            same(one, other)
    sign = data.draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
    holds = {"==": x == 1, "!=": x != 1, "<": x < 1, "<=": x <= 1, ">": x > 1, ">=": x >= 1}[sign]
    same(gp.select(x, sign, 1), x[holds])
    assert gp.count_if(x, sign, 1) == holds.sum()


@random_calls
@given(data=st.data())
def test_bincount(data):
    x = data.draw(arrays(types=INTEGERS, most=1, least=1))
    if x.size and x.min() < 0:
        with pytest.raises(ValueError, match="^x has the negative element"):
            gp.bincount(x)
        x = np.abs(x)
    least = data.draw(st.sampled_from([0, 3, 300]))
    signed = x.astype(np.int64)
    same(gp.bincount(x, minlength=least), np.bincount(signed, minlength=least))
    weights = np.arange(x.size).astype(data.draw(st.sampled_from(["float64", "float32", "int16"])))
    if x.size:
        same(gp.bincount(x, weights, minlength=least), np.bincount(signed, weights, minlength=least))
    same(gp.bincount(x, length=2), np.bincount(signed[signed < 2], minlength=2))


def test_bincount_of_every_number_of_a_byte():
    for name in ("uint8", "int8"):
        x = np.repeat(np.arange(np.iinfo(name).max + 1), 3).astype(name)
        same(gp.bincount(x), np.bincount(x.astype(int)))
        same(gp.bincount(x, minlength=400), np.bincount(x.astype(int), minlength=400))


@random_calls
@given(data=st.data())
def test_histogram(data):
    x = data.draw(arrays(types=[*INTEGERS, "float32", "float64", "bool"]))
    bins = data.draw(st.sampled_from([1, 5, 10, [0, 1, 2.5, 4], [-1.5, 0]]))
    limits = data.draw(st.sampled_from([None, (0, 3), (-1, 2.5)]))
    y = x.astype(np.float64) if x.dtype.kind != "f" else x
    counts, edges = gp.histogram(x, bins, range=limits)
    # NumPy's bins where they have edges: elements are compared with them.
    expected = np.histogram(y, edges)[0]
    same(counts, expected, (x, bins, limits))
    if not isinstance(bins, list):
        np.testing.assert_allclose(edges, np.histogram(y, bins, range=limits)[1], rtol=1e-6)
    weights = np.arange(x.size, dtype=np.float64).reshape(x.shape) if x.ndim else np.float64(2)
    if x.size:
        same(gp.histogram(x, edges, weights)[0], np.histogram(y, edges, weights=weights)[0])


def test_out():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for call, shape, kind in ((lambda out: gp.sum(x, axis=0, out=out), 4, "float32"),
                              (lambda out: gp.argmax(x, axis=1, out=out), 3, "int64"),
                              (lambda out: gp.sort(x, out=out), (3, 4), "float32"),
                              (lambda out: gp.cumsum(x, axis=0, out=out), (3, 4), "float32"),
                              (lambda out: gp.transpose(x, out=out), (4, 3), "float32"),
                              (lambda out: gp.all(x, axis=0, out=out), 4, "bool"),
                              (lambda out: gp.roll(x, 2, out=out), (3, 4), "float32")):
        out = np.zeros(shape, kind)
        assert call(out) is out
        same(out, call(None))
        for wrong in (np.zeros((5, 5), kind), np.zeros(shape, "int16"), np.zeros(np.multiply(shape, 2), kind)[
                tuple(slice(None, None, 2) for _ in np.atleast_1d(shape))], out.tolist()):
            with pytest.raises((TypeError, ValueError), match="^out"):
                call(wrong)
        out.setflags(write=False)
        with pytest.raises(ValueError, match="^out is read-only"):
            call(out)


@pytest.mark.turn
def test_graphs():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse import csgraph

    rng = np.random.default_rng(5)
    for n in (1, 20, 300):
        matrix = scipy_sparse.random(n, n, 1 / n, format="csr", random_state=rng)
        depths, parents = gp.bfs(matrix, 0, return_parents=True)
        expected = csgraph.shortest_path(matrix, unweighted=True, indices=0)
        same(depths, np.where(np.isinf(expected), -1, expected).astype(np.int32))
        assert parents[0] == 0 and ((parents == -1) == (depths == -1)).all()
        count, labels = gp.connected_components(matrix)
        number, others = csgraph.connected_components(matrix, connection="weak")
        assert count == number and len(set(zip(labels.tolist(), others.tolist(), strict=True))) == number
        both = (matrix + matrix.T).tocsr()
        wide = (both.indptr.astype(np.int64), both.indices.astype(np.uint64))
        same(gp.bfs(wide, 0, directed=False), gp.bfs(both, 0))


def test_wrong_graphs():
    for offsets, targets, message in (([0, 2], [0, 1], r"targets\[1\]"), ([1, 1], [], r"offsets\[0\]"),
                                      ([0, 5], [0], "offsets"), ([], [], "n . 1 offsets")):
        with pytest.raises(ValueError, match=f"^graph: .*{message}"):
            gp.bfs((np.array(offsets, np.int32), np.array(targets, np.int32)), 0)
    with pytest.raises(ValueError, match="^source is 3"):
        gp.bfs((np.array([0, 0], np.int32), np.array([], np.int32)), 3)
    with pytest.raises(TypeError, match="^graph is ndarray"):
        gp.bfs(np.eye(3), 0)


class Holder:
    """An array of a library of the array API standard in host memory: NumPy's, under another name."""

    def __init__(self, array):
        self.array = array

    def __array_namespace__(self):
        import standard_host

        return standard_host

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return 1, 0


def test_arrays_of_other_libraries_on_the_host(monkeypatch):
    import sys
    import types

    module = types.ModuleType("standard_host")
    module.from_dlpack = lambda array: Holder(np.from_dlpack(array))
    monkeypatch.setitem(sys.modules, "standard_host", module)
    x = np.array([3, 1, 2])
    assert (gp.sort(Holder(x)).array == [1, 2, 3]).all()
    assert gp.sum(Holder(x)).array == 6
    assert gp.count_nonzero(Holder(x)).array == 3 and (gp.unique(Holder(x), return_counts=True)[1].array == 1).all()


def test_torch_tensors_on_the_host(monkeypatch):
    from emulated import put_module, torch_module

    torch = put_module(monkeypatch, "torch", torch_module(None))
    x = np.array([[3, 1, 2], [0, 5, 4]], np.int32)
    made = gp.sort(torch.cpu_tensor(x))
    assert isinstance(made, torch.Tensor) and (made.memory == np.sort(x)).all()
    assert (gp.mean(torch.cpu_tensor(x), axis=0).memory == x.mean(0)).all()
    with pytest.raises(ValueError, match="^x requires grad"):
        gp.sum(torch.cpu_tensor(x.astype(float), requires_grad=True))
