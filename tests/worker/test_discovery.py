"""Every shape of script that discovery knows, and what it says when one does not fit."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")

from profviz.model.run import RunRequest  # noqa: E402
from profviz.worker.discovery import discover  # noqa: E402
from profviz.worker.failures import WorkerError, failure_of  # noqa: E402
from profviz.worker.script import load_script  # noqa: E402
from profviz.worker.workload import BoundWorkload, pick_device  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")]

NET = """
    import torch
    from torch import nn
    class Net(nn.Module):
        def __init__(self, size=4):
            super().__init__()
            self.inner = nn.Linear(size, 2)
        def forward(self, x, y=None):
            return self.inner(x if y is None else x + y)
"""


@pytest.fixture
def look(tmp_path: Path) -> Iterator:
    """Loads a script's text and gives what discovery says of it."""
    before = list(sys.path), list(sys.argv), set(sys.modules)

    def look(text: str, **request):
        path = tmp_path / "subject_script.py"
        path.write_text(textwrap.dedent(text))
        wanted = RunRequest(script=str(path), **request)
        return discover(load_script(path), wanted)

    yield look
    sys.path[:], sys.argv[:] = before[0], before[1]
    for name in set(sys.modules) - before[2]:
        if getattr(sys.modules[name], "__file__", None) == str(tmp_path / "subject_script.py"):
            del sys.modules[name]


def with_net(rest: str) -> str:
    return textwrap.dedent(NET) + textwrap.dedent(rest)


RUNNABLE = {
    "tensor": ("model = Net(); inputs = torch.ones(3, 4)", {}, "model", [(3, 4)]),
    "tuple": ("model = Net(); inputs = (torch.ones(3, 4), torch.ones(3, 4))", {}, "model", [(3, 4), (3, 4)]),
    "list": ("model = Net(); inputs = [torch.ones(3, 4)]", {}, "model", [(3, 4)]),
    "dict": ("model = Net(); inputs = dict(x=torch.ones(1, 4), y=torch.ones(1, 4))", {}, "model", [(1, 4), (1, 4)]),
    "callable inputs": ("model = Net()\ndef inputs(): return torch.ones(5, 4)", {}, "model", [(5, 4)]),
    "iterator": ("model = Net(); inputs = iter([torch.ones(1, 4)] * 9)", {}, "model", [(1, 4)]),
    "getters": (
        "def get_model(): return Net()\ndef get_inputs(): return torch.ones(2, 4)",
        {},
        "get_model()",
        [(2, 4)],
    ),
    "model and get_inputs": ("model = Net()\ndef get_inputs(): return (torch.ones(2, 4),)", {}, "model", [(2, 4)]),
    "class as model": ("model = Net; inputs = torch.ones(2, 4)", {}, "model", [(2, 4)]),
    "function": ("def model(x): return x.sin()\ninputs = torch.ones(2)", {}, "model", [(2,)]),
    "lone instance": ("net = Net(); inputs = torch.ones(2, 4)", {}, "net", [(2, 4)]),
    "lone class": ("inputs = torch.ones(2, 4)", {}, "Net", [(2, 4)]),
    "instance within another": (
        "part = Net(); whole = nn.Sequential(part); inputs = torch.ones(2, 4)",
        {},
        "whole",
        [(2, 4)],
    ),
    "loss is no model": (
        "net = Net(); loss_fn = nn.MSELoss(); targets = torch.ones(2, 2); inputs = torch.ones(2, 4)",
        {},
        "net",
        [(2, 4)],
    ),
    "two names of one": ("a = b = Net(); inputs = torch.ones(2, 4)", {}, "b", [(2, 4)]),
    "chosen": ("a = Net(); b = Net(); inputs = torch.ones(2, 4)", {"model": "a"}, "a", [(2, 4)]),
    "chosen factory": ("def build(): return Net()\ninputs = torch.ones(2, 4)", {"model": "build"}, "build", [(2, 4)]),
    "shapes": ("model = Net()", {"inputs": "8x4,8x4:float64"}, "model", [(8, 4), (8, 4)]),
    "named inputs": ("model = Net(); other = torch.ones(7, 4)", {"inputs": "other"}, "model", [(7, 4)]),
    "called inputs": ("model = Net()\ndef make(): return torch.ones(7, 4)", {"inputs": "make()"}, "model", [(7, 4)]),
}


@pytest.mark.parametrize("case", RUNNABLE)
def test_runnable_scripts(look, case: str) -> None:
    text, request, name, shapes = RUNNABLE[case]
    workload, parts = look(with_net(text), **request)
    assert workload.problem == ""
    assert (workload.model, [spec.shape for spec in workload.inputs]) == (name, shapes)
    bound = BoundWorkload(parts, torch.device("cpu"))
    if "float64" not in str(request):
        bound.step(bound.model, bound.next_batch())
    assert workload.train == ("loss_fn" in text)


