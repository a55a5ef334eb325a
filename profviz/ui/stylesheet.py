"""The one stylesheet, filled from a palette: panels with a thin border, one accent, an eight-pixel grid."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QFont

from profviz.ui.widgets.palette import Palette

_SHEET = """
QMainWindow, QDialog, QMenuBar, QStatusBar {{ background: {window}; color: {text}; }}
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {border}; padding: 4px 8px; }}
QLabel {{ background: transparent; }}
QLabel[role="hero"] {{ font-size: 24px; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: 16px; font-weight: 600; }}
QLabel[role="title"] {{ font-weight: 600; }}
QLabel[role="value"] {{ font-size: 18px; font-weight: 600; }}
QLabel[role="value-compact"] {{ font-size: 15px; font-weight: 600; }}
QLabel[role="muted"] {{ color: {muted}; }}
QLabel[role="accent"] {{ color: {accent}; }}
QLabel[tone="good"] {{ color: {good}; }}
QLabel[tone="warn"] {{ color: {warn}; }}
QLabel[tone="bad"] {{ color: {bad}; }}
QLabel[role="key"] {{ background: {raised}; border: 1px solid {border}; border-radius: 4px; padding: 1px 6px; }}
QFrame[panel="true"] {{ background: {panel}; border: 1px solid {border}; border-radius: 6px; }}
QFrame[message="error"] {{ background: {panel}; border: 1px solid {bad}; border-radius: 6px; }}
QFrame[message="warning"] {{ background: {panel}; border: 1px solid {warn}; border-radius: 6px; }}
QFrame[message="info"] {{ background: {panel}; border: 1px solid {border}; border-radius: 6px; }}
QPushButton, QToolButton[plain="true"] {{ background: {raised}; color: {text}; border: 1px solid {border};
    border-radius: 4px; padding: 5px 12px; }}
QPushButton:hover, QToolButton[plain="true"]:hover {{ border-color: {muted}; }}
QPushButton:focus {{ border-color: {accent}; }}
QPushButton:pressed {{ background: {border}; }}
QPushButton:disabled {{ color: {muted}; background: {panel}; }}
QPushButton[primary="true"] {{ background: {accent}; color: {on_accent}; border-color: {accent}; font-weight: 600; }}
QPushButton[primary="true"]:focus {{ border-color: {text}; }}
QPushButton[primary="true"]:disabled {{ background: {raised}; color: {muted}; border-color: {border}; }}
QPushButton[flat="true"] {{ background: transparent; border-color: transparent; color: {muted}; padding: 3px 8px; }}
QPushButton[flat="true"]:hover {{ color: {text}; background: {raised}; }}
QPushButton[flat="true"]:focus {{ border-color: {accent}; }}
QPushButton[flat="true"]:checked {{ color: {text}; background: {raised}; border-color: {border}; }}
QPushButton[flat="true"]:disabled {{ color: {faint}; background: transparent; }}
QPushButton[card="true"] {{ background: {panel}; border-radius: 6px; padding: 0; }}
QPushButton[card="true"]:hover {{ background: {raised}; border-color: {accent}; }}
QPushButton[card="true"]:focus {{ border-color: {accent}; }}
QPushButton[row="true"] {{ background: transparent; border-color: transparent; padding: 0; }}
QPushButton[row="true"]:hover {{ background: {raised}; }}
QPushButton[row="true"]:focus {{ border-color: {accent}; }}
QLineEdit, QSpinBox, QComboBox {{ background: {window}; border: 1px solid {border}; border-radius: 4px;
    padding: 4px 8px; selection-background-color: {accent}; selection-color: {on_accent}; }}
