"""Float sums, products and users' operators on the host have the bits of the canonical trees, for any number of
threads."""
import ctypes
import os
import shutil
import subprocess

import numpy as np
import pytest

import oracle
from gpuprims_ctypes import DTYPES, REPRODUCIBLE, SIZES, Context, HostFunction


@pytest.fixture(scope="module")
def contexts():
    made = [Context(threads=threads) for threads in (1, 2, 3)]
    yield made
    for context in made:
        context.close()


def numbers(type_, n, op, seed=0):
    """Values for which every step rounds, and products neither vanish nor overflow."""
    rng = np.random.default_rng([n, seed])
    x = np.exp2(rng.uniform(-0.5, 0.5, n)) if op == "PROD" else rng.standard_normal(n) * np.exp2(rng.integers(-6, 6, n))
    return oracle.convert(x * rng.choice([-1, 1], n), "f64", type_)


def differing(got, wanted, type_):
    return int((~oracle.same(got, wanted, type_)).sum())


def tile(type_):
    return oracle.REDUCE_THREADS * oracle.REDUCE_VECTORS * 16 // SIZES[type_]


@pytest.mark.parametrize("type_", oracle.FLOATS)
@pytest.mark.parametrize("op", ["SUM", "PROD"])
@pytest.mark.parametrize("init", [False, True])
@pytest.mark.turn
def test_reduce(contexts, type_, op, init):
    t = tile(type_)
    for n in (0, 1, 3, 4, 5, 33, 2047, t - 1, t, t + 1, 7 * t + 12345):
        x, start = numbers(type_, n, op), numbers(type_, 1, op, 1) if init else None
        wanted = oracle.reduce(oracle.built_in(op, type_), x, SIZES[type_], start)
        for context in contexts:
            out = np.zeros(1, x.dtype)
            context.run("reduce", op=op, in_type=type_, acc_type=type_, out_type=type_, in_=x, out=out, count=n,
                        init=start, flags=REPRODUCIBLE)
            assert differing(out, wanted, type_) == 0, (n, out, wanted)


@pytest.mark.parametrize("in_type, acc_type", [("u8", "f32"), ("i64", "f32"), ("f16", "f32"), ("bf16", "f64"),
                                               ("f64", "f16"), ("i16", "bf16")])
def test_reduce_with_conversion(contexts, in_type, acc_type):
    for n in (100, 70001):
        x = np.random.default_rng(n).integers(0, 100, n).astype(np.uint8)
        x = oracle.convert(x, "u8", in_type)
        wanted = oracle.reduce(oracle.built_in("SUM", acc_type), oracle.convert(x, in_type, acc_type), SIZES[in_type])
        for context in contexts:
            out = np.zeros(1, DTYPES[acc_type])
            context.run("reduce", op="SUM", in_type=in_type, acc_type=acc_type, out_type=acc_type, in_=x, out=out,
                        count=n, flags=REPRODUCIBLE)
            assert differing(out, wanted, acc_type) == 0


@pytest.mark.turn
def test_reduce_of_several_rounds(contexts):
    """From this number of elements on a tile has two rounds; f64 needs the fewest."""
    count = oracle.REDUCE_TILES * tile("f64") + 12345
    x = np.random.default_rng(7).standard_normal(count)
    wanted = oracle.reduce(oracle.built_in("SUM", "f64"), x, SIZES["f64"])
    out = np.zeros(1)
    contexts[1].run("reduce", op="SUM", in_type="f64", out_type="f64", in_=x, out=out, count=count)
    assert differing(out, wanted, "f64") == 0


@pytest.mark.parametrize("type_", oracle.FLOATS)
@pytest.mark.parametrize("op", ["SUM", "PROD"])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("init", [False, True])
@pytest.mark.turn
def test_scan(contexts, type_, op, exclusive, init):
    items = oracle.scan_items(SIZES[type_], SIZES[type_])
    t = oracle.SCAN_THREADS * items
    for n in (0, 1, 2, items, items + 1, 32 * items + 3, t - 1, t, t + 1, 3 * t + 5, (oracle.GROUP + 2) * t + 77):
        if n > 5 * t and (type_ not in ("f32", "f64") or (op, init) not in (("SUM", exclusive), ("PROD", False))):
            continue  # a second group of tiles takes the oracle long
        x, start = numbers(type_, n, op), numbers(type_, 1, op, 1) if init else None
        wanted = oracle.scan(oracle.built_in(op, type_), x, SIZES[type_], SIZES[type_], exclusive, start)
        for context in contexts:
            out = np.zeros(n, x.dtype)
            context.run("exclusive_scan" if exclusive else "inclusive_scan", op=op, in_type=type_, acc_type=type_,
                        out_type=type_, in_=x, out=out, count=n, init=start, flags=REPRODUCIBLE)
            assert differing(out, wanted, type_) == 0, n


