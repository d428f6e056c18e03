"""Merge, merge sort, sets and is_sorted on the host against NumPy."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DESCENDING, Error
from inputs import KINDS, TYPE_NAMES, check_canaries, guarded, shifted, values

settings.register_profile("merge", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("merge")

types = st.sampled_from(TYPE_NAMES)
sizes = st.sampled_from([0, 1, 2, 3, 15, 16, 17, 33, 255, 1025, 4097])
data = st.tuples(sizes, sizes, st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))
orders = st.sampled_from(["LESS", "GREATER"])
SETS = ["set_union", "set_intersection", "set_difference", "set_symmetric_difference"]
SECOND = ("merge", "set_union", "set_symmetric_difference")  # outputs take values of the second input


def keys_of(type_, n, kind, seed):
    """No NaN: it is unordered."""
    x = values(type_, n, kind, seed)
    wide = oracle.widest(x, type_)
    return np.where(wide != wide, np.zeros(1, x.dtype), x)


def ranks_of(x, type_, op):
    """Integers in the keys' order; tying keys have equal ones."""
    ranks = np.unique(oracle.widest(x, type_), return_inverse=True)[1].reshape(-1)
    return ranks if op == "LESS" else -ranks


def two_sorted(type_, op, what):
    """Two sorted inputs, their ranks, and values: the element's index over both inputs."""
    n, m, offset, kind, seed = what
    x = keys_of(type_, n + m, kind, seed)
    ranks = ranks_of(x, type_, op)
    first, second = np.argsort(ranks[:n], kind="stable"), n + np.argsort(ranks[n:], kind="stable")
    keys = [shifted(x[part], offset) for part in (first, second)]
    numbers = [shifted(np.arange(n, dtype=np.uint32), offset), shifted(np.arange(n, n + m, dtype=np.uint32), offset)]
    return keys, [ranks[first], ranks[second]], numbers


def chosen(primitive, a, b):
    """The elements of both inputs in the output, in order, by ranks."""
    both = np.concatenate([a, b])
    places = np.argsort(both, kind="stable")
    if primitive == "merge":
        return places
    among = np.concatenate([np.arange(len(x)) - np.searchsorted(x, x, "left") for x in (a, b)])
    others = np.concatenate(
        [np.searchsorted(y, x, "right") - np.searchsorted(y, x, "left") for x, y in ((a, b), (b, a))])
    pair, first = among < others, np.arange(len(both)) < len(a)
    keep = {"set_union": first | ~pair, "set_intersection": first & pair, "set_difference": first & ~pair,
            "set_symmetric_difference": ~pair}[primitive]
    return places[keep[places]]


def most(primitive, n, m):
    return {"set_intersection": min(n, m), "set_difference": n}.get(primitive, n + m)


@given(st.sampled_from(["merge"] + SETS), types, orders, data)
@settings(max_examples=1500)
@pytest.mark.turn
def test_two_sorted(host, primitive, type_, op, what):
    n, m, offset, _, _ = what
    keys, ranks, numbers = two_sorted(type_, op, what)
    places = chosen(primitive, *ranks)
    wanted = np.concatenate(keys)[places]
    call = dict(op=op, key_type=type_, keys=keys[0], keys2=keys[1], count=n, count2=m)
    count = np.full(1, 77, np.uint64)
    if primitive != "merge":
        call["out_count"] = count
    room = most(primitive, n, m)
    for with_values in (False, True):
        buffer, out = guarded(room, keys[0].dtype, offset)
        value_buffer, out_values = guarded(room, np.uint32, (offset + 1) % 3)
        if with_values:
            call.update(in_type="u32", in_=numbers[0], out=out_values)
            if primitive in SECOND:
                call["in2"] = numbers[1]
        count[0] = 77
        host.run(primitive, out_keys=out, **call)
        check_canaries(buffer, out)
        check_canaries(value_buffer, out_values)
        assert out[:len(wanted)].tobytes() == wanted.tobytes()
        assert (out[len(wanted):].view(np.uint8) == 0xA5).all(), "wrote after the results"
        if with_values:
            assert out_values[:len(wanted)].tolist() == places.tolist()
        if primitive != "merge":
            assert count[0] == len(wanted)


@given(types, orders, data, st.booleans())
@settings(max_examples=600)
@pytest.mark.turn
def test_merge_sort(host, type_, op, what, in_place):
    n, _, offset, kind, seed = what
    x = shifted(keys_of(type_, n, kind, seed), offset)
    places = np.argsort(ranks_of(x, type_, op), kind="stable")
    buffer, out = guarded(n, x.dtype, offset)
    numbers = np.arange(n, dtype=np.uint64) * 3
    value_buffer, out_values = guarded(n, np.uint64, offset)
    call = dict(op=op, key_type=type_, count=n)
    if in_place:
        out, out_values, wanted = x.copy(), numbers.copy(), x[places].tobytes()
        host.run("merge_sort", keys=out, out_keys=out, in_type="u64", in_=out_values, out=out_values, **call)
    else:
        wanted = x[places].tobytes()
        host.run("merge_sort", keys=x, out_keys=out, in_type="u64", in_=numbers, out=out_values, **call)
        check_canaries(buffer, out)
        check_canaries(value_buffer, out_values)
    assert out.tobytes() == wanted
    assert (out_values == numbers[places]).all()
    indices = np.zeros(n, np.uint32)
    host.run("merge_sort", keys=x, out_keys=out, out_type="u32", out=indices, **call)
    assert (indices == places).all()


