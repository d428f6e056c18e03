"""Worlds through the bindings, beside NumPy: ranks are threads, which pass messages through tests/world/loopback.c."""
import os
import subprocess
import threading

import numpy as np
import pytest

from gpuprims import raw

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(scope="session", name="nccl")
def nccl_fixture(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("loopback") / "libgp_loopback.so")
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-shared", "-fPIC", "-O2", "-pthread", "-o", path,
                    os.path.join(ROOT, "tests/world/loopback.c"), "-ldl"], check=True)
    return path


def test_bad_arguments(nccl, monkeypatch):
    context = raw.ffi.new("gp_context **")
    config = raw.lib.gp_config_init()
    config.backend = raw.lib.GP_BACKEND_HOST
    settings = raw.ffi.new("gp_config *", config)
    assert raw.lib.gp_open(settings, context) == 0
    joins = raw.ffi.new("gp_world_config *")
    world = raw.ffi.new("gp_world **")

    def fails(code, words):
        assert raw.lib.gp_world_open(context[0], joins, world) == code
        message = raw.ffi.string(raw.lib.gp_last_message()).decode()
        assert words in message, message
        assert world[0] == raw.ffi.NULL

    fails(raw.lib.GP_E_ARGUMENT, "config.struct_size is 0")
    joins.struct_size = raw.ffi.sizeof("gp_world_config")
    fails(raw.lib.GP_E_NULL, "config.communicator and config.id")
    number = raw.ffi.new("char[]", 128)
    joins.id = number
    fails(raw.lib.GP_E_ARGUMENT, "config.rank is 0 of config.size 0")
    joins.size = 2
    joins.timeout = -1
    fails(raw.lib.GP_E_ARGUMENT, "config.timeout is -1")
    path = raw.ffi.new("char[]", b"/nowhere/libnccl.so")
    joins.nccl_library, joins.timeout = path, 0.5
    fails(raw.lib.GP_E_WORLD, "NCCL cannot be opened: /nowhere/libnccl.so")
    library = raw.ffi.new("char[]", nccl.encode())
    joins.nccl_library = library
    assert raw.lib.gp_world_id(context[0], library, number) == 0
    fails(raw.lib.GP_E_WORLD, "the other ranks did not join within 0.5 s")
    joins.size = 1
    monkeypatch.setenv("GPUPRIMS_LOOPBACK", "fail=0:1:1")
    fails(raw.lib.GP_E_WORLD, "unhandled cuda error (1): NCCL joins GPUs, and this context has the host back end")
    assert raw.lib.gp_world_close(raw.ffi.NULL) == raw.lib.GP_E_CONTEXT
    assert raw.lib.gp_world_rank(raw.ffi.NULL) == -1
    assert raw.lib.gp_close(context[0]) == 0


# ---- beside NumPy, through the bindings

class Rank(threading.Thread):
    def __init__(self, nccl, number, rank, size, work):
        super().__init__()
        self.nccl, self.number, self.rank, self.size, self.work = nccl, number, rank, size, work
        self.error = None

    def run(self):
        try:
            self.join_world()
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def join_world(self):
        ffi, lib = raw.ffi, raw.lib
        settings, context, world = ffi.new("gp_config *", lib.gp_config_init()), ffi.new("gp_context **"), \
            ffi.new("gp_world **")
        settings.backend, settings.host_threads = lib.GP_BACKEND_HOST, 1
        assert lib.gp_open(settings, context) == 0
        joins = ffi.new("gp_world_config *", lib.gp_world_config_init())
        library = ffi.new("char[]", self.nccl.encode())
        joins.id, joins.rank, joins.size, joins.nccl_library = self.number, self.rank, self.size, library
        assert lib.gp_world_open(context[0], joins, world) == 0, ffi.string(lib.gp_last_message())
        self.work(self, world[0])
        assert lib.gp_world_close(world[0]) == 0
        assert lib.gp_close(context[0]) == 0


