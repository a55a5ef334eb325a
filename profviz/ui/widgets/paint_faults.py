"""What goes wrong while something is painted is told where it goes wrong; knows no message and no window."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QPaintEvent

PaintEvent = Callable[[Any, QPaintEvent], None]


def told(paint: PaintEvent) -> PaintEvent:
    """For each `paintEvent`: its exception goes to `sys.excepthook`, once for each text and widget.

    One that goes on into Qt comes out of whatever is called next, so that other widgets fail with it, and where Python
    had called Qt it ends the process (PySide 6.11). Told each time, the message would have the widget painted anew.
    """

    @functools.wraps(paint)
    def painted(self: Any, event: QPaintEvent) -> None:
        try:
            paint(self, event)
        except Exception as error:
            known = self.__dict__.setdefault("_faults_told", set())
            if (text := f"{type(error).__name__}: {error}") not in known:
                known.add(text)
                sys.excepthook(type(error), error, error.__traceback__)

    return painted
