"""Loads the user's script as a module by its real path, with the world as `python script.py` sees it."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from profviz.worker.failures import WorkerError
from profviz.worker.outbox import Outbox

_SOURCE_LIMIT_BYTES = 1 << 20


def load_script(path: Path) -> ModuleType:
    """Runs the file's top level; whatever it raises (SystemExit too) goes through."""
    if not path.is_file():
        raise WorkerError(f"There is no file {path}", hint="Check the path of the script.")
    sys.argv[:] = [str(path)]
    sys.path.insert(0, str(path.parent))
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise WorkerError(f"{path.name} is not a Python script", hint="Open a file that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses, pickling and torch look a class's module up there
    spec.loader.exec_module(module)
    return module


def _module_name(path: Path) -> str:
    """The file's own name where nothing else has it, so that class names read as in the script."""
    taken = path.stem in sys.modules or path.stem in sys.stdlib_module_names
    plain = re.sub(r"\W", "_", path.stem)
    return path.stem if path.stem.isidentifier() and not taken else f"script_{plain}"


class SourceSender:
    """Sends the texts of the script and of what it imports from its own folder, each file once."""

    def __init__(self, script: Path, outbox: Outbox) -> None:
        self._script = script
        self._folder = script.parent.resolve()
        self._outbox = outbox
        self._sent: set[Path] = set()

    def send_script(self) -> None:
        if self._script.is_file():
            self._send(self._script.resolve(), self._script.name)

    def send_imported(self) -> None:
        """Modules loaded so far whose file lies below the script's folder, installed packages left out."""
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if (
                isinstance(file, str) and file.endswith(".py") and Path(file).is_absolute()
            ):  # torch.ops has a made-up one
                self._send_if_own(Path(file).resolve())

    def _send_if_own(self, path: Path) -> None:
        if path in self._sent or not path.is_relative_to(self._folder):
            return
        inside = path.relative_to(self._folder)
        if "site-packages" not in inside.parts and not path.is_relative_to(Path(__file__).resolve().parents[1]):
            self._send(path, "__".join(inside.parts))

    def _send(self, path: Path, name: str) -> None:
        self._sent.add(path)
        try:
            size = path.stat().st_size
            if size > _SOURCE_LIMIT_BYTES:
                self._outbox.log(f"{path.name} has {size} bytes: too long to keep in the session", level="warning")
                return
            self._outbox.blob(kind="source", variant="", name=name, data=path.read_bytes(), path=str(path))
        except OSError as error:
            self._outbox.log(f"{path.name} could not be read: {error}", level="warning")
