"""Top-k, nth element and shuffle on the host against NumPy: total order, ties, rows, values, and a random-looking
permutation."""
import ctypes
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DESCENDING, DTYPES, TYPES, UNSORTED, Error, Segments
from inputs import KINDS, TYPE_NAMES, check_canaries, guarded, shifted, values

settings.register_profile("top_k", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("top_k")

types = st.sampled_from(TYPE_NAMES)
sizes = st.sampled_from([1, 2, 3, 31, 33, 255, 1024, 4097])
data = st.tuples(sizes, st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))


def order_bits(x, type_, descending):
    """Unsigned integers in the order of the keys: IEEE 754 total order for floats."""
    unsigned = np.dtype(f"u{x.dtype.itemsize}").type
    sign = unsigned(1 << 8 * x.dtype.itemsize - 1)
    raw = x.view(unsigned)
    if oracle.is_float(type_):
        bits = np.where(raw & sign, ~raw, raw | sign)
    else:
        bits = raw if type_[0] == "u" else raw ^ sign
    return ~bits if descending else bits


def first(x, type_, k, descending):
    return np.argsort(order_bits(x, type_, descending), kind="stable")[:k]


def same_bits(a, b):
    assert a.tobytes() == b.tobytes()


@given(types, data, st.booleans(), st.integers(0, 4), st.sampled_from(["keys", "u32", "u64", "values", "both"]),
       st.integers(1, 3))
@settings(max_examples=1500)
@pytest.mark.turn
def test_top_k(host, type_, what, descending, which, outputs, rows):
    n, offset, kind, seed = what
    k = [1, n, n // 2, min(n, 3), 0][which]
    x = shifted(values(type_, n * rows, kind, seed), offset)
    keys_buffer, out_keys = guarded(k * rows, DTYPES[type_], offset)
    value_type = {"keys": 0, "values": "f64", "both": "f64"}.get(outputs, outputs)
    given_values = np.random.default_rng(seed).standard_normal(n * rows) if value_type == "f64" else None
    index_type = ["i32", "u32", "i64", "u64"][seed % 4]
    indices_buffer, indices = guarded(k * rows, DTYPES[index_type], 0)
    buffer, out = guarded(k * rows if value_type else 0, DTYPES[value_type] if value_type else np.uint8, 0)
    flags = DESCENDING if descending else 0
    if given_values is not None:
        both = dict(out2=indices, out2_type=index_type) if outputs == "both" else {}
        host.run("top_k", key_type=type_, in_type=value_type, keys=x, in_=given_values, rows=rows, count=n, k=k,
                 out_keys=out_keys, out=out, flags=flags, **both)
    else:
        host.call("gp_top_k_rows", type_, value_type, x, rows, n, k, out_keys, out if value_type else None, flags)
    for row in range(rows):
        of_row = x[row * n:(row + 1) * n]
        order = first(of_row, type_, k, descending)
        same_bits(out_keys[row * k:(row + 1) * k], of_row[order])
        if value_type:
            wanted = given_values[row * n:(row + 1) * n][order] if value_type == "f64" else order.astype(out.dtype)
            same_bits(out[row * k:(row + 1) * k], wanted)
        if outputs == "both":
            same_bits(indices[row * k:(row + 1) * k], order.astype(indices.dtype))
    check_canaries(indices_buffer, indices)
    check_canaries(keys_buffer, out_keys)
    check_canaries(buffer, out)


def test_threads_and_structs(host, threaded):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 50, (64, 8192)).astype(np.int16)
    things = rng.integers(0, 255, (64 * 8192, 12)).astype(np.uint8)
    for context in (host, threaded):
        struct = context.struct("odd12", 12, 4)
        out_keys, out = np.zeros((64, 20), np.int16), np.zeros((64 * 20, 12), np.uint8)
        context.run("top_k", key_type="i16", in_type=struct, keys=x, in_=things, rows=64, count=8192, k=20,
                    out_keys=out_keys, out=out, flags=DESCENDING)
        for row in range(64):
            order = first(x[row], "i16", 20, True)
            same_bits(out_keys[row], x[row][order])
            same_bits(out[row * 20:row * 20 + 20], things[row * 8192 + order])


