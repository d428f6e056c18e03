"""Segmented sort on the host against NumPy's stable sort of each segment."""
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuprims_ctypes import CHECKED, DESCENDING, DTYPES, SIZES, TYPES, Context, Error, Segments
from inputs import KINDS, TYPE_NAMES, check_canaries, guarded, shifted, values

settings.register_profile("segmented_sort", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("segmented_sort")

NONE = 2**64 - 1
SHAPES = ["none", "one", "ones", "short", "long", "empties", "gaps"]


@pytest.fixture(scope="module", params=[1, 3])
def context(request):
    with Context(threads=request.param) as c:
        yield c


def offsets_of(shape, n, seed):
    rng = np.random.default_rng([seed, n, SHAPES.index(shape)])
    if shape == "none":
        return np.array([rng.integers(0, n + 1)])
    if shape == "ones":
        return np.arange(n + 1)
    number = {"one": 0, "short": n // 4, "long": 3, "empties": 20, "gaps": 10}[shape]
    inner = rng.integers(0, n + 1, number)
    if shape == "empties":
        inner = np.repeat(inner, rng.integers(1, 9, number))
    return np.sort(np.concatenate([inner, [] if shape == "gaps" else [0, n]])).astype(np.int64)


def ordered(keys, type_, begin_bit=0, end_bit=None, descending=False):
    """Unsigned integers in the order of the keys: the definition, not the library's code."""
    bits = 8 * SIZES[type_]
    raw = keys.view(f"u{SIZES[type_]}").astype(np.uint64)
    sign = np.uint64(1 << (bits - 1))
    everything = np.uint64(2**bits - 1)
    if type_ in ("f16", "bf16", "f32", "f64"):
        raw = np.where(raw & sign, raw ^ everything, raw ^ sign)
    elif type_[0] == "i":
        raw = raw ^ sign
    if descending:
        raw = raw ^ everything
    end_bit = bits if end_bit is None else end_bit
    return np.zeros_like(raw) if begin_bit == end_bit else (
        raw >> np.uint64(begin_bit)) & np.uint64(2**(end_bit - begin_bit) - 1)


def order_of(ranks, begin, end):
    """The origin of each element of a segment; elements outside segments stay."""
    order = np.arange(len(ranks))
    for b, e in zip(begin, end):
        order[b:e] = b + np.argsort(ranks[b:e], kind="stable")
    return order


def inside(n, begin, end):
    mask = np.zeros(n, bool)
    for b, e in zip(begin, end):
        mask[b:e] = True
    return mask


def same(got, wanted):
    assert got.tobytes() == np.ascontiguousarray(wanted).tobytes()


@given(st.sampled_from(TYPE_NAMES), st.sampled_from([0, 1, 2, 31, 33, 255, 1025, 3001]), st.sampled_from(KINDS),
       st.sampled_from(SHAPES), st.sampled_from(["i32", "u32", "i64", "u64"]), st.booleans(), st.booleans(),
       st.booleans(), st.integers(0, 2**20), st.sampled_from([None, "u32", "u8", "f64", "index32", "index64"]))
@settings(max_examples=300)
@pytest.mark.turn
def test_against_numpy(context, type_, n, kind, shape, offset_type, descending, ranges, some_bits, seed, value):
    rng = np.random.default_rng(seed)
    raw = values(type_, n, kind, seed)
    if type_[-2:] in ("16", "32", "64") and "f" in type_ and n:  # NaN payloads of both signs
        raw.view(f"u{SIZES[type_]}")[rng.integers(0, n, n // 9 + 1)] = rng.integers(0, 2**(8 * SIZES[type_] - 1))
    keys = shifted(raw, seed % 5)
    offsets = offsets_of(shape, n, seed)
    begin, end = offsets[:-1], offsets[1:]
    if ranges:
        shuffled = rng.permutation(len(begin))
        begin, end = begin[shuffled], end[shuffled]
    bits = 8 * SIZES[type_]
    begin_bit = int(rng.integers(0, bits)) if some_bits else 0
    end_bit = int(rng.integers(begin_bit + 1, bits + 1)) if some_bits else bits
    fields = {"begin_bit": begin_bit, "end_bit": end_bit} if some_bits else {}
    order = order_of(ordered(keys, type_, begin_bit, end_bit, descending), begin, end)
    mask = inside(n, begin, end)
    offset_dtype = DTYPES[offset_type]
    given_begin = shifted(np.asarray(begin if ranges else offsets).astype(offset_dtype), seed % 3)
    given_end = shifted(np.asarray(end).astype(offset_dtype), seed % 2) if ranges else None
    buffer, out_keys = guarded(n, keys.dtype, seed % 4)
    common = dict(key_type=type_, keys=keys, out_keys=out_keys, count=n, offset_type=offset_type, begin=given_begin,
                  end=given_end, segments=len(begin), flags=DESCENDING if descending else 0, **fields)
    if value is None:
        context.run("segmented_sort", **common)
    else:
        index = value.startswith("index")
        dtype = DTYPES["u" + value[5:]] if index else DTYPES[value]
        given_values = np.arange(n).astype(dtype) if index else values(value, n, "uniform", seed + 1)
        value_buffer, out_values = guarded(n, dtype, seed % 3)
        context.run("segmented_sort", out=out_values, out_type="u" + value[5:] if index else value,
                    in_=None if index else given_values, in_type=0 if index else value, **common)
        check_canaries(value_buffer, out_values)
        same(out_values[mask], given_values[order][mask])
        assert (out_values[~mask].view(np.uint8) == 0xA5).all()
    check_canaries(buffer, out_keys)
    same(out_keys[mask], keys[order][mask])
    assert (out_keys[~mask].view(np.uint8) == 0xA5).all()
    if not some_bits and not ranges and value is None:  # in place, by name
        copy = keys.copy()
        context.call("gp_segmented_sort_keys", type_, copy, n,
                     Segments(TYPES[offset_type], given_begin, None, len(begin)), copy, DESCENDING if descending else 0)
        same(copy, keys[order])
    if not some_bits and value == "f64":
        copy, value_copy = keys.copy(), given_values.copy()
        context.call("gp_segmented_sort_pairs", type_, value, copy, value_copy, n,
                     Segments(TYPES[offset_type], given_begin, given_end, len(begin)), copy, value_copy,
                     DESCENDING if descending else 0)
        same(copy, keys[order])
        same(value_copy, given_values[order])


def test_structs_go_along(context):
    large = context.struct("large", 40, 8)
    n, rng = 500, np.random.default_rng(1)
    keys = rng.integers(0, 9, n).astype(np.uint16)
    given_values = rng.integers(0, 256, (n, 40)).astype(np.uint8)
    offsets = np.array([3, 3, 90, 400, 499], np.uint32)
    order = order_of(keys, offsets[:-1], offsets[1:])
    out_keys, out_values = keys.copy(), given_values.copy()
    context.call("gp_segmented_sort_pairs", "u16", large, out_keys, out_values, n,
                 Segments(TYPES["u32"], offsets, None, 4), out_keys, out_values, 0)
    same(out_keys, keys[order])
    same(out_values, given_values[order])


def test_checked(context):
    keys = np.array([3, 2, 1, 0], np.int32)
    bad = np.zeros(1, np.uint64)
    for offsets, first in (([0, 2, 4], NONE), ([0, 3, 2], 2), ([1, 5, 6], 1)):
        out = np.full(4, 9, np.int32)
        context.run("segmented_sort", key_type="i32", keys=keys, out_keys=out, count=4, offset_type="u64",
                    begin=np.array(offsets, np.uint64), segments=2, flags=CHECKED, bad=bad)
        assert bad[0] == first
        assert out.tolist() == ([2, 3, 0, 1] if first == NONE else [9] * 4)


@pytest.mark.parametrize("name, fields", [
    ("GP_E_TYPE", {"key_type": 0}),
    ("GP_E_NULL", {"keys": None}),
    ("GP_E_NULL", {"out_keys": None}),
    ("GP_E_NULL", {"begin": None}),
    ("GP_E_TYPE", {"offset_type": "f32"}),
    ("GP_E_ARGUMENT", {"begin_bit": 5, "end_bit": 4}),
    ("GP_E_ARGUMENT", {"begin_bit": 0, "end_bit": 33}),
    ("GP_E_ARGUMENT", {"begin_bit": -1, "end_bit": 3}),
    ("GP_E_TYPE", {"out": np.zeros(8, np.int32), "out_type": "i32"}),
    ("GP_E_TYPE", {"out": np.zeros(8, np.int32), "in_": np.zeros(8, np.int32), "in_type": "i32", "out_type": "u32"}),
    ("GP_E_NULL", {"in_": np.zeros(8, np.int32), "in_type": "i32"}),
    ("GP_E_OPERATOR", {"op": "SUM"}),
    ("GP_E_SIZE", {"count": 2**44}),
])
def test_wrong(context, name, fields):
    call = dict(key_type="u32", keys=np.zeros(8, np.uint32), out_keys=np.zeros(8, np.uint32), count=8,
                offset_type="u32", begin=np.array([0, 8], np.uint32), segments=1)
    call.update(fields)
    with pytest.raises(Error) as error:
        context.run("segmented_sort", **call)
    assert error.value.name == name


def test_overlap(context):
    keys = np.zeros(16, np.uint32)
    with pytest.raises(Error) as error:
        context.run("segmented_sort", key_type="u32", keys=keys[:8], out_keys=keys[1:9], count=8, offset_type="u32",
                    begin=np.array([0, 8], np.uint32), segments=1)
    assert error.value.name == "GP_E_OVERLAP"
