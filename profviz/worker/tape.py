"""Records the autograd tape of one untimed training step: its nodes, what they save, and what backward frees when.

It only looks: nothing is unpacked, copied or held, and hooks sit on nodes alone. Never part of a measured step.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from profviz.model.tape import Owner, Storage, Tape, TapeNode
from profviz.worker.failures import WorkerError
from profviz.worker.tape_backward import Backward
from profviz.worker.tape_places import Places
from profviz.worker.tape_saved import Memory, SavedReader
from profviz.worker.tape_walk import MOST_NODES, Walk, sequence_of, specs_of, walk_from
from profviz.worker.tensors import named_tensors
from profviz.worker.workload import BoundWorkload, Call, forward

NO_GRADIENTS = "No tape: the workload makes no gradients."


def record_tape(workload: BoundWorkload, call: Call) -> Tape:
    """The tape of one step; `absence` says why where there is none. Whatever goes wrong becomes such a value, too."""
    if not workload.train:
        return Tape(absence=NO_GRADIENTS + " It runs forward only.")
    if not any(parameter.requires_grad for parameter in workload.parameters()) and isinstance(
        workload.model, nn.Module
    ):
        return Tape(absence=NO_GRADIENTS + " None of the model's parameters requires one.")
    try:
        return _record_step(workload, call)
    except (Exception, SystemExit) as error:
        what = error.what if isinstance(error, WorkerError) else str(error).strip().split("\n")[0]
        return Tape(absence=f"No tape: recording it failed ({type(error).__name__}: {what}).")
    finally:
        workload.clear_gradients()


def _record_step(workload: BoundWorkload, call: Call) -> Tape:
    """Like `BoundWorkload.step`, without the optimizer."""
    batch = workload.next_batch()
    workload.clear_gradients()
    return record_pass(
        lambda: workload.loss(forward(call, batch), batch), model=workload.model, memory=known_memory(workload, batch)
    )


def parameter_names(model: Any) -> dict[int, str]:
    """Names by the parameter's identity; a parameter with several keeps the first."""
    return {id(one): name for name, one in model.named_parameters()} if isinstance(model, nn.Module) else {}


def known_memory(workload: BoundWorkload, batch: Any) -> Memory:
    """What lives on without the tape: parameters, buffers, and the batch."""
    memory = Memory()
    if isinstance(workload.model, nn.Module):
        for name, parameter in workload.model.named_parameters():
            memory.own(parameter, Owner.PARAMETER, name)
        for name, buffer in workload.model.named_buffers():
            memory.own(buffer, Owner.BUFFER, name)
    for name, tensor in (*named_tensors(batch), *named_tensors(workload.targets)):
        memory.own(tensor, Owner.INPUT, name)
    return memory


def record_pass(
    make_loss: Callable[[], torch.Tensor],
    *,
    model: Any,
    memory: Memory,
    backward: Callable[[torch.Tensor], None] = torch.Tensor.backward,
) -> Tape:
    """Makes the loss, walks its tape and runs `backward`, watching. Nobody else may hold the loss to the end."""
    places = Places(model)
    with places, warnings.catch_warnings():
        # torch warns of hooks on modules beside a compiled one: these here are ours, and gone in a moment
        warnings.filterwarnings("ignore", message=".*global hooks on modules")
        loss = make_loss()
    walk, device = walk_from(loss), loss.device
    try:
        nodes = _read_nodes(walk, memory, places, parameter_names(model))
        watch = Backward(walk.nodes, memory, device=device)
        with watch:
            backward(loss)
    finally:
        del loss
        walk.let_go()
    watch.end()
    storages = memory.storages(watch.freed)
    return _in_order(nodes, walk.edges, watch, storages, str(device), _notes(walk, nodes, places))


def _read_nodes(walk: Walk, memory: Memory, places: Places, parameters: dict[int, str]) -> list[TapeNode]:
    reader = SavedReader(memory, hidden=places.hidden)
    made = []
    for number, node in enumerate(walk.nodes):
        sequence = sequence_of(node)
        variable = getattr(node, "variable", None)
        parameter = parameters.get(id(variable), "a tensor that is no parameter") if variable is not None else ""
        made.append(
            TapeNode(
                name=node.name(),
                sequence=sequence,
                tensors=specs_of(node),
                saved=reader.read(number, node, sequence),
                parameter=parameter,
                module=places.module_of(sequence) if not parameter else parameter.rpartition(".")[0],
                source=places.line_of(sequence),
            )
        )
    return made


def _in_order(
    nodes: list[TapeNode],
    edges: list[tuple[int, int, int]],
    watch: Backward,
    storages: tuple[Storage, ...],
    device: str,
    notes: list[str],
) -> Tape:
    place = {number: order for order, number in enumerate(watch.order)}
    ordered = sorted(range(len(nodes)), key=lambda number: (place.get(number, len(nodes)), number))
    new = {number: at for at, number in enumerate(ordered)}
    if missing := len(nodes) - len(place):
        notes.append(f"{missing} of {len(nodes)} nodes were not run by the backward pass.")
    if again := len(watch.again):
        notes.append(
            f"{again} node{'' if again == 1 else 's'} ran more than once, in a backward pass within the backward pass "
            "(reentrant checkpointing does that): the place of the first time is told."
        )
    return Tape(
        nodes=tuple(replace(nodes[number], order=place.get(number)) for number in ordered),
        edges=tuple(sorted((new[one], new[other], nr) for one, other, nr in edges)),
        storages=storages,
        device=device,
        allocated=tuple(watch.allocated),
        notes=tuple(notes),
    )


def _notes(walk: Walk, nodes: list[TapeNode], places: Places) -> list[str]:
    notes = list(places.notes)
    if walk.cut:
        notes.append(f"The tape has more than {MOST_NODES} nodes: those farther from the loss are left out.")
    unknown: dict[str, int] = {}
    for node in nodes:
        for reason in {one.unknown for one in node.saved} - {""}:
            unknown[reason] = unknown.get(reason, 0) + 1
    for reason, count in unknown.items():
        notes.append(f"{count} node{'' if count == 1 else 's'}: what is saved is not counted: {reason}.")
    return notes
