"""A training run captured on this machine's CPU: kernels on either timeline, nodes forward and backward, and lines."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from profviz.analysis.selecting import from_node, from_slice, from_source
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.graph import Stage
from profviz.model.results import Results

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch in this interpreter"),
]
QUICK = ("--device", "cpu", "--steps", "4", "--rounds", "2", "--profile-steps", "2")
BACKWARD = (Stage.AOT_BACKWARD, Stage.POST_GRAD_BACKWARD)
SCRIPT = """\
import torch

class Tiny(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(64, 128)
        self.down = torch.nn.Linear(128, 64)

    def forward(self, x):
        h = self.up(x)
        h = torch.nn.functional.gelu(h) * 0.5
        return self.down(h)

model = Tiny()
inputs = torch.randn(8, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def loss_fn(out):
    return (out * out).mean()
"""
GELU = 11  # its line


def stages(results: Results, nodes: Iterable[tuple[int, int, int]]) -> set[Stage]:
    return {results.graphs_of(report)[graph].stage for report, graph, _ in nodes}


def test_kernels_of_both_timelines_lead_to_nodes_and_lines_and_back(
    profviz: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "tiny.py").write_text(SCRIPT)
    ran = profviz("run", "tiny.py", *QUICK, "-o", "s.profviz")
    assert ran.code == 0, ran.err
    results = results_of_documents([open_document(tmp_path / "s.profviz")])
    eager, compiled = results.sides
    ways: set[bool] = set()
    for key, slices in compiled.slices_of_kernel.items():
        linked = from_slice(results, 1, slices[0])
        assert key in linked.kernels
        found = stages(results, linked.nodes)
        ways.add(bool(found & set(BACKWARD)))
        assert found, key
        assert "tiny.py" in {Path(source.file).name for source in linked.sources}, key
        for node in linked.nodes:
            assert (1, slices[0]) in from_node(results, *node).slices
        for source in linked.sources:
            assert (1, slices[0]) in from_source(results, source).slices
    assert ways == {False, True}, "kernels of forward and of backward"
    for node, slices in eager.slices_of_node.items():
        linked = from_slice(results, 0, slices[0])
        assert node in linked.nodes
        assert (0, slices[0]) in from_node(results, *node).slices
    gelu = next(
        node for node in eager.slices_of_node if "gelu" in results.graphs_of(node[0])[node[1]].nodes[node[2]].target
    )
    lines = {(Path(source.file).name, source.line) for source in from_node(results, *gelu).sources}
    assert ("tiny.py", GELU) in lines
