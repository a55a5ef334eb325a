"""Whole runs of tiny models through the worker's own process."""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
import sys
import textwrap
import zipfile

import pytest
from driven_worker import ROOT, Heard, Worker, needs_torch, run_to_end

from profviz.analysis.sides import make_side
from profviz.analysis.tape_links import link_tape
from profviz.formats.chrome import read_chrome_trace
from profviz.model.record import from_json
from profviz.model.run import RunRequest
from profviz.model.tape import Tape
from profviz.protocol.messages import Announce, Hello, Inspect, Probe, Result, StageProgress, encode
from profviz.protocol.wire import read_frames

pytestmark = [pytest.mark.torch, needs_torch]

TRAINS = """
    import torch
    from torch import nn
    import helper_of_subject
    torch.manual_seed(0)
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(16, 16), nn.Linear(16, 4)
        def forward(self, x):
            return self.b(nn.functional.gelu(self.a(x)) * 2)
    model = Net()
    inputs = torch.randn(8, 16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    def loss_fn(output):
        return output.pow(2).mean()
"""


def records(heard: Heard, variant: str) -> list[dict]:
    """The metadata of a compile log's records; asserts the line format on the way."""
    found = []
    for line in gzip.decompress(heard.blobs[f"{variant}.compile-log.txt.gz"]).decode().splitlines():
        if not line.startswith("\t"):
            prefix, _, rest = line.partition("] ")
            assert prefix[0] in "VIWEC"
            assert prefix[1:5].isdigit()
            found.append(json.loads(rest))
    return found


def trace_events(heard: Heard, variant: str) -> list[dict]:
    return json.loads(gzip.decompress(heard.blobs[f"{variant}.json.gz"]))["traceEvents"]


@pytest.fixture(scope="module")
def compiled_run(tmp_path_factory: pytest.TempPathFactory) -> Heard:
    """Eager and Inductor, training, with all g++ has to do; shared by the tests below."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed here")
    folder = tmp_path_factory.mktemp("run")
    (folder / "helper_of_subject.py").write_text("x = 1\n")
    (folder / "subject.py").write_text(textwrap.dedent(TRAINS))
    started: list[Worker] = []

    def start(**env: str) -> Worker:
        started.append(Worker(**env))
        return started[-1]

    try:
        return run_to_end(start, str(folder / "subject.py"), variants=("eager", "default"))
    finally:
        for worker in started:
            worker.end()


@pytest.mark.slow
def test_the_run_ends_well(compiled_run: Heard) -> None:
    assert compiled_run.failures == []
    assert (compiled_run.status, compiled_run.done) == (0, True)


@pytest.mark.slow
def test_stages_come_in_order_and_each_ends(compiled_run: Heard) -> None:
    assert list(dict.fromkeys(stage for stage, _ in compiled_run.stages)) == [
        "loading",
        "eager_warmup",
        "eager_timing",
        "eager_profile",
        "eager_tape",
        "compiling",
        "steady_timing",
        "compiled_profile",
        "check",
        "graphs",
    ]
    states = [m.state for m in compiled_run.of(StageProgress)]
    assert states.count("begin") == states.count("end")
    phases = {m.detail.split(",")[0] for m in compiled_run.of(StageProgress) if m.stage == "compiling"}
    assert {"Dynamo", "AOTAutograd", "Inductor: C++ compiler"} <= phases


@pytest.mark.slow
def test_the_tape_of_eager_comes_as_a_file(compiled_run: Heard) -> None:
    tape = from_json(Tape, json.loads(compiled_run.blobs["eager.tape.json"]))
    assert tape.absence == ""
    assert tape.ran == len(tape.nodes) > 0
    assert tape.saved_bytes > 0
    assert all(node.source or node.parameter for node in tape.nodes)


@pytest.mark.slow
def test_every_node_of_the_tape_is_in_each_profiled_step(compiled_run: Heard) -> None:
    """By autograd's numbers: those of an operator and of the call that undoes it are the same."""
    tape = from_json(Tape, json.loads(compiled_run.blobs["eager.tape.json"]))
    trace, _ = read_chrome_trace(gzip.decompress(compiled_run.blobs["eager.json.gz"]), title="eager")
    side = make_side(id="eager", title="Eager", trace=trace, notes=())
    links = link_tape(tape, side)
    assert links.notes == ()
    assert {len(found) for found in links.backward.values()} == {len(side.steps)}
    assert set(links.forward) == {at for at, node in enumerate(tape.nodes) if node.sequence is not None}

    def numbers(slices: tuple[int, ...]) -> list[int]:
        return [trace.args(int(trace.slices.event[index]))["args"]["Sequence number"] for index in slices]

    for node, slices in links.forward.items():
        assert numbers(slices) == numbers(links.backward[node])
        undone = tape.nodes[node].title.partition("Backward")[0].lower()
        assert all(undone in trace.name_of(index).replace("_", "") for index in slices)


