"""Element types beside the numbers: each call takes them as docs/types.md says, or refuses them by name; results are
those of Python's numbers. (primitive, type) pairs that the table leaves out fail.
"""
import ctypes
import os
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import element_types
from element_types import CALLS, MODELS, OPERATORS, takes
from gpuprims_ctypes import OPERATORS as ALL_OPERATORS
from gpuprims_ctypes import DESCENDING, PRIMITIVES, TYPES, Context, Error, Input

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"]


def tables():
    """docs/types.md: {(primitive, role): {type: takes it}} and {operator: {type: works on it}}."""
    with open(os.path.join(ROOT, "docs", "types.md"), encoding="utf-8") as file:
        text = file.read()
    found = []
    for start in ("| operator |", "| call |"):
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in text[text.index(start):].split("\n\n")[0].splitlines()]
        skip = 1 if start == "| operator |" else 2
        columns = [re.findall(r"\w+", cell) for cell in rows[0][skip:]]
        table = {}
        for row in rows[2:]:
            answers = {type_: cell != "no" for column, cell in zip(columns, row[skip:]) for type_ in column}
            for name in re.findall(r"\w+", row[0]):
                table[name if skip == 1 else (name, row[1])] = answers
        found.append(table)
    return found


OPERATORS_TABLE, CALLS_TABLE = tables()


def test_the_tables_have_every_primitive_operator_and_type():
    assert {name for name, _ in CALLS_TABLE} == set(PRIMITIVES)
    assert set(OPERATORS_TABLE) == set(ALL_OPERATORS)
    assert set(OPERATORS) | {"HEADS"} == set(ALL_OPERATORS)
    assert set(MODELS) == set(TYPES) - set(NUMBERS)
    for table in (OPERATORS_TABLE, CALLS_TABLE):
        for name, answers in table.items():
            assert set(answers) == set(MODELS), name
    assert {pair for pair in CALLS_TABLE if pair[1] != "none"} == set(CALLS)


@pytest.mark.parametrize("type_", MODELS)
def test_the_models_operators_are_the_tables(type_):
    for op in OPERATORS:
        assert OPERATORS_TABLE[op][type_] == takes(MODELS[type_], op), op


def expect_refusal(context, primitive, fields, type_, op):
    with pytest.raises(Error) as caught:
        context.run(primitive, **fields)
    assert caught.value.name in ("GP_E_TYPE", "GP_E_OPERATOR"), caught.value
    assert re.match(rf"gp_{primitive}: (in_type|in2_type|out_type|key_type|acc_type|op|transform|apply|"
                    r"aggregates\[0\]\.type|columns\[0\]\.type)\b",
                    caught.value.message), caught.value
    accumulator = "f32" if type_ in ("e4m3", "e5m2") else type_
    assert type_ in caught.value.message or accumulator in caught.value.message, caught.value
    assert not op or caught.value.name == "GP_E_TYPE" or op in caught.value.message


# Each commit has every call, with one type.
@pytest.mark.parametrize("pair, type_", [
    pytest.param(pair, type_, id=f"{' '.join(pair)}-{type_}", marks=pytest.mark.turn(place + number, len(MODELS)))
    for place, pair in enumerate(CALLS) for number, type_ in enumerate(MODELS)])
def test_every_call_takes_the_type_or_refuses_it(host, threaded, pair, type_):
    primitive, _ = pair
    m = MODELS[type_]
    for number, (op, f) in enumerate(CALLS[pair].values()):
        taken = CALLS_TABLE[pair][type_] and (not op or takes(m, op))
        for n in (1, 37, 2100) if taken else (37,):
            if n == 1 and primitive in ("mismatch", "equal_arrays", "is_sorted", "top_k", "transpose"):
                continue
            rng = np.random.default_rng([number, n, TYPES[type_]])
            fields, check = f(m, rng, n)
            if not taken:
                expect_refusal(host, primitive, fields, type_, op)
                continue
            (threaded if n > 1000 else host).run(primitive, **fields)
            check()


pairs = [(pair, type_, number) for pair in CALLS for type_ in MODELS for number, (op, _) in
         enumerate(CALLS[pair].values()) if CALLS_TABLE[pair][type_] and (not op or takes(MODELS[type_], op))]


@given(st.sampled_from(pairs), st.integers(5, 700), st.integers(0, 2**20), st.booleans())
@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_any_call(host, threaded, what, n, seed, several):
    pair, type_, number = what
    fields, check = list(CALLS[pair].values())[number][1](MODELS[type_], np.random.default_rng(seed), n)
    (threaded if several else host).run(pair[0], **fields)
    check()