@pytest.mark.parametrize("in_type, acc_type, out_type", [("f16", "f32", "f16"), ("u8", "f32", "f32"),
                                                         ("f64", "f32", "u8"), ("i8", "f16", "i8")])
def test_scan_with_conversion(contexts, in_type, acc_type, out_type):
    for n in (100, 100003):
        x = oracle.convert(np.random.default_rng(n).integers(0, 50, n).astype(np.uint8), "u8", in_type)
        wanted = oracle.scan(oracle.built_in("SUM", acc_type), oracle.convert(x, in_type, acc_type), SIZES[in_type],
                             SIZES[out_type], False)
        for context in contexts:
            out = np.zeros(n, DTYPES[out_type])
            context.run("inclusive_scan", op="SUM", in_type=in_type, acc_type=acc_type, out_type=out_type, in_=x,
                        out=out, count=n, flags=REPRODUCIBLE)
            assert differing(out, oracle.convert(wanted, acc_type, out_type), out_type) == 0


def affine(result, a, b):
    f32 = ctypes.POINTER(ctypes.c_float)
    p, q, r = (ctypes.cast(at, f32) for at in (a, b, result))
    x, y = np.float32(p[0]), np.float32(p[1])
    m = np.float32(q[0])
    r[0], r[1] = x * m, np.float32(y * m) + np.float32(q[1])


def plus(result, a, b):
    f32 = ctypes.POINTER(ctypes.c_float)
    ctypes.cast(result, f32)[0] = np.float32(ctypes.cast(a, f32)[0]) + np.float32(ctypes.cast(b, f32)[0])


@pytest.mark.parametrize("n", [1, 700, 4096, 8192 + 700])
def test_user_operator_that_does_not_commute(contexts, n):
    rng = np.random.default_rng(n)
    x = np.stack([np.exp2(rng.uniform(-0.5, 0.5, n)), rng.standard_normal(n)], axis=1).astype(np.float32)
    one = np.array([[1, 0]], np.float32)

    def op(a, b):
        m = np.asarray(b)[..., 0]
        return np.stack([a[..., 0] * m, (a[..., 1] * m).astype(np.float32) + b[..., 1]], axis=-1)

    o = oracle.Operator(op, one, commutative=False)
    total, running = oracle.reduce(o, x, 8), oracle.scan(o, x, 8, 8, False)
    with Context(threads=2) as context:
        type_ = context.struct("affine", 8, 4, "struct affine { float m, k; };")
        handle = context.operator("affine", affine, host_identity=one.tobytes())
        out = np.zeros_like(x)
        call = dict(op=handle, in_type=type_, acc_type=type_, out_type=type_, in_=x, out=out, count=n,
                    flags=REPRODUCIBLE)
        context.run("reduce", **call)
        assert out[0].tobytes() == total[0].tobytes()
        context.run("inclusive_scan", **call)
        assert out.tobytes() == running.tobytes()


COMPOSE = """
void compose(void *user, void *result, const void *a, const void *b) {
  const float *p = (const float *)a, *q = (const float *)b;
  volatile float m = p[0] * q[0], k = p[1] * q[0]; /* rounded before the sum */
  float *r = (float *)result;
  (void)user;
  r[0] = m, r[1] = k + q[1], r[2] = p[2] + q[2], r[3] = 0;
}
"""


@pytest.fixture(scope="module")
def compose(tmp_path_factory):
    """A user's operator in C, because ten million calls are too many for Python."""
    compiler = os.environ.get("CC", "gcc")
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} to compile an operator with")
    folder = tmp_path_factory.mktemp("operator")
    (folder / "compose.c").write_text(COMPOSE)
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", "compose.c", "-o", "compose.so"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "compose.so"))
    return ctypes.cast(library.compose, HostFunction)


