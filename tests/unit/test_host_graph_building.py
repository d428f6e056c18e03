"""Graphs on the host: built from lists against NumPy; SciPy's searches against the validator, with every way to spoil
them; good and bad files of edges."""
import ctypes
import re

import gpuprims_ctypes as gp
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import scipy.sparse.csgraph
from hypothesis import given, settings
from hypothesis import strategies as st

NONE = 2**64 - 1
with open(gp.HEADER, encoding="utf-8") as header:
    FAULTS = re.findall(r"^  X\(GP_FAULT_(\w+),", header.read(), re.M)

lists = st.tuples(st.sampled_from([1, 2, 3, 40, 1000]), st.sampled_from([0, 1, 5, 100, 3000]), st.integers(0, 2**20))
relaxed = settings(max_examples=150, deadline=None, derandomize=True, database=None)


def edges_of(n, count, seed, dtype=np.uint32, beyond=0):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, n + beyond, (count, 2))
    pairs[rng.random(count) < 0.2, 0] = 0  # a hub
    loops = rng.random(count) < 0.1
    pairs[loops, 1] = pairs[loops, 0]
    return pairs.astype(dtype)


def built(host, pairs, n, flags=0, offset="u4", vertex="u4", bad=None, apart=False, room=None, **fields):
    room = room if room is not None else len(pairs) * (2 if flags & gp.SYMMETRISE else 1)
    graph = gp.Graph.of(np.full(n + 1, 99, offset), np.full(room, 99, vertex))
    names = {"u": "u", "i": "i"}
    sources = np.ascontiguousarray(pairs[:, 0]) if apart else pairs
    targets = np.ascontiguousarray(pairs[:, 1]) if apart else None
    host.run("graph_from_edges", in_type=f"{names[pairs.dtype.kind]}{8 * pairs.itemsize}", in_=sources, in2=targets,
             count=len(pairs), flags=flags, bad=bad, out_graph=graph, **fields)
    return graph


def rows(graph):
    """Sources and targets of a graph's edges."""
    offsets, targets = graph.keep[:2]
    degrees = np.diff(offsets.astype(np.int64))
    return np.repeat(np.arange(graph.vertices), degrees), targets[:int(offsets[-1])].astype(np.int64)


def expected(pairs, n, flags):
    e = pairs.astype(np.int64)
    e = e[(e < n).all(1) & (e >= 0).all(1)]
    if flags & gp.DROP_LOOPS:
        e = e[e[:, 0] != e[:, 1]]
    if flags & gp.SYMMETRISE:
        e = np.concatenate([e, e[e[:, 0] != e[:, 1]][:, ::-1]])
    e = e[np.lexsort((e[:, 1], e[:, 0]))]
    return np.unique(e, axis=0) if flags & gp.UNIQUE_EDGES else e


@given(lists, st.integers(0, 7), st.sampled_from(["u4", "u8"]), st.sampled_from(["u4", "u8"]),
       st.sampled_from([np.uint32, np.int32, np.uint64, np.int64]), st.booleans(), st.booleans())
@relaxed
@pytest.mark.turn
def test_from_edges(host, what, options, offset, vertex, dtype, apart, with_bad):
    n, count, seed = what
    flags = options * gp.SYMMETRISE
    pairs = edges_of(n, count, seed, dtype, beyond=2 if with_bad else 0)
    bad = np.zeros(1, np.uint64) if with_bad else None
    graph = built(host, pairs, n, flags, offset, vertex, bad, apart)
    e = expected(pairs, n, flags)
    assert graph.keep[0][0] == 0
    np.testing.assert_array_equal(np.stack(rows(graph), 1).reshape(-1, 2), e.reshape(-1, 2))
    if with_bad:
        wrong = np.flatnonzero((pairs >= n).any(1))
        assert bad[0] == (wrong[0] if len(wrong) else NONE)


def test_count_in_memory(host):
    pairs = edges_of(10, 50, 1)
    graph = built(host, pairs, 10, count_device=20)
    np.testing.assert_array_equal(np.stack(rows(graph), 1), expected(pairs[:20], 10, 0))


