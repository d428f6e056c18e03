"""Graphs on the host against NetworkX: its named graphs, social networks and solids, and random ones of its generators,
including directed graphs and repeated edges. Builds them from unordered edges, searches them with limits and from many
sources, transposes them, finds components and degrees."""
import gpuprims_ctypes as gp
import networkx as nx
import numpy as np
import pytest
from test_host_graph_building import built, rows

NAMED = {name: getattr(nx, name) for name in (
    "karate_club_graph", "les_miserables_graph", "florentine_families_graph", "davis_southern_women_graph",
    "krackhardt_kite_graph", "petersen_graph", "tutte_graph", "frucht_graph", "icosahedral_graph",
    "dodecahedral_graph", "desargues_graph", "chvatal_graph")}
MADE = {
    "sparse": lambda: nx.gnp_random_graph(300, 0.006, seed=1),
    "small world": lambda: nx.watts_strogatz_graph(400, 4, 0.05, seed=2),
    "hubs": lambda: nx.barabasi_albert_graph(300, 2, seed=3),
    "nearby": lambda: nx.random_geometric_graph(250, 0.09, seed=4),
    "streets": lambda: nx.grid_2d_graph(17, 19),
    "isolated": lambda: nx.empty_graph(40),
    "directed": lambda: nx.gnp_random_graph(300, 0.006, seed=5, directed=True),
    "tree towards its root": lambda: nx.gn_graph(200, seed=6),
    "edges several times": lambda: nx.scale_free_graph(200, seed=7)}
GRAPHS = NAMED | MADE


def edges_of(graph):
    return np.array(list(graph.edges()), np.uint32).reshape(-1, 2)


def assert_edges(graph, wanted):
    """In the graph's order."""
    np.testing.assert_array_equal(np.stack(rows(graph), 1), np.array(sorted(wanted.edges())).reshape(-1, 2))


def depths_of(graph, source, limit=None):
    depths = np.full(len(graph), -1, np.int32)
    for v, depth in nx.single_source_shortest_path_length(graph, source, cutoff=limit).items():
        depths[v] = depth
    return depths


@pytest.mark.parametrize("name", GRAPHS)
def test_against_networkx(host, name):
    graph = nx.convert_node_labels_to_integers(GRAPHS[name]())
    n, both_ways, rng = len(graph), graph.to_directed(), np.random.default_rng(2)
    pairs = rng.permutation(edges_of(graph))
    made = built(host, pairs, n, 0 if graph.is_directed() else gp.SYMMETRISE)
    assert_edges(made, both_ways)

    turned = gp.Graph.of(*(np.zeros_like(part) for part in made.keep[:2]))
    host.call("gp_graph_transpose", gp.Graph.of(*made.keep[:2], *turned.keep[:2]))
    assert_edges(turned, both_ways.reverse())
    report, degrees = gp.Degrees(), [degree for _, degree in both_ways.out_degree()]
    host.call("gp_graph_degrees", made, report)
    assert (report.edges, report.least, report.most) == (sum(degrees), min(degrees), max(degrees))

    for source in {0, n - 1, *rng.integers(0, n, 6).tolist()}:
        before = nx.predecessor(graph, source)
        for limit in (0, 1, 3):
            depths, parents = np.full(n, 77, np.int32), np.zeros(n, np.uint32)
            host.run("bfs", graph=made, source=source, limit=limit, out=depths, out2=parents)
            np.testing.assert_array_equal(depths, depths_of(graph, source, limit or None))
            assert all(parents[v] in (before[v] or [v]) for v in np.flatnonzero(depths >= 0).tolist())

    sources = rng.integers(0, n, 70).astype(np.uint64)
    found, reached = np.full((70, n), 77, np.int32), np.zeros(70, np.uint64)
    host.run("bfs_sources", graph=made, count=70, sources=sources, out=found, out2=reached)
    wanted = np.array([depths_of(graph, int(s)) for s in sources])
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(reached, (wanted >= 0).sum(1))

    labels, count = np.full(n, 77, np.uint32), np.zeros(1, np.uint64)
    host.run("connected_components", graph=made, out=labels, out_count=count)
    parts = list(nx.weakly_connected_components(graph) if graph.is_directed() else nx.connected_components(graph))
    assert count[0] == len(parts) and all((labels[list(part)] == min(part)).all() for part in parts)


def test_each_edge_once_and_no_loops(host):
    graph = MADE["edges several times"]()
    once = nx.DiGraph(graph)
    once.remove_edges_from(list(nx.selfloop_edges(once)))
    assert once.size() < graph.size()
    assert_edges(built(host, edges_of(graph), len(graph), gp.UNIQUE_EDGES | gp.DROP_LOOPS), once)
