"""A compiler graph: nodes with shapes and source lines, edges between them."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Stage(enum.Enum):
    """Where in the compiler a graph was seen."""

    DYNAMO = "dynamo"
    AOT_JOINT = "aot_joint"
    AOT_FORWARD = "aot_forward"
    AOT_BACKWARD = "aot_backward"
    AOT_INFERENCE = "aot_inference"
    POST_GRAD_FORWARD = "post_grad_forward"
    POST_GRAD_BACKWARD = "post_grad_backward"
    POST_GRAD_INFERENCE = "post_grad_inference"


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


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """`shape` entries are ints or symbol names (s0); `dtype` is torch's name without the prefix (float16)."""

    shape: tuple[int | str, ...]
    dtype: str
    stride: tuple[int | str, ...] = ()
    device: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One operation: `op` is FX's opcode (placeholder, call_function, output, ...), `target` what it calls.

    `kernels` are the ids of the fused kernels that compute it (`name:number`), by provenance.
    """

    name: str
    op: str
    target: str
    tensor: TensorSpec | None = None
    source: SourceLine | None = None
    module: str = ""
    kernels: tuple[str, ...] = ()


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
