"""gpuprims.torch within torch.compile: two calls of it in all, since each takes up to minutes on a GPU."""
import pytest
from test_torch import DEVICES, distinct, torch

gpt = pytest.importorskip("gpuprims.torch")


def whole(x, offsets, index, numbers):
    """All operators, in one graph: a scalar that has derivatives, and results whose sizes the data decides."""
    ordered, places = gpt.sort(gpt.cumsum(x * 2, 0), 0)
    sums = gpt.segment_sum(ordered, offsets)
    loss = (sums**2).sum() + gpt.topk(x, 2)[0].sum() + (gpt.gather(x, index) * places[:3]).sum()
    loss = loss + (gpt.segment_expand(sums, offsets, x.shape[0]) * x).sum()
    values, inverse, counts = gpt.unique(numbers)
    return (loss, values * counts, inverse, gpt.bincount(numbers, length=5),
            gpt.histc(x.detach().float(), 4, 0.0, 2.5))


@pytest.mark.turn
@pytest.mark.parametrize("device", DEVICES)
def test_compile(device):
    """One graph for all sizes, the same numbers and derivatives; a size that the data decides is no break."""
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    compiled = torch.compile(whole, fullgraph=True, backend="aot_eager", dynamic=True)
    for count in (10, 13):
        a, b = (distinct(count, device=device) for _ in range(2))
        rest = [torch.tensor(one, device=device) for one in ([0, 3, 8], [1, 5, 1], [3, 1, 3, 0][:count - 9])]
        made, expected = compiled(a, *rest), whole(b, *rest)
        assert all(torch.equal(one, two) for one, two in zip(made, expected, strict=True))
        made[0].backward()
        expected[0].backward()
        assert torch.equal(a.grad, b.grad) and a.grad.abs().sum() > 0


@pytest.mark.turn
def test_accelerate_within_compiled_code():
    """Replaced functions stay PyTorch's in a graph."""
    x = distinct(6, 8).detach()
    expected, ordered = x.cumsum(0), torch.sort(x)[0]
    with gpt.accelerate(least=0, host=True) as switch:
        made = torch.compile(lambda x: x.cumsum(0) + torch.sort(x)[0], backend="aot_eager")(x)
        assert torch.equal(made, expected + ordered) and not any(switch.calls.values())
