"""Every graph of every shared compile log is laid out whole, both ways."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from test_view_graphs_layout import assert_sound

from profviz.formats.compile_log import read_compile_log
from profviz.model.graph import Graph
from profviz.ui.views.graphs.layout import lay_out
from profviz.ui.widgets.graph_picture import Role

TRACES = Path(__file__).parents[2].parent / "shared" / "traces"
LOGS = ("gpt2", "resnet50", "broken_train", "ddp.compiled.rank0")


def distinct_graphs(name: str) -> list[Graph]:
    """The log's graphs, of those that agree in stage, nodes and edges only the first (DDP repeats a layer's)."""
    path = TRACES / f"{name}.compile-log.txt.gz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not beside the repository")
    report, _ = read_compile_log(gzip.decompress(path.read_bytes()))
    found: dict[tuple[object, ...], Graph] = {}
    for graph in report.graphs:
        found.setdefault((graph.stage, len(graph.nodes), graph.edges), graph)
    return list(found.values())


@pytest.mark.parametrize("name", LOGS)
def test_every_graph_of_a_log_is_laid_out_whole(name: str) -> None:
    for graph in distinct_graphs(name):
        for downwards in (True, False):
            placement = lay_out(graph, downwards=downwards)
            assert_sound(graph, placement)
            assert (placement.node_count, placement.edge_count) == (len(graph.nodes), len(graph.edges))


def test_the_kernels_of_gpt2_stand_in_hulls_and_its_weights_beside_their_consumers() -> None:
    graph = next(graph for graph in distinct_graphs("gpt2") if graph.stage.value == "post_grad_inference")
    placement = lay_out(graph, downwards=True)
    assert len(placement.picture.hulls) > 40
    weights = [index for index, node in enumerate(graph.nodes) if node.op == "placeholder"]
    chips = [index for index in weights if placement.picture.shapes[placement.shape_of[index]].role is Role.CHIP]
    assert len(chips) > 0.9 * len(weights)
