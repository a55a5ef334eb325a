"""Counters that the trace recorded, and those that were worked out from it."""

from __future__ import annotations

from collections.abc import Iterable

from profviz.core.series import Series
from profviz.model.questions import Unit
from profviz.model.trace import Counter
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.spec import TrackKind, as_planned
from profviz.ui.views.timeline.tracks import Group, Line, Track


def _plan(parts: Parts) -> list[Track]:
    lanes = parts.side.trace.lanes
    return [
        _track(f"counter {number}", Group.COUNTER, counter, about=f"recorded on {lanes[counter.lane].title}")
        for number, counter in enumerate(parts.side.trace.counters)
    ]


def derived(counters: Iterable[Counter]) -> list[Track]:
    """Of what someone worked out from the trace."""
    return [
        _track(f"derived {counter.name}", Group.DERIVED, counter, about="worked out from the trace")
        for counter in counters
    ]


def _track(id_: str, group: Group, counter: Counter, *, about: str) -> Track:
    line = Line("", Unit.COUNT, Series(counter.time_ns, counter.value))
    return Track(id_, counter.name, group, counter.lane, lines=(line,), about=about)


KIND = TrackKind(Group.COUNTER, _plan, as_planned)
