"""Conversion of layouts on the host against NumPy: every pair of kinds, padded and packed, in place, to columns and
back; and messages about invalid layouts."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuprims_ctypes import KEEP_GAPS, Error, Field, Layout

settings.register_profile("layouts", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("layouts")

AOS, SOA = 1, 0
widths = st.sampled_from([SOA, AOS, 2, 3, 8, 32, 100])
sizes = st.lists(st.sampled_from([1, 2, 3, 4, 8, 12, 16, 64]), min_size=1, max_size=16)


def layout(width, size, fields, capacity=0, columns=None):
    """fields: (offset, size) each. Its arrays live as long as it does."""
    array = (Field * len(fields))(*[Field(*f) for f in fields])
    pointers = (ctypes.c_void_p * len(columns))(*columns) if columns else None
    made = Layout(width, size, array, len(fields), capacity, pointers)
    made.kept = array, pointers
    return made


def struct_of(sizes_, draw):
    """Shuffled offsets with some gaps; and the struct's size."""
    rng = np.random.default_rng(draw)
    offsets, at = [0] * len(sizes_), 0
    for f in rng.permutation(len(sizes_)):
        at += int(rng.integers(0, 4)) if draw % 3 else 0
        offsets[f], at = at, at + sizes_[f]
    return offsets, at + (int(rng.integers(0, 5)) if draw % 2 else 0)


def block_of(width, capacity):
    return width if width else capacity


def bytes_of(width, capacity, size, n):
    block = block_of(width, capacity)
    return -(-n // block) * block * size if n else 0


def places(width, capacity, size, offset, field, n):
    """The first byte of a field in each struct."""
    i, block = np.arange(n), block_of(width, capacity)
    return i // block * block * size + offset * block + i % block * field if n else i


def address(thing):
    return ctypes.addressof(thing)


@given(sizes, widths, widths, st.integers(0, 99), st.integers(0, 99), st.sampled_from([0, 1, 2, 31, 33, 200]),
       st.integers(0, 20), st.booleans(), st.booleans(), st.integers(0, 2**20))
@settings(max_examples=400)
@pytest.mark.turn
def test_every_pair(host, field_sizes, from_width, to_width, a, b, n, room, in_place, keep, seed):
    from_offsets, from_size = struct_of(field_sizes, a)
    to_offsets, to_size = struct_of(field_sizes, b)
    capacity = n + room
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 256, max(bytes_of(from_width, capacity, from_size, n),
                                 bytes_of(to_width, capacity, to_size, n)) + 3, np.uint8)
    y = x.copy() if in_place else np.full(bytes_of(to_width, capacity, to_size, n) + 3, 0xA5, np.uint8)
    wanted = y.copy()
    for f, size in enumerate(field_sizes):
        at = places(from_width, capacity, from_size, from_offsets[f], size, n)
        to = places(to_width, capacity, to_size, to_offsets[f], size, n)
        for byte in range(size):
            wanted[to + byte] = x[at + byte]
    if to_width != SOA and not keep:
        taken = {o + byte for o, size in zip(to_offsets, field_sizes) for byte in range(size)}
        begin = 0
        for byte in range(to_size + 1):  # padding is placed like a field
            if byte == to_size or byte in taken:
                if byte > begin:
                    at = places(to_width, capacity, to_size, begin, byte - begin, n)
                    for k in range(byte - begin):
                        wanted[at + k] = 0
                begin = byte + 1
    source = layout(from_width, from_size, list(zip(from_offsets, field_sizes)), capacity if from_width == SOA else 0)
    target = layout(to_width, to_size, list(zip(to_offsets, field_sizes)), capacity if to_width == SOA else 0)
    before = x.copy()
    host.call("gp_convert_layout", address(source), address(target), y if in_place else x, n, y,
              KEEP_GAPS if keep else 0)
    np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(x, before)


def test_columns_and_threads(host, threaded):
    n = 70_000
    dtype = np.dtype({"names": ["x", "kind", "mass"], "formats": ["<f4", "<u2", "<f8"], "offsets": [0, 4, 8],
                      "itemsize": 16})
    rng = np.random.default_rng(1)
    structs = np.zeros(n, dtype)
    structs["x"], structs["kind"] = rng.standard_normal(n), rng.integers(0, 9, n)
    structs["mass"] = rng.standard_normal(n)
    fields = [(0, 4), (4, 2), (8, 8)]
    for context in (host, threaded):
        columns = [np.zeros(n + 1, dtype[name])[1:] for name in dtype.names]
        aos, soa = layout(AOS, 16, fields), layout(SOA, 14, [(0, 4), (4, 2), (6, 8)],
                                                   columns=[c.ctypes.data for c in columns])
        context.call("gp_convert_layout", address(aos), address(soa), structs, n, None, 0)
        for name, column in zip(dtype.names, columns):
            np.testing.assert_array_equal(column, structs[name])
        back = np.zeros(n, dtype)
        context.call("gp_convert_layout", address(soa), address(aos), None, n, back, 0)
        assert back.tobytes() == structs.tobytes()
        # Some fields, into structs whose other fields stay.
        some = layout(AOS, 16, fields[:2])
        part = layout(SOA, 6, [(0, 4), (4, 2)], columns=[c.ctypes.data for c in columns[:2]])
        columns[1][:] = 7
        context.call("gp_convert_layout", address(part), address(some), None, n, back, KEEP_GAPS)
        assert (back["kind"] == 7).all() and (back["mass"] == structs["mass"]).all()


