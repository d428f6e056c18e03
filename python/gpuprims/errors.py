"""Exceptions: a class for each kind of error of the library (the header's GP_RESULTS), below GpuprimsError."""
from __future__ import annotations


class GpuprimsError(Exception):
    """An error of the library. str() is the header's message, which names the function and the argument."""

    result: int = 0


class ContextError(GpuprimsError):
    """GP_E_CONTEXT"""


class NullError(GpuprimsError, ValueError):
    """GP_E_NULL"""


class ArgumentError(GpuprimsError, ValueError):
    """GP_E_ARGUMENT"""


class ElementTypeError(GpuprimsError, TypeError):
    """GP_E_TYPE"""


class OperatorError(GpuprimsError, TypeError):
    """GP_E_OPERATOR"""


class SizeError(GpuprimsError, OverflowError):
    """GP_E_SIZE"""


class AlignmentError(GpuprimsError, ValueError):
    """GP_E_ALIGNMENT"""


class OverlapError(GpuprimsError, ValueError):
    """GP_E_OVERLAP"""


class PolicyError(GpuprimsError, ValueError):
    """GP_E_POLICY"""


class StreamError(GpuprimsError, ValueError):
    """GP_E_STREAM"""


class WorkspaceError(GpuprimsError, MemoryError):
    """GP_E_WORKSPACE"""


class AllocationError(GpuprimsError, MemoryError):
    """GP_E_MEMORY"""


class NoDeviceError(GpuprimsError):
    """GP_E_NO_DEVICE"""


class DeviceTooOldError(GpuprimsError):
    """GP_E_DEVICE_TOO_OLD"""


class NoCompilerError(GpuprimsError):
    """GP_E_NO_COMPILER"""


class CompileError(GpuprimsError):
    """GP_E_COMPILE"""


class BundleError(GpuprimsError, ValueError):
    """GP_E_BUNDLE"""


class DriverError(GpuprimsError, RuntimeError):
    """GP_E_DRIVER"""


class UnsupportedError(GpuprimsError, NotImplementedError):
    """GP_E_UNSUPPORTED"""


class ForkError(GpuprimsError, RuntimeError):
    """GP_E_FORK"""


class WorldError(GpuprimsError, RuntimeError):
    """GP_E_WORLD"""


class CallbackError(GpuprimsError, RuntimeError):
    """GP_E_CALLBACK"""


# {the name of a gp_result: its class}
CLASSES: dict[str, type[GpuprimsError]] = {
    one.__doc__: one for one in list(globals().values())
    if isinstance(one, type) and one is not GpuprimsError and issubclass(one, GpuprimsError) and one.__doc__}
