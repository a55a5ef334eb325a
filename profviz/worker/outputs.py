"""Compares a variant's outputs, and gradients when training, with eager's: same weights, batch and random seed.

A value may be off by `tolerance * (|eager| + rms(eager))` of its tensor, plus twice what two eager runs of the same
seed differ by. The tolerances leave room for other summation orders and for skipped intermediate roundings. What is
beyond them is judged again by how far both are from a run in higher precision (see `precise`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from profviz.model.run import OutputCheck
from profviz.worker import tensors
from profviz.worker.precise import is_no_worse, widened
from profviz.worker.timing import Subject
from profviz.worker.workload import BoundWorkload, forward

TOLERANCES = {
    torch.float64: 1e-7,
    torch.float32: 1e-4,
    torch.float16: 1e-2,
    torch.bfloat16: 4e-2,
    torch.complex64: 1e-4,
    torch.complex128: 1e-7,
}
"""By dtype; types not listed (integers, booleans) must be equal."""
_CHUNK = 1 << 22
_SEED = 1234

Values = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Difference:
    """One tensor's largest deviation: absolute, relative to max(|eager|, rms), and as a share of what is allowed."""

    name: str
    max_abs: float
    max_rel: float
    excess: float


def check_outputs(workload: BoundWorkload, eager: Subject, other: Subject) -> OutputCheck:
    """Runs forward (and backward) of both on one batch; weights and buffers are afterwards as before."""
    batch = workload.next_batch()
    reference = _values(workload, eager, batch, seed=_SEED)
    repeat = _compare(reference, _values(workload, eager, batch, seed=_SEED))
    reseeded = _compare(reference, _values(workload, eager, batch, seed=_SEED + 1))
    if _worst(reseeded).excess > 1 and _worst(repeat).excess <= 1:
        return OutputCheck(0, equal=True, detail=_RANDOM)
    noise = {difference.name: 2 * difference.max_abs for difference in repeat if math.isfinite(difference.max_abs)}
    values = _values(workload, other, batch, seed=_SEED)
    if reference.keys() != values.keys():
        odd = sorted(reference.keys() ^ values.keys())
        return OutputCheck(
            len(reference | values), equal=False, name=odd[0], detail=f"Only one of the two gives: {', '.join(odd[:5])}"
        )
    found = _compare(reference, values, noise=noise)
    verdict = _verdict(found, reference)
    beyond = [difference.name for difference in found if difference.excess > 1]
    if not beyond or verdict.detail:
        return verdict
    exact, why = _exact_values(workload, batch)
    if not all(name in exact and is_no_worse(exact[name], reference[name], values[name]) for name in beyond):
        return replace(verdict, detail=why)
    detail = f"{len(beyond)} beyond it are as near as eager to a run in higher precision"
    return replace(verdict, equal=True, detail=detail)


def _exact_values(workload: BoundWorkload, batch: Any) -> tuple[Values, str]:
    """Eager's values in higher precision; none, and why, where the model can't run in it: the first verdict stands."""
    if not isinstance(workload.model, nn.Module):
        return {}, "a function can't be tried in higher precision"
    try:
        wide, wide_batch = widened(workload.model, batch)
        return _values(workload, Subject("exact", wide), wide_batch, seed=_SEED, model=wide), ""
    except Exception as error:  # a kernel that knows no such type, or no memory for it
        return {}, f"in higher precision it could not be tried ({type(error).__name__}: {str(error)[:200]})"


_RANDOM = "the model draws random numbers (dropout, for one), and compiled code draws them in another order"


def _verdict(differences: list[Difference], reference: Values) -> OutputCheck:
    worst = _worst(differences)
    dtypes = {str(tensor.dtype).removeprefix("torch."): TOLERANCES.get(tensor.dtype) for tensor in reference.values()}
    allowed = ", ".join(f"{limit or 0:g} ({name})" for name, limit in sorted(dtypes.items()))
    return OutputCheck(
        compared=len(differences),
        equal=worst.excess <= 1,
        name=worst.name,
        max_abs=_finite(max((d.max_abs for d in differences), default=0.0)),
        max_rel=_finite(max((d.max_rel for d in differences), default=0.0)),
        tolerance=allowed,
        detail="" if math.isfinite(worst.excess) else "a shape, a dtype, or which values are NaN or infinite differs",
    )


