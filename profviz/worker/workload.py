"""The workload on its device: gives batches and does one step with any callable in the model's place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from profviz.worker import tensors
from profviz.worker.discovery import Batch, Parts, takes_second_argument
from profviz.worker.failures import WorkerError

Call = Callable[..., Any]
"""The model, or what a variant made of it."""


def pick_device(wanted: str) -> torch.device:
    """The torch device for auto, cpu, cuda or cuda:N; raises WorkerError when it is not there."""
    if wanted == "auto":
        return torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise WorkerError(f"There is no device {wanted!r}", hint="Choose auto, cpu, cuda or cuda:N.") from None
    if device.type not in ("cpu", "cuda"):
        raise WorkerError(f"profviz can't measure on {wanted!r}", hint="Choose auto, cpu, cuda or cuda:N.")
    if device.type == "cuda":
        _require_cuda(device)
        return torch.device("cuda", device.index or 0)
    return device


def _require_cuda(device: torch.device) -> None:
    if not torch.cuda.is_available():
        built = torch.version.cuda
        why = (
            f"torch {torch.__version__} was built for CUDA {built} but finds no usable NVIDIA GPU or driver."
            if built
            else f"torch {torch.__version__} was built without CUDA."
        )
        hint = "Run on the CPU (--device cpu), or use an interpreter whose torch has CUDA on a machine with a GPU."
        raise WorkerError("CUDA was asked for, but torch can't use it here", why=why, hint=hint)
    if (device.index or 0) >= torch.cuda.device_count():
        raise WorkerError(f"There is no {device}", why=f"torch sees {torch.cuda.device_count()} CUDA devices.")


class BoundWorkload:
    """A model with its inputs (and `targets` of the loss), moved to `device`.

    Parameters stay the same objects, so an optimizer keeps its own.
    """

    def __init__(self, parts: Parts, device: torch.device) -> None:
        self.device = device
        self.train = parts.train
        self.model: Call = parts.model
        if device.type == "cuda":
            torch.cuda.set_device(device)
        if isinstance(parts.model, nn.Module):
            self.model = parts.model.to(device)
        self._loss_fn = parts.loss_fn.to(device) if isinstance(parts.loss_fn, nn.Module) else parts.loss_fn
        self._with_batch = self._loss_fn is not None and takes_second_argument(self._loss_fn)
        self.targets = self._moved(parts.targets)
        self._source = parts.next_inputs
        self._fixed = self._moved(parts.next_inputs()) if parts.fixed_inputs else None
        self.optimizer = self._bound_optimizer(parts.optimizer) if parts.train else None

    def _moved(self, value: Any) -> Any:
        return tensors.map_tensors(value, lambda tensor: tensor.to(self.device))

    def _bound_optimizer(self, optimizer: Any) -> torch.optim.Optimizer | None:
        if optimizer is None or isinstance(optimizer, torch.optim.Optimizer):
            if optimizer is not None and optimizer.state:
                optimizer.load_state_dict(optimizer.state_dict())  # brings its state to where the parameters are now
            return optimizer
        if not callable(optimizer):
            raise WorkerError(
                f"`optimizer` is a {type(optimizer).__name__}",
                hint="Give a torch optimizer, or a callable that makes one from the model's parameters.",
            )
        made = optimizer(self.parameters())
        if not isinstance(made, torch.optim.Optimizer):
            raise WorkerError(f"optimizer(parameters) gave a {type(made).__name__}, not a torch optimizer")
        return made

    def parameters(self) -> list[nn.Parameter]:
        return list(self.model.parameters()) if isinstance(self.model, nn.Module) else []

    def optimizer_misses_model(self) -> bool:
        """Whether the optimizer holds none of the model's parameters: a step would then change nothing."""
        if self.optimizer is None:
            return False
        held = {id(p) for group in self.optimizer.param_groups for p in group["params"]}
        return not any(id(parameter) in held for parameter in self.parameters())

    def next_batch(self) -> Batch:
        """The inputs of the next step, on the device; raises WorkerError when the script has no more."""
        if self._fixed is not None:
            return self._fixed
        try:
            return self._moved(self._source())
        except StopIteration:
            hint = "Let `inputs` start over when it comes to its end (itertools.cycle), or take fewer steps."
            raise WorkerError("The script's inputs ran out before the run was over", hint=hint) from None

    def step(self, call: Call, batch: Batch) -> Any:
        """One whole step with `call` in the model's place: the output, or the detached loss when training."""
        if not self.train:
            with torch.no_grad():
                return forward(call, batch)
        self.clear_gradients()
        loss = self.loss(forward(call, batch), batch)
        loss.backward()
        if self.optimizer is not None:
            self.optimizer.step()
        return loss.detach()

    def clear_gradients(self) -> None:
        if self.optimizer is not None:
            self.optimizer.zero_grad(set_to_none=True)
        if isinstance(self.model, nn.Module):
            self.model.zero_grad(set_to_none=True)

    def loss(self, output: Any, batch: Batch) -> torch.Tensor:
        """The script's loss, or the default one; raises WorkerError when that is no scalar with gradients."""
        if self._loss_fn is None:
            loss = _default_loss(output)
        elif self._with_batch:
            loss = self._loss_fn(output, batch if self.targets is None else self.targets)
        else:
            loss = self._loss_fn(output)
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1 or not loss.requires_grad:
            raise WorkerError(
                "The loss is not a single number that depends on the model's parameters",
                why=f"It is {_describe(loss)}.",
                hint="loss_fn must reduce the output to one value; or run without training (--infer).",
            )
        return loss


def forward(call: Call, batch: Batch) -> Any:
    """A dict is passed by keyword, a tuple or list by position, anything else as the one argument."""
    if isinstance(batch, Mapping):
        return call(**batch)
    if isinstance(batch, tuple | list):
        return call(*batch)
    return call(batch)


def _default_loss(output: Any) -> Any:
    own = getattr(output, "loss", None)
    if isinstance(own, torch.Tensor):
        return own
    floats = [tensor.float().mean() for _, tensor in tensors.named_tensors(output) if tensor.is_floating_point()]
    return torch.stack(floats).mean() if floats else None


def _describe(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return f"a {type(value).__name__}"
    return f"a tensor of shape {tuple(value.shape)}" + ("" if value.requires_grad else " without gradients")
