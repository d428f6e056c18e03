"""NumPy, or an error that tells how to get it: the farm's statistics need it, its stores and workers do not."""
try:
    import numpy as np  # noqa: F401
except ImportError as missing:
    raise SystemExit(f"{missing}: build/venv/bin/python has what is needed (make venv)") from None
