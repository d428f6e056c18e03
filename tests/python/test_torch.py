"""gpuprims.torch against PyTorch, on the host and, where there is one, on a GPU. `make test` skips it where PyTorch is
not installed; test_install.py runs it in an environment of its own in the long tests. VENV=no runs it here. Nothing is
compiled by torch.compile, which takes minutes on a GPU: that is test_torch_compile.py."""
import doctest
import importlib.util
import os
import warnings

import gpuprims as gp
import numpy as np
import pytest
from conftest import ROOT
from gpuprims import _switch

torch = pytest.importorskip("torch", reason="no PyTorch: pip install torch")
gpt = pytest.importorskip("gpuprims.torch")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

warnings.filterwarnings("ignore")
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
OPS = torch.ops.gpuprims


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def random(*shape, dtype=torch.float64, grad=False, device="cpu"):
    made = torch.randint(-4, 5, shape, generator=torch.Generator().manual_seed(1)).to(dtype).to(device)
    return made.requires_grad_(grad)


def distinct(*shape, device="cpu"):
    """Elements of which no two are equal, so that orders have derivatives."""
    count = int(np.prod(shape))
    order = torch.randperm(count, generator=torch.Generator().manual_seed(2))
    return (order.to(torch.float64) / 4).reshape(shape).to(device).requires_grad_()


def test_tensors_go_in_and_come_out(device):
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.uint8, torch.int16,
                  torch.int32, torch.int64, torch.bool):
        if device == "cuda" and dtype not in (torch.bfloat16, torch.float64, torch.int64, torch.bool):
            continue  # a kernel for each takes NVRTC a second
        x = random(3, 5, dtype=dtype, device=device).T
        assert torch.equal(gp.cumsum(x, axis=1).float(), x.cumsum(1).float())
        assert torch.equal(gp.sort(x, axis=0), x.sort(0)[0])
        assert torch.equal(gp.argsort(x), x.sort(stable=True)[1])
        assert gp.sum(x, axis=1).device == x.device
    x = random(10, device=device)
    assert torch.equal(gp.take(x, torch.tensor([3, 1], device=device)), x[[3, 1]])
    if device == "cpu":
        assert torch.equal(gp.take(x, torch.tensor([-1, 0])), x[[-1, 0]])
        assert torch.equal(gp.take(x[::2], np.array([-1])), x[[8]])
    with pytest.raises(ValueError, match=r"^x requires grad.*gpuprims\.torch"):
        gp.sum(x.requires_grad_())


def test_operators_follow_the_rules_of_torch_library(device):
    """Schema, registered derivatives, fake kernels beside real ones. (What compiles is in test_torch_compile.py.)"""
    def opcheck(*call):
        torch.library.opcheck(*call, test_utils=("test_schema", "test_autograd_registration", "test_faketensor"))

    def on(*numbers):
        return torch.tensor(numbers, device=device)

    x, v = distinct(3, 4, device=device), random(10, grad=True, device=device)
    offsets, index = on(1, 3, 3, 8), on(1, 5, 5, 11).reshape(2, 2)
    for dim in (0, -1):
        for reverse in (False, True):
            opcheck(OPS.cumsum.default, (x, dim, None, reverse))
        opcheck(OPS.sort.default, (x, dim, True))
        opcheck(OPS.topk.default, (x, 2, dim, True, True))
    opcheck(OPS.cumsum.default, (random(4, dtype=torch.int16, device=device), 0))
    opcheck(OPS.segment_sum.default, (v, offsets))
    opcheck(OPS.segment_expand.default, (random(3, grad=True, device=device), offsets, 10))
    opcheck(OPS.gather.default, (x, index))
    opcheck(OPS.gather_backward.default, (random(4, grad=True, device=device), on(1, 5, 5, 3), 12))
    opcheck(OPS.unique.default, (on(3, 1, 3),))
    opcheck(OPS.bincount.default, (on(3, 1, 3), None, 5))
    opcheck(OPS.bincount.default, (on(3, 1, 3), random(3, device=device), 5))
    opcheck(OPS.histc.default, (random(30, dtype=torch.float32, device=device), 5, -1.0, 1.0))


