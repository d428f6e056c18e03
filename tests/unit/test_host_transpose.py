"""Transposes and permutations on the host against NumPy: types, structs, strides, batches, in place, bad input."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuprims_ctypes import Error, Permutation

settings.register_profile("transpose", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("transpose")

extents = st.lists(st.integers(1, 9), min_size=1, max_size=4).flatmap(
    lambda e: st.tuples(st.just(e), st.permutations(range(len(e)))))
sizes = st.sampled_from([1, 2, 3, 4, 8, 12, 16, 24, 40, 64])


def raw(host, size, known={}):
    if (id(host), size) not in known:
        known[id(host), size] = host.struct(f"moved_{size}", size, min(size & -size, 16))
    return known[id(host), size]


def strides_of(shape, gaps):
    strides, least = [], 1
    for extent, gap in zip(reversed(shape), reversed([*gaps[:len(shape) - 1], 0])):
        strides.insert(0, least + gap)
        least = strides[0] * extent
    return strides


def view(memory, shape, strides, size):
    return np.lib.stride_tricks.as_strided(memory, shape, [s * size for s in strides])


@given(sizes, extents, st.lists(st.integers(0, 3), min_size=3, max_size=3), st.booleans(), st.integers(0, 1000))
@settings(max_examples=400)
@pytest.mark.turn
def test_permute(host, size, what, gaps, dense, seed):
    extent, order = what
    gaps = [0, 0, 0] if dense else gaps
    in_strides, out_shape = strides_of(extent, gaps), [extent[d] for d in order]
    out_strides = strides_of(out_shape, gaps[::-1])
    element = np.dtype((np.void, size))
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 256, in_strides[0] * extent[0] * size, np.uint8).view(element)
    out = draw.integers(0, 256, out_strides[0] * out_shape[0] * size, np.uint8).view(element)
    expected = out.copy()
    view(expected, out_shape, out_strides, size)[...] = view(x, extent, in_strides, size).transpose(order)
    p = Permutation(dimensions=len(extent), order=tuple(order), extent=tuple(extent))
    if not dense:
        p.in_stride, p.out_stride = tuple(in_strides), tuple(out_strides)
    host.call("gp_permute", raw(host, size), ctypes.addressof(p), x, out)
    assert out.tobytes() == expected.tobytes()


@given(st.sampled_from(["u8", "f16", "f32", "f64"]), st.integers(1, 70), st.integers(1, 70), st.integers(1, 3))
@settings(max_examples=100)
def test_transpose(host, threaded, type_, rows, columns, batch):
    dtype = {"u8": np.uint8, "f16": np.float16, "f32": np.float32, "f64": np.float64}[type_]
    x = np.random.default_rng(rows).integers(0, 100, (batch, rows, columns)).astype(dtype)
    expected = x.transpose(0, 2, 1).copy()
    for context in (host, threaded):
        out = np.zeros_like(expected)
        context.call("gp_transpose_batched", type_, x, rows, columns, batch, out)
        assert (out == expected).all()
        context.call("gp_transpose", type_, x, columns, rows, columns, out, rows)
        assert (out == expected).all()
        in_place = x.copy()
        context.call("gp_transpose_batched", type_, in_place, rows, columns, batch, in_place)
        assert (in_place.reshape(expected.shape) == expected).all()


def test_large_threaded(threaded):
    x = np.arange(40 * 300 * 200, dtype=np.uint32).reshape(40, 300, 200)
    out = np.zeros((40, 200, 300), np.uint32)
    threaded.call("gp_transpose_batched", "u32", x, 300, 200, 40, out)
    assert (out == x.transpose(0, 2, 1)).all()


def test_square_with_a_pitch_in_place(host):
    x = np.arange(10 * 13, dtype=np.uint32).reshape(10, 13)
    expected = x.copy()
    expected[:, :10] = x[:, :10].T
    host.call("gp_transpose", "u32", x, 13, 10, 10, x, 13)
    assert (x == expected).all()


def test_nothing(host):
    for rows, columns in ((0, 5), (5, 0), (0, 0)):
        host.call("gp_transpose", "f32", None, 0, rows, columns, None, 0)


def test_bad_input(host):
    x = np.zeros(200, np.float32)
    for name, what, arguments in (
            ("GP_E_ARGUMENT", "in_pitch is 9, below the", (x, 9, 10, 10, x[100:], 0)),
            ("GP_E_ARGUMENT", "out_pitch is 4, below the", (x, 0, 10, 10, x[100:], 4)),
            ("GP_E_SIZE", "extent", (x, 0, 2**40, 2**40, x[100:], 0)),
            ("GP_E_SIZE", "in_pitch times the extent", (x, 2**62, 10, 10, x[100:], 0)),
            ("GP_E_OVERLAP", "in and out overlap", (x, 0, 10, 10, x[99:], 0)),
            ("GP_E_OVERLAP", "in and out are the same", (x, 12, 10, 10, x, 0)),
            ("GP_E_NULL", "in is null", (None, 0, 10, 10, x, 0)),
            ("GP_E_NULL", "out is null", (x, 0, 10, 10, None, 0)),
            ("GP_E_ALIGNMENT", "out (", (x, 0, 10, 10, x.ctypes.data + 402, 0))):
        with pytest.raises(Error) as e:
            host.call("gp_transpose", "f32", *arguments)
        assert e.value.name == name and what in e.value.message, e.value
    with pytest.raises(Error) as e:
        host.call("gp_permute", "f32", None, x, x[100:])
    assert e.value.name == "GP_E_NULL" and "permutation is null" in e.value.message
