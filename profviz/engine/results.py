"""Turns a session or opened files into `Results`: reads each part, links it and works out what is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from profviz.analysis.eager_match import match_eager_sides
from profviz.analysis.headline import make_headline
from profviz.analysis.provenance import match_kernels
from profviz.analysis.registry import run_diagnoses
from profviz.analysis.sides import make_side
from profviz.analysis.tape_graph import graph_of
from profviz.analysis.tape_links import link_tape
from profviz.engine.attach import attach_reports
from profviz.formats.chrome import read_chrome_trace
from profviz.formats.compile_log import read_log
from profviz.formats.document import Document, Progress
from profviz.formats.session import Session
from profviz.formats.source import Source
from profviz.formats.tape import read_tape
from profviz.model.compile_report import CompileReport
from profviz.model.errors import UserError
from profviz.model.notes import Note, NoteBook
from profviz.model.results import Results, Side
from profviz.model.run import Failure, Run, VariantResult
from profviz.model.tape import EagerTape, Tape, TapeLinks
from profviz.model.trace import Trace

_Found = TypeVar("_Found")


@dataclass(slots=True)
class _Parts:
    """What was read so far."""

    sides: list[Side] = field(default_factory=list)
    reports: list[tuple[str, CompileReport]] = field(default_factory=list)
    tapes: list[tuple[str, Tape]] = field(default_factory=list)
    book: NoteBook = field(default_factory=NoteBook)
    run: Run | None = None
    sources: dict[str, str] = field(default_factory=dict)


def results_of_session(
    session: Session, *, notes: Sequence[Note], path: str, progress: Progress | None = None
) -> Results:
    """Everything a session holds; a part that cannot be read becomes a note and the rest is shown."""
    parts = _Parts(run=settled(session.run), sources=dict(session.sources))
    parts.book.extend(notes)
    for variant in session.run.variants:
        _add_variant(parts, session, variant, side_id=variant.id, title=variant.title or variant.id, progress=progress)
    title = Path(session.run.request.script).name or Path(path).name
    return _finish(parts, title=title, path=path)


def results_of_documents(documents: Sequence[Document], *, progress: Progress | None = None) -> Results:
    """Opened files as one page: a session alone as it was run, anything else side by side."""
    if len(documents) == 1 and documents[0].session is not None:
        only = documents[0]
        return results_of_session(documents[0].session, notes=only.notes, path=only.path, progress=progress)
    parts = _Parts()
    traces = [document for document in documents if document.trace is not None]
    logs = [document for document in documents if document.report is not None]
    reports = [document.report for document in logs if document.report is not None]
    attached = attach_reports([document.trace for document in traces if document.trace is not None], reports)
    for index, document in enumerate(traces):
        assert document.trace is not None
        report = attached.get(index)
        made = _side(_letter(index), document.title, document.trace, document.notes, report=report)
        parts.sides.append(replace(made, path=document.path))
    for document in logs:
        assert document.report is not None
        side = next((i for i, report in attached.items() if report is document.report), None)
        parts.reports.append((document.title if side is None else _letter(side), document.report))
        parts.book.extend(document.notes)
    for document in documents:
        if document.session is not None:
            _add_session(parts, document, progress)
    title = "  ·  ".join(document.title for document in (traces or documents))
    return _finish(parts, title=title, path=documents[0].path if documents else "")


def results_so_far(run: Run, *, variant: str, report: CompileReport) -> Results:
    """What there is to see of a run while a variant of it compiles: its log as far as it goes."""
    return _finish(
        _Parts(reports=[(variant, report)], run=run), title=f"{Path(run.request.script).name}, so far", path=""
    )


def settled(run: Run) -> Run:
    """A run as it is shown: a file that still says running was left by an application that ended."""
    if run.state != "running":
        return run
    what = "The run was interrupted: profviz ended before it did."
    failure = run.failure or Failure(what, hint="What had been measured is shown. Run it again for the rest.")
    return replace(run, state="failed", failure=failure)


def _add_session(parts: _Parts, document: Document, progress: Progress | None) -> None:
    """A session beside other files: its variants are sides like any other."""
    session = document.session
    assert session is not None
    parts.book.extend(document.notes)
    parts.sources.update(session.sources)
    for variant in session.run.variants:
        title = f"{document.title} · {variant.title or variant.id}"
        _add_variant(parts, session, variant, side_id=title, title=title, progress=progress)


def _add_variant(
    parts: _Parts,
    session: Session,
    variant: VariantResult,
    *,
    side_id: str,
    title: str,
    progress: Progress | None,
) -> None:
    report = _report_of(parts, session, variant, progress=progress)
    if report is not None:
        parts.reports.append((side_id, report))
    if (tape := _tape_of(parts, session, variant, progress=progress)) is not None:
        parts.tapes.append((side_id, tape))
    data = _member(parts, session, variant.trace, lambda source: source.read(progress)) if variant.trace else None
    if data is None:
        return
    trace, notes = read_chrome_trace(data, title=title, progress=progress)
    parts.sides.append(_side(side_id, title, trace, notes, result=variant, report=report))


def _report_of(
    parts: _Parts, session: Session, variant: VariantResult, *, progress: Progress | None
) -> CompileReport | None:
    if not variant.compile_log:
        return None
    counters = variant.counters or None
    reports = _member(
        parts, session, variant.compile_log, lambda source: read_log(source, counters=counters, progress=progress)
    )
    return reports[0] if reports else None


def _tape_of(parts: _Parts, session: Session, variant: VariantResult, *, progress: Progress | None) -> Tape | None:
    data = _member(parts, session, variant.tape, lambda source: source.read(progress)) if variant.tape else None
    if data is None:
        return None
    try:
        return read_tape(data, title=variant.tape)
    except UserError as error:
        parts.book.add("missing_member", text=f"{variant.tape}: {error.why}")
        return None


def _shown_tape(label: str, tape: Tape, sides: Sequence[Side]) -> EagerTape:
    at = next((number for number, side in enumerate(sides) if side.id == label), -1)
    links = TapeLinks() if at < 0 or tape.absence else link_tape(tape, sides[at])
    return EagerTape(label, tape, graph_of(tape), links, at)


def _member(
    parts: _Parts, session: Session, name: str, read: Callable[[Source], tuple[_Found, tuple[Note, ...]]]
) -> _Found | None:
    """What is read of a member; None and a note when it cannot be read (that it is missing was noted before)."""
    try:
        found, notes = read(Source(session.read(name)))
    except KeyError:
        return None
    except UserError as error:
        parts.book.add("missing_member", text=f"{name}: {error}")
        return None
    parts.book.extend(notes)
    return found


def _side(
    side_id: str,
    title: str,
    trace: Trace,
    notes: Sequence[Note],
    *,
    result: VariantResult | None = None,
    report: CompileReport | None = None,
) -> Side:
    side = make_side(id=side_id, title=title, trace=trace, notes=tuple(notes), result=result, report=report)
    return side if report is None else replace(side, slices_of_kernel=match_kernels(trace, side.links, report))


def _finish(parts: _Parts, *, title: str, path: str) -> Results:
    reports = tuple(parts.reports)
    sides = match_eager_sides(parts.sides, [report for _, report in reports])
    return Results(
        title=title,
        subtitle=_subtitle(parts.run),
        sides=sides,
        reports=reports,
        headline=make_headline(parts.run, sides, reports),
        findings=run_diagnoses(parts.run, sides, reports),
        notes=parts.book.notes(),
        run=parts.run,
        sources=parts.sources,
        path=path,
        tapes=tuple(_shown_tape(label, tape, sides) for label, tape in parts.tapes),
    )


def _subtitle(run: Run | None) -> str:
    """Where and how it ran: device, torch, inputs, state if it is not simply done."""
    if run is None:
        return ""
    environment = run.environment
    torch = f"torch {environment.torch}" if environment and environment.torch else ""
    mode = "" if run.workload is None else "training" if run.workload.train else "inference"
    state = "" if run.state == "done" else run.state
    return " · ".join(part for part in (_device_name(run), torch, _inputs(run), mode, state) if part)


def _device_name(run: Run) -> str:
    """The device the run used; before it got there, the one that was asked for."""
    devices = run.environment.devices if run.environment else ()
    used = (run.workload.device if run.workload else "") or run.request.device
    kind, _, index = used.partition(":")
    found = [device for device in devices if device.kind == kind and str(device.index) in (index, index or "0")]
    return found[0].name if found else "" if used == "auto" else used


def _inputs(run: Run) -> str:
    """The first input: `float16 64 × 1024`."""
    inputs = run.workload.inputs if run.workload else ()
    return f"{inputs[0].dtype} {' × '.join(map(str, inputs[0].shape))}".strip() if inputs else ""


def _letter(index: int) -> str:
    return chr(ord("A") + index) if index < 26 else f"T{index}"
