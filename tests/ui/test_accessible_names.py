"""Whatever takes the keyboard or the mouse says what it is to those who don't see it, on every page."""

from __future__ import annotations

from pathlib import Path

import side_view_samples
from fake_engine import ENVIRONMENT, WORKLOAD, FakeEngine
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from profviz.engine.events import EnvironmentKnown, Finished, WorkloadFound
from profviz.ui.main_window import MainWindow

INTERACTIVE = (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QTabBar,
)


def named(widget: QWidget) -> str:
    """What a screen reader says first."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else widget.accessibleName()


def is_part(widget: QWidget) -> bool:
    """Parts of one of Qt's own widgets, which speaks for them."""
    around = widget.parentWidget()
    if isinstance(widget, QHeaderView | QScrollBar) or widget.objectName().startswith("qt_"):
        return True
    if isinstance(widget, QTabBar) and not widget.count():
        return True  # kept by docks for later
    while around is not None and not isinstance(around, QComboBox | QLineEdit | QAbstractSpinBox | QTabBar):
        around = around.parentWidget()
    return around is not None


def nameless(root: QWidget) -> list[str]:
    """Each with those around it, so that a failure says where it stands."""
    found = []
    for widget in root.findChildren(QWidget):
        takes = widget.focusPolicy() != Qt.FocusPolicy.NoFocus or isinstance(widget, INTERACTIVE)
        if takes and not is_part(widget) and not named(widget).strip():
            found.append(_place(widget))
    return found


def _place(widget: QWidget) -> str:
    names, one = [], widget
    while one is not None and len(names) < 5:
        names.append(f"{type(one).__name__} {one.objectName()}".strip())
        one = one.parentWidget()
    return " in ".join(names)


def test_what_stands_on_the_results_page(window: MainWindow, qtbot: QtBot) -> None:
    window.show_results_of(side_view_samples.full())
    panels = window.results_page.panels
    for id_ in panels.docks:
        panels.reveal(id_)
        qtbot.waitUntil(lambda id_=id_: not panels.docks[id_].visibleRegion().isEmpty())
    assert nameless(window.results_page) == []


def test_what_stands_on_the_run_page(window: MainWindow, engine: FakeEngine, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mlp.py"
    path.write_text("model = None\n")
    window.open_paths([str(path)])
    engine.job.say(EnvironmentKnown(ENVIRONMENT), WorkloadFound(WORKLOAD), Finished())
    qtbot.waitUntil(lambda: window.run_page.run_button.isEnabled())
    assert nameless(window.run_page) == []


def test_what_stands_around_the_pages(window: MainWindow) -> None:
    assert nameless(window) == []
