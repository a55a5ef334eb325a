"""Comma-separated values: a head, then one line a slice; what is unknown stays empty."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from profviz.formats.export.exporter import Exporter, Task, opened
from profviz.formats.export.table import TableColumn, row_chunks, table_columns, unsaid
from profviz.model.trace import I64

CHUNK = 8192


def write(task: Task, path: Path) -> None:
    """UTF-8 with a comma, quotes where needed and CRLF, as RFC 4180 has it."""
    columns = table_columns(task.trace)
    with opened(path) as file:
        text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
        lines = csv.writer(text)
        lines.writerow([column.name for column in columns])
        for rows in row_chunks(task, CHUNK):
            lines.writerows(zip(*(_cells(column, rows) for column in columns), strict=True))
        text.detach()


def _cells(column: TableColumn, rows: I64) -> list[Any]:
    values = column.take(rows)
    if column.texts is not None:
        return [column.texts[number] for number in values.tolist()]
    if column.is_known:
        return list(values.tolist())
    return [None if no else value for value, no in zip(values.tolist(), unsaid(values).tolist(), strict=True)]


EXPORTER = Exporter(id="csv", title="CSV table of slices", suffixes=(".csv", ".csv.gz"), items="rows", write=write)
