"""Inductor's settings, caches and one-time set-up; each touched only where the installed torch has it."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch

from profviz.worker.outbox import Outbox


@contextmanager
def compile_settings() -> Iterator[None]:
    """Provenance of kernels on, and generated CPU kernels visible to the profiler by name."""
    try:
        from torch._inductor import config
    except ImportError:
        yield
        return
    with ExitStack() as stack:
        stack.enter_context(_setting(config.trace, "provenance_tracking_level", 1))
        stack.enter_context(_setting(config.cpp, "enable_kernel_profile", value=True))
        yield


@contextmanager
def _setting(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Leaves a setting alone that the user switched to something, or that this torch has not."""
    before = getattr(owner, name, None)
    if not hasattr(owner, name) or before:
        yield
        return
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def fresh_cache(place: Path) -> Iterator[None]:
    """A new, empty compile cache below `place`, so that the cost shown is the cold one."""
    from torch._inductor import utils

    fresh = getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache
    with fresh(dir=str(place), delete=False):
        yield


def prepare_compiler(device: torch.device, outbox: Outbox) -> int:
    """Does what Inductor does once a process, so that the first variant is not charged for all; ns it took.

    That is importing Inductor and, for a CPU, asking the C++ compiler for the vector instructions it can build.
    """
    began_ns = time.perf_counter_ns()
    with contextlib.suppress(Exception):  # a defect here shows again, with a message, when a variant compiles
        importlib.import_module("torch._inductor.compile_fx")

        if device.type == "cpu":
            from torch._inductor.cpu_vec_isa import pick_vec_isa

            pick_vec_isa()
    took_ns = time.perf_counter_ns() - began_ns
    text = f"Inductor's set-up took {took_ns / 1e9:.1f} s, once a process; no variant's first call contains it."
    if device.type == "cpu":
        text += " With a fresh cache each first call on a CPU contains a few seconds of g++ for its header."
    outbox.log(text)
    return took_ns
