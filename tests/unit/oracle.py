"""The header's contracts again, in NumPy: conversions, operators, and the canonical order of operations.

It shares nothing with the library but the numbers that fix the shape of a tile. Arrays of type "bf16" are uint16 arrays
of its bits.
"""
import re

import math

import numpy as np

from gpuprims_ctypes import DTYPES, HEADER, SIZES

INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
WORK = {"f16": np.float32, "bf16": np.float32, "f32": np.float32, "f64": np.float64}


def is_float(type_):
    return type_ in FLOATS


# ---- conversions


def bf16_to_f32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def f64_to_bf16(x):
    """Rounds to nearest even: scales so that the last place is 1, because np.rint rounds to nearest even."""
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(x)
        place = np.maximum(exponent - 8, -133)
        rounded = np.ldexp(np.rint(np.ldexp(x, -place)), place)
        rounded = np.where(np.isfinite(x), rounded, x)
        bits = (rounded.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7fff), bits)


def widest(a, type_):
    """Any float array as float64, an integer array unchanged."""
    if not is_float(type_):
        return a
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return (bf16_to_f32(a) if type_ == "bf16" else a).astype(np.float64)


def convert(a, from_, to):
    """Like a C cast; a float outside an integer's range saturates, and NaN becomes 0."""
    if from_ == to:
        return a.copy()
    with np.errstate(all="ignore"):
        w = widest(a, from_)
        if to == "bf16":
            return f64_to_bf16(w.astype(np.float64))
        if to == "f16":
            return w.astype(np.float64).astype(np.float16)
        if is_float(to) or not is_float(from_):
            return w.astype(DTYPES[to])
        limits = np.iinfo(DTYPES[to])
        whole = np.trunc(np.where(np.isnan(w), 0, w))
        high, low = whole >= float(2 ** (limits.bits - (limits.min < 0))), whole <= float(limits.min)
        result = np.where(high | low, 0, whole).astype(DTYPES[to])
        return np.where(high, limits.max, np.where(low, limits.min, result)).astype(DTYPES[to])


# ---- operators


def to_work(a, type_):
    return bf16_to_f32(a) if type_ == "bf16" else a.astype(WORK[type_])


def from_work(w, type_):
    return f64_to_bf16(w) if type_ == "bf16" else w.astype(DTYPES[type_])


def unary(name, a, from_, to):
    with np.errstate(all="ignore"):
        if name == "NOT":
            return convert((widest(a, from_) == 0).astype(np.uint8), "u8", to)
        r = convert(a, from_, to)
        if name == "CONVERT":
            return r
        w = to_work(r, to) if is_float(to) else r
        result = {"NEGATE": lambda: np.negative(w), "ABS": lambda: np.abs(w), "SQUARE": lambda: w * w}[name]()
        return from_work(result, to) if is_float(to) else result.astype(DTYPES[to])


def truth(a, type_):
    """Nonzero becomes 1."""
    return convert((widest(a, type_) != 0).astype(np.uint8), "u8", type_)


def binary(name, a, b, type_):
    """a op b, element by element, both of type_; AND and OR need normalised operands."""
    with np.errstate(all="ignore"):
        if name == "AND":
            return convert(((widest(a, type_) != 0) & (widest(b, type_) != 0)).astype(np.uint8), "u8", type_)
        if name == "OR":
            return convert(((widest(a, type_) != 0) | (widest(b, type_) != 0)).astype(np.uint8), "u8", type_)
        if not is_float(type_):
            return {"SUM": np.add, "SUB": np.subtract, "PROD": np.multiply, "MIN": np.minimum, "MAX": np.maximum,
                    "BIT_AND": np.bitwise_and, "BIT_OR": np.bitwise_or, "BIT_XOR": np.bitwise_xor}[name](a, b)
        x, y = to_work(a, type_), to_work(b, type_)
        if name in ("SUM", "SUB", "PROD"):
            return from_work(x + y if name == "SUM" else x - y if name == "SUB" else x * y, type_)
        lower = np.where(np.signbit(x), x, y) if name == "MIN" else np.where(np.signbit(x), y, x)  # of equal ones
        chosen = np.where(x == y, lower, np.minimum(x, y) if name == "MIN" else np.maximum(x, y))
        return from_work(chosen, type_)


