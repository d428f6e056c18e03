"""Calls on plain arrays: contiguous ones of NumPy or PyTorch, on one device. python/fast.c runs them; a form says what
becomes of the arrays. run(form, axis, out, number, x[, y]) returns None for any other arrays, and has done nothing
then: the function goes on with Work, which checks everything and has the messages."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from ._gpuprims import ffi, lib
from ._result import error_of

if TYPE_CHECKING:
    from collections.abc import Callable

_made: dict[str, Any] = {}
if lib.gppy_install(id(_made), id(error_of)):
    raise ImportError("gpuprims: the functions of fast.c cannot be made")
run: Callable[..., Any] = _made["run"]
add_library: Callable[..., bool] = _made["library"]
add_context: Callable[[int, int, int], None] = _made["context"]
add_words: Callable[[int, Callable[[int], None]], None] = _made["words"]
is_plain: Callable[[Any], bool] = _made["is_plain"]  # as far as the type tells
is_tensor: Callable[[Any], bool] = _made["is_tensor"]
forget: Callable[[], None] = _made["forget"]

NUMPY, TORCH = lib.GPPY_NUMPY, lib.GPPY_TORCH
SAME, LAST, FLAT, NONE, ROWS, KEPT, NUMBER = (lib.GPPY_SAME, lib.GPPY_LAST, lib.GPPY_FLAT, lib.GPPY_NONE,
                                              lib.GPPY_ROWS, lib.GPPY_KEPT, lib.GPPY_NUMBER)
AXIS, SIZED, BINS, NATURALS, UNSIGNED, WAITS, FLOATS = (
    lib.GPPY_AXIS, lib.GPPY_SIZED, lib.GPPY_BINS, lib.GPPY_NATURALS, lib.GPPY_UNSIGNED, lib.GPPY_WAITS,
    lib.GPPY_FLOATS)
WORDS = lib.GPPY_WORDS * lib.GPPY_WORD_STEP  # words of 64 bits
TYPE, SIZE, SHAPE = lib.GPPY_TYPE, lib.GPPY_SIZE, lib.GPPY_SHAPE
OWN, SUM = 0, -1  # the element type of a result: that of the first input, that of its sum
# All types that are plain.
REAL = (1 << lib.GP_C32) - 1 & ~1 & ~(1 << lib.GP_I128 | 1 << lib.GP_U128) | 1 << lib.GP_E4M3 | 1 << lib.GP_E5M2
INTEGER = sum(1 << getattr(lib, f"GP_{sign}{bits}") for sign in "IU" for bits in (8, 16, 32, 64))
FLOAT, DOUBLE = 1 << lib.GP_F32 | 1 << lib.GP_F64, 1 << lib.GP_F64
FLAG = sum(1 << one for one in (lib.GP_BOOL, lib.GP_I8, lib.GP_U8, lib.GP_I16, lib.GP_U16, lib.GP_I32, lib.GP_U32))
ZERO = ffi.new("uint64_t[2]")
_keep: list[Any] = [ZERO]


def _offsets(members: str) -> tuple[int, ...]:
    """Offsets in gp_call of members that are written "data type count"; "-" is none."""
    return tuple(0 if one == "-" else ffi.offsetof("gp_call", one) for one in members.split())


def now_or_later(primitive: int, inputs: tuple[tuple[Any, ...], ...], outputs: tuple[tuple[Any, ...], ...],
                 **members: Any) -> tuple[int, int]:
    """Two forms of a call whose last result is how many elements the others have: Sized on a device; trimmed."""
    return (form(primitive, inputs, outputs, flags=SIZED, **members),
            form(primitive, inputs, outputs, flags=SIZED | WAITS, **members))


def form(primitive: int, inputs: tuple[tuple[Any, ...], ...], outputs: tuple[tuple[Any, ...], ...], *, flags: int = 0,
         rows: int = -1, **members: Any) -> int:
    """A form; fast.c says what is in it. inputs: (the members "data type count" of gp_call, types, like); outputs:
    ("data type", element, shape); members: further ones; rows: the form for the last of several dimensions."""
    call = ffi.new("gp_call *", lib.gp_call_init(primitive))
    for name, value in members.items():
        if isinstance(value, ffi.CData):
            _keep.append(value)
        setattr(call, {"in_": "in", "how": "flags"}.get(name, name), value)
    return int(_made["form"](
        bytes(ffi.buffer(call)), flags, rows,
        tuple((*_offsets(members), like, types) for members, types, like in inputs),
        tuple((*_offsets(members), element, shape) for members, element, shape in outputs)))
