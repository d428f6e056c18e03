"""The contexts for the tests of the host back end: one thread, and three."""
import pytest
from gpuprims_ctypes import Context


@pytest.fixture(scope="module")
def host():
    with Context(threads=1) as context:
        yield context


@pytest.fixture(scope="module")
def threaded():
    with Context(threads=3) as context:
        yield context