def identity(name, type_):
    if name in ("MIN", "MAX"):
        if is_float(type_):
            return convert(np.array([np.inf if name == "MIN" else -np.inf]), "f64", type_)
        limits = np.iinfo(DTYPES[type_])
        return np.array([limits.max if name == "MIN" else limits.min], DTYPES[type_])
    if name == "BIT_AND":
        return ~np.zeros(1, DTYPES[type_])
    return convert(np.array([name in ("PROD", "AND")], np.uint8), "u8", type_)


BINARY = ["SUM", "PROD", "MIN", "MAX", "BIT_AND", "BIT_OR", "BIT_XOR", "AND", "OR"]
UNARY = ["CONVERT", "NEGATE", "ABS", "SQUARE", "NOT"]


def operators_of(type_):
    return [name for name in BINARY if not (is_float(type_) and name.startswith("BIT"))]


def same(a, b, type_):
    """Equal bits, where any NaN equals any NaN."""
    if is_float(type_):
        bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[SIZES[type_]]
        nan_a, nan_b = np.isnan(widest(a, type_)), np.isnan(widest(b, type_))
        return (nan_a == nan_b) & (nan_a | (a.view(bits) == b.view(bits)))
    return a == b


# ---- one element after the other


def accumulate(name, x, type_):
    """Inclusive scan by an exact operator, through NumPy's accumulate."""
    ufunc = {"SUM": np.add, "PROD": np.multiply, "MIN": np.minimum, "MAX": np.maximum, "BIT_AND": np.bitwise_and,
             "BIT_OR": np.bitwise_or, "BIT_XOR": np.bitwise_xor}
    if name in ("AND", "OR"):
        w = widest(x, type_) != 0
        r = np.logical_and.accumulate(w) if name == "AND" else np.logical_or.accumulate(w)
        return convert(r.astype(np.uint8), "u8", type_)
    if not is_float(type_):
        return ufunc[name].accumulate(x, dtype=x.dtype)
    # NaN always wins; among equal zeros -0 is lower: compare by (value, sign of zero)
    w = widest(x, type_)
    with np.errstate(all="ignore"):
        order = np.where(w == 0, np.where(np.signbit(w), -5e-324, 5e-324), w)
        r = ufunc[name].accumulate(order)
    r = np.where(np.abs(r) == 5e-324, np.copysign(0.0, r), r) if not np.any(np.abs(w) == 5e-324) else None
    return None if r is None else convert(r, "f64", type_)


def is_exact(name, type_):
    return name not in ("SUM", "PROD") or not is_float(type_)


def operands(name, transform, x, in_type, acc_type):
    y = unary(transform or "CONVERT", x, in_type, acc_type)
    return truth(y, acc_type) if name in ("AND", "OR") else y


def arg_running(op, y, type_, init):
    """(value bits, index) of the winner after each element, by plain Python comparison."""
    w = widest(y, type_)
    best = None
    if init is not None and init["index"][0] >= 0:
        best = (widest(init["value"], type_)[0], int(init["index"][0]), init["value"][0])
    result = []
    for i, v in enumerate(w):
        if best is None:
            better = True
        elif np.isnan(v) or np.isnan(best[0]):
            better = bool(np.isnan(v)) and (not np.isnan(best[0]) or i < best[1])
        else:
            better = (v < best[0] if op == "ARGMIN" else v > best[0]) or (v == best[0] and i < best[1])
        if better:
            best = (v, i, y[i])
        result.append((best[2], best[1]))
    start = None
    if init is not None:
        start = (init["value"][0], int(init["index"][0]))
    else:
        start = (identity("MIN" if op == "ARGMIN" else "MAX", type_)[0], -1)
    return start, result