def test_derivatives(device):
    x, index = distinct(3, 4, device=device), torch.tensor([[1, 5], [5, 11]], device=device)
    for call in (lambda x: gpt.cumsum(x, 1), lambda x: gpt.cumsum(x, 0, reverse=True), lambda x: gpt.sort(x, 0)[0],
                 lambda x: gpt.sort(x, descending=True)[0], lambda x: gpt.topk(x, 2)[0],
                 lambda x: gpt.topk(x, 1, 0, largest=False)[0], lambda x: gpt.gather(x, index)):
        assert gradcheck(call, (x,)) and gradgradcheck(call, (x,))
    v = random(10, grad=True, device=device)
    for numbers in ([0, 10], [1, 3, 3, 8], [2, 2], [0]):
        offsets = torch.tensor(numbers, device=device)
        assert gradcheck(lambda v, o=offsets: gpt.segment_sum(v, o), (v,))
        assert gradgradcheck(lambda v, o=offsets: gpt.segment_sum(v, o), (v,))
    half = random(100, dtype=torch.float16, grad=True, device=device)
    gpt.gather(half, torch.tensor([7, 7, 2], device=device)).sum().backward()
    assert half.grad[7] == 2 and half.grad[2] == 1 and half.grad.sum() == 3


def test_values(device):
    x = random(5, 7, device=device)  # (float64 here and elsewhere: a kernel for each type takes NVRTC a second)
    assert torch.equal(gpt.cumsum(x, 0), x.cumsum(0)) and gpt.cumsum(x.int(), 1).dtype == torch.int64
    assert torch.equal(gpt.cumsum(x, 1, reverse=True), x.flip(1).cumsum(1).flip(1))
    assert gpt.cumsum(x.int(), 0, dtype=torch.float64).dtype == torch.float64
    values, indices = gpt.sort(x, 0)
    assert torch.equal(values, x.sort(0)[0]) and torch.equal(indices, x.sort(dim=0, stable=True)[1])
    assert torch.equal(gpt.topk(x, 3, 0)[0], x.topk(3, 0)[0])
    one = torch.tensor(4.0, device=device)
    assert gpt.cumsum(one, 0) == one and gpt.sort(one)[0] == one and gpt.sort(one)[1] == 0
    offsets = torch.tensor([0, 2, 5], device=device)
    assert torch.equal(gpt.segment_sum(x[0], offsets), torch.stack([x[0, :2].sum(), x[0, 2:5].sum()]))
    assert torch.equal(gpt.segment_expand(x[0, :2], offsets, 6), torch.cat([x[0, [0, 0, 1, 1, 1]], x.new_zeros(1)]))
    values, inverse, counts = gpt.unique(x)
    expected = torch.unique(x, return_inverse=True, return_counts=True)
    assert all(torch.equal(a, b) for a, b in zip((values, inverse, counts), expected, strict=True))
    numbers = x.int().flatten().abs()
    assert torch.equal(gpt.bincount(numbers, length=9), torch.bincount(numbers, minlength=9))
    assert torch.equal(gpt.histc(x, 4, -4, 4), torch.histc(x, 4, -4, 4))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_floats_of_a_byte(device, name):
    kind = getattr(torch, name)
    wide = torch.randn(500, generator=torch.Generator().manual_seed(3)).to(kind).float()
    x = wide.to(device).to(kind)
    assert torch.equal(gp.sort(x).float().cpu(), wide.sort()[0]) and gp.sort(x).dtype is kind
    assert torch.equal(gp.unique(x, sync=True).float().cpu(), wide.unique())
    assert torch.equal(gp.topk(x, 3)[0].float().cpu(), wide.topk(3)[0]) and gp.max(x).float() == wide.max()
    assert gp.count_if(x, ">", 0.5) == (wide > 0.5).sum()
    random_numbers = torch.randn(500, generator=torch.Generator().manual_seed(4))
    made = gp.transform("convert", random_numbers.to(device), dtype=kind)
    assert torch.equal(made.float().cpu(), random_numbers.to(kind).float())


@pytest.mark.parametrize("device", DEVICES)
def test_results_that_belong_to_the_caller(device):
    """Trimmed results are no views; edges of histograms share no version, and outlive inference mode."""
    x = torch.arange(1000, dtype=torch.float32, device=device)
    for _ in range(3):
        made = gp.compress(x > 900, x, sync=True)
        assert torch.equal(made, x[901:]) and made._base is None and made.is_contiguous()
        assert torch.equal(gp.flatnonzero(x, sync=True), x.nonzero()[:, 0]) and gp.unique(x, sync=True).numel() == 1000
        assert gp.compress(x > 1000, x, sync=True).shape == (0,)
    whole = torch.tensor([1, 0, 1], dtype=torch.int16, device=device)
    assert all(gp.bincount(whole, sync=True).tolist() == [1, 2] for _ in range(3))
    for number in (x, x.int()):
        with torch.inference_mode():
            gp.histogram(number, 4, range=(0, 999)), gp.histogram(number, 4, range=(0, 999))
        found = [gp.histogram(number, 4, range=(0, 999)) for _ in range(40)]
        expected = torch.linspace(0, 999, 5, dtype=found[0][1].dtype)
        before = found[1][1]._version
        found[0][1].add_(1)
        assert found[1][1]._version == before and found[1][1]._base is None and not found[1][1].is_inference()
        assert all(torch.equal(edges.cpu(), expected) and counts.tolist() == [250] * 4 for counts, edges in found[1:])


