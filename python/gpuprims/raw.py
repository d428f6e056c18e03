"""The C API, one to one: raw.gp_reduce, raw.GP_SUM, raw.ffi.new("gp_call *").

Functions, enumerators and structs are those of gpuprims.h, whose comments are their documentation. A function that
returns a gp_result returns None here and raises an exception of gpuprims.errors where the result is not GP_SUCCESS.
`const char *` results are str. Pointers are cffi's: ffi.cast("void *", address), ffi.from_buffer(array), ffi.new(...).
Calls release the GIL. The member `in` of gp_call is a keyword of Python: ffi.new("gp_call *", {"in": pointer}), or
setattr.
"""
from __future__ import annotations

from typing import Any

from ._gpuprims import ffi, lib
from ._result import error_of

__all__ = ["ffi", "lib"]

_RESULT = ffi.typeof("gp_result")
_TEXT = ffi.typeof("char *")


def _checked(function: Any, name: str) -> Any:
    def call(*arguments: Any) -> None:
        result = function(*arguments)
        if result:
            raise error_of(result)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return call


def _text(function: Any, name: str) -> Any:
    def call(*arguments: Any) -> Any:
        result = function(*arguments)
        return ffi.string(result).decode(errors="replace") if result else None

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return call


def __getattr__(name: str) -> Any:
    if not name.startswith(("gp_", "GP_", "GPUPRIMS_VERSION")):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(lib, name)
    except AttributeError:
        raise AttributeError(f"gpuprims.h has no function or enumerator {name!r}") from None
    if name.startswith("gp_"):
        kind = ffi.typeof(value)
        if kind.result is _RESULT:
            value = _checked(value, name)
        elif kind.result is _TEXT:
            value = _text(value, name)
    elif isinstance(value, ffi.CData):
        value = ffi.string(value).decode()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in dir(lib) if name.startswith(("gp_", "GP_", "GPUPRIMS_VERSION")))})
