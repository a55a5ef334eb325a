"""Writing a trace of the results or a table for other tools: asks where to, starts the job, tells what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from profviz.engine.events import Event, JobFailed, Loading, TraceExported
from profviz.model.results import Results, Side
from profviz.model.units import format_count

if TYPE_CHECKING:
    from profviz.model.questions import ColumnTable
    from profviz.model.trace import I64
    from profviz.ui.bridge import JobSlot
    from profviz.ui.main_window import MainWindow
    from profviz.ui.view_state import ViewState

FILTERS = "Chrome trace (*.json *.json.gz);;CSV, a row a slice (*.csv);;Parquet, a row a slice (*.parquet)"
TABLE_FILTERS = "CSV (*.csv);;Parquet (*.parquet)"


class TraceExport(QObject):
    """`told` carries a sentence and a detail, `problem` an error and a bug report, `loading` as the controller's."""

    told = Signal(str, str)
    problem = Signal(object, str)
    loading = Signal(str, object)

    def __init__(self, slot: JobSlot, parent: QWidget) -> None:
        super().__init__(parent)
        self._slot = slot
        self._window = parent
        slot.said.connect(self._said)

    def ask(self, results: Results, state: ViewState, *, visible: bool) -> None:
        """Exports a side that the user picks where there are several: whole, or what the timeline shows of it."""
        number = self._choose_side(results)
        if number < 0:
            return
        side = results.sides[number]
        path, _ = QFileDialog.getSaveFileName(self._window, "Export a trace", suggested(side, visible=visible), FILTERS)
        if path:
            self.start(side, path, window=shown_window(state, number) if visible else None)

    def start(self, side: Side, path: str, *, window: tuple[int, int] | None) -> None:
        from profviz.engine import jobs  # readers and writers: not before they are needed

        self._slot.start(lambda emit: jobs.export_file(side.trace, path, window=window, emit=emit))

    def ask_for_table(self, table: ColumnTable, rows: I64) -> None:
        """Writes rows of a table, in this order."""
        name = f"{table.title.casefold()}.csv"
        path, _ = QFileDialog.getSaveFileName(self._window, "Export a table", name, TABLE_FILTERS)
        if path:
            from profviz.engine import jobs

            self._slot.start(lambda emit: jobs.export_table(table, rows, path, emit=emit))

    def _choose_side(self, results: Results) -> int:
        titles = [f"{number + 1}. {side.title}" for number, side in enumerate(results.sides)]
        if len(titles) < 2:
            return len(titles) - 1
        chosen, is_chosen = QInputDialog.getItem(self._window, "Export a trace", "Which one:", titles, 0, False)
        return titles.index(chosen) if is_chosen else -1

    def _said(self, event: Event) -> None:
        if isinstance(event, Loading):
            self.loading.emit(event.text, event.fraction)
            return
        if isinstance(event, TraceExported):
            self.told.emit(f"Exported {format_count(event.written)} {event.items} to {event.path}", left_out(event))
        elif isinstance(event, JobFailed):
            self.problem.emit(event.error, event.bug_report)
        self.loading.emit("", None)


def export_from(window: MainWindow, *, visible: bool) -> None:
    """Exports a trace of the results that a window shows, if it shows any."""
    page = window.results_page
    if page.results is not None and page.results.sides:
        _export_of(window).ask(page.results, page.state, visible=visible)


def export_table_from(window: MainWindow, table: ColumnTable, rows: I64) -> None:
    """Exports rows of a table that a view of the window shows."""
    _export_of(window).ask_for_table(table, rows)


def _export_of(window: MainWindow) -> TraceExport:
    export = window.findChild(TraceExport)
    if export is None:
        export = TraceExport(window.controller.bridge.exporting, window)
        export.told.connect(lambda text, detail: window.tell(text, detail=detail))
        export.problem.connect(window.show_problem)
        export.loading.connect(window.show_loading)
    return export


def suggested(side: Side, *, visible: bool) -> str:
    """A name for the file, in the folder where the dialog opens."""
    return f"{Path(side.title).name}{' (part)' if visible else ''}.json.gz"


def shown_window(state: ViewState, side: int) -> tuple[int, int]:
    """What the timeline shows of a side, on that side's own clock."""
    offset_ns = state.offsets_ns[side] if side < len(state.offsets_ns) else 0
    return state.window.start_ns + offset_ns, state.window.end_ns + offset_ns


def left_out(event: Any) -> str:
    """What such a file does not hold, empty when it holds everything."""
    return "; ".join(f"{format_count(count)} {what}" for what, count in event.left_out.items())