REFUSED = {
    "nothing": ("import torch\nx = 3", {}, "No model was found"),
    "behind main": ('import torch\nif __name__ == "__main__":\n    model = torch.nn.Linear(1, 1)', {}, "__main__"),
    "two instances": (
        NET + "\n    a = Net(); b = Net(); inputs = torch.ones(2, 4)",
        {},
        "several nn.Module instances: a, b",
    ),
    "two classes": (NET + "\n    class Other(Net): pass", {}, "several nn.Module classes: Net, Other"),
    "arguments needed": (
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self, width, depth): super().__init__()",
        {},
        "needs width, depth",
    ),
    "unknown name": (NET + "\n    net = Net()", {"model": "nett"}, "no 'nett' at module level. It has: Net, net"),
    "not callable": ("import torch\nmodel = 3\ndef get_model(): return 4", {}, "gave a int"),
    "strange inputs": (NET + "\n    model = Net(); inputs = 3.5", {}, "inputs is a float"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_scripts_without_a_workload_say_why(look, case: str) -> None:
    text, request, says = REFUSED[case]
    workload, parts = look(text, **request)
    assert parts is None
    assert says in workload.problem


def test_a_model_without_inputs_asks_for_shapes(look) -> None:
    workload, parts = look(with_net("model = Net()"))
    assert workload.needs_shapes
    assert workload.problem == ""
    assert parts is None
    assert "no `inputs`" in " ".join(workload.missing)


def test_bad_overrides_are_errors_with_a_hint(look) -> None:
    with pytest.raises(WorkerError, match="nowhere") as error:
        look(with_net("model = Net()"), inputs="nowhere")
    assert "shapes such as" in error.value.hint
    with pytest.raises(WorkerError, match="no input shape"):
        look(with_net("model = Net()"), inputs="4x4:floaty")


TRAINING = {
    "output only": "def loss_fn(output): return output.sum()",
    "targets": "targets = torch.zeros(2, 2)\ndef loss_fn(output, target): return (output - target).pow(2).mean()",
    "loss module": "targets = torch.zeros(2, 2)\nloss_fn = nn.MSELoss()",
    "batch": "def loss_fn(output, batch): return (output.sum() - batch.sum()).pow(2)",
}


@pytest.mark.parametrize("case", TRAINING)
def test_a_training_step_changes_the_weights(look, case: str) -> None:
    rest = "model = Net(); inputs = torch.ones(2, 4)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.5)\n"
    workload, parts = look(with_net(rest + TRAINING[case]))
    bound = BoundWorkload(parts, torch.device("cpu"))
    before = bound.model.inner.weight.detach().clone()
    loss = bound.step(bound.model, bound.next_batch())
    assert workload.train
    assert loss.numel() == 1
    assert not loss.requires_grad
    assert not torch.equal(before, bound.model.inner.weight)


def test_training_without_loss_or_optimizer_is_said(look) -> None:
    workload, parts = look(with_net("model = Net(); inputs = torch.ones(2, 4)"), train=True)
    bound = BoundWorkload(parts, torch.device("cpu"))
    bound.step(bound.model, bound.next_batch())
    assert bound.model.inner.weight.grad is not None
    assert "no loss_fn" in " ".join(workload.found)
    assert "no `optimizer`" in " ".join(workload.missing)


def test_infer_overrides_a_loss(look) -> None:
    workload, parts = look(
        with_net("model = Net(); inputs = torch.ones(2, 4)\ndef loss_fn(o): return o.sum()"), train=False
    )
    bound = BoundWorkload(parts, torch.device("cpu"))
    assert not workload.train
    assert not bound.step(bound.model, bound.next_batch()).requires_grad


def test_an_optimizer_factory_and_one_of_other_weights(look) -> None:
    rest = "model = Net(); inputs = torch.ones(2, 4)\ndef loss_fn(o): return o.sum()\n"
    _, parts = look(with_net(rest + "def optimizer(parameters): return torch.optim.SGD(parameters, lr=1.0)"))
    assert not BoundWorkload(parts, torch.device("cpu")).optimizer_misses_model()
    _, parts = look(with_net(rest + "optimizer = torch.optim.SGD(Net().parameters(), lr=1.0)"))
    assert BoundWorkload(parts, torch.device("cpu")).optimizer_misses_model()


def test_a_loss_that_is_no_number_is_explained(look) -> None:
    _, parts = look(with_net("model = Net(); inputs = torch.ones(2, 4)\ndef loss_fn(o): return o"))
    bound = BoundWorkload(parts, torch.device("cpu"))
    with pytest.raises(WorkerError, match="single number") as error:
        bound.step(bound.model, bound.next_batch())
    assert "(2, 2)" in error.value.why


def test_a_compiled_model_is_unwrapped(look) -> None:
    workload, parts = look(with_net("model = torch.compile(Net()); inputs = torch.ones(2, 4)"))
    assert type(parts.model).__name__ == "Net"
    assert "unwrapped" in " ".join(workload.found)


def test_mode_that_does_not_match_is_told_and_left(look) -> None:
    workload, parts = look(with_net("model = Net(); inputs = torch.ones(2, 4)"))
    assert parts.model.training
    assert "stays in training mode" in " ".join(workload.found)


def test_the_script_sees_the_world_as_when_run_by_python(look, tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_subject.py").write_text("size = 4\n")
    text = "import sys, neighbour_of_subject\nassert __name__ != '__main__'\nassert sys.argv == [__file__]\n"
    workload, _ = look(text + with_net("model = Net(neighbour_of_subject.size); inputs = torch.ones(2, 4)"))
    assert workload.problem == ""
    assert workload.parameters == 10


def test_a_traceback_keeps_only_the_users_frames(look, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError) as error:
        look("import torch\ndef build():\n    return torch.ones(2, 3) @ torch.ones(2, 3)\nmodel = build()")
    failure = failure_of(error.value, script=str(tmp_path / "subject_script.py"), stage="loading")
    assert "return torch.ones(2, 3) @ torch.ones(2, 3)" in failure.traceback
    assert "importlib" not in failure.traceback
    assert failure.why == "Raised at subject_script.py:3."


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pick_device("cpu").type == "cpu"
    with pytest.raises(WorkerError, match="no device"):
        pick_device("abacus")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert pick_device("auto").type == "cpu"
    with pytest.raises(WorkerError, match="CUDA was asked for") as error:
        pick_device("cuda")
    assert "--device cpu" in error.value.hint