def axes(*order):
    """GP_AXES."""
    return sum((axis ^ place) << 40 + 2 * place for place, axis in enumerate(order))


orders = st.permutations(range(4))


@given(orders, orders, st.lists(st.sampled_from([1, 2, 3, 5, 17]), min_size=4, max_size=4), widths, widths,
       st.lists(st.sampled_from([1, 2, 4, 8, 12, 40]), min_size=1, max_size=4), st.booleans(), st.integers(0, 2**20))
@settings(max_examples=300)
@pytest.mark.turn
def test_every_order(host, from_order, to_order, extent, from_width, to_width, field_sizes, in_place, seed):
    n = int(np.prod(extent))
    from_offsets, from_size = struct_of(field_sizes, seed)
    to_offsets, to_size = struct_of(field_sizes, seed + 1)
    x = np.random.default_rng(seed).integers(0, 256, max(bytes_of(from_width, n, from_size, n),
                                                         bytes_of(to_width, n, to_size, n)), np.uint8)
    y = x.copy() if in_place else np.zeros(bytes_of(to_width, n, to_size, n), np.uint8)
    # moved[i]: the number in the input of the output's struct i.
    number = np.arange(n).reshape([extent[axis] for axis in from_order]).transpose(np.argsort(from_order))
    moved = number.transpose(to_order).ravel()
    source = layout(from_width, from_size, list(zip(from_offsets, field_sizes)))
    target = layout(to_width, to_size, list(zip(to_offsets, field_sizes)))
    for one, order in ((source, from_order), (target, to_order)):
        one.order, one.extent = axes(*order), (ctypes.c_uint64 * 4)(*extent)
        if list(order) == [3, 2, 1, 0] and seed % 2:
            one.order = 1 << 63  # GP_TRANSPOSED
    before = x.copy()
    host.call("gp_convert_layout", address(source), address(target), y if in_place else x, n, y, 0)
    for f, size in enumerate(field_sizes):
        at = places(from_width, n, from_size, from_offsets[f], size, n)[moved]
        to = places(to_width, n, to_size, to_offsets[f], size, n)
        for byte in range(size):
            np.testing.assert_array_equal(y[to + byte], before[at + byte])
    if not in_place and to_width == AOS:  # gaps
        taken = {o + byte for o, size in zip(to_offsets, field_sizes) for byte in range(size)}
        for byte in set(range(to_size)) - taken:
            assert not y[np.arange(n) * to_size + byte].any()


FIELDS = [(0, 4), (4, 2), (6, 2)]


@pytest.mark.parametrize("words,order,extent,count", [
    ("order is not 0, GP_TRANSPOSED or GP_AXES of each axis once", axes(0, 0, 1, 2), (10, 1, 1, 1), 10),
    ("order is not 0", axes(1, 0, 2, 3) | 1 << 63, (10, 1, 1, 1), 10),
    ("order is not 0", 1 << 50, (10, 1, 1, 1), 10),
    ("order is not 0", 32, (10, 1, 1, 1), 10),
    ("whose product is count (10)", axes(1, 0, 2, 3), (5, 2, 1, 2), 10),
    ("whose product is count (10)", axes(1, 0, 2, 3), (5, 1, 1, 1), 10),
    ("whose product is count (10)", axes(1, 0, 2, 3), (0, 2, 5, 1), 10),
    ("whose product is count (10)", axes(1, 0, 2, 3), (2**63, 2**63, 5, 2), 10),
    ("need the same extents", axes(1, 0, 2, 3), (2, 5, 1, 1), 10),
])
def test_errors_of_orders(host, words, order, extent, count):
    made = [layout(AOS, 8, FIELDS), layout(SOA, 8, FIELDS)]
    made[0].extent = (ctypes.c_uint64 * 4)(*((5, 2, 1, 1) if extent == (2, 5, 1, 1) else extent))
    made[1].extent, made[1].order = (ctypes.c_uint64 * 4)(*extent), order
    x, y = np.arange(80, dtype=np.uint8), np.zeros(80, np.uint8)
    with pytest.raises(Error) as raised:
        host.call("gp_convert_layout", *map(address, made), x, count, y, 0)
    assert raised.value.name == "GP_E_ARGUMENT" and words in raised.value.message and not y.any(), raised.value


