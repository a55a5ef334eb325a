"""The session file: one zip with a manifest, Chrome traces, compile logs and the sources of the script.

Layout: `manifest.json` {schema, profviz, run, sources: [[path, member], ...]}, `traces/NAME`, `logs/NAME` and
`tapes/NAME` as the worker packed them (gzip, stored), `sources/N`. Opening one runs nothing and writes nothing to disk.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import profviz
from profviz.formats.document import Document, Progress
from profviz.formats.format import Format
from profviz.formats.recipe import SESSION_MEMBER
from profviz.formats.source import Source
from profviz.formats.whole_file import replacing, synced
from profviz.model.errors import UserError
from profviz.model.notes import Note, NoteBook
from profviz.model.record import from_json, to_json
from profviz.model.run import Run

SCHEMA = 1
MANIFEST = SESSION_MEMBER
MANIFEST_LIMIT_BYTES = 64 << 20
MEMBER_LIMIT_BYTES = 8 << 30
SOURCE_LIMIT_BYTES = 16 << 20
SOURCES_LIMIT_BYTES = 256 << 20
"""For all sources together: many small bombs are one large one."""
SMALL_BYTES = 64 << 20
"""What a member may unpack to however tightly it is packed."""
RATIO_LIMIT = 50
"""How far a larger one may be packed: traces and logs are gzip already, and even as plain JSON stay below this."""

_PLAIN_NAME = re.compile(r"[^/\\:\x00-\x1f]+")


@dataclass(frozen=True, slots=True)
class SessionContents:
    """What is written: `traces`, `logs` and `tapes` map plain file names to gzip bytes, `sources` paths to text."""

    run: Run
    traces: Mapping[str, bytes] = field(default_factory=dict)
    logs: Mapping[str, bytes] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    tapes: Mapping[str, bytes] = field(default_factory=dict)


def write_session(path: Path, contents: SessionContents) -> None:
    """Writes the whole session or nothing: a file half written never stands under `path`.

    Raises UserError when it can't be written, ValueError for a name that is no plain file name.
    """
    try:
        with replacing(path) as temporary, synced(temporary) as file:
            _write_members(file, contents)
    except OSError as error:
        raise _not_writable(path, error) from None


def _not_writable(path: Path, error: OSError) -> UserError:
    why = f"{error.strerror or error}."
    return UserError(f"The session {path} can't be written.", why=why, hint="Choose another place, or make room there.")


def _write_members(file: BinaryIO, contents: SessionContents) -> None:
    index = [(path, f"sources/{number}") for number, path in enumerate(contents.sources)]
    manifest = {
        "schema": SCHEMA,
        "profviz": profviz.__version__,
        "run": to_json(contents.run),
        "sources": index,
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        # as ASCII: a path that is not UTF-8 holds half surrogates, which no other encoding takes
        archive.writestr(MANIFEST, json.dumps(manifest, allow_nan=False))
        for folder, members in (("traces", contents.traces), ("logs", contents.logs), ("tapes", contents.tapes)):
            for name, data in members.items():
                archive.writestr(f"{folder}/{_plain(name)}", data, zipfile.ZIP_STORED)
        for path, member in index:
            archive.writestr(member, contents.sources[path].encode("utf-8", "replace"))


def _plain(name: str) -> str:
    if not _is_plain(name):
        raise ValueError(f"{name!r} is not a plain file name")
    return name


def _is_plain(name: str) -> bool:
    return bool(_PLAIN_NAME.fullmatch(name)) and name not in (".", "..")


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """An opened session. `sources` maps each source's path on the machine it ran on to its text."""

    run: Run
    path: str
    sources: Mapping[str, str]
    _archive: _Archive

    def read(self, name: str) -> bytes:
        """The bytes of a trace, compile log or tape by its plain name; KeyError when there is none of that name."""
        for folder in ("traces", "logs", "tapes"):
            if (member := f"{folder}/{name}") in self._archive.names:
                return self._archive.read(member, limit=MEMBER_LIMIT_BYTES)
        raise KeyError(f"the session has no {name}")


class _Archive:
    """Reads members of a zip by name, bounded; never writes to disk. `names` holds the harmless ones."""

    def __init__(self, source: Path | bytes, *, title: str) -> None:
        self.title = title
        self._source = source
        with self._open() as archive:
            infos = archive.infolist()
        self.names = {info.filename for info in infos if _is_harmless(info.filename)}
        self.refused = [info.filename for info in infos if not _is_harmless(info.filename)]

    def _open(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source)
        except OSError as error:
            raise UserError(f"{self.title} can't be read.", why=f"{error.strerror or error}.") from None
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise self._damaged(str(error)) from None

    def read(self, name: str, *, limit: int) -> bytes:
        """The unpacked bytes of a member; UserError when it is damaged or larger than `limit`."""
        with self._open() as archive:
            info = archive.getinfo(name)
            if info.file_size > limit or info.file_size > max(SMALL_BYTES, RATIO_LIMIT * info.compress_size):
                raise self._bomb(name)
            try:
                with archive.open(info) as member:
                    data = member.read(info.file_size + 1)
            except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
                raise self._damaged(f"{name}: {error}") from None
            except Exception as error:  # zlib.error has no public home in zipfile's contract
                raise self._damaged(f"{name}: {error}") from None
        if len(data) > info.file_size:
            raise self._bomb(name)
        return data

    def _damaged(self, why: str) -> UserError:
        return UserError(
            f"{self.title} is not a whole session.",
            why=f"The end of the file is missing or a part of it is damaged ({why}).",
            hint="Copy it again from where it was made, or run the script again.",
        )

    def _bomb(self, name: str) -> UserError:
        return UserError(
            f"{self.title} was not opened.",
            why=f"Its part {name} would unpack to far more than any session holds.",
            hint="Do not trust this file unless you know where it comes from.",
        )


