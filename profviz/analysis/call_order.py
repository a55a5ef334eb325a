"""In what order a step called the graphs of a compile log: by its trace; a log has them as they were compiled."""

from __future__ import annotations

import numpy as np

from profviz.analysis.compiled_calls import REGION, on_cpu
from profviz.model.compile_report import CompileReport
from profviz.model.questions import Question
from profviz.model.results import Results, Side


def answer_call_order(results: Results, question: Question) -> tuple[str, ...]:
    """Argument: report. Compile ids (`frame/attempt`) by their first call in the middle step; none without a trace."""
    report = int(str(question.args[0]))
    if report >= len(results.reports):
        return ()
    own = results.reports[report][1]
    side = next((side for side in results.sides if side.report is own and _calls(side, own)), None)
    return tuple(dict.fromkeys(_calls(side, own))) if side is not None else ()


def _calls(side: Side, report: CompileReport) -> list[str]:
    known = {graph.compile_id.partition(" ")[0] for graph in report.graphs}
    slices = side.trace.slices
    calls = np.flatnonzero(on_cpu(side.trace, REGION))
    if side.steps:
        step = side.steps[len(side.steps) // 2]
        starts = slices.start_ns[calls]
        calls = calls[(starts >= step.start_ns) & (starts < step.end_ns)]
    calls = calls[np.argsort(slices.start_ns[calls], kind="stable")]
    matches = (REGION.match(side.trace.name_of(int(index))) for index in calls)
    return [match[1] for match in matches if match is not None and match[1] in known]
