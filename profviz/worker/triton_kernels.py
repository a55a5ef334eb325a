"""Reads what the Triton kernels that Inductor has loaded need: registers, spills, shared memory, the chosen settings.

Only looks at what is there already: it compiles, loads and waits for nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any
from weakref import WeakSet

from profviz.model.triton_binary import TritonBinary, hash_of_path

_CACHES = ("modules", "modules_no_attr", "cache")
"""`PyCodeCache` keeps a list from torch 2.6 on and a dict of those without constants beside it, before a dict alone."""


class TritonKernels:
    """The kernels of the modules that are loaded after this was made: those of one variant."""

    def __init__(self) -> None:
        self._before = WeakSet(_modules())

    def read(self) -> tuple[TritonBinary, ...]:
        """One for each different kernel, in the order in which they were loaded; empty where there is no Triton."""
        tuners = _tuners(module for module in _modules() if module not in self._before)
        return tuple(dict.fromkeys(_binary(tuner) for tuner in tuners))


def _modules() -> list[ModuleType]:
    """Every module of generated code, once; none where Inductor was never imported."""
    cache = getattr(sys.modules.get("torch._inductor.codecache"), "PyCodeCache", None)
    found: dict[int, ModuleType] = {}
    for name in _CACHES:
        held = getattr(cache, name, ())
        modules = held.values() if isinstance(held, dict) else held
        found.update({id(one): one for one in list(modules) if isinstance(one, ModuleType)})
    return list(found.values())


def _tuners(modules: Iterable[ModuleType]) -> Iterator[Any]:
    """The kernels that the modules call, each once; modules of a kernel alone are also made for mere trials."""
    seen: set[int] = set()
    for module in modules:
        if not hasattr(module, "call") or hasattr(module, "benchmark_all_configs"):
            continue
        for value in list(vars(module).values()):
            for one in _held(value):
                if id(one) not in seen and _is_tuner(one):
                    seen.add(id(one))
                    yield one


def _held(value: Any) -> tuple[Any, ...]:
    """The value, or the kernels that torch picks one of at run time; a future that was not waited for is neither."""
    several = getattr(value, "_kernels", None)
    return tuple(several) if isinstance(several, list | tuple) else (value,)


def _is_tuner(value: Any) -> bool:
    return isinstance(getattr(value, "launchers", None), list) and hasattr(value, "fn")


def _binary(tuner: Any) -> TritonBinary:
    """A kernel that has not run yet may have several launchers, of which none is chosen."""
    launcher = tuner.launchers[0] if len(tuner.launchers) == 1 else None
    config = getattr(launcher, "config", None)
    kwargs = getattr(config, "kwargs", None)
    return TritonBinary(
        name=_name(tuner),
        hash=str(getattr(tuner, "kernel_hash", "") or hash_of_path(str(getattr(tuner, "filename", "") or ""))),
        config=tuple((str(key), str(value)) for key, value in kwargs.items()) if isinstance(kwargs, dict) else (),
        num_warps=_count(config, "num_warps"),
        num_stages=_count(config, "num_stages"),
        registers=_need(launcher, "n_regs"),
        spills=_need(launcher, "n_spills"),
        shared_bytes=_need(launcher, "shared"),
        configs=_configs(tuner),
    )


def _name(tuner: Any) -> str:
    """As the generated code and the trace have it; a kernel of the user's own has its function's."""
    meta = getattr(tuner, "inductor_meta", None)
    named = meta.get("kernel_name") if isinstance(meta, dict) else None
    return str(named or getattr(tuner.fn, "__name__", ""))


def _need(launcher: Any, name: str) -> int | None:
    """Some launchers hold it themselves, some only the binary they launch, and that one has shared memory deeper."""
    binary = getattr(launcher, "bin", None)
    owners = (launcher, binary, getattr(binary, "metadata", None))
    return next((value for owner in owners if (value := _count(owner, name)) is not None), None)


def _count(owner: Any, name: str) -> int | None:
    value = getattr(owner, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _configs(tuner: Any) -> int | None:
    """How many were compiled to choose from.

    Some versions keep the winner alone and note how many there were; of a choice that was taken from a
    cache nothing is known.
    """
    compiled = getattr(tuner, "compile_results", None)
    count = max(len(compiled) if isinstance(compiled, list) else 0, len(tuner.launchers))
    noted = getattr(tuner, "autotune_cache_info", None)
    noted = noted if isinstance(noted, dict) else {}
    if count == 1 and (_count(tuner, "autotune_time_taken_ns") or noted.get("autotune_cache_state") in ("hit", "miss")):
        of = noted.get("num_configs")
        return of if isinstance(of, int) else None
    return count or None