@pytest.mark.parametrize("n", [65535, 65536, 65537, 300000])
def test_many_threads(host, threaded, n):
    x = np.random.default_rng(n).integers(0, 1000, n).astype(np.uint32)
    for context in (host, threaded):
        out, indices = np.zeros_like(x), np.zeros(n, np.uint64)
        context.call("gp_merge_sort_pairs", "LESS", "u32", "u64", x, None, n, out, indices)
        assert (indices == np.argsort(x, kind="stable")).all() and (out == np.sort(x)).all()
        half = n // 3
        a, b, merged = np.sort(x[:half]), np.sort(x[half:]), np.zeros_like(x)
        context.call("gp_merge", 0, "u32", a, half, b, n - half, merged)
        assert (merged == out).all()


@given(types, orders, data)
@settings(max_examples=400)
@pytest.mark.turn
def test_is_sorted(host, type_, op, what):
    n, _, offset, kind, seed = what
    x = shifted(keys_of(type_, n, kind, seed), offset)
    if seed % 3:
        x[:] = x[np.argsort(ranks_of(x, type_, op), kind="stable")]
        if seed % 3 == 1 and n:
            x[seed % n] = keys_of(type_, 1, kind, seed + 1)[0]
    ranks = ranks_of(x, type_, op)
    faults = np.flatnonzero(ranks[1:] < ranks[:-1]) + 1
    bad = np.full(1, 77, np.uint64)
    host.call("gp_is_sorted", op, type_, x, n, bad)
    assert bad[0] == (faults[0] if len(faults) else 2**64 - 1)


def test_order_of_a_user(host):
    """Structs, by a user's order: ties keep the order of the inputs."""
    def before(result, a, b):
        x, y = (ctypes.c_int32.from_address(at).value for at in (a, b))
        ctypes.c_uint8.from_address(result).value = abs(x) < abs(y)

    pair = host.struct("merge_pair", 8, 4)
    order = host.operator("by_absolute_value", before)
    rng = np.random.default_rng(5)
    x = rng.integers(-9, 9, (300, 2)).astype(np.int32)
    places = np.argsort(np.abs(x[:, 0]), kind="stable")
    out, indices = np.zeros_like(x), np.zeros(300, np.uint32)
    host.run("merge_sort", op=order, key_type=pair, keys=x, out_keys=out, out_type="u32", out=indices, count=300)
    assert (out == x[places]).all() and (indices == places).all()
    down = np.argsort(-np.abs(x[:, 0]), kind="stable")  # the reverse order; ties keep theirs
    reverse, numbers = np.zeros_like(x), np.zeros(300, np.uint32)
    host.run("merge_sort", op=order, key_type=pair, keys=x, out_keys=reverse, out_type="u32", out=numbers, count=300,
             flags=DESCENDING)
    assert (reverse == x[down]).all() and (numbers == down).all()
    for op, flags, sign in [("LESS", DESCENDING, -1), ("GREATER", DESCENDING, 1), ("GREATER", 0, -1)]:
        host.run("merge_sort", op=op, key_type="i32", keys=x, out_keys=reverse, out_type="u32", out=numbers,
                 count=300, flags=flags)
        assert (numbers == np.argsort(sign * x.ravel()[:300], kind="stable")).all()
    first = np.ascontiguousarray(out[::2])
    second = np.ascontiguousarray(out[1::2])
    both = np.concatenate([first, second])
    merged, numbers = np.zeros_like(both), np.zeros(300, np.uint32)
    host.run("merge", op=order, key_type=pair, keys=first, keys2=second, out_keys=merged, in_type="u32",
             in_=np.arange(150, dtype=np.uint32), in2=np.arange(150, 300, dtype=np.uint32), out=numbers, count=150,
             count2=150)
    assert (numbers == np.argsort(np.abs(both[:, 0]), kind="stable")).all() and (merged == both[numbers]).all()
    bad = np.zeros(1, np.uint64)
    host.run("is_sorted", op=order, key_type=pair, keys=merged, out_count=bad, count=300)
    assert bad[0] == 2**64 - 1


