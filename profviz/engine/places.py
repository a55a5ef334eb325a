"""Where things lie: samples and resources (checkout or installed wheel), the user's data folder, the cache."""

from __future__ import annotations

import os
import time
from pathlib import Path

import profviz
from profviz.formats.cache_place import HOME_VARIABLE as HOME_VARIABLE
from profviz.formats.cache_place import cache_folder as cache_folder
from profviz.formats.cache_place import platform_folder
from profviz.model.errors import UserError

SESSION_SUFFIX = ".profviz"


def samples_folder() -> Path | None:
    """The folder with the sample scripts and traces, None where this installation has none."""
    return _folder("samples")


def resources_folder() -> Path | None:
    """The folder with icons and other files of the window, None where this installation has none."""
    return _folder("resources")


def _folder(name: str) -> Path | None:
    """A checkout keeps it at its top, an installed wheel within the package."""
    package = Path(profviz.__file__).resolve().parent
    checkout = package.parent
    place = checkout / name if (checkout / "pyproject.toml").is_file() else package / name
    return place if place.is_dir() else None


def data_folder() -> Path:
    """Where sessions and the list of recent files are kept; PROFVIZ_HOME replaces the platform's place."""
    home = os.environ.get(HOME_VARIABLE)
    return Path(home) if home else platform_folder("data") / "profviz"


def sessions_folder() -> Path:
    """Where a run is saved unless a place was given; may not exist yet."""
    return data_folder() / "sessions"


def new_session_path(script: str, *, folder: Path | None = None) -> Path:
    """A path for a new run of `script` that no file has: its name and the time; makes the folder."""
    folder = folder or sessions_folder()
    make_folder(folder)
    stem = f"{Path(script).stem or 'run'}-{time.strftime('%Y%m%d-%H%M%S')}"
    path = folder / f"{stem}{SESSION_SUFFIX}"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}{SESSION_SUFFIX}"
        number += 1
    return path


def make_folder(folder: Path) -> None:
    """Makes a folder and its parents; raises UserError when that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"The folder {folder} cannot be made.",
            why=error.strerror or str(error),
            hint=f"Choose another place with -o, or set {HOME_VARIABLE} to a folder that can be written.",
        ) from None
