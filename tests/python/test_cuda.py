"""The CUDA side on the emulated driver: protocols of arrays, streams, allocators, what is checked before a launch."""
import time

import gpuprims as gp
import numpy as np
import pytest
from emulated import (BYTES, NAMESPACE, Interface, Standard, context, cupy_module, library, numbers_of, put_module,
                      torch_module)
from gpuprims import _context, _fast, _reductions

# Compiling the driver and kernels for the emulator takes seconds.
pytestmark = pytest.mark.turn(3)


@pytest.fixture(scope="module")
def driver():
    return library()


@pytest.fixture(autouse=True)
def on_device(driver):
    """Contexts of devices 0 and 1; kernels run."""
    driver.emulated_devices(2)
    driver.emulated_run(1)
    made = [context(driver, 0), context(driver, 1)]
    for one in made:
        gp.use(one)
    yield made
    for one in made:
        one.close()
    assert driver.emulated_allocations() == 0


@pytest.fixture
def torch(monkeypatch, driver):
    return put_module(monkeypatch, "torch", torch_module(driver))


@pytest.fixture
def cupy(monkeypatch):
    return put_module(monkeypatch, "cupy", cupy_module())


def launches(driver, call):
    before = driver.emulated_launches()
    call()
    return driver.emulated_launches() - before


# ---- protocols


@pytest.mark.parametrize("version", [2, 3])
def test_cuda_array_interface(driver, version):
    x, out = np.arange(1000, dtype=np.float32), np.zeros((), np.float32)
    given = Interface(out, version)
    assert gp.sum(Interface(x, version), out=given) is given
    assert out == x.sum()


def test_strides_of_the_interface():
    x, out = np.arange(1000, dtype=np.int64), np.zeros((), np.int64)
    gp.sum(Interface(x[::-3]), out=Interface(out))
    assert out == x[::-3].sum()
    matrix, sums = np.arange(60, dtype=np.int64).reshape(3, 4, 5), np.zeros((3, 5), np.int64)
    gp.sum(Interface(matrix.transpose(1, 0, 2)), axis=0, out=Interface(sums))
    assert (sums == matrix.sum(1)).all()


def test_the_interface_s_stream(driver):
    stream, other = driver.emulated_stream(), driver.emulated_stream()
    x, out = np.arange(10, dtype=np.int64), np.zeros((), np.int64)
    gp.sum(Interface(x, stream=stream), out=Interface(out))
    assert driver.emulated_last_stream() == stream
    gp.sum(Interface(x, stream=stream), out=Interface(out), stream=other)
    assert driver.emulated_last_stream() == other
    with pytest.raises(ValueError, match="x and y are written on different streams: give stream="):
        gp.transform("sum", Interface(x, stream=stream), Interface(x, stream=other), out=Interface(np.zeros_like(x)))
    with pytest.raises(ValueError, match="x: 0 is no stream"):
        gp.sum(Interface(x, stream=0), out=Interface(out))


def test_a_result_that_nobody_can_make():
    with pytest.raises(TypeError, match="results of Interface cannot be made: give out="):
        gp.sum(Interface(np.arange(10)))


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack(driver, monkeypatch, versioned):
    monkeypatch.setattr(Standard, "versioned", versioned)
    monkeypatch.setattr(Standard, "asked", [])
    x = np.random.default_rng(1).integers(0, 100, 300)
    made = gp.sort(Standard(x))
    assert type(made) is Standard and (made.memory == np.sort(x)).all()
    assert Standard.asked and set(Standard.asked) == {1}
    stream = driver.emulated_stream()
    gp.sort(Standard(x), stream=stream)
    assert set(Standard.asked) == {1, stream} and driver.emulated_last_stream() == stream


def test_streams_of_other_libraries(driver):
    """Objects with the protocol of cuda.core, as a method or a property; with a handle; a number."""
    import types

    stream = driver.emulated_stream()
    x, out = np.arange(10), np.zeros((), np.int64)
    for one in (stream, types.SimpleNamespace(handle=stream), types.SimpleNamespace(ptr=stream),
                types.SimpleNamespace(__cuda_stream__=lambda: (0, stream)),
                types.SimpleNamespace(__cuda_stream__=(0, stream))):
        gp.sum(Interface(x), out=Interface(out), stream=0)
        assert driver.emulated_last_stream() == 0
        gp.sum(Interface(x), out=Interface(out), stream=one)
        assert driver.emulated_last_stream() == stream and out == 45


