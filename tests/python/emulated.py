"""The emulated driver for the package's CUDA side, and arrays of made-up libraries in its memory."""
import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import types

import gpuprims as gp
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = ["tests/python/emulated_driver.cpp", "tests/simt/simt.cpp", "tests/simt/async.cpp", "tests/simt/race.cpp"]
READ = [*SOURCES, "tests/unit/fake_driver.h", "tests/unit/emulated_compiler.h", "tests/simt/simt.h", "gpuprims.h"]


def library():
    """The driver, built where something is newer."""
    made = os.path.join(ROOT, "build", "tests", "emulated_driver.so")
    times = [os.stat(os.path.join(ROOT, path)).st_mtime_ns for path in READ]
    if not os.path.exists(made) or os.stat(made).st_mtime_ns < max(times):
        os.makedirs(os.path.dirname(made), exist_ok=True)
        compiler = "clang++" if shutil.which("clang++") else "g++"
        subprocess.run([compiler, "-std=c++17", "-O0", "-fPIC", "-shared", "-w", "-I.", "-Itests/simt", *SOURCES, "-o",
                        made + ".new", "-ldl", "-lpthread"], cwd=ROOT, check=True)
        os.replace(made + ".new", made)
    loaded = ctypes.CDLL(made, mode=ctypes.RTLD_GLOBAL)
    loaded.emulated_table.restype = loaded.emulated_stream.restype = ctypes.c_void_p
    loaded.emulated_last_stream.restype = ctypes.c_uint64
    loaded.emulated_destroy.argtypes = [ctypes.c_void_p]
    loaded.emulated_place.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    loaded.emulated_fail.argtypes = [ctypes.c_char_p]
    return loaded


def context(driver, device=0, **options):
    options.setdefault("cache_dir", "")
    return gp.Context("cuda", device, _driver=gp.raw.ffi.cast("struct gp_driver *", driver.emulated_table()), **options)


# ---- arrays whose memory is NumPy's


class Interface:
    """An object with __cuda_array_interface__ and nothing else."""

    def __init__(self, memory, version=3, stream=None, readonly=False, **changes):
        self.memory = memory
        about = {"shape": memory.shape, "typestr": memory.dtype.str, "data": (memory.ctypes.data, readonly),
                 "strides": None if memory.flags.c_contiguous else memory.strides, "version": version}
        if version >= 3:
            about["stream"] = stream
        about.update(changes)
        self.__cuda_array_interface__ = about


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device", ctypes.c_int)]


class Versioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", DLManagedTensor)]


def pointer_in(capsule, name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    return get(capsule, name)


class Standard:
    """An array of a library of the array API standard, on the device, by DLPack."""

    asked = []  # streams
    versioned = True

    def __init__(self, memory):
        self.memory, self.shape, self.device = memory, memory.shape, "device 0"

    def __array_namespace__(self):
        return NAMESPACE

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None, **version):
        if version and not self.versioned:
            raise TypeError("max_version")
        self.asked.append(stream)
        capsule = self.memory.__dlpack__(**version)
        if version:
            tensor = Versioned.from_address(pointer_in(capsule, b"dltensor_versioned")).tensor
        else:
            tensor = DLManagedTensor.from_address(pointer_in(capsule, b"dltensor"))
        tensor.device_type = 2
        return capsule

    def __truediv__(self, number):
        return Standard(self.memory / number)

    def __getitem__(self, place):
        return Standard(self.memory[place])

    def __int__(self):
        return int(self.memory)


NAMESPACE = types.ModuleType("standard")
for _name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "bool",
              "complex128"):
    setattr(NAMESPACE, _name, np.dtype(_name))
NAMESPACE.astype = lambda array, dtype: Standard(array.memory.astype(dtype))
NAMESPACE.empty = lambda shape, dtype, device: Standard(np.empty(shape, dtype))


class Tensor(ctypes.Structure):
    """DLPack's DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device", ctypes.c_int),
                ("dimensions", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


LOOK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p))


class Exchange(ctypes.Structure):
    """DLPack's DLPackExchangeAPI."""

    _fields_ = [("version", ctypes.c_uint32 * 2), ("before", ctypes.c_void_p), ("others", ctypes.c_void_p * 3),
                ("look", LOOK), ("stream", STREAM)]