@pytest.mark.parametrize("name,words,change", [
    ("GP_E_NULL", "from is null", {"from": None}),
    ("GP_E_NULL", "to is null", {"to": None}),
    ("GP_E_NULL", ": in is null", {"in": None}),
    ("GP_E_NULL", ": out is null", {"out": None}),
    ("GP_E_ARGUMENT", "field_count is 0, not 1 to 32", {"from": (AOS, 8, [])}),
    ("GP_E_ARGUMENT", "field_count is 33, not 1 to 32", {"to": (AOS, 99, [(i, 1) for i in range(33)])}),
    ("GP_E_ARGUMENT", "size is 0, not 1 to 1024", {"from": (AOS, 0, FIELDS)}),
    ("GP_E_ARGUMENT", "size is 1025, not 1 to 1024", {"to": (AOS, 1025, FIELDS)}),
    ("GP_E_ARGUMENT", "field 2 (2 bytes at offset 7) is not inside the struct of 8 bytes",
     {"from": (AOS, 8, [(0, 4), (4, 2), (7, 2)])}),
    ("GP_E_ARGUMENT", "field 0 (0 bytes", {"from": (AOS, 8, [(0, 0), (4, 2), (6, 2)])}),
    ("GP_E_ARGUMENT", "is not inside the struct", {"to": (AOS, 8, [(2**64 - 2, 4), (4, 2), (6, 2)])}),
    ("GP_E_ARGUMENT", "to: fields: fields 0 and 1 overlap", {"to": (AOS, 8, [(0, 4), (3, 2), (6, 2)])}),
    ("GP_E_ARGUMENT", "field_count is 2, but that of from is 3", {"to": (AOS, 8, FIELDS[:2])}),
    ("GP_E_ARGUMENT", "field 2 has 1 bytes, but that of from has 2", {"to": (AOS, 8, [(0, 4), (4, 2), (6, 1)])}),
    ("GP_E_ARGUMENT", "capacity is 9, below count (10)", {"to": (SOA, 8, FIELDS, 9)}),
    ("GP_E_ARGUMENT", "capacity is for GP_SOA only, but width is 4", {"to": (4, 8, FIELDS, 9)}),
    ("GP_E_ARGUMENT", "columns is for GP_SOA only, but width is 1", {"to": (AOS, 8, FIELDS, 0, [1, 2, 3])}),
    ("GP_E_ARGUMENT", "capacity and columns are both set; capacity is for one buffer",
     {"to": (SOA, 8, FIELDS, 99, [1, 2, 3])}),
    ("GP_E_ARGUMENT", "out is not null, but to has columns", {"to": (SOA, 8, FIELDS, 0, [1, 2, 3])}),
    ("GP_E_NULL", "columns[1] is null", {"to": (SOA, 8, FIELDS, 0, [4096, None, 8192]), "out": None}),
    ("GP_E_OVERLAP", "out and out overlap", {"to": (SOA, 8, FIELDS, 0, [4096, 4100, 8192]), "out": None}),
    ("GP_E_OVERLAP", "in and out overlap", {"out": 8}),
    ("GP_E_SIZE", "structs of 8 bytes overflow", {"count": 2**62}),
    ("GP_E_SIZE", "structs of 8 bytes overflow", {"from": (2**62, 8, FIELDS)}),
    ("GP_E_ARGUMENT", "flags has unknown bits", {"flags": 2**30}),
])
def test_errors(host, name, words, change):
    x = np.arange(400, dtype=np.uint8)
    y = x.copy()
    made = [layout(*change[k]) if change.get(k) else layout(AOS, 8, FIELDS) for k in ("from", "to")]
    given_ = [address(m) if change.get(k, 1) else None for k, m in zip(("from", "to"), made)]
    source = change.get("in", x)
    out = x[change["out"]:] if change.get("out") else change.get("out", y)
    with pytest.raises(Error, match=".") as raised:
        host.call("gp_convert_layout", given_[0], given_[1], source, change.get("count", 10), out,
                  change.get("flags", 0))
    assert raised.value.name == name and words in raised.value.message, raised.value
    np.testing.assert_array_equal(y, np.arange(400, dtype=np.uint8))


def test_other_calls_have_no_layouts(host):
    x = np.zeros(8, np.uint8)
    for words, change in (("in_layout is for convert_layout only", {"in_layout": 4096}),
                          ("GP_KEEP_GAPS is for convert_layout only", {"flags": KEEP_GAPS})):
        with pytest.raises(Error, match=words):
            host.run("copy", in_=x, out=x.copy(), in_type="u8", count=8, **change)


# ---- arrays of GP_AT

