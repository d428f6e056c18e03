"""Calls of every primitive on the element types beside the numbers, and what they give: in Python's numbers.

A model holds a type's values as Python numbers and its bytes as NumPy arrays of u8. CALLS has an entry for each
primitive and role (elements, keys, ...): a function that makes the members of gp_call and the check of the outputs.
"""
import ctypes
import math
import struct

import numpy as np

from gpuprims_ctypes import SIZES, DESCENDING, TYPES, Aggregate, Axes, Column, Permutation, pointer


def room(bytes_, fill=0xA5):
    """Memory aligned to 16 bytes."""
    whole = np.full(bytes_ + 32, fill, np.uint8)
    start = -whole.ctypes.data % 16
    return whole[start:start + bytes_]


class Model:
    """values: what small data is drawn from, so that sums and products are exact."""
    has_order, has_arg, has_ramp, has_sub, has_negate, has_bits = True, True, True, True, True, False

    def __init__(self, name):
        self.name, self.size = name, SIZES[name]

    def bytes_of(self, values):
        out = room(len(values) * self.size)
        out[:] = np.frombuffer(b"".join(self.encode(v) for v in values), np.uint8)
        return out

    def values_of(self, array):
        raw = array.tobytes()
        return [self.decode(raw[i:i + self.size]) for i in range(0, len(raw), self.size)]

    def draw(self, rng, n):
        """(values, bytes): small numbers, some of them in several forms."""
        values = [self.values[i] for i in rng.integers(0, len(self.values), n)]
        return values, self.bytes_of(values)

    def initial(self, op, value):
        """An initial value, in the type of the accumulator."""
        return self.bytes_of([value])

    def key(self, value):
        """Sorts as the values do."""
        return value

    def mark(self, value):
        """Equal for equal keys of a hash table: those of the same bytes."""
        return self.encode(value)


class Bool(Model):
    """Truth, from any byte."""
    has_ramp = has_sub = has_negate = False
    has_bits = True
    values = [False, True]

    def encode(self, value):
        return bytes([1 if value else 0])

    def decode(self, raw):
        return raw[0] != 0

    def draw(self, rng, n):
        raw = room(n)
        raw[:] = rng.choice(np.array([0, 0, 0, 1, 1, 2, 128, 255], np.uint8), n)
        return self.values_of(raw), raw

    def binary(self, op, a, b):
        a, b = bool(a), bool(b)
        return {"SUM": a or b, "MAX": a or b, "OR": a or b, "BIT_OR": a or b, "BIT_XOR": a != b}.get(op, a and b)

    def unary(self, op, a):
        return not a if op == "NOT" else bool(a)

    def identity(self, op):
        return op in ("PROD", "MIN", "AND", "BIT_AND")

    def to_number(self, values, type_, oracle):
        return oracle.convert(np.array(values, np.uint8), "u8", type_)

    def from_number(self, array, type_, oracle):
        return list(oracle.widest(array, type_) != 0)  # NaN is true

    def convert(self, _, value):
        return value != 0


def rounded(value, type_):
    """An integer as a float of the type, in one rounding to f32 and f64, through f64 to the half types."""
    if type_ != "f32":
        return float(value)
    cut = max(abs(value).bit_length() - 24, 0)
    low, kept = abs(value) & ((1 << cut) - 1), abs(value) >> cut
    kept += 2 * low > 1 << cut or (2 * low == 1 << cut and kept & 1 and cut > 0)
    return math.copysign(math.inf if kept << cut >> 128 else math.ldexp(kept, cut), value) if value else 0.0


class Integer(Model):
    """128 bits: sums wrap."""
    has_arg = False
    has_bits = True

    def __init__(self, name):
        super().__init__(name)
        self.signed = name[0] == "i"
        some = [0, 1, 2, 3, (1 << 64) - 1, 1 << 64, 5 << 64, (1 << 127) - 1, (1 << 63) + 7, 1 << 126]
        self.values = some + ([-v for v in some[1:]] + [-(1 << 127)] if self.signed else [v << 1 | 1 for v in some])

    def wrap(self, value):
        value %= 1 << 128
        return value - (1 << 128) if self.signed and value >> 127 else value

    def encode(self, value):
        return (value % (1 << 128)).to_bytes(16, "little")

    def decode(self, raw):
        return self.wrap(int.from_bytes(raw, "little"))

    def times(self, value, i):
        return self.wrap(value * i)

    def binary(self, op, a, b):
        return self.wrap({"SUM": lambda: a + b, "SUB": lambda: a - b, "PROD": lambda: a * b, "MIN": lambda: min(a, b),
                          "MAX": lambda: max(a, b), "BIT_AND": lambda: a & b, "BIT_OR": lambda: a | b,
                          "BIT_XOR": lambda: a ^ b, "AND": lambda: int(a != 0 and b != 0),
                          "OR": lambda: int(a != 0 or b != 0)}[op]())

    def operand(self, op, value):
        return int(value != 0) if op in ("AND", "OR") else value

    def unary(self, op, a):
        return self.wrap({"CONVERT": a, "NEGATE": -a, "ABS": abs(a), "SQUARE": a * a, "NOT": int(a == 0)}[op])

    def identity(self, op):
        low, high = (-(1 << 127), (1 << 127) - 1) if self.signed else (0, (1 << 128) - 1)
        return {"PROD": 1, "AND": 1, "MIN": high, "MAX": low, "BIT_AND": self.wrap(-1)}.get(op, 0)

    def to_number(self, values, type_, oracle):
        if oracle.is_float(type_):
            return oracle.convert(np.array([rounded(v, type_) for v in values]), "f64", type_)
        bits = 8 * SIZES[type_]
        return np.array([v % (1 << bits) for v in values], np.uint64).astype(f"u{bits // 8}").view(oracle.DTYPES[type_])

    def from_number(self, array, type_, oracle):
        wide = oracle.widest(array, type_)
        if not oracle.is_float(type_):
            return [self.wrap(int(v)) for v in wide]
        low, high = self.identity("MAX"), self.identity("MIN")
        return [0 if v != v else low if v <= low else high if v >= high else int(v) for v in map(float, wide)]

    def convert(self, a, value):
        if isinstance(value, (complex, float)):  # saturates
            return min(max(int(value.real), self.identity("MAX")), self.identity("MIN"))
        return self.wrap(int(value))


class Real(Model):
    """What ABS of complex numbers gives."""

    def encode(self, value):
        return struct.pack("<f" if self.size == 4 else "<d", value)

    def decode(self, raw):
        return struct.unpack("<f" if self.size == 4 else "<d", raw)[0]


