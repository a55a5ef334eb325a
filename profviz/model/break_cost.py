"""What a graph break costs and what could stand at its line instead, as values; knows no trace and no log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gap:
    """One crossing of a break, from `start_ns` to `end_ns` of the trace, between two slices of the CPU's lane.

    `before` and `after` are the regions it lies between (`after` MISSING where nothing compiled follows). `step` is the
    index of its step or MISSING. `gpu_idle_ns` is how much of it no GPU work covers, None without any GPU work.
    `sync_ns` is the time in `syncs` calls that wait for the GPU, `lookup_ns` that in checking guards.
    """

    start_ns: int
    end_ns: int
    before: int
    after: int
    step: int
    gpu_idle_ns: int | None
    syncs: int
    sync_ns: int
    lookup_ns: int

    @property
    def dur_ns(self) -> int:
        return self.end_ns - self.start_ns


def _with(forward: int | None, backward: int | None) -> int | None:
    return None if forward is None else forward + (backward or 0)


@dataclass(frozen=True, slots=True)
class BackwardCost:
    """What the same break costs in the backward pass: between the backward of the graph behind it and of that before.

    Fields as those of `BreakCost`. Both sides of a gap are the backward calls, so `before` is what comes after forward.
    """

    gaps: tuple[Gap, ...] = ()
    crossings: float | None = None
    cpu_ns: int | None = None
    gpu_idle_ns: int | None = None
    syncs: float | None = None
    sync_ns: int | None = None
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class BreakCost:
    """The cost of `report.breaks[index]`: medians a step, None where the trace has no steps or the break is not in it.

    `unknown` says why there is no cost, empty where there is one. `gaps` are all its crossings, in time order.
    All but `backward` is of the forward pass; that is None where nothing compiled runs backward.
    """

    index: int
    gaps: tuple[Gap, ...]
    crossings: float | None = None
    cpu_ns: int | None = None
    gpu_idle_ns: int | None = None
    syncs: float | None = None
    sync_ns: int | None = None
    unknown: str = ""
    backward: BackwardCost | None = None

    @property
    def both_ns(self) -> int | None:
        """CPU time forward and backward, None where forward is unknown."""
        return _with(self.cpu_ns, self.backward_ns)

    @property
    def backward_ns(self) -> int | None:
        return self.backward.cpu_ns if self.backward else None

    @property
    def idle_ns(self) -> int | None:
        """Idle time of the GPU in both passes."""
        return _with(self.gpu_idle_ns, self.backward.gpu_idle_ns if self.backward else None)

    @property
    def waits_ns(self) -> int | None:
        """Time in calls that wait for the GPU, in both passes."""
        return _with(self.sync_ns, self.backward.sync_ns if self.backward else None)

    @property
    def all_gaps(self) -> tuple[Gap, ...]:
        """Of both passes, in time order."""
        behind = self.backward.gaps if self.backward else ()
        return tuple(sorted((*self.gaps, *behind), key=lambda gap: gap.start_ns))


@dataclass(frozen=True, slots=True)
class Fix:
    """`words` say what helps; `before` is the line as it stands, `after` what could stand there, empty for no code."""

    words: str
    before: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class BreakAccount:
    """Of one report: what each break costs (None without a trace) and its fix (None where unknown), in their order.

    `side` is the position of the side whose trace the costs are from, or -1.
    """

    side: int
    costs: tuple[BreakCost | None, ...]
    fixes: tuple[Fix | None, ...]
    skipped_fixes: tuple[Fix | None, ...]