# ---- conversions


@pytest.mark.parametrize("other", NUMBERS)
@pytest.mark.parametrize("type_", MODELS)
def test_conversions(host, type_, other):
    """From every type and to every type, through Python's numbers."""
    m = MODELS[type_]
    for x, to, wanted in element_types.conversions(m, other):
        out = element_types.room(len(wanted))
        from_ = type_ if to == other else other
        host.run("transform", op="CONVERT", in_type=from_, out_type=to, in_=x, out=out,
                 count=len(wanted) // element_types.SIZES[to])
        bad = np.flatnonzero(out != wanted)
        assert not bad.size, f"{from_} to {to}: byte {bad[0]} of {len(wanted)}: {out[bad[0]]}, not {wanted[bad[0]]}"
        host.run("reduce", op="SUM", in_type=from_, out_type=to, in_=x, out=out, count=1)  # the accumulator converts


@pytest.mark.parametrize("type_, other", [(a, b) for a in MODELS for b in MODELS])
def test_conversions_between_them(host, type_, other):
    a, b = MODELS[type_], MODELS[other]
    rng = np.random.default_rng(5)
    values, x = a.draw(rng, 300)
    out = element_types.room(300 * b.size)
    host.run("transform", op="CONVERT", in_type=type_, out_type=other, in_=x, out=out, count=300)
    element_types.same_bytes(b, out, [element_types.converted(v, a, b) for v in values], "CONVERT")


# ---- floats of a byte

EVERY_BYTE = np.arange(256, dtype=np.uint8)


def of_table(type_, raw):
    """Elements by the exact table of all 256, as f64."""
    m = MODELS[type_]
    return np.array([m.decode(bytes([b])) for b in range(256)])[raw]


def nearest(type_, values):
    """Bytes nearest to f64 values, ties to even, by a search in the exact table."""
    m = MODELS[type_]
    numbers = np.array(m.numbers)
    size = np.abs(values)
    at = np.searchsorted((numbers[1:] + numbers[:-1]) / 2, size)  # a tie goes down
    tie = (at + 1 < len(numbers)) & (size == ((numbers[np.minimum(at + 1, len(numbers) - 1)] + numbers[at]) / 2))
    at = at + (tie & (at % 2 == 1))
    at = np.where(size > m.beyond, len(numbers), at)
    if not m.beyond_is_last:
        at = np.where(size == m.beyond, len(numbers), at)
    at = np.where(np.isnan(values), 0x7f, at)
    return (at | np.where(np.signbit(values), 0x80, 0)).astype(np.uint8)


def same_numbers(got, wanted, nans):
    """Equal bytes, but for the sign and payload of NaN."""
    assert (nans[got] == nans[wanted]).all()
    assert (got == wanted)[~nans[got]].all()


@pytest.mark.parametrize("type_", ["e4m3", "e5m2"])
def test_every_byte_of_a_float(host, type_):
    """To f32, f64 and back: the same; every operator on every pair rounds once."""
    table = of_table(type_, EVERY_BYTE)
    nans = np.isnan(table)
    assert nans.sum() == (2 if type_ == "e4m3" else 6) and np.isinf(table).sum() == (0 if type_ == "e4m3" else 2)
    assert np.nanmax(np.where(np.isinf(table), 0, table)) == (448 if type_ == "e4m3" else 57344)
    for wide, dtype in (("f32", np.float32), ("f64", np.float64), ("f16", np.float16)):
        out, back = np.zeros(256, dtype), np.zeros(256, np.uint8)
        host.run("transform", op="CONVERT", in_type=type_, out_type=wide, in_=EVERY_BYTE, out=out, count=256)
        assert np.array_equal(out.astype(np.float64), table, equal_nan=True)
        assert (np.signbit(out) == (EVERY_BYTE > 127)).all()
        host.run("transform", op="CONVERT", in_type=wide, out_type=type_, in_=out, out=back, count=256)
        same_numbers(back, EVERY_BYTE, nans)
    x, y = np.repeat(EVERY_BYTE, 256), np.tile(EVERY_BYTE, 256)
    a, b = of_table(type_, x), of_table(type_, y)
    out = np.zeros(65536, np.uint8)
    with np.errstate(invalid="ignore", over="ignore"):
        results = {"SUM": a + b, "SUB": a - b, "PROD": a * b}
    for op, wanted in results.items():  # exact in f64, and in f32 of e4m3; e5m2 sums are rounded to f32 on the way
        host.run("transform2", op=op, in_type=type_, out_type=type_, in_=x, in2=y, out=out, count=65536)
        same_numbers(out, nearest(type_, wanted.astype(np.float32).astype(np.float64)), nans)
    for op, better in (("MIN", np.where(b < a, y, x)), ("MAX", np.where(b > a, y, x))):
        host.run("transform2", op=op, in_type=type_, out_type=type_, in_=x, in2=y, out=out, count=65536)
        ordered = ~(nans[x] | nans[y])
        assert nans[out[~ordered]].all() and (of_table(type_, out) == of_table(type_, better))[ordered].all()
    order = np.argsort(np.where(EVERY_BYTE > 127, 255 - EVERY_BYTE.astype(int), EVERY_BYTE.astype(int) + 128))
    host.run("sort", key_type=type_, keys=EVERY_BYTE[::-1].copy(), out_keys=out[:256], count=256)
    assert out[:256].tolist() == order.tolist()  # IEEE 754's total order


@pytest.mark.parametrize("type_", ["e4m3", "e5m2"])
def test_floats_of_a_byte_round_once(host, type_):
    """Around every tie of the table, a step of f64 aside too: an f32 between would round twice."""
    numbers = np.array(MODELS[type_].numbers)
    ties = np.concatenate([(numbers[1:] + numbers[:-1]) / 2, [MODELS[type_].beyond], numbers, numbers * 1.25])
    values = np.concatenate([ties, np.nextafter(ties, np.inf), np.nextafter(ties, 0), [np.inf, np.nan, 1e300, 1e-300]])
    values = np.concatenate([values, -values])
    for wide, dtype in (("f64", np.float64), ("f32", np.float32)):
        given_, out = values.astype(dtype), np.zeros(len(values), np.uint8)
        host.run("transform", op="CONVERT", in_type=wide, out_type=type_, in_=given_, out=out, count=len(values))
        same_numbers(out, nearest(type_, given_.astype(np.float64)), np.isnan(of_table(type_, EVERY_BYTE)))
    host.run("transform", op="CONVERT", in_type="i64", out_type=type_, in_=np.arange(-70000, 70000), out=(
        out := np.zeros(140000, np.uint8)), count=140000)
    assert (out == nearest(type_, np.arange(-70000, 70000).astype(np.float64)))[out & 0x7f != 0x7f].all()


def test_reductions_of_floats_of_a_byte(host):
    x, out = np.full(1000, 0x38, np.uint8), np.zeros(1, np.uint8)  # 1000 times 1 in e4m3
    host.run("reduce", op="SUM", in_type="e4m3", out_type="e4m3", in_=x, out=out, count=1000)
    assert out[0] == 0x7f  # above 448
    host.run("reduce", op="SUM", in_type="e4m3", out_type="e4m3", in_=x, out=out, count=401)
    assert of_table("e4m3", out)[0] == 416  # f32 accumulates, and 401 is rounded once
    for op, wanted in (("MIN", 0x7e), ("MAX", 0xfe)):
        host.run("reduce", op=op, in_type="e4m3", out_type="e4m3", in_=x, out=out, count=0)
        assert out[0] == wanted
    host.run("reduce", op="MIN", in_type="e5m2", out_type="e5m2", in_=np.array([0x7c], np.uint8), out=out, count=1)
    assert out[0] == 0x7c


# ---- complex numbers


@pytest.mark.parametrize("descending", [0, DESCENDING])
@pytest.mark.parametrize("type_, dtype", [("c32", np.complex64), ("c64", np.complex128)])
def test_complex_keys_sort_as_in_numpy(host, type_, dtype, descending):
    """By real part, then imaginary part, NaNs last; -0 equals +0; stable."""
    some = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan, 2.5, 1e-40, -3e38]
    rng = np.random.default_rng(1)
    x = np.empty(3000, dtype)
    x.real, x.imag = rng.choice(some, 3000), rng.choice(some, 3000)
    keys, out_keys, out = element_types.number_bytes(type_, x), element_types.room(x.nbytes), np.zeros(3000, np.uint32)
    host.run("sort", key_type=type_, keys=keys, out_keys=out_keys, out_type="u32", out=out, count=3000,
             flags=descending)
    wanted = np.argsort(x, kind="stable")
    if descending:  # equal keys keep the order of the input
        runs = np.cumsum(np.r_[True, [not (a == b or (np.isnan(a) and np.isnan(b) and model_key(a) == model_key(b)))
                                      for a, b in zip(x[wanted], x[wanted][1:])]])
        wanted = wanted[np.argsort(-runs, kind="stable")]
    assert (out == wanted).all()
    assert out_keys.tobytes() == x[wanted].tobytes()


