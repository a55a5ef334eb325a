"""The icicle of compile stages beside their table; a compilation that is chosen in either is what both show."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QSplitter

from profviz.model.compile_cost import CompileAccount
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.compile import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.icicle import IcicleView
from profviz.ui.widgets.icicle_values import Icicle
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import Panel, TextLabel
from profviz.ui.widgets.table_view import TableView
from profviz.ui.widgets.view_actions import Deed

ID = "compile cost"
WIDEST_CHOICE = 320
"""In pixels: beyond it a file's name must not take the room of what is said."""
WAITING = "Working out where compile time went …"


class CompileView(Panel):
    """Asks for a report's account when it is first seen; `what` is the part of it that is summed in the table."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Compile")
        self._state = state
        self._results: Results | None = None
        self._asked: Question | None = None
        self._account: CompileAccount | None = None
        self._picture: layout.Picture | None = None
        self._choices: tuple[tuple[str, str], ...] = ()
        self.reports = QComboBox()
        self.what = QComboBox()
        self.source = QPushButton("Go to source")
        self.logged = QPushButton("Go to its texts")
        self.sentence = TextLabel()
        self.icicle = IcicleView(palette, name="Stages of compiling on real time")
        self.table = TableView(palette, name="Time by stage")
        self._build()
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._asked, self._account, self._picture = None, None, None
        self.show_message(layout.empty(results))
        with QSignalBlocker(self.reports):
            self.reports.clear()
            self.reports.addItems([results.report_title(label) for label, _ in results.reports])
        timed = next((at for at, (_, report) in enumerate(results.reports) if report.events), 0)
        self.reports.setCurrentIndex(timed if results.reports else -1)
        self.reports.setVisible(len(results.reports) > 1)
        self._clear(WAITING)
        if self.isVisible():
            self._ask()

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.icicle.apply(palette)
        self.table.apply(palette)

    def widget(self) -> CompileView:
        return self

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    @property
    def deeds(self) -> dict[str, Deed]:
        """What the actions of `keys` do, by id."""
        if self._picture is None:
            return {}
        return {id_: Deed(run) for id_, run in self.icicle.deeds.items()}

    @property
    def chosen(self) -> str:
        """What the table sums: a compile id, or one of the layout's words."""
        at = self.what.currentIndex()
        return self._choices[at][0] if 0 <= at < len(self._choices) else ""

    def _build(self) -> None:
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.icicle)
        parts.addWidget(self.table)
        parts.setSizes([680, 520])
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        parts.setChildrenCollapsible(False)
        self._parts = parts
        self.column.setSpacing(4)
        self.column.addLayout(self._build_top())
        self.column.addWidget(parts, 1)
        self.column.addStretch()
        self.icicle.span_chosen.connect(self._choose_span)
        self.table.chosen.connect(self._choose_stage)

    def _build_top(self) -> QHBoxLayout:
        self.reports.setAccessibleName("Compile log")
        self.what.setAccessibleName("What is summed in the table")
        self.source.setAccessibleName("Go to where the compiled function begins")
        self.logged.setAccessibleName("Go to everything that was logged of the compilation")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        top = QHBoxLayout()
        top.setSpacing(8)
        for box, letters in ((self.reports, 16), (self.what, 24)):
            # filled after it was first shown, when the width of its text is no longer asked for by itself
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMinimumContentsLength(letters)
            box.setMaximumWidth(WIDEST_CHOICE)
            top.addWidget(box)
        top.addWidget(self.source)
        top.addWidget(self.logged)
        top.addWidget(self.sentence, 1)
        self.reports.currentTextChanged.connect(lambda text: self.reports.setToolTip(plain_tip(text)))
        self.reports.activated.connect(lambda _: self._change_report())
        self.what.activated.connect(lambda _: self._show_chosen())
        self.source.clicked.connect(self._show_source)
        self.logged.clicked.connect(self._show_logged)
        return top

    def _clear(self, sentence: str) -> None:
        self.sentence.show_text(sentence, role="muted")
        self.icicle.show_data(Icicle(), tell=lambda _: "")
        self.table.show_table(layout.columns(), ())
        self.source.setEnabled(False)
        for part in (self.what, self.source, self.logged, self._parts):
            part.setVisible(False)

    # What is asked

    def _change_report(self) -> None:
        self._asked = None
        self._ask()

    def _ask(self) -> None:
        if self._results is None or self._asked is not None or layout.empty(self._results):
            return
        self._asked = Question(ID, -1, (self.reports.currentIndex(),))
        self._state.ask(self._asked, self._answered)

    def _answered(self, question: Question, found: Any) -> None:
        """Answers to what is no longer asked come late and are let go."""
        if question != self._asked or self._results is None:
            return
        if isinstance(found, Unanswered):
            self._clear(found.why)
            return
        self._account = found
        report = self._results.reports[self.reports.currentIndex()][1]
        self.sentence.show_text(" ".join(layout.sentences(found, report)), role="plain")
        shown = self._picture = layout.picture(found, report)
        self.icicle.show_data(shown.icicle, tell=lambda index: layout.tell(shown, index, report, found.cost))
        self._choices = layout.choices(found, report)
        self.what.clear()
        self.what.addItems([title for _, title in self._choices])
        for part in (self.what, self.source, self.logged, self._parts):
            part.setVisible(True)
        self._show_chosen()

    # What is chosen

    def _show_chosen(self) -> None:
        """The table sums it, and in the icicle all else fades."""
        if self._account is None or self._picture is None:
            return
        self.table.show_table(layout.columns(), layout.table(self._account.cost, self.chosen))
        single = self.chosen not in (layout.FIRST_CALL, layout.EVERYTHING)
        self.icicle.dim(self._picture.outside(self.chosen.strip()) if single else None)
        self.source.setEnabled(self._frame() is not None)
        self.logged.setEnabled(single and bool(self.chosen.strip()))

    def _choose_span(self, index: int) -> None:
        """A compilation's box chooses it; Escape and what belongs to none go back to the first choice."""
        wanted = self._picture.compile_id(index) if self._picture is not None else ""
        ids = [what for what, _ in self._choices]
        self.what.setCurrentIndex(ids.index(wanted) if wanted in ids else 0)
        self._show_chosen()

    def _choose_stage(self, row: layout.StageRow) -> None:
        if self._picture is not None:
            is_sum = row.tone == "accent"
            self.icicle.dim(None if is_sum else self._picture.beside(row.stage, row.direction))

    def _frame(self) -> Any:
        """The frame that was chosen, where its place is known."""
        if self._results is None:
            return None
        report = self._results.reports[self.reports.currentIndex()][1]
        return next((one for one in report.frames if one.compile_id == self.chosen and one.source), None)

    def _show_source(self) -> None:
        frame = self._frame()
        if frame is not None:
            self._state.pick(Pick(report=self.reports.currentIndex(), source=frame.source))

    def _show_logged(self) -> None:
        self._state.pick(Pick(report=self.reports.currentIndex(), compile_id=self.chosen.strip()))


SPEC = ViewSpec(id="compile", title="Compile", area=Area.BOTTOM, factory=CompileView, empty=layout.empty)
