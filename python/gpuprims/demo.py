"""python -m gpuprims.demo: a first result on any machine, on the GPU if PyTorch sees one, otherwise on the host.

Half a million taxi rides are made up; the package finds the busiest hours, the median fare and the best customers, and
NumPy says the same.
"""
from __future__ import annotations

import importlib
import time
from typing import Any

import numpy as np

import gpuprims as gp


def on_device(arrays: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The arrays on a GPU that PyTorch sees, otherwise as they are."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return "the host", arrays
    if not torch.cuda.is_available():
        return "the host", arrays
    return torch.cuda.get_device_name(), {name: torch.from_numpy(x).cuda() for name, x in arrays.items()}


def main(count: int = 500_000) -> None:
    rng = np.random.default_rng(1)
    made: dict[str, Any] = {"hour": (rng.normal(15, 5, count) % 24).astype(np.int32),
                            "customer": rng.integers(0, 1000, count),
                            "fare": rng.gamma(2, 8, count).astype(np.float32)}
    where, rides = on_device(made)
    print(f"gpuprims {gp.__version__}: {count:,} made-up rides on {where}")
    start = time.perf_counter()
    hours = np.asarray(_host(gp.bincount(rides["hour"], length=24)))
    median = float(gp.nth_element(rides["fare"], count // 2))
    ids, (paid, best) = gp.group_by(rides["customer"], rides["fare"], ("sum", "max"), sync=True)
    top, place = gp.topk(paid, 3)
    running = gp.cumsum(rides["fare"], dtype="float64")
    took = time.perf_counter() - start
    for hour in np.argsort(-hours, kind="stable")[:3]:
        print(f"  {hour:2}:00 {hours[hour]:7,} rides {'#' * int(hours[hour] * 60 // hours.max())}")
    print(f"  median fare {median:.2f}, all fares together {float(running[-1]):,.2f}")
    for customer, sum_ in zip(_host(gp.take(ids, place)), _host(top), strict=True):
        print(f"  customer {customer:3} paid {sum_:9,.2f}")
    assert (hours == np.bincount(made["hour"], minlength=24)).all()
    assert median == np.partition(made["fare"], count // 2)[count // 2]
    assert abs(float(running[-1]) - made["fare"].sum(dtype=np.float64)) < 1e-6 * count
    assert (_host(best) == [made["fare"][made["customer"] == one].max() for one in _host(ids)]).all()
    print(f"NumPy says the same. Five calls took {1e3 * took:.1f} ms, the first of each kind.")


def _host(array: Any) -> Any:
    """An array in NumPy's memory."""
    return array.cpu().numpy() if hasattr(array, "cpu") else array


if __name__ == "__main__":
    main()
