"""Rows, facts and sentences of graph breaks and skipped frames; pure, no Qt."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from profviz.model.break_cost import BreakAccount, BreakCost, Fix
from profviz.model.compile_report import (
    BreakReason,
    CallChain,
    CompileReport,
    GraphBreak,
    Origin,
    SkippedFrame,
)
from profviz.model.graph import SourceLine
from profviz.model.ranks import job_ranks, ranks_named, ranks_text
from profviz.model.results import Results
from profviz.model.units import UNKNOWN, format_count, format_ns
from profviz.ui.views.breaks.costs import NO_TRACE, cost_facts, short_text
from profviz.ui.widgets.panel_values import Fact
from profviz.ui.widgets.table_columns import Column

if TYPE_CHECKING:
    from profviz.ui.view_state import Selection

_KNOWN_TO = {Origin.LOG: "log", Origin.COUNTERS: "counters", Origin.BOTH: "log and counters"}
_ABOUT_ORIGIN = {
    Origin.LOG: "the compile log only: Dynamo's counters do not have it, or were not kept",
    Origin.COUNTERS: "Dynamo's counters only: they name no line",
    Origin.BOTH: "the compile log and Dynamo's counters",
}


class What(enum.Enum):
    """Which of the two lists a row is in."""

    BREAK = "graph break"
    SKIPPED = "skipped frame"


@dataclass(frozen=True, slots=True)
class BreakRow:
    """One line of a list: `index` is its place in the report at position `report`, -1 for what has no line.

    `cost` and `fix` are None until they are known, and where they are not. Of a job of several ranks `rank` is that
    of the report, and `alike` the rows of all ranks that broke there for the same reason, this one among them.
    """

    what: What
    source: SourceLine | None
    line_text: str
    reason: str
    count: int
    known_to: str
    frames: str
    index: int
    report: int
    report_title: str
    facts: tuple[Fact, ...]
    cost: BreakCost | None = None
    fix: Fix | None = None
    side: int = -1
    rank: int | None = None
    alike: tuple[BreakRow, ...] = ()

    @property
    def ranks(self) -> str:
        return ranks_text(one.rank for one in self.alike if one.rank is not None)

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """(report, index) of all that the row stands for."""
        return tuple((one.report, one.index) for one in self.alike or (self,))

    @property
    def cost_ns(self) -> int | None:
        """CPU time a step, forward and backward."""
        return self.cost.both_ns if self.cost else None


def empty(results: Results) -> str:
    if not results.reports:
        return "No compile log: graph breaks are known only from a run, or from a log that TORCH_TRACE writes"
    return ""


def rows(results: Results, what: What, accounts: Mapping[int, BreakAccount]) -> tuple[BreakRow, ...]:
    """The most expensive first, then in the order of the log. `accounts` are what is known so far, by report.

    What several ranks of a job have alike is one row: that of the rank it costs most.
    """
    made: list[BreakRow] = []
    ranks = job_ranks(results.reports)
    for position, (label, report) in enumerate(results.reports):
        title, account = results.report_title(label), accounts.get(position)
        if what is What.BREAK:
            made += [_break_row(one, at, position, title, account) for at, one in enumerate(report.breaks)]
            made += [_unplaced_row(one, position, title) for one in report.unplaced]
        else:
            made += [_skipped_row(one, at, position, title, account) for at, one in enumerate(report.skipped)]
    if ranks:
        made = _united([replace(row, rank=ranks[row.report]) for row in made])
    return tuple(sorted(made, key=_dearest))


def _dearest(row: BreakRow) -> int:
    return -(row.cost_ns if row.cost_ns is not None else -1)


def _united(made: Sequence[BreakRow]) -> list[BreakRow]:
    groups: dict[tuple[str, int, str], list[BreakRow]] = {}
    for row in made:
        where = (row.source.file, row.source.line) if row.source else ("", 0)
        groups.setdefault((*where, row.reason), []).append(row)
    found = []
    for alike in groups.values():
        by_rank = tuple(sorted(alike, key=lambda row: row.rank or 0))
        found.append(replace(min(by_rank, key=_dearest), alike=by_rank, count=max(row.count for row in by_rank)))
    return found


def columns(what: What, *, several_reports: bool, of_ranks: bool = False) -> tuple[Column, ...]:
    made = [
        Column(
            "where",
            lambda row: place(row.source),
            width=136,
            keep_end=True,
            tip=lambda row: row.source.whole_place if row.source else "",
        ),
        Column("line", lambda row: row.line_text, width=184, mono=True, tip=lambda row: row.line_text),
        Column("reason", lambda row: row.reason, width=176, stretch=True, tip=lambda row: row.reason),
    ]
    if of_ranks:
        about = "Which ranks of the job broke there; costs and count are those of the rank that has most"
        made.insert(1, Column("ranks", lambda row: row.ranks, width=64, about=about))
    if what is What.BREAK:
        made = [_cost_column(), *made, *_waiting_columns()]
    made.append(Column("count", lambda row: format_count(row.count), key=lambda row: row.count, numeric=True, width=56))
    if what is What.BREAK:
        made.append(Column("known to", lambda row: row.known_to, width=104))
    if several_reports and not of_ranks:
        made.append(Column("variant", lambda row: row.report_title, width=112, keep_end=True))
    return tuple(made)


def _cost_column() -> Column:
    return Column(
        "cost / step",
        lambda row: format_ns(row.cost_ns),
        key=lambda row: -1 if row.cost_ns is None else row.cost_ns,
        numeric=True,
        width=88,
        about="Median time a step on the CPU from the end of one compiled region to the begin of the next, forward "
        "and backward",
        tip=lambda row: "\n".join(f"{fact.key}: {fact.value}" for fact in _costs(row)),
    )


def _waiting_columns() -> list[Column]:
    return [
        _time_column("backward", lambda cost: cost.backward_ns, "How much of that time is in the backward pass"),
        _time_column("GPU idle", lambda cost: cost.idle_ns, "How much of that time no GPU work covers, both ways"),
        _time_column(
            "waits",
            lambda cost: cost.waits_ns,
            "Time a step in calls that wait for the GPU, which the broken line forces, both ways",
            text=lambda cost: "none" if cost.waits_ns == 0 else format_ns(cost.waits_ns),
        ),
    ]


def _time_column(
    title: str, value: Callable[[BreakCost], int | None], about: str, text: Callable[[BreakCost], str] | None = None
) -> Column:
    shown = text or (lambda cost: format_ns(value(cost)))
    return Column(
        title,
        lambda row: shown(row.cost) if row.cost else UNKNOWN,
        key=lambda row: (value(row.cost) if row.cost else None) or -1,
        numeric=True,
        width=80,
        about=about,
    )


def summary(results: Results) -> tuple[str, str]:
    """One sentence over the list and its tone: says plainly when nothing broke."""
    texts = [_report_summary(report) for _, report in results.reports]
    if ranks := job_ranks(results.reports):
        told = dict.fromkeys(texts)
        texts = [f"{ranks_named(r for r, own in zip(ranks, texts, strict=True) if own == one)}: {one}" for one in told]
    elif len(texts) > 1:
        texts = [
            f"{results.report_title(label)}: {text}" for (label, _), text in zip(results.reports, texts, strict=True)
        ]
    broken = any(report.breaks or report.skipped or report.unplaced for _, report in results.reports)
    compiled = any(report.graph_count for _, report in results.reports)
    return "   ".join(texts), "bad" if broken else "good" if compiled else "muted"


def place(source: SourceLine | None) -> str:
    return source.place if source else "unknown"


def places(selection: Selection) -> tuple[SourceLine, ...]:
    """The source lines of a selection, the picked one included."""
    return (*selection.sources, *((selection.pick.source,) if selection.pick.source else ()))


def all_facts(row: BreakRow) -> tuple[Fact, ...]:
    """What to do first, then what it costs, then why it broke and how the code came there."""
    return (*_fix_facts(row.fix), *_costs(row), *_rank_facts(row), *row.facts)


def _costs(row: BreakRow) -> list[Fact]:
    """Nothing of what is no break, or has no line."""
    return cost_facts(row.cost, side=row.side) if row.what is What.BREAK and row.index >= 0 else []


def _rank_facts(row: BreakRow) -> list[Fact]:
    """What it costs each rank, by that rank's own trace."""
    made = []
    for one in row.alike:
        cost = one.cost
        known = cost is not None and cost.cpu_ns is not None
        text = short_text(cost) if cost and known else f"unknown: {cost.unknown if cost else NO_TRACE}"
        target = {"side": one.side, "slice": cost.gaps[0].before} if cost and cost.gaps else None
        made.append(Fact(f"rank {one.rank}", f"{text} · {format_count(one.count)} × in its log", target=target))
    return made


