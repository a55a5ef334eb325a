"""One click from a bar to the four questions: what the compiler did about the slice that is selected."""

from __future__ import annotations

from pathlib import Path

import pytest

from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection
from profviz.ui.views.details import compiling, layout
from profviz.ui.widgets.panel_values import Fact

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")


@pytest.fixture(scope="module")
def broken() -> Results:
    names = ("broken_train.eager.json.gz", "broken_train.compiled-default.json.gz", "broken_train.compile-log.txt.gz")
    return results_of_documents([open_document(SHARED / name) for name in names])


def told(results: Results, name: str, side: int = 1) -> dict[str, Fact]:
    """The lines about the first slice whose name begins so, by key."""
    trace = results.sides[side].trace
    index = next(at for at in range(len(trace.slices)) if trace.name_of(at).startswith(name))
    found = compiling.facts(results.sides[side], index, Selection(Pick(side=side, slice=index)))
    return {one.key: one for fact in found for one in (fact, *fact.parts)}


def test_a_region_tells_of_its_break_recompiles_cost_and_guards(broken: Results) -> None:
    found = told(broken, "Torch-Compiled Region: 0/0")
    assert found["compiled"].value == "0/0 forward, 3 operations"
    assert found["breaks"].value.startswith("capture_one.py:40: Unsupported Tensor.item()")
    assert found["breaks"].target["source"].line == 40
    assert found["recompiles"].value == "none of this frame"
    assert ", backward " in found["cost"].value
    assert found["guards"].value == "24, 62.4 µs a check"
    assert "captured" not in found


def test_a_kernel_of_a_graph_is_captured_and_one_between_graphs_is_not(broken: Results) -> None:
    assert told(broken, "triton_poi_fused")["captured"].value == "yes, in the compiled graph"
    item = told(broken, "Memcpy DtoH")
    assert (item["captured"].value, item["captured"].tone) == ("no, eager between graphs", "warn")
    assert item["compiled"].value.startswith("0/0 ")


def test_the_optimizer_runs_outside_and_an_eager_side_is_not_asked(broken: Results) -> None:
    optimizer = told(broken, "void at::native::(anonymous namespace)::multi_tensor_apply_kernel")
    assert list(optimizer) == ["captured"]
    assert optimizer["captured"].value == "no, outside of compiled code"
    assert told(broken, "aten::", side=0) == {}


def test_a_backward_kernel_finds_its_compilation_by_the_graph_that_was_called(broken: Results) -> None:
    side = broken.sides[1]
    trace = side.trace
    backward = next(
        key
        for key in side.slices_of_kernel
        if " backward " in key and trace.gpu.slice.tolist().count(side.slices_of_kernel[key][0])
    )
    index = side.slices_of_kernel[backward][0]
    (fact,) = compiling.facts(side, index, Selection(Pick(side=1, slice=index)))
    assert fact.value.split(" ")[0] == backward.split(" ")[0]


def test_they_stand_right_below_the_duration(broken: Results) -> None:
    trace = broken.sides[1].trace
    index = next(at for at in range(len(trace.slices)) if trace.name_of(at).startswith("Torch-Compiled Region: 1/0"))
    keys = [fact.key for fact in layout.facts(broken, Selection(Pick(side=1, slice=index)))]
    assert keys[:3] == ["side", "duration", "compiled"]
