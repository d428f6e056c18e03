"""Shared by the tests of gp_tune's parts without a GPU."""
import pytest
import tune_parts


@pytest.fixture(scope="module")
def program():
    """Built once for all test files."""
    return tune_parts.built()


@pytest.fixture(scope="module")
def architectures(program):
    """The compute capabilities known to this machine's NVRTC."""
    known = tune_parts.architectures(program)
    if not known:
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc")
    return known
