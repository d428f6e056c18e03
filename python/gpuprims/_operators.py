"""Users' operators: C, or a small Python function that is run once on symbols and so becomes C."""
from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from ._arrays import FLOATS, TYPES
from ._context import Context
from ._gpuprims import ffi, lib
from .errors import OperatorError, UnsupportedError
from ._result import error_of

C_TYPES = {"int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short",
           "int32": "int", "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long",
           "float32": "float", "float64": "double", "bool": "unsigned char"}

# NVIDIA's compilers make some code with minus signs wrong (gp_op_desc); gp_negate avoids that.
DEVICE_PRELUDE = """#ifndef GPPY_NEGATE
template <class T> __device__ T gppy_negate(T x) { return gp_negate<T, T>()(x); }
#define GPPY_NEGATE(x) gppy_negate(+(x))
#define GPPY_AUTO auto
#endif
"""
HOST_PRELUDE = """#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#define GPPY_NEGATE(x) (-(x))
#define GPPY_AUTO __auto_type
"""

# ---- tracing


class Trace:
    """The statements that a function's run on symbols leaves."""

    def __init__(self, single: bool) -> None:
        self.lines: list[str] = []
        self.single = single  # float, not double

    def symbol(self, text: str, kind: str) -> Symbol:
        self.lines.append(f"const GPPY_AUTO t{len(self.lines)} = {text};")
        return Symbol(self, f"t{len(self.lines) - 1}", kind)

    def operand(self, value: Any) -> Symbol:
        if isinstance(value, Symbol):
            return value
        if hasattr(value, "item") and getattr(value, "shape", None) == ():
            value = value.item()
        if isinstance(value, bool):
            return Symbol(self, str(int(value)), "b")
        if isinstance(value, int):
            if not -2**63 < value < 2**64:
                raise OverflowError(f"the constant {value} has more than 64 bits")
            suffix = "" if abs(value) < 2**31 else "ll" if abs(value) < 2**63 else "ull"
            return Symbol(self, f"({value}{suffix})", "i")
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise ValueError(f"the constant {value} is no number that C can write")
            return Symbol(self, f"({value!r}{'f' if self.single else ''})", "f")
        raise TypeError(f"a value of {type(value).__name__} has no meaning in an operator")


