"""CuPy and PyTorch as gp_bench measures peers: cells on standard input, gp_bench's lines to --out.

    python3 -m tools.quality.frameworks --libraries cupy,torch --out FILE [--seconds S] [--profile CALLS [--unmarked]]

They stand in for ArrayFire: libraries of arrays, of which people use these two. A call gives a new array. PyTorch has
no operations on u32, so it gets i32. torch.sort sorts indices, too; cupy's sets sort their inputs.
"""
import argparse
import ctypes
import importlib
import json
import statistics
import sys
import time

MARK_PTX = (b".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry gp_profile_mark() { ret; }\n\0")
TYPES = {"u8": ("uint8", 1), "u32": ("uint32", 4), "f32": ("float32", 4)}
LIBRARIES = ("cupy", "torch")
BATCHES, BATCH_SECONDS = 7, 0.003


class Cell:
    """A cell's words: sizes take K, M, G."""

    def __init__(self, text):
        words = text.split()
        self.text, self.primitive = text, words[0]
        plain = [word for word in words[1:] if "=" not in word]
        self.op, self.type = (plain[0] if len(plain) > 1 else ""), plain[-1]
        self.words = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        self.n = self.size("n", 0)

    def size(self, name, usual):
        text = self.words.get(name, str(usual))
        scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1], 0)
        return int(float(text[:-1]) * scale) if scale else int(text)

    def segment(self):
        return self.size_of(self.words.get("segments", "fixed:256").split(":")[-1])

    def size_of(self, text):
        return Cell(f"x u8 n={text}").n


# ---- calls: {primitive, or primitive and operator: function of the library and the cell's arrays}

CUPY = {
    "fill": lambda xp, a: a.x.fill(7), "iota": lambda xp, a: xp.arange(a.n, dtype=a.x.dtype),
    "copy": lambda xp, a: a.x.copy(), "transform": lambda xp, a: -a.x,
    "adjacent_difference": lambda xp, a: xp.diff(a.x), "equal_arrays": lambda xp, a: xp.array_equal(a.x, a.y),
    "replace": lambda xp, a: xp.where(a.x < a.scalar, a.value, a.x),
    "gather": lambda xp, a: a.x[a.index], "scatter": lambda xp, a: a.y.__setitem__(a.index, a.x),
    "gather flags": lambda xp, a: xp.where(a.flags, a.x[a.index], a.y),
    "scatter flags": lambda xp, a: a.y.__setitem__(a.index[a.flags], a.x[a.flags]),
    "count_if": lambda xp, a: xp.count_nonzero(a.x < a.scalar), "reduce SUM": lambda xp, a: a.x.sum(),
    "reduce MAX": lambda xp, a: a.x.max(), "histogram_even": lambda xp, a: xp.bincount(a.x, minlength=256),
    "inclusive_scan SUM": lambda xp, a: xp.cumsum(a.x, dtype=a.x.dtype),
    "lower_bound": lambda xp, a: xp.searchsorted(a.sorted, a.x), "select": lambda xp, a: a.x[a.x < a.scalar],
    "sort": lambda xp, a: xp.sort(a.x), "set_union": lambda xp, a: xp.union1d(a.x, a.y),
    "set_intersection": lambda xp, a: xp.intersect1d(a.x, a.y), "set_difference": lambda xp, a: xp.setdiff1d(a.x, a.y),
}
TORCH = {
    "fill": lambda xp, a: a.x.fill_(7), "iota": lambda xp, a: xp.arange(a.n, dtype=a.x.dtype, device=a.x.device),
    "copy": lambda xp, a: a.x.clone(), "transform": lambda xp, a: -a.x,
    "adjacent_difference": lambda xp, a: xp.diff(a.x), "equal_arrays": lambda xp, a: xp.equal(a.x, a.y),
    "replace": lambda xp, a: xp.where(a.x < a.scalar, a.value, a.x),
    "gather": lambda xp, a: a.x[a.index], "scatter": lambda xp, a: a.y.__setitem__(a.index, a.x),
    "gather flags": lambda xp, a: xp.where(a.flags, a.x[a.index], a.y),
    "scatter flags": lambda xp, a: a.y.__setitem__(a.index[a.flags], a.x[a.flags]),
    "count_if": lambda xp, a: xp.count_nonzero(a.x < a.scalar), "reduce SUM": lambda xp, a: a.x.sum(),
    "reduce MAX": lambda xp, a: a.x.max(), "histogram_even": lambda xp, a: xp.bincount(a.x, minlength=256),
    "inclusive_scan SUM": lambda xp, a: xp.cumsum(a.x, 0),
    "segmented_reduce SUM": lambda xp, a: xp.segment_reduce(a.x, "sum", lengths=a.lengths),
    "lower_bound": lambda xp, a: xp.searchsorted(a.sorted, a.x), "select": lambda xp, a: a.x[a.x < a.scalar],
    "load_balance": lambda xp, a: xp.repeat_interleave(a.lengths, output_size=a.n), "sort": lambda xp, a: xp.sort(a.x),
    "unique": lambda xp, a: xp.unique_consecutive(a.runs),
}
CALLS = {"cupy": CUPY, "torch": TORCH}


