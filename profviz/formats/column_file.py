"""One trace's columns in one file that is mapped into memory: opening it costs a look over it, and none of its memory.

Layout: magic, version, length and digest of the header; the header (JSON: where each array lies, and the tree that
they hang in); the arrays as they are in memory, little-endian, each at a multiple of 64 bytes. Holds numbers and
text only: nothing in it can be run. Knows neither where such files are kept nor what a Chrome trace is.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from profviz.formats.column_tree import Array, put_together, shape_of, take_apart
from profviz.formats.inflating import deflate
from profviz.formats.whole_file import replacing, synced
from profviz.model.notes import KINDS, Note
from profviz.model.trace import MISSING, Trace

MAGIC = b"PRFVZCOL"
VERSION = 2
ALIGN = 64
MAX_HEADER_BYTES = 256 << 20
_PRELUDE = struct.Struct("<8sIIQ32s")
_KINDS = frozenset("iufb")


class BadColumns(ValueError):
    """A file that is no whole column file of this version; whoever keeps it may delete it."""


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A trace as it was written, its columns read-only and mapped; its `args` know nothing any more.

    `offsets` and `lengths` (shape (event_count,)) say where each event's text lies in the source's, `label` whose
    columns these are, `extra` what else was to be kept: JSON values and arrays by name.
    """

    trace: Trace
    notes: tuple[Note, ...]
    offsets: Array
    lengths: Array
    label: str
    extra: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Body:
    trace: Trace
    notes: tuple[Note, ...]
    offsets: Array
    lengths: Array
    label: str
    values: Mapping[str, Any]
    array_names: tuple[str, ...]
    arrays: tuple[Array, ...]


_SHAPE = shape_of(_Body)
"""Files of another shape are of another version, whatever number they carry."""


def write_columns(
    path: Path,
    *,
    trace: Trace,
    notes: Sequence[Note],
    offsets: Array,
    lengths: Array,
    label: str = "",
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Writes the whole file or none: it stands under `path` only once it is on disk.

    Raises OSError when it can't be written, TypeError or ValueError for what such a file does not hold.
    """
    kept = {name: value for name, value in (extra or {}).items() if isinstance(value, np.ndarray)}
    values = {name: value for name, value in (extra or {}).items() if name not in kept}
    body = _Body(trace, tuple(notes), offsets, lengths, label, values, tuple(kept), tuple(kept.values()))
    arrays: list[Array] = []
    tree = take_apart(body, arrays)
    with replacing(path) as temporary, synced(temporary, mode=0o600) as file:
        _write(file, tree, [_plain(array) for array in arrays])


def _plain(array: Array) -> Array:
    if array.dtype.kind not in _KINDS:
        raise TypeError(f"an array of {array.dtype} is not carried")
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _write(file: BinaryIO, tree: Any, arrays: list[Array]) -> None:
    places, end = [], 0
    for array in arrays:
        places.append([array.dtype.str, list(array.shape), end, _checksum(array)])
        end = _aligned(end + array.nbytes)
    header = json.dumps({"shape": _SHAPE, "bytes": end, "arrays": places, "tree": tree}, separators=(",", ":")).encode()
    file.write(_PRELUDE.pack(MAGIC, VERSION, 0, len(header), _digest(header)))
    file.write(header)
    _fill(file, file.tell())
    for array in arrays:
        file.write(_bytes_of(array))
        _fill(file, array.nbytes)


def _fill(file: BinaryIO, written: int) -> None:
    file.write(bytes(_aligned(written) - written))


def _aligned(size: int) -> int:
    return -(-size // ALIGN) * ALIGN


def _digest(header: bytes) -> bytes:
    return hashlib.blake2b(header, digest_size=32).digest()


def _bytes_of(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _checksum(array: Array) -> int:
    """Of all bytes: at 3 to 9 GB/s it costs less than believing a disk that has turned a bit."""
    return int(deflate.crc32(_bytes_of(array)))


def read_columns(path: Path, *, mapped: bool = True) -> Stored:
    """Opens a file that `write_columns` made. Raises BadColumns when it is another one, OSError when there is none.

    Nothing of the file is believed before it was checked. Where it is `mapped` the system may drop what was looked at.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            header, start = _read_header(file, size)
            content = _mapped(file, size) if mapped else _read_whole(file, size)
            body = put_together(_Body, header["tree"], [_array(content, start, entry) for entry in header["arrays"]])
            _check(body)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BadColumns(str(error)) from None
    extra = {**body.values, **dict(zip(body.array_names, body.arrays, strict=True))}
    return Stored(body.trace, body.notes, body.offsets, body.lengths, body.label, extra)


def _mapped(file: BinaryIO, size: int) -> memoryview:
    return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))


def _read_whole(file: BinaryIO, size: int) -> memoryview:
    """Into memory that begins at a page, as a mapped file's does."""
    content = memoryview(mmap.mmap(-1, size))
    file.seek(0)
    if file.readinto(content) != size:  # type: ignore[attr-defined]
        raise BadColumns("the file is cut")
    return content.toreadonly()


def _read_header(file: BinaryIO, size: int) -> tuple[dict[str, Any], int]:
    """The header and where the arrays begin."""
    prelude = file.read(_PRELUDE.size)
    if len(prelude) < _PRELUDE.size:
        raise BadColumns("shorter than any column file")
    magic, version, _, length, digest = _PRELUDE.unpack(prelude)
    if magic != MAGIC or version != VERSION:
        raise BadColumns("another version, or no column file")
    if length > min(size, MAX_HEADER_BYTES):
        raise BadColumns("the header is cut")
    text = file.read(length)
    if _digest(text) != digest:
        raise BadColumns("the header is damaged")
    header: dict[str, Any] = json.loads(text)
    start = _aligned(_PRELUDE.size + length)
    if header["shape"] != _SHAPE:
        raise BadColumns("written by another version")
    if size != start + header["bytes"]:
        raise BadColumns("the file is cut")
    return header, start


def _array(content: memoryview, start: int, entry: Any) -> Array:
    """One array in the file; ValueError where it would lie outside or is not what was written."""
    code, shape, offset, checksum = entry
    dtype = np.dtype(code)
    count = 1
    for length in shape:
        count *= length
    if dtype.kind not in _KINDS or min([offset, *shape]) < 0 or offset + count * dtype.itemsize > len(content) - start:
        raise ValueError("an array lies outside the file")
    array: Array = np.frombuffer(content, dtype=dtype, count=count, offset=start + offset).reshape(shape)
    if _checksum(array) != checksum:
        raise ValueError("an array is damaged")
    return array


def _check(body: _Body) -> None:
    """Indices that lead nowhere would be met much later, by code that trusts them."""
    trace = body.trace
    count = len(trace.slices)
    if len(body.offsets) != trace.event_count or len(body.lengths) != trace.event_count:
        raise ValueError("the events' places are not all there")
    for columns in (trace.slices, trace.instants):
        _check_range(columns.name, 0, len(trace.names))
        _check_range(columns.category, 0, len(trace.categories))
        _check_range(columns.lane, MISSING, len(trace.lanes))
    _check_range(trace.slices.parent, MISSING, count)
    _check_range(trace.gpu.slice, 0, count)
    _check_range(trace.flows.source, MISSING, count)
    _check_range(trace.flows.target, MISSING, count)
    if any(note.code not in KINDS for note in body.notes):
        raise ValueError("a note of an unknown kind")


def _check_range(index: Array, low: int, high: int) -> None:
    if len(index) and not (low <= int(index.min()) and int(index.max()) < high):
        raise ValueError("an index leads nowhere")