class Symbol:
    """An operand while a function is traced. kind: "i", "f", or "b", the result of a comparison."""

    __slots__ = ("trace", "text", "kind")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: Trace, text: str, kind: str) -> None:
        self.trace, self.text, self.kind = trace, text, kind

    def _two(self, sign: str, a: Any, b: Any, kind: str | None = None) -> Symbol:
        a, b = self.trace.operand(a), self.trace.operand(b)
        made = kind or ("f" if "f" in (a.kind, b.kind) else "i")
        return self.trace.symbol(f"{a.text} {sign} {b.text}", made)

    def _bits(self, sign: str, a: Any, b: Any) -> Symbol:
        a, b = self.trace.operand(a), self.trace.operand(b)
        if "f" in (a.kind, b.kind):
            raise TypeError(f"{sign} is for integers and comparisons")
        return self._two(sign, a, b, "b" if a.kind == b.kind == "b" else "i")

    def _divided(self, a: Any, b: Any) -> Symbol:
        a, b = self.trace.operand(a), self.trace.operand(b)
        if "f" in (a.kind, b.kind):
            return self._two("/", a, b)
        return self.trace.symbol(f"(double){a.text} / (double){b.text}", "f")

    def __add__(self, other: Any) -> Symbol:
        return self._two("+", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return self._two("+", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return self._two("-", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return self._two("-", other, self)

    def __mul__(self, other: Any) -> Symbol:
        return self._two("*", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return self._two("*", other, self)

    def __truediv__(self, other: Any) -> Symbol:
        return self._divided(self, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return self._divided(other, self)

    def __and__(self, other: Any) -> Symbol:
        return self._bits("&", self, other)

    def __rand__(self, other: Any) -> Symbol:
        return self._bits("&", other, self)

    def __or__(self, other: Any) -> Symbol:
        return self._bits("|", self, other)

    def __ror__(self, other: Any) -> Symbol:
        return self._bits("|", other, self)

    def __xor__(self, other: Any) -> Symbol:
        return self._bits("^", self, other)

    def __rxor__(self, other: Any) -> Symbol:
        return self._bits("^", other, self)

    def __lt__(self, other: Any) -> Symbol:
        return self._two("<", self, other, "b")

    def __le__(self, other: Any) -> Symbol:
        return self._two("<=", self, other, "b")

    def __gt__(self, other: Any) -> Symbol:
        return self._two(">", self, other, "b")

    def __ge__(self, other: Any) -> Symbol:
        return self._two(">=", self, other, "b")

    def __eq__(self, other: Any) -> Symbol:  # type: ignore[override]
        return self._two("==", self, other, "b")

    def __ne__(self, other: Any) -> Symbol:  # type: ignore[override]
        return self._two("!=", self, other, "b")

    def __neg__(self) -> Symbol:
        return self.trace.symbol(f"GPPY_NEGATE({self.text})", "f" if self.kind == "f" else "i")

    def __pos__(self) -> Symbol:
        return self

    def __invert__(self) -> Symbol:
        if self.kind == "f":
            raise TypeError("~ is for integers and comparisons")
        return self.trace.symbol(f"{'!' if self.kind == 'b' else '~'}{self.text}", self.kind)

    def __abs__(self) -> Symbol:
        compare = "<=" if self.kind == "f" else "<"  # the absolute value of -0 is +0
        negated = f"0 - {self.text}" if self.kind == "f" else f"GPPY_NEGATE({self.text})"
        return self.trace.symbol(f"{self.text} {compare} 0 ? {negated} : {self.text}", self.kind)

    def __pow__(self, exponent: Any) -> Symbol:
        if isinstance(exponent, bool) or not isinstance(exponent, int) or not 1 <= exponent <= 16:
            raise TypeError(f"** {exponent!r}: only integers from 1 to 16 are exponents")
        made = self
        for _ in range(exponent - 1):
            made = made * self
        return made

    def __bool__(self) -> bool:
        raise TypeError("an operand has no value while the function is traced, so that if, and, or, not, min and max "
                        "cannot decide: use gpuprims.where, minimum, maximum, &, | and ~")

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError("only + - * / ** & | ^ ~ abs, comparisons, where, minimum and maximum have a meaning in an "
                        "operator; // and % differ between Python and C")

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rpow__ = __matmul__ = _refuse
    __lshift__ = __rshift__ = __rlshift__ = __rrshift__ = __getitem__ = __call__ = __iter__ = _refuse
    __int__ = __float__ = __index__ = __complex__ = __len__ = _refuse

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions that have a meaning here."""
        known: dict[str, Callable[..., Any]] = {
            "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
            "divide": lambda a, b: a / b, "true_divide": lambda a, b: a / b, "minimum": minimum, "maximum": maximum,
            "absolute": abs, "fabs": abs, "negative": lambda a: -a, "less": lambda a, b: a < b,
            "less_equal": lambda a, b: a <= b, "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b,
            "equal": lambda a, b: a == b, "not_equal": lambda a, b: a != b, "square": lambda a: a * a,
            "logical_and": lambda a, b: (a != 0) & (b != 0), "logical_or": lambda a, b: (a != 0) | (b != 0)}
        if method != "__call__" or options or ufunc.__name__ not in known:
            raise TypeError(f"numpy.{ufunc.__name__} has no meaning in an operator")
        return known[ufunc.__name__](*(self.trace.operand(one) for one in inputs))

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if function.__name__ == "where" and len(inputs) == 3 and not options:
            return where(*inputs)
        raise TypeError(f"numpy.{function.__name__} has no meaning in an operator")


def _trace_of(*operands: Any) -> Trace:
    for one in operands:
        if isinstance(one, Symbol):
            return one.trace
    raise TypeError("gpuprims.where, minimum and maximum are for operators; arrays have NumPy's")


def where(condition: Any, a: Any, b: Any) -> Any:
    """In an operator: a where the condition holds, otherwise b. Both are computed."""
    trace = _trace_of(condition, a, b)
    c, x, y = trace.operand(condition), trace.operand(a), trace.operand(b)
    kind = "f" if "f" in (x.kind, y.kind) else "b" if x.kind == y.kind == "b" else "i"
    return trace.symbol(f"{c.text} ? {x.text} : {y.text}", kind)


def _choice(sign: str, a: Any, b: Any) -> Any:
    trace = _trace_of(a, b)
    x, y = trace.operand(a), trace.operand(b)
    nan = f" || {x.text} != {x.text}" if x.kind == "f" else ""
    return trace.symbol(f"{x.text} {sign} {y.text}{nan} ? {x.text} : {y.text}", "f" if "f" in (x.kind, y.kind) else "i")


def minimum(a: Any, b: Any) -> Any:
    """In an operator: the smaller one; a NaN wins."""
    return _choice("<", a, b)


def maximum(a: Any, b: Any) -> Any:
    """In an operator: the larger one; a NaN wins."""
    return _choice(">", a, b)


# ---- operators


class Operator:
    """An operator of one or two operands; see gpuprims.operator."""

    def __init__(self, source: str | Callable[..., Any], *, identity: Any = None, commutative: bool = False,
                 name: str | None = None) -> None:
        self.source, self.identity, self.commutative = source, identity, commutative
        self.name = name or str(getattr(source, "__name__", "operator"))
        self.arity = 0
        if callable(source):
            import inspect

            try:
                parameters = inspect.signature(source).parameters.values()
            except (TypeError, ValueError) as error:
                raise TypeError(f"source: {source!r} tells no parameters: {error}") from error
            if any(one.kind not in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters):
                raise TypeError(f"source: {self.name} has parameters that are not positional")
            self.arity = len(parameters)
            if self.arity not in (1, 2):
                raise TypeError(f"source: {self.name} has {self.arity} parameters, neither one nor two")
        elif not isinstance(source, str) or not source.strip():
            raise TypeError("source is neither a text of C nor a function")

    def __repr__(self) -> str:
        what = repr(self.source) if isinstance(self.source, str) else f"function {self.name}"
        return f"<gpuprims.Operator: {what}>"

    def body(self, name: str, arity: int) -> str:
        """The body of the C function, for operands of a type."""
        if isinstance(self.source, str):
            return self.source if "return" in self.source else f"return {self.source};"
        if arity != self.arity:
            raise OperatorError(f"{self.name} has {self.arity} parameters, and the call has {arity} operands")
        trace = Trace(name == "float32")
        kind = "f" if name in FLOATS else "b" if name == "bool" else "i"
        operands = [Symbol(trace, one, kind) for one in "ab"[:arity]]
        try:
            result = trace.operand(self.source(*operands))
        except Exception as error:
            raise OperatorError(f"{self.name} cannot become an operator: {error}") from error
        return "\n".join([*trace.lines, f"return {result.text};"])

    def handle(self, context: Context, name: str, result: str, arity: int = 2) -> int:
        """The gp_op of a context for operands and results of these types; "bool": a predicate."""
        key = (self, name, result, arity)
        found = context.operators.get(key)
        if found is None:
            with _lock:
                found = context.operators.get(key)
                if found is None:
                    found = context.operators[key] = self._define(context, name, result, arity)
        return int(found)

    def _define(self, context: Context, name: str, result: str, arity: int) -> int:
        for one in (name, result):
            if one not in C_TYPES:
                raise OperatorError(f"{self.name}: operators of your own take no {one}: give dtype=, or convert first")
        body = self.body(name, arity)
        description, keep = ffi.new("gp_op_desc *", lib.gp_op_desc_init()), []

        def text(value: str) -> Any:
            keep.append(ffi.new("char[]", value.encode()))
            return keep[-1]

        description.name, description.body = text(self.name), text(body)
        description.prelude = text(DEVICE_PRELUDE)
        description.arity, description.commutative = arity, self.commutative
        if self.identity is not None:
            number = self.identity
            literal = repr(float(number)) + ("f" if name == "float32" else "") if name in FLOATS else f"{int(number)}ll"
            if name in FLOATS and abs(float(number)) == float("inf"):
                literal = f"{'-' if number < 0 else ''}1e38f * 1e38f"
            description.identity = text(literal)
            keep.append(ffi.new(f"{C_TYPES[name]} *", float(number) if name in FLOATS else int(number)))
            description.host_identity, description.host_identity_size = keep[-1], TYPES[name][1]
        if context.backend == "host":
            description.host = ffi.cast("gp_host_fn", host_function(self.name, body, name, result, arity))
        made = ffi.new("gp_op *")
        error = lib.gp_op_define(context.handle, description, made)
        if error:
            raise error_of(error)
        return int(made[0])


_lock = threading.RLock()
_compiled: dict[str, tuple[Any, int]] = {}


def c_compiler() -> list[str]:
    import shlex
    import shutil

    given = os.environ.get("CC")
    if given:
        return shlex.split(given)
    for one in ("cc", "gcc", "clang"):
        if shutil.which(one):
            return [one]
    raise UnsupportedError("the host back end compiles operators of your own, and there is no C compiler: install gcc "
                           "or clang, or name one in the variable CC")


def host_function(name: str, body: str, operand: str, result: str, arity: int) -> int:
    """The address of a gp_host_fn, compiled by the system's C compiler; kept as long as the process lives."""
    returned = "_Bool" if result == "bool" else C_TYPES[result]
    second = ", const T b" if arity == 2 else ""
    text = (f"{HOST_PRELUDE}typedef {C_TYPES[operand]} T;\n"
            f"static {returned} op(const T a{second}) {{\n#line 1 \"{name}\"\n{body}\n}}\n"
            "void gppy_entry(void *user, void *result, const void *a, const void *b) {\n(void)user, (void)b;\n"
            f"*({C_TYPES[result]} *)result = op(*(const T *)a{', *(const T *)b' if arity == 2 else ''});\n}}\n")
    if text not in _compiled:
        import ctypes
        import subprocess
        import tempfile

        with tempfile.TemporaryDirectory(prefix="gpuprims-") as folder:
            source, made = os.path.join(folder, "operator.c"), os.path.join(folder, "operator.so")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([*c_compiler(), "-std=gnu11", "-O2", "-w", "-shared", "-fPIC", source, "-o", made,
                                   "-lm"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                raise OperatorError(f"{name} does not compile:\n{done.stdout.strip()}")
            library = ctypes.CDLL(made)
        address = ctypes.cast(library.gppy_entry, ctypes.c_void_p).value
        assert address
        _compiled[text] = library, address
    return _compiled[text][1]


def operator(source: str | Callable[..., Any], *, identity: Any = None, commutative: bool = False,
             name: str | None = None) -> Operator:
    """An operator for reduce, scan, transform, select and topk.

    source        C: the body of a function of a and b (or of a alone), or an expression, such as
                  "a * a <= b * b ? a : b". Or a Python function, which is run once, on symbols: it may use + - * / **
                  & | ^ ~ abs, comparisons, and gpuprims.where, minimum and maximum (or NumPy's). Integers wrap as in C.
    identity      a number x with op(x, y) == y; reduce and scan need it
    commutative   reduce may reorder operands

    The GPU's compiler makes a kernel of it; for the host back end the system's C compiler is called once for each type.
    """
    return Operator(source, identity=identity, commutative=commutative, name=name)


def operator_of(op: str | Operator, known: dict[str, int], name: str = "op") -> int | Operator:
    if isinstance(op, Operator):
        return op
    if isinstance(op, str) and op in known:
        return known[op]
    raise TypeError(f"{name} is {op!r}: neither one of {', '.join(known)} nor a gpuprims.operator")
