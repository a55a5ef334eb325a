"""Finds the workload in a loaded script: the model, its inputs, and what one step does. Runs no step.

A script names its parts at module level:

- `model`: a module, a class whose constructor needs nothing, or a function; else `get_model()`; else the one
  `nn.Module` instance or class in the file.
- `inputs`: a tensor (one argument), a tuple or list (positional), a dict (keywords), or a callable that gives the next
  of these for each step; else `get_inputs()`, called once.
- `loss_fn`, optional: then a step trains. Called as `loss_fn(output)`, or, where it takes two arguments,
  `loss_fn(output, targets)` with the script's `targets`, or `loss_fn(output, inputs)` where there are none.
- `optimizer`, optional: an optimizer over the model's parameters, or a callable that makes one from them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import torch
from torch import nn

from profviz.model.run import RunRequest, Workload
from profviz.worker import tensors
from profviz.worker.failures import WorkerError

Batch = Any
"""What the model is called with: a tensor, a tuple or list (positional) or a dict (keywords)."""


@dataclass
class Parts:
    """The workload as objects of the script, still where the script put them."""

    model: Callable[..., Any]
    next_inputs: Callable[[], Batch]
    fixed_inputs: bool
    train: bool
    loss_fn: Callable[..., Any] | None = None
    targets: Any = None
    optimizer: Any = None


@dataclass
class Search:
    """Looks through one script and keeps, in plain words, what it found and what not."""

    module: ModuleType
    request: RunRequest
    found: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    candidates: list[str] = field(default_factory=list)
    problem: str = ""

    def get(self, name: str) -> Any:
        return getattr(self.module, name, None)

    def model(self) -> tuple[str, Callable[..., Any] | None]:
        """The model and the name it goes by; None with `problem` set when there is none."""
        self.candidates = [name for name, value in vars(self.module).items() if _is_candidate(value, self.module)]
        if self.request.model:
            return self._named_model(self.request.model)
        if callable(self.get("model")):
            return "model", self._as_model("model", self.get("model"))
        if callable(self.get("get_model")):
            self.found.append("model: made by get_model()")
            return "get_model()", self._checked("get_model()", self.get("get_model")())
        self.missing.append("no `model` and no get_model() at module level")
        return self._only_module()

    def _named_model(self, name: str) -> tuple[str, Callable[..., Any] | None]:
        value = self.get(name.removesuffix("()"))
        if value is None:
            self.problem = f"The script has no {name!r} at module level." + self._suggestion()
            return name, None
        return name, self._as_model(name.removesuffix("()"), value)

    def _suggestion(self) -> str:
        return f" It has: {', '.join(self.candidates)}." if self.candidates else ""

    def _as_model(self, name: str, value: Any) -> Callable[..., Any] | None:
        """An instance as it is; a class or a function of no arguments that makes one is called."""
        if isinstance(value, nn.Module):
            self.found.append(f"model: `{name}`, a {type(value).__name__}")
            return value
        if isinstance(value, type):
            return self._instance_of(name, value)
        if inspect.isroutine(value) and not _required_arguments(value):
            self.found.append(f"model: made by {name}()")
            return self._checked(f"{name}()", value())
        return self._checked(name, value)

    def _checked(self, name: str, value: Any) -> Callable[..., Any] | None:
        if not callable(value) or isinstance(value, type):
            self.problem = f"{name} gave a {type(value).__name__}; a model is a torch.nn.Module or a function."
            return None
        if not isinstance(value, nn.Module):
            self.found.append(f"model: the function {name}")
        return value

    def _instance_of(self, name: str, cls: type) -> Callable[..., Any] | None:
        needed = _required_arguments(cls)
        if needed:
            self.problem = (
                f"{name} can't be made without arguments: its constructor needs {', '.join(needed)}. "
                f"Add a line such as  model = {name}(...)  to the script."
            )
            return None
        instance = self._checked(name, cls())
        if isinstance(instance, nn.Module):
            training = self.request.train is True or callable(self.get("loss_fn"))
            instance.train(training)
            self.found.append(f"model: class {name}, made here, in {'training' if training else 'evaluation'} mode")
        return instance

    def _only_module(self) -> tuple[str, Callable[..., Any] | None]:
        """The one module in the script: instances before classes, parts of others left out."""
        own = {name: self.get(name) for name in self.candidates}
        instances = _outermost({name: value for name, value in own.items() if isinstance(value, nn.Module)})
        classes = {name: value for name, value in own.items() if isinstance(value, type)}
        choice = instances or classes
        if len(choice) == 1:
            name, value = next(iter(choice.items()))
            return name, self._as_model(name, value)
        what = "instances" if instances else "classes"
        if choice:
            self.problem = f"The script has several nn.Module {what}: {', '.join(choice)}. Choose one (--model NAME)."
        else:
            self.problem = (
                "No model was found: the script has no `model`, no get_model() and no nn.Module at module level "
                '(what stands under  if __name__ == "__main__":  is not run).'
            )
        return "", None

    def inputs(self) -> tuple[Callable[[], Batch] | None, bool]:
        """What gives the next batch, and whether it always gives the same one; None when there is nothing."""
        text = self.request.inputs.strip()
        if tensors.looks_like_shapes(text):
            batch = tensors.from_shapes(text)
            self.found.append(f"inputs: random, of shapes {text}")
            return (lambda: batch), True
        if text:
            return self._named_inputs(text)
        if self.get("inputs") is not None:
            return self._as_inputs("inputs", self.get("inputs"))
        if callable(self.get("get_inputs")):
            return self._as_inputs("get_inputs()", self.get("get_inputs")())
        self.missing.append("no `inputs` and no get_inputs() at module level")
        return None, False

    def _named_inputs(self, text: str) -> tuple[Callable[[], Batch] | None, bool]:
        called = text.endswith("()")
        value = self.get(text.removesuffix("()"))
        if value is None:
            raise WorkerError(
                f"The script has no {text!r} at module level",
                hint="Name one of its variables, or write shapes such as 64x1024,8x16:int64.",
            )
        return self._as_inputs(text, value() if called else value)

    def _as_inputs(self, name: str, value: Any) -> tuple[Callable[[], Batch] | None, bool]:
        if isinstance(value, torch.Tensor | tuple | list) or hasattr(value, "keys"):
            self.found.append(f"inputs: `{name}`, the same for each step")
            return (lambda: value), True
        if callable(value):
            self.found.append(f"inputs: {name}() gives the batch of each step; the time it takes is not measured")
            return value, False
        if hasattr(value, "__next__"):
            self.found.append(f"inputs: the next of `{name}` for each step; the time it takes is not measured")
            return (lambda: next(value)), False
        self.problem = (
            f"{name} is a {type(value).__name__}; inputs are a tensor, a tuple, a dict, or a callable giving them."
        )
        return None, False

    def step(self) -> tuple[bool, Any, Any]:
        """Whether a step trains, with its loss function and optimizer."""
        loss_fn = self.get("loss_fn")
        optimizer = self.get("optimizer")
        train = callable(loss_fn) if self.request.train is None else self.request.train
        if not train:
            self.found.append("step: forward, without gradients")
            return False, None, None
        loss = "loss_fn" if callable(loss_fn) else "the output's loss, or the mean of its floats (no loss_fn found)"
        self.found.append(f"step: trains; loss: {loss}; optimizer: {'optimizer' if optimizer is not None else 'none'}")
        if optimizer is None:
            self.missing.append("no `optimizer`: gradients are computed but no weight changes")
        return True, loss_fn if callable(loss_fn) else None, optimizer


def discover(module: ModuleType, request: RunRequest) -> tuple[Workload, Parts | None]:
    """What the script holds, and its parts when they suffice for a step.

    What the script's own functions raise goes through; WorkerError for an override that names nothing.
    """
    search = Search(module, request)
    name, model = search.model()
    source, fixed = (None, False) if model is None else search.inputs()
    train, loss_fn, optimizer = search.step() if model is not None else (False, None, None)
    batch = source() if source is not None else None
    parts = None
    if model is not None and source is not None:
        model = _undo_compile(model, search)
        targets = search.get("targets") if search.get("targets") is not None else search.get("target")
        parts = Parts(model, source, fixed, train, loss_fn, targets, optimizer)
        _note_mode(parts, search)
    return _report(search, name, model, train, batch), parts


def _report(search: Search, name: str, model: Any, train: bool, batch: Any) -> Workload:  # noqa: FBT001
    is_module = isinstance(model, nn.Module)
    parameters = list(model.parameters()) if is_module else []
    return Workload(
        script=search.request.script,
        model=name,
        model_class=type(model).__name__ if is_module else "function" if model is not None else "",
        parameters=sum(parameter.numel() for parameter in parameters),
        inputs=tensors.describe(batch),
        train=train,
        can_train=any(parameter.requires_grad for parameter in parameters),
        found=tuple(search.found),
        missing=tuple(search.missing),
        candidates=tuple(search.candidates),
        needs_shapes=model is not None and batch is None and not search.problem,
        problem=search.problem,
    )


def _undo_compile(model: Callable[..., Any], search: Search) -> Callable[..., Any]:
    """A model that the script compiled already: each variant is to start from the plain one."""
    inner = getattr(model, "_orig_mod", None) or getattr(model, "_torchdynamo_orig_callable", None)
    if inner is not None:
        search.found.append("the script compiled the model itself; it was unwrapped, so that eager is eager")
        model = inner
    if getattr(model, "_compiled_call_impl", None) is not None:
        search.found.append("the script called model.compile(); that was undone, so that eager is eager")
        model._compiled_call_impl = None  # type: ignore[attr-defined]
    return model


def _note_mode(parts: Parts, search: Search) -> None:
    model = parts.model
    if isinstance(model, nn.Module) and model.training != parts.train:
        mode = "training" if model.training else "evaluation"
        search.found.append(f"the model stays in {mode} mode, as the script left it, though the step does not match")


def _is_candidate(value: Any, module: ModuleType) -> bool:
    """Modules that could be the model: no losses, and of classes only the script's own."""
    if isinstance(value, nn.Module):
        return not isinstance(value, nn.modules.loss._Loss)
    return isinstance(value, type) and issubclass(value, nn.Module) and value.__module__ == module.__name__


def _outermost(instances: dict[str, nn.Module]) -> dict[str, nn.Module]:
    inner = {id(part) for whole in instances.values() for part in whole.modules() if part is not whole}
    unique = {id(value): name for name, value in instances.items() if id(value) not in inner}
    return {name: instances[name] for name in unique.values()}


def _required_arguments(function: Callable[..., Any]) -> list[str]:
    """Names of the arguments without a default; empty where the signature is not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def takes_second_argument(function: Callable[..., Any]) -> bool:
    """Whether a loss wants more than the output: two or more arguments without a default."""
    target = function.forward if isinstance(function, nn.Module) else function
    return len(_required_arguments(target)) >= 2
