"""Parquet through pyarrow where that is installed: one row a slice, texts as dictionaries, unknown as null."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from profviz.formats.export.exporter import Exporter, Task
from profviz.formats.export.json_text import whole
from profviz.formats.export.table import TableColumn, row_chunks, table_columns, unsaid
from profviz.model.errors import UserError
from profviz.model.trace import I64

_NO_ROWS = np.zeros(0, dtype=np.int64)
ROWS_A_GROUP = 1 << 19


def write(task: Task, path: Path) -> None:
    """Raises UserError without pyarrow. `origin_ns` and `title` are in the schema's metadata."""
    arrow, parquet = arrow_modules()
    columns = table_columns(task.trace)
    texts = {column.name: dictionary(arrow, column.texts) for column in columns if column.texts is not None}
    fields = [(column.name, _type(arrow, column)) for column in columns]
    about = {"origin_ns": str(task.trace.origin_ns), "title": whole(task.trace.title)}
    schema = arrow.schema(fields, metadata=about)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in row_chunks(task, ROWS_A_GROUP):
            arrays = [_array(arrow, column, rows, texts) for column in columns]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def arrow_modules() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise UserError(
            "Parquet can't be written here.",
            why=f"It takes pyarrow, which this Python does not have ({error}).",
            hint="Install it with `pip install 'profviz[export]'`, or export to .csv, which takes nothing more.",
        ) from None


def _type(arrow: Any, column: TableColumn) -> Any:
    if column.texts is not None:
        return arrow.dictionary(arrow.int32(), arrow.string())
    return arrow.from_numpy_dtype(column.take(_NO_ROWS).dtype)


def _array(arrow: Any, column: TableColumn, rows: I64, texts: dict[str, Any]) -> Any:
    values = column.take(rows)
    if column.texts is not None:
        return arrow.DictionaryArray.from_arrays(arrow.array(values, type=arrow.int32()), texts[column.name])
    return arrow.array(values, mask=None if column.is_known else unsaid(values))


def dictionary(arrow: Any, texts: tuple[str, ...]) -> Any:
    return arrow.array([whole(text) for text in texts], type=arrow.string())


EXPORTER = Exporter(id="parquet", title="Parquet table of slices", suffixes=(".parquet",), items="rows", write=write)
