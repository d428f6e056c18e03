"""The package that `make python` has built, and what its tests share."""
import os
import sys

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # the tests that need it fail on their own; those of PyTorch do without
    settings = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(ROOT, "build", "python", "lib")
LONG = os.environ.get("GPUPRIMS_LONG") == "1"


def search_path(*folders):
    """PYTHONPATH for a process that a test starts: what it needs comes first, then what this process was given."""
    return os.pathsep.join([*folders, *filter(None, [os.environ.get("PYTHONPATH")])])


if os.environ.get("GPUPRIMS_INSTALLED") != "1":  # test_install.py tests the wheel
    sys.path.insert(0, BUILT)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

if settings:
    settings.register_profile("python", derandomize=True, deadline=None, database=None,
                              suppress_health_check=list(HealthCheck))
    settings.load_profile("python")
