"""Does the GPU wait for the host: idle time within profiled steps."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.analysis.headline import gpu_use
from profviz.model.findings import Finding, Verdict
from profviz.model.units import format_ns, format_percent

QUESTION = "Does the GPU wait?"
BUSY = 0.9
IDLE = 0.6


def diagnose(case: Case) -> list[Finding]:
    """About the side the headline shows as compiled, else the last: the compiled one of an opened pair."""
    if not case.sides:
        return []
    side = next(iter(case.compiled_sides), case.sides[-1])
    use = gpu_use(side)
    if use is None:
        return []
    idle_ns = max(0, use.window_ns - use.busy_ns)
    per = "a step" if side.steps else "in all"
    text = f"{side.title}: busy {format_percent(use.fraction)} of the time, idle {format_ns(idle_ns)} {per}"
    text += "." if use.timed else ", with the profiler's own cost in it."
    if use.fraction >= BUSY:
        return [Finding("idle_gpu", QUESTION, "no", Verdict.GOOD, text)]
    cure = (
        "larger batches" if side.occupancy.graph_launches else "larger batches, or mode=reduce-overhead (CUDA graphs)"
    )
    advice = f"Kernels are too short for the host to keep up: {cure}."
    # the profiler slows the host: idle time seen under it alone proves nothing
    verdict = Verdict.BAD if use.fraction < IDLE and use.timed else Verdict.DEPENDS
    return [Finding("idle_gpu", QUESTION, "yes", verdict, text, advice)]


DIAGNOSIS = Diagnosis("idle_gpu", QUESTION, diagnose)
