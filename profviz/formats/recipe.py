"""How the text of one file is to be come by: which stretch of it, unpacked how, in which encoding. Found by content.

A recipe is a value: layers are stacked from it anew for every reading.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from profviz.formats.packing import (
    IN_ZIP,
    LOOK_BYTES,
    MAX_NESTING,
    PACKINGS,
    ZIP_MAGIC,
    ByteRange,
    Checked,
    FromUtf16,
    Layer,
    Part,
    Unpacked,
)
from profviz.formats.raw_bytes import Handle
from profviz.model.errors import UserError

Step = Callable[[Layer], Layer]

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_UNKNOWN = 0xFFFFFFFF
SESSION_MEMBER = "manifest.json"
"""The first member of a session, which is opened as the archive that it is."""
_BOMS = ((codecs.BOM_UTF8, ""), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """A member as the archive's directory has it; `start` is where its local header lies."""

    name: str
    start: int
    packed_size: int
    crc: int
    method: int
    is_locked: bool


@dataclass(frozen=True, slots=True)
class Recipe:
    """The text is the bytes `start` to `end` of the file, through `steps`."""

    start: int
    end: int
    steps: tuple[Step, ...] = ()
    fault: str = ""
    """What is wrong with the file whatever else comes out of it."""
    unread: tuple[str, ...] = ()
    """Other members of the archive that look alike."""

    @property
    def size(self) -> int:
        """Packed bytes in all."""
        return self.end - self.start

    @property
    def is_plain(self) -> bool:
        return not self.steps

    def stack(self, handle: Handle) -> tuple[ByteRange, Layer]:
        """The lowest and the highest layer of a new reading."""
        lowest = ByteRange(handle, self.start, self.end)
        highest: Layer = lowest
        for step in self.steps:
            highest = step(highest)
        return lowest, highest

    def head(self, handle: Handle, count: int) -> bytes:
        return read_whole(self.stack(handle)[1], count)


def read_whole(layer: Layer, count: int) -> bytes:
    """Exactly `count` bytes, fewer only at the end."""
    data = layer.read(count) if count else b""
    if len(data) == count or not data:
        return data
    parts, left = [data], count - len(data)
    while left and (more := layer.read(left)):
        parts.append(more)
        left -= len(more)
    return b"".join(parts)


NO_DIRECTORY = "the zip archive has no directory, so its end is missing"


def find_recipe(handle: Handle, entry: ZipEntry | None = None) -> Recipe:
    """Looks at the beginning of each layer for what it is packed in; `entry` is the member wanted of a zip."""
    recipe = Recipe(0, handle.size)
    if entry:
        recipe = _of_member(handle, entry)
    for _ in range(MAX_NESTING):
        head = recipe.head(handle, LOOK_BYTES)
        step = _next_step(recipe, handle, head)
        if step is None:
            break
        fault = NO_DIRECTORY if head.startswith(ZIP_MAGIC) and recipe.is_plain else recipe.fault
        recipe = replace(recipe, steps=(*recipe.steps, step), fault=fault)
    return _decoded(recipe, recipe.head(handle, LOOK_BYTES))


def _of_member(handle: Handle, entry: ZipEntry) -> Recipe:
    _refuse_unreadable(entry)
    header = handle.read(entry.start, _LOCAL.size)
    if len(header) < _LOCAL.size or not header.startswith(ZIP_MAGIC):
        raise UserError(
            f"{entry.name} can't be found in the zip archive",
            why="The archive is damaged: its directory points to where no file begins.",
            hint="Copy it again from where it was made.",
        )
    data = entry.start + _header_bytes(header)
    end = min(data + entry.packed_size, handle.size)
    steps: tuple[Step, ...] = (partial(Part, skip=0, size=entry.packed_size),)
    if entry.method:
        steps += (partial(Unpacked, packing=IN_ZIP),)
    return Recipe(min(data, end), end, (*steps, partial(Checked, crc=entry.crc)))


_METHODS = (0, 8)


def is_readable(entry: ZipEntry) -> bool:
    """Whether a member is neither encrypted nor packed in a rare way."""
    return not entry.is_locked and entry.method in _METHODS


def _refuse_unreadable(entry: ZipEntry) -> None:
    hint = "Unpack the zip archive by hand and open the file."
    if entry.is_locked:
        raise UserError(f"{entry.name} is locked with a password", hint=hint)
    if entry.method not in _METHODS:
        raise UserError(
            f"{entry.name} is packed in a way that profviz does not know",
            why=f"The zip archive holds it by method {entry.method}; known are 0 (stored) and 8 (deflate).",
            hint=hint,
        )


def _header_bytes(header: bytes) -> int:
    """How long a local header is, its name and extra field included."""
    fields = _LOCAL.unpack(header)
    return _LOCAL.size + int(fields[9]) + int(fields[10])


def _next_step(recipe: Recipe, handle: Handle, head: bytes) -> Step | None:
    for packing in PACKINGS:
        if packing.is_begin(head):
            return partial(Unpacked, packing=packing)
    if head.startswith(ZIP_MAGIC):
        return _streamed_zip(recipe.head(handle, _LOCAL.size + len(SESSION_MEMBER)))
    return None


def _streamed_zip(head: bytes) -> Step | None:
    """The first member of a zip whose directory is cut off or out of reach."""
    if len(head) < _LOCAL.size or head[_LOCAL.size :] == SESSION_MEMBER.encode():
        return None
    _, _, flags, method, _, _, crc, packed, _, _, _ = _LOCAL.unpack(head[: _LOCAL.size])
    if flags & 1 or method not in _METHODS:
        return None
    is_known = not flags & 8 and packed != _UNKNOWN
    size, crc = (packed, crc) if is_known else (-1, -1)
    return partial(_first_member, skip=_header_bytes(head[: _LOCAL.size]), size=size, crc=crc, method=method)


def _first_member(lower: Layer, *, skip: int, size: int, crc: int, method: int) -> Layer:
    layer: Layer = Part(lower, skip, size)
    if method:
        layer = Unpacked(layer, IN_ZIP)
    return Checked(layer, crc) if crc >= 0 else layer


def _decoded(recipe: Recipe, head: bytes) -> Recipe:
    """Leaves out a byte order mark, or those of editors that each wrote one, and turns UTF-16 into UTF-8."""
    found = next((pair for pair in _BOMS if head.startswith(pair[0])), None)
    if not found:
        return recipe
    bom, codec = found
    start, steps = recipe.start, recipe.steps
    skipped = len(bom)
    while head.startswith(bom, skipped):
        skipped += len(bom)
    if recipe.is_plain:
        start += skipped
    else:
        steps += (partial(Part, skip=skipped),)
    if codec:
        steps += (partial(FromUtf16, codec=codec),)
    return replace(recipe, start=start, steps=steps)
