"""Which nodes bear the kernels that compute them: only where the log's names lead to them for certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from profviz.formats.registry import open_document
from profviz.model.compile_report import CompileReport
from profviz.model.graph import Graph, Stage

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")


def report_of(name: str) -> CompileReport:
    report = open_document(SHARED / f"{name}.compile-log.txt.gz").report
    assert report is not None
    return report


def bearing(graph: Graph) -> int:
    return sum(bool(node.kernels) for node in graph.nodes)


def test_nodes_of_a_split_graph_are_not_taken_for_those_of_its_parts_by_name() -> None:
    report = report_of("ddp.compiled.rank0")
    split = next(graph for graph in report.graphs if graph.stage is Stage.DYNAMO and graph.compile_id == "5/0")
    whole = next(graph for graph in report.graphs if graph.stage is Stage.DYNAMO and graph.compile_id == "7/0")
    assert bearing(split) == 0
    assert bearing(whole) > 0
    parts = [graph for graph in report.graphs if graph.stage is Stage.POST_GRAD_FORWARD and "part" in graph.compile_id]
    assert len(parts) == 14
    assert all(bearing(graph) for graph in parts)


@pytest.mark.parametrize("name", ["broken_train", "ddp.compiled.rank0"])
def test_the_joint_graph_has_names_of_its_own(name: str) -> None:
    joint = [graph for graph in report_of(name).graphs if graph.stage is Stage.AOT_JOINT]
    assert joint
    assert [bearing(graph) for graph in joint] == [0] * len(joint)


@pytest.mark.parametrize("name", ["gpt2", "resnet50", "broken_train"])
def test_a_fused_kernel_and_the_nodes_of_dynamo_it_computes_share_a_source_line(name: str) -> None:
    report = report_of(name)
    for graph in report.graphs:
        if graph.stage is not Stage.DYNAMO:
            continue
        code = next(code for code in report.code if code.compile_id == graph.compile_id)
        agree = differ = 0
        for node in graph.nodes:
            for handle in node.kernels:
                lines = {(source.file, source.line) for source in code.stacks.get(handle, ())}
                if node.source and lines:
                    found = (node.source.file, node.source.line) in lines
                    agree, differ = agree + found, differ + (not found)
        assert agree > 9 * differ, graph.title


def test_backward_kernels_lead_to_their_nodes_though_the_log_maps_none() -> None:
    report = report_of("broken_train")
    backward = [graph for graph in report.graphs if graph.stage is Stage.POST_GRAD_BACKWARD]
    borne = {handle for graph in backward for node in graph.nodes for handle in node.kernels}
    made = {handle for code in report.code if code.direction == "backward" for handle in code.kernels}
    assert {handle for handle in made if handle.startswith("triton_")} == borne