@pytest.mark.skipif("cuda" not in DEVICES, reason="no GPU")
def test_waiting_on_streams_of_a_gpu():
    """A kernel behind long work on another stream; edges of a captured histogram."""
    x, side = torch.arange(2**24, dtype=torch.int32, device="cuda"), torch.cuda.Stream()
    assert all(gp.flatnonzero(x, sync=True).numel() == 2**24 - 1 for _ in range(3))
    with torch.cuda.stream(side):
        torch.cuda._sleep(2 * 10**7)
        assert torch.equal(gp.compress(x > 2**24 - 3, x, sync=True), x[-2:])
    small, graph = x[:1000].float().contiguous(), torch.cuda.CUDAGraph()
    gp.histogram(small, 4, range=(0, 999)), gp.histogram(small, 4, range=(0, 999))
    with torch.cuda.graph(graph):
        counts, edges = gp.histogram(small, 4, range=(0, 999))
        edges.add_(1)
    for _ in range(2):  # each replay makes the edges
        graph.replay()
        assert edges[0] == 1 and counts.sum() == 1000


def test_tensors_that_are_no_plain_memory():
    """Views that are conjugated or negated when they are read; sparse and nested tensors; those of torch.func."""
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert torch.equal(gp.take(z.conj().resolve_conj(), torch.tensor([0])), z.conj()[:1])
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    for call, kind in ((lambda: gp.take(z.conj(), torch.tensor([0])), ValueError),
                       (lambda: gp.sum(z.conj().imag), ValueError),
                       (lambda: gp.sum(torch.eye(3).to_sparse()), TypeError),
                       (lambda: gp.sum(torch.eye(3).to_sparse_csr()), TypeError), (lambda: gp.sum(nested), TypeError),
                       (lambda: gp.sum(torch.empty(3, device="meta")), ValueError),
                       (lambda: torch.vmap(gp.sum)(torch.ones(3, 4)), TypeError)):
        with pytest.raises(kind, match="^x is "):
            call()
    with pytest.raises(ValueError, match="^out is a lazy"):
        gp.sort(z.imag, out=z.conj().imag)
    with pytest.raises(ValueError, match="^out requires grad"):
        gp.sort(torch.ones(3), out=torch.ones(3, requires_grad=True))


def test_bad_arguments_name_themselves():
    x, offsets = random(6), torch.tensor([0, 3])
    for call, kind, message in (
            (lambda: gpt.cumsum(x, 1), ValueError, "axis is 1"),
            (lambda: gpt.topk(x, 7), ValueError, "k is 7"),
            (lambda: gpt.segment_sum(x, offsets.float()), TypeError, "offsets: its elements"),
            (lambda: gpt.segment_sum(x, torch.tensor([0, 9])), ValueError, r"offsets\[1\]"),
            (lambda: gpt.segment_expand(x, offsets, 6), ValueError, "x has 6 elements, and offsets 2"),
            (lambda: gpt.gather(x, torch.tensor([6])), IndexError, "indices has 6"),
            (lambda: gpt.cumsum(x.to_sparse(), 0), (NotImplementedError, RuntimeError), "Sparse"),
            (lambda: gpt.cumsum(x.to(torch.float8_e5m2fnuz), 0), TypeError, "x: elements of float8")):
        with pytest.raises(kind, match=message):
            call()


# ---- accelerate


def calls(x):
    """Calls of PyTorch, functions and methods, as programs make them."""
    whole = x.flatten()
    natural = whole.abs().to(torch.int64)
    return {"sort": [lambda: torch.sort(x), lambda: x.sort(0, True), lambda: torch.sort(x, dim=1, stable=True)],
            "argsort": [lambda: whole.argsort(stable=True), lambda: torch.argsort(x, dim=0, stable=True)],
            "cumsum": [lambda: torch.cumsum(x, 0), lambda: x.cumsum(dim=1, dtype=torch.float64)],
            "topk": [lambda: torch.topk(whole, 3), lambda: x.topk(2, dim=0, largest=False)],
            "unique": [lambda: torch.unique(x), lambda: x.unique(return_counts=True),
                       lambda: torch.unique(x, True, True)],
            "bincount": [lambda: torch.bincount(natural), lambda: natural.bincount(whole, 9)],
            "histc": [lambda: torch.histc(whole, 5), lambda: whole.histc(4, -4, 4)]}


def same(a, b):
    if isinstance(a, torch.Tensor):
        return type(a) is type(b) and a.dtype == b.dtype and torch.equal(a, b)
    return type(a) is type(b) and all(same(one, two) for one, two in zip(a, b, strict=True))


