"""Counts compilations as they start, so that no step is timed in which something compiled."""

from __future__ import annotations

import contextlib
from typing import Any

_REASONS = ("graph_break", "unimplemented")
_REASON_CHARACTERS = 8000
"""A reason names the id of its kind near its end; a data-dependent one quotes a piece of the graph before."""


class CompileWatch:
    """`count` grows with every compilation: Dynamo frames, lazy backwards, recorded CUDA graphs.

    `torch._dynamo.reset()` forgets who listens: call `attach` after each.
    """

    def __init__(self) -> None:
        self._starts = 0

    def attach(self) -> None:
        with contextlib.suppress(ImportError, AttributeError):
            from torch._dynamo.callback import callback_handler

            if self._started not in callback_handler.start_callbacks:
                callback_handler.register_start_callback(self._started)

    @property
    def count(self) -> int:
        from torch._dynamo.utils import counters

        return self._starts + counters["stats"].get("unique_graphs", 0) + counters["frames"].get("total", 0)

    def _started(self, *args: Any) -> None:
        self._starts += 1
        trigger = getattr(args[0], "callback_trigger", None) if args else None
        if getattr(trigger, "name", "") == "LAZY_BACKWARD":
            _mend_backward_provenance()


def _mend_backward_provenance() -> None:
    """Has Inductor write which nodes each backward kernel computes.

    It skips that mapping when `_pre_grad_graph_id` is unset, which it is for every backward that compiles lazily
    (seen in torch 2.11 to 2.14); the mappings of an earlier graph must not leak into this one either.
    """
    try:
        from torch._inductor import debug
    except ImportError:
        return
    if hasattr(debug, "_pre_grad_graph_id") and not debug._pre_grad_graph_id:
        debug._pre_grad_graph_id = -1
        for name in ("_inductor_post_to_pre_grad_nodes", "_inductor_triton_kernel_to_post_grad_node_info"):
            if hasattr(debug, name):
                setattr(debug, name, {})


def counters_snapshot() -> dict[str, dict[str, int]]:
    """Dynamo's and Inductor's own counters.

    Why a graph broke is kept word for word, to be held against the log; of any other name that runs over several
    lines only the first.
    """
    from torch._dynamo.utils import counters

    found: dict[str, dict[str, int]] = {}
    for group, values in counters.items():
        for key, value in values.items():
            if isinstance(value, int):
                text = str(key).strip()
                name = text[:_REASON_CHARACTERS] if group in _REASONS else next(iter(text.splitlines()), "")
                sums = found.setdefault(str(group), {})
                sums[name] = sums.get(name, 0) + int(value)
    return found


def start_afresh(watch: CompileWatch) -> None:
    """As if nothing had been compiled yet in this process; caches on disk are another matter."""
    import torch
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()
    watch.attach()
