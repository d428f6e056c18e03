"""An initial value is an operand, in every primitive with one: each operator and type on the host against a Python
loop. Logical operators take it for true or false, whatever its value."""
import operator

import numpy as np
import pytest

from gpuprims_ctypes import DTYPES
from gpuprims_ctypes import OPERATORS as CODES

N = 40
OPERATORS = {
    "SUM": (operator.add, 0), "PROD": (operator.mul, 1), "MIN": (min, None), "MAX": (max, None),
    "BIT_AND": (operator.and_, -1), "BIT_OR": (operator.or_, 0), "BIT_XOR": (operator.xor, 0),
    "AND": (lambda a, b: int(bool(a) and bool(b)), 1), "OR": (lambda a, b: int(bool(a) or bool(b)), 0),
}
TYPES = [t for t in DTYPES if t != "bf16"]
KEYS = np.repeat(np.arange(9, dtype=np.uint32), [1, 3, 9, 1, 1, 7, 2, 15, 1])
OFFSETS = np.array([0, 0, 1, 4, 13, 13, 14, 15, 22, 24, 39, 40], np.uint32)  # empty ones among them
FOLDS = {"reduce", "segmented_reduce", "reduce_by_key", "group_by"}
PRIMITIVES = [*sorted(FOLDS), *(f"{how}{kind}_scan{by}" for kind in ("inclusive", "exclusive")
                                for how, by in (("", ""), ("segmented_", ""), ("", "_by_key")))]


def segments_of(primitive):
    if "segmented" in primitive:
        return list(zip(OFFSETS[:-1], OFFSETS[1:]))
    if primitive.endswith("by_key") or primitive == "group_by":
        ends = np.flatnonzero(np.diff(KEYS)) + 1
        return list(zip([0, *ends], [*ends, N]))
    return [(0, N)]


def operands(x, op):
    return [int(v != 0) for v in x] if op in ("AND", "OR") else [v.item() for v in x]


def expected(primitive, op, x, init):
    fold, results = OPERATORS[op][0], []
    for begin, end in segments_of(primitive):
        now = operands(init, op)[0]
        for value in operands(x[begin:end], op):
            if "exclusive" in primitive:
                results.append(now)
            now = fold(now, value)
            if "inclusive" in primitive:
                results.append(now)
        if primitive in FOLDS:
            results.append(now)
    return results


@pytest.mark.parametrize("primitive", PRIMITIVES)
@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.turn
def test_initial_value(host, threaded, primitive, op, type_):
    dtype = np.dtype(DTYPES[type_])
    floats = dtype.kind == "f"
    if floats and op.startswith("BIT"):
        return
    rng = np.random.default_rng(len(primitive) + len(op))
    x = rng.choice(np.array([1, 2] if op == "PROD" else [0, 1, 2, 3, 5], dtype), N)
    if op == "PROD":  # in range of every type
        x[np.cumsum(x == 2) > 3] = 1
    for value in (0, 1, 2, 3, 61, -5, 0.25):
        if (value < 0 and dtype.kind == "u") or (value == 0.25 and not floats) or (op == "PROD" and value == 61):
            continue
        init, out = np.full(1, value, dtype), np.zeros(N, dtype)
        with np.errstate(over="ignore"):
            wanted = np.array(expected(primitive, op, x, init)).astype(dtype)
        fields = {"op": op, "in_type": type_, "acc_type": type_, "out_type": type_, "in_": x, "out": out, "count": N,
                  "init": init}
        if "segmented" in primitive:
            fields.update(offset_type="u32", begin=OFFSETS, segments=len(OFFSETS) - 1)
        if primitive.endswith("by_key") or primitive == "group_by":
            fields.update(key_type="u32", keys=KEYS)
        if primitive in ("reduce_by_key", "group_by"):
            fields.update(out_count=np.zeros(1, np.uint64))
        for context in (host, threaded):
            out[:] = 77
            context.run(primitive, **fields)
            assert (out[:len(wanted)] == wanted).all(), (value, out[:len(wanted)], wanted)
            assert (out[len(wanted):] == 77).all()


@pytest.mark.parametrize("op", OPERATORS)
def test_of_no_elements(host, op):
    """The result of no elements is the initial value as an operand."""
    for value in (0, 1, 61, -5):
        init, out = np.full(1, value, np.int32), np.zeros(1, np.int32)
        host.run("reduce", op=op, in_type="i32", out_type="i32", out=out, count=0, init=init)
        assert out[0] == operands(init, op)[0]


@pytest.mark.parametrize("primitive", [p for p in PRIMITIVES if p != "group_by"])
@pytest.mark.parametrize("init", [False, True])
def test_stored(host, threaded, primitive, init):
    """gp_call.apply makes what is stored of a result; the accumulator keeps its type."""
    x = np.random.default_rng(5).integers(0, 9, N).astype(np.int32)
    start = np.full(1, 3 if init else 0, np.int32)
    wanted = -np.array(expected(primitive, "SUM", x, start)).astype(np.int64)
    for in_place in (False, True):
        y = x.astype(np.int64) if in_place else x
        if in_place and "scan" not in primitive:
            continue
        out = y if in_place else np.full(N + 1, 77, np.int64)
        number = np.zeros(1, np.uint64)
        fields = {"op": "SUM", "in_type": "i64" if in_place else "i32", "acc_type": "i32", "out_type": "i64", "in_": y,
                  "out": out, "count": N, "init": start if init else None, "apply": CODES["NEGATE"]}
        if "segmented" in primitive:
            fields.update(offset_type="u32", begin=OFFSETS, segments=len(OFFSETS) - 1)
        if primitive.endswith("by_key"):
            fields.update(key_type="u32", keys=KEYS)
        if primitive == "reduce_by_key":
            fields.update(out_count=number)
        for context in (host, threaded):
            if in_place:
                out[:] = x
            context.run(primitive, **fields)
            assert (out[:len(wanted)] == wanted).all()
            assert in_place or (out[len(wanted):] == 77).all()
