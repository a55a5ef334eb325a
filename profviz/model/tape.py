"""The autograd tape of one eager step: what each node saved for backward, in the order backward ran them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from profviz.model.graph import Graph, SourceLine, TensorSpec


class Owner(enum.Enum):
    """Who else holds memory that the tape does: what is the tape's alone is given back as backward goes."""

    TAPE = "tape"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    INPUT = "input"


@dataclass(frozen=True, slots=True)
class Storage:
    """Memory that saved tensors lie in, counted once however many do.

    `name` is the parameter's or buffer's. `freed_after` is the place in the order of backward after which it was given
    back, as many as nodes ran where that was with the tape itself, None where it was held on longer than the step.
    """

    bytes: int
    owner: Owner
    name: str = ""
    freed_after: int | None = None


@dataclass(frozen=True, slots=True)
class SavedTensor:
    """A tensor that a node keeps, under torch's name for it (self, weight, result).

    `bytes` are those of its elements. `storage` indexes `Tape.storages`; -1 where that is unknown, and `unknown` says
    why. `on_context` tells that a custom function keeps it as an attribute, which lives as long as the tape.
    """

    name: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    bytes: int = 0
    storage: int = -1
    unknown: str = ""
    on_context: bool = False


@dataclass(frozen=True, slots=True)
class TapeNode:
    """One node: `sequence` is autograd's number of it in its thread, None for those that have none (AccumulateGrad).

    `tensors` are what its forward operation gave, and so the gradients that come in. `order` is its place in the
    backward pass, None where that did not run it.
    """

    name: str
    sequence: int | None = None
    tensors: tuple[TensorSpec, ...] = ()
    saved: tuple[SavedTensor, ...] = ()
    parameter: str = ""
    module: str = ""
    source: SourceLine | None = None
    order: int | None = None

    @property
    def title(self) -> str:
        """The name without torch's C++ namespace."""
        return self.name.rpartition("::")[2]


@dataclass(frozen=True)
class Tape:
    """Nodes in the order backward ran them, those it did not run last; `edges` are (from, to, input number) of them.

    `allocated[i]` is what torch's allocator held on the device before the node at place i ran, one more entry for the
    end; empty where no allocator counts (on a CPU). `absence` says why there is no tape, and `notes` what is left out.
    """

    nodes: tuple[TapeNode, ...] = ()
    edges: tuple[tuple[int, int, int], ...] = ()
    storages: tuple[Storage, ...] = ()
    device: str = ""
    allocated: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    absence: str = ""

    @cached_property
    def ran(self) -> int:
        """How many nodes the backward pass ran."""
        return sum(node.order is not None for node in self.nodes)

    @property
    def saved_bytes(self) -> int:
        """What the tape alone keeps when backward begins, each piece of memory once."""
        return sum(one.bytes for one in self.storages if one.owner is Owner.TAPE)

    @property
    def tensors(self) -> int:
        return sum(len(node.saved) for node in self.nodes)

    @cached_property
    def live_bytes(self) -> tuple[int, ...]:
        """What the tape alone keeps before the node at each place runs, and one entry more for the end."""
        freed = [0] * (self.ran + 2)
        for one in self.storages:
            if one.owner is Owner.TAPE and one.freed_after is not None:
                freed[min(one.freed_after, self.ran) + 1] += one.bytes
        left, found = self.saved_bytes, []
        for bytes_ in freed[: self.ran + 1]:
            left -= bytes_
            found.append(left)
        return tuple(found)

    @cached_property
    def freed_at(self) -> Mapping[int, int]:
        """Bytes that were given back after the node at a place of the order, by that place."""
        found: dict[int, int] = {}
        for one in self.storages:
            if one.owner is Owner.TAPE and one.freed_after is not None:
                found[one.freed_after] = found.get(one.freed_after, 0) + one.bytes
        return found

    @property
    def kept_bytes(self) -> int:
        """What outlived the step although only the tape was known to hold it."""
        return sum(one.bytes for one in self.storages if one.owner is Owner.TAPE and one.freed_after is None)

    def storages_of(self, node: int) -> tuple[int, ...]:
        """The pieces of memory that a node keeps, each once."""
        return tuple(dict.fromkeys(one.storage for one in self.nodes[node].saved if one.storage >= 0))

    def node_bytes(self, node: int) -> int:
        """What a node keeps of the memory that is the tape's alone; others may keep the same."""
        return self._bytes_of_nodes[node]

    @cached_property
    def most_bytes(self) -> int:
        """What the node keeps that keeps most."""
        return max(self._bytes_of_nodes, default=0)

    @cached_property
    def _bytes_of_nodes(self) -> tuple[int, ...]:
        own = [one.bytes if one.owner is Owner.TAPE else 0 for one in self.storages]
        return tuple(sum(own[at] for at in self.storages_of(node)) for node in range(len(self.nodes)))

    @cached_property
    def holders(self) -> Mapping[int, tuple[int, ...]]:
        """The nodes that keep each piece of memory."""
        found: dict[int, list[int]] = {}
        for node in range(len(self.nodes)):
            for at in self.storages_of(node):
                found.setdefault(at, []).append(node)
        return {at: tuple(nodes) for at, nodes in found.items()}


@dataclass(frozen=True, slots=True, eq=False)
class TapeLinks:
    """Where the nodes of a tape are in the trace of the same variant, joined by autograd's sequence numbers.

    `forward` are the operators that made a node, one a step, `backward` the engine's calls that ran it;
    `forward_work` and `backward_work` the GPU slices beneath them. `node_of` leads back from the first two.
    """

    forward: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    backward: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    forward_work: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    backward_work: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    node_of: Mapping[int, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def slices_of(self, node: int) -> tuple[int, ...]:
        """Everything of a node in the trace: forward first."""
        parts = (self.forward, self.forward_work, self.backward, self.backward_work)
        return tuple(dict.fromkeys(index for part in parts for index in part.get(node, ())))


@dataclass(frozen=True, slots=True, eq=False)
class EagerTape:
    """A tape as it is shown: `label` is its side's id, `side` that side's place among the sides, -1 without a trace."""

    label: str
    tape: Tape
    graph: Graph
    links: TapeLinks
    side: int = -1


@dataclass(frozen=True, slots=True)
class NodeTimes:
    """What one node took, mean ns a step: `forward_ns` and `backward_ns` on the CPU, the others on the GPU.

    None where the trace does not have it; `operator` is the forward operator's name.
    """

    operator: str = ""
    forward_ns: int | None = None
    backward_ns: int | None = None
    forward_gpu_ns: int | None = None
    backward_gpu_ns: int | None = None


@dataclass(frozen=True, slots=True)
class TapeTimes:
    """One entry a node of the tape; `has_gpu` tells whether the trace has GPU work at all."""

    nodes: tuple[NodeTimes, ...]
    has_gpu: bool
    notes: tuple[str, ...] = ()
