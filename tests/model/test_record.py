from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from profviz.model.findings import Verdict
from profviz.model.record import from_json, to_json
from profviz.model.run import Failure, InputSpec, OutputCheck, Run, RunRequest, Timing, VariantResult, Workload


def full_run() -> Run:
    return Run(
        request=RunRequest("model.py", options={"default": {"fullgraph": True}}, train=True),
        state="done",
        started_ns=1_790_857_026_000_000_000,
        workload=Workload("model.py", inputs=(InputSpec("x", (64, 1024), "float32", "cpu"),)),
        variants=(
            VariantResult(
                "eager",
                "Eager",
                timing=Timing("perf_counter", (5, 7, 9), (0, 0, 1), (900,)),
                check=OutputCheck(2, equal=True, max_abs=0.5),
                counters={"frames": {"ok": 3}},
                failure=Failure("it broke"),
            ),
        ),
    )


def test_a_run_survives_json() -> None:
    run = full_run()
    assert from_json(Run, json.loads(json.dumps(to_json(run)))) == run


def test_fields_of_a_newer_version_are_let_through() -> None:
    data = to_json(full_run()) | {"from_the_future": 1}
    assert from_json(Run, data) == full_run()


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"state": 3}, "Run.state"),
        ({"variants": [{"id": "a"}]}, "Run.variants[0]"),
        ({"variants": {}}, "Run.variants"),
        ({"request": None}, "Run.request"),
        ({"started_ns": True}, "Run.started_ns"),
    ],
)
def test_a_misfit_is_named(change: dict[str, object], where: str) -> None:
    with pytest.raises(ValueError, match=where.replace("[", r"\[").replace("]", r"\]")):
        from_json(Run, to_json(full_run()) | change)


@dataclass(frozen=True)
class Shapes:
    pair: tuple[int, str]
    verdict: Verdict
    ratio: float


def test_fixed_tuples_enums_and_ints_for_floats() -> None:
    assert from_json(Shapes, {"pair": [1, "a"], "verdict": "bad", "ratio": 2}) == Shapes((1, "a"), Verdict.BAD, 2.0)
    with pytest.raises(ValueError, match="2 items"):
        from_json(Shapes, {"pair": [1], "verdict": "bad", "ratio": 2})
    with pytest.raises(ValueError, match="unknown value"):
        from_json(Shapes, {"pair": [1, "a"], "verdict": "worse", "ratio": 2})


def test_quartiles_interpolate() -> None:
    timing = Timing("perf_counter", (10, 20, 30, 40), (0, 0, 1, 1))
    assert (timing.median_ns, timing.iqr_ns) == (25, 14)
    assert Timing("perf_counter", (), ()).median_ns is None
