"""Does the GPU wait: for the host (launch-bound), for a synchronisation, or in communication that nothing hides."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.analysis.headline import Busy, gpu_use
from profviz.analysis.occupancy import usable_gpu
from profviz.analysis.time_breakdown import break_down
from profviz.model.breakdown import Part, WallTime
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.results import Side
from profviz.model.short_names import short_name
from profviz.model.trace import MISSING
from profviz.model.units import format_ns, format_percent

QUESTION = "Does the GPU wait?"
BUSY = 0.9
IDLE = 0.6
EXPOSED = 0.1
"""Of a step: communication that no other work hides for this long is worth a word."""
TOO_MANY = 300_000
"""GPU slices beyond which causes are left to the panel that breaks wall time down: opening must not wait for them."""

_ANSWERS = {Part.HOST: "launch-bound", Part.SYNCHRONISE: "synchronising"}
_SYNCHRONISING = "The host waits for results (.item(), print, blocking copies): fetch them less often, or later."
_RANKS = "Give ranks the same work, and let collectives run beside the backward pass (buckets, bf16 gradients)."


def diagnose(case: Case) -> list[Finding]:
    """About the side the headline shows as compiled, else the last: the compiled one of an opened pair."""
    if not case.sides:
        return []
    side = next(iter(case.compiled_sides), case.sides[-1])
    use = gpu_use(side)
    return [] if use is None else [_finding(side, use)]


def _finding(side: Side, use: Busy) -> Finding:
    idle_ns = max(0, use.window_ns - use.busy_ns)
    per = "a step" if side.steps else "in all"
    text = f"{side.title}: busy {format_percent(use.fraction)} of the time, idle {format_ns(idle_ns)} {per}"
    text += "." if use.timed else ", with the profiler's own cost in it."
    wall = _wall(side)
    if use.fraction >= BUSY:
        return _busy(side, text, wall)
    cause = _cause(wall)
    if wall is not None and cause is not None:
        share = wall.parts_ns[cause] / wall.idle_ns
        text += f" {format_percent(share)} of the idle time in the trace is {cause.title}."
    # the profiler slows the host: idle time seen under it alone proves nothing
    verdict = Verdict.BAD if use.fraction < IDLE and use.timed else Verdict.DEPENDS
    answer = _ANSWERS.get(cause, "yes") if cause is not None else "yes"
    return Finding("idle_gpu", QUESTION, answer, verdict, text, _advice(side, cause), _longest(side, wall, cause))


def _busy(side: Side, text: str, wall: WallTime | None) -> Finding:
    """A GPU in which a collective waits for another rank is busy all the same."""
    exposed_ns = wall.parts_ns[Part.COMMUNICATION] if wall is not None else 0
    if wall is None or exposed_ns < EXPOSED * wall.wall_ns:
        return Finding("idle_gpu", QUESTION, "no", Verdict.GOOD, text)
    share = format_percent(exposed_ns / wall.wall_ns)
    text += f" But {format_ns(exposed_ns)} of a step ({share}) is communication that no other work hides."
    evidence = _longest(side, wall, Part.COMMUNICATION)
    return Finding("idle_gpu", QUESTION, "for other ranks", Verdict.DEPENDS, text, _RANKS, evidence)


def _wall(side: Side) -> WallTime | None:
    """Of the median step, else of the whole trace."""
    if len(usable_gpu(side.trace)) > TOO_MANY:
        return None
    found = break_down(side)
    return found.median_step.wall if found.median_step is not None else found.whole


def _cause(wall: WallTime | None) -> Part | None:
    """The part that most of the idle time is; None where nothing is known of more than half of it."""
    if wall is None or not wall.idle_ns:
        return None
    cause = max((part for part in Part if part.is_idle), key=lambda part: wall.parts_ns[part])
    return cause if 2 * wall.parts_ns[cause] >= wall.idle_ns and cause is not Part.UNKNOWN else None


def _advice(side: Side, cause: Part | None) -> str:
    if cause is Part.SYNCHRONISE:
        return _SYNCHRONISING
    if cause in (Part.DEPENDENCY, Part.BETWEEN):
        return "Work is queued in time, but streams wait for each other or kernels are very short: fewer, larger ones."
    replayed = side.occupancy.graph_launches
    cure = "larger batches" if replayed else "larger batches, or mode=reduce-overhead (CUDA graphs)"
    return f"Kernels are too short for the host to keep up: {cure}."


def _longest(side: Side, wall: WallTime | None, part: Part | None) -> tuple[Evidence, ...]:
    """Where the longest stretch of the part can be looked at: at what ended the wait, or at the collective itself."""
    stretch = wall.longest[part] if wall is not None and part is not None else None
    if stretch is None or stretch.slice == MISSING:
        return ()
    took, name = format_ns(stretch.end_ns - stretch.start_ns), short_name(side.trace.name_of(stretch.slice))
    idle = part is not None and part.is_idle
    text = f"the longest wait: {took}, until {name}" if idle else f"the longest: {took} in {name}"
    return (Evidence(text, variant=side.id, slice=stretch.slice),)


DIAGNOSIS = Diagnosis("idle_gpu", QUESTION, diagnose)
