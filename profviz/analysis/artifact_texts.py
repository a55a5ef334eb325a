"""Texts of compile logs as they are shown, compared and searched; takes them from the log, knows no window."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from typing import Any

from profviz.model.artifacts import RECORDS, ArtifactHits, Artifacts, ArtifactText, Language
from profviz.model.errors import UserError
from profviz.model.questions import Question
from profviz.model.results import Results

PAGE_CHARACTERS = 200_000
PAGE_LINES = 4_000
"""A page is shown at once: more would keep the window waiting."""
LINE_CHARACTERS = 2_000
"""Longer lines take a text view seconds to lay out."""
MOST_COMPARED = 60_000
"""Lines that differ somewhere, of both texts together: comparing takes longer than anybody waits beyond."""


class _Number(str):
    """A fraction with the digits it was written with."""

    __slots__ = ()


def answer_text(results: Results, question: Question) -> ArtifactText:
    """`args`: report, artifact, and `TEXT` or `RECORDS`."""
    report, index, what = question.args
    found = _artifacts(results, report)
    if what == RECORDS:
        return shown(found.records(_whole(index)), Language.JSON)
    language, text = found.items[_whole(index)].language, found.text(_whole(index))
    return shown(spread(text) if language is Language.JSON else text, language)


def answer_whole(results: Results, question: Question) -> ArtifactText:
    """`args`: report, artifact. The text as it was logged, in one piece."""
    report, index = question.args
    found = _artifacts(results, report)
    return ArtifactText((found.text(_whole(index)),), found.items[_whole(index)].language)


def answer_difference(results: Results, question: Question) -> ArtifactText:
    """`args`: report and artifact of the one before, then of the one after."""
    before, first, after, second = question.args
    sides = ((before, first), (after, second))
    return difference(*(_comparable(_artifacts(results, report), _whole(at)) for report, at in sides))


def answer_search(results: Results, question: Question) -> ArtifactHits:
    """`args`: report, words. How often each text has the words, in whatever case."""
    report, words = question.args
    found, counts, unread = _artifacts(results, report), {}, ""
    needle = str(words).casefold()
    for index in range(len(found)):
        try:
            count = found.text(index).casefold().count(needle)
        except UserError as error:
            unread = str(error)
            break
        if count:
            counts[index] = count
    return ArtifactHits(counts, unread)


def shown(text: str, language: Language, remark: str = "") -> ArtifactText:
    """A text with its longest lines cut, in pages that end with a line."""
    pages: list[str] = []
    page: list[str] = []
    room, cut = PAGE_CHARACTERS, 0
    for line in text.split("\n"):
        if len(line) > LINE_CHARACTERS:
            cut += 1
            line = f"{line[:LINE_CHARACTERS]} … ({len(line) - LINE_CHARACTERS} more characters)"
        if page and (len(page) >= PAGE_LINES or len(line) > room):
            pages.append("\n".join(page))
            page, room = [], PAGE_CHARACTERS
        page.append(line)
        room -= len(line) + 1
    pages.append("\n".join(page))
    return ArtifactText(tuple(pages), language, cut, remark)


def spread(text: str) -> str:
    """JSON over several lines, with the lines of texts in it under each other; as it is where it is no JSON."""
    try:
        return "\n".join(_lines(json.loads(text, parse_float=_Number), ""))
    except (ValueError, RecursionError):
        return text


def _lines(value: Any, indent: str) -> list[str]:
    """Lines of one value; the first has no indent, as it stands behind a key."""
    if isinstance(value, dict) and value:
        parts = [(f"{json.dumps(str(key), ensure_ascii=False)}: ", one) for key, one in value.items()]
        return _between("{", parts, "}", indent)
    if isinstance(value, list) and value and not _is_short(value):
        return _between("[", [("", one) for one in value], "]", indent)
    if isinstance(value, list) and value:
        return [f"[{', '.join(_lines(one, '')[0] for one in value)}]"]
    if isinstance(value, _Number):
        return [value]
    if isinstance(value, str) and "\n" in value:
        return _text_lines(value, indent)
    return [json.dumps(value, ensure_ascii=False)]


def _between(opening: str, parts: Sequence[tuple[str, Any]], closing: str, indent: str) -> list[str]:
    inner, lines = indent + "  ", [opening]
    for at, (key, one) in enumerate(parts):
        first, *more = _lines(one, inner)
        lines += [f"{inner}{key}{first}", *more]
        if at + 1 < len(parts):
            lines[-1] += ","
    return [*lines, indent + closing]


def _text_lines(value: str, indent: str) -> list[str]:
    """JSON within a text is spread as well: torch logs its settings so."""
    if value[:1] + value[-1:] in ("{}", "[]"):
        try:
            return _lines(json.loads(value, parse_float=_Number), indent)
        except (ValueError, RecursionError):
            pass
    first, *more = value.split("\n")
    return [f'"{first}', *(f"{indent}  {line}" for line in more[:-1]), f'{indent}  {more[-1]}"']


def _is_short(value: list[Any]) -> bool:
    """Shapes and the like stay on one line."""
    return len(value) <= 8 and all(isinstance(one, int | _Number | None) for one in value)


def difference(before: str, after: str) -> ArtifactText:
    """A unified diff; the lines that both begin and end with are not compared again."""
    first, second = before.split("\n"), after.split("\n")
    if first == second:
        return ArtifactText((), Language.DIFF, remark="Both say the same.")
    start, end = _common(first, second)
    if len(first) + len(second) - 2 * (start + end) > MOST_COMPARED:
        remark = (
            f"They differ over more than {MOST_COMPARED} lines: too many to compare here. Save both and compare those."
        )
        return ArtifactText((), Language.DIFF, remark=remark)
    kept_before, kept_after = max(0, start - 3), max(0, end - 3)
    lines = list(
        difflib.unified_diff(
            first[kept_before : len(first) - kept_after], second[kept_before : len(second) - kept_after], lineterm=""
        )
    )[2:]
    less, more = (sum(line.startswith(sign) for line in lines) for sign in "-+")
    moved = [_shifted(line, kept_before) if line.startswith("@@") else line for line in lines]
    return shown("\n".join(moved), Language.DIFF, f"{less} lines gone, {more} new")


def _common(first: list[str], second: list[str]) -> tuple[int, int]:
    """How many lines are the same at the beginning, and of the rest at the end."""
    most = min(len(first), len(second))
    start = next((at for at in range(most) if first[at] != second[at]), most)
    end = next((at for at in range(most - start) if first[-1 - at] != second[-1 - at]), most - start)
    return start, end


def _shifted(header: str, lines: int) -> str:
    """A hunk's header with its line numbers counted from the beginning of the whole text."""
    _, before, after, _ = header.split(" ")
    return f"@@ {_later(before, lines)} {_later(after, lines)} @@"


def _later(part: str, lines: int) -> str:
    number, comma, count = part[1:].partition(",")
    return f"{part[0]}{int(number) + lines}{comma}{count}"


def _comparable(found: Artifacts, index: int) -> str:
    text = found.text(index)
    return spread(text) if found.items[index].language is Language.JSON else text


def _artifacts(results: Results, report: Any) -> Artifacts:
    return results.reports[_whole(report)][1].artifacts


def _whole(value: Any) -> int:
    return int(value)
