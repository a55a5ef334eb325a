"""How two variants' measured times compare: speed-up with its interval, and after how many steps compiling pays."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from profviz.model.run import VariantResult


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """`ratio` of the medians (eager / other); `low` and `high` pair the quartiles that favour and disfavour it most.

    An interval that holds 1 leaves open which is faster.
    """

    ratio: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        return self.low > 1 or self.high < 1


def speed_up(eager: VariantResult | None, other: VariantResult | None) -> SpeedUp | None:
    """None unless both were timed."""
    before = _quartiles(eager)
    after = _quartiles(other)
    if before is None or after is None:
        return None
    return SpeedUp(before[1] / after[1], before[0] / after[2], before[2] / after[0])


def fastest(eager: VariantResult | None, others: Iterable[VariantResult]) -> VariantResult | None:
    """The one of the largest speed-up, those surely faster than eager first.

    None where none was timed beside eager.
    """
    timed = [(found, one) for one in others if (found := speed_up(eager, one)) is not None]
    return max(timed, key=lambda each: (each[0].low > 1, each[0].ratio))[1] if timed else None


def compile_cost_ns(other: VariantResult) -> int | None:
    """What the first call and the warm-up took beyond as many steady steps; None where they were not measured."""
    median = other.timing.median_ns if other.timing else None
    if median is None or other.first_call_ns is None:
        return None
    early = 1 + len(other.warmup_ns)
    return max(0, other.first_call_ns + sum(other.warmup_ns) - early * median)


def break_even_steps(eager: VariantResult | None, other: VariantResult | None) -> int | None:
    """Steps until the compiled run has caught up with eager; None when it never does or too little was measured.

    Eager needs n * its median; the other its compile cost and n * its own median.
    """
    before = eager.timing.median_ns if eager and eager.timing else None
    after = other.timing.median_ns if other and other.timing else None
    cost_ns = compile_cost_ns(other) if other else None
    if before is None or after is None or cost_ns is None or after >= before:
        return None
    return max(1, math.ceil(cost_ns / (before - after)))


def _quartiles(variant: VariantResult | None) -> tuple[int, int, int] | None:
    timing = variant.timing if variant else None
    found = [timing.quantile_ns(fraction) for fraction in (0.25, 0.5, 0.75)] if timing else []
    if len(found) != 3 or any(value is None or value <= 0 for value in found):
        return None
    low, middle, high = (value for value in found if value is not None)
    return low, middle, high
