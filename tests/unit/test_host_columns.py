"""Sorts of columns on the host against NumPy's lexsort: several keys up and down, values of any size, indices."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuprims_ctypes import DESCENDING, DTYPES, TYPES, Column, Error
from inputs import KINDS, TYPE_NAMES, check_canaries, guarded, shifted
from test_host_sort import bits_of, same_bytes, special

types = st.sampled_from(TYPE_NAMES)
sizes = st.sampled_from([0, 1, 2, 3, 33, 255, 1023, 1025, 2049])
KEPT = {}


def raw(host, size):
    """A struct type of this size."""
    if (id(host), size) not in KEPT:
        KEPT[id(host), size] = host.struct(f"raw{size}", size, size & -size if size & -size < 16 else 16)
    return KEPT[id(host), size]


def aligned(size):
    """Bytes at a multiple of 16, with a guard behind them."""
    memory = np.full(size + 32, 0xA5, np.uint8)
    return memory[-memory.ctypes.data % 16:][:size]


def table(columns):
    """columns: (type, descending, in, out)."""
    return (Column * max(len(columns), 1))(*[Column(TYPES.get(t, t), down, x, out) for t, down, x, out in columns])


def order_by(keys):
    """keys: (type, descending, array), the primary one first."""
    bits = [~bits_of(t, x) if down else bits_of(t, x) for t, down, x in keys]
    return np.lexsort(bits[::-1])


@given(types, st.sampled_from(KINDS), st.lists(st.sampled_from([1, 2, 3, 4, 8, 12, 16, 24, 33, 64]), max_size=30),
       sizes, st.booleans(), st.sampled_from([0, DESCENDING]), st.integers(0, 2**20))
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_values_of_many_sizes(host, type_, kind, widths, n, in_place, flags, seed):
    rng = np.random.default_rng(seed)
    keys = shifted(special(type_, n, kind, seed), seed % 3)
    order = order_by([(type_, flags != 0, keys)])
    wanted = keys[order].copy()
    given_columns, outs = [], []
    for width in widths:
        x = rng.integers(0, 256, (n, width), np.uint8)
        source, room = aligned(n * width), aligned(n * width)
        source[:] = x.reshape(-1)
        given_columns.append((raw(host, width), 0, source, room))
        outs.append((room, x[order]))
    key_buffer, out_keys = guarded(n, keys.dtype, seed % 2)
    if in_place:
        out_keys[:] = keys
    host.call("gp_sort_columns", type_, out_keys if in_place else keys, n, table(given_columns), len(widths), out_keys,
              flags)
    assert same_bytes(out_keys, wanted)
    check_canaries(key_buffer, out_keys)
    for room, expected in outs:
        assert same_bytes(room, expected) and (room.base[-16:] == 0xA5).all()


@given(st.lists(st.tuples(types, st.booleans(), st.sampled_from(KINDS), st.booleans()), min_size=1, max_size=8), sizes,
       st.sampled_from(["u32", "i32", "u64", "i64"]), st.sampled_from([0, DESCENDING]), st.integers(0, 2**20))
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_several_keys(host, wanted, n, index, flags, seed):
    columns, keys, outs = [], [], []
    for i, (type_, down, kind, has_out) in enumerate(wanted):
        x = special(type_, n, kind, seed + i)
        if i + 1 < len(wanted):  # ties that further keys break
            x = x[np.random.default_rng(seed + i).integers(0, 3, n)] if n > 3 else x
        buffer, out = guarded(n, x.dtype, i % 3)
        columns.append((type_, int(down), x, out if has_out else None))
        keys.append((type_, down != (flags != 0), x))
        outs.append((buffer, out, x, has_out))
    index_buffer, indices = guarded(n, DTYPES[index], 1)
    host.call("gp_argsort_columns", index, table(columns), len(columns), n, indices, flags)
    order = order_by(keys)
    assert indices.tolist() == order.tolist()
    check_canaries(index_buffer, indices)
    for buffer, out, x, has_out in outs:
        assert same_bytes(out, x[order]) if has_out else (out.view(np.uint8) == 0xA5).all()
        check_canaries(buffer, out)


@given(st.integers(0, 4), st.integers(0, 3), sizes, st.booleans(), st.booleans(), st.integers(0, 2**20))
@settings(max_examples=100, deadline=None, derandomize=True, database=None)
def test_keys_values_and_a_count_on_the_device(host, further, values, n, wants_indices, alone, seed):
    """A table whose first columns are keys, and `keys` before them."""
    rng = np.random.default_rng(seed)
    if not alone and not further:
        further = 1
    types_ = ["u8", "i16", "f32", "u64"]
    arrays = [special(types_[(i + seed) % 4], n, "small", seed + i) for i in range(further + values)]
    outs = [guarded(n, x.dtype, 0) for x in arrays]
    table_ = [(types_[(i + seed) % 4], int(rng.integers(0, 2)) if i < further else 0, x, out[1])
              for i, (x, out) in enumerate(zip(arrays, outs))]
    keys, (key_buffer, out_keys) = special("i32", n, "small", seed + 9), guarded(n, np.int32, 0)
    indices = np.zeros(n, np.uint64)
    bound = int(rng.integers(0, n + 3))
    kept = min(bound, n)
    made = table(table_)
    host.run("sort_columns", key_type="i32" if alone else 0, keys=keys if alone else None,
             out_keys=out_keys if alone else None, columns=made, column_count=further + values, key_columns=further,
             count=n, count_device=bound, out=indices if wants_indices else None,
             out_type="u64" if wants_indices else 0)
    by = ([("i32", False, keys[:kept])] if alone else []) + [(t, d, x[:kept]) for t, d, x, _ in table_[:further]]
    order = order_by(by)
    if alone:
        assert same_bytes(out_keys[:kept], keys[:kept][order]) and (out_keys[kept:].view(np.uint8) == 0xA5).all()
    for x, (buffer, out) in zip(arrays, outs):
        assert same_bytes(out[:kept], x[:kept][order]) and (out[kept:].view(np.uint8) == 0xA5).all()
        check_canaries(buffer, out)
    if wants_indices:
        assert indices[:kept].tolist() == order.tolist()


def test_bad_columns(host):
    x, out, more = np.zeros(9, np.uint32), np.zeros(9, np.uint32), np.zeros(9, np.uint32)
    indices = np.zeros(9, np.uint32)

    def refused(code, text, columns, function="gp_argsort_columns"):
        with pytest.raises(Error) as info:
            if function == "gp_argsort_columns":
                host.call(function, "u32", table(columns), len(columns), 9, indices, 0)
            else:
                host.call(function, "u32", more, 9, table(columns), len(columns), more, 0)
        assert info.value.name == code and info.value.message.startswith(f"{function}: {text}"), info.value.message

    u32, f12 = TYPES["u32"], raw(host, 12)
    refused("GP_E_ARGUMENT", "key_columns: the call has 0 keys, not 1 to 8", [])
    refused("GP_E_ARGUMENT", "key_columns: the call has 9 keys, not 1 to 8", [(u32, 0, x, None)] * 9)
    refused("GP_E_ARGUMENT", "column_count is 65, above 64", [(u32, 0, x, None)] * 65, function="gp_sort_columns")
    refused("GP_E_TYPE", "columns[1].type is struct type", [(u32, 0, x, None), (f12, 0, x, None)])
    refused("GP_E_TYPE", "columns[0].type is not set", [(0, 0, x, None)])
    refused("GP_E_ARGUMENT", "columns[0].descending is 2, not 0 or 1", [(u32, 2, x, None)])
    refused("GP_E_ARGUMENT", "columns[0].descending is 1, not 0: the column is no key", [(u32, 1, x, out)],
            function="gp_sort_columns")
    refused("GP_E_NULL", "columns[1].in is null", [(u32, 0, x, None), (u32, 0, None, None)])
    refused("GP_E_NULL", "columns[1].out is null", [(u32, 0, x, out), (u32, 0, x, None)], function="gp_sort_columns")
    refused("GP_E_OVERLAP", "columns[0].in and columns[0].out overlap", [(u32, 0, x, x), (u32, 0, x, None)])
    refused("GP_E_OVERLAP", "columns[0].in and columns[1].out overlap", [(u32, 0, x, out), (u32, 0, indices, x)],
            function="gp_sort_columns")
    refused("GP_E_OVERLAP", "columns[0].out and columns[1].out overlap", [(u32, 0, x, out), (u32, 0, x, out)])
    refused("GP_E_OVERLAP", "columns[0].out and indices overlap", [(u32, 0, x, indices)])
    refused("GP_E_ALIGNMENT", "columns[1].in (", [(u32, 0, x, out), (u32, 0, x.ctypes.data + 2, None)])
    host.call("gp_argsort_columns", "u32", table([(u32, 0, x, x)]), 1, 9, indices, 0)  # the only key, in place
    host.call("gp_sort_columns", "u32", more, 9, None, 0, more, 0)
    with pytest.raises(Error, match="columns is null"):
        host.call("gp_sort_columns", "u32", more, 9, None, 1, more, 0)
    with pytest.raises(Error, match="key_columns is 2, above 1"):
        host.run("sort_columns", columns=table([(u32, 0, x, out)]), column_count=1, key_columns=2, count=9)
    with pytest.raises(Error, match=r"columns\[0\].out is null"):
        host.run("sort_columns", columns=table([(u32, 0, x, None)]), column_count=1, key_columns=1, count=9)


@given(types, st.lists(types, max_size=12), sizes, st.sampled_from([None, "SUM", "MAX", "BIT_XOR"]), st.booleans(),
       st.integers(0, 2**20))
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_columns_of_runs(host, threaded, type_, others, n, op, alone, seed):
    """The first element of each run, or a fold, of the call's values and of further columns."""
    rng = np.random.default_rng(seed)
    if op:
        others = [t for t in others if t[0] in "iu"]
    keys = np.repeat(np.arange(n), rng.integers(1, 9, n))[:n].astype(np.uint8).astype(DTYPES[type_])
    begin = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))[:n]
    ufunc = {"SUM": np.add, "MAX": np.maximum, "BIT_XOR": np.bitwise_xor}.get(op)

    def wanted(x):
        return x[begin] if not op else ufunc.reduceat(x, begin, dtype=x.dtype) if n else x
    columns, outs = [], []
    for i, t in enumerate(others):
        x = special(t, n, "special", seed + i)
        buffer, out = guarded(n, x.dtype, i % 3)
        columns.append((t, 0, x, out))
        outs.append((buffer, out, wanted(x)))
    first, out = rng.integers(0, 99, n), np.zeros(n, np.int64)
    out_keys, number = np.zeros_like(keys), np.zeros(1, np.uint64)
    fields = dict(in_type="i64", in_=first, out=out) if op or not alone else {}
    if op:
        fields.update(op=op, out_type="i64")
    context = threaded if seed % 2 else host
    context.run("reduce_by_key" if op else "unique", key_type=type_, keys=keys, count=n, columns=table(columns),
                column_count=len(columns), out_keys=out_keys, out_count=number, **fields)
    runs = len(begin)
    assert number[0] == runs and same_bytes(out_keys[:runs], keys[begin])
    if fields:
        assert same_bytes(out[:runs], wanted(first))
    for buffer, got, expected in outs:
        assert same_bytes(got[:runs], expected)
        check_canaries(buffer, got)