@pytest.mark.slow
def test_both_are_timed_in_the_same_rounds(compiled_run: Heard) -> None:
    for variant in ("eager", "default"):
        result = compiled_run.result(variant)
        assert result["first_call_ns"] > 0
        assert len(result["warmup_ns"]) >= 3
        assert result["timing"]["clock"] == "perf_counter"
        assert len(result["timing"]["samples_ns"]) == 4
        assert result["timing"]["rounds"] == [0, 0, 1, 1]
        assert result["recompiles"] == 0
        assert "peak_memory_bytes" not in result, "unknown on a CPU"
    assert compiled_run.result("default")["first_call_ns"] > compiled_run.result("eager")["first_call_ns"]


@pytest.mark.slow
def test_eager_is_complete_before_anything_compiles(compiled_run: Heard) -> None:
    compiling = next(i for i, m in enumerate(compiled_run.messages) if getattr(m, "stage", "") == "compiling")
    before = [m for m in compiled_run.messages[:compiling] if isinstance(m, Result) and m.variant == "eager"]
    names = {name for message in before for name in message.fields}
    assert {"timing", "trace", "first_call_ns", "title"} <= names


@pytest.mark.slow
def test_traces_have_annotated_steps_and_generated_kernels(compiled_run: Heard) -> None:
    for variant in ("eager", "default"):
        events = trace_events(compiled_run, variant)
        steps = [e for e in events if str(e.get("name", "")).startswith("ProfilerStep#") and e.get("ph") == "X"]
        assert len(steps) == compiled_run.result(variant)["profiled_steps"] == 2
        assert any("Input Dims" in e.get("args", {}) for e in events), "shapes are on"
    names = {str(e.get("name")) for e in trace_events(compiled_run, "default")}
    assert any("cpp_fused" in name for name in names)
    assert not any("dynamo_timed" in name for name in names), "nothing compiled under the profiler"


@pytest.mark.slow
def test_the_compile_log_is_whole(compiled_run: Heard) -> None:
    found = records(compiled_run, "default")
    kinds = {key for record in found for key in record}
    assert {"dynamo_output_graph", "aot_forward_graph", "aot_backward_graph", "inductor_output_code"} <= kinds
    numbers = {record["str"][1] for record in found if "str" in record}
    used = {frame["filename"] for record in found for frame in (record.get("dynamo_start") or {}).get("stack", ())}
    assert used
    assert used <= numbers, "every interned string is in the table"


@pytest.mark.slow
def test_backward_kernels_know_their_nodes(compiled_run: Heard) -> None:
    text = gzip.decompress(compiled_run.blobs["default.compile-log.txt.gz"]).decode()
    parts = text.split('"inductor_provenance_tracking_node_mappings"')[1:]
    assert len(parts) == 2
    assert all("cppCodeToPost" in part.split("\nV", 1)[0] for part in parts)


@pytest.mark.slow
def test_outputs_and_gradients_are_compared(compiled_run: Heard) -> None:
    check = compiled_run.result("default")["check"]
    assert check["equal"] is True
    assert check["compared"] == 5, "the output and four gradients"
    assert "float32" in check["tolerance"]


@pytest.mark.slow
def test_sources_and_counters_are_kept(compiled_run: Heard) -> None:
    assert {"subject.py", "helper_of_subject.py"} <= set(compiled_run.blobs)
    assert "triton_kernels" not in compiled_run.result("default"), "there is none on a CPU"
    counters = compiled_run.result("default")["counters"]
    assert counters["frames"] == {"total": 1, "ok": 1}
    assert counters["profviz"]["compiler_set_up_ns"] > 0
    assert "once a process" in compiled_run.logs


def test_a_probe_announces_and_ends(start_worker) -> None:
    worker = start_worker()
    worker.send(Probe())
    heard = worker.finish()
    hello, announce, done = heard.messages
    assert isinstance(hello, Hello)
    assert isinstance(announce, Announce)
    assert done.ok
    assert announce.environment.torch
    assert announce.environment.devices[-1].kind == "cpu"
    assert [v.id for v in announce.environment.variants][:2] == ["eager", "default"]


