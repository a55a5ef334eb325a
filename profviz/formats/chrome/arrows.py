"""Flow events to arrows between slices: paired by (category, id), attached to the slice that encloses them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profviz.core.enclosing import enclosing
from profviz.core.order import sort_order
from profviz.core.spans import pair_points
from profviz.formats.chrome.rows import rows_of_phases
from profviz.formats.chrome.tables import Column, Tables, picked
from profviz.model.trace import Flows, Slices

_START, _END = ord("s"), ord("f")
_TOP_BIT = np.uint64(1 << 63)


@dataclass(slots=True)
class FlowMarks:
    """Where arrows begin, pass and end; sorted by (category, id, time), every column has shape (marks,).

    `heads` marks the first one of each category and id.
    """

    phase: Column
    category: Column
    lane: Column
    time: Column
    heads: Column


def take_flow_marks(tables: Tables, of_pair: Column, category_of: Column, first: int) -> FlowMarks:
    """The flow marks on the trace's clock, lanes and categories; nothing is left of the tables of marks."""
    rows = rows_of_phases(tables, b"stf").astype(np.uint32)
    for name in ("event", "name", "state"):
        tables.take(f"marks.{name}")
    identity = picked(tables.take("marks.id"), rows)
    time = picked(tables.take("marks.time"), rows)
    time -= first
    category = picked(category_of, picked(tables.take("marks.category"), rows))
    identity ^= _TOP_BIT  # so that they sort as signed ones
    order = sort_order(category.astype(np.uint32), identity.view(np.int64), ~time)  # ~ for the longest come first there
    identity, category, rows = picked(identity, order), picked(category, order), picked(rows, order)
    heads = np.ones(len(rows), dtype=bool)
    heads[1:] = (identity[1:] != identity[:-1]) | (category[1:] != category[:-1])
    del identity
    lane = picked(of_pair.astype(np.int32), picked(tables.take("marks.lane"), rows))
    return FlowMarks(picked(tables.take("marks.phase"), rows), category, lane, picked(time, order), heads)


def pair_flows(marks: FlowMarks, slices: Slices) -> Flows:
    """An end belongs to the last start before it, or to the first one at all where clocks disagree."""
    sources, targets = pair_points(marks.phase == _START, marks.phase == _END, marks.heads)
    ends = [_attach(marks, rows, slices) for rows in (sources, targets)]
    return Flows(ends[0], ends[1], picked(marks.category, targets))


def _attach(marks: FlowMarks, rows: Column, slices: Slices) -> Column:
    """For each mark the innermost slice of its thread that encloses it, MISSING where there is none.

    A thread without a lane is MISSING too, and no slice lies there.
    """
    at_lane, at_ns = picked(marks.lane, rows), picked(marks.time, rows)
    found = enclosing(slices.start_ns, slices.dur_ns, slices.lane, slices.parent, at_lane=at_lane, at_ns=at_ns)
    return found.astype(np.int32 if len(slices) < 1 << 31 else np.int64)
