"""The shared library (make lib) through ctypes: the whole of gp_run on NumPy arrays, as the tests use it.

Enumerators come from the X-macros of the header, so that a new type or operator needs nothing here. NumPy has no
bfloat16: arrays of type "bf16" are uint16 arrays that hold its bits.
"""
import ctypes
import os
import re

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = os.environ.get("GPUPRIMS_HEADER", os.path.join(ROOT, "gpuprims.h"))
LIBRARY = (os.environ.get("GPUPRIMS_LIBRARY") or os.environ.get("GPUPRIMS_LIB") or
           os.path.join(ROOT, "build", "libgpuprims.so"))


def _x_macro(list_name):
    with open(HEADER, encoding="utf-8") as file:
        body = re.search(rf"#define {list_name}\(X\)(.*?)\n\n", file.read(), re.S).group(1)
    return [re.split(r",\s*", entry) for entry in re.findall(r"\bX\(([^()]*)\)", body)]


def _numbered(list_name, first=1):
    return {entry[0]: number for number, entry in enumerate(_x_macro(list_name), first)}


RESULTS = _numbered("GP_RESULTS", 0)
RESULT_NAMES = {number: name for name, number in RESULTS.items()}
TYPES = {entry[1]: number for number, entry in enumerate(_x_macro("GP_TYPES"), 1)}
SIZES = {entry[1]: int(entry[3]) for entry in _x_macro("GP_TYPES")}
OPERATORS = _numbered("GP_OPERATORS")
ALGORITHMS = _numbered("GP_ALGORITHMS")
CACHES = _numbered("GP_CACHES", 0)
PRIMITIVES = {entry[1]: number for number, entry in enumerate(_x_macro("GP_PRIMITIVES"), 1)}
BACKEND_CUDA, BACKEND_HOST = 1, 2
REPRODUCIBLE, CHECKED, RIGHT, DESCENDING, UNSORTED, KEEP_GAPS = 1, 2, 4, 8, 16, 32
UNTIL_TARGET, SYMMETRISE, UNIQUE_EDGES, DROP_LOOPS = 64, 128, 256, 512

DTYPES = {
    "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
    "i64": np.int64, "u64": np.uint64, "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64,
}

HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Config(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int), ("device", ctypes.c_int), ("allocate", ctypes.c_void_p),
                ("release", ctypes.c_void_p), ("allocator_user", ctypes.c_void_p), ("log", ctypes.c_void_p),
                ("log_user", ctypes.c_void_p), ("cache_dir", ctypes.c_char_p), ("cuda_library", ctypes.c_char_p),
                ("nvrtc_library", ctypes.c_char_p), ("bundle", ctypes.c_void_p), ("no_compile", ctypes.c_int),
                ("host_threads", ctypes.c_int), ("driver", ctypes.c_void_p), ("workspaces", ctypes.c_int)]


class TypeDesc(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("source", ctypes.c_char_p), ("size", ctypes.c_size_t),
                ("align", ctypes.c_size_t)]


class OpDesc(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("body", ctypes.c_char_p), ("prelude", ctypes.c_char_p),
                ("identity", ctypes.c_char_p), ("arity", ctypes.c_int), ("commutative", ctypes.c_int),
                ("host", HostFunction), ("host_identity", ctypes.c_void_p), ("host_identity_size", ctypes.c_size_t),
                ("host_user", ctypes.c_void_p)]


class Call(ctypes.Structure):
    _fields_ = [("primitive", ctypes.c_int), ("op", ctypes.c_int), ("transform", ctypes.c_int),
                ("equal", ctypes.c_int), ("in_type", ctypes.c_int), ("in2_type", ctypes.c_int),
                ("key_type", ctypes.c_int), ("offset_type", ctypes.c_int), ("acc_type", ctypes.c_int),
                ("out_type", ctypes.c_int), ("out2_type", ctypes.c_int), ("in_", ctypes.c_void_p),
                ("in2", ctypes.c_void_p), ("keys", ctypes.c_void_p), ("keys2", ctypes.c_void_p),
                ("begin", ctypes.c_void_p),
                ("end", ctypes.c_void_p), ("out", ctypes.c_void_p), ("out_keys", ctypes.c_void_p),
                ("out2", ctypes.c_void_p), ("out3", ctypes.c_void_p), ("out_count", ctypes.c_void_p),
                ("bad", ctypes.c_void_p), ("count", ctypes.c_uint64), ("count_device", ctypes.c_void_p),
                ("segments", ctypes.c_uint64), ("length", ctypes.c_uint64), ("bins", ctypes.c_uint64),
                ("count2", ctypes.c_uint64), ("begin_bit", ctypes.c_int), ("end_bit", ctypes.c_int),
                ("fields", ctypes.c_void_p), ("field_count", ctypes.c_int), ("in_layout", ctypes.c_void_p),
                ("out_layout", ctypes.c_void_p), ("channels", ctypes.c_int),
                ("active", ctypes.c_int), ("init", ctypes.c_void_p),
                ("step", ctypes.c_void_p), ("flags", ctypes.c_int), ("policy", ctypes.c_void_p),
                ("permutation", ctypes.c_void_p), ("graph", ctypes.c_void_p), ("source", ctypes.c_uint64),
                ("sources", ctypes.c_void_p), ("source_device", ctypes.c_void_p), ("target", ctypes.c_uint64),
                ("limit", ctypes.c_uint64), ("statistics", ctypes.c_void_p), ("fault", ctypes.c_void_p),
                ("out_graph", ctypes.c_void_p)]


