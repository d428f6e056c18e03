"""Histograms on the host against NumPy: even bins, ranges, channels, weights, counters that wrap."""
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import oracle
from gpuprims_ctypes import DTYPES, Context
from inputs import KINDS, TYPE_NAMES, check_canaries, expect, guarded, shifted, values

settings.register_profile("histogram", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("histogram")

types = st.sampled_from(TYPE_NAMES)
counters = st.sampled_from(["i32", "u32", "i64", "u64"])
bin_counts = st.sampled_from([1, 2, 3, 10, 255, 256, 257, 4096, 70001])
sizes = st.sampled_from([0, 1, 2, 33, 1023, 1024, 1025, 4097])
data = st.tuples(sizes, st.integers(0, 3), st.sampled_from(KINDS), st.integers(0, 2**20))


def ends_of(x, type_, kind, seed):
    """A lower and an upper end, usually among the samples; None if nothing is between them."""
    pool = np.concatenate([x, values(type_, 8, kind, seed + 3), values(type_, 8, "small", seed + 4)])
    if oracle.is_float(type_):
        pool = pool[np.isfinite(oracle.widest(pool, type_))]
    pool = pool[np.argsort(oracle.widest(pool, type_), kind="stable")]
    if not len(pool):
        return None
    rng = np.random.default_rng(seed)
    i, j = (0, len(pool) - 1) if seed % 3 == 0 else sorted(rng.integers(0, len(pool), 2))
    lower, upper = pool[i:i + 1].copy(), pool[j:j + 1].copy()
    a, b = oracle.widest(lower, type_)[0], oracle.widest(upper, type_)[0]
    with np.errstate(all="ignore"):
        good = a < b and (not oracle.is_float(type_) or np.isfinite(oracle.scale(lower, upper, type_, 70001)[0]))
    return (lower, upper) if good else None


@given(types, counters, bin_counts, data)
@settings(max_examples=1500)
@example("f32", "u32", 10, (4097, 0, "uniform", 3))
@example("i64", "u64", 70001, (4097, 0, "extremes", 3))
@example("u8", "u32", 256, (4097, 1, "uniform", 3))
@pytest.mark.turn
def test_even(host, type_, counter, bins, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    ends = ends_of(x, type_, kind, seed)
    assume(ends)
    buffer, out = guarded(bins, DTYPES[counter], offset)
    host.run("histogram_even", in_type=type_, out_type=counter, in_=x, lower=ends[0], upper=ends[1], out=out, bins=bins,
             count=n)
    expect(out, oracle.tally(oracle.even_bins(x, type_, *ends, bins), bins, counter), counter)
    check_canaries(buffer, out)


@pytest.mark.parametrize("type_", oracle.INTEGERS)
def test_integers_fall_where_the_exact_quotient_is(host, type_):
    """Widths and bins whose product needs more than 64 bits; every value of the narrow types."""
    limits = np.iinfo(DTYPES[type_])
    rng = np.random.default_rng(limits.bits)
    for bins in (3, 1000, 2**20 - 1):
        x = np.arange(limits.min, limits.max + 1, dtype=np.int64).astype(DTYPES[type_]) if limits.bits <= 16 else \
            np.concatenate([rng.integers(limits.min, limits.max, 2000, DTYPES[type_], endpoint=True),
                            np.array([limits.min, limits.max, limits.max - 1], DTYPES[type_])])
        lower, upper = (np.array([v], DTYPES[type_]) for v in (limits.min, limits.max))
        edges = [(k * (limits.max - limits.min) + bins - 1) // bins + limits.min for k in range(0, bins, bins // 3)]
        x = np.concatenate([x] + [np.array([e, max(e - 1, limits.min)], DTYPES[type_]) for e in edges])
        out = np.zeros(bins, np.uint32)
        host.run("histogram_even", in_type=type_, out_type="u32", in_=x, lower=lower, upper=upper, out=out, bins=bins,
                 count=len(x))
        expect(out, oracle.tally(oracle.even_bins(x, type_, lower, upper, bins), bins, "u32"), "u32")


@pytest.mark.parametrize("type_", oracle.INTEGERS)
@pytest.mark.parametrize("ends", ["neither", "upper only", "lower only"])
def test_integers_without_an_end(host, type_, ends):
    """No lower end: from the lowest value on. No upper end: up to and including the largest."""
    limits = np.iinfo(DTYPES[type_])
    low, high = limits.min + (limits.max // 3 if ends == "lower only" else 0), limits.max // 2
    x = np.random.default_rng(limits.bits).integers(limits.min, limits.max, 3000, DTYPES[type_], endpoint=True)
    x = np.concatenate([x, np.array([limits.min, limits.max, low, max(low - 1, limits.min), high], DTYPES[type_])])
    end = high if ends == "upper only" else limits.max + 1
    for bins in (1, 7, 256, 65537):
        wanted = np.zeros(bins, np.uint32)
        for value in x.tolist():
            if low <= value < end:
                wanted[(value - low) * bins // (end - low)] += 1
        out = np.full(bins, 77, np.uint32)
        given_ends = {}
        if ends == "lower only":
            given_ends["lower"] = np.array([low], DTYPES[type_])
        if ends == "upper only":
            given_ends["upper"] = np.array([high], DTYPES[type_])
        host.run("histogram_even", in_type=type_, out_type="u32", in_=x, out=out, bins=bins, count=len(x), **given_ends)
        assert (out == wanted).all()


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_floats_are_close_to_numpy(host, type_):
    """Away from the edges of bins NumPy's histogram agrees exactly."""
    x = np.random.default_rng(1).random(20000).astype(DTYPES[type_])
    ends = [np.array([v], x.dtype) for v in (0.0, 1.0)]
    for bins in (1, 7, 100):
        out = np.zeros(bins, np.uint32)
        host.run("histogram_even", in_type=type_, out_type="u32", in_=x, lower=ends[0], upper=ends[1], out=out,
                 bins=bins,
                 count=len(x))
        assert np.abs(out.astype(np.int64) - np.histogram(x, bins, (0, 1))[0]).sum() <= 4
        assert out.sum() == len(x)


def test_floats_at_the_edges(host):
    """The last bin when the product rounds up; nothing outside, no NaN; the widest and the narrowest bins."""
    rows = [
        ("f32", 0.0, 1.0, 3, [np.nextafter(np.float32(1), np.float32(0)), 1.0, -0.0, np.nan, np.inf, -1e-45],
         [1, 0, 1]),
        ("f32", -1.5e38, 1.5e38, 4, [-1.5e38, 0.0, 1.4e38, 1.5e38, np.inf], [1, 0, 1, 1]),
        ("f32", 0.0, 2e-38, 2, [0.0, 1e-45, -0.0, 1.9e-38, 2e-38], [3, 1]),
        ("f32", 0.0, 3.0, 35, [np.nextafter(np.float32(3), np.float32(0))], [0] * 34 + [1]),  # the product is 35
        ("f64", 0.0, 3.0, 17, [np.nextafter(3.0, 0.0)], [0] * 16 + [1]),
        ("f64", 0.0, 1.0, 10, [0.1, 0.3, 0.7, 0.9999999999999999], None),
        ("f16", 0.0, 1.0, 2048, [0.5, 0.99951171875, 1.0], None),
        ("bf16", -1.0, 1.0, 3, [-1.0, -0.333, 0.0, 0.333, 0.996], None),
    ]
    for type_, lower, upper, bins, samples, wanted in rows:
        x, lower, upper = (oracle.convert(np.array(v, np.float64).reshape(-1), "f64", type_)
                           for v in (samples, lower, upper))
        out = np.zeros(bins, np.uint32)
        host.run("histogram_even", in_type=type_, out_type="u32", in_=x, lower=lower, upper=upper, out=out, bins=bins,
                 count=len(x))
        assert out.tolist() == oracle.tally(oracle.even_bins(x, type_, lower, upper, bins), bins, "u32").tolist()
        assert wanted is None or out.tolist() == wanted


@given(types, counters, st.sampled_from([1, 2, 3, 10, 255, 1000]), data)
@settings(max_examples=1200)
@pytest.mark.turn
def test_ranges(host, type_, counter, bins, what):
    n, offset, kind, seed = what
    x = shifted(values(type_, n, kind, seed), offset)
    boundaries = values(type_, bins + 1, ["uniform", "small", kind][seed % 3], seed + 1)
    if oracle.is_float(type_):
        boundaries = np.where(np.isnan(oracle.widest(boundaries, type_)), np.zeros(1, boundaries.dtype), boundaries)
    boundaries = shifted(boundaries[np.argsort(oracle.widest(boundaries, type_), kind="stable")], offset)
    buffer, out = guarded(bins, DTYPES[counter], offset)
    host.run("histogram_ranges", in_type=type_, out_type=counter, in_=x, begin=boundaries, out=out, bins=bins, count=n)
    expect(out, oracle.tally(oracle.range_bins(x, type_, boundaries), bins, counter), counter)
    check_canaries(buffer, out)


@pytest.mark.parametrize("type_", ["i32", "u64", "f64"])
def test_ranges_against_numpy(host, type_):
    rng = np.random.default_rng(7)
    x = rng.integers(0, 1000, 20000).astype(DTYPES[type_])
    boundaries = np.unique(rng.integers(0, 1000, 60)).astype(DTYPES[type_])
    out = np.zeros(len(boundaries) - 1, np.int64)
    host.run("histogram_ranges", in_type=type_, out_type="i64", in_=x, begin=boundaries, out=out, bins=len(out),
             count=len(x))
    wanted = np.histogram(x, boundaries)[0]
    wanted[-1] -= (x == boundaries[-1]).sum()  # NumPy's last bin is closed
    assert (out == wanted).all()


# ---- channels and weights


@given(st.sampled_from(["u8", "i16", "u32", "f16", "f32"]),
       st.sampled_from([(1, 1), (2, 2), (3, 3), (4, 3), (4, 4), (5, 1), (1300, 2)]), st.sampled_from([1, 7, 256]),
       st.booleans(), st.sampled_from([None, "u8", "i32", "bf16", "f32"]), data)
@settings(max_examples=700)
@pytest.mark.turn
def test_channels_and_weights(host, type_, channels, bins, ranges, weight_type, what):
    n, offset, kind, seed = what
    (channels, active), rng = channels, np.random.default_rng(seed)
    n = n if channels < 9 else n % 40
    x = shifted(values(type_, n * channels, kind, seed), offset)
    pixels = x.reshape(n, channels)
    weights = None if weight_type is None else values(weight_type, n, "small", seed + 2)
    floats = weights is not None and (oracle.is_float(weight_type) or seed % 3 == 0)
    counter = ["f32", "f64"][seed % 2] if floats else ["u32", "i64"][seed % 2]
    weight = None if weights is None else oracle.convert(weights, weight_type, counter)
    buffer, out = guarded(active * bins, DTYPES[counter], offset)
    call = dict(in_type=type_, in2_type=weight_type or 0, out_type=counter, in_=x, in2=weights, out=out, bins=bins,
                channels=channels, active=[active, 0][active == channels and seed % 2], count=n)
    wanted = []
    if ranges:
        boundaries = np.sort(rng.integers(0, 100, (active, bins + 1)), axis=1)
        edges = oracle.convert(boundaries.astype(np.uint8), "u8", type_)
        host.run("histogram_ranges", begin=edges, **call)
        for c in range(active):
            wanted.append(oracle.tally(oracle.range_bins(pixels[:, c], type_, edges[c]), bins, counter, weight))
    else:
        lower = oracle.convert(rng.integers(0, 5, active).astype(np.uint8), "u8", type_)
        upper = oracle.convert(rng.integers(5, 100, active).astype(np.uint8), "u8", type_)
        host.run("histogram_even", lower=lower, upper=upper, **call)
        for c in range(active):
            bin_ = oracle.even_bins(pixels[:, c], type_, lower[c:c + 1], upper[c:c + 1], bins)
            wanted.append(oracle.tally(bin_, bins, counter, weight))
    expect(out, np.concatenate(wanted), counter)
    check_canaries(buffer, out)


def test_counters_wrap(host):
    weights = np.array([2**31, 2**31 - 1, 2**31], np.uint32)
    x, out = np.zeros(3, np.uint8), np.zeros(1, np.uint32)
    ends = np.array([0], np.uint8), np.array([1], np.uint8)
    host.run("histogram_even", in_type="u8", in2_type="u32", out_type="u32", in_=x, in2=weights, lower=ends[0],
             upper=ends[1], out=out, bins=1, count=3)
    assert out[0] == 2**31 - 1


# ---- counts in memory, many threads


def test_count_in_memory(host):
    x = np.arange(1000, dtype=np.uint16)
    ends = np.array([0], np.uint16), np.array([1000], np.uint16)
    for bound, n in ((10, 10), (2000, 1000), (0, 0)):
        out = np.full(4, 77, np.uint32)
        host.run("histogram_even", in_type="u16", out_type="u32", in_=x, lower=ends[0], upper=ends[1], out=out, bins=4,
                 count=1000, count_device=bound)
        assert (out == np.histogram(x[:n], 4, (0, 1000))[0]).all()


@pytest.mark.parametrize("bins", [16, 100000, 1000000])
@pytest.mark.parametrize("counter", ["u32", "u64"])
def test_threads_change_nothing(threaded, bins, counter):
    n = 400001
    x = np.minimum(np.random.default_rng(3).zipf(1.3, n), 2**31 - 1).astype(np.int32)
    ends = np.array([0], np.int32), np.array([bins], np.int32)
    out = np.full(bins, 77, DTYPES[counter])
    threaded.run("histogram_even", in_type="i32", out_type=counter, in_=x, lower=ends[0], upper=ends[1], out=out,
                 bins=bins, count=n)
    assert (out == np.bincount(x[x < bins], minlength=bins)).all()


@pytest.mark.parametrize("weight", ["f32", "f64"])
def test_sums_of_floats_do_not_depend_on_threads(host, threaded, weight):
    n = 200001
    x, weights = values("u8", n, "uniform", 1), values(weight, n, "uniform", 2)
    ends = np.array([0], np.uint8), np.array([255], np.uint8)
    outs = [np.zeros(255, DTYPES[weight]) for _ in range(2)]
    for context, out in zip((host, threaded), outs):
        context.run("histogram_even", in_type="u8", in2_type=weight, out_type=weight, in_=x, in2=weights, lower=ends[0],
                    upper=ends[1], out=out, bins=255, count=n)
    assert outs[0].tobytes() == outs[1].tobytes()
    expect(outs[0], oracle.tally(np.where(x < 255, x.astype(np.int64), -1), 255, weight, weights), weight)


def test_calls_by_name(host):
    x = np.array([1, 2, 2, 9, 10, 200, 255], np.uint8)
    ends = np.array([0], np.uint8), np.array([10], np.uint8)
    out = np.full(5, 77, np.uint32)
    host.call("gp_histogram_even", "u8", "u32", *ends, x, 7, out, 5)
    assert out.tolist() == [1, 2, 0, 0, 1]
    boundaries = np.array([0, 2, 2, 10, 255], np.uint8)
    out[:] = 77
    host.call("gp_histogram_ranges", "u8", "u32", x, 7, boundaries, 4, out)
    assert out.tolist() == [1, 0, 3, 2, 77]
