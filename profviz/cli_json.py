"""The JSON that the headless commands print: one schema with a version; times are integer `_ns`, null is unknown.

Every object has `schema` ("profviz/1") and `kind`:

kind         | fields besides
-------------|---------------------------------------------------------------------------------------------------
trace        | file, title, events, slices, span_ns, gpu, steps, breakdown, findings, notes
compile_log  | file, title, torch, compile, findings, notes
session      | file, and those of run
run          | session, state, script, device, environment, workload, failure, variants, headline, findings, notes
compare      | a, b (each: id, title, and those of a variant that was timed or a trace), differences: the fields of
             | `analysis.compare.Comparison`
folder       | file, traces, compile_logs: lists of the above in order of rank, findings, notes (also of a zip archive,
             | or of one log that several processes wrote)
files        | files: a list of the above, where `info` was given several; findings: of all of them side by side, as the
             | window says
export       | file, output, format, written (events or rows), slices, bytes (of the written file, null where none was),
             | left_out: how many events by reason
error        | what, why, hint: the command, or within files this file, could not
with --artifacts, `info` adds artifacts_written: {folder, files, bytes}
doctor       | checks: a list of {id, title, status: ok/warn/missing, text, fix}

gpu          | kernels, copies, kernel_sum_ns (sum over streams), busy_ns (union over all GPU events), span_ns, lanes,
             | distinct_kernels, unlinked, graph_launches, launches; the times are null where the trace has no GPU event
step         | number, dur_ns, kernels, gpu_busy_ns, ops
compile      | graphs, breaks: [{file, line, text, reason, plain, hints, count, explanation, id, known_to, frames,
             | chains}],
             | breaks_without_line: [{reason, id, count}], skipped: [{function, file, line, cause_line, reason, count}],
             | recompiles (how many), recompile_reasons: [{function, file, line, reasons}], compile_ns, frames,
             | artifacts: {count, bytes (in the log), kinds: {kind: how many}, unknown: {kind that this version has not
             | met: how many records}}
tape         | of eager's autograd tape: nodes, edges, parameters (nodes that add to a gradient), saved_tensors,
             | saved_bytes (what the tape alone keeps when backward begins, each piece of memory once), kept_bytes (of
             | them, what outlived the step), peak_bytes (most that torch's allocator held between two nodes of the
             | backward pass, null on a CPU), linked (nodes found in the trace), absence (why there is none, else
             | empty), notes: sentences
variant      | id, title, median_ns, iqr_ns, samples, first_call_ns, recompiles, peak_memory_bytes, profiled_steps,
             | speed_up: {ratio, low, high, is_clear} (eager's median by this one's, and what their quartiles allow),
             | kernels_per_step, gpu_busy_ns and operators_per_step (medians over the profiled steps), check, failure,
             | compile, tape (null where none was recorded), triton_kernels: [triton_kernel], and what a trace has:
             | events, slices, span_ns, gpu, steps, breakdown, notes (null where none was recorded)
triton_kernel| what a run's compiler knew of a kernel that it had loaded, null what it did not: name, hash (of the file
             | of its code), config: [[block size, value]], num_warps, num_stages, registers and spills (4-byte values)
             | a thread, shared_bytes, configs (how many were compiled to choose from)
breakdown    | devices, parts: {part: {title, definition}}, whole: wall, steps: for each profiled step's range its
             | number and what wall has, median_step: the one of them of (lower) median wall time, notes: sentences
wall         | start_ns, wall_ns, busy_ns, idle_ns (null without GPU work), parts_ns: {part: ns, they sum to wall_ns},
             | exposures: [{what: copies/communication, stream (null for all), total_ns (union), exposed_ns,
             | overlapped_ns}]
note         | code, severity (info/warning/error), count, title, did, detail, samples: [{offset, text, event}]
failure      | what, why, hint, traceback, stage, variant
finding      | id, question, answer, verdict: good/depends/bad/unknown, text, advice, evidence: [{text, source: null or
             | {file, line, function, text}, variant: a variant, trace or log by its id, slice: its index there or -1}]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from profviz.analysis.per_step import busy_per_step_ns, kernels_per_step, operators_per_step
from profviz.analysis.time_breakdown import break_down
from profviz.model.artifacts import Artifacts
from profviz.model.breakdown import Exposure, Part, StepTime, TimeBreakdown, WallTime
from profviz.model.compile_report import CompileReport, GraphBreak
from profviz.model.errors import UserError
from profviz.model.graph import SourceLine
from profviz.model.notes import Note
from profviz.model.record import to_json
from profviz.model.results import Results, Side, Step
from profviz.model.run import EAGER, Run, VariantResult
from profviz.model.speedup import speed_up
from profviz.model.trace import MISSING

SCHEMA = "profviz/1"
Json = dict[str, Any]


def results_json(results: Results) -> Json:
    """A session's, a trace's or a log's object, whichever the results were made from."""
    if results.run is not None:
        return {"schema": SCHEMA, "kind": "session", "file": results.path, **run_fields(results, results.run)}
    if len(results.sides) + len(results.reports) > 1:
        return _folder_json(results)
    if results.sides:
        side = results.sides[0]
        notes = {"notes": notes_json([*side.notes, *results.notes])}
        return {
            "schema": SCHEMA,
            "kind": "trace",
            "file": results.path,
            "title": side.title,
            **side_json(side),
            "findings": findings_json(results),
            **notes,
        }
    name, report = results.reports[0]
    return {
        "schema": SCHEMA,
        "kind": "compile_log",
        "file": results.path,
        "title": name,
        "torch": report.torch_version,
        "compile": compile_json(report),
        "findings": findings_json(results),
        "notes": notes_json(results.notes),
    }


