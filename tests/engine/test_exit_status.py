"""How a worker's end is told."""

from __future__ import annotations

import pytest

from profviz.engine.exit_status import describe_exit, last_lines, signal_name
from profviz.protocol.messages import StageProgress

CRASH = """\
one line of the script
Fatal Python error: Segmentation fault

Thread 0x00007e (most recent call first):
  File "/python/threading.py", line 331 in wait

Current thread 0x00007f (most recent call first):
  File "/home/me/net.py", line 4 in forward
  File "/site/torch/nn/modules/module.py", line 10 in _call_impl
  File "/cache/worker-1.pyz/profviz/worker/timing.py", line 9 in step
  File "<string>", line 1 in <module>

Extension modules: numpy, torch._C (total: 20)
"""


@pytest.mark.parametrize(
    ("status", "name"), [(-11, "SIGSEGV"), (139, "SIGSEGV"), (137, "SIGKILL"), (1, ""), (0, ""), (255, ""), (-99, "")]
)
def test_statuses_name_their_signal(status: int, name: str) -> None:
    assert signal_name(status) == name


def test_running_out_of_memory_is_suspected_when_killed() -> None:
    error = describe_exit(137, stage=StageProgress("compiling", "default", "step"), log_text="")
    assert error.what == "The worker was killed in stage compiling (default)."
    assert "memory" in error.why
    assert error.hint


def test_a_stage_that_names_its_variant_does_not_say_it_twice() -> None:
    error = describe_exit(3, stage=StageProgress("eager_timing", "eager", "begin"), log_text="last\n\n")
    assert error.what == "The worker ended with exit status 3 in stage eager timing."
    assert error.why.endswith("last")


def test_an_end_without_a_signal_is_the_scripts_doing() -> None:
    error = describe_exit(0, stage=StageProgress("loading", "", "begin"), log_text="")
    assert error.what == "The worker ended with exit status 0 in stage loading."
    assert "os._exit" in error.why


def test_of_a_crash_report_the_scripts_frames_are_shown() -> None:
    shown = last_lines(CRASH)
    assert "net.py" in shown
    assert "worker" not in shown
    assert "threading" not in shown
    assert shown.startswith("Fatal Python error: Segmentation fault")
    assert "Extension" not in shown
    assert "one line" not in shown


def test_a_log_is_shown_by_its_end() -> None:
    assert last_lines("\n".join(map(str, range(100)))).splitlines()[-1] == "99"
    assert len(last_lines("x\n" * 100).splitlines()) == 12
