"""What the tests of the native scanner share: the module, its rows as Python values, and the path without SSE2."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from profviz.formats.chrome.tables import TABLES

_scan = pytest.importorskip("profviz.core._scan", reason="the native scanner is not built (no compiler?)")

NATIVE = Path(__file__).parents[2] / "profviz" / "core" / "native"
GPU = (b"kernel", b"gpu_memcpy", b"gpu_memset")
LANDED, END, ODD, CUT = _scan.LANDED, _scan.END, _scan.ODD, _scan.CUT


def new(module: ModuleType = _scan) -> Any:
    return module.Scanner(GPU)


def take(scanner: Any) -> dict[str, list[Any]]:
    """All columns as lists."""
    raw = scanner.columns()
    return {
        f"{table}.{name}": np.frombuffer(raw[f"{table}.{name}"], dtype=kind).tolist()
        for table, names in TABLES.items()
        for name, kind in names.items()
    }


class Read:
    """Everything that came of one text; `row("slices")` is a table's row as a dict."""

    def __init__(self, text: bytes | str, module: ModuleType = _scan) -> None:
        data = text.encode() if isinstance(text, str) else text
        scanner = new(module)
        self.position, self.status = scanner.scan(data, 0, 0)
        self.counts = scanner.counts()
        self.kept = scanner.kept()
        self.columns = take(scanner)
        self.strings = scanner.strings()
        self.categories = scanner.categories()
        self.lanes = scanner.lanes()
        self.ids = scanner.ids()

    def row(self, table: str, number: int = 0) -> dict[str, Any]:
        return {name: self.columns[f"{table}.{name}"][number] for name in TABLES[table]}

    def everything(self) -> tuple[Any, ...]:
        """To be compared; doubles by their text, as NaN equals nothing."""
        columns = {name: repr(values) for name, values in self.columns.items()}
        texts = (self.strings, self.categories, self.lanes, self.ids, self.kept)
        return self.position, self.status, self.counts, columns, texts


def one(table: str, text: str) -> dict[str, Any]:
    """The row of a text that makes one of them."""
    read = Read(text)
    assert read.status == LANDED
    assert len(read.columns[f"{table}.{next(iter(TABLES[table]))}"]) == 1
    return read.row(table)


def slice_of(**fields: Any) -> str:
    """An X event; values are JSON texts."""
    fields = {"ph": '"X"', "name": '"a"', "pid": "1", "tid": "2", "ts": "1.000", "dur": "1.000"} | fields
    return "{" + ", ".join(f'"{key}": {value}' for key, value in fields.items()) + "}"


def is_strict(text: bytes) -> bool:
    """Whether the text is a strictly valid JSON object that is not blank, after Python's own reader."""

    def refuse(token: str) -> Any:
        raise ValueError(token)

    try:
        value = json.loads(text.decode(), parse_constant=refuse, object_pairs_hook=list)
        json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair can't be encoded
    except ValueError:
        return False
    return text[:1] == b"{" and text[-1:] == b"}" and value != []


def build_scalar(folder: Path) -> ModuleType:
    """The same scanner without SSE2, built beside the installed one."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    include = Path(sysconfig.get_path("include"))
    if compiler is None or not (include / "Python.h").exists():
        pytest.skip("no C compiler, or no headers of Python")
    target = folder / "_scan.abi3.so"
    flags = ["-shared", "-fPIC", "-O1", "-DPROFVIZ_SCALAR", "-DPy_LIMITED_API=0x030b0000", f"-I{include}"]
    sources = [str(path) for path in sorted(NATIVE.glob("scan*.c"))]
    subprocess.run([compiler, *flags, *sources, "-o", str(target), "-lm"], check=True)
    spec = importlib.util.spec_from_file_location("_scan", target)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KINETO = """
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1452, "tid": 1480,
    "ts": 5101765899441.481, "dur": 2422.652,
    "args": {
      "External id": 1539,"Record function id": 0, "Concrete Inputs": ["", "-100"], "Input Dims": [[], [512, 50257]]
    }
  },
  {
    "ph": "f", "id": 1, "pid": 1452, "tid": 1480, "ts": 5101765899406.922,
    "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"
  },
  {
    "ph": "X", "cat": "kernel", "name": "void at::k<float>(int)", "pid": 0, "tid": 7,
    "ts": 5101765899999.001, "dur": 1.600,
    "args": {
      "queued": 0, "device": 0, "context": 1,
      "stream": 7, "External id": 1539, "correlation": 12,
      "registers per thread": 16,
      "shared memory": 49152,
      "blocks per SM": 0.5, "warps per SM": 2.0,
      "grid": [132, 1, 1],
      "block": [128, 2, 1],
      "graph id": 0, "graph node id": 8589934592,
      "est. achieved occupancy %": 25
    }
  },
  {
    "ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH", "pid": 0, "tid": 7, "ts": 5101765900999.001, "dur": 1.600,
    "args": {
      "device": 0, "stream": 7, "correlation": 13,
      "bytes": 4294967296, "memory bandwidth (GB/s)": 29.03703703703704
    }
  },
  {
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1452, "tid": 1480,
    "ts": 5101765899517.126,
    "args": {
      "Total Reserved": 20971520, "Total Allocated": 512, "Bytes": -512, "Addr": 139911234567890,
      "Device Id": 0, "Device Type": 1, "Ev Idx": 4
    }
  },
  {
    "name": "process_name", "ph": "M", "ts": 5101765874690.626, "pid": 1452, "tid": 0,
    "args": {
      "name": "python3"
    }
  },
  {
    "name": "Record Window End", "ph": "i", "s": "g",
    "pid": "", "tid": "", "ts": 5101767387889.903
  }
  ]"""