def test_axes_are_read_in_place(driver):
    """Reductions and scans along any axis are one launch: nothing is copied, no offsets are made."""
    x = np.random.default_rng(3).integers(0, 9, (4, 5, 6))
    for call, expected in ((gp.sum, x.sum), (gp.cumsum, x.cumsum)):
        for axis in range(3):
            made = []
            assert launches(driver, lambda: made.append(call(Standard(x), axis=axis))) == 1
            assert (made[0].memory == expected(axis)).all()
    for axis in range(3):
        assert (gp.sort(Standard(x), axis=axis).memory == np.sort(x, axis)).all()
        assert (gp.argsort(Standard(x), axis=axis).memory == np.argsort(x, axis, kind="stable")).all()
        values, indices = gp.topk(Standard(x), 2, axis=axis)
        assert (values.memory == np.take_along_axis(x, indices.memory, axis)).all()
        assert (values.memory == np.flip(np.take(np.sort(x, axis), (-2, -1), axis), axis)).all()


def test_show_config_says_where_policies_come_from(driver, monkeypatch, capsys, on_device):
    """On the first of the emulated devices, whose name no table has."""
    monkeypatch.setattr(_context, "Context", lambda: context(driver, 0))
    gp.show_config()
    printed = capsys.readouterr().out
    assert f"policies: {on_device[0].policies()}\n" in printed and "back end: cuda" in printed
    assert on_device[0].policies() in ("DEVICE", "CAPABILITY", "CLASS", "PORTABLE")


def test_mean_by_the_standard():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    made = gp.mean(Standard(x), axis=0)
    assert type(made) is Standard and made.memory.dtype == np.float32 and (made.memory == x.mean(0)).all()


def test_dlpack_of_types_and_strides(monkeypatch):
    x = np.arange(24, dtype=np.float64).reshape(4, 6)
    assert (gp.sum(Standard(x[:, ::2]), axis=1).memory == x[:, ::2].sum(1)).all()
    assert gp.any(Standard(np.array([False, True]))).memory[()] is np.True_
    assert gp.sum(Standard(np.array([1j, 2]))).memory == 2 + 1j
    monkeypatch.delattr(NAMESPACE, "float64")
    with pytest.raises(AttributeError):
        gp.sort(Standard(x))


# ---- PyTorch and CuPy


def test_torch(driver, torch):
    x = np.random.default_rng(2).integers(-50, 50, (20, 30)).astype(np.int32)
    tensor = torch.cuda_tensor(x)
    torch.current = driver.emulated_stream()
    for made, expected in ((gp.sum(tensor), x.sum()), (gp.cumsum(tensor, axis=1), x.cumsum(1)),
                           (gp.argsort(tensor), x.argsort(1, kind="stable")), (gp.sort(tensor, axis=0), np.sort(x, 0)),
                           (gp.mean(tensor, axis=0), x.mean(0)), (gp.argmax(tensor, axis=1), x.argmax(1)),
                           (gp.any(tensor, axis=0), x.any(0)), (gp.transpose(tensor), x.T),
                           (gp.count_nonzero(tensor, axis=0), np.count_nonzero(x, 0))):
        assert isinstance(made, torch.Tensor) and str(made.device) == "cuda:0"
        assert made.memory.dtype == expected.dtype and (made.memory == expected).all()
    assert driver.emulated_last_stream() == torch.current


def test_unsigned_sums_of_torch_are_int64(torch):
    assert gp.sum(torch.cuda_tensor(np.full(10, 200, np.uint8))).memory.dtype == np.int64


def test_an_explicit_stream_s_memory(driver, torch):
    stream = torch.cuda.ExternalStream(driver.emulated_stream(), 0)
    gp.sort(torch.cuda_tensor(np.arange(10)), stream=stream)
    assert torch.made_on == [stream.cuda_stream] and driver.emulated_last_stream() == stream.cuda_stream


