"""Bytes of a log to records: one glog line with a JSON object, then payload lines that begin with a tab."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from profviz.formats.document import Progress
from profviz.model.graph import SourceLine
from profviz.model.notes import NoteBook

_HEADER = re.compile(rb"[A-Z]\d{4} \d\d:\d\d:\d\d\.\d+ +(\d+) [^\]\n]*\] ?(?=\{)")
_ENVELOPE = frozenset(
    ["rank", "compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "has_payload", "stack", "subgraph_name"]
)
PROGRESS_BYTES = 1 << 20
MOST_DEEP = 64
"""Records with lists within lists beyond that are damaged: no torch writes them, and who walks them would overflow."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: `kind` is the JSON key that is no envelope, or the artifact's name; `value` what stands under it.

    `frame` is (frame id, compile of that frame) or None outside a compilation, `autograd` the number of the graph of
    compiled autograd that it belongs to; it lies in the bytes from `offset` to before `end` of the log.
    """

    kind: str
    value: Any
    payload: str
    pid: int
    rank: int | None
    frame: tuple[int, int] | None
    attempt: int
    offset: int
    strings: dict[int, str]
    end: int
    autograd: int | None = None

    def json(self) -> Any:
        """The payload as JSON; None where it is none. Fractions stay text: times must not go through a float."""
        try:
            return json.loads(self.payload, parse_float=str)
        except (ValueError, RecursionError):
            return None

    def stack(self, frames: Any) -> tuple[SourceLine, ...]:
        """A logged stack with its file names looked up; entries that make no sense are left out."""
        return (
            tuple(self._line(frame) for frame in frames if isinstance(frame, dict)) if isinstance(frames, list) else ()
        )

    def _line(self, frame: dict[str, Any]) -> SourceLine:
        name = frame.get("filename")
        file = self.strings.get(name, "") if isinstance(name, int) else str(name or "")
        line = frame.get("line")
        text = frame.get("loc")
        return SourceLine(file, line if isinstance(line, int) else 0, str(frame.get("name") or ""), str(text or ""))


def is_compile_log(head: bytes) -> bool:
    """Whether a file begins like a structured log (within its first lines)."""
    return any(_HEADER.match(line) for line in head.split(b"\n", 20)[:20])


def read_records(data: bytes, book: NoteBook, *, progress: Progress | None = None) -> list[Record]:
    """Every record that can be used, in file order; `str` records fill the string table and are not returned."""
    strings: dict[int, dict[int, str]] = {}
    found = []
    told = 0
    for offset, end, header, body, payload in _split(data, book):
        if progress and offset - told >= PROGRESS_BYTES:
            told = offset
            progress(offset, len(data))
        envelope = _envelope(body, offset, book)
        if envelope is not None:
            table = strings.setdefault(header, {})
            place = (offset, end)
            record = _record(envelope, payload, pid=header, place=place, strings=table, book=book)
            if record is not None:
                found.append(record)
    return found


def envelopes(data: bytes) -> Iterator[tuple[dict[str, Any], str]]:
    """The JSON object and the payload of each record in a part of a log."""
    book = NoteBook()
    for offset, _, _, body, payload in _split(data, book):
        if (envelope := _envelope(body, offset, book)) is not None:
            yield envelope, b"\n".join(payload).decode("utf-8", "replace")


def _split(data: bytes, book: NoteBook) -> Iterator[tuple[int, int, int, bytes, list[bytes]]]:
    """Yields (offset, end, pid, JSON bytes, payload lines)."""
    current: tuple[int, int, bytes, list[bytes]] | None = None
    offset = 0
    for line in data.split(b"\n"):
        if line.startswith(b"\t"):
            if current is not None:
                current[3].append(line[1:])
        elif line.strip():
            if current is not None:
                yield current[0], offset, *current[1:]
            match = _HEADER.match(line)
            current = (offset, int(match[1]), line[match.end() :], []) if match else None
            if match is None:
                book.add("bad_record", text=_short(line), offset=offset)
        offset += len(line) + 1
    if current is not None:
        yield current[0], len(data), *current[1:]


def _envelope(body: bytes, offset: int, book: NoteBook) -> dict[str, Any] | None:
    try:
        envelope = json.loads(body)
    except (ValueError, RecursionError):
        envelope = None
    if not isinstance(envelope, dict) or (body.count(b"[") + body.count(b"{") > MOST_DEEP and _is_deep(envelope)):
        book.add("bad_record", text=_short(body), offset=offset)
        return None
    return envelope


def _is_deep(value: Any) -> bool:
    """Whether lists and objects lie further within one another than is ever meant."""
    level = [value]
    for _ in range(MOST_DEEP):
        level = [
            one
            for outer in level
            for one in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(one, dict | list)
        ]
        if not level:
            return False
    return True


def _record(
    envelope: dict[str, Any],
    lines: list[bytes],
    *,
    pid: int,
    place: tuple[int, int],
    strings: dict[int, str],
    book: NoteBook,
) -> Record | None:
    kind = next((key for key in envelope if key not in _ENVELOPE), "")
    value = envelope.get(kind)
    if kind == "str":
        _learn(value, strings)
        return None
    payload = b"\n".join(lines)
    digest = envelope.get("has_payload")
    if isinstance(digest, str) and hashlib.md5(payload, usedforsecurity=False).hexdigest() != digest:
        book.add("bad_digest", text=kind, offset=place[0])
    if kind == "artifact" and isinstance(value, dict):
        kind = str(value.get("name") or "artifact")
    return Record(
        kind=kind,
        value=value,
        payload=payload.decode("utf-8", "replace"),
        pid=pid,
        rank=integer(envelope.get("rank")),
        frame=_frame(envelope),
        attempt=integer(envelope.get("attempt")) or 0,
        offset=place[0],
        strings=strings,
        end=place[1],
        autograd=integer(envelope.get("compiled_autograd_id")),
    )


def _learn(value: Any, strings: dict[int, str]) -> None:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int):
        strings[value[1]] = value[0]


def _frame(envelope: dict[str, Any]) -> tuple[int, int] | None:
    frame, number = integer(envelope.get("frame_id")), integer(envelope.get("frame_compile_id"))
    return None if frame is None or number is None else (frame, number)


def integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _short(line: bytes) -> str:
    return line[:120].decode("utf-8", "replace")
