"""Radix sort on the host against NumPy: keys of every type, pairs, indices, bit ranges, struct keys, bad arguments."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DESCENDING, DTYPES, SIZES, TYPES, Error
from inputs import KINDS, TYPE_NAMES, check_canaries, guarded, shifted, values

settings.register_profile("sort", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("sort")

sizes = st.sampled_from([0, 1, 2, 3, 31, 33, 255, 1023, 1024, 1025, 4097])
types = st.sampled_from(TYPE_NAMES)
directions = st.sampled_from([0, DESCENDING])


class Field(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_size_t), ("type", ctypes.c_int), ("descending", ctypes.c_int)]


KEPT = {}  # objects that live as long as the tests: struct types by context and name, lists of fields


def fields(some):
    """gp_call's list of (offset, type, descending)."""
    made = (Field * len(some))(*[Field(offset, TYPES[type_], down) for offset, type_, down in some])
    array = KEPT.setdefault(tuple(some), made)
    return {"fields": ctypes.addressof(array), "field_count": len(some)}


def struct(host, name, size, align):
    if (id(host), name) not in KEPT:
        KEPT[id(host), name] = host.struct(name, size, align)
    return KEPT[id(host), name]


def bits_of(type_, array):
    """The ordered form: unsigned integers in the order of the keys."""
    raw = array.view(f"u{SIZES[type_]}").astype(np.uint64)
    sign = np.uint64(1 << (8 * SIZES[type_] - 1))
    everything = np.uint64(2**(8 * SIZES[type_]) - 1)
    if oracle.is_float(type_):
        return np.where(raw & sign, ~raw & everything, raw | sign)
    return raw ^ sign if type_[0] == "i" else raw


def order_of(bits, begin, end, flags):
    """The origin of each element of the result; the lowest of equal ones first, in both directions."""
    if begin >= end:
        return np.arange(len(bits))
    digits = bits >> np.uint64(begin) & np.uint64(2**(end - begin) - 1)
    return np.argsort(~digits if flags & DESCENDING else digits, kind="stable")


def same_bytes(got, wanted):
    return got.tobytes() == np.ascontiguousarray(wanted).tobytes()


def special(type_, n, kind, seed):
    """Keys; floats include NaNs of both signs with payloads."""
    keys = values(type_, n, kind, seed)
    if oracle.is_float(type_) and kind == "special":
        raw = keys.view(f"u{SIZES[type_]}")
        rng = np.random.default_rng(seed)
        where = rng.random(n) < 0.2
        raw[where] = rng.integers(0, 2**(8 * SIZES[type_]) - 1, n, np.uint64)[where].astype(raw.dtype)
    return keys


@settings(max_examples=400)
@given(types, sizes, st.sampled_from(KINDS), directions, st.booleans(), st.integers(0, 3), st.integers(0, 2**20))
@example("f32", 1025, "special", 0, False, 1, 3)
@example("f16", 4097, "special", DESCENDING, True, 0, 4)
@pytest.mark.turn
def test_keys(host, type_, n, kind, flags, in_place, offset, seed):
    keys = shifted(special(type_, n, kind, seed), offset)
    wanted = keys[order_of(bits_of(type_, keys), 0, 8 * SIZES[type_], flags)].copy()
    buffer, out = guarded(n, keys.dtype, offset)
    if in_place:
        out[:] = keys
    host.call("gp_sort_keys", type_, out if in_place else keys, n, out, flags)
    assert same_bytes(out, wanted)
    check_canaries(buffer, out)


@settings(max_examples=300)
@given(types, st.sampled_from([*TYPE_NAMES, 3, 12, 16, 40]), sizes, st.sampled_from(KINDS), directions, st.booleans(),
       st.booleans(), st.integers(0, 2**20))
