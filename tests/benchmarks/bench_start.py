"""Time from starting the process to the window's first paint, warm: the median of five; torch must stay unloaded.

`python tests/benchmarks/bench_start.py [RUNS]` prints one line a run and the median.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = 5
FORBIDDEN = ("torch", "triton")

# Run in a fresh interpreter: the clock is the system's monotonic one, the same in both processes.
CHILD = """
import sys, time
import profviz.__main__
from PySide6.QtWidgets import QApplication
app = QApplication(["profviz"])
from profviz.ui.app import make_window
window = make_window(app, theme="dark")
def painted():
    print(time.monotonic_ns(), ",".join(m for m in {forbidden!r} if m in sys.modules) or "-", flush=True)
    window.close()
    app.quit()
window.first_painted.connect(painted)
window.show()
app.exec()
"""


def first_paint_ns(home: str) -> int:
    """Starts the window once; raises SystemExit when something forbidden was imported by then."""
    environment = {**os.environ, "PROFVIZ_HOME": home}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    began = time.monotonic_ns()
    command = [sys.executable, "-c", CHILD.format(forbidden=FORBIDDEN)]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    painted, loaded = done.stdout.split()
    if loaded != "-":
        raise SystemExit(f"the window imported {loaded}")
    return int(painted) - began


def baseline_ns() -> int:
    """An interpreter that only imports QtWidgets: what no window can go below."""
    began = time.monotonic_ns()
    code = "from PySide6.QtWidgets import QApplication; QApplication([])"
    environment = {**os.environ}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
    return time.monotonic_ns() - began


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory() as home:
        first_paint_ns(home)  # warms the file cache
        paints = [first_paint_ns(home) for _ in range(runs)]
        bare = [baseline_ns() for _ in range(runs)]
    for number, paint in enumerate(paints, 1):
        print(f"run {number}: first paint after {paint / 1e6:.0f} ms")
    median, floor = statistics.median(paints), statistics.median(bare)
    print(
        f"median of {runs}: {median / 1e6:.0f} ms; bare Qt {floor / 1e6:.0f} ms; ratio {median / floor:.2f}; no torch"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
