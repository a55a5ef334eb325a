"""Fuzzes the native scanner: builds it with libFuzzer, AddressSanitizer and UBSan, and lets it run for a while.

`python tests/fuzz/run.py --minutes 30`; needs clang. What it finds stays in the work folder beside the corpus.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NATIVE = HERE.parents[1] / "profviz" / "core" / "native"
FLAGS = [
    "-g",
    "-O1",
    "-fno-omit-frame-pointer",
    "-fno-sanitize-recover=all",
    "-fsanitize=fuzzer,address,undefined",
    *(f"-D{name}=scan_{name}" for name in ("malloc", "calloc", "realloc")),
]


def sources() -> list[Path]:
    """The scanner without Python's side of it."""
    return sorted(path for path in NATIVE.glob("scan*.c") if path.name != "scan_module.c")


def build(into: Path, *, is_scalar: bool) -> Path:
    """The fuzzer as a program."""
    program = into / ("fuzz_scan_scalar" if is_scalar else "fuzz_scan")
    scalar = ["-DPROFVIZ_SCALAR"] if is_scalar else []
    parts = [str(HERE / "fuzz_scan.c"), *map(str, sources())]
    subprocess.run(["clang", *FLAGS, *scalar, f"-I{NATIVE}", "-o", str(program), *parts, "-lm"], check=True)
    return program


def fuzz(program: Path, work: Path, seconds: int) -> int:
    """Runs the program; gives its exit code, 0 when nothing was found."""
    corpus = work / "corpus"
    corpus.mkdir(exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        "-max_len=2560",
        "-timeout=900",  # on the wall: it may be stopped while others measure
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
        f"-dict={HERE / 'scan.dict'}",
        f"-artifact_prefix={work}/",
    ]
    return subprocess.run([str(program), *options, str(corpus), str(HERE / "seeds")], check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--scalar", action="store_true", help="the path without SSE2")
    parser.add_argument("--work", type=Path, help="folder for the program, the corpus and what is found")
    options = parser.parse_args()
    if shutil.which("clang") is None:
        print("clang is needed: libFuzzer comes with it", file=sys.stderr)
        return 2
    work = options.work or Path(tempfile.mkdtemp(prefix="profviz-fuzz-"))
    work.mkdir(parents=True, exist_ok=True)
    print(f"work folder: {work}", flush=True)
    return fuzz(build(work, is_scalar=options.scalar), work, int(options.minutes * 60))


if __name__ == "__main__":
    sys.exit(main())
