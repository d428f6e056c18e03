"""The model of tests/gpu/fuzz.py: valid calls, their inputs, and NumPy's results.

A case is two dictionaries in JSON's types. The group decides the kernel: primitive, types, operators, policy. The shot
is the rest: size, data, alignment, flags, buffers in place. build() makes a Call from these alone.
"""
import ctypes
import random

import numpy as np

import gpuprims_ctypes as gp
import oracle
from gpuprims_ctypes import DTYPES, SIZES
from inputs import values

INTEGERS, FLOATS = oracle.INTEGERS, oracle.FLOATS
BUILT_IN = list(DTYPES)
OFFSETS = ["i32", "u32", "i64", "u64"]
INDICES = ["u32", "u64"]
FLAG_TYPES = ["i8", "u8", "i16", "u16", "i32", "u32"]
NONE = 2**64 - 1

# Struct types: size, alignment, source. Without a source they are raw bytes.
STRUCTS = {"s3": (3, 1, None), "s12": (12, 4, None), "s16": (16, 16, None), "s24": (24, 8, None), "s40": (40, 8, None),
           "s64": (64, 16, None), "pair": (8, 4, "struct fuzz_pair { unsigned int a, b; };")}
ANY_TYPE = BUILT_IN + list(STRUCTS)

# Users' operators: (types, arity, body, identity, host code, NumPy). The host code computes r from a and b, of type T.
# A predicate, an equality and an order write one byte on the host.
BYTE = "*(unsigned char *)result = "
USER = {
    "last": (INTEGERS, 2, "return b != 0 ? b : a;", "0", "*r = *b != 0 ? *b : *a;",
             lambda a, b: np.where(b != 0, b, a)),
    "gray": (INTEGERS, 1, "return a ^ (a >> 1);", None, "*r = (T)(*a ^ (*a >> 1));", lambda a: a ^ (a >> 1)),
    "odd": (INTEGERS, 1, "return (a & 3) == 1;", None, BYTE + "(*a & 3) == 1;", lambda a: (a & 3) == 1),
    "fours": (INTEGERS, 2, "return (a >> 2) == (b >> 2);", None, BYTE + "(*a >> 2) == (*b >> 2);",
              lambda a, b: (a >> 2) == (b >> 2)),
    "below": (INTEGERS, 2, "return (a >> 2) < (b >> 2);", None, BYTE + "(*a >> 2) < (*b >> 2);", None),
    "affine": (["pair"], 2, "fuzz_pair r; r.a = a.a * b.a; r.b = a.b * b.a + b.b; return r;", "fuzz_pair{1u, 0u}",
               "T z; z.a = a->a * b->a; z.b = a->b * b->a + b->b; *r = z;", None),
    "by_b": (["pair"], 1, "return a.b;", None, "*(unsigned *)result = a->b;", None),
    "a_below": (["pair"], 2, "return a.a < b.a;", None, BYTE + "a->a < b->a;", None),
    "a_equal": (["pair"], 2, "return a.a == b.a;", None, BYTE + "a->a == b->a;", None),
}
C_TYPES = {"i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short", "i32": "int",
           "u32": "unsigned", "i64": "long long", "u64": "unsigned long long", "pair": "fuzz_pair"}


def operators_source():
    """The users' operators in C, for the host back end: fuzz_NAME_TYPE."""
    lines = ["typedef struct { unsigned a, b; } fuzz_pair;"]
    for name, (types, _, _, _, code, _) in USER.items():
        for type_ in types:
            lines.append(f"#define T {C_TYPES[type_]}\n"
                         f"void fuzz_{name}_{type_}(void *user, void *result, const void *x, const void *y) {{"
                         f" T *r = result; const T *a = x, *b = y; (void)user, (void)r, (void)b;"
                         f" {code} }}\n#undef T")
    return "\n".join(lines) + "\n"


def dtype_of(type_):
    return np.dtype(DTYPES[type_]) if type_ in DTYPES else np.dtype((np.void, STRUCTS[type_][0]))


def size_of(type_):
    return SIZES[type_] if type_ in SIZES else STRUCTS[type_][0]


def align_of(type_):
    return SIZES[type_] if type_ in SIZES else STRUCTS[type_][1]


def data_of(type_, n, kind, seed):
    """Elements of any type; structs are random bytes."""
    if type_ in DTYPES:
        return values(type_, n, kind, seed)
    return np.frombuffer(np.random.default_rng(seed).bytes(n * size_of(type_)), dtype_of(type_))


def pairs(array):
    """Structs {a, b} as two columns."""
    return np.ascontiguousarray(array).view(np.uint32).reshape(-1, 2)


# ---- a call: its buffers share an image, each between guards


class Piece:
    """A buffer of a call: `data` are its bytes before the call (None: output only)."""

    def __init__(self, field, data, size, align, wanted):
        self.field, self.data, self.size, self.align, self.wanted = field, data, size, align, wanted
        self.at = 0


