"""Describes where the worker runs, and prepares the process's settings before torch is imported."""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from profviz.model.run import Device, Environment, RunRequest
from profviz.worker.failures import WorkerError
from profviz.worker.guard import SCRATCH
from profviz.worker.variants.registry import VARIANTS
from profviz.worker.variants.variant import Offer


def scratch_folder() -> Path:
    """The folder that the guard removes; a fresh temporary one when there is no guard."""
    return Path(os.environ.get(SCRATCH) or tempfile.mkdtemp(prefix="profviz-"))


def prepare_process(request: RunRequest, scratch: Path) -> None:
    """Settings that torch and its libraries read when they are imported."""
    os.environ.setdefault("INDUCTOR_PROVENANCE", "1")
    if request.threads > 0:
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ[name] = str(request.threads)
    if not request.keep_cache and sys.platform.startswith("linux"):
        # compilers that are killed leave temporary files: let them lie where the guard cleans up
        place = scratch / "tmp"
        place.mkdir(exist_ok=True)
        os.environ["TMPDIR"] = str(place)
        tempfile.tempdir = None


_INSTALL_HINT = "Install torch there, or choose the interpreter of the environment that has it."


def require_torch_installed() -> None:
    """Raises WorkerError when this interpreter has no torch; imports nothing."""
    if importlib.util.find_spec("torch") is None:
        raise WorkerError("This Python has no torch", why=f"It is {sys.executable}.", hint=_INSTALL_HINT)


def use_torch(*, threads: int) -> None:
    """Imports torch and has it compute with `threads` threads (0: as it likes); WorkerError when it is of no use."""
    try:
        import torch
    except (ImportError, OSError) as error:  # a library that can't be loaded is an OSError
        raise WorkerError("torch can't be imported", why=f"{sys.executable}: {error}", hint=_INSTALL_HINT) from error
    if not hasattr(torch, "compile"):
        raise WorkerError(f"torch {torch.__version__} has no torch.compile", hint="profviz needs torch 2.6 or newer.")
    if threads > 0:
        torch.set_num_threads(threads)


def describe() -> Environment:
    """The environment of this process; without torch it says so by an empty version."""
    basics = {"python": platform.python_version(), "executable": sys.executable, "platform": platform.platform()}
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    compiler = find_compiler()
    if importlib.util.find_spec("torch") is None:
        return Environment(**basics, compiler=compiler, load_average=load)
    import torch

    devices = _devices()
    offer = Offer(device=devices[0].kind, compiler=compiler, triton=has_triton())
    return Environment(
        **basics,
        torch=str(torch.__version__),
        triton=_version_of("triton"),
        cuda=str(torch.version.cuda or ""),
        compiler=compiler,
        threads=torch.get_num_threads(),
        devices=devices,
        variants=tuple(variant.spec(offer) for variant in VARIANTS),
        load_average=load,
    )


def find_compiler() -> str:
    """The C++ compiler that Inductor takes (CXX, else the platform's usual one) with its version; empty without."""
    usual = {"darwin": "clang++", "win32": "cl"}.get(sys.platform, "g++")
    path = shutil.which(os.environ.get("CXX") or usual)
    if path is None:
        return ""
    if sys.platform == "win32":
        return path
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"{path} ({done.stdout.splitlines()[0].strip()})" if done.stdout else path


def has_triton() -> bool:
    return bool(_version_of("triton"))


def _version_of(module: str) -> str:
    try:
        return str(getattr(importlib.import_module(module), "__version__", ""))
    except Exception:  # a broken triton raises more than ImportError; it then counts as absent
        return ""


def _devices() -> tuple[Device, ...]:
    """The accelerators first: the first one is what `auto` takes."""
    import torch

    found = []
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        about = torch.cuda.get_device_properties(index)
        capability = f"{about.major}.{about.minor}"
        processors = about.multi_processor_count
        found.append(Device("cuda", index, about.name, about.total_memory, capability, processors))
    found.append(Device("cpu", 0, _processor_name(), processors=os.cpu_count() or 0))
    return tuple(found)


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
