"""Group by with several aggregates, distinct elements and joins on the host against NumPy and dictionaries."""
import ctypes
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DTYPES, SIZES, TYPES, Aggregate, Context, Error, pointer
from inputs import KINDS, TYPE_NAMES, check_canaries, expect, guarded, shifted, values
from test_host_groups import keys_of, ordered

SUM, MIN, MAX, COUNT, MEAN, ARGMIN, ARGMAX = range(1, 8)
INNER, LEFT, SEMI, ANTI = range(4)
INTEGERS, FLOATS = [t for t in TYPE_NAMES if not oracle.is_float(t)], [t for t in TYPE_NAMES if oracle.is_float(t)]
types = st.sampled_from(TYPE_NAMES)
sizes = st.sampled_from([0, 1, 2, 3, 31, 33, 255, 1023, 1025, 2049])


def as_f64(x, type_):
    return oracle.convert(x, type_, "f64")


def wide_sum(x):
    """The sum of doubles as the contract has it: bits below 2^-93 of the largest magnitude are cut off."""
    if np.isnan(x).any() or (np.isposinf(x).any() and np.isneginf(x).any()):
        return float("nan")
    if np.isinf(x).any():
        return x[np.isinf(x)][0]
    exponents = x.view(np.uint64) >> np.uint64(52) & np.uint64(2047)
    unit = Fraction(2) ** (int(max(exponents.max(), 1)) - 1116)
    total = sum(int(Fraction(float(y)) / unit) for y in x) * unit  # int() cuts towards zero
    try:
        return float(total)
    except OverflowError:
        return float("inf") if total > 0 else float("-inf")


def aggregated(op, x, type_, out_type):
    """One group's result."""
    if op == COUNT:
        return len(x)
    floats = oracle.is_float(type_)
    wide = as_f64(x, type_) if floats else None
    if op in (ARGMIN, ARGMAX):
        if floats and np.isnan(wide).any():
            return int(np.flatnonzero(np.isnan(wide))[0])
        return int((np.argmin if op == ARGMIN else np.argmax)(wide if floats else x))
    if op in (MIN, MAX):
        if not floats:
            return x.min() if op == MIN else x.max()
        if np.isnan(wide).any():
            return oracle.convert(np.array([np.nan]), "f64", type_)[0]
        best = wide.min() if op == MIN else wide.max()
        zeros = np.signbit(wide[wide == 0])
        if best == 0:
            best = -0.0 if (zeros.any() if op == MIN else zeros.all()) else 0.0
        return oracle.convert(np.array([best]), "f64", type_)[0]
    total = wide_sum(wide) if floats else sum(int(y) for y in x)
    if op == SUM and not floats:
        return np.array([total & (1 << 8 * SIZES[out_type]) - 1], np.uint64).astype(f"u{SIZES[out_type]}").view(
            DTYPES[out_type])[0]
    return oracle.convert(np.array([float(total) / len(x) if op == MEAN else total]), "f64", out_type)[0]


def out_types(op, type_):
    return {SUM: INTEGERS if type_ in INTEGERS else FLOATS, MIN: [type_], MAX: [type_], MEAN: FLOATS}.get(
        op, ["i32", "u32", "i64", "u64"])


def run_groups(context, key_type, keys, columns, room, wants_keys=True, count_device=None):
    """columns: (op, type, values, out_type). Returns keys, results and the number of groups."""
    capacity = room if room is not None else len(keys)
    buffers = [guarded(capacity, DTYPES[out], i % 3) for i, (_, _, _, out) in enumerate(columns)]
    array = (Aggregate * len(columns))()
    for i, (op, type_, x, out) in enumerate(columns):
        array[i].op, array[i].out, array[i].out_type = op, pointer(buffers[i][1]), TYPES[out]
        if op != COUNT:
            array[i].type, array[i].column = TYPES[type_], pointer(x)
    key_buffer, out_keys = guarded(capacity, keys.dtype, 1)
    number = np.full(1, 77, np.uint64)
    context.run("group_by_many", key_type=key_type, keys=keys, count=len(keys), aggregates=ctypes.addressof(array),
                aggregate_count=len(columns), out_keys=out_keys if wants_keys else None, capacity=room or 0,
                out_count=number, count_device=count_device)
    kept = min(int(number[0]), capacity)
    for buffer, out in buffers:
        check_canaries(buffer, out)
        assert (out[kept:].view(np.uint8) == 0xA5).all()
    check_canaries(key_buffer, out_keys)
    return out_keys[:kept], [out[:kept] for _, out in buffers], int(number[0])


