"""Selection, partition and questions about all elements on the host against NumPy."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DTYPES, Context
from inputs import KINDS, TYPE_NAMES, check_canaries, guarded, shifted, values

settings.register_profile("selection", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("selection")

types = st.sampled_from(TYPE_NAMES)
flag_types = st.sampled_from(["i8", "u8", "i16", "u16", "i32", "u32"])
comparisons = st.sampled_from(oracle.COMPARISONS)
sizes = st.sampled_from([0, 1, 2, 3, 31, 33, 255, 1023, 1024, 1025, 4097])
data = st.tuples(sizes, st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))
SHARES = [0, 1, 50, 99, 100]


def scalar_of(x, type_, kind, seed):
    """More often than not, one of the elements."""
    return x[seed % len(x):][:1].copy() if len(x) and seed % 4 else values(type_, 1, kind, seed + 7)


def holds(op, x, type_, scalar):
    return oracle.compare(op, oracle.widest(x, type_), oracle.widest(scalar, type_))


def flags_of(type_, n, share, seed):
    some = values(type_, n, "special", seed)
    some[some == 0] = 1
    return np.where(np.random.default_rng(seed).random(n) * 100 < share, some, np.zeros(1, some.dtype))


def only(buffer, out, wanted):
    """The results are right; nothing after them was written."""
    check_canaries(buffer, out)
    assert out[:len(wanted)].tobytes() == wanted.tobytes()
    assert (out[len(wanted):].view(np.uint8) == 0xA5).all(), "wrote after the results"


# ---- select


@given(comparisons, types, data)
@settings(max_examples=1200)
@pytest.mark.turn
def test_select_if(host, op, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    scalar = scalar_of(x, type_, kind, seed)
    wanted = x[holds(op, x, type_, scalar)]
    buffer, out = guarded(n, x.dtype, (offset + 1) % 3)
    number = np.full(1, 77, np.uint64)
    call = dict(op=op, in_type=type_, scalar=scalar, out_count=number, count=n)
    host.run("select", in_=x, out=out, **call)
    assert number[0] == len(wanted)
    only(buffer, out, wanted)
    in_place = x.copy()
    host.run("select", in_=in_place, out=in_place, **call)
    assert in_place[:len(wanted)].tobytes() == wanted.tobytes()
    assert in_place[len(wanted):].tobytes() == x[len(wanted):].tobytes(), "wrote after the results"


@given(types, flag_types, st.sampled_from(SHARES), data)
@settings(max_examples=600)
@pytest.mark.turn
def test_select_and_partition_by_flags(host, type_, flag_type, share, what):
    n, offset, kind, seed = what
    x, flags = shifted(values(type_, n, kind, seed), offset), shifted(flags_of(flag_type, n, share, seed), offset)
    keep = flags != 0
    counts = np.full(3, 77, np.uint64)
    call = dict(in_type=type_, key_type=flag_type, keys=flags, out_count=counts, count=n)
    buffer, out = guarded(n, x.dtype, offset)
    host.run("select", in_=x, out=out, **call)
    assert counts.tolist() == [keep.sum(), 77, 77]
    only(buffer, out, x[keep])
    buffer, out = guarded(n, x.dtype, offset)
    other_buffer, rejected = guarded(n, x.dtype, (offset + 1) % 3)
    host.run("partition", in_=x, out=out, out2=rejected, **call)
    assert counts.tolist() == [keep.sum(), n - keep.sum(), 77]
    only(buffer, out, x[keep])
    only(other_buffer, rejected, x[~keep])
    in_place = x.copy()
    host.run("select", in_=in_place, out=in_place, **call)
    assert in_place[:keep.sum()].tobytes() == x[keep].tobytes()


@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 12, 16, 24, 63, 64])
def test_structs_keep_their_order(size):
    rng = np.random.default_rng(size)
    with Context(threads=2) as context:
        type_ = context.struct("raw", size, 1)
        for n in (0, 1, 1000):
            x, flags = rng.integers(0, 256, (n, size), np.uint8), rng.integers(0, 2, n).astype(np.uint16)
            out, rejected = np.zeros_like(x), np.zeros_like(x)
            counts = np.zeros(2, np.uint64)
            context.run("partition", in_type=type_, key_type="u16", keys=flags, in_=x, out=out, out2=rejected,
                        out_count=counts, count=n)
            k = int(flags.sum())
            assert counts.tolist() == [k, n - k]
            assert (out[:k] == x[flags == 1]).all()
            assert (rejected[:n - k] == x[flags == 0]).all()


# ---- partition


@given(comparisons, types, data)
@settings(max_examples=600)
@pytest.mark.turn
def test_partition(host, op, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    scalar = scalar_of(x, type_, kind, seed)
    keep = holds(op, x, type_, scalar)
    parts = [guarded(n, x.dtype, (offset + i) % 3) for i in range(2)]
    counts = np.full(3, 77, np.uint64)
    host.run("partition", op=op, in_type=type_, scalar=scalar, in_=x, out=parts[0][1], out2=parts[1][1],
             out_count=counts,
             count=n)
    assert counts.tolist() == [keep.sum(), n - keep.sum(), 77]
    only(*parts[0], x[keep])
    only(*parts[1], x[~keep])


@given(comparisons, comparisons, types, data)
@settings(max_examples=600)
@pytest.mark.turn
def test_partition_in_three(host, first, second, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    scalars = [scalar_of(x, type_, kind, seed), scalar_of(x, type_, kind, seed // 3 + 1)]
    one = holds(first, x, type_, scalars[0])
    two = ~one & holds(second, x, type_, scalars[1])
    parts = [guarded(n, x.dtype, (offset + i) % 3) for i in range(3)]
    counts = np.full(4, 77, np.uint64)
    host.run("partition", op=first, predicate2=second, in_type=type_, scalar=scalars[0], scalar2=scalars[1], in_=x,
             out=parts[0][1], out2=parts[1][1], out3=parts[2][1], out_count=counts, count=n)
    rest = ~one & ~two
    assert counts.tolist() == [one.sum(), two.sum(), rest.sum(), 77]
    for part, chosen in zip(parts, (one, two, rest)):
        only(*part, x[chosen])


# ---- questions about all elements


@given(comparisons, types, data)
@settings(max_examples=900)
@pytest.mark.turn
def test_count_if_any_all(host, op, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    scalar = scalar_of(x, type_, kind, seed)
    true = holds(op, x, type_, scalar)
    number, answer = np.full(2, 77, np.uint64), np.full(3, 77, np.uint8)
    call = dict(op=op, in_type=type_, scalar=scalar, in_=x, count=n)
    host.run("count_if", out_count=number, **call)
    host.run("any", out=answer[1:], **call)
    assert number.tolist() == [true.sum(), 77]
    assert answer.tolist() == [77, true.any(), 77]
    host.run("all", out=answer[1:], **call)
    assert answer.tolist() == [77, true.all(), 77]


def test_nan_and_zeros_compare_as_in_c(host):
    for type_ in oracle.FLOATS:
        x = oracle.convert(np.array([np.nan, 0.0, -0.0, 1.0]), "f64", type_)
        nan, zero = x[:1].copy(), x[2:3].copy()
        number = np.zeros(1, np.uint64)
        for op, of_nan, of_zero in (("EQUAL", 0, 2), ("NOT_EQUAL", 4, 2), ("LESS", 0, 0), ("LESS_EQUAL", 0, 2),
                                    ("GREATER", 0, 1), ("GREATER_EQUAL", 0, 3)):
            for scalar, wanted in ((nan, of_nan), (zero, of_zero)):
                host.run("count_if", op=op, in_type=type_, scalar=scalar, in_=x, out_count=number, count=4)
                assert number[0] == wanted, (type_, op, scalar)


def test_integers_beyond_the_precision_of_floats(host):
    for type_, big in (("u64", 2**64 - 1), ("i64", 2**63 - 1), ("i64", -2**63 + 1)):
        x = np.array([big - 1, big], DTYPES[type_])
        number = np.zeros(1, np.uint64)
        host.run("count_if", op="LESS", in_type=type_, scalar=x[1:].copy(), in_=x, out_count=number, count=2)
        assert number[0] == 1


def test_count_in_memory(host):
    x = np.arange(1000, dtype=np.int32)
    scalar = np.array([500], np.int32)
    for bound, n in ((10, 10), (700, 700), (2000, 1000), (0, 0)):
        out, rejected, counts = np.full(1000, -1, np.int32), np.full(1000, -1, np.int32), np.full(2, 77, np.uint64)
        call = dict(op="LESS", in_type="i32", scalar=scalar, in_=x, count=1000, count_device=bound)
        host.run("partition", out=out, out2=rejected, out_count=counts, **call)
        assert counts.tolist() == [min(n, 500), max(n - 500, 0)]
        assert (out[:min(n, 500)] == x[:min(n, 500)]).all()
        assert (rejected[max(n - 500, 0):] == -1).all()
        counts[0] = 77
        host.run("select", out=out, out_count=counts, **call)
        assert counts[0] == min(n, 500)
        counts[0] = 77
        host.run("count_if", out_count=counts, **call)
        assert counts[0] == min(n, 500)
        answer = np.full(1, 77, np.uint8)
        host.run("all", out=answer, **call)
        assert answer[0] == (n <= 500)
        host.run("any", out=answer, **call)
        assert answer[0] == (n > 0)


# ---- users' predicates


def multiple_of(divisor):
    """One byte is written."""
    def predicate(result, a, _):
        ctypes.cast(result, ctypes.POINTER(ctypes.c_uint8))[0] = \
            ctypes.cast(a, ctypes.POINTER(ctypes.c_int32))[0] % divisor == 0
    return predicate


@pytest.mark.parametrize("n", [0, 1, 31, 2049])
def test_users_predicates(n):
    with Context(threads=1) as context:
        threes = context.operator("threes", multiple_of(3), arity=1)
        fives = context.operator("fives", multiple_of(5), arity=1)
        pair = context.struct("pair", 12, 4, "struct pair { int first, second, third; };")
        x = np.random.default_rng(n).integers(-1000, 1000, (n, 3)).astype(np.int32)
        by_three, by_five = x[:, 0] % 3 == 0, x[:, 0] % 5 == 0
        outs, counts = [np.zeros_like(x) for _ in range(3)], np.zeros(3, np.uint64)
        context.run("partition", op=threes, predicate2=fives, in_type=pair, in_=x, out=outs[0], out2=outs[1],
                    out3=outs[2], out_count=counts, count=n)
        for out, chosen, number in zip(outs, (by_three, ~by_three & by_five, ~by_three & ~by_five), counts):
            assert number == chosen.sum()
            assert (out[:int(number)] == x[chosen]).all()
        context.run("select", op=fives, in_type=pair, in_=x, out=outs[0], out_count=counts, count=n)
        assert counts[0] == by_five.sum()
        assert (outs[0][:int(counts[0])] == x[by_five]).all()
        context.run("count_if", op=threes, in_type=pair, in_=x, out_count=counts, count=n)
        assert counts[0] == by_three.sum()
        # a comparison first, a user's operator second
        column = x[:, 0].copy()
        outs = [np.zeros_like(column) for _ in range(3)]
        context.run("partition", op="LESS", predicate2=fives, scalar=np.zeros(1, np.int32), in_type="i32", in_=column,
                    out=outs[0], out2=outs[1], out3=outs[2], out_count=counts, count=n)
        assert counts.tolist() == [(column < 0).sum(), ((column >= 0) & by_five).sum(),
                                   ((column >= 0) & ~by_five).sum()]


# ---- many threads, many elements


@pytest.mark.parametrize("share", SHARES)
def test_threads_change_nothing(threaded, share):
    n = 300001
    x, flags = values("u32", n, "uniform", 1), flags_of("u8", n, share, 1)
    outs, counts = [np.zeros_like(x), np.zeros_like(x)], np.zeros(2, np.uint64)
    call = dict(in_type="u32", key_type="u8", keys=flags, count=n)
    threaded.run("partition", in_=x, out=outs[0], out2=outs[1], out_count=counts, **call)
    for out, chosen, number in zip(outs, (flags != 0, flags == 0), counts):
        assert number == chosen.sum()
        assert (out[:int(number)] == x[chosen]).all()
    in_place = x.copy()
    threaded.run("select", in_=in_place, out=in_place, out_count=counts, **call)
    assert (in_place[:int(counts[0])] == x[flags != 0]).all()
    threaded.run("count_if", op="GREATER", in_type="u32", scalar=np.array([2**31], np.uint32), in_=x, out_count=counts,
                 count=n)
    assert counts[0] == (x > 2**31).sum()


# ---- by name


def test_calls_by_name(host):
    x = np.array([5, 1, 2, 2, 7, 7, 7, 3], np.int32)
    flags = np.array([1, 0, 0, 2, 0, 0, 0, 9], np.uint8)
    two, five = np.array([2], np.int32), np.array([5], np.int32)
    outs, counts = [np.zeros(8, np.int32) for _ in range(3)], np.zeros(3, np.uint64)

    def results(*wanted):
        for out, number, part in zip(outs, counts, wanted):
            assert out[:int(number)].tolist() == part

    host.call("gp_select_if", "GREATER", "i32", two, x, 8, outs[0], counts)
    results([5, 7, 7, 7, 3])
    host.call("gp_select_flags", "i32", "u8", x, flags, 8, outs[0], counts)
    results([5, 2, 3])
    host.call("gp_partition", "LESS", "i32", five, x, 8, outs[0], outs[1], counts)
    results([1, 2, 2, 3], [5, 7, 7, 7])
    host.call("gp_partition_flags", "i32", "u8", x, flags, 8, outs[0], outs[1], counts)
    results([5, 2, 3], [1, 2, 7, 7, 7])
    host.run("partition", op="LESS_EQUAL", predicate2="GREATER", in_type="i32", scalar=two, scalar2=five, in_=x,
             count=8, out=outs[0], out2=outs[1], out3=outs[2], out_count=counts)
    results([1, 2, 2], [7, 7, 7], [5, 3])
    host.call("gp_count_if", "EQUAL", "i32", two, x, 8, counts)
    assert counts[0] == 2
    answer = np.full(1, 77, np.uint8)
    for name, op, count, wanted in (("gp_any", "EQUAL", 8, 1), ("gp_any", "LESS", 1, 0), ("gp_any", "LESS", 0, 0),
                                    ("gp_all", "EQUAL", 8, 0), ("gp_all", "GREATER", 1, 1), ("gp_all", "LESS", 0, 1)):
        host.call(name, op, "i32", two, x, count, answer)
        assert answer[0] == wanted
