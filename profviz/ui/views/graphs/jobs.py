"""Runs one layout at a time on a thread of its own; a newer request or `cancel` ends the older one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from profviz.model.graph import Graph
from profviz.ui.views.graphs.clusters import FIRST_SIGHT
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.layout import Cancelled, Placement, lay_out
from profviz.ui.views.graphs.modules import Path


def _work(
    graph: Graph,
    modules: Callable[[], Sequence[Path]],
    *,
    downwards: bool,
    colouring: Colouring,
    opened: frozenset[str] | None,
    most: int,
    check: Callable[[], None],
) -> Placement:
    paths = modules()
    check()
    return lay_out(
        graph, downwards=downwards, colouring=colouring, modules=paths, opened=opened, most=most, check=check
    )


class LayoutRunner(QObject):
    """`done` carries (ticket, Placement) and `failed` (ticket, exception), both delivered on the owner's thread."""

    done = Signal(int, object)
    failed = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self._ticket = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def ticket(self) -> int:
        """Number of the latest request; answers to older ones are stale."""
        return self._ticket

    def start(
        self,
        graph: Graph,
        *,
        downwards: bool,
        colouring: Colouring,
        modules: Callable[[], Sequence[Path]] = tuple,
        opened: frozenset[str] | None = None,
        most: int = FIRST_SIGHT,
    ) -> int:
        self.cancel()
        self._stop = threading.Event()
        work = partial(_work, graph, modules, downwards=downwards, colouring=colouring, opened=opened, most=most)
        arguments = (self._ticket, self._stop, work)
        self._thread = threading.Thread(target=self._run, args=arguments, name="profviz graph layout", daemon=True)
        self._thread.start()
        return self._ticket

    def cancel(self) -> None:
        """Ends a running layout; its answer is not delivered any more."""
        self._ticket += 1
        self._stop.set()

    def close(self) -> None:
        """Cancels and waits; a layout looks at the request between sweeps, some milliseconds apart."""
        self.cancel()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, ticket: int, stop: threading.Event, work: Callable[..., Placement]) -> None:
        def check() -> None:
            if stop.is_set():
                raise Cancelled

        try:
            placement = work(check=check)
        except Cancelled:
            return
        except Exception as error:  # a bug here must not end the thread in silence
            self.failed.emit(ticket, error)
            return
        if not stop.is_set():
            self.done.emit(ticket, placement)
