"""Random calls of gpuprims.torch. With bad arguments: an exception of Python, and the interpreter lives; a child
process runs them, so that a crash is seen as one. With good ones: PyTorch's results, by this module and by
accelerate()."""
import faulthandler
import inspect
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from conftest import BUILT, LONG, search_path
from test_arguments import bad

torch = pytest.importorskip("torch", reason="no PyTorch: pip install torch")
gp, gpt = pytest.importorskip("gpuprims"), pytest.importorskip("gpuprims.torch")

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = 5000 if LONG else 400
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
TYPES = [torch.float32, torch.float64, torch.int64, torch.int32, torch.int16, torch.uint8, torch.bool, torch.bfloat16]
FUNCTIONS = [getattr(gpt, name) for name in gpt.__all__ if name != "accelerate"]
ERRORS = (gp.GpuprimsError, TypeError, ValueError, IndexError, OverflowError, MemoryError, RuntimeError,
          NotImplementedError)


def drawn(rng, types, least=1, most=3):
    """A tensor of small numbers, contiguous or not."""
    shape = [rng.randint(1, 9) for _ in range(rng.randint(least, most))]
    x = torch.tensor(np.random.default_rng(rng.randrange(2**32)).integers(0, 5, [2, *shape])).to(rng.choice(types))
    return rng.choice([x[0], x[0], x[1].clone(), x[:, ..., ::2][0], x[0].movedim(0, -1), x[0].t() if len(shape) == 2
                       else x[1]])


def good(rng, name):
    """A value that an argument of this name can use."""
    return {"x": torch.arange(12) % 5, "dim": 0, "k": 2, "offsets": torch.tensor([0, 4, 12]), "count": 12, "length": 5,
            "index": torch.tensor([3, 1]), "bins": 4, "min": 0.0, "max": 4.0}.get(name, rng.choice([True, False]))


def one_bad_call(rng, device):
    function = rng.choice(FUNCTIONS)
    positional, named = [], {}
    parameters = list(inspect.signature(function).parameters.values())
    wrong = set(rng.sample(range(len(parameters)), k=min(len(parameters), rng.choice([1, 1, 2]))))
    for place, one in enumerate(parameters):
        value = bad(rng) if place in wrong else good(rng, one.name)
        if isinstance(value, torch.Tensor) and rng.random() < 0.9 and value.device.type == "cpu":
            value = value.to(device)
        if one.kind is one.POSITIONAL_ONLY:
            positional.append(value)
        elif place in wrong or one.default is one.empty:
            named[one.name] = value
    try:
        function(*positional, **named)
        return 0
    except ERRORS:
        return 1


def main(count, seed, device):
    faulthandler.enable()
    rng, raised = random.Random(seed), 0
    for number in range(count):
        print(number, file=sys.stderr)  # the last number before a crash
        raised += one_bad_call(rng, device)
    assert gpt.sort(torch.tensor([3, 1, 2], device=device))[0].tolist() == [1, 2, 3]
    print(f"{raised} of {count} calls raised an exception")


@pytest.mark.parametrize("device", DEVICES)
def test_random_calls_with_bad_arguments(device):
    program = f"import test_torch_arguments; test_torch_arguments.main({CALLS}, 13, {device!r})"
    env = dict(os.environ, PYTHONPATH=search_path(HERE, BUILT))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    raised, count = (int(word) for word in done.stdout.split()[:3:2])
    assert count == CALLS and raised > CALLS // 3


def one_good_call(rng, device):
    """(What was called, this module's results, PyTorch's, those of PyTorch's function while accelerate() is on)."""
    if rng.random() < 0.1:
        x, flag = drawn(rng, TYPES).to(device), rng.random() < 0.5
        dim = rng.randrange(-x.dim(), x.dim())
        return (("argsort", tuple(x.shape), x.stride(), x.dtype, dim, flag),
                lambda: gpt.sort(x, dim, descending=flag)[1],
                lambda: torch.argsort(x, dim=dim, descending=flag, stable=True))
    number = [one for one in TYPES if one is not torch.bool and one is not torch.bfloat16]
    name = rng.choice(["cumsum", "sort", "topk", "unique", "bincount", "histc", "gather", "segment_sum"])
    x = drawn(rng, {"cumsum": number, "bincount": [torch.int64, torch.uint8, torch.int32], "histc": TYPES[:2],
                    "segment_sum": number, "topk": number}.get(name, TYPES), 1,
              1 if name in ("bincount", "segment_sum") else 3).to(device)
    dim, flag = rng.randrange(-x.dim(), x.dim()), rng.random() < 0.5
    what = (name, tuple(x.shape), x.stride(), x.dtype, dim, flag)
    if name == "cumsum":
        return what, lambda: gpt.cumsum(x, dim), lambda: torch.cumsum(x, dim)
    if name == "sort":
        return (what, lambda: gpt.sort(x, dim, descending=flag),
                lambda: tuple(torch.sort(x, dim=dim, descending=flag, stable=True)))
    if name == "topk":
        k = rng.randint(1, x.shape[dim])
        return what, lambda: gpt.topk(x, k, dim, largest=flag)[0], lambda: torch.topk(x, k, dim, largest=flag)[0]
    if name == "unique":
        return what, lambda: gpt.unique(x), lambda: torch.unique(x, return_inverse=True, return_counts=True)
    if name == "bincount":
        return what, lambda: gpt.bincount(x, length=5), lambda: torch.bincount(x, minlength=5)
    if name == "histc":
        return what, lambda: gpt.histc(x, 4, 0.0, 4.0), lambda: torch.histc(x.contiguous(), 4, 0, 4)
    if name == "gather":
        index = torch.tensor([rng.randrange(x.numel()) for _ in range(4)], device=device).reshape(2, 2)
        return what, lambda: gpt.gather(x, index), lambda: torch.take(x, index)
    ends = torch.tensor(sorted(rng.randint(0, x.numel()) for _ in range(4)), device=device)
    return what, lambda: gpt.segment_sum(x, ends), lambda: torch.stack(
        [x[a:b].sum() for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)])


def same(a, b):
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and torch.equal(a, b)
    return len(a) == len(b) and all(same(one, two) for one, two in zip(a, b, strict=True))


@pytest.mark.parametrize("device", DEVICES)
def test_random_calls(device):
    rng = random.Random(5)
    calls = [one_good_call(rng, device) for _ in range(CALLS if device == "cpu" else CALLS // 4)]
    expected = [theirs() for _, _, theirs in calls]
    for (what, ours, _), result in zip(calls, expected, strict=True):
        assert same(ours(), result), what
    with gpt.accelerate(least=0, host=True) as switch:
        for (what, _, theirs), result in zip(calls, expected, strict=True):
            assert same(theirs(), result), what
    assert all(switch.calls[name] for name in ("cumsum", "sort", "argsort", "topk", "unique", "bincount",
                                                  "histc"))
