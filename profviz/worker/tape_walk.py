"""Walks autograd's nodes from a tensor along `next_functions`, without recursion; reads what a node says of itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import torch

from profviz.model.graph import TensorSpec

MOST_NODES = 25_000
"""Torch frees nodes one within another that Python has seen: a chain of twice as many overflows the stack."""
NO_SEQUENCE = (1 << 64) - 1
"""What nodes say that were not recorded in the forward pass: they come first whenever they can run."""


@dataclass
class Walk:
    """`nodes` breadth first; they must be held, as torch makes new Python objects for those that nobody does.

    `edges` are (from, to, input number); `cut` tells that there were more nodes than the limit.
    """

    nodes: list[Any] = field(default_factory=list)
    edges: list[tuple[int, int, int]] = field(default_factory=list)
    cut: bool = False

    def let_go(self) -> None:
        """Drops the nodes, each after all that lead to it, so that torch frees one at a time. Edges stay."""
        waits = Counter(target for _, target, _ in self.edges)
        targets: dict[int, list[int]] = defaultdict(list)
        for source, target, _ in self.edges:
            targets[source].append(target)
        free = [number for number in range(len(self.nodes)) if not waits[number]]
        while free:
            self.nodes[number := free.pop()] = None
            for target in targets[number]:
                waits[target] -= 1
                if not waits[target]:
                    free.append(target)
        self.nodes.clear()


def walk_from(tensor: torch.Tensor, *, most: int = MOST_NODES) -> Walk:
    walk = Walk()
    number: dict[Any, int] = {}
    if tensor.grad_fn is not None:
        number[tensor.grad_fn] = 0
        walk.nodes.append(tensor.grad_fn)
    at = 0
    while at < len(walk.nodes):
        for node, input_number in walk.nodes[at].next_functions:
            if node is None:
                continue
            if node not in number:
                if len(walk.nodes) >= most:
                    walk.cut = True
                    continue
                number[node] = len(walk.nodes)
                walk.nodes.append(node)
            walk.edges.append((at, number[node], input_number))
        at += 1
    return walk


def sequence_of(node: Any) -> int | None:
    found = node._sequence_nr() if hasattr(node, "_sequence_nr") else NO_SEQUENCE
    return None if found == NO_SEQUENCE else int(found)


def specs_of(node: Any) -> tuple[TensorSpec, ...]:
    """What the forward operation gave, where the node knows."""
    found = []
    for one in getattr(node, "_input_metadata", None) or ():
        try:
            shape = tuple(int(size) for size in one.shape)
            found.append(TensorSpec(shape, str(one.dtype).removeprefix("torch."), device=str(one.device)))
        except (AttributeError, RuntimeError, TypeError):  # an output without gradient, or a nested tensor
            continue
    return tuple(found)
