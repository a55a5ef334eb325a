"""Makes a real-shaped trace of any size: the events of a real capture over and over, with shifted times and ids.

`python tests/benchmarks/big_trace.py --bytes 1e9 -o FILE [--gz | --zst] [--base TRACE]`. The same arguments give the
same text. Head and tail are the capture's own; the last repetition holds the events that begin in the first part of
the capture, as if it had been stopped there, so that a small file has the same mix of events as a big one.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import lzma
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

BASE = Path(__file__).parents[2].parent / "shared" / "traces" / "gpt2_train_stacks.eager.json.xz"
EVENTS_KEY = b'"traceEvents": ['
BETWEEN = b"\n  },\n  {"
"""What Kineto writes between two events and nowhere else."""
BATCH = 2048

# Kineto's layout, one space behind the colon; a quote inside a string is escaped and so can't look like one of these.
_SHIFTED = re.compile(
    rb'("(?:ts|id|correlation|External id|Ev Idx|Sequence number|Python id|Python parent id)": )(\d+)'
)
_TIME = re.compile(rb'"ts": (\d+)(?:\.\d+)?(?:, "dur": (\d+))?')
_TS = b'"ts": '


@dataclass(frozen=True)
class Base:
    """A capture taken apart. An event is its text without the braces at either end; times are whole microseconds."""

    head: bytes
    events: list[bytes]
    tail: bytes

    @classmethod
    def parse(cls, text: bytes) -> Base:
        """Takes a capture in Kineto's layout apart; SystemExit on any other text."""
        begin = text.find(EVENTS_KEY)
        begin, end = text.find(b"{", begin + len(EVENTS_KEY)), text.rfind(b"\n  }\n  ]")
        if text.find(EVENTS_KEY) < 0 or begin < 0 or end < 0:
            raise SystemExit("the base is no trace in Kineto's own layout")
        return cls(text[:begin], text[begin + 1 : end].split(BETWEEN), text[end + len(b"\n  }") :])

    @cached_property
    def begins(self) -> list[int]:
        """When each event begins."""
        return [int(found[1]) if (found := _TIME.search(event)) else 0 for event in self.events]

    @cached_property
    def period(self) -> int:
        """From one repetition to the next: whole seconds, so that no event reaches into the next repetition."""
        times = [(int(found[1]), int(found[2] or 0)) for event in self.events if (found := _TIME.search(event))]
        span = max(begin + dur for begin, dur in times) - min(begin for begin, _dur in times) + 2
        return -(-span // 1_000_000) * 1_000_000

    @cached_property
    def stride(self) -> int:
        """From one repetition's ids to the next's: a power of ten above every id."""
        ids = (int(m[2]) for event in self.events for m in _SHIFTED.finditer(event) if m[1] != _TS)
        return int(10 ** len(str(max(ids, default=0))))

    def started_within(self, size: int) -> list[bytes]:
        """The events that begin first, in the order of the file, as many as make `size` bytes of text."""
        order = sorted(range(len(self.events)), key=self.begins.__getitem__)
        sizes = itertools.accumulate(len(self.events[at]) + len(BETWEEN) for at in order)
        count = sum(1 for _total in itertools.takewhile(lambda total: total < size, sizes))
        return [self.events[at] for at in sorted(order[: count + 1])]

    def shifted(self, events: list[bytes], repetition: int) -> Iterator[bytes]:
        """The text of some events, in pieces, the braces between them included; fractions of times stay untouched."""
        later, ids = self.period * repetition, self.stride * repetition

        def shift(found: re.Match[bytes]) -> bytes:
            return b"%b%d" % (found[1], int(found[2]) + (later if found[1] == _TS else ids))

        for start in range(0, len(events), BATCH):
            text = BETWEEN.join(events[start : start + BATCH])
            yield (BETWEEN if start else b"") + (_SHIFTED.sub(shift, text) if repetition else text)


def pieces(base: Base, size: int) -> Iterator[bytes]:
    """A trace of about `size` bytes (longer ids make it up to a percent more), a few hundred kilobytes at a time."""
    yield base.head + b"{"
    done = len(base.head) + len(base.tail) + 1
    whole = sum(map(len, base.events)) + len(BETWEEN) * len(base.events)
    for repetition in itertools.count():
        events = base.events if size - done >= whole else base.started_within(size - done)
        for number, piece in enumerate(base.shifted(events, repetition)):
            piece = BETWEEN + piece if repetition and not number else piece
            done += len(piece)
            yield piece
        if done + BATCH >= size or events is not base.events:
            break
    yield b"\n  }" + base.tail


def read_base(path: Path) -> Base:
    """The capture to repeat, unpacked if it is an .xz or .gz."""
    openers = {".xz": lzma.open, ".gz": gzip.open}
    with closing(openers.get(path.suffix, open)(path, "rb")) as file:
        return Base.parse(file.read())


def open_packed(path: Path, *, packing: str | None) -> BinaryIO:
    """A file to write to, packed as "gz" (level 6, as PyTorch does), "zst" or not at all."""
    if packing == "gz":
        return gzip.GzipFile(path, "wb", compresslevel=6, mtime=0)  # type: ignore[return-value]
    if packing == "zst":
        import zstandard

        return zstandard.open(path, "wb")  # type: ignore[return-value]
    return path.open("wb")


def write_trace(base: Base, size: int, path: Path, *, packing: str | None = None) -> int:
    """Writes a trace of about `size` bytes of text; returns the exact number."""
    written = 0
    with open_packed(path, packing=packing) as file:
        for piece in pieces(base, size):
            written += len(piece)
            file.write(piece)
    return written


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=float, default=1e9, help="size of the text, unpacked (default 1e9)")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--base", type=Path, default=BASE, help="a trace in Kineto's layout (default: the shared one)")
    packing = parser.add_mutually_exclusive_group()
    packing.add_argument("--gz", dest="packing", action="store_const", const="gz")
    packing.add_argument("--zst", dest="packing", action="store_const", const="zst")
    chosen = parser.parse_args()
    if not chosen.base.exists():
        raise SystemExit(f"no such trace to repeat: {chosen.base}")
    written = write_trace(read_base(chosen.base), int(chosen.bytes), chosen.output, packing=chosen.packing)
    print(f"{chosen.output}: {written} bytes of text")
    return 0


if __name__ == "__main__":
    sys.exit(main())
