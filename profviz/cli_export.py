"""`profviz export`: a trace or a part of it as Chrome trace JSON, CSV or Parquet; runs nothing."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from profviz.cli_files import OpeningStopped, open_results, print_json
from profviz.cli_follow import interruptible
from profviz.cli_json import SCHEMA
from profviz.cli_run import DONE, FELL_SHORT, INTERRUPTED, print_error
from profviz.formats.document import Document
from profviz.formats.export import Exported, NothingSelected, export_trace, exporter_of
from profviz.formats.registry import open_document
from profviz.model.errors import UserError
from profviz.model.trace import Lane, Trace
from profviz.model.units import format_bytes, format_count

FAR_NS = 1 << 62
MOST_LANES_TOLD = 12


def export_command(args: Namespace) -> int:
    """Exit code 1 when nothing is selected: then nothing is written."""
    output = Path(args.output)
    exporter_of(output, kind=args.format)  # before a large file is read for nothing
    _refuse_same_file(Path(args.file), output)
    try:
        with interruptible():
            done = _export(args, output)
    except NothingSelected as error:
        print_error(error)
        if args.json:
            print_json({**_about(args), "written": 0, "slices": 0, "bytes": None, "left_out": {}})
        return FELL_SHORT
    except OpeningStopped:
        return INTERRUPTED
    if args.json:
        print_json(_exported_json(args, done))
    else:
        print("\n".join(_lines(done)))
    return DONE


def _export(args: Namespace, output: Path) -> Exported:
    trace = _trace(args.file, variant=args.variant)
    window = None
    if args.from_ns is not None or args.to_ns is not None:
        window = (0 if args.from_ns is None else args.from_ns, FAR_NS if args.to_ns is None else args.to_ns)
    lanes = _lanes(trace, args.lane) if args.lane else None
    return export_trace(trace, output, kind=args.format, window=window, lanes=lanes, name=args.name)


def _refuse_same_file(source: Path, output: Path) -> None:
    """The events are read while they are written."""
    try:
        is_same = source.samefile(output)
    except (OSError, ValueError):  # one of them is not there, or could not be
        return
    if is_same:
        raise UserError("The export would replace the file it is made from.", hint="Name another file with -o.")


def _trace(path: str, *, variant: str) -> Trace:
    """The trace in a file; of a session the one of the named variant, or its only one."""
    document = open_document(Path(path))
    if document.trace is not None:
        return document.trace
    if document.session is None:
        raise UserError(f"{path} holds no trace.", why="It is a compile log.", hint="Name a trace or a session.")
    return _trace_of_session(document, path, variant=variant)


def _trace_of_session(document: Document, path: str, *, variant: str) -> Trace:
    sides = open_results([path]).sides
    named = [side for side in sides if variant in (side.id, "")]
    known = ", ".join(side.id for side in sides) or "no variant"
    if not named:
        raise UserError(f"{path} has no trace{f' of {variant}' if variant else ''}.", why=f"It has one of {known}.")
    if len(named) > 1:
        raise UserError(
            f"{path} holds {len(named)} traces.",
            why=f"They are those of {known}.",
            hint="Name one with --variant.",
        )
    return named[0].trace


def _lanes(trace: Trace, texts: list[str]) -> list[int]:
    """Lanes with one of the texts in their title, process or thread, or with that process and thread id (1/7)."""
    found = [number for number, lane in enumerate(trace.lanes) if any(_is_named(lane, text) for text in texts)]
    if not found:
        titles = [f"{lane.process} · {lane.title}" for lane in trace.lanes]
        more = f" and {len(titles) - MOST_LANES_TOLD} more" if len(titles) > MOST_LANES_TOLD else ""
        raise UserError(
            f"No lane is called {' or '.join(texts)}.", why=f"There are: {'; '.join(titles[:MOST_LANES_TOLD])}{more}."
        )
    return found


def _is_named(lane: Lane, text: str) -> bool:
    wanted = text.casefold()
    return text == f"{lane.pid}/{lane.tid}" or any(
        wanted in title.casefold() for title in (lane.title, lane.process, lane.thread)
    )


def _about(args: Namespace) -> dict[str, Any]:
    kind = exporter_of(Path(args.output), kind=args.format).id
    return {"schema": SCHEMA, "kind": "export", "file": args.file, "output": args.output, "format": kind}


def _exported_json(args: Namespace, done: Exported) -> dict[str, Any]:
    return {
        **_about(args),
        "written": done.written,
        "slices": done.slices,
        "bytes": done.path.stat().st_size,
        "left_out": done.left_out,
    }


def _lines(done: Exported) -> list[str]:
    size = format_bytes(done.path.stat().st_size)
    slices = f", {format_count(done.slices)} of them slices" if done.items != "rows" else ""
    left = [f"left out: {format_count(count)} × {reason}" for reason, count in done.left_out.items()]
    return [f"{done.path}: {format_count(done.written)} {done.items}{slices}, {size}", *left]
