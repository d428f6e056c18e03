"""Described inputs of sorts, segmented sorts, top-k and merges on the host: the bytes of the calls on arrays."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuprims_ctypes import DESCENDING, DTYPES, TYPES, Error, Input, pointer
from inputs import TYPE_NAMES, guarded, values
from test_host_sort import same_bytes, special

STRIDED, GATHERED, ARRAY = 4, 5, 1
types = st.sampled_from(TYPE_NAMES)
sizes = st.sampled_from([0, 1, 2, 33, 257, 1025])


class Described:
    """A description of an array's elements: every third of a longer one backwards, or gathered."""

    def __init__(self, type_, x, way):
        self.inner = []
        if way == "strided":
            self.data = np.repeat(x[::-1], 3)
            self.root = Input(STRIDED, TYPES[type_], pointer(self.data) + max(3 * len(x) - 3, 0) * x.itemsize, 0, -3)
        else:
            order = np.random.default_rng(len(x)).permutation(len(x)).astype(np.uint32)
            self.data, self.order = np.empty_like(x), order
            self.data[order] = x
            self.inner = [Input(ARRAY, TYPES[type_], pointer(self.data)), Input(ARRAY, TYPES["u32"], pointer(order))]
            self.root = Input(GATHERED, 0, 0, len(x), 0, None, None, 0, pointer(self.inner[0]), pointer(self.inner[1]))


ways = st.sampled_from(["strided", "gathered", None])


def run_twice(host, primitive, count, described, outs, **fields):
    """Runs the call on arrays and on descriptions. described: member -> (type of the member, type, array, way); outs:
    member -> (elements, dtype)."""
    results = []
    for by_array in (True, False):
        call, keep = dict(fields), []
        for member, (type_member, type_, x, way) in described.items():
            call[member], call[type_member] = x, type_
            if way and not by_array:
                keep.append(Described(type_, x, way))
                call[member], call[type_member] = keep[-1].root, TYPES_OF_INPUT
        made = {member: guarded(room, dtype, 1) for member, (room, dtype) in outs.items()}
        host.run(primitive, **call, **{member: out for member, (_, out) in made.items()}, count=count)
        results.append([buffer for buffer, _ in made.values()])
    for wanted, got in zip(*results):
        assert same_bytes(got, wanted)


TYPES_OF_INPUT = 1 << 30
KEYED = dict(max_examples=120, deadline=None, derandomize=True, database=None)


@given(types, types, ways, ways, sizes, st.booleans(), st.sampled_from([0, DESCENDING]), st.integers(0, 2**20))
@settings(**KEYED)
@pytest.mark.turn
def test_sorts(host, key_type, value_type, key_way, value_way, n, by_order, flags, seed):
    keys, x = special(key_type, n, "small", seed), values(value_type, n, "uniform", seed)
    described = {"keys": ("key_type", key_type, keys, key_way)}
    outs = {"out_keys": (n, keys.dtype)}
    if seed % 3:
        described["in_"] = ("in_type", value_type, x, value_way)
        outs["out"] = (n, x.dtype)
    if by_order:
        run_twice(host, "merge_sort", n, described, outs, op="LESS")
    else:
        run_twice(host, "sort", n, described, outs, flags=flags, count_device=seed % (n + 1))
    if not seed % 5:  # indices alone
        run_twice(host, "sort", n, {"keys": described["keys"]}, {"out": (n, np.uint32)}, out_type="u32")


