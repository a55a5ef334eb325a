"""Scripts that misbehave: each gets a clear failure, and the protocol stays whole."""

from __future__ import annotations

import pytest
from driven_worker import needs_torch, run_to_end

from profviz.protocol.messages import StageProgress

pytestmark = [pytest.mark.torch, needs_torch]

MODEL = """
    import torch
    model = torch.nn.Linear(4, 2).eval()
    inputs = torch.ones(3, 4)
"""

FAILING = {
    "exit": ("import sys\nsys.exit('enough')", "sys.exit('enough')", "__main__"),
    "no model": ("x = 1", "No model was found", ""),
    "memory": (
        "import torch\nmodel = torch.nn.Linear(1, 1)\ninputs = torch.empty(1 << 50)",
        "Out of memory",
        "smaller",
    ),
}


@pytest.mark.parametrize("case", FAILING)
def test_scripts_that_can_not_be_loaded(start_worker, script, case: str) -> None:
    text, what, hint = FAILING[case]
    heard = run_to_end(start_worker, script(text))
    assert heard.status == 0
    assert heard.done is False
    failure = heard.failures[-1]
    assert what in failure.what
    assert hint in failure.hint
    assert (failure.stage, failure.variant) == ("loading", "")
    assert what in heard.found.problem
    assert "subject.py" in heard.blobs, "the script's text is kept"


def test_a_missing_script_is_told(start_worker, tmp_path) -> None:
    heard = run_to_end(start_worker, str(tmp_path / "nowhere.py"), inspect=True)
    assert heard.done is False
    assert "There is no file" in heard.failures[0].what


def test_printing_and_reading_can_not_touch_the_protocol(start_worker, script) -> None:
    noisy = """
    import ctypes, os, subprocess, sys
    print("x" * (1 << 20))
    assert sys.stdin.read() == ""
    os.write(1, b'{"kind":"done","data":{"ok":true}}' + bytes([10]))
    ctypes.CDLL(None).puts(b"from C"); ctypes.CDLL(None).fflush(None)
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    print("half a character \\udcff")
    pid = os.fork()
    if not pid:
        raise SystemExit("a fork must not speak for the worker")
    os.waitpid(pid, 0)
    """
    heard = run_to_end(start_worker, script(noisy + MODEL), inspect=True)
    assert heard.status == 0
    assert heard.done is True
    assert len(heard.of(type(heard.messages[-1]))) == 1, "one Done, the worker's own"
    assert heard.found.model == "model"
    assert heard.stderr.count("x") >= 1 << 20
    for said in ('{"kind":"done"', "from C", "from a child", "half a character"):
        assert said in heard.stderr


def test_a_script_that_never_ends_is_ended_by_the_limit(start_worker, script) -> None:
    heard = run_to_end(start_worker, script("def spin():\n    while True: pass\nspin()"), stage_limit_s=3.0)
    assert heard.status == 3
    assert heard.done is False
    assert "took longer than" in heard.failures[-1].what
    assert "spin" in heard.failures[-1].traceback
    assert heard.failures[-1].variant == ""


def test_a_step_that_fails_in_eager_ends_the_run(start_worker, script) -> None:
    text = "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x @ x\n"
    heard = run_to_end(start_worker, script(text + "model = Net()\ninputs = torch.ones(2, 3)"))
    assert heard.done is False
    failure = heard.failures[-1]
    assert failure.stage == "eager_warmup"
    assert "return x @ x" in failure.traceback
    assert "torch/nn" not in failure.traceback


def test_missing_inputs_are_asked_for(start_worker, script) -> None:
    text = "import torch\nmodel = torch.nn.Linear(4, 2)"
    heard = run_to_end(start_worker, script(text), inspect=True)
    assert heard.done is True
    assert heard.found.needs_shapes


def test_a_run_without_inputs_says_how_to_give_them(start_worker, script) -> None:
    heard = run_to_end(start_worker, script("import torch\nmodel = torch.nn.Linear(4, 2)"))
    assert heard.done is False
    failure = heard.failures[-1]
    assert "--inputs" in failure.hint
    assert failure.why.startswith("model was found, but no `inputs`")


def test_without_a_compiler_eager_stays(start_worker, script) -> None:
    env = {"CXX": "no-such-compiler"}
    heard = run_to_end(start_worker, script(MODEL), variants=("eager", "default", "dynamo"), env=env)
    assert heard.done is True
    (failure,) = heard.failures
    assert failure.variant == "default"
    assert "g++" in failure.why
    assert heard.result("eager")["timing"]["samples_ns"]
    assert heard.result("dynamo")["timing"]["samples_ns"], "the variants after it have their turn"


def test_one_graph_that_can_not_be_is_a_failure_of_that_variant(start_worker, script) -> None:
    text = """
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                print("", end="")
                return x + 1
        model = Net().eval()
        inputs = torch.ones(3)
    """
    heard = run_to_end(
        start_worker, script(text), variants=("eager", "dynamo"), options={"dynamo": {"fullgraph": True}}
    )
    assert heard.done is True
    (failure,) = heard.failures
    assert (failure.variant, failure.stage) == ("dynamo", "compiling")
    assert "can't be compiled as one graph" in failure.what
    assert "dynamo.compile-log.txt.gz" in heard.blobs, "the log so far is kept"


def test_unknown_variant_ends_the_run(start_worker, script) -> None:
    heard = run_to_end(start_worker, script(MODEL), variants=("eager", "turbo"))
    assert heard.done is False
    assert "turbo" in heard.failures[-1].what


def test_a_foreign_request_is_told(start_worker) -> None:
    worker = start_worker()
    worker.process.stdin.write(b"GET / HTTP/1.1\n")
    worker.process.stdin.flush()
    heard = worker.finish()
    assert "no request" in heard.failures[0].what
    assert not heard.of(StageProgress)
