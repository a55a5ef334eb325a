"""How far a long piece of work is, told now and then, and where it hears that it is to stop."""

from __future__ import annotations

from profviz.engine.events import Loading
from profviz.engine.job import Cancellation, Emit
from profviz.formats.document import Cancelled, Progress

STEP = 0.01
"""The least progress worth an event."""


def teller(text: str, *, cancellation: Cancellation, emit: Emit) -> Progress:
    """A callback that emits `Loading` and raises `Cancelled` once the job was cancelled."""
    last = -1.0

    def report(done: int, total: int) -> None:
        nonlocal last
        if cancellation.requested:
            raise Cancelled
        fraction = min(1.0, done / total) if total > 0 else 0.0
        if not last <= fraction < last + STEP:
            last = fraction
            emit(Loading(text, fraction))

    return report
