"""Segments, runs, keys and searches on the host against NumPy."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import CHECKED, DTYPES, RIGHT, SIZES, TYPES, Context, Error, Segments
from inputs import KINDS, TYPE_NAMES, check_canaries, expect, guarded, pair, shifted, values

settings.register_profile("segments", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("segments")

NONE = 2**64 - 1
types = st.sampled_from(TYPE_NAMES)
offset_types = st.sampled_from(["i32", "u32", "i64", "u64"])
operators = st.sampled_from(oracle.BINARY)
transforms = st.sampled_from([None, None, None, "NEGATE", "ABS", "SQUARE", "NOT"])
sizes = st.sampled_from([0, 1, 2, 3, 31, 33, 255, 1023, 1024, 1025, 2049])
data = st.tuples(sizes, st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))
SHAPES = ["none", "one", "ones", "short", "long", "empties", "giant", "gaps", "all empty"]
shapes = st.sampled_from(SHAPES)
EQUALS = ["EQUAL", "NOT_EQUAL", "HEADS"]


def offsets_of(shape, n, seed):
    """Rising offsets in 0 .. n."""
    rng = np.random.default_rng([seed, n, SHAPES.index(shape)])
    if shape == "none":
        return np.array([rng.integers(0, n + 1)])
    if shape == "ones":
        return np.arange(n + 1)
    if shape == "all empty":
        return np.full(rng.integers(2, 40), rng.integers(0, n + 1))
    number = {"one": 0, "short": n // 4, "long": 3, "empties": 20, "giant": 5, "gaps": 10}[shape]
    inner = rng.integers(0, n + 1, number)
    if shape == "empties":
        inner = np.repeat(inner, rng.integers(1, 9, number))
    if shape == "giant":
        inner = np.concatenate([rng.integers(0, n // 50 + 1, 9), n - rng.integers(0, n // 50 + 1, 9)])
    ends = [] if shape == "gaps" else [0, n]
    return np.sort(np.concatenate([inner, ends])).astype(np.int64)


def run_lengths(shape, n, seed):
    """The starts of runs, as flags: true for element 0."""
    flags = np.zeros(n, bool)
    flags[np.clip(offsets_of(shape, n, seed), 0, max(n - 1, 0)) if n else []] = True
    flags[:1] = True
    return flags


def keys_of(type_, equal, shape, n, seed):
    """Keys with such runs; floats include NaN and zeros of both signs."""
    flags = run_lengths(shape, n, seed)
    rng = np.random.default_rng(seed)
    if equal == "HEADS":
        some = values(type_, n, "special", seed)
        some[oracle.widest(some, type_) == 0] = 1
        return np.where(flags, some, np.zeros(1, DTYPES[type_]))
    if equal == "NOT_EQUAL":  # a head is a key equal to the previous one
        flags = ~flags
    ids = np.cumsum(flags) % (5 if seed % 2 else 100)
    keys = oracle.convert(ids.astype(np.uint8), "u8", type_)
    if oracle.is_float(type_):
        minus = oracle.convert(np.full(n, -0.0), "f64", type_)
        keys = np.where((ids == 0) & (rng.random(n) < 0.5), minus, keys)
        if seed % 3 == 0:
            keys = np.where(rng.random(n) < 0.05, oracle.convert(np.full(n, np.nan), "f64", type_), keys)
    return keys


def key_type(equal, type_):
    return {"f16": "i16", "bf16": "u16", "f32": "u32", "f64": "i32", "i64": "i8", "u64": "u8"}.get(type_, type_) \
        if equal == "HEADS" else type_


def accumulator(op, type_):
    return type_ if op in oracle.operators_of(type_) else "u32"


def spans(first, n):
    """(begin, end) of runs that start where `first` is true."""
    at = np.flatnonzero(first)
    return list(zip(at, np.append(at[1:], n)))


def scan_spans(where, n):
    """The segments of a segmented scan: those between offsets, and the parts before and after."""
    edges = np.unique(np.concatenate([[0], where, [n]]))
    return [(a, b) for a, b in zip(edges[:-1], edges[1:]) if a < b]


def reduced(op, y, acc, out_type, where, init):
    parts = [oracle.run_reduce(op, y[a:max(a, b)], acc, init) for a, b in where]
    return oracle.convert(np.concatenate(parts) if parts else np.zeros(0, DTYPES[acc]), acc, out_type)


def scanned(op, y, acc, out_type, where, exclusive, init):
    parts = [oracle.run_scan(op, y[a:b], acc, exclusive, init) for a, b in where]
    return oracle.convert(np.concatenate(parts) if parts else np.zeros(0, DTYPES[acc]), acc, out_type)


def initial(op, acc, kind, seed, wanted):
    """As given, and as the operator sees it."""
    if not wanted:
        return None, None
    init = values(acc, 1, kind, seed + 7)
    return init, oracle.truth(init, acc) if op in ("AND", "OR") else init


# ---- segmented reduce


@given(operators, types, types, types, offset_types, data, shapes, transforms, st.booleans())
@settings(max_examples=500)
@example("SUM", "f32", "f32", "f32", "u32", (2049, 1, "zeros", 1), "ones", None, False)
@example("SUM", "f16", "f32", "f16", "i64", (2049, 1, "uniform", 1), "long", "SQUARE", True)
@pytest.mark.turn
def test_segmented_reduce(host, op, in_type, acc, out_type, offset_type, what, shape, transform, with_init):
    n, offset, kind, seed = what
    acc = accumulator(op, acc)
    x = shifted(values(in_type, n, kind, seed), offset)
    where = offsets_of(shape, n, seed)
    begin = shifted(where.astype(DTYPES[offset_type]), offset)
    segments = len(where) - 1
    init, start = initial(op, acc, kind, seed, with_init)
    buffer, out = guarded(segments, DTYPES[out_type], offset)
    host.run("segmented_reduce", op=op, transform=transform or 0, in_type=in_type, acc_type=acc, out_type=out_type,
             offset_type=offset_type, in_=x, begin=begin, segments=segments, out=out, count=n, init=init)
    y = oracle.operands(op, transform, x, in_type, acc)
    expect(out, reduced(op, y, acc, out_type, list(zip(where[:-1], where[1:])), start), out_type)
    check_canaries(buffer, out)


@given(operators, types, offset_types, data, st.sampled_from([0, 1, 5, 200]), st.booleans())
@settings(max_examples=150)
@pytest.mark.turn
def test_segments_that_overlap_and_leave_gaps(threaded, op, type_, offset_type, what, segments, with_init):
    n, offset, kind, seed = what
    type_ = accumulator(op, type_)
    rng = np.random.default_rng(seed)
    x = values(type_, n, kind, seed)
    begin = rng.integers(0, n + 1, segments)
    end = np.minimum(n, begin + rng.integers(0, [1, 9, n + 2][seed % 3], segments))
    init, start = initial(op, type_, kind, seed, with_init)
    buffer, out = guarded(segments, DTYPES[type_], offset)
    threaded.run("segmented_reduce", op=op, in_type=type_, acc_type=type_, out_type=type_, offset_type=offset_type,
                 in_=x, begin=shifted(begin.astype(DTYPES[offset_type]), offset),
                 end=shifted(end.astype(DTYPES[offset_type]), 1), segments=segments, out=out, count=n, init=init)
    y = oracle.operands(op, None, x, type_, type_)
    expect(out, reduced(op, y, type_, type_, list(zip(begin, end)), start), type_)
    check_canaries(buffer, out)


@given(operators, types, types, st.sampled_from([0, 1, 2, 4, 7, 16, 100, 1025]), st.sampled_from([0, 1, 3, 30]), data)
@settings(max_examples=150)
@pytest.mark.turn
def test_segments_of_one_length(host, op, in_type, acc, length, segments, what):
    _, offset, kind, seed = what
    acc = accumulator(op, acc)
    x = shifted(values(in_type, segments * length, kind, seed), offset)
    buffer, out = guarded(segments, DTYPES[acc], offset)
    host.run("segmented_reduce", op=op, in_type=in_type, acc_type=acc, out_type=acc, in_=x, segment_length=length,
             segments=segments, out=out, count=len(x))
    y = oracle.operands(op, None, x, in_type, acc)
    where = [(i * length, (i + 1) * length) for i in range(segments)]
    expect(out, reduced(op, y, acc, acc, where, None), acc)
    check_canaries(buffer, out)


@pytest.mark.parametrize("op, type_", [(op, type_) for type_ in TYPE_NAMES for op in oracle.operators_of(type_)])
@pytest.mark.turn
def test_every_operator_on_every_type_in_segments(threaded, op, type_):
    n = 600
    x = np.concatenate([values(type_, n // 6, kind, 11) for kind in KINDS])
    where = offsets_of("empties", n, 3)
    y = oracle.operands(op, None, x, type_, type_)
    out, running = np.zeros(len(where) - 1, x.dtype), np.zeros_like(x)
    types_ = dict(op=op, in_type=type_, acc_type=type_, out_type=type_, in_=x, count=n, offset_type="u64",
                  begin=where.astype(np.uint64), segments=len(where) - 1)
    threaded.run("segmented_reduce", out=out, **types_)
    expect(out, reduced(op, y, type_, type_, list(zip(where[:-1], where[1:])), None), type_)
    for exclusive in (False, True):
        threaded.run("segmented_exclusive_scan" if exclusive else "segmented_inclusive_scan", out=running, **types_)
        expect(running, scanned(op, y, type_, type_, scan_spans(where, n), exclusive, None), type_)


# ---- scans


@given(operators, types, types, types, offset_types, data, shapes, transforms, st.booleans(), st.booleans())
@settings(max_examples=500)
@example("SUM", "f32", "f32", "f32", "u32", (2049, 1, "zeros", 1), "empties", None, False, False)
@pytest.mark.turn
def test_segmented_scan(host, op, in_type, acc, out_type, offset_type, what, shape, transform, exclusive, with_init):
    n, offset, kind, seed = what
    acc = accumulator(op, acc)
    x = shifted(values(in_type, n, kind, seed), offset)
    where = offsets_of(shape, n, seed)
    init, start = initial(op, acc, kind, seed, with_init)
    y = oracle.operands(op, transform, x, in_type, acc)
    in_place = SIZES[in_type] == SIZES[out_type] and seed % 3 == 0
    buffer, out = guarded(n, DTYPES[out_type], offset)
    if in_place:
        out = x.view(DTYPES[out_type])
    host.run("segmented_exclusive_scan" if exclusive else "segmented_inclusive_scan", op=op, transform=transform or 0,
             in_type=in_type, acc_type=acc, out_type=out_type, offset_type=offset_type, in_=x, out=out, count=n,
             begin=shifted(where.astype(DTYPES[offset_type]), offset), segments=len(where) - 1, init=init)
    expect(out, scanned(op, y, acc, out_type, scan_spans(where, n), exclusive, start), out_type)
    if not in_place:
        check_canaries(buffer, out)


@given(operators, types, types, types, types, st.sampled_from(EQUALS), data, shapes, st.booleans(), st.booleans())
@settings(max_examples=500)
@pytest.mark.turn
def test_scan_by_key(host, op, keys_type, in_type, acc, out_type, equal, what, shape, exclusive, with_init):
    n, offset, kind, seed = what
    acc, keys_type = accumulator(op, acc), key_type(equal, keys_type)
    x = shifted(values(in_type, n, kind, seed), offset)
    keys = shifted(keys_of(keys_type, equal, shape, n, seed), (offset + 1) % 3)
    init, start = initial(op, acc, kind, seed, with_init)
    y = oracle.operands(op, None, x, in_type, acc)
    in_place = SIZES[in_type] == SIZES[out_type] and seed % 3 == 0
    buffer, out = guarded(n, DTYPES[out_type], offset)
    if in_place:
        out = x.view(DTYPES[out_type])
    host.run("exclusive_scan_by_key" if exclusive else "inclusive_scan_by_key", op=op, equal=equal, key_type=keys_type,
             in_type=in_type, acc_type=acc, out_type=out_type, keys=keys, in_=x, out=out, count=n, init=init)
    where = spans(oracle.heads(keys, keys_type, equal), n)
    expect(out, scanned(op, y, acc, out_type, where, exclusive, start), out_type)
    if not in_place:
        check_canaries(buffer, out)


# ---- runs


def only(buffer, out, found):
    """The results; nothing after them was written."""
    check_canaries(buffer, out)
    assert (out[found:].view(np.uint8) == 0xA5).all(), "wrote after the results"
    return out[:found].copy()


@given(operators, types, types, types, types, st.sampled_from(EQUALS), data, shapes, transforms)
@settings(max_examples=500)
@pytest.mark.turn
def test_reduce_by_key(host, op, keys_type, in_type, acc, out_type, equal, what, shape, transform):
    n, offset, kind, seed = what
    acc, keys_type = accumulator(op, acc), key_type(equal, keys_type)
    x = shifted(values(in_type, n, kind, seed), offset)
    keys = shifted(keys_of(keys_type, equal, shape, n, seed), (offset + 1) % 3)
    buffer, out = guarded(n, DTYPES[out_type], offset)
    key_buffer, out_keys = guarded(n, keys.dtype, offset)
    number = np.full(1, 77, np.uint64)
    wants_keys = seed % 4 != 0
    host.run("reduce_by_key", op=op, transform=transform or 0, equal=0 if equal == "EQUAL" and seed % 2 else equal,
             key_type=keys_type, in_type=in_type, acc_type=acc, out_type=out_type, keys=keys, in_=x, out=out,
             out_keys=out_keys if wants_keys else None, out_count=number, count=n)
    where = spans(oracle.heads(keys, keys_type, equal), n)
    assert number[0] == len(where)
    y = oracle.operands(op, transform, x, in_type, acc)
    expect(only(buffer, out, len(where)), reduced(op, y, acc, out_type, where, None), out_type)
    got = only(key_buffer, out_keys, len(where) if wants_keys else 0)
    if wants_keys:
        assert got.tobytes() == keys[[a for a, _ in where]].tobytes()


@given(types, st.sampled_from(EQUALS), data, shapes, st.sampled_from(["i32", "u32", "i64", "u64", 0]))
@settings(max_examples=500)
@pytest.mark.turn
def test_runs_and_unique(host, type_, equal, what, shape, length_type):
    n, offset, _, seed = what
    type_ = key_type(equal, type_)
    keys = shifted(keys_of(type_, equal, shape, n, seed), offset)
    where = spans(oracle.heads(keys, type_, equal), n)
    first = np.array([a for a, _ in where], np.int64)
    lengths = np.array([b - a for a, b in where], np.int64)
    index = DTYPES[length_type or "u32"]
    number = np.full(1, 77, np.uint64)
    call = dict(key_type=type_, equal=equal, keys=keys, count=n, out_count=number)

    key_buffer, out_keys = guarded(n, keys.dtype, offset)
    buffer, out = guarded(n, index, offset)
    host.run("run_lengths", out2_type=length_type, out_keys=out_keys, out2=out, **call)
    assert number[0] == len(where)
    assert only(key_buffer, out_keys, len(where)).tobytes() == keys[first].tobytes()
    assert (only(buffer, out, len(where)) == lengths).all()

    number[0] = 77
    host.run("run_lengths", **call)  # count_runs
    assert number[0] == len(where)

    first_buffer, starts = guarded(n, index, (offset + 1) % 3)
    buffer, out = guarded(n, index, offset)
    host.run("nontrivial_runs", out2_type=length_type, out=starts, out2=out, **call)
    long = lengths > 1
    assert number[0] == long.sum()
    assert (only(first_buffer, starts, long.sum()) == first[long]).all()
    assert (only(buffer, out, long.sum()) == lengths[long]).all()

    key_buffer, out_keys = guarded(n, keys.dtype, offset)
    host.run("unique", out_keys=out_keys, **call)
    assert number[0] == len(where)
    assert only(key_buffer, out_keys, len(where)).tobytes() == keys[first].tobytes()

    payload_type = TYPE_NAMES[seed % len(TYPE_NAMES)]
    payload = values(payload_type, n, "uniform", seed)
    key_buffer, out_keys = guarded(n, keys.dtype, offset)
    buffer, out = guarded(n, payload.dtype, offset)
    host.run("unique", in_type=payload_type, in_=payload, out=out, out_keys=out_keys, **call)
    assert only(key_buffer, out_keys, len(where)).tobytes() == keys[first].tobytes()
    assert only(buffer, out, len(where)).tobytes() == payload[first].tobytes()

    in_place, values_in_place = keys.copy(), payload.copy()
    host.run("unique", in_type=payload_type, in_=values_in_place, out=values_in_place, out_keys=in_place,
             **dict(call, keys=in_place))
    assert number[0] == len(where)
    assert in_place[:len(where)].tobytes() == keys[first].tobytes()
    assert in_place[len(where):].tobytes() == keys[len(where):].tobytes()
    assert values_in_place[:len(where)].tobytes() == payload[first].tobytes()


def test_runs_of_one_giant_alternating_and_distinct_keys(threaded):
    n = 3000
    for keys in (np.zeros(n, np.int32), np.arange(n, dtype=np.int32) % 2, np.arange(n, dtype=np.int32)):
        lengths, number = np.zeros(n, np.uint32), np.zeros(1, np.uint64)
        out = np.zeros(n, np.int32)
        threaded.run("run_lengths", key_type="i32", keys=keys, out_keys=out, out2=lengths, out_count=number, count=n)
        change = np.flatnonzero(np.diff(keys)) + 1
        wanted = np.diff(np.concatenate([[0], change, [n]]))
        assert number[0] == len(wanted)
        assert (lengths[:len(wanted)] == wanted).all()
        assert (np.repeat(out[:len(wanted)], wanted) == keys).all()


def test_every_nan_is_a_run_and_zeros_are_equal(host):
    for type_ in oracle.FLOATS:
        keys = oracle.convert(np.array([np.nan, np.nan, 0.0, -0.0, 0.0, np.nan, np.inf, np.inf]), "f64", type_)
        lengths, number = np.zeros(8, np.uint32), np.zeros(1, np.uint64)
        host.run("run_lengths", key_type=type_, keys=keys, out2=lengths, out_count=number, count=8)
        assert lengths[:int(number[0])].tolist() == [1, 1, 3, 1, 2]


def test_count_in_memory(host):
    keys = (np.arange(1000) // 10).astype(np.int32)
    ones, out, number = np.ones(1000, np.int32), np.zeros(1000, np.int32), np.zeros(1, np.uint64)
    for bound, wanted in ((95, 95), (5000, 1000), (0, 0)):
        host.run("reduce_by_key", op="SUM", key_type="i32", in_type="i32", keys=keys, in_=ones, out=out,
                 out_count=number, count=1000, count_device=bound)
        runs = -(-wanted // 10)
        assert number[0] == runs
        assert out[:runs].sum() == wanted
        number[0] = 77
        host.run("unique", key_type="i32", keys=keys, out_keys=out, out_count=number, count=1000, count_device=bound)
        assert number[0] == runs
        out[:] = -1
        host.run("inclusive_scan_by_key", op="SUM", key_type="i32", in_type="i32", keys=keys, in_=ones, out=out,
                 count=1000, count_device=bound)
        assert (out[:wanted] == np.arange(wanted) % 10 + 1).all()
        assert (out[wanted:] == -1).all()


# ---- ARGMIN and ARGMAX: indices count from the start of the whole input


@pytest.mark.parametrize("op", ["ARGMIN", "ARGMAX"])
@given(types, types, data, shapes, st.booleans())
@settings(max_examples=150)
@pytest.mark.turn
def test_arg(host, op, in_type, type_, what, shape, exclusive):
    n, offset, kind, seed = what
    x = shifted(values(in_type, n, kind, seed), offset)
    y = oracle.operands(op, None, x, in_type, type_)
    where = offsets_of(shape, n, seed)
    nobody = oracle.arg_running(op, y[:0], type_, None)[0]

    def running(a, b):  # indices of the whole input
        return [(v, i + a) for v, i in oracle.arg_running(op, y[a:b], type_, None)[1]]

    def check(got, wanted):
        expect(got["value"].copy(), np.array([v for v, _ in wanted], DTYPES[type_]), type_)
        assert got["index"].tolist() == [i for _, i in wanted]

    call = dict(op=op, in_type=in_type, out_type=type_, in_=x, count=n)
    segments = dict(call, offset_type="i64", begin=where, segments=len(where) - 1)
    out = np.zeros(max(n, len(where)) + 1, pair(type_))
    host.run("segmented_reduce", out=out, **segments)
    check(out[:len(where) - 1], [running(a, b)[-1] if b > a else nobody for a, b in zip(where[:-1], where[1:])])
    host.run("segmented_exclusive_scan" if exclusive else "segmented_inclusive_scan", out=out, **segments)
    results = [running(a, b) for a, b in scan_spans(where, n)]
    check(out[:n], [v for part in results for v in ([nobody] + part[:-1] if exclusive else part)])
    keys, number = keys_of("u8", "EQUAL", shape, n, seed), np.zeros(1, np.uint64)
    host.run("reduce_by_key", key_type="u8", keys=keys, out=out, out_count=number, **call)
    check(out[:int(number[0])], [running(a, b)[-1] for a, b in spans(oracle.heads(keys, "u8"), n)])


# ---- users' types and operators


def compose(result, a, b):
    """x -> a.m * x + a.k, then b: integers that wrap; associative, not commutative."""
    u32 = ctypes.POINTER(ctypes.c_uint32)
    p, q, r = (ctypes.cast(at, u32) for at in (a, b, result))
    m, k = p[0] * q[0], p[1] * q[0] + q[1]
    r[0], r[1] = m & 0xffffffff, k & 0xffffffff


def same_tens(result, a, b):
    """Keys that differ only in the last digit; one byte is written."""
    i32 = ctypes.POINTER(ctypes.c_int32)
    ctypes.cast(result, ctypes.POINTER(ctypes.c_uint8))[0] = \
        ctypes.cast(a, i32)[0] // 10 == ctypes.cast(b, i32)[0] // 10


@pytest.mark.parametrize("n", [0, 1, 2, 31, 1025])
@pytest.mark.parametrize("shape", ["short", "empties", "giant"])
def test_users_operators_and_structs(n, shape):
    with Context(threads=1) as context:
        affine = context.struct("affine", 8, 4, "struct affine { unsigned m, k; };")
        op = context.operator("compose", compose, host_identity=np.array([1, 0], np.uint32).tobytes())
        tens = context.operator("same_tens", same_tens)
        x = np.random.default_rng(n).integers(0, 2**32, (n, 2), np.uint32)
        where = offsets_of(shape, n, n)
        flags = run_lengths(shape, n, n)
        keys = (np.cumsum(flags) * 10 + np.random.default_rng(n).integers(0, 10, n)).astype(np.int32)
        one = np.array([[1, 0]], np.uint32)

        def running(a, b):
            result = [one[0]]
            for i in range(a, b):
                m, k, p, q = (int(v) for v in (*result[-1], *x[i]))
                result.append(np.array([m * p % 2**32, (k * p + q) % 2**32], np.uint32))
            return result

        def all_of(parts):
            return np.concatenate([np.array(p, np.uint32).reshape(-1, 2) for p in parts] + [one[:0]])

        out, number = np.zeros((max(n, len(where)), 2), np.uint32), np.zeros(1, np.uint64)
        call = dict(op=op, in_type=affine, acc_type=affine, out_type=affine, in_=x, out=out, count=n)
        segments = dict(call, offset_type="i64", begin=where, segments=len(where) - 1)
        context.run("segmented_reduce", **segments)
        wanted = [running(a, b)[-1:] for a, b in zip(where[:-1], where[1:])]
        assert (out[:len(wanted)] == all_of(wanted)).all()
        context.run("segmented_inclusive_scan", **segments)
        assert (out[:n] == all_of([running(a, b)[1:] for a, b in scan_spans(where, n)])).all()
        runs = spans(flags, n)
        context.run("exclusive_scan_by_key", equal=tens, key_type="i32", keys=keys, **call)
        assert (out[:n] == all_of([running(a, b)[:-1] for a, b in runs])).all()
        context.run("reduce_by_key", equal=tens, key_type="i32", keys=keys, out_count=number, **call)
        assert number[0] == len(runs)
        assert (out[:len(runs)] == all_of([running(a, b)[-1:] for a, b in runs])).all()
        # structs of three bytes as values of the keys
        raw = context.struct("raw", 3, 1)
        payload = np.random.default_rng(n).integers(0, 256, (n, 3), np.uint8)
        kept, firsts = np.zeros_like(payload), np.zeros(n, np.int32)
        context.run("unique", equal=tens, key_type="i32", keys=keys, out_keys=firsts, in_type=raw, in_=payload,
                    out=kept, out_count=number, count=n)
        assert (kept[:len(runs)] == payload[flags]).all()
        assert (firsts[:len(runs)] == keys[flags]).all()


# ---- adjacent difference


@given(types, types, data, st.sampled_from([0, RIGHT]), st.sampled_from(["SUB", "SUB", "SUM", "MIN", "PROD"]))
@settings(max_examples=500)
@pytest.mark.turn
def test_adjacent_difference(host, in_type, out_type, what, right, op):
    n, offset, kind, seed = what
    x = shifted(values(in_type, n, kind, seed), offset)
    buffer, out = guarded(n, DTYPES[out_type], offset)
    host.run("adjacent_difference", op=op, in_type=in_type, out_type=out_type, in_=x, out=out, count=n, flags=right)
    y = oracle.convert(x, in_type, out_type)
    a, b = (y[:-1], y[1:]) if right else (y[1:], y[:-1])
    wanted = oracle.binary(op, a, b, out_type)
    expect(out, np.concatenate([wanted, y[-1:]] if right else [y[:1], wanted]), out_type)
    check_canaries(buffer, out)


@given(types, types, types, data)
@settings(max_examples=150)
def test_transform2_subtracts(host, a_type, b_type, out_type, what):
    n, offset, kind, seed = what
    a, b = shifted(values(a_type, n, kind, seed), offset), values(b_type, n, kind, seed + 1)
    out = np.zeros(n, DTYPES[out_type])
    host.run("transform2", op="SUB", in_type=a_type, in2_type=b_type, out_type=out_type, in_=a, in2=b, out=out, count=n)
    x, y = oracle.convert(a, a_type, out_type), oracle.convert(b, b_type, out_type)
    expect(out, oracle.binary("SUB", x, y, out_type), out_type)


def test_adjacent_difference_is_the_inverse_of_a_scan(threaded):
    n = 200001
    x = values("u32", n, "uniform", 1)
    running, back = np.zeros_like(x), np.zeros_like(x)
    threaded.run("inclusive_scan", op="SUM", in_type="u32", in_=x, out=running, count=n)
    threaded.run("adjacent_difference", op="SUB", in_type="u32", in_=running, out=back, count=n)
    assert (back == x).all()


def test_adjacent_difference_by_a_users_operator(host):
    def mix(result, a, b):
        ctypes.cast(result, ctypes.POINTER(ctypes.c_double))[0] = (
            10 * ctypes.cast(a, ctypes.POINTER(ctypes.c_int8))[0] + ctypes.cast(b, ctypes.POINTER(ctypes.c_int8))[0])

    with Context(threads=1) as context:
        op = context.operator("mix", mix)
        x, out = np.arange(-50, 50, dtype=np.int8), np.zeros(100, np.float64)
        context.run("adjacent_difference", op=op, in_type="i8", out_type="f64", in_=x, out=out, count=100)
        assert out[0] == x[0]
        assert (out[1:] == 10.0 * x[1:] + x[:-1]).all()


# ---- checked offsets


@given(offset_types, st.sampled_from([0, 1, 2, 50, 1000]), st.sampled_from(["good", "falls", "beyond", "both"]),
       st.integers(0, 2**20))
@settings(max_examples=300)
@pytest.mark.turn
def test_offsets_are_checked(host, offset_type, segments, fault, seed):
    rng = np.random.default_rng([seed, segments])
    n = 3 * segments + 5
    offsets = np.sort(rng.integers(0, n + 1, segments + 1))
    if fault in ("falls", "both"):
        offsets[rng.integers(0, segments + 1)] = 0
    if fault in ("beyond", "both"):
        offsets[rng.integers(0, segments + 1)] = n + 1 + rng.integers(0, 100)
    before = np.concatenate([[0], offsets[:-1]])
    at = np.flatnonzero((offsets < before) | (offsets > n))
    wanted = at[0] if at.size else NONE
    begin = offsets.astype(DTYPES[offset_type])
    bad = np.full(1, 77, np.uint64)
    host.run("check_offsets", offset_type=offset_type, begin=begin, segments=segments, count=n, bad=bad)
    assert bad[0] == wanted

    x, call = np.ones(n, np.int32), dict(op="SUM", in_type="i32", offset_type=offset_type, begin=begin, count=n,
                                         segments=segments, bad=bad, flags=CHECKED)
    if segments:
        index = np.full(n, segments + 99, np.uint32)
        bad[0] = 77
        host.run("load_balance", offset_type=offset_type, out_type="u32", begin=begin, segments=segments, count=n,
                 out=index, bad=bad, flags=CHECKED)
        assert bad[0] == wanted and (index == segments + 99).all() == bool(at.size)
    for primitive, results in (("segmented_reduce", segments), ("segmented_inclusive_scan", n),
                               ("segmented_exclusive_scan", n)):
        bad[0] = 77
        out = np.full(max(results, 1), -5, np.int32)
        host.run(primitive, in_=x, out=out, **call)
        assert bad[0] == wanted
        if at.size:
            assert (out == -5).all(), "written in spite of bad offsets"
        elif primitive == "segmented_reduce":
            assert (out[:segments] == np.diff(offsets)).all()
        else:
            assert (out != -5).all()


def test_an_offset_with_a_sign_is_beyond_the_count(host):
    bad = np.zeros(1, np.uint64)
    for type_ in ("i32", "i64"):
        host.run("check_offsets", offset_type=type_, begin=np.array([0, 3, -1, 5], DTYPES[type_]), segments=3, count=10,
                 bad=bad)
        assert bad[0] == 2


# ---- search


@given(types, st.sampled_from([0, 1, 2, 3, 100, 1025]), data, st.sampled_from(["u32", "u64"]), st.booleans())
@settings(max_examples=500)
@pytest.mark.turn
def test_bounds(host, type_, length, what, index_type, upper):
    n, offset, kind, seed = what
    sorted_ = values(type_, length, kind, seed)
    sorted_ = sorted_[~np.isnan(oracle.widest(sorted_, type_))] if oracle.is_float(type_) else sorted_
    sorted_ = shifted(sorted_[np.argsort(oracle.widest(sorted_, type_), kind="stable")], offset)
    needles = values(type_, n, kind, seed + 1)
    buffer, out = guarded(n, DTYPES[index_type], offset)
    host.run("upper_bound" if upper else "lower_bound", in_type=type_, out_type=index_type, keys=sorted_,
             key_count=len(sorted_), in_=needles, out=out, count=n, op=["LESS", 0][seed % 2])
    w, v = oracle.widest(sorted_, type_), oracle.widest(needles, type_)
    wanted = np.searchsorted(w, v, side="right" if upper else "left")
    if oracle.is_float(type_):  # NaN is neither less nor greater
        wanted = np.where(np.isnan(v), len(w) if upper else 0, wanted)
    assert (out == wanted).all()
    check_canaries(buffer, out)


def test_bounds_by_a_users_operator():
    def greater(result, a, b):
        i32 = ctypes.POINTER(ctypes.c_int32)
        ctypes.cast(result, ctypes.POINTER(ctypes.c_uint8))[0] = ctypes.cast(a, i32)[0] > ctypes.cast(b, i32)[0]

    with Context(threads=1) as context:
        op = context.operator("greater", greater)
        rng = np.random.default_rng(5)
        falling = np.sort(rng.integers(0, 50, 100).astype(np.int32))[::-1].copy()
        needles, out = rng.integers(-5, 60, 200).astype(np.int32), np.zeros(200, np.uint64)
        for primitive, side in (("lower_bound", "left"), ("upper_bound", "right")):
            context.run(primitive, op=op, in_type="i32", out_type="u64", keys=falling, key_count=100, in_=needles,
                        out=out,
                        count=200)
            assert (out == np.searchsorted(-falling, -needles, side=side)).all()


@given(offset_types, shapes, st.sampled_from([0, 1, 33, 1025, 5000]), st.sampled_from(["u32", "u64"]),
       st.integers(0, 2**20))
@settings(max_examples=200)
def test_load_balance(threaded, offset_type, shape, n, index_type, seed):
    where = offsets_of("one" if shape == "none" else shape, n, seed)
    where[0] = 0
    buffer, out = guarded(n, DTYPES[index_type], seed % 3)
    threaded.run("load_balance", offset_type=offset_type, out_type=index_type, begin=where.astype(DTYPES[offset_type]),
                 segments=len(where) - 1, out=out, count=n)
    inside = min(n, where[-1])  # elements after the last offset belong to no segment
    assert (out[:inside] == np.repeat(np.arange(len(where) - 1), np.diff(where))).all()
    check_canaries(buffer, out)


@given(offset_types, shapes, st.sampled_from([0, 1, 33, 1025, 5000]), types, st.booleans(),
       st.sampled_from([0.5, 1, 1.3]), st.integers(0, 2**20))
@settings(max_examples=300)
@pytest.mark.turn
def test_expand(threaded, offset_type, shape, n, type_, by_lengths, room, seed):
    where = offsets_of("one" if shape == "none" else shape, n, seed)
    where[0] = 0
    runs, count = len(where) - 1, int(room * where[-1])
    x = values(type_, runs, "uniform", seed)
    buffer, out = guarded(count, x.dtype, seed % 3)
    out[:] = values(type_, 1, "uniform", seed + 1)
    wanted = out.copy()
    inside = np.repeat(np.arange(runs), np.diff(where))[:count]
    wanted[:len(inside)] = x[inside]  # what follows stays
    numbers = (np.diff(where) if by_lengths else where).astype(DTYPES[offset_type])
    total = np.full(1, 77, np.uint64)
    if by_lengths:
        threaded.call("gp_run_length_expand", type_, offset_type, x, numbers, runs, out, count, total)
    else:
        threaded.call("gp_expand", type_, offset_type, x, numbers, runs, out, count)
    assert out.tobytes() == wanted.tobytes()
    assert total[0] == (where[-1] if by_lengths else 77)
    check_canaries(buffer, out)


@given(st.integers(1, 64), st.sampled_from([0, 1, 5, 3000]), st.integers(0, 2**20))
@settings(max_examples=60)
@pytest.mark.turn
def test_expand_of_raw_bytes(size, runs, seed):
    rng = np.random.default_rng(seed)
    with Context(threads=1 + seed % 3) as context:
        type_ = context.struct("raw", size, 1)
        x = rng.integers(0, 256, (runs, size), np.uint8)
        lengths = rng.integers(0, 5, runs).astype(np.uint32)
        n, total = int(lengths.sum()), np.zeros(1, np.uint64)
        buffer, out = guarded(n * size, np.uint8, seed % 5)
        context.call("gp_run_length_expand", type_, "u32", x, lengths, runs, out, n, total)
        assert (out.reshape(n, size) == np.repeat(x, lengths, 0)).all() and total[0] == n
        check_canaries(buffer, out)


@pytest.mark.parametrize("length_type", ["i32", "u32", "i64", "u64"])
def test_expand_inverts_an_encoding(threaded, length_type):
    keys = np.cumsum(run_lengths("short", 20001, 3)).astype(np.uint16)
    first, lengths = np.zeros_like(keys), np.zeros(len(keys), DTYPES[length_type])
    runs, total, out = np.zeros(1, np.uint64), np.zeros(1, np.uint64), np.zeros_like(keys)
    threaded.call("gp_run_length_encode", "u16", length_type, keys, len(keys), first, lengths, runs)
    threaded.call("gp_run_length_expand", "u16", length_type, first, lengths, int(runs[0]), out, len(keys), total)
    assert (out == keys).all() and total[0] == len(keys)


# ---- many threads, many elements


@pytest.mark.parametrize("shape", ["short", "giant", "long"])
def test_threads_change_nothing(host, threaded, shape):
    n = 300001
    x = values("f32", n, "uniform", 1)
    where = offsets_of(shape, n, 2).astype(np.uint64)
    keys = np.cumsum(run_lengths(shape, n, 3)).astype(np.uint32)
    results = []
    for context in (host, threaded):
        out, running, balance = np.zeros(len(where) - 1, x.dtype), np.zeros_like(x), np.zeros(n, np.uint32)
        lower, difference = np.zeros(n, np.uint64), np.zeros_like(x)
        call = dict(op="SUM", in_type="f32", in_=x, count=n, offset_type="u64", begin=where, segments=len(where) - 1)
        context.run("segmented_reduce", out=out, **call)
        context.run("segmented_inclusive_scan", out=running, **call)
        context.run("load_balance", offset_type="u64", begin=where, segments=len(where) - 1, out_type="u32",
                    out=balance, count=n)
        context.run("lower_bound", in_type="u32", out_type="u64", keys=keys, key_count=n, in_=keys, out=lower, count=n)
        context.run("adjacent_difference", op="SUB", in_type="f32", in_=x, out=difference, count=n)
        results.append([out, running, balance, lower, difference])
    for one, three in zip(*results):
        assert one.tobytes() == three.tobytes()
    assert (results[0][2] == np.repeat(np.arange(len(where) - 1), np.diff(where.astype(np.int64)))).all()
    assert (results[0][3] == np.searchsorted(keys, keys)).all()
    assert (results[0][4] == np.diff(x, prepend=np.float32(0))).all()


# ---- by name


def test_calls_by_name(host):
    x = np.array([5, 1, 2, 2, 7, 7, 7, 3], np.int32)
    keys = np.array([1, 1, 2, 2, 2, 1, 1, 3], np.uint8)
    where = np.array([0, 3, 3, 8], np.uint32)
    ends = np.array([8, 4, 5, 8], np.uint32)
    out, number = np.zeros(8, np.int32), np.zeros(1, np.uint64)
    three = np.array([3], np.int32)

    def result(n, wanted):
        assert out[:n].tolist() == wanted
        out[:] = -1

    host.call("gp_segmented_reduce", "SUM", "i32", "i32", x, 8, Segments(TYPES["u32"], where, None, 3), out)
    result(4, [8, 0, 26, 0])
    host.call("gp_segmented_reduce", "MAX", "i32", "i32", x, 8, Segments(TYPES["u32"], where, ends, 4), out)
    result(4, [7, 2, 7, -2**31])
    host.call("gp_segmented_reduce", "SUM", "i32", "i32", x, 8, Segments(0, None, None, 4, 2), out)
    result(4, [6, 4, 14, 10])
    host.call("gp_segmented_inclusive_scan", "SUM", "i32", "i32", x, 8, Segments(TYPES["u32"], where, None, 3), out)
    result(8, [5, 6, 8, 2, 9, 16, 23, 26])
    host.call("gp_segmented_exclusive_scan", "SUM", "i32", "i32", three, x, 8, Segments(TYPES["u32"], where, None, 3),
              out)
    result(8, [3, 8, 9, 3, 5, 12, 19, 26])
    host.call("gp_inclusive_scan_by_key", "SUM", "u8", "i32", keys, x, 8, out)
    result(8, [5, 6, 2, 4, 11, 7, 14, 3])
    host.call("gp_exclusive_scan_by_key", "SUM", "u8", "i32", None, keys, x, 8, out)
    result(8, [0, 5, 0, 2, 4, 0, 7, 0])
    first = np.zeros(8, np.uint8)
    host.call("gp_reduce_by_key", "SUM", "u8", "i32", keys, x, 8, first, out, number)
    assert number[0] == 4
    assert first[:4].tolist() == [1, 2, 1, 3]
    result(4, [6, 11, 14, 3])
    host.call("gp_run_length_encode", "u8", "i32", keys, 8, first, out, number)
    assert number[0] == 4
    result(4, [2, 3, 2, 1])
    starts = np.zeros(8, np.int32)
    host.call("gp_nontrivial_runs", "u8", "i32", keys, 8, starts, out, number)
    assert number[0] == 3
    assert starts[:3].tolist() == [0, 2, 5]
    result(3, [2, 3, 2])
    host.call("gp_count_runs", "u8", keys, 8, number)
    assert number[0] == 4
    host.call("gp_unique", "i32", x, 8, out, number)
    assert number[0] == 5
    result(5, [5, 1, 2, 7, 3])
    host.call("gp_unique_by_key", "u8", "i32", keys, x, 8, first, out, number)
    assert number[0] == 4
    assert first[:4].tolist() == [1, 2, 1, 3]
    result(4, [5, 2, 7, 3])
    host.call("gp_adjacent_difference", "SUB", "i32", "i32", x, 8, out)
    result(8, [5, -4, 1, 0, 5, 0, 0, -4])
    sorted_, needles = np.array([1, 3, 3, 9], np.int32), np.array([0, 3, 10], np.int32)
    index = np.zeros(8, np.uint32)
    host.call("gp_lower_bound", 0, "i32", "u32", sorted_, 4, needles, 3, index)
    assert index[:3].tolist() == [0, 1, 4]
    host.call("gp_upper_bound", "LESS", "i32", "u32", sorted_, 4, needles, 3, index)
    assert index[:3].tolist() == [0, 3, 4]
    host.call("gp_load_balance", "u32", "u32", where, 3, index, 8)
    assert index.tolist() == [0, 0, 0, 2, 2, 2, 2, 2]
    host.call("gp_check_offsets", "u32", ends, 3, 8, number)
    assert number[0] == 1
    host.call("gp_check_offsets", "u32", where, 3, 8, number)
    assert number[0] == NONE


def test_segments_of_nothing(host):
    """No elements, no runs: counts are still written, and empty segments are identities."""
    number, out = np.full(1, 77, np.uint64), np.full(3, -1, np.int32)
    keys = np.zeros(1, np.int32)
    for primitive in ("run_lengths", "unique", "nontrivial_runs", "reduce_by_key"):
        number[0] = 77
        fields = dict(op="SUM", in_type="i32", in_=keys, out=out) if primitive == "reduce_by_key" else \
            dict(out=out, out2=out[1:]) if primitive == "nontrivial_runs" else dict(out_keys=out)
        host.run(primitive, key_type="i32", keys=keys, out_count=number, count=0, **fields)
        assert number[0] == 0, primitive
    host.run("segmented_reduce", op="MIN", in_type="i32", in_=keys, offset_type="u32", begin=np.zeros(4, np.uint32),
             segments=3, out=out, count=0)
    assert (out == 2**31 - 1).all()
    with pytest.raises(Error) as error:
        host.run("segmented_reduce", op="SUM", in_type="i32", in_=keys, offset_type="f32", begin=np.zeros(4, np.uint32),
                 segments=3, out=out, count=0)
    assert error.value.name == "GP_E_TYPE"
