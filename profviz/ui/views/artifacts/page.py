"""One text with what can be done with it: compared, searched, leafed through, copied and saved."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from profviz.model.artifacts import ArtifactText, Language
from profviz.ui.views.artifacts.layout import Partner
from profviz.ui.widgets.code_lexing import Mark, Segment
from profviz.ui.widgets.code_segments import generated_segments
from profviz.ui.widgets.code_view import CodeView
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import TextLabel

ALONE = "Not compared"
MOST_MARKS = 200
MOST_PARTNERS = 60
PLAIN = ArtifactText(("",), Language.TEXT)


class TextPage(QWidget):
    """`partner_chosen` carries the `Partner` to compare with, or None; `records_wanted` whether records are to show."""

    partner_chosen = Signal(object)
    records_wanted = Signal(bool)
    copy_wanted = Signal()
    save_wanted = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._title = ""
        self._partners: tuple[Partner, ...] = ()
        self._text = PLAIN
        self._page = 0
        self._words = ""
        self._hits: list[int] = []
        self.title = TextLabel(bold=True, wrap=False)
        self.remark = TextLabel(role="muted", wrap=False)
        self.partners = QComboBox()
        self.records = QPushButton("Record")
        self.copy = QPushButton("Copy")
        self.save = QPushButton("Save as …")
        self.code = CodeView(palette, name="Text of the log")
        self.back = QPushButton("‹")
        self.on = QPushButton("›")
        self.place = TextLabel(role="muted", wrap=False)
        self._pager = QWidget()
        self._build()

    def show_head(self, title: str, partners: Sequence[Partner], *, is_artifact: bool) -> None:
        """What is shown, and what it could be compared with; a page of profviz's own can only be copied."""
        self._title = title
        self.title.setToolTip(plain_tip(title))
        self.title.setAccessibleName(title)
        self._partners = tuple(partners)[:MOST_PARTNERS]
        with QSignalBlocker(self.partners), QSignalBlocker(self.records):
            self.partners.clear()
            self.partners.addItems([ALONE, *(f"Changes since {one.title}" for one in self._partners)])
            self.records.setChecked(False)
        self.partners.view().setMinimumWidth(self.partners.view().sizeHintForColumn(0) + 24)
        self.partners.setVisible(bool(self._partners))
        self.records.setVisible(is_artifact)
        if (layout := self.layout()) is not None:
            layout.activate()  # the buttons beside it have changed
        self._fit_title()

    def show_text(self, text: ArtifactText, *, words: str = "") -> None:
        """From its beginning, or from the first of the words."""
        self._text, self._words, self._hits = text, words.casefold(), []
        compared = self.partners.currentText() if text.language is Language.DIFF else ""
        self.remark.show_text(": ".join(part for part in (compared, _remark(text)) if part), role="muted")
        self.remark.setToolTip(plain_tip(self.remark.text()))
        self.remark.setVisible(bool(self.remark.text()))
        first = next((at for at, page in enumerate(text.pages) if self._words and self._words in page.casefold()), 0)
        self._show_page(first)

    def tell(self, text: str, *, role: str) -> None:
        """A sentence above the text, until another is shown."""
        self.remark.show_text(text, role=role)
        self.remark.setVisible(True)

    def step(self, by: int) -> None:
        """To the next (1) or previous (-1) line with the words, over the ends of pages."""
        if not self._words:
            return
        now = self.code.current_line()
        ahead = [line for line in self._hits if (line > now if by > 0 else line < now)]
        if ahead:
            self.code.scroll_to(ahead[0] if by > 0 else ahead[-1])
            return
        others = range(self._page + 1, len(self._text.pages)) if by > 0 else reversed(range(self._page))
        for at in others:
            if self._words in self._text.pages[at].casefold():
                self._show_page(at, last=by < 0)
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_title()

    def _fit_title(self) -> None:
        room = self.title.contentsRect().width()
        self.title.show_text(self.title.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, room))

    def apply(self, palette: Palette) -> None:
        self.code.apply(palette)

    def _build(self) -> None:
        self._build_pager()
        self.partners.setAccessibleName("Compare with")
        self.partners.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.partners.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.partners.setMinimumContentsLength(14)
        self.records.setCheckable(True)
        self.records.setToolTip("Show the JSON of the log's own record instead of the text")
        self.save.setToolTip("Save the whole text as it was logged")
        self.copy.setToolTip("Copy the whole text as it was logged")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.remark.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        top = QHBoxLayout()
        top.setSpacing(4)
        top.addWidget(self.title, 1)
        top.addWidget(self._pager)
        for part in (self.partners, self.records, self.copy, self.save):
            top.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self.remark)
        column.addWidget(self.code, 1)
        self.partners.activated.connect(lambda at: self.partner_chosen.emit(self._partners[at - 1] if at > 0 else None))
        self.records.toggled.connect(self.records_wanted)
        self.copy.clicked.connect(self.copy_wanted)
        self.save.clicked.connect(self.save_wanted)
        self.back.clicked.connect(lambda: self._show_page(self._page - 1))
        self.on.clicked.connect(lambda: self._show_page(self._page + 1))

    def _build_pager(self) -> None:
        for button, name in ((self.back, "Page before"), (self.on, "Next page")):
            button.setAccessibleName(name)
            button.setToolTip(name)
            button.setFixedWidth(26)
        pager = QHBoxLayout(self._pager)
        pager.setContentsMargins(0, 0, 0, 0)
        pager.setSpacing(2)
        for part in (self.back, self.place, self.on):
            pager.addWidget(part)

    def _show_page(self, at: int, *, last: bool = False) -> None:
        pages = self._text.pages or ("",)
        self._page = min(max(0, at), len(pages) - 1)
        text = pages[self._page]
        before = sum(page.count("\n") + 1 for page in pages[: self._page])
        self.code.show_code(
            text,
            segments=_segments(text, self._text.language),
            numbers=range(before + 1, before + text.count("\n") + 2),
        )
        self._pager.setVisible(len(pages) > 1)
        self.place.show_text(f"{self._page + 1} of {len(pages)}")
        self._fit_title()
        self.place.setToolTip(f"Page {self._page + 1} of {len(pages)}: long texts are shown a page at a time")
        self.back.setEnabled(self._page > 0)
        self.on.setEnabled(self._page + 1 < len(pages))
        self._mark(text, before, last=last)

    def _mark(self, text: str, before: int, *, last: bool) -> None:
        """The lines with the words, the first of them (or the last) in sight."""
        lines = enumerate(text.split("\n"), before + 1) if self._words else ()
        self._hits = [number for number, line in lines if self._words in line.casefold()]
        target = (self._hits[-1] if last else self._hits[0]) if self._hits else None
        self.code.show_marks([Mark(line) for line in self._hits[:MOST_MARKS]], scroll_to=target)
        if target is None:
            self.code.verticalScrollBar().setValue(0)


def _remark(text: ArtifactText) -> str:
    lines = "1 long line is" if text.cut_lines == 1 else f"{text.cut_lines} long lines are"
    cut = f"{lines} cut; whole where the text is copied or saved" if text.cut_lines else ""
    return " · ".join(part for part in (text.remark, cut) if part)


def _segments(text: str, language: Language) -> tuple[Segment, ...]:
    if language is Language.PYTHON:
        return generated_segments(text)
    return () if language is Language.TEXT else (Segment(0, len(text), language.value),)