@pytest.mark.turn
def test_user_operator_with_tiles_of_several_rounds(compose):
    n = oracle.REDUCE_TILES * oracle.REDUCE_THREADS * oracle.REDUCE_VECTORS + 54321
    rng = np.random.default_rng(3)
    x = np.zeros((n, 4), np.float32)
    x[:, 0] = np.exp2(rng.uniform(-0.01, 0.01, n))
    x[:, 1] = rng.standard_normal(n)
    x[:, 2] = 1
    one = np.array([[1, 0, 0, 0]], np.float32)

    def op(a, b):
        r = np.zeros(a.shape, np.float32)
        r[..., 0] = a[..., 0] * b[..., 0]
        r[..., 1] = a[..., 1] * b[..., 0]
        r[..., 1] += b[..., 1]
        r[..., 2] = a[..., 2] + b[..., 2]
        return r

    wanted = oracle.reduce(oracle.Operator(op, one, commutative=False), x, 16)
    for threads in (1, 3):
        with Context(threads=threads) as context:
            type_ = context.struct("map4", 16, 4, "struct map4 { float m, k, n, unused; };")
            handle = context.operator("compose", compose, host_identity=one.tobytes())
            out = np.zeros((1, 4), np.float32)
            context.run("reduce", op=handle, in_type=type_, acc_type=type_, out_type=type_, in_=x, out=out, count=n,
                        flags=REPRODUCIBLE)
            assert out[0].tobytes() == wanted[0].tobytes(), (out, wanted)
            assert out[0, 2] == n


def test_user_operator_that_commutes_is_summed_as_the_built_in_one():
    x = numbers("f32", 20001, "SUM")
    wanted = oracle.reduce(oracle.built_in("SUM", "f32"), x, 4)
    with Context(threads=1) as context:
        handle = context.operator("plus", plus, commutative=1, host_identity=np.zeros(1, np.float32).tobytes())
        out = np.zeros(1, np.float32)
        context.run("reduce", op=handle, in_type="f32", out_type="f32", in_=x, out=out, count=x.size,
                    flags=REPRODUCIBLE)
        assert out.tobytes() == wanted.tobytes()


LENGTHS = [0, 1, 3, 5, 0, 95, 97, 192, 193, 383, 385, 769, 1537, 3001, 2]


@pytest.mark.parametrize("type_, acc_type", [(type_, type_) for type_ in oracle.FLOATS] + [("u8", "f32"),
                                                                                           ("f16", "f64")])
@pytest.mark.parametrize("init", [False, True])
@pytest.mark.turn
def test_segments_and_runs(contexts, type_, acc_type, init):
    """Segments by offsets and by two arrays; runs, whose keys tell them apart, up to a count in memory."""
    n = sum(LENGTHS) + 7
    x = np.random.default_rng(1).integers(0, 256, n, np.uint8) if type_ == "u8" else numbers(type_, n, "SUM")
    start = numbers(acc_type, 1, "SUM", 1) if init else None
    offsets = np.cumsum([7] + LENGTHS).astype(np.uint32)
    o = oracle.built_in("SUM", acc_type)
    y = oracle.convert(x, type_, acc_type)
    wanted = [oracle.reduce_segment(o, y[a:b], SIZES[type_], start) for a, b in zip(offsets, offsets[1:])]
    wanted = np.concatenate(wanted)
    common = dict(op="SUM", in_type=type_, acc_type=acc_type, out_type=acc_type, init=start, flags=REPRODUCIBLE)
    keys = np.repeat(np.arange(len(LENGTHS), dtype=np.int32), LENGTHS)
    own = [length > 0 for length in LENGTHS]
    for context in contexts:
        for ends in (dict(begin=offsets), dict(begin=offsets[:-1].copy(), end=offsets[1:].copy())):
            out = np.zeros(len(LENGTHS), DTYPES[acc_type])
            context.run("segmented_reduce", offset_type="u32", segments=len(LENGTHS), in_=x, out=out, count=n, **ends,
                        **common)
            assert differing(out, wanted, acc_type) == 0
        out, count = np.zeros(n, DTYPES[acc_type]), np.zeros(1, np.uint64)
        context.run("reduce_by_key", key_type="i32", keys=keys, in_=x[7:].copy(), out=out, out_count=count,
                    count=len(keys), **common)
        assert count[0] == sum(own) and differing(out[:sum(own)], wanted[own], acc_type) == 0
        assert not out[sum(own):].any()