def test_cupy(driver, cupy):
    x = np.random.default_rng(3).normal(size=500).astype(np.float32)
    cupy.current = driver.emulated_stream()
    values, indices = gp.topk(cupy.ndarray(x), 5)
    assert isinstance(values, cupy.ndarray) and (values.memory == np.sort(x)[:-6:-1]).all()
    assert (x[indices.memory] == values.memory).all()
    assert driver.emulated_last_stream() == cupy.current and not cupy.devices
    counts, edges = gp.histogram(cupy.ndarray(x), 8, range=(-2, 2))
    assert (counts.memory == np.histogram(x, 8, range=(-2, 2))[0]).all() and isinstance(edges, cupy.ndarray)
    assert gp.mean(cupy.ndarray(x)).memory == pytest.approx(x.mean(dtype=np.float64), rel=1e-6)


def test_sized_results(torch):
    x = np.array([3, 1, 3, 2, 1], np.int32)
    made = gp.unique(torch.cuda_tensor(x), return_counts=True)
    assert isinstance(made, gp.Sized) and int(made.count) == 3
    assert made.values[0].shape == (5,) and (made.values[0].memory[:3] == [1, 2, 3]).all()
    values, counts = gp.unique(torch.cuda_tensor(x), return_counts=True, sync=True)
    assert (values.memory == [1, 2, 3]).all() and (counts.memory == [2, 1, 2]).all()
    made = gp.unique(torch.cuda_tensor(x), return_index=True, return_inverse=True)
    assert (made.values[2].memory == [2, 0, 2, 1, 0]).all() and (made.values[1].memory[:3] == [1, 3, 0]).all()
    first, second = gp.partition(torch.cuda_tensor(x), torch.cuda_tensor(x > 1), sync=True)
    assert (first.memory == [3, 3, 2]).all() and (second.memory == [1, 1]).all()
    made = gp.group_by(torch.cuda_tensor(x), torch.cuda_tensor(x), ("sum", "count"))
    assert int(made.count) == 3 and (made.values[1][0].memory[:3] == [2, 2, 6]).all()
    assert (gp.bincount(torch.cuda_tensor(x), sync=True).memory == np.bincount(x)).all()
    for call in (lambda: gp.bincount(torch.cuda_tensor(x)), lambda: gp.histogram(torch.cuda_tensor(x)),
                 lambda: gp.union1d(torch.cuda_tensor(x), torch.cuda_tensor(x))):
        with pytest.raises(ValueError, match="sync=True"):
            call()


def test_indices_beyond_the_array(torch):
    x = np.arange(10, 14)
    assert (gp.take(torch.cuda_tensor(x), torch.cuda_tensor(np.array([1, 9, -1, 3]))).memory == [11, 0, 0, 13]).all()


def test_own_operators(torch):
    x = np.arange(-8, 8, dtype=np.int32)
    farther = gp.operator(lambda a, b: gp.where(abs(a) >= abs(b), a, b), identity=0)
    assert gp.reduce(torch.cuda_tensor(x), farther).memory == -8
    assert (gp.transform(gp.operator("-a * 2 + 1"), torch.cuda_tensor(x)).memory == 1 - 2 * x).all()
    assert (gp.transform(gp.operator(lambda a: -a * 2), torch.cuda_tensor(x)).memory == -2 * x).all()
    with pytest.raises(gp.errors.CompileError, match="no_such_function"):
        gp.transform(gp.operator("no_such_function(a)"), torch.cuda_tensor(x))


# ---- plain tensors: python/fast.c, by DLPack's table of functions


@pytest.fixture
def plain(monkeypatch, driver):
    return put_module(monkeypatch, "torch", torch_module(driver, exchange=True))


def test_plain_tensors(driver, plain):
    """One launch on the current stream of the tensor's device, nothing but the results is allocated."""
    x = np.random.default_rng(4).integers(0, 50, (6, 7)).astype(np.int32)
    for device in (0, 1):
        tensor, row = plain.cuda_tensor(x, device), plain.cuda_tensor(x[0].copy(), device)
        plain.current = 0
        gp.sum(tensor)  # the context is known from now on
        plain.current = driver.emulated_stream() if device == 0 else 0
        assert _fast.run(_reductions._REDUCTIONS[gp.raw.GP_SUM], None, None, None, tensor).memory == x.sum()
        for call, expected in ((lambda t=tensor: gp.sum(t), x.sum()),
                               (lambda t=tensor: gp.cumsum(t, axis=1), x.cumsum(1)),
                               (lambda t=tensor: gp.max(t, axis=1), x.max(1)),
                               (lambda t=row: gp.cumsum(t), x[0].cumsum()),
                               (lambda t=row: gp.transform("sum", t, t), 2 * x[0]),
                               (lambda t=row: gp.count_nonzero(t), np.count_nonzero(x[0]))):
            made = []
            assert launches(driver, lambda c=call, m=made: m.append(c())) == 1
            assert (made[0].memory == expected).all() and made[0].memory.dtype == expected.dtype
            assert str(made[0].device) == f"cuda:{device}"
        assert driver.emulated_last_stream() == plain.current
        assert (gp.sort(row).memory == np.sort(x[0])).all() and (gp.argsort(row).memory == x[0].argsort()).all()
        ordered = plain.cuda_tensor(np.sort(x[0]), device)
        assert (gp.searchsorted(ordered, tensor).memory == np.searchsorted(np.sort(x[0]), x)).all()
        out = plain.cuda_tensor(np.zeros(7, np.int32), device)
        assert gp.sort(row, out=out) is out and (out.memory == np.sort(x[0])).all()
        assert (gp.topk(tensor, 2)[0].memory == np.sort(x, 1)[:, :-3:-1]).all()


