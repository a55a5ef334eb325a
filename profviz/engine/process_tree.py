"""Finds and ends what a process started, where the system says who is whose child (Linux)."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process by number and birth (clock ticks since boot): numbers are used again."""

    pid: int
    born: int


def descendants(pid: int) -> list[Process]:
    """Every living process below `pid`, empty where the system does not tell."""
    children: dict[int, list[Process]] = defaultdict(list)
    for entry in _numbered():
        if (known := _parent_of(entry)) is not None:
            parent, process = known
            children[parent].append(process)
    found: list[Process] = []
    waiting = [pid]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += [process.pid for process in below]
    return found


def kill_all(processes: list[Process]) -> None:
    """Kills those that are still the ones they were."""
    for process in processes:
        known = _parent_of(process.pid)
        if known is not None and known[1] == process:
            with contextlib.suppress(OSError):
                os.kill(process.pid, signal.SIGKILL)


def _numbered() -> list[int]:
    try:
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    except OSError:
        return []


def _parent_of(pid: int) -> tuple[int, Process] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may hold anything
    return int(fields[1]), Process(pid, int(fields[19]))
