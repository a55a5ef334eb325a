"""Makes a long compile log out of a real one, repeated with other frame ids: no compilation is the same as another."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

_HEAD = re.compile(rb"^[A-Z]\d{4} [^\]\n]*\] (?=\{)", re.MULTILINE)
_IN_PAYLOAD = re.compile(r'"(\d+)/(\d+)"')


def read_log(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.name.endswith(".gz") else data


def grown(data: bytes, *, size: int) -> bytes:
    """At least `size` bytes of copies of `data`, each with frame ids of its own and payload digests that fit."""
    records = _split(data)
    frames = 1 + max((head.get("frame_id") or 0 for _, head, _ in records), default=0)
    parts, total, copy = [], 0, 0
    while total < size:
        made = data if copy == 0 else b"".join(_shifted(*record, by=copy * frames) for record in records)
        parts.append(made)
        total += len(made)
        copy += 1
    return b"".join(parts)


def _split(data: bytes) -> list[tuple[bytes, dict, list[bytes]]]:
    """(prefix, metadata, payload lines) of every record."""
    starts = [match.span() for match in _HEAD.finditer(data)]
    found = []
    for place, (start, end) in enumerate(starts):
        stop = starts[place + 1][0] if place + 1 < len(starts) else len(data)
        head, *lines = data[end:stop].rstrip(b"\n").split(b"\n")
        found.append((data[start:end], json.loads(head), [line[1:] for line in lines]))
    return found


def _shifted(prefix: bytes, head: dict, lines: list[bytes], *, by: int) -> bytes:
    moved = {**head, "frame_id": head["frame_id"] + by} if isinstance(head.get("frame_id"), int) else dict(head)
    text = b"\n".join(lines).decode()
    if "chromium_event" in head or "recompile_reasons" in str(head.get("artifact")):
        text = _IN_PAYLOAD.sub(lambda match: f'"{int(match[1]) + by}/{match[2]}"', text)
    if "has_payload" in moved:
        moved["has_payload"] = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    body = "".join(f"\n\t{line}" for line in text.split("\n")) if "has_payload" in moved else ""
    return prefix + f"{json.dumps(moved)}{body}\n".encode()
