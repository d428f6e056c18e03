"""The shared library (make lib) through ctypes: gp_run on NumPy arrays, for the tests.

Enumerators come from the header's X-macros, so that a new type or operator needs nothing here. NumPy has no bfloat16:
arrays of type "bf16" are uint16 arrays of its bits.
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


def _numbered(list_name):
    return {entry[0]: int(entry[1]) for entry in _x_macro(list_name)}


RESULTS = _numbered("GP_RESULTS")
RESULT_NAMES = {number: name for name, number in RESULTS.items()}
TYPES = {entry[2]: int(entry[1]) for entry in _x_macro("GP_TYPES")}
SIZES = {entry[2]: int(entry[4]) for entry in _x_macro("GP_TYPES")}
OPERATORS = _numbered("GP_OPERATORS")
ALGORITHMS = _numbered("GP_ALGORITHMS")
CACHES = _numbered("GP_CACHES")
PRIMITIVES = {entry[2]: int(entry[1]) for entry in _x_macro("GP_PRIMITIVES")}
BACKEND_CUDA, BACKEND_HOST = 1, 2
INPUT = 1 << 30  # GP_INPUT
REPRODUCIBLE, CHECKED, RIGHT, DESCENDING, UNSORTED, KEEP_GAPS, EXCLUSIVE = 1, 2, 4, 8, 16, 32, 1024
UNTIL_TARGET, SYMMETRISE, UNIQUE_EDGES, DROP_LOOPS, FASTEST = 64, 128, 256, 512, 8192

DTYPES = {
    "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
    "i64": np.int64, "u64": np.uint64, "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64,
}

HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


C_TYPES = {"int": ctypes.c_int, "unsigned": ctypes.c_uint, "size_t": ctypes.c_size_t, "uint32_t": ctypes.c_uint32,
           "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64, "char": ctypes.c_char, "gp_host_fn": HostFunction,
           "gp_traversal_step": "TraversalStep"}


def _members(text, name):
    """(name, type) of a struct's members for ctypes; a member named like a Python keyword gets a "_"."""
    body = re.search(rf"typedef struct {name} {{\n(.*?)\n}} {name};", text, re.S).group(1)
    for declared in re.sub(r"//[^\n]*", "", body).split(";"):
        words = declared.replace("const ", "").replace("struct ", "").replace("*const", "").split(None, 1)
        if not words:
            continue
        for one in words[1].split(","):
            stars, member, count = re.fullmatch(r"\s*([*\s]*)(\w+)\s*(?:\[(\w+)\])?\s*", one).groups()
            kind = C_TYPES.get(words[0], ctypes.c_void_p if words[0].endswith("_fn") else ctypes.c_int)
            if stars.strip():
                kind = ctypes.c_char_p if words[0] == "char" else ctypes.c_void_p
            elif kind == "TraversalStep":
                kind = TraversalStep
            number = count and int(count if count.isdigit() else re.search(rf"\b{count} = (\d+)", text).group(1))
            yield member + "_" * (member in ("in", "from")), kind * number if count else kind


class Struct(ctypes.Structure):
    """A struct of the header from its members, by name or in order; sets struct_size."""

    def __init__(self, *given, **values):
        names = [name for name, _ in self._fields_]
        sized = names[0] == "struct_size"
        values.update(zip(names[sized:], given))
        super().__init__(**{name: pointer(value) for name, value in values.items()})
        self.keep = values
        if sized:
            self.struct_size = ctypes.sizeof(self)


def _struct(name, base=Struct):
    with open(HEADER, encoding="utf-8") as file:
        return type(name, (base,), {"_fields_": list(_members(file.read(), name))})


Config, TypeDesc, OpDesc, Call = (_struct(f"gp_{name}") for name in ("config", "type_desc", "op_desc", "call"))
Segments, Permutation, Layout, Axes = (_struct(f"gp_{name}") for name in
                                       ("segments", "permutation", "layout", "axes"))
Fault, Degrees, EdgeList = (_struct(f"gp_{name}") for name in ("fault", "degrees", "edge_list"))
Field, KeyField, Policy = _struct("gp_field"), _struct("gp_key_field"), _struct("gp_policy")
Aggregate, Column, Input = _struct("gp_aggregate"), _struct("gp_column"), _struct("gp_input")
TraversalStep = _struct("gp_traversal_step")
Traversal = _struct("gp_traversal")


class Graph(_struct("gp_graph")):
    """gp_graph; of() keeps the arrays alive."""

    @classmethod
    def of(cls, offsets, targets, in_offsets=None, in_sources=None, flags=0):
        graph = cls(len(offsets) - 1, len(targets), TYPES[f"u{8 * offsets.itemsize}"],
                    TYPES[f"u{8 * targets.itemsize}"], offsets, targets, in_offsets, in_sources, flags)
        graph.keep = offsets, targets, in_offsets, in_sources
        return graph


class Error(RuntimeError):
    """A result other than success: .name is "GP_E_NULL" and so on, .message that of gp_last_message."""

    def __init__(self, result, message):
        self.name, self.message = RESULT_NAMES.get(result, str(result)), message
        super().__init__(f"{self.name}: {message}")


def _declared():
    """Name and types of the arguments of each call that ends with a stream, from the header's declarations."""
    with open(HEADER, encoding="utf-8") as file:
        text = file.read()
    for name, arguments in re.findall(r"GP__API gp_result (gp_\w+)\(([^)]*gp_stream stream)\);", text):
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
    """The address of an array, or of a ctypes structure or array (None: NULL; an int: itself)."""
    if isinstance(array, (ctypes.Structure, ctypes.Array)):
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
        desc = TypeDesc(name=name.encode(), source=source and source.encode(), size=size, align=align)
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
        desc = OpDesc(name=name.encode(), body=body and body.encode(), identity=identity and identity.encode(),
                      arity=arity, commutative=commutative, host=function,
                      host_identity=ctypes.cast(value, ctypes.c_void_p) if value else None,
                      host_identity_size=len(host_identity) if host_identity else 0)
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
        """A function of the header by name, without the context and the stream; "f32" and "SUM" are enumerators."""
        values = [TYPES.get(a, OPERATORS.get(a)) if isinstance(a, str) else pointer(a) for a in arguments]
        self.check(getattr(self.library, name)(self.handle, *values, None))
