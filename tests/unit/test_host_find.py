"""Searches for the first element on the host against NumPy: predicates, two arrays, neighbours; they end early."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import Context
from inputs import KINDS, TYPE_NAMES, shifted, values

settings.register_profile("find", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("find")

types = st.sampled_from(TYPE_NAMES)
comparisons = st.sampled_from(oracle.COMPARISONS)
equalities = st.sampled_from(["EQUAL", "NOT_EQUAL", 0])
sizes = st.sampled_from([0, 1, 2, 3, 31, 33, 255, 256, 257, 1023, 1024, 1025, 4097])
data = st.tuples(sizes, st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))
LARGE = 1 << 21  # bytes: several threads


def first_of(true, none):
    found = np.flatnonzero(true)
    return int(found[0]) if len(found) else none


def same(op, x, y, type_):
    return oracle.compare(op or "EQUAL", oracle.widest(x, type_), oracle.widest(y, type_))


def index(host, name, **call):
    number = np.full(2, 77, np.uint64)
    host.run(name, out_count=number, **call)
    assert number[1] == 77
    return int(number[0])


@given(comparisons, types, data)
@settings(max_examples=700)
@pytest.mark.turn
def test_find_if(host, op, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    scalar = x[seed % n:][:1].copy() if n and seed % 4 else values(type_, 1, kind, seed + 7)
    true = oracle.compare(op, oracle.widest(x, type_), oracle.widest(scalar, type_))
    assert index(host, "find_if", op=op, in_type=type_, scalar=scalar, in_=x, count=n) == first_of(true, n)


@given(equalities, types, data)
@settings(max_examples=700)
@pytest.mark.turn
def test_two_arrays(host, op, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    y = shifted(x.copy(), (offset + 1) % 4)
    if n and seed % 3:
        y[seed % n:] = values(type_, n - seed % n, kind, seed + 1)
    differ = ~same(op, x, y, type_)
    call = dict(op=op, in_type=type_, in_=x, in2=y, count=n)
    assert index(host, "mismatch", **call) == first_of(differ, n)
    answer = np.full(3, 77, np.uint8)
    host.run("equal_arrays", out=answer[1:], **call)
    assert answer.tolist() == [77, not differ.any(), 77]


@given(equalities, types, data)
@settings(max_examples=700)
@pytest.mark.turn
def test_adjacent_find(host, op, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    if n > 1 and seed % 2:
        x[seed % (n - 1) + 1] = x[seed % (n - 1)]
    true = same(op, x[:-1], x[1:], type_) if n else []
    assert index(host, "adjacent_find", op=op, in_type=type_, in_=x, count=n) == first_of(true, n)


@given(st.sampled_from(["LESS", "GREATER", 0]), types, data, st.integers(-2, 2))
@settings(max_examples=300)
@pytest.mark.turn
def test_lexicographic(host, op, type_, what, more):
    """-1, 0 or 1: by the first elements of which one is less, otherwise by the lengths."""
    n, offset, kind, seed = what
    m = max(n + more, 0)
    x = shifted(values(type_, n, kind, seed), offset)
    y = np.concatenate([x, values(type_, 2, kind, seed + 2)])[:m].astype(x.dtype)
    if m and seed % 3:
        y[seed % m] = values(type_, 1, kind, seed + 1)[0]
    a, b = (oracle.widest(one[:min(n, m)], type_) for one in (x, y))
    less, more_ = (oracle.compare(op or "LESS", *pair) for pair in ((a, b), (b, a)))
    at = first_of(less | more_, None)
    wanted = (-1 if less[at] else 1) if at is not None else (n > m) - (n < m)
    out = np.full(3, 77, np.int32)
    host.call("gp_lexicographic", op, type_, x, n, y, m, out[1:])
    assert out.tolist() == [77, wanted, 77]


@given(comparisons, types, data)
@settings(max_examples=300)
@pytest.mark.turn
def test_partitions(host, op, type_, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    scalar = x[seed % n:][:1].copy() if n else values(type_, 1, kind, seed)
    true = oracle.compare(op, oracle.widest(x, type_), oracle.widest(scalar, type_))
    if seed % 3:
        x[:] = np.concatenate([x[true], x[~true]])
        true = oracle.compare(op, oracle.widest(x, type_), oracle.widest(scalar, type_))
    parted = not (true[1:] & ~true[:-1]).any()
    answer = np.full(3, 77, np.uint8)
    host.call("gp_is_partitioned", op, type_, scalar, x, n, answer[1:])
    assert answer.tolist() == [77, parted, 77]
    found = index(host, "partition_point", op=op, in_type=type_, scalar=scalar, in_=x, count=n)
    if parted:
        assert found == true.sum()
    else:
        assert (found == 0 or true[found - 1]) and (found == n or not true[found])


def test_floats_compare_as_in_c(host):
    """A NaN equals nothing, -0 equals +0."""
    for type_ in oracle.FLOATS:
        x, y = (oracle.convert(np.array(numbers), "f64", type_)
                for numbers in ([1, 0.0, np.nan, 2], [1, -0.0, np.nan, 2]))
        assert index(host, "mismatch", in_type=type_, in_=x, in2=y, count=4) == 2
        assert index(host, "mismatch", in_type=type_, in_=x, in2=x, count=4) == 2
        pairs = oracle.convert(np.array([np.nan, np.nan, 0.0, -0.0]), "f64", type_)
        assert index(host, "adjacent_find", in_type=type_, in_=pairs, count=4) == 2


def test_count_in_memory(host):
    x = np.arange(1000, dtype=np.int32)
    y = x.copy()
    y[700] = 0
    for bound in (0, 10, 700, 701, 2000):
        n = min(bound, 1000)
        call = dict(in_type="i32", in_=x, count=1000, count_device=bound)
        for scalar in (3, 900, 5000):
            wanted = scalar if scalar < n else n
            assert index(host, "find_if", op="EQUAL", scalar=np.array([scalar], np.int32), **call) == wanted
        assert index(host, "mismatch", in2=y, **call) == min(n, 700)
        assert index(host, "adjacent_find", **call) == n
        answer = np.zeros(1, np.uint8)
        host.run("equal_arrays", in2=y, out=answer, **call)
        assert answer[0] == (n <= 700)


def test_calls_by_name(host):
    x, y, number = np.array([4, 4, 2, 7], np.int32), np.array([4, 4, 3, 7], np.int32), np.zeros(1, np.uint64)
    answer = np.full(1, 77, np.uint8)
    for name, arguments, wanted in (
            ("gp_find_if", ("LESS", "i32", np.array([4], np.int32), x, 4), 2), ("gp_mismatch", (0, "i32", x, y, 4), 2),
            ("gp_mismatch", ("EQUAL", "i32", x, y, 2), 2), ("gp_adjacent_find", (0, "i32", x, 4), 0),
            ("gp_adjacent_find", ("EQUAL", "i32", x[1:], 3), 3), ("gp_adjacent_find", ("NOT_EQUAL", "i32", x, 4), 1)):
        host.call(name, *arguments, number)
        assert number[0] == wanted, (name, arguments)
    for other, wanted in ((y, 0), (x, 1)):
        host.call("gp_equal_arrays", 0, "i32", x, other, 4, answer)
        assert answer[0] == wanted


# ---- users' operators, which also count how often they are called


def counting(calls, holds):
    def operator(result, a, b):
        calls.append(1)
        numbers = [ctypes.c_int32.from_address(at).value for at in (a, b) if at]
        ctypes.c_uint8.from_address(result).value = holds(*numbers)
    return operator


@pytest.mark.parametrize("n", [0, 1, 2, 600, 5000])
def test_structs(n):
    with Context(threads=1) as context:
        calls = []
        big = context.operator("big", counting(calls, lambda x: x > 900), arity=1)
        alike = context.operator("alike", counting(calls, lambda x, y: abs(x) == abs(y)))
        triple = context.struct("find_triple", 12, 4, "struct find_triple { int first, second, third; };")
        x = np.random.default_rng(n).integers(-1000, 1000, (n, 3)).astype(np.int32)
        y = x * np.random.default_rng(n + 1).choice([-1, 1], (n, 1)).astype(np.int32)
        y[n * 2 // 3:] += 1
        one = x[:, 0]
        assert index(context, "find_if", op=big, in_type=triple, in_=x, count=n) == first_of(one > 900, n)
        assert index(context, "mismatch", op=alike, in_type=triple, in_=x, in2=y, count=n) == \
            first_of(abs(one) != abs(y[:, 0]), n)
        assert index(context, "adjacent_find", op=alike, in_type=triple, in_=x, count=n) == \
            first_of(abs(one[:-1]) == abs(one[1:]) if n else [], n)


# Elements that a thread tests at a time, and takes at a time (GP__HOST_ELEMENTS, GP__HOST_BLOCK).
CHUNK, BLOCK = 1024, 1 << 16


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["find_if", "any", "all", "mismatch", "equal_arrays", "adjacent_find", "is_sorted"])
def test_ends_early(name, threads):
    """The chunk with the hit is the last one that a thread tests; other threads end the block that they have begun."""
    n, at = LARGE // 4 + 5, 1000
    x = np.arange(n, dtype=np.int32)
    y = x.copy()
    calls = []
    holds = {"find_if": lambda a: a == at, "any": lambda a: a == at, "all": lambda a: a != at,
             "mismatch": lambda a, b: a != at, "equal_arrays": lambda a, b: a != at,
             "adjacent_find": lambda a, b: a == at, "is_sorted": lambda a, b: a == at}[name]
    with Context(threads=threads) as context:
        operator = context.operator(name, counting(calls, holds), arity=1 if name in ("find_if", "any", "all") else 2)
        answer, number = np.full(1, 77, np.uint8), np.full(1, 77, np.uint64)
        call = dict(op=operator, count=n)
        call.update(dict(key_type="i32", keys=x) if name == "is_sorted" else dict(in_type="i32", in_=x))
        if name in ("mismatch", "equal_arrays"):
            call["in2"] = y
        call.update(dict(out=answer) if name in ("any", "all", "equal_arrays") else dict(out_count=number))
        context.run(name, **call)
        if "out" in call:
            assert answer[0] == (name == "any")
        else:
            assert number[0] == at
        assert at < len(calls) <= (at // CHUNK + 1) * CHUNK + (threads - 1) * BLOCK


def test_the_first_of_many_threads(host):
    """Hits in most blocks: the first wins, whichever thread is done first."""
    with Context(threads=4) as context:
        for seed in range(20):
            x = np.zeros(LARGE, np.uint8)
            hits = np.random.default_rng(seed).integers(0, LARGE, 50)
            x[hits] = 1
            wanted = int(hits.min())
            one = np.ones(1, np.uint8)
            assert index(context, "find_if", op="EQUAL", in_type="u8", scalar=one, in_=x, count=LARGE) == wanted
            assert index(context, "mismatch", in_type="u8", in_=x, in2=np.zeros_like(x), count=LARGE) == wanted
