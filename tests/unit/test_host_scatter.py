"""Scatters, gathers, transforms and replacements under a stencil, swaps, rotations, shifts and both extremes of an
array on the host, against NumPy."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DTYPES, RIGHT, Context, Error
from inputs import KINDS, TYPE_NAMES, check_canaries, guarded, shifted, values

settings.register_profile("scatter", derandomize=True, deadline=None, database=None, max_examples=60,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("scatter")

types = st.sampled_from(TYPE_NAMES)
index_types = st.sampled_from(["i32", "u32", "i64", "u64"])
flag_types = st.sampled_from(["i8", "u8", "i16", "u16", "i32", "u32"])
comparisons = st.sampled_from(oracle.COMPARISONS)
sizes = st.sampled_from([0, 1, 2, 3, 31, 33, 255, 256, 257, 1023, 1025, 4097])
data = st.tuples(sizes, st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))


def places(rng, n, elements, index_type):
    """n different indices, of which some are in no array of `elements`."""
    index = rng.permutation(n + n // 3).astype(np.int64)[:n]
    index[index >= elements] = -1 - index[index >= elements] if index_type[0] == "i" else 2**31 + elements
    return index.astype(DTYPES[index_type])


def stencil_of(kind, seed, n):
    """Members of a call with a stencil, and where it lets elements pass. kind: a comparison, or a type of flags."""
    rng = np.random.default_rng(seed)
    if kind in oracle.COMPARISONS:
        key_type = TYPE_NAMES[seed % len(TYPE_NAMES)]
        keys = values(key_type, n, "small", seed)
        scalar = keys[n // 2:][:1].copy() if n else values(key_type, 1, "small", seed)
        return dict(op=kind, key_type=key_type, scalar=scalar, keys=keys), oracle.compare(
            kind, oracle.widest(keys, key_type), oracle.widest(scalar, key_type))
    flags = np.where(rng.random(n) < 0.4, rng.integers(1, 100, n), 0).astype(DTYPES[kind])
    return dict(key_type=kind, keys=flags), flags != 0


@given(types, data, index_types, st.one_of(st.none(), comparisons, flag_types))
@pytest.mark.turn
def test_scatter(host, type_, what, index_type, kind):
    n, offset, of, seed = what
    x = shifted(values(type_, n, of, seed), offset)
    index = places(np.random.default_rng(seed), n, n, index_type)
    buffer, out = guarded(n, x.dtype, seed % 4)
    out[:] = values(type_, n, "small", seed + 1)
    wanted = out.copy()
    passes = np.ones(n, bool)
    stencil = {}
    if kind:
        stencil, passes = stencil_of(kind, seed, n)
    passes &= (index.astype(object) >= 0) & (index.astype(object) < n) if n else passes
    wanted[index[passes].astype(np.int64)] = x[passes]
    host.run("scatter", in_type=type_, in_=x, in2_type=index_type, in2=index, n=n, count=n, out=out, **stencil)
    assert out.tobytes() == wanted.tobytes()
    check_canaries(buffer, out)


@given(types, data, index_types, st.one_of(st.none(), comparisons, flag_types))
@pytest.mark.turn
def test_gather(host, type_, what, index_type, kind):
    n, offset, of, seed = what
    x = shifted(values(type_, n, of, seed), offset)
    index = places(np.random.default_rng(seed), n, n, index_type)
    buffer, out = guarded(n, x.dtype, seed % 4)
    out[:] = values(type_, n, "small", seed + 1)
    wanted = out.copy()
    passes = np.ones(n, bool)
    stencil = {}
    if kind:
        stencil, passes = stencil_of(kind, seed, n)
    passes &= (index.astype(object) >= 0) & (index.astype(object) < n) if n else passes
    wanted[passes] = x[index[passes].astype(np.int64)]
    host.run("gather", in_type=type_, in_=x, in2_type=index_type, in2=index, n=n, count=n, out=out, **stencil)
    assert out.tobytes() == wanted.tobytes()
    check_canaries(buffer, out)


@given(types, types, st.sampled_from(["NEGATE", "ABS", "SQUARE", "NOT", "CONVERT"]), data,
       st.one_of(comparisons, flag_types))
@pytest.mark.turn
def test_transform_if(host, type_, out_type, op, what, kind):
    n, offset, of, seed = what
    x = shifted(values(type_, n, of, seed), offset)
    stencil, passes = stencil_of(kind, seed, n)
    made = np.zeros(n, DTYPES[out_type])
    host.run("transform", op=op, in_type=type_, out_type=out_type, in_=x, out=made, count=n)
    buffer, out = guarded(n, made.dtype, seed % 4)
    out[:] = values(out_type, n, "small", seed + 1)
    wanted = np.where(passes, made, out) if n else out.copy()
    host.run("scatter", transform=op, in_type=type_, out_type=out_type, in_=x, count=n, out=out, **stencil)
    assert out.tobytes() == wanted.astype(made.dtype).tobytes()
    check_canaries(buffer, out)


@given(st.sampled_from(["i32", "u32", "f32"]), comparisons, data)
def test_modify_if(host, type_, op, what):
    """In place, where the array is its own stencil."""
    n, offset, of, seed = what
    x = shifted(values(type_, n, "small", seed), offset)
    scalar = x[n // 2:][:1].copy() if n else values(type_, 1, of, seed)
    passes = oracle.compare(op, oracle.widest(x, type_), oracle.widest(scalar, type_))
    with np.errstate(all="ignore"):
        wanted = np.where(passes, -x, x).astype(x.dtype)
    host.call("gp_transform_if", "NEGATE", op, type_, type_, scalar, x, n, x)
    assert (x == wanted).all()


@given(types, comparisons, data, st.booleans())
@pytest.mark.turn
def test_replace_if(host, type_, op, what, in_place):
    n, offset, of, seed = what
    x = values(type_, n, of, seed)
    scalar = x[n // 2:][:1].copy() if n else values(type_, 1, of, seed)
    value = values(type_, 1, of, seed + 3)
    passes = oracle.compare(op, oracle.widest(x, type_), oracle.widest(scalar, type_))
    wanted = x.copy()
    wanted[passes] = value[0]
    buffer, out = guarded(n, x.dtype, offset)
    if in_place:
        out[:] = x
    host.call("gp_replace_if", op, type_, scalar, value, out if in_place else x, n, out)
    assert out.tobytes() == wanted.tobytes()
    check_canaries(buffer, out)


@given(st.integers(1, 64), st.sampled_from([0, 1, 2, 255, 256, 1025, 70000]), st.integers(0, 2**20))
@settings(max_examples=80)
@pytest.mark.turn
def test_raw_bytes(host, size, n, seed):
    """Structs of every size: swap, rotate, shift, scatter, and replacements by a user's predicate."""
    rng = np.random.default_rng(seed)
    with Context(threads=1 + seed % 3) as context:
        type_ = context.struct("raw", size, 1)
        a, b = (rng.integers(0, 256, (n, size), np.uint8) for _ in range(2))
        (first, x), (second, y) = guarded(n * size, np.uint8, size % 5), guarded(n * size, np.uint8, seed % 5)
        x[:], y[:] = a.ravel(), b.ravel()
        context.call("gp_swap", type_, x, y, n)
        assert (x == b.ravel()).all() and (y == a.ravel()).all()
        check_canaries(first, x), check_canaries(second, y)
        by = int(rng.integers(0, n + 1))
        context.call("gp_rotate", type_, x, n, by)
        assert (x.reshape(n, size) == np.roll(b, -by, 0)).all()
        check_canaries(first, x)
        for right, distance in ((0, by), (1, by), (0, n), (1, n), (1, 2 * n + 1), (0, 2**64 - 1)):
            x[:] = b.ravel()
            context.call("gp_shift", type_, x, n, distance, RIGHT * right)
            shown, kept = x.reshape(n, size), max(n - distance, 0)
            assert (shown[n - kept:] == b[:kept]).all() if right else (shown[:kept] == b[n - kept:]).all()
            assert sorted(map(bytes, shown)) == sorted(map(bytes, b)), "the others are those that left"
            check_canaries(first, x)
        index = rng.permutation(n).astype(np.uint32)
        context.call("gp_scatter", type_, "u32", a.ravel(), index, n, x, n)
        assert (x.reshape(n, size)[index] == a).all()
        low = context.operator("low", lambda r, p, _: _byte(r, _of(p) < 128), arity=1)
        value = np.full(size, 200, np.uint8)
        small = min(n, 300)
        context.call("gp_replace_if", low, type_, None, value, y, small, y)
        wanted = a.copy()
        wanted[:small][a[:small, 0] < 128] = 200
        assert (y.reshape(n, size) == wanted).all()
        check_canaries(second, y)