class Complex(Model):
    """Small whole numbers; products are of units, and so exact."""
    has_order = has_arg = has_ramp = False
    values = [0j, 1 + 0j, -1 + 0j, 1j, -1j, 3 + 4j, -3 - 4j, 5 + 0j, 2 - 1j, complex(-0.0, 0.0)]
    most = {"PROD": 12}

    def __init__(self, name):
        super().__init__(name)
        self.real = "f32" if name == "c32" else "f64"
        self.absolute = Real(self.real)
        self.format = "<ff" if name == "c32" else "<dd"

    def encode(self, value):
        value = complex(value)
        return struct.pack(self.format, value.real, value.imag)

    def decode(self, raw):
        return complex(*struct.unpack(self.format, raw))

    def key(self, value):
        """NumPy's order."""
        real, imag = value.real, value.imag
        a, b = real != real, imag != imag
        return (a, b, 0.0 if a else real + 0.0, 0.0 if b else imag + 0.0)

    def binary(self, op, a, b):
        return {"SUM": lambda: a + b, "SUB": lambda: a - b, "PROD": lambda: complex(
            a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)}.get(op, lambda: 0j)()

    def unary(self, op, a):
        return {"CONVERT": lambda: a, "NEGATE": lambda: complex(-a.real, -a.imag), "ABS": lambda: abs(a),
                "SQUARE": lambda: self.binary("PROD", a, a), "NOT": lambda: complex(a == 0)}[op]()

    def identity(self, op):
        return complex(op == "PROD")

    def to_number(self, values, type_, oracle):
        return oracle.convert(np.array([v.real for v in values]).astype(oracle.DTYPES[self.real]), self.real, type_)

    def from_number(self, array, type_, oracle):
        return [complex(float(v), 0.0) for v in oracle.convert(array, type_, self.real)]

    def convert(self, a, value):
        return value if isinstance(value, complex) else complex(rounded(int(value), self.real), 0.0)


class Tiny(Model):
    """Floats of a byte: whole numbers so small that sums of seven are exact; longer sums are rounded once, at the end.
    test_host_types.py has all other values."""
    values = [0.0, 1.0, -1.0]

    def __init__(self, name):
        super().__init__(name)
        fraction, bias, last = (3, 7, 0x7e) if name == "e4m3" else (2, 15, 0x7b)
        self.numbers = [self.magnitude(b, fraction, bias) for b in range(last + 1)]
        self.table = [*self.numbers, *[math.inf] * (name == "e5m2")]
        self.table += [math.nan] * (128 - len(self.table))
        self.beyond = (self.numbers[-1] + self.magnitude(last + 1, fraction, bias)) / 2  # a tie: `last` is even, or odd
        self.beyond_is_last = last % 2 == 0

    @staticmethod
    def magnitude(bits, fraction, bias):
        exponent, rest = bits >> fraction, bits & ((1 << fraction) - 1)
        return math.ldexp(rest + (1 << fraction if exponent else 0), max(exponent, 1) - bias - fraction)

    def encode(self, value):
        """To nearest, ties to even, from a float."""
        value, sign = abs(value), 0x80 if math.copysign(1, value) < 0 else 0
        if value != value:
            return bytes([sign | 0x7f])
        if value > self.beyond or (value == self.beyond and not self.beyond_is_last):
            return bytes([sign | len(self.numbers)])
        return bytes([sign | min(range(len(self.numbers)), key=lambda b: (abs(self.numbers[b] - value), b & 1))])

    def decode(self, raw):
        return -self.table[raw[0] & 0x7f] if raw[0] & 0x80 else self.table[raw[0]]

    def initial(self, op, value):
        own = self.name == "e4m3" and op in ("MIN", "MAX")
        return super().initial(op, value) if own else np.array([value], np.float32)

    def times(self, value, i):
        return value * i

    def binary(self, op, a, b):
        return {"SUM": lambda: a + b, "SUB": lambda: a - b, "PROD": lambda: a * b, "MIN": lambda: min(a, b),
                "MAX": lambda: max(a, b), "AND": lambda: float(a != 0 and b != 0),
                "OR": lambda: float(a != 0 or b != 0)}.get(op, lambda: 0.0)()

    def operand(self, op, value):
        return float(value != 0) if op in ("AND", "OR") else value

    def unary(self, op, a):
        return {"CONVERT": a, "NEGATE": -a, "ABS": abs(a), "SQUARE": a * a, "NOT": float(a == 0)}[op]

    def identity(self, op):
        most = self.table[0x7e] if self.name == "e4m3" else math.inf
        return {"PROD": 1.0, "AND": 1.0, "MIN": most, "MAX": -most}.get(op, 0.0)

    def to_number(self, values, type_, oracle):
        return oracle.convert(np.array(values, np.float32), "f32", type_)

    def from_number(self, array, type_, oracle):
        return list(map(float, oracle.widest(array, type_)))

    def convert(self, _, value):
        return float(value.real)


MODELS = {"e4m3": Tiny("e4m3"), "e5m2": Tiny("e5m2"), "bool": Bool("bool"), "i128": Integer("i128"),
          "u128": Integer("u128"), "c32": Complex("c32"), "c64": Complex("c64")}
FOLDED = ["SUM", "PROD", "MIN", "MAX", "BIT_AND", "BIT_OR", "BIT_XOR", "AND", "OR"]
COMPARISONS = {"EQUAL": lambda a, b: a == b, "NOT_EQUAL": lambda a, b: a != b, "LESS": lambda a, b: a < b,
               "LESS_EQUAL": lambda a, b: a <= b, "GREATER": lambda a, b: a > b, "GREATER_EQUAL": lambda a, b: a >= b}
UNARY = ["CONVERT", "NEGATE", "ABS", "SQUARE", "NOT"]
OPERATORS = [*FOLDED, "ARGMIN", "ARGMAX", "MINMAX", "ARGMINMAX", *UNARY, "SUB", *COMPARISONS]


