"""What make test samples takes turns, and make test-long runs whole. Whose turn it is, the header's text decides: a run
that failed fails again, and as the header changes, everything has its turn."""
import hashlib
import os

HEADER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "gpuprims.h")


def turn(count):
    """A number below `count`."""
    with open(HEADER, "rb") as file:
        return int.from_bytes(hashlib.sha256(file.read()).digest()[:4], "big") % count