class Graph(ctypes.Structure):
    """gp_graph; of() keeps the arrays alive."""
    _fields_ = [("vertices", ctypes.c_uint64), ("edges", ctypes.c_uint64), ("offset_type", ctypes.c_int),
                ("vertex_type", ctypes.c_int), ("offsets", ctypes.c_void_p), ("targets", ctypes.c_void_p),
                ("in_offsets", ctypes.c_void_p), ("in_sources", ctypes.c_void_p), ("flags", ctypes.c_int)]

    @classmethod
    def of(cls, offsets, targets, in_offsets=None, in_sources=None, flags=0):
        graph = cls(len(offsets) - 1, len(targets), TYPES[f"u{8 * offsets.itemsize}"],
                    TYPES[f"u{8 * targets.itemsize}"], pointer(offsets), pointer(targets), pointer(in_offsets),
                    pointer(in_sources), flags)
        graph.keep = offsets, targets, in_offsets, in_sources
        return graph


class Fault(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint64), ("vertex", ctypes.c_uint64), ("edge", ctypes.c_uint64)]


class Degrees(ctypes.Structure):
    _fields_ = [("vertices", ctypes.c_uint64), ("edges", ctypes.c_uint64), ("least", ctypes.c_uint64),
                ("most", ctypes.c_uint64), ("histogram", ctypes.c_uint64 * 65)]


class EdgeList(ctypes.Structure):
    _fields_ = [("vertices", ctypes.c_uint64), ("count", ctypes.c_uint64), ("vertex_type", ctypes.c_int),
                ("pairs", ctypes.c_void_p), ("symmetric", ctypes.c_int)]


class Permutation(ctypes.Structure):
    _fields_ = [("dimensions", ctypes.c_int), ("order", ctypes.c_int * 4), ("extent", ctypes.c_uint64 * 4),
                ("in_stride", ctypes.c_uint64 * 4), ("out_stride", ctypes.c_uint64 * 4)]


class Field(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_size_t), ("size", ctypes.c_size_t)]


class Layout(ctypes.Structure):
    _fields_ = [("width", ctypes.c_uint64), ("size", ctypes.c_size_t), ("fields", ctypes.POINTER(Field)),
                ("field_count", ctypes.c_int), ("capacity", ctypes.c_uint64),
                ("columns", ctypes.POINTER(ctypes.c_void_p))]


class TraversalStep(ctypes.Structure):
    _fields_ = [("nanoseconds", ctypes.c_uint64), ("reached", ctypes.c_uint64), ("edges", ctypes.c_uint64),
                ("kind", ctypes.c_uint32), ("depth", ctypes.c_uint32)]


class Traversal(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_uint64) for name in ("reached", "edges", "inspected", "levels", "bottom_up", "small",
                                                       "bytes", "steps")), ("step", TraversalStep * 32)]


class Error(RuntimeError):
    """A result other than success: .name is "GP_E_NULL" and so on, .message what gp_last_message said."""

    def __init__(self, result, message):
        self.name, self.message = RESULT_NAMES.get(result, str(result)), message
        super().__init__(f"{self.name}: {message}")


def _declared():
    """Name and types of the arguments of each call that ends with a stream, as the header declares it."""
    with open(HEADER, encoding="utf-8") as file:
        text = file.read()
    for name, arguments in re.findall(r"GPUPRIMS__API gp_result (gp_\w+)\(([^)]*gp_stream stream)\);", text):
        yield name, [ctypes.c_void_p if "*" in one or one.startswith("gp_stream") else
                     ctypes.c_uint64 if one.startswith("uint64_t") else ctypes.c_int
                     for one in re.split(r",\s*", arguments)]