def test_recompiles_are_left_out_of_the_timing(start_worker, script) -> None:
    text = """
        import itertools, torch
        class Net(torch.nn.Module):
            def forward(self, x):
                return x.sin() + x.shape[0]
        model = Net().eval()
        sizes = itertools.chain([2] * 15, itertools.count(3))   # settles, then every batch is another
        def inputs():
            return torch.ones(next(sizes), 2)
    """
    # one batch is drawn by discovery, then eager: 4 to warm up, 1 + 2 to time, 1 to count its events, 1 + 1 to profile
    heard = run_to_end(
        start_worker,
        script(text),
        steps=2,
        rounds=1,
        profile_steps=1,
        variants=("eager", "dynamo"),
        options={"dynamo": {"dynamic": "no"}},
    )
    result = heard.result("dynamo")
    timing = result["timing"]
    assert result["recompiles"] == len(timing["discarded_ns"]) == 2
    assert timing["samples_ns"] == []
    assert len(heard.result("eager")["timing"]["samples_ns"]) == 2
    assert heard.result("eager")["recompiles"] == 0


def test_a_compiled_model_that_differs_is_found(start_worker, script) -> None:
    text = """
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                return x + (1.0 if torch.compiler.is_compiling() else 0.0)
        model = Net().eval()
        inputs = torch.ones(2)
    """
    heard = run_to_end(start_worker, script(text), variants=("eager", "dynamo"))
    check = heard.result("dynamo")["check"]
    assert check["equal"] is False
    assert check["max_abs"] == 1.0
    assert heard.done is True


def test_logs_of_two_variants_are_apart_and_each_whole(start_worker, script) -> None:
    text = "import torch\nmodel = torch.nn.Linear(4, 2).eval()\ninputs = torch.ones(3, 4)"
    heard = run_to_end(start_worker, script(text), variants=("eager", "dynamo", "aot_eager"))
    first, second = records(heard, "dynamo"), records(heard, "aot_eager")
    for found in (first, second):
        assert sum("dynamo_output_graph" in record for record in found) == 1
        assert {r["frame_id"] for r in found if "dynamo_start" in r} == {0}
        numbers = {record["str"][1] for record in found if "str" in record}
        used = {frame["filename"] for r in found for frame in (r.get("dynamo_start") or {}).get("stack", ())}
        assert used <= numbers
    assert not any("aot_inference_graph" in record for record in first)
    assert any("aot_inference_graph" in record for record in second)
    assert len(heard.result("eager")["timing"]["samples_ns"]) == 8, "eager's rounds beside both"


def test_the_worker_runs_from_a_bundle_where_profviz_is_not_installed(tmp_path) -> None:
    bundle = tmp_path / "bundle.pyz"
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("__main__.py", "from profviz.worker.__main__ import main\nimport sys\nsys.exit(main())\n")
        for name in ("__init__.py", "model", "protocol", "worker"):
            path = ROOT / "profviz" / name
            for file in [path] if path.is_file() else path.rglob("*.py"):
                archive.write(file, file.relative_to(ROOT))
    path = tmp_path / "subject.py"
    path.write_text("import sys\nassert not any('bundle' in entry for entry in sys.path), sys.path\nx = 1\n")
    line = json.dumps(encode(Inspect(RunRequest(str(path))))).encode() + b"\n"
    process = subprocess.Popen(
        [sys.executable, "-I", str(bundle)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path
    )
    process.stdin.write(line)
    process.stdin.flush()
    messages = [message for message, _ in read_frames(process.stdout)]
    process.stdin.close()
    assert process.wait(20) == 0
    process.stdout.close()
    assert messages[-1].ok, messages


def test_what_a_script_sets_before_it_imports_torch_counts(start_worker, script) -> None:
    text = """
        import os, sys
        assert "torch" not in sys.modules
        os.environ["OMP_NUM_THREADS"] = "1"
        import torch
        model = torch.nn.Linear(4, 2).eval()
        inputs = torch.ones(3, 4)
    """
    heard = run_to_end(start_worker, script(text), inspect=True)
    assert heard.failures == []
    assert heard.of(Announce)[0].environment.threads == 1


def test_threads_asked_for_are_used(start_worker, script) -> None:
    text = "import torch\ntorch.set_num_threads(2)\nmodel = torch.nn.Linear(4, 2)\ninputs = torch.ones(3, 4)"
    heard = run_to_end(start_worker, script(text), inspect=True, threads=1)
    assert heard.of(Announce)[0].environment.threads == 1


def test_an_interpreter_without_torch_says_so(start_worker, script, tmp_path) -> None:
    hidden = "import sys, importlib.util as u\nfind = u.find_spec\n"
    hidden += "u.find_spec = lambda name, *a: None if name == 'torch' else find(name, *a)\n"
    (tmp_path / "sitecustomize.py").write_text(hidden)
    heard = run_to_end(start_worker, script("x = 1"), env={"PYTHONPATH": str(tmp_path)})
    assert heard.done is False
    assert "no torch" in heard.failures[0].what
    assert "interpreter" in heard.failures[0].hint