def left_to_right(name, x, type_):
    """Inclusive scan by any operator, every step rounded."""
    if is_exact(name, type_) or type_ != "bf16":
        with np.errstate(all="ignore"):
            running = accumulate(name, x, type_) if is_exact(name, type_) else \
                (np.add if name == "SUM" else np.multiply).accumulate(x, dtype=x.dtype)
        if running is not None:
            return running
    running = x.copy()
    for i in range(1, len(x)):
        running[i:i + 1] = binary(name, running[i - 1:i], x[i:i + 1], type_)
    return running


def run_scan(name, x, type_, exclusive=False, init=None):
    """The scan of one segment or run of accumulators. Without init, the first element is the first result."""
    if init is None and (exclusive or is_exact(name, type_)):
        init = identity(name, type_)
        if not is_exact(name, type_):
            return np.concatenate([init, left_to_right(name, x[:-1], type_)])[:len(x)]
    if init is None:
        return left_to_right(name, x, type_)
    running = left_to_right(name, np.concatenate([init, x]), type_)
    return running[:-1] if exclusive else running[1:]


def run_reduce(name, x, type_, init=None):
    if len(x) == 0:
        return identity(name, type_) if init is None else init
    return run_scan(name, x, type_, False, init)[-1:]


# ---- runs, selection, histograms


def heads(keys, type_, equal="EQUAL"):
    """The starts of runs."""
    w = widest(keys, type_)
    first = np.ones(min(len(w), 1), bool)
    if equal == "HEADS":
        return np.concatenate([first, w[1:] != 0])
    return np.concatenate([first, ~compare(equal, w[:-1], w[1:])])


def compare(name, a, b):
    return {"EQUAL": np.equal, "NOT_EQUAL": np.not_equal, "LESS": np.less, "LESS_EQUAL": np.less_equal,
            "GREATER": np.greater, "GREATER_EQUAL": np.greater_equal}[name](a, b)


COMPARISONS = ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"]


