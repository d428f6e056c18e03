"""The package that `make python` has built, and what its tests share."""
import os
import sys

from hypothesis import HealthCheck, settings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(ROOT, "build", "python", "lib")
LONG = os.environ.get("GPUPRIMS_LONG") == "1"
sys.path.insert(0, BUILT)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

settings.register_profile("python", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("python")
