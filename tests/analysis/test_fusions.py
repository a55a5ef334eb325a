"""The fusions table: every eager kernel counts once, sums are those of the slices, unknown stays unknown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from factories import make_pair

from profviz.analysis.questions import answer
from profviz.engine.results import results_of_documents
from profviz.formats.registry import open_document
from profviz.model.questions import ColumnTable, Question, Unanswered
from profviz.model.results import Results

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
needs_captures = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")


def opened(*names: str) -> Results:
    return results_of_documents([open_document(SHARED / name) for name in names])


def table(results: Results, side: int) -> ColumnTable:
    made = answer(results, Question("table", side, ("fusions",)))
    assert isinstance(made, ColumnTable), made
    return made


@needs_captures
@pytest.mark.parametrize("name", ["gpt2", "resnet50"])
def test_every_matched_eager_kernel_counts_in_one_row(name: str) -> None:
    results = opened(f"{name}.eager.json.gz", f"{name}.compiled-default.json.gz", f"{name}.compile-log.txt.gz")
    made, eager, compiled = table(results, 1), *results.sides
    report = results.reports[0][1]
    assert len(made) == sum(len(code.kernels) for code in report.code)
    fused = {
        slice_
        for (_, graph, node), slices in eager.slices_of_node.items()
        if report.graphs[graph].nodes[node].kernels
        for slice_ in slices
    }
    steps = len(eager.steps)
    assert made.column("eager").values.sum() * steps == pytest.approx(len(fused))
    took = eager.trace.slices.dur_ns[sorted(fused)].sum()
    assert np.nansum(made.column("eager_ns").values) * steps == pytest.approx(int(took))
    own = sorted({index for slices in compiled.slices_of_kernel.values() for index in slices})
    assert np.nansum(made.column("own_ns").values) * steps == pytest.approx(
        int(compiled.trace.slices.dur_ns[own].sum())
    )


@needs_captures
def test_gelu_is_one_kernel_in_place_of_eight() -> None:
    results = opened("gpt2.eager.json.gz", "gpt2.compiled-default.json.gz", "gpt2.compile-log.txt.gz")
    made = table(results, 1)
    names = made.column("name")
    gelu = [row for row in range(len(made)) if "add_mul_pow_tanh" in names.texts[int(names.values[row])]]
    assert len(gelu) == 12  # a call a layer
    assert {float(made.column("eager").values[row]) for row in gelu} == {8.0}
    assert all(5 < made.column("gain").values[row] < 9 for row in gelu)
    lines = made.column("line")
    assert {lines.texts[int(lines.values[row])] for row in gelu} == {"activations.py:66"}
    first = int(made.slice[gelu[0]])
    assert "add_mul_pow_tanh" in results.sides[1].trace.name_of(first)


@needs_captures
def test_without_an_eager_run_its_columns_are_unknown() -> None:
    made = table(opened("gpt2.compiled-default.json.gz", "gpt2.compile-log.txt.gz"), 0)
    assert np.isnan(made.column("eager_ns").values).all()
    assert not np.isnan(made.column("own_ns").values).any()
    assert "no eager run" in made.footer


def test_a_side_without_a_log_says_so() -> None:
    said = answer(make_pair(), Question("table", 0, ("fusions",)))
    assert isinstance(said, Unanswered)
    assert "No compile log" in said.why