def test_calls_by_name(host):
    a, b = np.array([1, 2, 2, 2, 5], np.int32), np.array([2, 2, 3, 5, 5], np.int32)
    u, v = np.arange(5, dtype=np.uint8), np.arange(10, 15, dtype=np.uint8)
    wanted = {"union": ([1, 2, 2, 2, 3, 5, 5], [0, 1, 2, 3, 12, 4, 14]), "intersection": ([2, 2, 5], [1, 2, 4]),
              "difference": ([1, 2], [0, 3]), "symmetric_difference": ([1, 2, 3, 5], [0, 3, 12, 14])}
    for name, (keys, numbers) in wanted.items():
        out, out_values, count = np.zeros(10, np.int32), np.zeros(10, np.uint8), np.zeros(1, np.uint64)
        host.call(f"gp_set_{name}", "LESS", "i32", a, 5, b, 5, out, count)
        assert out[:int(count[0])].tolist() == keys
        second = {"in2": v} if f"set_{name}" in SECOND else {}
        host.run(f"set_{name}", key_type="i32", in_type="u8", keys=a, in_=u, count=5, keys2=b, count2=5, out_keys=out,
                 out=out_values, out_count=count, **second)
        assert out[:int(count[0])].tolist() == keys and out_values[:int(count[0])].tolist() == numbers
    out, out_values = np.zeros(10, np.int32), np.zeros(10, np.uint8)
    host.call("gp_merge", 0, "i32", a, 5, b, 5, out)
    assert out.tolist() == [1, 2, 2, 2, 2, 2, 3, 5, 5, 5]
    host.run("merge", key_type="i32", in_type="u8", keys=a, in_=u, count=5, keys2=b, in2=v, count2=5, out_keys=out,
             out=out_values)
    assert out.tolist() == [1, 2, 2, 2, 2, 2, 3, 5, 5, 5]
    assert out_values.tolist() == [0, 1, 2, 3, 10, 11, 12, 4, 13, 14]
    host.call("gp_merge_sort_keys", "GREATER", "i32", a[::-1].copy(), 5, out)
    assert out[:5].tolist() == [5, 2, 2, 2, 1]


def test_device_count(host):
    a, b, out = np.array([1, 3, 0], np.uint32), np.array([2], np.uint32), np.zeros(3, np.uint32)
    host.run("merge", key_type="u32", keys=a, keys2=b, out_keys=out, count=3, count2=1, count_device=2)
    assert out.tolist() == [1, 2, 3]


GOOD = dict(key_type="u32", count=4, count2=4)


@pytest.mark.parametrize("primitive, fields, error, word", [
    ("merge", dict(op="SUM"), "GP_E_OPERATOR", "not LESS, GREATER or a user's binary operator"),
    ("merge", dict(op="LESS_EQUAL"), "GP_E_OPERATOR", "not LESS, GREATER or a user's binary operator"),
    ("merge", dict(keys2=None), "GP_E_NULL", "keys2"),
    ("merge", dict(out_keys=None), "GP_E_NULL", "out_keys"),
    ("merge", dict(out_count="count"), "GP_E_ARGUMENT", "out_count"),
    ("merge", dict(in_type="u32", in_="u", out="v"), "GP_E_NULL", "in2"),
    ("merge", dict(in_type="u32", out_type="u64", in_="u", in2="u", out="v"), "GP_E_TYPE", "does not convert values"),
    ("merge", dict(out_keys="keys"), "GP_E_OVERLAP", "out_keys"),
    ("merge", dict(count2=2**64 - 2), "GP_E_SIZE", "overflow"),
    ("set_union", {}, "GP_E_NULL", "out_count"),
    ("set_intersection", dict(out_count="count", in_type="u32", in_="u"), "GP_E_NULL", "out"),
    ("merge_sort", dict(keys2=None, count2=1), "GP_E_ARGUMENT", "count2"),
    ("merge_sort", dict(keys2=None, count2=0, out_type="f32", out="v"), "GP_E_TYPE", "indices"),
    ("merge_sort", dict(keys2=None, count2=0, out_type="i32", out="v"), "GP_E_TYPE", "indices"),
    ("merge_sort", dict(keys2=None, count2=0, in_type="u32", out="v"), "GP_E_NULL", "in"),
    ("is_sorted", dict(keys2=None, count2=0, out_keys=None), "GP_E_NULL", "out_count"),
])
def test_errors(host, primitive, fields, error, word):
    room = {name: np.zeros(8, np.uint64) for name in ("u", "v", "count")}
    room["keys"] = np.zeros(8, np.uint32)
    call = dict(GOOD, keys=room["keys"], keys2=np.zeros(8, np.uint32), out_keys=np.zeros(8, np.uint32))
    for field, value in fields.items():
        call[field] = room[value] if value in room and not field.endswith("_type") else value
    with pytest.raises(Error) as caught:
        host.run(primitive, **{field: value for field, value in call.items() if value is not None})
    assert caught.value.name == error and word in caught.value.message
