"""One text in every packing that can be read."""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import zipfile

import zstandard


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


class _NoSeek(io.RawIOBase):
    """What zipfile can only write forward to: sizes then stand behind the data."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, part: bytes) -> int:  # type: ignore[override]
        self.data += bytes(part)
        return len(part)


def zipped_as_stream(name: str, data: bytes, *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = _NoSeek()
    with zipfile.ZipFile(file, "w", method) as archive:  # type: ignore[arg-type]
        archive.writestr(name, data)
    return file.data


def skippable(data: bytes) -> bytes:
    """A zstd frame without content of its own."""
    return struct.pack("<II", 0x184D2A50, len(data)) + data


def packings(text: bytes) -> dict[str, bytes]:
    """`text` (ASCII, at least 100 bytes) by the name of its packing."""
    a, b = text[:99], text[99:]
    return {
        "plain": text,
        "gzip": gzip.compress(text),
        "gzip_members": gzip.compress(a[:7]) + gzip.compress(b"") + gzip.compress(a[7:]) + gzip.compress(b),
        "gzip_twice": gzip.compress(gzip.compress(text)),
        "gzip_padded": gzip.compress(text) + bytes(512),
        "gzip_padded_between": gzip.compress(a) + bytes(9000) + gzip.compress(b),
        "gzip_stored": gzip.compress(text, 0),
        "xz": lzma.compress(text, preset=0),
        "xz_streams": lzma.compress(a, preset=0) + bytes(8) + lzma.compress(b, preset=0),
        "zstd": zstandard.compress(text),
        "zstd_frames": zstandard.compress(a) + zstandard.compress(b),
        "zstd_skippable": skippable(b"size") + zstandard.compress(a) + skippable(b"") + zstandard.compress(b),
        "xz_in_gzip": gzip.compress(lzma.compress(text, preset=0)),
        "gzip_in_zstd": zstandard.compress(gzip.compress(text)),
        "four_deep": gzip.compress(zstandard.compress(lzma.compress(gzip.compress(text), preset=0))),
        "zip": zipped(("trace.json", text)),
        "zip_stored": zipped(("trace.json", text), method=zipfile.ZIP_STORED),
        "zip_of_gzip": zipped(("trace.json.gz", gzip.compress(text)), method=zipfile.ZIP_STORED),
        "zip_with_junk": zipped(("__MACOSX/._t.json", b"{"), ("t.txt", text)),
        "zip_as_stream": zipped_as_stream("trace.json", text),
        "zip_in_gzip": gzip.compress(zipped(("trace.json", text))),
        "stored_zip_in_gzip": gzip.compress(zipped(("trace.json", text), method=zipfile.ZIP_STORED)),
        "bom": b"\xef\xbb\xbf" + text,
        "bom_in_gzip": gzip.compress(b"\xef\xbb\xbf" + text),
        "utf16": text.decode().encode("utf-16"),
        "utf16_big": b"\xfe\xff" + text.decode().encode("utf-16-be"),
        "utf16_in_xz": lzma.compress(text.decode().encode("utf-16"), preset=0),
    }
