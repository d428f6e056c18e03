"""From which number of elements on a call is faster than the same call of another library: measured by
tools/python_peers.py. Calls without a row are not replaced by accelerate()."""
from __future__ import annotations

# {library: {function: least number of elements}}. NVIDIA H200, PyTorch 2.11.0+cu130, 2026-11-28.
RULES: dict[str, dict[str, int]] = {
    "torch": {"sort": 1024,
              "argsort": 1024,
              "cumsum": 1024,
              "topk": 1024,
              "unique": 8192,
              "bincount": 1024,
              "histc": 33554432},
    "cupy": {"sort": 1024,
              "argsort": 1024,
              "cumsum": 1024,
              "unique": 1024,
              "bincount": 1024},
}
