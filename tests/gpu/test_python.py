"""The shared library from Python, compared with NumPy: NumPy arrays on the host back end; CuPy arrays, PyTorch tensors
and their streams on the GPU, directly. Run by tests/gpu/run.py.
"""
import ctypes
import os
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit"))
import gpuprims_ctypes as gp  # noqa: E402

SIZES = [0, 1, 33, 1000, 100003]
TYPES = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"]


# ---- three kinds of arrays, one interface ----------------------------------------------------------------------------


class NumPy:
    name, backend, stream = "numpy", gp.BACKEND_HOST, None

    def put(self, array):
        return array.copy()

    def empty(self, count, dtype):
        return np.full(count, 77, dtype)

    def get(self, array):
        return array

    def address(self, array):
        return array.ctypes.data

    def wait(self):
        pass


class CuPy:
    name, backend = "cupy", gp.BACKEND_CUDA

    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.stream = None

    def put(self, array):
        return self.cupy.asarray(array)

    def empty(self, count, dtype):
        return self.cupy.full(count, 77, dtype)

    def get(self, array):
        return self.cupy.asnumpy(array)

    def address(self, array):
        return array.data.ptr

    def wait(self):
        self.cupy.cuda.Device().synchronize()


class Torch:
    name, backend = "torch", gp.BACKEND_CUDA

    def __init__(self):
        self.torch = pytest.importorskip("torch")
        self.stream = None

    def put(self, array):
        return self.torch.from_numpy(array.copy()).cuda()

    def empty(self, count, dtype):
        return self.torch.from_numpy(np.full(count, 77, dtype)).cuda()

    def get(self, array):
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def wait(self):
        self.torch.cuda.synchronize()


@pytest.fixture(scope="module")
def contexts():
    """One context a back end, opened at first use."""
    open_contexts = {}
    yield open_contexts
    for context in open_contexts.values():
        context.close()


@pytest.fixture(params=[NumPy, CuPy, Torch], ids=lambda home: home.name)
def home(request, contexts):
    if request.param is not NumPy and os.environ.get("GPUPRIMS_NO_GPU"):
        pytest.skip("no GPU")
    here = request.param()
    if here.backend not in contexts:
        contexts[here.backend] = gp.Context(backend=here.backend)
    here.context = contexts[here.backend]
    return here


def draw(type_, count, seed=0):
    """Numbers with exact sums in floats."""
    generator = np.random.default_rng(count * 31 + seed)
    dtype = gp.DTYPES[type_]
    if type_[0] != "f":
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, count, dtype, endpoint=True)
    return np.diff(generator.integers(0, 8, count + 1)).astype(dtype)


# ---- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("type_", TYPES)
def test_sums(home, type_, count):
    a = draw(type_, count)
    x, total, scan = home.put(a), home.empty(1, a.dtype), home.empty(count + 1, a.dtype)
    home.context.run("reduce", op="SUM", in_type=type_, out_type=type_, in_=home.address(x), out=home.address(total),
                     count=count, stream=home.stream)
    home.context.run("inclusive_scan", op="SUM", in_type=type_, out_type=type_, in_=home.address(x),
                     out=home.address(scan), count=count, stream=home.stream)
    home.wait()
    wide = np.float64 if type_[0] == "f" else a.dtype
    want = np.cumsum(a, dtype=wide).astype(a.dtype)
    assert home.get(total)[0] == (want[-1] if count else 0)
    got = home.get(scan)
    assert np.array_equal(got[:count], want)
    assert got[count] == 77


@pytest.mark.parametrize("type_", TYPES)
def test_extremes_and_positions(home, type_):
    count = 50021
    a = np.random.default_rng(5).integers(0, 100, count).astype(gp.DTYPES[type_])
    pair = np.dtype({"names": ["value", "index"], "formats": [gp.DTYPES[type_], np.int64], "offsets": [0, 8],
                     "itemsize": 16})
    for op, value, index in (("ARGMIN", a.min(), a.argmin()), ("ARGMAX", a.max(), a.argmax())):
        out, x = home.empty(16, np.uint8), home.put(a)
        home.context.run("reduce", op=op, in_type=type_, out_type=type_, in_=home.address(x), out=home.address(out),
                         count=count, stream=home.stream)
        home.wait()
        got = home.get(out).view(pair)[0]
        assert got["value"] == value and got["index"] == index


