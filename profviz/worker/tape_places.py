"""Which line and which module made each node: by the sequence number that the next node gets when they are reached.

Python's own tracing sees each line of code outside torch; torch's module hooks see modules. Neither changes a result.
"""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from bisect import bisect_right
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as modules

from profviz.model.graph import SourceLine

MOST_LINES = 2_000_000
"""Steps that run more lines of Python are traced no further: it would take longer than it is worth."""
_INSTALLED = ("site-packages", "dist-packages")


class _Marks:
    """What holds from a sequence number on; of several at one number the last."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._values: list[Any] = []

    def put(self, number: int, value: Any) -> None:
        if self._numbers and self._numbers[-1] == number:
            self._values[-1] = value
        else:
            self._numbers.append(number)
            self._values.append(value)

    def at(self, number: int | None) -> Any:
        place = bisect_right(self._numbers, number) - 1 if number is not None else -1
        return self._values[place] if place >= 0 else None


def _own_folders() -> tuple[str, ...]:
    """Folders whose code asks for nothing on its own account: torch, the standard library, this package."""
    found = (str(Path(torch.__file__).parent), sysconfig.get_paths()["stdlib"], str(Path(__file__).parent))
    return tuple(os.path.realpath(folder) + os.sep for folder in found)


class Places:
    """Within it lines and modules are noted. Where torch cannot tell its numbers, nothing is."""

    def __init__(self, model: Any) -> None:
        self.notes: list[str] = []
        self._next = getattr(torch.autograd, "_get_sequence_nr", None)
        self._paths = {id(one): path for path, one in model.named_modules()} if isinstance(model, nn.Module) else {}
        self._lines, self._modules, self._hooks = _Marks(), _Marks(), _Marks()
        self._stack: list[tuple[str, int, str]] = []
        self._module_stack: list[str] = []
        self._folders = _own_folders()
        self._asks: dict[str, bool] = {}
        self._left = MOST_LINES
        self._handles: list[Any] = []
        self._before: Any = None
        self._enter_hooks: Any = None

    def __enter__(self) -> None:
        if self._next is None:
            self.notes.append("This torch tells no sequence numbers: lines and modules are not known.")
            return
        self._handles = [
            modules.register_module_forward_pre_hook(self._enter_module),
            modules.register_module_forward_hook(self._leave_module, always_call=True),
        ]
        self._watch_saved_hooks()
        self._before = sys.gettrace()
        sys.settrace(self._call)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._next is None:
            return
        sys.settrace(self._before)
        self._lines.put(self._next(), None)
        self._unwatch_saved_hooks()
        for handle in self._handles:
            handle.remove()

    def line_of(self, sequence: int | None) -> SourceLine | None:
        found = self._lines.at(sequence)
        if found is None:
            return None
        file, line, function = found
        return SourceLine(file, line, function, linecache.getline(file, line).rstrip("\n"))

    def module_of(self, sequence: int | None) -> str:
        return self._modules.at(sequence) or ""

    def hidden(self, sequence: int | None) -> bool:
        """Whether hooks took what the node saved."""
        return bool(self._hooks.at(sequence))

    # lines

    def _call(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        if not self._asking(frame.f_code.co_filename):
            return None
        self._stack.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        self._note_line()
        return self._step

    def _step(self, frame: FrameType, event: str, _arg: Any) -> Any:
        self._left -= 1
        if self._left <= 0:
            self._give_up()
            return None
        if event == "line" and self._stack:
            self._stack[-1] = (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        elif event == "return" and self._stack:
            self._stack.pop()
        self._note_line()
        return self._step

    def _note_line(self) -> None:
        if self._next is not None:
            self._lines.put(self._next(), self._stack[-1] if self._stack else None)

    def _give_up(self) -> None:
        sys.settrace(None)
        self._stack.clear()
        if self._left == 0:
            self._note_line()
            self.notes.append(
                f"The step runs more than {MOST_LINES} lines of Python: those of later nodes are unknown."
            )

    def _asking(self, file: str) -> bool:
        if file not in self._asks:
            place = os.path.realpath(file)
            inside = [folder for folder in self._folders if place.startswith(folder)]
            installed = any(part in place[len(self._folders[1]) :] for part in _INSTALLED)
            stdlib_only = inside == [self._folders[1]]
            self._asks[file] = not file.startswith("<") and (not inside or (stdlib_only and installed))
        return self._asks[file]

    # modules

    def _enter_module(self, module: nn.Module, _args: Any) -> None:
        outer = self._module_stack[-1] if self._module_stack else ""
        self._module_stack.append(self._paths.get(id(module), outer))
        self._note_module()

    def _leave_module(self, _module: nn.Module, _args: Any, _output: Any) -> None:
        if self._module_stack:
            self._module_stack.pop()
        self._note_module()

    def _note_module(self) -> None:
        if self._next is not None:
            self._modules.put(self._next(), self._module_stack[-1] if self._module_stack else "")

    # saved-tensor hooks, where torch (before 2.7) does not tell of them itself

    def _watch_saved_hooks(self) -> None:
        if hasattr(torch._C._autograd.SavedTensor, "unpack_hook"):
            return
        kind, noted = torch.autograd.graph.saved_tensors_hooks, self._note_hooks
        self._enter_hooks = kind.__enter__, kind.__exit__
        enter, leave = self._enter_hooks
        depth = [0]

        def entering(hooks: Any) -> Any:
            depth[0] += 1
            noted(depth[0])
            return enter(hooks)

        def leaving(hooks: Any, *error: Any) -> Any:
            depth[0] -= 1
            noted(depth[0])
            return leave(hooks, *error)

        kind.__enter__, kind.__exit__ = entering, leaving

    def _note_hooks(self, depth: int) -> None:
        if self._next is not None:
            self._hooks.put(self._next(), depth > 0)

    def _unwatch_saved_hooks(self) -> None:
        if self._enter_hooks is not None:
            kind = torch.autograd.graph.saved_tensors_hooks
            kind.__enter__, kind.__exit__ = self._enter_hooks
