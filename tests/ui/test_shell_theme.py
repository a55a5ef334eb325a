"""Both themes reach every role, follow the preference, and the stylesheet holds only the palette's colours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from profviz.engine import places
from profviz.ui.stylesheet import mix, stylesheet
from profviz.ui.theme import Theme, mono_font, preferred, qt_palette
from profviz.ui.widgets.palette import DARK, LIGHT, Palette


def contrast(first: str, second: str) -> float:
    """WCAG 2.1 contrast ratio of two `#rrggbb`."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_text_can_be_read(palette: Palette) -> None:
    for text in ("text", "muted", "accent", "good", "warn", "bad"):
        assert contrast(getattr(palette, text), palette.panel) >= 4.5, text
    assert contrast(palette.on_accent, palette.accent) >= 4.5


def test_qt_palette_follows_ours() -> None:
    made = qt_palette(DARK)
    assert made.color(QPalette.ColorRole.Window).name() == DARK.window
    assert made.color(QPalette.ColorRole.Text).name() == DARK.text
    assert made.color(QPalette.ColorRole.Highlight).name() == DARK.accent


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_stylesheet_is_filled_and_takes_no_other_colours(qapp: QApplication, palette: Palette) -> None:
    sheet = stylesheet(palette, mono=mono_font(), resources=None)
    assert "{{" not in sheet
    own = set(re.findall(r"#[0-9a-f]{6}", sheet))
    derived = {mix(palette.panel, palette.accent, 0.22), mix(palette.border, palette.muted, 0.4)}
    names = ("window", "panel", "raised", "border", "text", "muted", "accent", "on_accent", "good", "warn", "bad")
    known = {getattr(palette, name) for name in names}
    assert own <= known | derived


def test_pictures_of_the_stylesheet_exist(qapp: QApplication) -> None:
    for palette in (DARK, LIGHT):
        sheet = stylesheet(palette, mono=mono_font(), resources=places.resources_folder())
        named = re.findall(r'url\("([^"]+)"\)', sheet)
        assert len(named) == 2
        assert all(Path(name).is_file() for name in named)


def test_toggle_tells_and_repaints(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme(qapp, preference="dark")
    with qtbot.waitSignal(theme.changed) as told:
        theme.toggle()
    assert told.args == [LIGHT]
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == LIGHT.window


def test_what_is_asked_for_goes_before_the_environment_before_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROFVIZ_THEME", raising=False)
    assert preferred("", setting="dark") == "dark"
    monkeypatch.setenv("PROFVIZ_THEME", "light")
    assert preferred("", setting="dark") == "light"
    assert preferred("dark", setting="light") == "dark"
    monkeypatch.setenv("PROFVIZ_THEME", "purple")
    assert preferred("", setting="dark") == "system"


def test_an_unknown_preference_follows_the_system(qapp: QApplication) -> None:
    theme = Theme(qapp, preference="dark")
    theme.prefer("purple")
    assert theme.preference == "system"


def test_roles_reach_widgets(qapp: QApplication, qtbot: QtBot) -> None:
    theme, window = Theme(qapp, preference="dark"), QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet(theme.sheet)
    muted, button = QLabel("x", window), QPushButton("y", window)
    muted.setProperty("role", "muted")
    for widget in (muted, button):
        widget.ensurePolished()
    assert muted.palette().color(QPalette.ColorRole.WindowText).name() == DARK.muted