def test_mean_of_reals(home):
    """Floats that round: near the sum in double precision."""
    a = np.random.default_rng(1).standard_normal(3_000_001).astype(np.float32)
    x, total, scan = home.put(a), home.empty(1, np.float32), home.empty(a.size, np.float32)
    home.context.run("reduce", op="SUM", in_type="f32", out_type="f32", in_=home.address(x), out=home.address(total),
                     count=a.size, stream=home.stream)
    home.context.run("exclusive_scan", op="SUM", in_type="f32", out_type="f32", in_=home.address(x),
                     out=home.address(scan), count=a.size, stream=home.stream)
    home.wait()
    want = np.concatenate([[0], np.cumsum(a, dtype=np.float64)])
    assert abs(home.get(total)[0] - want[-1]) < 0.05
    assert np.abs(home.get(scan) - want[:-1]).max() < 0.05


def test_half_into_float(home):
    a = np.random.default_rng(2).standard_normal(200_003).astype(np.float16)
    x, total = home.put(a), home.empty(1, np.float32)
    home.context.run("reduce", op="SUM", in_type="f16", out_type="f32", in_=home.address(x), out=home.address(total),
                     count=a.size, stream=home.stream)
    home.wait()
    assert abs(home.get(total)[0] - a.astype(np.float64).sum()) < 0.02


def test_slices_at_every_offset(home):
    a = draw("u8", 5000)
    x, out = home.put(a), home.empty(5100, np.uint8)
    for first in range(17):
        for shift in (0, 1, 7, 16):
            count = 4801 + first
            home.context.run("exclusive_scan", op="SUM", in_type="u8", out_type="u8", in_=home.address(x[first:]),
                             out=home.address(out[shift:]), count=count, stream=home.stream)
            home.wait()
            want = np.concatenate([[0], np.cumsum(a[first:first + count - 1], dtype=np.uint8)])
            assert np.array_equal(home.get(out)[shift:shift + count], want), (first, shift)


def test_in_place(home):
    a = draw("u32", 123_457)
    x = home.put(a) if home.name != "torch" else home.put(a.view(np.int32))
    home.context.run("inclusive_scan", op="SUM", in_type="u32", out_type="u32", in_=home.address(x),
                     out=home.address(x), count=a.size, stream=home.stream)
    home.wait()
    assert np.array_equal(home.get(x).view(np.uint32), np.cumsum(a, dtype=np.uint32))


def test_transform_and_convert(home):
    a = np.linspace(-300, 300, 10_001).astype(np.float32)
    x, square, byte = home.put(a), home.empty(a.size, np.float32), home.empty(a.size, np.uint8)
    home.context.run("transform", op="SQUARE", in_type="f32", out_type="f32", in_=home.address(x),
                     out=home.address(square), count=a.size, stream=home.stream)
    home.context.run("transform", op="CONVERT", in_type="f32", out_type="u8", in_=home.address(x),
                     out=home.address(byte), count=a.size, stream=home.stream)
    home.wait()
    assert np.array_equal(home.get(square), a * a)
    assert np.array_equal(home.get(byte), np.clip(np.trunc(a), 0, 255).astype(np.uint8))


def test_errors_name_the_argument(home):
    out = home.empty(4, np.float32)
    with pytest.raises(gp.Error) as error:
        home.context.run("reduce", op="SUM", in_type="f32", out_type="f32", in_=None, out=home.address(out), count=4)
    assert error.value.name == "GP_E_NULL" and "in" in error.value.message
    home.wait()
    assert (home.get(out) == 77).all()


def test_operator_from_source(home):
    """x -> a x + b composed in order: not commutative."""
    if home.backend == gp.BACKEND_HOST:
        pytest.skip("source needs a GPU")
    name = "affine_" + home.name
    affine = home.context.struct(name, 8, 4, f"struct {name} {{ unsigned int a, b; }};")
    compose = home.context.operator("compose", body=f"{name} r; r.a = a.a * b.a; r.b = b.a * a.b + b.b; return r;",
                                    identity=f"{name}{{1u, 0u}}")
    pairs = np.random.default_rng(9).integers(0, 2 ** 31, (3001, 2), np.int32)
    x, out = home.put(pairs.reshape(-1)), home.empty(pairs.size, np.int32)
    home.context.run("inclusive_scan", op=compose, in_type=affine, out_type=affine, acc_type=affine,
                     in_=home.address(x), out=home.address(out), count=len(pairs), stream=home.stream)
    home.wait()
    want, a, b = [], 1, 0
    for p, q in pairs.astype(np.uint32).tolist():
        a, b = a * p % 2 ** 32, (p * b + q) % 2 ** 32
        want.append((a, b))
    assert np.array_equal(home.get(out).view(np.uint32).reshape(-1, 2), np.array(want, np.uint64).astype(np.uint32))


