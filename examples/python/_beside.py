"""_beside.py: what the examples share: arrays of NumPy, or of PyTorch on a device; times of two libraries."""
import sys
import time

import numpy as np


def arrays():
    """(The library of arrays, what brings NumPy's arrays there) that the command line names: EXAMPLE [DEVICE], where a
    device is PyTorch's, such as cuda."""
    device = next((word for word in sys.argv[1:] if word == "cpu" or word.startswith("cuda")), None)
    if device is None:
        return np, np.asarray
    import torch

    return torch, lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(device)


def host(array):
    """An array in NumPy's memory."""
    return array.cpu().numpy() if hasattr(array, "cpu") else np.asarray(array)


def synchronize():
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.synchronize()


def beside(ours, name, theirs, rounds=5):
    """Both results; prints the least time of each."""
    results, least = [], []
    for call in (ours, theirs):
        times = []
        for _ in range(rounds):
            synchronize()
            start = time.perf_counter()
            result = call()
            synchronize()
            times.append(time.perf_counter() - start)
        results.append(result)
        least.append(1e3 * min(times))
    print(f"gpuprims {least[0]:.1f} ms, {name} {least[1]:.1f} ms")
    return results
