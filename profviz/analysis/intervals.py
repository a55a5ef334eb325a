"""Unions of intervals [start, end) as sorted int64 arrays, and what they cover; knows no trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from profviz.model.trace import I64

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """Disjoint intervals in order, none touching the next; `first` is the place in the input of what began each.

    All have shape (k,). An interval may be empty (start == end) where the input has one outside all others.
    """

    start_ns: I64
    end_ns: I64
    first: I64

    @property
    def length_ns(self) -> int:
        return int((self.end_ns - self.start_ns).sum())

    def edges(self) -> I64:
        """Shape (2k,): start and end of each in turn, never falling."""
        return np.stack([self.start_ns, self.end_ns], axis=1).reshape(-1)

    def pieces(self, edges_ns: I64) -> Mask:
        """Which of the pieces between one edge and the next lie inside; shape (edges - 1,).

        The edges rise, and all starts and ends are among them.
        """
        turns = np.zeros(len(edges_ns), dtype=np.int8)
        some = self.end_ns > self.start_ns
        turns[edges_ns.searchsorted(self.start_ns[some])] = 1
        turns[edges_ns.searchsorted(self.end_ns[some])] = -1
        return np.asarray(np.cumsum(turns[:-1], dtype=np.int8) > 0)


def unite(start_ns: I64, end_ns: I64) -> Union:
    """The union of intervals, shape (n,) each, in any order; none may end before it starts."""
    if not len(start_ns):
        none = np.zeros(0, dtype=np.int64)
        return Union(none, none, none)
    order = np.argsort(start_ns, kind="stable")
    start, reach = start_ns[order], np.maximum.accumulate(end_ns[order])
    begins = np.flatnonzero(np.concatenate([[True], start[1:] > reach[:-1]]))
    return Union(start[begins], reach[np.append(begins[1:], len(reach)) - 1], order[begins])


def all_edges(*unions: Union) -> I64:
    """Every start and end once, in order."""
    # a stable sort merges runs that are already in order, instead of sorting from scratch
    edges = np.sort(np.concatenate([union.edges() for union in unions]), kind="stable")
    return np.asarray(edges[np.concatenate([[True], edges[1:] > edges[:-1]])] if len(edges) else edges)


def subtract(one: Union, other: Union) -> Union:
    """What lies in `one` and not in `other`; `first` is meaningless there."""
    edges = all_edges(one, other)
    kept = one.pieces(edges) & ~other.pieces(edges)
    return unite(edges[:-1][kept], edges[1:][kept])


def covered_before(union: Union, time_ns: I64) -> I64:
    """How much the union covers of all the time before each moment; shape as `time_ns`."""
    length = union.end_ns - union.start_ns
    whole = np.concatenate([[0], np.cumsum(length)])
    at = union.start_ns.searchsorted(time_ns, side="right")
    past = np.concatenate([[0], union.end_ns])[at]
    found: I64 = whole[at] - np.where(at > 0, (past - time_ns).clip(0), 0)
    return found


def covered_ns(union: Union, start_ns: I64, end_ns: I64) -> I64:
    """How much of each window [start, end) the union covers; shape (n,) each."""
    return covered_before(union, end_ns) - covered_before(union, start_ns)