def test_plain_tensors_whose_results_the_data_counts(driver, plain):
    x = np.array([3, 0, 3, 2, 0], np.int32)
    tensor = plain.cuda_tensor(x)
    gp.sum(tensor)
    for call, expected in ((gp.unique, np.unique(x)), (gp.flatnonzero, np.flatnonzero(x)),
                           (lambda t, **o: gp.compress(plain.cuda_tensor(x > 2), t, **o), x[x > 2])):
        made = call(tensor)
        assert isinstance(made, gp.Sized) and made.values.shape == (5,) and made.count.memory == expected.size
        assert (made.values.memory[:expected.size] == expected).all()
        for _ in range(2):
            made = call(tensor, sync=True)
            assert made.shape == expected.shape and (made.memory == expected).all()
    gp.bincount(tensor, sync=True)
    assert launches(driver, lambda: gp.bincount(tensor, sync=True)) == 2
    assert (gp.bincount(tensor, sync=True).memory == np.bincount(x)).all()
    assert (gp.bincount(tensor, length=3).memory == [2, 0, 1]).all()
    with pytest.raises(ValueError, match="sync=True"):
        gp.bincount(tensor)
    with pytest.raises(ValueError, match="x has the negative element -3"):
        gp.bincount(plain.cuda_tensor(-x), sync=True)


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("name", BYTES)
def test_floats_of_a_byte(driver, monkeypatch, name, exchange):
    """On plain tensors and on the way in Python, with numbers rounded to the type."""
    table = numbers_of(name)
    ordered = np.concatenate([np.arange(0xFB, 0x7F, -1), np.arange(0x7C)]).astype(np.uint8)  # by rising numbers
    ordered = ordered[np.isfinite(table[ordered])]
    memory = np.random.default_rng(5).choice(ordered, 300)
    torch = put_module(monkeypatch, "torch", torch_module(driver, exchange))
    put, x = torch.cuda_tensor, torch.cuda_tensor(memory, dtype=getattr(torch, name))
    gp.sum(x)
    assert (_fast.run(_reductions._REDUCTIONS[gp.raw.GP_MAX], None, None, None, x) is not None) == exchange
    numbers = table[memory]
    made = gp.sort(x)
    assert made.dtype is x.dtype and (table[made.memory] == np.sort(numbers)).all()
    assert (np.sort(numbers)[::-1][:3] == table[gp.topk(x, 3)[0].memory]).all()
    assert table[gp.max(x).memory] == numbers.max() and table[gp.min(x).memory] == numbers.min()
    assert (gp.flatnonzero(x, sync=True).memory == np.flatnonzero(numbers)).all()
    assert (table[gp.compress(put(numbers > 1), x, sync=True).memory] == numbers[numbers > 1]).all()
    for bound in (1.0, -0.3, 3.1):  # 3.1 becomes 3.0 or 3.25
        near = table[ordered][np.abs(table[ordered] - bound).argmin()]
        assert gp.count_if(x, ">", bound).memory == (numbers > near).sum(), bound
    small = put(memory[:3], dtype=x.dtype)
    total = numbers[:3].sum()
    near = table[ordered][np.abs(table[ordered] - total).argmin()]
    assert table[gp.sum(small).memory] == near or abs(total) > table[ordered][-1]
    wide = gp.transform("convert", x, dtype="float32")
    assert (wide.memory == numbers).all()
    back = gp.transform("convert", wide, dtype=x.dtype)
    assert back.dtype is x.dtype and (table[back.memory] == numbers).all()
    with pytest.raises(TypeError, match=f"x: {name} has no edges in NumPy: convert it to float32"):
        gp.histogram(x, 3, range=(0, 1))


