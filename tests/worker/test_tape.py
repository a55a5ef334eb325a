"""The autograd tape: saved bytes as worked out by hand, the order backward runs in, and what is freed when."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")

from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from profviz.model.record import from_json, to_json  # noqa: E402
from profviz.model.tape import Owner, Tape  # noqa: E402
from profviz.worker import tape_places, tape_walk  # noqa: E402
from profviz.worker.discovery import Parts  # noqa: E402
from profviz.worker.tape import known_memory, record_pass, record_tape  # noqa: E402
from profviz.worker.tape_backward import Backward  # noqa: E402
from profviz.worker.tape_places import Places  # noqa: E402
from profviz.worker.tape_saved import Memory  # noqa: E402
from profviz.worker.workload import BoundWorkload  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")]
FLOAT = 4


class Body(nn.Module):
    """Whatever `call(weight, x)` does with one weight of 5 x 6 floats."""

    def __init__(self, call: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(5, 6))
        self.call = call

    def forward(self, x: Any) -> Any:
        return self.call(self.weight, x)


def bound(model: Any, *, train: bool = True, inputs: Any = None, **parts: Any) -> BoundWorkload:
    given = torch.randn(4, 5) if inputs is None else inputs
    parts = {"loss_fn": lambda y: y.sum()} | parts if train else parts
    return BoundWorkload(Parts(model, lambda: given, fixed_inputs=True, train=train, **parts), torch.device("cpu"))


def tape_of(call: Callable[[Any, Any], Any], **parts: Any) -> Tape:
    workload = bound(Body(call), **parts)
    tape = record_tape(workload, workload.model)
    assert not tape.absence
    return tape


def at(tape: Tape, title: str) -> int:
    found = [number for number, node in enumerate(tape.nodes) if node.title == title]
    assert len(found) == 1, (title, [node.title for node in tape.nodes])
    return found[0]


def owners(tape: Tape, node: int) -> dict[str, Owner]:
    return {one.name: tape.storages[one.storage].owner for one in tape.nodes[node].saved}


def test_saved_bytes_are_those_worked_out_by_hand() -> None:
    """relu(x @ w): the product keeps its factors, which live on anyway; relu keeps its result of 4 x 6 floats."""
    tape = tape_of(lambda w, x: torch.relu(x @ w))
    assert [node.title for node in tape.nodes] == ["SumBackward0", "ReluBackward0", "MmBackward0", "AccumulateGrad"]
    assert tape.edges == ((0, 1, 0), (1, 2, 0), (2, 3, 0))
    assert owners(tape, at(tape, "MmBackward0")) == {"self": Owner.INPUT}, "no gradient of x needs w"
    assert owners(tape, at(tape, "ReluBackward0")) == {"result": Owner.TAPE}
    assert tape.saved_bytes == tape.node_bytes(1) == 4 * 6 * FLOAT
    assert tape.live_bytes == (96, 96, 0, 0, 0), "relu ran second; then its result is gone"
    assert tape.freed_at == {1: 96}
    assert tape.nodes[3].parameter == "weight"
    assert [spec.shape for spec in tape.nodes[1].tensors] == [(4, 6)]
    assert tape.allocated == (), "a CPU's allocator does not count"
    assert from_json(Tape, to_json(tape)) == tape


def test_a_tensor_that_two_nodes_keep_counts_once_and_is_freed_with_the_last() -> None:
    tape = tape_of(lambda w, x: torch.sigmoid(x @ w).tanh().pow(2))
    tanh, power, sigmoid = (at(tape, f"{name}Backward0") for name in ("Tanh", "Pow", "Sigmoid"))
    assert tape.storages_of(tanh) == tape.storages_of(power), "tanh's result is what pow squares"
    assert tape.saved_bytes == 2 * 96
    assert tape.node_bytes(tanh) + tape.node_bytes(power) + tape.node_bytes(sigmoid) == 3 * 96
    assert tape.freed_at == {tape.nodes[tanh].order: 96, tape.nodes[sigmoid].order: 96}
    shared = tape.storages_of(tanh)[0]
    assert set(tape.holders[shared]) == {tanh, power}


def test_views_of_one_memory_count_it_once_and_whole() -> None:
    def halves(w: Any, x: Any) -> Any:
        left, right = torch.exp(x @ w).chunk(2, dim=1)
        return left.square().sum() + right.square().sum()

    tape = tape_of(halves)
    assert tape.saved_bytes == 96, "both squares keep halves of what exp keeps whole"
    sizes = sorted(one.bytes for node in tape.nodes for one in node.saved if tape.storages[one.storage].bytes == 96)
    assert sizes == [48, 48, 96]


def test_an_in_place_operation_does_not_disturb_it() -> None:
    tape = tape_of(lambda w, x: (x @ w).mul_(2).relu_())
    assert [node.title for node in tape.nodes[1:3]] == ["ReluBackward0", "MulBackward0"]
    assert tape.live_bytes[-1] == 0


class Cube(torch.autograd.Function):
    """Keeps its input as one should, and its square as an attribute."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.square = x * x
        return ctx.square * x

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return 3 * ctx.square * gradient


