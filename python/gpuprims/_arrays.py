"""Arrays of other libraries: where their elements are, and how a result is made that belongs to the same library."""
from __future__ import annotations

import contextlib
import importlib
import math
import sys
import threading
from collections.abc import Sequence
from typing import Any

from . import _fast
from ._gpuprims import ffi, lib

_VOID, _UINTPTR, _CAST, _BUFFER = ffi.typeof("void *"), ffi.typeof("uintptr_t"), ffi.cast, ffi.from_buffer

# {name of an element type: (gp_type, bytes)}. bool is an integer of one byte to the library.
TYPES: dict[str, tuple[int, int]] = {
    "int8": (lib.GP_I8, 1), "uint8": (lib.GP_U8, 1), "int16": (lib.GP_I16, 2), "uint16": (lib.GP_U16, 2),
    "int32": (lib.GP_I32, 4), "uint32": (lib.GP_U32, 4), "int64": (lib.GP_I64, 8), "uint64": (lib.GP_U64, 8),
    "float16": (lib.GP_F16, 2), "bfloat16": (lib.GP_BF16, 2), "float32": (lib.GP_F32, 4), "float64": (lib.GP_F64, 8),
    "complex64": (lib.GP_C32, 8), "complex128": (lib.GP_C64, 16), "bool": (lib.GP_BOOL, 1),
    "float8_e4m3fn": (lib.GP_E4M3, 1), "float8_e5m2": (lib.GP_E5M2, 1)}
FOREIGN = frozenset(("bfloat16", "float8_e4m3fn", "float8_e5m2"))  # to NumPy, which has them from ml_dtypes
INTEGERS = frozenset(name for name in TYPES if "int" in name)
FLOATS = frozenset(name for name in TYPES if "float" in name)
COPIES, COPIED_BYTES = 32, 2**16  # arrays, and bytes of them, that one launch makes
COMPLEX = frozenset(name for name in TYPES if "complex" in name)


