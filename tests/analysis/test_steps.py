"""Steps take the GPU work that was launched in them, whenever it ran."""

from __future__ import annotations

from pathlib import Path

import pytest
from defect_files import load_path, load_text

from profviz.analysis import steps
from profviz.analysis.linking import category_mask, link_trace
from profviz.analysis.steps import find_steps

SAMPLES = Path(__file__).parents[2] / "samples" / "traces"


def event(name: str, category: str, ts: int, dur: int, *, tid: int = 1, args: str = "{}") -> str:
    head = f'{{"ph": "X", "name": "{name}", "cat": "{category}", "pid": 1, "tid": {tid}, '
    return head + f'"ts": {ts}, "dur": {dur}, "args": {args}}}'


def test_work_counts_where_it_was_launched_and_unlaunched_work_where_it_starts() -> None:
    text = [
        event("ProfilerStep#7", "user_annotation", 0, 100),
        event("ProfilerStep#8", "user_annotation", 100, 100),
        event("ProfilerStep#7", "gpu_user_annotation", 0, 150, tid=7),
        event("aten::linear", "cpu_op", 10, 50),
        event("aten::addmm", "cpu_op", 20, 30),
        event("launch", "cuda_runtime", 30, 5, args='{"correlation": 1}'),
        event("late", "kernel", 120, 30, tid=7, args='{"correlation": 1}'),
        event("unlaunched", "kernel", 140, 30, tid=8, args='{"correlation": 99}'),
        event("Memset", "gpu_memset", 180, 10, tid=7),
        event("outside", "kernel", 300, 10, tid=7),
    ]
    trace, _ = load_text(f"[{', '.join(text)}]")
    first, second = find_steps(trace, link_trace(trace))
    assert (first.number, first.start_ns, first.end_ns) == (7, 0, 100_000)
    assert (first.kernels, first.gpu_busy_ns, first.gpu_first_ns, first.gpu_last_ns) == (1, 30_000, 120_000, 150_000)
    assert first.ops == 1
    assert (second.number, second.kernels, second.gpu_busy_ns) == (8, 1, 40_000)
    assert second.ops == 0


def test_a_step_without_gpu_work_has_no_gpu_time_rather_than_none_of_it() -> None:
    trace, _ = load_text(f"[{event('ProfilerStep#1', 'user_annotation', 0, 10)}, {event('aten::add', 'cpu_op', 1, 2)}]")
    (step,) = find_steps(trace, link_trace(trace))
    assert (step.kernels, step.ops) == (0, 1)
    assert step.gpu_busy_ns is step.gpu_first_ns is step.gpu_last_ns is None


def test_the_bundled_samples_have_three_steps_of_three_kernels() -> None:
    for name in ("mlp_eager", "mlp_compiled"):
        trace, _ = load_path(SAMPLES / f"{name}.json.gz")
        steps = find_steps(trace, link_trace(trace))
        assert [(step.number, step.kernels) for step in steps] == [(2, 3), (3, 3), (4, 3)]


def test_many_steps_cost_no_whole_column_each(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = [event(f"ProfilerStep#{n}", "user_annotation", 10 * n, 10) for n in range(50)]
    work = [event("k", "kernel", 10 * n + 2, 3, tid=7) for n in range(50)]
    trace, _ = load_text(f"[{', '.join(marks + work)}]")
    links, asked = link_trace(trace), []
    monkeypatch.setattr(steps, "category_mask", lambda *of: asked.append(of) or category_mask(*of))
    found = find_steps(trace, links)
    assert [(step.kernels, step.gpu_busy_ns) for step in found] == [(1, 3_000)] * 50
    assert len(asked) <= 3
