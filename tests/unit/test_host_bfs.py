"""Breadth-first search on the host against SciPy: types, directed and symmetric graphs, loops, repeated edges, limits,
targets, statistics, bad input."""
import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

import gpuprims_ctypes as gp
from gpuprims_ctypes import Error, Fault, Graph, Traversal

settings.register_profile("graphs", derandomize=True, deadline=None, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("graphs")

U32, U64 = 6, 8  # enumerators of the types
REPRODUCIBLE, CHECKED, UNTIL_TARGET = 1, 2, 64


def graph_of(n, edges, offset_type, vertex_type):
    """The struct, and its arrays, in the order of `edges`."""
    edges = np.asarray(edges, np.int64).reshape(-1, 2)
    order = np.argsort(edges[:, 0], kind="stable")
    offsets = np.zeros(n + 1, np.uint64 if offset_type == U64 else np.uint32)
    offsets[1:] = np.cumsum(np.bincount(edges[:, 0], minlength=n))
    targets = edges[order, 1].astype(np.uint64 if vertex_type == U64 else np.uint32)
    return Graph(vertices=n, edges=len(edges), offset_type=offset_type, vertex_type=vertex_type,
                 offsets=offsets.ctypes.data, targets=targets.ctypes.data), offsets, targets


def distances(n, edges, source):
    """SciPy's depths; -1: not reached."""
    edges = np.asarray(edges, np.int64).reshape(-1, 2)
    edges = edges[edges[:, 0] != edges[:, 1]]
    matrix = csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    far = shortest_path(matrix, unweighted=True, indices=source, method="D")
    return np.where(np.isinf(far), -1, far).astype(np.int32)


graphs = st.integers(1, 40).flatmap(lambda n: st.tuples(
    st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=120),
    st.integers(0, n - 1), st.integers(0, n - 1)))


@given(graphs, st.sampled_from([0, U32, U64]), st.sampled_from([0, U32, U64]), st.booleans(), st.integers(0, 6),
       st.booleans())
@settings(max_examples=300)
@pytest.mark.turn
def test_against_scipy(host, drawn, offset_type, vertex_type, symmetric, limit, until):
    n, edges, source, target = drawn
    if symmetric:
        edges = edges + [(b, a) for a, b in edges]
    graph, offsets, targets = graph_of(n, edges, offset_type, vertex_type)
    graph.flags = int(symmetric)
    depths, parents, said = np.full(n, 77, np.int32), np.zeros_like(targets, shape=n), Traversal()
    host.run("bfs", graph=ctypes.addressof(graph), source=source, out=depths, out2=parents, limit=limit,
             target=target if until else 0, flags=UNTIL_TARGET if until else 0,
             statistics=ctypes.addressof(said))
    expected = distances(n, edges, source)
    last = min(limit or n, expected[target] if until and expected[target] >= 0 else n)
    expected[expected > last] = -1
    assert (depths == expected).all()
    reached, degrees = expected >= 0, np.diff(offsets.astype(np.int64))
    assert (said.reached, said.levels, said.edges) == (reached.sum(), expected.max(), degrees[reached].sum())
    nobody = np.iinfo(parents.dtype).max
    for v in range(n):
        if expected[v] < 0:
            assert parents[v] == nobody
        elif v == source:
            assert parents[v] == v
        else:
            p = int(parents[v])
            assert expected[p] == expected[v] - 1 and v in targets[int(offsets[p]):int(offsets[p + 1])]


def test_function_and_source_in_memory(host):
    n = 1000
    edges = [(i, i + 1) for i in range(n - 1)] + [(i + 1, i) for i in range(n - 1)]
    graph, offsets, targets = graph_of(n, edges, U32, U32)
    depths = np.zeros(n, np.int32)
    host.call("gp_bfs", ctypes.addressof(graph), 400, depths, None)
    assert (depths == np.abs(np.arange(n) - 400)).all()
    source = np.array([7], np.uint64)
    host.run("bfs", graph=ctypes.addressof(graph), source=n, source_device=source, out=depths)
    assert (depths == np.abs(np.arange(n) - 7)).all()
    source[0] = n
    host.run("bfs", graph=ctypes.addressof(graph), source_device=source, out=depths)
    assert (depths == -1).all()


