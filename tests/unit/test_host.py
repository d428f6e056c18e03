"""The host back end against NumPy and SciPy: every primitive, type, operator, accumulator and output type."""
import ctypes
import itertools
import re

import numpy as np
import pytest
import scipy.special
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DTYPES, RESULT_NAMES, SIZES, Context, Error, load
from inputs import KINDS, SIZE_LIST, TYPE_NAMES, check_canaries, expect, guarded, pair, shifted, values
from oracle import accumulate, arg_running, is_exact, operands

LARGE = [9216, 9217, 16385, 65537]

settings.register_profile("host", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("host")


data = st.tuples(st.sampled_from(SIZE_LIST), st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))
types = st.sampled_from(TYPE_NAMES)

# ---- move


@given(types, data)
def test_copy(host, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    buffer, out = guarded(n, x.dtype, (offset * 5) % 3)
    host.run("copy", in_type=type_, out_type=type_, in_=x, out=out, count=n)
    assert out.tobytes() == x.tobytes()
    check_canaries(buffer, out)


@given(st.integers(1, 64), st.sampled_from([0, 1, 2, 255, 256, 1025, 70000]))
@settings(max_examples=60)
@pytest.mark.turn
def test_copy_and_fill_of_raw_bytes(host, size, n):
    rng = np.random.default_rng(size)
    with Context(threads=2) as context:
        type_ = context.struct("raw", size, 1)
        x = rng.integers(0, 256, n * size, np.uint8)
        buffer, out = guarded(n * size, np.uint8, size % 5)
        context.run("copy", in_type=type_, out_type=type_, in_=x, out=out, count=n)
        assert (out == x).all()
        value = rng.integers(0, 256, size, np.uint8)
        context.run("fill", out_type=type_, in_type=type_, value=value, out=out, count=n)
        assert (out == np.tile(value, n)).all()
        check_canaries(buffer, out)


@given(types, data, st.booleans())
def test_reverse(host, type_, what, in_place):
    n, offset, kind, seed = what
    x = values(type_, n, kind, seed)
    buffer, out = guarded(n, x.dtype, offset)
    if in_place:
        out[:] = x
    host.run("reverse", in_type=type_, in_=out if in_place else x, out=out, count=n)
    assert out.tobytes() == np.flip(x).tobytes()
    check_canaries(buffer, out)


@given(st.integers(1, 64), st.sampled_from([0, 1, 2, 255, 256, 1025, 70000]))
@settings(max_examples=60)
@pytest.mark.turn
def test_reverse_of_raw_bytes(host, size, n):
    with Context(threads=2) as context:
        type_ = context.struct("raw", size, 1)
        x = np.random.default_rng(size).integers(0, 256, (n, size), np.uint8)
        buffer, out = guarded(n * size, np.uint8, size % 5)
        context.call("gp_reverse", type_, x, n, out)
        assert (out.reshape(n, size) == np.flip(x, 0)).all()
        context.call("gp_reverse", type_, out, n - n // 3, out)  # restores the input; the rest after the count stays
        assert (out.reshape(n, size) == np.concatenate([x[n // 3:], np.flip(x[:n // 3], 0)])).all()
        check_canaries(buffer, out)


def test_reverse_refuses_partial_overlap(host):
    x = np.arange(100, dtype=np.uint32)
    for source, out in ((x, x[1:]), (x[1:], x)):
        with pytest.raises(Error, match="gp_reverse: in and out overlap"):
            host.call("gp_reverse", "u32", source, 50, out)
    assert (x == np.arange(100)).all()


@given(st.sampled_from(["i32", "u32", "i64", "u64"]), st.sampled_from([0, 1, 2, 3, 100, 1023, 1025, 40000]),
       st.sampled_from([1, 16, 300]), st.sampled_from([0, 0.5, 0.99]), st.booleans(), st.integers(0, 2**20))
@settings(max_examples=60)
@pytest.mark.turn
def test_copy_batch(host, size_type, n, most, empty, giant, seed):
    """Sources overlap; destinations touch each other, in another order than sources."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, most + 1, n)
    sizes[rng.random(n) < empty] = 0
    if n and giant:
        sizes[rng.integers(n)] = 5_000_000 + rng.integers(100)
    x = rng.integers(0, 256, int(sizes.max(initial=0)) + 77, np.uint8)
    start = rng.integers(0, len(x) - sizes + 1)
    order = rng.permutation(n)
    begin = np.zeros(n, np.int64)
    begin[order] = np.cumsum(sizes[order]) - sizes[order]
    buffer, out = guarded(int(sizes.sum()), np.uint8, seed % 5)
    sources = x.ctypes.data + start.astype(np.uint64)
    destinations = out.ctypes.data + begin.astype(np.uint64)
    for pointers in (sources, destinations):
        pointers[sizes == 0] = 0  # not used
    wanted = np.concatenate([x[start[i]:start[i] + sizes[i]] for i in order]) if n else np.zeros(0, np.uint8)
    with Context(threads=1 + seed % 3) as context:
        context.call("gp_copy_batch", size_type, sources, destinations, sizes.astype(DTYPES[size_type]), n)
    assert (out == wanted).all()
    check_canaries(buffer, out)


@given(types, data)
@settings(max_examples=50)
def test_fill(host, type_, what):
    n, offset, kind, seed = what
    value = values(type_, 1, kind, seed)
    buffer, out = guarded(n, value.dtype, offset)
    host.run("fill", in_type=type_, out_type=type_, value=value, out=out, count=n)
    assert out.tobytes() == np.repeat(value, n).tobytes()
    check_canaries(buffer, out)


@given(types, data, st.sampled_from(["small", "uniform"]))
def test_iota(host, type_, what, kind):
    n, offset, _, seed = what
    start, step = values(type_, 1, kind, seed), values(type_, 1, kind, seed + 1)
    buffer, out = guarded(n, start.dtype, offset)
    host.run("iota", in_type=type_, out_type=type_, start=start, step=step, out=out, count=n)
    with np.errstate(all="ignore"):
        if oracle.is_float(type_):
            work = oracle.WORK[type_]
            product = np.arange(n, dtype=np.uint64).astype(work) * oracle.to_work(step, type_)
            wanted = oracle.from_work(oracle.to_work(start, type_) + product, type_)
        else:
            wanted = (start + np.arange(n, dtype=np.uint64).astype(start.dtype) * step).astype(start.dtype)
    expect(out, wanted, type_)
    check_canaries(buffer, out)


@pytest.mark.parametrize("type_", TYPE_NAMES)
def test_iota_starts_at_zero_with_step_one(host, type_):
    out = np.zeros(100, DTYPES[type_])
    host.run("iota", in_type=type_, out_type=type_, out=out, count=100)
    expect(out, oracle.convert(np.arange(100, dtype=np.uint8), "u8", type_), type_)


# ---- transform


@pytest.mark.parametrize("op", oracle.UNARY)
@given(types, types, data)
@settings(max_examples=120)
@pytest.mark.turn
def test_transform(host, op, in_type, out_type, what):
    n, offset, kind, seed = what
    x = shifted(values(in_type, n, kind, seed), offset)
    buffer, out = guarded(n, DTYPES[out_type], offset)
    host.run("transform", op=op, in_type=in_type, out_type=out_type, in_=x, out=out, count=n)
    expect(out, oracle.unary(op, x, in_type, out_type), out_type)
    check_canaries(buffer, out)


@pytest.mark.parametrize("in_type", TYPE_NAMES)
@pytest.mark.parametrize("out_type", TYPE_NAMES)
def test_every_conversion_of_every_kind_of_value(host, in_type, out_type):
    x = np.concatenate([values(in_type, 600, kind, 5) for kind in KINDS])
    if SIZES[in_type] == 2:
        x = np.arange(65536, dtype=np.uint32).astype(np.uint16).view(DTYPES[in_type])
    if in_type in ("f32", "f64"):  # halfway between two neighbours of the narrow type, and a little to either side
        narrow = np.arange(0, 0x7c00, 37, dtype=np.uint16).view(np.float16).astype(np.float64)
        middle = (narrow[:-1] + narrow[1:]) / 2
        ties = np.concatenate([middle, np.nextafter(middle, 0), np.nextafter(middle, np.inf), middle * 2.0**100,
                               np.array([65519.99, 65520.0, 2.0**-25, 2.0**-24, 3 * 2.0**-25, 2.0**-134, 3.3961e38])])
        x = np.concatenate([x, oracle.convert(np.concatenate([ties, -ties]), "f64", in_type)])
    out = np.zeros(len(x), DTYPES[out_type])
    host.run("transform", op="CONVERT", in_type=in_type, out_type=out_type, in_=x, out=out, count=len(x))
    expect(out, oracle.convert(x, in_type, out_type), out_type)
    if SIZES[in_type] == SIZES[out_type]:  # in place
        buffer = x.copy()
        host.run("transform", op="CONVERT", in_type=in_type, out_type=out_type, in_=buffer, out=buffer, count=len(x))
        expect(buffer.view(DTYPES[out_type]), out, out_type)


@pytest.mark.parametrize("op", oracle.BINARY)
@given(types, types, types, data)
@settings(max_examples=60)
def test_transform2(host, op, a_type, b_type, out_type, what):
    if op not in oracle.operators_of(out_type):
        out_type = "u32"
    n, offset, kind, seed = what
    a, b = shifted(values(a_type, n, kind, seed), offset), values(b_type, n, kind, seed + 1)
    buffer, out = guarded(n, DTYPES[out_type], 1)
    host.run("transform2", op=op, in_type=a_type, in2_type=b_type, out_type=out_type, in_=a, in2=b, out=out, count=n)
    x, y = oracle.convert(a, a_type, out_type), oracle.convert(b, b_type, out_type)
    expect(out, oracle.binary(op, x, y, out_type), out_type)
    check_canaries(buffer, out)


@pytest.mark.parametrize("op, type_", [(op, type_) for type_ in TYPE_NAMES for op in oracle.operators_of(type_)])
def test_transform2_of_one_type_and_in_place(host, op, type_):
    a, b = (np.concatenate([values(type_, 500, kind, seed) for kind in KINDS]) for seed in (1, 2))
    wanted = oracle.binary(op, a, b, type_)
    for target in ("new", "a", "b"):
        x, y = a.copy(), b.copy()
        out = {"new": np.zeros_like(a), "a": x, "b": y}[target]
        host.run("transform2", op=op, in_type=type_, out_type=type_, in_=x, in2=y, out=out, count=len(a))
        expect(out, wanted, type_)


# ---- reduce and scan: bit for bit if the order does not matter, otherwise against the canonical order


def reduced(name, x, type_, in_size, init):
    with np.errstate(all="ignore"):
        if not is_exact(name, type_):
            return oracle.reduce(oracle.built_in(name, type_), x, in_size, init)
        parts = np.concatenate([oracle.identity(name, type_) if init is None else init, x])
        running = accumulate(name, parts, type_)
        if running is None:
            running = parts[:1]
            for i in range(1, len(parts)):
                running = oracle.binary(name, running, parts[i:i + 1], type_)
        return running[-1:]


def scanned(name, x, type_, in_size, out_size, exclusive, init):
    with np.errstate(all="ignore"):
        if not is_exact(name, type_):
            return oracle.scan(oracle.built_in(name, type_), x, in_size, out_size, exclusive, init)
        start = oracle.identity(name, type_) if init is None else init
        parts = np.concatenate([start, x])
        running = accumulate(name, parts, type_)
        if running is None:
            running = parts.copy()
            for i in range(1, len(parts)):
                running[i:i + 1] = oracle.binary(name, running[i - 1:i], parts[i:i + 1], type_)
        return running[:-1] if exclusive else running[1:]


transforms = st.sampled_from([None, None, None, "NEGATE", "ABS", "SQUARE", "NOT"])
operators = st.sampled_from(oracle.BINARY)
sizes = st.sampled_from(SIZE_LIST * 2 + LARGE)


@given(operators, types, types, types, sizes, data, transforms, st.booleans())
@settings(max_examples=700)
@example("SUM", "f16", "f32", "f16", 65537, (0, 1, "uniform", 1), None, False)
@example("SUM", "u8", "u64", "u64", 65537, (0, 1, "uniform", 1), "SQUARE", True)
@pytest.mark.turn
def test_reduce(host, op, in_type, acc_type, out_type, n, what, transform, with_init):
    if op not in oracle.operators_of(acc_type):
        acc_type = "u32"
    _, offset, kind, seed = what
    x = shifted(values(in_type, n, kind, seed), offset)
    init = values(acc_type, 1, kind, seed + 7) if with_init else None
    buffer, out = guarded(1, DTYPES[out_type], offset)
    host.run("reduce", op=op, transform=transform or 0, in_type=in_type, acc_type=acc_type, out_type=out_type, in_=x,
             out=out, count=n, init=init)
    if with_init and op in ("AND", "OR"):
        init = oracle.truth(init, acc_type)
    wanted = reduced(op, operands(op, transform, x, in_type, acc_type), acc_type, SIZES[in_type], init)
    expect(out, oracle.convert(wanted, acc_type, out_type), out_type)
    check_canaries(buffer, out)


@given(operators, types, types, types, sizes, data, transforms, st.booleans(), st.booleans())
@settings(max_examples=700)
@example("SUM", "f16", "f32", "f16", 65537, (0, 1, "uniform", 1), None, False, False)
@example("SUM", "u8", "u64", "u64", 65537, (0, 1, "uniform", 1), "SQUARE", True, True)
@pytest.mark.turn
def test_scan(host, op, in_type, acc_type, out_type, n, what, transform, exclusive, with_init):
    if op not in oracle.operators_of(acc_type):
        acc_type = "u32"
    _, offset, kind, seed = what
    x = shifted(values(in_type, n, kind, seed), offset)
    init = values(acc_type, 1, kind, seed + 7) if with_init else None
    in_place = SIZES[in_type] == SIZES[out_type] and seed % 3 == 0
    original = x.copy()
    buffer, out = guarded(n, DTYPES[out_type], offset)
    if in_place:
        out = x.view(DTYPES[out_type])
    host.run("exclusive_scan" if exclusive else "inclusive_scan", op=op, transform=transform or 0, in_type=in_type,
             acc_type=acc_type, out_type=out_type, in_=x, out=out, count=n, init=init)
    if with_init and op in ("AND", "OR"):
        init = oracle.truth(init, acc_type)
    wanted = scanned(op, operands(op, transform, original, in_type, acc_type), acc_type, SIZES[in_type],
                     SIZES[out_type], exclusive, init)
    expect(out, oracle.convert(wanted, acc_type, out_type), out_type)
    if not in_place:
        check_canaries(buffer, out)


@pytest.mark.parametrize("type_", TYPE_NAMES)
@pytest.mark.turn
def test_every_operator_on_every_type(host, type_):
    for op, kind, exclusive in itertools.product(oracle.operators_of(type_), KINDS, (False, True)):
        x = values(type_, 3000, kind, 11)
        y = operands(op, None, x, type_, type_)
        total, running = np.zeros(1, x.dtype), np.zeros_like(x)
        host.run("reduce", op=op, in_type=type_, acc_type=type_, out_type=type_, in_=x, out=total, count=len(x))
        expect(total, reduced(op, y, type_, SIZES[type_], None), type_)
        host.run("exclusive_scan" if exclusive else "inclusive_scan", op=op, in_type=type_, acc_type=type_,
                 out_type=type_, in_=x, out=running, count=len(x))
        expect(running, scanned(op, y, type_, SIZES[type_], SIZES[type_], exclusive, None), type_)


@pytest.mark.parametrize("type_", oracle.INTEGERS)
def test_integer_sums_against_python_integers(host, type_):
    x = values(type_, 5000, "uniform", 3)
    bits, out = 8 * SIZES[type_], np.zeros(1, DTYPES[type_])
    host.run("reduce", op="SUM", in_type=type_, out_type=type_, in_=x, out=out, count=len(x))
    total = sum(int(v) for v in x) % 2**bits
    assert int(out[0]) % 2**bits == total


@given(data, st.sampled_from(["f32", "f64"]))
@settings(max_examples=40)
def test_float_sums_are_close_to_numpy_and_scipy(host, what, type_):
    n, _, _, seed = what
    x = np.abs(values(type_, n, "uniform", seed)) + DTYPES[type_](0.5)
    out, running = np.zeros(1, x.dtype), np.zeros_like(x)
    host.run("reduce", op="SUM", in_type=type_, out_type=type_, in_=x, out=out, count=n)
    eps = np.finfo(x.dtype).eps
    np.testing.assert_allclose(out[0], x.astype(np.longdouble).sum(), rtol=64 * eps)
    host.run("inclusive_scan", op="SUM", in_type=type_, out_type=type_, in_=x, out=running, count=n)
    np.testing.assert_allclose(running, np.cumsum(x.astype(np.longdouble)), rtol=128 * eps)
    if n:  # log(sum(exp)) is the reduction of exponentials
        e = np.exp(x)
        host.run("reduce", op="SUM", in_type=type_, out_type=type_, in_=e, out=out, count=n)
        np.testing.assert_allclose(np.log(out[0]), scipy.special.logsumexp(x.astype(np.float64)), rtol=64 * eps)


@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_half_types_sum_in_f32_by_default(host, type_):
    x = oracle.convert(np.full(5000, 1.0), "f64", type_)
    out = np.zeros(1, x.dtype)
    host.run("reduce", op="SUM", in_type=type_, out_type=type_, in_=x, out=out, count=5000)
    expect(out, oracle.convert(np.array([5000.0]), "f64", type_), type_)


def test_count_in_memory(host):
    x = np.arange(1000, dtype=np.int32)
    for bound, wanted in ((10, 10), (2000, 1000), (0, 0)):
        out = np.zeros(1, np.int32)
        host.run("reduce", op="SUM", in_type="i32", out_type="i32", in_=x, out=out, count=1000, count_device=bound)
        assert out[0] == x[:wanted].sum()


# ---- ARGMIN and ARGMAX


@pytest.mark.parametrize("op", ["ARGMIN", "ARGMAX"])
@given(types, types, data, st.sampled_from([None, "NEGATE", "ABS", "SQUARE"]), st.sampled_from([None, -1, 3, 10**12]))
@settings(max_examples=150)
@pytest.mark.turn
def test_arg(host, op, in_type, type_, what, transform, init_index):
    n, offset, kind, seed = what
    x = shifted(values(in_type, n, kind, seed), offset)
    y = operands(op, transform, x, in_type, type_)
    init = None
    if init_index is not None:
        init = np.zeros(1, pair(type_))
        init["value"], init["index"] = values(type_, 1, kind, seed + 1), init_index
    start, running = arg_running(op, y, type_, init)

    def compare(got, wanted):
        expect(got["value"].copy(), np.array([v for v, _ in wanted], DTYPES[type_]), type_)
        assert got["index"].tolist() == [i for _, i in wanted]

    out = np.zeros(n + 1, pair(type_))
    out.view(np.uint8)[:] = 0xA5
    host.run("reduce", op=op, transform=transform or 0, in_type=in_type, out_type=type_, in_=x, out=out, count=n,
             init=init)
    compare(out[:1], [running[-1] if n else start])
    padding = out[:1].view(np.uint8)[SIZES[type_]:8]
    assert (padding == 0).all(), "the padding of a pair is zero"
    assert (out[1:].view(np.uint8) == 0xA5).all(), "wrote behind the result"
    host.run("inclusive_scan", op=op, transform=transform or 0, in_type=in_type, out_type=type_, in_=x, out=out,
             count=n, init=init)
    compare(out[:n], running)
    host.run("exclusive_scan", op=op, transform=transform or 0, in_type=in_type, out_type=type_, in_=x, out=out,
             count=n, init=init)
    compare(out[:n], ([start] + running)[:n])


# ---- users' types and operators


def compose(result, a, b):
    """x -> a.m * x + a.k, then b: integers that wrap; associative, not commutative."""
    u32 = ctypes.POINTER(ctypes.c_uint32)
    p, q, r = (ctypes.cast(at, u32) for at in (a, b, result))
    m, k = p[0] * q[0], p[1] * q[0] + q[1]
    r[0], r[1] = m & 0xffffffff, k & 0xffffffff


def composed(a, b):
    return np.stack([a[:, 0] * b[:, 0], a[:, 1] * b[:, 0] + b[:, 1]], axis=1)


@pytest.mark.parametrize("n", [0, 1, 2, 31, 513, 4096, 9000])
@pytest.mark.parametrize("commutative", [0, 1])
@pytest.mark.turn
def test_user_operator_on_a_struct(host, n, commutative):
    with Context(threads=1) as context:
        affine = context.struct("affine", 8, 4, "struct affine { unsigned m, k; };")
        op = context.operator("compose", compose, commutative=0, host_identity=np.array([1, 0], np.uint32).tobytes())
        x = np.random.default_rng(n).integers(0, 2**32, (n, 2), np.uint32)
        if commutative:  # translations commute, so the operator may be called commutative
            x[:, 0] = 1
            op = context.operator("add", compose, commutative=1, host_identity=np.array([1, 0], np.uint32).tobytes())
        init = np.array([[3, 5]], np.uint32) if n % 2 else None
        running = [init[0] if init is not None else np.array([1, 0], np.uint32)]
        for i in range(n):
            running.append(composed(running[-1][None], x[i:i + 1])[0])
        running = np.array(running)
        out = np.zeros((max(n, 1), 2), np.uint32)
        types_ = dict(in_type=affine, acc_type=affine, out_type=affine, in_=x, out=out, count=n, init=init)
        if not commutative or init is None:
            context.run("reduce", op=op, **types_)
            assert (out[0] == running[-1]).all()
        context.run("inclusive_scan", op=op, **types_)
        assert (out[:n] == running[1:]).all()
        context.run("exclusive_scan", op=op, **types_)
        assert (out[:n] == running[:-1]).all()


def test_user_unary_and_binary_transforms():
    def halve(result, a, _):
        ctypes.cast(result, ctypes.POINTER(ctypes.c_float))[0] = ctypes.cast(
            a, ctypes.POINTER(ctypes.c_int32))[0] / 2

    def mix(result, a, b):
        ctypes.cast(result, ctypes.POINTER(ctypes.c_double))[0] = (
            10 * ctypes.cast(a, ctypes.POINTER(ctypes.c_int8))[0] + ctypes.cast(b, ctypes.POINTER(ctypes.c_float))[0])

    with Context(threads=1) as context:
        unary = context.operator("halve", halve, arity=1)
        binary = context.operator("mix", mix)
        x = np.arange(-700, 701, dtype=np.int32)
        out = np.zeros(x.size, np.float32)
        context.run("transform", op=unary, in_type="i32", out_type="f32", in_=x, out=out, count=x.size)
        assert (out == x / 2).all()
        total = np.zeros(1, np.float64)
        context.run("reduce", op="SUM", transform=unary, in_type="i32", acc_type="f32", out_type="f64", in_=x[700:],
                    out=total, count=701)
        assert total[0] == np.arange(701).sum() / 2
        a, b = np.arange(-100, 100, dtype=np.int8), np.arange(200, dtype=np.float32) / 4
        mixed = np.zeros(200, np.float64)
        context.run("transform2", op=binary, in_type="i8", in2_type="f32", out_type="f64", in_=a, in2=b, out=mixed,
                    count=200)
        assert (mixed == 10.0 * a + b).all()


# ---- bad input: a code, a message that names the argument, untouched outputs, and a working next call

i32 = dict(in_type="i32", out_type="i32", count=16)
BAD = [
    ("null in", "GP_E_NULL", "in", "reduce", dict(op="SUM", in_=None)),
    ("null out", "GP_E_NULL", "out", "reduce", dict(op="SUM", out=None)),
    ("null in2", "GP_E_NULL", "in2", "transform2", dict(op="SUM", in2=None)),
    ("null value", "GP_E_NULL", "value", "fill", dict(value=None)),
    ("no operator", "GP_E_OPERATOR", "op", "reduce", dict(op=0)),
    ("unknown operator", "GP_E_OPERATOR", "op", "inclusive_scan", dict(op=9999)),
    ("unary operator", "GP_E_OPERATOR", "op", "reduce", dict(op="NEGATE")),
    ("binary operator", "GP_E_OPERATOR", "op", "transform", dict(op="SUM")),
    ("binary transform", "GP_E_OPERATOR", "transform", "reduce", dict(op="SUM", transform="MIN")),
    ("arg in transform2", "GP_E_OPERATOR", "op", "transform2", dict(op="ARGMIN")),
    ("bitwise on floats", "GP_E_OPERATOR", "op", "reduce", dict(op="BIT_XOR", in_type="f32", out_type="f32")),
    ("unknown type", "GP_E_TYPE", "in_type", "reduce", dict(op="SUM", in_type=777)),
    ("unknown out type", "GP_E_TYPE", "out_type", "reduce", dict(op="SUM", out_type=-3)),
    ("unknown primitive", "GP_E_ARGUMENT", "primitive", 99, dict(op="SUM")),
    ("count overflows", "GP_E_SIZE", "count", "reduce", dict(op="SUM", count=2**62)),
    ("misaligned in", "GP_E_ALIGNMENT", "in", "reduce", dict(op="SUM", in_=1)),
    ("misaligned out", "GP_E_ALIGNMENT", "out", "inclusive_scan", dict(op="SUM", out=1)),
    ("overlap", "GP_E_OVERLAP", "out", "inclusive_scan", dict(op="SUM", out=4)),
    ("reduce in place", "GP_E_OVERLAP", "out", "reduce", dict(op="SUM", out=0)),
    ("scan in place, other size", "GP_E_OVERLAP", "out", "inclusive_scan", dict(op="SUM", out=0, out_type="i64")),
]


@pytest.mark.parametrize("title, code, argument, primitive, change", BAD, ids=[row[0] for row in BAD])
def test_bad_input(host, title, code, argument, primitive, change):
    buffer = np.arange(64, dtype=np.int64)
    base, in2, apart = buffer.ctypes.data, buffer[16:].ctypes.data, buffer[32:].ctypes.data
    call = dict(i32, out=apart)
    call.update({"fill": dict(value=buffer), "transform2": dict(in_=base, in2=in2)}.get(primitive, dict(in_=base)))
    call.update(change)
    for field in ("in_", "out"):  # small numbers are offsets into the buffer
        if isinstance(call.get(field), int) and call[field] < 64:
            call[field] += base
    before = buffer.copy()
    with pytest.raises(Error) as error:
        host.run(primitive, **call)
    assert error.value.name == code, error.value
    assert re.search(rf"\b{argument}\b", error.value.message), error.value
    assert f"gp_{primitive}" in error.value.message or primitive == 99, error.value
    assert (buffer == before).all(), "an output was touched"
    out = np.zeros(1, np.int32)
    host.run("reduce", op="SUM", in_type="i32", out_type="i32", in_=np.arange(5, dtype=np.int32), out=out, count=5)
    assert out[0] == 10


def test_operators_without_a_host_function():
    with Context() as context:
        x, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
        no_host = context.operator("shout", body="return a + b;", identity="0")
        no_identity = context.operator("mumble", lambda r, a, b: None)
        call = dict(in_type="i32", out_type="i32", in_=x, out=out, count=8)
        for op, words in ((no_host, ("shout", "host")), (no_identity, ("mumble", "host_identity"))):
            with pytest.raises(Error) as error:
                context.run("reduce", op=op, **call)
            assert error.value.name == "GP_E_UNSUPPORTED"
            assert all(word in error.value.message for word in words)
        assert (out == 0).all()
        context.run("inclusive_scan", op="SUM", **call)
        assert (out == np.cumsum(x)).all()


def test_closed_contexts():
    library = load()
    assert RESULT_NAMES[library.gp_run(None, None, None)] == "GP_E_CONTEXT"
    context = Context(library=library)
    context.close()
    with pytest.raises(Error) as error:
        context.close()
    assert error.value.name == "GP_E_CONTEXT"
