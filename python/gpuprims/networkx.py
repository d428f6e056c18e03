"""A backend of NetworkX: nx.connected_components(graph, backend="gpuprims"). NetworkX finds it by its entry point.

A graph of NetworkX is converted once and kept by NetworkX's cache; Graph(...) makes one of a CSR matrix or of (offsets,
targets) without NetworkX's dictionaries, on a GPU if the arrays are there.
"""
from __future__ import annotations

import importlib
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from . import _graphs
from ._arrays import numpy_library

Node = Hashable


class Graph:
    """A graph for NetworkX's functions of this backend. graph: as gpuprims.bfs takes it; an undirected one has both
    directions of every edge. nodes: the names of vertices, 0, 1, ... otherwise."""

    __networkx_backend__ = "gpuprims"

    def __init__(self, graph: Any, /, *, directed: bool = False, nodes: Iterable[Node] | None = None) -> None:
        self.graph, self.directed = graph, directed
        self.nodes = None if nodes is None else list(nodes)
        self._places: dict[Node, int] | None = None

    def is_directed(self) -> bool:
        return self.directed

    def is_multigraph(self) -> bool:
        return False

    def number_of_nodes(self) -> int:
        if self.nodes is not None:
            return len(self.nodes)
        offsets = self.graph[0] if isinstance(self.graph, tuple) else self.graph.indptr
        return int(offsets.shape[0]) - 1

    __len__ = number_of_nodes

    def __contains__(self, node: Node) -> bool:
        if self.nodes is None:
            return isinstance(node, int) and 0 <= node < self.number_of_nodes()
        if self._places is None:
            self._places = {one: number for number, one in enumerate(self.nodes)}
        try:
            return node in self._places
        except TypeError:  # no name has no hash
            return False

    def place(self, node: Node) -> int:
        """The number of a vertex."""
        if node not in self:
            raise importlib.import_module("networkx").NodeNotFound(f"Node {node} is not in the graph")
        return node if self._places is None else self._places[node]  # type: ignore[return-value]

    def names(self, places: Any) -> list[Node]:
        """The names of vertices with these numbers."""
        return places.tolist() if self.nodes is None else [self.nodes[place] for place in places]


def convert_from_nx(graph: Any, *arguments: Any, **options: Any) -> Graph:
    """A graph of NetworkX, without its attributes."""
    if isinstance(graph, Graph):
        return graph
    numpy = numpy_library().numpy
    nodes = list(graph)
    place = {node: number for number, node in enumerate(nodes)}
    degrees = numpy.fromiter((len(graph._adj[node]) for node in nodes), numpy.int64, len(nodes))
    offsets = numpy.zeros(len(nodes) + 1, numpy.int64)
    numpy.cumsum(degrees, out=offsets[1:])
    targets = numpy.fromiter((place[other] for node in nodes for other in graph._adj[node]), numpy.int32,
                             int(offsets[-1]))
    return Graph((offsets, targets), directed=graph.is_directed(), nodes=nodes)


def convert_to_nx(result: Any, *arguments: Any, **options: Any) -> Any:
    """Results are Python's own already."""
    return result


def _numpy(array: Any) -> Any:
    for name in ("get", "numpy"):  # of CuPy; of PyTorch
        if hasattr(array, name):
            return getattr(array.cpu() if name == "numpy" else array, name)()
    return numpy_library().numpy.asarray(array)


def single_source_shortest_path_length(G: Any, source: Node, cutoff: Any = None) -> dict[Node, int]:
    """{vertex: the number of edges from the source}, the nearest first."""
    graph = convert_from_nx(G)
    depths = _numpy(_graphs.bfs(graph.graph, graph.place(source), directed=graph.directed))
    numpy = numpy_library().numpy
    order = numpy.argsort(depths, kind="stable")
    order = order[depths[order] >= 0]
    if cutoff is not None:
        order = order[depths[order] <= cutoff]
    return dict(zip(graph.names(order), depths[order].tolist(), strict=True))