def test_columns_of_runs_that_are_wrong(host):
    x, out, number = np.zeros(9, np.uint32), np.zeros(9, np.uint32), np.zeros(1, np.uint64)
    fields = dict(key_type="u32", keys=x, count=9, out_keys=out, out_count=number)
    fold = dict(in_type="u32", out_type="u32", in_=x, out=np.zeros(9, np.uint32), op="SUM")
    more = np.zeros(9, np.uint32)
    u32, f32 = "u32", "f32"
    for call, column, extra, code, text in [
            ("unique", (u32, 0, x, out), {}, "GP_E_OVERLAP", "columns[0].out"),
            ("unique", (u32, 0, x, more), {"out_keys": x}, "GP_E_OVERLAP", "keys and out_keys overlap"),
            ("unique", (u32, 0, x, None), {}, "GP_E_NULL", "columns[0].out is null"),
            ("unique", (u32, 1, x, more), {}, "GP_E_ARGUMENT", "columns[0].descending is 1, not 0"),
            ("unique", (raw(host, 3), 0, x, more), {}, "GP_E_TYPE", "columns of runs are of built-in types"),
            ("unique", (u32, 0, x, more), {"column_count": 65}, "GP_E_ARGUMENT", "column_count is 65, above 64"),
            ("run_lengths", (u32, 0, x, more), {}, "GP_E_ARGUMENT", "columns: the call has no columns"),
            ("reduce_by_key", (f32, 0, x, more), dict(fold, op="BIT_OR"), "GP_E_OPERATOR",
             "columns[0].type: BIT_OR works on integers and bool only, not on f32"),
            ("reduce_by_key", (u32, 0, x, more), dict(fold, transform="NEGATE"), "GP_E_UNSUPPORTED",
             "columns: these take a built-in operator"),
            ("reduce_by_key", (u32, 0, x, more), dict(fold, init=np.ones(1, np.uint32)), "GP_E_UNSUPPORTED",
             "and no init"),
            ("reduce_by_key", (u32, 0, x, more), dict(fold, flags=1), "GP_E_UNSUPPORTED", "apply or flags")]:
        with pytest.raises(Error) as error:
            host.run(call, **{**fields, "columns": table([column]), "column_count": 1, **extra})
        assert error.value.name == code and text in error.value.message, error.value.message
