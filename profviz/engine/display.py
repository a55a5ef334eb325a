"""Whether there is a display; apart from all else, since it is asked before anything is loaded."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """Whether a window can be put anywhere: on Linux a display server, or a Qt platform chosen by hand."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
