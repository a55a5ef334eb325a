"""Findings one below the other, the bars of where the time went, and the verdict, in one scrolling column."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget

from profviz.model.findings import Evidence, Finding
from profviz.model.results import Results
from profviz.ui.view_state import Pick, ViewState
from profviz.ui.views.findings import layout
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_bars import SignedBars
from profviz.ui.widgets.panel_text import LinkButton, Panel, TextLabel


class FindingsView(Panel):
    """Rebuilds its column for each results; evidence with a place is a link that picks it."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Findings", margin=0)
        self._state = state
        self._colours = palette
        self._results: Results | None = None
        self._area = QScrollArea()
        self._area.setAccessibleName("Findings")
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.column.addWidget(self._area)
        self.bars: SignedBars | None = None
        self.set_palette(palette)

    def show_results(self, results: Results) -> None:
        self._results = results
        self.bars = None
        self.show_message(layout.empty(results))
        body = QWidget()
        body.setObjectName("panel_body")
        column = QVBoxLayout(body)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(2)
        for finding in results.findings:
            self._add_finding(column, finding)
        self._add_time(column, layout.where_time_went(results))
        self._add_verdict(column, layout.verdict(results))
        column.addStretch(1)
        self._area.setWidget(body)

    def set_palette(self, palette: Palette) -> None:
        self._colours = palette
        self.apply(palette)
        if self.bars is not None:
            self.bars.apply(palette)

    def widget(self) -> FindingsView:
        return self

    def _add_finding(self, column: QVBoxLayout, finding: Finding) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(TextLabel(finding.question, bold=True), 1)
        answer = TextLabel(finding.answer, role=layout.TONES[finding.verdict], bold=True, wrap=False)
        head.addWidget(answer, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(head)
        if finding.text:
            column.addWidget(TextLabel(finding.text, role="muted"))
        if finding.advice:
            column.addWidget(TextLabel(f"→ {finding.advice}"))
        for evidence in finding.evidence[: layout.MOST_EVIDENCE]:
            column.addWidget(self._evidence(evidence))
        if more := layout.more_evidence(finding):
            column.addWidget(TextLabel(more, role="muted"))
        column.addSpacing(12)

    def _evidence(self, evidence: Evidence) -> QWidget:
        pick = self._place(evidence)
        if pick is None:
            return TextLabel(f"· {evidence.text}", role="muted")
        return LinkButton(evidence.text, lambda: self._state.pick(pick), tip=evidence.text)

    def _place(self, evidence: Evidence) -> Pick | None:
        side = layout.side_of_variant(self._results, evidence.variant) if self._results else -1
        if evidence.slice >= 0 and side >= 0:
            return Pick(side=side, slice=evidence.slice, source=evidence.source)
        return Pick(source=evidence.source) if evidence.source else None

    def _add_time(self, column: QVBoxLayout, time: layout.WhereTimeWent | None) -> None:
        if time is None:
            return
        column.addWidget(TextLabel("Where the time went", bold=True))
        column.addWidget(TextLabel(time.basis, role="muted"))
        if time.bars:
            self.bars = SignedBars(self._colours, name="Change by kind of kernel")
            self.bars.show_bars(time.bars)
            column.addSpacing(4)
            column.addWidget(self.bars)
        if time.total:
            column.addWidget(TextLabel(time.total, role="muted"))
        column.addSpacing(12)

    def _add_verdict(self, column: QLayout, line: layout.Line | None) -> None:
        if line is None:
            return
        column.addWidget(TextLabel("Verdict", bold=True))
        column.addWidget(TextLabel(line.text, role=line.tone, bold=True))
        if line.detail:
            column.addWidget(TextLabel(line.detail, role="muted"))


SPEC = ViewSpec(id="findings", title="Findings", area=Area.LEFT, factory=FindingsView, empty=layout.empty)
