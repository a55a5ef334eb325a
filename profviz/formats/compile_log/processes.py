"""Tells the processes apart whose records stand in one log: compile ids count anew in each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from profviz.formats.compile_log.records import Record


def by_process(records: list[Record]) -> list[list[Record]]:
    """The records of each process that compiled something, by rank, then in the order they came; one list at least.

    What other processes wrote goes to the first. A rank that only some records of a process name holds for all.
    """
    found: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        found[record.pid].append(record)
    compiled = [pid for pid, own in found.items() if any(record.frame is not None for record in own)]
    if len(compiled) < 2:
        return [records]
    first = compiled[0]
    for pid in [pid for pid in found if pid not in compiled]:
        found[first] += found.pop(pid)
    ranked = [_with_rank(found[pid]) for pid in compiled]
    return sorted(ranked, key=lambda own: (own[0].rank is None, own[0].rank or 0))


def _with_rank(records: list[Record]) -> list[Record]:
    rank = next((record.rank for record in records if record.rank is not None), None)
    return records if rank is None else [replace(record, rank=rank) for record in records]
