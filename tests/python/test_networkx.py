"""The backend of NetworkX, found by the entry points that pyproject.toml declares, against NetworkX itself."""
import doctest
import os
import sys

import numpy as np
import pytest
import tomllib
from conftest import ROOT


@pytest.fixture(scope="module")
def nx(tmp_path_factory):
    """NetworkX as it is imported where the package is installed."""
    place = tmp_path_factory.mktemp("installed")
    with open(os.path.join(ROOT, "python", "pyproject.toml"), "rb") as file:
        declared = tomllib.load(file)["project"]["entry-points"]
    info = place / "gpuprims-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gpuprims\nVersion: 0\n")
    (info / "entry_points.txt").write_text("".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in one.items())
        for group, one in declared.items()))
    for name in [name for name in sys.modules if name.partition(".")[0] == "networkx"]:
        del sys.modules[name]
    sys.path.insert(0, str(place))
    made = pytest.importorskip("networkx")
    made.config.warnings_to_ignore.add("cache")
    yield made
    sys.path.remove(str(place))


def graphs(nx):
    yield nx.gnp_random_graph(60, 0.02, seed=1)
    yield nx.relabel_nodes(nx.gnp_random_graph(30, 0.1, seed=2), lambda node: f"node {node}")
    yield nx.empty_graph(3)
    yield nx.MultiGraph([(0, 1), (0, 1), (1, 2), (4, 4)])


def directed(nx):
    yield nx.gnp_random_graph(60, 0.02, seed=3, directed=True)
    yield nx.DiGraph([("b", "a"), ("c", "a"), ("d", "d")])


@pytest.mark.turn
def test_components(nx):
    for graph in graphs(nx):
        made = list(nx.connected_components(graph, backend="gpuprims"))
        assert made == list(nx.connected_components(graph))
        assert nx.number_connected_components(graph, backend="gpuprims") == len(made)
        assert nx.is_connected(graph, backend="gpuprims") == (len(made) == 1)
        for node in list(graph)[:3]:
            assert nx.node_connected_component(graph, node, backend="gpuprims") == nx.node_connected_component(
                graph, node)
    for graph in directed(nx):
        made = list(nx.weakly_connected_components(graph, backend="gpuprims"))
        assert sorted(map(sorted, made)) == sorted(map(sorted, nx.weakly_connected_components(graph)))
        assert nx.number_weakly_connected_components(graph, backend="gpuprims") == len(made)
        assert nx.is_weakly_connected(graph, backend="gpuprims") == (len(made) == 1)
    assert list(nx.connected_components(nx.Graph(), backend="gpuprims")) == []


def test_searches(nx):
    for graph in (*graphs(nx), *directed(nx)):
        for source in list(graph)[:4]:
            made = nx.single_source_shortest_path_length(graph, source, backend="gpuprims")
            expected = nx.single_source_shortest_path_length(graph, source)
            assert made == expected and list(made.values()) == sorted(made.values())
            assert nx.single_source_shortest_path_length(graph, source, cutoff=1, backend="gpuprims") == {
                node: depth for node, depth in expected.items() if depth <= 1}
            assert [set(layer) for layer in nx.bfs_layers(graph, source, backend="gpuprims")] == [
                set(layer) for layer in nx.bfs_layers(graph, source)]
            assert [set(layer) for layer in nx.bfs_layers(graph, list(graph)[1:3], backend="gpuprims")] == [
                set(layer) for layer in nx.bfs_layers(graph, list(graph)[1:3])]
            assert nx.descendants_at_distance(graph, source, 2, backend="gpuprims") == nx.descendants_at_distance(
                graph, source, 2)


def test_errors_are_networkx_s(nx):
    graph = nx.path_graph(3)
    with pytest.raises(nx.NodeNotFound):
        nx.single_source_shortest_path_length(graph, 7, backend="gpuprims")
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.connected_components(graph.to_directed(), backend="gpuprims")
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.is_connected(nx.Graph(), backend="gpuprims")
    with pytest.raises(nx.NodeNotFound):
        list(nx.bfs_layers(graph, [0, 7], backend="gpuprims"))


def test_a_graph_without_networkx_s_dictionaries(nx):
    from gpuprims.networkx import Graph
    from scipy import sparse

    matrix = sparse.random(50, 50, 0.03, format="csr", random_state=np.random.default_rng(1))
    matrix = (matrix + matrix.T).tocsr()
    ours, theirs = Graph(matrix), nx.from_scipy_sparse_array(matrix)
    assert list(nx.connected_components(ours)) == list(nx.connected_components(theirs))
    assert nx.single_source_shortest_path_length(ours, 5) == nx.single_source_shortest_path_length(theirs, 5)
    named = Graph((matrix.indptr, matrix.indices), nodes=[f"v{i}" for i in range(50)])
    assert "v5" in nx.single_source_shortest_path_length(named, "v5")
    with pytest.raises(nx.NodeNotFound):
        nx.single_source_shortest_path_length(ours, "v5")


def test_the_page(nx):
    assert doctest.testfile(os.path.join(ROOT, "docs", "networkx.md"), module_relative=False) == (0, 8)
