"""A fault in painting is told once, where it is, and every `paintEvent` is guarded."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from profviz.ui.widgets.paint_faults import told

UI = Path(__file__).parents[2] / "profviz" / "ui"


class Faulty(QWidget):
    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawLine(0, 0, 9, 9)
        raise ValueError("no room")


class Sound(QLabel):
    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.painted += 1


def test_others_are_painted_and_the_fault_is_told_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    faults: list[str] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: faults.append(str(error)))
    window, faulty, sound = QWidget(), Faulty(), Sound("beside")
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    faulty.setFixedSize(20, 20)
    column.addWidget(faulty)
    column.addWidget(sound)
    with qtbot.waitExposed(window):
        window.show()
    before = sound.painted
    for _ in range(3):
        window.grab()
    assert faults == ["no room"]
    assert sound.painted == before + 3


@pytest.mark.parametrize("path", sorted(UI.rglob("*.py")), ids=lambda path: path.stem)
def test_every_paint_event_tells_its_faults(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name == "paintEvent":
            marks = [mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)]
            assert marks == ["told"], f"{path.name}:{node.lineno}"