@given(lists, st.sampled_from(["u4", "u8"]), st.sampled_from(["u4", "u8"]))
@relaxed
@pytest.mark.turn
def test_transpose_relabel_degrees(host, what, offset, vertex):
    n, count, seed = what
    pairs = edges_of(n, count, seed)
    plain = built(host, pairs, n, 0, offset, vertex)
    in_offsets, in_sources = np.zeros(n + 1, offset), np.zeros(count, vertex)
    both = gp.Graph.of(*plain.keep[:2], in_offsets, in_sources)
    host.call("gp_graph_transpose", both)
    turned = gp.Graph.of(in_offsets, in_sources)
    np.testing.assert_array_equal(np.stack(rows(turned), 1), expected(pairs[:, ::-1], n, 0))

    degree = np.bincount(pairs[:, 0], minlength=n)
    report = gp.Degrees()
    host.call("gp_graph_degrees", plain, report)
    assert (report.vertices, report.edges, report.least, report.most) == (n, count, degree.min(), degree.max())
    bits = np.array([int(d).bit_length() for d in degree])
    assert list(report.histogram) == list(np.bincount(bits, minlength=65))

    order, numbers = np.zeros(n, vertex), np.zeros(n, vertex)
    relabelled = gp.Graph.of(np.zeros(n + 1, offset), np.zeros(count, vertex))
    host.call("gp_graph_relabel", plain, relabelled, order, numbers)
    np.testing.assert_array_equal(order, np.argsort(-degree, kind="stable"))
    np.testing.assert_array_equal(numbers[order], np.arange(n))
    np.testing.assert_array_equal(np.stack(rows(relabelled), 1), expected(numbers[pairs].reshape(-1, 2), n, 0))
    fault = gp.Fault()
    host.call("gp_graph_check", both, fault)
    assert FAULTS[fault.kind] == "NONE"


def searched(graph, source):
    """Depths and parents, by SciPy."""
    s, t = rows(graph)
    n = graph.vertices
    matrix = scipy.sparse.csr_matrix((np.ones(len(s)), (s, t)), (n, n))
    order, before = scipy.sparse.csgraph.breadth_first_order(matrix, source)
    depths = np.full(n, -1, np.int32)
    parents = np.full(n, -1, np.int64)
    depths[source], parents[source] = 0, source
    for v in order[1:]:
        depths[v], parents[v] = depths[before[v]] + 1, before[v]
    return depths, parents.astype(graph.keep[1].dtype)


def fault_of(host, graph, source, depths, parents, limit=0):
    fault = gp.Fault(77, 77, 77)
    host.run("bfs_check", graph=graph, source=int(source), in_=depths, in2=parents, out=fault, limit=limit)
    return FAULTS[fault.kind], fault.vertex, fault.edge


@given(lists, st.sampled_from(["u4", "u8"]), st.integers(0, 3))
@relaxed
@pytest.mark.turn
def test_validator(host, what, vertex, spoil):
    n, count, seed = what
    rng = np.random.default_rng(seed)
    graph = built(host, edges_of(n, count, seed), n, 0, "u8", vertex)
    source = int(rng.integers(0, n))
    depths, parents = searched(graph, source)
    assert fault_of(host, graph, source, depths, None) == ("NONE", NONE, NONE)
    assert fault_of(host, graph, source, depths, parents) == ("NONE", NONE, NONE)
    limit = max(int(depths.max()) - 1, 1)
    cut, cut_parents = depths.copy(), parents.copy()
    cut[depths > limit], cut_parents[depths > limit] = -1, -1 % 2**(8 * parents.itemsize)
    assert fault_of(host, graph, source, cut, cut_parents, limit) == ("NONE", NONE, NONE)
    mine, my_parents = np.zeros(n, np.int32), np.zeros(n, vertex)
    host.call("gp_bfs", graph, source, mine, my_parents)
    np.testing.assert_array_equal(mine, depths)
    assert fault_of(host, graph, source, mine, my_parents) == ("NONE", NONE, NONE)
    v = int(rng.integers(0, n))  # any other depth or parent is a fault
    wrong, wrong_parents = depths.copy(), parents.copy()
    if spoil < 3:
        wrong[v] += [1, -1, 7][spoil]
        assert fault_of(host, graph, source, wrong, None)[0] != "NONE"
    else:
        s, t = rows(graph)
        good = set(s[(t == v) & (depths[s] == depths[v] - 1)]) if depths[v] > 0 else {int(parents[v])}
        for other in rng.integers(0, n, 4):
            if int(other) in good:
                continue
            wrong_parents[v] = other
            kind, where, _ = fault_of(host, graph, source, depths, wrong_parents)
            assert where == v and kind in ("PARENT", "PARENT_EDGE", "SOURCE_PARENT", "STRAY_PARENT")