def test_special_floats_and_ties(host):
    x = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)
    out_keys, out = np.zeros(8, np.float32), np.zeros(8, np.uint32)
    host.call("gp_top_k", "f32", "u32", x, None, 8, 8, out_keys, out, 0)
    assert out.tolist() == [3, 5, 1, 7, 0, 6, 4, 2]  # -NaN, -inf, -0, -0, 0, 0, inf, NaN
    host.call("gp_top_k", "f32", "u32", x, None, 8, 8, None, out, DESCENDING)
    assert out.tolist() == [2, 4, 0, 6, 1, 7, 5, 3]  # equal keys keep their order


def test_unsorted_and_a_count_of_the_device(host):
    x = np.random.default_rng(2).integers(0, 1000, 3000).astype(np.uint16)
    out_keys = np.zeros(700, np.uint16)
    host.run("top_k", key_type="u16", keys=x, out_keys=out_keys, k=700, count=3000, flags=UNSORTED)
    same_bits(np.sort(out_keys), np.sort(x)[:700])
    rows = np.random.default_rng(3).integers(0, 9, (4, 500)).astype(np.uint16)
    out_keys, out = np.full((4, 20), 77, np.uint16), np.full((4, 20), 77, np.uint32)
    host.run("top_k", key_type="u16", keys=rows, out_keys=out_keys, out=out, out_type="u32", k=20, count=500,
             rows=4, count_device=12)
    for row in range(4):  # rows start every 500; 12 keys of each count
        order = first(rows[row, :12], "u16", 20, False)
        assert out[row].tolist() == order.tolist() + [77] * 8
        assert out_keys[row].tolist() == rows[row, order].tolist() + [77] * 8


@given(types, data, st.booleans())
@settings(max_examples=600)
@pytest.mark.turn
def test_nth_element(host, type_, what, descending):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    at = seed % n
    buffer, out = guarded(1, DTYPES[type_], offset)
    before = x.copy()
    host.call("gp_nth_element", type_, x, n, at, out, DESCENDING if descending else 0)
    same_bits(out, x[first(x, type_, n, descending)[at:at + 1]])
    same_bits(x, before)
    check_canaries(buffer, out)


