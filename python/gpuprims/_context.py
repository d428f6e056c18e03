"""Contexts: a gp_context, its allocator hooks, its log; the default context of each device."""
from __future__ import annotations

import atexit
import os
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, Protocol

from . import _fast
from ._gpuprims import ffi, lib
from ._result import error_of

if TYPE_CHECKING:
    from types import TracebackType

NULL = ffi.NULL


class Allocator(Protocol):
    """Device memory for workspaces, usable in stream order, aligned to 256 bytes. Methods must not call gpuprims."""

    def allocate(self, size: int, stream: int) -> int: ...

    def release(self, pointer: int, size: int, stream: int) -> None: ...


class TorchAllocator:
    """PyTorch's caching allocator."""

    def __init__(self, device: int) -> None:
        self.device = device

    def allocate(self, size: int, stream: int) -> int:
        return int(sys.modules["torch"].cuda.caching_allocator_alloc(size, self.device, stream))

    def release(self, pointer: int, size: int, stream: int) -> None:
        sys.modules["torch"].cuda.caching_allocator_delete(pointer)


class CupyAllocator:
    """CuPy's current memory pool."""

    def __init__(self, device: int) -> None:
        self.device, self.kept = device, dict[int, Any]()

    def allocate(self, size: int, stream: int) -> int:
        cuda = sys.modules["cupy"].cuda
        with cuda.Device(self.device), cuda.ExternalStream(stream):
            memory = cuda.alloc(size)
        self.kept[memory.ptr] = memory
        return int(memory.ptr)

    def release(self, pointer: int, size: int, stream: int) -> None:
        del self.kept[pointer]  # back to the pool


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


@ffi.def_extern(error=ffi.NULL)  # type: ignore[untyped-decorator]
def gppy_allocate(user: Any, size: int, stream: Any) -> Any:
    return ffi.cast("void *", ffi.from_handle(user).allocator.allocate(size, _address(stream)))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def gppy_release(user: Any, pointer: Any, size: int, stream: Any) -> None:
    ffi.from_handle(user).allocator.release(_address(pointer), size, _address(stream))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def gppy_log(user: Any, level: int, message: Any) -> None:
    import logging

    logger = logging.getLogger("gpuprims")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    how = logging.WARNING if level == lib.GP_LOG_WARNING else logging.INFO
    logger.log(how, "%s", ffi.string(message).decode(errors="replace"))


def find_nvrtc() -> str | None:
    """libnvrtc of the wheels nvidia-cuda-nvrtc and nvidia-cuda-nvrtc-cu12, the newest; None where neither is there."""
    import glob
    import importlib.util

    spec = importlib.util.find_spec("nvidia")
    found: list[str] = []
    for place in (spec.submodule_search_locations if spec else None) or ():
        for folder in ("cu13", "cuda_nvrtc"):
            found += sorted(glob.glob(os.path.join(place, folder, "lib", "libnvrtc.so.*[0-9]")))
    return os.path.abspath(found[0]) if found else None


