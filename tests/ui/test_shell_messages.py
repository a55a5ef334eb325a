"""Messages are plain text, can be closed and copied, and never pile up; escaped exceptions become one."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from profviz.model.errors import UserError
from profviz.ui.problems import install_hook, report_text
from profviz.ui.widgets.shell_labels import ElidedLabel, plain_tip
from profviz.ui.widgets.shell_messages import MOST_STRIPS, MessageStack, MessageStrip


@pytest.fixture
def stack(qtbot: QtBot) -> MessageStack:
    made = MessageStack()
    qtbot.addWidget(made)
    return made


def test_markup_from_a_file_stays_text(stack: MessageStack) -> None:
    stack.show_message(MessageStrip("<b>bold</b>", why="<img src=x>", hint="&amp;"))
    labels = stack.findChildren(QLabel)
    assert [label.text() for label in labels] == ["<b>bold</b>", "<img src=x>", "&amp;"]
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}


def test_closing_removes_and_hides(stack: MessageStack, qtbot: QtBot) -> None:
    stack.show_message(MessageStrip("one"))
    stack.show_message(MessageStrip("two"))
    qtbot.mouseClick(stack.strips[0].findChildren(QPushButton)[-1], Qt.MouseButton.LeftButton)
    assert [strip.texts for strip in stack.strips] == [("two",)]
    stack.clear()
    assert stack.isHidden()


def test_the_same_message_is_shown_once_and_many_are_bounded(stack: MessageStack) -> None:
    for text in ("a", "b", "a", "c", "d"):
        stack.show_message(MessageStrip(text))
    assert [strip.texts[0] for strip in stack.strips] == ["a", "c", "d"]
    assert len(stack.strips) == MOST_STRIPS


def test_the_report_is_copied(stack: MessageStack, qtbot: QtBot) -> None:
    stack.show_message(MessageStrip("bug", report="Traceback"))
    copy = next(button for button in stack.findChildren(QPushButton) if button.text() == "Copy report")
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "Traceback"


def test_an_escaped_exception_becomes_a_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[tuple[UserError, str]] = []
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    install_hook(lambda error, report: shown.append((error, report)))
    error = ValueError("seven")
    sys.excepthook(ValueError, error, None)
    sys.excepthook(UserError, UserError("mine"), None)
    assert "ValueError: seven" in shown[0][0].why
    assert "PySide6" in shown[0][1]
    assert shown[1][0].what == "mine"
    assert shown[1][1] == ""
    assert "ValueError: seven" in capsys.readouterr().err


def test_a_report_holds_the_traceback() -> None:
    with pytest.raises(ValueError) as caught:
        int("x")
    assert "test_a_report_holds_the_traceback" in report_text(caught.value)


def test_a_label_that_is_cut_tells_the_whole_text(qtbot: QtBot) -> None:
    label = ElidedLabel("a text that is much too long for this <b>label</b>")
    qtbot.addWidget(label)
    label.resize(60, 20)
    label.show()
    assert label.toolTip() == plain_tip(label.text())
    assert "<b>" not in label.toolTip()
    label.resize(2000, 20)
    assert label.toolTip() == ""