@given(types, st.lists(st.tuples(st.integers(SUM, ARGMAX), types, st.integers(0, 9)), min_size=1, max_size=8), sizes,
       st.sampled_from([1, 2, 7, 300]), st.sampled_from(KINDS), st.booleans(), st.integers(0, 2**20))
@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_group_by_many(threaded, key_type, wanted, n, groups, kind, some_room, seed):
    keys = shifted(keys_of(key_type, n, groups, "special" if seed % 2 else "uniform", seed), seed % 3)
    columns = []
    for i, (op, type_, which) in enumerate(wanted):
        outs = out_types(op, type_)
        columns.append((op, type_, shifted(values(type_, n, kind, seed + i), i % 3), outs[which % len(outs)]))
    room = 1 + seed % (n + 1) if some_room else None
    got_keys, results, found = run_groups(threaded, key_type, keys, columns, room, seed % 4 != 0)
    bits = ordered(keys, key_type)
    distinct = np.unique(bits)
    assert found == len(distinct)
    rows = [np.flatnonzero(bits == key) for key in distinct[:len(results[0])]]
    if seed % 4:
        assert got_keys.tobytes() == keys[[r[0] for r in rows]].tobytes()
    for (op, type_, x, out), got in zip(columns, results):
        one = [aggregated(op, x[r], type_, out) if op not in (ARGMIN, ARGMAX) else r[aggregated(op, x[r], type_, out)]
               for r in rows]
        expect(got, np.array(one, DTYPES[out]), out)


@given(st.integers(1, 40), sizes, st.sampled_from([1, 5, 10**6]), st.integers(0, 2**20))
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_struct_keys_come_in_the_order_of_first_occurrence(size, n, different, seed):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 256, (different if different < 10 else n + 1, size), np.uint8)[
        rng.integers(0, different if different < 10 else n + 1, n)]
    x = values("i32", n, "uniform", seed)
    first = {}
    for i, key in enumerate(keys):
        first.setdefault(key.tobytes(), []).append(i)
    with Context(threads=1 + seed % 3) as context:
        type_ = context.struct("raw", size, 1)
        out, number, sums = np.zeros((n, size), np.uint8), np.zeros(1, np.uint64), np.zeros(n, np.int64)
        array = (Aggregate * 1)()
        array[0].op, array[0].type, array[0].out_type = SUM, TYPES["i32"], TYPES["i64"]
        array[0].column, array[0].out = pointer(x), pointer(sums)
        context.call("gp_group_by_many", type_, keys, n, array, 1, out, 0, number)
        assert number[0] == len(first) and out[:len(first)].tobytes() == b"".join(first)
        assert sums[:len(first)].tolist() == [int(x[rows].sum(dtype=np.int64)) for rows in first.values()]
        again, counted = np.zeros((n, size), np.uint8), np.zeros(1, np.uint64)
        context.call("gp_distinct", type_, keys, n, again, 0, number)
        context.call("gp_count_distinct", type_, keys, n, counted)
        assert number[0] == counted[0] == len(first) and again[:len(first)].tobytes() == b"".join(first)


@given(types, sizes, st.sampled_from([1, 3, 300]), st.booleans(), st.integers(0, 2**20))
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_distinct(host, type_, n, groups, some_room, seed):
    x = keys_of(type_, n, groups, "special" if seed % 2 else "uniform", seed)
    room = 1 + seed % (n + 1) if some_room else 0
    buffer, out = guarded(room or n, x.dtype, seed % 3)
    number, counted = np.full(1, 77, np.uint64), np.full(1, 77, np.uint64)
    host.call("gp_distinct", type_, x, n, out, room, number)
    host.call("gp_count_distinct", type_, x, n, counted)
    seen = list(dict.fromkeys(ordered(x, type_).tolist()))
    kept = min(len(seen), room or n)
    assert number[0] == counted[0] == len(seen) and ordered(out[:kept], type_).tolist() == seen[:kept]
    assert (out[kept:].view(np.uint8) == 0xA5).all()
    check_canaries(buffer, out)


