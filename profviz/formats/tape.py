"""Reads the tape that a worker packed into a session; whatever does not fit together makes it unreadable as a whole."""

from __future__ import annotations

import json

from profviz.model.errors import UserError
from profviz.model.record import from_json
from profviz.model.tape import Tape

MOST_BYTES = 1 << 62
"""What is counted together has to fit into 64 bits."""


def read_tape(data: bytes, *, title: str) -> Tape:
    """Raises UserError when it is damaged: numbers in it lead to places, and a wrong one would show wrong things."""
    try:
        tape = from_json(Tape, json.loads(data))
    except (ValueError, TypeError, RecursionError) as error:
        raise _damaged(title, str(error)) from None
    if problem := _problem(tape):
        raise _damaged(title, problem)
    return tape


def _damaged(title: str, why: str) -> UserError:
    return UserError(f"The tape {title} can't be read.", why=f"A part of it is damaged ({why}).")


def _problem(tape: Tape) -> str:
    """What does not fit together, empty where all does."""
    nodes, storages = len(tape.nodes), len(tape.storages)
    sizes = [*tape.allocated, *(one.bytes for node in tape.nodes for one in node.saved)]
    orders = [node.order for node in tape.nodes if node.order is not None]
    if orders != list(range(len(orders))) or any(node.order is None for node in tape.nodes[: len(orders)]):
        return "its nodes are not in the order they ran in"
    if any(not (0 <= one < nodes and 0 <= other < nodes) for one, other, _ in tape.edges):
        return "an edge leads to no node"
    if any(not -1 <= one.storage < storages or one.bytes < 0 for node in tape.nodes for one in node.saved):
        return "a saved tensor lies in no memory"
    if any(one.bytes < 0 or (one.freed_after is not None and one.freed_after < 0) for one in tape.storages):
        return "memory of a negative size or time"
    if max(sizes, default=0) > MOST_BYTES or sum(one.bytes for one in tape.storages) > MOST_BYTES:
        return "more memory than any machine has"
    if tape.allocated and len(tape.allocated) != len(orders) + 1:
        return "its memory curve has another length than its backward pass"
    return ""
