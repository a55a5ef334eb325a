"""Spans of code: right columns in Qt's units, whatever the text holds; and when they are worked out."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from profviz.ui.widgets.code_lexing import Lexing, Segment, normalised
from profviz.ui.widgets.code_view import CodeView
from profviz.ui.widgets.palette import DARK


def spans(text: str, language: str = "python") -> list[list[tuple[int, int, str]]]:
    lexing = Lexing(text, (Segment(0, len(text), language),))
    while not lexing.advance(budget_s=0.0):
        pass
    return lexing.spans


def test_a_string_over_lines_is_cut_at_line_ends() -> None:
    first, *rest = spans('x = """a\nbb\n"""')
    assert {column for start, length, _ in first for column in range(start, start + length)} == {4, 5, 6, 7}
    assert rest == [[(0, 2, "string")], [(0, 3, "string")]]


def test_columns_count_as_qt_does() -> None:
    (line,) = spans("'\U0001f600' # x")
    assert line[-1] == (5, 3, "comment")


def test_leading_blank_lines_and_unknown_languages_change_no_place() -> None:
    assert spans("\n\nif x: pass")[2][0] == (0, 2, "keyword")
    assert spans("if x", "no such language") == [[]]


def test_line_ends_of_any_kind_give_the_same_lines() -> None:
    assert normalised("a\r\nb\rc\u2028d\x00") == "a\nb\nc d\ufffd"


def test_code_that_nobody_sees_is_coloured_once_somebody_does(qtbot: QtBot) -> None:
    view = CodeView(DARK, name="Code")
    qtbot.addWidget(view)
    view.show_code("def f():\n    return 1\n", segments=(Segment(0, 22, "python"),))
    qtbot.wait(50)
    assert not view.coloured
    view.show()
    qtbot.waitUntil(lambda: view.coloured)
