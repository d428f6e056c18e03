"""Bad arguments of any kind: an exception of Python, and the interpreter lives. Each function gets arguments that it
can use but for one or two; a child process runs them, so that a crash is seen as one."""
import faulthandler
import inspect
import os
import random
import subprocess
import sys

import gpuprims as gp
import numpy as np
import pytest
from conftest import BUILT, LONG, search_path

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = 10_000 if LONG else 600


def bad(rng):
    """A value that most arguments cannot use."""
    class Liar:  # whose pointer is null, and whose size is not
        __cuda_array_interface__ = {"shape": (10,), "typestr": "<f4", "data": (0, False), "version": 3}

    class Thrower:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("not today")

        __array_interface__ = __cuda_array_interface__

    class Capsule:
        def __dlpack__(self, **_):
            return object()

        def __dlpack_device__(self):
            return 2, 0

        def __array_namespace__(self):
            return np

    frozen = np.arange(5)
    frozen.setflags(write=False)
    return rng.choice([
        None, True, -1, 2**40, 2**63, 2**70, -2**70, 1.5, float("nan"), float("inf"), 1j, "", "text", b"bytes", [], (),
        {}, set(), object(), ..., slice(3), [None], [[1], [2, 3]], "sum", np.float32, np.zeros(0), np.zeros((0, 3)),
        np.zeros((2, 0, 2), np.int32), np.array(3), np.array("text"), np.array([object()]), np.arange(10.0),
        np.arange(10, dtype=">i4"), np.arange(10, dtype=np.int8)[::-1], np.array([1j]), np.array([np.nan, 1]),
        np.zeros((2, 2, 2, 2, 2, 2)), np.array([2**63], np.uint64), np.array([-5, 200], np.int64), np.zeros(5, "V100"),
        np.zeros(4, "datetime64[s]"), np.broadcast_to(np.int32(1), (2**20,)), frozen,
        np.broadcast_to(np.int64(3), (3, 2**33))[:, :7], memoryview(b"abcd"), range(5), iter([1]), lambda a: a,
        lambda a, b: a if a else b, len, Liar(), Thrower(), Capsule(), type, np.float16(2), np.datetime64("now"),
        np.ma.masked_array([1, 2], [True, False]),
        *tensors(), gp.operator("a + b", identity=0), gp.operator("a > 0"), gp.operator(lambda a: a // 2), -7, 0, 1, 3])


def tensors():
    """Tensors of PyTorch that few arguments can use, where it is installed."""
    try:
        import torch
    except ImportError:
        return []
    return [torch.ones(4), torch.ones(3, requires_grad=True), torch.eye(3).to_sparse(), torch.ones(2, device="meta"),
            torch.tensor([1j]).conj(), torch.tensor(5), torch.ones(0, 3), torch.arange(10)[::3], torch.ones(3).half(),
            torch.ones(1).expand(2**20), torch.arange(4).to(torch.uint16), torch.arange(6).reshape(2, 3).T]


def good(rng, name):
    """A value that an argument of this name can use."""
    numbers = np.random.default_rng(rng.randrange(2**32)).integers(0, 5, 12)
    some = {"op": rng.choice(["sum", ">", "min", "abs"]), "k": 2, "n": 3, "seed": 1, "shift": 2, "source": 0, "axis": 0,
            "offsets": np.array([0, 4, 12]), "indices": np.array([3, 1]), "condition": numbers > 2, "bins": 4,
            "graph": (np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32)), "how": "sum", "scalar": 2,
            "side": "left", "length": 5, "range": (0, 4), "identity": 0}
    return some.get(name, numbers)


def functions():
    """The package's functions on arrays."""
    skipped = {"operator", "where", "minimum", "maximum", "use", "show_config"}
    return [getattr(gp, name) for name in gp.__all__
            if inspect.isfunction(getattr(gp, name)) and name not in skipped]


def one_call(rng):
    """A random call; what it raised. Anything but an exception of Python's own kinds is a fault."""
    function = rng.choice(functions())
    positional, named = [], {}
    parameters = list(inspect.signature(function).parameters.values())
    wrong = set(rng.sample(range(len(parameters)), k=min(len(parameters), rng.choice([1, 1, 1, 2]))))
    for place, one in enumerate(parameters):
        value = bad(rng) if place in wrong else good(rng, one.name)
        if one.kind is one.POSITIONAL_ONLY or one.default is one.empty and one.kind is not one.KEYWORD_ONLY:
            positional.append(value)
        elif place in wrong or one.default is one.empty:
            named[one.name] = value
    try:
        function(*positional, **named)
        return None
    except (gp.GpuprimsError, TypeError, ValueError, IndexError, OverflowError, MemoryError, RuntimeError,
            NotImplementedError) as error:
        return error


def main(count, seed):
    faulthandler.enable()
    rng, raised = random.Random(seed), 0
    for number in range(count):
        print(number, file=sys.stderr)  # the last number before a crash
        raised += one_call(rng) is not None
    assert (gp.sort([3, 1, 2]) == [1, 2, 3]).all()
    print(f"{raised} of {count} calls raised an exception")


@pytest.mark.turn
def test_random_calls_with_bad_arguments():
    program = f"import test_arguments; test_arguments.main({SIZES}, 11)"
    env = dict(os.environ, PYTHONPATH=search_path(HERE, BUILT), CUDA_VISIBLE_DEVICES="")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    raised, count = (int(word) for word in done.stdout.split()[:3:2])
    assert count == SIZES and raised > SIZES // 3


X = np.arange(6, dtype=np.int32)
NAMED = [
    (lambda: gp.sum(None), TypeError, "x is NoneType"),
    (lambda: gp.sum("text"), TypeError, "x is str"),
    (lambda: gp.sum(np.array([object()])), TypeError, "x: elements are Python objects"),
    (lambda: gp.sum([object()]), TypeError, "x is list"),
    (lambda: gp.sum(np.arange(3, dtype=">i4")), TypeError, "x: elements of >i4 have the byte order"),
    (lambda: gp.sum(np.zeros(3, "datetime64[s]")), TypeError, r"x: elements of datetime64\[s\]"),
    (lambda: gp.sum(X, axis=1), ValueError, "axis is 1"),
    (lambda: gp.sum(X, axis=1.0), TypeError, "axis is 1.0"),
    (lambda: gp.sum(X[None], axis=(0, -2)), ValueError, "axis names one twice"),
    (lambda: gp.sum(X, dtype="text"), TypeError, "dtype: 'text'"),
    (lambda: gp.sum(X, out=[0]), TypeError, "out is list"),
    (lambda: gp.reduce(X, "median"), TypeError, "op is 'median'"),
    (lambda: gp.scan(X, "sum", initial=3), ValueError, "initial needs exclusive=True"),
    (lambda: gp.topk(X, 7), ValueError, "k is 7"),
    (lambda: gp.topk(X, -1), ValueError, "k is -1"),
    (lambda: gp.topk(X, 1.5), TypeError, "k is 1.5"),
    (lambda: gp.nth_element(X, 6), ValueError, "n is 6"),
    (lambda: gp.merge(X, X.astype(float)), TypeError, "y: its elements are float64"),
    (lambda: gp.searchsorted(X, [0.5]), TypeError, "v: its elements are float64"),
    (lambda: gp.searchsorted(X, X, side="up"), ValueError, "side is 'up'"),
    (lambda: gp.take(X, [6]), IndexError, "indices has 6, and x has 6 elements"),
    (lambda: gp.take(X, [-7]), IndexError, "indices has -7"),
    (lambda: gp.take(X, [0.5]), TypeError, "indices: its elements are float64"),
    (lambda: gp.put([1], [0], [1]), TypeError, "x is list"),
    (lambda: gp.put(X, [0, 1], X[:1]), ValueError, "values has 1 elements, indices 2"),
    (lambda: gp.put(X[::2], [0], X[:1]), ValueError, "x is not contiguous"),
    (lambda: gp.put(X, [0], [0.5]), TypeError, "values: its elements are float64"),
    (lambda: gp.shuffle([1, 2], seed=1), TypeError, "x is list"),
    (lambda: gp.permutation(5, seed=-1), ValueError, "seed is -1"),
    (lambda: gp.compress([True], X), ValueError, "condition has 1 elements, x 6"),
    (lambda: gp.compress(X * 0.5, X), TypeError, "condition: its elements are float64"),
    (lambda: gp.select(X, ">"), TypeError, "the comparison > needs a scalar"),
    (lambda: gp.roll(X, 1.5), TypeError, "shift is 1.5"),
    (lambda: gp.transpose(X[None], (0, 0)), ValueError, "axes is"),
    (lambda: gp.bincount(X * 1.0), TypeError, "x: its elements are float64"),
    (lambda: gp.bincount(X, X[:2]), ValueError, "weights has 2 elements"),
    (lambda: gp.histogram(X, [3, 1]), ValueError, "bins: edges do not rise"),
    (lambda: gp.histogram(X, range=(2, 1)), ValueError, "range: 2.0 is above 1.0"),
    (lambda: gp.histogram([np.nan]), ValueError, "range: .* is not finite"),
    (lambda: gp.segment_topk(X, [0.5], 1), TypeError, "offsets: its elements are float64"),
    (lambda: gp.segment_topk(X, np.zeros(0, int), 1), ValueError, "offsets is empty"),
    (lambda: gp.segment_topk(X, [0, 1], 1, payload=[1]), ValueError, "payload has 1 elements"),
    (lambda: gp.segment_topk(X, [0, 1], 1, counts=[1]), ValueError, "counts has 1 elements of int64, not 1 of uint32"),
    (lambda: gp.segment_sum(X, [0.5]), TypeError, "offsets: its elements are float64"),
    (lambda: gp.group_by(X, X[:3]), ValueError, "values has 3 elements, keys 6"),
    (lambda: gp.group_by(X, X, "median"), ValueError, "how: 'median'"),
    (lambda: gp.group_by(X, None), TypeError, "values is None"),
    (lambda: gp.isin(X, [0.5]), TypeError, "test: its elements are float64"),
    (lambda: gp.diff(np.int32(3)), ValueError, "x has no dimension"),
    (lambda: gp.Context("gpu"), ValueError, "backend is 'gpu'"),
    (lambda: gp.Context("host", allocator="torch"), ValueError, "allocator 'torch' needs device"),
    (lambda: gp.Context("host", allocator="pool"), ValueError, "allocator is 'pool'"),
    (lambda: gp.Context("cuda", 0), gp.errors.NoDeviceError, "libcuda"),
]


@pytest.mark.parametrize("number", range(len(NAMED)))
def test_the_argument_is_named(number):
    call, kind, message = NAMED[number]
    if kind is gp.errors.NoDeviceError and os.path.exists("/dev/nvidiactl"):
        pytest.skip("there is a GPU")
    with pytest.raises(kind, match=f"^{message}|{message}"):
        call()