def test_median(host):
    x = np.random.default_rng(4).standard_normal(100001).astype(np.float32)
    out = np.zeros(1, np.float32)
    host.call("gp_nth_element", "f32", x, len(x), len(x) // 2, out, 0)
    assert out[0] == np.median(x)


# values, and indices of a type that is to be said
BOTH = dict(key_type="u32", k=2, count=4, in_=np.zeros(4, np.float32), in_type="f32", out=np.zeros(2, np.float32),
            out2=np.zeros(2, np.uint64))


@pytest.mark.parametrize("fields,name", [
    (dict(key_type="u32", k=5, count=4), "GP_E_ARGUMENT"),
    (dict(key_type="u32", k=2, count=4, out_keys=None), "GP_E_NULL"),
    (dict(key_type="u32", k=2, count=4, keys=None), "GP_E_NULL"),
    (dict(key_type="u32", k=2, count=4, out=np.zeros(4, np.uint16), out_type="u16"), "GP_E_TYPE"),
    (dict(key_type="u32", k=2, count=4, out=np.zeros(4, np.int32), out_type="i32"), "GP_E_TYPE"),
    (dict(key_type="u32", k=2, count=4, out=np.zeros(4, np.float32)), "GP_E_TYPE"),
    (dict(k=2, count=4), "GP_E_TYPE"),
    (dict(key_type="u32", k=1, count=2**40, rows=2**30), "GP_E_SIZE"),
    (dict(key_type="u32", k=1, count=2**33, out=np.zeros(4, np.uint32), out_type="u32"), "GP_E_SIZE"),
    (dict(key_type="u32", k=2000, count=4000, out_keys=None, out=np.zeros(2000, np.uint32), out_type="u32"),
     "GP_E_NULL"),
    (dict(key_type="u32", k=2, count=4, op="SUM"), "GP_E_OPERATOR"),
    (dict(key_type="u32", k=2, count=4, begin_bit=1), "GP_E_ARGUMENT"),
    (dict(key_type="u32", k=2, count=4, out2=np.zeros(4, np.uint32), out2_type="u32"), "GP_E_ARGUMENT"),
    (dict(key_type="u32", k=2, count=4, out2_type="u32"), "GP_E_ARGUMENT"),
    (dict(BOTH), "GP_E_TYPE"),
    (dict(BOTH, out2_type="u16"), "GP_E_TYPE"),
    (dict(BOTH, out2_type="u32", out2=None), "GP_E_NULL"),
    (dict(BOTH, out2_type="u64", out2=np.zeros(9, np.uint8)[1:]), "GP_E_ALIGNMENT"),
    (dict(BOTH, out2_type="u32", count=2**32), "GP_E_SIZE"),
    (dict(BOTH, out2_type="i32", count=2**31 + 1), "GP_E_SIZE"),
])
def test_errors(host, fields, name):
    call = dict(keys=np.zeros(4000, np.uint32), out_keys=np.zeros(4000, np.uint32))
    call.update(fields)
    with pytest.raises(Error) as error:
        host.run("top_k", **call)
    assert error.value.name == name, error.value.message


def test_errors_of_the_others(host):
    x, out = np.zeros(8, np.uint32), np.zeros(8, np.uint32)
    for fields, name in [(dict(n=8), "GP_E_ARGUMENT"), (dict(out_keys=None), "GP_E_NULL"),
                         (dict(out_keys=x), "GP_E_OVERLAP"), (dict(rows=2), "GP_E_ARGUMENT")]:
        call = dict(key_type="u32", keys=x, out_keys=out, count=8, n=3)
        call.update(fields)
        with pytest.raises(Error) as error:
            host.run("nth_element", **call)
        assert error.value.name == name, error.value.message
    for arguments, name in [(("u32", 1, x, 8, x), "GP_E_OVERLAP"), (("f32", 1, None, 8, out), "GP_E_TYPE"),
                            (("u32", 1, x, 8, None), "GP_E_NULL")]:
        with pytest.raises(Error) as error:
            host.call("gp_shuffle", *arguments)
        assert error.value.name == name, error.value.message
    host.call("gp_top_k", "u32", 0, None, None, 0, 0, None, None, 0)  # nothing to do
    host.call("gp_shuffle", "u32", 1, None, 0, None)


# ---- orders


PAIR = np.dtype([("name", np.int32), ("score", np.float32), ("age", np.int32)])


def by_age(result, a, b):
    x, y = (ctypes.c_int32.from_address(at + 8).value for at in (a, b))
    ctypes.c_uint8.from_address(result).value = x < y


@pytest.fixture(scope="module")
def people(host):
    """Struct keys and an order of theirs, in which most tie."""
    return host.struct("person", 12, 4), host.operator("by_age", by_age)


def first_of(age, k, descending):
    return np.argsort(-age if descending else age, kind="stable")[:k]


@given(st.sampled_from([1, 2, 40, 300, 2500]), st.integers(1, 3), st.booleans(), st.sampled_from(["u32", "u64", "f64"]),
       st.integers(0, 4), st.integers(0, 2**20))
@settings(max_examples=60)
@pytest.mark.turn
def test_rows_by_an_order(host, people, n, rows, descending, outputs, which, seed):
    k = [1, n, n // 2, min(n, 3), 0][which]
    rng = np.random.default_rng(seed)
    x = np.zeros(n * rows, PAIR)
    x["name"], x["age"] = np.arange(n * rows), rng.integers(-20, 20, n * rows)
    given_values = rng.standard_normal(n * rows)
    out_keys, out = np.zeros(k * rows, PAIR), np.zeros(k * rows, DTYPES[outputs])
    fields = dict(in_=given_values, in_type="f64") if outputs == "f64" else {}
    host.run("top_k", key_type=people[0], op=people[1], keys=x, rows=rows, count=n, k=k, out=out, out_type=outputs,
             out_keys=None if seed % 5 == 0 else out_keys, flags=DESCENDING if descending else 0, **fields)
    for row in range(rows):
        part, to = slice(row * n, row * n + n), slice(row * k, row * k + k)
        order = first_of(x[part]["age"], k, descending)
        if seed % 5:
            same_bits(out_keys[to], x[part][order])
        same_bits(out[to], given_values[part][order] if outputs == "f64" else order.astype(out.dtype))


@given(st.integers(1, 30), st.sampled_from([1, 7, 100, 1500]), st.booleans(), st.booleans(), st.integers(0, 2**20))
@settings(max_examples=60)
@pytest.mark.turn
def test_segments_by_an_order(host, people, segments, k, own, descending, seed):
    rng = np.random.default_rng(seed)
    lengths = rng.choice([0, 1, k, k + 1, 64], segments)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64) + 2
    n = int(offsets[-1]) + 1
    x = np.zeros(n, PAIR)
    x["name"], x["age"] = np.arange(n), rng.integers(-9, 9, n)
    ks = rng.integers(0, k + 3, segments).astype(np.uint32) if own else None
    out_keys, out = np.full(segments * k, 7, PAIR), np.full(segments * k, 7, np.int64)
    host.run("segmented_top_k", key_type=people[0], op=people[1], keys=x, count=n, segments=segments, k=k, in2=ks,
             begin=offsets, offset_type="u64", out_keys=out_keys, out=out, out_type="i64",
             flags=DESCENDING if descending else 0)
    for s in range(segments):
        part = x[int(offsets[s]):int(offsets[s + 1])]
        order = first_of(part["age"], min(k, ks[s]) if own else k, descending)
        assert out[s * k:s * k + k].tolist() == order.tolist() + [7] * (k - len(order))
        same_bits(out_keys[s * k:s * k + len(order)], part[order])


def test_numbers_by_less_and_greater(host):
    x = np.array([0.0, -0.0, 3, -0.0, 0.0, -2], np.float32)  # zeros tie here, by their bits they do not
    out = np.zeros(6, np.uint32)
    for op, flags, wanted in [("LESS", 0, [5, 0, 1, 3, 4, 2]), ("GREATER", 0, [2, 0, 1, 3, 4, 5]),
                              ("LESS", DESCENDING, [2, 0, 1, 3, 4, 5]), ("GREATER", DESCENDING, [5, 0, 1, 3, 4, 2])]:
        host.run("top_k", op=op, key_type="f32", keys=x, count=6, k=6, out=out, out_type="u32", flags=flags)
        assert out.tolist() == wanted
    wide = np.array([5, 0, 1, 0, 2, 2**63], np.uint64)  # three numbers of 16 bytes: 5, 1, 2 + 2^127
    host.run("top_k", op="GREATER", key_type="u128", keys=wide, count=3, k=2, out=out, out_type="u32")
    assert out[:2].tolist() == [2, 0]


@pytest.mark.parametrize("fields,message", [
    (dict(op=0), "key_type is struct type person, not a built-in type, and op gives no order"),
    (dict(op="LESS"), "op: LESS does not work on struct types: define an operator"),
    (dict(op="SUM"), "op is SUM, not LESS, GREATER or a user's binary operator"),
    (dict(key_type="c64", op="LESS"), "op: LESS does not work on c64"),
    (dict(key_type="u128", op=0), "others with op LESS"),
    (dict(rows=2, count_device=5), "count_device is set: rows that an operator orders"),
])
def test_errors_of_orders(host, people, fields, message):
    x, out = np.zeros(20, PAIR), np.zeros(20, np.uint32)
    call = dict(key_type=people[0], op=people[1], keys=x, count=8, k=2, out=out, out_type="u32")
    call.update(fields)
    with pytest.raises(Error) as error:
        host.run("top_k", **call)
    assert message in error.value.message


# ---- shuffle


@given(types, st.integers(0, 60), st.sampled_from(KINDS), st.booleans(), st.sampled_from(["offsets", "ends", "equal"]),
       st.sampled_from([0, 1, 2, 7, 100, 1024, 1500]), st.booleans(),
       st.sampled_from([None, "i32", "u32", "i64", "u64", "values", "both"]),
       st.sampled_from(["i32", "u32", "i64", "u64"]), st.integers(0, 2**20))
@settings(max_examples=500)
@pytest.mark.turn
def test_segments(host, threaded, type_, segments, kind, descending, form, k, own, outputs, offset_type, seed):
    rng = np.random.default_rng(seed)
    lengths = rng.choice([0, 1, k, k + 1, 64, 300], segments)
    if form == "equal":
        lengths[:] = lengths[:1]
    offsets = np.concatenate([[0], np.cumsum(lengths)]) + (0 if form == "equal" else seed % 5)
    n = int(offsets[-1]) + (0 if form == "equal" else 3)
    begin, end = offsets[:-1], offsets[1:]
    if form == "ends":
        order = rng.permutation(segments)
        begin, end = begin[order], end[order]
    x = shifted(values(type_, n, kind, seed), seed % 4)
    ks = rng.integers(0, k + 3, segments).astype(np.uint32) if own else None
    given_values = rng.standard_normal(n) if outputs in ("values", "both") else None
    value_type = {None: 0, "values": "f64", "both": "f64"}.get(outputs, outputs)
    indices = np.full(segments * k, 7, np.int32)
    keys_buffer, out_keys = guarded(segments * k, DTYPES[type_], seed % 4)
    out_type = DTYPES[value_type] if value_type else np.uint8
    buffer, out = guarded(segments * k if value_type else 0, out_type, 0)
    dtype = DTYPES[offset_type]
    context = threaded if seed % 2 else host
    if form == "equal":
        places = Segments(0, None, None, segments, int(lengths[0]) if segments else 5)
        fields = {"segment_length": places.length}
    else:
        starts = (begin if form == "ends" else offsets).astype(dtype)
        stops = end.astype(dtype) if form == "ends" else None
        places = Segments(TYPES[offset_type], starts, stops, segments)
        fields = {"offset_type": offset_type, "begin": starts, "end": stops}
    flags = DESCENDING if descending else 0
    if own or given_values is not None:
        if given_values is not None:
            fields.update(in_=given_values, in_type="f64")
        if outputs == "both":
            fields.update(out2=indices, out2_type="i32")
        context.run("segmented_top_k", key_type=type_, keys=x, count=n, segments=segments, k=k, in2=ks, flags=flags,
                    out_keys=out_keys, out=out if value_type else None, out_type=value_type, **fields)
    else:
        context.call("gp_segmented_top_k", type_, value_type, x, n, places, k, out_keys, out if value_type else None,
                     flags)
    wanted_keys, wanted = np.full_like(out_keys, 0), np.zeros(segments * k, out_type)
    wanted_keys.view(np.uint8)[:] = 0xA5
    wanted.view(np.uint8)[:] = 0xA5  # what is not written keeps what it holds
    for s in range(segments):
        part = slice(begin[s], end[s])
        order = first(x[part], type_, min(k, ks[s]) if own else k, descending)
        wanted_keys[s * k:s * k + len(order)] = x[part][order]
        moved = order.astype(out_type) if given_values is None else given_values[part][order]
        wanted[s * k:s * k + len(order)] = moved
        if outputs == "both":
            assert indices[s * k:s * k + k].tolist() == order.tolist() + [7] * (k - len(order))
    same_bits(out_keys, wanted_keys)
    if value_type:
        same_bits(out, wanted)
    check_canaries(keys_buffer, out_keys)
    check_canaries(buffer, out)


def test_segments_that_are_wrong(host):
    x, out = np.arange(10, dtype=np.float32), np.full(8, 77, np.float32)
    bad = np.zeros(1, np.uint64)
    offsets = np.array([0, 5, 3, 9, 12], np.uint32)
    fields = dict(key_type="f32", keys=x, count=10, offset_type="u32", begin=offsets, segments=4, k=2, out_keys=out)
    host.run("segmented_top_k", flags=8 + 2, bad=bad, **fields)
    assert bad[0] == 2 and (out == 77).all()
    host.run("segmented_top_k", flags=DESCENDING, **fields)  # clamped, so that no memory is touched outside
    assert out.tolist() == [4, 3, 77, 77, 8, 7, 9, 77]
    for idle in ({"segments": 0}, {"k": 0}, {"count": 0, "begin": np.zeros(5, np.uint32)}):  # the check runs alone
        bad[0], out[:] = 0, 77
        host.run("segmented_top_k", flags=2, bad=bad, **{**fields, **idle})
        assert bad[0] == (2 if "k" in idle else 2**64 - 1) and (out == 77).all()
    with pytest.raises(Error, match="k is 4294967296, above 4294967295"):
        host.run("segmented_top_k", **{**fields, "k": 2**32})


def permutation(host, seed, n, type_="u32"):
    out = np.zeros(n, DTYPES[type_])
    host.call("gp_shuffle", type_, seed, None, n, out)
    return out


@pytest.mark.parametrize("n", [1, 2, 3, 7, 255, 256, 257, 1000, 65537, 300001])
def test_shuffle_permutes(host, threaded, n):
    for seed in (0, 1, 2**63):
        p = permutation(host, seed, n)
        assert np.array_equal(np.sort(p), np.arange(n))
        same_bits(p, permutation(threaded, seed, n))
        assert np.array_equal(p, permutation(host, seed, n, "u64"))
    for dtype in (np.uint8, np.uint16, np.float32, np.float64):
        x = np.random.default_rng(n).integers(0, 200, n).astype(dtype)
        out = np.zeros(n, dtype)
        type_ = {1: "u8", 2: "u16", 4: "f32", 8: "f64"}[dtype().itemsize]
        host.call("gp_shuffle", type_, 5, x, n, out)
        same_bits(out, x[permutation(host, 5, n)])


@pytest.mark.parametrize("size", [3, 12, 20, 64])
def test_shuffle_of_structs(host, size):
    struct = host.struct(f"bytes{size}", size, 1)
    x = np.random.default_rng(size).integers(0, 255, (777, size)).astype(np.uint8)
    out = np.zeros_like(x)
    host.call("gp_shuffle", struct, 9, x, 777, out)
    same_bits(out, x[permutation(host, 9, 777)])


def chi_square(counts):
    """The distance from uniform, in standard deviations of the statistic."""
    expected = counts.sum() / counts.size
    freedom = counts.size - 1
    return (((counts - expected)**2 / expected).sum() - freedom) / math.sqrt(2 * freedom)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.turn
def test_all_permutations_are_as_likely(host, n):
    seeds = 60 * math.factorial(n) + 1000
    codes = np.array([permutation(host, seed, n) @ n**np.arange(n) for seed in range(seeds)])
    counts = np.unique(codes, return_counts=True)[1]
    assert len(counts) == math.factorial(n)
    assert abs(chi_square(counts)) < 4


@pytest.mark.parametrize("n", [16, 256, 300, 1024])
def test_places_and_neighbours_are_as_likely(host, n):
    """Over many seeds: where an element moves, and the distance of former neighbours."""
    p = np.array([permutation(host, seed * 7919 + 13, n) for seed in range(4000)], np.int64)
    cells = min(n, 64)
    for at in (0, 1, n // 2, n - 1):
        assert abs(chi_square(np.bincount(p[:, at] * cells // n, minlength=cells).astype(float)
                              if n % cells == 0 else np.bincount(p[:, at] % 4, minlength=4).astype(float))) < 4.5
    apart = (p[:, 1] - p[:, 0]) % n
    assert abs(chi_square(np.bincount(apart, minlength=n)[1:].astype(float))) < 4.5
    together = (p[:, n // 2] - p[:, n // 3]) % n
    assert abs(chi_square(np.bincount(together, minlength=n)[1:].astype(float))) < 4.5