def _of(at):
    return ctypes.c_uint8.from_address(at).value


def _byte(at, value):
    ctypes.c_uint8.from_address(at).value = bool(value)


def test_indices_behind_a_stencil_are_not_used(host):
    """Neither are elements of a described input that they lead to."""
    x, out = np.arange(6, dtype=np.float64), np.full(4, -1.0)
    wild = np.array([3, 2**62, 1, -2**62], np.int64)
    flags = np.array([1, 0, 1, 0], np.uint8)
    host.call("gp_gather_flags", "f64", "i64", "u8", x, 6, wild, flags, 4, out)
    assert out.tolist() == [3, -1, 1, -1]
    host.call("gp_scatter_flags", "f64", "i64", "u8", x, wild, flags, 4, out, 4)
    assert out.tolist() == [3, 2, 1, 0]
    host.call("gp_gather", "f64", "i64", x, 6, np.array([5, 6, -1, 0]), 4, out)
    assert out.tolist() == [5, 2, 1, 0]
    called = []
    with Context(threads=1) as context:
        watch = context.operator("watch", lambda r, p, _: (called.append(1), _copy(r, p))[0], arity=1)
        out[:] = -1
        context.run("scatter", transform=watch, in_type="f64", in_=x, key_type="u8", keys=flags, count=4, out=out)
    assert out.tolist() == [0, -1, 2, -1] and len(called) == 2