def exchange_of(torch):
    """The capsule that PyTorch's tensors have from version 2.10 on."""
    codes = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}

    def look(array, tensor):
        memory, about = array.memory, tensor[0]
        count = memory.ndim
        array.kept = ((ctypes.c_int64 * count)(*memory.shape), (ctypes.c_int64 * count)(*array.stride()))
        about.data, about.dimensions, about.lanes, about.offset = memory.ctypes.data, count, 1, 0
        about.device_type = 2 if array.is_cuda else 1
        about.device = array.device.index or 0
        about.code = {"float8_e4m3fn": 10, "float8_e5m2": 12}.get(array.dtype.name, codes[memory.dtype.kind])
        about.bits = 8 * memory.itemsize
        about.shape, about.strides = array.kept
        return 0

    def stream(device_type, device, current):
        current[0] = torch.current
        return 0

    table = Exchange((ctypes.c_uint32 * 2)(1, 3), None, (ctypes.c_void_p * 3)(), LOOK(look), STREAM(stream))
    torch.table = table
    make = ctypes.pythonapi.PyCapsule_New
    make.argtypes, make.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
    return make(ctypes.addressof(table), NAME, None)


NAME = b"dlpack_exchange_api"


BYTES = {"float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}  # what NumPy holds them in


def numbers_of(name):
    """What the 256 bytes are as float8."""
    exponent, fraction, bias = (4, 3, 7) if name == "float8_e4m3fn" else (5, 2, 15)
    made = []
    for byte in range(256):
        power, part = byte >> fraction & (1 << exponent) - 1, byte & (1 << fraction) - 1
        number = (part * 2.0**(1 - bias - fraction) if power == 0
                  else (part + (1 << fraction)) * 2.0**(power - bias - fraction))
        if byte & 0x7F == 0x7F or fraction == 2 and byte & 0x7F > 0x7C:
            number = float("nan")
        elif fraction == 2 and byte & 0x7F == 0x7C:
            number = float("inf")
        made.append(-number if byte & 0x80 else number)
    return np.array(made, np.float32)


def torch_module(driver, exchange=False):
    """A module "torch" as far as the package uses it: tensors, streams, the caching allocator."""
    torch = types.ModuleType("torch")
    torch.current, torch.allocated, torch.log, torch.waited, torch.captured = 0, {}, [], [], False
    torch.launched, torch.locked = [], None  # copies on the device; how page-locked memory is refused

    class Device:
        def __init__(self, kind, index=None):
            self.type, self.index = kind, index

        def __str__(self):
            return self.type if self.index is None else f"{self.type}:{self.index}"

    class Dtype:
        def __init__(self, name):
            self.name = name

        def __repr__(self):
            return f"torch.{self.name}"

    class Tensor:
        def __init__(self, memory, device, requires_grad=False, dtype=None):
            self.memory, self.requires_grad = memory, requires_grad
            self.device = device
            self.dtype = dtype or getattr(torch, str(memory.dtype))
            self.shape = memory.shape
            self.is_cuda, self.is_cpu = device.type == "cuda", device.type == "cpu"

        def is_contiguous(self):
            return self.memory.flags.c_contiguous

        def data_ptr(self):
            return self.memory.ctypes.data

        def as_raw(self):
            """With elements of a type that the library does not know."""
            self.dtype = Dtype("quint8")
            return self

        def is_conj(self):
            return False

        is_neg = is_conj

        def stride(self):
            return tuple(step // self.memory.itemsize for step in self.memory.strides)

        def element_size(self):
            return self.memory.itemsize

        def to(self, what):
            if isinstance(what, Dtype):
                return Tensor(self.memory.astype(what.name), self.device)
            return Tensor(self.memory, what)

        def cuda(self):
            return Tensor(self.memory, Device("cuda", 0))

        def cpu(self):
            return Tensor(self.memory, Device("cpu"))

        def numpy(self):
            return self.memory

        def detach(self):
            return Tensor(self.memory, self.device)

        def clone(self):
            torch.launched.append("clone")
            return Tensor(self.memory.copy(), self.device)

        def repeat(self, *times):
            torch.launched.append("repeat")
            return Tensor(np.tile(self.memory, times), self.device)

        def unbind(self):
            return [Tensor(row, self.device) for row in self.memory]

        @property
        def data(self):
            return Tensor(self.memory, self.device)

        def numel(self):
            return self.memory.size

        def new_empty(self, *shape):
            shape = shape[0] if shape and isinstance(shape[0], tuple) else shape
            torch.made_on.append(torch.current)
            return Tensor(np.empty(shape, self.memory.dtype), self.device, dtype=self.dtype)

        def resize_(self, size):
            self.memory = self.memory[:size]
            self.shape = self.memory.shape
            return self

        def tolist(self):
            torch.waited.append("tolist")
            return self.memory.tolist()

        def __truediv__(self, number):
            return Tensor(self.memory / number, self.device)

        def __ne__(self, number):
            return Tensor(self.memory != number, self.device)

        def __getitem__(self, place):
            return Tensor(np.asarray(self.memory[place]), self.device)

        def __int__(self):
            torch.waited.append("int")
            return int(self.memory)

        def __float__(self):
            torch.waited.append("float")
            return float(self.memory)

    class Stream:
        def __init__(self, handle):
            self.cuda_stream = handle

        def synchronize(self):
            torch.waited.append(self.cuda_stream)
            torch.finish()

        def __enter__(self):
            self.before, torch.current = torch.current, self.cuda_stream

        def __exit__(self, *_):
            torch.current = self.before

    def allocate(size, device, stream):
        memory = np.empty(size + 256, np.uint8)
        pointer = (memory.ctypes.data + 255) & ~255
        torch.allocated[pointer] = memory
        torch.log.append((size, device, stream))
        return pointer

    for name in ("int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "bool", "complex64",
                 *BYTES):
        setattr(torch, name, Dtype(name))
    torch.Tensor, torch.device = Tensor, Device
    torch.made_on = []

    def empty(*shape, dtype, device):
        shape = shape[0] if shape and isinstance(shape[0], tuple) else shape
        if shape != (0,):
            torch.made_on.append(torch.current)
        return Tensor(np.empty(shape, BYTES.get(dtype.name, dtype.name)), device, dtype=dtype)

    def zeros(size, dtype, pin_memory):
        assert pin_memory
        if torch.locked is not None:
            raise torch.locked
        made = Tensor(np.zeros(size, dtype.name), Device("cpu"))
        torch.words = made.memory
        return made

    torch.empty, torch.zeros, torch.finish = empty, zeros, lambda: None
    torch.empty_like = lambda tensor: tensor.new_empty(*tensor.shape)
    torch.inference_mode = lambda mode: contextlib.nullcontext()
    torch.from_numpy = lambda memory: Tensor(memory, Device("cpu"))
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: True, is_current_stream_capturing=lambda: torch.captured,
        get_device_name=lambda: "an emulated GPU",
        current_stream=lambda device: Stream(torch.current), stream=lambda stream: stream,
        ExternalStream=lambda handle, device: Stream(handle), caching_allocator_alloc=allocate,
        caching_allocator_delete=lambda pointer: torch.allocated.pop(pointer))
    torch.cuda_tensor = lambda memory, index=0, **options: Tensor(np.asarray(memory), Device("cuda", index), **options)
    if exchange:
        Tensor.__dlpack_c_exchange_api__ = exchange_of(torch)
    torch.cpu_tensor = lambda memory, **options: Tensor(np.asarray(memory), Device("cpu"), **options)
    return torch


def cupy_module():
    """A module "cupy" likewise."""
    cupy = types.ModuleType("cupy")
    cupy.current, cupy.pool, cupy.devices = 0, [], []

    class Entered:
        def __init__(self, handle):
            self.ptr = self.id = handle

        def __enter__(self):
            cupy.devices.append(self.ptr)
            return self

        def __exit__(self, *_):
            cupy.devices.pop()

    class ndarray:
        def __init__(self, memory, device=0):
            self.memory, self.shape, self.dtype, self.strides = memory, memory.shape, memory.dtype, memory.strides
            self.data, self.device = types.SimpleNamespace(ptr=memory.ctypes.data), Entered(device)

        def astype(self, name):
            return ndarray(self.memory.astype(name))

        def __truediv__(self, number):
            return ndarray(np.asarray(self.memory / number))

        def __getitem__(self, place):
            return ndarray(np.asarray(self.memory[place]))

        def __int__(self):
            return int(self.memory)

        def __float__(self):
            return float(self.memory)

    def alloc(size):
        memory = np.empty(size + 256, np.uint8)
        cupy.pool.append(memory)
        return types.SimpleNamespace(ptr=(memory.ctypes.data + 255) & ~255)

    cupy.ndarray = ndarray
    cupy.empty = lambda shape, dtype: ndarray(np.empty(shape, dtype))
    cupy.asarray = lambda memory: ndarray(np.array(memory))
    cupy.cuda = types.SimpleNamespace(Device=Entered, ExternalStream=Entered, alloc=alloc,
                                      get_current_stream=lambda: Entered(cupy.current))
    return cupy


def put_module(monkeypatch, name, module):
    monkeypatch.setitem(sys.modules, name, module)
    return module
