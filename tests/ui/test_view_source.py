"""Source: only text the results carry, the right lines marked, kernels found in generated code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, CODE_TEXT, KEY, LIBRARY_LINE, SCRIPT, SCRIPT_TEXT, TRITON, full

from profviz.model.graph import SourceLine
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.source import layout
from profviz.ui.views.source.view import SPEC, SourceView
from profviz.ui.widgets.code_lexing import Segment
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
    made_of = layout.segments(CODE_TEXT)
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
