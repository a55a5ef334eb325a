"""Which moments of the sides stand under each other, and which time shows at first; pure, int64 ns."""

from __future__ import annotations

from collections.abc import Sequence

from profviz.model.results import Side, Step
from profviz.ui.view_state import Alignment

MARGIN = 3
"""Per cent of a step's length that stay free beside it."""


def step_count(sides: Sequence[Side]) -> int:
    """How many steps every side has; 0 where one has none."""
    return min((len(side.steps) for side in sides), default=0)


def align(sides: Sequence[Side], *, step: int | None = None, shown: Sequence[int] = ()) -> Alignment:
    """Aligned at the start of the given step of each side, the middle one by default, else at the traces' starts.

    Only sides that show, all where none is named, have a say in which steps there are; others go as far as they can.
    """
    count = step_count([sides[side] for side in shown] if shown else sides)
    if not count:
        return Alignment((0,) * len(sides), text="start of trace")
    at = count // 2 if step is None else max(0, min(step, count - 1))
    starts = [side.steps[min(at, len(side.steps) - 1)].start_ns if side.steps else 0 for side in sides]
    return Alignment(tuple(start - starts[0] for start in starts), starts[0], at, f"step {at + 1}")


def step_end_ns(step: Step) -> int:
    """The end of the step's range or of the last GPU work it launched, whichever is later."""
    return max(step.end_ns, step.gpu_last_ns or 0)


def first_window(sides: Sequence[Side], alignment: Alignment) -> tuple[int, int]:
    """The aligned step of the side where it takes longest, with a margin; without steps everything."""
    if alignment.step < 0:
        return whole_window(sides, alignment)
    steps = [side.steps[alignment.step] for side in sides]
    longest = max(1, *(step_end_ns(step) - step.start_ns for step in steps))
    before = longest * MARGIN // 300
    return alignment.anchor_ns - before, alignment.anchor_ns + longest + longest * MARGIN // 100 - before


def whole_window(sides: Sequence[Side], alignment: Alignment) -> tuple[int, int]:
    """From the first start to the last end of any side, in shared time."""
    pairs = list(zip((side.trace.span_ns for side in sides), alignment.offsets_ns, strict=True))
    start = min((-offset for _, offset in pairs), default=0)
    end = max((span - offset for span, offset in pairs), default=1)
    return start, max(end, start + 1)


def zoomed(window: tuple[int, int], *, at_ns: int, factor: float, least_ns: int) -> tuple[int, int]:
    """The window made `factor` times as long around `at_ns`, which stays where it is; by 1 ns at least."""
    start, end = window
    span = end - start
    wanted = max(round(span * factor), span + 1) if factor > 1 else max(least_ns, min(round(span * factor), span - 1))
    begin = at_ns - (at_ns - start) * wanted // span
    return begin, begin + wanted


def kept_near(window: tuple[int, int], whole: tuple[int, int]) -> tuple[int, int]:
    """The window moved, and made no longer than twice everything, so that something of it stays in view."""
    span = min(window[1] - window[0], 2 * (whole[1] - whole[0]))
    begin = min(max(window[0], whole[0] - span * 9 // 10), whole[1] - span // 10)
    return begin, begin + span
