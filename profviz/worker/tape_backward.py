"""Watches a backward pass: in which order the nodes run, what the allocator holds then, and when memory is given back.

A hook before each node does it: when it is called, the node before has let go of what it saved.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

import torch

from profviz.worker.tape_saved import Memory

MOST_LOOKS = 200
"""So many nodes later it is seen at the latest that memory was given back; what is held longer, at the end alone."""


class Backward:
    """`order` are the numbers of the nodes as they first ran, `freed` by memory the place in it after which it was
    free; `again` are those that ran more than once, in a backward pass within this one.
    """

    def __init__(self, nodes: list[Any], memory: Memory, *, device: torch.device) -> None:
        self.order: list[int] = []
        self.again: set[int] = set()
        self._ran: set[int] = set()
        self.allocated: list[int] = []
        self.freed: dict[int, int] = {}
        self._nodes = nodes
        self._memory = memory
        self._device = device
        self._handles: list[Any] = []
        self._waiting: dict[int, int] = {}
        self._left = [len(set(holders)) for holders in memory.holders]
        self._held_by: list[list[int]] = [[] for _ in nodes]
        for number, holders in enumerate(memory.holders):
            for node in set(holders):
                self._held_by[node].append(number)

    def __enter__(self) -> None:
        self._handles = [node.register_prehook(self._hook(number)) for number, node in enumerate(self._nodes)]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._handles:
            handle.remove()
        self._look(len(self.order) - 1)
        self._count()
        self._handles, self._nodes = [], []

    def end(self) -> None:
        """Looks once more, when the tape itself is gone."""
        self._waiting = {number: 1 for number, ref in enumerate(self._memory.refs) if ref is not None}
        self._look(len(self.order))

    def _hook(self, number: int) -> Callable[[Any], None]:
        def before(_gradients: Any) -> None:
            self._look(len(self.order) - 1)
            if number in self._ran:
                self.again.add(number)
                return
            self._ran.add(number)
            self._count()
            self.order.append(number)
            for held in self._held_by[number]:
                self._left[held] -= 1
                if not self._left[held] and self._memory.refs[held] is not None:
                    self._waiting[held] = MOST_LOOKS

        return before

    def _look(self, place: int) -> None:
        """Notes which memory is gone of that which no node waiting to run holds any more."""
        left = {}
        for number, looks in self._waiting.items():
            ref = self._memory.refs[number]
            if ref is not None and ref.expired():
                self.freed.setdefault(number, place)
            elif looks > 1:
                left[number] = looks - 1
        self._waiting = left

    def _count(self) -> None:
        if self._device.type == "cuda":
            self.allocated.append(torch.cuda.memory_allocated(self._device))