@given(types, sizes, sizes, st.sampled_from([2, 40, 3000]), st.sampled_from([INNER, LEFT, SEMI, ANTI]),
       st.sampled_from(["u32", "i64"]), st.sampled_from([0, 0.5, 1, 2]), st.integers(0, 2**20))
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_join(host, type_, builds, probes, groups, kind, index, room, seed):
    if groups < 40 and builds * probes > 100000:
        builds //= 10
    both = keys_of(type_, builds + probes, groups, "special" if seed % 2 else "uniform", seed)
    build, probe = shifted(both[:builds], seed % 2), both[builds:].copy()
    rows = {}
    for i, key in enumerate(ordered(build, type_).tolist()):
        rows.setdefault(key, []).append(i)
    pairs, flags = [], []
    for i, key in enumerate(ordered(probe, type_).tolist()):
        mine = rows.get(key, [])
        flags.append(bool(mine))
        if kind in (INNER, LEFT):
            pairs += [(i, j) for j in mine] or ([(i, -1)] if kind == LEFT else [])
        elif bool(mine) == (kind == SEMI):
            pairs.append((i, -1))
    capacity = int(room * len(pairs))
    left_buffer, left = guarded(capacity, DTYPES[index], 1)
    right_buffer, right = guarded(capacity, DTYPES[index], 0)
    number, counted = np.full(1, 77, np.uint64), np.full(1, 77, np.uint64)
    has_right = kind in (INNER, LEFT)
    name = f"gp_{('inner', 'left', 'semi', 'anti')[kind]}_join"
    if index == "u32":
        outs = [left, right] if has_right else [left]
        host.call(name, type_, build, builds, probe, probes, *outs, capacity, number)
    else:
        host.run("join", join=kind, key_type=type_, keys=probe, count=probes, keys2=build, count2=builds,
                 out_type=index, out=left, out2=right if has_right else None, capacity=capacity, out_count=number)
    host.call(name, type_, build, builds, probe, probes, *([None] * (1 + has_right)), 0, counted)
    assert number[0] == counted[0] == len(pairs)
    kept = min(capacity, len(pairs))
    assert left[:kept].tolist() == [i for i, _ in pairs[:kept]] and (left[kept:].view(np.uint8) == 0xA5).all()
    if has_right:
        wanted = np.array([j for _, j in pairs[:kept]], np.int64).astype(DTYPES[index])
        assert right[:kept].tobytes() == wanted.tobytes() and (right[kept:].view(np.uint8) == 0xA5).all()
    check_canaries(left_buffer, left)
    check_canaries(right_buffer, right)
    buffer, out = guarded(probes, np.uint8, 1)
    host.call("gp_contains", type_, build, builds, probe, probes, out)
    assert out.tolist() == [int(f) for f in flags]
    check_canaries(buffer, out)


def test_count_on_device(host):
    keys, x = np.array([5, 3, 5, 9, 3], np.int32), np.array([1, 2, 4, 8, 16], np.int32)
    got, results, found = run_groups(host, "i32", keys, [(SUM, "i32", x, "i32"), (ARGMAX, "i32", x, "u32")], None,
                                     count_device=3)
    assert found == 2 and got.tolist() == [3, 5] and [r.tolist() for r in results] == [[2, 5], [1, 2]]
    out, number = np.zeros(9, np.uint32), np.zeros(1, np.uint64)
    host.run("join", key_type="i32", keys=keys, keys2=keys, count=5, count2=5, out_type="u32", out=out, capacity=9,
             out_count=number, count_device=2)
    assert number[0] == 4 and out[:4].tolist() == [0, 0, 1, 1]
    host.run("distinct", key_type="i32", keys=keys, count=5, out_keys=out, out_count=number, count_device=4)
    assert number[0] == 3 and out[:3].tolist() == [5, 3, 9]


def test_sums_of_floats_take_any_order(host):
    rng = np.random.default_rng(3)
    x = np.ldexp(rng.standard_normal(5000), rng.integers(-30, 30, 5000))
    keys = rng.integers(0, 9, 5000).astype(np.uint8)
    order = rng.permutation(5000)
    columns = [(SUM, "f64", x, "f64"), (MEAN, "f64", x, "f64")]
    shuffled = [(op, t, y[order].copy(), o) for op, t, y, o in columns]
    _, one, _ = run_groups(host, "u8", keys, columns, None)
    _, two, _ = run_groups(host, "u8", keys[order].copy(), shuffled, None)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, two))


def test_says_what_is_wrong(host):
    with pytest.raises(Error, match="out_type \\(of indices\\) is 5, neither u32 nor i64"):
        host.run("join", key_type="u32", out_type="i32", out_count=np.zeros(1, np.uint64))
    with pytest.raises(Error, match="gp_distinct: count is 2147483647, not below 2\\^31 - 1"):
        host.call("gp_distinct", "u8", np.zeros(1, np.uint8), 2**31 - 1, None, 0, np.zeros(1, np.uint64))