def test_faults_of_graphs(host):
    def kind(offsets, targets, *more):
        fault = gp.Fault()
        host.call("gp_graph_check", gp.Graph.of(np.array(offsets, "u4"), np.array(targets, "u4"), *more), fault)
        return FAULTS[fault.kind], fault.vertex, fault.edge
    turned = np.array([0, 1, 2, 3], "u4"), np.array([0, 1, 2], "u4")
    assert kind([0, 1, 2, 3], [0, 1, 2]) == ("NONE", NONE, NONE)
    assert kind([1, 1, 2, 3], [0, 1, 2]) == ("FIRST_OFFSET", 0, NONE)
    assert kind([0, 2, 1, 3], [0, 1, 2]) == ("OFFSETS", 1, NONE)
    assert kind([0, 1, 2, 4], [0, 1, 2]) == ("OFFSETS", 2, NONE)
    assert kind([0, 0, 2, 3], [0, 3, 9]) == ("TARGET", 1, 1)
    assert kind([0, 1, 2, 3], [0, 1, 2], *turned) == ("NONE", NONE, NONE)
    assert kind([0, 1, 2, 2], [0, 1, 2], *turned) == ("IN_EDGES", NONE, NONE)
    assert kind([0, 1, 2, 3], [0, 1, 2], turned[0], np.array([0, 1, 3], "u4")) == ("IN_SOURCE", 2, 2)
    assert kind([0, 1, 2, 3], [0, 1, 2], np.array([0, 3, 2, 3], "u4"), turned[1]) == ("IN_OFFSETS", 1, NONE)
    assert kind([0, 1, 2, 3], [0, 1, 2], np.array([2, 2, 2, 3], "u4"), turned[1]) == ("FIRST_IN_OFFSET", 0, NONE)
    assert kind([0], []) == ("NONE", NONE, NONE)


