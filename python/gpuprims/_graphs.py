"""Graphs from SciPy's sparse matrices, or from offsets and targets."""
from __future__ import annotations

from typing import Any

from ._arrays import cast
from ._gpuprims import ffi, lib
from ._work import NULL, Array, Work, check, natural


def _graph(graph: Any, stream: Any, symmetric: bool) -> tuple[Work, Any]:
    """(The call, its gp_graph) of a matrix in CSR form, or of a pair of offsets and targets."""
    if isinstance(graph, tuple) and len(graph) == 2:
        offsets, targets = graph
    elif getattr(graph, "format", None) == "csr":
        offsets, targets = graph.indptr, graph.indices
        if graph.shape[0] != graph.shape[1]:
            raise ValueError(f"graph: a matrix of {graph.shape[0]} x {graph.shape[1]} is no graph")
    else:
        raise TypeError(f"graph is {type(graph).__name__}, neither a sparse matrix in CSR form nor (offsets, targets)")
    work = Work(stream, {"offsets": offsets, "targets": targets})
    made = ffi.new("gp_graph *", lib.gp_graph_init())
    for argument in ("offsets", "targets"):
        view = work[argument]
        if view.name not in ("int32", "uint32", "int64", "uint64") or len(view.shape) != 1:
            raise TypeError(f"graph: {argument} are no array of integers of 32 or 64 bits")
        view = work.contiguous(view)
        work.views[argument] = view
        setattr(made, argument, view.data)
    if not work["offsets"].size:
        raise ValueError("graph: n vertices have n + 1 offsets")
    wide = {4: lib.GP_U32, 8: lib.GP_U64}
    made.offset_type, made.vertex_type = wide[work["offsets"].itemsize], wide[work["targets"].itemsize]
    made.vertices, made.edges = work["offsets"].size - 1, work["targets"].size
    made.flags = lib.GP_SYMMETRIC if symmetric else 0
    if work.device < 0:  # a graph in which nothing is wrong is safe for every call
        fault = ffi.new("gp_fault *")
        check(lib.gp_graph_check(work.handle, made, fault, NULL))
        if fault.kind != lib.GP_FAULT_NONE:
            text = ffi.new("char[256]")
            raise ValueError(f"graph: {ffi.string(lib.gp_fault_text(fault, text, 256)).decode()}")
    return work, made


def bfs(graph: Any, source: int, /, *, directed: bool = True, return_parents: bool = False,
        stream: Any = None) -> Any:
    """Breadth-first search: the number of edges from `source` to each vertex, int32, -1 where there is no path; with
    return_parents also a vertex before it, the source's its own, -1 where there is none. SciPy's breadth_first_order
    gives the order instead. graph: a CSR matrix, whose values do not matter, or (offsets, targets), which are checked
    on the host and trusted on a GPU. directed=False says that every edge has its opposite in the graph."""
    work, made = _graph(graph, stream, not directed)
    source = natural("source", source)
    if source >= made.vertices:
        raise ValueError(f"source is {source}, and the graph has {made.vertices} vertices")
    like = work["targets"]
    depths = work.empty((made.vertices,), "int32", like)
    parents = work.empty((made.vertices,), f"int{8 * like.itemsize}", like) if return_parents else None
    check(lib.gp_bfs(work.handle, made, source, depths.data, parents.data if parents else NULL,
                     work.stream))
    return work.finish(depths) if parents is None else (work.finish(depths), work.finish(parents))


def connected_components(graph: Any, /, *, directed: bool = True, stream: Any = None) -> tuple[Any, Array]:
    """(How many components there are, a label for each vertex), weak ones of a directed graph. The label is the
    component's smallest vertex; SciPy's labels count from 0. On a GPU the number is an array of no dimensions."""
    work, made = _graph(graph, stream, not directed)
    like = work["targets"]
    labels, count = work.empty((made.vertices,), f"int{8 * like.itemsize}", like), work.counter(like)
    check(lib.gp_connected_components(work.handle, made, labels.data, ffi.cast("uint64_t *", count.data),
                                      work.stream))
    return work.finish(count), work.finish(labels)


__all__ = ["bfs", "connected_components"]
