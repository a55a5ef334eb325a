"""A file to read, or a member of an archive: the text in it as its writer meant it, whatever the suffix says.

Knows nothing of what the text means.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from profviz.formats.archive import entries
from profviz.formats.document import Progress
from profviz.formats.packing import ZIP_MAGIC
from profviz.formats.raw_bytes import FileBytes, Handle, MemoryBytes, Raw
from profviz.formats.recipe import Recipe, ZipEntry, find_recipe, is_readable, read_whole
from profviz.formats.text import Text
from profviz.model.errors import UserError
from profviz.model.notes import Note

LIKELY_SUFFIXES = frozenset({".json", ".gz", ".xz", ".zst", ".zip", ".log", ".txt", ".profviz"})

MAX_BLANKS = 64 << 20
"""So far a text is looked through for its beginning."""
BLANK_PIECE = 1 << 20


class Source:
    """A file (or bytes) to read; `name` is its file name, `path` where it lies, empty for bytes.

    `member` is its name in the archive `path`, empty for the file as a whole: both together say which source it is.
    """

    def __init__(
        self,
        data: bytes | None = None,
        *,
        path: Path | None = None,
        name: str = "",
        member: str = "",
        entry: ZipEntry | None = None,
    ) -> None:
        self.path = str(path) if path else ""
        self.member = member
        self.name = name or member or (path.name if path else "")
        self._file = path
        self._data = data or b""
        self._entry = entry

    @classmethod
    def open(cls, path: Path, *, member: str = "") -> Source:
        """Raises UserError when there is no such file or it can't be read."""
        if is_folder(path):
            raise UserError(f"{path} is a folder", why="A trace, a log or a session is one file.", hint=inside(path))
        if not path.exists():
            raise UserError(f"There is no file {path}", hint="Check the name; the path is taken from where you are.")
        if not path.is_file():
            raise UserError(f"{path} is no regular file", why="A device or a pipe has no end that could be waited for.")
        return cls(path=path, member=member)

    def text(self, *, keeps_ways: bool = True) -> Text:
        """The text as a stream, to be closed after use. Raises UserError when the file can't be read.

        Without `keeps_ways` the stream costs less, and `read_at` has to unpack from the beginning.
        """
        raw = self._raw()
        handle = raw.open()
        try:
            return Text(raw, self._recipe(handle), keeps_ways=keeps_ways)
        finally:
            handle.close()

    def head(self, count: int) -> bytes:
        """The first bytes, unpacked; fewer where the file is shorter or damaged."""
        handle = self._raw().open()
        try:
            return self._recipe(handle).head(handle, count)
        finally:
            handle.close()

    def beginning(self, count: int) -> bytes:
        """The first bytes from one that is no blank; none where there are only blanks, or `MAX_BLANKS` of them."""
        handle = self._raw().open()
        try:
            _, layer = self._recipe(handle).stack(handle)
            blanks, data = 0, read_whole(layer, count)
            while data and not (text := data.lstrip()) and blanks < MAX_BLANKS:
                blanks += len(data)
                data = read_whole(layer, BLANK_PIECE)
            return (text + read_whole(layer, max(0, count - len(text))))[:count] if data.strip() else b""
        finally:
            handle.close()

    def read(self, progress: Progress | None = None) -> tuple[bytes, tuple[Note, ...]]:
        """The whole content, unpacked and as UTF-8, and what was wrong with its packing."""
        parts: list[bytes] = []
        with self.text(keeps_ways=False) as text:
            for block in text.blocks():
                parts.append(block)
                if progress:
                    progress(text.done, text.size)
            return b"".join(parts), text.notes

    @property
    def packed_bytes(self) -> int:
        """How much there is to read, as it lies on disk; 0 where that can't be told."""
        if self.member:
            return self._entry.packed_size if self._entry else 0
        try:
            return self._file.stat().st_size if self._file else len(self._data)
        except OSError:
            return 0

    def members(self) -> tuple[Source, ...]:
        """What lies in it where it is a zip archive but no session; its directory is read for all of them at once."""
        listed = entries(self._file or self._data) or ()
        return tuple(Source(self._data, path=self._file, member=entry.name, entry=entry) for entry in listed)

    def _raw(self) -> Raw:
        return FileBytes(self._file) if self._file else MemoryBytes(self._data)

    def _recipe(self, handle: Handle) -> Recipe:
        if handle.read(0, len(ZIP_MAGIC)) != ZIP_MAGIC:
            return find_recipe(handle)
        if self._entry:
            return find_recipe(handle, self._entry)
        listed = entries(self._file or self._data)
        if self.member:
            return find_recipe(handle, self._find(listed or ()))
        if listed is None:
            return find_recipe(handle)
        return _likely_member(handle, listed) or Recipe(0, handle.size)

    def _find(self, listed: tuple[ZipEntry, ...]) -> ZipEntry:
        for entry in listed:
            if entry.name == self.member:
                return entry
        raise UserError(f"{self.path} has no member {self.member}", hint="Open the archive again to see what it holds.")


def _likely_member(handle: Handle, listed: tuple[ZipEntry, ...]) -> Recipe | None:
    """The first member that begins like JSON, or the only one there is."""
    if len(listed) == 1:
        return find_recipe(handle, listed[0])
    found: list[Recipe] = []
    others: list[str] = []
    for entry in listed:
        if is_readable(entry):
            recipe = find_recipe(handle, entry)
            if recipe.head(handle, 64).lstrip()[:1] in (b"{", b"["):
                found.append(recipe)
                others.append(entry.name)
    return replace(found[0], unread=tuple(others[1:])) if found else None


def is_folder(path: Path) -> bool:
    """Raises UserError where the system won't even look, as at a name that is too long."""
    try:
        return path.is_dir()
    except OSError as error:
        raise UserError(f"{path} can't be read", why=f"The system says: {error.strerror}.") from None


def inside(folder: Path) -> str:
    """What to open instead of a folder."""
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix in LIKELY_SUFFIXES)
    except OSError:
        names = []
    if not names:
        return "It holds nothing that looks like a trace, a log or a session."
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"Open a file in it: {', '.join(names[:3])}{more}."
