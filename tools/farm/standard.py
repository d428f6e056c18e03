"""The standard list: the cells that nights compare, that tunes check rows against, and that the dashboard's map
shows."""
from tools import bench
from tools.farm import store

# {primitive: (operator, types, words)}
CELLS = {name: (cell["op"], cell["types"], cell["standard"]) for name, cell in store.description()["cells"].items()
         if cell["types"]}
# Calls on graphs (n: capacity of their lists): with hubs, without hubs, with many levels.
HUBS, EVEN, GRID = ("graph=kronecker:scale=18 n=8388608", "graph=uniform:n=262144 n=8388608",
                    "graph=grid:rows=1000:columns=1000 n=4000000")
GRAPH_CELLS = [f"{primitive} u32 {graph} protocol=back_to_back" for primitive, graphs in (
    ("bfs", (HUBS, EVEN, GRID)), ("bfs_sources", (HUBS,)), ("connected_components", (HUBS, GRID)),
    ("graph_from_edges", (HUBS,))) for graph in graphs]
# From nothing compiled to the result. NVRTC takes up to seconds for each, so there is one for each way of making
# kernels.
FIRST_CALLS = [f"{call} n=1048576 protocol=first_call" for call in (
    "copy u32", "reduce SUM f32", "exclusive_scan SUM u32", "reduce_by_key SUM f32 key=u32 runs=32",
    "select u32 keep=50", "sort u32", "sort u32 payload=u32", "segmented_sort u32 segments=pareto:64",
    "top_k u32 k=64")] + ["bfs u32 graph=kronecker:scale=15 n=1048576 protocol=first_call"]
SIZES = store.description()["sizes"]  # the columns of the dashboard's map
BETWEEN = [48 * bench.KIB, 1403 * bench.KIB, 12 * bench.MIB]  # 3 * 2^k, 1.37 * 2^k
WHOLE = 256  # elements: a size that fixed segments and transposes divide

# A device's memory must be this many times a cell's input, to hold all buffers, workspaces and copies.
ROOM = 32


def protocols_of(size):
    """A stream of calls that cost the host more than the GPU measures the host, whose speed differs by 10 to 20 %
    between processes; replayed graphs do not (tests/farm/data/noise). The smallest sizes are measured warm, too."""
    if size <= 64 * bench.KIB:
        return "cold_graph", "graph"
    return ("cold_graph",) if size <= 16 * bench.MIB else ("cold",)


def cells():
    """Their texts."""
    found = []
    for primitive, (operator, types, words) in CELLS.items():
        for type_ in types:
            for size in SIZES + BETWEEN:
                for protocol in protocols_of(size) if size in SIZES else protocols_of(size)[:1]:
                    n = size // store.type_sizes()[type_] // WHOLE * WHOLE
                    found.append(" ".join(f"{primitive} {operator} {type_} {words} n={n} protocol={protocol}".split()))
    return found + GRAPH_CELLS + FIRST_CALLS  # last, when gp_tune compiles nothing else


def input_bytes(cell):
    return cell.n * store.type_sizes()[cell.in_ or cell.out]


def fitting(named, memory_bytes):
    """named: {cell: its text}. Returns (those that fit a device with this memory, the texts of the others); 0 is
    unknown."""
    fit = {cell: text for cell, text in named.items() if not memory_bytes or ROOM * input_bytes(cell) <= memory_bytes}
    return fit, [text for cell, text in named.items() if cell not in fit]
