"""Texts, bars and verdict of the findings panel; pure, no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from profviz.model.findings import Finding, Verdict
from profviz.model.results import Results, Side, SliceKind
from profviz.model.run import EAGER, VariantResult
from profviz.model.speedup import break_even_steps, fastest, speed_up
from profviz.model.units import format_count, format_ns, format_ratio
from profviz.ui.widgets.panel_values import SignedBar

MOST_EVIDENCE = 20
"""The panels that list everything of a kind hold the rest."""
TONES = {Verdict.GOOD: "good", Verdict.DEPENDS: "warn", Verdict.BAD: "bad", Verdict.UNKNOWN: "muted"}


@dataclass(frozen=True, slots=True)
class WhereTimeWent:
    """Bars by kind of kernel, what they sum to (`total`) and what the numbers are, or why there are none (`basis`)."""

    basis: str
    bars: tuple[SignedBar, ...] = ()
    total: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """The verdict: a sentence in a tone and what it rests on."""

    text: str
    tone: str
    detail: str


def empty(results: Results) -> str:
    if not results.findings and not results.sides and results.run is None:
        return "Nothing to diagnose yet: run a script or open a trace"
    return ""


def more_evidence(finding: Finding) -> str:
    """What is left out below a finding; empty where all of it is shown."""
    left = len(finding.evidence) - MOST_EVIDENCE
    return f"and {format_count(left)} more" if left > 0 else ""


def side_of_variant(results: Results, variant: str) -> int:
    """Position of the side with this id, or -1."""
    return next((index for index, side in enumerate(results.sides) if side.id == variant), -1)


def where_time_went(results: Results) -> WhereTimeWent | None:
    """What changed from the first side to the second, by kind; None with fewer than two sides."""
    if len(results.sides) < 2:
        return None
    first, second = results.sides[:2]
    if first.table_of != second.table_of:
        return WhereTimeWent(f"{first.title} lists {first.table_of}, {second.title} {second.table_of}: not comparable")
    if bool(first.steps) != bool(second.steps):
        return WhereTimeWent("Only one of the traces marks its steps: not comparable")
    before, after = kind_totals_ns(first), kind_totals_ns(second)
    changes = {kind: after.get(kind, 0) - before.get(kind, 0) for kind in {*before, *after}}
    order = sorted(changes, key=lambda kind: (-abs(changes[kind]), kind))
    bars = tuple(_bar(kind, changes[kind]) for kind in order if changes[kind])
    return WhereTimeWent(_basis(first, second, before, after), bars, _total(sum(changes.values())))


def kind_totals_ns(side: Side) -> dict[SliceKind, int]:
    """Time by kind, each a whole number of ns; per step where the trace marks steps."""
    totals: dict[SliceKind, int] = {}
    for row in side.table:
        totals[row.kind] = totals.get(row.kind, 0) + row.total_ns
    steps = max(1, len(side.steps))
    return {kind: (2 * total + steps) // (2 * steps) for kind, total in totals.items()}


def verdict(results: Results) -> Line | None:
    """Whether compiling pays, from the timing without the profiler; None where nothing was run."""
    run = results.run
    if run is None:
        return (
            Line("No timing", "muted", "Traces alone: kernel sums do not say how long a step takes")
            if (len(results.sides) > 1)
            else None
        )
    eager = run.variant(EAGER)
    others = [variant for variant in run.variants if variant.id != EAGER]
    if not others:
        return None
    traced = [one for one in others if side_of_variant(results, one.id) >= 0]
    return _compare(eager, fastest(eager, others) or (traced or others)[0], named=len(others) > 1)


def signed_ns(value_ns: int) -> str:
    if value_ns == 0:
        return "0 ns"
    return ("−" if value_ns < 0 else "+") + format_ns(abs(value_ns))


def _bar(kind: SliceKind, change_ns: int) -> SignedBar:
    tone = "good" if change_ns < 0 else "bad"
    return SignedBar(label=kind.title, amount=change_ns, text=signed_ns(change_ns), tone=tone, dot=int(kind))


def _basis(first: Side, second: Side, before: dict[SliceKind, int], after: dict[SliceKind, int]) -> str:
    per = "per step" if first.steps else "over the whole trace"
    sums = f"{format_ns(sum(before.values()))} → {format_ns(sum(after.values()))}"
    what = first.table_of.removesuffix("s") + " and copy" * (
        first.table_of == "kernels" and SliceKind.COPY in {*before, *after}
    )
    return f"Sum of {what} time {per}, {first.title} → {second.title}: {sums}"


def _total(change_ns: int) -> str:
    return f"sums to {signed_ns(change_ns)}"


def _compare(eager: VariantResult | None, variant: VariantResult, *, named: bool) -> Line:
    if variant.failure is not None:
        return Line(f"{variant.title} failed: {variant.failure.what}", "bad", variant.failure.why)
    found = speed_up(eager, variant)
    if found is None:
        return Line("No verdict", "muted", "The steady state of both variants was not measured")
    medians = " → ".join(_median(one) for one in (eager, variant)) + " median step"
    medians += f" ({variant.title}, the fastest)" if named else ""
    if not found.is_clear:
        return Line("No clear difference", "warn", f"{medians}; the middle halves of the samples overlap")
    basis = f"{format_ratio(found.ratio)} as fast, {medians}"
    if found.ratio < 1:
        return Line("Do not compile it at this shape", "bad", f"{basis}: compiled steps are slower")
    return _faster(break_even_steps(eager, variant), variant, basis)


def _faster(steps: int | None, variant: VariantResult, basis: str) -> Line:
    if steps is None:
        return Line("Compiled steps are faster", "good", f"{basis}; what compiling cost was not measured")
    first = f"first call {format_ns(variant.first_call_ns)}"
    return Line(f"Compile it, if it runs more than {format_count(steps)} steps", "good", f"{basis}; {first}")


def _median(variant: VariantResult | None) -> str:
    return format_ns(variant.timing.median_ns if variant and variant.timing else None)