def call_of(library, cell):
    """The library's function, or None. Heads, pairs and uneven segments have none; flags some."""
    if cell.type not in TYPES or "payload" in cell.words or \
            not cell.words.get("segments", "fixed:1").startswith("fixed:"):
        return None
    calls = CALLS[library]
    if "form" in cell.words:
        return calls.get(f"{cell.primitive} {cell.words['form']}")
    return calls.get(f"{cell.primitive} {cell.op}") or calls.get(cell.primitive)


def served(texts, libraries=LIBRARIES):
    """The cells of which a library has a call."""
    return [text for text in texts if any(call_of(library, Cell(text)) for library in libraries)]


class Arrays:
    """Inputs of a cell for one library. Only those that its primitive reads exist."""

    def __init__(self, library, xp, cell):
        self.n = cell.n
        name = TYPES[cell.type][0]
        if library == "torch":
            name = "int32" if name == "uint32" else name
            self.make = lambda low, high, count, kind=name: \
                (xp.rand(count, device="cuda") * 2 - 1 if kind == "float32" else
                 xp.randint(low, high, (count,), dtype=getattr(xp, kind), device="cuda"))
        else:
            self.make = lambda low, high, count, kind=name: \
                (xp.random.random(count, dtype=xp.float32) * 2 - 1 if kind == "float32" else
                 xp.random.randint(low, high, count, dtype=getattr(xp, kind)))
        high = 256 if cell.type == "u8" else (1 << 31) - 1
        keep = int(cell.words.get("keep", 50)) / 100
        self.scalar, self.value = (keep * 2 - 1 if cell.type == "f32" else int(keep * high)), 7
        self.x = self.make(0, high, cell.n)
        if cell.words.get("dist") == "sorted":
            self.x = xp.sort(self.x)[0] if library == "torch" else xp.sort(self.x)
        if cell.primitive == "equal_arrays":
            self.y = self.x.clone() if library == "torch" else self.x.copy()
        elif cell.primitive in ("gather", "scatter") or cell.primitive.startswith("set_"):
            self.y = self.make(0, high, cell.n)
        if cell.primitive in ("gather", "scatter"):
            self.index = xp.randperm(cell.n, device="cuda") if library == "torch" else xp.random.permutation(cell.n)
        if "form" in cell.words:
            self.flags = self.make(0, high, cell.n) < high // 2
        if cell.primitive == "lower_bound":
            haystack = self.make(0, high, cell.size("haystack", 1 << 20))
            self.sorted = xp.sort(haystack)[0] if library == "torch" else xp.sort(haystack)
        if cell.primitive in ("segmented_reduce", "load_balance"):
            segment = cell.segment()
            self.lengths = xp.full((cell.n // segment,), segment, dtype=xp.int64, device="cuda")
        if cell.primitive == "unique":
            runs = cell.size("runs", 32)
            self.runs = xp.repeat_interleave(self.make(0, high, cell.n // runs), runs)


class Driver:
    """The CUDA driver: events and the mark, in the default stream, which both libraries use."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.function, self.events = None, None

    def start(self):
        self.check(self.cuda.cuProfilerStart(), "cuProfilerStart")

    def check(self, code, what):
        if code:
            raise RuntimeError(f"{what}: the driver's error {code}")

    def synchronize(self):
        self.check(self.cuda.cuCtxSynchronize(), "cuCtxSynchronize")

    def mark(self, number):
        """Launches gp_profile_mark<<<number, 32>>>."""
        if not self.function:
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            self.check(self.cuda.cuModuleLoadData(ctypes.byref(module), MARK_PTX), "cuModuleLoadData")
            self.check(self.cuda.cuModuleGetFunction(ctypes.byref(function), module, b"gp_profile_mark"),
                       "cuModuleGetFunction")
            self.function = function
        self.check(self.cuda.cuLaunchKernel(self.function, number, 1, 1, 32, 1, 1, 0, None, None, None),
                   "cuLaunchKernel")

    def stop(self):
        self.synchronize()
        self.cuda.cuProfilerStop()

    def microseconds(self, calls):
        """The time of the functions, run in turn."""
        if not self.events:
            self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
            for event in self.events:
                self.check(self.cuda.cuEventCreate(ctypes.byref(event), 0), "cuEventCreate")
        self.check(self.cuda.cuEventRecord(self.events[0], None), "cuEventRecord")
        for call in calls:
            call()
        self.check(self.cuda.cuEventRecord(self.events[1], None), "cuEventRecord")
        self.check(self.cuda.cuEventSynchronize(self.events[1]), "cuEventSynchronize")
        ms = ctypes.c_float()
        self.check(self.cuda.cuEventElapsedTime(ctypes.byref(ms), *self.events), "cuEventElapsedTime")
        return 1e3 * ms.value / len(calls)


def median_time(driver, calls, warm):
    """The median microseconds a call; `calls` work on their own inputs each, so that the L2 cache does not help."""
    for call in calls[:2] * warm:
        call()
    driver.synchronize()
    us = driver.microseconds(calls[:2])
    count = max(1, min(200, int(BATCH_SECONDS * 1e6 / max(us, 1))))
    turn = [calls[place % len(calls)] for place in range(count)]
    return statistics.median(driver.microseconds(turn) for _ in range(BATCHES))


def sets_of(cell):
    """Inputs that rotate: together eight times an L2 cache of 60 MB, but at most 32."""
    return max(1, min(32, (480 << 20) // max(cell.n * TYPES[cell.type][1], 1)))


def say_mark(mark, cell, library, status):
    print(f"mark {mark}: {cell.text} [{library}] {status}", flush=True)


def measure(library, xp, cell, say, profile, mark, driver, unmarked=False):
    call, line = call_of(library, cell), {"cell": cell.text, "library": library, "primitive": cell.primitive,
                                          "n": cell.n}
    if profile:
        say(kind="profile", mark=mark, **line, calls=profile, status="started")
        say_mark(mark, cell, library, "started")
    status, us = "ok", None
    try:
        arrays = [Arrays(library, xp, cell) for _ in range(1 if profile else sets_of(cell))]
        calls = [lambda a=a: call(xp, a) for a in arrays]
        if profile:
            calls[0](), calls[0]()
            driver.synchronize()
            driver.start()
            if not unmarked:
                driver.mark(mark)
            for _ in range(profile):
                calls[0]()
            driver.stop()
        else:
            us = median_time(driver, calls, 2)
    except Exception as error:  # a call that the library lacks after all: the row says so
        status = f"FAILED {type(error).__name__}: {error}"[:300]
    if profile:
        if unmarked:
            time.sleep(0.002)  # the profiler's own lines come before ours
        say_mark(mark, cell, library, status.replace("\n", " "))
        say(kind="profile", mark=mark, **line, calls=profile, status=status)
    else:
        say(kind="sample", **line, variant="peer", label=library, status=status, **({"median_us": us} if us else {}))


def main(argv=None, driver=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--profile", type=int, default=0)
    parser.add_argument("--unmarked", action="store_true")
    args = parser.parse_args(argv)
    end, mark = time.monotonic() + args.seconds, 0
    cells = [Cell(line.strip()) for line in sys.stdin if line.strip()]
    with open(args.out, "a", encoding="utf-8") as file:
        def say(**line):
            file.write(json.dumps(line) + "\n")
            file.flush()
        for library in args.libraries.split(","):
            try:
                xp = importlib.import_module(library)
            except ImportError as error:
                print(f"frameworks: without {library}: {error}", file=sys.stderr)
                continue
            driver = driver or Driver()
            say(kind="library", library=library, version=xp.__version__)
            for cell in cells:
                if time.monotonic() > end:
                    print("frameworks: the time ran out", file=sys.stderr)
                    return 0
                if call_of(library, cell):
                    mark += 1
                    measure(library, xp, cell, say, args.profile, mark, driver, args.unmarked)
                    if library == "cupy" and driver:
                        pool = getattr(xp, "get_default_memory_pool", None)
                        pool and pool().free_all_blocks()
    return 0


if __name__ == "__main__":
    sys.exit(main())
