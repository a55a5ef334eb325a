"""Lays out what the headless commands print for people: aligned columns, every number with its unit."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from profviz.model.notes import Note, Severity

INDENT = "  "
MARKS = {Severity.INFO: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}


def width(text: str) -> int:
    """Columns a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def pad(text: str, columns: int, *, right: bool = False) -> str:
    gap = " " * max(0, columns - width(text))
    return gap + text if right else text + gap


_STEERS = (*range(9), *range(11, 32), *range(127, 160), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SHOWN = dict.fromkeys(_STEERS, "\N{REPLACEMENT CHARACTER}")


def harmless(text: str) -> str:
    """With marks for control characters, which names in files may have: a terminal would do as they say.

    Also for those that turn the direction of text around them. Line ends and tabs stay.
    """
    return text.translate(_SHOWN)


def table(rows: Iterable[Sequence[str]], *, indent: str = INDENT) -> list[str]:
    """Lines of aligned columns: the first is flush left, the others right, as numbers want it."""
    lines = [tuple(row) for row in rows]
    if not lines:
        return []
    widths = [max(width(row[column]) for row in lines) for column in range(len(lines[0]))]
    made = []
    for row in lines:
        cells = [pad(cell, widths[column], right=column > 0) for column, cell in enumerate(row)]
        made.append((indent + "  ".join(cells)).rstrip())
    return made


def pairs(rows: Iterable[tuple[str, str]], *, indent: str = INDENT) -> list[str]:
    """Lines of a title and a text behind it, both flush left; further lines of a text stand below its first."""
    kept = [(title, text) for title, text in rows if text]
    gap = max((width(title) for title, _ in kept), default=0) + 2
    lines = []
    for title, text in kept:
        first, *others = text.splitlines()
        lines.append(f"{indent}{pad(title, gap)}{first}")
        lines += [f"{indent}{' ' * gap}{line}" for line in others]
    return lines


def note_lines(notes: Iterable[Note], *, indent: str = INDENT) -> list[str]:
    """One line a kind of defect: how many, what, and what was done about it."""
    lines = []
    for note in notes:
        detail = f" ({note.detail})" if note.detail else ""
        lines.append(f"{indent}{MARKS[note.severity]}: {note.kind.title}, {note.count} ×: {note.kind.did}{detail}")
    return lines
