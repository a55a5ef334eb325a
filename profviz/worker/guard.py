"""The guard: a small process that starts the working child, and ends it with all it started when its stdin closes.

Whoever started the worker holds the other end of that stdin, so the child can't outlive it, however it dies. The
guard never imports torch or numpy and never runs the user's code.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import profviz
from profviz.worker.descendants import adopt_orphans, kill_group, kill_left_over

SCRATCH = "PROFVIZ_SCRATCH"
"""Environment variable with the folder that the guard removes at the end."""

_BOOT = (
    "import sys; sys.path.insert(0, {place!r}); import profviz.worker.__main__ as entry; "
    "sys.path.remove({place!r}); sys.exit(entry.main())"
)


def run_guard() -> int:
    """Starts the child, relays stdin to it, cleans up after it; the child's exit status, 128 + n for signal n."""
    adopt_orphans()
    scratch = tempfile.mkdtemp(prefix="profviz-")
    try:
        child = _start_child(scratch)
        _end_child_on_signals(child)
        threading.Thread(target=_relay, args=(child,), name="relay", daemon=True).start()
        status = child.wait()
        kill_left_over(child.pid)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    sys.stderr.flush()
    os._exit(status if status >= 0 else 128 - status)  # the relay may still sit in a read that nothing interrupts


def child_command() -> list[str]:
    """Runs this very copy of profviz, be it a folder or a bundle, without leaving its place on the script's path."""
    place = str(Path(profviz.__file__).parent.parent)
    return [sys.executable, "-c", _BOOT.format(place=place), "--child", str(os.getpid())]


def _start_child(scratch: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        child_command(),
        stdin=subprocess.PIPE,
        env={**os.environ, SCRATCH: scratch},
        start_new_session=sys.platform != "win32",
    )


def _end_child_on_signals(child: subprocess.Popen[bytes]) -> None:
    """Ctrl-C in a shared terminal is the application's to handle: it closes our stdin when it wants the end.

    A signal that we were started to ignore (by nohup) stays ignored.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")):
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: kill_group(child))


def _relay(child: subprocess.Popen[bytes]) -> None:
    """Copies stdin to the child; the end of it is the order to stop at once."""
    assert child.stdin is not None
    try:
        while data := os.read(0, 1 << 16):
            child.stdin.write(data)
            child.stdin.flush()
    except OSError:
        pass  # the child closed its end or is gone: whether it ended by itself is for the waiting thread to see
    else:
        kill_group(child)
        return
    _drain_then_kill(child)


def _drain_then_kill(child: subprocess.Popen[bytes]) -> None:
    """The child reads no more; the end of our own stdin must still be seen."""
    try:
        while os.read(0, 1 << 16):
            pass
    except OSError:
        pass
    kill_group(child)