def test_accelerate(device):
    x = distinct(6, 8, device=device).detach()
    expected = {name: [call() for call in several] for name, several in calls(x).items()}
    names = list(expected)
    before = [(getattr(torch, name), getattr(torch.Tensor, name), name in vars(torch.Tensor)) for name in names]
    with gpt.accelerate(least=0, host=device == "cpu") as switch:
        for name, several in calls(x).items():
            for number, call in enumerate(several):
                assert same(call(), expected[name][number]), (name, number)
            assert switch.calls[name] == len(several), name
        assert "sort from 0 elements" in repr(switch)
    after = [(getattr(torch, name), getattr(torch.Tensor, name), name in vars(torch.Tensor)) for name in names]
    assert before == after and "undone" in repr(switch)
    switch.undo()


def test_accelerate_leaves_to_pytorch_what_is_pytorch_s():
    x = distinct(6, 8).detach()
    with gpt.accelerate("sort", "cumsum", "unique", "histc", least={"sort": 48, "cumsum": 0, "unique": 0, "histc": 0},
                        host=True) as switch:
        torch.sort(x[1:])
        torch.cumsum(x, 0, out=torch.empty_like(x))
        torch.unique(x, dim=0)
        torch.histc(x.flatten(), 5, 3, 3.0)
        with pytest.raises((TypeError, IndexError)):
            torch.cumsum(x, 7)
        with pytest.raises(RuntimeError):
            torch.histc(torch.tensor([float("nan")]))
        torch.sort(x.to(torch.complex64).abs().to_sparse().to_dense()[:1])
        assert switch.calls == {"sort": 0, "cumsum": 0, "unique": 0, "histc": 1}
        torch.sort(x)
        assert switch.calls["sort"] == 1
        y = x.clone().requires_grad_()
        y.cumsum(0).sum().backward()
        assert switch.calls["cumsum"] == 1 and (y.grad[0] == 6).all()
        with pytest.raises(RuntimeError, match="torch is accelerated already"):
            gpt.accelerate()
    with gpt.accelerate(least=0) as switch:  # without host=True, tensors of the host are PyTorch's
        torch.sort(x)
        assert not any(switch.calls.values())
    for wrong, kind in ((lambda: gpt.accelerate("median"), ValueError), (lambda: gpt.accelerate(least=-1), ValueError),
                        (lambda: gpt.accelerate(least={"median": 1}), ValueError)):
        with pytest.raises(kind):
            wrong()
    with gpt.accelerate():
        pass


def test_the_rules_come_from_measurements(tmp_path):
    """tools/python_peers.py --rules, on made-up times: from which size on was it faster, in both types?"""
    spec = importlib.util.spec_from_file_location("peers", os.path.join(ROOT, "tools", "python_peers.py"))
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    sizes = peers.order_of(10, 27, 3)
    assert sizes[:2] == [10, 27] and sorted(sizes) == [10, 13, 16, 19, 22, 25, 27]

    def cell(name, kind, size, ours, theirs):
        return {"function": name, "type": kind, "n": size, "us": {"gpuprims": 0, "torch": theirs,
                                                                  "torch accelerated": ours}}

    found = [cell("sort", kind, size, 5, size) for kind in peers.TYPES for size in (4, 8, 16)]
    found += [cell("topk", kind, size, 5, 9) for kind in peers.TYPES for size in (4, 8, 16)] + [
        cell("topk", "int32", 8, 9, 9), cell("histc", "float32", 16, 1, 2), cell("cumsum", "int32", 16, 1, 2),
        cell("unique", "int32", 8, 1, 2), cell("unique", "float32", 8, 1, 2),
        cell("argsort", "int32", 16, 3, 2), cell("argsort", "float32", 16, 1, 2)]
    found += [{"function": "unique", "type": kind, "n": 16, "us": {"cupy": 9, **more}}  # CuPy's keeps its floats
              for kind, more in (("int32", {"cupy accelerated": 5}), ("float32", {}))]
    rules = peers.rules_of(found)
    assert rules == {"torch": {"sort": 8, "topk": 16, "histc": 16}, "cupy": {"unique": 16}}

    def declines():
        raise _switch.Declined

    assert list(peers.measured({"cupy": int, "cupy accelerated": declines}, int)) == ["cupy"]
    path = str(tmp_path / "rules.py")
    peers.write(path, peers.text_of(rules, "A device."))
    with open(path, encoding="utf-8") as file:
        written = {}
        exec(file.read(), written)
    assert written["RULES"] == rules
    assert set(gpt.replacements()) == set(peers.SERVED["torch"])


def test_the_page():
    assert doctest.testfile(os.path.join(ROOT, "docs", "pytorch.md"), module_relative=False) == (0, 11)
