"""Turns whatever the user's code or torch raised into a `Failure` in the user's words; imports no torch."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from profviz.model.run import Failure

_OUT_OF_MEMORY = ("DefaultCPUAllocator", "out of memory", "bad_alloc")


class WorkerError(Exception):
    """The worker itself found that something can't be done: `what`, `why` and `hint` are for the user's eyes."""

    def __init__(self, what: str, *, why: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.hint = hint


def failure_of(error: BaseException, *, script: str, stage: str, variant: str = "") -> Failure:
    """The failure that `error` is; its traceback keeps the frames of the script's folder, or all where none is."""
    what, why, hint = _explain(error, script, stage)
    text = "" if isinstance(error, WorkerError) else trimmed_traceback(error, script=script)
    return Failure(what, why=why, hint=hint, traceback=text, stage=stage, variant=variant)


def _explain(error: BaseException, script: str, stage: str) -> tuple[str, str, str]:
    if isinstance(error, WorkerError):
        return error.what, error.why, error.hint
    if isinstance(error, SystemExit):
        return _exited(error, stage)
    for applies, explain in _EXPLANATIONS:
        if applies(error):
            return explain(error, script)
    where = _last_own_line(error, script)
    return f"{type(error).__name__}: {_first_line(error)}", where and f"Raised at {where}.", ""


def _exited(error: SystemExit, stage: str) -> tuple[str, str, str]:
    what = f"The script ended itself: sys.exit({_shown(error.code)})"
    if stage != "loading":
        return what, "A step of the workload called it.", "Raise an error there, or return, so that the run can go on."
    return (
        what,
        "A script that exits while it is loaded leaves no model to run.",
        'Put the call under  if __name__ == "__main__":  so that loading the file does not run it.',
    )


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"


def message_of(error: BaseException) -> str:
    """What the error says; that is the user's own code too, and may fail itself."""
    try:
        return str(error)
    except Exception as second:
        return f"<its message can't be shown: {type(second).__name__}>"


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in message_of(error).splitlines() if line.strip()), "no message")


def _has_cause(error: BaseException, *names: str) -> bool:
    """Whether the error, or one it was raised from, is of a class with one of these names."""
    seen: BaseException | None = error
    for _ in range(10):
        if seen is None:
            return False
        if type(seen).__name__ in names or any(name in _first_line(seen) for name in names):
            return True
        seen = seen.__cause__ or seen.__context__ or getattr(seen, "inner_exception", None)
    return False


def _out_of_memory(error: BaseException) -> bool:
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or (isinstance(error, RuntimeError) and any(word in message_of(error) for word in _OUT_OF_MEMORY))
    )


def _syntax_place(error: BaseException, script: str) -> str:
    """Where the parser stopped; it knows no line of a file that it could not take as text at all."""
    name = Path(str(getattr(error, "filename", None) or script)).name
    line = getattr(error, "lineno", None)
    return f"Line {line} of {name}." if line else f"It is {name} as a whole."


Explanation = Callable[[BaseException, str], tuple[str, str, str]]

_EXPLANATIONS: tuple[tuple[Callable[[BaseException], bool], Explanation], ...] = (
    (
        lambda error: isinstance(error, KeyboardInterrupt),
        lambda error, script: ("The script was interrupted", "It raised KeyboardInterrupt.", ""),
    ),
    (
        _out_of_memory,
        lambda error, script: (
            "Out of memory",
            _first_line(error),
            "Take a smaller batch or model, or a device with more memory.",
        ),
    ),
    (
        lambda error: isinstance(error, EOFError) and "reading a line" in message_of(error),
        lambda error, script: (
            "The script asks for input from the keyboard",
            f"It reads its standard input, which is empty here ({_last_own_line(error, script) or 'input()'}).",
            'Write the answer into the script, or put the question under  if __name__ == "__main__":  .',
        ),
    ),
    (
        lambda error: isinstance(error, ModuleNotFoundError),
        lambda error, script: (
            _first_line(error),
            f"The script imports a module that {sys.executable} does not have.",
            "Install it there, or choose the Python interpreter of the environment that has it.",
        ),
    ),
    (
        lambda error: isinstance(error, SyntaxError),
        lambda error, script: (
            f"The script is not valid Python {sys.version_info.major}.{sys.version_info.minor}: {_first_line(error)}",
            _syntax_place(error, script),
            "",
        ),
    ),
    (
        lambda error: _has_cause(error, "InvalidCxxCompiler", "No working C++ compiler"),
        lambda error, script: (
            "torch.compile found no working C++ compiler",
            "Inductor builds its CPU kernels with one. " + _first_line(error),
            "Install g++ (Debian, Ubuntu: apt-get install g++) or set CXX to your compiler.",
        ),
    ),
    (
        lambda error: _has_cause(error, "Failed to find C compiler", "TritonMissing"),
        lambda error, script: (
            "torch.compile could not build Triton kernels",
            _first_line(error),
            "Triton needs the package triton and a C compiler (Debian, Ubuntu: apt-get install gcc).",
        ),
    ),
    (
        lambda error: (
            type(error).__name__ in ("Unsupported", "UserError") and type(error).__module__.startswith("torch._dynamo")
        ),
        lambda error, script: (
            f"The model can't be compiled as one graph: {_first_line(error)}",
            "With fullgraph a graph break is an error.",
            "Leave fullgraph off to see where it breaks, or rewrite the line that breaks.",
        ),
    ),
    (
        lambda error: type(error).__module__.startswith(("torch._inductor", "torch._dynamo")),
        lambda error, script: (
            f"torch.compile failed: {_first_line(error)}",
            f"{type(error).__name__} while compiling; the eager results stay.",
            "",
        ),
    ),
)


def trimmed_traceback(error: BaseException, *, script: str) -> str:
    """Like Python's own, but only with the frames of the script's folder; whole when there are none."""
    frames = _own(traceback.extract_tb(error.__traceback__), script)
    if not frames and not isinstance(error, SyntaxError):
        return "".join(traceback.format_exception(type(error), error, error.__traceback__))
    head = ["Traceback (of your own code):\n"] if frames else []
    return "".join([*head, *traceback.format_list(frames), *traceback.format_exception_only(type(error), error)])


def trimmed_stack(frame: FrameType | None, *, script: str) -> str:
    """Where a thread stands now, in the script's own frames; whole when there are none."""
    stack = traceback.extract_stack(frame)
    return "".join(traceback.format_list(_own(stack, script) or list(stack)))


def _own(frames: traceback.StackSummary, script: str) -> list[traceback.FrameSummary]:
    folder = os.path.realpath(Path(script).parent) + os.sep
    return [
        frame
        for frame in frames
        if os.path.realpath(frame.filename).startswith(folder)
        and "site-packages" not in frame.filename[len(folder) - 1 :]
        and not _is_ours(frame.filename)
    ]


def _is_ours(filename: str) -> bool:
    return os.path.realpath(filename).startswith(os.path.realpath(Path(__file__).parent) + os.sep)


def _last_own_line(error: BaseException, script: str) -> str:
    own = _own(traceback.extract_tb(error.__traceback__), script)
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
