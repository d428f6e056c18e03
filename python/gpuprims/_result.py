"""Results of the C API as exceptions."""
from __future__ import annotations

from . import errors
from ._gpuprims import ffi, lib


def error_of(result: int) -> errors.GpuprimsError:
    """The exception for a result of a call that this thread has just made."""
    name = ffi.string(lib.gp_result_name(result)).decode()
    message = ffi.string(lib.gp_last_message()).decode(errors="replace")
    made = errors.CLASSES.get(name, errors.GpuprimsError)(message or name)
    made.result = result
    return made


def check(result: int) -> None:
    if result:
        raise error_of(result)
