"""Do changing inputs recompile: what the log says of failed guards, and what the timing caught."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from profviz.analysis.diagnosis import Case, Diagnosis, Subject, told_apart
from profviz.model.compile_report import FailedGuard, Recompile
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.graph import SourceLine
from profviz.model.units import format_ns

QUESTION = "Do inputs recompile?"
CURE = "Mark the changing size dynamic (torch._dynamo.mark_dynamic, or dynamic=True), or keep it constant."
# what to find in "what was guarded | torch's text and remark" -> the usual cure; the first that fits
_CURES: tuple[tuple[str, str], ...] = (
    (r"size at index|size\(\)\[|stride", CURE),
    (
        r"integer attributes of the nn\.Module|self\.[\w.]+ ==",
        "Keep what changes in a buffer (register_buffer) instead "
        "of a Python number, or set torch._dynamo.config.allow_unspec_int_on_nn_module.",
    ),
    (
        r"___stack\d+ ==",
        "A value fetched from a tensor was compiled in as a constant: keep it a tensor, or set "
        "torch._dynamo.config.capture_scalar_outputs.",
    ),
    (r"dtype|requires_grad|rank|dispatch key|device", "Give it tensors of one dtype, rank, device and requires_grad."),
    (
        r"GLOBAL_STATE|grad_mode|autocast",
        "Call it in one mode: grad, autocast and thread count are part of the guards.",
    ),
    (r"len\(", "Keep the container's length constant, or pass one stacked tensor."),
    (r"check_obj_id|check_type_id|check_function", "Pass the same object each time instead of making a new one."),
)


def diagnose(case: Case) -> list[Finding]:
    return told_apart(case.subjects, _finding)


def _finding(subject: Subject) -> Finding:
    late = subject.result.recompiles if subject.result else 0
    report = subject.report
    if report is None and not late:
        text = "Unknown: there is no compile log. Record one with TORCH_TRACE=DIR."
        return Finding("recompiles", QUESTION, "unknown", Verdict.UNKNOWN, text)
    found = report.recompiles if report else ()
    refused = [frame for frame in report.frames if frame.is_over_limit] if report else []
    if not found and not late and not refused and subject.is_cut:
        text = "Unknown: the log ends while it is compiled for the first time."
        return Finding("recompiles", QUESTION, "unknown", Verdict.UNKNOWN, text)
    if not found and not late and not refused:
        return Finding("recompiles", QUESTION, "no", Verdict.GOOD, "Every frame was compiled once.")
    if not found and not refused:
        return _prepared_anew(late)
    text = f"{len(found)} recompilation{'s' * (len(found) != 1)}"
    if late:
        text += f"; {_steps(late)} in which something compiled {_left_out(late)}"
    elif subject.result is not None and subject.result.timing:
        text += ", none while steps were timed"
    text += "."
    if refused:
        names = ", ".join(dict.fromkeys(frame.function or frame.compile_id for frame in refused))
        text += f" The limit was reached: {names} runs eager for inputs that fit none of them."
    evidence = tuple(Evidence(_told(one), _line(one), subject.name) for one in found)
    verdict = Verdict.BAD if late or refused else Verdict.DEPENDS
    return Finding("recompiles", QUESTION, "yes", verdict, text, _advice(found), evidence)


def _prepared_anew(late: int) -> Finding:
    """No guard failed, and yet steps did more than run what was compiled."""
    text = (
        f"No frame was recompiled, but in {_steps(late)} something was made again: a CUDA graph recorded, or a frame "
        f"tried that cannot be compiled. {'It' if late == 1 else 'They'} {_left_out(late)}."
    )
    advice = "CUDA graphs pay where the same ones are replayed: take the breaks out, or compile without them."
    return Finding("recompiles", QUESTION, "no", Verdict.DEPENDS, text, advice)


def _steps(count: int) -> str:
    return f"{count} timed step{'s' * (count != 1)}"


def _left_out(count: int) -> str:
    return "is left out of the median" if count == 1 else "are left out of the median"


def cure(failed: FailedGuard) -> str:
    """What usually helps against a guard that fails again and again; empty where nothing is known to."""
    text = f"{failed.name} | {failed.text} | {failed.remark}"
    return next((words for pattern, words in _CURES if re.search(pattern, text, re.IGNORECASE)), "")


def _advice(found: Sequence[Recompile]) -> str:
    """The cures of the guards that failed first in each recompile, the most frequent first, at most two."""
    cures = Counter(cure(one.failed[0]) for one in found if one.failed)
    del cures[""]
    return " ".join(words for words, _ in cures.most_common(2)) or CURE


def _line(one: Recompile) -> SourceLine | None:
    return next((failed.source for failed in one.failed if failed.source), one.source)


def _told(one: Recompile) -> str:
    """The guard that failed last speaks for the older ones, which failed as well; the values first."""
    reason = one.reasons[0].split("\n", 1)[0] if one.reasons else "no reason logged"
    if one.failed and one.failed[0].expected:
        first = one.failed[0]
        reason = f"{first.name} was {first.expected}" + (f", now {first.seen}" if first.seen else "")
        reason += f", against {first.entry}" if first.entry else ""
    more = f" (and {len(one.reasons) - 1} more)" if len(one.reasons) > 1 else ""
    took = f" in {format_ns(one.dur_ns)}" if one.dur_ns is not None else ""
    return f"{reason}{more}: {one.function} compiled again{took}"


DIAGNOSIS = Diagnosis("recompiles", QUESTION, diagnose)
