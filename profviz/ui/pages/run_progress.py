"""Where a run is: stages with counts and elapsed time, figures as they come, and a bounded log."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QPalette, QTextCharFormat
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPlainTextEdit, QTableWidget, QTableWidgetItem

from profviz.engine.events import StageMoved
from profviz.model.run import Run, VariantResult
from profviz.model.units import format_count, format_ns
from profviz.ui.widgets.shell_figures import Figure

LOG_LINES = 5000
LONGEST_LINE = 4000
TICK_MS = 200
_MARKS = {"begin": "●", "step": "●", "end": "✓", "stopped": "✕"}
_DONE = QPalette.ColorRole.PlaceholderText
_MARK_ROLES = {
    "begin": QPalette.ColorRole.Link,
    "step": QPalette.ColorRole.Link,
    "stopped": QPalette.ColorRole.BrightText,
}
STAGE_TITLES = {
    "loading": "Loading the script",
    "eager_warmup": "Warming up eager",
    "eager_timing": "Timing eager",
    "eager_profile": "Profiling eager",
    "eager_tape": "Recording eager's autograd tape",
    "compiling": "Compiling and warming up",
    "steady_timing": "Timing eager and compiled in turn",
    "compiled_profile": "Profiling compiled",
    "check": "Checking outputs against eager",
    "graphs": "Collecting the compiler's graphs",
}
_COLUMNS = ("", "Stage", "Variant", "Count", "Elapsed")


@dataclass(frozen=True, slots=True)
class StageRow:
    """One line: `since_s` is the clock when the stage last spoke, for an elapsed time that goes on."""

    stage: str
    variant: str
    state: str
    count: int
    total: int
    elapsed_ns: int
    detail: str
    since_s: float

    @property
    def running(self) -> bool:
        return self.state in ("begin", "step")

    def elapsed_at(self, now_s: float) -> int:
        return self.elapsed_ns + (round((now_s - self.since_s) * 1e9) if self.running else 0)

    def count_text(self) -> str:
        if self.total:
            return f"{format_count(self.count)} / {format_count(self.total)}"
        return format_count(self.count) if self.count else ""


class StageList:
    """The stages in the order they began; a stage of a variant stands once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rows: dict[tuple[str, str], StageRow] = {}

    @property
    def rows(self) -> tuple[StageRow, ...]:
        return tuple(self._rows.values())

    def clear(self) -> None:
        self._rows.clear()

    def move(self, moved: StageMoved) -> None:
        p = moved.progress
        before = self._rows.get((p.stage, p.variant))
        detail = p.detail or (before.detail if before else "")
        count = max(p.count, before.count) if before and p.state == "end" else p.count
        total = p.total or (before.total if before else 0)
        row = StageRow(p.stage, p.variant, p.state, count, total, p.elapsed_ns, detail, self._clock())
        self._rows[p.stage, p.variant] = row

    def stop(self) -> None:
        """The run is over: what was still going is marked as stopped."""
        now = self._clock()
        for key, row in self._rows.items():
            if row.running:
                self._rows[key] = replace(row, state="stopped", elapsed_ns=row.elapsed_at(now))


class StageTable(QTableWidget):
    """Paints a `StageList`; ticks only while a stage is running."""

    def __init__(self) -> None:
        super().__init__(0, len(_COLUMNS))
        self.stages = StageList()
        self.variant_titles: dict[str, str] = {}
        self.setHorizontalHeaderLabels(_COLUMNS)
        self.setAccessibleName("Stages of the run")
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(26)
        self.setShowGrid(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column in (0, 2, 3, 4):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._show_rows)

    def sizeHint(self) -> QSize:
        return QSize(480, 240)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "stages"):
            self._show_rows()

    def reset(self) -> None:
        super().reset()
        if hasattr(self, "stages"):
            self.stages.clear()
            self.setRowCount(0)
            self._tick.stop()

    def move_stage(self, moved: StageMoved) -> None:
        self.stages.move(moved)
        self._show_rows()
        if not self._tick.isActive():
            self._tick.start()

    def stop(self) -> None:
        self._tick.stop()
        self.stages.stop()
        self._show_rows()

    def _show_rows(self) -> None:
        now = time.monotonic()
        rows = self.stages.rows
        grown = len(rows) > self.rowCount()
        self.setRowCount(len(rows))
        for index, row in enumerate(rows):
            texts = self._texts(row, row.elapsed_at(now))
            for column, text in enumerate(texts):
                self._set_text(index, column, text)
            self.item(index, 0).setForeground(self.palette().color(_MARK_ROLES.get(row.state, _DONE)))
        if grown:
            self.scrollToBottom()

    def _texts(self, row: StageRow, elapsed_ns: int) -> tuple[str, ...]:
        title = stage_title(row.stage) + (f" · {row.detail}" if row.detail else "")
        variant = self.variant_titles.get(row.variant, row.variant)
        elapsed = format_ns(elapsed_ns) if elapsed_ns else ""
        return (_MARKS.get(row.state, "·"), title, variant, row.count_text(), elapsed)

    def _set_text(self, row: int, column: int, text: str) -> None:
        item = self.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            if column >= 3:
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.setItem(row, column, item)
        if item.text() != text:
            item.setText(text)


def stage_title(stage: str) -> str:
    """A stage of a newer worker is shown by its id, spelt out."""
    if stage in STAGE_TITLES:
        return STAGE_TITLES[stage]
    text = stage.replace("_", " ").replace("-", " ")
    return text[:1].upper() + text[1:]


class LogPane(QPlainTextEdit):
    """Plain text, monospace, the newest `LOG_LINES` lines; follows the end unless scrolled up."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("log", True)
        self.setReadOnly(True)
        self.setMaximumBlockCount(LOG_LINES)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText("What the script prints appears here.")
        self.setAccessibleName("Log")
        self._waiting: list[str] = []
        self._flush = QTimer(self, interval=50, singleShot=True)
        self._flush.timeout.connect(self.flush)

    def add(self, level: str, text: str) -> None:
        """Lines are gathered for a moment: a script may print thousands at once."""
        prefix = "" if level == "script" else f"[{level}] "
        self._waiting += [prefix + line[:LONGEST_LINE] for line in text.splitlines() or [""]]
        del self._waiting[:-LOG_LINES]
        if not self._flush.isActive():
            self._flush.start()

    def flush(self) -> None:
        if self._waiting:
            self.setCurrentCharFormat(QTextCharFormat())
            self.appendPlainText("\n".join(self._waiting))
            self._waiting.clear()

    def forget(self) -> None:
        self._waiting.clear()
        self._flush.stop()
        self.clear()


def partial_figures(run: Run) -> tuple[Figure, ...]:
    """What is known of each variant so far, for the strip over the stages."""
    return tuple(_figure(variant) for variant in run.variants)


def _figure(variant: VariantResult) -> Figure:
    if variant.failure is not None:
        return Figure(variant.title, "failed", variant.failure.what, "bad")
    if variant.timing is not None and variant.timing.median_ns is not None:
        spread = f"IQR {format_ns(variant.timing.iqr_ns)}"
        return Figure(variant.title, format_ns(variant.timing.median_ns), spread)
    if variant.first_call_ns is not None:
        return Figure(variant.title, "…", f"first call {format_ns(variant.first_call_ns)}")
    return Figure(variant.title, "…", "waiting")
