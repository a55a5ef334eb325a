"""Tables of two sides, joined row by row."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from defect_files import SHARED
from table_checks import by, cells, results_of, rows

from profviz.analysis.questions import answer
from profviz.analysis.tables.registry import TABLES
from profviz.model.questions import PairedTable, Question, Unanswered
from profviz.model.trace import MISSING

needs_captures = pytest.mark.skipif(not SHARED.exists(), reason="the shared captures are not beside this checkout")
TRAIN, COMPILED = "broken_train.eager.json.gz", "broken_train.compiled-default.json.gz"


@needs_captures
@pytest.mark.parametrize("id_", [id_ for id_ in TABLES if id_ != "fusions"])  # of a compiled side with its log
def test_two_sides_are_joined_by_their_texts(id_: str) -> None:
    results = results_of(TRAIN, COMPILED)
    pair = answer(results, Question("table pair", -1, (id_, 0, 1)))
    assert isinstance(pair, PairedTable), pair
    key, measures = TABLES[id_].by, TABLES[id_].measures
    sums: list[dict[Any, dict[str, int]]] = []
    for one in pair.sides:
        own: dict[Any, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for row in rows(one):
            for measure in measures:
                own[row[key]][measure] += row[measure] or 0
        sums.append(own)
    joined = by(pair.table, key)
    assert set(joined) == {*sums[0], *sums[1]}
    for text, row in joined.items():
        for measure in measures:
            left, right = (own[text][measure] if text in own else None for own in sums)
            if row[f"{measure}_left"] is not None or left is None:
                assert row[f"{measure}_left"] == left
            if row[f"{measure}_change"] is not None:
                assert row[f"{measure}_change"] == (right or 0) - (left or 0)
            ratio = right / left if left and right is not None else None
            assert row[f"{measure}_ratio"] == (None if row[f"{measure}_ratio"] is None else pytest.approx(ratio))
    changes = [abs(row[f"{measures[0]}_change"]) for row in rows(pair.table)]
    assert changes == sorted(changes, reverse=True)
    for side, places in zip(pair.sides, pair.rows, strict=True):
        texts = cells(side.column(key))
        shown = zip(cells(pair.table.column(key)), places.tolist(), strict=True)
        assert all(place == MISSING or texts[place] == text for text, place in shown)


def test_a_side_that_cannot_say_is_named() -> None:
    found = answer(results_of("graph_replay.json", "cpu_only.json"), Question("table pair", -1, ("kernels", 0, 1)))
    assert isinstance(found, Unanswered)
    assert found.why == "cpu_only.json: no GPU activity in this trace"


@needs_captures
def test_a_comparison_of_unequal_numbers_of_steps_says_so() -> None:
    same = answer(results_of(TRAIN, COMPILED), Question("table pair", -1, ("kernels", 0, 1)))
    other = answer(results_of(TRAIN, "graph_replay.json"), Question("table pair", -1, ("kernels", 0, 1)))
    assert isinstance(same, PairedTable)
    assert isinstance(other, PairedTable)
    assert "steps" not in same.table.footer
    assert "not the same number of steps: 3 and 0" in other.table.footer
