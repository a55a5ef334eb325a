"""Where compile time goes: the compiler's nested spans shared out so that every moment counts for one stage only.

A moment belongs to the span that began last of those open then, and so to that span's stage. Parts, what the step
itself takes and an unexplained rest sum to the wall time of the first call.
"""

from __future__ import annotations

import heapq
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Sequence

from profviz.model.compile_cost import BreakEven, CompileCost, CompileStage, Part, Span
from profviz.model.compile_report import CompileEvent, CompileReport
from profviz.model.run import Timing, VariantResult
from profviz.model.speedup import compile_cost_ns, speed_up

# The first that fits a span's name; a span that none fits is of its surroundings' stage
_STAGES = tuple(
    (stage, re.compile(pattern))
    for stage, pattern in (
        (CompileStage.AUTOTUNE, r".*(?:benchmark|autotun(?!er\.compile)|coordinate_descent)|AlgorithmSelector"),
        (CompileStage.COMPILERS, r"async_compile|compile_file|.*precompile|.*(?:Cpp|CUDA|ROCm)CodeCache"),
        (CompileStage.COMPILERS, r".*Triton.*compile|CachingAutotuner\.(?:compile|make_launcher)"),
        (CompileStage.CUDA_GRAPHS, r"(?i)cudagraph"),
        (CompileStage.CACHES, r"FxGraphCache|AOTAutogradCache|.*codecache_torch_key|TritonBundler"),
        (CompileStage.SCHEDULING, r"Scheduler\.(?!codegen)"),
        (CompileStage.CODEGEN, r"code_gen|GraphLowering\.codegen|Scheduler\.codegen|\w*WrapperCodegen|PyCodeCache"),
        (CompileStage.LOWERING, r"inductor_|fx_codegen|compile_fx|GraphLowering|_recursive_\w+_passes|pass\."),
        (CompileStage.LOWERING, r"additional_fake_tensor_prop|.*_passes$"),
        (CompileStage.AOT, r"create_aot|aot_|entire_backward|.*joint_graph|min_cut|.*partition|functionalize"),
        (CompileStage.DYNAMO, r"dynamo$|entire_frame|compile_attempt|bytecode_tracing|build_guards|backend_compile"),
        (CompileStage.DYNAMO, r"pgo\.|gc$"),
    )
)
_BACKWARD = re.compile(r"entire_backward|.*bw_compiler")
_FORWARD = re.compile(r"entire_frame|.*fw_compiler")


def compile_cost(report: CompileReport, result: VariantResult | None = None) -> CompileCost:
    """Where the first call's time went.

    The first call's place comes from the log where profviz wrote it; else all compiling that begins within
    `first_call_ns` of the first span counts as its own.
    """
    cached = {use.compile_id for use in report.caches if use.state == "hit"}
    window = report.first_call or _window(report.events, result)
    own = [event for event in report.events if window is None or window[0] <= event.start_ns < window[1]]
    spans = share_out(own, cached=cached)
    parts = sum_parts(spans)
    wall_ns = window[1] - window[0] if window else None
    step_ns = result.timing.median_ns if result and result.timing else None
    explained = sum(part.dur_ns for part in parts)
    rest_ns = None if wall_ns is None else wall_ns - explained - (step_ns or 0)
    later = [event for event in report.events if window is not None and event.start_ns >= window[1]]
    return CompileCost(
        spans=spans,
        parts=parts,
        wall_ns=wall_ns,
        step_ns=step_ns,
        rest_ns=rest_ns,
        later=share_out(later, cached=cached),
        start_ns=window[0] if window else None,
    )


def _window(events: Sequence[CompileEvent], result: VariantResult | None) -> tuple[int, int] | None:
    if not events or result is None or result.first_call_ns is None:
        return None
    start = min(event.start_ns for event in events)
    return start, start + result.first_call_ns


def share_out(events: Sequence[CompileEvent], *, cached: set[str] | frozenset[str] = frozenset()) -> tuple[Span, ...]:
    """Each span with its own time; the own times sum to the union of all spans, whatever overlaps."""
    ordered = sorted(events, key=lambda event: (event.start_ns, -event.dur_ns))
    own = own_times([(event.start_ns, event.start_ns + event.dur_ns) for event in ordered])
    made: list[Span] = []
    for event, self_ns, around in zip(ordered, own, _surroundings(ordered), strict=True):
        outer = made[around] if around >= 0 else None
        stage = stage_of(event.name) or (outer.stage if outer else CompileStage.OTHER)
        compile_id = event.compile_id or (outer.compile_id if outer else "")
        made.append(
            Span(
                name=event.name,
                start_ns=event.start_ns,
                dur_ns=event.dur_ns,
                depth=outer.depth + 1 if outer else 0,
                self_ns=self_ns,
                stage=stage,
                direction=_direction(event.name) or (outer.direction if outer else ""),
                compile_id=compile_id,
                cached=compile_id in cached,
            )
        )
    return tuple(made)


