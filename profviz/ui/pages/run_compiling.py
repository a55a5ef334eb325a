"""What the compiler has done so far while a run goes on: frames and graphs, time by stage, breaks as they are found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
)

from profviz.engine.events import CompileSeen
from profviz.model.compile_cost import CompileCost, CompileStage
from profviz.model.compile_report import CompileReport
from profviz.model.units import format_count, format_ns, format_percent
from profviz.ui.widgets.shell_labels import ElidedLabel, label, plain_tip

_ROW = 24
LOOK_TIP = "Shows breaks, recompiles, guards, stages, graphs and code as far as the log goes; the run goes on"
Row = tuple[str, ...]


class CompilingPanel(QFrame):
    """Stays away until something was compiled; `look` asks to see it in the views of the results page."""

    look = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", True)
        self.setAccessibleName("Compiler so far")
        self.seen: CompileSeen | None = None
        self.summary = ElidedLabel(role="muted")
        self.stages = _table("Compile time by stage so far", ("Stage", "Time", "Share"), wide=0)
        self.breaks = _table("Graph breaks so far", ("Breaks at", "Line", "Why"), wide=2)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(label("Compiler so far", role="title"))
        top.addWidget(self.summary, 1)
        self.look_button = QPushButton("Look inside")
        self.look_button.setToolTip(LOOK_TIP)
        self.look_button.clicked.connect(lambda: self.look.emit())
        top.addWidget(self.look_button)
        tables = QHBoxLayout()
        tables.setSpacing(16)
        tables.addWidget(self.stages, 2)
        tables.addWidget(self.breaks, 3)
        column.addLayout(top)
        column.addLayout(tables, 1)
        self.hide()

    def show_seen(self, seen: CompileSeen, *, title: str) -> None:
        self.seen = seen
        self.summary.setText(f"{title}: {summary(seen.report, seen.cost)}")
        _fill(self.stages, stage_rows(seen.cost))
        found = break_rows(seen.report)
        _fill(self.breaks, found)
        self.breaks.setVisible(bool(found))
        self.show()

    def forget(self) -> None:
        self.seen = None
        self.hide()


def summary(report: CompileReport, cost: CompileCost) -> str:
    """`3 frames, 2 graphs, 1 break, 0 recompiles in 12.3 s`."""
    counts = (
        (len(report.frames), "frame"),
        (report.graph_count, "graph"),
        (len(report.breaks), "break"),
        (len(report.skipped), "skipped frame"),
        (len(report.recompiles), "recompile"),
        (sum(use.state == "hit" for use in report.caches), "cache hit"),
    )
    told = [
        f"{format_count(n)} {word}{'s' * (n != 1)}" for n, word in counts if n or word in ("frame", "graph", "break")
    ]
    return f"{', '.join(told)} in {format_ns(cost.explained_ns)}"


def stage_rows(cost: CompileCost) -> list[Row]:
    """Stages with their own time, forward and backward together, what took longest first."""
    sums: dict[CompileStage, int] = {}
    for part in cost.parts:
        sums[part.stage] = sums.get(part.stage, 0) + part.dur_ns
    whole = sum(sums.values())
    order = sorted(sums, key=lambda stage: -sums[stage])
    return [
        (stage.value, format_ns(sums[stage]), format_percent(sums[stage] / whole if whole else None)) for stage in order
    ]


def break_rows(report: CompileReport) -> list[Row]:
    """A row a line that broke, then the frames that were skipped."""
    found = [(one.source.place, one.source.text.strip(), one.plain or one.reason) for one in report.breaks]
    for one in report.skipped:
        source = one.cause or one.source
        place, text = (source.place, source.text.strip()) if source else (one.function, "")
        found.append((place, text, f"{one.function} runs eager: {one.reason.plain or one.reason.text}"))
    return [tuple(value.split("\n", 1)[0] for value in row) for row in found]


def _table(name: str, heads: Sequence[str], *, wide: int) -> QTableWidget:
    made = QTableWidget(0, len(heads))
    made.setAccessibleName(name)
    made.setHorizontalHeaderLabels(list(heads))
    made.verticalHeader().hide()
    made.verticalHeader().setDefaultSectionSize(_ROW)
    made.setShowGrid(False)
    made.setWordWrap(False)
    made.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    made.setTabKeyNavigation(False)
    made.setMinimumHeight(4 * _ROW)
    header = made.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    for column in range(len(heads)):
        mode = QHeaderView.ResizeMode.Stretch if column == wide else QHeaderView.ResizeMode.ResizeToContents
        header.setSectionResizeMode(column, mode)
    header.setMaximumSectionSize(320)
    return made


def _fill(table: QTableWidget, rows: Sequence[Row]) -> None:
    """Changes only what changed: the row that is looked at stays."""
    table.setRowCount(len(rows))
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            item = table.item(row, column)
            if item is None:
                item = QTableWidgetItem()
                table.setItem(row, column, item)
            if item.text() != text:
                item.setText(text)
                item.setToolTip(plain_tip(text))