@pytest.mark.parametrize("type_, acc_type, key_type", [("f32", "f32", "i32"), ("f64", "f64", "u8"),
                                                       ("f16", "f64", "u64"), ("u8", "f32", "u8"),
                                                       ("bf16", "bf16", "u16")])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("init", [False, True])
@pytest.mark.turn
def test_scans_of_segments_and_runs(contexts, type_, acc_type, key_type, exclusive, init):
    """Runs within chunks, across chunks, warps, tiles and a group of tiles; the offsets cover some of the elements."""
    rng = np.random.default_rng(3)
    o, out_type = oracle.built_in("SUM", acc_type), acc_type
    sizes = [SIZES[t] for t in (type_, acc_type, out_type)]
    start = numbers(acc_type, 1, "SUM", 1) if init else None
    for by_key in (False, True):
        shape = oracle.runs_tile(SIZES[key_type] if by_key else 0, *sizes)
        tile = shape[0] * shape[1]
        for n in (1, tile - 1, tile, 3 * tile + 5, 131 * tile + 77):
            if n > 9 * tile and (type_, init, by_key) != ("f64", exclusive, exclusive):
                continue  # takes the oracle long
            mean = n / 3 if n > 9 * tile else 9
            heads = rng.random(n) < 1 / mean
            heads[:1] = True
            x = rng.integers(0, 256, n, np.uint8) if type_ == "u8" else numbers(type_, n, "SUM")
            wanted = oracle.scan_of_runs(o, oracle.convert(x, type_, acc_type), heads, shape, exclusive, start)
            common = dict(op="SUM", in_type=type_, acc_type=acc_type, out_type=out_type, init=start, in_=x, count=n,
                          flags=REPRODUCIBLE)
            kind = "exclusive_scan" if exclusive else "inclusive_scan"
            for context in contexts[:2]:
                out = np.zeros(n, DTYPES[out_type])
                if by_key:
                    keys = (np.cumsum(heads) % 7).astype(DTYPES[key_type])
                    context.run(kind + "_by_key", key_type=key_type, keys=keys, out=out, **common)
                else:
                    offsets = np.flatnonzero(heads).astype(np.uint32)[1:]
                    if len(offsets) < 2:
                        offsets = np.repeat(offsets, 2) if len(offsets) else np.zeros(2, np.uint32)
                    context.run("segmented_" + kind, offset_type="u32", begin=offsets, segments=len(offsets) - 1,
                                out=out, **common)
                assert differing(out, wanted, out_type) == 0, (n, by_key)


@pytest.mark.parametrize("type_, key_type", [("f32", "i32"), ("f64", "f32"), ("f16", "u8")])
@pytest.mark.turn
def test_groups(contexts, type_, key_type):
    """A group is reduced as a segment of its values, in the order of the input."""
    rng = np.random.default_rng(4)
    keys = np.repeat(np.arange(len(LENGTHS)), LENGTHS).astype(DTYPES[key_type])
    keys = keys[rng.permutation(len(keys))]
    x = numbers(type_, len(keys), "SUM")
    o, names = oracle.built_in("SUM", type_), np.unique(keys)
    wanted = np.concatenate([oracle.reduce_segment(o, x[keys == name], SIZES[type_]) for name in names])
    for context in contexts:
        out, out_keys, count = np.zeros_like(x), np.zeros_like(keys), np.zeros(1, np.uint64)
        context.run("group_by", op="SUM", key_type=key_type, in_type=type_, acc_type=type_, out_type=type_, keys=keys,
                    in_=x, out=out, out_keys=out_keys, out_count=count, count=len(x), flags=REPRODUCIBLE)
        assert count[0] == len(names) and (out_keys[:len(names)] == names).all()
        assert differing(out[:len(names)], wanted, type_) == 0


