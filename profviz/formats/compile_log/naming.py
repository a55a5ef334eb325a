"""Compile ids as text, told apart by process where one file holds several."""

from __future__ import annotations

from collections.abc import Iterable

from profviz.formats.compile_log.code import Unit
from profviz.formats.compile_log.records import Record


class Names:
    """Compile ids as text. Where one file holds several processes (ranks), each id says whose it is."""

    def __init__(self, records: Iterable[Record]) -> None:
        ranks = {record.pid: record.rank for record in records if record.frame is not None}
        self._whose = {} if len(ranks) < 2 else {p: f"r{r}:" if r is not None else f"p{p}:" for p, r in ranks.items()}

    def whose(self, pid: int) -> str:
        return self._whose.get(pid, "")

    def of(self, record: Record | Unit) -> str:
        frame = record.frame
        return "" if frame is None else f"{self.whose(record.pid)}{frame[0]}/{frame[1]}"


def code_of(compile_id: str) -> str:
    """The frame part of a compile id: all compilations of one code object share it."""
    return compile_id.rpartition("/")[0]
