"""Source: only text the results carry, the right lines marked, kernels found in generated code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, CODE_TEXT, KEY, LIBRARY_LINE, SCRIPT, SCRIPT_TEXT, TRITON, full, report

from profviz.model.break_cost import BreakAccount, BreakCost
from profviz.model.compile_report import TritonKernel
from profviz.model.graph import SourceLine
from profviz.model.results import Results
from profviz.model.run import VariantResult
from profviz.model.triton_binary import TritonBinary
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.source import graph_text, kernels, layout
from profviz.ui.views.source.layout import GENERATED, GRAPH, PYTHON
from profviz.ui.views.source.view import SPEC, SourceView
from profviz.ui.widgets.code_lexing import Segment
from profviz.ui.widgets.code_segments import generated_segments
from profviz.ui.widgets.palette import DARK


def view_of(qtbot: QtBot) -> SourceView:
    view, _ = made(qtbot, SPEC)
    assert isinstance(view, SourceView)
    view.resize(320, 560)
    view.show_results(full())
    view.show()
    return view


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def test_a_picked_line_is_marked_and_in_sight(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    view._state.select(Selection(Pick(source=BREAK_LINE), sources=(BREAK_LINE,)))
    assert view.python.toPlainText() == SCRIPT_TEXT
    assert [(mark.line, mark.sign, mark.tone) for mark in view.python.marks] == [(40, "▸", "bad")]
    first = view.python.firstVisibleBlock().blockNumber() + 1
    assert first <= 40 <= first + 30
    assert view.python.current_line() == 40


def test_the_disk_is_never_asked(qtbot: QtBot, tmp_path: Path) -> None:
    real = tmp_path / "real.py"
    real.write_text("secret = 1\n")
    line = SourceLine(str(real), 1, text="")
    shown = layout.python_text(full(), str(real), (line,))
    assert shown.text == ""
    assert "no record quotes a line" in shown.note


def test_a_file_not_in_the_session_shows_the_quoted_lines(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    view._state.select(Selection(Pick(source=LIBRARY_LINE)))
    assert view.python.toPlainText() == LIBRARY_LINE.text
    assert view.python.current_line() == 125
    assert "does not hold this file" in view.note.text()
    assert [mark.line for mark in view.python.marks] == [125]


def test_a_picked_line_raises_the_dock_and_a_slice_does_not(qtbot: QtBot) -> None:
    state = ViewState()
    view = SPEC.factory(state, DARK)
    window = QMainWindow()
    qtbot.addWidget(window)
    other, own = QDockWidget("other"), QDockWidget("source")
    own.setWidget(view.widget())
    for dock in (own, other):
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    window.tabifyDockWidget(own, other)
    window.show()
    other.raise_()
    view.show_results(full())
    state.select(Selection(Pick(side=0, slice=24), slices=((0, 24),), sources=(BREAK_LINE,)))
    assert not view.widget().visibleRegion().boundingRect().isValid()
    state.select(Selection(Pick(source=BREAK_LINE), sources=(BREAK_LINE,)))
    assert view.widget().visibleRegion().boundingRect().isValid()


def test_another_file_keeps_the_selected_lines(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    elsewhere = SourceLine("/lib/new.py", 3, text="y = x")
    view._state.select(Selection(Pick(source=elsewhere), sources=(elsewhere, BREAK_LINE)))
    assert view.files.currentText() == "new.py"
    view.files.activated.emit(0)
    assert view.files.currentText() == "net.py"
    assert view.python.current_line() == 40


def test_a_kernel_opens_its_generated_code(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    view._state.select(Selection(Pick(side=1, slice=12), kernels=(KEY,)))
    lines = CODE_TEXT.split("\n")
    defined, called = (mark.line for mark in view.generated.marks)
    assert lines[defined - 1].startswith(f"{TRITON} = async_compile")
    assert f"{TRITON}.run(buf0" in lines[called - 1]
    assert view.generated.current_line() == defined
    view.jump.click()
    assert view.generated.current_line() == called
    view.jump.click()
    assert view.generated.current_line() == defined


def test_handles_of_one_kernel_find_their_own_call() -> None:
    lines = CODE_TEXT.split("\n")
    assert f"{TRITON}.run(buf1" in lines[layout.kernel_lines(CODE_TEXT, f"{TRITON}:3")[1] - 1]
    assert layout.kernel_lines(CODE_TEXT, "extern_kernels.addmm:1")[0] == 0
    assert "extern_kernels.addmm(arg0_1" in lines[layout.kernel_lines(CODE_TEXT, "extern_kernels.addmm:1")[1] - 1]
    define, call = layout.kernel_lines(CODE_TEXT, "cpp_fused_add_0:9")
    assert (lines[define - 1][:15], lines[call - 1].strip()) == ("cpp_fused_add_0", "cpp_fused_add_0(buf1)")
    assert layout.kernel_lines(CODE_TEXT, "no_such:1") == (0, 0)


def test_embedded_kernels_have_their_own_language() -> None:
    made_of = generated_segments(CODE_TEXT)
    assert [one.language for one in made_of] == ["python", "python", "python", "cpp", "python"]
    assert CODE_TEXT[made_of[1].start : made_of[1].end].strip().startswith("import triton")
    assert "#include" in CODE_TEXT[made_of[3].start : made_of[3].end]
    assert "'''" not in "".join(CODE_TEXT[one.start : one.end] for one in made_of)


def test_a_gutter_click_and_enter_pick_the_line(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    picks: list[Pick] = []
    view._state.picked.connect(picks.append)
    view.python.scroll_to(10)
    qtbot.keyClick(view.python, Qt.Key.Key_Return)
    view.python.verticalScrollBar().setValue(4)
    qtbot.mouseClick(view.python._gutter, Qt.MouseButton.LeftButton, pos=QPoint(5, 6))
    assert [(pick.source.file, pick.source.line) for pick in picks if pick.source] == [(SCRIPT, 10), (SCRIPT, 5)]


def test_without_generated_code_it_says_so(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    view.show_results(replace(full(), reports=()))
    assert "No generated code" in view.no_code.text()
    assert view.generated.isHidden()


def test_long_code_is_coloured_in_slices_and_dropped_on_change(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    text = "def f(x):\n    return 'a' + str(1)  # why\n" * 6_000
    view.python.show_code(text, segments=(Segment(0, len(text), "python"),))
    assert not view.python.coloured
    qtbot.waitUntil(lambda: view.python.coloured, timeout=30_000)
    assert {style for _, _, style in view.python._highlighter.spans[11_999]} >= {"keyword", "string", "comment"}
    view.python.show_code(text + "#", segments=(Segment(0, len(text), "python"),))
    view.python.show_code("x = 1", segments=(Segment(0, 5, "python"),))
    assert view.python.coloured
    assert not view.python._timer.isActive()


GRAPH_TEXT = """class G(torch.nn.Module):
    def forward(
        self,
        arg0_1: "f16[32, 128][128, 1]cuda:0",  # PlainAOTInput(idx=0)
    ):
        # File: net.py:40 in forward, code: if x == 1:
        mul: "f16[32, 128][128, 1]cuda:0" = torch.ops.aten.mul.Tensor(arg0_1, 2);  arg0_1 = None
        view = torch.ops.aten.view.default(mul, [32, 128]);  mul = None
        return (view,)
