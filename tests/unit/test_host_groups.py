"""Group by on the host against NumPy: keys of every type in any order, compared by their bits."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DTYPES, SIZES, Error
from inputs import KINDS, TYPE_NAMES, expect, guarded, shifted, values
from test_host_segments import accumulator, only, reduced, spans

types = st.sampled_from(TYPE_NAMES)
operators = st.sampled_from([op for op in oracle.BINARY if not op.startswith("ARG")])
transforms = st.sampled_from([None, None, None, "NEGATE", "ABS", "SQUARE", "NOT"])
sizes = st.sampled_from([0, 1, 2, 3, 31, 33, 255, 1023, 1024, 1025, 2049])
data = st.tuples(sizes, st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))


def ordered(keys, type_):
    """The keys' bits as unsigned integers in the order of the keys: floats in IEEE 754 total order."""
    unsigned = np.dtype(f"u{SIZES[type_]}")
    bits, sign = keys.view(unsigned), unsigned.type(1 << (8 * SIZES[type_] - 1))
    if oracle.is_float(type_):
        return np.where(bits & sign, ~bits, bits | sign)
    return bits ^ sign if type_.startswith("i") else bits


def keys_of(type_, n, groups, kind, seed):
    """Keys with this many values; those of floats include NaN, infinities and zeros of both signs."""
    few = values(type_, groups, kind, seed)
    return few[np.random.default_rng(seed + 1).integers(0, groups, n)]


@given(operators, types, types, types, types, data, st.sampled_from([1, 2, 7, 300]), transforms, st.booleans())
@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_group_by(host, op, keys_type, in_type, acc, out_type, what, groups, transform, with_init):
    n, offset, kind, seed = what
    acc = accumulator(op, acc)
    x = shifted(values(in_type, n, kind, seed), offset)
    keys = shifted(keys_of(keys_type, n, groups, "special" if seed % 2 else "uniform", seed), (offset + 1) % 3)
    init = values(acc, 1, "small", seed) if with_init else None
    buffer, out = guarded(n, DTYPES[out_type], offset)
    key_buffer, out_keys = guarded(n, keys.dtype, offset)
    number = np.full(1, 77, np.uint64)
    wants_keys = seed % 4 != 0
    host.run("group_by", op=op, transform=transform or 0, key_type=keys_type, in_type=in_type, acc_type=acc,
             out_type=out_type, keys=keys, in_=x, out=out, out_keys=out_keys if wants_keys else None, out_count=number,
             count=n, init=init)
    bits = ordered(keys, keys_type)
    order = np.argsort(bits, kind="stable")
    where = spans(np.diff(bits[order], prepend=~bits[order[:1]]) != 0, n)
    assert number[0] == len(where) == len(np.unique(bits))
    y = oracle.operands(op, transform, x[order], in_type, acc)
    expect(only(buffer, out, len(where)), reduced(op, y, acc, out_type, where, init), out_type)
    got = only(key_buffer, out_keys, len(where) if wants_keys else 0)
    if wants_keys:
        assert got.tobytes() == keys[order][[a for a, _ in where]].tobytes()


def test_in_place(host):
    keys, x = np.array([3, 1, 3, 2], np.int32), np.array([1, 2, 4, 8], np.int64)
    number = np.zeros(1, np.uint64)
    host.run("group_by", op="SUM", key_type="i32", in_type="i64", keys=keys, in_=x, out=x, out_count=number, count=4)
    assert number[0] == 3 and x.tolist() == [2, 8, 5, 8]


@pytest.mark.parametrize("wrong, code, text", [
    (dict(key_type=0), "GP_E_TYPE", "key_type is not set"), (dict(key_type=99), "GP_E_TYPE", "key_type is 99"),
    (dict(op="ARGMIN"), "GP_E_OPERATOR", "op: ARGMIN is for reduce and scan only"),
    (dict(op=0), "GP_E_OPERATOR", "op is not set"),
    (dict(op="LESS"), "GP_E_OPERATOR", "op: LESS is for predicates and runs only"),
    (dict(keys=None), "GP_E_NULL", "keys is null"), (dict(in_=None), "GP_E_NULL", "in is null"),
    (dict(out=None), "GP_E_NULL", "out is null"), (dict(out_count=None), "GP_E_NULL", "out_count is null"),
    (dict(in_type=0), "GP_E_TYPE", "in_type is not set"), (dict(equal="EQUAL"), "GP_E_OPERATOR", "equal"),
])
def test_says_what_is_wrong(host, wrong, code, text):
    call = dict(op="SUM", key_type="u32", in_type="u32", keys=np.zeros(4, np.uint32), in_=np.zeros(4, np.uint32),
                out=np.zeros(4, np.uint32), out_count=np.zeros(1, np.uint64), count=4)
    with pytest.raises(Error, match=text) as error:
        host.run("group_by", **{**call, **wrong})
    assert code in str(error.value) and "gp_group_by" in str(error.value)
