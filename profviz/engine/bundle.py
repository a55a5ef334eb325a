"""Packs what the worker needs into one zip file that any Python can start, with profviz installed there or not."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import zipfile
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from profviz.engine.places import cache_folder

PACKAGES = ("model", "protocol", "worker")
OLDEST_PYTHON = (3, 11)
_EPOCH = (1980, 1, 1, 0, 0, 0)

# Runs in whatever interpreter the user chose, so it must be understood by very old ones: it says so by the protocol.
_MAIN = """\
import sys

if sys.version_info[:2] < {oldest!r}:
    import json
    found = "Python %d.%d" % tuple(sys.version_info[:2])
    failure = {{
        "what": "The chosen interpreter is too old.",
        "why": "%s is %s; the worker needs {wanted} or newer." % (sys.executable, found),
        "hint": "Choose another one with --python.",
    }}
    sys.stdout.write(json.dumps({{"kind": "failed", "data": {{"failure": failure}}}}) + "\\n")
    sys.exit(3)

from profviz.worker.__main__ import main

sys.exit(main())
"""


def worker_bundle() -> Path:
    """The bundle's path; it is built once for each content and shared by every start."""
    content = bundle_bytes()
    name = f"worker-{hashlib.sha256(content).hexdigest()[:16]}.pyz"
    for folder in (cache_folder(), Path(tempfile.gettempdir()) / f"profviz-{_user()}"):
        path = folder / name
        if _holds(path, content) or _put(path, content):
            return path
    raise OSError(f"no folder to keep {name} in")


def bundle_bytes() -> bytes:
    """The zip's bytes: the same for the same sources."""
    files = {"__main__.py": _main_text().encode(), "profviz/__init__.py": _source("__init__.py").read_bytes()}
    for package in PACKAGES:
        files.update(_python_files(_source(package), f"profviz/{package}"))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return made.getvalue()


def _main_text() -> str:
    return _MAIN.format(oldest=OLDEST_PYTHON, wanted=".".join(map(str, OLDEST_PYTHON)))


def _source(name: str) -> Traversable:
    return resources.files("profviz") / name


def _python_files(folder: Traversable, prefix: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            found.update(_python_files(entry, f"{prefix}/{entry.name}"))
        elif entry.name.endswith(".py"):
            found[f"{prefix}/{entry.name}"] = entry.read_bytes()
    return found


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")


def _holds(path: Path, content: bytes) -> bool:
    """Compared whole: a file that somebody else put there is not run."""
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _put(path: Path, content: bytes) -> bool:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=".worker-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(partial).replace(path)
    except OSError:
        return False
    return True
