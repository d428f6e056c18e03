"""A call's memory and execution for tests/gpu/fuzz.py: on a GPU through libcuda alone, or on the host.

Both classes have one interface, so that everything but the driver's calls runs without a GPU. A slot is device memory
for one call's image, and page-locked memory for upload and download.
"""
import ctypes

import numpy as np

import gpuprims_ctypes as gp

STREAMS = 4


class DeviceError(RuntimeError):
    """The device or its context is lost: later runs mean nothing."""


def aligned(size):
    """Host memory at a multiple of 256 bytes."""
    buffer = np.zeros(size + 256, np.uint8)
    at = -buffer.ctypes.data % 256
    return buffer[at:at + size]


class Host:
    """The host back end. Its graph is the call itself, which a launch repeats."""
    backend, streams = gp.BACKEND_HOST, [None] * STREAMS

    def slot(self):
        return HostSlot()

    def enter(self):
        pass

    def upload(self, slot, size, stream):
        slot.memory[:size] = slot.there[:size]

    def download(self, slot, size, stream, second=False):
        (slot.again if second else slot.back)[:size] = slot.memory[:size]

    def capture(self, stream, call):
        return call(), call

    def launch(self, graph, stream):
        graph()

    def destroy(self, graph):
        pass

    def synchronize(self):
        pass


class HostSlot:
    def __init__(self):
        self.size = 0

    def fit(self, size):
        if size > self.size:
            self.size = size
            self.memory, self.there, self.back, self.again = (aligned(size) for _ in range(4))
            self.base = self.memory.ctypes.data


class Cuda:
    """The first device's primary context, through the driver."""
    backend = gp.BACKEND_CUDA
    NON_BLOCKING, THREAD_LOCAL = 1, 1  # CU_STREAM_NON_BLOCKING, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        address, number = ctypes.c_uint64, ctypes.c_uint
        for name, types in {
                "cuInit": [number], "cuDeviceGet": [ctypes.POINTER(ctypes.c_int), ctypes.c_int],
                "cuDevicePrimaryCtxRetain": [ctypes.POINTER(pointer), ctypes.c_int], "cuCtxSetCurrent": [pointer],
                "cuCtxSynchronize": [], "cuMemAlloc_v2": [ctypes.POINTER(address), size], "cuMemFree_v2": [address],
                "cuMemAllocHost_v2": [ctypes.POINTER(pointer), size], "cuMemFreeHost": [pointer],
                "cuMemcpyHtoDAsync_v2": [address, pointer, size, pointer],
                "cuMemcpyDtoHAsync_v2": [pointer, address, size, pointer],
                "cuStreamCreate": [ctypes.POINTER(pointer), number], "cuStreamBeginCapture_v2": [pointer, ctypes.c_int],
                "cuStreamEndCapture": [pointer, ctypes.POINTER(pointer)],
                "cuGraphInstantiateWithFlags": [ctypes.POINTER(pointer), pointer, ctypes.c_ulonglong],
                "cuGraphLaunch": [pointer, pointer], "cuGraphExecDestroy": [pointer], "cuGraphDestroy": [pointer],
                "cuGetErrorName": [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]}.items():
            function = getattr(self.library, name)
            function.argtypes, function.restype = types, ctypes.c_int
        self.call("cuInit", 0)
        device, self.context = ctypes.c_int(), pointer()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.enter()
        self.streams = [None]
        for _ in range(STREAMS - 1):
            stream = pointer()
            self.call("cuStreamCreate", ctypes.byref(stream), self.NON_BLOCKING)
            self.streams.append(stream.value)

    def call(self, name, *arguments):
        self.check(name, getattr(self.library, name)(*arguments))

    def check(self, name, code):
        if code:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            raise DeviceError(f"{name}: {(text.value or b'?').decode()} ({code})")

    def slot(self):
        return CudaSlot(self)

    def enter(self):
        self.call("cuCtxSetCurrent", self.context)

    def upload(self, slot, size, stream):
        self.call("cuMemcpyHtoDAsync_v2", slot.base, slot.there.ctypes.data, size, stream)

    def download(self, slot, size, stream, second=False):
        to = slot.again if second else slot.back
        self.call("cuMemcpyDtoHAsync_v2", to.ctypes.data, slot.base, size, stream)

    def capture(self, stream, call):
        graph, made = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuStreamBeginCapture_v2", stream, self.THREAD_LOCAL)
        result = call()
        code = self.library.cuStreamEndCapture(stream, ctypes.byref(graph))
        if result:  # which may have broken the capture
            if graph:
                self.call("cuGraphDestroy", graph)
            return result, None
        self.check("cuStreamEndCapture", code)
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(made), graph, 0)
        self.call("cuGraphDestroy", graph)
        return result, made

    def launch(self, graph, stream):
        self.call("cuGraphLaunch", graph, stream)

    def destroy(self, graph):
        self.call("cuGraphExecDestroy", graph)

    def synchronize(self):
        self.call("cuCtxSynchronize")


class CudaSlot:
    def __init__(self, device):
        self.device, self.size, self.base = device, 0, None

    def locked(self, size):
        at = ctypes.c_void_p()
        self.device.call("cuMemAllocHost_v2", ctypes.byref(at), size)
        return np.frombuffer((ctypes.c_ubyte * size).from_address(at.value), np.uint8)

    def fit(self, size):
        if size <= self.size:
            return
        if self.base:
            self.device.call("cuMemFree_v2", self.base)
            for memory in (self.there, self.back, self.again):
                self.device.call("cuMemFreeHost", memory.ctypes.data)
        size = max(2 * self.size, -(-size // 65536) * 65536)
        at = ctypes.c_uint64()
        self.device.call("cuMemAlloc_v2", ctypes.byref(at), size)
        self.base, self.size = at.value, size
        self.there, self.back, self.again = (self.locked(size) for _ in range(3))
