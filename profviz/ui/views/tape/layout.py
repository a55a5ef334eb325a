"""Rows, curve and sentences of the autograd tape; pure, no Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from profviz.model.graph import SourceLine, TensorSpec
from profviz.model.results import Results
from profviz.model.tape import EagerTape, NodeTimes, Owner, SavedTensor, Storage, Tape, TapeTimes
from profviz.model.units import UNKNOWN, format_bytes, format_count, format_ns
from profviz.ui.widgets.order_plot import OrderPlotData, OrderSeries
from profviz.ui.widgets.panel_values import Fact
from profviz.ui.widgets.table_columns import Column

NONE = "No tape was recorded: there is one where a script that trains is run here, and none in traces and logs alone."
_MOST_SHARERS = 4


@dataclass(frozen=True, slots=True)
class TapeRow:
    """One node; what it says is worked out when it is asked for, as a tape may have ten thousand of them.

    `saves` is what it keeps of memory that is the tape's alone, `frees` what was given back after it.
    """

    tape: Tape
    node: int
    times: NodeTimes

    @property
    def order(self) -> int | None:
        return self.tape.nodes[self.node].order

    @property
    def title(self) -> str:
        return self.tape.nodes[self.node].title

    @property
    def owner(self) -> str:
        node = self.tape.nodes[self.node]
        return node.parameter or node.module

    @property
    def saves(self) -> int:
        return self.tape.node_bytes(self.node)

    @property
    def share(self) -> float:
        return self.saves / self.tape.most_bytes if self.tape.most_bytes else 0.0

    @property
    def frees(self) -> int:
        return 0 if self.order is None else self.tape.freed_at.get(self.order, 0)

    @property
    def live(self) -> int | None:
        return None if self.order is None else self.tape.live_bytes[self.order]

    @property
    def shapes(self) -> str:
        node = self.tape.nodes[self.node]
        return ", ".join(saved_words(one) for one in node.saved) or _gradient_words(node.tensors)

    @property
    def freed(self) -> str:
        return _freed(self.tape, self.node)

    @property
    def source(self) -> SourceLine | None:
        return self.tape.nodes[self.node].source


def empty(results: Results) -> str:
    if not results.tapes:
        return NONE
    if any(tape.tape.nodes for tape in results.tapes):
        return ""
    return results.tapes[0].tape.absence or NONE


def shown(results: Results) -> tuple[int, ...]:
    """The tapes that have nodes."""
    return tuple(number for number, one in enumerate(results.tapes) if one.tape.nodes)


def rows(tape: Tape, times: TapeTimes | None) -> tuple[TapeRow, ...]:
    """In the order of the backward pass."""
    known = times.nodes if times is not None else (NodeTimes(),) * len(tape.nodes)
    return tuple(TapeRow(tape, node, one) for node, one in enumerate(known))


def saved_words(one: SavedTensor) -> str:
    """`self 4×64×128`."""
    return f"{one.name} {_shape(one.shape)}" if one.dtype else f"{one.name} unknown"


def _shape(shape: tuple[int | str, ...]) -> str:
    return "×".join(map(str, shape)) or "scalar"


def _gradient_words(tensors: tuple[TensorSpec, ...]) -> str:
    return ", ".join(f"grad {_shape(one.shape)}" for one in tensors)


def _freed(tape: Tape, at: int) -> str:
    """When the last of what the node keeps was given back."""
    own = [tape.storages[one] for one in tape.storages_of(at)]
    own = [one for one in own if one.owner is Owner.TAPE]
    if not own:
        return ""
    if any(one.freed_after is None for one in own):
        return "held on"
    last = max(one.freed_after for one in own if one.freed_after is not None)
    return _freed_words(tape, last, tape.nodes[at].order)


def _freed_words(tape: Tape, place: int, own: int | None) -> str:
    if place == own:
        return "here"
    return "with the tape" if place >= tape.ran else f"after {place + 1}"


def columns(*, has_gpu: bool) -> tuple[Column, ...]:
    made = [
        _number("#", lambda row: None if row.order is None else row.order + 1, format_count, 44, "Place in backward"),
        Column("node", lambda row: row.title, width=176, tip=lambda row: row.title),
        Column("module or parameter", lambda row: row.owner, width=144, keep_end=True, tip=lambda row: row.owner),
        Column(
            "saves",
            lambda row: format_bytes(row.saves) if row.saves else "",
            key=lambda row: row.saves,
            numeric=True,
            width=128,
            bar=lambda row: row.share if row.saves else -1.0,
            about="What it keeps for backward, of memory that only the tape holds; others may keep the same",
        ),
        Column("freed", lambda row: row.freed, width=88, about="When the last of what it keeps was given back"),
        _number("frees", lambda row: row.frees or None, format_bytes, 72, "What was given back right after it", ""),
        _number("live before", lambda row: row.live, format_bytes, 80, "What the tape kept when it began"),
        _time("forward", lambda row: row.times.forward_ns, "The forward operator on the CPU, mean of a step"),
        _time("backward", lambda row: row.times.backward_ns, "The engine's call on the CPU, mean of a step"),
    ]
    if has_gpu:
        made += [
            _time("fwd GPU", lambda row: row.times.forward_gpu_ns, "Sum of its forward kernels, mean of a step"),
            _time("bwd GPU", lambda row: row.times.backward_gpu_ns, "Sum of its backward kernels, mean of a step"),
        ]
    made += [
        Column("made by", lambda row: row.times.operator, width=152, mono=True, about="The forward operator"),
        Column("tensors", lambda row: row.shapes, width=184, stretch=True, tip=lambda row: row.shapes),
        Column("line", lambda row: row.source.place if row.source else UNKNOWN, width=128, keep_end=True),
    ]
    return tuple(made)


def _number(
    title: str,
    value: Callable[[TapeRow], int | None],
    text: Callable[[int | None], str],
    width: int,
    about: str,
    nothing: str = UNKNOWN,
) -> Column:
    return Column(
        title,
        lambda row: nothing if value(row) is None else text(value(row)),
        key=lambda row: -1 if (found := value(row)) is None else found,
        numeric=True,
        width=width,
        about=about,
    )


def _time(title: str, value: Callable[[TapeRow], int | None], about: str) -> Column:
    return _number(title, value, format_ns, 80, about)


def summary(shown_tape: EagerTape) -> str:
    """`94 nodes · 61 saved tensors · 4.77 MiB kept for backward`."""
    tape = shown_tape.tape
    words = [
        f"{format_count(len(tape.nodes))} nodes",
        f"{format_count(tape.tensors)} saved tensors",
        f"{format_bytes(tape.saved_bytes)} kept for backward alone",
    ]
    if tape.allocated:
        words.append(f"at most {format_bytes(max(tape.allocated))} allocated during it")
    if tape.kept_bytes:
        words.append(f"{format_bytes(tape.kept_bytes)} held on after the step")
    return " · ".join(words)


def sentences(tape: Tape, times: TapeTimes | None, why: str) -> str:
    """What is left open; empty where nothing is."""
    found = [*tape.notes, *(times.notes if times is not None else ()), *([why] if why else [])]
    return " ".join(found)


def curve(tape: Tape) -> OrderPlotData:
    """What the tape keeps before each node of the backward pass, and what the allocator holds where it counts."""
    series = [OrderSeries("kept by the tape", np.array(tape.live_bytes, dtype=np.int64))]
    if tape.allocated:
        series.append(OrderSeries("allocated", np.array(tape.allocated, dtype=np.int64), dashed=True))
    return OrderPlotData(
        "Saved memory over the backward pass",
        tuple(series),
        tape.ran,
        lambda value: format_bytes(round(value)),
        lambda place: f"{place + 1} of {tape.ran}: before {tape.nodes[place].title}",
    )


def facts(shown_tape: EagerTape, row: TapeRow) -> tuple[Fact, ...]:
    """All that is known of one node; targets are what `Pick` takes."""
    tape = shown_tape.tape
    node = tape.nodes[row.node]
    place = "not run by the backward pass" if row.order is None else f"{row.order + 1} of {tape.ran} in backward"
    made = [Fact("node", node.title), Fact("place", place)]
    made += [Fact("adds to", f"{node.parameter}.grad")] if node.parameter else []
    made += [Fact("gradient in", f"{_shape(one.shape)} {one.dtype}") for one in node.tensors]
    made += [Fact("module", node.module)] if node.module and not node.parameter else []
    if node.source is not None:
        made.append(Fact("line", node.source.place, target={"source": node.source}))
        made.append(Fact("", node.source.text.strip(), mono=True))
    made += _slice_facts(shown_tape, row)
    made += [Fact("sequence", f"{node.sequence} in the step it was recorded in")] if node.sequence is not None else []
    if node.saved:
        parts = tuple(_saved_fact(tape, row, one) for one in node.saved)
        made.append(Fact("Saved for backward", heading=True, parts=parts))
    return tuple(made)


def _slice_facts(shown_tape: EagerTape, row: TapeRow) -> list[Fact]:
    """The operator that made the node and the engine's call that ran it, in the middle one of the profiled steps."""
    links, side, times = shown_tape.links, shown_tape.side, row.times
    parts = (
        ("made by", links.forward.get(row.node, ()), times.operator, times.forward_ns, times.forward_gpu_ns),
        ("run by", links.backward.get(row.node, ()), "autograd's engine", times.backward_ns, times.backward_gpu_ns),
    )
    made = []
    for key, slices, name, cpu_ns, gpu_ns in parts:
        if slices:
            words = [name, format_ns(cpu_ns), *([f"{format_ns(gpu_ns)} on the GPU"] if gpu_ns is not None else [])]
            target = {"side": side, "slice": slices[len(slices) // 2]}
            made.append(Fact(key, " · ".join(word for word in words if word), target=target))
    return made


def _saved_fact(tape: Tape, row: TapeRow, one: SavedTensor) -> Fact:
    if one.unknown:
        return Fact(one.name, f"unknown: {one.unknown}", tone="muted")
    words = [f"{_shape(one.shape)} {one.dtype}", format_bytes(one.bytes)]
    if one.storage < 0:
        return Fact(one.name, " · ".join([*words, "no memory of its own"]))
    storage = tape.storages[one.storage]
    words += [f"of {format_bytes(storage.bytes)}"] if storage.bytes != one.bytes else []
    words += ["an attribute of its context"] if one.on_context else []
    words.append(_owner_words(tape, row, storage))
    others = [at for at in tape.holders[one.storage] if at != row.node]
    if others and storage.owner is Owner.TAPE:
        named = ", ".join(_numbered(tape, at) for at in others[:_MOST_SHARERS])
        more = f" and {len(others) - _MOST_SHARERS} more" if len(others) > _MOST_SHARERS else ""
        words.append(f"kept by {named}{more}, too")
    return Fact(one.name, " · ".join(words))


def _numbered(tape: Tape, at: int) -> str:
    order = tape.nodes[at].order
    return tape.nodes[at].title + ("" if order is None else f" ({order + 1})")


def _owner_words(tape: Tape, row: TapeRow, storage: Storage) -> str:
    if storage.owner is Owner.INPUT:
        return f"the input {storage.name}".rstrip()
    if storage.owner is not Owner.TAPE:
        return f"the {storage.owner.value} {storage.name}"
    if storage.freed_after is None:
        return "held on after the step by someone else"
    return f"freed {_freed_words(tape, storage.freed_after, row.order)}"
