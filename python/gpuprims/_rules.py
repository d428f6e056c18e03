"""From which number of elements on a call is faster than the same call of another library: measured by
tools/python_peers.py. Calls without a row are not replaced by accelerate()."""
from __future__ import annotations

# {library: {function: least number of elements}}. None is measured yet.
RULES: dict[str, dict[str, int]] = {"torch": {}, "cupy": {}}