@pytest.fixture
def words(plain):
    """A tensor, after whose first waiting call others wait for a word of page-locked memory."""
    tensor = plain.cuda_tensor(np.array([3, 0, 3, 2, 0], np.int32))
    assert gp.flatnonzero(tensor, sync=True).shape == (3,)
    assert plain.waited == ["int"] and plain.words.size == _fast.WORDS
    plain.waited.clear()
    return tensor


WAITING = {"unique": (lambda t, **o: gp.unique(t, **o), [0, 2, 3]),
           "flatnonzero": (lambda t, **o: gp.flatnonzero(t, **o), [0, 2, 3]),
           "compress": (lambda t, **o: gp.compress(t, t, **o), [3, 3, 2]),
           "bincount": (lambda t, **o: gp.bincount(t, **o), [2, 0, 1, 2])}


@pytest.mark.parametrize("name", WAITING)
def test_the_host_polls_the_word_that_the_kernel_writes(driver, plain, words, name):
    """No number is copied from the device, no array is made for it, and the stream need not end."""
    call, expected = WAITING[name]
    call(words, sync=True)
    plain.made_on.clear()
    assert launches(driver, lambda: call(words, sync=True)) == (2 if name in ("unique", "bincount") else 1)
    assert len(plain.made_on) == (2 if name == "unique" else 1) and not plain.waited
    for _ in range(2 * gp.raw.lib.GPPY_WORDS):  # each word is given back
        made = call(words, sync=True)
        assert made.shape == (len(expected),) and (made.memory == expected).all()
    assert not plain.waited


def test_a_kernel_that_takes_long_is_waited_for(driver, plain, words):
    """The word is not written while the host polls: the stream's end is waited for, and then the word is read."""
    driver.emulated_run(0)  # launches do nothing

    def finish():
        plain.words[plain.words == -1] = 2

    plain.finish, plain.current = finish, driver.emulated_stream()
    start = time.perf_counter()
    made = gp.compress(words, words, sync=True)
    assert made.shape == (2,) and plain.waited == [plain.current] and time.perf_counter() - start < 0.5
    driver.emulated_run(1)
    plain.finish = None  # not called
    assert gp.compress(words, words, sync=True).shape == (3,)


def test_an_error_while_a_word_is_waited_for(driver, plain, words):
    """It is raised. Nobody gets the word that a kernel may still write; without a word a call copies the number."""
    def fail():
        raise RuntimeError("the device has failed")

    plain.finish = fail
    driver.emulated_run(0)
    for _ in range(64):
        with pytest.raises(RuntimeError, match="the device has failed"):
            gp.flatnonzero(words, sync=True)
    driver.emulated_run(1)
    plain.waited.clear()
    assert (gp.flatnonzero(words, sync=True).memory == [0, 2, 3]).all() and plain.waited == ["int"]
    assert (gp.bincount(words, sync=True).memory == [2, 0, 1, 2]).all()


def test_an_error_before_the_launch_gives_the_word_back(driver, plain, words):
    stream = driver.emulated_stream()
    driver.emulated_destroy(stream)
    plain.current = stream
    for _ in range(70):
        with pytest.raises(gp.errors.StreamError):
            gp.flatnonzero(words, sync=True)
    plain.current = 0
    assert (gp.flatnonzero(words, sync=True).memory == [0, 2, 3]).all() and not plain.waited


def test_words_are_not_made_while_a_stream_is_captured(plain):
    tensor, plain.captured = plain.cuda_tensor(np.arange(3)), True
    gp.flatnonzero(tensor, sync=True), gp.flatnonzero(tensor, sync=True)
    assert plain.waited == ["int"] * 2 and not hasattr(plain, "words")
    plain.captured, plain.locked = False, RuntimeError("no page-locked memory")
    gp.flatnonzero(tensor, sync=True), gp.flatnonzero(tensor, sync=True)
    assert plain.waited == ["int"] * 4


def test_threads_wait_for_words_of_their_own(plain, words):
    import threading

    arrays = [plain.cuda_tensor(np.arange(n, dtype=np.int32)) for n in range(2, 10)]
    wrong = []

    def work(number):
        for _ in range(30):
            found = gp.flatnonzero(arrays[number], sync=True)
            if found.shape != (number + 1,):
                wrong.append((number, found.shape))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(arrays))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


