"""Calls on plain arrays (python/fast.c): the same results as the way in Python, the same errors, and what they cost."""
import sys
import time

import gpuprims as gp
import numpy as np
import pytest
from gpuprims import _context, _fast, _moving, _reductions, _sorting, raw


class Other(np.ndarray):
    """Arrays of a class of its own take the way in Python."""


def other(x):
    return x.view(Other) if isinstance(x, np.ndarray) else x


TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
         "bool"]
CALLS = {
    "sum": lambda x, **o: gp.sum(x, **o), "prod": lambda x, **o: gp.prod(x, **o),
    "min": lambda x, **o: gp.min(x, **o), "max": lambda x, **o: gp.max(x, **o),
    "any": lambda x: gp.any(x), "all": lambda x: gp.all(x), "count_nonzero": lambda x: gp.count_nonzero(x),
    "cumsum": lambda x, **o: gp.cumsum(x, **o), "cumprod": lambda x, **o: gp.cumprod(x, **o),
    "cummin": lambda x, **o: gp.cummin(x, **o), "cummax": lambda x, **o: gp.cummax(x, **o),
    "sort": lambda x, **o: gp.sort(x, **o), "descending": lambda x, **o: gp.sort(x, descending=True, **o),
    "argsort": lambda x, **o: gp.argsort(x, **o), "argsort descending": lambda x: gp.argsort(x, descending=True),
    "topk": lambda x: gp.topk(x, 2), "topk 1": lambda x: gp.topk(x, 1, largest=False),
    "topk unsorted": lambda x: gp.topk(x, 2, sorted=False), "unique": lambda x: gp.unique(x),
    "both": lambda x: _sorting.sort_with_indices(x, -1, False),
    "flatnonzero": lambda x: gp.flatnonzero(x), "compress": lambda x: gp.compress(x > 1, x),
    "square": lambda x: gp.transform("square", x), "sums": lambda x: gp.transform("sum", x, x),
    "left": lambda x: gp.searchsorted(np.sort(x, None), x),
    "right": lambda x: gp.searchsorted(np.sort(x, None), x, side="right"),
}


def same(a, b):
    if isinstance(a, tuple):
        return all(same(one, two) for one, two in zip(a, b, strict=True))
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b) and type(a) in (
        np.ndarray, np.dtype(a.dtype).type)


@pytest.mark.parametrize("name", CALLS)
def test_both_ways_give_the_same(name):
    gp.sum(np.arange(3))  # the default context is known from now on
    rng, call = np.random.default_rng(1), CALLS[name]
    for dtype in TYPES:
        for shape in ((1,), (7,), (300,), (3, 5), (1, 4), (4, 1, 6), (2, 2, 2, 3)):
            x = rng.integers(0, 5, shape).astype(dtype)
            options = [{}]
            if name in ("sum", "prod", "min", "max", "cumsum", "cumprod", "cummin", "cummax", "sort", "argsort"):
                options += [{"axis": None}, {"axis": -1}, {"axis": len(shape) - 1}, {"axis": 0}]
            for given in options:
                try:
                    expected = call(other(x), **given)
                except (ValueError, TypeError, gp.GpuprimsError) as error:
                    with pytest.raises(type(error)):
                        call(x, **given)
                    continue
                assert same(call(x, **given), expected), (dtype, shape, given)