def load(path=LIBRARY):
    library = ctypes.CDLL(path)
    for name, types in _declared():
        getattr(library, name).argtypes = types
    library.gp_last_message.restype = ctypes.c_char_p
    library.gp_last_message.argtypes = []
    library.gp_open.argtypes = [ctypes.POINTER(Config), ctypes.POINTER(ctypes.c_void_p)]
    library.gp_close.argtypes = [ctypes.c_void_p]
    library.gp_run.argtypes = [ctypes.c_void_p, ctypes.POINTER(Call), ctypes.c_void_p]
    library.gp_type_struct.argtypes = [ctypes.c_void_p, ctypes.POINTER(TypeDesc), ctypes.POINTER(ctypes.c_int)]
    library.gp_op_define.argtypes = [ctypes.c_void_p, ctypes.POINTER(OpDesc), ctypes.POINTER(ctypes.c_int)]
    library.gp_fault_text.restype = ctypes.c_char_p
    library.gp_fault_text.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    library.gp_edges_read.argtypes = [ctypes.c_char_p, ctypes.POINTER(EdgeList)]
    library.gp_edges_parse.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(EdgeList)]
    library.gp_edges_free.argtypes = [ctypes.POINTER(EdgeList)]
    library.gp_edges_free.restype = None
    return library


def pointer(array):
    """The address of an array or a ctypes structure (None: NULL; an int: itself)."""
    if isinstance(array, ctypes.Structure):
        return ctypes.addressof(array)
    return array.ctypes.data if isinstance(array, np.ndarray) else array


class Context:
    """A context. Types are names ("f32") or handles, operators names ("SUM") or handles."""

    def __init__(self, backend=BACKEND_HOST, threads=0, library=None):
        self.library, self.handle, self.keep = library or load(), ctypes.c_void_p(), []
        self.check(self.library.gp_open(ctypes.byref(Config(backend=backend, host_threads=threads)),
                                        ctypes.byref(self.handle)))

    def check(self, result):
        if result:
            raise Error(result, self.library.gp_last_message().decode())

    def close(self):
        self.check(self.library.gp_close(self.handle))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def struct(self, name, size, align, source=None):
        handle = ctypes.c_int()
        desc = TypeDesc(name.encode(), source and source.encode(), size, align)
        self.check(self.library.gp_type_struct(self.handle, ctypes.byref(desc), ctypes.byref(handle)))
        return handle.value

    def operator(self, name, host=None, arity=2, commutative=0, host_identity=None, body=None, identity=None):
        """host: a HostFunction, or host(result, a, b) with addresses (b is None for a unary operator); host_identity:
        bytes."""
        handle = ctypes.c_int()
        function = HostFunction()
        if host:
            function = host if isinstance(host, HostFunction) else HostFunction(lambda _, r, a, b: host(r, a, b))
        value = ctypes.create_string_buffer(host_identity, len(host_identity)) if host_identity else None
        desc = OpDesc(name.encode(), body and body.encode(), None, identity and identity.encode(), arity, commutative,
                      function, ctypes.cast(value, ctypes.c_void_p) if value else None,
                      len(host_identity) if host_identity else 0, None)
        self.keep.append((function, desc))
        self.check(self.library.gp_op_define(self.handle, ctypes.byref(desc), ctypes.byref(handle)))
        return handle.value

    def run(self, primitive, *, count_device=None, stream=None, **fields):
        """gp_run. fields: those of gp_call; pointers are arrays or addresses, count_device is the number itself."""
        call = Call(primitive=PRIMITIVES.get(primitive, primitive))
        for field, value in fields.items():
            if isinstance(value, str):
                value = (TYPES if field.endswith("_type") else OPERATORS)[value]
            setattr(call, field, pointer(value))
        bound = ctypes.c_uint64(count_device or 0)
        if count_device is not None:
            call.count_device = ctypes.addressof(bound)
        self.check(self.library.gp_run(self.handle, ctypes.byref(call), stream))

    def call(self, name, *arguments):
        """A function of the header by its name, without the context and the stream; "f32" and "SUM" are enumerators."""
        values = [TYPES.get(a, OPERATORS.get(a)) if isinstance(a, str) else pointer(a) for a in arguments]
        self.check(getattr(self.library, name)(self.handle, *values, None))