QSpinBox::up-button, QSpinBox::down-button {{ width: 0; border: 0; }}
QSpinBox QLineEdit, QComboBox QLineEdit {{ border: 0; padding: 0; background: transparent; }}
QSpinBox QLineEdit {{ padding: 0 6px; }}
QLineEdit:focus, QSpinBox:focus, QComboBox:focus {{ border-color: {accent}; }}
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled {{ color: {muted}; background: {panel}; }}
QComboBox {{ padding-right: 24px; }}
QComboBox::drop-down {{ border: 0; width: 22px; }}
QComboBox::down-arrow {{ width: 12px; height: 12px; }}
.QComboBox::down-arrow {{ {arrow} }}
QCheckBox {{ spacing: 8px; }}
QCheckBox:disabled {{ color: {muted}; }}
QCheckBox::indicator {{ width: 12px; height: 12px; border: 1px solid {faint}; border-radius: 3px;
    background: {window}; }}
QCheckBox::indicator:hover, QCheckBox::indicator:focus {{ border-color: {accent}; }}
QCheckBox::indicator:checked {{ background: {accent}; border-color: {accent}; {check} }}
QCheckBox::indicator:checked:disabled {{ background: {faint}; border-color: {faint}; }}
QComboBox QAbstractItemView {{ background: {panel}; border: 1px solid {border}; outline: 0; }}
QPlainTextEdit[log="true"] {{ background: {window}; border: 1px solid {border}; border-radius: 4px;
    font-family: {mono}; font-size: {mono_size}pt; }}
QAbstractItemView {{ background: {panel}; alternate-background-color: {panel}; border: 0; outline: 0;
    selection-background-color: {selected}; selection-color: {text}; }}
QTreeView::item {{ padding: 4px; }}
QTableView {{ gridline-color: {border}; }}
QHeaderView {{ background: {panel}; border: 0; }}
QHeaderView::section {{ background: {panel}; color: {muted}; border: 0; border-bottom: 1px solid {border};
    padding: 4px 8px; }}
QScrollArea, QScrollArea > QWidget > QWidget[clear="true"] {{ background: transparent; border: 0; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {border}; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QMenuBar {{ border: 0; padding: 2px 4px; }}
QMenuBar::item {{ padding: 4px 8px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected {{ background: {raised}; }}
QMenu {{ background: {panel}; border: 1px solid {border}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 24px; border-radius: 4px; }}
QMenu::item:selected {{ background: {selected}; }}
QMenu::item:disabled {{ color: {muted}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 4px 8px; }}
QStatusBar {{ color: {muted}; }}
QStatusBar::item {{ border: 0; }}
QProgressBar {{ background: {raised}; border: 0; border-radius: 3px; max-height: 6px; min-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QMainWindow::separator {{ background: transparent; width: 8px; height: 8px; }}
QSplitter::handle {{ background: transparent; }}
QTabBar {{ background: transparent; border: 0; }}
QTabBar::tab {{ background: transparent; color: {muted}; border: 0; border-bottom: 2px solid transparent;
    padding: 6px 10px; margin: 0; }}
QTabBar::tab:selected {{ color: {text}; border-bottom-color: {accent}; }}
QTabBar::tab:hover {{ color: {text}; }}
QTabBar::tab:disabled {{ color: {border}; }}
QDockWidget {{ color: {text}; }}
"""


def stylesheet(palette: Palette, *, mono: QFont, resources: Path | None) -> str:
    """`resources` holds the tick and the arrow of both themes; without it they are left out."""
    names = ("window", "panel", "raised", "border", "text", "muted", "accent", "on_accent", "good", "warn", "bad")
    values = {name: str(getattr(palette, name)) for name in names}
    values["mono"] = ", ".join(f'"{family}"' for family in mono.families())
    values["mono_size"] = str(mono.pointSizeF())
    values["selected"] = mix(palette.panel, palette.accent, 0.22)
    values["faint"] = mix(palette.border, palette.muted, 0.4)
    for picture in ("check", "arrow"):
        values[picture] = _image(resources, f"{picture}-{palette.name}.svg")
    return _SHEET.format(**values)


def _image(folder: Path | None, name: str) -> str:
    return f'image: url("{(folder / name).as_posix()}");' if folder is not None else ""


def mix(first: str, second: str, share: float) -> str:
    """The colour `share` of the way from `first` to `second`, both `#rrggbb`."""
    parts = [(int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in parts)
