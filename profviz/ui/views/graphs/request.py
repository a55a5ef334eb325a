"""What a graph's layout depends on, as a value that layouts are kept by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from profviz.ui.views.graphs.clusters import FIRST_SIGHT
from profviz.ui.views.graphs.labels import Colouring

What: TypeAlias = tuple[int, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Request:
    """What a layout depends on."""

    report: int
    graph: int
    downwards: bool
    colouring: Colouring
    opened: frozenset[str] | None = None  # ids of the open modules, None for those that are at first sight
    most: int = FIRST_SIGHT  # boxes at first sight
    step: tuple[int, ...] = ()  # all graphs of a step, where they are shown as one


def what_of(request: Request) -> What:
    """Which graph it is of, however it is laid out."""
    return request.report, request.graph, request.step
