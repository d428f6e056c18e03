"""Element types beside the numbers: each call takes them as docs/types.md says, or refuses them by name; results are
those of Python's numbers. (primitive, type) pairs that the table leaves out fail.
"""
import ctypes
import os
import re

import numpy as np
import pytest

import element_types
from element_types import CALLS, MODELS, OPERATORS, takes
from gpuprims_ctypes import OPERATORS as ALL_OPERATORS
from gpuprims_ctypes import PRIMITIVES, TYPES, Error

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
    assert re.match(rf"gp_{primitive}: (in_type|in2_type|out_type|key_type|acc_type|op|transform)\b",
                    caught.value.message), caught.value
    assert type_ in caught.value.message and (not op or caught.value.name == "GP_E_TYPE" or op in caught.value.message)


@pytest.mark.parametrize("type_", MODELS)
@pytest.mark.parametrize("pair", CALLS, ids=" ".join)
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
        host.run("reduce", op="AND", in_type=from_, out_type=to, in_=x, out=out, count=1)  # the accumulator converts


@pytest.mark.parametrize("type_, other", [(a, b) for a in MODELS for b in MODELS])
def test_conversions_between_them(host, type_, other):
    a, b = MODELS[type_], MODELS[other]
    rng = np.random.default_rng(5)
    values, x = a.draw(rng, 300)
    out = element_types.room(300 * b.size)
    host.run("transform", op="CONVERT", in_type=type_, out_type=other, in_=x, out=out, count=300)
    element_types.same_bytes(b, out, [element_types.converted(v, a, b) for v in values], "CONVERT")


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
            compile_call(host, primitive, f(m, np.random.default_rng(1), 300)[0], 300, take_type(lambda *_: None))


def compile_call(context, primitive, fields, n, take):
    from gpuprims_ctypes import Call, pointer
    call = Call(primitive=PRIMITIVES[primitive])
    for field, value in fields.items():
        if isinstance(value, str):
            value = (TYPES if field.endswith("_type") else ALL_OPERATORS)[value]
        if isinstance(value, np.ndarray) and field != "init":
            continue  # gp_compile needs no buffers
        setattr(call, field, pointer(value))
    if primitive not in ("transpose", "expand", "run_length_expand", "top_k", "nth_element"):
        call.count = n
    context.check(context.library.gp_compile(context.handle, ctypes.byref(call), 90, take, None))