def test_what_is_plain():
    """The way that a call takes: None where it is the one in Python."""
    gp.sum(np.arange(3))
    total, ordered = _reductions._REDUCTIONS[raw.GP_SUM], _sorting._SORT[0]
    x, frozen = np.arange(6.0), np.arange(6.0)
    frozen.flags.writeable = False
    assert _fast.run(total, None, None, None, x) == 15 and _fast.run(total, -1, None, None, frozen) == 15
    out = np.zeros(6)
    assert _fast.run(ordered, -1, out, None, x) is out and (out == x).all()
    zero = np.zeros((), np.float64)
    assert _fast.run(total, None, zero, None, x) is zero and zero == 15
    for bad in (x[::2], x[:0], other(x), x.astype(complex), x.astype(">f8"), [1.0], None, "text", np.float64(1),
                np.zeros((1,) * 9), np.zeros(3, "datetime64[s]"), np.zeros(9, np.uint8)[1:].view(np.float64),
                np.array([object()]), np.ma.masked_array([1.0])):
        assert _fast.run(total, None, None, None, bad) is None
    for axis in (True, 1, -2, 0.0, "0", (0,), 2**70):
        assert _fast.run(total, axis, None, None, x) is None
    for wrong in (frozen, out[::2], np.zeros(5), np.zeros((6, 1)), np.zeros(6, np.float32), [0.0] * 6, other(out)):
        assert _fast.run(ordered, -1, wrong, None, x) is None
    top = _sorting._TOPK[True, True]
    for k in (0, -1, 7, 2**70, 1.0, True, "1"):
        assert _fast.run(top, -1, None, k, x) is None
    assert _fast.run(top, None, None, 1, x) is None and _fast.run(top, -1, None, 6, x) is not None
    number = _moving._BINCOUNT
    assert _fast.run(number, 0, None, 128, np.zeros(3, np.int8)) is None
    assert (_fast.run(number, 0, None, 127, np.zeros(3, np.int8)) == [3] + [0] * 126).all()
    assert _fast.run(number, 0, None, 3, x) is None and _fast.run(number, 0, None, 3, np.zeros((2, 2), int)) is None
    two = _moving._COMPRESS[0]
    assert _fast.run(two, None, None, None, x, x[:5] > 1) is None and _fast.run(two, None, None, None, x, x) is None
    add = _moving._map(raw.GP_SUM, 2)
    assert _fast.run(add, None, None, None, x, x.reshape(2, 3)) is None
    assert _fast.run(add, None, None, None, x, x.astype(np.float32)) is None
    for wrong in ((), (total,), (total, None, None, None), (total, None, None, None, x, x), (-1, None, None, None, x),
                  (10**6, None, None, None, x), ("", None, None, None, x)):
        with pytest.raises((TypeError, ValueError)):
            _fast.run(*wrong)


def test_bincount_waits_once():
    for dtype in TYPES[:8]:
        x = np.array([3, 1, 3], dtype)
        for options in ({}, {"minlength": 2}, {"minlength": 9}, {"length": 3}, {"length": 5}, {"length": 0}):
            assert same(gp.bincount(x, **options), gp.bincount(other(x), **options)), (dtype, options)
        full = np.array([np.iinfo(dtype).max], dtype)
        if full[0] < 2**17:
            assert same(gp.bincount(full), gp.bincount(other(full)))
        if dtype.startswith("i"):
            for options in ({}, {"length": 3}):
                with pytest.raises(ValueError, match="x has the negative element -2"):
                    gp.bincount(np.array([1, -2], dtype), **options)


def test_histograms_keep_their_edges():
    """The second call finds them on the device; what the caller does with the edges that it got changes nothing."""
    x = np.random.default_rng(1).normal(size=300)
    for dtype in ("float32", "float64", "int16", "int64", "bool"):
        for bins, ends in ((7, (-1, 1)), (1, (0.5, 0.5)), (7, (-1.0, 1.5))):
            y, before = x.astype(dtype), len(_moving._EDGES)
            first, expected = gp.histogram(y, bins, range=ends), np.histogram(y, bins, range=ends)
            assert len(_moving._EDGES) == before + 1
            first[1][:] = 0
            second = gp.histogram(y, bins, range=ends)
            assert len(_moving._EDGES) == before + 1 and same(first[0], second[0])
            assert (second[0] == expected[0]).all() and np.allclose(second[1], expected[1])
            assert same(_moving.counts_in_bins(y, bins, ends), second[0])
            second[1][:] = 0
            assert gp.histogram(y, bins, range=ends)[1][0] == first[1].dtype.type(min(ends[0], expected[1][0]))
            assert (gp.histogram(y[::2], bins, range=ends)[0] == np.histogram(y[::2], bins, range=ends)[0]).all()
    before = dict(_moving._EDGES)
    gp.histogram(x, 7), gp.histogram(x, [0, 1, 2]), gp.histogram(x, 7, x, range=(0, 1)), gp.histogram(other(x), 7)
    gp.histogram(x, 7, range=(np.float64(0), 1)), gp.histogram(x, 5000, range=(0, 1))
    gp.histogram([1], 2, range=(0, 1))
    assert _moving._EDGES == before
    with pytest.raises(ValueError, match="range: .* is not finite"):
        gp.histogram(x, 7, range=(0, float("nan")))