class Call:
    def __init__(self, group, shot):
        self.group, self.shot = group, shot
        self.fields = {"primitive": group["primitive"]}
        self.pieces, self.expected, self.kept, self.placed = [], [], {}, []
        self.in_place, self.by_host, self.must_refuse, self.names = False, False, None, ()
        self.random = random.Random(shot["seed"])
        self.bytes, self.after_layout, self.pointers = 0, [], []
        self.described = {}  # field: its Description

    # building

    def set(self, **fields):
        self.fields.update((name, value) for name, value in fields.items() if value)

    def given(self, field, array, type_=None, wanted=True):
        """An input. `field` None: a buffer of a struct."""
        array = np.ascontiguousarray(array)
        piece = Piece(field, array, array.nbytes, align_of(type_) if type_ else array.itemsize, wanted and len(array))
        self.pieces.append(piece)
        return piece

    def room(self, field, count, type_=None, size=None, align=None, wanted=True):
        """An output."""
        piece = Piece(field, None, count * (size or size_of(type_)), align or align_of(type_), wanted and count > 0)
        self.pieces.append(piece)
        return piece

    def over(self, field, piece):
        """An output in place of an input."""
        self.placed.append((field, piece))
        self.in_place = True
        return piece

    def host(self, field, array):
        """Host memory that is read during the call."""
        if array is not None:
            self.kept[field] = np.ascontiguousarray(array)

    def expect(self, piece, array, how="bits", at=0, near=None):
        """The expected bytes of a piece afterwards, `at` bytes after its start."""
        array = np.ascontiguousarray(array)
        if array.nbytes:
            self.expected.append((piece, at, array, how, near))

    def check(self, piece, size, test, at=0):
        """Anything that `test` accepts: it gets the bytes, and returns a fault or None."""
        if size:
            self.expected.append((piece, at, size, test, None))

    def bound(self, n, frac=None):
        """Sets count, and perhaps count_device; returns the number of elements."""
        self.fields["count"] = n
        frac = self.shot.get("device")
        if frac is None:
            return n
        there = int(n * frac)
        self.given("count_device", np.array([there], np.uint64), "u64", wanted=False)
        return min(n, there)

    # memory

    def lay_out(self):
        """Places the pieces; the image is memory's content before the call."""
        r = random.Random(self.shot["seed"] + 1)
        shift, at = self.shot.get("shift", 0), 0
        for piece in self.pieces:
            at += 64 + 16 * r.randrange(8)
            at = -(-at // 256) * 256
            if shift and r.random() < 0.7:
                at += piece.align * r.randrange(max(1, 64 // piece.align))
            piece.at = at
            at += piece.size
        self.bytes = -(-(at + 128) // 256) * 256
        if r.random() < 0.5:
            image = np.full(self.bytes, r.randrange(256), np.uint8)
        else:
            image = np.random.default_rng(self.shot["seed"] + 2).integers(0, 256, self.bytes, np.uint8)
        for piece in self.pieces:
            if piece.data is not None and piece.size:
                image[piece.at:piece.at + piece.size] = piece.data.reshape(-1).view(np.uint8)
        self.image = image
        return image

    def image_at(self, base):
        """The image for memory that begins at an address."""
        for piece, target, offsets in self.pointers:
            if piece.size:
                address = np.uint64(base + target.at) + offsets
                self.image[piece.at:piece.at + piece.size] = address.astype(np.uint64).view(np.uint8)
        return self.image

    def compare(self, after):
        """None, or the fault of the image after the call."""
        after = after.copy()
        for piece, at, wanted, how, near in self.expected:
            size = wanted if callable(how) else wanted.nbytes
            begin = piece.at + at
            got = after[begin:begin + size]
            if callable(how):
                wrong = how(got.copy())
            else:
                wrong = difference(got.copy().view(wanted.dtype), wanted.reshape(-1), how, near)
            if wrong:
                return f"{self.name_of(piece)}: {wrong}"
            after[begin:begin + size] = self.image[begin:begin + size]
        bad = np.flatnonzero(after != self.image[:len(after)])
        if not len(bad):
            return None
        where, piece = int(bad[0]), None
        for one in self.pieces:
            if one.at <= where < one.at + one.size:
                piece = one
        if piece is None:
            near = min(self.pieces, key=lambda one: min(abs(one.at - where), abs(one.at + one.size - where)))
            return (f"guard: {len(bad)} bytes outside of the buffers are written, the first {where - near.at:+d} from "
                    f"the beginning of {self.name_of(near)}, of {near.size} bytes")
        what = "an input is written" if piece.data is not None else "written where nothing should be"
        return f"{self.name_of(piece)}: {what}: {len(bad)} bytes, the first at byte {where - piece.at} of {piece.size}"

    def name_of(self, piece):
        return piece.field or "a buffer of a struct"


def difference(got, wanted, how, near):
    if how == "bits":
        if got.tobytes() == wanted.tobytes():
            return None
        size = got.itemsize
        g, w = (a.view(np.uint8).reshape(-1, size) for a in (got, wanted))
        bad = np.flatnonzero((g != w).any(1))
    elif how == "near":
        with np.errstate(all="ignore"):
            g, w, t = oracle.widest(got, near[0]), oracle.widest(wanted, near[0]), near[1]
            bad = np.flatnonzero(~((np.abs(g - w) <= t) | (g == w)))
    else:
        type_ = how[1:]
        good = oracle.same(got, wanted, type_)
        if how[0] == "=":  # zeros of either sign
            good = good | (oracle.widest(got, type_) == oracle.widest(wanted, type_))
        bad = np.flatnonzero(~good)
    if not len(bad):
        return None
    i = int(bad[0])
    return f"{len(bad)} of {len(got)} elements differ, first at {i}: {show(got, i)} instead of {show(wanted, i)}"


def show(array, i):
    value = array[i]
    return array[i:i + 1].tobytes().hex() if array.dtype.kind == "V" else str(value)


# ---- folds


def is_user(op):
    return op in USER


def draw_fold(g, r, group_by=False):
    """Operator, types of element, accumulator and output, transform."""
    ops = oracle.BINARY + ["MIN", "MAX", "OR", "AND"] + ([] if group_by else ["ARGMIN", "ARGMAX"]) + ["last", "affine"]
    g["op"] = op = r.choice(ops)
    if op == "affine":
        g.update(in_type="pair", acc_type="pair", out_type="pair", transform=0)
        return
    if r.random() < 0.25:  # compilers fuse these, and fold their conversions
        acc = r.choice(INTEGERS[:6])
        g.update(op=r.choice(["MIN", "MAX"]), acc_type=acc, in_type=r.choice([acc, *INTEGERS]),
                 out_type=r.choice([acc, *INTEGERS]), transform=r.choice(["NEGATE", "NEGATE", "ABS"]))
        return
    types = INTEGERS if op.startswith("BIT") or op == "last" or r.random() < 0.4 else BUILT_IN
    acc = r.choice(types)
    if op == "last":
        g.update(in_type=acc, acc_type=acc, out_type=r.choice(BUILT_IN))
    elif op.startswith("ARG"):
        g.update(in_type=r.choice(BUILT_IN), acc_type=0, out_type=acc)
    else:
        same = r.random() < 0.4
        g.update(in_type=acc if same else r.choice(BUILT_IN), acc_type=acc,
                 out_type=acc if same or r.random() < 0.5 else r.choice(BUILT_IN))
    transforms = ["NEGATE", "ABS", "SQUARE", "NOT", "CONVERT", "NEGATE", "ABS"]
    often = 0.75 if op in ("MIN", "MAX") else 0.4  # compilers fuse them
    g["transform"] = r.choice(transforms) if r.random() < often else 0
    if op == "last" and g["transform"] == "SQUARE":
        g["transform"] = "gray"


def work_type(g):
    return g["out_type"] if g["op"].startswith("ARG") else g["acc_type"]


def exact_numbers(op, type_, n, seed):
    """Few elements that change the result, so that every order of operations is exact in every float type."""
    rng = np.random.default_rng(seed)
    rare = rng.permutation(n)[:int(rng.integers(0, 24))]
    if op == "PROD":
        x = np.ones(n)
        x[rare[:5]] = rng.choice([2.0, 0.5, -1.0, 1.0] if type_ in FLOATS else [2.0, 1.0], min(5, len(rare)))
    else:
        x = np.zeros(n)
        x[rare] = rng.integers(-2 if type_ not in INTEGERS or type_[0] == "i" else 0, 3, len(rare))
    return oracle.convert(x, "f64", type_)


def fold_data(call, n, indirect=None):
    """Elements, accumulators, an initial value as given and as the operator sees it, and the comparison of results."""
    g, s = call.group, call.shot
    op, in_type, acc, transform = g["op"], g["in_type"], work_type(g), g["transform"]
    seed = s["seed"]
    if op == "affine":
        x = data_of("pair", n, 0, seed)
        init = data_of("pair", 1, 0, seed + 9) if s["init"] else None
        return x, x, init, init, "bits", None
    rounding = acc in FLOATS and op in ("SUM", "PROD")
    near = rounding and op == "SUM" and s["kind"] == "uniform" and acc in ("f32", "f64") and in_type in FLOATS
    if rounding and not near:
        x = exact_numbers(op, in_type, n, seed)
        if transform == "NOT" and op == "SUM":
            x = oracle.unary("NOT", x, in_type, in_type)
    else:
        x = values(in_type, n, s["kind"], seed)
    y = USER["gray"][5](x) if transform == "gray" else oracle.operands(op, transform, x, in_type, acc)
    if near:  # NumPy's own sums lose earlier segments
        call.total = np.abs(oracle.widest(y, acc)).sum()
    init = start = None
    if s["init"] and not op.startswith("ARG"):
        init = exact_numbers(op, acc, 1, seed + 7) if rounding else values(acc, 1, s["kind"], seed + 7)
        if rounding and op == "PROD":
            init = oracle.convert(np.ones(1), "f64", acc)
        start = oracle.truth(init, acc) if op in ("AND", "OR") else init
    out = g["out_type"]
    how = "near" if near else ("=" if rounding else "~") + out
    return x, y, init, start, how, near


def identity_of(op, acc):
    if op == "affine":
        return np.array([[1, 0]], np.uint32).view(dtype_of("pair")).reshape(-1)
    if op == "last":
        return np.zeros(1, DTYPES[acc])
    return oracle.identity(op, acc)


def combine(op, a, b, acc):
    if op == "affine":
        p, q = pairs(a), pairs(b)
        r = np.empty_like(p)
        r[:, 0], r[:, 1] = p[:, 0] * q[:, 0], p[:, 1] * q[:, 0] + q[:, 1]
        return r.view(dtype_of("pair")).reshape(-1)
    if op == "last":
        return USER["last"][5](a, b)
    return oracle.binary(op, a, b, acc)


def running(op, y, acc, heads):
    """The inclusive scan that restarts at each head: every step folds twice as far back (Hillis and Steele)."""
    if acc in FLOATS and op in ("SUM", "PROD"):
        wide = oracle.widest(y, acc)
        if op == "SUM":
            total = np.cumsum(wide)
            begin = np.maximum.accumulate(np.where(heads, np.arange(len(y)), 0)) if len(y) else []
            return total - (total[begin] - wide[begin])
        return running(op, wide, "f64", heads) if acc != "f64" else _steps(op, y, acc, heads)
    return _steps(op, y, acc, heads)


def _steps(op, y, acc, heads):
    n = len(y)
    if n and not heads[1:].any() and op in ("SUM", "MIN", "MAX", "BIT_AND", "BIT_OR", "BIT_XOR", "PROD") and \
            acc in INTEGERS:
        return oracle.accumulate(op, y, acc)
    y, done, d = y.copy(), heads.copy(), 1
    if n:
        done[0] = True
    while d < n and not done[d:].all():
        folded = combine(op, y[:-d], y[d:], acc)
        y[d:] = np.where(done[d:], y[d:], folded)
        done[d:] |= done[:-d].copy()
        d *= 2
    return y


def from_acc(a, g, op):
    """An accumulator's value in the output."""
    acc, out = work_type(g), g["out_type"]
    if op == "affine":
        return a
    if acc in FLOATS and op in ("SUM", "PROD"):  # f64 so far
        a = oracle.convert(a, "f64", acc)
    return oracle.unary(g["apply"], a, acc, out) if g.get("apply") else oracle.convert(a, acc, out)


def as_work(a, g, op):
    """Initial values and identities in the type of running()'s computation."""
    acc = work_type(g)
    return oracle.widest(a, acc) if acc in FLOATS and op in ("SUM", "PROD") else a


def work_combine(op, a, b, acc):
    if acc in FLOATS and op in ("SUM", "PROD"):
        return a + b if op == "SUM" else a * b
    return combine(op, a, b, acc)


def scan_of(call, y, heads, start, exclusive):
    """The scan of segments, in the output's type."""
    g = call.group
    op, acc = g["op"], work_type(g)
    n = len(y)
    if n == 0:
        return y if op == "affine" else np.zeros(0, DTYPES[g["out_type"]])
    with np.errstate(all="ignore"):
        r = running(op, y, acc, heads)
        if exclusive:
            first = as_work(identity_of(op, acc), g, op)
            r = np.concatenate([first, r[:-1]])
            r = np.where(heads, np.repeat(first, n), r)
        if start is not None:
            many = np.repeat(as_work(start, g, op), n)
            r = work_combine(op, many, r, acc)
            if exclusive:
                r = np.where(heads, many, r)
        return from_acc(r, g, op)


def reduce_of(call, y, begin, end, start):
    """Reductions of [begin, end), without overlaps or gaps among the covered elements."""
    g = call.group
    op, acc = g["op"], work_type(g)
    begin, end = np.asarray(begin, np.int64), np.asarray(end, np.int64)
    heads = np.zeros(len(y), bool)
    with np.errstate(all="ignore"):
        heads[begin[begin < len(y)]] = True
        if len(y):
            heads[0] = True
        nothing = as_work(identity_of(op, acc), g, op)
        r = running(op, y, acc, heads) if len(y) else np.zeros(0, nothing.dtype)
        full = begin < end
        out = np.repeat(nothing, len(begin))
        out[full] = r[end[full] - 1]
        if start is not None:
            many = np.repeat(as_work(start, g, op), len(begin))
            out = np.where(full, work_combine(op, many, out, acc), many)
        return from_acc(out, g, op)


def best_so_far(op, w, heads):
    """For each element the index of the best one so far in its segment: the first NaN, else the lowest index of the
    best."""
    best, done, d, n = np.arange(len(w)), heads.copy(), 1, len(w)
    while d < n and not done[d:].all():
        a, b = best[:-d], best[d:]
        better = w[b] < w[a] if op == "ARGMIN" else w[b] > w[a]
        better = ~np.not_equal(w[a], w[a]) & (better | (w[b] != w[b]))
        best = np.concatenate([best[:d], np.where(done[d:] | better, b, a)])
        done[d:] |= done[:-d].copy()
        d *= 2
    return best


def arg_of(call, y, begin, end, exclusive=None):
    """ARGMIN and ARGMAX: 16 bytes an element. exclusive None: a reduction of each segment; else a scan."""
    g = call.group
    op, type_ = g["op"], g["out_type"]
    begin, end, n = np.asarray(begin, np.int64), np.asarray(end, np.int64), len(y)
    heads = np.zeros(n, bool)
    heads[begin[begin < n]] = True
    heads[:1] = True
    best = best_so_far(op, oracle.widest(y, type_), heads)
    if exclusive is None:
        full = begin < end
        found = np.full(len(begin), -1)
        found[full] = best[end[full] - 1]
    else:
        found = np.where(heads, -1, np.concatenate([[-1], best[:-1]])[:n]) if exclusive else best
    size, nobody = SIZES[type_], oracle.arg_running(op, y[:0], type_, None)[0][0]
    chosen = np.where(found < 0, np.asarray([nobody], DTYPES[type_]), y[np.maximum(found, 0)] if n else y.dtype.type(0))
    rows = np.zeros((len(found), 16), np.uint8)
    if len(found):
        rows[:, :size] = np.ascontiguousarray(chosen.astype(DTYPES[type_])).view(np.uint8).reshape(-1, size)
        rows[:, 8:] = found.astype(np.int64).view(np.uint8).reshape(-1, 8)

    def same(a, b):
        a, b = a.reshape(-1, 16), b.reshape(-1, 16)
        elements = [np.ascontiguousarray(x[:, :size]).view(DTYPES[type_]).reshape(-1) for x in (a, b)]
        return oracle.same(*elements, type_) & (a[:, size:] == b[:, size:]).all(1)

    def test(got):
        bad = np.flatnonzero(~same(got, rows))
        return None if not len(bad) else (
            f"{len(bad)} of {len(rows)} elements differ, first at {bad[0]}: "
            f"{got.reshape(-1, 16)[bad[0]].tobytes().hex()} instead of {rows[bad[0]].tobytes().hex()}")
    test.same = same
    return rows, test


def expect_fold(call, piece, results, how, magnitudes=None):
    if how == "near":
        out = call.group["out_type"]
        unit = {"f32": 2.0**-23, "f64": 2.0**-52}[work_type(call.group)]
        of_out = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}.get(out)
        if of_out is None:  # an integer: rounding may lose a whole one
            t = 1.0 + magnitudes * unit * 64
        else:
            t = magnitudes * (64 * unit + of_out) + call.total * 2.0**-46 + (6e-8 if out == "f16" else 1e-38)
        call.expect(piece, results, "near", near=(out, t))
    elif how == "bits":
        call.expect(piece, results)
    else:
        call.expect(piece, results, how)


def fold_out(call, count, in_piece, may=True):
    """The output of a fold: in place if the call allows it."""
    g = call.group
    size = 16 if g["op"].startswith("ARG") else size_of(g["out_type"])
    if may and call.shot["place"] and size == size_of(g["in_type"]):
        return call.over("out", in_piece)
    return call.room("out", count, size=size, align=8 if g["op"].startswith("ARG") else align_of(g["out_type"]))


def magnitude(y, acc, heads):
    return running("SUM", np.abs(oracle.widest(y, acc)), "f64", heads) if len(y) else np.zeros(0)


def fold_fields(call):
    g = call.group
    call.set(op=g["op"], transform=g["transform"], in_type=g["in_type"], acc_type=g["acc_type"], out_type=g["out_type"],
             apply=g.get("apply"))


def flag_reproducible(call):
    g = call.group
    if call.shot.get("flags", 0) & gp.REPRODUCIBLE:
        call.fields["flags"] = gp.REPRODUCIBLE
        if call.fields["primitive"] not in ("reduce_axis", "row_map", "scan_axis"):
            return
        any_order = not is_user(g["op"]) and (work_type(g) in INTEGERS or g["op"] not in ("SUM", "PROD"))
        if not any_order:
            del call.fields["flags"]


def build_reduce(call):
    n = call.shot["n"]
    fold_fields(call)
    x, y, init, start, how, _ = fold_data(call, n)
    piece = call.given("in_", x, call.group["in_type"])
    n = call.bound(n)
    call.host("init", init)
    flag_reproducible(call)
    out = fold_out(call, 1, piece, may=False)
    if call.group["op"].startswith("ARG"):
        rows, test = arg_of(call, y[:n], [0], [n])
        return call.check(out, rows.nbytes, test)
    sums = np.array([np.abs(oracle.widest(y[:n], work_type(call.group))).sum()]) if how == "near" else None
    return expect_fold(call, out, reduce_of(call, y[:n], [0], [n], start), how, sums)


def expect_scan(call, out, y, heads, start, how, exclusive):
    if call.group["op"].startswith("ARG"):
        begin = np.flatnonzero(heads)
        rows, test = arg_of(call, y, begin, np.append(begin[1:], len(y)), exclusive)
        return call.check(out, rows.nbytes, test)
    results = scan_of(call, y, heads, start, exclusive)
    sums = None
    if how == "near":
        sums = magnitude(y, work_type(call.group), heads)
        if start is not None:
            sums = sums + np.abs(oracle.widest(start, work_type(call.group)))
    return expect_fold(call, out, results, how, sums)


def build_scan(call):
    n = call.shot["n"]
    fold_fields(call)
    x, y, init, start, how, _ = fold_data(call, n)
    piece = call.given("in_", x, call.group["in_type"])
    out = fold_out(call, n, piece)
    n = call.bound(n)
    call.host("init", init)
    flag_reproducible(call)
    heads = np.zeros(n, bool)
    heads[:1] = True
    expect_scan(call, out, y[:n], heads, start, how, call.fields["primitive"].startswith("exclusive"))


def offsets_of(call, n, full=False):
    """Rising offsets in 0 .. n."""
    r = np.random.default_rng(call.shot["seed"] + 3)
    shape = call.random.choice(["none", "one", "ones", "short", "long", "empties", "giant", "gaps", "equal"])
    if shape == "none":
        inner = [] if full else [int(r.integers(0, n + 1))]
    elif shape == "ones" and n <= 3000:
        inner = np.arange(n + 1)
    elif shape == "equal":
        inner = np.full(int(r.integers(2, 40)), r.integers(0, n + 1))
    else:
        number = {"one": 0, "short": min(n // 4, 5000), "empties": 20, "giant": 5, "gaps": 10}.get(shape, 3)
        inner = r.integers(0, n + 1, number)
        if shape == "empties":
            inner = np.repeat(inner, r.integers(1, 9, number))
        if shape == "giant":
            inner = np.concatenate([r.integers(0, n // 50 + 1, 9), n - r.integers(0, n // 50 + 1, 9)])
    ends = [0, n] if full or shape not in ("none", "gaps", "equal") else []
    return np.sort(np.concatenate([np.asarray(inner, np.int64), np.array(ends, np.int64)])).astype(np.int64)


def spoil(call, offsets, n):
    """GP_CHECKED: an offset may be wrong. The first wrong one, or NONE."""
    if call.shot["seed"] % 3 or len(offsets) < 2:
        return offsets, NONE
    offsets = offsets.copy()
    at = call.random.randrange(len(offsets))
    offsets[at] = n + 1 + call.random.randrange(100)
    bad = np.flatnonzero((offsets > n) | (offsets < np.concatenate([[0], offsets[:-1]])))
    return offsets, int(bad[0])


def put_offsets(call, offsets, n):
    """begin, and bad if the call is checked. True: the offsets are right."""
    g = call.group
    bad = NONE
    if g.get("checked"):
        offsets, bad = spoil(call, offsets, n)
        call.fields["flags"] = call.fields.get("flags", 0) | gp.CHECKED
        call.expect(call.room("bad", 1, "u64"), np.array([bad], np.uint64))
    call.set(offset_type=g["offset_type"], segments=len(offsets) - 1)
    call.given("begin", offsets.astype(DTYPES[g["offset_type"]]), g["offset_type"], wanted=n > 0 and len(offsets) > 1)
    return bad == NONE


def build_segmented_reduce(call):
    g, n = call.group, call.shot["n"]
    fold_fields(call)
    form = g["segments"]
    if form == "fixed":
        length = call.random.choice([0, 1, 2, 4, 7, 16, 33, 100])
        segments = min(n // max(length, 1), 5000) if length else call.random.randrange(9)
        n = length * segments
    x, y, init, start, how, _ = fold_data(call, n)
    call.given("in_", x, g["in_type"])
    call.fields["count"] = n
    call.host("init", init)
    flag_reproducible(call)
    good = True
    if form == "fixed":
        call.set(segments=segments, segment_length=length)
        begin, end = np.arange(segments) * length, np.arange(1, segments + 1) * length
        if call.random.random() < 0.5:
            call.fields["count"] = 0
    elif form == "ends":
        edges = offsets_of(call, n)
        order = np.random.default_rng(call.shot["seed"]).permutation(len(edges) - 1)
        order = order[:len(order) - len(order) // 5]
        begin, end = edges[:-1][order], edges[1:][order]
        call.set(offset_type=g["offset_type"], segments=len(order))
        for field, what in (("begin", begin), ("end", end)):
            call.given(field, what.astype(DTYPES[g["offset_type"]]), g["offset_type"])
    else:
        edges = offsets_of(call, n)
        good = put_offsets(call, edges, n)
        begin, end = edges[:-1], edges[1:]
    out = fold_out(call, len(begin), None, may=False)
    if not good:
        return
    if g["op"].startswith("ARG"):
        rows, test = arg_of(call, y, begin, end)
        call.check(out, rows.nbytes, test)
        return
    sums = None
    if how == "near":
        total = np.concatenate([[0], np.cumsum(np.abs(oracle.widest(y, work_type(g))))])
        sums = total[end] - total[begin] + 1e-6 * (total[-1] if len(total) else 0)
    expect_fold(call, out, reduce_of(call, y, begin, end, start), how, sums)


def shape_of_rows(call):
    """Rows and their length; the axis of an array of both, dense or with gaps; strides of the input."""
    r, n = call.random, call.shot["n"]
    length = r.choice([1, 2, 7, 16, 33, 100, 1000, n or 1])
    rows, axis = n // length, r.randrange(2)
    gap = 0 if r.random() < 0.5 else r.randrange(1, 5)
    inner = length if axis else rows
    extent = (rows, length) if axis else (length, rows)
    return rows, length, axis, extent, (inner + gap, 1)


def place_rows(call, x, rows, length, axis, strides):
    """The elements of rows that follow each other, as they are in memory."""
    matrix = x.reshape(rows, length)
    if not axis:
        matrix = matrix.T
    gaps = np.zeros((matrix.shape[0], strides[0]), x.dtype)
    gaps[:, :matrix.shape[1]] = matrix
    return gaps.reshape(-1)[:max(0, gaps.size - strides[0] + matrix.shape[1])] if gaps.size else x[:0]


def build_reduce_axis(call):
    g = call.group
    fold_fields(call)
    rows, length, axis, extent, strides = shape_of_rows(call)
    x, y, init, start, how, _ = fold_data(call, rows * length)
    call.given("in_", place_rows(call, x, rows, length, axis, strides), g["in_type"])
    call.host("init", init)
    flag_reproducible(call)
    axes = gp.Axes(2, axis, extent, strides, (1, 0) if axis else (0, 1))
    call.host("axes", np.frombuffer(axes, np.uint8))
    out = fold_out(call, rows, None, may=False)
    begin = np.arange(rows) * length
    sums = None
    if how == "near":
        sums = np.abs(oracle.widest(y, work_type(g))).reshape(rows, length).sum(1)
    expect_fold(call, out, reduce_of(call, y, begin, begin + length, start), how, sums)


def draw_reduce_axis(g, r):
    draw_fold(g, r)
    while g["op"].startswith("ARG"):  # gp_check has these
        draw_fold(g, r)


def build_row_map(call):
    g = call.group
    rows, length, axis, extent, strides = shape_of_rows(call)
    x = values(g["in_type"], rows * length, call.shot["kind"], call.shot["seed"])
    call.set(op=g["op"], apply=g["apply"], in_type=g["in_type"], acc_type=g["in_type"], out_type=g["in_type"])
    call.given("in_", place_rows(call, x, rows, length, axis, strides), g["in_type"])
    axes = gp.Axes(2, axis, extent, strides, (extent[1], 1))
    call.host("axes", np.frombuffer(axes, np.uint8))
    out = call.room("out", rows * length, g["in_type"])
    with np.errstate(all="ignore"):
        matrix = x.reshape(rows, length)
        state = {"SUM": np.add, "MAX": np.maximum, "MIN": np.minimum, "BIT_XOR": np.bitwise_xor}[g["op"]].reduce(
            matrix, axis=1, keepdims=True, dtype=x.dtype) if rows else matrix
        result = oracle.binary(g["apply"], matrix, state, g["in_type"]) if rows else matrix
    call.expect(out, np.ascontiguousarray(result if axis else result.T).reshape(-1))


def build_scan_axis(call):
    g = call.group
    rows, length, axis, extent, strides = shape_of_rows(call)
    x = values(g["in_type"], rows * length, call.shot["kind"], call.shot["seed"])
    call.set(op=g["op"], in_type=g["in_type"], out_type=g["in_type"], flags=g["flags"])
    call.given("in_", place_rows(call, x, rows, length, axis, strides), g["in_type"])
    axes = gp.Axes(2, axis, extent, strides, (extent[1], 1))
    call.host("axes", np.frombuffer(axes, np.uint8))
    out = call.room("out", rows * length, g["in_type"])
    with np.errstate(all="ignore"):
        matrix = x.reshape(rows, length)
        result = {"SUM": np.add, "MAX": np.maximum, "MIN": np.minimum, "BIT_XOR": np.bitwise_xor}[g["op"]].accumulate(
            matrix, axis=1, dtype=x.dtype)
        if g["flags"] & gp.EXCLUSIVE and rows:
            first = np.full((rows, 1), oracle.identity(g["op"], g["in_type"]), x.dtype)
            result = np.concatenate([first, result[:, :-1]], 1)
    call.expect(out, np.ascontiguousarray(result if axis else result.T).reshape(-1))


def draw_scan_axis(g, r):
    g.update(in_type=r.choice(INTEGERS), op=r.choice(["SUM", "MAX", "MIN", "BIT_XOR"]),
             flags=r.choice([0, gp.EXCLUSIVE]))


def build_row_order(call):
    """sort_axis and top_k_axis."""
    g = call.group
    rows, length, axis, extent, strides = shape_of_rows(call)
    type_, k = g["key_type"], length
    if g["primitive"] == "top_k_axis":
        k = call.random.choice([0, 1, 2, 10, 100, length])
        k = min(k, length)
        call.set(k=k)
        if g["op"]:
            call.set(op=g["op"])
    x = special_keys(type_, rows * length, call.shot["kind"], call.shot["seed"])
    call.set(key_type=type_, out_type=g["out_type"], flags=g["flags"])
    call.given("keys", place_rows(call, x, rows, length, axis, strides), type_)
    axes = gp.Axes(2, axis, extent, strides, (k if axis else rows, 1))
    call.host("axes", np.frombuffer(axes, np.uint8))
    out = call.room("out", rows * k, g["out_type"]) if g["out_type"] else None
    out_keys = call.room("out_keys", rows * k, type_, wanted=False) if not out or call.shot["seed"] % 4 else None
    bits = ordered(x, type_).reshape(rows, length)
    down = bool(g["flags"] & gp.DESCENDING) != (g["op"] == "GREATER")
    order = np.argsort(~bits if down else bits, 1, kind="stable")[:, :k]

    def laid_out(a):
        return np.ascontiguousarray(a if axis else a.T).reshape(-1)
    if out_keys:
        call.expect(out_keys, laid_out(np.take_along_axis(x.reshape(rows, length), order, 1)))
    if out:
        call.expect(out, laid_out(order.astype(DTYPES[g["out_type"]])))


def draw_row_order(g, r):
    g.update(key_type=r.choice(BUILT_IN), out_type=r.choice([0, "i32", "u32", "i64", "u64"]),
             flags=r.choice([0, gp.DESCENDING]), op=0)
    if g["primitive"] == "top_k_axis" and r.random() < 0.3:  # floats would tie at zero, and have no NaN
        g.update(key_type=r.choice(INTEGERS), op=r.choice(["LESS", "GREATER"]))


def draw_row_map(g, r):
    g.update(in_type=r.choice(INTEGERS), op=r.choice(["SUM", "MAX", "MIN", "BIT_XOR"]),
             apply=r.choice(["SUB", "SUM", "MAX", "BIT_AND"]))


def build_segmented_scan(call):
    g, n = call.group, call.shot["n"]
    fold_fields(call)
    x, y, init, start, how, _ = fold_data(call, n)
    piece = call.given("in_", x, g["in_type"])
    out = fold_out(call, n, piece)
    n = call.bound(n)
    flag_reproducible(call)
    call.host("init", init)
    edges = offsets_of(call, n)
    if not put_offsets(call, edges, n):
        return
    heads = np.zeros(n, bool)
    heads[edges[edges < n]] = True
    heads[:1] = True
    expect_scan(call, out, y[:n], heads, start, how, "exclusive" in call.fields["primitive"])


# ---- keys and runs


def draw_equal(g, r):
    equal = r.choice(["EQUAL", 0, "NOT_EQUAL", "HEADS", "fours", "a_equal"])
    g["equal"] = equal
    g["key_type"] = r.choice(FLAG_TYPES if equal == "HEADS" else INTEGERS if equal == "fours" else
                             ["pair"] if equal == "a_equal" else BUILT_IN)


def keys_of(call, n):
    """Keys with runs of many shapes, and the starts of runs."""
    g, s = call.group, call.shot
    equal, type_ = g["equal"] or "EQUAL", g["key_type"]
    rng = np.random.default_rng(s["seed"] + 5)
    share = [0.0, 1.0, 0.5, 0.1, 0.01][call.random.randrange(5)]
    ids = np.cumsum(rng.random(n) < share) % (5 if s["seed"] % 2 else 30)
    if equal == "a_equal":
        keys = np.stack([ids, rng.integers(0, 2**32, n)], 1).astype(np.uint32)
        heads = np.concatenate([[True], ids[1:] != ids[:-1]])[:n]
        return keys.view(dtype_of("pair")).reshape(-1), heads
    if equal == "fours":
        keys = (ids * 4 + rng.integers(0, 4, n)).astype(DTYPES[type_])
        return keys, np.concatenate([[True], ~USER["fours"][5](keys[1:], keys[:-1])])[:n]
    if equal == "HEADS":
        keys = np.where(rng.random(n) < share, values(type_, n, "special", s["seed"] + 6), np.zeros(1, DTYPES[type_]))
    else:
        keys = oracle.convert(ids.astype(np.uint8), "u8", type_)
        if type_ in FLOATS and s["kind"] == "special":
            keys = np.where(rng.random(n) < 0.2, values(type_, n, "special", s["seed"] + 6), keys)
    return keys, oracle.heads(keys, type_, equal)


def put_runs(call, n):
    keys, heads = keys_of(call, n)
    call.set(equal=call.group["equal"], key_type=call.group["key_type"])
    return call.given("keys", keys, call.group["key_type"]), keys, heads


def build_scan_by_key(call):
    n = call.shot["n"]
    fold_fields(call)
    x, y, init, start, how, _ = fold_data(call, n)
    piece = call.given("in_", x, call.group["in_type"])
    out = fold_out(call, n, piece)
    _, _, heads = put_runs(call, n)
    n = call.bound(n)
    call.host("init", init)
    flag_reproducible(call)
    expect_scan(call, out, y[:n], heads[:n], start, how, "exclusive" in call.fields["primitive"])


def put_number(call, *numbers):
    call.expect(call.room("out_count", len(numbers), "u64"), np.array(numbers, np.uint64))


def build_reduce_by_key(call):
    g, n = call.group, call.shot["n"]
    fold_fields(call)
    x, y, init, start, how, _ = fold_data(call, n)
    call.given("in_", x, g["in_type"])
    out = fold_out(call, n, None, may=False)
    _, keys, heads = put_runs(call, n)
    out_keys = call.room("out_keys", n, g["key_type"], wanted=False) if call.random.random() < 0.8 else None
    n = call.bound(n)
    call.host("init", init)
    flag_reproducible(call)
    begin = np.flatnonzero(heads[:n])
    end = np.append(begin[1:], n) if n else begin
    put_number(call, len(begin))
    if out_keys:
        call.expect(out_keys, keys[begin])
    if g["op"].startswith("ARG"):
        rows, test = arg_of(call, y[:n], begin, end)
        return call.check(out, rows.nbytes, test)
    sums = magnitude(y[:n], work_type(g), heads[:n])[end - 1] if how == "near" else None
    if sums is not None and start is not None:
        sums = sums + np.abs(oracle.widest(start, work_type(g)))
    return expect_fold(call, out, reduce_of(call, y[:n], begin, end, start), how, sums)


def build_group_by(call):
    g, n = call.group, call.shot["n"]
    fold_fields(call)
    x, y, init, start, how, _ = fold_data(call, n)
    piece = call.given("in_", x, g["in_type"])
    out = fold_out(call, n, piece)
    few = values(g["key_type"], call.random.choice([1, 2, 7, 300]), "special" if call.shot["seed"] % 2 else "uniform",
                 call.shot["seed"] + 4)
    keys = few[np.random.default_rng(call.shot["seed"] + 5).integers(0, len(few), n)]
    call.set(key_type=g["key_type"])
    call.given("keys", keys, g["key_type"])
    out_keys = call.room("out_keys", n, g["key_type"], wanted=False) if call.random.random() < 0.8 else None
    n = call.bound(n)
    call.host("init", init)
    flag_reproducible(call)
    bits = ordered(keys[:n], g["key_type"])
    order = np.argsort(bits, kind="stable")
    heads = np.concatenate([[True], np.diff(bits[order]) != 0])[:n] if n else np.zeros(0, bool)
    begin = np.flatnonzero(heads)
    end = np.append(begin[1:], n) if n else begin
    put_number(call, len(begin))
    if out_keys:
        call.expect(out_keys, keys[:n][order][begin])
    y = y[:n][order]
    sums = magnitude(y, work_type(g), heads)[end - 1] if how == "near" else None
    if sums is not None and start is not None:
        sums = sums + np.abs(oracle.widest(start, work_type(g)))
    expect_fold(call, out, reduce_of(call, y, begin, end, start), how, sums)


def keys_drawn(call, field, n, few, salt):
    """n keys of the values `few`."""
    keys = few[np.random.default_rng(call.shot["seed"] + salt).integers(0, len(few), n)]
    call.given(field, keys, call.group["key_type"])
    return keys


def few_keys(call, most):
    return values(call.group["key_type"], call.random.choice([1, 2, 40, most]),
                  "special" if call.shot["seed"] % 2 else "uniform", call.shot["seed"] + 4)


def build_distinct(call):
    g, n = call.group, call.shot["n"]
    call.set(key_type=g["key_type"])
    keys = keys_drawn(call, "keys", n, few_keys(call, 3000), 5)
    out_keys = call.room("out_keys", n, g["key_type"], wanted=False) if call.random.random() < 0.8 else None
    n = call.bound(n)
    first = np.sort(np.unique(ordered(keys[:n], g["key_type"]), return_index=True)[1])
    put_number(call, len(first))
    if out_keys and call.shot["seed"] % 8 == 0:
        call.set(flags=[gp.UNSORTED, gp.FASTEST][call.shot["seed"] // 8 % 2])
        call.check(out_keys, len(first) * keys.itemsize, same_set(keys[:n][first]))
    elif out_keys:
        call.expect(out_keys, keys[:n][first])


def build_group_by_many(call):
    """Integers; gp_check has floats. Results of a capacity that may be too small."""
    g, n = call.group, call.shot["n"]
    rng = np.random.default_rng(call.shot["seed"] + 6)
    call.set(key_type=g["key_type"])
    keys = keys_drawn(call, "keys", n, few_keys(call, 3000), 5)
    capacity = int(rng.integers(1, n + 2)) if rng.random() < 0.4 else 0
    room = capacity or n
    made = (gp.Aggregate * len(g["aggregates"]))()
    columns, outs = [], []
    for i, (op, type_) in enumerate(g["aggregates"]):
        x = data_of(type_, n, call.shot["kind"], call.shot["seed"] + 20 + i)
        out_type = {1: "i64", 4: "u32", 6: "i64", 7: "u32"}.get(op, type_)
        made[i].op, made[i].out_type = op, gp.TYPES[out_type]
        out = call.room(None, room, out_type, wanted=False)
        pieces = [("out", out)]
        if op != 4:
            made[i].type = gp.TYPES[type_]
            pieces.append(("column", call.given(None, x, type_, wanted=False)))
        call.after_layout.append((made[i], pieces))
        columns.append(x), outs.append((out, out_type))
    call.kept["aggregates"] = made
    call.set(aggregate_count=len(made), capacity=capacity)
    out_keys = call.room("out_keys", room, g["key_type"], wanted=False) if rng.random() < 0.8 else None
    n = call.bound(n)
    bits = ordered(keys[:n], g["key_type"])
    order = np.argsort(bits, kind="stable")
    begin = np.flatnonzero(np.concatenate([[True], np.diff(bits[order]) != 0])[:n]) if n else np.zeros(0, int)
    end = np.append(begin[1:], n) if n else begin
    put_number(call, len(begin))
    begin, end = begin[:room], end[:room]
    if out_keys:
        call.expect(out_keys, keys[:n][order][begin])
    for (op, _), x, (out, out_type) in zip(g["aggregates"], columns, outs):
        y = x[:n][order]
        if op == 1:
            total = np.concatenate([[0], np.cumsum(y.astype(np.int64))])
            found = total[end] - total[begin]
        elif op == 4:
            found = end - begin
        elif op in (2, 3):
            found = np.array([(y[a:b].min if op == 2 else y[a:b].max)() for a, b in zip(begin, end)], y.dtype)
        else:
            pick = np.argmin if op == 6 else np.argmax
            found = np.array([order[a + pick(y[a:b])] for a, b in zip(begin, end)], np.int64)
        call.expect(out, found.astype(DTYPES[out_type]))


def build_sort_columns(call):
    """Keys of several columns, up and down, and values; with `keys` or without, indices or none."""
    g, n = call.group, call.shot["n"]
    rng = np.random.default_rng(call.shot["seed"] + 6)
    keys, total = g["keys"], g["keys"] + len(g["values"])
    flags = gp.DESCENDING if rng.random() < 0.3 else 0
    call.set(flags=flags, column_count=total, key_columns=keys)
    by, pairs = [], []
    if g["alone"]:
        call.set(key_type=g["key_type"])
        x = keys_drawn(call, "keys", n, few_keys(call, 30), 5)
        by.append((x, g["key_type"], flags))
        pairs.append((call.room("out_keys", n, g["key_type"], wanted=False), x))
    made = (gp.Column * max(total, 1))()
    for i, type_ in enumerate([*g["columns"][:keys], *g["values"]]):
        x = data_of(type_, n, call.shot["kind"], call.shot["seed"] + 20 + i)
        if i < keys:
            x = values(type_, 5, "special", call.shot["seed"] + i)[rng.integers(0, 5, n)]
        made[i].type, made[i].descending = gp.TYPES[type_], int(i < keys and rng.random() < 0.5)
        pieces = [("in_", call.given(None, x, type_))]
        if i >= keys or keys == 1 or rng.random() < 0.5:
            out = call.room(None, n, type_)
            pieces.append(("out", out)), pairs.append((out, x))
        call.after_layout.append((made[i], pieces))
        if i < keys:
            by.append((x, type_, flags if not made[i].descending else not flags))
    if total:
        call.kept["columns"] = made
    out = None
    if rng.random() < 0.5:
        call.set(out_type=g["index"])
        out = call.room("out", n, g["index"])
    n = call.bound(n)
    bits = [ordered(x[:n], type_) for x, type_, _ in by]
    order = np.lexsort([~b if down else b for b, (_, _, down) in zip(bits, by)][::-1]) if n else np.zeros(0, int)
    for piece, x in pairs:
        call.expect(piece, x[:n][order])
    if out:
        call.expect(out, order.astype(DTYPES[g["index"]]))


def build_join(call):
    g, n = call.group, call.shot["n"]
    m, kind = int(call.random.choice([0, 1, 50, 300])), g["join"]
    few = few_keys(call, 3000)
    if len(few) < 40:
        m = min(m, 9)
    call.set(key_type=g["key_type"], count2=m, join=kind, out_type="" if kind == 4 else g["index"])
    probe, build = keys_drawn(call, "keys", n, few, 5), keys_drawn(call, "keys2", m, few, 7)
    rows = {}
    for i, key in enumerate(ordered(build, g["key_type"]).tolist()):
        rows.setdefault(key, []).append(i)
    most = max([len(r) for r in rows.values()], default=1)
    capacity = int(n * most * call.random.choice([0.3, 1])) + 3
    out = call.room("out", n if kind == 4 else capacity, "u8" if kind == 4 else g["index"], wanted=kind == 4)
    out2 = call.room("out2", capacity, g["index"], wanted=False) if kind < 2 else None
    bound = call.bound(n)
    partners = [rows.get(key, []) for key in ordered(probe[:bound], g["key_type"]).tolist()]
    if kind == 4:
        return call.expect(out, np.array([len(p) > 0 for p in partners], np.uint8))
    call.set(capacity=capacity)
    if kind == 1:
        partners = [p or [-1] for p in partners]
    elif kind > 1:
        partners = [[0] if (len(p) > 0) == (kind == 2) else [] for p in partners]
    put_number(call, sum(map(len, partners)))
    index = DTYPES[g["index"]]
    call.expect(out, np.repeat(np.arange(bound), [len(p) for p in partners])[:capacity].astype(index))
    if out2:
        call.expect(out2, np.array([i for p in partners for i in p][:capacity], np.int64).astype(index))


def build_run_lengths(call):
    g, n = call.group, call.shot["n"]
    _, keys, heads = put_runs(call, n)
    call.set(out2_type=g["out2_type"])
    length_type = g["out2_type"] or "u32"
    out_keys = call.room("out_keys", n, g["key_type"], wanted=False) if g["wants"] & 1 else None
    lengths = call.room("out2", n, length_type, wanted=False) if g["wants"] & 2 else None
    n = call.bound(n)
    begin = np.flatnonzero(heads[:n])
    put_number(call, len(begin))
    if out_keys:
        call.expect(out_keys, keys[begin])
    if lengths:
        call.expect(lengths, np.diff(np.append(begin, n)).astype(DTYPES[length_type]))


def build_nontrivial_runs(call):
    g, n = call.group, call.shot["n"]
    _, _, heads = put_runs(call, n)
    call.set(out2_type=g["out2_type"])
    type_ = g["out2_type"] or "u32"
    starts, lengths = call.room("out", n, type_), call.room("out2", n, type_)
    n = call.bound(n)
    begin = np.flatnonzero(heads[:n])
    length = np.diff(np.append(begin, n))
    put_number(call, int((length > 1).sum()))
    call.expect(starts, begin[length > 1].astype(DTYPES[type_]))
    call.expect(lengths, length[length > 1].astype(DTYPES[type_]))


def build_unique(call):
    g, n, s = call.group, call.shot["n"], call.shot
    keys_piece, keys, heads = put_runs(call, n)
    out_keys = call.over("out_keys", keys_piece) if s["place"] else call.room("out_keys", n, g["key_type"])
    if g["in_type"]:
        x = data_of(g["in_type"], n, s["kind"], s["seed"])
        call.set(in_type=g["in_type"])
        piece = call.given("in_", x, g["in_type"])
        out = call.over("out", piece) if s["place"] and s["seed"] % 2 else call.room("out", n, g["in_type"])
    n = call.bound(n)
    begin = np.flatnonzero(heads[:n])
    put_number(call, len(begin))
    call.expect(out_keys, keys[begin])
    if g["in_type"]:
        call.expect(out, x[begin])


# ---- elements


def unary(name, x, from_, to):
    if is_user(name):
        return USER[name][5](x)
    return oracle.unary(name, x, from_, to)


def build_copy(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    x = data_of(g["in_type"], n, s["kind"], s["seed"])
    piece = call.given("in_", x, g["in_type"])
    out = call.over("out", piece) if s["place"] else call.room("out", n, g["in_type"])
    call.set(in_type=g["in_type"], out_type=g["in_type"])
    call.expect(out, x[:call.bound(n)])


def build_reverse(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    x = data_of(g["in_type"], n, s["kind"], s["seed"])
    piece = call.given("in_", x, g["in_type"])
    out = call.over("out", piece) if s["place"] else call.room("out", n, g["in_type"])
    call.set(in_type=g["in_type"])
    call.expect(out, x[:call.bound(n)][::-1])


def stencil(call, n):
    """Where a scatter's stencil lets elements pass; and the stencil, or None."""
    g, s = call.group, call.shot
    if not g["key_type"]:
        return np.ones(n, bool), None
    keys = data_of(g["key_type"], n, s["kind"], s["seed"] + 4)
    if g["op"]:
        passes = holds(call, g["op"], g["key_type"], keys, 7, "scalar")
    else:
        keys = np.where(np.random.default_rng(s["seed"] + 9).random(n) < 0.5, keys, np.zeros(1, keys.dtype))
        passes = keys != 0
    call.set(op=g["op"], key_type=g["key_type"])
    call.given("keys", keys, g["key_type"])
    return passes, keys


def build_scatter(call):
    """Different indices, some of them in no array; without indices also a transform, or in place."""
    g, s, n = call.group, call.shot, call.shot["n"]
    gathers, type_ = g["primitive"] == "gather", g["in_type"]
    rng = np.random.default_rng(s["seed"] + 3)
    elements = n if not g["in2_type"] else int(rng.integers(0, 2 * n + 1))
    x = data_of(type_, elements if gathers else n, s["kind"], s["seed"])
    piece = call.given("in_", x, type_, wanted=n > 0)
    results = n if gathers or not g["in2_type"] else elements
    before = data_of(g["out_type"] or type_, results, s["kind"], s["seed"] + 1)
    if s["place"] and not g["in2_type"] and not g["transform"]:
        before, out = x.copy(), call.over("out", piece)
    else:
        out = call.over("out", call.given(None, before, g["out_type"] or type_))
    passes, _ = stencil(call, n)
    call.set(in_type=type_, out_type=g["out_type"], in2_type=g["in2_type"], transform=g["transform"])
    place = np.arange(n)
    if g["in2_type"]:
        place = rng.permutation(max(n, elements) + 3)[:n]
        wild = rng.random(n) < 0.1
        place = np.where(wild, -1 - place if g["in2_type"][0] == "i" else place + 2**31, place).astype(np.int64)
        call.given("in2", place.astype(DTYPES[g["in2_type"]]), g["in2_type"])
        call.fields["n"] = elements
    bound = call.bound(n)
    good = passes & (place >= 0) & (place < (elements if g["in2_type"] else n)) & (np.arange(n) < bound)
    wanted = before.copy()
    made = unary(g["transform"], x, type_, g["out_type"]) if g["transform"] else x
    if gathers:
        wanted[good] = made[place[good]]
    else:
        wanted[place[good]] = made[good]
    call.expect(out, wanted, "~" + g["out_type"] if g["transform"] else "bits")


def build_replace(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    x = data_of(g["in_type"], n, s["kind"], s["seed"])
    call.set(in_type=g["in_type"], op=g["op"])
    piece = call.given("in_", x, g["in_type"])
    out = call.over("out", piece) if s["place"] else call.room("out", n, g["in_type"])
    true = holds(call, g["op"], g["in_type"], x, 7, "scalar")
    value = values(g["in_type"], 1, "special", s["seed"] + 2)
    call.host("value", value)
    wanted = x.copy()
    wanted[true] = value[0]
    call.expect(out, wanted[:call.bound(n)])


def build_swap(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    a, b = (data_of(g["in_type"], n, s["kind"], s["seed"] + k) for k in range(2))
    call.set(out_type=g["in_type"])
    pieces = [call.over(field, call.given(None, x, g["in_type"])) for field, x in (("out", a), ("out3", b))]
    bound = call.bound(n)
    for piece, x, other in ((pieces[0], a, b), (pieces[1], b, a)):
        call.expect(piece, np.concatenate([other[:bound], x[bound:]]))


def build_copy_batch(call):
    """n buffers, whose sources may overlap; destinations lie one after another, in any order."""
    g, s, n = call.group, call.shot, call.shot["n"]
    rng = np.random.default_rng(s["seed"])
    call.set(offset_type=g["offset_type"])
    bound = call.bound(n)
    mean = int(rng.choice([2, 20, 100, 1000, 20000]))
    sizes = rng.integers(0, 2 * min(mean, 2_000_000 // max(n, 1)) + 1, n)
    sizes[rng.random(n) < rng.choice([0, 0.1, 0.9])] = 0
    if n and rng.random() < 0.4:
        sizes[rng.integers(n)] = rng.integers(1_000_000)
    order = np.concatenate([rng.permutation(bound), np.arange(bound, n)])  # those behind the count are at the end
    begin = np.zeros(n, np.int64)
    begin[order] = np.cumsum(sizes[order]) - sizes[order]
    source = data_of("u8", int(sizes.max(initial=0)) + int(rng.integers(3000)), "uniform", s["seed"])
    start = rng.integers(0, len(source) - sizes + 1)
    piece, out = call.given(None, source), call.room(None, int(sizes.sum()), size=1, align=1)
    for field, target, offsets in (("in_", piece, start), ("in2", out, begin)):
        call.pointers.append((call.given(field, np.zeros(n, np.uint64), "u64"), target, offsets.astype(np.uint64)))
    call.given("begin", sizes.astype(DTYPES[g["offset_type"]]), g["offset_type"])
    parts = [source[start[i]:start[i] + sizes[i]] for i in order[:bound]]
    call.expect(out, np.concatenate(parts) if parts else np.zeros(0, np.uint8))


def build_expand(call):
    """By offsets or lengths, with room for fewer elements, as many, or more."""
    g, s, n = call.group, call.shot, call.shot["n"]
    rng = np.random.default_rng(s["seed"])
    by_lengths = call.fields["primitive"] == "run_length_expand"
    runs = int(n * rng.choice([0, 0.01, 0.3, 1, 2]))
    mean = n / max(runs, 1)
    lengths = rng.integers(0, int(2 * mean) + 2, runs)
    lengths[rng.random(runs) < rng.choice([0, 0.5, 0.99])] = 0
    if runs and rng.random() < 0.3:
        lengths[rng.integers(runs)] = n
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = data_of(g["in_type"], runs, s["kind"], s["seed"])
    call.set(in_type=g["in_type"], offset_type=g["offset_type"], segments=runs)
    call.given("in_", values, g["in_type"])
    begin = lengths if by_lengths else offsets if runs else offsets[:0]
    call.given("begin", begin.astype(DTYPES[g["offset_type"]]), g["offset_type"], wanted=runs > 0)
    out = call.room("out", n, g["in_type"])
    n = call.bound(n)
    if by_lengths:
        put_number(call, int(offsets[-1]))
    elements = np.repeat(np.arange(runs), lengths)[:n]
    call.expect(out, values[elements])


def build_fill(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    value = data_of(g["out_type"], 1, s["kind"], s["seed"])
    call.set(out_type=g["out_type"])
    call.host("value", value)
    out = call.room("out", n, g["out_type"])
    call.expect(out, np.repeat(value, call.bound(n)))


def build_iota(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    type_ = g["out_type"]
    out = call.room("out", n, type_)
    call.set(out_type=type_)
    n = call.bound(n)
    start = step = None
    if type_ in FLOATS:
        start, step = float(call.random.randrange(-100, 100)), float(call.random.choice([1, 2, -3, 0.5]))
    else:
        start, step = (int(values(type_, 1, s["kind"], s["seed"] + k)[0]) for k in (0, 1))
    start, step = (start if s["init"] else type(start)(0)), (step if s["seed"] % 3 else type(step)(1))
    for field, value, wanted in (("start", start, s["init"]), ("step", step, s["seed"] % 3)):
        if wanted:
            call.host(field, oracle.convert(np.array([value], np.float64), "f64", type_) if type_ in FLOATS
                      else np.array([value], DTYPES[type_]))
    if type_ in FLOATS:
        call.expect(out, oracle.convert(start + np.arange(n) * step, "f64", type_), "~" + type_)
    else:
        bits = np.array([start & NONE], np.uint64) + np.arange(n, dtype=np.uint64) * np.uint64(step & NONE)
        call.expect(out, bits.astype(DTYPES[type_]))


def build_transform(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    x = values(g["in_type"], n, s["kind"], s["seed"])
    call.set(op=g["op"], in_type=g["in_type"], out_type=g["out_type"])
    piece = call.given("in_", x, g["in_type"])
    place = s["place"] and SIZES[g["in_type"]] == SIZES[g["out_type"]]
    out = call.over("out", piece) if place else call.room("out", n, g["out_type"])
    n = call.bound(n)
    call.expect(out, unary(g["op"], x[:n], g["in_type"], g["out_type"]), "~" + g["out_type"])


def binary_of(op, a, b, out):
    if op in ("affine", "last"):
        return combine(op, a, b, out)
    return oracle.binary(op, a, b, out)


def how_of(type_):
    return "~" + type_ if type_ in DTYPES else "bits"


def build_transform2(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    in2_type, out_type = g["in2_type"] or g["in_type"], g["out_type"]
    a, b = data_of(g["in_type"], n, s["kind"], s["seed"]), data_of(in2_type, n, s["kind"], s["seed"] + 1)
    call.set(op=g["op"], in_type=g["in_type"], in2_type=g["in2_type"], out_type=out_type)
    first, second = call.given("in_", a, g["in_type"]), call.given("in2", b, in2_type)
    if s["place"] and size_of(out_type) in (size_of(g["in_type"]), size_of(in2_type)):
        out = call.over("out", first if size_of(out_type) == size_of(g["in_type"]) else second)
    else:
        out = call.room("out", n, out_type)
    n = call.bound(n)
    a, b = a[:n], b[:n]
    if out_type in DTYPES:
        a, b = oracle.convert(a, g["in_type"], out_type), oracle.convert(b, in2_type, out_type)
    call.expect(out, binary_of(g["op"], a, b, out_type), how_of(out_type))


def build_adjacent_difference(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    x = data_of(g["in_type"], n, s["kind"], s["seed"])
    call.set(op=g["op"], in_type=g["in_type"], out_type=g["out_type"], flags=g["flags"])
    call.given("in_", x, g["in_type"])
    out = call.room("out", n, g["out_type"])
    n = call.bound(n)
    if not n:
        return
    y = oracle.convert(x[:n], g["in_type"], g["out_type"]) if g["out_type"] in DTYPES else x[:n]
    a, b = (y[:-1], y[1:]) if g["flags"] & gp.RIGHT else (y[1:], y[:-1])
    r = binary_of(g["op"], a, b, g["out_type"])
    r = np.concatenate([r, y[-1:]] if g["flags"] & gp.RIGHT else [y[:1], r])
    call.expect(out, r, how_of(g["out_type"]))


# ---- predicates


def holds(call, op, type_, x, k, field):
    """A predicate's elements, and its scalar if it has one."""
    if is_user(op):
        return USER[op][5](x)
    s = call.shot
    some = x[s["seed"] % len(x):][:1] if len(x) and s["seed"] % 4 else values(type_, 1, s["kind"], s["seed"] + k)
    call.host(field, some)
    return oracle.compare(op, oracle.widest(x, type_), oracle.widest(some, type_))


def draw_predicate(g, r, flags=False):
    op = r.choice(oracle.COMPARISONS + ["odd"] + ([0, 0, 0] if flags else []))
    g["op"] = op
    g["in_type"] = r.choice(INTEGERS if op == "odd" else BUILT_IN if op else ANY_TYPE)
    g["key_type"] = 0 if op else r.choice(FLAG_TYPES)


def selected(call):
    """The input, and masks of the selected elements (by the predicates in turn)."""
    g, s, n = call.group, call.shot, call.shot["n"]
    x = data_of(g["in_type"], n, s["kind"], s["seed"])
    call.set(in_type=g["in_type"], op=g["op"])
    piece = call.given("in_", x, g["in_type"])
    if g["op"]:
        return piece, x, holds(call, g["op"], g["in_type"], x, 7, "scalar")
    share = call.random.choice([0.0, 0.01, 0.5, 0.99, 1.0])
    some = values(g["key_type"], n, "special", s["seed"] + 8)
    some[some == 0] = 1
    flags = np.where(np.random.default_rng(s["seed"] + 9).random(n) < share, some, np.zeros(1, some.dtype))
    call.set(key_type=g["key_type"])
    call.given("keys", flags, g["key_type"])
    return piece, x, flags != 0


def build_select(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    piece, x, keep = selected(call)
    out = call.over("out", piece) if s["place"] else call.room("out", n, g["in_type"])
    n = call.bound(n)
    put_number(call, int(keep[:n].sum()))
    call.expect(out, x[:n][keep[:n]])


def build_partition(call):
    g, n = call.group, call.shot["n"]
    _, x, one = selected(call)
    masks = [one, ~one]
    if g["transform"]:
        call.set(predicate2=g["transform"])
        two = ~one & holds(call, g["transform"], g["in_type"], x, 11, "scalar2")
        masks = [one, two, ~one & ~two]
    outs = [call.room(field, n, g["in_type"]) for field in ("out", "out2", "out3")[:len(masks)]]
    n = call.bound(n)
    put_number(call, *(int(mask[:n].sum()) for mask in masks))
    for out, mask in zip(outs, masks):
        call.expect(out, x[:n][mask[:n]])


def build_question(call):
    n, p = call.shot["n"], call.fields["primitive"]
    _, _, keep = selected(call)
    n = call.bound(n)
    if p == "count_if":
        put_number(call, int(keep[:n].sum()))
    else:
        out = call.room("out", 1, "u8")
        call.expect(out, np.array([keep[:n].any() if p == "any" else keep[:n].all()], np.uint8))


# ---- the first element


def put_first(call, true):
    """The index of the first that is true, in the elements that count."""
    found = np.flatnonzero(true)
    put_number(call, int(found[0]) if len(found) else len(true))


def build_find_if(call):
    n = call.shot["n"]
    _, _, true = selected(call)
    put_first(call, true[:call.bound(n)])


def alike(op, x, y, type_):
    if op == "a_equal":
        return pairs(x)[:, 0] == pairs(y)[:, 0]
    if is_user(op):
        return USER[op][5](x, y)
    return oracle.compare(op or "EQUAL", oracle.widest(x, type_), oracle.widest(y, type_))


def build_two_arrays(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    x = data_of(g["in_type"], n, s["kind"], s["seed"])
    y = x.copy()
    if n and call.random.random() < 0.7:
        at = call.random.randrange(n)
        y[at:] = data_of(g["in_type"], n - at, s["kind"], s["seed"] + 1)
    call.set(op=g["op"], in_type=g["in_type"], in2_type=g["in2_type"])
    call.given("in_", x, g["in_type"])
    call.given("in2", y, g["in_type"])
    n = call.bound(n)
    differ = ~alike(g["op"], x[:n], y[:n], g["in_type"])
    if call.fields["primitive"] == "mismatch":
        put_first(call, differ)
    else:
        call.expect(call.room("out", 1, "u8"), np.array([not differ.any()], np.uint8))


def build_partitioned(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    x = data_of(g["in_type"], n, s["kind"], s["seed"])
    point = g["primitive"] == "partition_point"
    true = holds(call, g["op"], g["in_type"], x, 7, "scalar")
    if point or call.random.random() < 0.6:
        order = np.argsort(~true, kind="stable")
        if call.random.random() < 0.3 and n and not point:
            order = np.roll(order, 1)
        x, true = x[order], true[order]
    call.set(op=g["op"], in_type=g["in_type"])
    call.given("in_", x, g["in_type"])
    true = true[:call.bound(n)]
    if point:
        put_number(call, int(true.sum()))
    else:
        call.expect(call.room("out", 1, "u8"), np.array([not (true[1:] & ~true[:-1]).any()], np.uint8))


def build_lexicographic(call):
    """The second array is the first, perhaps with another element, or of another length."""
    n, type_ = call.shot["n"], call.group["in_type"]
    call.group = {**call.group, "key_type": type_}
    keys, ranks = order_keys(call, n + 1)
    m = max(n + call.random.choice([-1, 0, 1]), 0)
    second = np.arange(m)
    if m and call.random.random() < 0.6:
        second[call.random.randrange(m)] = call.random.randrange(n + 1)
    call.set(op=call.group["op"], in_type=type_, count=n, count2=m)
    call.given("in_", keys[:n], type_)
    call.given("in2", keys[second], type_)
    k = min(n, m)
    differ = np.flatnonzero(ranks[:k] != ranks[second[:k]])
    at = differ[0] if len(differ) else None
    order = (n > m) - (n < m) if at is None else -1 if ranks[at] < ranks[second[at]] else 1
    call.expect(call.room("out", 1, "i32"), np.array([order], np.int32))


def build_adjacent_find(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    x = data_of(g["in_type"], n, s["kind"], s["seed"]).copy()
    if n > 1 and call.random.random() < 0.5:
        at = call.random.randrange(n - 1)
        x[at + 1] = x[at]
    call.set(op=g["op"], in_type=g["in_type"])
    call.given("in_", x, g["in_type"])
    n = call.bound(n)
    true = np.zeros(n, bool)
    if n:
        true[:-1] = alike(g["op"], x[:n - 1], x[1:n], g["in_type"])
    put_first(call, true)


# ---- histograms


def build_histogram(call):
    g, s = call.group, call.shot
    type_, counter, bins, even = g["in_type"], g["out_type"], s["bins"], call.fields["primitive"] == "histogram_even"
    channels, active = g["channels"]
    n = s["n"] // channels
    x = values(type_, n * channels, s["kind"], s["seed"])
    weights = values(g["in2_type"], n, "small", s["seed"] + 2) if g["in2_type"] else None
    call.set(in_type=type_, out_type=counter, bins=bins, in2_type=g["in2_type"],
             channels=channels if channels > 1 else 0, active=active if active != channels else 0)
    call.given("in_", x, type_)
    if weights is not None:
        call.given("in2", weights, g["in2_type"])
    weight = None if weights is None else oracle.convert(weights, g["in2_type"], counter)
    edges, lower, upper = [], [], []
    for c in range(active):
        if even:
            small = type_ in ("i8", "u8") or s["seed"] % 2
            ends = sorted(call.random.sample(range(0, 100 if small else 30000), 2))
            pair = [oracle.convert(np.array([float(e)]), "f64", type_) for e in ends]
            if oracle.widest(pair[0], type_)[0] >= oracle.widest(pair[1], type_)[0]:
                pair = [oracle.convert(np.array([float(e)]), "f64", type_) for e in (0, 64)]
            lower.append(pair[0])
            upper.append(pair[1])
        else:
            b = values(type_, bins + 1, ["uniform", "small"][s["seed"] % 2], s["seed"] + 3 + c)
            edges.append(b[np.argsort(oracle.widest(b, type_), kind="stable")])
    if even:
        call.host("lower", np.concatenate(lower))
        call.host("upper", np.concatenate(upper))
    else:
        call.given("begin", np.concatenate(edges), type_)
    out = call.room("out", bins * active, counter)
    n = call.bound(n)
    x = x.reshape(-1, channels)[:n]
    wanted = []
    for c in range(active):
        column = np.ascontiguousarray(x[:, c])
        if not even:
            place = oracle.range_bins(column, type_, edges[c])
        elif type_ in INTEGERS:
            low, high = int(lower[c][0]), int(upper[c][0])
            inside = (column >= lower[c]) & (column < upper[c])
            place = np.where(inside, (column.astype(np.int64) - low) * bins // (high - low), -1)
        else:
            place = oracle.even_bins(column, type_, lower[c], upper[c], bins)
        wanted.append(oracle.tally(place, bins, counter, None if weight is None else weight[:n]))
    call.expect(out, np.concatenate(wanted), how_of(counter).replace("~", "="))


# ---- orders


def ordered(keys, type_):
    """Unsigned integers in the order of the keys: IEEE 754 total order for floats."""
    unsigned = np.dtype(f"u{SIZES[type_]}")
    bits, sign = keys.view(unsigned), unsigned.type(1 << (8 * SIZES[type_] - 1))
    if type_ in FLOATS:
        return np.where(bits & sign, ~bits, bits | sign)
    return bits ^ sign if type_[0] == "i" else bits.copy()


def digits(bits, size, begin, end, down):
    """The deciding bits, largest first for `down`."""
    if (begin, end) == (0, 0):
        begin, end = 0, 8 * size
    wide = bits.astype(np.uint64)
    if begin == end:
        return np.zeros(len(bits), np.uint64)
    wide = (wide >> np.uint64(begin)) & np.uint64(2**(end - begin) - 1)
    return np.uint64(2**(end - begin) - 1) - wide if down else wide


def special_keys(type_, n, kind, seed):
    """Keys; floats include NaNs of both signs with payloads."""
    keys = values(type_, n, kind, seed)
    if type_ in FLOATS and kind == "special":
        raw, rng = keys.view(f"u{SIZES[type_]}"), np.random.default_rng(seed + 1)
        where = rng.random(n) < 0.2
        raw[where] = rng.integers(0, 2**(8 * SIZES[type_]) - 1, n, np.uint64)[where].astype(raw.dtype)
    return keys


def draw_bits(g, r, size):
    """Some ranges of bits: the whole, and others, alternating in calls of one kind."""
    def one():
        begin = r.randrange(8 * size)
        return [begin, r.randrange(begin, 8 * size + 1)]
    g["bits"] = [[0, 0], [0, 0], one()] + ([one()] if r.random() < 0.3 else []) if r.random() < 0.6 else [[0, 0]]


def draw_moved(g, r):
    """Values, indices, or neither."""
    what = r.random()
    g["in_type"] = r.choice(ANY_TYPE) if what < 0.45 else 0
    g["out_type"] = r.choice(INDICES) if 0.45 <= what < 0.65 else 0


def put_moved(call, n, index_fits=True):
    """Values or indices beside keys: (output, moved elements) or None."""
    g, s = call.group, call.shot
    if g["in_type"]:
        x = data_of(g["in_type"], n, s["kind"], s["seed"] + 21)
        piece = call.given("in_", x, g["in_type"])
        call.set(in_type=g["in_type"], out_type=g["in_type"])
        place = s["place"] and s["seed"] % 3
        return (call.over("out", piece) if place else call.room("out", n, g["in_type"])), x
    if g["out_type"]:
        call.set(out_type=g["out_type"])
        return call.room("out", n, g["out_type"]), np.arange(n).astype(DTYPES[g["out_type"]])
    return None


class KeyField(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_size_t), ("type", ctypes.c_int), ("descending", ctypes.c_int)]


def build_sort(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    type_, down = g["key_type"], bool(g["flags"] & gp.DESCENDING)
    begin, end = s["bits"]
    call.set(key_type=type_, flags=g["flags"], begin_bit=begin, end_bit=end)
    if type_ == "pair":
        keys = data_of("pair", n, 0, s["seed"])
        columns = pairs(keys) if n else np.zeros((0, 2), np.uint32)
        if g["transform"]:
            call.set(transform="by_b", acc_type="u32")
            bits, size = columns[:, 1], 4
        else:
            downs = g["downs"]
            fields = (KeyField * 2)(KeyField(4, gp.TYPES["u32"], downs[0]), KeyField(0, gp.TYPES["u32"], downs[1]))
            call.host("fields", np.frombuffer(fields, np.uint8))
            call.set(field_count=2)
            flip = [np.uint64(0xffffffff) if d else np.uint64(0) for d in downs]
            high, low = columns[:, 1].astype(np.uint64) ^ flip[0], columns[:, 0].astype(np.uint64) ^ flip[1]
            bits = high << np.uint64(32) | low
            size = 8
    else:
        keys = special_keys(type_, n, s["kind"], s["seed"])
        bits, size = ordered(keys, type_), SIZES[type_]
    piece = call.given("keys", keys, type_)
    moved = put_moved(call, n)
    out_keys = None
    argsort = moved and not g["in_type"]  # does without
    if not (argsort and s["seed"] % 4 == 0):
        out_keys = call.over("out_keys", piece) if s["place"] else call.room("out_keys", n, type_, wanted=not argsort)
    n = call.bound(n)
    order = np.argsort(digits(bits[:n], size, begin, end, down), kind="stable")
    if out_keys:
        call.expect(out_keys, keys[order])
    if moved:
        call.expect(moved[0], moved[1][order])


def build_segmented_sort(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    type_, down = g["key_type"], bool(g["flags"] & gp.DESCENDING)
    begin_bit, end_bit = s["bits"]
    keys = special_keys(type_, n, s["kind"], s["seed"])
    call.set(key_type=type_, flags=g["flags"], begin_bit=begin_bit, end_bit=end_bit)
    call.fields["count"] = n
    piece = call.given("keys", keys, type_)
    moved = put_moved(call, n)
    out_keys = call.over("out_keys", piece) if s["place"] else call.room("out_keys", n, type_)
    edges = offsets_of(call, n)
    begin, end, good = edges[:-1], edges[1:], True
    if g["segments"] == "ends":
        order = np.random.default_rng(s["seed"]).permutation(len(begin))
        begin, end = begin[order], end[order]
        call.set(offset_type=g["offset_type"], segments=len(begin))
        for field, what in (("begin", begin), ("end", end)):
            call.given(field, what.astype(DTYPES[g["offset_type"]]), g["offset_type"])
    else:
        good = put_offsets(call, edges, n)
    if not good or not len(begin):
        return
    first, last = int(edges[0]), int(edges[-1])
    ranks = digits(ordered(keys, type_), SIZES[type_], begin_bit, end_bit, down)[first:last]
    inner = np.zeros(last - first, np.int64)
    np.add.at(inner, edges[1:-1][edges[1:-1] < last] - first, 1)
    order = first + np.lexsort((ranks, np.cumsum(inner)))
    call.expect(out_keys, keys[order], at=first * SIZES[type_])
    if moved:
        call.expect(moved[0], moved[1][order], at=first * moved[1].itemsize)


def draw_order(g, r):
    g["op"] = op = r.choice([0, "LESS", "GREATER", "GREATER", "below", "a_below"])
    g["key_type"] = r.choice(INTEGERS if op == "below" else ["pair"] if op == "a_below" else BUILT_IN)


def order_keys(call, n, k=0):
    """Keys without NaN, and their ranks."""
    g, s = call.group, call.shot
    op, type_ = g["op"] or "LESS", g["key_type"]
    if op == "a_below":
        rng = np.random.default_rng(s["seed"] + k)
        both = np.stack([rng.integers(0, 50, n), rng.integers(0, 2**32, n)], 1).astype(np.uint32)
        return both.view(dtype_of("pair")).reshape(-1), both[:, 0].astype(np.int64)
    x = values(type_, n, s["kind"], s["seed"] + k)
    wide = oracle.widest(x, type_)
    x = np.where(wide != wide, np.zeros(1, x.dtype), x)
    wide = oracle.widest(x, type_)
    ranks = wide >> 2 if op == "below" else wide
    return x, np.unique(ranks, return_inverse=True)[1].reshape(-1) * (-1 if op == "GREATER" else 1)


def build_merge_sort(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    keys, ranks = order_keys(call, n)
    call.set(op=g["op"], key_type=g["key_type"])
    piece = call.given("keys", keys, g["key_type"])
    moved = put_moved(call, n)
    out_keys = call.over("out_keys", piece) if s["place"] else call.room("out_keys", n, g["key_type"])
    n = call.bound(n)
    order = np.argsort(ranks[:n], kind="stable")
    call.expect(out_keys, keys[order])
    if moved:
        call.expect(moved[0], moved[1][order])


SECOND = ("merge", "set_union", "set_symmetric_difference")


def build_two_sorted(call):
    g, s, p = call.group, call.shot, call.fields["primitive"]
    n = s["n"]
    m = max(0, int(n * call.random.choice([0, 0.1, 0.5, 1, 1, 1.7])) + call.random.randrange(-1, 3))
    both, ranks = order_keys(call, n + m)
    first, second = np.argsort(ranks[:n], kind="stable"), n + np.argsort(ranks[n:], kind="stable")
    keys = both[np.concatenate([first, second])]
    ranks = ranks[np.concatenate([first, second])]
    call.set(op=g["op"], key_type=g["key_type"], count2=m)
    call.given("keys", keys[:n], g["key_type"])
    call.given("keys2", keys[n:], g["key_type"], wanted=m > 0)
    most = {"set_intersection": min(n, m), "set_difference": n}.get(p, n + m)
    out_keys = call.room("out_keys", most, g["key_type"])
    out = None
    if g["in_type"]:
        x = data_of(g["in_type"], n + m, s["kind"], s["seed"] + 31)
        call.set(in_type=g["in_type"])
        call.given("in_", x[:n], g["in_type"])
        if p in SECOND:
            call.given("in2", x[n:], g["in_type"], wanted=m > 0)
        out = call.room("out", most, g["in_type"])
    there = call.bound(n)
    a, b = ranks[:there], ranks[n:]
    index = np.concatenate([np.arange(there), np.arange(n, n + m)])
    joined = np.concatenate([a, b])
    places = np.argsort(joined, kind="stable")
    if p != "merge":
        among = np.concatenate([np.arange(len(x)) - np.searchsorted(x, x, "left") for x in (a, b)])
        others = np.concatenate([np.searchsorted(v, u, "right") - np.searchsorted(v, u, "left")
                                 for u, v in ((a, b), (b, a))])
        tied, mine = among < others, np.arange(len(joined)) < len(a)
        keep = {"set_union": mine | ~tied, "set_intersection": mine & tied, "set_difference": mine & ~tied,
                "set_symmetric_difference": ~tied}[p]
        places = places[keep[places]]
        put_number(call, len(places))
    places = index[places]
    call.expect(out_keys, keys[places])
    if out:
        call.expect(out, x[places])


def build_is_sorted(call):
    g, n = call.group, call.shot["n"]
    keys, ranks = order_keys(call, n)
    if call.random.random() < 0.7:
        order = np.argsort(ranks, kind="stable")
        keys, ranks = keys[order].copy(), ranks[order].copy()
        if n and call.random.random() < 0.6:
            i, j = call.random.randrange(n), call.random.randrange(n)
            keys[[i, j]], ranks[[i, j]] = keys[[j, i]], ranks[[j, i]]
    call.set(op=g["op"], key_type=g["key_type"])
    call.given("keys", keys, g["key_type"])
    n = call.bound(n)
    bad = np.flatnonzero(ranks[1:n] < ranks[:n - 1]) if n else []
    put_number(call, int(bad[0]) + 1 if len(bad) else NONE)


def build_bound(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    length = max(0, int(n * call.random.choice([0, 0.01, 1, 1, 3])))
    both, ranks = order_keys(call, n + length)
    order = np.argsort(ranks[:length], kind="stable")
    call.set(op=g["op"], in_type=g["key_type"], out_type=g["out_type"], key_count=length)
    call.given("keys", both[:length][order], g["key_type"], wanted=n > 0 and length > 0)
    call.given("in_", both[length:], g["key_type"])
    out = call.room("out", n, g["out_type"])
    n = call.bound(n)
    side = "left" if call.fields["primitive"] == "lower_bound" else "right"
    found = np.searchsorted(ranks[:length][order], ranks[length:length + n], side)
    call.expect(out, found.astype(DTYPES[g["out_type"]]))


def build_load_balance(call):
    g, n = call.group, call.shot["n"]
    edges = offsets_of(call, n, full=True)
    call.set(offset_type=g["offset_type"], out_type=g["out_type"], segments=len(edges) - 1)
    call.given("begin", edges.astype(DTYPES[g["offset_type"]]), g["offset_type"], wanted=n > 0)
    out = call.room("out", n, g["out_type"])
    n = call.bound(n)
    call.expect(out, (np.searchsorted(edges, np.arange(n), "right") - 1).astype(DTYPES[g["out_type"]]))


def build_top_k(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    rows = call.random.choice([0, 0, 1, 2, 5])
    n //= max(rows, 1)
    type_, down = g["key_type"], bool(g["flags"] & gp.DESCENDING)
    k = min(n, call.random.choice([0, 1, 2, 10, 100, 1000, 1025, n // 2, n]))
    keys = special_keys(type_, n * max(rows, 1), s["kind"], s["seed"])
    call.set(key_type=type_, flags=g["flags"], k=k, rows=rows)
    call.given("keys", keys, type_)
    out = x = indices = None
    total = k * max(rows, 1)
    if g["in_type"]:
        x = data_of(g["in_type"], n * max(rows, 1), s["kind"], s["seed"] + 21)
        call.set(in_type=g["in_type"])
        call.given("in_", x, g["in_type"])
        out = call.room("out", total, g["in_type"], wanted=False)
        indices = room_for_indices(call, total)
    elif g["out_type"]:
        call.set(out_type=g["out_type"])
        out = call.room("out", total, g["out_type"], wanted=False)
    out_keys = None
    if not out or k > 1024 or s["seed"] % 4 or not k:
        out_keys = call.room("out_keys", total, type_, wanted=False)
    there = call.bound(n)
    bits = ordered(keys, type_)
    bits = ~bits if down else bits
    for row in range(max(rows, 1)):
        of_row = slice(row * n, row * n + there)
        order = np.argsort(bits[of_row], kind="stable")[:k]
        chosen = keys[of_row][order]
        moved = x[of_row][order] if x is not None else order.astype(DTYPES[g["out_type"]]) if g["out_type"] else None
        places = order.astype(DTYPES[g["out2_type"]]) if indices else None
        if g["flags"] & (gp.UNSORTED | gp.FASTEST):  # the same elements, in any order, keys and values together
            for piece, what in ((out_keys, chosen), (out, moved), (indices, places)):
                if piece and len(what):
                    call.check(piece, what.nbytes, same_set(what), at=row * k * what.itemsize)
            continue
        if out_keys:
            call.expect(out_keys, chosen, at=row * k * chosen.itemsize)
        if out:
            call.expect(out, moved, at=row * k * moved.itemsize)
        if indices:
            call.expect(indices, places, at=row * k * places.itemsize)


def room_for_indices(call, count):
    """Where the indices beside values go, if they are wanted."""
    type_ = call.group["out2_type"]
    if not type_:
        return None
    call.set(out2_type=type_)
    return call.room("out2", count, type_, wanted=count > 0)


def build_segmented_top_k(call):
    """Offsets, begins and ends, or one length; a k for each segment, or one for all."""
    g, s, n = call.group, call.shot, call.shot["n"]
    type_, form = g["key_type"], g["segments"]
    k = call.random.choice([0, 1, 2, 10, 64, 100, 1000, 1024, 1025, 3000])
    call.set(key_type=type_, flags=g["flags"], k=k)
    good, begin, end = True, None, None
    if form == "fixed":
        length = call.random.choice([0, 1, 7, 64, 300, 500, 600, 1500, 2048, 2049, 5000])
        segments = min(n // max(length, 1), 5000 if k < 100 else 200)
        n = length * segments
        call.set(segments=segments, segment_length=length)
        begin = np.arange(segments) * length
        end = begin + length
    call.fields["count"] = n
    keys = special_keys(type_, n, s["kind"], s["seed"])
    call.given("keys", keys, type_)
    rng = np.random.default_rng(s["seed"] + 4)
    if form != "fixed":
        edges = offsets_of(call, n)
        if len(edges) > (5000 if k < 100 else 200):
            edges = edges[:200]
        begin, end = edges[:-1], edges[1:]
        if form == "ends":
            order = rng.permutation(len(begin))
            begin, end = begin[order], end[order]
            call.set(offset_type=g["offset_type"], segments=len(begin))
            for field, what in (("begin", begin), ("end", end)):
                call.given(field, what.astype(DTYPES[g["offset_type"]]), g["offset_type"])
        else:
            good = put_offsets(call, edges, n)
    segments = len(begin)
    ks = np.full(segments, k)
    if g["own"] and segments:
        ks = rng.integers(0, k + 5, segments)
        call.given("in2", ks.astype(np.uint32), "u32")
    x, out = None, None
    if g["in_type"] or g["out_type"]:
        x = data_of(g["in_type"], n, s["kind"], s["seed"] + 21) if g["in_type"] else None
        call.set(in_type=g["in_type"], out_type=g["in_type"] or g["out_type"])
        if x is not None:
            call.given("in_", x, g["in_type"])
        out = call.room("out", segments * k, g["in_type"] or g["out_type"])
    indices = room_for_indices(call, segments * k) if g["in_type"] else None
    out_keys = call.room("out_keys", segments * k, type_, wanted=False) if not out or s["seed"] % 4 or not k else None
    if not good:
        return
    bits = ordered(keys, type_)
    bits = ~bits if g["flags"] & gp.DESCENDING else bits
    for i in range(segments):
        part = slice(int(begin[i]), int(end[i]))
        order = np.argsort(bits[part], kind="stable")[:min(k, int(ks[i]))]
        if out_keys:
            call.expect(out_keys, keys[part][order], at=i * k * keys.itemsize)
        if out:
            moved = x[part][order] if x is not None else order.astype(DTYPES[g["out_type"]])
            call.expect(out, moved, at=i * k * moved.itemsize)
        if indices:
            places = order.astype(DTYPES[g["out2_type"]])
            call.expect(indices, places, at=i * k * places.itemsize)


def same_set(wanted):
    def test(got):
        size = wanted.itemsize
        bits = np.dtype(f"u{size}" if size in (1, 2, 4, 8) else f"S{size}")
        one, other = (np.sort(np.ascontiguousarray(a).view(np.uint8).view(bits)) for a in (got, wanted))
        return None if one.tobytes() == other.tobytes() else "other elements than those that are wanted"
    return test


def build_nth_element(call):
    g, s, n = call.group, call.shot, call.shot["n"]
    keys = special_keys(g["key_type"], n, s["kind"], s["seed"])
    down = bool(g["flags"] & gp.DESCENDING)
    call.given("keys", keys, g["key_type"])
    out = call.room("out_keys", 1, g["key_type"])
    n = call.bound(n)
    at = call.random.randrange(n) if n else 0
    call.set(key_type=g["key_type"], flags=g["flags"], n=at)
    if n:
        bits = ordered(keys[:n], g["key_type"])
        call.expect(out, keys[np.argsort(~bits if down else bits, kind="stable")[at:at + 1]])


def build_shuffle(call):
    """Only the library knows its permutation: checks that it is one, and on the GPU that it is the host's."""
    g, s, n = call.group, call.shot, call.shot["n"]
    type_ = g["in_type"] or g["out_type"]
    call.set(in_type=g["in_type"], out_type=type_)
    x = np.arange(n).astype(DTYPES[type_]) if not g["in_type"] else data_of(type_, n, s["kind"], s["seed"])
    if g["in_type"]:
        call.given("in_", x, type_)
    call.set(seed=s["seed"])
    out = call.room("out", n, type_)
    n = call.bound(n)
    call.by_host = True
    if n:
        call.check(out, n * x.itemsize, same_set(x[:n]))


def build_check_offsets(call):
    g, n = call.group, call.shot["n"]
    offsets = offsets_of(call, n)
    bad = NONE
    if call.random.random() < 0.6:
        offsets, bad = spoil(call, offsets, n)
    call.set(offset_type=g["offset_type"], segments=len(offsets) - 1)
    call.fields["count"] = n
    call.given("begin", offsets.astype(DTYPES[g["offset_type"]]), g["offset_type"])
    call.expect(call.room("bad", 1, "u64"), np.array([bad], np.uint64))


# ---- layouts


def build_transpose(call):
    g, s = call.group, call.shot
    r, type_ = call.random, g["in_type"]
    size = size_of(type_)
    dimensions = g["dimensions"]
    order = g["order"]
    side = max(1, int(max(s["n"], 1)**(1 / dimensions)))
    extent = [max(1, int(side * r.choice([0.3, 1, 1, 2]))) for _ in range(dimensions)]
    if s["n"] == 0:
        extent[r.randrange(dimensions)] = 0
    if dimensions == 2 and s["n"] and r.random() < 0.5:
        extent = [r.choice([1, 3, side, 64, 17]), max(1, min(side * side, s["n"]) // 8)]
    place = s["place"] and dimensions == 2 and order == [1, 0] and s["n"]
    if place and r.random() < 0.5:
        extent = [side, side]
    dense = place or r.random() < 0.5
    out_extent = [extent[d] for d in order]

    def strides(of):
        made, least = [], 1
        for i, e in enumerate(reversed(of)):
            made.insert(0, least + (0 if dense or i == 0 else r.randrange(4)))
            least = made[0] * max(e, 1)
        return made
    in_strides, out_strides = strides(extent), strides(out_extent)
    span = [sum((e - 1) * t for e, t in zip(shape, by)) + 1 if all(shape) else 0
            for shape, by in ((extent, in_strides), (out_extent, out_strides))]
    x = data_of(type_, span[0], s["kind"], s["seed"])
    piece = call.given("in_", x, type_)
    call.set(in_type=type_, out_type=type_)
    out = call.over("out", piece) if place else call.room("out", span[1], type_)
    p = gp.Permutation(dimensions=dimensions, order=tuple(order), extent=tuple(extent))
    if not dense:
        p.in_stride, p.out_stride = tuple(in_strides), tuple(out_strides)
    call.host("permutation", np.frombuffer(p, np.uint8))
    if not span[0]:
        return
    index = np.zeros(out_extent, np.int64)
    source = np.zeros(out_extent, np.int64)
    for axis in range(dimensions):
        shape = [-1 if a == axis else 1 for a in range(dimensions)]
        places = np.arange(out_extent[axis]).reshape(shape)
        index = index + places * out_strides[axis]
        source = source + places * in_strides[order[axis]]
    raw = x.view(np.uint8).reshape(-1, size)[source.reshape(-1)]
    at = index.reshape(-1)

    def test(got):
        rows = got.reshape(-1, size)
        bad = np.flatnonzero((rows[at] != raw).any(1))
        if len(bad):
            return f"{len(bad)} of {len(at)} elements differ, first the {bad[0]}th, at {at[bad[0]]}"
        untouched = np.ones(span[1], bool)
        untouched[at] = False
        before = call.image[out.at:out.at + span[1] * size].reshape(-1, size)
        return "elements between the rows are written" if (rows[untouched] != before[untouched]).any() else None
    call.check(out, span[1] * size, test)


def field_places(width, capacity, size, offset, field, n):
    """The first byte of a field in each struct."""
    i, block = np.arange(n), width or capacity
    return i // block * block * size + offset * block + i % block * field if n else i


def build_convert_layout(call):
    g, s = call.group, call.shot
    sizes, keep, n = g["sizes"], bool(g["flags"] & gp.KEEP_GAPS), s["n"]
    n = min(n, 40000 // sum(sizes))
    capacity = n + call.random.choice([0, 0, 1, 13, 16])
    place = s["place"]
    x_bytes, sides = [], []
    for side in ("from", "to"):
        width, offsets, size = g[side]["width"], g[side]["offsets"], g[side]["size"]
        block = width or capacity
        sides.append((width, offsets, size))
        x_bytes.append(-(-n // block) * block * size if n else 0)
        fields = (gp.Field * len(sizes))(*[gp.Field(o, z) for o, z in zip(offsets, sizes)])
        made = gp.Layout(width, size, fields, len(sizes), capacity if width == 0 else 0, None)
        call.kept["in_layout" if side == "from" else "out_layout"] = made
        call.kept[side + " fields"] = fields
    rng = np.random.default_rng(s["seed"])
    whole = max(x_bytes) if place else x_bytes[0]
    x = rng.integers(0, 256, whole, np.uint8)
    piece = call.given("in_", x)
    out = call.over("out", piece) if place else call.room("out", x_bytes[1], size=1, align=1)
    call.fields["count"] = n
    call.set(flags=g["flags"])
    (from_width, from_offsets, from_size), (to_width, to_offsets, to_size) = sides

    def wanted(before):
        y = before.copy()
        for f, size in enumerate(sizes):
            at = field_places(from_width, capacity, from_size, from_offsets[f], size, n)
            to = field_places(to_width, capacity, to_size, to_offsets[f], size, n)
            for byte in range(size):
                y[to + byte] = x[at + byte]
        if to_width != 0 and not keep:
            taken = {o + byte for o, size in zip(to_offsets, sizes) for byte in range(size)}
            begin = 0
            for byte in range(to_size + 1):  # padding is placed like a field
                if byte == to_size or byte in taken:
                    if byte > begin:
                        at = field_places(to_width, capacity, to_size, begin, byte - begin, n)
                        for j in range(byte - begin):
                            y[at + j] = 0
                    begin = byte + 1
        return y

    def test(got):
        y = wanted(call.image[out.at:out.at + len(got)])
        bad = np.flatnonzero(got != y)
        return f"{len(bad)} of {len(y)} bytes differ, first at {bad[0]}" if len(bad) else None
    call.check(out, x_bytes[1], test)


# ---- graphs


def graph_pairs(call, n, count, type_="u32", beyond=0):
    rng = np.random.default_rng(call.shot["seed"])
    e = rng.integers(0, n + beyond, (count, 2))
    shape = call.random.choice(["random", "hub", "path", "loops"])
    if shape == "hub":
        e[rng.random(count) < 0.4, 0] = 0
    if shape == "path" and count:
        e[:, 0] = np.arange(count) % n
        e[:, 1] = (np.arange(count) + 1) % n
    if shape == "loops":
        loops = rng.random(count) < 0.2
        e[loops, 1] = e[loops, 0]
    return e.astype(DTYPES[type_])


def listed(e, n, flags=0):
    """A graph's edges."""
    e = e.astype(np.int64)
    e = e[(e < n).all(1) & (e >= 0).all(1)]
    if flags & gp.DROP_LOOPS:
        e = e[e[:, 0] != e[:, 1]]
    if flags & gp.SYMMETRISE:
        e = np.concatenate([e, e[e[:, 0] != e[:, 1]][:, ::-1]])
    e = e[np.lexsort((e[:, 1], e[:, 0]))]
    return np.unique(e, axis=0) if flags & gp.UNIQUE_EDGES else e


def offsets_from(sources, n, type_):
    return np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=n))]).astype(DTYPES[type_])


def vertices_of(call):
    s = call.shot
    n = max(1, min(s["n"], 3000))
    return n, int(n * call.random.choice([0, 0.5, 1, 2, 8]))


def point(call, field, offset_type, vertex_type, n, room, flags=0, pieces=(), more=()):
    """gp_graph: its pointers are set when the image is laid out."""
    made = gp.Graph(n, room, gp.TYPES[offset_type], gp.TYPES[vertex_type], None, None, None, None, flags)
    call.kept[field] = made
    names = ("offsets", "targets", "in_offsets", "in_sources")
    call.after_layout.append((made, [(name, piece) for name, piece in zip(names, [*pieces, *more])]))
    return made


def put_graph(call, symmetric=False, with_in=False):
    g = call.group
    n, count = vertices_of(call)
    ot, vt = g["offset_type"], g["vertex_type"]
    e = listed(graph_pairs(call, n, count), n, gp.SYMMETRISE if symmetric else 0)
    if not symmetric:  # lists have any order
        e = e[np.random.default_rng(call.shot["seed"] + 1).permutation(len(e))]
        e = e[np.argsort(e[:, 0], kind="stable")]
    offsets = call.given(None, offsets_from(e[:, 0], n, ot), ot)
    targets = call.given(None, e[:, 1].astype(DTYPES[vt]), vt)
    more = []
    if with_in:
        t = listed(e[:, ::-1], n)
        more = [call.given(None, offsets_from(t[:, 0], n, ot), ot), call.given(None, t[:, 1].astype(DTYPES[vt]), vt)]
    made = point(call, "graph", ot, vt, n, len(e), int(symmetric), [offsets, targets], more)
    return n, e, made


def depths_of(n, e, source, limit=0):
    """Breadth-first search, level by level."""
    depths = np.full(n, -1, np.int32)
    if source >= n:
        return depths
    offsets = offsets_from(e[:, 0], n, "i64")
    order = e[np.argsort(e[:, 0], kind="stable"), 1]
    depths[source], frontier, depth = 0, np.array([source]), 0
    while len(frontier) and not (limit and depth >= limit):
        depth += 1
        lengths = offsets[frontier + 1] - offsets[frontier]
        at = np.repeat(offsets[frontier] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        reached = np.unique(order[at])
        frontier = reached[depths[reached] < 0]
        depths[frontier] = depth
    return depths


def put_fault(call):
    call.fields["flags"] = call.fields.get("flags", 0) | gp.CHECKED
    call.expect(call.room("fault", 3, "u64"), np.array([0, NONE, NONE], np.uint64))


def build_bfs(call):
    g, s = call.group, call.shot
    symmetric = bool(g["symmetric"])
    n, e, _ = put_graph(call, symmetric, with_in=g["in"] and not symmetric)
    source = call.random.randrange(n)
    limit = call.random.choice([0, 0, 0, 1, 2, 5])
    call.set(limit=limit, flags=g["flags"])
    if s["seed"] % 4 == 0:
        source = call.random.choice([source, source, n + 5])
        call.given("source_device", np.array([source], np.uint64), "u64", wanted=False)
    else:
        call.set(source=source)
    depths = depths_of(n, e, source, limit)
    if s["seed"] % 5 == 0 and source < n:
        target = call.random.randrange(n)
        call.set(target=target)
        call.fields["flags"] = call.fields.get("flags", 0) | gp.UNTIL_TARGET
        if depths[target] >= 0:
            depths[depths > depths[target]] = -1
    call.expect(call.room("out", n, "i32"), depths)
    if g["parents"]:
        vt = g["vertex_type"]
        out2 = call.room("out2", n, vt, wanted=False)
        smallest = bool(g["flags"] & gp.REPRODUCIBLE)
        call.check(out2, n * SIZES[vt], parents_test(n, e, source, depths, DTYPES[vt], smallest))
    if g["checked"]:
        put_fault(call)
    if s["seed"] % 3 == 0:
        statistics = call.room("statistics", 1, size=ctypes.sizeof(gp.Traversal), align=8, wanted=False)
        degrees = np.bincount(e[:, 0], minlength=n)
        said = np.array([(depths >= 0).sum(), degrees[depths >= 0].sum()], np.uint64)

        def test(got):
            numbers = got.view(np.uint64)[:2]
            return None if (numbers == said).all() else f"reached and edges are {numbers}, not {said}"
        call.check(statistics, ctypes.sizeof(gp.Traversal), test)


def parents_test(n, e, source, depths, dtype, smallest):
    nobody = int(np.iinfo(dtype).max)
    step = e[(depths[e[:, 0]] >= 0) & (depths[e[:, 1]] == depths[e[:, 0]] + 1)]
    least = np.full(n, NONE, np.uint64)
    np.minimum.at(least, step[:, 1], step[:, 0].astype(np.uint64))
    good = set(zip(step[:, 0].tolist(), step[:, 1].tolist()))

    def test(got):
        parents = got.view(dtype)
        for v in range(n):
            p = int(parents[v])
            if depths[v] < 0:
                fine = p == nobody
            elif v == source:
                fine = p == v
            else:
                fine = p == int(least[v]) if smallest else (p, v) in good
            if not fine:
                return f"the parent of {v} (depth {depths[v]}) is {p}"
        return None
    return test


def build_bfs_sources(call):
    g, s = call.group, call.shot
    symmetric = bool(g["symmetric"])
    n, e, _ = put_graph(call, symmetric, with_in=g["in"] and not symmetric)
    count = call.random.choice([0, 1, 2, 5, 31, 33, 65])
    count = min(count, max(1, 20000 // n)) if count else 0
    sources = [call.random.randrange(n) for _ in range(count)]
    limit = call.random.choice([0, 0, 0, 1, 3])
    call.set(limit=limit, flags=g["flags"])
    call.fields["count"] = count
    if s["seed"] % 4 == 0 and count:
        sources[0] = call.random.choice([sources[0], n + 3])
        call.given("source_device", np.array(sources, np.uint64), "u64", wanted=False)
    else:
        call.host("sources", np.array(sources, np.uint64))
    rows = {v: depths_of(n, e, v, limit) for v in set(sources)}
    table = np.array([rows[v] for v in sources], np.int32).reshape(-1)
    wants = g["wants"]
    if wants & 1:
        call.expect(call.room("out", count * n, "i32", wanted=False), table)
    if wants & 2:
        call.expect(call.room("out2", count, "u64", wanted=False),
                    (table.reshape(-1, n) >= 0).sum(1).astype(np.uint64))
    if g["checked"]:
        put_fault(call)


def build_graph_from_edges(call):
    g, s = call.group, call.shot
    n, count = vertices_of(call)
    flags = s["flags_of_edges"]
    e = graph_pairs(call, n, count, g["in_type"], beyond=2 if g["bad"] else 0)
    apart = g["apart"]
    call.set(in_type=g["in_type"], flags=flags)
    call.given("in_", e[:, 0] if apart else e, g["in_type"])
    if apart:
        call.given("in2", e[:, 1], g["in_type"], wanted=False)
    there = call.bound(count)
    ot, vt = g["offset_type"], g["vertex_type"]
    room = count * (2 if flags & gp.SYMMETRISE else 1) + call.random.choice([0, 3])
    offsets, targets = call.room(None, n + 1, ot), call.room(None, room, vt)
    point(call, "out_graph", ot, vt, n, room, 0, [offsets, targets])
    edges = listed(e[:there], n, flags)
    call.expect(offsets, offsets_from(edges[:, 0], n, ot))
    call.expect(targets, edges[:, 1].astype(DTYPES[vt]))
    if g["bad"]:
        wrong = np.flatnonzero((e[:there].astype(np.int64) >= n).any(1))
        call.expect(call.room("bad", 1, "u64", wanted=False), np.array([wrong[0] if len(wrong) else NONE], np.uint64))


def build_graph_transpose(call):
    g = call.group
    n, e, made = put_graph(call)
    ot, vt = g["offset_type"], g["vertex_type"]
    offsets, sources = call.room(None, n + 1, ot), call.room(None, len(e), vt)
    call.after_layout.append((made, [("in_offsets", offsets), ("in_sources", sources)]))
    t = listed(e[:, ::-1], n)
    call.expect(offsets, offsets_from(t[:, 0], n, ot))
    call.expect(sources, t[:, 1].astype(DTYPES[vt]))


def build_graph_relabel(call):
    g = call.group
    n, e, _ = put_graph(call)
    ot, vt = g["offset_type"], g["vertex_type"]
    offsets, targets = call.room(None, n + 1, ot), call.room(None, len(e), vt)
    point(call, "out_graph", ot, vt, n, len(e), 0, [offsets, targets])
    order = np.argsort(-np.bincount(e[:, 0], minlength=n), kind="stable")
    numbers = np.argsort(order)
    t = listed(numbers[e], n)
    call.expect(offsets, offsets_from(t[:, 0], n, ot))
    call.expect(targets, t[:, 1].astype(DTYPES[vt]))
    for field, what in (("out", order), ("out2", numbers)):
        if call.random.random() < 0.8:
            call.expect(call.room(field, n, vt, wanted=False), what.astype(DTYPES[vt]))


def build_graph_degrees(call):
    n, e, _ = put_graph(call)
    degree = np.bincount(e[:, 0], minlength=n)
    bits = np.array([int(d).bit_length() for d in degree])
    wanted = np.concatenate([[n, len(e), degree.min(), degree.max()], np.bincount(bits, minlength=65)])
    call.expect(call.room("out", 69, "u64"), wanted.astype(np.uint64))


def build_graph_check(call):
    put_graph(call, with_in=call.group["in"])
    call.expect(call.room("out", 3, "u64"), np.array([0, NONE, NONE], np.uint64))


def build_bfs_check(call):
    n, e, _ = put_graph(call)
    source = call.random.randrange(n)
    depths = depths_of(n, e, source)
    spoiled = call.random.random() < 0.4
    if spoiled:
        depths[call.random.randrange(n)] += call.random.choice([1, -1, 7])
    call.set(source=source)
    call.given("in_", depths, "i32")

    def test(got):
        kind = int(got.view(np.uint64)[0])
        return None if bool(kind) == spoiled else f"fault {kind} for depths that are {'wrong' if spoiled else 'right'}"
    call.check(call.room("out", 3, "u64"), 24, test)


def build_components(call):
    import scipy.sparse
    import scipy.sparse.csgraph
    g = call.group
    n, e, _ = put_graph(call, bool(g["symmetric"]))
    matrix = scipy.sparse.csr_matrix((np.ones(len(e)), (e[:, 0], e[:, 1])), shape=(n, n))
    found, of = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    smallest = np.full(found, n)
    np.minimum.at(smallest, of, np.arange(n))
    call.expect(call.room("out", n, g["vertex_type"]), smallest[of].astype(DTYPES[g["vertex_type"]]))
    if call.random.random() < 0.8:
        call.expect(call.room("out_count", 1, "u64", wanted=False), np.array([found], np.uint64))


# ---- drawing groups


def draw_map(g, r):
    g["in_type"] = r.choice(ANY_TYPE)


def draw_scatter(g, r):
    g["in_type"], g["out_type"], g["transform"] = r.choice(ANY_TYPE), 0, 0
    g["in2_type"] = r.choice(OFFSETS) if g["primitive"] == "gather" or r.random() < 0.7 else 0
    g["op"] = r.choice(oracle.COMPARISONS + ["odd", 0, 0, 0])
    g["key_type"] = r.choice(INTEGERS if g["op"] == "odd" else BUILT_IN if g["op"] else [0, *FLAG_TYPES])
    if g["primitive"] == "scatter" and r.random() < 0.4:
        g["in_type"], g["out_type"], g["transform"] = r.choice(BUILT_IN), r.choice(BUILT_IN), r.choice(oracle.UNARY)


def draw_batch(g, r):
    g["offset_type"] = r.choice(OFFSETS)


def draw_expand(g, r):
    g["in_type"], g["offset_type"] = r.choice(ANY_TYPE), r.choice(OFFSETS)


def draw_filled(g, r):
    g["out_type"] = r.choice(ANY_TYPE if g["primitive"] == "fill" else BUILT_IN)


def draw_transform(g, r):
    g["op"] = op = r.choice(oracle.UNARY + ["gray"])
    g["in_type"] = r.choice(INTEGERS if op == "gray" else BUILT_IN)
    g["out_type"] = g["in_type"] if op == "gray" or r.random() < 0.4 else r.choice(BUILT_IN)


def draw_transform2(g, r):
    g["op"] = op = r.choice(oracle.BINARY + ["SUB", "last", "affine"])
    if op in ("last", "affine"):
        g.update(in_type=r.choice(USER[op][0]), in2_type=0)
        g["out_type"] = g["in_type"]
        return
    g["out_type"] = r.choice(INTEGERS if op.startswith("BIT") else BUILT_IN)
    g["in_type"] = g["out_type"] if r.random() < 0.5 else r.choice(BUILT_IN)
    g["in2_type"] = r.choice([0, r.choice(BUILT_IN)])


def draw_difference(g, r):
    draw_transform2(g, r)
    del g["in2_type"]
    g["flags"] = r.choice([0, gp.RIGHT])


def draw_segments(g, r):
    draw_fold(g, r)
    g["offset_type"] = r.choice(OFFSETS)
    forms = ["offsets", "offsets", "ends", "fixed"]
    g["segments"] = r.choice(forms) if g["primitive"] == "segmented_reduce" else "offsets"
    g["checked"] = g["segments"] == "offsets" and r.random() < 0.2


def draw_by_key(g, r):
    draw_fold(g, r)
    draw_equal(g, r)


def draw_groups(g, r):
    draw_fold(g, r, group_by=True)
    g["key_type"] = r.choice(BUILT_IN)


def draw_keys(g, r):
    g["key_type"], g["index"], g["join"] = r.choice(BUILT_IN), r.choice(["u32", "i64"]), r.randrange(5)
    integers = [t for t in BUILT_IN if t[0] in "iu"]
    g["aggregates"] = [[r.choice([1, 2, 3, 4, 6, 7]), r.choice(integers)] for _ in range(r.randrange(1, 9))]


def draw_columns(g, r):
    g["key_type"], g["index"], g["alone"] = r.choice(BUILT_IN), r.choice(OFFSETS), r.random() < 0.5
    g["keys"] = r.choice([0, 1, 2, 4]) if g["alone"] else r.randrange(1, 5)
    g["columns"] = [r.choice(BUILT_IN) for _ in range(4)]
    g["values"] = [r.choice(BUILT_IN) for _ in range(r.choice([0, 1, 2, 7, 30]))]


def draw_runs(g, r):
    draw_equal(g, r)
    g["out2_type"] = r.choice([0, *OFFSETS])
    g["wants"] = r.randrange(4)
    if not g["wants"] & 2 and g["primitive"] == "run_lengths":
        g["out2_type"] = 0


def draw_unique(g, r):
    draw_equal(g, r)
    g["in_type"] = r.choice([0, r.choice(ANY_TYPE)])


def draw_selection(g, r):
    draw_predicate(g, r, flags=g["primitive"] in ("select", "partition"))
    g["transform"] = 0
    if g["primitive"] == "partition" and g["op"] and r.random() < 0.4:
        g["transform"] = r.choice(oracle.COMPARISONS + (["odd"] if g["in_type"] in INTEGERS else []))


def draw_alike(g, r):
    g["op"] = op = r.choice(["EQUAL", 0, "NOT_EQUAL", "fours", "a_equal"])
    g["in_type"] = r.choice(INTEGERS if op == "fours" else ["pair"] if op == "a_equal" else BUILT_IN)
    g["in2_type"] = r.choice([0, g["in_type"]])


def draw_histogram(g, r):
    g["in_type"] = r.choice(BUILT_IN)
    g["in2_type"] = r.choice([0, 0, r.choice(BUILT_IN)])
    floats = g["in2_type"] in FLOATS or (g["in2_type"] and r.random() < 0.3)
    g["out_type"] = r.choice(["f32", "f64"] if floats else OFFSETS)
    g["channels"] = r.choice([[1, 1], [1, 1], [2, 2], [3, 3], [4, 3], [4, 4], [5, 1]])


def draw_bound(g, r):
    draw_order(g, r)
    if g["op"] == "GREATER":
        g["op"] = "LESS"
    g["out_type"] = r.choice(INDICES)


def draw_balance(g, r):
    g["offset_type"], g["out_type"] = r.choice(OFFSETS), r.choice(INDICES)


def draw_sort(g, r):
    g["key_type"] = r.choice(BUILT_IN + ["pair"])
    g["flags"] = r.choice([0, gp.DESCENDING])
    draw_moved(g, r)
    g["transform"] = g["key_type"] == "pair" and r.random() < 0.5
    g["downs"] = [r.randrange(2), r.randrange(2)]
    size = (4 if g["transform"] else 8) if g["key_type"] == "pair" else SIZES[g["key_type"]]
    draw_bits(g, r, size)


def draw_sorted_segments(g, r):
    g["key_type"] = r.choice(BUILT_IN)
    g["flags"] = r.choice([0, gp.DESCENDING])
    draw_moved(g, r)
    draw_bits(g, r, SIZES[g["key_type"]])
    g["offset_type"] = r.choice(OFFSETS)
    g["segments"] = r.choice(["offsets", "offsets", "ends"])
    g["checked"] = g["segments"] == "offsets" and r.random() < 0.2


def draw_lexicographic(g, r):
    draw_order(g, r)
    g["in_type"] = g.pop("key_type")


def draw_ordered(g, r):
    draw_order(g, r)
    draw_moved(g, r)


def draw_two(g, r):
    draw_order(g, r)
    g["in_type"] = r.choice([0, r.choice(ANY_TYPE)])


def draw_top_k(g, r):
    g["key_type"] = r.choice(BUILT_IN)
    g["flags"] = r.choice([0, gp.DESCENDING]) | (r.choice([0, 0, gp.UNSORTED, gp.FASTEST])
                                                  if g["primitive"] == "top_k" else 0)
    draw_moved(g, r)
    g["out2_type"] = r.choice([0, *OFFSETS])


def draw_segmented_top_k(g, r):
    g["key_type"] = r.choice(BUILT_IN)
    g["flags"] = r.choice([0, gp.DESCENDING]) | r.choice([0, 0, gp.UNSORTED])
    draw_moved(g, r)
    g["out2_type"] = r.choice([0, *OFFSETS])
    g["offset_type"], g["own"] = r.choice(OFFSETS), r.random() < 0.4
    g["segments"] = r.choice(["offsets", "offsets", "ends", "fixed"])
    g["checked"] = g["segments"] == "offsets" and r.random() < 0.2


def draw_shuffle(g, r):
    g["in_type"] = r.choice([0, r.choice(ANY_TYPE), r.choice(ANY_TYPE)])
    g["out_type"] = 0 if g["in_type"] else r.choice(INDICES)


def draw_transpose(g, r):
    g["in_type"] = r.choice(ANY_TYPE)
    g["dimensions"] = r.choice([1, 2, 2, 2, 3, 4])
    plain = g["dimensions"] == 2 and r.random() < 0.8
    g["order"] = [1, 0] if plain else r.sample(range(g["dimensions"]), g["dimensions"])


def draw_layout(g, r):
    g["sizes"] = [r.choice([1, 2, 3, 4, 8, 12, 16]) for _ in range(r.randrange(1, 7))]
    for side in ("from", "to"):
        offsets, at = [0] * len(g["sizes"]), 0
        for f in r.sample(range(len(g["sizes"])), len(g["sizes"])):
            at += r.choice([0, 0, 1, 3])
            offsets[f], at = at, at + g["sizes"][f]
        g[side] = {"width": r.choice([0, 1, 1, 2, 8, 32, 100]), "offsets": offsets, "size": at + r.choice([0, 0, 2])}
    g["flags"] = r.choice([0, 0, gp.KEEP_GAPS])


def draw_graph(g, r):
    g["offset_type"], g["vertex_type"] = r.choice(INDICES), r.choice(INDICES)
    g["symmetric"], g["in"], g["checked"] = r.randrange(2), r.randrange(2), r.random() < 0.15
    g["parents"], g["wants"] = r.randrange(2), r.choice([1, 2, 3])
    g["flags"] = gp.REPRODUCIBLE if g["primitive"] == "bfs" and g["parents"] and r.random() < 0.3 else 0
    g["in_type"], g["bad"], g["apart"] = r.choice(OFFSETS), r.randrange(2), r.randrange(2)


# For each primitive: its drawing and building functions, its frequency, and whether its count may be in device memory.
FAMILIES = {
    "copy": (draw_map, build_copy, 1, True),
    "fill": (draw_filled, build_fill, 1, True),
    "reverse": (draw_map, build_reverse, 1, True),
    "scatter": (draw_scatter, build_scatter, 2, True),
    "gather": (draw_scatter, build_scatter, 1, True),
    "replace": (draw_predicate, build_replace, 1, True),
    "swap": (draw_map, build_swap, 1, True),
    "copy_batch": (draw_batch, build_copy_batch, 1, True),
    "expand": (draw_expand, build_expand, 1, True),
    "run_length_expand": (draw_expand, build_expand, 1, True),
    "iota": (draw_filled, build_iota, 1, True),
    "transform": (draw_transform, build_transform, 2, True),
    "transform2": (draw_transform2, build_transform2, 2, True),
    "reduce": (draw_fold, build_reduce, 4, True),
    "inclusive_scan": (draw_fold, build_scan, 3, True),
    "exclusive_scan": (draw_fold, build_scan, 3, True),
    "segmented_reduce": (draw_segments, build_segmented_reduce, 3, False),
    "segmented_inclusive_scan": (draw_segments, build_segmented_scan, 2, True),
    "segmented_exclusive_scan": (draw_segments, build_segmented_scan, 3, True),
    "inclusive_scan_by_key": (draw_by_key, build_scan_by_key, 2, True),
    "exclusive_scan_by_key": (draw_by_key, build_scan_by_key, 3, True),
    "reduce_by_key": (draw_by_key, build_reduce_by_key, 2, True),
    "run_lengths": (draw_runs, build_run_lengths, 1, True),
    "nontrivial_runs": (draw_runs, build_nontrivial_runs, 1, True),
    "unique": (draw_unique, build_unique, 2, True),
    "adjacent_difference": (draw_difference, build_adjacent_difference, 2, True),
    "select": (draw_selection, build_select, 2, True),
    "partition": (draw_selection, build_partition, 2, True),
    "count_if": (draw_selection, build_question, 1, True),
    "any": (draw_selection, build_question, 1, True),
    "all": (draw_selection, build_question, 1, True),
    "find_if": (draw_selection, build_find_if, 1, True),
    "is_partitioned": (draw_predicate, build_partitioned, 1, True),
    "partition_point": (draw_predicate, build_partitioned, 1, True),
    "lexicographic": (draw_lexicographic, build_lexicographic, 1, False),
    "mismatch": (draw_alike, build_two_arrays, 1, True),
    "equal_arrays": (draw_alike, build_two_arrays, 1, True),
    "adjacent_find": (draw_alike, build_adjacent_find, 1, True),
    "histogram_even": (draw_histogram, build_histogram, 1, True),
    "histogram_ranges": (draw_histogram, build_histogram, 1, True),
    "lower_bound": (draw_bound, build_bound, 1, True),
    "upper_bound": (draw_bound, build_bound, 1, True),
    "load_balance": (draw_balance, build_load_balance, 1, True),
    "sort": (draw_sort, build_sort, 3, True),
    "merge_sort": (draw_ordered, build_merge_sort, 2, True),
    "merge": (draw_two, build_two_sorted, 2, True),
    "set_union": (draw_two, build_two_sorted, 1, True),
    "set_intersection": (draw_two, build_two_sorted, 1, True),
    "set_difference": (draw_two, build_two_sorted, 1, True),
    "set_symmetric_difference": (draw_two, build_two_sorted, 1, True),
    "is_sorted": (draw_order, build_is_sorted, 1, True),
    "segmented_sort": (draw_sorted_segments, build_segmented_sort, 3, False),
    "top_k": (draw_top_k, build_top_k, 2, True),
    "segmented_top_k": (draw_segmented_top_k, build_segmented_top_k, 2, False),
    "nth_element": (draw_top_k, build_nth_element, 1, True),
    "shuffle": (draw_shuffle, build_shuffle, 1, True),
    "group_by": (draw_groups, build_group_by, 2, True),
    "group_by_many": (draw_keys, build_group_by_many, 2, True),
    "distinct": (draw_keys, build_distinct, 1, True),
    "join": (draw_keys, build_join, 2, True),
    "sort_columns": (draw_columns, build_sort_columns, 2, True),
    "check_offsets": (draw_balance, build_check_offsets, 1, False),
    "transpose": (draw_transpose, build_transpose, 2, False),
    "reduce_axis": (draw_reduce_axis, build_reduce_axis, 2, False),
    "row_map": (draw_row_map, build_row_map, 1, False),
    "scan_axis": (draw_scan_axis, build_scan_axis, 2, False),
    "sort_axis": (draw_row_order, build_row_order, 2, False),
    "top_k_axis": (draw_row_order, build_row_order, 1, False),
    "convert_layout": (draw_layout, build_convert_layout, 2, False),
    "bfs": (draw_graph, build_bfs, 2, False),
    "graph_from_edges": (draw_graph, build_graph_from_edges, 1, True),
    "graph_transpose": (draw_graph, build_graph_transpose, 1, False),
    "graph_relabel": (draw_graph, build_graph_relabel, 1, False),
    "graph_degrees": (draw_graph, build_graph_degrees, 1, False),
    "graph_check": (draw_graph, build_graph_check, 1, False),
    "bfs_check": (draw_graph, build_bfs_check, 1, False),
    "connected_components": (draw_graph, build_components, 1, False),
    "bfs_sources": (draw_graph, build_bfs_sources, 1, False),
}
KINDS = ["uniform", "uniform", "small", "special", "constant", "zeros", "extremes"]


# ---- gp_call.apply

STORED = ("reduce", "inclusive_scan", "exclusive_scan", "segmented_reduce", "segmented_inclusive_scan",
          "segmented_exclusive_scan", "inclusive_scan_by_key", "exclusive_scan_by_key", "reduce_by_key")


def draw_apply(g, r):
    """A unary operator that makes what is stored of each result; of sums that are compared within a tolerance, one that
    keeps it."""
    if g["primitive"] not in STORED or g["op"] == "affine" or g["op"].startswith("ARG"):
        return
    near = g["op"] == "SUM" and g["acc_type"] in FLOATS
    if not near or g["out_type"] in FLOATS:
        g["apply"] = r.choice(["NEGATE", "ABS"] if near else ["NEGATE", "ABS", "SQUARE", "NOT"])


# ---- inputs that are described in place of arrays (gp_input)

# What reads arrays alone: strides say more of these inputs, or their elements have no type.
ARRAYS_ALONE = {("gather", "in_"), ("segmented_top_k", "in2"), ("transpose", "in_"), ("sort_columns", "keys"),
                ("convert_layout", "in_"), ("copy_batch", "in_"), ("copy_batch", "in2"), ("reduce_axis", "in_"),
                ("row_map", "in_"), ("scan_axis", "in_"), ("sort_axis", "keys"), ("top_k_axis", "keys"),
                ("graph_from_edges", "in_"), ("graph_from_edges", "in2"), ("bfs_check", "in_"), ("bfs_check", "in2")}
TYPE_OF_INPUT = {"in_": "in_type", "in2": "in2_type", "keys": "key_type"}
INPUT_ARRAYS = 6


class Description:
    """An input's elements in another array: at a stride, gathered by indices, or converted to their own type."""

    def __init__(self, call, piece, type_, way):
        size, n = size_of(type_), piece.size // size_of(type_)
        rng = np.random.default_rng([call.shot["seed"], piece.size])
        x = piece.data.reshape(-1).view(np.uint8).reshape(n, size)
        self.piece, self.type, self.count, self.stride, self.first, self.index = piece, type_, n, 0, 0, None
        if way == "stride":
            self.stride = int(rng.choice([-3, -1, 1, 2]))
            places = np.arange(n) * self.stride
            self.first = -int(places.min())
            places += self.first
        elif way == "gather":
            places = rng.permutation(n)
            self.index = call.given(None, places.astype(np.uint32), "u32")
        else:
            places = np.arange(n)
        moved = rng.integers(0, 256, (int(places.max()) + 1, size), np.uint8)
        moved[places] = x
        piece.data, piece.size = moved, moved.nbytes

    def arrays(self):
        return 1 + (self.index is not None)

    def made(self, base, type_, keep):
        """The gp_input for an image at `base`; others that it leads to are added to `keep`."""
        at, size = base + self.piece.at, size_of(self.type)
        array = gp.Input(kind=4 if self.stride else 1, type=type_, data=at + self.first * size, stride=self.stride)
        keep.append(array)
        if self.index is not None:
            index = gp.Input(kind=1, type=gp.TYPES["u32"], data=base + self.index.at)
            array.count = self.count
            keep.extend([index, gp.Input(kind=5, a=ctypes.addressof(array), b=ctypes.addressof(index))])
        elif not self.stride:
            keep.append(gp.Input(kind=6, type=type_, op=gp.OPERATORS["CONVERT"], a=ctypes.addressof(array)))
        return keep[-1]


def describe(call):
    """Puts descriptions in the places of some inputs. Those that share a type are described together."""
    g, f = call.group, call.fields
    p, pieces = f["primitive"], {piece.field: piece for piece in call.pieces if piece.field}
    over = [id(piece) for _, piece in call.placed]
    types = {"in_": f.get("in_type"), "keys": f.get("key_type"), "keys2": f.get("key_type"),
             "in2": f.get("in2_type") or f.get("in_type")}
    if f.get("channels", 1) > 1 or (f.get("rows", 1) > 1 and "count_device" in pieces):
        return

    def may(field):
        piece, type_ = pieces.get(field), types[field]
        return piece is not None and type_ and piece.data is not None and id(piece) not in over and \
            piece.size >= size_of(type_) and (p, field) not in ARRAYS_ALONE

    arrays = 0
    apart = p in ("transform2", "scatter", "gather", "mismatch", "equal_arrays", "lexicographic") or \
        p.startswith("histogram")  # have an in2_type
    for field, way in sorted(g["described"].items()):
        second = {"keys": "keys2", "in_": None if apart else "in2"}.get(field)
        fields = [field] + [second] * (second in pieces)
        if field == "in2" and not apart or not all(map(may, fields)):
            continue
        arrays += len(fields) * (1 + (way == "gather"))
        if arrays > INPUT_ARRAYS:
            return
        for one in fields:
            plain = way == "convert" and types[one] not in INTEGERS  # a NaN may change
            call.described[one] = Description(call, pieces[one], types[one], "stride" if plain else way)
        if field == "in_" and p not in ("scatter", "gather") and "in2" in pieces and apart and not f.get("in2_type"):
            f["in2_type"] = types["in2"]
        f[TYPE_OF_INPUT[field]] = gp.INPUT


def fastest(call):
    """Some calls say that time is all that matters: their results are the same ones, but for the order of some."""
    f = call.fields
    if call.shot["seed"] % 16 == 0 and not f.get("flags", 0) & gp.REPRODUCIBLE and \
            f["primitive"] not in ("top_k", "segmented_top_k", "top_k_axis", "distinct", "group_by"):
        f["flags"] = f.get("flags", 0) | gp.FASTEST


def draw_described(g, r):
    fields = r.choice([["in_"], ["keys"], ["in2"], ["in_", "keys"], ["in_", "in2"], ["in_", "in2", "keys"]])
    g["described"] = {field: r.choice(["stride", "gather", "convert"]) for field in fields}


def draw_group(r, chosen=None, turn=1):
    """Every third group takes the next primitive, so that a few hundred groups have all of them."""
    names = chosen or list(FAMILIES)
    g = {"primitive": r.choices(names, [FAMILIES[p][2] for p in names])[0]}
    if turn % 3 == 0:
        g["primitive"] = names[turn // 3 % len(names)]
    FAMILIES[g["primitive"]][0](g, r)
    if r.random() < 0.15:
        draw_apply(g, r)
    if r.random() < 0.15:
        draw_described(g, r)
    g["policy"] = r.choice(["", "", "", "rule", "row", "random", "random"])
    return g


def draw_size(r, large):
    what = r.random()
    if what < 0.1:
        return r.randrange(4)
    if what < 0.7:
        return int(4 * 500**r.random())
    if what < 0.9 or not large:
        return max(0, r.choice([32, 64, 128, 256, 512, 1024]) * r.choice([1, 1, 2, 3, 4]) + r.randrange(-1, 2))
    if what < 0.996:
        return int(2000 * 20**r.random())
    return int(40000 * 20**r.random())


def draw_shot(r, g, large):
    n = min(draw_size(r, large), 100_000 if STRUCTS.keys() & set(map(str, g.values())) else 600_000)
    s = {"n": n, "seed": r.randrange(2**30), "kind": r.choice(KINDS), "shift": int(r.random() < 0.6),
         "place": int(r.random() < 0.25), "init": int(r.random() < 0.4), "bits": r.choice(g.get("bits", [[0, 0]])),
         "flags": gp.REPRODUCIBLE if r.random() < 0.1 else 0, "stream": r.randrange(4),
         "capture": int(r.random() < 0.08), "invalid": r.choice(INVALID) if r.random() < 0.04 else None,
         "bins": r.choice([1, 2, 7, 64, 255, 256, 1000, 5000]), "flags_of_edges": r.randrange(8) * gp.SYMMETRISE}
    if FAMILIES[g["primitive"]][3] and r.random() < 0.15:
        s["device"] = r.choice([0, 0.1, 0.5, 0.9, 1, 1.5])
    return s


# ---- calls to be refused: the fault, the allowed results, the field that the message names

INVALID = ["null", "alignment", "flags", "bins", "count2", "type", "op", "equal", "overlap"]
NAMES = {"in_": "in"}


def invalidate(call, what):
    """Makes a valid call wrong. False: this fault is impossible for it."""
    f = call.fields
    free = ("in2", "end")  # may be left out
    wanted = [p for p in call.pieces if p.wanted and p.field and p.field not in free]
    if what in ("null", "alignment", "overlap"):
        call_counts = f.get("count", 0) and "count_device" not in [p.field for p in call.pieces]
        pieces = [p for p in wanted if what == "null" or p.align > 1]
        if not pieces or not call_counts:
            return False
        if what == "overlap":
            outs = [p for p in pieces if p.data is None and p.size > 1]
            ins = [p for p in pieces if p.data is not None and p.size > 8 and p.align <= 8]
            free = f["primitive"] in ("copy", "partition", "transpose", "convert_layout")
            if not outs or not ins or call.in_place or free:
                return False
            call.wrong = ("overlap", outs[0], ins[0])
            call.must_refuse = ("GP_E_OVERLAP", "GP_E_ALIGNMENT")
            call.names = (outs[0].field,)
        else:
            piece = call.random.choice(pieces)
            if any(piece is p for _, p in call.placed):
                return False
            call.wrong = (what, piece)
            call.must_refuse = ("GP_E_NULL",) if what == "null" else ("GP_E_ALIGNMENT", "GP_E_OVERLAP")
            call.names = (piece.field,)
    elif what == "flags":
        f["flags"] = f.get("flags", 0) | 1 << 20
        call.must_refuse, call.names = ("GP_E_ARGUMENT",), ("flags",)
    elif what == "bins":
        if f["primitive"].startswith("histogram"):
            return False
        f["bins"] = 5
        call.must_refuse, call.names = ("GP_E_ARGUMENT",), ("bins",)
    elif what == "count2":
        if f["primitive"] in ("merge", "lexicographic", "join") or f["primitive"].startswith("set_"):
            return False
        f["count2"] = 3
        call.must_refuse, call.names = ("GP_E_ARGUMENT",), ("count2",)
    else:
        types = [t for t in ("in_type", "key_type", "offset_type", "out_type") if f.get(t)]
        field = (types or [None])[0] if what == "type" else what
        if not f.get(field):
            return False
        f[field] = 9999
        call.must_refuse = ("GP_E_TYPE",) if what == "type" else ("GP_E_OPERATOR",)
        call.names = (field,)
    call.expected.clear()
    return True


def build(group, shot):
    """The call of a case, laid out in an image."""
    call = Call(group, shot)
    call.wrong = None
    FAMILIES[group["primitive"]][1](call)
    if shot.get("invalid"):
        invalidate(call, shot["invalid"])
    else:
        if group.get("described"):
            describe(call)
        fastest(call)
    call.lay_out()
    return call
