"""A graph of the compiler's or of autograd: nodes with shapes and source lines, edges between them."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

AUTOGRAD_OP, ACCUMULATE_OP = "autograd", "accumulate"
"""What stands for an opcode in nodes of the tape; the second ones add to a parameter's gradient."""


class Stage(enum.Enum):
    """Where in the compiler a graph was seen; the tape is what autograd recorded of the eager run."""

    DYNAMO = "dynamo"
    AOT_JOINT = "aot_joint"
    AOT_FORWARD = "aot_forward"
    AOT_BACKWARD = "aot_backward"
    AOT_INFERENCE = "aot_inference"
    POST_GRAD_FORWARD = "post_grad_forward"
    POST_GRAD_BACKWARD = "post_grad_backward"
    POST_GRAD_INFERENCE = "post_grad_inference"
    TAPE = "tape"


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the user's (or a library's) Python; `text` is the line itself where known."""

    file: str
    line: int
    function: str = ""
    text: str = ""

    @property
    def place(self) -> str:
        """`model.py:12`, whichever system the path is from."""
        return f"{self.file.replace(chr(92), '/').rpartition('/')[2] or self.file}:{self.line}"

    @property
    def whole_place(self) -> str:
        """The path as it is, and the function where it is known."""
        return f"{self.file}:{self.line}" + (f" in {self.function}" if self.function else "")


def at_lines(found: Sequence[SourceLine | None], wanted: Sequence[SourceLine]) -> set[int]:
    """Positions of those that stand at one of the wanted lines, whatever text or function they were told with."""
    places = {(one.file, one.line) for one in wanted}
    return {at for at, one in enumerate(found) if one is not None and (one.file, one.line) in places}


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """`shape` entries are ints or symbol names (s0); `dtype` is torch's name without the prefix (float16)."""

    shape: tuple[int | str, ...]
    dtype: str
    stride: tuple[int | str, ...] = ()
    device: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One operation: `op` is FX's opcode (placeholder, call_function, output, ...) or the tape's, `target` what it
    calls.

    `kernels` are the ids of the fused kernels that compute it (`name:number`), by provenance. `saved_bytes` is what a
    node of the tape keeps for backward, None elsewhere. `input_name` is what the signature of Dynamo's graph calls an
    input (`L_self_modules_fc_parameters_weight_` of `primals_1`), empty where that is not certain.
    """

    name: str
    op: str
    target: str
    tensor: TensorSpec | None = None
    source: SourceLine | None = None
    module: str = ""
    kernels: tuple[str, ...] = ()
    saved_bytes: int | None = None
    input_name: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """`edges` are (producer, consumer) indices into `nodes`, one for each pair; `text` is torch's own printing."""

    stage: Stage
    compile_id: str
    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]
    text: str = ""

    @property
    def title(self) -> str:
        return f"{self.stage.value.replace('_', ' ')} {self.compile_id}"


@dataclass(frozen=True, slots=True)
class GraphTimes:
    """What a graph's nodes took, mean ns a step, where it is known.

    On the side titled `eager`, `eager_slices` are the slices of all `steps` that did each node's work, with their
    `slice_ns`; several nodes may share one. `kernel_ns` is by kernel handle (`Node.kernels`), on the side titled
    `compiled`: a kernel computes several nodes, and nobody knows what each of them takes of it.
    """

    eager: str
    compiled: str
    eager_slices: Mapping[int, tuple[int, ...]]
    slice_ns: Mapping[int, int]
    steps: int
    kernel_ns: Mapping[str, int]

    def eager_ns(self, nodes: Iterable[int]) -> int | None:
        """What nodes took together, each slice counted once; None where nothing is known of any."""
        slices = {index for node in nodes for index in self.eager_slices.get(node, ())}
        return sum(self.slice_ns[index] for index in slices) // self.steps if slices else None


@dataclass(frozen=True, slots=True)
class NodeRun:
    """One slice of a step, from `start_ns` to `end_ns` of its side's trace, with the (graph, node) that it computed."""

    start_ns: int
    end_ns: int
    slice: int
    nodes: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class StepRuns:
    """The slices of one step of `side` that graph nodes are known for, by start; `step` is its number or -1."""

    side: int
    title: str
    step: int
    runs: tuple[NodeRun, ...]
