"""The marks that were kept in a session: a member of the archive, replaced by writing the archive anew beside it."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from profviz.formats.session import MANIFEST
from profviz.formats.whole_file import replacing, synced
from profviz.model.errors import UserError

MEMBER = "marks.json"
"""Older versions of profviz leave it alone: they read the members they know."""
LIMIT_BYTES = 4 << 20


def read_marks(path: Path) -> list[Any]:
    """What was kept, as JSON values; nothing where nothing was kept or it can't be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(MEMBER)
            if info.file_size > LIMIT_BYTES:
                return []
            kept = json.loads(archive.read(info))
    except (OSError, KeyError, ValueError, RecursionError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return []
    return kept if isinstance(kept, list) else []


def write_marks(path: Path, marks: Sequence[Any]) -> None:
    """Puts JSON values in place of what was kept; raises UserError when the session can't be written anew."""
    try:
        with replacing(path) as temporary, synced(temporary) as file, zipfile.ZipFile(path) as before:
            if MANIFEST not in before.namelist():
                raise _unwritten(path, "It is no session.")
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after:
                for info in before.infolist():
                    if info.filename != MEMBER:
                        _copy(before, info, after)
                after.writestr(MEMBER, json.dumps(list(marks)))
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise _unwritten(path, f"{getattr(error, 'strerror', None) or error}.") from None


def _copy(before: zipfile.ZipFile, info: zipfile.ZipInfo, after: zipfile.ZipFile) -> None:
    copy = zipfile.ZipInfo(info.filename, info.date_time)
    copy.compress_type, copy.external_attr = info.compress_type, info.external_attr
    with before.open(info) as source, after.open(copy, "w", force_zip64=info.file_size > 1 << 31) as target:
        shutil.copyfileobj(source, target, 1 << 20)


def _unwritten(path: Path, why: str) -> UserError:
    hint = "The marks stay while the window is open; save a copy of the session elsewhere to keep them."
    return UserError(f"The marks can't be saved in {path}.", why=why, hint=hint)