@given(graphs)
@settings(max_examples=100)
@pytest.mark.turn
def test_smallest_parents_and_checks(host, drawn):
    n, edges, source, _ = drawn
    graph, offsets, targets = graph_of(n, edges, U32, U64)
    depths, parents, fault = np.full(n, 77, np.int32), np.zeros(n, targets.dtype), Fault(9, 9, 9)
    what = {"graph": ctypes.addressof(graph), "source": source, "out": depths, "out2": parents,
            "flags": CHECKED | REPRODUCIBLE, "fault": ctypes.addressof(fault)}
    host.run("bfs", **what)
    expected = distances(n, edges, source)
    assert (depths == expected).all() and fault.kind == 0
    for v in range(n):
        before = [a for a, b in edges if b == v and expected[a] >= 0 and expected[a] == expected[v] - 1]
        assert parents[v] == (v if v == source else min(before) if expected[v] > 0 else np.iinfo(targets.dtype).max)
    # an invalid target; memory for a transposed graph without a transposed graph
    none = np.zeros(n + 1, np.uint32), np.zeros(max(len(edges), 1), targets.dtype)
    for spoilt in ["target"] * bool(edges) + ["in"] * bool(edges):
        changed, at = Graph.from_buffer_copy(graph), len(edges) // 2
        wrong = targets.copy()
        wrong[at:at + 1] = n
        if spoilt == "target":
            changed.targets = wrong.ctypes.data
        else:
            changed.in_offsets, changed.in_sources = none[0].ctypes.data, none[1].ctypes.data
        depths[:], parents[:] = 77, 78
        host.run("bfs", **{**what, "graph": ctypes.addressof(changed)})
        assert (fault.kind, fault.edge) == ((3, at) if spoilt == "target" else (7, 2**64 - 1))
        assert (depths == 77).all() and (parents == 78).all()
    with pytest.raises(Error, match="fault is null"):
        host.run("bfs", **{**what, "fault": None})
    with pytest.raises(Error, match="flags lacks GP_CHECKED"):
        host.run("bfs", **{**what, "flags": 0})


def test_no_vertices(host):
    graph, offsets, targets = graph_of(0, [], U32, U32)
    source = np.array([0], np.uint64)
    host.run("bfs", graph=ctypes.addressof(graph), source_device=source)
    with pytest.raises(Error, match="source is 0, not below the 0 vertices of graph"):
        host.call("gp_bfs", ctypes.addressof(graph), 0, None, None)


def test_bad_input(host):
    graph, offsets, targets = graph_of(5, [(0, 1), (1, 2)], U32, U32)
    depths = np.full(5, 77, np.int32)
    for name, what, change in (
            ("GP_E_ARGUMENT", "source is 5", {"source": 5}),
            ("GP_E_NULL", "depths is null", {"depths": None}),
            ("GP_E_NULL", "graph->offsets is null", {"offsets": None}),
            ("GP_E_NULL", "graph->targets is null", {"targets": None}),
            ("GP_E_TYPE", "graph->offset_type is 5", {"offset_type": 5}),
            ("GP_E_SIZE", "graph->vertices", {"vertices": 2**32}),
            ("GP_E_OVERLAP", "graph->targets and depths overlap", {"targets": depths.ctypes.data})):
        changed = Graph.from_buffer_copy(graph)
        for field in change:
            if field not in ("source", "depths"):
                setattr(changed, field, change[field])
        with pytest.raises(Error) as e:
            host.call("gp_bfs", ctypes.addressof(changed), change.get("source", 0), change.get("depths", depths), None)
        assert e.value.name == name and what in e.value.message, e.value
    assert (depths == 77).all()


# ---- from many sources at once


@given(graphs, st.sampled_from([0, U32, U64]), st.sampled_from([0, U32, U64]), st.integers(0, 4), st.integers(0, 70),
       st.booleans(), st.integers(0, 3))
