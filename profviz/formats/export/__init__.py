"""Writes a trace or a part of it for other tools; each kind of file is an entry of `EXPORTERS` and a module here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from profviz.formats.document import Progress
from profviz.formats.export import chrome_json, csv_file, parquet_file
from profviz.formats.export.exporter import Exporter, Task, whole_or_none
from profviz.formats.export.selection import Window, select
from profviz.model.errors import UserError
from profviz.model.trace import Trace

EXPORTERS: tuple[Exporter, ...] = (
    chrome_json.EXPORTER,
    csv_file.EXPORTER,
    parquet_file.EXPORTER,
)


@dataclass(frozen=True, slots=True)
class Exported:
    """How many `items` (events or rows) were written, of which `slices` slices, and what was left out and why."""

    path: Path
    kind: str
    items: str
    written: int
    slices: int
    left_out: dict[str, int]


def export_trace(
    trace: Trace,
    path: Path,
    *,
    kind: str = "",
    window: Window | None = None,
    lanes: Iterable[int] | None = None,
    name: str = "",
    progress: Progress | None = None,
) -> Exported:
    """Writes what is selected, whole or not at all; without any selection the whole trace.

    `kind` is an exporter's id, else told by the path's suffix. `window` is (start, end) in ns from the trace's start:
    slices that reach into it are in, uncut. `lanes` are indices of `trace.lanes`; `name` is a part of the names that
    are in, in whatever case. `progress` is told items done and in all; what it raises ends the export and leaves
    nothing behind. Raises UserError when the file can't be written or nothing is selected.
    """
    exporter = exporter_of(path, kind=kind)
    task = Task(trace, select(trace, window=window, lanes=lanes, name=name), progress)
    slices = int(task.selection.slices.sum())
    if not task.selection.is_whole and task.selection.is_empty:
        raise NothingSelected(
            "Nothing of the trace is selected.",
            why="No slice and no instant is on these lanes, in this time and of this name.",
            hint="Times are nanoseconds from the trace's start; `profviz info` tells how long it is.",
        )
    with whole_or_none(path) as temporary:
        exporter.write(task, temporary)
    return Exported(path, exporter.id, exporter.items, task.written, slices, task.left_out)


class NothingSelected(UserError):
    """A selection without anything in it; no file was written."""


def exporter_of(path: Path, *, kind: str = "") -> Exporter:
    """The exporter of that id, else the one whose suffix the path ends with; raises UserError when there is none."""
    named = path.name.lower()
    for exporter in EXPORTERS:
        if exporter.id == kind or (not kind and named.endswith(exporter.suffixes)):
            return exporter
    known = ", ".join(f"{exporter.id} ({', '.join(exporter.suffixes)})" for exporter in EXPORTERS)
    what = f"There is no export to {kind}." if kind else f"{path.name} does not tell what to export to."
    raise UserError(what, hint=f"There are: {known}.")
