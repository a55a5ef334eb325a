"""Tables of figures as files: exact numbers, unknown as nothing, whole or not at all."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from profviz.formats.export.column_table import export_table
from profviz.model.errors import UserError
from profviz.model.questions import UNKNOWN, ColumnTable, TableColumn, Unit

NS = 1_777_000_000_000_000_123
TABLE = ColumnTable(
    "Kernels",
    (
        TableColumn("name", "kernel", Unit.TEXT, np.array([1, 0, UNKNOWN]), ('a,"b"', "ü\n<i>x</i>")),
        TableColumn("total_ns", "total", Unit.NS, np.array([NS, UNKNOWN, -3])),
        TableColumn("share", "share", Unit.SHARE, np.array([0.25, np.nan, 1.0])),
    ),
)
needs_pyarrow = pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="pyarrow is not installed here")


def test_csv_has_ids_and_raw_numbers_in_the_order_asked_for(tmp_path: Path) -> None:
    path, told = tmp_path / "out.csv", []
    export_table(TABLE, np.array([2, 0, 1]), path, progress=lambda done, total: told.append((done, total)))
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert lines == [
        ["name", "total_ns", "share"],
        ["", "-3", "1.0"],
        ["ü\n<i>x</i>", str(NS), "0.25"],
        ['a,"b"', "", ""],
    ]
    assert told == [(3, 3)]


@needs_pyarrow
def test_parquet_keeps_whole_numbers_and_nulls(tmp_path: Path) -> None:
    from pyarrow import parquet

    path = tmp_path / "out.parquet"
    export_table(TABLE, np.array([0, 1, 2]), path)
    assert parquet.read_table(path).to_pydict() == {
        "name": ["ü\n<i>x</i>", 'a,"b"', None],
        "total_ns": [NS, None, -3],
        "share": [0.25, None, 1.0],
    }


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is installed here")
def test_without_pyarrow_parquet_says_what_it_takes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Parquet"):
        export_table(TABLE, np.array([0]), tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_says_no_kind_of_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not tell"):
        export_table(TABLE, np.array([0]), tmp_path / "out.xlsx")


def test_what_stops_the_export_leaves_no_file(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_table(TABLE, np.array([0]), tmp_path / "out.csv", progress=stop)
    assert list(tmp_path.iterdir()) == []