def _fix_facts(fix: Fix | None) -> list[Fact]:
    if fix is None:
        return []
    made = [Fact("what to do", fix.words, tone="good")]
    if fix.after:
        made += [Fact("before", fix.before, mono=True), Fact("after", fix.after, mono=True)]
    return made


def _report_summary(report: CompileReport) -> str:
    graphs = _plural(report.graph_count, "graph")
    parts = [f"graph broken at {_plural(len(report.breaks), 'line')}" if report.breaks else "no graph break"]
    if report.unplaced:
        parts.append(f"{_plural(len(report.unplaced), 'break')} that only the counters know")
    if report.skipped:
        parts.append(_plural(len(report.skipped), "skipped frame"))
    return f"{' · '.join(parts)}: {graphs}"


def _plural(count: int, word: str) -> str:
    return f"{format_count(count)} {word}" + ("" if count == 1 else "s")


def _logged_fact(report: int, compile_id: str) -> Fact:
    """Leads to everything that was logged of a compilation."""
    return Fact("compilation", compile_id, target={"report": report, "compile_id": compile_id})


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]


def _break_row(found: GraphBreak, at: int, report: int, title: str, account: BreakAccount | None) -> BreakRow:
    reasons = found.reasons or (
        BreakReason(found.reason, found.plain, found.explanation, found.hints, found.gb_id, found.count),
    )
    facts = [fact for reason in reasons for fact in _reason_facts(reason)]
    facts.append(Fact("known to", _ABOUT_ORIGIN[found.origin]))
    facts += [Fact("splits", ", ".join(found.frames))] * bool(found.frames)
    facts += [_logged_fact(report, compile_id) for compile_id in found.compile_ids]
    facts += _chain_facts(found.chains, report)
    return BreakRow(
        what=What.BREAK,
        source=found.source,
        line_text=found.source.text.strip(),
        reason=_short(reasons[0]),
        count=found.count,
        known_to=_KNOWN_TO[found.origin],
        frames=", ".join(found.compile_ids),
        index=at,
        report=report,
        report_title=title,
        facts=tuple(facts),
        cost=account.costs[at] if account else None,
        fix=account.fixes[at] if account else None,
        side=account.side if account else -1,
    )