@given(lists, st.sampled_from(["u4", "u8"]), st.sampled_from(["u4", "u8"]), st.sampled_from([0, gp.SYMMETRISE]))
@relaxed
@pytest.mark.turn
def test_components(host, drawn, offset, vertex, flags):
    n, count, seed = drawn
    graph = built(host, edges_of(n, count // 4, seed), n, flags, offset, vertex)
    graph.flags = int(bool(flags))
    labels, components = np.full(n, 99, vertex), np.zeros(1, np.uint64)
    host.run("connected_components", graph=graph, out=labels, out_count=components)
    source, target = rows(graph)
    matrix = scipy.sparse.csr_matrix((np.ones(len(source)), (source, target)), shape=(n, n))
    found, of = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    smallest = np.full(found, n)
    np.minimum.at(smallest, of, np.arange(n))
    assert (labels == smallest[of]).all() and components[0] == found
    labels[:] = 99
    host.call("gp_connected_components", ctypes.addressof(graph), labels, None)
    assert (labels == smallest[of]).all()
    with pytest.raises(gp.Error, match="labels"):
        host.call("gp_connected_components", ctypes.addressof(graph), None, None)


@pytest.mark.turn
def test_what_faults_say():
    text = ctypes.create_string_buffer(200)

    def says(kind, vertex, edge, room=200):
        fault = gp.Fault(kind, vertex, edge)
        return gp.load().gp_fault_text(ctypes.byref(fault), text, room)

    assert says(3, 17, 250) == b"vertex 17: targets[250] is not a vertex"
    assert says(FAULTS.index("NOT_REACHED"), 101, 2**40) == \
        b"vertex 101: it was reached, but its edge 1099511627776 leads to an unreached vertex"
    assert says(3, 2**63, 250, 12) == b"vertex 9223" and says(3, 1, 2, 1) == b""
    assert says(0, 0, 0) == b"nothing is wrong" and says(999, 0, 0) == b"not a kind of fault"
    for kind in range(1, len(FAULTS)):
        assert b"@" not in says(kind, 5, 7) and b"#" not in says(kind, 5, 7)


def test_bad_calls(host):
    pairs = edges_of(10, 20, 1)
    graph = gp.Graph.of(np.zeros(11, "u4"), np.zeros(40, "u4"))
    out, depths = gp.Fault(), np.zeros(10, np.int32)
    good = {"in_type": "u32", "in_": pairs, "count": 20, "out_graph": graph}
    host.run("graph_from_edges", **good)

    def changed(**fields):
        other = gp.Graph.from_buffer_copy(graph)
        for name, value in fields.items():
            setattr(other, name, value)
        return other
    for primitive, code, word, fields in [
            ("graph_from_edges", "GP_E_NULL", "out_graph", {**good, "out_graph": None}),
            ("graph_from_edges", "GP_E_NULL", "in (pairs)", {**good, "in_": None}),
            ("graph_from_edges", "GP_E_TYPE", "in_type", {**good, "in_type": "f32"}),
            ("graph_from_edges", "GP_E_TYPE", "in_type", {**good, "in_type": "u16"}),
            ("graph_from_edges", "GP_E_ARGUMENT", "edges is 40", {**good, "flags": gp.SYMMETRISE, "count": 21}),
            ("graph_from_edges", "GP_E_SIZE", "overflow", {**good, "count": 2**61}),
            ("graph_from_edges", "GP_E_OVERLAP", "overlap", {**good, "in_": graph.offsets}),
            ("graph_from_edges", "GP_E_ARGUMENT", "graph: the call takes no graph", {**good, "graph": graph}),
            ("graph_from_edges", "GP_E_TYPE", "offset_type", {**good, "out_graph": changed(offset_type=5)}),
            ("graph_from_edges", "GP_E_TYPE", "vertex_type", {**good, "out_graph": changed(vertex_type=11)}),
            ("graph_from_edges", "GP_E_SIZE", "not below 2^32, the limit of u32 offsets",
             {**good, "out_graph": changed(edges=2**32)}),
            ("graph_from_edges", "GP_E_SIZE", "vertices", {**good, "out_graph": changed(vertices=2**32)}),
            ("graph_from_edges", "GP_E_UNSUPPORTED", "2^32",
             {**good, "out_graph": changed(vertices=2**32, vertex_type=gp.TYPES["u64"])}),
            ("graph_from_edges", "GP_E_NULL", "offsets is null", {**good, "out_graph": changed(offsets=None)}),
            ("graph_from_edges", "GP_E_ALIGNMENT", "offsets",
             {**good, "out_graph": changed(offsets=graph.offsets + 1)}),
            ("graph_transpose", "GP_E_NULL", "in_offsets", {"graph": graph}),
            ("graph_transpose", "GP_E_ARGUMENT", "out_graph", {"graph": graph, "out_graph": graph}),
            ("graph_transpose", "GP_E_NULL", "in_sources is null", {"graph": changed(in_offsets=graph.offsets)}),
            ("graph_transpose", "GP_E_ARGUMENT", "flags", {"graph": graph, "flags": gp.DROP_LOOPS}),
            ("graph_relabel", "GP_E_ARGUMENT", "out_graph", {"graph": graph, "out_graph": changed(vertices=9)}),
            ("graph_relabel", "GP_E_OVERLAP", "overlap", {"graph": graph, "out_graph": graph}),
            ("graph_degrees", "GP_E_NULL", "degrees", {"graph": graph}),
            ("graph_check", "GP_E_NULL", "graph is null", {"out": out}),
            ("graph_check", "GP_E_ARGUMENT", "flags", {"graph": changed(flags=6), "out": out}),
            ("bfs_check", "GP_E_ARGUMENT", "source is 10",
             {"graph": graph, "source": 10, "in_": depths, "out": out}),
            ("bfs_check", "GP_E_NULL", "depths", {"graph": graph, "out": out}),
            ("reduce", "GP_E_ARGUMENT", "graph", {"op": "SUM", "in_type": "u32", "in_": pairs, "out": out, "count": 1,
                                                  "graph": graph})]:
        before = graph.keep[0].copy(), graph.keep[1].copy()
        with pytest.raises(gp.Error) as error:
            host.run(primitive, **fields)
        assert error.value.name == code and word in error.value.message, (primitive, word, str(error.value))
        assert all((x == y).all() for x, y in zip(before, graph.keep))  # nothing half done


# ---- files


def parsed(text):
    library, edges = gp.load(), gp.EdgeList()
    data = text if isinstance(text, bytes) else text.encode()
    if library.gp_edges_parse(b"some.txt", data, len(data), ctypes.byref(edges)):
        assert not edges.pairs and not edges.count
        raise gp.Error(3, library.gp_last_message().decode())
    dtype = np.uint32 if edges.vertex_type == gp.TYPES["u32"] else np.uint64
    raw = ctypes.string_at(edges.pairs, int(edges.count) * 2 * np.dtype(dtype).itemsize)
    found = np.frombuffer(raw, dtype).reshape(-1, 2), int(edges.vertices), edges.symmetric
    library.gp_edges_free(ctypes.byref(edges))
    assert not edges.pairs
    return found


@given(lists, st.sampled_from([" ", "\t", ", ", "   ,\t", ","]), st.sampled_from(["\n", "\r\n"]), st.booleans())
@relaxed
@pytest.mark.turn
def test_edge_lists(host, what, between, newline, decorated):
    n, count, seed = what
    pairs = edges_of(n, count, seed)
    lines = [f"{a}{between}{b}" for a, b in pairs]
    if decorated:
        lines = ["# a comment", "% another", ""] + [f"  {line} 0.5 x" for line in lines] + ["", "#"]
    got, vertices, symmetric = parsed(newline.join(lines) + (newline if seed % 2 else ""))
    np.testing.assert_array_equal(got, pairs.reshape(-1, 2))
    assert (vertices, symmetric) == (int(pairs.max()) + 1 if count else 0, 0)


@pytest.mark.parametrize("field", ["pattern", "integer", "real"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_matrix_market(tmp_path, field, symmetry):
    rng = np.random.default_rng(3)
    dense = rng.integers(0, 2, (30, 30)) * rng.integers(1, 9, (30, 30))
    dense = np.tril(dense) + np.tril(dense, -1).T if symmetry == "symmetric" else dense
    matrix = scipy.sparse.coo_matrix(dense * (1.0 if field != "real" else 0.37e-5))
    path = str(tmp_path / "some.mtx")
    scipy.io.mmwrite(path, matrix, field=field, symmetry=symmetry, comment="a comment")
    library, edges = gp.load(), gp.EdgeList()
    assert library.gp_edges_read(path.encode(), ctypes.byref(edges)) == 0, library.gp_last_message()
    raw = ctypes.string_at(edges.pairs, int(edges.count) * 8)
    got = np.frombuffer(raw, np.uint32).reshape(-1, 2).astype(int)
    assert edges.vertices == 30 and edges.symmetric == (symmetry == "symmetric")
    library.gp_edges_free(ctypes.byref(edges))
    back = np.zeros((30, 30), bool)
    back[got[:, 0], got[:, 1]] = True
    if symmetry == "symmetric":
        back |= back.T
    np.testing.assert_array_equal(back, dense != 0)


MM = "%%MatrixMarket matrix coordinate "


@pytest.mark.parametrize("text, said", [
    ("0 1\n2 x\n", 'some.txt:2:3: expected the second vertex, found "x"'),
    ("0 1\n7\n", "some.txt:2:2: expected the second vertex, found the end of the line"),
    ("0 1\n7", "some.txt:2:2: expected the second vertex, found the end of the file"),
    ("-1 1\n", 'some.txt:1:1: expected the first vertex, found "-1"'),
    ("1.5 1\n", 'some.txt:1:1: expected the first vertex, found "1.5"'),
    ("1 18446744073709551615\n", "some.txt:1:3: expected a number below 2^64 - 1"),
    ("1 99999999999999999999999\n", "some.txt:1:3: expected a number below 2^64 - 1"),
    (b"\x00\xff\xfe", 'some.txt:1:1: expected the first vertex, found '),
    ("%%MatrixMarket vector coordinate real general\n", 'some.txt:1:16: expected "matrix", found "vector"'),
    ("%%MatrixMarket matrix array real general\n", 'some.txt:1:23: expected "coordinate", found "array"'),
    (MM + "complex general\n", 'some.txt:1:34: expected "pattern", "integer" or "real", found "complex"'),
    (MM + "real hermitian\n", 'some.txt:1:39: expected "general" or "symmetric", found "hermitian"'),
    (MM + "real", 'found the end of the file'),
    (MM + "real general\n% no more\n", "some.txt:3:1: expected a line with the numbers of rows, columns and entries"),
    (MM + "real general\n3 3\n", "some.txt:2:4: expected the number of entries, found the end of the line"),
    (MM + "real general\n3 3 1 1\n", 'some.txt:2:7: expected the end of the line, found "1"'),
    (MM + "pattern general\n3 3 2\n1 1\n", "some.txt:4:1: the file ends after 1 of 2 entries"),
    (MM + "pattern general\n3 3 1\n1 1\n2 2\n", "some.txt:4:1: expected the end of the file"),
    (MM + "pattern general\n3 4 1\n0 1\n", "some.txt:3:1: expected a number from 1 to the number of rows"),
    (MM + "pattern general\n3 4 1\n3 5\n", "some.txt:3:3: expected a number from 1 to the number of columns"),
    (MM + "pattern general\n3 4 1\n3 4 5\n", 'some.txt:3:5: expected the end of the line, found "5"'),
    (MM + "real general\n3 3 1\n1 1 1.2.3\n", 'some.txt:3:5: expected a value, found "1.2.3"'),
    (MM + "real general\n3 3 1\n1 1\n", "some.txt:3:4: expected a value, found the end of the line"),
    (MM + "real general\n3 3 1\n1 1 1e\n", 'some.txt:3:5: expected a value, found "1e"'),
])
def test_bad_files(text, said):
    with pytest.raises(gp.Error) as error:
        parsed(text)
    assert said in error.value.message


def test_no_files(tmp_path):
    library, edges = gp.load(), gp.EdgeList()
    for path, said in ((tmp_path / "none", "No such file"), (tmp_path, "directory")):
        assert library.gp_edges_read(str(path).encode(), ctypes.byref(edges))
        assert str(path) in library.gp_last_message().decode() and said in library.gp_last_message().decode()
    assert parsed("")[0].shape == (0, 2)
    big, vertices, _ = parsed("4294967295 0\n18446744073709551613 7")
    assert vertices == 18446744073709551614 and big.dtype == np.uint64 and big[1, 0] == 18446744073709551613
    assert parsed("4294967294 0")[0].dtype == np.uint32


@given(st.one_of(st.binary(max_size=60), st.text("0123456789 \t\n#%,.eE+-x", max_size=60).map(str.encode),
                 st.text("0123456789 \t\n.eE+-", max_size=60).map(
                     lambda tail: (MM + "real general\n" + tail).encode())))
@settings(max_examples=600, deadline=None, derandomize=True, database=None)
@pytest.mark.turn
def test_any_text(text):
    try:
        got, vertices, _ = parsed(text)
        assert not got.size or vertices > got.max() or text.startswith(b"%%")
    except gp.Error as error:
        assert re.match(r"some\.txt:\d+:\d+: ", error.message)
