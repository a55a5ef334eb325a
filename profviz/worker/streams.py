"""Takes the protocol's pipes away from fds 0 and 1, so that nothing the user's code prints or reads can touch them."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import BinaryIO


def take_protocol() -> tuple[BinaryIO, BinaryIO]:
    """The request and result streams on private fds; fd 0 then reads the null device and fd 1 writes to stderr.

    This holds for C code and for child processes too: the private fds are not inherited.
    """
    requests, results = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    _binary_on_windows(requests, results)
    _close_in_forks(requests, results)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    return os.fdopen(requests, "rb"), os.fdopen(results, "wb")


def _binary_on_windows(*fds: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        for fd in fds:
            msvcrt.setmode(fd, os.O_BINARY)


def _close_in_forks(*fds: int) -> None:
    """A process that the script forks must not speak in our name."""

    def point_at_null() -> None:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in fds:
            os.dup2(null, fd, inheritable=False)
        os.close(null)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=point_at_null)
