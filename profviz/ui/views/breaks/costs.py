"""What graph breaks cost, as facts and sentences; pure, no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from profviz.model.break_cost import BackwardCost, BreakAccount, BreakCost
from profviz.model.units import format_count, format_ns
from profviz.ui.widgets.panel_values import Fact

NO_TRACE = "no trace of this log is open: nobody knows what it costs"


def total_cost(accounts: Mapping[int, BreakAccount], ranks: Sequence[int] = ()) -> str:
    """Gaps of different breaks never overlap, so their times add up; empty where none is known.

    Ranks run beside one another, so that each is summed by itself.
    """
    if ranks:
        return _by_rank({ranks[at]: one for at, one in accounts.items()})
    known = [cost for one in accounts.values() for cost in one.costs if cost is not None and cost.cpu_ns is not None]
    if not known:
        return ""
    back = [cost.backward_ns for cost in known if cost.backward_ns is not None]
    idle = [cost.idle_ns for cost in known if cost.idle_ns is not None]
    waits = sum(cost.waits_ns or 0 for cost in known)
    text = f"{format_ns(sum(cost.cpu_ns or 0 for cost in known))} a step between graphs"
    text += f" forward, {format_ns(sum(back))} backward" if back else ""
    text += f"; GPU idle for {format_ns(sum(idle))}" if idle else ""
    return text + (f"; {format_ns(waits)} waiting" if waits else "")


def _by_rank(accounts: Mapping[int, BreakAccount]) -> str:
    each = []
    for rank, account in sorted(accounts.items()):
        known = [cost.both_ns for cost in account.costs if cost is not None and cost.both_ns is not None]
        each += [f"rank {rank} {format_ns(sum(known))}"] if known else []
    return f"a step between graphs: {', '.join(each)}" if each else ""


def cost_facts(cost: BreakCost | None, *, side: int) -> list[Fact]:
    """Both passes apart, and the longest crossing, which is on the timeline of `side`."""
    if cost is None or cost.cpu_ns is None:
        made = [Fact("costs", f"unknown: {cost.unknown if cost else NO_TRACE}", tone="muted")]
    else:
        made = [Fact("costs a step" if cost.backward is None else "forward", _text(cost))]
    back = cost.backward if cost else None
    if back is not None:
        made.append(Fact("backward", f"unknown: {back.unknown}" if back.cpu_ns is None else _text(back)))
    if cost is not None and cost.all_gaps:
        longest = max(cost.all_gaps, key=lambda gap: gap.dur_ns)
        guards = f", {format_ns(longest.lookup_ns)} of it checking guards" if longest in cost.gaps else ", backward"
        made.append(Fact("longest", format_ns(longest.dur_ns) + guards, target={"side": side, "slice": longest.before}))
    return made


def _text(cost: BreakCost | BackwardCost) -> str:
    crossed = f"{format_ns(cost.cpu_ns)} in {format_count(cost.crossings)} crossing{'s' * (cost.crossings != 1)}"
    idle = f", GPU idle {format_ns(cost.gpu_idle_ns)}" if cost.gpu_idle_ns is not None else ""
    waits = f", waits for the GPU {format_count(cost.syncs)} × ({format_ns(cost.sync_ns)})" if cost.syncs else ""
    return crossed + idle + waits


def short_text(cost: BreakCost) -> str:
    idle = f", GPU idle {format_ns(cost.idle_ns)}" if cost.idle_ns is not None else ""
    return f"{format_ns(cost.both_ns)} a step{idle}"