def test_a_custom_function_tells_what_it_saved_and_what_it_hung_on_its_context() -> None:
    tape = tape_of(lambda w, x: Cube.apply(x @ w))
    node = at(tape, "CubeBackward")
    assert {one.name: one.on_context for one in tape.nodes[node].saved} == {"tensors[0]": False, "square": True}
    assert tape.saved_bytes == 2 * 96
    order = tape.nodes[node].order
    assert tape.freed_at == {order: 96, tape.ran: 96}, "an attribute lives as long as the tape"
    assert tape.live_bytes[-1] == 96, "the curve ends before the tape is dropped"


def test_a_checkpoint_is_told_and_not_recomputed_for_looking() -> None:
    calls = []

    def block(w: Any, x: Any) -> Any:
        calls.append(1)
        return torch.exp(torch.tanh(x @ w))

    tape = tape_of(lambda w, x: checkpoint(block, w, x, use_reentrant=False))
    assert len(calls) == 2, "once forward, once by backward"
    assert {one.unknown for one in tape.nodes[at(tape, "TanhBackward0")].saved} != {""}
    assert tape.saved_bytes == 0
    assert any("hooks" in note and note.startswith("3 nodes") for note in tape.notes)


def test_hooks_are_found_where_torch_does_not_tell_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain:
        pass

    class Handle:
        """As before torch 2.7: nothing to ask."""

    monkeypatch.setattr(torch._C._autograd, "SavedTensor", Plain)
    places = Places(None)
    w = torch.randn(3, requires_grad=True)
    with places:
        outside = w.exp()
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            inside = outside.exp()
        after = inside.exp()
    found = [places.hidden(one.grad_fn._sequence_nr()) for one in (outside, inside, after)]
    assert found == [False, True, False]
    assert torch.autograd.graph.saved_tensors_hooks.__enter__.__qualname__ == "saved_tensors_hooks.__enter__"


def test_a_backward_that_keeps_the_graph_frees_nothing_before_its_end() -> None:
    workload = bound(Body(lambda w, x: torch.exp(x @ w)))
    model, batch = workload.model, workload.next_batch()
    loss = model(batch).sum()
    tape = record_pass(
        lambda: loss,
        model=model,
        memory=known_memory(workload, batch),
        backward=lambda one: one.backward(retain_graph=True),
    )
    assert set(tape.live_bytes) == {96}
    assert tape.kept_bytes == 96, "this test still holds the loss"


def test_double_backward_has_both_passes_on_the_tape() -> None:
    def penalty(w: Any, x: Any) -> Any:
        y = torch.tanh(x @ w).sum()
        (gradient,) = torch.autograd.grad(y, w, create_graph=True)
        return gradient.square().sum()

    tape = tape_of(penalty)
    assert "TanhBackwardBackward0" in {node.title for node in tape.nodes}
    assert tape.ran == len(tape.nodes)
    assert tape.live_bytes[0] > 0


def test_a_frozen_model_and_one_that_only_infers_have_none() -> None:
    model = Body(lambda w, x: x @ w)
    assert "forward only" in record_tape(bound(model, train=False), model).absence
    model.requires_grad_(False)
    assert "requires" in record_tape(bound(model), model).absence


def test_what_fails_is_a_value_and_leaves_no_trace_behind() -> None:
    before = sys.gettrace()

    def fail(w: Any, x: Any) -> Any:
        raise ZeroDivisionError("on purpose")

    workload = bound(Body(fail))
    tape = record_tape(workload, workload.model)
    assert tape.nodes == ()
    assert "ZeroDivisionError: on purpose" in tape.absence
    assert sys.gettrace() is before
    assert not torch.nn.modules.module._global_forward_hooks