def test_the_default_context_changes():
    """A context that is closed, or is the default one no more, is not used again."""
    x = np.arange(5)
    for _ in range(3):
        with gp.Context("host", host_threads=1) as made:
            gp.use(made)
            gp.sum(x[::2])
            assert _context._lent and gp.sum(x) == 10
        assert not _context._lent
        assert _fast.run(_reductions._REDUCTIONS[raw.GP_SUM], None, None, None, x) is None
        assert gp.sum(x) == 10 and _context._lent
    assert _fast.run(_reductions._REDUCTIONS[raw.GP_SUM], None, None, None, x) == 10


def test_no_reference_is_lost():
    x, out, flags = np.arange(5), np.zeros(5, int), np.arange(5) > 2
    before = [sys.getrefcount(one) for one in (x, out, flags, x.dtype, None, ())]
    for _ in range(1000):
        gp.sum(x), gp.sort(x), gp.sort(x, out=out), gp.compress(flags, x), gp.unique(x), gp.topk(x, 2)
        gp.sum(x[::2], out=np.zeros((), int)), gp.cumsum(x.reshape(5, 1), axis=1)
        _fast.run(_sorting._SORT[0], -1, flags, None, x)
    after = [sys.getrefcount(one) for one in (x, out, flags, x.dtype, None, ())]
    assert all(b - a < 100 for a, b in zip(before, after, strict=True)), (before, after)


# ---- cost

# {call: instructions of Python's virtual machine in the package, on CPython 3.11}
X, FLAGS = np.arange(64, dtype=np.float32), np.arange(64) % 2 == 0
COSTS = {"sum": (lambda: gp.sum(X), 34), "cumsum": (lambda: gp.cumsum(X), 31), "sort": (lambda: gp.sort(X), 19),
         "argsort": (lambda: gp.argsort(X), 19), "topk": (lambda: gp.topk(X, 3), 27),
         "searchsorted": (lambda: gp.searchsorted(X, X), 24), "compress": (lambda: gp.compress(FLAGS, X), 29),
         "flatnonzero": (lambda: gp.flatnonzero(X), 28), "unique": (lambda: gp.unique(X), 47),
         "transform": (lambda: gp.transform("abs", X), 54)}


def instructions(call):
    count = 0

    def trace(frame, event, _):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode" and "gpuprims" in frame.f_code.co_filename
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", COSTS)
def test_instructions_of_a_call(name):
    """A check, a context manager or a view more would double them."""
    call, known = COSTS[name]
    call(), call()
    assert 0 < instructions(call) <= 1.6 * known, name


def fastest(*calls):
    """The least time of each, in turn, so that a loaded machine is as slow for all."""
    least = [1e9] * len(calls)
    for _ in range(60):
        for number, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(100):
                call()
            least[number] = min(least[number], time.perf_counter() - start)
    return least


def test_time_of_a_call():
    """The package adds to the call of C, as cffi makes it, about what NumPy takes to allocate the result, and it has
    allocated it. Other programs only add to that: one good try is enough."""
    context, ffi, lib = gp.Context("host"), raw.ffi, raw.lib
    gp.use(context)
    x, out = np.arange(64), np.zeros(64, np.int64)
    source, target = (ffi.cast("void *", one.ctypes.data) for one in (x, out))
    tries = []
    for _ in range(8):
        ours, theirs, made = fastest(
            lambda: gp.cumsum(x),
            lambda: lib.gp_inclusive_scan(context.handle, raw.GP_SUM, raw.GP_I64, raw.GP_I64, source, 64, target,
                                          ffi.NULL),
            lambda: np.empty(64, np.int64))
        tries.append((ours - theirs) / made)
        if tries[-1] < 1.7:
            break
    context.close()
    assert min(tries) < 1.7, tries