def _copy(to, of):
    ctypes.memmove(to, of, 8)


def test_count_in_memory(host):
    x, out = np.arange(1000, dtype=np.int32), np.zeros(1000, np.int32)
    index = x[::-1].copy()
    for bound in (0, 10, 1000, 2000):
        n = min(bound, 1000)
        call = dict(in_type="i32", in_=x, count=1000, count_device=bound, out=out)
        out[:] = -5
        host.run("scatter", in2_type="i32", in2=index, n=1000, **call)
        assert (out[index[:n]] == x[:n]).all() and (np.delete(out, index[:n]) == -5).all()
        out[:] = -5
        host.run("replace", op="LESS", scalar=np.array([4], np.int32), value=np.array([9], np.int32), **call)
        assert (out[:n] == np.where(x < 4, 9, x)[:n]).all() and (out[n:] == -5).all()


# ---- both extremes


def both(type_, arg):
    dtype = np.dtype(DTYPES[type_])
    if not arg:
        return np.dtype([("min", dtype), ("max", dtype)])
    pad = 8 - dtype.itemsize
    fields = [[(which, dtype), *([(f"{which}_pad", np.uint8, pad)] if pad else []), (f"{which}_index", np.int64)]
              for which in ("min", "max")]
    return np.dtype(fields[0] + fields[1])


@pytest.mark.parametrize("arg", [False, True])
@given(types, types, data, st.booleans())
@pytest.mark.turn
def test_minmax(host, arg, type_, out_type, what, with_init):
    """The bits of MIN and MAX, or of ARGMIN and ARGMAX, of the same call; NaNs, zeros and ties as there."""
    n, offset, of, seed = what
    x = shifted(values(type_, n, of, seed), offset)
    whole = both(out_type, arg)
    init = None
    if with_init:
        init = np.zeros(1, whole)
        for k, which in enumerate(("min", "max")):
            init[which] = values(out_type, 1, of, seed + 1 + k)
            if arg:
                init[which + "_index"] = seed % 5 - 1
    buffer, out = guarded(1, whole, 0)
    call = dict(in_type=type_, out_type=out_type, in_=x, count=n)
    host.run("reduce", op="ARGMINMAX" if arg else "MINMAX", out=out, init=init, **call)
    half = whole.itemsize // 2
    for k, op in enumerate(("MIN", "MAX")):
        one = np.zeros(half, np.uint8)
        part = None if init is None else np.frombuffer(init.tobytes()[k * half:(k + 1) * half], np.uint8).copy()
        options = {} if arg or out_type not in ("f16", "bf16") else dict(acc_type=out_type)
        host.run("reduce", op=("ARG" if arg else "") + op, out=one, init=part, **call, **options)
        assert out.tobytes()[k * half:(k + 1) * half] == one.tobytes(), op
    check_canaries(buffer, out)


def test_both_extremes_are_for_reductions(host):
    x, out = np.arange(4, dtype=np.int32), np.zeros(16, np.int32)
    for op in ("MINMAX", "ARGMINMAX"):
        for name in ("inclusive_scan", "transform2"):
            with pytest.raises(Error, match=f"op: {op} is for reduce only"):
                second = {"in2": x} if name == "transform2" else {}
                host.run(name, op=op, in_type="i32", in_=x, out=out, count=4, **second)