def test_nodes_know_their_line_and_module() -> None:
    class Inner(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = nn.Linear(5, 5)

        def forward(self, x: Any) -> Any:
            y = self.lin(x)
            return y.exp()

    model = nn.Sequential(Inner(), Inner())
    workload = bound(model)
    tape = record_tape(workload, workload.model)
    modules = {node.module for node in tape.nodes if node.title in ("AddmmBackward0", "AccumulateGrad")}
    assert modules == {"0.lin", "1.lin"}
    exps = [node for node in tape.nodes if node.title == "ExpBackward0"]
    assert [node.module for node in exps] == ["1", "0"]
    assert {(node.source.function, node.source.text.strip()) for node in exps if node.source} == {
        ("forward", "return y.exp()")
    }
    root = tape.nodes[0].source
    assert root is not None
    assert "y.sum()" in root.text
    assert tape.nodes[0].module == ""


def test_a_model_that_is_compiled_already_is_looked_at_without_a_warning() -> None:
    """Warnings are errors here, and torch would warn of the hooks on modules."""
    model = torch.compile(nn.Sequential(nn.Linear(5, 5), nn.Tanh()), backend="aot_eager")
    workload = bound(model)
    workload.step(workload.model, workload.next_batch())  # as in a run: it is warm by then
    tape = record_tape(workload, workload.model)
    node = tape.nodes[at(tape, "CompiledFunctionBackward")]
    assert node.saved
    assert tape.saved_bytes > 0


def test_a_checkpoint_of_the_older_kind_is_one_node() -> None:
    tape = tape_of(lambda w, x: checkpoint(lambda y: torch.exp(torch.tanh(y)), x @ w, use_reentrant=True))
    node = at(tape, "CheckpointFunctionBackward")
    assert {one.name for one in tape.nodes[node].saved} >= {"tensors[0]"}
    assert tape.ran == len(tape.nodes), "what it records anew in backward is no part of this tape"


def test_lines_beyond_the_limit_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape_places, "MOST_LINES", 20)

    def looped(w: Any, x: Any) -> Any:
        for _ in range(20):
            x = x * 1.5
        return x @ w

    tape = tape_of(looped)
    assert any("lines of Python" in note for note in tape.notes)
    assert tape.nodes[at(tape, "MmBackward0")].source is None


def test_a_tape_longer_than_the_limit_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    w = torch.randn(3, requires_grad=True)
    y = w
    for _ in range(5000):
        y = y + 1
    assert len(tape_walk.walk_from(y).nodes) == 5001, "without recursion"
    cut = tape_walk.walk_from(y, most=10)
    assert (len(cut.nodes), len(cut.edges), cut.cut) == (10, 9, True)


def test_the_workload_is_left_as_it_was() -> None:
    model = Body(lambda w, x: torch.exp(x @ w))
    workload = bound(model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
    before = model.weight.detach().clone()
    record_tape(workload, workload.model)
    assert model.weight.grad is None
    assert torch.equal(model.weight, before), "the optimizer made no step"


def test_the_allocator_is_asked_before_each_node_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU, which this test only plays: the counter stands for the bytes."""
    counted = iter(range(100))
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: next(counted))
    loss = (torch.randn(3, requires_grad=True) * 2).exp().sum()
    watch = Backward(tape_walk.walk_from(loss).nodes, Memory(), device=torch.device("cuda", 0))
    with watch:
        loss.backward()
    assert watch.allocated == [0, 1, 2, 3, 4]


def test_what_somebody_else_holds_on_to_is_told_and_not_taken_for_freed() -> None:
    kept = []

    def keeping(w: Any, x: Any) -> Any:
        y = torch.exp(x @ w)
        kept.append(y.detach())
        return y

    tape = tape_of(keeping)
    assert tape.kept_bytes == 96
    assert set(tape.live_bytes) == {96}


def test_hooks_are_gone_after_the_backward() -> None:
    w = torch.randn(3, requires_grad=True)
    loss = (w * 2).exp().sum()
    watch = Backward(tape_walk.walk_from(loss).nodes, Memory(), device=loss.device)
    with watch:
        loss.backward(retain_graph=True)
    assert sorted(watch.order) == [0, 1, 2, 3]
    loss.backward()
    assert len(watch.order) == 4
