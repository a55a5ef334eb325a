"""Decides which compile log belongs to which opened trace, by the compiler's own keys before anything weaker."""

from __future__ import annotations

import re
from collections.abc import Sequence

from profviz.model.compile_report import CompileReport
from profviz.model.trace import Trace

_CALL = re.compile(r"## Call CompiledFxGraph (\S+) ##")
_REGION = "Torch-Compiled Region"


def attach_reports(traces: Sequence[Trace], reports: Sequence[CompileReport]) -> dict[int, CompileReport]:
    """The report of each trace by the trace's index; a report may serve several traces, or none.

    A trace names the cache key of each compiled graph it calls and a log names the key of each graph it compiled:
    most keys in common wins, of those alike the one of the trace's rank. Traces that only say that something compiled
    ran (before torch 2.9) get the reports nobody took, by rank, else in the order of the files. A trace without
    compiled code gets none.
    """
    found: dict[int, CompileReport] = {}
    for index, trace in enumerate(traces):
        best = max(reports, key=lambda report: (_common(trace, report), _is_of_rank(trace, report)), default=None)
        if best is not None and _common(trace, best):
            found[index] = best
    free = [report for report in reports if not any(report is taken for taken in found.values())]
    waiting = [index for index, trace in enumerate(traces) if index not in found and _ran_compiled_code(trace)]
    for index in list(waiting):
        own = next((report for report in free if _is_of_rank(traces[index], report)), None)
        if own is not None:
            found[index] = own
            free.remove(own)
            waiting.remove(index)
    found.update(zip(waiting, free, strict=False))
    return found


def _is_of_rank(trace: Trace, report: CompileReport) -> bool:
    rank = trace.rank
    return rank is not None and rank == report.rank


def _common(trace: Trace, report: CompileReport) -> int:
    return len(called_keys(trace) & {code.key for code in report.code if code.key})


def called_keys(trace: Trace) -> set[str]:
    """Cache keys of the compiled graphs that a trace calls."""
    return {match[1] for name in trace.names if (match := _CALL.search(name))}


def _ran_compiled_code(trace: Trace) -> bool:
    """Names a region but no key: a trace with keys that no report has belongs to another log."""
    return not called_keys(trace) and any(_REGION in name for name in trace.names)
