"""Writes a table of figures as CSV or Parquet: ids as heads, whole nanoseconds and bytes, unknown as nothing."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from profviz.formats.document import Progress
from profviz.formats.export.csv_file import CHUNK
from profviz.formats.export.csv_file import EXPORTER as CSV
from profviz.formats.export.exporter import opened, whole_or_none
from profviz.formats.export.parquet_file import EXPORTER as PARQUET
from profviz.formats.export.parquet_file import arrow_modules, dictionary
from profviz.model.errors import UserError
from profviz.model.questions import UNKNOWN, ColumnTable, TableColumn, Unit
from profviz.model.trace import I64

SUFFIXES = (*CSV.suffixes, *PARQUET.suffixes)


def export_table(table: ColumnTable, rows: I64, path: Path, *, progress: Progress | None = None) -> None:
    """Writes the rows in the order given, whole or not at all.

    The suffix says what kind of file. `progress` is told rows done and in all; what it raises ends the export. Raises
    UserError when the file can't be written or its name does not tell what it shall be.
    """
    named = path.name.lower()
    if not named.endswith(SUFFIXES):
        raise UserError(f"{path.name} does not tell what to export to.", hint=f"There are: {', '.join(SUFFIXES)}.")
    with whole_or_none(path) as temporary:
        if named.endswith(PARQUET.suffixes):
            _write_parquet(table, rows, temporary)
        else:
            _write_csv(table, rows, temporary, progress)


def _write_csv(table: ColumnTable, rows: I64, path: Path, progress: Progress | None) -> None:
    """UTF-8 with a comma, quotes where needed and CRLF, as RFC 4180 has it."""
    with opened(path) as file:
        text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
        lines = csv.writer(text)
        lines.writerow([column.id for column in table.columns])
        for begin in range(0, len(rows), CHUNK):
            chunk = rows[begin : begin + CHUNK]
            lines.writerows(zip(*(_cells(column, chunk) for column in table.columns), strict=True))
            if progress:
                progress(begin + len(chunk), len(rows))
        text.detach()


def _cells(column: TableColumn, rows: I64) -> list[Any]:
    values, known = column.values[rows], _known(column)[rows]
    plain = values.tolist()
    if column.unit is Unit.TEXT:
        return [column.texts[at] if said else "" for at, said in zip(plain, known.tolist(), strict=True)]
    if known.all():
        return list(plain)
    return [value if said else None for value, said in zip(plain, known.tolist(), strict=True)]


def _write_parquet(table: ColumnTable, rows: I64, path: Path) -> None:
    arrow, parquet = arrow_modules()
    arrays = [_array(arrow, column, rows) for column in table.columns]
    made = arrow.Table.from_arrays(arrays, names=[column.id for column in table.columns])
    parquet.write_table(made, path, compression="zstd")


def _array(arrow: Any, column: TableColumn, rows: I64) -> Any:
    values, known = column.values[rows], _known(column)[rows]
    if column.unit is not Unit.TEXT:
        return arrow.array(values, mask=~known)
    used, place = np.unique(np.where(known, values, 0), return_inverse=True)
    texts = dictionary(arrow, tuple(column.texts[at] for at in used.tolist()) if column.texts else ("",))
    return arrow.DictionaryArray.from_arrays(arrow.array(place, type=arrow.int32(), mask=~known), texts)


def _known(column: TableColumn) -> Any:
    values = column.values
    return ~np.isnan(values) if values.dtype.kind == "f" else values != UNKNOWN
