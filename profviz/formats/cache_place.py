"""Where the platform keeps a user's data and what can be made again; imports nothing, for everything starts here."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME_VARIABLE = "PROFVIZ_HOME"


def cache_folder() -> Path:
    """Files that can be made again at any time; PROFVIZ_HOME replaces the platform's place. May not exist yet."""
    home = os.environ.get(HOME_VARIABLE)
    return Path(home) / "cache" if home else platform_folder("cache") / "profviz"


def platform_folder(purpose: str) -> Path:
    """The platform's folder for a user's "data" or "cache"."""
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / ("Caches" if purpose == "cache" else "Application Support")
    if purpose == "cache":
        return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
