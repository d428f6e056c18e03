#!/usr/bin/env python3
"""from_python.py: the shared library (make lib) from Python, by ctypes.

Uses NumPy arrays on the host; if PyTorch or CuPy sees a GPU, their arrays and streams directly.

    python3 examples/from_python.py
"""
import ctypes
import os
import re
import sys

import numpy as np

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = os.environ.get("GPUPRIMS_LIBRARY", os.path.join(HERE, "build", "libgpuprims.so"))
BACKEND_HOST = 2


def enumerators(list_name):
    """The enumerators of one of the header's X-macros."""
    with open(os.path.join(HERE, "gpuprims.h")) as file:
        body = re.search(rf"#define {list_name}\(X\)(.*?)\n\n", file.read(), re.S).group(1)
    return {name: int(value) for name, value in re.findall(r"X\((\w+), (\d+)", body)}


TYPES, OPERATORS = enumerators("GP_TYPES"), enumerators("GP_OPERATORS")
TYPE_OF = {np.dtype(name): TYPES[short] for name, short in [
    ("int8", "I8"), ("uint8", "U8"), ("int16", "I16"), ("uint16", "U16"), ("int32", "I32"), ("uint32", "U32"),
    ("int64", "I64"), ("uint64", "U64"), ("float16", "F16"), ("float32", "F32"), ("float64", "F64"), ("bool", "BOOL")]}

gp = ctypes.CDLL(LIBRARY)
gp.gp_last_message.restype = gp.gp_result_name.restype = ctypes.c_char_p
POINTER, COUNT, INT = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int
gp.gp_open.argtypes = [POINTER, ctypes.POINTER(POINTER)]
gp.gp_close.argtypes = [POINTER]
gp.gp_reduce.argtypes = [POINTER, INT, INT, INT, POINTER, COUNT, POINTER, POINTER]
gp.gp_inclusive_scan.argtypes = [POINTER, INT, INT, INT, POINTER, COUNT, POINTER, POINTER]
gp.gp_select_if.argtypes = [POINTER, INT, INT, POINTER, POINTER, COUNT, POINTER, POINTER, POINTER]


def check(result):
    if result:
        raise RuntimeError(f"{gp.gp_result_name(result).decode()}: {gp.gp_last_message().decode()}")


class Context:
    def __init__(self, backend):
        config = (INT * 64)(256, backend)  # gp_config: struct_size, the back end; zero is the default of the rest
        self.handle = POINTER()
        check(gp.gp_open(config, ctypes.byref(self.handle)))

    def reduce(self, op, array, pointer, out, out_pointer, stream=None):
        check(gp.gp_reduce(self.handle, OPERATORS[op], TYPE_OF[np.dtype(array)], TYPE_OF[np.dtype(out)], *pointer,
                           out_pointer, stream))

    def inclusive_scan(self, op, array, pointer, out, out_pointer, stream=None):
        check(gp.gp_inclusive_scan(self.handle, OPERATORS[op], TYPE_OF[np.dtype(array)], TYPE_OF[np.dtype(out)],
                                   *pointer, out_pointer, stream))

    def select_if(self, predicate, array, scalar, pointer, out_pointer, count_pointer, stream=None):
        scalar = np.array(scalar, np.dtype(array))  # host memory, read during the call
        check(gp.gp_select_if(self.handle, OPERATORS[predicate], TYPE_OF[np.dtype(array)], scalar.ctypes.data,
                              *pointer, out_pointer, count_pointer, stream))

    def close(self):
        check(gp.gp_close(self.handle))


def on_the_host():
    context = Context(BACKEND_HOST)
    values = np.random.default_rng(1).integers(0, 256, 1_000_003, dtype=np.uint8)
    total, running = np.zeros(1, np.uint64), np.zeros(values.size, np.uint64)
    pointer = values.ctypes.data, values.size
    context.reduce("SUM", values.dtype, pointer, total.dtype, total.ctypes.data)
    context.inclusive_scan("SUM", values.dtype, pointer, running.dtype, running.ctypes.data)
    large, count = np.zeros(values.size, values.dtype), np.zeros(1, np.uint64)
    context.select_if("GREATER", values.dtype, 200, pointer, large.ctypes.data, count.ctypes.data)
    context.close()
    assert total[0] == values.sum(dtype=np.uint64)
    assert np.array_equal(running, np.cumsum(values, dtype=np.uint64))
    assert np.array_equal(large[:count[0]], values[values > 200])
    print(f"NumPy on the host: {values.size} bytes sum to {total[0]}, {count[0]} are above 200, and so says NumPy")


def on_the_gpu_with_torch(torch):
    context = Context(0)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        values = torch.randint(-1000, 1000, (1_000_003,), dtype=torch.int32, device="cuda")
        total = torch.zeros(1, dtype=torch.int64, device="cuda")
        running = torch.zeros(values.numel(), dtype=torch.int64, device="cuda")
        pointer = values.data_ptr(), values.numel()
        context.reduce("SUM", "int32", pointer, "int64", total.data_ptr(), stream.cuda_stream)
        context.inclusive_scan("SUM", "int32", pointer, "int64", running.data_ptr(), stream.cuda_stream)
        large, count = torch.empty_like(values), torch.zeros(1, dtype=torch.int64, device="cuda")
        context.select_if("GREATER", "int32", 900, pointer, large.data_ptr(), count.data_ptr(), stream.cuda_stream)
        assert torch.equal(large[:count.item()], values[values > 900])
        assert total.item() == values.sum(dtype=torch.int64).item()
        assert torch.equal(running, values.cumsum(0, dtype=torch.int64))
    context.close()
    print(f"PyTorch on the GPU: {values.numel()} integers sum to {total.item()}, and so says PyTorch")


def on_the_gpu_with_cupy(cupy):
    context = Context(0)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        values = cupy.random.randint(-1000, 1000, 1_000_003, dtype=cupy.int32)
        total, running = cupy.zeros(1, cupy.int64), cupy.zeros(values.size, cupy.int64)
        pointer = values.data.ptr, values.size
        context.reduce("SUM", "int32", pointer, "int64", total.data.ptr, stream.ptr)
        context.inclusive_scan("SUM", "int32", pointer, "int64", running.data.ptr, stream.ptr)
        large, count = cupy.empty_like(values), cupy.zeros(1, cupy.uint64)
        context.select_if("GREATER", "int32", 900, pointer, large.data.ptr, count.data.ptr, stream.ptr)
        assert bool((large[:int(count[0])] == values[values > 900]).all())
        assert int(total[0]) == int(values.sum(dtype=cupy.int64))
        assert bool((running == cupy.cumsum(values, dtype=cupy.int64)).all())
    context.close()
    print(f"CuPy on the GPU: {values.size} integers sum to {int(total[0])}, and so says CuPy")


def main():
    on_the_host()
    for name, run in (("torch", on_the_gpu_with_torch), ("cupy", on_the_gpu_with_cupy)):
        try:
            module = __import__(name)
            there = module.cuda.is_available()
        except ImportError:
            print(f"{name} is not installed: pip install {name if name == 'torch' else 'cupy-cuda13x'}")
            continue
        except Exception as error:  # installed, but without a usable driver
            print(f"{name} finds no GPU: {error}")
            continue
        if there:
            run(module)
        else:
            print(f"{name} finds no GPU")


if __name__ == "__main__":
    sys.exit(main())
