"""What a variant is and how it is built; torch is imported only when one is built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from profviz.model.run import VariantOption, VariantSpec
from profviz.worker.failures import WorkerError

NO_COMPILER = (
    "no C++ compiler was found, and Inductor builds its CPU kernels with one; install g++ "
    "(Debian, Ubuntu: apt-get install g++) or set CXX"
)
NO_TRITON = "the package triton is not installed, and Inductor writes its GPU kernels in it; pip install triton"

FULLGRAPH = VariantOption("fullgraph", "One graph or fail", "bool", default=False)
DYNAMIC = VariantOption("dynamic", "Dynamic shapes", "choice", default="auto", choices=("auto", "yes", "no"))
_DYNAMIC_VALUES = {"auto": None, "yes": True, "no": False}


@dataclass(frozen=True)
class Offer:
    """What there is to build with: the device (`cuda` or `cpu`), the C++ compiler or empty, whether triton is here."""

    device: str
    compiler: str
    triton: bool


@dataclass(frozen=True)
class Variant:
    """One way to run a workload. `arguments` go to torch.compile as they are; without `compiled` nothing does.

    `inductor` says that it generates code and so needs a compiler; `cuda_graphs` that it replays CUDA graphs.
    """

    id: str
    title: str
    description: str
    compiled: bool = True
    inductor: bool = True
    cuda_graphs: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)
    options: tuple[VariantOption, ...] = (FULLGRAPH, DYNAMIC)

    def spec(self, offer: Offer) -> VariantSpec:
        unavailable = self.unavailable(offer)
        return VariantSpec(self.id, self.title, self.description, self.compiled, self.options, unavailable)

    def unavailable(self, offer: Offer) -> str:
        """Why it can't run there, else empty."""
        if not self.inductor:
            return ""
        if offer.device == "cuda":
            return "" if offer.triton else NO_TRITON
        return "" if offer.compiler else NO_COMPILER

    def build(self, model: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
        """The model as this variant runs it; compiles nothing yet. Raises WorkerError for an option it has not."""
        if not self.compiled:
            return model
        import torch

        return torch.compile(model, **{**self.arguments, **self._chosen(options)})

    def _chosen(self, options: dict[str, Any]) -> dict[str, Any]:
        known = {option.id: option for option in self.options}
        chosen: dict[str, Any] = {}
        for name, value in options.items():
            if name not in known:
                listed = ", ".join(known) or "none"
                raise WorkerError(f"{self.title} has no option {name!r}", hint=f"Its options: {listed}.")
            _check(known[name], value)
            chosen[name] = _DYNAMIC_VALUES[value] if name == DYNAMIC.id else value
        return chosen


def _check(option: VariantOption, value: Any) -> None:
    fits = value in option.choices if option.choices else isinstance(value, type(option.default))
    if not fits:
        wanted = " or ".join(option.choices) or option.kind
        raise WorkerError(f"Option {option.id} can't be {value!r}", hint=f"It takes {wanted}.")