def takes(m, op):
    """Whether an operator works on the model's type."""
    if op.startswith(("BIT_", "ARG")):
        return m.has_bits if op[0] == "B" else m.has_arg
    if op in ("SUB", "NEGATE"):
        return m.has_sub if op == "SUB" else m.has_negate
    if op in ("AND", "OR"):
        return not isinstance(m, Complex)
    return m.has_order or op not in ("MIN", "MAX", "MINMAX", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")


# ---- calls: f(model, rng, n) -> (members, check). Outputs stay in the members; check() looks at them.


def same_bytes(m, got, values, what):
    """Computed results are equal bit for bit, but for the sign of complex zeros: a sum may begin without a zero."""
    wanted = m.bytes_of(values)
    if isinstance(m, Complex):
        got = m.bytes_of([v + 0 for v in m.values_of(got)])
        wanted = m.bytes_of([v + 0 for v in values])
    bad = np.flatnonzero((got != wanted).reshape(-1, m.size).any(axis=1))
    assert not bad.size, f"{what}: {bad.size} of {len(values)} wrong; element {bad[0]} is " \
        f"{m.values_of(got)[bad[0]]}, not {values[bad[0]]}"


def same_values(m, got, values, what):
    """Moved elements have the same values."""
    found = [m.key(v) for v in m.values_of(got)]
    assert found == [m.key(v) for v in values], what


def same_list(got, wanted, what):
    assert list(map(int, got)) == list(map(int, wanted)), what


def moved(primitive, order):
    """Elements in another order."""
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        out = room(n * m.size)
        return (dict(in_type=m.name, in_=x, out=out, count=n),
                lambda: same_values(m, out, [values[i] for i in order(n)], primitive))
    return make


def fill(m, rng, n):
    values, x = m.draw(rng, 1)
    out = room(n * m.size)
    return dict(out_type=m.name, value=x, out=out, count=n), lambda: same_values(m, out, values * n, "fill")


def shuffle(m, rng, n):
    values, x = m.draw(rng, n)
    out = room(n * m.size)
    return (dict(in_type=m.name, in_=x, out=out, count=n, seed=7),
            lambda: same_list(sorted(map(hash, m.values_of(out))), sorted(map(hash, values)), "shuffle"))


def transpose(m, rng, n):
    rows, columns = 7, n // 7
    values, x = m.draw(rng, rows * columns)
    out = room(rows * columns * m.size)
    p = Permutation(dimensions=2)
    p.order[0], p.order[1], p.extent[0], p.extent[1] = 1, 0, rows, columns
    return (dict(in_type=m.name, out_type=m.name, in_=x, out=out, permutation=p),
            lambda: same_values(m, out, [values[r * columns + c] for c in range(columns) for r in range(rows)],
                                "transpose"))


def expand(by_lengths):
    def make(m, rng, n):
        lengths = rng.integers(0, 4, n).astype(np.uint32)
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
        values, x = m.draw(rng, n)
        out = room(int(ends[-1]) * m.size)
        return (dict(in_type=m.name, in_=x, out=out, offset_type="u32", begin=lengths if by_lengths else ends,
                     segments=n, count=int(ends[-1]), **({"out_count": np.zeros(1, np.uint64)} if by_lengths else {})),
                lambda: same_values(m, out, [v for v, k in zip(values, lengths) for _ in range(k)], "expand"))
    return make


def iota(m, rng, n):
    start, step = m.bytes_of([m.values[1]]), m.bytes_of([m.values[-1]])
    n = min(n, m.ramp if hasattr(m, "ramp") else n)
    out = room(n * m.size)

    def check():
        values, v = [], m.values[1]
        for i in range(n):
            values.append(m.binary("SUM", v, m.times(m.values[-1], i)))
        same_bytes(m, out, values, "iota")
    return dict(out_type=m.name, start=start, step=step, out=out, count=n), check


def transform(op):
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        to = m.absolute if op == "ABS" and hasattr(m, "absolute") else m
        out = room(n * to.size)
        return (dict(op=op, in_type=m.name, out_type=to.name, in_=x, out=out, count=n),
                lambda: same_bytes(to, out, [m.unary(op, v) for v in values], op))
    return make


def transform2(op):
    def make(m, rng, n):
        (a, x), (b, y) = m.draw(rng, n), m.draw(rng, n)
        out = room(n * m.size)
        return (dict(op=op, in_type=m.name, out_type=m.name, in_=x, in2=y, out=out, count=n),
                lambda: same_bytes(m, out, [m.binary(op, p, q) for p, q in zip(a, b)], op))
    return make


def adjacent_difference(op):
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        out = room(n * m.size)
        return (dict(op=op, in_type=m.name, out_type=m.name, in_=x, out=out, count=n),
                lambda: same_bytes(m, out, [m.unary("CONVERT", values[0])] + [
                    m.binary(op, values[i], values[i - 1]) for i in range(1, n)], op))
    return make


def running(m, op, values, exclusive=False, init=None):
    """A scan, and the total."""
    out, total = [], m.identity(op) if init is None else init
    for v in values:
        if exclusive:
            out.append(total)
        total = m.binary(op, total, m.operand(op, v) if hasattr(m, "operand") else v)
        if not exclusive:
            out.append(total)
    return out, total


def shortened(m, op, n):
    """As many elements as keep the op exact."""
    return min(n, getattr(m, "most", {}).get(op, n))


def reduce(op, init=False):
    def make(m, rng, n):
        n = shortened(m, op, n)
        values, x = m.draw(rng, n)
        if op in ("ARGMIN", "ARGMAX"):
            out = room(16)

            def check_arg():
                keys = [m.key(v) for v in values]
                best = keys.index((min if op == "ARGMIN" else max)(keys))
                assert m.key(m.values_of(out[:m.size])[0]) == keys[best]
                assert out[8:].view(np.int64)[0] == best
            return dict(op=op, in_type=m.name, out_type=m.name, in_=x, out=out, count=n), check_arg
        out = room(m.size)
        first = m.draw(rng, 1) if init else (None, None)
        start = m.binary(op, m.identity(op), first[0][0]) if init else None
        return (dict(op=op, in_type=m.name, out_type=m.name, in_=x, out=out, count=n,
                     init=m.initial(op, first[0][0]) if init else None),
                lambda: same_bytes(m, out, [running(m, op, values, init=start)[1]], op))
    return make


def extremes(op):
    """MINMAX, ARGMINMAX."""
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        keys = [m.key(v) for v in values]
        found = [keys.index(min(keys)), keys.index(max(keys))]
        size = 16 if op == "ARGMINMAX" else m.size
        out = room(2 * size)

        def check():
            for k in range(2):
                part = out[k * size:(k + 1) * size]
                same_bytes(m, part[:m.size], [m.unary("CONVERT", values[found[k]])], op)
                assert op == "MINMAX" or part[8:].view(np.int64)[0] == found[k]
        return dict(op=op, in_type=m.name, out_type=m.name, in_=x, out=out, count=n), check
    return make


def rows_of(m, n):
    """Columns of a matrix of 7 rows: rows of strided arrays, few enough elements for exact products."""
    columns = max(1, n // 7)
    return columns, Axes(2, 0, (7, columns), (columns, 1), (columns, 1))


def reduce_axis(op):
    def make(m, rng, n):
        columns, axes = rows_of(m, n)
        values, x = m.draw(rng, 7 * columns)
        size = 16 if op.startswith("ARG") else m.size
        out = room(columns * size)

        def check():
            for c in range(columns):
                part = values[c::columns]
                if size == m.size:
                    same_bytes(m, out[c * size:(c + 1) * size], [running(m, op, part)[1]], op)
                    continue
                keys = [m.key(v) for v in part]
                best = keys.index((min if op == "ARGMIN" else max)(keys))
                assert m.key(m.values_of(out[c * 16:c * 16 + m.size])[0]) == keys[best]
                assert out[c * 16 + 8:c * 16 + 16].view(np.int64)[0] == best
        return dict(op=op, in_type=m.name, out_type=m.name, axes=axes, in_=x, out=out), check
    return make


def row_map(op, apply):
    def make(m, rng, n):
        columns, axes = rows_of(m, n)
        values, x = m.draw(rng, 7 * columns)
        out = room(7 * columns * m.size)

        def check():
            states = [running(m, op, values[c::columns])[1] for c in range(columns)]
            same_bytes(m, out, [m.binary(apply, v, states[i % columns]) for i, v in enumerate(values)], apply)
        return (dict(op=op, apply=apply, in_type=m.name, acc_type=m.name, out_type=m.name, axes=axes, in_=x, out=out),
                check)
    return make


def scan(op, exclusive):
    def make(m, rng, n):
        n = shortened(m, op, n)
        values, x = m.draw(rng, n)
        out = room(n * m.size)
        return (dict(op=op, in_type=m.name, out_type=m.name, in_=x, out=out, count=n),
                lambda: same_bytes(m, out, running(m, op, values, exclusive)[0], op))
    return make


def scan_axis(op):
    def make(m, rng, n):
        columns, axes = rows_of(m, n)
        values, x = m.draw(rng, 7 * columns)
        out = room(7 * columns * m.size)

        def check():
            parts = [running(m, op, values[c::columns])[0] for c in range(columns)]
            same_bytes(m, out, [parts[i % columns][i // columns] for i in range(7 * columns)], op)
        return dict(op=op, in_type=m.name, out_type=m.name, axes=axes, in_=x, out=out), check
    return make


def ordered_axis(primitive):
    def make(m, rng, n):
        columns, axes = rows_of(m, n)
        values, x = m.draw(rng, 7 * columns)
        k = 3 if primitive == "top_k_axis" else 7
        out_keys, out = room(k * columns * m.size), np.zeros(k * columns, np.uint32)
        orders = [sorted(range(7), key=lambda r, c=c: m.key(values[r * columns + c]))[:k] for c in range(columns)]

        def check():
            same_values(m, out_keys, [values[orders[c][r] * columns + c] for r in range(k) for c in range(columns)],
                        "keys")
            same_list(out, [orders[c][r] for r in range(k) for c in range(columns)], "indices")
        return (dict(key_type=m.name, keys=x, out_keys=out_keys, out_type="u32", out=out, axes=axes,
                     **({"k": k} if primitive == "top_k_axis" else {})), check)
    return make


def sort_columns(m, rng, n):
    """Two keys: a byte, then the type. A column of the type moves too."""
    firsts = rng.integers(0, 3, n).astype(np.uint8)
    (values, x), (others, y) = m.draw(rng, n), m.draw(rng, n)
    out_keys, out_others = room(n * m.size), room(n * m.size)
    order = sorted(range(n), key=lambda i: (firsts[i], m.key(values[i])))
    columns = (Column * 2)(Column(TYPES[m.name], 0, pointer(x), pointer(out_keys)),
                           Column(TYPES[m.name], 0, pointer(y), pointer(out_others)))
    columns.memory = x, y  # the structs hold addresses alone
    out_firsts = np.zeros(n, np.uint8)

    def check():
        same_list(out_firsts, sorted(firsts.tolist()), "the first key")
        same_values(m, out_keys, [values[i] for i in order], "the second key")
        same_values(m, out_others, [others[i] for i in order], "values")
    return (dict(key_type="u8", keys=firsts, out_keys=out_firsts, count=n, columns=columns, column_count=2,
                 key_columns=1), check)


def segments_of(rng, n, runs=9):
    cuts = np.sort(rng.integers(0, n + 1, runs - 1))
    return np.concatenate([[0], cuts, [n]]).astype(np.uint32)


def segmented(op, what):
    def make(m, rng, n):
        n = shortened(m, op, n)
        values, x = m.draw(rng, n)
        begin = segments_of(rng, n)
        parts = [values[a:b] for a, b in zip(begin, begin[1:])]
        out = room((len(parts) if what == "reduce" else n) * m.size)
        fields = dict(op=op, in_type=m.name, out_type=m.name, in_=x, out=out, count=n, offset_type="u32", begin=begin,
                      segments=len(parts))

        def check():
            results = [running(m, op, part, what == "exclusive") for part in parts]
            same_bytes(m, out, [r[1] for r in results] if what == "reduce" else [v for r in results for v in r[0]], op)
        return fields, check
    return make


def runs_of(rng, n):
    """Keys as u32, and the beginnings of their runs."""
    keys = np.sort(rng.integers(0, max(1, n // 5), n)).astype(np.uint32)
    return keys, [i for i in range(n) if i == 0 or keys[i] != keys[i - 1]] + [n]


def by_key(what, op="SUM"):
    """Values of the type, keys of u32."""
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        keys, ends = runs_of(rng, n)
        parts = [values[a:b] for a, b in zip(ends, ends[1:])]
        out, out_keys, found = room(n * m.size), room(4 * n), room(8)
        fields = dict(op=op, in_type=m.name, out_type=m.name, key_type="u32", in_=x, keys=keys, out=out, count=n)
        if what == "reduce_by_key" or what == "group_by":
            fields.update(out_keys=out_keys, out_count=found)

        def check():
            results = [running(m, op, part, what.startswith("exclusive")) for part in parts]
            same_bytes(m, out[:(len(parts) if "scan" not in what else n) * m.size],
                       [v for r in results for v in r[0]] if "scan" in what else [r[1] for r in results], what)
        return fields, check
    return make


def runs_of_values(m, rng, n):
    """Values in runs: each is drawn again or repeated. (values, bytes, beginnings of runs)"""
    values, x = m.draw(rng, n)
    ends = [i for i in range(n) if i == 0 or m.key(values[i]) != m.key(values[i - 1])] + [n]
    return values, x, ends


def keyed(what):
    """Keys of the type; values, if any, of u32."""
    def make(m, rng, n):
        values, x, ends = runs_of_values(m, rng, n)
        data = rng.integers(0, 1000, n).astype(np.uint32)
        parts = [data[a:b] for a, b in zip(ends, ends[1:])]
        out, out_keys, found = np.zeros(n, np.uint32), room(n * m.size), np.zeros(1, np.uint64)
        fields = dict(key_type=m.name, keys=x, count=n)
        heads = [values[i] for i in ends[:-1]]
        if "scan" in what:
            fields.update(op="SUM", in_type="u32", out_type="u32", in_=data, out=out)
            wanted = [v for part in parts for v in
                      (np.cumsum(part) - part if what.startswith("exclusive") else np.cumsum(part))]
            return fields, lambda: same_list(out, wanted, what)
        fields.update(out_keys=out_keys, out_count=found)
        if what == "reduce_by_key":
            fields.update(op="SUM", in_type="u32", out_type="u32", in_=data, out=out)
        if what in ("run_lengths", "nontrivial_runs"):
            lengths = np.zeros(n, np.uint32)
            fields.update(out2_type="u32", out2=lengths)
            if what == "nontrivial_runs":
                del fields["out_keys"]
                fields.update(out_type="u32", out=out)

        def check():
            chosen = [i for i, part in enumerate(parts) if what != "nontrivial_runs" or len(part) > 1]
            assert found[0] == len(chosen), what
            k = len(chosen)
            if what != "nontrivial_runs":
                same_values(m, out_keys[:k * m.size], heads, what)
            else:
                same_list(out[:k], [ends[i] for i in chosen], what)
            if what == "reduce_by_key":
                same_list(out[:k], [part.sum() for part in parts], what)
            if what in ("run_lengths", "nontrivial_runs"):
                same_list(lengths[:k], [len(parts[i]) for i in chosen], what)
        return fields, check
    return make


def group_by(m, rng, n):
    values, x = m.draw(rng, n)
    data = rng.integers(0, 1000, n).astype(np.uint32)
    out, out_keys, found = np.zeros(n, np.uint32), room(n * m.size), np.zeros(1, np.uint64)

    def check():
        sums = {}
        for v, d in zip(values, data):
            sums[m.key(v)] = sums.get(m.key(v), 0) + int(d)
        k = int(found[0])
        got = [m.key(v) for v in m.values_of(out_keys[:k * m.size])]
        assert got == sorted(sums) and [int(v) for v in out[:k]] == [sums[key] for key in got]
    return (dict(op="SUM", key_type=m.name, keys=x, in_type="u32", out_type="u32", in_=data, out=out,
                 out_keys=out_keys, out_count=found, count=n), check)


def selected(primitive, op):
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        (scalar,), raw = m.draw(rng, 1)
        truth = [COMPARISONS[op](m.key(v), m.key(scalar)) for v in values]
        fields = dict(op=op, in_type=m.name, in_=x, count=n, scalar=raw)
        if primitive in ("any", "all"):
            one = room(1)
            return ({**fields, "out": one},
                    lambda: same_list(one, [any(truth) if primitive == "any" else all(truth)], primitive))
        if primitive in ("count_if", "find_if"):
            index = np.zeros(1, np.uint64)
            wanted = sum(truth) if primitive == "count_if" else truth.index(True) if True in truth else n
            return {**fields, "out_count": index}, lambda: same_list(index, [wanted], primitive)
        out, rest, found = room(n * m.size), room(n * m.size), np.zeros(2, np.uint64)
        fields.update(out=out, out_count=found)
        if primitive == "partition":
            fields.update(out2=rest)

        def check():
            k = sum(truth)
            assert found[0] == k
            same_values(m, out[:k * m.size], [v for v, t in zip(values, truth) if t], primitive)
            if primitive == "partition":
                same_values(m, rest[:(n - k) * m.size], [v for v, t in zip(values, truth) if not t], primitive)
        return fields, check
    return make


def by_flags(m, rng, n):
    """Flags of the type."""
    flags, raw = m.draw(rng, n)
    x, out, found = np.arange(n, dtype=np.uint32), np.zeros(n, np.uint32), np.zeros(1, np.uint64)
    return (dict(in_type="u32", in_=x, key_type=m.name, keys=raw, out=out, out_count=found, count=n),
            lambda: same_list(out[:int(found[0])], [i for i in range(n) if flags[i]], "flags"))


def compared(primitive):
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        out = room(1) if primitive == "equal_arrays" else np.zeros(1, np.uint64)
        fields = {"in_type": m.name, "in_": x, "out" if primitive == "equal_arrays" else "out_count": out, "count": n}
        if primitive == "adjacent_find":
            wanted = next((i for i in range(n - 1) if values[i] == values[i + 1]), n)
            return fields, lambda: same_list(out, [wanted], primitive)
        other = list(values)
        other[n // 2] = next(v for v in m.values if v != values[n // 2])
        wanted = 0 if primitive == "equal_arrays" else n // 2
        return {**fields, "in2": m.bytes_of(other)}, lambda: same_list(out, [wanted], primitive)
    return make


def swap(m, rng, n):
    (a, x), (b, y) = m.draw(rng, n), m.draw(rng, n)

    def check():
        same_values(m, x, b, "swap")
        same_values(m, y, a, "swap")
    return dict(out_type=m.name, out=x, out3=y, count=n), check


def placed(primitive, stencil=None, op=None, transform=None):
    """Scatters and gathers: of elements of the type, or of u32 with a stencil or flags of the type."""
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        index = rng.permutation(n).astype(np.uint32)
        passes, fields = [True] * n, {}
        if stencil:
            fields.update(key_type=m.name, keys=x)
            passes = [v != 0 for v in values]
        if op:
            (scalar,), raw = m.draw(rng, 1)
            fields.update(op=op, scalar=raw)
            passes = [COMPARISONS[op](m.key(v), m.key(scalar)) for v in values]
        data = np.arange(1, n + 1, dtype=np.uint32)
        to = m.absolute if transform == "ABS" and hasattr(m, "absolute") else m
        out = np.zeros(n, np.uint32) if stencil else room(n * to.size)
        fields.update(in2_type="u32", in2=index, count=n, n=n, out=out)
        if stencil:
            fields.update(in_type="u32", in_=data)
        else:
            fields.update(in_type=m.name, in_=x)
            if transform:
                fields.update(transform=transform, out_type=to.name)

        def check():
            source = data.tolist() if stencil else [m.unary(transform, v) if transform else v for v in values]
            wanted = [0] * n
            for i in range(n):
                if passes[i] and primitive == "gather":
                    wanted[i] = source[index[i]]
                elif passes[i]:
                    wanted[index[i]] = source[i]
            if stencil:
                same_list(out, wanted, primitive)
            else:
                (same_bytes if transform else same_values)(to, out, wanted, primitive)
        return fields, check
    return make


def replace(op):
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        (scalar, new), raw = m.draw(rng, 2)
        out = room(n * m.size)
        return (dict(op=op, in_type=m.name, in_=x, scalar=raw[:m.size], value=raw[m.size:], out=out, count=n),
                lambda: same_values(m, out, [new if COMPARISONS[op](m.key(v), m.key(scalar)) else v for v in values],
                                    "replace"))
    return make


def lexicographic(m, rng, n):
    values, x = m.draw(rng, n)
    other = list(values)
    low, high = sorted(m.values, key=m.key)[0], sorted(m.values, key=m.key)[-1]
    at = n // 2
    values[at], other[at] = (low, high) if rng.random() < 0.5 else (high, low)
    out = np.zeros(1, np.int32)
    return (dict(in_type=m.name, in_=m.bytes_of(values), in2=m.bytes_of(other), count=n, count2=n, out=out),
            lambda: same_list(out, [-1 if m.key(values[at]) < m.key(other[at]) else 1], "lexicographic"))


def partitioned(primitive, op):
    def make(m, rng, n):
        values, _ = m.draw(rng, n)
        scalar = m.values[-1]
        values.sort(key=lambda v: not COMPARISONS[op](m.key(v), m.key(scalar)))
        point = sum(COMPARISONS[op](m.key(v), m.key(scalar)) for v in values)
        fields = dict(op=op, in_type=m.name, in_=m.bytes_of(values), scalar=m.bytes_of([scalar]), count=n)
        if primitive == "partition_point":
            found = np.zeros(1, np.uint64)
            return {**fields, "out_count": found}, lambda: same_list(found, [point], primitive)
        one = room(1)
        broken = 0 < point < n and rng.random() < 0.5
        if broken:  # the first element moves to the end
            fields["in_"] = m.bytes_of(values[1:] + values[:1])
        return {**fields, "out": one}, lambda: same_list(one, [not broken], primitive)
    return make


def stencil_selected(primitive, op):
    """u32 elements, a stencil of the type."""
    def make(m, rng, n):
        values, keys = m.draw(rng, n)
        (scalar,), raw = m.draw(rng, 1)
        truth = [COMPARISONS[op](m.key(v), m.key(scalar)) for v in values]
        x, out, found = np.arange(n, dtype=np.uint32), np.zeros(n, np.uint32), np.zeros(2, np.uint64)
        fields = dict(op=op, in_type="u32", in_=x, key_type=m.name, keys=keys, scalar=raw, out=out, out_count=found,
                      count=n)
        if primitive == "partition":
            fields.update(out2=np.zeros(n, np.uint32))
        return fields, lambda: same_list(out[:int(found[0])], [i for i in range(n) if truth[i]], primitive)
    return make


def aggregates(columns):
    """columns: (op, type, bytes, type of the results, results). The second result keeps them in memory."""
    array = (Aggregate * len(columns))()
    for one, (op, type_, x, out_type, out) in zip(array, columns):
        one.op, one.column, one.out = op, pointer(x), pointer(out)
        one.type, one.out_type = TYPES.get(type_, 0), TYPES.get(out_type, 0)
    return dict(aggregates=ctypes.addressof(array), aggregate_count=len(columns)), (array, columns)


def group_by_many(m, rng, n):
    values, x = m.draw(rng, n)
    data = rng.integers(0, 1000, n).astype(np.uint32)
    out, out_keys, found = np.zeros(n, np.uint64), room(n * m.size), np.zeros(1, np.uint64)
    fields, kept = aggregates([(1, "u32", data, "u64", out)])

    def check():
        sums = {}
        for v, d in zip(values, data):
            sums[m.key(v)] = sums.get(m.key(v), 0) + int(d)
        k = int(found[0])
        assert kept and [m.key(v) for v in m.values_of(out_keys[:k * m.size])] == sorted(sums)
        assert out[:k].tolist() == [sums[key] for key in sorted(sums)]
    return dict(key_type=m.name, keys=x, out_keys=out_keys, out_count=found, count=n, **fields), check


AGGREGATES = {"SUM": 1, "MIN": 2, "MAX": 3, "MEAN": 5, "ARGMIN": 6, "ARGMAX": 7}


def aggregated(op):
    """Columns of the type, keys of u32."""
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        keys = rng.integers(0, max(1, n // 5), n).astype(np.uint32)
        out_type = {"SUM": "f64" if isinstance(m, Tiny) else "i64", "MEAN": "f64"}.get(
            op, "i64" if op.startswith("ARG") else m.name)
        out, found = room(n * SIZES[out_type]), np.zeros(1, np.uint64)
        fields, kept = aggregates([(AGGREGATES[op], m.name, x, out_type, out)])

        def check():
            rows = {}
            for i, key in enumerate(keys):
                rows.setdefault(int(key), []).append(i)
            assert kept and found[0] == len(rows)
            rows = [rows[key] for key in sorted(rows)]
            parts = [[m.key(values[i]) for i in part] for part in rows]
            if op in ("MIN", "MAX"):
                same_bytes(m, out[:len(rows) * m.size], [(min if op == "MIN" else max)(part) for part in parts], op)
                return
            wanted = [sum(p) if op == "SUM" else sum(p) / len(p) if op == "MEAN" else
                      r[p.index((min if op == "ARGMIN" else max)(p))] for r, p in zip(rows, parts)]
            assert out[:8 * len(rows)].view(np.float64 if out_type == "f64" else np.int64).tolist() == wanted
        return dict(key_type="u32", keys=keys, out_count=found, count=n, **fields), check
    return make


def distinct(m, rng, n):
    values, x = m.draw(rng, n)
    out, found = room(n * m.size), np.zeros(1, np.uint64)
    first = {}
    for i, v in enumerate(values):
        first.setdefault(m.mark(v), i)

    def check():
        k = int(found[0])
        assert out[:k * m.size].tobytes() == b"".join(x[i * m.size:(i + 1) * m.size].tobytes() for i in first.values())
    return dict(key_type=m.name, keys=x, out_keys=out, out_count=found, count=n), check


def join(kind):
    """kind: 0 inner, 4 flags."""
    def make(m, rng, n):
        (a, x), (b, y) = m.draw(rng, n), m.draw(rng, 5)
        if n < 100:  # some probes have no partner
            y, b = m.bytes_of(b[:1] * 5), b[:1] * 5
        rows = {}
        for j, v in enumerate(b):
            rows.setdefault(m.mark(v), []).append(j)
        pairs = [(i, j) for i, v in enumerate(a) for j in rows.get(m.mark(v), [])]
        fields = dict(join=kind, key_type=m.name, keys=x, count=n, keys2=y, count2=5)
        if kind == 4:
            out = room(n)
            return ({**fields, "out": out},
                    lambda: same_list(out, [m.mark(v) in rows for v in a], "flags"))
        left, right, found = np.zeros(5 * n, np.uint32), np.zeros(5 * n, np.uint32), np.zeros(1, np.uint64)

        def check():
            k = int(found[0])
            assert list(zip(left[:k].tolist(), right[:k].tolist())) == pairs
        return {**fields, "out_type": "u32", "out": left, "out2": right, "capacity": 5 * n, "out_count": found}, check
    return make


def segmented_top_k(descending):
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        begin = segments_of(rng, n)
        k = 3
        out_keys, out = room(9 * k * m.size), np.zeros(9 * k, np.uint32)

        def check():
            for s, (a, b) in enumerate(zip(begin, begin[1:])):
                order = sorted(range(a, b), key=lambda i: m.key(values[i]))
                if descending:
                    order = [i for key in sorted({m.key(values[i]) for i in order}, reverse=True)
                             for i in range(a, b) if m.key(values[i]) == key]
                order = order[:k]
                same_values(m, out_keys[s * k * m.size:(s * k + len(order)) * m.size], [values[i] for i in order],
                            "keys")
                same_list(out[s * k:s * k + len(order)], [i - a for i in order], "indices")
        return (dict(key_type=m.name, keys=x, out_keys=out_keys, out_type="u32", out=out, count=n, offset_type="u32",
                     begin=begin, segments=9, k=k, flags=DESCENDING if descending else 0), check)
    return make


def histogram(primitive):
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        low, high = sorted(m.values, key=m.key)[0], sorted(m.values, key=m.key)[-1]
        out = np.zeros(1, np.uint32)
        fields = dict(in_type=m.name, in_=x, out_type="u32", out=out, bins=1, count=n)
        if primitive == "histogram_even":
            fields.update(lower=m.bytes_of([low]), upper=m.bytes_of([high]))
        else:
            fields.update(begin=m.bytes_of([low, high]))
        return (fields, lambda: same_list(out, [sum(m.key(low) <= m.key(v) < m.key(high) for v in values)], primitive))
    return make


def ordered(m, rng, n):
    values, _ = m.draw(rng, n)
    values.sort(key=m.key)
    return values, m.bytes_of(values)


def bound(primitive):
    def make(m, rng, n):
        values, x = ordered(m, rng, n)
        needles, y = m.draw(rng, 50)
        out = np.zeros(50, np.uint32)
        keys = [m.key(v) for v in values]
        wanted = [sum(k < m.key(v) if primitive == "lower_bound" else k <= m.key(v) for k in keys) for v in needles]
        return (dict(in_type=m.name, keys=x, key_count=n, in_=y, count=50, out_type="u32", out=out),
                lambda: same_list(out, wanted, primitive))
    return make


def sort(primitive, descending=False, values_too=True):
    """Stable: the values are the keys' indices."""
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        out_keys, out = room(n * m.size), np.zeros(n, np.uint32)
        order = sorted(range(n), key=lambda i: m.key(values[i]), reverse=descending)
        if descending:  # equal keys in the order of the input
            order = [i for key in sorted({m.key(v) for v in values}, reverse=True)
                     for i in range(n) if m.key(values[i]) == key]
        fields = dict(key_type=m.name, keys=x, out_keys=out_keys, count=n, flags=DESCENDING if descending else 0)
        if primitive == "segmented_sort":
            fields.update(offset_type="u32", begin=np.array([0, n], np.uint32), segments=1)
        if values_too:
            fields.update(out_type="u32", out=out)

        def check():
            same_values(m, out_keys, [values[i] for i in order], primitive)
            if values_too:
                same_list(out, order, primitive)
        return fields, check
    return make


def carried(m, rng, n):
    """Values of the type, which move with keys."""
    keys = rng.integers(0, 50, n).astype(np.uint32)
    values, x = m.draw(rng, n)
    out_keys, out = np.zeros(n, np.uint32), room(n * m.size)
    order = np.argsort(keys, kind="stable")
    return (dict(key_type="u32", keys=keys, out_keys=out_keys, in_type=m.name, in_=x, out=out, count=n),
            lambda: same_values(m, out, [values[i] for i in order], "values"))


def ranked(primitive):
    def make(m, rng, n):
        values, x = m.draw(rng, n)
        wanted = sorted(values, key=m.key)
        k = n // 3
        if primitive == "nth_element":
            out = room(m.size)
            return (dict(key_type=m.name, keys=x, out_keys=out, n=k, count=n),
                    lambda: same_values(m, out, [wanted[k]], primitive))
        out = room(k * m.size)
        return (dict(key_type=m.name, keys=x, out_keys=out, k=k, count=n),
                lambda: same_values(m, out, wanted[:k], primitive))
    return make


def is_sorted(m, rng, n):
    values, _ = ordered(m, rng, n)
    low, high = sorted(m.values, key=m.key)[0], sorted(m.values, key=m.key)[-1]
    values[n - 3:n - 1] = [high, low]
    found = np.zeros(1, np.uint64)
    bad = next(i for i in range(1, n) if m.key(values[i]) < m.key(values[i - 1]))
    return (dict(key_type=m.name, keys=m.bytes_of(values), out_count=found, count=n),
            lambda: same_list(found, [bad], "is_sorted"))


def merged(primitive):
    def make(m, rng, n):
        (a, x), (b, y) = ordered(m, rng, n), ordered(m, rng, n // 2)
        out, found = room((n + n // 2) * m.size), np.zeros(1, np.uint64)
        fields = dict(key_type=m.name, keys=x, keys2=y, count=n, count2=n // 2, out_keys=out)
        counts = {}
        for side, keys in enumerate((a, b)):
            for v in keys:
                counts.setdefault(m.key(v), [0, 0, v])[side] += 1
        rule = {"merge": lambda p, q: p + q, "set_union": max, "set_intersection": min,
                "set_difference": lambda p, q: max(p - q, 0), "set_symmetric_difference": lambda p, q: abs(p - q)}
        wanted = [v for key in sorted(counts) for p, q, v in [counts[key]] for _ in range(rule[primitive](p, q))]
        if primitive != "merge":
            fields.update(out_count=found)

        def check():
            if primitive != "merge":
                assert found[0] == len(wanted), primitive
            same_values(m, out[:len(wanted) * m.size], wanted, primitive)
        return fields, check
    return make


def calls():
    """{(primitive, role): {name: (operator or None, f)}}."""
    table = {}

    def add(primitive, role, f, op=None):
        table.setdefault((primitive, role), {})[f"{primitive} {role} {op or ''} {len(table)}"] = (op, f)

    add("copy", "elements", moved("copy", range))
    add("reverse", "elements", moved("reverse", lambda n: range(n - 1, -1, -1)))
    add("fill", "elements", fill)
    add("shuffle", "elements", shuffle)
    add("transpose", "elements", transpose)
    add("expand", "elements", expand(False))
    add("run_length_expand", "elements", expand(True))
    add("iota", "elements", iota)
    for op in UNARY:
        add("transform", "elements", transform(op), op)
    for op in [*FOLDED, "SUB"]:
        add("transform2", "elements", transform2(op), op)
        add("adjacent_difference", "elements", adjacent_difference(op), op)
    for op in FOLDED:
        add("reduce", "elements", reduce(op), op)
        table["reduce", "elements"][f"reduce with init {op}"] = (op, reduce(op, True))
        add("inclusive_scan", "elements", scan(op, False), op)
        add("exclusive_scan", "elements", scan(op, True), op)
        add("segmented_reduce", "elements", segmented(op, "reduce"), op)
        add("segmented_inclusive_scan", "elements", segmented(op, "inclusive"), op)
        add("segmented_exclusive_scan", "elements", segmented(op, "exclusive"), op)
        for what in ("inclusive_scan_by_key", "exclusive_scan_by_key", "reduce_by_key", "group_by"):
            add(what, "values", by_key(what, op), op)
    for op in ("ARGMIN", "ARGMAX"):
        add("reduce", "elements", reduce(op), op)
        add("reduce_axis", "elements", reduce_axis(op), op)
    for op in ("MINMAX", "ARGMINMAX"):
        add("reduce", "elements", extremes(op), op)
    for op in FOLDED:
        add("reduce_axis", "elements", reduce_axis(op), op)
        add("row_map", "elements", row_map(op, op), op)
        add("scan_axis", "elements", scan_axis(op), op)
    for op in [*FOLDED, "SUB"]:
        table["row_map", "elements"][f"row_map apply {op}"] = (op, row_map("SUM", op))
    add("swap", "elements", swap)
    for what in ("scatter", "gather"):
        add(what, "elements", placed(what))
        add(what, "flags", placed(what, "flags"))
        for op in COMPARISONS:
            add(what, "stencil", placed(what, "stencil", op), op)
    for op in UNARY:
        add("scatter", "elements", placed("scatter", transform=op), op)
    for op in COMPARISONS:
        add("replace", "elements", replace(op), op)
        for what in ("select", "partition"):
            add(what, "stencil", stencil_selected(what, op), op)
        for what in ("is_partitioned", "partition_point"):
            add(what, "elements", partitioned(what, op), op)
    add("lexicographic", "elements", lexicographic)
    for what in ("inclusive_scan_by_key", "exclusive_scan_by_key", "reduce_by_key", "run_lengths", "nontrivial_runs",
                 "unique"):
        add(what, "keys", keyed(what))
    add("group_by", "keys", group_by)
    add("group_by_many", "keys", group_by_many)
    for op in AGGREGATES:
        table.setdefault(("group_by_many", "columns"), {})[f"group_by_many column {op}"] = (None, aggregated(op))
    add("distinct", "keys", distinct)
    add("join", "keys", join(0))
    table["join", "keys"]["contains"] = (None, join(4))
    for what in ("sort_axis", "top_k_axis"):
        add(what, "keys", ordered_axis(what))
    add("sort_columns", "keys", sort_columns)
    add("segmented_top_k", "keys", segmented_top_k(False))
    table["segmented_top_k", "keys"]["segmented top_k descending"] = (None, segmented_top_k(True))
    for what in ("select", "partition", "count_if", "any", "all", "find_if"):
        for op in COMPARISONS:
            add(what, "elements", selected(what, op), op)
    add("select", "flags", by_flags)
    for what in ("mismatch", "equal_arrays", "adjacent_find"):
        add(what, "elements", compared(what))
    for what in ("histogram_even", "histogram_ranges"):
        add(what, "elements", histogram(what))
    for what in ("lower_bound", "upper_bound"):
        add(what, "keys", bound(what))
    for what in ("sort", "merge_sort"):
        add(what, "keys", sort(what))
    table["sort", "keys"]["sort keys descending"] = (None, sort("sort", True))
    table["sort", "keys"]["sort keys alone"] = (None, sort("sort", False, False))
    table["sort", "keys"]["sort values"] = (None, carried)
    add("segmented_sort", "keys", sort("segmented_sort"))
    table["segmented_sort", "keys"]["segmented sort keys alone"] = (None, sort("segmented_sort", False, False))
    for what in ("top_k", "nth_element"):
        add(what, "keys", ranked(what))
    add("is_sorted", "keys", is_sorted)
    for what in ("merge", "set_union", "set_intersection", "set_difference", "set_symmetric_difference"):
        add(what, "keys", merged(what))
    return table


CALLS = calls()


# ---- conversions


def number_bytes(type_, values):
    out = room(len(values) * SIZES[type_])
    out[:] = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
    return out


def specials(type_):
    """Values of a number type as its array."""
    import oracle
    from inputs import values
    parts = [values(type_, 200, kind, 3) for kind in ("uniform", "small", "special", "extremes")]
    assert oracle.is_float(type_) or parts[0].dtype == oracle.DTYPES[type_]
    return np.concatenate(parts)


def conversions(m, other):
    """(input, type of the output, expected bytes) for m's type to `other`, and back."""
    import oracle
    values, x = m.draw(np.random.default_rng(2), 500)
    return [(x, other, number_bytes(other, m.to_number(values, other, oracle))),
            (number_bytes(other, specials(other)), m.name, m.bytes_of(m.from_number(specials(other), other, oracle)))]


def converted(value, a, b):
    """A value of model a in model b."""
    return b.convert(a, value)
