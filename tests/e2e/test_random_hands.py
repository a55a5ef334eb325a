"""The monkey of tests/fuzz for a short while, always with the same seeds; by hand it goes on for hours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from driving import LIMIT_S, ROOT

MONKEY = ROOT / "tests" / "fuzz" / "monkey.py"


@pytest.mark.skipif(os.name != "posix", reason="the fake interpreters are shell scripts")
def test_random_hands_on_the_whole_window(own_home: Path) -> None:
    """No error, no message about a bug, and nothing that outlives the window."""
    options = ["--small", "--seed", "3", "--rounds", "2", "--actions", "70"]
    command = [sys.executable, str(MONKEY), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=4 * LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-4000:]
    assert " 0 failed" in done.stdout