# ---- streams of the frameworks ---------------------------------------------------------------------------------------


def need_gpu():
    if os.environ.get("GPUPRIMS_NO_GPU"):
        pytest.skip("no GPU")


@pytest.fixture
def cuda_context(contexts):
    need_gpu()
    if gp.BACKEND_CUDA not in contexts:
        contexts[gp.BACKEND_CUDA] = gp.Context(backend=gp.BACKEND_CUDA)
    return contexts[gp.BACKEND_CUDA]


def test_torch_stream(cuda_context):
    """Producer, scan and consumer on one side stream, with no wait between them."""
    torch = pytest.importorskip("torch")
    stream = torch.cuda.Stream()
    x = torch.randint(0, 100, (5_000_003,), dtype=torch.int32, device="cuda")
    out = torch.empty_like(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(20):
            y = x * 2 + 1
            cuda_context.run("inclusive_scan", op="SUM", in_type="i32", out_type="i32", in_=y.data_ptr(),
                             out=out.data_ptr(), count=y.numel(), stream=stream.cuda_stream)
            z = out - 1
    stream.synchronize()
    assert torch.equal(z, torch.cumsum(x * 2 + 1, 0, dtype=torch.int64).to(torch.int32) - 1)


def test_torch_bfloat16(cuda_context):
    torch = pytest.importorskip("torch")
    x = torch.randn(1_000_003, device="cuda").to(torch.bfloat16)
    out = torch.empty(1, device="cuda")
    cuda_context.run("reduce", op="SUM", in_type="bf16", out_type="f32", in_=x.data_ptr(), out=out.data_ptr(),
                     count=x.numel(), stream=torch.cuda.current_stream().cuda_stream or None)
    torch.cuda.synchronize()
    assert abs(out.item() - x.double().sum().item()) < 0.1


def test_torch_graph(cuda_context):
    """A call inside torch.cuda.graph, replayed on new data."""
    torch = pytest.importorskip("torch")
    stream = torch.cuda.Stream()
    x = torch.randint(0, 1000, (3_000_001,), dtype=torch.int64, device="cuda")
    out, total = torch.empty_like(x), torch.empty(1, dtype=torch.int64, device="cuda")

    def calls():
        cuda_context.run("exclusive_scan", op="SUM", in_type="i64", out_type="i64", in_=x.data_ptr(),
                         out=out.data_ptr(), count=x.numel(), stream=stream.cuda_stream)
        cuda_context.run("reduce", op="SUM", in_type="i64", out_type="i64", in_=x.data_ptr(), out=total.data_ptr(),
                         count=x.numel(), stream=stream.cuda_stream)

    calls()  # loads the kernels and grows the stream's workspace
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        calls()
    for seed in range(5):
        torch.manual_seed(seed)
        x.copy_(torch.randint(0, 1000, x.shape, dtype=torch.int64, device="cuda"))
        graph.replay()
        torch.cuda.synchronize()
        sums = torch.cumsum(x, 0)
        assert torch.equal(out, sums - x) and total.item() == sums[-1].item()


def test_cupy_stream(cuda_context):
    cupy = pytest.importorskip("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    x = cupy.random.randint(0, 100, 4_000_001, dtype=cupy.int32)
    cupy.cuda.Device().synchronize()
    with stream:
        y = x * 3
        out = cupy.empty_like(y)
        cuda_context.run("inclusive_scan", op="SUM", in_type="i32", out_type="i32", in_=y.data.ptr, out=out.data.ptr,
                         count=y.size, stream=ctypes.c_void_p(stream.ptr))
        z = out + 1
    stream.synchronize()
    assert bool((z == cupy.cumsum(x.astype(cupy.int64) * 3).astype(cupy.int32) + 1).all())


def test_torch_and_cupy_share_memory(cuda_context):
    torch, cupy = pytest.importorskip("torch"), pytest.importorskip("cupy")
    tensor = torch.arange(100_000, dtype=torch.float64, device="cuda")
    torch.cuda.synchronize()
    view, out = cupy.asarray(tensor), cupy.empty(1, cupy.float64)
    cuda_context.run("reduce", op="MAX", in_type="f64", out_type="f64", in_=view.data.ptr, out=out.data.ptr,
                     count=view.size)
    cupy.cuda.Device().synchronize()
    assert float(out[0]) == 99_999