def descendants_at_distance(G: Any, source: Node, distance: int) -> set[Node]:
    """The vertices at a distance from the source."""
    graph = convert_from_nx(G)
    depths = _numpy(_graphs.bfs(graph.graph, graph.place(source), directed=graph.directed))
    return set(graph.names((depths == distance).nonzero()[0]))


def bfs_layers(G: Any, sources: Any) -> Iterator[list[Node]]:
    """The vertices at each distance from the nearest source; a search for each source."""
    graph = convert_from_nx(G)
    several = list(sources) if sources not in graph and isinstance(sources, Iterable) else [sources]
    numpy = numpy_library().numpy
    far = numpy.iinfo(numpy.int32).max
    depths = numpy.full(graph.number_of_nodes(), far, numpy.int32)
    for place in [graph.place(source) for source in several]:
        found = _numpy(_graphs.bfs(graph.graph, place, directed=graph.directed))
        numpy.minimum(depths, numpy.where(found < 0, far, found), out=depths)
    for distance in range(int(depths[depths < far].max(initial=-1)) + 1):
        yield graph.names((depths == distance).nonzero()[0])


def _labels(G: Any, directed: bool) -> tuple[Graph, Any]:
    graph = convert_from_nx(G)
    if graph.directed != directed:
        kind = "directed" if graph.directed else "undirected"
        raise importlib.import_module("networkx").NetworkXNotImplemented(f"not implemented for {kind} type")
    return graph, _numpy(_graphs.connected_components(graph.graph, directed=directed)[1])


def _components(G: Any, directed: bool) -> Iterator[set[Node]]:
    graph, labels = _labels(G, directed)
    numpy = numpy_library().numpy
    order = numpy.argsort(labels, kind="stable")
    for part in numpy.split(order, numpy.flatnonzero(numpy.diff(labels[order])) + 1):
        if len(part):
            yield set(graph.names(part))


def connected_components(G: Any) -> Iterator[set[Node]]:
    """Sets of vertices, in the order of their first ones."""
    return _components(G, False)


def weakly_connected_components(G: Any) -> Iterator[set[Node]]:
    return _components(G, True)


def _number(G: Any, directed: bool) -> int:
    labels = _labels(G, directed)[1]
    return int((labels == numpy_library().numpy.arange(len(labels))).sum())


def number_connected_components(G: Any) -> int:
    return _number(G, False)


def number_weakly_connected_components(G: Any) -> int:
    return _number(G, True)


def _is_one(G: Any, directed: bool) -> bool:
    if len(G) == 0:
        raise importlib.import_module("networkx").NetworkXPointlessConcept("Connectivity is undefined for the null "
                                                                           "graph.")
    return _number(G, directed) == 1


def is_connected(G: Any) -> bool:
    return _is_one(G, False)


def is_weakly_connected(G: Any) -> bool:
    return _is_one(G, True)


def node_connected_component(G: Any, n: Node) -> set[Node]:
    """The vertices that a path leads to."""
    graph, labels = _labels(G, False)
    return set(graph.names((labels == labels[graph.place(n)]).nonzero()[0]))


_FUNCTIONS = ("single_source_shortest_path_length", "descendants_at_distance", "bfs_layers", "connected_components",
              "weakly_connected_components", "number_connected_components", "number_weakly_connected_components",
              "is_connected", "is_weakly_connected", "node_connected_component")


def get_info() -> dict[str, Any]:
    """What NetworkX asks of a backend."""
    return {"backend_name": "gpuprims", "project": "gpuprims", "package": "gpuprims",
            "short_summary": "Breadth-first search and components on the host or a GPU.",
            "functions": {name: {} for name in _FUNCTIONS}}


__all__ = ["Graph", "convert_from_nx", "convert_to_nx", "get_info", *_FUNCTIONS]
