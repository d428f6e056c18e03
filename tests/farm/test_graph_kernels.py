"""The kernels that build, check and traverse graphs compile for architectures from the oldest on, in both widths of
offsets and vertices, without a GPU."""
import ctypes
import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests", "unit"), os.path.join(ROOT, "tests"), ROOT]
import gpuprims_ctypes as gp  # noqa: E402
from turn import turn  # noqa: E402

from tools.farm import store  # noqa: E402

TAKE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
# one less than the kernels, beside those of sorts, fills and unique
OWN = {"graph_from_edges": 2, "graph_transpose": 2, "graph_relabel": 4, "graph_degrees": 2, "graph_check": 2,
       "bfs_check": 3, "bfs": 0, "bfs_sources": 0, "connected_components": 2, "group_by_many": 4, "distinct": 2,
       "join": 3, "sort_columns": 0, "swap": 0, "lexicographic": 0, "partition_point": 0}
HASHED = ("group_by_many", "distinct", "join", "sort_columns")
FLAT = ("swap", "lexicographic", "partition_point")


LONG = int(os.environ.get("GPUPRIMS_LONG", "0") or 0)
KINDS = [(capability, wide) for capability in (75, 80, 90, 100, 120) for wide in (False, True)]


@pytest.mark.parametrize("capability, wide", KINDS if LONG else [((75, False), (100, True))[turn(2)]])
@pytest.mark.turn
def test_compiles(capability, wide):
    with gp.Context() as context:
        library = context.library
        library.gp_compile.argtypes = [ctypes.c_void_p, ctypes.POINTER(gp.Call), ctypes.c_int, TAKE, ctypes.c_void_p]
        kind = gp.TYPES["u64" if wide else "u32"]
        graph = gp.Graph(1000, 5000, kind, kind, None, None, None, None, 0)
        for name in OWN:
            images = []
            call = gp.Call(primitive=gp.PRIMITIVES[name])
            aggregates = (gp.Aggregate * 2)()
            if name in HASHED:
                call.key_type, call.count = gp.TYPES["f64" if wide else "u16"], 1000
                if name == "sort_columns":
                    call.out_type = gp.TYPES["i64" if wide else "u32"]
                if name == "join":
                    call.count2, call.out_type = 1000, gp.TYPES["i64" if wide else "u32"]
            if name == "group_by_many":
                aggregates[0].op, aggregates[1].op, aggregates[1].type = 4, 1, gp.TYPES["f32"]
                call.aggregates, call.aggregate_count = ctypes.addressof(aggregates), 2
            if name in FLAT:
                kind_of_elements = gp.TYPES["f64" if wide else "u16"]
                call.count = 1000
                if name == "swap":
                    call.out_type = kind_of_elements
                else:
                    call.in_type = kind_of_elements
            if name == "partition_point":
                call.op = gp.OPERATORS["LESS"]
            if name != "graph_from_edges" and name not in HASHED + FLAT:
                call.graph = ctypes.addressof(graph)
            if name in ("graph_from_edges", "graph_relabel"):
                call.out_graph = ctypes.addressof(graph)
            if name == "bfs_sources":
                call.count = 64 if wide else 32  # words of as many bits
            if name == "graph_from_edges":
                call.in_type, call.count = gp.TYPES["i64" if wide else "u32"], 1000
                call.flags = gp.SYMMETRISE | gp.UNIQUE_EDGES
            result = library.gp_compile(context.handle, ctypes.byref(call), capability,
                                        TAKE(lambda _, key, image, size: images.append(size)), None)
            said = library.gp_last_message().decode()
            if result == gp.RESULTS["GP_E_NO_COMPILER"]:
                pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc")
            assert not result, said
            assert len(images) > OWN[name] - (name.startswith("graph_de")) and min(images) > 500
        for threads in (128, 512 if capability == 75 else 1024):  # by launches: the least shared memory, and the most
            policy = gp.Policy(gp.ALGORITHMS["TWO_PHASE"], threads)
            call = gp.Call(primitive=gp.PRIMITIVES["bfs"], graph=ctypes.addressof(graph),
                           policy=ctypes.addressof(policy))
            images = []
            result = library.gp_compile(context.handle, ctypes.byref(call), capability,
                                        TAKE(lambda _, key, image, size: images.append(size)), None)
            assert not result, library.gp_last_message().decode()
            assert len(images) == 1 and images[0] > 500
