"""CPU milliseconds to build each table, to sort and to filter it, for a side of a million launches; medians of five.

`python tests/benchmarks/bench_tables.py [LAUNCHES]` prints, for each table, its rows, what building it costs whole and
within a range, and joined with itself; then of a table on the screen what sorting by each column costs, at first and
turned round, and what filters cost.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from big_side import big_side
from PySide6.QtWidgets import QApplication

from profviz.analysis.questions import answer
from profviz.analysis.tables.registry import TABLES
from profviz.model.questions import ColumnTable, PairedTable, Question
from profviz.model.results import Results
from profviz.ui.widgets.palette import DARK
from profviz.ui.widgets.table_arrays import array_columns
from profviz.ui.widgets.table_view import TableView

FILTERS = ("op_12", "op_1 aten", "delay>1ms", "lifetime<200us")
REPEATS = 5


def median_ms(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        taken.append((time.process_time() - began) * 1_000)
    return statistics.median(taken)


def building(results: Results) -> list[ColumnTable]:
    span = results.sides[0].trace.span_ns
    made = []
    print(f"{'table':12}{'rows':>10}{'build ms':>10}{'range ms':>10}{'joined ms':>10}")
    for id_ in TABLES:
        table = answer(results, Question("table", 0, (id_,)))
        if not isinstance(table, ColumnTable):
            continue  # there is no compile log
        assert isinstance(answer(results, Question("table pair", -1, (id_, 0, 0))), PairedTable)
        whole = median_ms(lambda id_=id_: answer(results, Question("table", 0, (id_,))))
        part = ((span // 4, span // 2),)
        within = median_ms(lambda id_=id_, part=part: answer(results, Question("table", 0, (id_, part))))
        joined = median_ms(lambda id_=id_: answer(results, Question("table pair", -1, (id_, 0, 0))))
        print(f"{id_:12}{len(table):10}{whole:10.0f}{within:10.0f}{joined:10.0f}", flush=True)
        made.append(table)
    return made


def on_screen(table: ColumnTable) -> None:
    """Everything through the widget, painting included; what is kept of a column is thrown away for "first"."""
    view = TableView(DARK, name=table.title)
    view.resize(1500, 300)
    view.show()

    def shown() -> None:
        view.show_table(array_columns(table.columns, table.kind), range(len(table)))
        QApplication.processEvents()

    def after(work: Callable[[], None]) -> float:
        began = time.process_time()
        work()
        QApplication.processEvents()
        return (time.process_time() - began) * 1_000

    print(f"\n{table.title}, {len(table)} rows on the screen: shown in {median_ms(shown):.0f} ms")
    print(f"{'sorted by':14}{'first ms':>10}{'turned ms':>10}{'again ms':>10}")
    for section, column in enumerate(view.rows.columns):
        taken: list[list[float]] = []
        for _ in range(REPEATS):
            shown()
            taken.append([after(lambda section=section: view.sort_by(section)) for _ in range(3)])
        print(f"{column.title:14}" + "".join(f"{statistics.median(one):10.0f}" for one in zip(*taken, strict=True)))
    for text in FILTERS:
        times = [after(lambda text=text: view.set_filter(text)) for _ in range(REPEATS)]
        print(f"filter {text!r}: {statistics.median(times):.0f} ms leave {view.rows.rowCount()} rows", flush=True)
    view.close()


def main() -> None:
    app = QApplication.instance() or QApplication([])
    side = big_side(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    results = Results("big", "", (side,), (), (), ())
    print(f"{len(side.trace.slices)} slices, {len(side.trace.memory)} allocations and frees")
    for table in building(results):
        if table.title in ("Launches", "Memory"):
            on_screen(table)
    app.processEvents()


if __name__ == "__main__":
    main()