class Context:
    """A context of the library on the host or on a GPU. Functions of this package use the default context of the device
    that their arrays are on; `use` puts another one in its place.

    backend        "auto", "cuda" or "host"; auto: the host where there is no GPU
    device         the GPU's number; None: that of the thread's current CUDA context
    allocator      memory for workspaces: "torch", "cupy", an Allocator; None: the driver's pool
    cache_dir      where kernels are kept; "": nowhere
    bundle_file    kernels that `make bundle` compiled; "": none; None: $GPUPRIMS_BUNDLE, else beside the package's
                   library. describe() tells in "bundle" whether it is used, and in "kernels" where kernels came from
    nvrtc          the path of libnvrtc; None: NVIDIA's wheel where it is installed, otherwise the system's
    no_compile     kernels come from the cache alone
    host_threads   of the host back end; 0: as many as OpenMP offers
    tuning         calls find better policies while the program runs
    """

    def __init__(self, backend: str = "auto", device: int | None = None, *, allocator: str | Allocator | None = None,
                 cache_dir: str | None = None, nvrtc: str | None = None, no_compile: bool = False,
                 host_threads: int = 0, tuning: bool = False, bundle_file: str | None = None,
                 _driver: Any = None) -> None:
        self.handle: Any = NULL
        backends = {"auto": lib.GP_BACKEND_AUTO, "cuda": lib.GP_BACKEND_CUDA, "host": lib.GP_BACKEND_HOST}
        if backend not in backends:
            raise ValueError(f"backend is {backend!r}, not one of {', '.join(backends)}")
        config = ffi.new("gp_config *", lib.gp_config_init())
        config.backend = backends[backend]
        config.device = lib.GP_DEVICE_CURRENT if device is None else device
        config.no_compile, config.host_threads, config.tuning = no_compile, host_threads, tuning
        if host_threads == 0 and _forked:  # OpenMP's threads do not survive a fork
            config.host_threads = 1
        strings: list[Any] = []

        def text(value: str) -> Any:
            strings.append(ffi.new("char[]", os.fsencode(value)))
            return strings[-1]

        if cache_dir is not None:
            config.cache_dir = text(cache_dir)
        if bundle_file is not None:
            config.bundle_file = text(bundle_file)
        nvrtc = find_nvrtc() if nvrtc is None and backend != "host" else nvrtc
        if nvrtc is not None:
            config.nvrtc_library = text(nvrtc)
        if _driver is not None:
            config.driver = _driver
        self.allocator = _allocator_of(allocator, device)
        self._user = ffi.new_handle(self)
        if self.allocator is not None:
            config.allocate, config.release = lib.gppy_allocate, lib.gppy_release
            config.allocator_user = self._user
        config.log, config.log_user = lib.gppy_log, self._user
        made = ffi.new("gp_context **")
        result = lib.gp_open(config, made)
        if result:
            raise error_of(result)
        self.handle, self._pid = made[0], os.getpid()
        self._lock = threading.Lock()
        self._raw_types: dict[tuple[int, int], int] = {}
        self._warmed = False
        self.operators: dict[Any, Any] = {}
        self.keep: list[Any] = []
        about = self.describe()
        self.backend = "host" if about["backend"] == lib.GP_BACKEND_HOST else "cuda"
        self.device: int = about["device"]

    def describe(self) -> dict[str, Any]:
        """What gp_describe says of the device."""
        about = ffi.new("gp_description *", lib.gp_description_init())
        result = lib.gp_describe(self.handle, about)
        if result:
            raise error_of(result)
        members = [name for name, _ in ffi.typeof("gp_description").fields if name != "struct_size"]
        values = {name: getattr(about, name) for name in members}
        values["kernels"] = dict(zip(("bundle", "disk", "compiled"), list(about.kernels)[1:]))
        return {name: ffi.string(value).decode() if isinstance(value, ffi.CData) else value
                for name, value in values.items()}

    def policies(self) -> str:
        """Where the policy of a call comes from, such as "DEVICE", a tuned row for this device (gp_policy_source):
        that of a sort of 2^24 numbers of 32 bits."""
        call = ffi.new("gp_call *", lib.gp_call_init(lib.GP_SORT))
        call.key_type, call.count = lib.GP_U32, 2**24
        policy, source = ffi.new("gp_policy *"), ffi.new("gp_policy_source *")
        result = lib.gp_policy_origin(self.handle, call, policy, source)
        if result:
            raise error_of(result)
        return str(ffi.string(ffi.cast("gp_policy_source", source[0]))).removeprefix("GP_POLICY_")

    def warm(self, name: str) -> None:
        """Two threads get the kernels that a context used last under this name, a program's, before calls need them.
        Those used from now on are written down, in the disk cache, by close(), at the interpreter's exit at the latest.
        describe()["warming"] tells how many are left. The host back end has no kernels."""
        if not isinstance(name, str):
            raise TypeError(f"name is {name!r}, not a str")
        result = lib.gp_warm(self.handle, NULL, 0, ffi.new("char[]", os.fsencode(name)))
        if result:
            raise error_of(result)
        if not self._warmed:
            self._warmed = True
            atexit.register(_close_at_exit, weakref.ref(self))

    def raw_type(self, size: int, align: int) -> int:
        """A type of raw bytes, for elements that are moved and not computed with."""
        with self._lock:
            if (size, align) not in self._raw_types:
                description = ffi.new("gp_type_desc *", lib.gp_type_desc_init())
                name = ffi.new("char[]", f"raw_{size}_{align}".encode())
                description.name, description.size, description.align = name, size, align
                made = ffi.new("gp_type *")
                result = lib.gp_type_struct(self.handle, description, made)
                if result:
                    raise error_of(result)
                self._raw_types[size, align] = int(made[0])
            return self._raw_types[size, align]

    def close(self) -> None:
        """Waits for the context's work and frees what it holds. A second call does nothing."""
        handle, self.handle = self.handle, NULL
        with _lock:
            for key in [key for key, one in _defaults.items() if one is self]:
                del _defaults[key]
            _forget()
        if handle and self._pid == os.getpid():
            result = lib.gp_close(handle)
            if result:
                raise error_of(result)

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self.handle:
            return "<gpuprims.Context: closed>"
        about = self.describe()
        if self.backend == "host":
            return f"<gpuprims.Context: host, {about['multiprocessors']} threads>"
        return (f"<gpuprims.Context: cuda:{self.device}, {about['name']}, compute capability "
                f"{about['compute_capability'] / 10}>")


