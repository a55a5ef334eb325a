"""Tapes of passes that are out of the ordinary: nested backward passes, nested tensors, long chains, early exits."""

from __future__ import annotations

import sys
import weakref
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")

from torch.utils.checkpoint import checkpoint  # noqa: E402

from profviz.model.record import from_json, to_json  # noqa: E402
from profviz.model.tape import Tape  # noqa: E402
from profviz.worker.discovery import Parts  # noqa: E402
from profviz.worker.tape import record_tape  # noqa: E402
from profviz.worker.tape_walk import Walk  # noqa: E402
from profviz.worker.workload import BoundWorkload  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")]


class Body(torch.nn.Module):
    def __init__(self, call: Any) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(5, 5)
        self.call = call

    def forward(self, x: Any) -> Any:
        return self.call(self.linear, x)


def recorded(call: Any) -> Tape:
    parts = Parts(
        Body(call), lambda: torch.randn(4, 5), fixed_inputs=True, train=True, loss_fn=lambda output: output.sum()
    )
    workload = BoundWorkload(parts, torch.device("cpu"))
    return record_tape(workload, workload.model)


def orders(tape: Tape) -> list[int | None]:
    return [node.order for node in tape.nodes]


def test_nodes_that_run_twice_have_the_place_of_the_first_time() -> None:
    """Reentrant checkpoints run a backward pass of their own, which adds to the same parameters' gradients."""
    tape = recorded(
        lambda linear, x: checkpoint(lambda y: linear(linear(y).relu()).relu(), linear(x), use_reentrant=True)
    )
    assert orders(tape) == list(range(len(tape.nodes)))
    assert len(tape.nodes) == len({node.parameter or node.name for node in tape.nodes}), "each node once"
    assert [note.split(" ran ")[0] for note in tape.notes] == ["2 nodes"], "weight and bias"
    assert from_json(Tape, to_json(tape)) == tape


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_leave_only_themselves_unknown() -> None:
    def call(linear: Any, x: Any) -> Any:
        y = linear(x)
        nested = torch.nested.as_nested_tensor([y[:2], y[:3]])
        return nested.to_padded_tensor(0.0)

    tape = recorded(call)
    assert not tape.absence
    unknown = [one for node in tape.nodes for one in node.saved if one.unknown]
    assert [one.unknown for one in unknown] == ["nested tensors have no one shape"]
    assert any("1 node: what is saved is not counted" in note for note in tape.notes)


def test_a_model_that_leaves_the_process_costs_only_the_tape() -> None:
    tape = recorded(lambda linear, x: sys.exit(3))
    assert tape.absence == "No tape: recording it failed (SystemExit: 3)."


def test_nodes_are_let_go_after_all_that_lead_to_them() -> None:
    """0 leads to 1 and at once to 3, which is found early and must outlive 2 all the same."""

    class Node:
        pass

    gone: list[int] = []
    walk = Walk([Node() for _ in range(5)], [(0, 1, 0), (0, 3, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0)])
    for number, node in enumerate(walk.nodes):
        weakref.finalize(node, gone.append, number)
    del node
    walk.let_go()
    assert gone == [0, 1, 2, 3, 4]
    assert walk.nodes == []
    assert len(walk.edges) == 5