@settings(max_examples=150)
@pytest.mark.turn
def test_many_sources(host, drawn, offset_type, vertex_type, limit, count, device, without):
    n, edges, first, step = drawn
    graph, offsets, _ = graph_of(n, edges, offset_type, vertex_type)
    sources = ((first + step * np.arange(count)) % n).astype(np.uint64)
    if device and count > 2:
        sources[2] = n  # a source outside the graph reaches none
    depths, reached, said = np.full((count, n), 77, np.int32), np.full(count, 78, np.uint64), Traversal(reached=79)
    host.run("bfs_sources", graph=ctypes.addressof(graph), count=count, limit=limit,
             **{"source_device" if device else "sources": sources}, out=None if without == 1 else depths,
             out2=None if without == 2 else reached, statistics=None if without == 3 else ctypes.addressof(said))
    if not count:
        assert said.reached == 79
        return
    expected = np.full((count, n), -1, np.int32)
    for i, source in enumerate(sources):
        if source < n:
            expected[i] = distances(n, edges, int(source))
    expected[expected > (limit or n)] = -1
    assert (depths == (77 if without == 1 else expected)).all()
    assert (reached == (78 if without == 2 else (expected >= 0).sum(1))).all()
    degrees = np.diff(offsets.astype(np.int64))
    assert (said.reached, said.levels, said.edges) == (
        (79, 0, 0) if without == 3 else
        ((expected >= 0).sum(), max(expected.max(), 0), ((expected >= 0) * degrees).sum()))


def test_many_sources_by_threads():
    """More than the threads' queues; the same for any number of threads."""
    n = 3000
    edges = [(i, (i + k) % n) for i in range(n) for k in (1, 7)]
    graph, offsets, targets = graph_of(n, edges, U32, U32)  # (it keeps the arrays alive)
    sources = np.arange(0, n, 23, dtype=np.uint64)
    wanted = np.array([distances(n, edges, int(s)) for s in sources[:3]])
    for threads in (1, 3, 200):
        depths, reached = np.zeros((len(sources), n), np.int32), np.zeros(len(sources), np.uint64)
        with gp.Context(threads=threads) as context:
            context.call("gp_bfs_sources", ctypes.addressof(graph), sources, len(sources), depths, reached)
        assert (depths[:3] == wanted).all() and (reached == n).all()
        assert all((np.roll(depths[i], -int(s)) == depths[0]).all() for i, s in enumerate(sources))


def test_many_sources_checked_and_bad_input(host):
    graph, offsets, targets = graph_of(5, [(0, 1), (1, 2)], U32, U32)
    sources, depths, fault = np.array([0, 3], np.uint64), np.full((2, 5), 77, np.int32), Fault(9, 9, 9)
    targets[1] = 5
    what = {"graph": ctypes.addressof(graph), "sources": sources, "count": 2, "out": depths, "flags": CHECKED}
    host.run("bfs_sources", **what, fault=ctypes.addressof(fault))
    assert (fault.kind, fault.vertex, fault.edge) == (3, 1, 1) and (depths == 77).all()
    targets[1] = 2
    for name, says, change in (
            ("GP_E_ARGUMENT", r"sources\[1\] is 5, not below the 5 vertices of graph",
             {"sources": np.array([4, 5], np.uint64)}),
            ("GP_E_NULL", "sources is null", {"sources": None}),
            ("GP_E_NULL", "are all null: set at least one output", {"out": None}),
            ("GP_E_NULL", "fault is null", {}),
            ("GP_E_ARGUMENT", "sources and source_device", {"source_device": sources}),
            ("GP_E_ARGUMENT", "source and limit are for bfs and bfs_check only", {"source": 1}),
            ("GP_E_ARGUMENT", "GP_UNTIL_TARGET is for bfs only", {"flags": UNTIL_TARGET}),
            ("GP_E_ARGUMENT", "target is for bfs only", {"target": 1}),
            ("GP_E_SIZE", "that many rows of 5 depths overflow", {"count": 2**62, "sources": None}),
            ("GP_E_OVERLAP", "depths.*overlap", {"out": targets, "flags": 0})):
        with pytest.raises(Error, match=says) as e:
            host.run("bfs_sources", **{**what, **change})
        assert e.value.name == name
    with pytest.raises(Error, match="sources is for bfs_sources only"):
        host.run("bfs", graph=ctypes.addressof(graph), sources=sources, out=depths)
    assert (depths == 77).all()
    host.call("gp_bfs_sources", ctypes.addressof(graph), sources, 2, depths, None)
    assert depths.tolist() == [[0, 1, 2, -1, -1], [-1, -1, -1, 0, -1]]
    host.call("gp_bfs_sources", ctypes.addressof(graph), None, 0, depths, None)  # nothing
    empty, *arrays = graph_of(0, [], U32, U32)
    reached = np.full(2, 7, np.uint64)
    host.run("bfs_sources", graph=ctypes.addressof(empty), source_device=sources, count=2, out2=reached)
    assert (reached == 0).all()