def _close_at_exit(context: weakref.ref[Context]) -> None:
    found = context()
    if found is not None:
        found.close()


def _allocator_of(allocator: str | Allocator | None, device: int | None) -> Allocator | None:
    if allocator in ("torch", "cupy"):
        if device is None:
            raise ValueError(f"allocator {allocator!r} needs device, its number")
        return TorchAllocator(device) if allocator == "torch" else CupyAllocator(device)
    if isinstance(allocator, str):
        raise ValueError(f"allocator is {allocator!r}, not \"torch\", \"cupy\" or an object with allocate and release")
    return allocator


_lock = threading.RLock()
_forked = False
# {(back end, device, who allocates): context}; the third is "" for a context that `use` was given.
_defaults: dict[tuple[str, int, str], Context] = {}
# (Library's number in _fast.py, device) of the contexts that calls on plain arrays know.
_lent: set[tuple[int, int]] = set()


def _after_fork() -> None:
    """The parent's contexts are GP_E_FORK here: the child opens its own."""
    global _lock, _forked
    _lock, _forked = threading.RLock(), True
    _defaults.clear()
    _forget()


os.register_at_fork(after_in_child=_after_fork)


def default_context(backend: str, device: int = -1, library: str = "") -> Context:
    """The default context of a device; opens it at the first call. library: "torch" or "cupy" lends its allocator."""
    found = _defaults.get((backend, device, "")) or _defaults.get((backend, device, library))
    if found is None:
        with _lock:
            key = (backend, device, library)
            if key not in _defaults:
                hooks = library if backend == "cuda" and library in ("torch", "cupy") else None
                _defaults[key] = Context(backend, device if backend == "cuda" else None, allocator=hooks)
            found = _defaults[key]
    return found


def _forget() -> None:
    """Calls on plain arrays ask anew which context is the default one."""
    _lent.clear()
    _fast.forget()


def lend(fast: int, backend: str, device: int, library: str) -> None:
    """Tells calls on plain arrays which context is the default one."""
    if (fast, device) not in _lent:
        with _lock:
            found = _defaults.get((backend, device, "")) or _defaults.get((backend, device, library))
            if found is not None and found.handle:
                _fast.add_context(fast, device, int(ffi.cast("uintptr_t", found.handle)))
                _lent.add((fast, device))


def use(context: Context) -> None:
    """Makes a context the default one of its device, for all threads, until it is closed or another takes its place."""
    with _lock:
        _defaults[context.backend, context.device, ""] = context
        _forget()


def show_config() -> None:
    """Prints the library's version, the back end that an automatic context takes, its device, where its policies come
    from, its compiler of kernels, its cache, and the default contexts that are open."""
    print(f"gpuprims {ffi.string(lib.GPUPRIMS_VERSION).decode()}")
    try:
        with Context() as context:
            about = context.describe()
            print(f"back end: {context.backend} ({about['name']})")
            if about["fallback"]:
                print(f"why: {about['fallback']}")
            if context.backend == "cuda":
                print(f"device: {context.device}, compute capability {about['compute_capability'] / 10}, "
                      f"{about['multiprocessors']} multiprocessors, {about['memory_bytes'] >> 20} MiB, "
                      f"driver {about['driver_version']}")
                print(f"policies: {context.policies()}")
            else:
                print(f"threads: {about['multiprocessors']}")
    except Exception as error:
        print(f"no context: {error}")
    print(f"NVRTC of a wheel: {find_nvrtc() or 'none; the system is searched'}")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    print(f"cache of kernels: {os.path.join(cache, 'gpuprims')}")
    for name in ("numpy", "torch", "cupy", "jax"):
        module = sys.modules.get(name)
        print(f"{name}: {getattr(module, '__version__', 'not imported')}")
    for one in _defaults.values():
        print(f"open: {one!r}")
