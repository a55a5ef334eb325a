"""Torch's texts about what it can't trace, taken apart: title, explanation, hints, id, and the calls that led there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from profviz.formats.compile_log.plain_words import plain_words
from profviz.model.compile_report import BreakReason
from profviz.model.graph import SourceLine

_AT = re.compile(r"^Graph break in user code at (.+):(\d+)\s*$", re.MULTILINE)
_REASON = re.compile(r"^(?:Graph Break )?Reason: (.*)$", re.MULTILINE)
_ID = re.compile(r"gb/(gb\d+)\.html", re.IGNORECASE)
_EXPLANATION = re.compile(r"^\s*Explanation: (.*)$", re.MULTILINE)
_HINT = re.compile(r"^\s+Hint: (.*)$", re.MULTILINE)
_CONTEXT = re.compile(r"^\s*Developer debug context: (.*)$", re.MULTILINE)
_NEAR = re.compile(r'# File "([^"]+)", line (\d+), in (\S+), code: (.*)')
_FOLLOWED_BY = re.compile(
    r"^\*\*\* While handling this graph break, another graph break occurred: \*\*\*$", re.MULTILINE
)
_TRACEBACK = re.compile(
    r"^(?:User code traceback|The graph break occurred in the following user code):\n(.*?)(?:\n\s*\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_PREFIX = re.compile(r"^(?:(?:Graph Break )?Reason:\s*)?(?:Unsupported: )?")  # the counters do without
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)\n(?:[ \t]+(?![ \t]*File ")(.*))?')
_LIBRARY = re.compile(
    r"site-packages|dist-packages|/lib/python3|[\\/]Lib[\\/]|^<"
    r"|[\\/]torch[\\/](?:_\w+|nn|autograd|optim|utils|fx|amp|cuda|distributed|functional\.py|profiler|export)\b"
    r"|[\\/]profviz[\\/]worker[\\/]"
)
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+)_at_\d+$")
_SKIPPING = re.compile(r"Skipping the function and falling back to eager|will skip tracing the frame|skip: ")


@dataclass(frozen=True, slots=True)
class BreakText:
    """What one text says: why, where torch stood, and the Python stack from the outermost call inwards."""

    reason: BreakReason
    told: SourceLine | None
    stack: tuple[SourceLine, ...]
    says_skipped: bool

    @property
    def source(self) -> SourceLine | None:
        """The user's line: innermost of the stack that is no library's, else where torch says it stood."""
        return user_line(self.stack) or self._told_in_stack() or self.told

    def _told_in_stack(self) -> SourceLine | None:
        if self.told is None:
            return None
        at = (self.told.file, self.told.line)
        return next((line for line in self.stack if (line.file, line.line) == at), None)


def parse_break(text: str) -> BreakText:
    """Takes the payload of a `dynamo_graph_break_reason` record apart."""
    at = _AT.search(text)
    told = SourceLine(at[1], int(at[2])) if at else None
    about = re.split(r"^(?:User code traceback|The graph break occurred)", text, maxsplit=1, flags=re.MULTILINE)[0]
    return BreakText(parse_reason(about), told, _stack(text), bool(_SKIPPING.search(about)))


def parse_reason(about: str) -> BreakReason:
    """Why, from the part of a text that comes before any stack. What broke first counts, not what followed from it."""
    first = _FOLLOWED_BY.split(about, maxsplit=1)[0]
    code = _ID.search(first)
    title = _title(first)
    gb_id = code[1].upper() if code else ""
    return BreakReason(
        text=title,
        plain=plain_words(title, gb_id=gb_id, context=_first(_CONTEXT, first)),
        explanation=_first(_EXPLANATION, first),
        hints=tuple(dict.fromkeys(hint.strip() for hint in _HINT.findall(first))),
        gb_id=gb_id,
        near=_near(first),
    )


def _near(about: str) -> SourceLine | None:
    """The last line that an explanation quotes: of a branch on data, where its condition was computed."""
    quoted = _NEAR.findall(about)
    if not quoted:
        return None
    file, line, function, code = quoted[-1]
    return SourceLine(file, int(line), resumed_function(function), code.strip())


def is_library(line: SourceLine) -> bool:
    """Whether a line is torch's, an installed package's, Python's own or of the worker that runs the script."""
    return bool(_LIBRARY.search(line.file))


def user_line(stack: tuple[SourceLine, ...]) -> SourceLine | None:
    """The innermost frame that is no library's."""
    return next((line for line in reversed(stack) if not is_library(line)), None)


def calls_of(stack: tuple[SourceLine, ...]) -> tuple[SourceLine, ...]:
    """A stack without the library frames between the user's; those below the user's last line stay."""
    last = max((at for at, line in enumerate(stack) if not is_library(line)), default=-1)
    return tuple(line for at, line in enumerate(stack) if at > last or not is_library(line))


def resumed_function(name: str) -> str:
    """`forward` of `torch_dynamo_resume_in_forward_at_13`, the rest of a function behind a break; else the name."""
    match = _RESUMED.match(name)
    return match[1] if match else name


def _stack(text: str) -> tuple[SourceLine, ...]:
    block = _TRACEBACK.search(text)
    frames = _FRAME.findall(block[1] + "\n") if block else []
    return tuple(
        SourceLine(file, int(line), resumed_function(function), code.strip()) for file, line, function, code in frames
    )


def _title(about: str) -> str:
    """The registry's name of the break (the line above its explanation), else torch's general reason."""
    lines = about.split("\n")
    at = next((i for i, line in enumerate(lines) if line.lstrip().startswith("Explanation:")), 0)
    title = next((line.strip() for line in reversed(lines[:at]) if line.strip()), "")
    title = title or _first(_REASON, about) or next((line.strip() for line in lines if line.strip()), "")
    return _PREFIX.sub("", title) or "no reason given"


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1].strip() if match else ""