@pytest.mark.turn
def test_pairs(host, type_, value, n, kind, flags, keys_in_place, values_in_place, seed):
    keys = special(type_, n, kind, seed)
    dtype = np.dtype(DTYPES[value]) if isinstance(value, str) else np.dtype((np.void, value))
    moved = np.frombuffer(np.random.default_rng(seed).bytes(n * dtype.itemsize), dtype)
    order = order_of(bits_of(type_, keys), 0, 8 * SIZES[type_], flags)
    key_buffer, out_keys = guarded(n, keys.dtype, 1)
    buffer, out = guarded(n * dtype.itemsize, np.uint8, 15)  # starts on a 16-byte boundary if the buffer does
    out = out.view(dtype)
    out_keys[:], out[:] = (keys if keys_in_place else out_keys), (moved if values_in_place else out)
    value_type = value if isinstance(value, str) else struct(host, f"value{value}", value, 1)
    host.call("gp_sort_pairs", type_, value_type, out_keys if keys_in_place else keys,
              out if values_in_place else moved, n, out_keys, out, flags)
    assert same_bytes(out_keys, keys[order]) and same_bytes(out, moved[order])
    check_canaries(key_buffer, out_keys)
    check_canaries(buffer, out)


@settings(max_examples=100)
@given(types, st.sampled_from(["u32", "i64"]), sizes, st.sampled_from(KINDS), directions, st.booleans(),
       st.integers(0, 2**20))
def test_indices(host, type_, index, n, kind, flags, with_keys, seed):
    keys = special(type_, n, kind, seed)
    order = order_of(bits_of(type_, keys), 0, 8 * SIZES[type_], flags)
    buffer, out = guarded(n, DTYPES[index], 0)
    out_keys = np.zeros_like(keys)
    host.call("gp_argsort", type_, index, keys, n, out_keys if with_keys else None, out, flags)
    assert (out == order).all() and (not with_keys or same_bytes(out_keys, keys[order]))
    check_canaries(buffer, out)


@settings(max_examples=200)
@given(types, sizes, st.integers(0, 63), st.integers(0, 64), directions, st.booleans(), st.integers(0, 2**20))
@example("u32", 1025, 7, 8, 0, False, 1)  # one bit
@example("u32", 1025, 9, 9, DESCENDING, False, 1)  # none
@pytest.mark.turn
def test_bits(host, type_, n, begin, length, flags, by_count, seed):
    bits = 8 * SIZES[type_]
    begin %= bits
    end = min(begin + length, bits)
    keys = special(type_, n, "special" if seed % 2 else "uniform", seed)
    order = order_of(bits_of(type_, keys), begin, end or bits, flags)
    room = n + 100 if by_count else n  # memory after the count does not move
    moved, out, out_keys = np.arange(room, dtype=np.uint32), np.zeros(room, np.uint32), np.zeros(room, keys.dtype)
    host.run("sort", key_type=type_, in_type="u32", keys=np.resize(keys, room), in_=moved, out_keys=out_keys, out=out,
             begin_bit=begin, end_bit=end, flags=flags, count=room, count_device=n if by_count else None)
    assert (out[:n] == order).all() and same_bytes(out_keys[:n], keys[order])
    assert not out[n:].any() and not out_keys[n:].view(np.uint8).any()


ROW = np.dtype({"names": ["a", "b", "c", "d"], "formats": ["<i2", "u1", "<f4", "<u8"], "offsets": [0, 2, 4, 8],
                "itemsize": 16})


def rows(n, seed):
    rng = np.random.default_rng(seed)
    x = np.frombuffer(rng.bytes(n * 16), ROW).copy()
    x["a"] = rng.integers(-3, 3, n)
    x["c"] = rng.choice([0.0, -0.0, 1.5, -np.inf], n)
    x["d"] = rng.choice([5, 2**40, 2**63], n)
    return x


@settings(max_examples=60)
@given(sizes, directions, st.integers(0, 2**20), st.booleans())
def test_fields(host, n, flags, seed, all_of_them):
    keys = rows(n, seed)
    some = [(8, "u64", 1), (4, "f32", 0), (0, "i16", 1), (2, "u8", 0)][:4 if all_of_them else 2]
    ordered = []
    for offset, type_, down in some:  # the most significant first
        x = bits_of(type_, np.ascontiguousarray(keys[ROW.names[[0, 2, 4, 8].index(offset)]]))
        x = ~x & np.uint64(2**(8 * SIZES[type_]) - 1) if down else x
        ordered.append(~x if flags else x)
    order = np.lexsort(ordered[::-1])
    out, out_keys = np.zeros(n, np.uint64), np.zeros_like(keys)
    row = struct(host, "row", 16, 8)
    host.run("sort", key_type=row, out_type="u64", keys=keys, out_keys=out_keys, out=out, count=n, flags=flags,
             **fields(some))
    assert (out == order).all() and same_bytes(out_keys, keys[order])