class View:
    """An array: element (i, j, ...) is at pointer + (i * strides[0] + j * strides[1] + ...) * itemsize. data: the
    pointer as C takes it. type: a gp_type; 0: raw bytes. device: -1 is the host. stream: on which the producer writes
    it, None: unknown."""

    __slots__ = ("array", "data", "shape", "strides", "name", "type", "itemsize", "device", "library", "readonly",
                 "stream", "size", "keep", "contiguous")

    def __init__(self, array: Any, pointer: Any, shape: tuple[int, ...], strides: tuple[int, ...] | None, name: str,
                 itemsize: int, device: int, library: Library, readonly: bool = False, stream: int | None = None,
                 element: int | None = None) -> None:
        self.array, self.shape, self.name, self.itemsize = array, shape, name, itemsize
        self.data = _CAST(_VOID, pointer) if type(pointer) is int else pointer
        self.type = TYPES.get(name, (0, 0))[0] if element is None else element
        self.device, self.library, self.readonly, self.stream, self.keep = device, library, readonly, stream, None
        self.size = shape[0] if len(shape) == 1 else math.prod(shape)
        if strides is None:
            self.strides, self.contiguous = dense(shape), True
        else:
            self.strides, self.contiguous = strides, is_dense(shape, strides) or not self.size

    @property
    def pointer(self) -> int:
        return int(_CAST(_UINTPTR, self.data))

    def at(self, pointer: int, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> View:
        """Other elements of the same array."""
        return View(self.array, pointer, shape, strides, self.name, self.itemsize, self.device, self.library,
                    self.readonly, self.stream, self.type)

    def typed(self, element: int) -> View:
        """The same memory, whose elements have another type for the library."""
        made = self.at(self.pointer, self.shape, self.strides)
        made.type = element
        return made

    def reversed(self, axis: int) -> View:
        """The same elements from the last to the first along an axis."""
        start = (self.shape[axis] - 1) * self.strides[axis] * self.itemsize if self.size else 0
        strides = tuple(-step if d == axis else step for d, step in enumerate(self.strides))
        return self.at(self.pointer + start, self.shape, strides)

    def permuted(self, order: Sequence[int]) -> View:
        """The same elements with dimensions in another order."""
        return self.at(self.pointer, tuple(self.shape[d] for d in order), tuple(self.strides[d] for d in order))


def is_dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Do the elements follow each other in the order of C?"""
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(shape) == 1:
        return (1,)
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def merged(shape: tuple[int, ...], *strides: tuple[int, ...]) -> tuple[list[int], list[list[int]]]:
    """The same elements in the same order with as few dimensions as possible: without those of extent 1, neighbours
    merged where all the strides allow it."""
    extents: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for d, extent in enumerate(shape):
        if extent == 1:
            continue
        if extents and all(step[-1] == given[d] * extent for step, given in zip(steps, strides, strict=True)):
            extents[-1] *= extent
            for step, given in zip(steps, strides, strict=True):
                step[-1] = given[d]
        else:
            extents.append(extent)
            for step, given in zip(steps, strides, strict=True):
                step.append(given[d])
    return extents, steps


def in_elements(argument: str, strides: Sequence[int] | None, itemsize: int) -> tuple[int, ...] | None:
    if strides is None:
        return None
    if any(stride % itemsize for stride in strides):
        raise ValueError(f"{argument}: its strides are no multiples of its elements' {itemsize} bytes")
    return tuple(stride // itemsize for stride in strides)


# ---- libraries


class Library:
    """What makes results. wide_unsigned: does it have uint64 for sums of unsigned integers? fast: its number in
    _fast.py, -1: none."""

    name = ""
    fast = -1
    wide_unsigned = True
    namespace: Any = None

    def view(self, argument: str, array: Any, stream: int | None = None) -> View:
        raise NotImplementedError

    def empty(self, shape: tuple[int, ...], name: str, like: View) -> Any:
        raise NotImplementedError

    def made(self, shape: tuple[int, ...], name: str, like: View, stream: int | None) -> View:
        """A new array, as a call sees it."""
        view = self.view("a result", self.empty(shape, name, like), stream)
        if not view.type:  # raw bytes have the alignment of the input
            view.name, view.type = like.name, like.type
        return view

    def finish(self, array: Any) -> Any:
        """A result as the caller gets it."""
        return array

    def stream(self, device: int) -> int:
        """The handle of the current stream of a device; 0: the default stream."""
        return 0

    def on_stream(self, stream: int, device: int) -> contextlib.AbstractContextManager[Any]:
        """In which memory is allocated for that stream."""
        return contextlib.nullcontext()

    def lend_words(self) -> None:
        """Gives calls on plain arrays words of page-locked memory, for which they wait."""

    def captures(self) -> bool:
        """Is the current stream captured?"""
        return False

    def copies(self, array: Any, size: int, device: int) -> list[Any]:
        """New arrays of the first `size` elements of an array."""
        return [array[:size].copy()]

    def name_of(self, dtype: Any) -> str:
        """The name of an element type: of float32, "float32" or the library's own object for it."""
        name = str(getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or dtype).rpartition(".")[2]
        name = {"float": "float64", "int": "int64", "complex": "complex128"}.get(name, name.rstrip("_"))
        if name not in TYPES:
            raise TypeError(f"dtype: {dtype!r} is none of {', '.join(TYPES)}")
        return name

    def convert(self, array: Any, name: str) -> Any:
        """An array of this library as elements of another type."""
        return self.namespace.astype(array, getattr(self.namespace, name))

    def from_host(self, array: Any, like: View) -> Any:
        """A NumPy array on the device of `like`."""
        raise TypeError(f"arrays of {type(like.array).__name__} are not made from host memory; give one on its device")


class NumpyLibrary(Library):
    """Arrays of NumPy, and what NumPy makes arrays of."""

    name = "numpy"

    def __init__(self) -> None:
        import numpy

        self.numpy = numpy
        self.names = {numpy.dtype(name): name for name in TYPES if name not in FOREIGN}
        self.foreign: dict[str, Any] = {}
        self.dtypes = {name: dtype for dtype, name in self.names.items()}
        self.known = {dtype: (name, *TYPES[name]) for dtype, name in self.names.items()}
        if type(self) is NumpyLibrary:
            elements = {TYPES[name][0]: dtype for name, dtype in self.dtypes.items()}
            if _fast.add_library(_fast.NUMPY, numpy.ndarray, numpy.empty, None, elements, None):
                self.fast = _fast.NUMPY

    def view(self, argument: str, array: Any, stream: int | None = None) -> View:
        dtype = array.dtype
        known, flags = self.known.get(dtype), array.flags
        if known is not None and flags.c_contiguous:  # half the time of what follows
            name, element, size = known
            return View(array, _BUFFER(array), array.shape, None, name, size, -1, self, not flags.writeable, None,
                        element)
        name = known[0] if known else self.raw_name(argument, dtype)
        interface = array.__array_interface__
        pointer, readonly = interface["data"]
        strides = in_elements(argument, interface["strides"], dtype.itemsize)
        return View(array, pointer, array.shape, strides, name, dtype.itemsize, -1, self, readonly)

    def raw_name(self, argument: str, dtype: Any) -> str:
        name = str(dtype)
        if name in FOREIGN:
            self.foreign[name] = dtype
            return name
        if dtype.hasobject:
            raise TypeError(f"{argument}: elements are Python objects")
        if not dtype.isnative:
            raise TypeError(f"{argument}: elements of {dtype} have the byte order of another machine")
        return f"raw:{dtype.alignment}:{dtype}"

    def dtype_of(self, name: str) -> Any:
        """NumPy's object for an element type."""
        found = self.dtypes.get(name) or self.foreign.get(name)
        if found is None:
            try:
                ml_dtypes = importlib.import_module("ml_dtypes")
            except ImportError:
                raise TypeError(f"dtype: NumPy has no {name}: install ml_dtypes") from None
            found = self.foreign[name] = self.numpy.dtype(getattr(ml_dtypes, name))
        return found

    def empty(self, shape: tuple[int, ...], name: str, like: View) -> Any:
        return self.numpy.empty(shape, self.dtype_of(name) if name in TYPES else like.array.dtype)

    def made(self, shape: tuple[int, ...], name: str, like: View, stream: int | None) -> View:
        dtype = self.dtypes.get(name)
        if dtype is None:
            return super().made(shape, name, like, stream)
        array, (element, size) = self.numpy.empty(shape, dtype), TYPES[name]
        return View(array, _BUFFER(array), shape, None, name, size, -1, self, False, None, element)

    def finish(self, array: Any) -> Any:
        return array[()] if array.ndim == 0 else array

    def convert(self, array: Any, name: str) -> Any:
        return self.numpy.asarray(array).astype(self.dtype_of(name))

    def from_host(self, array: Any, like: View) -> Any:
        return array


class DlpackHost(NumpyLibrary):
    """Arrays of other libraries in host memory, by DLPack: NumPy sees them, and results become theirs."""

    def __init__(self, namespace: Any) -> None:
        super().__init__()
        self.namespace = namespace
        self.name = namespace.__name__.partition(".")[0]

    def view(self, argument: str, array: Any, stream: int | None = None) -> View:
        if type(array) is self.numpy.ndarray:
            return super().view(argument, array)
        try:
            foreign = str(getattr(array, "dtype", "")) in FOREIGN  # NumPy's DLPack has none; ml_dtypes has
            seen = self.numpy.asarray(array) if foreign else self.numpy.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise TypeError(f"{argument}: its memory cannot be seen by DLPack: {error}") from error
        return super().view(argument, seen)

    def finish(self, array: Any) -> Any:
        return (self.namespace.asarray if str(array.dtype) in FOREIGN else self.namespace.from_dlpack)(array)


class TorchLibrary(Library):
    """Tensors of PyTorch, on the host and on GPUs."""

    name = "torch"
    wide_unsigned = False

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.known = {getattr(torch, name): (name, *about) for name, about in TYPES.items() if hasattr(torch, name)}
        self.dtypes = {name: dtype for dtype, (name, _, _) in self.known.items()}
        self.raw_stream = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)  # a tenth of the time
        self.captured: Any = (getattr(getattr(torch, "_C", None), "_cuda_isCurrentStreamCapturing", None)
                         or getattr(torch.cuda, "is_current_stream_capturing", lambda: False))
        self.makers: dict[tuple[str, int], Any] = {}  # new_empty, in 0.6 of the time of torch.empty
        self.words: Any = None
        self.lock = threading.Lock()
        exchange = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)  # from PyTorch 2.10 on
        elements = {TYPES[name][0]: dtype for name, dtype in self.dtypes.items()}
        make = torch.empty, torch.empty_like
        if exchange is not None and _fast.add_library(_fast.TORCH, torch.Tensor, *make, elements, exchange):
            self.fast = _fast.TORCH

    def view(self, argument: str, array: Any, stream: int | None = None) -> View:
        if array.requires_grad:
            raise ValueError(f"{argument} requires grad, and this call has no derivative: give {argument}.detach(), or "
                             "take a function of gpuprims.torch")
        if array.is_neg() or array.is_conj():
            raise ValueError(f"{argument} is a lazy conjugate or negative: give {argument}.resolve_conj()"
                             ".resolve_neg()")
        if array.is_cuda:
            device: int = array.device.index
        elif array.is_cpu:
            device = -1
        else:
            raise ValueError(f"{argument} is on {array.device}, neither on the host nor on a CUDA device")
        known = self.known.get(array.dtype)
        if known is not None:
            name, element, size = known
        else:
            size, element = array.element_size(), 0
            name = f"raw:{min(size, 16)}:{str(array.dtype).rpartition('.')[2]}"
        try:
            strides = None if array.is_contiguous() else tuple(array.stride())
            return View(array, array.data_ptr(), tuple(array.shape), strides, name, size, device, self, False, None,
                        element)
        except RuntimeError as error:  # sparse, nested, within torch.func
            raise TypeError(f"{argument} is no tensor with strides: {error}") from error

    def name_of(self, dtype: Any) -> str:
        known = self.known.get(dtype)
        return super().name_of(dtype) if known is None else known[0]

    def empty(self, shape: tuple[int, ...], name: str, like: View) -> Any:
        return self.torch.empty(shape, dtype=self.dtypes.get(name) or like.array.dtype, device=like.array.device)

    def made(self, shape: tuple[int, ...], name: str, like: View, stream: int | None) -> View:
        known = TYPES.get(name)
        if known is None:
            return super().made(shape, name, like, stream)
        maker = self.makers.get((name, like.device))
        if maker is None:
            none = self.torch.empty(0, dtype=self.dtypes[name], device=like.array.device)
            maker = none.new_empty
            if type(none) is self.torch.Tensor:  # not one of a mode of PyTorch
                self.makers[name, like.device] = maker
        array = maker(*shape) if shape else maker(())
        return View(array, array.data_ptr(), shape, None, name, known[1], like.device, self, False, None, known[0])

    def stream(self, device: int) -> int:
        if self.raw_stream is not None:
            return int(self.raw_stream(device))
        return int(self.torch.cuda.current_stream(device).cuda_stream)

    def on_stream(self, stream: int, device: int) -> contextlib.AbstractContextManager[Any]:
        cuda = self.torch.cuda
        manager: contextlib.AbstractContextManager[Any] = cuda.stream(cuda.ExternalStream(stream, device=device))
        return manager

    def lend_words(self) -> None:
        if self.words is not None or self.fast < 0 or self.captures():
            return
        with self.lock:
            if self.words is None:
                try:
                    self.words = self.torch.zeros(_fast.WORDS, dtype=self.torch.int64, pin_memory=True)
                    _fast.add_words(self.words.data_ptr(), self.wait)
                except RuntimeError:  # no page-locked memory: calls copy the number from the device
                    self.words = ()

    def captures(self) -> bool:
        return bool(self.captured())

    def wait(self, device: int) -> None:
        self.torch.cuda.current_stream(device).synchronize()

    def copies(self, array: Any, size: int, device: int) -> list[Any]:
        """On a device several at a time: a launch takes longer than the call that needs one."""
        number = min(COPIES, COPIED_BYTES // (array.numel() * array.element_size()))
        if device < 0 or number < 2 or self.captures():
            return [array[:size].clone()]
        with self.torch.inference_mode(False):
            return [row.data for row in array.repeat(number, 1)[:, :size].unbind()]

    def convert(self, array: Any, name: str) -> Any:
        return array.to(getattr(self.torch, name))

    def from_host(self, array: Any, like: View) -> Any:
        return self.torch.from_numpy(array).to(like.array.device)


class CupyLibrary(Library):
    """Arrays of CuPy."""

    name = "cupy"

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy
        self.known: dict[Any, tuple[str, int]] = {}  # NumPy takes a microsecond to name a type

    def view(self, argument: str, array: Any, stream: int | None = None) -> View:
        dtype = array.dtype
        if dtype not in self.known:
            name = str(dtype)
            self.known[dtype] = name if name in TYPES else f"raw:{dtype.alignment}:{name}", dtype.itemsize
        name, itemsize = self.known[dtype]
        return View(array, array.data.ptr, tuple(array.shape), in_elements(argument, array.strides, itemsize), name,
                    itemsize, array.device.id, self)

    def empty(self, shape: tuple[int, ...], name: str, like: View) -> Any:
        with self.cupy.cuda.Device(like.device):
            return self.cupy.empty(shape, name if name in TYPES else like.array.dtype)

    def stream(self, device: int) -> int:
        return int(self.cupy.cuda.get_current_stream().ptr)

    def on_stream(self, stream: int, device: int) -> contextlib.AbstractContextManager[Any]:
        manager: contextlib.AbstractContextManager[Any] = self.cupy.cuda.ExternalStream(stream)
        return manager

    def convert(self, array: Any, name: str) -> Any:
        return array.astype(name)

    def from_host(self, array: Any, like: View) -> Any:
        with self.cupy.cuda.Device(like.device):
            return self.cupy.asarray(array)


class CudaInterface(Library):
    """Objects with __cuda_array_interface__ (Numba, cuDF's columns and others), versions 2 and 3. Nobody knows how to
    make one, so that calls need out=."""

    name = "__cuda_array_interface__"

    def view(self, argument: str, array: Any, stream: int | None = None) -> View:
        about = array.__cuda_array_interface__
        version = about.get("version", 0)
        if version not in (2, 3):
            raise ValueError(f"{argument}: version {version} of __cuda_array_interface__ is neither 2 nor 3")
        if about.get("mask") is not None:
            raise ValueError(f"{argument}: masks are not supported")
        name, itemsize = _from_typestr(argument, about["typestr"])
        pointer, readonly = about["data"]
        shape = tuple(about["shape"])
        stream = about.get("stream")
        if stream is not None and (not isinstance(stream, int) or stream == 0):
            raise ValueError(f"{argument}: {stream!r} is no stream of __cuda_array_interface__")
        return View(array, pointer or 0, shape, in_elements(argument, about.get("strides"), itemsize), name, itemsize,
                    device_of_pointer(array), self, readonly, stream)

    def empty(self, shape: tuple[int, ...], name: str, like: View) -> Any:
        raise TypeError(f"results of {type(like.array).__name__} cannot be made: give out=, or an array of PyTorch, "
                        "CuPy or a library of the array API standard")


class DlpackCuda(Library):
    """Arrays of a library of the array API standard on a CUDA device, by DLPack."""

    def __init__(self, namespace: Any) -> None:
        self.namespace = namespace
        self.name = namespace.__name__.partition(".")[0]

    def view(self, argument: str, array: Any, stream: int | None = None) -> View:
        from . import _dlpack

        return _dlpack.view(argument, array, self, stream)

    def empty(self, shape: tuple[int, ...], name: str, like: View) -> Any:
        if name not in TYPES:
            raise TypeError(f"results of {name.rpartition(':')[2]} elements cannot be made by {self.name}: give out=")
        return self.namespace.empty(shape, dtype=getattr(self.namespace, name), device=like.array.device)


def _from_typestr(argument: str, text: str) -> tuple[str, int]:
    """The name and the bytes of an element of NumPy's array interface, such as "<f4"."""
    order, kind, size = text[0], text[1], int(text[2:])
    name = {"b": "bool", "i": f"int{8 * size}", "u": f"uint{8 * size}", "f": f"float{8 * size}",
            "c": f"complex{8 * size}"}.get(kind, "")
    if order == (">" if sys.byteorder == "little" else "<"):
        raise TypeError(f"{argument}: elements of {text} have the byte order of another machine")
    return (name, size) if name in TYPES else (f"raw:{size & -size if size < 16 else 16}:{text}", size)


def device_of_pointer(array: Any) -> int:
    """The device of an object of which only a pointer is known: its `device` where that has a number, otherwise 0."""
    device = getattr(array, "device", 0)
    number = getattr(device, "id", getattr(device, "index", device))
    return number if isinstance(number, int) else 0


_numpy: NumpyLibrary | None = None
# {the type of plain arrays: their library}, once one was met.
plain: dict[type, Library] = {}
_others: dict[Any, Library] = {}


def numpy_library() -> NumpyLibrary:
    global _numpy
    if _numpy is None:
        _numpy = NumpyLibrary()
        plain[_numpy.numpy.ndarray] = _numpy
    return _numpy


def _other(key: Any, make: Any, *arguments: Any) -> Library:
    if key not in _others:
        _others[key] = make(*arguments)
    return _others[key]


def library_of(argument: str, array: Any) -> tuple[Library, Any]:
    """(The library of an array, the array). Sequences and numbers become arrays of NumPy."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, numpy.ndarray):
        return numpy_library(), array
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(array, torch.Tensor):
        made = plain[torch.Tensor] = _other(torch, TorchLibrary, torch)
        return made, array
    if cupy is not None and isinstance(array, cupy.ndarray):
        return _other(cupy, CupyLibrary, cupy), array
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        kind = int(array.__dlpack_device__()[0])
        namespace = getattr(array, "__array_namespace__", None)
        if kind == 1 and namespace is not None:
            space = namespace()
            return _other((space, 1), DlpackHost, space), array
        if kind in (2, 13) and namespace is not None:  # device memory, managed memory
            space = namespace()
            return _other((space, 2), DlpackCuda, space), array
        if not hasattr(array, "__cuda_array_interface__") and not hasattr(array, "__array__"):
            raise TypeError(f"{argument}: {type(array).__name__} has __dlpack__ of device type {kind}, but no "
                            "__array_namespace__")
    if hasattr(array, "__cuda_array_interface__"):
        return _other(CudaInterface, CudaInterface), array
    if numpy is not None and isinstance(array, numpy.generic):
        return numpy_library(), numpy.asarray(array)
    if array is None or isinstance(array, (str, bytes, dict, set)):
        raise TypeError(f"{argument} is {type(array).__name__}, not an array")
    numbers = numpy_library().numpy.asarray(array)
    if numbers.dtype.hasobject:
        raise TypeError(f"{argument} is {type(array).__name__}, not an array")
    return numpy_library(), numbers


def stream_handle(stream: Any) -> int:
    """The handle of a stream: a number, or an object of PyTorch, CuPy, Numba or cuda.core."""
    if isinstance(stream, bool):
        raise TypeError(f"stream is {stream!r}")
    if isinstance(stream, int):
        handle = stream
    elif hasattr(stream, "__cuda_stream__"):
        said = stream.__cuda_stream__
        handle = int((said() if callable(said) else said)[1])
    else:
        for member in ("cuda_stream", "ptr", "handle"):
            if hasattr(stream, member):
                handle = int(getattr(stream, member))
                break
        else:
            raise TypeError(f"stream is {type(stream).__name__}: neither a number nor a stream of a known library")
    if handle < 0 or handle >> 64:
        raise ValueError(f"stream is {handle}, which is no address")
    return handle




def cast(pointer: int) -> Any:
    return _CAST(_VOID, pointer)
