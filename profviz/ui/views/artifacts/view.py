"""The tree of all that a compile log holds beside the text of what is chosen in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from profviz.model.artifacts import RECORDS, TEXT, ArtifactText, Language
from profviz.model.compile_report import CompileReport
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.model.units import format_count
from profviz.ui.view_state import Selection, ViewState
from profviz.ui.views.artifacts import layout
from profviz.ui.views.artifacts.layout import Log, Partner, Row, Wanted
from profviz.ui.views.artifacts.page import TextPage
from profviz.ui.views.artifacts.titles import title
from profviz.ui.views.artifacts.tree import ArtifactTree
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow

BY_COMPILE, BY_CALLS = 0, 1
TYPING_MS = 250
"""So long nothing is typed before all texts are searched."""


class SearchField(QLineEdit):
    """Return goes on to the next place, with Shift to the one before."""

    def __init__(self, step: Callable[[int], None]) -> None:
        super().__init__()
        self._step = step
        self.setPlaceholderText("Search names and texts")
        self.setAccessibleName("Search names and texts")
        self.setClearButtonEnabled(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            return
        super().keyPressEvent(event)


class ArtifactsView(Panel):
    """Texts are asked for and come when they have been read; one that is no longer chosen then is let go."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Artifacts")
        self._state = state
        self._results: Results | None = None
        self._asked: Question | None = None
        self._searched: Question | None = None
        self._wanted = Wanted()
        self._report = 0
        self._log: Log | None = None
        self._is_stale = False
        self._order = BY_COMPILE
        self.reports = QComboBox()
        self.order = ToggleRow(name="How to order", chosen=self._reorder)
        self.page = TextPage(palette)
        self.search = SearchField(self.page.step)
        self.found = TextLabel(role="muted", wrap=False)
        self.tree = ArtifactTree(palette, name="What the log holds")
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.timeout.connect(self._search_texts)
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)
        self.seen.connect(self._fill)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._asked = self._searched = None
        self._wanted = Wanted()
        self.show_message(layout.empty(results))
        with QSignalBlocker(self.reports), QSignalBlocker(self.search):
            self.search.clear()
            self.reports.clear()
            self.reports.addItems([results.report_title(label) for label, _ in results.reports])
        self.reports.setVisible(len(results.reports) > 1)
        self._report = next((at for at, (_, one) in enumerate(results.reports) if len(one.artifacts)), 0)
        self.reports.setCurrentIndex(self._report if results.reports else -1)
        self._is_stale = True
        self._fill()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill()

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.tree.apply(palette)
        self.page.apply(palette)

    def widget(self) -> ArtifactsView:
        return self

    def _build(self) -> None:
        self.reports.setAccessibleName("Compile log")
        self.order.show_choices(["By compilation", "By calls"], current=BY_COMPILE)
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(self.order)
        line.addWidget(self.search, 1)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.reports)
        column.addLayout(line)
        column.addWidget(self.found)
        column.addWidget(self.tree, 1)
        self.found.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._tell("")
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(left)
        parts.addWidget(self.page)
        parts.setSizes([420, 780])
        parts.setStretchFactor(1, 1)
        parts.setChildrenCollapsible(False)
        self.column.addWidget(parts, 1)
        self.reports.activated.connect(self._choose_report)
        self.search.textChanged.connect(lambda _: self._typed())
        self.tree.row_chosen.connect(self._show_row)
        self.page.partner_chosen.connect(self._compare)
        self.page.records_wanted.connect(lambda wanted: self._ask_text(RECORDS if wanted else TEXT))
        self.page.copy_wanted.connect(self._copy)
        self.page.save_wanted.connect(self._save)

    # The tree

    def _fill(self) -> None:
        """What nobody sees is not listed before it is seen."""
        if self._is_stale and self.isVisible() and self.is_seen:
            self._is_stale = False
            self._choose_report(self._report)
            self._show_selection(self._state.selection)

    def _list(self) -> None:
        if self._log is None:
            self.tree.show_rows(())
        elif self._order == BY_CALLS and not self._wanted.words:
            self.tree.show_rows(layout.by_calls(self._log), opened=True)
        else:
            self.tree.show_rows(layout.by_compile(self._log, self._wanted), opened=bool(self._wanted.words))

    def _choose_report(self, at: int) -> None:
        reports = self._results.reports if self._results is not None else ()
        self._report = at
        self._log = Log.of(reports[at][1]) if at < len(reports) else None
        self._list()
        self.tree.choose_first()
        if self._wanted.words:
            self._typed()

    def _reorder(self, order: int) -> None:
        self._order = order
        row = self.tree.current()
        self._list()
        if row is None or not self.tree.choose_compile(row.compile_id):
            self.tree.choose_first()

    def _show_selection(self, selection: Selection) -> None:
        """What is selected elsewhere brings its compilation here; a text of it that is shown stays."""
        if self._results is None or self.message or self._is_stale:
            return
        report, compile_id = layout.chosen_elsewhere(self._results, selection)
        row = self.tree.current()
        if not compile_id or (report == self._report and row is not None and row.compile_id == compile_id):
            return
        if report != self._report:
            self.reports.setCurrentIndex(report)
            self._choose_report(report)
        self.tree.choose_compile(compile_id)

    # Searching

    def _typed(self) -> None:
        """Names are searched as one types, texts when one pauses."""
        self._searched = None
        self._wanted = Wanted(self.search.text().strip())
        self._tell("")
        self._list()
        self._typing.start(TYPING_MS)

    def _search_texts(self) -> None:
        if self._wanted.words:
            self._searched = Question("artifact search", -1, (self._report, self._wanted.words))
            self._state.ask(self._searched, self._found_texts)
        else:
            self._show_row(self.tree.current())

    def _found_texts(self, question: Question, found: Any) -> None:
        if question != self._searched:
            return
        if isinstance(found, Unanswered):
            self._tell(found.why, role="warn")
            return
        self._wanted = Wanted(self._wanted.words, found.counts)
        places, texts = sum(found.counts.values()), len(found.counts)
        hits = f"{format_count(places)} place{'' if places == 1 else 's'} in {texts} text{'' if texts == 1 else 's'}"
        self._tell(found.unread or hits, role="warn" if found.unread else "muted")
        self._list()
        row = self.tree.current()
        if row is not None and row.artifact in found.counts:
            self._show_row(row)
        else:
            self.tree.choose_artifact(*found.counts)

    def _tell(self, text: str, *, role: str = "muted") -> None:
        self.found.show_text(text, role=role)
        self.found.setToolTip(plain_tip(text))
        self.found.setVisible(bool(text))

    # The text

    def _show_row(self, row: Row | None) -> None:
        log = self._log
        if row is None or log is None or self._results is None:
            return
        self._asked = None
        if row.artifact >= 0:
            partners = layout.partners(self._results, self._report, row.artifact)
            self.page.show_head(row_title(row, log.report), partners, is_artifact=True)
            self._ask_text(TEXT)
        elif row.is_page or row.text:
            text = row.text or layout.page_of(log, row.compile_id)
            self.page.show_head(row.title, (), is_artifact=False)
            self.page.show_text(ArtifactText((text,), Language.TEXT), words=self._wanted.words)

    def _ask_text(self, what: str) -> None:
        row = self.tree.current()
        if row is not None and row.artifact >= 0:
            self._ask(Question("artifact text", -1, (self._report, row.artifact, what)))

    def _compare(self, partner: Partner | None) -> None:
        row = self.tree.current()
        if partner is None:
            self._ask_text(TEXT)
        elif row is not None and row.artifact >= 0:
            args = (partner.report, partner.artifact, self._report, row.artifact)
            self._ask(Question("artifact difference", -1, args))

    def _ask(self, question: Question) -> None:
        self._asked = question
        self._state.ask(question, self._answered)

    def _answered(self, question: Question, found: Any) -> None:
        if question != self._asked:
            return
        if isinstance(found, Unanswered):
            found = ArtifactText(("",), Language.TEXT, remark=found.why)
        self.page.show_text(found, words=self._wanted.words)

    # The whole of it

    def _copy(self) -> None:
        self._ask_whole(self._put_down)

    def _save(self) -> None:
        row, log = self.tree.current(), self._log
        if row is None or log is None:
            return
        name = (
            layout.suggested_name(log.report.artifacts.items[row.artifact]) if row.artifact >= 0 else "compilation.txt"
        )
        path, _ = QFileDialog.getSaveFileName(self, "Save the text", name)
        if path:
            self._ask_whole(lambda text: self._write(text, Path(path)))

    def _ask_whole(self, take: Callable[[str], None]) -> None:
        """Of an artifact the text as it was logged, of a page of profviz's own what is shown."""
        row = self.tree.current()
        if row is None or row.artifact < 0:
            take(self.page.code.toPlainText())
            return

        def answered(_question: Question, found: Any) -> None:
            if isinstance(found, Unanswered):
                self.page.tell(found.why, role="warn")
            else:
                take(found.pages[0])

        self._state.ask(Question("artifact whole", -1, (self._report, row.artifact)), answered)

    def _put_down(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.page.tell("Copied", role="muted")

    def _write(self, text: str, path: Path) -> None:
        try:
            path.write_bytes(text.encode("utf-8", "replace"))
        except OSError as error:
            self.page.tell(f"It could not be saved: {error.strerror or error}", role="bad")
        else:
            self.page.tell(f"Saved as {path.name}", role="muted")


def row_title(row: Row, report: CompileReport) -> str:
    return "  ·  ".join(part for part in (row.compile_id, title(report.artifacts.items[row.artifact])) if part)


SPEC = ViewSpec(id="artifacts", title="Artifacts", area=Area.BOTTOM, factory=ArtifactsView, empty=layout.empty)
