"""Rows of strided arrays on the host against NumPy: reductions, maps, scans, sorts and top-k along an axis, any
strides, all types, bad input."""
import ctypes
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import (DESCENDING, DTYPES, EXCLUSIVE, OPERATORS, REPRODUCIBLE, SIZES, TYPES, UNSORTED, Axes,
                             Error, Segments)
from inputs import TYPE_NAMES, pair, values

settings.register_profile("rows", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("rows")

types = st.sampled_from(TYPE_NAMES)
shapes = st.lists(st.sampled_from([0, 1, 1, 2, 3, 5, 8, 17, 33]), min_size=1, max_size=4).flatmap(
    lambda e: st.tuples(st.just(e), st.integers(0, len(e) - 1)))


class Array:
    """Elements of a shape in memory: dimensions in any order, with gaps, backwards, and with `zeros` repeated."""

    def __init__(self, shape, dtype, seed, zeros):
        r = np.random.default_rng(seed)
        self.shape, self.strides, before, reach = shape, [0] * len(shape), 0, 0
        for d in r.permutation(len(shape)):
            step = reach + 1 + int(r.choice([0, 0, 1, 3]))
            last = max(shape[d] - 1, 0)
            if zeros and r.random() < 0.15:
                continue
            sign = -1 if r.random() < 0.3 else 1
            self.strides[d] = sign * step
            before += last * step if sign < 0 else 0
            reach += last * step
        self.memory = np.zeros(reach + 1, dtype)
        self.memory.view(np.uint8)[:] = 0xA5
        self.address = self.memory.ctypes.data + before * self.memory.itemsize
        at = np.full([1] * len(shape), before)
        for d, n in enumerate(shape):
            at = at + (np.arange(n) * self.strides[d]).reshape([-1 if e == d else 1 for e in range(len(shape))])
        self.places = at.astype(np.int64)

    def write(self, elements):
        self.memory[self.places.reshape(-1)] = elements.reshape(-1)
        return self

    def read(self):
        return self.memory[self.places]

    def rest(self):
        other = np.ones(len(self.memory), bool)
        other[self.places.reshape(-1)] = False
        return self.memory.view(np.uint8).reshape(len(self.memory), -1)[other]


def axes_of(shape, axis, x, out):
    return Axes(len(shape), axis, tuple(shape), tuple(x.strides), tuple(out.strides))


def reduced(shape, axis):
    return [1 if d == axis else n for d, n in enumerate(shape)]


@given(types, st.sampled_from(oracle.BINARY + ["ARGMIN", "ARGMAX"]), shapes, st.integers(0, 10**6), st.booleans())
@settings(max_examples=300)
@pytest.mark.turn
def test_reduce(host, threaded, type_, op, what, seed, wide):
    shape, axis = what
    if oracle.is_float(type_) and op.startswith("BIT"):
        return
    arg, exact = op.startswith("ARG"), oracle.is_exact(op, type_)
    acc = ("f64" if oracle.is_float(type_) else "u64") if wide and not arg else type_
    acc = "f32" if acc in ("f16", "bf16") and not arg else acc
    x = Array(shape, DTYPES[type_], seed, True)
    x.write(values(type_, int(np.prod(shape)), "special" if exact else "small", seed))
    out = Array(reduced(shape, axis), pair(type_) if arg else DTYPES[acc], seed + 1, False)
    context = threaded if seed % 3 == 0 else host
    context.call("gp_reduce_axis", op, type_, acc, axes_of(shape, axis, x, out), x.address, out.address)
    got, rows = np.moveaxis(out.read(), axis, -1), np.moveaxis(x.read(), axis, -1)
    for r in np.ndindex(rows.shape[:-1]):
        row = np.ascontiguousarray(rows[r])
        if arg:
            start, running = oracle.arg_running(op, row, type_, None)
            value, index = running[-1] if running else start
            assert got[r][0]["index"] == index
            assert oracle.same(got[r][:1]["value"].copy(), np.array([value], DTYPES[type_]), type_).all()
            continue
        y = oracle.operands(op, None, row, type_, acc)
        total = oracle.identity(op, acc)
        for i in range(len(y)):
            total = oracle.binary(op, total, y[i:i + 1], acc)
        assert oracle.same(np.array([got[r][0]], DTYPES[acc]), np.asarray(total, DTYPES[acc]), acc).all(), (r, got[r])
    assert (out.rest() == 0xA5).all(), "wrote between the results"


def test_initial_values_and_transforms(host):
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    out = np.zeros((2, 1, 4), np.int64)
    axes = Axes(3, 1, (2, 3, 4), (12, 4, 1), (4, 0, 1))
    host.run("reduce_axis", op="SUM", transform="SQUARE", in_type="i32", out_type="i64", axes=axes, in_=x, out=out,
             init=np.array([100], np.int64))
    assert (out == 100 + (x.astype(np.int64) ** 2).sum(1, keepdims=True)).all()
    axes.extent = (2, 0, 4)
    host.run("reduce_axis", op="SUM", in_type="i32", out_type="i64", axes=axes, in_=x, out=out,
             init=np.array([7], np.int64))
    assert (out == 7).all()


def test_more_elements_than_a_piece(threaded):
    x = values("f32", 3 * 70001, "uniform", 5).reshape(3, 70001)
    for axis, shape in ((1, (3, 1)), (0, (1, 70001))):
        out, best = np.zeros(shape, np.float64), np.zeros(shape, pair("f32"))
        strides = ((1, 0), (0, 1))[axis == 0]
        axes = Axes(2, axis, x.shape, (70001, 1), strides)
        threaded.call("gp_reduce_axis", "SUM", "f32", "f64", axes, x, out)
        assert np.allclose(out, x.astype(np.float64).sum(axis, keepdims=True))
        threaded.call("gp_reduce_axis", "ARGMAX", "f32", "f32", axes, x, best)
        assert (best["index"].reshape(-1) == x.argmax(axis)).all()
    column = np.asfortranarray(x)  # the same rows, 3 elements apart
    best = np.zeros((3, 1), pair("f32"))
    threaded.call("gp_reduce_axis", "ARGMIN", "f32", "f32", Axes(2, 1, x.shape, (1, 3), (1, 0)), column, best)
    assert (best["index"].reshape(-1) == x.argmin(1)).all()


@given(types, types, st.sampled_from(["SUM", "MIN", "MAX"]), st.sampled_from(["SUB", "SUM", "MIN", "AND", "OR"]),
       shapes, st.integers(0, 10**6), st.booleans())
@settings(max_examples=200)
@pytest.mark.turn
def test_map_by_built_in_operators(host, threaded, in_type, out_type, op, apply, what, seed, in_place):
    shape, axis = what
    state = "f64" if oracle.is_float(in_type) else "i64"
    n = int(np.prod(shape))
    x = Array(shape, DTYPES[in_type], seed, not in_place).write(values(in_type, n, "small", seed))
    before = x.read().copy()
    in_place = in_place and SIZES[in_type] == SIZES[out_type]
    out = x if in_place else Array(shape, DTYPES[out_type], seed + 1, False)
    (threaded if seed % 3 == 0 else host).call("gp_row_map", 0, op, apply, in_type, state, out_type,
                                               axes_of(shape, axis, x, out), x.address, out.address)
    if not n:
        return
    wide = oracle.convert(before.reshape(-1), in_type, state).reshape(shape)
    s = {"SUM": np.sum, "MIN": np.min, "MAX": np.max}[op](wide, axis, keepdims=True)
    a = oracle.convert(before.reshape(-1), in_type, out_type)
    b = oracle.convert(np.broadcast_to(s, shape).reshape(-1), state, out_type)
    wanted = oracle.binary(apply, a, b, out_type)
    got = out.read().reshape(-1).copy()
    assert oracle.same(got.view(DTYPES[out_type]), wanted, out_type).all()
    assert (out.rest() == 0xA5).all(), "wrote between the results"


@given(types, st.sampled_from(oracle.BINARY + ["ARGMIN", "ARGMAX"]), shapes, st.integers(0, 10**6), st.booleans(),
       st.booleans())
@settings(max_examples=300)
@pytest.mark.turn
def test_scan(host, threaded, type_, op, what, seed, exclusive, in_place):
    shape, axis = what
    if oracle.is_float(type_) and op.startswith("BIT"):
        return
    arg, exact = op.startswith("ARG"), oracle.is_exact(op, type_)
    acc = "f32" if type_ in ("f16", "bf16") and not arg else type_
    in_place = in_place and acc == type_ and not arg
    x = Array(shape, DTYPES[type_], seed, not in_place)
    x.write(values(type_, int(np.prod(shape)), "special" if exact else "small", seed))
    rows = np.moveaxis(x.read(), axis, -1).copy()
    out = x if in_place else Array(shape, pair(type_) if arg else DTYPES[acc], seed + 1, False)
    context = threaded if seed % 3 == 0 else host
    context.call("gp_scan_axis", op, type_, acc, axes_of(shape, axis, x, out), x.address, out.address,
                 EXCLUSIVE if exclusive else 0)
    got = np.moveaxis(out.read(), axis, -1)
    for r in np.ndindex(rows.shape[:-1]):
        row = np.ascontiguousarray(rows[r])
        if arg:
            start, running = oracle.arg_running(op, row, type_, None)
            wanted = ([start] + running)[:len(row)] if exclusive else running
            assert [int(g["index"]) for g in got[r]] == [i for _, i in wanted]
            assert oracle.same(got[r]["value"].copy(), np.array([v for v, _ in wanted], DTYPES[type_]), type_).all()
            continue
        y = oracle.operands(op, None, row, type_, acc)
        total, wanted = oracle.identity(op, acc), []
        for i in range(len(y)):
            wanted += [total] if exclusive else []
            total = oracle.binary(op, total, y[i:i + 1], acc)
            wanted += [] if exclusive else [total]
        wanted = np.array(wanted, DTYPES[acc]).reshape(-1)
        assert oracle.same(np.ascontiguousarray(got[r]), wanted, acc).all(), (r, got[r], wanted)
    assert (out.rest() == 0xA5).all(), "wrote between the results"


def test_cumulative_sums_and_initial_values(host):
    x = values("f64", 3 * 4 * 5, "small", 9).reshape(3, 4, 5)
    for axis in range(3):
        out, axes = np.zeros_like(x), Axes(3, axis, x.shape, (20, 5, 1), (20, 5, 1))
        host.call("gp_scan_axis", "SUM", "f64", "f64", axes, x, out, 0)
        assert (out == x.cumsum(axis)).all()
        host.run("scan_axis", op="SUM", transform="SQUARE", in_type="f64", axes=axes, in_=x, out=out, flags=EXCLUSIVE,
                 init=np.array([7.0]))
        assert (out == 7 + (x * x).cumsum(axis) - x * x).all()


def total_order(x, type_, descending):
    """Integers in the order of the keys: IEEE 754 total order for floats."""
    unsigned = np.dtype(f"u{x.dtype.itemsize}").type
    sign, raw = unsigned(1 << 8 * x.dtype.itemsize - 1), x.view(unsigned)
    bits = np.where(raw & sign, ~raw, raw | sign) if oracle.is_float(type_) else raw if type_[0] == "u" else raw ^ sign
    return ~bits if descending else bits


def check_ranked(before, order, axis, out, places):
    """The results, those that are wanted, are the elements of `before` in this order."""
    if out is not None:
        assert np.ascontiguousarray(out.read()).tobytes() == np.take_along_axis(before, order, axis).tobytes()
        assert (out.rest() == 0xA5).all(), "wrote between the results"
    if places is not None:
        assert (places.read() == order).all()


@given(types, st.sampled_from([0, "i32", "u32", "i64", "u64"]), shapes, st.integers(0, 10**6), st.booleans(),
       st.sampled_from(["sort", "in place", "top"]), st.booleans())
@settings(max_examples=400)
@pytest.mark.turn
def test_order(host, threaded, type_, index, what, seed, descending, how, keys):
    """gp_sort_axis, gp_argsort_axis, gp_top_k_axis against np.argsort along the axis."""
    shape, axis = what
    keys = keys or not index or how == "in place"
    k = seed % (shape[axis] + 1) if how == "top" else shape[axis]
    x = Array(shape, DTYPES[type_], seed, how != "in place")
    x.write(values(type_, int(np.prod(shape)), ("special", "small")[seed % 2], seed))
    before = x.read().copy()
    results = [k if d == axis else n for d, n in enumerate(shape)]
    out = x if how == "in place" else Array(results, DTYPES[type_], seed + 1, False)
    places = Array(results, DTYPES[index or "u32"], seed + 1, False)  # the same strides
    if how == "in place":
        places = type("", (), {})()
        places.memory = np.full(len(x.memory), 0xA5A5A5A5 if SIZES[index or "u32"] == 4 else 0xA5A5A5A5A5A5A5A5,
                                f"u{SIZES[index or 'u32']}")
        places.address = places.memory.ctypes.data + (x.address - x.memory.ctypes.data) // SIZES[type_] * \
            places.memory.itemsize
        places.read = lambda: places.memory[x.places]
    context, flags = threaded if seed % 3 == 0 else host, DESCENDING if descending else 0
    axes = axes_of(shape, axis, x, out)
    if how == "top":
        context.call("gp_top_k_axis", type_, index, axes, x.address, k, out.address if keys else None,
                     places.address if index else None, flags | (UNSORTED if seed % 5 == 0 else 0))
    elif index:
        context.call("gp_argsort_axis", type_, index, axes, x.address, out.address if keys else None, places.address,
                     flags)
    else:
        context.call("gp_sort_axis", type_, axes, x.address, out.address, flags)
    order = np.argsort(total_order(np.ascontiguousarray(before), type_, descending), axis, kind="stable")
    check_ranked(before, np.take(order, np.arange(k), axis), axis, out if keys else None, places if index else None)


PERSON = np.dtype([("name", "u4"), ("age", "i4"), ("town", "u4")])


def person_before(result, a, b):
    ages = (ctypes.cast(p, ctypes.POINTER(ctypes.c_int32))[1] for p in (a, b))
    ctypes.cast(result, ctypes.POINTER(ctypes.c_ubyte))[0] = next(ages) < next(ages)


@pytest.fixture(scope="module")
def people(host):
    return host.struct("person", 12, 4), host.operator("by age", person_before)


@given(st.sampled_from(["person", "i32", "u64", "f32"]), st.sampled_from([0, "i32", "u32", "i64", "u64"]), shapes,
       st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=150)
@pytest.mark.turn
def test_top_k_by_an_order(host, people, type_, index, what, seed, descending, keys):
    """gp_top_k_axis with an operator: keys tie often, and come as in the input."""
    shape, axis = what
    keys, k, dtype = keys or not index, seed % (shape[axis] + 1), DTYPES[type_] if type_ in DTYPES else PERSON
    x = Array(shape, dtype, seed, True)
    ages = np.random.default_rng(seed).integers(0 if type_[0] == "u" else -9, 9, shape)
    elements = np.zeros(shape, dtype)
    if type_ == "person":
        elements["age"], elements["name"] = ages, np.arange(ages.size).reshape(shape)
    else:
        elements[...] = ages
    x.write(elements)
    before = np.ascontiguousarray(x.read())
    results = [k if d == axis else n for d, n in enumerate(shape)]
    out = Array(results, dtype, seed + 1, False)
    places = Array(results, DTYPES[index or "u32"], seed + 1, False)
    op = people[1] if type_ == "person" else ("LESS", "GREATER")[seed % 2]
    host.run("top_k_axis", key_type=people[0] if type_ == "person" else type_, op=op, axes=axes_of(shape, axis, x, out),
             keys=x.address, k=k, out_keys=out.address if keys else None, out_type=index or 0,
             out=places.address if index else None, flags=DESCENDING if descending else 0)
    ages = before["age"] if type_ == "person" else before
    down = descending != (op == "GREATER")
    order = np.argsort(-ages.astype(np.int64) if down else ages, axis, kind="stable")
    check_ranked(before, np.take(order, np.arange(k), axis), axis, out if keys else None, places if index else None)


def test_segments_of_one_length_are_sorted(host, threaded):
    for context in (host, threaded):
        for segments, length in ((1, 1), (7, 5), (300, 33), (3, 2000), (0, 5), (5, 0)):
            x = values("f32", segments * length, "uniform", length)
            out, index = np.zeros_like(x), np.zeros(len(x), np.uint32)
            context.call("gp_segmented_sort_pairs", "f32", "u32", x, None, 0, Segments(count=segments, length=length),
                         out, index, 0)
            rows = x.reshape(segments, length)
            assert (out.reshape(segments, length) == np.sort(rows)).all()
            first = np.arange(segments)[:, None] * length
            assert (index.reshape(rows.shape) == rows.argsort(kind="stable") + first).all()


def test_bad_orders(host):
    x, out = np.zeros(100, np.float32), np.zeros(100, np.float32)
    index = np.zeros(100, np.uint32)

    def fails(name, what, call, changes=(), **fields):
        axes = Axes(**{**dict(dimensions=2, axis=1, extent=(10, 10), in_stride=(10, 1), out_stride=(10, 1)),
                       **dict(changes)})
        given_ = {**dict(key_type=TYPES["f32"], axes=axes, keys=x, out_keys=out), **fields}
        with pytest.raises(Error) as e:
            host.run(call, **given_)
        assert e.value.name == name and what in e.value.message, e.value

    for call in ("sort_axis", "top_k_axis"):
        k = {"k": 3} if call == "top_k_axis" else {}
        fails("GP_E_NULL", "axes is null", call, **k, axes=None)
        fails("GP_E_NULL", "keys is null", call, **k, keys=None)
        fails("GP_E_NULL", "out_keys and out are both null", call, **k, out_keys=None)
        fails("GP_E_TYPE", "key_type is 99", call, **k, key_type=99)
        fails("GP_E_TYPE", "out_type (of indices) is f32, not i32, u32, i64 or u64", call, **k, out=index,
              out_type=TYPES["f32"])
        fails("GP_E_ALIGNMENT", "keys (", call, **k, keys=x.ctypes.data + 1)
        fails("GP_E_ALIGNMENT", "out_keys (", call, **k, out_keys=out.ctypes.data + 2)
        fails("GP_E_ALIGNMENT", "out (", call, **k, out_type=TYPES["u64"], out=index.ctypes.data + 4)
        fails("GP_E_OVERLAP", "keys and out_keys overlap", call, **k, out_keys=x[1:])
        fails("GP_E_OVERLAP", "out_keys and out overlap", call, **k, out=out, out_type=TYPES["u32"])
        fails("GP_E_ARGUMENT", "axes.out_stride: two elements", call, {"out_stride": (1, 1)}, **k)
        fails("GP_E_ARGUMENT", "axes.axis is 2", call, {"axis": 2}, **k)
        fails("GP_E_SIZE", "too many for indices of 4 bytes (out_type): use i64 or u64", call,
              {"extent": (2**31 + 1, 1), "in_stride": (0, 1), "out_stride": (1, 1)},
              **({"k": 1} if k else {}),
              out=index, out_type=TYPES["i32"])
        fails("GP_E_ARGUMENT", "count is 9, neither", call, **k, count=9)
        fails("GP_E_ARGUMENT", "GP_EXCLUSIVE is for scan_axis only", call, **k, flags=EXCLUSIVE)
    fails("GP_E_ARGUMENT", "k is 11, above the 10 elements of a row (axes.extent)", "top_k_axis", k=11)
    for k in (2**32, 2**64 - 1):
        fails("GP_E_ARGUMENT", f"k is {k}, above 4294967295", "top_k_axis", k=k)
    fails("GP_E_OVERLAP", "keys and out_keys overlap", "top_k_axis", k=3, out_keys=x)
    fails("GP_E_OPERATOR", "op: the call takes no operator", "sort_axis", op="LESS")
    fails("GP_E_OPERATOR", "op is SUM, not LESS, GREATER or a user's binary operator", "top_k_axis", k=3, op="SUM")
    fails("GP_E_OPERATOR", "op: LESS does not work on c64", "top_k_axis", k=3, op="LESS", key_type=TYPES["c64"])
    fails("GP_E_TYPE", "others with op LESS", "top_k_axis", k=3, key_type=TYPES["u128"])
    person = host.struct("person2", 12, 4)
    fails("GP_E_TYPE", "key_type is struct type person2, not a built-in type, and op gives no order", "top_k_axis", k=3,
          key_type=person)
    fails("GP_E_OPERATOR", "op: LESS does not work on struct types", "top_k_axis", k=3, key_type=person, op="LESS")
    fails("GP_E_OVERLAP", "keys and out_keys overlap: this call cannot run in place", "sort_axis",
          {"out_stride": (11, 1)}, out_keys=x)
    fails("GP_E_ARGUMENT", "GP_UNSORTED is for", "sort_axis", flags=UNSORTED)
    fails("GP_E_ARGUMENT", "k: the call takes no k", "sort_axis", k=3)


def reader(fmt):
    return lambda at: struct.unpack(fmt, ctypes.string_at(at, struct.calcsize(fmt)))


def softmax_operators(context):
    """A state is the greatest element and the sum of exp(x - greatest)."""
    pair_of, number = reader("ff"), reader("f")

    def put(to, *numbers):
        ctypes.memmove(to, struct.pack("f" * len(numbers), *numbers), 4 * len(numbers))

    def join(r, a, b):
        (m, s), (n, t) = pair_of(a), pair_of(b)
        top = max(m, n)
        put(r, top, (s * np.exp(m - top) if s else 0) + (t * np.exp(n - top) if t else 0))
    return (context.struct("softmax_state", 8, 4),
            context.operator("softmax start", lambda r, a, b: put(r, number(a)[0], 1), arity=1),
            context.operator("softmax join", join, commutative=1, host_identity=struct.pack("ff", -3e38, 0)),
            context.operator("softmax apply",
                             lambda r, a, b: put(r, np.exp(number(a)[0] - pair_of(b)[0]) / pair_of(b)[1])))


def test_softmax(host):
    state, start, join, apply = softmax_operators(host)
    x = values("f32", 7 * 5 * 9, "uniform", 3).reshape(7, 5, 9) * 10
    for axis in range(3):
        out = np.zeros_like(x)
        axes = Axes(3, axis, x.shape, (45, 9, 1), (45, 9, 1))
        host.call("gp_row_map", start, join, apply, "f32", state, "f32", axes, x, out)
        e = np.exp(x.astype(np.float64) - x.max(axis, keepdims=True))
        assert np.allclose(out, e / e.sum(axis, keepdims=True), atol=1e-6)
        assert np.allclose(out.sum(axis), 1, atol=1e-5)
    in_place = x.copy()
    host.call("gp_row_map", start, join, apply, "f32", state, "f32", axes, in_place, in_place)
    assert (in_place == out).all()


def test_helpers_make_the_strides_of_dense_arrays(host):
    """gp_axes_reduced and gp_axes_mapped are inline functions: tests/unit/test_dispatch.cpp calls them."""
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    out = np.zeros((2, 4), np.float32)
    host.call("gp_reduce_axis", "SUM", "f32", "f32", Axes(3, 1, (2, 3, 4), (12, 4, 1), (4, 99, 1)), x, out)
    assert (out == x.sum(1)).all()


def test_nothing(host):
    out = np.full(4, 9, np.float32)
    for extent in ((0, 5), (5, 0), (0, 0)):
        host.call("gp_row_map", 0, "SUM", "SUB", "f32", "f32", "f32", Axes(2, 1, extent, (5, 1), (5, 1)), None, None)
    host.call("gp_reduce_axis", "SUM", "f32", "f32", Axes(2, 1, (0, 5), (5, 1), (1, 0)), None, None)
    host.call("gp_reduce_axis", "SUM", "f32", "f32", Axes(2, 1, (4, 0), (5, 1), (1, 0)), None, out)
    assert (out == 0).all()


def test_bad_input(host):
    x, out = np.zeros(200, np.float32), np.zeros(200, np.float32)
    good = dict(dimensions=2, axis=1, extent=(10, 10), in_stride=(10, 1), out_stride=(1, 0))

    def fails(name, what, changes=(), source=x, to=out, call="gp_reduce_axis", **fields):
        axes = Axes(**{**good, **dict(changes)})
        with pytest.raises(Error) as e:
            if call == "gp_reduce_axis" and not fields:
                host.call(call, "SUM", "f32", "f32", axes, source, to)
            elif call == "gp_reduce_axis":
                host.run("reduce_axis", **{**dict(op="SUM", in_type="f32", axes=axes, in_=source, out=to), **fields})
            else:
                host.call(call, 0, fields.get("op", "SUM"), fields.get("apply", "SUB"), "f32", fields.get("state", 0),
                          fields.get("out_type", "f32"), axes, source, to)
        assert e.value.name == name and what in e.value.message, e.value

    fails("GP_E_ARGUMENT", "axes.dimensions is 0, not 1 to 4", {"dimensions": 0})
    fails("GP_E_ARGUMENT", "axes.dimensions is 5, not 1 to 4", {"dimensions": 5})
    fails("GP_E_ARGUMENT", "axes.axis is 2, not one of 2 dimensions", {"axis": 2})
    fails("GP_E_ARGUMENT", "axes.axis is -1", {"axis": -1})
    fails("GP_E_SIZE", "axes.extent: the product", {"extent": (2**40, 2**40)})
    fails("GP_E_SIZE", "axes.extent: the product", {"axis": 0, "dimensions": 3, "extent": (0, 2**40, 2**40)})
    fails("GP_E_SIZE", "axes.in_stride", {"in_stride": (2**62, 1)})
    fails("GP_E_SIZE", "axes.out_stride", {"out_stride": (-2**63, 0)})
    fails("GP_E_ARGUMENT", "axes.out_stride: two elements of the output are at one place", {"out_stride": (0, 0)})
    fails("GP_E_ARGUMENT", "axes.out_stride: two elements", {"dimensions": 3, "extent": (10, 2, 10), "axis": 1,
                                                            "in_stride": (20, 10, 1), "out_stride": (9, 0, -1)})
    fails("GP_E_ARGUMENT", "count is 99, neither 0 nor the product of axes.extent (100)", count=99)
    fails("GP_E_NULL", "in is null", source=None)
    fails("GP_E_NULL", "out is null", to=None)
    fails("GP_E_ALIGNMENT", "in (", source=x.ctypes.data + 2)
    fails("GP_E_ALIGNMENT", "out (", to=out.ctypes.data + 2)
    fails("GP_E_OVERLAP", "in and out overlap", to=x)
    fails("GP_E_OVERLAP", "in and out overlap", to=x[99:])
    fails("GP_E_OVERLAP", "in and out overlap", {"in_stride": (10, -1)}, source=x[109:], to=x[100:])
    host.call("gp_reduce_axis", "SUM", "f32", "f32", Axes(**{**good, "in_stride": (10, -1)}), x[109:], x[90:])
    fails("GP_E_UNSUPPORTED", "GP_REPRODUCIBLE", flags=REPRODUCIBLE)
    fails("GP_E_ARGUMENT", "count_device: the call takes no count in device memory", count_device=5)
    fails("GP_E_OPERATOR", "apply: the call applies no operator to results", apply=OPERATORS["SUM"])
    host.run("reduce_axis", op="MAX", in_type="f32", axes=Axes(**good), in_=x, out=out, flags=REPRODUCIBLE)
    host.run("reduce_axis", op="MAX", in_type="f32", axes=Axes(**good), in_=x, out=out, count=100)

    fails("GP_E_OPERATOR", "op: ARGMAX is for reduce, scan, reduce_axis and scan_axis only", call="gp_row_map",
          op="ARGMAX")
    fails("GP_E_OPERATOR", "apply: ARGMAX is for", call="gp_row_map", apply="ARGMAX")
    fails("GP_E_OPERATOR", "apply: LESS is for", call="gp_row_map", apply="LESS")
    fails("GP_E_OPERATOR", "apply: operator \"ABS\" is unary, not binary", call="gp_row_map", apply="ABS")
    fails("GP_E_OPERATOR", "apply is not set", call="gp_row_map", apply=0)
    fails("GP_E_OPERATOR", "apply: BIT_AND works on integers and bool only, not on f32", call="gp_row_map",
          apply="BIT_AND")
    fails("GP_E_TYPE", "state_type is 99", call="gp_row_map", state=99)
    fails("GP_E_TYPE", "out_type is 99", call="gp_row_map", out_type=99)
    fails("GP_E_OVERLAP", "in and out overlap: this call cannot run in place", {"out_stride": (11, 1)}, to=x,
          call="gp_row_map")
    fails("GP_E_OVERLAP", "in and out overlap", {"out_stride": (10, 1)}, to=x[1:], call="gp_row_map")
    fails("GP_E_OVERLAP", "in and out overlap: this call cannot run in place", {"out_stride": (10, 1)}, to=x,
          call="gp_row_map", out_type="f64")
    fails("GP_E_ARGUMENT", "two elements of the output are at one place", {"out_stride": (10, 0)}, call="gp_row_map")
    with pytest.raises(Error) as e:
        host.call("gp_reduce_axis", "SUM", "f32", "f32", None, x, out)
    assert e.value.name == "GP_E_NULL" and "axes is null" in e.value.message
    with pytest.raises(Error) as e:
        host.run("reduce", op="SUM", in_type="f32", in_=x, out=out, count=5, axes=Axes(**good))
    assert e.value.name == "GP_E_ARGUMENT"
    assert "axes is for reduce_axis, row_map, scan_axis, sort_axis and top_k_axis only" in e.value.message


def test_types_of_the_state(host):
    """0: in_type, or f32 for the half types."""
    x = np.full((2, 4000), 1, np.float16)
    out = np.zeros((2, 4000), np.float32)
    axes = Axes(2, 1, (2, 4000), (4000, 1), (4000, 1))
    host.call("gp_row_map", 0, "SUM", "SUM", "f16", 0, "f32", axes, x, out)
    assert (out == 4001).all()  # f16 sums of ones stop at 2048
    assert TYPES["f16"]
