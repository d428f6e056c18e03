"""What the tests of the parts of gp_tune that need no GPU share."""
import pytest
import tune_parts


@pytest.fixture(scope="module")
def program():
    """Built once, however many files of tests ask for it."""
    return tune_parts.built()


@pytest.fixture(scope="module")
def architectures(program):
    """The compute capabilities that this machine's NVRTC knows."""
    known = tune_parts.architectures(program)
    if not known:
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc")
    return known
