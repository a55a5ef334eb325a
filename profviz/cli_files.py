"""`profviz info` and `profviz compare`: what is in traces, compile logs and sessions; runs nothing."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from profviz.analysis.compare import compare_sides
from profviz.cli_follow import follow
from profviz.cli_json import SCHEMA, error_json, results_json, side_json, timing_json
from profviz.cli_report import comparison_lines, finding_lines, result_lines
from profviz.cli_run import COULD_NOT, DONE, FELL_SHORT, INTERRUPTED, print_error
from profviz.cli_text import harmless, note_lines
from profviz.engine.events import Event, JobFailed, ResultsReady
from profviz.engine.jobs import open_files
from profviz.formats.export.artifact_files import write_artifacts
from profviz.model.errors import NothingInside, UserError
from profviz.model.findings import Finding
from profviz.model.record import to_json
from profviz.model.results import Results, Side
from profviz.model.run import EAGER
from profviz.model.units import format_bytes, format_count


class OpeningStopped(Exception):
    """Ctrl-C while a file was read."""


def open_results(paths: Sequence[str]) -> Results:
    """Opens files as one page; raises UserError when that cannot be."""
    found: list[Results] = []

    def handle(event: Event) -> None:
        if isinstance(event, ResultsReady):
            found.append(event.results)

    ending = follow(lambda emit: open_files(paths, emit=emit), handle)
    if isinstance(ending, JobFailed):
        if ending.bug_report:
            print(ending.bug_report, file=sys.stderr)
        raise ending.error
    if not found:
        raise OpeningStopped
    return found[0]


def info_command(args: Namespace) -> int:
    """Each file for itself: one that cannot be opened does not keep the others from being shown."""
    if args.artifacts and len(args.files) > 1:
        raise UserError("--artifacts takes one file.", hint="Call it once for each, with a folder of its own.")
    codes: list[int] = []
    objects: list[dict[str, Any]] = []
    for path in args.files:
        try:
            results = open_results([path])
        except OpeningStopped:
            return INTERRUPTED
        except UserError as error:
            print_error(error)
            codes.append(FELL_SHORT if isinstance(error, NothingInside) else COULD_NOT)
            objects.append({"file": path, **error_json(error)})
            continue
        codes.append(DONE)
        written = write_texts(results, path, args.artifacts) if args.artifacts else {}
        objects.append({**results_json(results), "file": path, **written})
        if not args.json:
            print(harmless("\n".join(result_lines(results)).rstrip()) + ("\n" if path != args.files[-1] else ""))
    together = findings_together([path for path, code in zip(args.files, codes, strict=True) if code == DONE])
    if args.json:
        several = {"schema": SCHEMA, "kind": "files", "files": objects, "findings": list(map(to_json, together))}
        print_json(objects[0] if len(objects) == 1 else several)
    elif together:
        print(harmless("\n".join(["\nAll of them together", *finding_lines(together)])))
    return max(codes)


def findings_together(paths: Sequence[str]) -> tuple[Finding, ...]:
    """What several files tell side by side, such as a trace and the log of its compiling; nothing of one alone."""
    if len(paths) < 2:
        return ()
    try:
        return open_results(paths).findings
    except (OpeningStopped, UserError):  # each was shown by itself
        return ()


def write_texts(results: Results, path: str, folder: str) -> dict[str, Any]:
    """Writes the texts of its compile logs; raises UserError where it has none or they can't be written."""
    logs = [(label, report.artifacts) for label, report in results.reports]
    if not logs:
        raise UserError(f"{path} holds no compile log.", hint="Name what TORCH_TRACE wrote, or a session of a run.")
    done = write_artifacts(logs, Path(folder))
    print(f"Wrote {format_count(done.files)} files ({format_bytes(done.bytes)}) to {done.folder}", file=sys.stderr)
    return {"artifacts_written": to_json(done)}


def compare_command(args: Namespace) -> int:
    """Two files, or two variants of one session."""
    try:
        a, b = two_sides(args.files, variants=args.variants)
    except OpeningStopped:
        return INTERRUPTED
    if args.json:
        made = {"schema": SCHEMA, "kind": "compare", "a": compared_json(a), "b": compared_json(b)}
        print_json({**made, "differences": to_json(compare_sides(a, b))})
    else:
        print(harmless("\n".join(comparison_lines(a, b))))
        print(harmless("\n".join(line for side in (a, b) for line in note_lines(side.notes))))
    return DONE


def two_sides(files: Sequence[str], *, variants: str) -> tuple[Side, Side]:
    """Raises UserError when the files do not come to two sides."""
    if len(files) > 2:
        raise UserError("Too many files to compare.", hint="Name two traces or sessions, or one session.")
    if len(files) == 2:
        first, second = open_results(files[:1]), open_results(files[1:])
        return chosen(first, files[0], variant=""), chosen(second, files[1], variant="")
    results = open_results(files)
    names = [part.strip() for part in variants.split(",") if part.strip()]
    if not names:
        names = sorted((side.id for side in results.sides), key=lambda name: name != EAGER)[:2]
    if len(names) != 2:
        raise UserError(
            "There is only one variant to compare.",
            why=f"{files[0]} holds {described(results)}.",
            hint="Name a second file, or two variants with --variants eager,default.",
        )
    return chosen(results, files[0], variant=names[0]), chosen(results, files[0], variant=names[1])


def chosen(results: Results, path: str, *, variant: str) -> Side:
    """The named variant; without a name a trace's only side, or a session's last one that was compiled."""
    found = [side for side in results.sides if variant in (side.id, "")]
    if not found:
        raise UserError(
            f"There is nothing to compare in {path}." if not variant else f"{path} has no trace of {variant}.",
            why=f"It holds {described(results)}.",
        )
    return found[-1]


def described(results: Results) -> str:
    traces = ", ".join(side.id for side in results.sides)
    return f"traces of {traces}" if traces else "no trace"


def compared_json(side: Side) -> dict[str, Any]:
    timed = timing_json(side.result) if side.result else {}
    return {"id": side.id, "title": side.title, **timed, **side_json(side)}


def print_json(value: dict[str, Any]) -> None:
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    print()