TRANSPOSED, READ_ONLY, TEXTURE, CONSTANT = 1 << 63, 1 << 32, 2 << 32, 3 << 32


class Array(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("layout", ctypes.c_uint64), ("capacity", ctypes.c_uint64),
                ("extent", ctypes.c_uint64 * 4), ("size", ctypes.c_uint), ("packed", ctypes.c_uint),
                ("texture", ctypes.c_uint64)]


def array(host, layout_=SOA, n=(100, 1, 1, 1), base=None, size=24, packed=15):
    """As made by GP_ARRAY_OF."""
    made = Array(None, SOA, 0, (ctypes.c_uint64 * 4)(*n), size, packed, 0)
    host.check(host.library.gp_array_relayout(ctypes.byref(made), ctypes.c_uint64(layout_)))
    made.base = base
    return made


@pytest.mark.parametrize("layout_", [SOA, AOS, 16, 48, 4096, SOA | TRANSPOSED, AOS | TRANSPOSED,
                                     SOA | axes(2, 0, 3, 1), 32 | axes(3, 0, 1, 2) | TEXTURE, AOS | READ_ONLY])
def test_arrays(host, layout_):
    made = array(host, layout_, (100, 3, 1, 2))
    width = layout_ & 2**32 - 1
    assert made.capacity >= 600 and made.capacity % max(width, 16) == 0 and made.layout == layout_
    assert made.capacity < 600 + max(width, 16)
    host.check(host.library.gp_array_check(ctypes.byref(made)))
    made.base = 4096
    host.check(host.library.gp_array_check(ctypes.byref(made)))
    text = ctypes.create_string_buffer(80)
    length = host.library.gp_array_define(b"Particle", ctypes.byref(made), text, ctypes.c_size_t(80))
    assert text.value.decode() == f"-DGP_LAYOUT_Particle=GP_USE({layout_}ull)" and length == len(text.value)


@pytest.mark.parametrize("name,words,change", [
    ("GP_E_ARGUMENT", "a block of 24 structs is not a multiple of 16", {"layout": 24}),
    ("GP_E_ARGUMENT", "a block of 2 structs is not a multiple of 16", {"layout": 2 | TRANSPOSED}),
    ("GP_E_ARGUMENT", "layout: its order is not 0, GP_TRANSPOSED or GP_AXES", {"layout": 0x15 << 40}),
    ("GP_E_ARGUMENT", "layout: its order", {"layout": TRANSPOSED | axes(1, 0, 2, 3)}),
    ("GP_E_ARGUMENT", "layout: its order", {"layout": 1 << 36}),
    ("GP_E_ARGUMENT", "layout: its order", {"layout": 2**63 - 1}),
    ("GP_E_ARGUMENT", "capacity is 96: it must be whole blocks and at least", {"capacity": 96}),
    ("GP_E_ARGUMENT", "capacity is 113: it must be whole blocks", {"capacity": 113}),
    ("GP_E_ARGUMENT", "size is 15, packed is 24: initialise the array with GP_ARRAY_OF", {"size": 15, "packed": 24}),
    ("GP_E_SIZE", "the product of the extents overflows", {"extent": (ctypes.c_uint64 * 4)(2**40, 1, 1, 2**30)}),
    ("GP_E_SIZE", "structs of 24 bytes overflow", {"extent": (ctypes.c_uint64 * 4)(2**62, 1, 1, 1)}),
    ("GP_E_ALIGNMENT", "is not aligned to 16 bytes", {"base": 8}),
])
def test_array_errors(host, name, words, change):
    made = array(host)
    for field, value in change.items():
        setattr(made, field, value)
    with pytest.raises(Error) as raised:
        host.check(host.library.gp_array_check(ctypes.byref(made)))
    assert raised.value.name == name and words in raised.value.message, raised.value


def test_a_layout_is_fixed_once_there_is_memory(host):
    made = array(host, AOS, base=4096)
    host.check(host.library.gp_array_relayout(ctypes.byref(made), ctypes.c_uint64(AOS)))  # its own
    for other in (SOA, AOS | axes(1, 0, 2, 3), 16 | READ_ONLY):
        with pytest.raises(Error, match="so its layout is fixed: use gp_convert_layout"):
            host.check(host.library.gp_array_relayout(ctypes.byref(made), ctypes.c_uint64(other)))
    assert made.layout == AOS and made.base == 4096
    for memory in (READ_ONLY, CONSTANT, 0):  # moves nothing
        host.check(host.library.gp_array_relayout(ctypes.byref(made), ctypes.c_uint64(AOS | memory)))
        assert made.layout == AOS | memory and made.base == 4096
    with pytest.raises(Error, match="array is null"):
        host.check(host.library.gp_array_relayout(None, ctypes.c_uint64(SOA)))
    with pytest.raises(Error, match="array is null"):
        host.check(host.library.gp_array_check(None))