def test_a_histogram_s_range_from_the_data_is_one_launch(driver, plain):
    x = np.random.default_rng(3).integers(-9, 30, 500)
    for dtype in ("float32", "int32", "int64", "int8", "float64"):
        tensor, expected = plain.cuda_tensor(x.astype(dtype)), np.histogram(x, 8)
        gp.histogram(tensor, 8, sync=True)
        plain.waited.clear()
        made = []
        assert launches(driver, lambda t=tensor, m=made: m.append(gp.histogram(t, 8, sync=True))) == 2
        assert (made[0][0].memory == expected[0]).all() and plain.waited == ["tolist"]


def test_edges_of_a_histogram_belong_to_the_caller(driver, plain):
    """Several are made by one copy on the stream; another stream and a captured one have their own."""
    for dtype in ("float32", "float64", "int32", "bool"):
        x = np.random.default_rng(3).integers(0, 2, 500).astype(dtype)
        tensor, expected = plain.cuda_tensor(x), np.histogram(x.astype(float), 8, range=(0, 1))
        gp.histogram(tensor, 8, range=(0, 1))
        plain.current = 0
        plain.launched.clear()
        seen = []
        for number in range(100):
            counts, edges = gp.histogram(tensor, 8, range=(0, 1))
            assert (counts.memory == expected[0]).all() and (edges.memory == expected[1]).all()
            assert edges.memory.ctypes.data % 4 == 0 and edges.is_contiguous()
            edges.memory[:] = number  # nobody else sees it
            seen.append(edges)
        assert all((one.memory == number).all() for number, one in enumerate(seen))
        assert plain.launched == ["repeat"] * (len(plain.launched)) and 2 < len(plain.launched) < 5
        plain.current = driver.emulated_stream()
        plain.launched.clear()
        gp.histogram(tensor, 8, range=(0, 1)), gp.histogram(tensor, 8, range=(0, 1))
        assert plain.launched == ["repeat"]
        plain.captured = True
        gp.histogram(tensor, 8, range=(0, 1)), gp.histogram(tensor, 8, range=(0, 1))
        assert plain.launched == ["repeat", "clone", "clone"]
        plain.captured, plain.current = False, 0
    many = plain.cuda_tensor(np.arange(5.0))
    gp.histogram(many, 4096, range=(0, 1))
    plain.launched.clear()
    gp.histogram(many, 4096, range=(0, 1))
    assert plain.launched == ["clone"]  # of 32 KiB


def test_a_histogram_copies_its_edges_once(driver, plain, monkeypatch):
    """Copying them to a device waits for it: the second call is one launch, and a copy on the device."""
    x = np.random.default_rng(3).normal(size=500).astype(np.float32)
    tensor, expected = plain.cuda_tensor(x), np.histogram(x, 8, range=(-2, 2))
    gp.histogram(tensor, 8, range=(-2, 2))
    monkeypatch.setattr(plain, "from_numpy", None)
    made = []
    assert launches(driver, lambda: made.append(gp.histogram(tensor, 8, range=(-2, 2)))) == 1
    assert (made[0][0].memory == expected[0]).all() and np.allclose(made[0][1].memory, expected[1])


def test_plain_tensors_make_the_same_errors(driver, plain):
    gp.sum(plain.cuda_tensor(np.arange(3.0)))
    for call, kind, message in faults(plain):
        def run(call=call, kind=kind, message=message):
            with pytest.raises(kind, match=message):
                call()

        assert launches(driver, run) == 0, message


def test_an_error_of_the_library_on_plain_tensors(driver, plain):
    x = plain.cuda_tensor(np.arange(3000.0))
    gp.sum(x)
    stream = driver.emulated_stream()
    driver.emulated_destroy(stream)
    plain.current = stream
    with pytest.raises(gp.errors.StreamError):
        gp.sum(x)
    plain.current = 0
    assert gp.sum(x).memory == np.arange(3000.0).sum()


# ---- allocators