def _folder_json(results: Results) -> Json:
    return {
        "schema": SCHEMA,
        "kind": "folder",
        "file": results.path,
        "traces": [{"title": side.title, **side_json(side), "notes": notes_json(side.notes)} for side in results.sides],
        "compile_logs": [
            {"title": name, "torch": report.torch_version, "compile": compile_json(report)}
            for name, report in results.reports
        ],
        "findings": findings_json(results),
        "notes": notes_json(results.notes),
    }


def findings_json(results: Results) -> list[Json]:
    return [to_json(finding) for finding in results.findings]


def run_json(results: Results | None, run: Run, *, session: str) -> Json:
    """What `run` prints; `results` is None when nothing was measured."""
    shown = results or Results("", "", (), (), (), ())
    return {"schema": SCHEMA, "kind": "run", "session": session, **run_fields(shown, run)}


def run_fields(results: Results, run: Run) -> Json:
    return {
        "state": run.state,
        "script": run.request.script,
        "device": (run.workload.device if run.workload else "") or run.request.device,
        "environment": to_json(run.environment),
        "workload": to_json(run.workload),
        "failure": to_json(run.failure),
        "variants": [variant_json(variant, run, results) for variant in run.variants],
        "headline": [to_json(item) for item in results.headline],
        "findings": findings_json(results),
        "notes": notes_json(results.notes),
    }


def variant_json(variant: VariantResult, run: Run, results: Results) -> Json:
    side = next((side for side in results.sides if side.id == variant.id), None)
    report = next((report for name, report in results.reports if name == variant.id), None)
    return {
        "id": variant.id,
        "title": variant.title,
        **timing_json(variant),
        "speed_up": speed_up_json(run, variant),
        "check": to_json(variant.check),
        "failure": to_json(variant.failure),
        "compile": None if report is None else compile_json(report),
        "tape": tape_json(results, variant),
        "triton_kernels": to_json(variant.triton_kernels),
        **(no_side_json() if side is None else side_json(side)),
    }


def tape_json(results: Results, variant: VariantResult) -> Json | None:
    shown = next((one for one in results.tapes if one.label == variant.id), None)
    if shown is None:
        return None
    tape = shown.tape
    return {
        "nodes": len(tape.nodes),
        "edges": len(tape.edges),
        "parameters": sum(bool(node.parameter) for node in tape.nodes),
        "saved_tensors": tape.tensors,
        "saved_bytes": tape.saved_bytes,
        "peak_bytes": max(tape.allocated, default=None),
        "kept_bytes": tape.kept_bytes,
        "linked": len(shown.links.backward),
        "absence": tape.absence,
        "notes": [*tape.notes, *shown.links.notes],
    }


def timing_json(variant: VariantResult) -> Json:
    timing = variant.timing
    return {
        "median_ns": timing.median_ns if timing else None,
        "iqr_ns": timing.iqr_ns if timing else None,
        "samples": len(timing.samples_ns) if timing else 0,
        "first_call_ns": variant.first_call_ns,
        "recompiles": variant.recompiles,
        "peak_memory_bytes": variant.peak_memory_bytes,
        "profiled_steps": variant.profiled_steps,
    }


def speed_up_json(run: Run, variant: VariantResult) -> Json | None:
    """Eager's median by the variant's with its interval; null for eager itself and where either was not timed."""
    found = None if variant.id == EAGER else speed_up(run.variant(EAGER), variant)
    return None if found is None else {**to_json(found), "is_clear": found.is_clear}


