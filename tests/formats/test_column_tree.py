"""Many dataclasses of one kind are taken apart by field, into as few arrays as there may be, and come back the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profviz.formats.column_tree import MANY, put_together, take_apart
from profviz.model.notes import Sample
from profviz.model.trace import I64, Counter, Lane, LaneKind


@dataclass(frozen=True)
class Held:
    counters: tuple[Counter, ...] = ()
    lanes: tuple[Lane, ...] = ()
    odd: tuple[Odd, ...] = ()


@dataclass(frozen=True)
class Odd:
    number: int
    samples: tuple[Sample, ...]
    column: I64
    maybe: Sample | None = None


def carried(held: Held) -> tuple[Held, list[Any]]:
    arrays: list[Any] = []
    tree = json.loads(json.dumps(take_apart(held, arrays)))
    return put_together(Held, tree, arrays), arrays


@given(st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=MANY, max_size=MANY + 9))
def test_counters_by_the_thousand_take_a_handful_of_arrays(values: list[list[int]]) -> None:
    made = tuple(
        Counter(f"c{number}", number % 3, np.arange(len(part)), np.array(part, dtype=np.float64))
        for number, part in enumerate(values)
    )
    found, arrays = carried(Held(counters=made))
    assert [(one.name, one.lane, one.time_ns.tolist(), one.value.tolist()) for one in found.counters] == [
        (one.name, one.lane, one.time_ns.tolist(), one.value.tolist()) for one in made
    ]
    assert {(type(one.lane), one.value.dtype, one.time_ns.dtype) for one in found.counters} == {
        (int, np.dtype(np.float64), np.dtype(np.int64))
    }
    assert len(arrays) == 7 + 4  # names and ends, lanes, times and ends, values and ends; two for each empty tuple


def test_lanes_with_enums_come_back() -> None:
    made = tuple(Lane(LaneKind.GPU, "0", str(n), "GPU 0", "\ud800", 0, n) for n in range(2 * MANY))
    assert carried(Held(lanes=made))[0].lanes == made


def test_fields_that_differ_from_one_to_the_next_come_back() -> None:
    kinds = (np.int64, np.int32)
    made = tuple(
        Odd(
            1 << n, (Sample(n, "x"),) * (n % 3), np.zeros((1, 2), dtype=kinds[n % 2]), Sample(1, "y") if n % 2 else None
        )
        for n in range(80)
    )
    found = carried(Held(odd=made))[0].odd
    assert [(one.number, one.samples, one.maybe, one.column.dtype) for one in found] == [
        (one.number, one.samples, one.maybe, one.column.dtype) for one in made
    ]


def _beyond(rows: list[Any], arrays: list[Any]) -> None:
    arrays[rows[2]["joined"] + 1][-1] += 1


def _backwards(rows: list[Any], arrays: list[Any]) -> None:
    arrays[rows[2]["joined"] + 1][0] = 99


def _fewer(rows: list[Any], arrays: list[Any]) -> None:
    arrays[rows[1]["array"]] = arrays[rows[1]["array"]][:-1]


def _missing(rows: list[Any], arrays: list[Any]) -> None:
    del rows[3]


def _other_kind(rows: list[Any], arrays: list[Any]) -> None:
    rows[0] = rows[1]


@pytest.mark.parametrize("forge", [_beyond, _backwards, _fewer, _missing, _other_kind])
def test_parts_that_do_not_fit_are_refused(forge: Callable[[list[Any], list[Any]], None]) -> None:
    made = tuple(Counter("c", 0, np.arange(2), np.zeros(2)) for _ in range(MANY))
    arrays: list[Any] = []
    tree = take_apart(Held(counters=made), arrays)
    forge(tree[0]["rows"], arrays)
    with pytest.raises(ValueError, match=r"Held|end|where|shorter|longer"):
        put_together(Held, tree, arrays)
