"""The selection's facts: exact numbers, links, what is unknown, and text from files as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from factories import make_pair
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, KEY, TRITON, full

from profviz.analysis.slice_details import answer_slice
from profviz.model.questions import Question
from profviz.model.results import Results
from profviz.model.slice_details import SliceDetails
from profviz.model.trace import Flag, Shapes
from profviz.model.triton_binary import TritonBinary
from profviz.ui.answers import Answers
from profviz.ui.view_state import Pick, Selection
from profviz.ui.views.details import deeper, fusing, layout
from profviz.ui.views.details.view import SPEC, DetailsView
from profviz.ui.widgets.panel_values import Fact

KERNEL = 12  # the first kernel of the fused side: six operators and six launches stand before it


def flat(facts: tuple[Fact, ...] | list[Fact]) -> list[Fact]:
    return [one for fact in facts for one in (fact, *flat(fact.parts))]


def worked_out(results: Results, side: int, index: int) -> SliceDetails:
    return answer_slice(results, Question("slice", side, (index,)))


def values(selection: Selection, results: Results | None = None) -> dict[str, str]:
    results = results or full()
    slice_ = layout.primary_slice(results, selection)
    found = worked_out(results, *slice_) if slice_ is not None else None
    return {fact.key: fact.value for fact in flat(layout.facts(results, selection, found)) if fact.key}


@pytest.fixture
def answers() -> Iterator[Answers]:
    made_here = Answers()
    made_here.show_results(full())
    yield made_here
    made_here.close()


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_a_kernel_says_all_that_is_known() -> None:
    found = values(Selection(Pick(side=1, slice=KERNEL)))
    wanted = {
        "duration": "5.123 µs",
        "start": "3.500 µs",
        "lane": "GPU 0 · stream 7",
        "kind": "fused",
        "grid": "12288 × 1 × 1 = 12 288",
        "block": "256 × 1 × 1 = 256",
        "registers": "24",
        "shared": "2.00 KiB",
        "correlation": "100",
        "launch": "cudaLaunchKernel",
        "delay": "2.500 µs after its begin",
        "operator": "aten::op",
    }
    assert {key: found[key] for key in wanted} == wanted
    assert "bytes" not in found, "what the trace does not say is left out, not zero"


def test_arguments_are_a_plain_tree() -> None:
    found = values(Selection(Pick(side=1, slice=KERNEL)))
    assert found["name"] == "<b>bold</b>"
    assert found["Input Dims"] == "[[32, 128], []]"
    assert found["a"] == "null"


def test_a_kernel_before_its_launch_is_clock_skew() -> None:
    results = full()
    side = results.sides[1]
    start = side.trace.slices.start_ns.copy()
    start[KERNEL] = 400
    slices = replace(side.trace.slices, start_ns=start)
    results = replace(results, sides=(results.sides[0], replace(side, trace=replace(side.trace, slices=slices))))
    facts = {fact.key: fact for fact in layout.facts(results, Selection(Pick(side=1, slice=KERNEL)))}
    assert facts["delay"].value == "clock skew: starts 600 ns before its launch"
    assert facts["delay"].tone == "warn"


def test_an_unfinished_slice_has_no_duration() -> None:
    results = full()
    side = results.sides[0]
    flags = side.trace.slices.flags.copy()
    flags[0] = Flag.UNFINISHED
    slices = replace(side.trace.slices, flags=flags)
    results = replace(results, sides=(replace(side, trace=replace(side.trace, slices=slices)),))
    facts = {fact.key: fact.value for fact in layout.facts(results, Selection(Pick(side=0, slice=0)))}
    assert facts["duration"] == "unknown: it never ended in the file"


def test_a_launch_lists_what_it_launched() -> None:
    facts = layout.facts(full(), Selection(Pick(side=1, slice=1)))
    launched = next(fact for fact in facts if fact.key == "launched")
    assert launched.value == "1 slice, 5.12 µs in sum"
    assert launched.parts[0].value == TRITON
    assert launched.parts[0].target == {"side": 1, "slice": KERNEL}


def test_counterparts_are_summed_by_side() -> None:
    chosen = Selection(Pick(side=1, slice=KERNEL), slices=((1, KERNEL), (1, KERNEL + 2), (0, 24), (0, 25)))
    found = values(chosen)
    assert found["Eager"] == "2 slices, 10.2 µs in sum"
    assert found["also, Compiled"] == "1 slice, 5.12 µs in sum"


def test_generated_kernels_are_links() -> None:
    facts = layout.facts(full(), Selection(Pick(side=1, slice=KERNEL), kernels=(KEY,)))
    assert [(fact.value, fact.target) for fact in facts if fact.key == "generated"] == [(KEY, {"kernel": KEY})]


def test_a_node_shows_shape_dtype_and_source() -> None:
    found = values(Selection(Pick(report=0, graph=0, node=1), nodes=((0, 0, 1), (0, 0, 2))))
    assert found["operation"] == "aten.mul.Tensor"
    assert (found["shape"], found["dtype"]) == ("s0 × 128", "float16")
    assert found["source"] == f"net.py:40  {BREAK_LINE.text}"
    assert found["graph nodes"] == "1"
    unknown = values(Selection(Pick(report=0, graph=0, node=2)))
    assert unknown["shape"] == "unknown: the log gives none"


def test_following_a_link_picks_it(qtbot: QtBot) -> None:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, DetailsView)
    view.show_results(full())
    assert view.message == layout.HELP
    state.select(Selection(Pick(side=1, slice=KERNEL)))
    assert view.message == ""
    assert view.name.name == TRITON
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    launch = next(i for i, fact in enumerate(view.tree.facts) if fact.key == "launch")
    view.tree.itemClicked.emit(view.tree.topLevelItem(launch), 0)
    assert picks == [Pick(side=1, slice=1)]


def test_what_was_worked_out_is_told_in_words() -> None:
    found = values(Selection(Pick(side=1, slice=KERNEL + 1)))
    wanted = {
        "queue": "empty when launched",
        "step": "1 of 3 (ProfilerStep#0)",
        "launched": "11.0 µs into 20.0 µs",
        "place": "2 of 2 GPU slices",
        "before": f"4.877 µs gap · {TRITON}",
        "counterpart": "5.123 µs on Eager, number 1 of 1 with this name in step 1",
        "Same name": "3 slices, 15.4 µs in sum",
        "this one": "longer than 0 of 3 (0.0 %)",
        "median": "5.123 µs",
        "Eager": "3 slices, 15.4 µs in sum",
    }
    assert {key: found.get(key) for key in wanted} == wanted


def test_links_lead_to_neighbours_and_counterparts() -> None:
    facts = flat(deeper.facts(full(), 1, KERNEL + 1, worked_out(full(), 1, KERNEL + 1)))
    targets = {fact.key: fact.target for fact in facts if fact.target is not None}
    assert targets["before"] == {"side": 1, "slice": KERNEL}
    assert targets["after"] == {"side": 1, "slice": KERNEL + 2}
    assert targets["counterpart"]["side"] == 0


def test_a_queue_frames_and_arrows_are_told_where_there_are_any() -> None:
    found = replace(
        worked_out(full(), 1, KERNEL), operators=(0, 2), forward=(4,), backward=(6,), frames=(8, 10), frames_of=4
    )
    assert found.launched is not None
    found = replace(found, launched=replace(found.launched, queued=3), module="top.mlp")
    facts = deeper.facts(full(), 1, KERNEL, found)
    told = {fact.key: fact for fact in facts}
    assert told["queue"].value == "3 ahead on its stream"
    assert told["called by"].target == {"side": 1, "slice": 2}
    assert (told["forward"].target, told["backward"].target) == ({"side": 1, "slice": 4}, {"side": 1, "slice": 6})
    assert [part.target["slice"] for part in told["fwd stack"].parts] == [8, 10]
    assert told["module"].value == "top.mlp"
    lines = ("torch/nn/linear.py(1): forward", "net.py(40): forward")
    told = {fact.key: fact for fact in deeper.facts(full(), 1, KERNEL, replace(found, frames=(), stack=lines))}
    assert told["Python stack"].value == "net.py(40): forward", "the first frame that is the user's own"


def test_spills_are_told_with_what_they_mean() -> None:
    found = worked_out(full(), 1, KERNEL)

    def told(**known: Any) -> dict[str, Fact]:
        return {fact.key: fact for fact in deeper.facts(full(), 1, KERNEL, replace(found, **known))}

    assert "spills" not in told(), "no Triton kernel"
    assert told(settings="XBLOCK 64")["spills"].value.startswith("unknown")
    none = TritonBinary("k", config=(("XBLOCK", "64"),), num_warps=4, registers=24, spills=0, configs=3)
    facts = told(binary=none)
    assert (facts["spills"].value, facts["spills"].tone) == ("0", "plain")
    assert (facts["settings"].value, facts["chosen of"].value) == ("XBLOCK 64, num_warps 4", "3 configurations")
    some = told(binary=replace(none, spills=12, configs=1), settings="XBLOCK 64")
    assert some["spills"].tone == "warn"
    assert "go through memory" in some["spills"].value
    assert "chosen of" not in some


def test_shapes_read_as_shapes_and_oddities_as_they_are() -> None:
    assert deeper.shapes_text("[[32, 128], [], [7]]") == "32×128, scalar, 7"
    for odd in ("[]", "nonsense", '{"a": 1}', "[[[1, 2]], 3]"):
        assert deeper.shapes_text(odd) == odd
    results = full()
    index, text = np.array([0], dtype=np.int32), np.array([0], dtype=np.int32)
    side = results.sides[1]
    trace = replace(side.trace, shapes=Shapes(index, text, ("[[4, 5]]",)))
    results = replace(results, sides=(results.sides[0], replace(side, trace=trace)))
    assert values(Selection(Pick(side=1, slice=KERNEL)), results)["input shapes"] == "4×5"


def test_the_answer_fills_the_panel_and_one_that_is_late_is_let_go(qtbot: QtBot, answers: Answers) -> None:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, DetailsView)
    state.answers = answers
    view.show_results(full())
    view.resize(304, 900)
    state.select(Selection(Pick(side=1, slice=KERNEL)))
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: any(fact.key == "place" for fact in view.tree.facts))
    state.select(Selection(Pick(side=1, slice=KERNEL + 2)))
    state.select(Selection(Pick(side=1, slice=KERNEL + 1)))
    assert "place" not in {fact.key for fact in view.tree.facts}
    qtbot.waitUntil(lambda: any(fact.key == "place" for fact in view.tree.facts))
    told = {fact.key: fact.value for fact in view.tree.facts}
    assert told["place"] == "2 of 2 GPU slices"
    assert not view.histogram.isHidden()
    assert [one.title for one in view.histogram.data.series] == ["Eager", "Compiled"]
    assert view.histogram.data.marked_ns == 5_123
    state.select(Selection(Pick(report=0, graph=0, node=1)))
    assert view.histogram.isHidden()
    view._answered(Question("slice", 1, (KERNEL,)), worked_out(full(), 1, KERNEL))
    assert "place" not in {fact.key for fact in view.tree.facts}


def test_a_wide_panel_has_the_histogram_beside_a_flat_one_none(qtbot: QtBot, answers: Answers) -> None:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, DetailsView)
    state.answers = answers
    view.show_results(full())
    view.resize(1000, 260)
    with qtbot.waitExposed(view):
        view.show()
    state.select(Selection(Pick(side=1, slice=KERNEL)))
    qtbot.waitUntil(lambda: not view.histogram.isHidden())
    qtbot.waitUntil(lambda: view.histogram.x() > 0)
    assert view.histogram.x() > view.tree.geometry().right()
    view.resize(304, 300)
    assert view.histogram.isHidden(), "the facts go first"


def test_a_slice_alone_of_its_name_has_no_histogram() -> None:
    found = worked_out(full(), 1, KERNEL)
    assert found.alike is not None
    only = replace(found.alike.series[0], spread=replace(found.alike.series[0].spread, count=1))
    assert deeper.histogram(replace(found, alike=replace(found.alike, series=(only,))), duration_ns=5) is None


def test_a_fused_kernel_tells_what_it_replaced_and_an_eager_one_what_became_of_it() -> None:
    pair = make_pair()
    eager = replace(pair.sides[0], slices_of_node={(0, 0, 1): (0, 1, 2)})
    results = replace(pair, sides=(eager, pair.sides[1]))
    first = int(results.sides[1].trace.gpu.slice[0])
    slices = ((1, first), *((0, int(index)) for index in eager.trace.gpu.slice[:6]))
    said = fusing.facts(results, Selection(Pick(side=1, slice=first), slices=slices), (1, first))
    assert [(fact.key, fact.value) for fact in said] == [
        ("replaces", "2 eager kernels a step"),
        ("time a step", "800 ns → 400 ns, 2.00×"),
    ]
    assert [(part.key, part.value, part.target) for part in said[0].parts] == [
        ("800 ns", "2 × kernel", {"side": 0, "slice": slices[1][1]})
    ]
    steps = len(results.sides[0].steps)
    one = ((1, first), *((0, int(index)) for index in eager.trace.gpu.slice[:steps]))
    said = fusing.facts(results, Selection(Pick(side=1, slice=first), slices=one), (1, first))
    assert said[0].value == "1 eager kernel a step"
    back = fusing.facts(results, Selection(Pick(side=0, slice=0), slices=slices), (0, 0))
    assert [fact.key for fact in back] == ["fused into"]
    assert back[0].target == {"side": 1, "slice": first}
    assert fusing.facts(pair, Selection(Pick(side=1, slice=first), slices=slices[:1]), (1, first)) == []


def test_an_eager_kernel_tells_what_was_fused_with_it_and_one_that_stays_is_not_called_fused() -> None:
    pair = make_pair()
    eager = replace(pair.sides[0], slices_of_node={(0, 0, 1): (0, 1, 2)})
    gpu = [int(index) for index in eager.trace.gpu.slice]
    assert fusing.beside(eager, 0, ()) == []
    (said,) = fusing.beside(eager, 0, gpu[:3])
    assert (said.key, said.value) == ("together with", "1 other eager kernel, 400 ns")
    assert said.parts[0].target == {"side": 0, "slice": gpu[0]}
    results = replace(pair, sides=(eager, replace(pair.sides[1], trace=eager.trace)))
    pick = Selection(Pick(side=0, slice=gpu[0]), slices=((0, gpu[0]), (1, gpu[0])))
    assert [fact.key for fact in fusing.facts(results, pick, (0, gpu[0]))] == ["stays as"]
    back = fusing.facts(results, replace(pick, pick=Pick(side=1, slice=gpu[0])), (1, gpu[0]))
    assert [(fact.key, fact.tone) for fact in back] == [("as in eager", "plain"), ("time a step", "plain")]


def test_an_occupancy_of_nothing_is_unknown() -> None:
    results = full()
    side = results.sides[1]
    for percent, said in ((37.4, "37 %, estimated"), (0.0, "unknown, told as 0 %"), (np.nan, None)):
        gpu = replace(side.trace.gpu, occupancy_pct=np.full(len(side.trace.gpu), percent))
        shown = layout.slice_facts(replace(side, trace=replace(side.trace, gpu=gpu)), 1, KERNEL)
        assert {fact.key: fact.value for fact in shown}.get("occupancy") == said
