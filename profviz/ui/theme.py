"""Applies a `Palette` to the application: own QPalette and font, and the stylesheet of its windows; knows no page."""

from __future__ import annotations

import os

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from profviz.engine import places
from profviz.ui.stylesheet import stylesheet
from profviz.ui.widgets.palette import DARK, LIGHT, Palette

PREFERENCES = ("system", "dark", "light")
SANS = ("Inter", "SF Pro Text", "Segoe UI", "Noto Sans", "DejaVu Sans")
MONO = ("JetBrains Mono", "Cascadia Mono", "SF Mono", "Menlo", "Consolas", "DejaVu Sans Mono")
SMALLEST_POINT_SIZE = 9.75

_ROLES = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.Base: "panel",
    QPalette.ColorRole.AlternateBase: "raised",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.BrightText: "bad",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Midlight: "border",
    QPalette.ColorRole.Dark: "border",
    QPalette.ColorRole.Light: "raised",
    QPalette.ColorRole.Shadow: "window",
}


def qt_palette(palette: Palette) -> QPalette:
    made = QPalette()
    for role, name in _ROLES.items():
        made.setColor(role, QColor(getattr(palette, name)))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        faded = QColor(palette.muted)
        faded.setAlphaF(0.6)
        made.setColor(QPalette.ColorGroup.Disabled, role, faded)
    return made


def sans_font() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setFamilies([*SANS, font.family()])
    font.setPointSizeF(max(font.pointSizeF(), SMALLEST_POINT_SIZE))
    return font


def mono_font() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setFamilies([*MONO, font.family()])
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(max(font.pointSizeF(), SMALLEST_POINT_SIZE - 0.5))
    return font


def system_is_dark(app: QApplication, untouched: QPalette) -> bool:
    """What the platform says; where it says nothing, how dark its own window colour is."""
    scheme = app.styleHints().colorScheme()
    if scheme == Qt.ColorScheme.Unknown:
        return untouched.color(QPalette.ColorRole.Window).lightness() < 128
    return scheme == Qt.ColorScheme.Dark


def preferred(asked: str, *, setting: str) -> str:
    """What was asked for at this start, else PROFVIZ_THEME, else the remembered setting."""
    wanted = asked or os.environ.get("PROFVIZ_THEME", "") or setting
    return wanted if wanted in PREFERENCES else "system"


class Theme(QObject):
    """Holds the preference (system, dark or light) and tells who paints when the palette changed.

    Each window takes `sheet` when it is made and whenever `changed` is sent. Set on the application, Qt would go over
    every widget once for each of its ancestors: a second and a half for a window of a thousand instead of a fifth.
    """

    changed = Signal(object)

    def __init__(self, app: QApplication, *, preference: str = "system") -> None:
        super().__init__(app)
        self._app = app
        self._untouched = app.palette()
        self._applying = False
        self.preference = preference
        self.palette = LIGHT
        self.sheet = ""
        app.setStyle("Fusion")
        app.setFont(sans_font())
        self._apply()
        app.styleHints().colorSchemeChanged.connect(self._system_changed)

    def prefer(self, preference: str) -> None:
        self.preference = preference if preference in PREFERENCES else "system"
        self._apply()

    def toggle(self) -> None:
        self.prefer("light" if self.palette.dark else "dark")

    def _system_changed(self) -> None:
        if self.preference == "system" and not self._applying:
            self._apply()

    def _apply(self) -> None:
        self._applying = True
        self._tell_platform()
        dark = self.preference == "dark" or (self.preference != "light" and system_is_dark(self._app, self._untouched))
        self.palette = DARK if dark else LIGHT
        self._app.setPalette(qt_palette(self.palette))
        self.sheet = stylesheet(self.palette, mono=mono_font(), resources=places.resources_folder())
        self._applying = False
        self.changed.emit(self.palette)

    def _tell_platform(self) -> None:
        # Title bars and file dialogs follow this where the platform can; it does nothing offscreen.
        hints = self._app.styleHints()
        if self.preference == "dark":
            hints.setColorScheme(Qt.ColorScheme.Dark)
        elif self.preference == "light":
            hints.setColorScheme(Qt.ColorScheme.Light)
        else:
            hints.unsetColorScheme()
