"""`profviz run` and a script opened without a display, against the fake worker."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Profviz = Callable[..., Any]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_text("model = None\n")
    return path


def test_run_prints_the_comparison_and_the_sessions_place(
    profviz: Profviz, fake_python: Callable[..., str], script: Path, tmp_path: Path
) -> None:
    ran = profviz("run", script, "--python", fake_python("normal"), "-o", "out")
    assert ran.code == 0, ran.err
    assert "2.00× " in ran.out
    assert "2.00 ms" in ran.out
    assert str(tmp_path / "out.profviz") in ran.out
    assert (tmp_path / "out.profviz").is_file()
    assert "compiling (default)" in ran.err


def test_run_prints_json_of_the_documented_shape(
    profviz: Profviz, fake_python: Callable[..., str], script: Path, tmp_path: Path
) -> None:
    ran = profviz("run", script, "--python", fake_python("normal"), "-o", "out.profviz", "--json")
    assert ran.code == 0, ran.err
    told = ran.json
    assert (told["schema"], told["kind"], told["state"]) == ("profviz/1", "run", "done")
    assert told["session"].endswith("out.profviz")
    eager, compiled = told["variants"]
    assert (eager["id"], eager["median_ns"], eager["iqr_ns"]) == ("eager", 2_000_000, 1_000)
    assert eager["first_call_ns"] == 80_000_000
    assert (compiled["kernels_per_step"], compiled["gpu_busy_ns"]) == (1, 1_000_000)
    assert compiled["gpu"]["kernels"] == 1
    assert compiled["compile"]["breaks"] == []
    assert eager["compile"] is None


def test_the_session_says_the_same_as_the_run(profviz: Profviz, fake_python: Callable[..., str], script: Path) -> None:
    told = profviz("run", script, "--python", fake_python("normal"), "-o", "out.profviz", "--json").json
    opened = profviz("info", "out.profviz", "--json").json
    assert opened["kind"] == "session"
    for name in ("variants", "workload", "environment", "headline", "findings", "state"):
        assert opened[name] == told[name], name


@pytest.mark.parametrize(
    ("behaviour", "stage", "code", "words"),
    [
        ("variant_fails", "compiling", 1, "no C++ compiler"),
        ("crash", "compiling", 2, "segmentation fault"),
        ("fail", "loading", 2, "The script raised ValueError"),
        ("version", "", 2, "another version"),
    ],
)
def test_a_run_that_falls_short_says_how(
    profviz: Profviz, fake_python: Callable[..., str], script: Path, behaviour: str, stage: str, code: int, words: str
) -> None:
    ran = profviz("run", script, "--python", fake_python(behaviour, stage), "-o", "out.profviz")
    assert ran.code == code, ran.err
    assert words in ran.out + ran.err
    assert "bug" not in ran.err


def test_without_a_display_a_script_is_run_and_its_session_kept(
    profviz: Profviz, fake_python: Callable[..., str], script: Path, own_home: Path
) -> None:
    ran = profviz(script, env={"PROFVIZ_PYTHON": fake_python("normal")})
    assert ran.code == 0, ran.err
    (session,) = (own_home / "sessions").iterdir()
    assert str(session) in ran.out
    assert "No display" in ran.err


def test_a_script_that_is_not_there(profviz: Profviz) -> None:
    ran = profviz("run", "gone.py", "--json")
    assert ran.code == 2
    assert "There is no script" in ran.err
    assert (ran.json["kind"], ran.json["hint"]) == ("error", "Check the path.")


def test_an_interpreter_that_is_not_there(profviz: Profviz, script: Path) -> None:
    ran = profviz("run", script, "--python", "no/such/python", "-o", "out.profviz")
    assert ran.code == 2
    assert "There is no interpreter no/such/python" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [["run"], ["run", "x.py", "--steps", "0"], ["run", "x.py", "--option", "a"], ["nonsense", "--json"], ["info"]],
)
def test_wrong_arguments_end_in_two(profviz: Profviz, arguments: list[str]) -> None:
    assert profviz(*arguments).code == 2


def test_help_says_what_is_done_unasked(profviz: Profviz) -> None:
    told = " ".join(profviz("run", "--help").out.split())
    for name in ("timed steps of each variant", "alternating rounds of them", "profiled steps", "0: never"):
        assert f"{name}; default: " in told, name


def test_variants_begin_with_eager() -> None:
    from profviz.cli_run import variant_ids

    assert variant_ids("default") == ("eager", "default")
    assert variant_ids("max-autotune, eager,default,default") == ("eager", "max-autotune", "default")


def test_options_go_to_their_variant() -> None:
    from profviz.cli import option
    from profviz.cli_run import options_of

    given = ["default.dynamic=no", "default.fullgraph=true", "max-autotune.dynamic=yes"]
    assert options_of([option(text) for text in given]) == {
        "default": {"dynamic": "no", "fullgraph": True},
        "max-autotune": {"dynamic": "yes"},
    }


@pytest.mark.skipif(os.name != "posix", reason="closes streams with a shell")
def test_a_run_without_standard_streams_is_a_run(fake_python: Callable[..., str], script: Path, tmp_path: Path) -> None:
    session = tmp_path / "out.profviz"
    command = [sys.executable, "-m", "profviz", "run", str(script), "--python", fake_python("normal")]
    closed = f"exec {shlex.join([*command, '-o', str(session)])} <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", closed], cwd=ROOT, check=False).returncode == 0
    assert zipfile.ZipFile(session).testzip() is None
