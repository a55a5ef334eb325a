"""A second opinion on a difference: is the variant further from a run in higher precision than eager itself is?

Rounding in half precision differs wherever kernels are fused; such a variant is often nearer to the exact values than
eager. The rule is that of `torch._dynamo.utils.same`: the root mean square of the error, three times eager's allowed.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch import nn

from profviz.worker import tensors

HALVES = (torch.float16, torch.bfloat16)
FACTOR = 3.0


def widened(model: nn.Module, batch: Any) -> tuple[nn.Module, Any]:
    """A copy of the model and its batch in float32 where it holds half precision, else in float64."""
    held = {tensor.dtype for tensor in (*model.parameters(), *model.buffers())}
    held |= {tensor.dtype for _, tensor in tensors.named_tensors(batch)}
    wide = torch.float32 if held.intersection(HALVES) else torch.float64
    moved = tensors.map_tensors(batch, lambda tensor: tensor.to(wide) if tensor.is_floating_point() else tensor)
    return copy.deepcopy(model).to(wide), moved


def is_no_worse(exact: torch.Tensor, eager: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether `other` errs at most FACTOR times as much as `eager`; a NaN or infinity on one side alone is worse."""
    if exact.shape != other.shape or eager.shape != other.shape:
        return False
    eager_error, other_error = _rms_error(exact, eager), _rms_error(exact, other)
    return math.isfinite(other_error) and other_error <= FACTOR * eager_error


def _rms_error(exact: torch.Tensor, tensor: torch.Tensor) -> float:
    wide = torch.complex128 if exact.is_complex() else torch.float64
    off = (exact.to(wide) - tensor.to(wide)).abs()
    return math.sqrt(float((off * off).mean())) if off.numel() else 0.0