def _is_harmless(name: str) -> bool:
    """Whether a member stays within the archive wherever it is put; profviz never unpacks one to disk anyway."""
    parts = name.split("/")
    return "\\" not in name and ":" not in name and all(part not in ("", ".", "..") for part in parts)


def read_session(path: Path | str | bytes) -> tuple[Session, tuple[Note, ...]]:
    """Opens a session; raises UserError when it is none, is damaged, or is too new to be understood."""
    title = "The session" if isinstance(path, bytes) else Path(path).name
    archive = _Archive(path if isinstance(path, bytes) else Path(path), title=title)
    book = NoteBook()
    for name in archive.refused:
        book.add("missing_member", text=name[:200], detail="A part with a path that leaves the archive was left out.")
    manifest = _manifest(archive)
    run = _run(manifest, title=title, book=book)
    sources = _sources(manifest, archive, book)
    _note_missing(run, archive, book)
    where = "" if isinstance(path, bytes) else str(path)
    return Session(run, where, sources, archive), book.notes()


def _manifest(archive: _Archive) -> dict[str, Any]:
    if MANIFEST not in archive.names:
        raise UserError(
            f"{archive.title} is a zip archive but not a session.",
            why=f"It has no {MANIFEST}.",
            hint="Open a .profviz file that profviz saved.",
        )
    try:
        manifest = json.loads(archive.read(MANIFEST, limit=MANIFEST_LIMIT_BYTES))
    except (ValueError, RecursionError) as error:
        raise archive._damaged(f"{MANIFEST}: {error}") from None
    if not isinstance(manifest, dict):
        raise archive._damaged(f"{MANIFEST} is no object")
    return manifest


def _from_schema_0(manifest: dict[str, Any]) -> dict[str, Any]:
    """Before schema 1 a run had no state and sources were a plain mapping from path to member."""
    run = manifest.get("run")
    sources = manifest.get("sources")
    return manifest | {
        "run": {"state": "done", "started_ns": 0} | run if isinstance(run, dict) else run,
        "sources": [list(pair) for pair in sources.items()] if isinstance(sources, dict) else [],
    }


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {0: _from_schema_0}
"""From each older schema to the next one."""


def _run(manifest: dict[str, Any], *, title: str, book: NoteBook) -> Run:
    schema = manifest.get("schema", 0)
    writer = f"profviz {manifest.get('profviz', '')}".strip()
    newer = isinstance(schema, int) and schema > SCHEMA
    while isinstance(schema, int) and schema in MIGRATIONS:
        manifest.update(MIGRATIONS[schema](manifest))
        schema += 1
    try:
        run = from_json(Run, manifest.get("run"))
    except (ValueError, TypeError, RecursionError) as error:
        raise UserError(
            f"{title} can't be understood." if not newer else f"{title} was written by a newer profviz.",
            why=f"It was written by {writer}; this one is profviz {profviz.__version__} ({error}).",
            hint="Update profviz, or run the script again.",
        ) from None
    if newer:
        book.add("newer_schema", text=writer, detail=f"Written by {writer}; what this version knows is shown.")
    return run


def _sources(manifest: dict[str, Any], archive: _Archive, book: NoteBook) -> dict[str, str]:
    """Texts by path; one that is missing or damaged costs only itself."""
    found = {}
    left = SOURCES_LIMIT_BYTES
    listed = manifest.get("sources")
    for entry in listed if isinstance(listed, list) else []:
        if not (isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry)):
            continue
        path, member = entry
        if member not in archive.names:
            book.add("missing_member", text=path)
            continue
        try:
            data = archive.read(member, limit=min(left, SOURCE_LIMIT_BYTES))
            left -= len(data)
            found[path] = data.decode("utf-8", "replace")
        except UserError as error:
            book.add("missing_member", text=f"{path}: {error.why}")
    return found


def _note_missing(run: Run, archive: _Archive, book: NoteBook) -> None:
    for variant in run.variants:
        for folder, name in (("traces", variant.trace), ("logs", variant.compile_log), ("tapes", variant.tape)):
            if name and f"{folder}/{name}" not in archive.names:
                book.add("missing_member", text=f"{folder}/{name}")


def _sniff(head: bytes, name: str) -> int:
    if not head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return 0
    return 100 if MANIFEST.encode() in head[:200] or name.endswith(".profviz") else 10


def _read(source: Source, progress: Progress | None) -> Document:
    session, notes = read_session(Path(source.path) if source.path else source.read(progress)[0])
    return Document(source.name, str(source.path), notes, session=session)


FORMAT = Format("session", "profviz session", (".profviz",), _sniff, _read)
