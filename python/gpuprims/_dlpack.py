"""Arrays on a CUDA device by DLPack: the tensor of a capsule, in the forms of versions 0 and 1 of the standard."""
from __future__ import annotations

import ctypes
from typing import Any

from ._arrays import TYPES, Library, View

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex"}
_WHOLE = {6: "bool", 10: "float8_e4m3fn", 12: "float8_e5m2"}  # names without a number of bits


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device", ctypes.c_int),
                ("ndim", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.argtypes, _pointer_of.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


def view(argument: str, array: Any, library: Library, stream: int | None) -> View:
    """The capsule is kept unused with the view: its destructor releases the tensor. The producer orders its work before
    what follows on the stream; None is the legacy default stream, which DLPack calls 1."""
    try:
        capsule = array.__dlpack__(stream=stream or 1, max_version=(1, 0))
    except TypeError:  # a producer before version 1
        capsule = array.__dlpack__(stream=stream or 1)
    readonly = False
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_pointer_of(capsule, b"dltensor_versioned") or 0)
        if versioned.major != 1:
            raise TypeError(f"{argument}: version {versioned.major} of DLPack is not known")
        tensor, readonly = versioned.tensor, bool(versioned.flags & 1)
    elif _is_valid(capsule, b"dltensor"):
        tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor") or 0)
    else:
        raise TypeError(f"{argument}: __dlpack__ gives no tensor")
    if tensor.lanes != 1 or tensor.bits % 8:
        raise TypeError(f"{argument}: elements of {tensor.bits} bits in {tensor.lanes} lanes")
    name = _WHOLE.get(tensor.code) or f"{_KINDS.get(tensor.code, '')}{tensor.bits}"
    itemsize = tensor.bits // 8
    if name not in TYPES:
        name = f"raw:{min(itemsize & -itemsize, 16)}:{name}"
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None
    made = View(array, (tensor.data or 0) + tensor.byte_offset, shape, strides, name, itemsize, tensor.device, library,
                readonly)
    made.keep = capsule
    return made
