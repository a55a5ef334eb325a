"""Did all ranks of a job compile the same: what only some of them broke at, compiled again or compiled differently."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.model.compile_report import CompileReport, whole_id
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.graph import Graph, SourceLine
from profviz.model.ranks import job_ranks, ranks_named, ranks_text
from profviz.model.units import format_count, format_ns

QUESTION = "Did all ranks compile the same?"
ADVICE = (
    "Ranks that compile differently wait for one another, and hang where their collectives differ. Give all of them "
    "inputs of one shape and the same ways through the code, or let them agree on sizes "
    "(mark_dynamic, or torch._dynamo.config.enable_compiler_collectives)."
)


@dataclass(frozen=True, slots=True)
class _Thing:
    """Something that a rank did; equal things of two ranks have one key."""

    key: Hashable
    text: str
    source: SourceLine | None = None


Things = Callable[[CompileReport], list[_Thing]]


def diagnose(case: Case) -> list[Finding]:
    ranks = job_ranks(case.reports)
    if not ranks:
        return []
    by_rank = dict(sorted(zip(ranks, (report for _, report in case.reports), strict=True)))
    labels = {rank: label for rank, (label, _) in zip(ranks, case.reports, strict=True)}
    evidence = [one for things in _KINDS for one in _differences(by_rank, labels, things)]
    took = ", ".join(f"rank {rank} {format_ns(report.compile_ns)}" for rank, report in by_rank.items())
    if not evidence:
        return [Finding("ranks", QUESTION, "yes", Verdict.GOOD, f"{_alike(by_rank)} Compiling took {took}.")]
    count = len(evidence)
    text = f"Ranks {ranks_text(ranks)} differ in {count} thing{'s' * (count != 1)}: {evidence[0].text}."
    text += f" Compiling took {took}."
    return [Finding("ranks", QUESTION, "no", Verdict.BAD, text, ADVICE, tuple(evidence))]


def _alike(by_rank: Mapping[int, CompileReport]) -> str:
    first = next(iter(by_rank.values()))
    graphs = f"{format_count(first.graph_count)} graph{'s' * (first.graph_count != 1)}"
    return f"Ranks {ranks_text(by_rank)} compiled the same {graphs}, with the same breaks and recompiles."


def _differences(by_rank: Mapping[int, CompileReport], labels: Mapping[int, str], things: Things) -> list[Evidence]:
    """One for each thing that some rank did and another did not, in the order they did it."""
    who: dict[Hashable, dict[int, _Thing]] = {}
    for rank, report in by_rank.items():
        for thing in things(report):
            who.setdefault(thing.key, {})[rank] = thing
    told = []
    for found in who.values():
        if len(found) < len(by_rank):
            rank, thing = next(iter(found.items()))
            told.append(Evidence(f"{thing.text}: {ranks_named(found)} only", source=thing.source, variant=labels[rank]))
    return told


def _breaks(report: CompileReport) -> list[_Thing]:
    return [
        _Thing(
            (one.source.file, one.source.line), f"break at {one.source.place} ({one.plain or one.reason})", one.source
        )
        for one in report.breaks
    ]


def _skipped(report: CompileReport) -> list[_Thing]:
    return [
        _Thing(
            (one.function, _place(one.cause or one.source)),
            f"{one.function} not compiled at all",
            one.cause or one.source,
        )
        for one in report.skipped
    ]


def _place(line: SourceLine | None) -> tuple[str, int] | None:
    return (line.file, line.line) if line else None


def _recompiles(report: CompileReport) -> list[_Thing]:
    """By what was guarded, not by the values: the sizes of ranks may differ where each of them compiles as often."""
    made = []
    for one in report.recompiles:
        first = one.failed[0] if one.failed else None
        guard = first.name if first else ""
        source = first.source if first and first.source else one.source
        text = f"{one.function} compiled again as {one.compile_id}" + (f" ({guard})" if guard else "")
        made.append(_Thing((one.function, one.compile_id, guard, one.over_limit), text, source))
    return made


def _graphs(report: CompileReport) -> list[_Thing]:
    """What each compilation computes, by its first stage: where that is the same, what follows from it is too."""
    lines = {frame.compile_id: (frame.function, frame.source) for frame in report.frames}
    found: dict[str, Graph] = {}
    for graph in report.graphs:
        found.setdefault(whole_id(graph.compile_id), graph)
    made = []
    for compile_id, graph in found.items():
        function, source = lines.get(compile_id, ("", None))
        nodes = tuple((node.op, node.target) for node in graph.nodes if node.op != "placeholder")
        text = f"graph {compile_id} of {function or 'a function'} with {format_count(len(nodes))} operations"
        made.append(_Thing((compile_id, nodes), text, source))
    return made


_KINDS: Sequence[Things] = (_breaks, _skipped, _recompiles, _graphs)

DIAGNOSIS = Diagnosis("ranks", QUESTION, diagnose)
