"""Where the platform keeps a user's data and what can be made again; imports little, for everything starts here."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME_VARIABLE = "PROFVIZ_HOME"
_MOUNTS = Path("/proc/self/mounts")
_REMOTE = ("nfs", "cifs", "smb", "lustre", "gpfs", "beegfs", "ceph", "afs", "9p", "virtiofs", "glusterfs", "fuse")


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


def may_vanish(folder: Path) -> bool:
    """Whether another machine may take away a file in a folder while it is mapped here, which ends the process.

    True as well where the system does not tell and mounts of such kind are usual.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
        path = folder.resolve()
    except OSError:
        return True
    mounts = [(Path(fields[1].replace("\\040", " ")), fields[2]) for line in lines if len(fields := line.split()) > 2]
    over = [
        (len(place.parts), number, kind) for number, (place, kind) in enumerate(mounts) if path.is_relative_to(place)
    ]
    return not over or max(over)[2].startswith(_REMOTE)