def side_json(side: Side) -> Json:
    return {
        "events": side.trace.event_count,
        "slices": len(side.trace.slices),
        "span_ns": side.trace.span_ns,
        "gpu": gpu_json(side),
        "kernels_per_step": kernels_per_step(side),
        "gpu_busy_ns": busy_per_step_ns(side),
        "operators_per_step": operators_per_step(side),
        "steps": [step_json(step) for step in side.steps],
        "breakdown": breakdown_json(break_down(side)),
        "notes": notes_json(side.notes),
    }


def no_side_json() -> Json:
    gpu = ("gpu", "kernels_per_step", "gpu_busy_ns", "operators_per_step")
    names: tuple[str, ...] = ("events", "slices", "span_ns", *gpu, "steps", "breakdown", "notes")
    return dict.fromkeys(names)


def gpu_json(side: Side) -> Json:
    """A trace without GPU events has no GPU times: they are unknown, not zero."""
    found: Json = to_json(side.occupancy)
    if side.occupancy.lanes == 0:
        found.update(kernel_sum_ns=None, busy_ns=None, span_ns=None)
    return found


def step_json(step: Step) -> Json:
    return {
        "number": step.number,
        "dur_ns": step.end_ns - step.start_ns,
        "kernels": step.kernels,
        "gpu_busy_ns": step.gpu_busy_ns,
        "ops": step.ops,
    }


def breakdown_json(found: TimeBreakdown) -> Json:
    median = found.median_step
    return {
        "devices": list(found.devices),
        "parts": {_key(part): {"title": part.title, "definition": part.definition} for part in found.parts},
        "whole": _wall_json(found, found.whole, found.exposures),
        "median_step": None if median is None else _step_time_json(found, median),
        "steps": [_step_time_json(found, step) for step in found.steps],
        "notes": list(found.notes),
    }


def _step_time_json(found: TimeBreakdown, step: StepTime) -> Json:
    return {"number": step.number, **_wall_json(found, step.wall, step.exposures)}


def _wall_json(found: TimeBreakdown, wall: WallTime, exposures: Iterable[Exposure]) -> Json:
    return {
        "start_ns": wall.start_ns,
        "wall_ns": wall.wall_ns,
        "busy_ns": wall.busy_ns if found.has_gpu else None,
        "idle_ns": wall.idle_ns if found.has_gpu else None,
        "parts_ns": {_key(part): wall.parts_ns[part] for part in found.parts},
        "exposures": [
            {
                "what": one.what,
                "stream": None if one.lane == MISSING else one.title,
                "total_ns": one.total_ns,
                "exposed_ns": one.exposed_ns,
                "overlapped_ns": one.overlapped_ns,
            }
            for one in exposures
        ],
    }


def _key(part: Part) -> str:
    return part.name.lower()


def compile_json(report: CompileReport) -> Json:
    return {
        "graphs": report.graph_count,
        "breaks": [_break_json(found) for found in report.breaks],
        "breaks_without_line": [
            {"reason": found.text, "id": found.gb_id, "count": found.counted} for found in report.unplaced
        ],
        "skipped": [
            {
                "function": found.function,
                **_place_json(found.source),
                "cause_line": found.cause.line if found.cause else None,
                "reason": found.reason.text,
                "count": found.count,
            }
            for found in report.skipped
        ],
        "recompiles": len(report.recompiles),
        "recompile_reasons": [
            {"function": found.function, **_place_json(found.source), "reasons": list(found.reasons)}
            for found in report.recompiles
        ],
        "compile_ns": report.compile_ns,
        "frames": len(report.frames),
        "artifacts": _artifacts_json(report.artifacts),
    }


def _break_json(found: GraphBreak) -> Json:
    return {
        **_place_json(found.source),
        "text": found.source.text.strip(),
        "reason": found.reason,
        "plain": found.plain,
        "hints": list(found.hints),
        "count": found.count,
        "explanation": found.explanation,
        "id": found.gb_id,
        "known_to": found.origin.value,
        "frames": list(found.frames),
        "chains": [
            {"count": chain.count, "calls": [f"{line.file}:{line.line}" for line in chain.calls]}
            for chain in found.chains
        ],
    }


def _place_json(source: SourceLine | None) -> Json:
    return {"file": source.file if source else None, "line": source.line if source else None}


def _artifacts_json(artifacts: Artifacts) -> Json:
    return {
        "count": len(artifacts),
        "bytes": sum(one.size for one in artifacts.items),
        "kinds": artifacts.counts(),
        "unknown": artifacts.unknown_counts(),
    }


def notes_json(notes: Iterable[Note]) -> list[Json]:
    return [note.to_json() for note in notes]


def error_json(error: UserError) -> Json:
    """What a command prints with --json when it could not."""
    return {"schema": SCHEMA, "kind": "error", "what": error.what, "why": error.why, "hint": error.hint}
