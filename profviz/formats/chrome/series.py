"""Counter events to series: one for each lane, counter and key of its args."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from profviz.formats.chrome.rows import Rows, real
from profviz.model.trace import Counter


def build_counters(
    rows: Rows, place: Any, first: int, names: tuple[str, ...], args: Callable[[int], dict[str, Any]]
) -> tuple[Counter, ...]:
    """Samples that are no finite number are left out, with a note."""
    series: dict[tuple[int, int, str], list[tuple[int, float]]] = {}
    for mark in sorted(rows.counters, key=lambda mark: mark.time):
        lane = int(place[rows.lanes.of_mark(mark.pid, mark.tid)])
        values = args(mark.event).get("args")
        for key, value in values.items() if isinstance(values, dict) else ():
            number = real(value)
            if number == number:
                series.setdefault((lane, mark.name, key), []).append((mark.time - first, number))
            elif value is not None:  # a bare NaN has become null and was noted when it was read
                rows.notes.add("non_finite", text=f"{names[mark.name]} {key}: {value}"[:120])
    return tuple(_counter(names[name], key, lane, samples) for (lane, name, key), samples in series.items())


def _counter(name: str, key: str, lane: int, samples: list[tuple[int, float]]) -> Counter:
    times = np.array([time for time, _ in samples], dtype=np.int64)
    values = np.array([value for _, value in samples], dtype=np.float64)
    return Counter(f"{name} {key}".strip(), lane, times, values)