"""


def with_graph_text() -> Results:
    own = report()
    return replace(full(), reports=(("default", replace(own, graphs=(replace(own.graphs[0], text=GRAPH_TEXT),))),))


def test_lines_of_a_printed_graph_belong_to_nodes() -> None:
    lines = graph_text.node_lines(GRAPH_TEXT)
    assert lines == {"arg0_1": 4, "mul": 7, "view": 8, "output": 9}
    one_line = graph_text.node_lines('    def forward(self, a: "f32[2]", b: "f32[2]"):\n        c = a + b\n')
    assert one_line == {"a": 1, "b": 1, "c": 2}
    graph = report().graphs[0]
    assert [graph_text.node_on(graph, lines, line) for line in (4, 7, 8, 6)] == [0, 1, 2, -1]


def test_a_selected_node_is_marked_in_its_graphs_text_and_a_line_picks_its_node(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    view.show_results(with_graph_text())
    qtbot.mouseClick(view.tabs.button(GRAPH), Qt.MouseButton.LeftButton)
    view._state.select(Selection(Pick(report=0, graph=0, node=2), nodes=((0, 0, 2), (0, 0, 1))))
    assert [mark.line for mark in view.graph.code.marks] == [7, 8]
    assert view.graph.code.current_line() == 8
    picks: list[Pick] = []
    view._state.picked.connect(picks.append)
    view.graph.code.scroll_to(7)
    qtbot.keyClick(view.graph.code, Qt.Key.Key_Return)
    view.graph.code.scroll_to(1)
    qtbot.keyClick(view.graph.code, Qt.Key.Key_Return)
    assert [(pick.report, pick.graph, pick.node) for pick in picks] == [(0, 0, 1)]


def test_a_graph_without_text_is_not_offered(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    assert view.graph.graphs.isHidden()
    assert not view.graph.none.isHidden()


def test_a_line_of_generated_code_leads_to_its_kernel(qtbot: QtBot) -> None:
    code = report().code[0]
    lines = CODE_TEXT.split("\n")
    at = {text: number for number, text in enumerate(lines, 1)}
    definition = next(number for text, number in at.items() if text.startswith(f"{TRITON} = async"))
    found = [kernels.kernel_at(code, line) for line in (definition, definition + 6, definition + 11)]
    assert found == [KEY, KEY, ""]
    second = next(number for text, number in at.items() if f"{TRITON}.run(buf1" in text)
    assert kernels.kernel_at(code, second) == KEY.replace(":2", ":3")
    assert kernels.kernel_at(code, 1) == ""
    view = view_of(qtbot)
    picks: list[Pick] = []
    view._state.picked.connect(picks.append)
    view.tabs.button(1).click()
    view.generated.scroll_to(second)
    qtbot.keyClick(view.generated, Qt.Key.Key_Return)
    assert [(pick.report, pick.kernel) for pick in picks] == [(0, KEY.replace(":2", ":3"))]


def test_a_kernels_facts_come_from_code_log_and_trace() -> None:
    told = TritonKernel("0/0", TRITON, "only 1 config", (("XBLOCK", "64"), ("num_warps", "4")), 1, 7_000_000)
    own = replace(report(), triton=(told,))
    side = replace(full().sides[1], report=own)
    results = replace(full(), sides=(full().sides[0], side), reports=(("default", own),))
    slice_ = int(side.trace.gpu.slice[0])
    text = kernels.facts(results, 0, own.code[0], f"{TRITON}:2", ((1, slice_),))
    assert text == (
        "Triton · XBLOCK 64, num_warps 4 (the only configuration) · compiled in 7.00 ms · grid 12288×1×1 · "
        "block 256×1×1 · 24 registers a thread · 2.00 KiB shared memory · spills unknown"
    )
    tuned = replace(own, triton=(replace(told, config=(), configs=3, tuning="miss"),))
    results = replace(results, reports=(("default", tuned),))
    text = kernels.facts(results, 0, own.code[0], f"{TRITON}:2", ())
    assert "autotuned over 3 configurations, its choice not logged" in text
    call = {"args": {"kernel_kwargs": "XBLOCK=64,R0_BLOCK=8", "num_warps": 4, "num_stages": 1, "stream": 0}}
    links = replace(side.links, op=np.zeros_like(side.links.op))
    noted = replace(side, report=tuned, links=links, trace=replace(side.trace, args=lambda event: call))
    results = replace(results, sides=(full().sides[0], noted))
    text = kernels.facts(results, 0, own.code[0], f"{TRITON}:2", ((1, slice_),))
    assert "over 3 configurations, which chose XBLOCK 64, R0_BLOCK 8, num_warps 4, num_stages 1 · compiled in" in text
    text = kernels.facts(results, 0, own.code[0], "extern_kernels.addmm:1", ())
    assert text == "not generated: a call into a library"
    assert kernels.facts(results, 0, own.code[0], "cpp_fused_add_0:9", ()) == "C++"


def test_spills_are_told_of_a_run_that_recorded_them(qtbot: QtBot) -> None:
    code = report().code[0]
    path = "# kernel path: /tmp/torchinductor/ab/cab.py\n# Topologically Sorted Source Nodes: [x]\n"
    own = replace(
        report(), code=(replace(code, text=code.text.replace(f"{TRITON} = async", f"{path}{TRITON} = async")),)
    )
    binary = TritonBinary(TRITON, "cab", (("XBLOCK", "64"),), 4, 1, registers=24, spills=0, shared_bytes=2048)
    other = replace(binary, hash="cother", spills=7)

    def of(*binaries: TritonBinary) -> Results:
        side = full().sides[1]
        result = VariantResult("default", "Compiled", triton_kernels=binaries)
        side = replace(side, report=own, result=result)
        return replace(full(), sides=(full().sides[0], side), reports=(("default", own),))

    launched = (1, int(full().sides[1].trace.gpu.slice[0]))
    asked = (0, own.code[0], f"{TRITON}:2")
    text = kernels.facts(of(binary, other), *asked, ())
    assert text.endswith(
        "XBLOCK 64, num_warps 4, num_stages 1 · 24 registers a thread · 2.00 KiB shared memory · spills 0"
    )
    assert kernels.facts(of(binary, other), *asked, (launched,)).count("registers") == 1
    assert kernels.warning(of(binary, other), *asked, (launched,)) == ""
    assert kernels.facts(of(other), *asked, (launched,)).endswith("spills unknown"), "of another graph's"
    spilled = of(replace(binary, spills=12), other)
    assert kernels.facts(spilled, *asked, (launched,)).endswith("spills 12")
    view = view_of(qtbot)
    view.show_results(spilled)
    view._state.select(Selection(Pick(side=1, slice=launched[1]), (launched,), kernels=(KEY,)))
    assert view.spills.text().startswith("Spills 12: so many 4-byte values of each thread did not fit into registers")
    assert not view.spills.isHidden()
    view._state.select(Selection())
    assert view.spills.isHidden()


def test_a_break_stands_at_its_line_with_its_cost() -> None:
    cost = BreakCost(0, (), crossings=1, cpu_ns=303_000, gpu_idle_ns=None, syncs=0, sync_ns=0)
    (mark,) = layout.marks(full(), SCRIPT, (), {0: BreakAccount(1, (cost,), (None,), (None,))})
    assert (mark.line, mark.sign, mark.note) == (40, "✕", "303 µs/step")
    (mark,) = layout.marks(full(), SCRIPT, (BREAK_LINE,))
    assert (mark.sign, mark.note) == ("▸", "")


def test_the_note_of_a_line_is_painted_at_its_end(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    view.python.scroll_to(40)
    plain = view.python.viewport().grab().toImage()
    view.python.show_marks(tuple(replace(mark, note="303 µs/step") for mark in view.python.marks))
    assert view.python.viewport().grab().toImage() != plain


def test_with_room_source_and_code_stand_beside_each_other(qtbot: QtBot) -> None:
    assert [layout.beside(GRAPH, width) for width in (320, 800, 1300)] == [
        (GRAPH,),
        (PYTHON, GRAPH),
        (PYTHON, GENERATED, GRAPH),
    ]
    assert layout.beside(PYTHON, 800) == (PYTHON, GENERATED)
    view = view_of(qtbot)
    assert (view.python.isVisible(), view.generated.isVisible()) == (True, False)
    view.resize(900, 400)
    assert (view.python.isVisible(), view.generated.isVisible(), view.graph.isVisible()) == (True, True, False)
    view.tabs.button(GRAPH).click()
    assert (view.python.isVisible(), view.generated.isVisible(), view.graph.isVisible()) == (True, False, True)
    view.resize(320, 400)
    assert (view.python.isVisible(), view.graph.isVisible()) == (False, True)