def even_bins(x, type_, lower, upper, bins):
    """The bin of each sample, -1 for none. Integers: Python's; floats: by the header's contract."""
    w, low, high = (widest(a, type_) for a in (x, lower, upper))
    inside = (w >= low) & (w < high)
    if not is_float(type_):
        low, high = int(low[0]), int(high[0])
        return np.array([(int(v) - low) * bins // (high - low) if ok else -1 for v, ok in zip(w, inside)], np.int64)
    with np.errstate(all="ignore"):
        place = (to_work(x, type_) - to_work(lower, type_)) * scale(lower, upper, type_, bins)
        return np.where(inside, np.minimum(np.where(inside, place, 0).astype(np.int64), bins - 1), -1)


def scale(lower, upper, type_, bins):
    """Bins over width, in the type of the computation with floats; infinite if the width is."""
    width = to_work(upper, type_) - to_work(lower, type_)
    return np.where(np.isfinite(width), WORK[type_](bins) / width, width)


def range_bins(x, type_, boundaries):
    w, b = widest(x, type_), widest(boundaries, type_)
    place = np.searchsorted(b, w, side="right").astype(np.int64) - 1
    return np.where((w >= b[0]) & (w < b[-1]), place, -1)


def tally(bin_, bins, counter, weights=None):
    """Counts in the order of the samples; counters wrap."""
    out, inside = np.zeros(bins, DTYPES[counter]), bin_ >= 0
    with np.errstate(all="ignore"):
        np.add.at(out, bin_[inside], out.dtype.type(1) if weights is None else weights[inside])
    return out


# ---- the canonical order


def _shape():
    with open(HEADER, encoding="utf-8") as file:
        return {name: int(value) for name, value in
                re.findall(r"\b(GP__(?:CANONICAL_\w+|GROUP|WARP)) = (\d+)\b", file.read())}


SHAPE = _shape()
REDUCE_THREADS, REDUCE_VECTORS = SHAPE["GP__CANONICAL_REDUCE_THREADS"], SHAPE["GP__CANONICAL_REDUCE_VECTORS"]
REDUCE_TILES = SHAPE["GP__CANONICAL_REDUCE_TILES"]
SCAN_THREADS, SCAN_VECTORS = SHAPE["GP__CANONICAL_SCAN_THREADS"], SHAPE["GP__CANONICAL_SCAN_VECTORS"]
WARP, GROUP = SHAPE["GP__WARP"], SHAPE["GP__GROUP"]

class Operator:
    """op(a, b) on arrays of accumulators (first axis: elements), its identity (one element), commutative or not."""

    def __init__(self, op, one, commutative=True):
        self.op, self.identity, self.commutative = op, one, commutative

    def filled(self, shape):
        return np.broadcast_to(self.identity, tuple(shape) + self.identity.shape[1:]).copy()


def built_in(name, type_):
    return Operator(lambda a, b: binary(name, a, b, type_), identity(name, type_))


def neighbours(o, v):
    """The tree over axis 0, a power of two: ((v0 v1)(v2 v3))..."""
    while v.shape[0] > 1:
        v = o.op(v[0::2], v[1::2])
    return v[0]


def padded(o, v, n):
    return np.concatenate([v, o.filled((n - v.shape[0],) + v.shape[1:1 + v.ndim - o.identity.ndim])])


def block(o, v):
    """A block's values (axis 0: threads): each warp's tree, then one over the warps' results padded to a warp."""
    warps = np.stack([neighbours(o, v[w:w + WARP]) for w in range(0, len(v), WARP)])
    return neighbours(o, padded(o, warps, WARP))


def vector_items(size):
    return 16 // size if 16 % size == 0 else 1


def reduce(o, x, in_size, init=None):
    """x: accumulators (axis 0). init: one of them, shape (1, ...), or None."""
    if len(x) == 0:
        return o.identity if init is None else init
    threads, k = REDUCE_THREADS, REDUCE_VECTORS
    v = vector_items(in_size)
    rounds = len(x) // (REDUCE_TILES * threads * k * v) + 1
    tile = threads * k * v * rounds
    tiles = -(-len(x) // tile)
    there = np.arange(tiles * tile) < len(x)
    filled = padded(o, x, tiles * tile)
    rest = x.shape[1:]
    partial = []
    for t in range(tiles):
        shape = (rounds, k, threads, v) if o.commutative else (rounds, threads, k * v)
        e = filled[t * tile:(t + 1) * tile].reshape(shape + rest)
        m = there[t * tile:(t + 1) * tile].reshape(shape + (1,) * len(rest))
        value, acc = None, o.filled((threads,))
        for r in range(rounds):
            if not o.commutative:
                if not m[r].any():
                    break
                acc = o.filled((threads,))
            steps = [(e[r, i, :, j], m[r, i, :, j]) for i in range(k) for j in range(v)] if o.commutative else \
                [(e[r, :, j], m[r, :, j]) for j in range(k * v)]
            for elements, mask in steps:
                acc = np.where(mask, o.op(acc, elements), acc)
            if not o.commutative:
                one = block(o, acc)
                value = one if value is None else o.op(value[None], one[None])[0]
        partial.append(block(o, acc) if o.commutative else value)
    partial = np.stack(partial)
    per = -(-tiles // threads)
    last = o.filled((threads,))
    for t in range(threads):
        for i in range(t * per, min(tiles, (t + 1) * per)):
            last[t:t + 1] = o.op(last[t:t + 1], partial[i:i + 1])
    total = block(o, last)[None]
    return total if init is None else o.op(init, total)


def reduce_segment(o, x, in_size, init=None):
    """The fold of one segment or run: by 8 lanes, a warp or a block of 256, as the length needs."""
    if len(x) == 0:
        return o.identity if init is None else init
    v = vector_items(in_size)
    most = v * (3 if in_size <= 16 else 1) * 4  # elements that one lane takes
    lanes = 8 if len(x) <= 8 * most else 32 if len(x) <= 32 * most else 256
    runs = -(-len(x) // v)
    share = -(-runs // lanes)
    acc = o.filled((lanes,))
    for lane in range(lanes):
        own = range(lane, runs, lanes) if o.commutative else range(lane * share, min((lane + 1) * share, runs))
        for element in (i for run in own for i in range(run * v, min(run * v + v, len(x)))):
            acc[lane:lane + 1] = o.op(acc[lane:lane + 1], x[element:element + 1])
    total = (block(o, acc) if lanes > 32 else neighbours(o, acc))[None]
    return total if init is None else o.op(init, total)


def kogge_stone(o, v):
    """Inclusive, over axis 0 (the lanes of a warp)."""
    d = 1
    while d < WARP:
        v = np.concatenate([v[:d], o.op(v[:-d], v[d:])])
        d *= 2
    return v


def scan_items(in_size, out_size):
    return max(16 * SCAN_VECTORS // max(in_size, out_size), 1)


def group_total(o, aggregates):
    """Each lane of a warp folds its consecutive tiles of the group, then the warp's tree."""
    share = GROUP // WARP
    lanes = []
    for first in range(0, len(aggregates), share):
        value = aggregates[first]
        for other in aggregates[first + 1:first + share]:
            value = o.op(value[None], other[None])[0]
        lanes.append(value)
    return neighbours(o, padded(o, np.stack(lanes), WARP))[None]


def scan(o, x, in_size, out_size, exclusive, init=None):
    threads, items = SCAN_THREADS, scan_items(in_size, out_size)
    tile = threads * items
    tiles = -(-len(x) // tile)
    result = x.copy()
    before, group = init, []  # the fold of all earlier groups; their aggregates
    for t in range(tiles):
        if len(group) == GROUP:
            value = group_total(o, group)
            before = value if before is None else o.op(before, value)
            group = []
        if group:
            partial = group_total(o, group)
            prefix = partial if before is None else o.op(before, partial)
        else:
            prefix = before
        part = x[t * tile:(t + 1) * tile]
        n = len(part)
        e = padded(o, part, tile).reshape((threads, items) + x.shape[1:])
        m = (np.arange(tile) < n).reshape((threads, items) + (1,) * (x.ndim - 1))
        sums = e[:, 0]  # the identity for a thread without elements
        for j in range(1, items):
            sums = np.where(m[:, j], o.op(sums, e[:, j]), sums)
        vector = 16 // math.gcd(in_size, 16) if in_size // math.gcd(in_size, 16) <= 9 else 1
        if vector > 1 and items % vector == 0:  # a whole chunk is folded by vectors, each a tree
            tree = e.reshape((threads, items // vector, vector) + x.shape[1:])
            while tree.shape[2] > 1:
                tree = o.op(tree[:, :, 0::2], tree[:, :, 1::2])
            whole = tree[:, 0, 0]
            for j in range(1, items // vector):
                whole = o.op(whole, tree[:, j, 0])
            sums = np.where(m[:, -1], whole, sums)
        inclusive = np.concatenate([kogge_stone(o, sums[w:w + WARP]) for w in range(0, threads, WARP)])
        warps = kogge_stone(o, padded(o, inclusive[WARP - 1::WARP], WARP))
        group.append(warps[threads // WARP - 1])
        carry, has = o.filled((threads,)), np.ones(threads, bool)
        for w in range(threads // WARP):
            lanes = slice(WARP * w, WARP * w + WARP)
            pieces = [] if prefix is None else [np.repeat(prefix, WARP, axis=0)]
            if w:
                pieces.append(np.repeat(warps[w - 1:w], WARP, axis=0))
            inner = np.concatenate([o.identity, inclusive[lanes][:-1]])
            outer = pieces[0] if pieces else None
            for piece in pieces[1:]:
                outer = o.op(outer, piece)
            if outer is None:
                carry[lanes], has[WARP * w] = inner, False
            else:
                both = o.op(outer, inner)
                both[0] = outer[0]
                carry[lanes] = both
        out = e.copy()
        for j in range(items):
            with_carry = has if j == 0 else np.ones(threads, bool)
            shaped = with_carry.reshape((threads,) + (1,) * (x.ndim - 1))
            following = np.where(shaped, o.op(carry, e[:, j]), e[:, j])
            out[:, j] = np.where(shaped, carry, o.filled((threads,))) if exclusive else following
            carry = following
        result[t * tile:t * tile + n] = out.reshape((tile,) + x.shape[1:])[:n]
    return result


def runs_tile(key_size, in_size, acc_size, out_size):
    """Threads and elements a thread of a tile of a scan by key or of segments (key_size 0): at most 60 KiB."""
    def of(vectors):
        items = max(16 * vectors // max(key_size, in_size), 1)
        element = key_size + in_size + (out_size if out_size != in_size else 0)
        return items, items * element + (items + 32) // 32 * 4 + -(-acc_size // 4) * 4

    for threads, vectors in ((256, 5), (256, 3), (256, 1), (128, 1), (64, 1), (32, 1)):
        items, bytes_ = of(vectors)
        if threads * bytes_ <= 60 << 10 or threads == 32:
            return threads, items
    raise AssertionError


def join(o, a, b):
    """States: an open value, and whether a run begins."""
    head = b[1].reshape(b[1].shape + (1,) * (b[0].ndim - 1))
    return np.where(head, b[0], o.op(a[0], b[0])), a[1] | b[1]


def scan_of_runs(o, x, heads, shape, exclusive, init=None):
    """A scan that restarts at the elements of `heads`; the first is one of them. shape: of runs_tile."""
    threads, items = shape
    tile, result, before, group = threads * items, x.copy(), None, []

    def lanes(state):
        d = 1
        while d < len(state[1]):
            low, high = ((v[:-d] for v in state), (v[d:] for v in state))
            state = tuple(np.concatenate([v[:d], w]) for v, w in zip(state, join(o, tuple(low), tuple(high))))
            d *= 2
        return state

    def at(state, i):
        return state[0][i:i + 1], state[1][i:i + 1]

    def total():
        pairs = [join(o, *group[i:i + 2]) if i + 1 < len(group) else group[i] for i in range(0, len(group), 2)]
        pairs += [(o.identity, np.zeros(1, bool))] * (WARP - len(pairs))
        while len(pairs) > 1:
            pairs = [join(o, a, b) for a, b in zip(pairs[::2], pairs[1::2])]
        return pairs[0]

    for first in range(0, len(x), tile):
        prefix = before
        if group:
            prefix = total() if before is None else join(o, before, total())
            if len(group) == GROUP:
                before, group = prefix, []
        n = min(tile, len(x) - first)
        e = padded(o, x[first:first + n], tile).reshape((threads, items) + x.shape[1:])
        begins = np.zeros(tile, bool)
        begins[:n] = heads[first:first + n]
        begins, there = begins.reshape(threads, items), (np.arange(tile) < n).reshape(threads, items)

        def wide(flags):
            return flags.reshape((threads,) + (1,) * (x.ndim - 1))

        begun = e if init is None else o.op(np.broadcast_to(init, (tile,) + x.shape[1:]).reshape(e.shape), e)
        value = o.filled((threads,))
        for j in range(items):
            follows = e[:, 0] if j == 0 else o.op(value, e[:, j])
            value = np.where(wide(there[:, j]), np.where(wide(begins[:, j]), begun[:, j], follows), value)
        state = value, begins.any(axis=1)
        warps = [lanes(tuple(v[w:w + WARP] for v in state)) for w in range(0, threads, WARP)]
        totals = lanes(tuple(np.concatenate([w[k][-1:] for w in warps]) for k in range(2)))
        group.append(at(totals, len(warps) - 1))
        carry = o.filled((threads,))
        prefix = prefix or (o.identity, np.zeros(1, bool))
        for w, inner in enumerate(warps):
            outer = join(o, prefix, at(totals, w - 1)) if w else prefix
            carry[WARP * w] = outer[0][0]
            for lane in range(1, WARP):
                carry[WARP * w + lane] = join(o, outer, at(inner, lane - 1))[0][0]
        out, start = e.copy(), o.filled((threads,)) if init is None else np.repeat(init, threads, axis=0)
        for j in range(items):
            follows = np.where(wide(begins[:, j]), begun[:, j], o.op(carry, e[:, j]))
            out[:, j] = np.where(wide(begins[:, j]), start, carry) if exclusive else follows
            carry = follows
        result[first:first + n] = out.reshape((tile,) + x.shape[1:])[:n]
    return result
