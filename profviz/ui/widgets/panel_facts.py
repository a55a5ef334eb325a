"""A key and value tree: aligned plain-text facts that can be copied, nested where a value has parts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import mono_font, plain_tip, tone_colour, verbatim
from profviz.ui.widgets.panel_text import bold_font, wrapped
from profviz.ui.widgets.panel_values import Fact

FACT_ROLE = int(Qt.ItemDataRole.UserRole)
SPARE = 20
"""Pixels beside a value that no text may take."""
MOST_LINES = 24


class FactTree(QTreeWidget):
    """`followed` carries the target of the fact the user clicked or pressed Enter on. With `wrap` long values go on
    in further lines, else they are cut."""

    followed = Signal(object)

    def __init__(self, palette: Palette, *, name: str, key_width: int = 96, wrap: bool = False) -> None:
        super().__init__()
        self._colours = palette
        self._facts: tuple[Fact, ...] = ()
        self.setAccessibleName(name)
        self.setFont(verbatim(self.font()))
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setIndentation(12)
        self.setRootIsDecorated(True)
        self.setUniformRowHeights(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)
        self.setColumnWidth(0, key_width)
        self._wrap = wrap
        self.header().sectionResized.connect(lambda *_: self._wrap_values())
        self.itemClicked.connect(lambda item, _column: self._follow(item))

    def show_facts(self, facts: Sequence[Fact]) -> None:
        self._facts = tuple(facts)
        self.clear()
        for fact in facts:
            self._add(self.invisibleRootItem(), fact)
        self._wrap_values()

    @property
    def facts(self) -> tuple[Fact, ...]:
        return self._facts

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self.show_facts(self._facts)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._follow(self.currentItem())
        else:
            super().keyPressEvent(event)

    def _add(self, parent: QTreeWidgetItem, fact: Fact) -> None:
        item = QTreeWidgetItem(parent, [fact.key, fact.value])
        item.setData(0, FACT_ROLE, fact)
        tone = "accent" if fact.target is not None and fact.tone == "plain" else fact.tone
        item.setForeground(0, self._brush("plain" if fact.heading else "muted"))
        item.setForeground(1, self._brush(tone))
        item.setToolTip(1, plain_tip(fact.value))
        item.setToolTip(0, plain_tip(fact.key))
        if fact.mono:
            item.setFont(1, mono_font(self.font()))
        if fact.heading:
            item.setFont(0, bold_font(self.font()))
            item.setFirstColumnSpanned(not fact.value)
        for part in fact.parts:
            self._add(item, part)
        item.setExpanded(fact.open)

    def _wrap_values(self) -> None:
        """Qt wraps at no place but words, and not where items have a style: lines are cut here."""
        if not self._wrap:
            return
        waiting = [self.topLevelItem(at) for at in range(self.topLevelItemCount())]
        for item in waiting:
            waiting += [item.child(at) for at in range(item.childCount())]
            fact: Fact = item.data(0, FACT_ROLE)
            font = mono_font(self.font()) if fact.mono else self.font()
            lines = wrapped(fact.value, font, self.columnWidth(1) - SPARE)
            more = ["…"] if len(lines) > MOST_LINES else []
            item.setText(1, "\n".join([*lines[:MOST_LINES], *more]))

    def _brush(self, tone: str) -> QBrush:
        return QBrush(QColor(tone_colour(self._colours, tone)))

    def _follow(self, item: QTreeWidgetItem | None) -> None:
        fact = item.data(0, FACT_ROLE) if item is not None else None
        if fact is not None and fact.target is not None:
            self.followed.emit(fact.target)

    def _copy(self) -> None:
        items = self.selectedItems()
        facts = [item.data(0, FACT_ROLE) for item in items]
        lines = [f"{fact.key}\t{fact.value}".rstrip() for fact in facts]
        QGuiApplication.clipboard().setText("\n".join(lines))
