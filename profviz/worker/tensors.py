"""Walks the tensors in tuples, dicts and dataclasses, and makes inputs from shapes given as text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from profviz.model.run import InputSpec
from profviz.worker.failures import WorkerError

_SHAPE = re.compile(r"(?P<shape>\d+(?:x\d+)*|\(\)|scalar)(?::(?P<dtype>\w+))?")
_SHAPE_HINT = "Write shapes such as 64x1024 or 64x1024,8x16:int64 (float32 unless said)."


def named_tensors(value: Any, name: str = "") -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor in `value` with a path to it; what is no tensor and no known container is passed over."""
    if isinstance(value, torch.Tensor):
        yield name or "0", value
        return
    for key, item in _items(value):
        yield from named_tensors(item, f"{name}.{key}" if name else str(key))


def _items(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, tuple | list):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return []


def map_tensors(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """`value` with each tensor changed; tuples, lists and dicts are rebuilt, anything else is left as it is."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(item, change) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(map_tensors(item, change) for item in value)
    if isinstance(value, dict):
        return {key: map_tensors(item, change) for key, item in value.items()}
    if hasattr(value, "to") and hasattr(value, "keys"):  # a batch object, as tokenizers make
        return map_tensors(dict(value), change)
    return value


def describe(batch: Any) -> tuple[InputSpec, ...]:
    """The tensors of a batch as the user reads them."""
    return tuple(
        InputSpec(name, tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), str(tensor.device))
        for name, tensor in named_tensors(batch)
    )


def looks_like_shapes(text: str) -> bool:
    return bool(text) and all(_SHAPE.fullmatch(part.strip()) for part in text.split(","))


def from_shapes(text: str) -> tuple[torch.Tensor, ...]:
    """Random inputs: normal floats, integers 0 and 1 (small enough to index any table). Raises WorkerError."""
    generator = torch.Generator().manual_seed(0)
    return tuple(_from_shape(part.strip(), generator) for part in text.split(","))


def _from_shape(text: str, generator: torch.Generator) -> torch.Tensor:
    match = _SHAPE.fullmatch(text)
    dtype = getattr(torch, match["dtype"] or "float32", None) if match else None
    if match is None or not isinstance(dtype, torch.dtype):
        raise WorkerError(f"{text!r} is no input shape", hint=_SHAPE_HINT)
    shape = [int(size) for size in re.findall(r"\d+", match["shape"])]
    if dtype.is_floating_point or dtype.is_complex:
        wide = torch.complex64 if dtype.is_complex else torch.float32
        return torch.randn(shape, generator=generator, dtype=wide).to(dtype)
    return torch.randint(0, 2, shape, generator=generator).to(dtype)