def test_segments_in_order(contexts):
    """An operator that does not commute: consecutive runs a lane."""
    def op(a, b):
        return np.stack([b[..., 0] * a[..., 0], b[..., 0] * a[..., 1] + b[..., 1]], axis=-1).astype(np.float32)

    @HostFunction
    def function(user, result, a, b):
        f, g, r = (np.ctypeslib.as_array(ctypes.cast(p, ctypes.POINTER(ctypes.c_float)), (2,)) for p in (a, b, result))
        r[:] = op(f, g)

    one = np.array([[1, 0]], np.float32)
    lengths = [1, 0, 9, 192, 193, 769, 1000]
    x = np.exp2(np.random.default_rng(2).uniform(-0.1, 0.1, (sum(lengths), 2))).astype(np.float32)
    offsets = np.cumsum([0] + lengths).astype(np.uint32)
    o = oracle.Operator(op, one, commutative=False)
    wanted = np.concatenate([oracle.reduce_segment(o, x[a:b], 8) for a, b in zip(offsets, offsets[1:])])
    with Context(threads=1) as context:
        type_ = context.struct("map2", 8, 4, "struct map2 { float m, n; };")
        handle = context.operator("compose2", function, host_identity=one.tobytes())
        out = np.zeros((len(lengths), 2), np.float32)
        context.run("segmented_reduce", op=handle, in_type=type_, acc_type=type_, out_type=type_, in_=x, out=out,
                    offset_type="u32", begin=offsets, segments=len(lengths), count=len(x), flags=REPRODUCIBLE)
        assert out.tobytes() == wanted.tobytes()


def test_a_product_is_rounded_before_it_is_added(contexts):
    """SQUARE, then SUM: a fused multiply-add would leave a remainder."""
    x = np.array([1 + 2.0**-12, 0], np.float32)
    start = -(x[:1] * x[:1])
    out = np.zeros(1, np.float32)
    contexts[0].run("reduce", op="SUM", transform="SQUARE", in_type="f32", out_type="f32", in_=x, out=out, count=2,
                    init=start)
    assert out[0] == 0
    running = np.zeros(4, np.float32)
    step, first = np.array([1 + 2.0**-23], np.float32), np.array([-(np.float32(3) * np.float32(1 + 2.0**-23))])
    contexts[0].run("iota", in_type="f32", out_type="f32", start=first.astype(np.float32), step=step, out=running,
                    count=4)
    assert running[3] == 0


@pytest.mark.parametrize("type_, op", [("i32", "SUM"), ("u8", "MAX"), ("f32", "MIN"), ("u64", "PROD"), ("f16", "MAX")])
def test_thread_counts_do_not_matter_to_exact_operators(contexts, type_, op):
    rng = np.random.default_rng(1)
    n = 700_001
    x = rng.integers(0, 256, n * SIZES[type_], np.uint8).view(DTYPES[type_])
    results = []
    for context in contexts:
        total, running = np.zeros(1, x.dtype), np.zeros_like(x)
        context.run("reduce", op=op, in_type=type_, acc_type=type_, out_type=type_, in_=x, out=total, count=n)
        context.run("exclusive_scan", op=op, in_type=type_, acc_type=type_, out_type=type_, in_=x, out=running,
                    count=n)
        results.append((total, running))
    for total, running in results[1:]:
        assert oracle.same(total, results[0][0], type_).all() and oracle.same(running, results[0][1], type_).all()
    whole = oracle.binary(op, results[0][1][-1:], x[-1:], type_)
    assert oracle.same(whole, results[0][0], type_).all()


@pytest.mark.parametrize("op", ["ARGMIN", "ARGMAX"])
def test_thread_counts_do_not_matter_to_arg_operators(contexts, op):
    x = np.random.default_rng(2).integers(-20000, 20000, 400_001).astype(np.int32)
    pair = np.dtype({"names": ["value", "index"], "formats": [np.int32, np.int64], "offsets": [0, 8], "itemsize": 16})
    best = np.argmin(x) if op == "ARGMIN" else np.argmax(x)
    running = np.minimum.accumulate(x) if op == "ARGMIN" else np.maximum.accumulate(x)
    for context in contexts:
        total, out = np.zeros(1, pair), np.zeros(x.size, pair)
        context.run("reduce", op=op, in_type="i32", out_type="i32", in_=x, out=total, count=x.size)
        assert (total["value"][0], total["index"][0]) == (x[best], best)
        context.run("inclusive_scan", op=op, in_type="i32", out_type="i32", in_=x, out=out, count=x.size)
        assert (out["value"] == running).all() and (x[out["index"]] == running).all()