def run_ranks(nccl, size, work):
    ffi, lib = raw.ffi, raw.lib
    number = ffi.new("char[]", 128)
    context = ffi.new("gp_context **")
    settings = ffi.new("gp_config *", lib.gp_config_init())
    settings.backend = lib.GP_BACKEND_HOST
    assert lib.gp_open(settings, context) == 0
    assert lib.gp_world_id(context[0], ffi.new("char[]", nccl.encode()), number) == 0
    threads = [Rank(nccl, number, rank, size, work) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [thread.error for thread in threads] == [None] * size
    assert lib.gp_close(context[0]) == 0


@pytest.mark.parametrize("seed", range(6))
def test_beside_numpy(nccl, seed):
    ffi, lib = raw.ffi, raw.lib
    random = np.random.default_rng(seed)
    size = 2 + seed % 4
    n = int(random.integers(0, 4000))
    x = random.integers(0, 1 << (4 + 5 * seed), n).astype(np.uint32)
    y = random.normal(size=n).astype(np.float64)
    cuts = np.sort(random.integers(0, n + 1, size - 1))
    keys, values = np.split(x, cuts), np.split(y, cuts)
    order = np.argsort(x, kind="stable")
    results, parts = [None] * size, [None] * size

    def at(array):
        return ffi.cast("void *", array.ctypes.data)

    def work(thread, world):
        mine, weights = np.ascontiguousarray(keys[thread.rank]), np.ascontiguousarray(values[thread.rank])
        total, least, scan = np.zeros(1, np.uint64), np.zeros(1), np.zeros(len(mine), np.uint32)
        out, moved, count = np.zeros(n + 1, np.uint32), np.zeros(n + 1), np.zeros(1, np.uint64)
        top, middle = np.zeros(min(n, 20), np.uint32), np.zeros(1)
        rows, turned = mine[:len(mine) // 7 * 7], np.zeros(7 * n + 1, np.uint32)
        least_at, share = np.zeros(1, np.dtype([("value", "f8"), ("index", "i8")])), np.zeros(1, np.uint64)

        def good(result):
            assert result == 0, ffi.string(lib.gp_last_message())

        good(lib.gp_world_reduce(world, lib.GP_SUM, lib.GP_U32, lib.GP_U64, at(mine), len(mine), at(total), ffi.NULL))
        good(lib.gp_world_reduce(world, lib.GP_MIN, lib.GP_F64, lib.GP_F64, at(weights), len(mine), at(least),
                                 ffi.NULL))
        good(lib.gp_world_inclusive_scan(world, lib.GP_SUM, lib.GP_U32, lib.GP_U32, at(mine), len(mine), at(scan),
                                         ffi.NULL))
        good(lib.gp_world_sort_pairs(world, lib.GP_U32, lib.GP_F64, at(mine), at(weights), len(mine), at(out),
                                     at(moved), n + 1, ffi.cast("uint64_t *", count.ctypes.data), ffi.NULL))
        good(lib.gp_world_top_k(world, lib.GP_U32, lib.GP_TYPE_DEFAULT, at(mine), ffi.NULL, len(mine), len(top),
                                at(top), ffi.NULL, lib.GP_DESCENDING, ffi.NULL))
        good(lib.gp_world_nth_element(world, lib.GP_F64, at(weights), len(mine), n // 2 if n else 0, at(middle), 0,
                                      ffi.NULL))
        good(lib.gp_world_transpose(world, lib.GP_U32, at(rows), len(rows) // 7, 7, at(turned), len(turned),
                                    ffi.cast("uint64_t *", share.ctypes.data), ffi.NULL))
        good(lib.gp_world_reduce(world, lib.GP_ARGMIN, lib.GP_F64, lib.GP_F64, at(weights), len(mine), at(least_at),
                                 ffi.NULL))
        good(lib.gp_world_wait(world, ffi.NULL))
        parts[thread.rank] = middle, turned, int(share[0]), least_at
        results[thread.rank] = total, least, scan, out[:int(count[0])], moved[:int(count[0])], top

    run_ranks(nccl, size, work)
    for total, least, _, _, _, top in results:
        assert total[0] == x.sum(dtype=np.uint64)
        assert least[0] == (y.min() if n else np.inf) or not n
        assert (top == np.sort(x)[::-1][:len(top)]).all()
    matrix = np.concatenate([one[:len(one) // 7 * 7] for one in keys]).reshape(-1, 7)
    assert sum(one[2] for one in parts) == 7
    assert (np.concatenate([one[1][:one[2] * len(matrix)] for one in parts]) == matrix.T.ravel()).all()
    for middle, _, _, least_at in parts:
        assert least_at["index"][0] == (y.argmin() if n else -1)
        assert not n or (middle[0] == np.sort(y)[n // 2] and least_at["value"][0] == y.min())
    assert (np.concatenate([one[2] for one in results]) == np.cumsum(x, dtype=np.uint32)).all()
    assert (np.concatenate([one[3] for one in results]) == x[order]).all()
    assert (np.concatenate([one[4] for one in results]) == y[order]).all()
    assert max(len(one[3]) for one in results) - min(len(one[3]) for one in results) <= 1


@pytest.mark.parametrize("seed", range(6))
def test_partitions_beside_numpy(nccl, seed):
    """Two parts and three, where they are and in even shares; ranks without elements among them."""
    ffi, lib = raw.ffi, raw.lib
    random = np.random.default_rng(seed)
    size, n = 2 + seed % 4, int(random.integers(0, 3000))
    x = random.integers(0, 100, n).astype(np.uint32)
    cuts = np.sort(random.integers(0, n + 1, size - 1)) if seed % 3 else np.full(size - 1, n)
    shards = np.split(x, cuts)
    limits = ffi.new("uint32_t[2]", [50, 20])
    ways = [(parts, balanced) for parts in (2, 3) for balanced in (False, True)]
    results = [None] * size

    def parts_of(array, parts):
        high, low = array > 50, array < 20
        return [array[high], array[~high & low], array[~high & ~low]] if parts == 3 else [array[high], array[~high]]

    def work(thread, world):
        mine, got = np.ascontiguousarray(shards[thread.rank]), []
        for parts, balanced in ways:
            outs, counts = [np.zeros(n + 1, np.uint32) for _ in range(parts)], np.zeros(3, np.uint64)
            call = ffi.new("gp_call *", lib.gp_call_init(lib.GP_PARTITION))
            call.op, call.scalar, call.in_type, call.count = lib.GP_GREATER, limits, lib.GP_U32, len(mine)
            if parts == 3:
                call.predicate2, call.scalar2, call.out3 = lib.GP_LESS, limits + 1, \
                    ffi.cast("void *", outs[2].ctypes.data)
            call.out, call.out2 = (ffi.cast("void *", out.ctypes.data) for out in outs[:2])
            setattr(call, "in", ffi.cast("void *", mine.ctypes.data))
            call.out_count = ffi.cast("uint64_t *", counts.ctypes.data)
            if balanced:
                call.flags, call.capacity = lib.GP_BALANCED, n + 1
            assert lib.gp_world_run(world, call, ffi.NULL) == 0, ffi.string(lib.gp_last_message())
            assert lib.gp_world_wait(world, ffi.NULL) == 0
            got.append([out[:int(count)] for out, count in zip(outs, counts)])
        results[thread.rank] = got

    run_ranks(nccl, size, work)
    for way, (parts, balanced) in enumerate(ways):
        for part, whole in enumerate(parts_of(x, parts)):
            of_ranks = [one[way][part] for one in results]
            wanted = np.array_split(whole, size) if balanced else [parts_of(one, parts)[part] for one in shards]
            assert all((a == b).all() and len(a) == len(b) for a, b in zip(of_ranks, wanted))


@pytest.mark.parametrize("seed", range(4))
def test_graphs_beside_scipy(nccl, seed):
    graphs = pytest.importorskip("scipy.sparse.csgraph")
    ffi, lib = raw.ffi, raw.lib
    random = np.random.default_rng(seed)
    size, n = 2 + seed, int(random.integers(1, 900))
    ends = random.integers(0, n, (2, int(n * random.uniform(0.4, 8))))
    matrix = np.zeros((n, n), np.int8)
    matrix[ends[0], ends[1]] = matrix[ends[1], ends[0]] = 1
    cuts = np.concatenate([[0], np.sort(random.integers(0, n + 1, size - 1)), [n]])
    source = int(random.integers(0, n))
    results = [None] * size

    def work(thread, world):
        mine = matrix[cuts[thread.rank]:cuts[thread.rank + 1]]
        offsets = np.concatenate([[0], np.cumsum(mine.sum(axis=1, dtype=np.uint32))]).astype(np.uint32)
        targets = np.ascontiguousarray(mine.nonzero()[1].astype(np.uint32))
        depths, labels = np.zeros(len(mine), np.int32), np.zeros(len(mine), np.uint32)
        components = np.zeros(1, np.uint64)
        rows = ffi.new("gp_graph *", lib.gp_graph_init())
        rows.vertices, rows.edges, rows.flags = len(mine), len(targets), lib.GP_SYMMETRIC if seed % 2 else 0
        rows.offsets, rows.targets = (ffi.cast("void *", array.ctypes.data) for array in (offsets, targets))
        for result in (
                lib.gp_world_bfs(world, rows, source, ffi.cast("void *", depths.ctypes.data), ffi.NULL, ffi.NULL),
                lib.gp_world_components(world, rows, ffi.cast("void *", labels.ctypes.data),
                                        ffi.cast("uint64_t *", components.ctypes.data), ffi.NULL)):
            assert result == 0, ffi.string(lib.gp_last_message())
        results[thread.rank] = depths, labels, int(components[0])

    run_ranks(nccl, size, work)
    distance = graphs.shortest_path(matrix, unweighted=True, indices=source)
    components, labels = graphs.connected_components(matrix, directed=False)
    smallest = np.array([np.flatnonzero(labels == one)[0] for one in range(components)])[labels]
    assert (np.concatenate([one[0] for one in results]) == np.where(np.isinf(distance), -1, distance)).all()
    assert (np.concatenate([one[1] for one in results]) == smallest).all()
    assert [one[2] for one in results] == [components] * size