def model_key(value):
    return MODELS["c64"].key(complex(value))


@pytest.mark.parametrize("type_, dtype", [("c32", np.complex64), ("c64", np.complex128)])
def test_absolute_values(host, type_, dtype):
    rng = np.random.default_rng(2)
    scale = np.exp2(rng.uniform(-120, 120, 5000)) if type_ == "c32" else np.exp2(rng.uniform(-1000, 1000, 5000))
    x = (scale * (rng.standard_normal(5000) + 1j * rng.standard_normal(5000) * rng.choice([1, 1e-3, 0], 5000))).astype(
        dtype)
    x[:6] = [complex(np.inf, np.nan), complex(np.nan, -np.inf), complex(np.nan, 0), complex(0, np.nan), 0, 3 + 4j]
    real = MODELS[type_].real
    out = element_types.room(x.nbytes // 2)
    host.run("transform", op="ABS", in_type=type_, out_type=real, in_=element_types.number_bytes(type_, x), out=out,
             count=5000)
    got, wanted = out.view(x.real.dtype), np.abs(x)
    assert (np.isnan(got) == np.isnan(wanted)).all() and (got[:2] == np.inf).all() and got[4] == 0 and got[5] == 5
    finite = np.isfinite(wanted)
    np.testing.assert_array_max_ulp(got[finite], wanted[finite], 2)


# ---- hash tables


def group(host, op, type_, out_type=None, key_type="u32", keys=np.array([1, 1, 2, 1], np.uint32)):
    """The results of one aggregate of 4 rows, as bytes."""
    column, out, found = element_types.room(64, 1), element_types.room(64), np.zeros(1, np.uint64)
    fields, kept = element_types.aggregates([(op, type_, column, out_type or 0, out)])
    host.run("group_by_many", key_type=key_type, keys=keys, count=4, out_count=found, **fields)
    return kept and out


SUM, MIN, MAX, COUNT, MEAN, ARGMIN = range(1, 7)
SHORT = "the call takes real types of up to 8 bytes; use gp_group_by"


@pytest.mark.parametrize("op, type_, out_type, message", [
    (SUM, "bool", None, r"aggregates\[0\].out_type is bool, not an integer type"),
    (SUM, "bool", "f64", r"aggregates\[0\].out_type is f64, not an integer type"),
    (SUM, "f32", "bool", r"aggregates\[0\].out_type is bool, not a float type"),
    (SUM, "i64", "i128", r"aggregates\[0\].out_type is i128: " + SHORT),
    (SUM, "f32", "c32", r"aggregates\[0\].out_type is c32: " + SHORT),
    (SUM, "u128", "u64", r"aggregates\[0\].type is u128: " + SHORT),
    (MIN, "c64", "f64", r"aggregates\[0\].type is c64: " + SHORT),
    (MAX, "bool", "u8", r"aggregates\[0\].out_type is u8, not the type of the column"),
    (MEAN, "bool", "bool", r"aggregates\[0\].out_type is bool, not a float type"),
    (MEAN, "i32", "bool", r"aggregates\[0\].out_type is bool, not a float type"),
    (ARGMIN, "bool", "u128", r"aggregates\[0\].out_type is u128: the call takes real types of up to 8 bytes"),
    (ARGMIN, "i32", "bool", r"aggregates\[0\].out_type is bool, not i32, u32, i64 or u64")])
def test_aggregates_that_a_type_has_not(host, op, type_, out_type, message):
    with pytest.raises(Error, match=f"GP_E_TYPE: gp_group_by_many: {message}"):
        group(host, op, type_, out_type)


def test_counts_have_no_128_bits(host):
    out, found = element_types.room(64), np.zeros(1, np.uint64)
    fields, kept = element_types.aggregates([(COUNT, 0, None, "i128", out)])
    with pytest.raises(Error, match=r"aggregates\[0\].out_type is i128"):
        host.run("group_by_many", key_type="u32", keys=np.zeros(4, np.uint32), count=4, out_count=found, **fields)
    assert kept


def test_complex_keys_have_no_groups_in_order(host):
    with pytest.raises(Error, match="GP_E_TYPE: gp_group_by_many: key_type is c32: groups come in the order of their"):
        group(host, SUM, "u32", "u64", "c32", element_types.room(32))


def described(kind, type_, *parts, data=None, op=0):
    one = Input(kind=kind, type=TYPES.get(type_, type_), op=op)
    one.data = data.ctypes.data if data is not None else None
    for name, part in zip("abcd", parts):
        setattr(one, name, ctypes.addressof(part))
    return one


INPUT, ARRAY, MAPPED, ZIPPED = 0x40000000, 1, 6, 7  # GP_INPUT, and gp_input_kind


def test_zipped_keys_have_no_bool_members():
    """True has 255 bytes; converted to u8 it has one."""
    truth, other = np.array([0, 1, 2, 128, 0, 7], np.uint8), np.array([5, 5, 5, 5, 5, 6], np.uint8)
    out, found = np.zeros((6, 2), np.uint8), np.zeros(1, np.uint64)
    with Context() as context:
        pair_type = context.struct("pair", 2, 1)
        flags, numbers = described(ARRAY, "bool", data=truth), described(ARRAY, "u8", data=other)
        zipped = described(ZIPPED, pair_type, flags, numbers)
        call = dict(key_type=INPUT, count=6, out_keys=out, out_count=found)
        with pytest.raises(Error, match="GP_E_TYPE: gp_distinct: key_type: member 0 of a zipped struct is bool"):
            context.run("distinct", keys=ctypes.addressof(zipped), **call)
        number = described(MAPPED, "u8", flags, op=ALL_OPERATORS["CONVERT"])
        zipped = described(ZIPPED, pair_type, number, numbers)
        context.run("distinct", keys=ctypes.addressof(zipped), **call)
        assert found[0] == 3 and out[:3].tolist() == [[0, 5], [1, 5], [1, 6]]
        call["out_keys"] = alone = np.zeros(6, np.uint8)
        context.run("distinct", keys=ctypes.addressof(flags), **call)  # a described input of bool alone is no struct
        assert found[0] == 2 and alone[:2].tolist() == [0, 1]


@pytest.mark.parametrize("type_, dtype", [("c32", np.complex64), ("c64", np.complex128)])
def test_complex_keys_are_compared_by_bytes(host, type_, dtype):
    """As float keys are: -0 and +0 differ, and NaNs with other payloads; a NaN equals itself."""
    x = np.array([0, complex(-0.0, 0), complex(0, -0.0), np.nan, np.nan, 0, complex(0, np.nan)], dtype)
    x.view(f"u{x.itemsize // 2}")[8] ^= 1  # another payload
    out, found = element_types.room(x.nbytes), np.zeros(1, np.uint64)
    keys = element_types.number_bytes(type_, x)
    host.run("distinct", key_type=type_, keys=keys, count=7, out_keys=out, out_count=found)
    assert found[0] == 6 and out[:6 * x.itemsize].tobytes() == x[[0, 1, 2, 3, 4, 6]].tobytes()


# ---- machine code


@pytest.mark.skipif(not os.environ.get("GPUPRIMS_LONG", "0").strip("0"), reason="--every-turn and --long run it")
@pytest.mark.parametrize("type_", MODELS)
def test_every_kernel_compiles(host, type_):
    """NVRTC compiles the kernels of each call that the host back end takes: with one operator, maps and reductions with
    every one."""
    take_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
    m = MODELS[type_]
    for (primitive, role), forms in CALLS.items():
        taken = [f for op, f in forms.values() if CALLS_TABLE[primitive, role][type_] and (not op or takes(m, op))]
        for f in taken if primitive in ("transform", "transform2", "reduce") else taken[:1]:
            made = f(m, np.random.default_rng(1), 300)  # the check keeps what the fields point to
            compile_call(host, primitive, made[0], 300, take_type(lambda *_: None))


def compile_call(context, primitive, fields, n, take):
    from gpuprims_ctypes import Call, pointer
    call = Call(primitive=PRIMITIVES[primitive])
    for field, value in fields.items():
        if isinstance(value, str):
            value = (TYPES if field.endswith("_type") else ALL_OPERATORS)[value]
        if isinstance(value, np.ndarray) and field != "init":
            continue  # gp_compile needs no buffers
        setattr(call, field, pointer(value))
    if "count" in fields and primitive not in ("transpose", "expand", "run_length_expand", "top_k", "nth_element"):
        call.count = n
    context.check(context.library.gp_compile(context.handle, ctypes.byref(call), 90, take, None))
