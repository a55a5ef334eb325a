"""A side is the sum of the analyses of one document, and documents never mix."""

from __future__ import annotations

from pathlib import Path

import pytest
from defect_files import DEFECTS, load

from profviz.analysis.sides import make_side
from profviz.model.results import Side


def side(name: str) -> Side:
    trace, notes = load(name)
    return make_side(id="a", title=name, trace=trace, notes=tuple(notes.values()))


def test_clock_skew_is_said_with_its_size() -> None:
    (note,) = side("kernel_before_launch.json").notes
    assert (note.code, note.count) == ("clock_skew", 1)
    assert "3000 ns" in note.detail


def test_two_ranks_with_equal_ids_link_within_themselves() -> None:
    for rank in (0, 1):
        made = side(f"equal_ids_rank{rank}.json")
        assert made.occupancy.unlinked == 0
        assert [row.name for row in made.table] == [f"k{rank}1", f"k{rank}2"]
        assert made.links.launch[made.trace.gpu.slice].tolist() == [2, 3]


@pytest.mark.parametrize("path", sorted(DEFECTS.iterdir()), ids=lambda path: path.name)
def test_every_defect_file_makes_a_whole_side(path: Path) -> None:
    made = side(path.name)
    assert len(made.kinds) == len(made.trace.slices)
    assert sum(row.share for row in made.table) == pytest.approx(1 if any(row.total_ns for row in made.table) else 0)
    assert made.occupancy.busy_ns <= made.occupancy.span_ns