def _worst(differences: list[Difference]) -> Difference:
    return max(differences, key=lambda difference: difference.excess, default=Difference("", 0.0, 0.0, 0.0))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _values(
    workload: BoundWorkload, subject: Subject, batch: Any, *, seed: int, model: nn.Module | None = None
) -> Values:
    """Outputs and, when training, gradients by name, copied to the CPU; `model` where it is not the workload's own."""
    trained = workload.model if model is None else model
    batch = tensors.map_tensors(batch, _fresh)
    with _unchanged_buffers(trained), _unchanged_random_state(workload.device):
        torch.manual_seed(seed)
        if not workload.train:
            with torch.no_grad():
                return _copied(forward(subject.call, batch), "output")
        workload.clear_gradients()
        output = forward(subject.call, batch)
        values = _copied(output, "output")
        workload.loss(output, batch).backward()
        values |= _gradients(trained)
        workload.clear_gradients()
        return values


def _fresh(tensor: torch.Tensor) -> torch.Tensor:
    """A copy for one call: a model may write to its inputs, and the next call must start from the same."""
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


def _copied(output: Any, prefix: str) -> Values:
    return {f"{prefix} {name}": tensor.detach().to("cpu", copy=True) for name, tensor in tensors.named_tensors(output)}


def _gradients(model: Any) -> Values:
    if not isinstance(model, nn.Module):
        return {}
    return {
        f"gradient of {name}": parameter.grad.detach().to("cpu", copy=True)
        for name, parameter in model.named_parameters()
        if parameter.grad is not None
    }


@contextmanager
def _unchanged_buffers(model: Any) -> Iterator[None]:
    """Running statistics change in a forward pass; the next run must start from the same."""
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()] if isinstance(model, nn.Module) else []
    try:
        yield
    finally:
        with torch.no_grad():
            for buffer, before in buffers:
                buffer.copy_(before)


@contextmanager
def _unchanged_random_state(device: torch.device) -> Iterator[None]:
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        yield


def _compare(reference: Values, values: Values, *, noise: dict[str, float] | None = None) -> list[Difference]:
    return [
        _difference(name, expected, values[name], noise=(noise or {}).get(name, 0.0))
        for name, expected in reference.items()
        if name in values
    ]


def _difference(name: str, expected: torch.Tensor, actual: torch.Tensor, *, noise: float) -> Difference:
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return Difference(name, math.inf, math.inf, math.inf)
    tolerance = TOLERANCES.get(expected.dtype, 0.0)
    wide = _wide(expected.dtype)
    rms = _rms(expected, wide)
    found = [0.0, 0.0, 0.0]
    pairs = zip(expected.reshape(-1).split(_CHUNK), actual.reshape(-1).split(_CHUNK), strict=True)
    for a, b in pairs:
        found = [max(pair) for pair in zip(found, _chunk(a.to(wide), b.to(wide), rms, tolerance, noise), strict=True)]
    return Difference(name, found[0], found[1], found[2])


def _wide(dtype: torch.dtype) -> torch.dtype:
    """A type that holds the differences without rounding of its own to speak of."""
    return torch.complex128 if dtype.is_complex else torch.float64


def _rms(tensor: torch.Tensor, wide: torch.dtype) -> float:
    """Root of the mean square of the finite values; 0 when there are none."""
    total, count = 0.0, 0
    for chunk in tensor.reshape(-1).split(_CHUNK):
        finite = chunk[torch.isfinite(chunk)].to(wide).abs()
        total, count = total + float((finite * finite).sum()), count + finite.numel()
    return math.sqrt(total / count) if count else 0.0


def _chunk(a: torch.Tensor, b: torch.Tensor, rms: float, tolerance: float, noise: float) -> list[float]:
    """Largest absolute and relative difference and excess; equal values, and NaN on both sides, do not count."""
    differs = ~((a == b) | (torch.isnan(a) & torch.isnan(b)))
    if not bool(differs.any()):
        return [0.0, 0.0, 0.0]
    a, b = a[differs], b[differs]
    off = (a - b).abs()
    if not bool(torch.isfinite(off).all()):
        return [math.inf, math.inf, math.inf]
    scale = a.abs().clamp(min=rms)
    allowed = tolerance * (a.abs() + rms) + noise
    excess = torch.where(allowed > 0, off / allowed, math.inf)
    relative = torch.where(scale > 0, off / scale, math.inf)
    return [float(off.max()), float(relative.max()), float(excess.max())]
