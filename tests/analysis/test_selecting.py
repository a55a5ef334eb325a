"""From any of the four places to the three others, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from profviz.analysis.selecting import from_kernel, from_node, from_slice, from_source
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.graph import Stage
from profviz.model.results import Results

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")


@pytest.fixture(scope="module")
def gpt2() -> Results:
    names = ("gpt2.eager.json.gz", "gpt2.compiled-default.json.gz", "gpt2.compile-log.txt.gz")
    return results_of_documents([open_document(SHARED / name) for name in names])


@pytest.fixture(scope="module")
def kernel(gpt2: Results) -> str:
    """The first call of the GELU kernel."""
    return next(key for key in gpt2.sides[1].slices_of_kernel if "add_mul_pow_tanh" in key)


def test_a_slice_leads_to_its_kernel_nodes_and_lines(gpt2: Results, kernel: str) -> None:
    slices = gpt2.sides[1].slices_of_kernel[kernel]
    linked = from_slice(gpt2, 1, slices[1])
    assert linked.kernels == (kernel,)
    assert linked.slices[0] == (1, slices[1])
    assert sorted(pair for pair in linked.slices if pair[0] == 1) == [(1, index) for index in slices]
    assert len(linked.slices) == len(slices) * (1 + 8)  # the eight eager kernels of each step that it replaced
    stages = {gpt2.reports[report][1].graphs[graph].stage for report, graph, _ in linked.nodes}
    assert {Stage.DYNAMO, Stage.POST_GRAD_INFERENCE} <= stages
    assert "activations.py" in {Path(source.file).name for source in linked.sources}
    targets = {gpt2.reports[report][1].graphs[graph].nodes[node].target for report, graph, node in linked.nodes}
    assert any("tanh" in target for target in targets)


def test_what_a_kernel_leads_to_leads_back(gpt2: Results, kernel: str) -> None:
    linked = from_kernel(gpt2, kernel)
    assert linked.nodes
    for node in linked.nodes:
        back = from_node(gpt2, *node)
        assert kernel in back.kernels
        assert back.nodes[0] == node
        assert set(linked.slices) <= set(back.slices)
    tanh = next(source for source in linked.sources if Path(source.file).name == "activations.py")
    by_line = from_source(gpt2, tanh)
    assert kernel in by_line.kernels
    assert set(linked.slices) <= set(by_line.slices)
    assert len([key for key in by_line.kernels if "add_mul_pow_tanh" in key]) == 12


def test_an_eager_slice_that_no_node_stands_for_is_only_itself(gpt2: Results) -> None:
    trace = gpt2.sides[0].trace
    index = next(index for index in trace.gpu.slice.tolist() if trace.name_of(index).startswith("Memcpy DtoH"))
    linked = from_slice(gpt2, 0, index)
    assert (linked.slices, linked.nodes, linked.kernels, linked.sources) == (((0, index),), (), (), ())


def test_a_line_that_no_node_has_leads_nowhere(gpt2: Results, kernel: str) -> None:
    source = from_kernel(gpt2, kernel).sources[0]
    elsewhere = type(source)(source.file, 999_999)
    linked = from_source(gpt2, elsewhere)
    assert (linked.slices, linked.nodes, linked.kernels, linked.sources) == ((), (), (), (elsewhere,))


def test_a_backward_kernel_stays_with_the_backward_graphs() -> None:
    names = ("broken_train.compiled-default.json.gz", "broken_train.compile-log.txt.gz")
    results = results_of_documents([open_document(SHARED / name) for name in names])
    keys = [key for key in results.sides[0].slices_of_kernel if " backward " in key]
    assert keys
    for key in keys:
        for report, graph, _ in from_kernel(results, key).nodes:
            shown = results.reports[report][1].graphs[graph]
            assert shown.stage in (Stage.AOT_BACKWARD, Stage.POST_GRAD_BACKWARD)
            assert shown.compile_id == key.split(" ")[0]
