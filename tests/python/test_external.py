"""Arrays larger than the device's memory, through the bindings, beside NumPy: `memory` of a few kilobytes makes many
runs. On the host back end; at the end on the emulated driver."""
import os

import numpy as np
import pytest

import emulated
from gpuprims import raw

ffi, lib = raw.ffi, raw.lib
TYPES = {"i8": lib.GP_I8, "u8": lib.GP_U8, "i16": lib.GP_I16, "u16": lib.GP_U16, "i32": lib.GP_I32, "u32": lib.GP_U32,
         "i64": lib.GP_I64, "u64": lib.GP_U64, "f16": lib.GP_F16, "f32": lib.GP_F32, "f64": lib.GP_F64}
DTYPES = {name: np.dtype(name[0] + str(int(name[1:]) // 8)) for name in TYPES}


@pytest.fixture(scope="module", name="context")
def context_fixture():
    context = ffi.new("gp_context **")
    config = ffi.new("gp_config *", lib.gp_config_init())
    config.backend = lib.GP_BACKEND_HOST
    assert lib.gp_open(config, context) == 0
    yield context[0]
    assert lib.gp_close(context[0]) == 0


def message():
    return ffi.string(lib.gp_last_message()).decode()


class Array:
    """A gp_external_array: memory, or functions, of which the call numbered `fails` fails."""

    def __init__(self, data, functions=False, fails=None):
        self.data, self.calls, self.fails = data, 0, fails
        self.bytes = data.view(np.uint8).reshape(-1) if len(data) else np.zeros(1, np.uint8)
        self.made = ffi.new("gp_external_array *")
        self.read = ffi.callback("int(void *, uint64_t, uint64_t, void *)", self.reads)
        self.write = ffi.callback("int(void *, uint64_t, uint64_t, const void *)", self.writes)
        if functions:
            self.made.read, self.made.write = self.read, self.write
        else:
            self.made.memory = ffi.cast("void *", self.bytes.ctypes.data)

    def failed(self, at, size):
        assert at + size <= self.data.nbytes, "beyond the array"
        if self.fails is not None:
            self.fails[0] -= 1
            return self.fails[0] == 0
        return False

    def reads(self, _, at, size, buffer):
        self.calls += 1
        if self.failed(at, size):
            return 7
        ffi.buffer(buffer, size)[:] = self.bytes[at:at + size].tobytes()
        return 0

    def writes(self, _, at, size, buffer):
        self.calls += 1
        if self.failed(at, size):
            return 8
        self.bytes[at:at + size] = np.frombuffer(ffi.buffer(buffer, size), np.uint8)
        return 0


def config_of(memory, **members):
    config = ffi.new("gp_external_config *", lib.gp_external_config_init())
    config.memory = memory
    for name, value in members.items():
        setattr(config, name, value)
    return config


def pointer(array):
    return ffi.NULL if array is None else array.made


def sort(context, config, key_type, value_type, arrays, count):
    return lib.gp_external_sort(context, config, key_type, value_type, pointer(arrays[0]), pointer(arrays[1]), count,
                                pointer(arrays[2]), pointer(arrays[3]))


def order_of(keys, down=False):
    """Stable, floats in total order."""
    bits = keys.view(f"u{keys.itemsize}")
    top = bits.dtype.type(1 << (8 * keys.itemsize - 1))
    if keys.dtype.kind == "i":
        bits = bits ^ top
    elif keys.dtype.kind == "f":
        bits = np.where(bits & top, ~bits, bits ^ top)
    return np.argsort(~bits if down else bits, kind="stable")


KINDS = {
    "random": lambda n, random, dtype: random.integers(0, 256, n * dtype.itemsize, np.uint8).view(dtype),
    "few": lambda n, random, dtype: random.integers(0, 5, n).astype(dtype),
    "equal": lambda n, random, dtype: np.full(n, 3, dtype),
    "sorted": lambda n, random, dtype: (np.arange(n) // 2).astype(dtype),
    "reversed": lambda n, random, dtype: (n - np.arange(n)).astype(dtype),
}


def room(columns, block):
    """The least `memory` that holds blocks of so many elements, on the host back end."""
    return 256 + sum(4 * (-(-block * size // 256) * 256) for size in columns)


@pytest.mark.parametrize("name", sorted(TYPES))
@pytest.mark.parametrize("functions", [False, True])
def test_types_and_kinds(context, name, functions):
    random = np.random.default_rng(len(name) + functions)
    for turn, (kind, make) in enumerate(KINDS.items()):
        n, down = 5000, turn % 2 == functions
        keys = make(n, random, DTYPES[name])
        values = np.arange(n, dtype=np.uint32)
        out_keys, out_values = np.zeros_like(keys), np.zeros_like(values)
        config = config_of(room([keys.itemsize, 4], 512), flags=lib.GP_DESCENDING if down else 0)
        arrays = [Array(one, functions) for one in (keys, values, out_keys, out_values)]
        kept = keys.copy()
        assert sort(context, config, TYPES[name], lib.GP_U32, arrays, n) == 0, message()
        order = order_of(keys, down)
        assert (out_values == order).all(), (name, kind, down)
        assert out_keys.tobytes() == keys[order].tobytes() and keys.tobytes() == kept.tobytes()
        if functions:
            assert arrays[0].calls >= 10 and arrays[3].calls >= 10  # 512 elements at a time


@pytest.mark.parametrize("key_type", range(1, lib.GP_TYPE_COUNT))
def test_every_type_as_on_one_device(context, key_type):
    random, size = np.random.default_rng(key_type), lib.gp_type_size(ffi.NULL, key_type)
    for down in (0, lib.GP_DESCENDING):
        lanes = random.integers(0, 256, (3000, size), np.uint8)
        lanes[::3, :] = 0
        lanes[1::4, size - 1] = random.choice([0, 0x7f, 0x80, 0xff], len(lanes[1::4]))
        lanes[2::5, :max(size - 2, 0)] = 0
        keys, values = lanes.reshape(-1), np.arange(3000, dtype=np.uint32)
        expected, out = (np.zeros_like(keys), np.zeros_like(values)), (np.zeros_like(keys), np.zeros_like(values))
        assert lib.gp_sort_pairs(context, key_type, lib.GP_U32, *[
            ffi.cast("void *", one.ctypes.data) for one in (keys, values)], 3000, *[
                ffi.cast("void *", one.ctypes.data) for one in expected], down, ffi.NULL) == 0, message()
        arrays = [Array(one) for one in (keys, values, *out)]
        assert sort(context, config_of(room([size, 4], 128), flags=down), key_type, lib.GP_U32, arrays, 3000) == 0
        assert (out[0] == expected[0]).all() and (out[1] == expected[1]).all()


@pytest.mark.parametrize("place", ["apart", "in place"])
@pytest.mark.parametrize("scratch", ["memory", "file", "memory of the caller", "functions"])
def test_counts(context, place, scratch, tmp_path):
    random = np.random.default_rng(3)
    for n in (0, 1, 63, 64, 65, 127, 128, 129, 1024, 1025, 4031):
        keys = random.integers(0, 1000, n).astype(np.int64)
        expected = np.sort(keys)
        out = keys if place == "in place" else np.full(n, -1)
        config = config_of(room([8], 64))
        if scratch == "file":
            folder = ffi.new("char[]", str(tmp_path).encode())
            config.folder = folder
        elif scratch != "memory":
            runs = Array(np.zeros(n, np.int64), scratch == "functions")
            config.scratch = runs.made
        arrays = [Array(keys), None, Array(out), None]
        assert sort(context, config, lib.GP_I64, lib.GP_TYPE_DEFAULT, arrays, n) == 0, message()
        assert (out == expected).all(), n
        if scratch == "functions":
            assert (runs.calls > 0) == (n > 64)
    assert not os.listdir(tmp_path)


def test_every_failure_of_a_callback(context):
    """The call numbered i fails, for each i of a sort of files, keys, values and scratch."""
    random, n = np.random.default_rng(5), 600
    keys, values = random.integers(0, 50, n).astype(np.uint32), np.arange(n, dtype=np.uint16)
    total, fails = 0, 0
    while True:
        total += 1
        left = [total]
        out = np.zeros_like(keys), np.zeros_like(values)
        arrays = [Array(one, True, left) for one in (keys.copy(), values.copy(), *out)]
        scratch = Array(np.zeros(2560 + 1200, np.uint8), True, left)
        config = config_of(room([4, 2], 64), scratch=scratch.made)
        code = sort(context, config, lib.GP_U32, lib.GP_U16, arrays, n)
        assert (arrays[0].data == keys).all() and (arrays[1].data == values).all()
        if left[0] > 0:
            break
        fails += 1
        assert code == lib.GP_E_CALLBACK and ("failed: 7" in message() or "failed: 8" in message()), message()
    assert code == 0 and fails > 80
    order = np.argsort(keys, kind="stable")
    assert (out[0] == keys[order]).all() and (out[1] == values[order]).all()


@pytest.mark.parametrize("place", ["apart", "in place"])
def test_every_cancel(context, place):
    keys = np.random.default_rng(6).integers(0, 1 << 30, 1000).astype(np.uint32)
    stop, told = [0], []

    @ffi.callback("int(void *, uint64_t, uint64_t)")
    def progress(_, done, total):
        told.append((done, total))
        return len(told) == stop[0]

    while True:
        stop[0] += 1
        told.clear()
        given = keys.copy()
        out = given if place == "in place" else np.zeros_like(keys)
        config = config_of(room([4], 64), progress=progress)
        code = sort(context, config, lib.GP_U32, lib.GP_TYPE_DEFAULT, [Array(given), None, Array(out), None], 1000)
        if stop[0] > len(told):
            break
        assert code == lib.GP_E_CALLBACK and "config.progress cancelled the call: 1" in message()
        assert (given == keys).all() or (place == "in place" and told[-1][0] > 1000)
    assert code == 0 and (out == np.sort(keys)).all()
    assert told[-1] == (2000, 2000) and stop[0] > 30
    assert all(a[0] < b[0] for a, b in zip(told, told[1:]))


def test_user_order(context):
    host = ffi.callback("void(void *, void *, const void *, const void *)", lambda _, result, a, b: ffi.buffer(
        result, 1).__setitem__(slice(None), bytes([ffi.cast("int *", a)[1] < ffi.cast("int *", b)[1]])))
    described, operator = ffi.new("gp_type_desc *", lib.gp_type_desc_init()), ffi.new("gp_op_desc *",
                                                                                     lib.gp_op_desc_init())
    texts = [ffi.new("char[]", text) for text in (b"couple", b"struct couple { int first, second; };", b"by_second",
                                                  b"return a.second < b.second;")]
    described.name, described.source, described.size, described.align = texts[0], texts[1], 8, 4
    operator.name, operator.body, operator.arity = texts[2], texts[3], 2
    made, less, bare = ffi.new("gp_type *"), ffi.new("gp_op *"), ffi.new("gp_op *")
    assert lib.gp_type_struct(context, described, made) == 0, message()
    assert lib.gp_op_define(context, operator, bare) == 0, message()
    operator.host = host
    assert lib.gp_op_define(context, operator, less) == 0, message()
    random = np.random.default_rng(8)
    keys = np.stack([np.arange(700), random.integers(0, 40, 700)], 1).astype(np.int32)
    out = np.zeros_like(keys)
    for functions in (False, True):
        arrays = [Array(keys.reshape(-1), functions), None, Array(out.reshape(-1), functions), None]
        assert sort(context, config_of(room([8], 64), less=less[0]), made[0], 0, arrays, 700) == 0, message()
        assert (out == keys[np.argsort(keys[:, 1], kind="stable")]).all()
    for config, words in ((config_of(1 << 20), "key_type is a struct"),
                          (config_of(1 << 20, less=bare[0]), "config.less is of sorts"),
                          (config_of(1 << 20, less=lib.GP_GREATER), "config.less is of sorts")):
        assert sort(context, config, made[0], 0, arrays, 700) in (lib.GP_E_TYPE, lib.GP_E_OPERATOR)
        assert words in message(), message()


def test_bad_arguments(context, tmp_path):
    keys, out = np.arange(5000, dtype=np.uint32)[::-1].copy(), np.zeros(5000, np.uint32)
    empty = ffi.new("gp_external_array *")

    def fails(code, words, config=None, key_type=lib.GP_U32, value_type=0, a=Array(keys), b=None, c=Array(out), d=None,
              count=5000):
        assert sort(context, config or config_of(1 << 16), key_type, value_type, [a, b, c, d], count) == code, message()
        assert words in message(), message()
        assert not out.any()

    fails(lib.GP_E_ARGUMENT, "config.struct_size is 0", ffi.new("gp_external_config *"))
    fails(lib.GP_E_ARGUMENT, "config.flags is 1", config_of(1 << 16, flags=lib.GP_REPRODUCIBLE))
    fails(lib.GP_E_TYPE, "key_type is 0", key_type=0)
    fails(lib.GP_E_TYPE, "key_type is a struct", key_type=999)
    fails(lib.GP_E_NULL, "keys is null", a=None)
    fails(lib.GP_E_NULL, "out_keys is null", c=None)
    fails(lib.GP_E_NULL, "values is null", value_type=lib.GP_U8)
    fails(lib.GP_E_NULL, "out_values is null", value_type=lib.GP_U32, b=Array(keys))
    fails(lib.GP_E_TYPE, "value_type is 0", b=Array(keys), d=Array(out))
    fails(lib.GP_E_NULL, "config.scratch has neither", config_of(1 << 16, scratch=empty))
    fails(lib.GP_E_SIZE, "count is", count=1 << 60)
    least = room([4], 100)
    fails(lib.GP_E_MEMORY, "5000 elements need config.memory of ", config_of(999))
    least = int(message().split("config.memory of ")[1].split()[0])
    fails(lib.GP_E_MEMORY, f"need config.memory of {least} bytes or more; there are {least - 256}",
          config_of(least - 256))
    folder = ffi.new("char[]", str(tmp_path / "nowhere").encode())
    fails(lib.GP_E_ARGUMENT, "config.folder: no file can be made there: No such file",
          config_of(1 << 13, folder=folder))
    assert lib.gp_external_sort(context, ffi.NULL, lib.GP_U32, 0, ffi.NULL, ffi.NULL, 0, ffi.NULL, ffi.NULL) == \
        lib.GP_E_NULL and "config is null" in message()
    assert sort(context, config_of(least), lib.GP_U32, 0, [Array(keys), None, Array(out), None], 5000) == 0
    assert (out == np.arange(5000)).all()


def full_disk(context, folder):
    """A limit on files' sizes makes the temporary file's write fail."""
    import resource
    import signal
    keys, out = np.arange(20000, dtype=np.uint32)[::-1].copy(), np.zeros(20000, np.uint32)
    path = ffi.new("char[]", str(folder).encode())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50000, before[1]))
    try:
        return sort(context, config_of(1 << 14, folder=path), lib.GP_U32, 0, [Array(keys), None, Array(out), None],
                    20000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk(context, tmp_path):
    assert full_disk(context, tmp_path) == lib.GP_E_CALLBACK
    assert "gp_external_sort: a write of " in message() and not os.listdir(tmp_path)


# ---- groups

@pytest.mark.parametrize("distinct", [1, 7, 60, 64, 300, 1 << 30])
@pytest.mark.parametrize("functions", [False, True])
def test_groups(context, distinct, functions):
    random, groups = np.random.default_rng(distinct), ffi.new("uint64_t *")
    for n in (0, 1, 64, 65, 128, 2000, 4031):
        keys = random.integers(-distinct, distinct, n).astype(np.int32)
        values = random.integers(0, 1 << 40, n).astype(np.int64)
        out = np.zeros(n, np.int32), np.full(n, -1, np.int64)
        expected, places = np.unique(keys, return_inverse=True)
        arrays = [Array(one, functions) for one in (keys, values, *out)]
        for capacity in (n, len(expected) // 2):
            for one in out:
                one[:] = -1
            code = lib.gp_external_group_by(
                context, config_of(room([4, 8], 64)), lib.GP_SUM, lib.GP_I32, lib.GP_I64, pointer(arrays[0]),
                pointer(arrays[1]), n, pointer(arrays[2]), pointer(arrays[3]), capacity, groups)
            assert code == 0 and groups[0] == len(expected), message()
            kept = min(capacity, len(expected))
            sums = np.zeros(len(expected), np.int64)
            np.add.at(sums, places, values)
            assert (out[0][:kept] == expected[:kept]).all() and (out[1][:kept] == sums[:kept]).all()
            assert (out[0][kept:] == -1).all() and (out[1][kept:] == -1).all()


def test_groups_whose_callbacks_fail(context):
    """The call numbered i of keys, values and outputs fails, for each i; then progress cancels, at each call."""
    n, at, ended = 700, 0, 0
    keys, values = np.arange(n, dtype=np.uint32) * 7919 % 211, np.ones(n, np.uint32)
    stop, told = [0], []

    @ffi.callback("int(void *, uint64_t, uint64_t)")
    def progress(_, done, total):
        told.append((done, total))
        return -(len(told) == stop[0])

    while ended < 2:
        at += 1
        left, stop[0] = ([at], 0) if not ended else ([0], at)
        told.clear()
        out, groups = (np.zeros(n, np.uint32), np.zeros(n, np.uint32)), ffi.new("uint64_t *")
        arrays = [Array(one, True, left) for one in (keys.copy(), values.copy(), *out)]
        code = lib.gp_external_group_by(context, config_of(room([4, 4], 64), progress=progress), lib.GP_SUM,
                                        lib.GP_U32, lib.GP_U32, *map(pointer, arrays[:2]), n,
                                        *map(pointer, arrays[2:]), n, groups)
        assert (arrays[0].data == keys).all() and (arrays[1].data == values).all()
        if code == 0:
            assert at > 20 - 10 * ended and groups[0] == 211 and out[1].sum() == n and told[-1][0] == told[-1][1]
            at, ended = 0, ended + 1
        else:
            assert code == lib.GP_E_CALLBACK and ("cancelled the call: -1" if ended else "failed: ") in message()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_groups_keep_the_order_of_operands(context, kind):
    """An operator that keeps its left operand, unless that is the identity: the first value of each key."""
    none = ffi.new("uint32_t *", 0xffffffff)
    host = ffi.callback("void(void *, void *, const void *, const void *)", lambda _, result, a, b: ffi.memmove(
        result, b if ffi.cast("uint32_t *", a)[0] == none[0] else a, 4))
    operator = ffi.new("gp_op_desc *", lib.gp_op_desc_init())
    texts = [ffi.new("char[]", text) for text in (b"left", b"return a == ~0u ? b : a;", b"~0u")]
    operator.name, operator.body, operator.identity, operator.arity, operator.host = *texts, 2, host
    operator.host_identity, operator.host_identity_size = none, 4
    left, groups = ffi.new("gp_op *"), ffi.new("uint64_t *")
    assert lib.gp_op_define(context, operator, left) == 0, message()
    keys = KINDS[kind](1500, np.random.default_rng(4), np.dtype(np.uint16))
    values, out = np.arange(1500, dtype=np.uint32), (np.zeros(1500, np.uint16), np.zeros(1500, np.uint32))
    arrays = [Array(one) for one in (keys, values, *out)]
    code = lib.gp_external_group_by(context, config_of(room([2, 4], 64)), left[0], lib.GP_U16, lib.GP_U32,
                                    *map(pointer, arrays[:2]), 1500, *map(pointer, arrays[2:]), 1500, groups)
    assert code == 0, message()
    expected, first = np.unique(keys, return_index=True)
    assert groups[0] == len(expected)
    assert (out[0][:groups[0]] == expected).all() and (out[1][:groups[0]] == first).all()


def test_bad_groups(context):
    keys, groups = Array(np.arange(9, dtype=np.uint32)), ffi.new("uint64_t *", 5)

    def fails(code, words, config, op=lib.GP_SUM, values=keys, count=groups):
        assert lib.gp_external_group_by(context, config, op, lib.GP_U32, lib.GP_U32, keys.made, pointer(values), 9,
                                        keys.made, keys.made, 9, count) == code, message()
        assert words in message(), message()

    fails(lib.GP_E_NULL, "groups is null", config_of(1 << 16), count=ffi.NULL)
    fails(lib.GP_E_ARGUMENT, "config.flags is 8", config_of(1 << 16, flags=lib.GP_DESCENDING))
    fails(lib.GP_E_OPERATOR, "", config_of(1 << 16), op=lib.GP_ARGMIN)
    fails(lib.GP_E_NULL, "values is null", config_of(1 << 16), values=None)
    fails(lib.GP_E_MEMORY, "9 elements need config.memory", config_of(1000))
    assert groups[0] == 0


# ---- on the emulated driver: copies through stages and from page-locked memory, one stream

@pytest.fixture(scope="module", name="device")
def device_fixture():
    driver = emulated.library()
    driver.emulated_devices(1)
    driver.emulated_run(1)
    made = emulated.context(driver)
    yield driver, made.handle
    made.close()
    assert driver.emulated_allocations() == 0


def least_memory(context, count, value_type):
    empty = Array(np.zeros(1, np.uint32))
    columns = [empty, empty if value_type else None] * 2
    assert sort(context, config_of(1), lib.GP_U32, value_type, columns, count) == lib.GP_E_MEMORY
    return int(message().split("config.memory of ")[1].split()[0])


@pytest.mark.turn(7)
@pytest.mark.parametrize("locked", [False, True])
def test_copies(device, locked):
    driver, context = device
    n, left = 5000, driver.emulated_allocations()
    keys = np.random.default_rng(9).integers(0, 900, n).astype(np.uint32)
    values = np.arange(n, dtype=np.uint32)
    out = np.zeros_like(keys), np.zeros_like(values)
    for one in (keys, values, *out) if locked else ():
        driver.emulated_place(one.ctypes.data, one.nbytes, 1)
    config = config_of(2 * least_memory(context, n, lib.GP_U32))
    order = np.argsort(keys, kind="stable")
    for files in (False, True):
        arrays = [Array(one, files) for one in (keys, values, *out)]
        assert sort(context, config, lib.GP_U32, lib.GP_U32, arrays, n) == 0, message()
        assert (out[0] == keys[order]).all() and (out[1] == values[order]).all()
        out[0][:], out[1][:] = 0, 0
    groups = ffi.new("uint64_t *")
    arrays = [Array(one) for one in (keys, values, *out)]
    config.memory *= 4
    assert lib.gp_external_group_by(context, config, lib.GP_SUM, lib.GP_U32, lib.GP_U32, *map(pointer, arrays[:2]), n,
                                    *map(pointer, arrays[2:]), n, groups) == 0, message()
    found = np.unique(keys)
    assert groups[0] == len(found) and (out[0][:len(found)] == found).all()
    assert (out[1][:len(found)] == np.bincount(keys, values)[found].astype(np.uint64)).all()
    assert driver.emulated_allocations() == left


@pytest.mark.turn(8)
def test_failures_of_the_driver(device):
    """The call numbered `at` fails, of a sort of few runs; some of the driver's calls are only tried."""
    driver, context = device
    n, left, codes = 3000, driver.emulated_allocations(), []
    keys = np.random.default_rng(2).integers(0, 1 << 30, n).astype(np.uint32)
    memory = least_memory(context, 1 << 20, 0)
    for at in range(60, 0, -1):
        given, out = keys.copy(), np.zeros_like(keys)
        driver.emulated_fail_at(at)
        codes.append(sort(context, config_of(memory), lib.GP_U32, 0, [Array(given), None, Array(out), None], n))
        driver.emulated_fail_at(0)
        assert (given == keys).all() and driver.emulated_allocations() == left
        assert codes[-1] in (lib.GP_E_DRIVER, lib.GP_E_MEMORY) or (out == np.sort(keys)).all(), message()
    assert codes.count(0) < 45
