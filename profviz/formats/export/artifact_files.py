"""The texts of compile logs as files: a folder a compilation, names that are safe anywhere, nothing overwritten.

Knows nothing of how a log is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profviz.model.artifacts import Artifact, Artifacts
from profviz.model.errors import UserError

INDEX = "index.json"
RECORDS = "records.jsonl"
NAME_LIMIT = 80
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Written:
    """What came of it: how many texts there are in the folder, and their bytes."""

    folder: str
    files: int
    bytes: int


def write_artifacts(logs: Sequence[tuple[str, Artifacts]], folder: Path) -> Written:
    """Writes every text of these logs (title, artifacts) into `folder`, a folder each where there are several.

    `index.json` of each says which file is what, `records.jsonl` has the JSON of its records, one text's a line.
    Raises UserError where the folder holds anything already, can't be written, or a log can't be read any more.
    """
    try:
        _make_empty(folder)
        sizes = [
            _write_log(found, folder if len(logs) == 1 else folder / f"{number:02d}_{safe_name(title)}")
            for number, (title, found) in enumerate(logs, 1)
        ]
    except OSError as error:
        raise UserError(
            f"The texts could not be written to {folder}.",
            why=f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.",
            hint="Name another folder; what was written so far is left there.",
        ) from None
    return Written(str(folder), sum(len(one) for one in sizes), sum(map(sum, sizes)))


def _make_empty(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise UserError(
            f"{folder} is not empty.",
            why="Files are never overwritten, and others would stand among the new ones.",
            hint="Name a folder that does not exist yet.",
        )


def _write_log(found: Artifacts, folder: Path) -> list[int]:
    """The bytes of each file written."""
    folder.mkdir(exist_ok=True)
    index, sizes = [], []
    with (folder / RECORDS).open("xb") as records:
        for at, one in enumerate(found.items):
            path = folder / folder_name(one) / file_name(one, at)
            data = found.text(at).encode("utf-8", "replace")
            path.parent.mkdir(exist_ok=True)
            with path.open("xb") as file:
                file.write(data)
            records.write(_one_line(found.records(at)))
            sizes.append(len(data))
            index.append(_entry(one, path.relative_to(folder).as_posix(), len(data)))
    with (folder / INDEX).open("xb") as file:
        file.write(json.dumps(index, indent=1, ensure_ascii=False).encode("utf-8", "replace"))
    return sizes


def _one_line(text: str) -> bytes:
    """ASCII: some take other characters for line ends."""
    return json.dumps(json.loads(text)).encode() + b"\n"


def _entry(one: Artifact, file: str, size: int) -> dict[str, Any]:
    return {
        "file": file,
        "kind": one.name,
        "compile_id": one.compile_id,
        "attempt": one.attempt,
        "direction": one.direction,
        "part": one.part,
        "label": one.label,
        "records": one.records,
        "offset": one.offset,
        "bytes": size,
        "is_known": one.is_known,
    }


def folder_name(one: Artifact) -> str:
    """`0_0`, with the attempt behind it from the second on; `log` for what belongs to no compilation."""
    if not one.compile_id:
        return "log"
    return safe_name(one.compile_id) + (f"_attempt{one.attempt}" if one.attempt else "")


def file_name(one: Artifact, number: int) -> str:
    """Its place in the log, kind, direction and part, and a suffix for what it is."""
    part = f"part{one.part}" if one.part else ""
    words = [f"{number:04d}", safe_name(one.name), one.direction, part]
    return "_".join(word for word in words if word) + one.language.suffix


def safe_name(text: str) -> str:
    """Only letters, digits, `.`, `_` and `-`, none of the first a dot and not too long for any file system."""
    return _UNSAFE.sub("_", text).strip("._")[:NAME_LIMIT] or "unnamed"
