"""The variants of a run as checkboxes, with a form for their options made from the worker's own description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from profviz.model.run import EAGER, VariantOption, VariantSpec
from profviz.ui.widgets.shell_labels import label

LARGEST_INT = 1_000_000
DEFAULT_VARIANTS = (EAGER, "default")


def _bool_field(option: VariantOption) -> tuple[QWidget, Callable[[], Any]]:
    box = QCheckBox()
    box.setChecked(bool(option.default))
    return box, box.isChecked


def _int_field(option: VariantOption) -> tuple[QWidget, Callable[[], Any]]:
    spin = QSpinBox()
    spin.setRange(-LARGEST_INT, LARGEST_INT)
    spin.setValue(int(option.default or 0))
    return spin, spin.value


def _str_field(option: VariantOption) -> tuple[QWidget, Callable[[], Any]]:
    line = QLineEdit("" if option.default is None else str(option.default))
    return line, line.text


def _choice_field(option: VariantOption) -> tuple[QWidget, Callable[[], Any]]:
    combo = QComboBox()
    combo.addItems(option.choices)
    combo.setCurrentText(str(option.default))
    return combo, combo.currentText


FIELDS: dict[str, Callable[[VariantOption], tuple[QWidget, Callable[[], Any]]]] = {
    "bool": _bool_field,
    "int": _int_field,
    "str": _str_field,
    "choice": _choice_field,
}


class VariantRow(QWidget):
    """One variant: its checkbox, why it cannot run here, and its options while it is checked."""

    changed = Signal()

    def __init__(self, spec: VariantSpec, *, checked: bool) -> None:
        super().__init__()
        self.spec = spec
        self._read: dict[str, Callable[[], Any]] = {}
        self.box = QCheckBox(spec.title.replace("&", "&&"))
        self.box.setChecked(checked and not spec.unavailable)
        self.box.setEnabled(spec.id != EAGER and not spec.unavailable)
        self._form = self._option_form()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.box)
        for text in (spec.description, spec.unavailable and f"Not here: {spec.unavailable}"):
            if text:
                column.addWidget(self._note(text))
        column.addWidget(self._form)
        self.box.toggled.connect(self._toggled)
        self._toggled()

    @property
    def checked(self) -> bool:
        return self.spec.id == EAGER or self.box.isChecked()

    def options(self) -> dict[str, Any]:
        """The settings that differ from the worker's defaults."""
        values = {id_: read() for id_, read in self._read.items()}
        defaults = {option.id: option.default for option in self.spec.options}
        return {id_: value for id_, value in values.items() if value != defaults[id_]}

    def _option_form(self) -> QWidget:
        made = QWidget()
        form = QFormLayout(made)
        form.setContentsMargins(24, 2, 0, 4)
        form.setVerticalSpacing(4)
        for option in self.spec.options:
            field, self._read[option.id] = FIELDS.get(option.kind, _str_field)(option)
            field.setAccessibleName(option.title)
            form.addRow(label(option.title, role="muted"), field)
        return made

    @staticmethod
    def _note(text: str) -> QWidget:
        note = label(text, role="muted", wrap=True)
        note.setContentsMargins(24, 0, 0, 0)
        return note

    def _toggled(self) -> None:
        self._form.setVisible(bool(self.spec.options) and self.box.isChecked())
        self.changed.emit()


class VariantList(QWidget):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._waiting = label("Known once the interpreter has answered.", role="muted", wrap=True)
        self._column.addWidget(self._waiting)
        self.rows: tuple[VariantRow, ...] = ()

    def show_variants(self, specs: Sequence[VariantSpec]) -> None:
        """Keeps what was checked before, where the same variants are offered again."""
        if specs and tuple(row.spec for row in self.rows) == tuple(specs):
            return
        wanted = self.chosen() if self.rows else DEFAULT_VARIANTS
        for row in self.rows:
            row.deleteLater()
        self.rows = tuple(VariantRow(spec, checked=spec.id in wanted) for spec in specs)
        for row in self.rows:
            self._column.addWidget(row)
            row.changed.connect(self.changed)
        self._waiting.setVisible(not self.rows)

    def chosen(self) -> tuple[str, ...]:
        """Ids, eager first."""
        others = tuple(row.spec.id for row in self.rows if row.checked and row.spec.id != EAGER)
        return (EAGER, *others) if self.rows else DEFAULT_VARIANTS

    def options(self) -> dict[str, dict[str, Any]]:
        made = {row.spec.id: row.options() for row in self.rows if row.checked}
        return {id_: options for id_, options in made.items() if options}
