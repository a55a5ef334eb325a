"""The selection's facts: exact numbers, links, what is unknown, and text from files as it is."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, KEY, TRITON, full

from profviz.model.trace import Flag
from profviz.ui.view_state import Pick, Selection
from profviz.ui.views.details import layout
from profviz.ui.views.details.view import SPEC, DetailsView
from profviz.ui.widgets.panel_values import Fact

KERNEL = 12  # the first kernel of the fused side: six operators and six launches stand before it


def flat(facts: tuple[Fact, ...] | list[Fact]) -> list[Fact]:
    return [one for fact in facts for one in (fact, *flat(fact.parts))]


def values(selection: Selection) -> dict[str, str]:
    return {fact.key: fact.value for fact in flat(layout.facts(full(), selection))}


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
        "delay": "2.500 µs after launch",
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