def test_operator(host):
    """Structs by the key that a user's operator computes."""
    n = 3000
    keys = rows(n, 5)

    def key(result, a, _):
        row = np.frombuffer((ctypes.c_char * 16).from_address(a), ROW)[0]
        ctypes.c_float.from_address(result).value = float(row["a"]) * 2 + float(row["b"])

    row = struct(host, "row", 16, 8)
    op = host.operator("sum of two", key, arity=1, body="return a.a * 2.0f + a.b;")
    wanted = np.argsort(keys["a"].astype(np.float32) * 2 + keys["b"], kind="stable")
    out_keys = np.zeros_like(keys)
    host.run("sort", key_type=row, transform=op, acc_type="f32", keys=keys, out_keys=out_keys, count=n)
    assert same_bytes(out_keys, keys[wanted])


def test_many(threaded):
    """Enough for all threads to move elements."""
    keys = np.random.default_rng(1).integers(0, 1000, 300000, np.int64) - 500
    out_keys, out = np.zeros_like(keys), np.zeros(len(keys), np.uint32)
    threaded.call("gp_argsort", "i64", "u32", keys, len(keys), out_keys, out, DESCENDING)
    order = np.argsort(-keys, kind="stable")
    assert (out == order).all() and (out_keys == keys[order]).all()


@pytest.mark.parametrize("wrong, name", [
    ({"key_type": 0}, "GP_E_TYPE"), ({"keys": None}, "GP_E_NULL"), ({"out_keys": None}, "GP_E_NULL"),
    ({"begin_bit": -1, "end_bit": 8}, "GP_E_ARGUMENT"), ({"end_bit": 33}, "GP_E_ARGUMENT"),
    ({"begin_bit": 9, "end_bit": 8}, "GP_E_ARGUMENT"), ({"begin_bit": 9}, "GP_E_ARGUMENT"),
    ({"in_type": "u32"}, "GP_E_NULL"), ({"out_type": "f32"}, "GP_E_TYPE"), ({"out_type": "u16"}, "GP_E_TYPE"),
    ({"acc_type": "f32"}, "GP_E_TYPE"), ({"transform": "NEGATE", "acc_type": "u32"}, "GP_E_OPERATOR"),
    ({"op": "SUM"}, "GP_E_OPERATOR"), ({"field_count": 1}, "GP_E_ARGUMENT"), ({"flags": 16}, "GP_E_ARGUMENT"),
    ({"flags": 4}, "GP_E_ARGUMENT"), ({"segments": 3}, "GP_E_ARGUMENT"), ({"count": 2**63}, "GP_E_SIZE"),
    ({"key_type": "row"}, "GP_E_TYPE"), ({"key_type": "row", "row": (0, "i32", 0), "field_count": 0}, "GP_E_ARGUMENT"),
    ({"key_type": "row", "row": (1, "i32", 0)}, "GP_E_ARGUMENT"),
    ({"key_type": "row", "row": (12, "u64", 0)}, "GP_E_ARGUMENT"),
    ({"key_type": "u32", "row": (0, "i32", 0)}, "GP_E_ARGUMENT"), ({"shift": 4}, "GP_E_OVERLAP"),
    ({"shift": 1}, "GP_E_ALIGNMENT")])
def test_wrong(host, wrong, name):
    """The message, and no effect."""
    keys, out = np.arange(10, 0, -1, dtype=np.uint32), np.full(40, 7, np.uint32)
    call = {"key_type": "u32", "keys": keys, "out_keys": out, "count": 10, **wrong}
    if call["key_type"] == "row":
        call["key_type"] = struct(host, "row", 16, 8)
    if "row" in call:
        call = {**fields([call.pop("row")]), **call}
    if "shift" in call:
        call["out_keys"] = keys.ctypes.data + call.pop("shift")
    with pytest.raises(Error) as error:
        host.run("sort", **call)
    assert error.value.name == name, error.value
    assert (out == 7).all() and keys[0] == 10
