"""The main job on a real GPU: skips itself where torch finds none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from profviz.analysis.slice_details import answer_slice
from profviz.engine.results import results_of_session
from profviz.formats.session import read_session
from profviz.model.questions import Question
from profviz.model.results import Results

torch = pytest.importorskip("torch", reason="torch is not installed here")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.slow,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA device here"),
]
ROOT = Path(__file__).parents[2]
VARIANTS = ("eager", "default", "reduce-overhead")
SCRIPT = """
import torch
from torch import nn
model = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.LayerNorm(512), nn.Linear(512, 16))
inputs = torch.randn(32, 256)
def loss_fn(output):
    return output.square().mean()
optimizer = torch.optim.AdamW(model.parameters())
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Results]:
    folder = tmp_path_factory.mktemp("cuda")
    (folder / "net.py").write_text(SCRIPT)
    session = folder / "net.profviz"
    command = [sys.executable, "-m", "profviz", "run", str(folder / "net.py"), "--variants", ",".join(VARIANTS)]
    command += ["--steps", "20", "-o", str(session), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    opened, notes = read_session(session)
    return json.loads(done.stdout), results_of_session(opened, notes=notes, path=str(session))


def test_every_variant_is_timed_by_cuda_events_and_agrees_with_eager(ran: tuple[dict, Results]) -> None:
    printed, results = ran
    assert [variant["id"] for variant in printed["variants"]] == list(VARIANTS)
    assert results.run is not None
    for variant in results.run.variants:
        assert variant.failure is None
        assert variant.timing is not None
        assert variant.timing.clock == "cuda_event"
        assert variant.peak_memory_bytes
        assert variant.id == "eager" or (variant.check is not None and variant.check.equal)


def test_the_tape_counts_memory_on_the_device_and_has_its_kernels(ran: tuple[dict, Results]) -> None:
    printed, results = ran
    (shown,) = results.tapes
    tape = shown.tape
    assert tape.absence == ""
    assert tape.ran == len(tape.nodes) == len(tape.allocated) - 1
    assert len(shown.links.backward) == tape.ran
    assert shown.links.backward_work
    assert min(tape.allocated) > 0
    assert tape.live_bytes[0] == tape.saved_bytes > tape.live_bytes[-1]
    told = printed["variants"][0]["tape"]
    assert (told["nodes"], told["peak_bytes"]) == (len(tape.nodes), max(tape.allocated))


def test_kernels_are_linked_to_launches_and_counted_a_step(ran: tuple[dict, Results]) -> None:
    printed, results = ran
    for variant, side in zip(printed["variants"], results.sides, strict=True):
        assert variant["kernels_per_step"] > 0
        assert 0 < variant["gpu_busy_ns"] < variant["gpu"]["span_ns"]
        assert side.occupancy.unlinked == 0
        assert len(side.steps) == 3


def test_every_fused_kernel_is_linked_to_its_nodes_and_line(ran: tuple[dict, Results]) -> None:
    _, results = ran
    side = next(side for side in results.sides if side.id == "default")
    fused = {index for index in side.trace.gpu.slice.tolist() if side.trace.name_of(index).startswith("triton_")}
    linked = {index for slices in side.slices_of_kernel.values() for index in slices}
    assert fused
    assert fused <= linked
    assert side.report is not None
    assert all(code.stacks for code in side.report.code)


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_every_triton_kernel_of_the_trace_has_its_registers_and_spills(ran: tuple[dict, Results], variant: str) -> None:
    printed, results = ran
    at = next(at for at, side in enumerate(results.sides) if side.id == variant)
    trace = results.sides[at].trace
    rows = [row for row, one in enumerate(trace.gpu.slice.tolist()) if trace.name_of(one).startswith("triton_")]
    assert rows
    for row in rows:
        index = int(trace.gpu.slice[row])
        binary = answer_slice(results, Question("slice", at, (index,))).binary
        assert binary is not None, trace.name_of(index)
        assert binary.name == trace.name_of(index)
        assert binary.registers == int(trace.gpu.registers[row]) > 0
        assert binary.spills is not None
        assert binary.shared_bytes is not None
        assert binary.num_warps is not None
        assert binary.num_warps * 32 == int(trace.gpu.block[row].prod())
        assert dict(binary.config)["XBLOCK"]
    told = next(one for one in printed["variants"] if one["id"] == variant)["triton_kernels"]
    assert {trace.name_of(int(trace.gpu.slice[row])) for row in rows} <= {one["name"] for one in told}


def test_cuda_graphs_are_replayed(ran: tuple[dict, Results]) -> None:
    _, results = ran
    side = next(side for side in results.sides if side.id == "reduce-overhead")
    assert side.occupancy.graph_launches >= len(side.steps)
