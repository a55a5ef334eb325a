"""Says in plain words how a worker ended that should not have, from its exit status and what it last did."""

from __future__ import annotations

import itertools
import signal

from profviz.model.errors import UserError
from profviz.protocol.messages import StageProgress

_SIGNALS = {
    "SIGSEGV": (
        "crashed (segmentation fault)",
        "Native code the script uses, or a compiled kernel, touched bad memory.",
    ),
    "SIGBUS": ("crashed (bus error)", "Native code touched bad memory, or a shared memory file was too small."),
    "SIGABRT": ("aborted", "Native code gave up; its last words are in the log."),
    "SIGFPE": ("crashed (arithmetic error)", "Native code divided by zero or the like."),
    "SIGILL": ("crashed (illegal instruction)", "Native code was built for another processor."),
    "SIGKILL": ("was killed", "Most likely the system ran out of memory; somebody may also have killed it."),
    "SIGTERM": ("was ended from outside", "Something sent it the signal SIGTERM."),
    "SIGINT": ("was interrupted", "Something sent it the signal SIGINT."),
}
_HINTS = {"SIGKILL": "Try smaller inputs, or look at the system's log for the out-of-memory killer."}
_TAIL_LINES = 12
_CRASH = "Fatal Python error: "
_CRASHED_THREAD = "Current thread "


def signal_name(status: int) -> str:
    """The signal that ended a process, empty for none: from a negative status, or a shell's 128 + number."""
    number = -status if status < 0 else status - 128
    try:
        return signal.Signals(number).name if number > 0 else ""
    except ValueError:
        return ""


def describe_exit(status: int, *, stage: StageProgress | None, log_text: str) -> UserError:
    """The error for a worker that ended without a last message."""
    name = signal_name(status)
    ended, why = _SIGNALS.get(name) or _without_signal(name, status)
    where = f" {describe_stage(stage)}" if stage else ""
    last = last_lines(log_text)
    parts = [part for part in (why, f"Its last output was:\n{last}" if last else "") if part]
    hint = _HINTS.get(name, "What was measured before is kept; the log above it may say more.")
    return UserError(f"The worker {ended}{where}.", why="\n".join(parts), hint=hint)


def _without_signal(name: str, status: int) -> tuple[str, str]:
    """The worker itself always says that it is done: an end without that, and without a signal, was not its own."""
    if name:
        return f"ended by {name}", ""
    return f"ended with exit status {status}", "The script, or code it uses, ended the process (os._exit, for one)."


def describe_stage(stage: StageProgress) -> str:
    """For the end of a sentence: in stage compiling (max-autotune)."""
    named = stage.variant and not stage.stage.startswith(stage.variant)
    return f"in stage {stage.stage.replace('_', ' ')}{f' ({stage.variant})' if named else ''}"


def last_lines(text: str) -> str:
    """The last lines of a log, without the empty ones at its end; of a crash report the script's own frames."""
    report = text.rpartition(_CRASH)
    if report[1]:
        return "\n".join(_own_frames((_CRASH + report[2]).splitlines())[:_TAIL_LINES])
    return "\n".join(text.rstrip().splitlines()[-_TAIL_LINES:])


def _own_frames(lines: list[str]) -> list[str]:
    """The crash and the frames of the thread it was in, innermost first: from the worker's on none is the user's."""
    crashed = next((i for i, line in enumerate(lines) if line.startswith(_CRASHED_THREAD)), 1)
    frames = itertools.takewhile(lambda line: "/profviz/worker/" not in line.replace("\\", "/"), lines[crashed:])
    own = [line for line in frames if line.strip() and not line.startswith("Extension modules")]
    return [lines[0], *own]
