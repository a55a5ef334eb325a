"""What lies in a zip archive that is no session, as its directory has it. Unpacks nothing to disk."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path, PurePosixPath

from profviz.formats.recipe import SESSION_MEMBER, ZipEntry

JUNK = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db"})


def entries(file: Path | bytes) -> tuple[ZipEntry, ...] | None:
    """The files in a zip; none of them for a session; None for what is no zip or has lost its directory."""
    try:
        with zipfile.ZipFile(io.BytesIO(file) if isinstance(file, bytes) else file) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, IndexError, struct.error):
        return None
    if any(info.header_offset < 0 for info in infos):
        return None  # bytes were lost before the directory: it points to nothing any more
    if any(info.filename == SESSION_MEMBER for info in infos):
        return ()
    return tuple(_entry(info) for info in infos if not JUNK & set(PurePosixPath(info.filename).parts))


def _entry(info: zipfile.ZipInfo) -> ZipEntry:
    return ZipEntry(
        name=info.filename,
        start=info.header_offset,
        packed_size=info.compress_size,
        crc=info.CRC,
        method=info.compress_type,
        is_locked=bool(info.flag_bits & 1),
    )