@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_the_library_s_allocator(driver, torch, cupy, name):
    module = torch if name == "torch" else cupy
    x = np.random.default_rng(4).integers(0, 1000, 40000).astype(np.int32)  # several tiles, and so a workspace
    array = torch.cuda_tensor(x) if name == "torch" else cupy.ndarray(x)
    stream = module.current = driver.emulated_stream()
    with context(driver, 0, allocator=name) as made:
        gp.use(made)
        assert (gp.cumsum(array).memory == x.cumsum()).all()
        if name == "torch":
            assert torch.allocated and {one[1:] for one in torch.log} == {(0, stream)}
        else:
            assert cupy.pool and made.allocator.kept and not cupy.devices
    assert not torch.allocated
    assert name == "torch" or not made.allocator.kept


def test_an_allocator_that_fails(driver, torch):
    class Broken:
        def allocate(self, size, stream):
            return 0

        def release(self, pointer, size, stream):
            raise AssertionError

    with context(driver, 0, allocator=Broken()) as made:
        gp.use(made)
        with pytest.raises(MemoryError) as caught:
            gp.cumsum(torch.cuda_tensor(np.arange(40000)))
        assert isinstance(caught.value, gp.errors.AllocationError)


def test_a_default_context_lends_the_library_s_allocator(torch, cupy, monkeypatch):
    asked = []
    monkeypatch.setattr(_context, "_defaults", {})
    monkeypatch.setattr(_context, "Context", lambda *given, **options: asked.append((given, options)))
    for name in ("torch", "cupy", "standard"):
        _context.default_context("cuda", 1, name)
    assert asked == [(("cuda", 1), {"allocator": one}) for one in ("torch", "cupy", None)]


# ---- nothing is launched on an error


def faults(torch):
    x = torch.cuda_tensor(np.arange(10, dtype=np.float32))
    return [
        (lambda: gp.sum(torch.cuda_tensor(np.arange(3.0), requires_grad=True)), ValueError, "x requires grad"),
        (lambda: gp.transform("sum", x, torch.cpu_tensor(np.arange(10, dtype=np.float32))), ValueError,
         "y is on the host, x on cuda:0"),
        (lambda: gp.transform("sum", x, torch.cuda_tensor(np.arange(10, dtype=np.float32), 1)), ValueError,
         "y is on cuda:1, x on cuda:0"),
        (lambda: gp.sort(x, out=torch.cpu_tensor(np.zeros(10, np.float32))), ValueError, "out is on the host"),
        (lambda: gp.sort(x, out=torch.cuda_tensor(np.zeros(20, np.float32)[::2])), ValueError, "out is not contiguous"),
        (lambda: gp.sort(x, out=torch.cuda_tensor(np.zeros(9, np.float32))), ValueError, "out: its shape is"),
        (lambda: gp.sort(x, out=torch.cuda_tensor(np.zeros(10))), TypeError, "out: its elements are float64"),
        (lambda: gp.sort(x, out=Interface(np.zeros(10, np.float32), readonly=True)), ValueError, "out is read-only"),
        (lambda: gp.sum(torch.cuda_tensor(np.zeros(3, np.complex64)).as_raw()), TypeError, "x: elements of quint8"),
        (lambda: gp.sum(x, stream=object()), TypeError, "stream is object"),
        (lambda: gp.sum(x, stream=-1), ValueError, "stream is -1"),
        (lambda: gp.sum(Interface(np.arange(3), version=1)), ValueError, "x: version 1"),
        (lambda: gp.sum(Interface(np.arange(3), mask=1)), ValueError, "x: masks"),
        (lambda: gp.sum(Interface(np.arange(3), typestr=">i8")), TypeError, "x: elements of >i8 have the byte order"),
        (lambda: gp.sum(Interface(np.arange(3), strides=(3,))), ValueError, "x: its strides"),
        (lambda: gp.sort(Interface(np.arange(2**10), shape=(2**62,)), out=Interface(np.arange(3))), ValueError, "out"),
        (lambda: gp.take(x, torch.cuda_tensor(np.zeros(3, np.float32))), TypeError,
         "indices: its elements are float32"),
        (lambda: gp.topk(x, 11), ValueError, "k is 11"),
    ]


def test_nothing_is_launched_on_an_error(driver, torch):
    for call, kind, message in faults(torch):
        def run(call=call, kind=kind, message=message):
            with pytest.raises(kind, match=message):
                call()

        assert launches(driver, run) == 0, message


