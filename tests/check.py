"""The developer's loop: format, lint, types, import table, fast tests.

`--all` adds what takes minutes and CI runs too: tests that start torch, and those that start the application.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
FAST = ["-m", "not slow and not torch", "--ignore=tests/e2e"]


def steps(*, everything: bool) -> list[tuple[str, list[str]]]:
    python = sys.executable
    tests = [python, "-m", "pytest"] if everything else [python, "-m", "pytest", *FAST]
    return [
        ("format", [python, "-m", "ruff", "format", "--check", "."]),
        ("lint", [python, "-m", "ruff", "check", "."]),
        ("types", [python, "-m", "mypy"]),
        ("tests", tests),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="also the tests that take minutes")
    failed = []
    for name, command in steps(everything=parser.parse_args().all):
        began = time.monotonic()
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        print(f"{name}: {'ok' if code == 0 else 'FAILED'} ({time.monotonic() - began:.1f} s)", flush=True)
        failed += [name] if code else []
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
