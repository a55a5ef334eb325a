"""From one box a kernel to fused groups: geometry on all ways between, and the slider that runs there and stops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_view_graphs_layout import assert_edges_end_on_boxes, graphs, no_overlap

from profviz.model.graph import Graph, Node, Stage, TensorSpec
from profviz.ui.views.graphs.fusing import TIGHT, blended
from profviz.ui.views.graphs.layout import lay_out
from profviz.ui.widgets.graph_morph import MorphSlider
from profviz.ui.widgets.graph_picture import Picture

NAMES = ("mul", "pow", "mul", "add", "mul", "tanh", "add", "mul")


def chain() -> Graph:
    """The GELU of the design: eight operations of one kernel between two of another's."""
    spec = TensorSpec((32, 128, 3072), "float16")
    nodes = [Node("addmm", "call_function", "torch.ops.aten.addmm.default", spec, kernels=("extern_kernels.addmm:1",))]
    for place, name in enumerate(NAMES):
        target = f"torch.ops.aten.{name}.Tensor"
        nodes.append(Node(f"{name}_{place}", "call_function", target, spec, kernels=("triton_poi_fused_gelu_0:2",)))
    edges = [(at, at + 1) for at in range(len(NAMES))]
    return Graph(Stage.POST_GRAD_FORWARD, "0/0", tuple(nodes), tuple(edges))


@settings(max_examples=30, deadline=None)
@given(graph=graphs(), downwards=st.booleans(), share=st.floats(0, 1))
def test_on_every_way_between_nothing_overlaps_and_edges_stay_on_their_boxes(
    *, graph: Graph, downwards: bool, share: float
) -> None:
    placement = lay_out(graph, downwards=downwards)
    picture = blended(placement.picture, placement.fused, share)
    assert no_overlap(picture.rects)
    assert_edges_end_on_boxes(picture, onwards=False)
    assert no_overlap(picture.hull_rects)


@settings(max_examples=30, deadline=None)
@given(graph=graphs(), downwards=st.booleans())
def test_what_is_within_a_hull_stays_within_it_and_across_nothing_else_moves(*, graph: Graph, downwards: bool) -> None:
    placement = lay_out(graph, downwards=downwards)
    picture, axis = placement.picture, 0 if downwards else 1
    for shape, (x, y, width, height) in enumerate(picture.rects):
        left, top, wide, high = placement.fused.rects[shape]
        assert (wide, high) == pytest.approx((width, height))
        number = picture.hull_at(x + width / 2, y + height / 2)
        if number < 0:
            assert placement.fused.rects[shape, axis] == picture.rects[shape, axis]
            continue
        before, hull = picture.hull_rects[number], placement.fused.hull_rects[number]
        if x < before[0] or x + width > before[0] + before[2] or y < before[1] or y + height > before[1] + before[3]:
            continue  # a view of nobody's that sticks out
        assert hull[0] - 1e-6 <= left <= left + wide <= hull[0] + hull[2] + 1e-6
        assert hull[1] - 1e-6 <= top <= top + high <= hull[1] + hull[3] + 1e-6


def picture_length(picture: Picture) -> float:
    return picture.bounds[3 if picture.downwards else 2]


@pytest.mark.parametrize("downwards", [True, False])
def test_the_boxes_of_a_kernel_come_together_and_those_of_others_stay(*, downwards: bool) -> None:
    placement = lay_out(chain(), downwards=downwards)
    axis = 1 if downwards else 0
    boxes = [placement.shape_of[node] for node in range(len(NAMES) + 1)]
    spread, tight = placement.picture.rects[boxes], placement.fused.rects[boxes]
    assert np.array_equal(spread[0], tight[0])
    gaps = tight[2:, axis] - tight[1:-1, axis] - tight[1:-1, axis + 2]
    assert gaps == pytest.approx(TIGHT)
    assert picture_length(placement.fused) < picture_length(placement.picture)
    assert (spread[2:, axis] - spread[1:-1, axis] - spread[1:-1, axis + 2] > 2 * TIGHT).all()


def test_eager_has_no_groups_and_fused_has_all() -> None:
    placement = lay_out(chain(), downwards=True)
    assert blended(placement.picture, placement.fused, 0.0).hulls == ()
    whole = blended(placement.picture, placement.fused, 1.0)
    assert whole.hulls == placement.picture.hulls
    assert np.array_equal(whole.rects, placement.fused.rects)
    half = blended(placement.picture, placement.fused, 0.5)
    assert half.fused == 0.5
    assert half.rects == pytest.approx((placement.picture.rects + placement.fused.rects) / 2)


@pytest.fixture
def slider(qtbot: QtBot) -> MorphSlider:
    made = MorphSlider("Eager", "Fused", name="fusion")
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_slider_runs_through_what_lies_between_and_ends(slider: MorphSlider, qtbot: QtBot) -> None:
    told: list[tuple[float, bool]] = []
    slider.moved.connect(lambda share, moving: told.append((share, moving)))
    slider.run_to(0.0)
    assert slider.is_running
    qtbot.waitUntil(lambda: not slider.is_running)
    assert told[-1] == (0.0, False)
    assert any(0 < share < 1 and moving for share, moving in told)


def test_hiding_the_slider_ends_its_run_where_it_was_to_end(slider: MorphSlider) -> None:
    slider.run_to(0.0)
    slider.hide()
    assert not slider.is_running
    assert slider.share == 0.0


def test_where_no_animations_are_wanted_it_jumps(slider: MorphSlider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MorphSlider, "is_calm", property(lambda self: True))
    slider.run_to(0.0)
    assert not slider.is_running
    assert slider.share == 0.0


def test_the_keyboard_moves_it_and_the_words_at_its_ends_run(slider: MorphSlider, qtbot: QtBot) -> None:
    qtbot.keyClick(slider.slider, Qt.Key.Key_Home)
    assert slider.share == 0.0
    qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
    assert slider.share == 0.05
    slider.ends[1].click()
    qtbot.waitUntil(lambda: not slider.is_running)
    assert slider.share == 1.0
