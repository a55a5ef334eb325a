"""How long compile logs of 25 MB take to read, beside parsing their JSON alone, and how that grows with their size.

Times are CPU seconds of the one thread that reads, so that what else the machine does counts for nothing.

`python tests/benchmarks/bench_log.py [MB] [RUNS]`; logs are made by repeating the real ones in ../shared/traces.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from big_log import grown, read_log

sys.path.insert(0, str(Path(__file__).parents[2]))
from profviz.formats.compile_log import read_compile_log
from profviz.formats.compile_log.records import read_records
from profviz.model.notes import NoteBook

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
LOGS = ("gpt2", "broken_train", "ddp.compiled.rank0")
RUNS = 5
TARGET_S = 2.0


def median_s(work: Callable[[], object], runs: int) -> float:
    taken = []
    for _ in range(runs):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def parse_alone(data: bytes) -> int:
    """The least any reader has to do: every line that is JSON by itself, and every payload that is JSON."""
    count = 0
    for record in read_records(data, NoteBook()):
        if record.kind in ("chromium_event", "artifact") or "cache" in record.kind:
            json.loads(record.payload)
            count += 1
    return count


def main() -> int:
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 25_000_000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else RUNS
    slowest = 0.0
    for name in LOGS:
        path = SHARED / f"{name}.compile-log.txt.gz"
        if not path.exists():
            print(f"{name}: {path} is not there")
            continue
        small, big = (grown(read_log(path), size=part) for part in (size // 4, size))
        report, notes = read_compile_log(big)
        taken = median_s(lambda data=big: read_compile_log(data), runs)
        quarter = median_s(lambda data=small: read_compile_log(data), runs)
        alone = median_s(lambda data=big: parse_alone(data), runs)
        power = math.log(taken / quarter) / math.log(len(big) / len(small))
        counts = f"{len(report.frames)} frames, {len(report.graphs)} graphs, {len(report.events)} events"
        print(
            f"{name}: {len(big) / 1e6:.1f} MB in {taken:.2f} s ({counts}, {sum(n.count for n in notes)} notes); ",
            end="",
        )
        print(f"records and JSON alone {alone:.2f} s, ratio {taken / alone:.2f}; grows with size to the {power:.2f}")
        slowest = max(slowest, taken * 25e6 / len(big))
    print(f"slowest for 25 MB: {slowest:.2f} s; target {TARGET_S} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