def stage_of(name: str) -> CompileStage | None:
    """The stage that a span's name tells, None where it tells none."""
    return next((stage for stage, pattern in _STAGES if pattern.match(name)), None)


def _direction(name: str) -> str:
    return "backward" if _BACKWARD.match(name) else "forward" if _FORWARD.match(name) else ""


def _surroundings(ordered: Sequence[CompileEvent]) -> list[int]:
    """For each span, in order of their start, the place of the innermost one that holds it whole; -1 without one."""
    found: list[int] = []
    open_: list[int] = []
    for place, event in enumerate(ordered):
        end = event.start_ns + event.dur_ns
        while open_ and _end(ordered[open_[-1]]) <= event.start_ns:
            open_.pop()
        holders = [one for one in open_ if _end(ordered[one]) >= end]
        found.append(holders[-1] if holders else -1)
        open_.append(place)
    return found


def _end(event: CompileEvent) -> int:
    return event.start_ns + event.dur_ns


def own_times(spans: Sequence[tuple[int, int]]) -> list[int]:
    """For each (start, end), in order of their start, the time in which it is the one that began last of the open ones.

    They sum to the length of the union. Of two that begin together the later in order is the inner one.
    """
    own = [0] * len(spans)
    open_: list[tuple[int, int]] = []  # the place negated, so that the one that began last comes first; and its end
    at = 0
    for place, (start, _) in enumerate([*spans, (max((end for _, end in spans), default=0), 0)]):
        while open_ and at < start:
            inner, end = open_[0]
            if end <= at:
                heapq.heappop(open_)
                continue
            until = min(end, start)
            own[-inner] += until - at
            at = until
        at = max(at, start)
        if place < len(spans):
            heapq.heappush(open_, (-place, spans[place][1]))
    return own


def sum_parts(spans: Sequence[Span]) -> tuple[Part, ...]:
    """One part for each stage and direction that took any time, in the order of the stages, forward first."""
    sums: dict[tuple[CompileStage, str], int] = defaultdict(int)
    for span in spans:
        sums[span.stage, span.direction] += span.self_ns
    order = {stage: place for place, stage in enumerate(CompileStage)}
    ways = {"forward": 0, "backward": 1, "": 2}
    keys = sorted((key for key, dur_ns in sums.items() if dur_ns), key=lambda key: (order[key[0]], ways[key[1]]))
    return tuple(Part(stage, direction, sums[stage, direction]) for stage, direction in keys)


def break_even(eager: VariantResult | None, compiled: VariantResult | None) -> BreakEven | None:
    """None unless both were timed and the first call was measured."""
    cost_ns = compile_cost_ns(compiled) if compiled else None
    before, after = (one.timing if one else None for one in (eager, compiled))
    if cost_ns is None or before is None or after is None or before.median_ns is None or after.median_ns is None:
        return None
    gain_ns = before.median_ns - after.median_ns
    steps = steps_until(cost_ns, gain_ns)
    found = speed_up(eager, compiled)
    is_clear = found is not None and found.is_clear
    slow, fast = _round_medians(before), _round_medians(after)
    rounds = min(len(slow), len(fast))
    if rounds < 2:
        return BreakEven(cost_ns, gain_ns, steps, is_clear=is_clear)
    low = steps_until(cost_ns, max(slow) - min(fast))
    high = steps_until(cost_ns, min(slow) - max(fast))
    return BreakEven(cost_ns, gain_ns, steps, low, high, rounds, is_clear)


def steps_until(cost_ns: int, gain_ns: int) -> int | None:
    """The first step after which `cost_ns` is earned at `gain_ns` a step; None when nothing is gained."""
    return max(1, -(-cost_ns // gain_ns)) if gain_ns > 0 else None


def _round_medians(timing: Timing) -> list[int]:
    rounds: dict[int, list[int]] = defaultdict(list)
    for number, sample in zip(timing.rounds, timing.samples_ns, strict=False):
        rounds[number].append(sample)
    return [math.floor(statistics.median(samples)) for samples in rounds.values()]
