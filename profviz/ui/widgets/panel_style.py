"""The look that panels share: style sheet, fonts, tone colours and safe tool tips; knows no profiler."""

from __future__ import annotations

import html

from PySide6.QtGui import QColor, QFont

from profviz.ui.widgets.palette import Palette

MONO_FAMILIES = ("JetBrains Mono", "Cascadia Mono", "SF Mono", "Menlo", "Consolas", "DejaVu Sans Mono")


def mono_font(base: QFont) -> QFont:
    """A fixed-width font that the platform has, a touch smaller than `base` because such faces look larger."""
    font = verbatim(base)
    font.setFamilies(list(MONO_FAMILIES))
    font.setStyleHint(QFont.StyleHint.Monospace)
    if base.pixelSize() > 0:
        font.setPixelSize(max(9, base.pixelSize() - 1))
    else:
        font.setPointSizeF(max(7.0, base.pointSizeF() * 0.94))
    return font


def verbatim(font: QFont) -> QFont:
    """`font` without contextual alternates: some faces draw 64x4 as 64×4 and => as an arrow; names are data."""
    font = QFont(font)
    font.setFeature(QFont.Tag("calt"), 0)
    return font


def tabular(font: QFont) -> QFont:
    """`font` with digits of equal width, so that numbers in a column stand under each other."""
    font = QFont(font)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def tone_colour(palette: Palette, tone: str) -> str:
    """The colour of a tone: plain, muted, accent, good, warn or bad."""
    tones = {
        "muted": palette.muted,
        "accent": palette.accent,
        "good": palette.good,
        "warn": palette.warn,
        "bad": palette.bad,
    }
    return tones.get(tone, palette.text)


def with_alpha(colour: str, alpha: float) -> QColor:
    made = QColor(colour)
    made.setAlphaF(alpha)
    return made


def plain_tip(text: str) -> str:
    """A tool tip that shows `text` as it is: Qt guesses markup in tips, so text from files must be escaped."""
    escaped = html.escape(text).replace("\n", "<br>")
    return f"<qt>{escaped}</qt>" if text else ""


_SHEET = """
QWidget#panel, QWidget#panel_body {{ background: {panel}; }}
QWidget#panel QLabel {{ color: {text}; background: transparent; }}
QWidget#panel QLabel[role="muted"] {{ color: {muted}; }}
QWidget#panel QLabel[role="accent"] {{ color: {accent}; }}
QWidget#panel QLabel[role="good"] {{ color: {good}; }}
QWidget#panel QLabel[role="warn"] {{ color: {warn}; }}
QWidget#panel QLabel[role="bad"] {{ color: {bad}; }}
QWidget#panel QTableView, QWidget#panel QTreeView, QWidget#panel QPlainTextEdit, QWidget#panel QScrollArea {{
    background: {panel}; color: {text}; border: none;
    selection-background-color: {wash}; selection-color: {text}; }}
QWidget#panel QTableView {{ selection-background-color: transparent; }}
QWidget#panel QPlainTextEdit {{ background: {raised}; border-radius: 4px; }}
QWidget#panel QTreeView::item {{ padding: 3px 0; border: none; }}
QWidget#panel QTreeView::item:selected {{ background: {wash}; color: {text}; }}
QWidget#panel QHeaderView {{ background: {panel}; border: none; }}
QWidget#panel QHeaderView::section {{ background: {panel}; color: {muted}; border: none; padding: 3px 8px;
    border-bottom: 1px solid {border}; font-weight: normal; }}
QWidget#panel QHeaderView::section:hover {{ color: {text}; }}
QWidget#panel QTableCornerButton::section {{ background: {panel}; border: none; }}
QWidget#panel QLineEdit, QWidget#panel QComboBox {{ background: {raised}; color: {text};
    border: 1px solid {border}; border-radius: 4px; padding: 2px 8px; min-height: 20px; }}
QWidget#panel QLineEdit:focus, QWidget#panel QComboBox:focus {{ border-color: {accent}; }}
QWidget#panel QComboBox::drop-down {{ border: none; width: 18px; }}
QWidget#panel QComboBox QAbstractItemView {{ background: {raised}; color: {text}; border: 1px solid {border};
    selection-background-color: {wash}; selection-color: {text}; }}
QWidget#panel QPushButton {{ background: transparent; color: {muted}; border: 1px solid transparent;
    border-radius: 4px; padding: 2px 8px; min-height: 20px; }}
QWidget#panel QPushButton:hover {{ color: {text}; background: {raised}; }}
QWidget#panel QPushButton:focus {{ border-color: {accent}; }}
QWidget#panel QPushButton:checked {{ color: {text}; background: {raised}; border-color: {border}; font-weight: 600; }}
QWidget#panel QPushButton:checked:focus {{ border-color: {accent}; }}
QWidget#panel QPushButton[role="link"] {{ color: {accent}; text-align: left; padding: 0; min-height: 18px; }}
QWidget#panel QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QWidget#panel QPushButton:disabled {{ color: {muted}; }}
QWidget#panel QSplitter::handle {{ background: {border}; }}
QWidget#panel QSplitter::handle:horizontal {{ width: 1px; }}
QWidget#panel QSplitter::handle:vertical {{ height: 1px; }}
QWidget#panel QScrollBar {{ background: transparent; border: none; margin: 0; }}
QWidget#panel QScrollBar:vertical {{ width: 10px; }}
QWidget#panel QScrollBar:horizontal {{ height: 10px; }}
QWidget#panel QScrollBar::handle {{ background: {border}; border-radius: 3px; margin: 2px; min-height: 24px;
    min-width: 24px; }}
QWidget#panel QScrollBar::handle:hover {{ background: {muted}; }}
QWidget#panel QScrollBar::add-line, QWidget#panel QScrollBar::sub-line {{ width: 0; height: 0; }}
QWidget#panel QScrollBar::add-page, QWidget#panel QScrollBar::sub-page {{ background: transparent; }}
"""


def panel_sheet(palette: Palette) -> str:
    """The style sheet of a panel's root (object name `panel`) and all that stands in it."""
    wash = QColor(palette.accent)
    return _SHEET.format(
        panel=palette.panel,
        raised=palette.raised,
        border=palette.border,
        text=palette.text,
        muted=palette.muted,
        accent=palette.accent,
        good=palette.good,
        warn=palette.warn,
        bad=palette.bad,
        wash=f"rgba({wash.red()}, {wash.green()}, {wash.blue()}, 46)",
    )
