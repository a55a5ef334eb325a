"""Seconds to build each table and to sort and filter it, for a side of a million launches; medians of five.

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

from profviz.analysis.questions import answer
from profviz.analysis.tables.registry import TABLES
from profviz.model.questions import ColumnTable, PairedTable, Question
from profviz.model.results import Results

REPEATS = 5


def median_ms(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1_000)
    return statistics.median(taken)


def building(results: Results) -> list[ColumnTable]:
    span = results.sides[0].trace.span_ns
    made = []
    print(f"{'table':12}{'rows':>10}{'build ms':>10}{'range ms':>10}{'joined ms':>10}")
    for id_ in TABLES:
        table = answer(results, Question("table", 0, (id_,)))
        assert isinstance(table, ColumnTable), table
        assert isinstance(answer(results, Question("table pair", -1, (id_, 0, 0))), PairedTable)
        whole = median_ms(lambda id_=id_: answer(results, Question("table", 0, (id_,))))
        part = ((span // 4, span // 2),)
        within = median_ms(lambda id_=id_, part=part: answer(results, Question("table", 0, (id_, part))))
        joined = median_ms(lambda id_=id_: answer(results, Question("table pair", -1, (id_, 0, 0))))
        print(f"{id_:12}{len(table):10}{whole:10.0f}{within:10.0f}{joined:10.0f}", flush=True)
        made.append(table)
    return made


def main() -> None:
    side = big_side(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    results = Results("big", "", (side,), (), (), ())
    print(f"{len(side.trace.slices)} slices, {len(side.trace.memory)} allocations and frees")
    building(results)


if __name__ == "__main__":
    main()