def test_errors_of_the_library(driver, torch):
    x = np.arange(10, dtype=np.float32)
    driver.emulated_place(x.ctypes.data, x.nbytes, 1)  # host memory, which says that it is on a device
    driver.emulated_devices(2)
    stream = driver.emulated_stream()
    driver.emulated_destroy(stream)
    with pytest.raises(gp.errors.StreamError):
        gp.sum(torch.cuda_tensor(np.arange(3.0)), stream=stream)
    with pytest.raises(gp.errors.AlignmentError, match="in"):
        memory = np.zeros(41, np.uint8)
        gp.sum(Interface(np.arange(10, dtype=np.float32), data=(memory.ctypes.data | 1, False)),
               out=Interface(np.zeros((), np.float32)))
    with pytest.raises(gp.errors.SizeError):
        gp.sum(Interface(x, shape=(2**62,)), out=Interface(np.zeros((), np.float32)))


def test_no_compiler(driver, torch):
    driver.emulated_nvrtc(0)
    try:
        with context(driver) as made:
            gp.use(made)
            with pytest.raises(gp.errors.NoCompilerError):
                gp.sum(torch.cuda_tensor(np.arange(3.0)))
    finally:
        driver.emulated_nvrtc(1)


def test_repr(on_device):
    assert repr(on_device[1]) == "<gpuprims.Context: cuda:1, Fake H200, compute capability 9.0>"


def test_demo(torch, capsys):
    from gpuprims import demo

    demo.main(3000)
    said = capsys.readouterr().out
    assert "rides on an emulated GPU" in said and "NumPy says the same." in said


def test_accelerate_for_cupy(monkeypatch, cupy):
    """Functions are replaced while the switch is on; what it does not serve stays CuPy's."""
    import sys

    asked = []
    for name in ("sort", "argsort", "cumsum", "unique", "bincount"):
        setattr(cupy, name, lambda *arguments, name=name, **options: asked.append(name) or name)
    monkeypatch.delitem(sys.modules, "gpuprims.cupy", raising=False)
    import gpuprims.cupy as gpc

    x, own = np.array([3, 1, 2, 1]), cupy.sort
    cupy.ndarray.size = property(lambda array: array.memory.size)
    with gpc.accelerate(least=3) as switch:
        assert (cupy.sort(cupy.ndarray(x)).memory == [1, 1, 2, 3]).all()
        assert (cupy.argsort(cupy.ndarray(x)).memory == [1, 3, 2, 0]).all()
        assert (cupy.cumsum(cupy.ndarray(x)).memory == [3, 4, 6, 7]).all()
        assert (cupy.bincount(cupy.ndarray(x)).memory == [0, 2, 1, 1]).all()
        assert (cupy.unique(cupy.ndarray(x)).memory == [1, 2, 3]).all()
        assert switch.calls == dict.fromkeys(switch.calls, 1) and not asked
        assert cupy.sort(cupy.ndarray(x[:2])) == "sort"
        assert cupy.sort(x) == "sort"
        assert cupy.unique(cupy.ndarray(x * 0.5)) == "unique"
        assert cupy.unique(cupy.ndarray(x), axis=0) == "unique"
        assert cupy.bincount(cupy.ndarray(-x)) == "bincount"
        assert cupy.cumsum(cupy.ndarray(x), unknown=1) == "cumsum"
    assert cupy.sort is own
    monkeypatch.delitem(sys.modules, "gpuprims.cupy")


def test_a_program_that_names_itself_gets_its_kernels_before_it_calls(driver, tmp_path):
    def opened():
        return context(driver, 0, cache_dir=str(tmp_path))

    with opened() as first:
        first.warm("a program")
        gp.use(first)
        gp.sum(Interface(np.arange(1000)), out=Interface(np.zeros((), np.int64)))
        compiled = first.describe()["kernels"]["compiled"]
        assert compiled > 0
    with opened() as second:
        second.warm("another")
        assert second.describe()["warming"] == 0 and sum(second.describe()["kernels"].values()) == 0
    with opened() as third:
        third.warm("a program")
        end = time.monotonic() + 30
        while third.describe()["warming"] and time.monotonic() < end:
            time.sleep(0.01)
        assert third.describe()["kernels"] == {"bundle": 0, "disk": compiled, "compiled": 0}
    with pytest.raises(gp.GpuprimsError):
        third.warm("a program")
    with opened() as last:
        for name, error in (("", ValueError), (None, TypeError), (7, TypeError)):
            with pytest.raises(error, match="name is"):
                last.warm(name)