def _short(reason: BreakReason) -> str:
    return (reason.plain or _first_line(reason.text)) + (f" ({reason.gb_id})" if reason.gb_id else "")


def _reason_facts(reason: BreakReason) -> list[Fact]:
    made = [Fact("why", reason.plain or _first_line(reason.text))]
    said = reason.text.strip() + (f" ({reason.gb_id})" if reason.gb_id else "")
    made.append(Fact("torch says", said))
    made += [Fact("", reason.explanation.strip())] * bool(reason.explanation)
    made += [Fact("hint", hint.strip()) for hint in reason.hints]
    return made


def _chain_facts(chains: Sequence[CallChain], report: int) -> list[Fact]:
    """Each way that leads to the break, folded, innermost call first; where nothing called the line, none."""
    return [
        Fact(
            "called from",
            f"{chain.calls[-2].place} ({format_count(chain.count)} ×)",
            parts=tuple(_call(line, report) for line in reversed(chain.calls)),
            open=False,
        )
        for chain in chains
        if len(chain.calls) > 1
    ]


def _call(line: SourceLine, report: int) -> Fact:
    text = f"{line.place}  {line.text.strip()}" if line.text else line.place
    return Fact(line.function, text, mono=True, target=_target(report, line))


def _target(report: int, source: SourceLine) -> Mapping[str, Any]:
    return {"report": report, "source": source}


def _unplaced_row(found: BreakReason, report: int, title: str) -> BreakRow:
    return BreakRow(
        what=What.BREAK,
        source=None,
        line_text=UNKNOWN,
        reason=_short(found),
        count=found.counted or 0,
        known_to=_KNOWN_TO[Origin.COUNTERS],
        frames="",
        index=-1,
        report=report,
        report_title=title,
        facts=(*_reason_facts(found), Fact("known to", _ABOUT_ORIGIN[Origin.COUNTERS])),
    )


def _skipped_row(found: SkippedFrame, at: int, report: int, title: str, account: BreakAccount | None) -> BreakRow:
    source = found.cause or found.source
    facts = [Fact("what it means", f"{found.function} was not compiled and ran eager"), *_reason_facts(found.reason)]
    if found.source is not None:
        begins = f"{found.source.place} {found.source.text.strip()}".strip()
        facts.append(Fact("begins at", begins, target=_target(report, found.source)))
    facts += _chain_facts([CallChain(found.chain, found.count)] if found.chain else [], report)
    return BreakRow(
        what=What.SKIPPED,
        source=source,
        line_text=(source.text.strip() if source else "") or found.function,
        reason=_short(found.reason),
        count=found.count,
        known_to="",
        frames=", ".join(found.compile_ids),
        index=at,
        report=report,
        report_title=title,
        facts=tuple(facts),
        fix=account.skipped_fixes[at] if account else None,
    )