@given(types, types, ways, ways, sizes, st.integers(0, 2**20))
@settings(**KEYED)
@pytest.mark.turn
def test_segments_and_ranks(host, key_type, value_type, key_way, value_way, n, seed):
    rng = np.random.default_rng(seed)
    keys, x = special(key_type, n, "small", seed), values(value_type, n, "uniform", seed)
    described = {"keys": ("key_type", key_type, keys, key_way), "in_": ("in_type", value_type, x, value_way)}
    begin = np.sort(rng.integers(0, n + 1, 5)).astype(np.uint32)  # elements outside the segments stay
    run_twice(host, "segmented_sort", n, described, {"out_keys": (n, keys.dtype), "out": (n, x.dtype)},
              offset_type="u32", begin=begin, segments=4)
    k = int(rng.integers(1, 20))
    run_twice(host, "segmented_top_k", n, described, {"out_keys": (4 * k, keys.dtype), "out": (4 * k, x.dtype)},
              offset_type="u32", begin=begin, segments=4, k=k)
    k = min(k, n)
    run_twice(host, "top_k", n, described, {"out_keys": (k, keys.dtype), "out": (k, x.dtype)}, k=k)
    if n > 2:
        rows = n // 3
        run_twice(host, "top_k", 3, described, {"out_keys": (2 * rows, keys.dtype), "out": (2 * rows, x.dtype)}, k=2,
                  rows=rows)
        run_twice(host, "nth_element", n, {"keys": described["keys"]}, {"out_keys": (1, keys.dtype)}, n=n // 2)


@given(types, types, st.sampled_from(["strided", "gathered"]), sizes, sizes,
       st.sampled_from(["merge", "set_union", "set_symmetric_difference"]), st.sampled_from("kvb"),
       st.integers(0, 2**20))
@settings(**KEYED)
@pytest.mark.turn
def test_two_sorted(host, key_type, value_type, way, n, m, primitive, which, seed):
    a, b = (np.sort(values(key_type, count, "zeros" if DTYPES[key_type] == np.uint16 else "small", seed + i))
            for i, count in enumerate((n, m)))
    x, y = values(value_type, n, "uniform", seed), values(value_type, m, "uniform", seed + 1)
    way = "strided" if which == "b" else way  # gathered, these would be 8 arrays
    keys, moved = way if which in "kb" else None, way if which in "vb" else None
    outs = {"out_keys": (n + m, a.dtype), "out": (n + m, x.dtype)}
    if primitive != "merge":
        outs["out_count"] = (1, np.uint64)
    run_twice(host, primitive, n, {"keys": ("key_type", key_type, a, keys), "keys2": ("key_type", key_type, b, keys),
                                   "in_": ("in_type", value_type, x, moved),
                                   "in2": ("in_type", value_type, y, moved)}, outs, count2=m, op="LESS")


def test_refused(host):
    x, out, more = np.arange(9, dtype=np.uint32), np.zeros(9, np.uint32), np.zeros(99, np.uint32)
    wide = np.arange(9, dtype=np.uint64)
    d, w = Described("u32", x, "gathered"), Described("u64", wide, "strided")
    sort = dict(key_type=TYPES_OF_INPUT, keys=d.root, count=9)
    host.run("sort", **sort, out_keys=out)
    assert out.tolist() == x.tolist()
    with pytest.raises(Error, match="data of described array 1 and out_keys overlap"):
        host.run("sort", **sort, out_keys=d.data)
    with pytest.raises(Error, match="key_type is GP_INPUT, but the gp_input is null"):
        host.run("sort", key_type=TYPES_OF_INPUT, count=9, out_keys=out)
    with pytest.raises(Error, match="in_type and @?out_type differ"):
        host.run("sort", key_type="u32", keys=x, in_type=TYPES_OF_INPUT, in_=w.root, out_type="u32", out=more, count=9,
                 out_keys=out)
    with pytest.raises(Error, match="count_device is set: rows of described inputs"):
        host.run("top_k", **sort, rows=2, k=1, out_keys=out, count_device=4)
    with pytest.raises(Error, match="keys2: its elements have another type"):
        host.run("merge", **sort, keys2=w.root, count2=9, op="LESS", out_keys=more)
    with pytest.raises(Error, match="keys2 is GP_INPUT, but|keys2 is null"):
        host.run("merge", **sort, count2=9, op="LESS", out_keys=more)
