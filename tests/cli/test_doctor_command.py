from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from profviz.engine.environment import check_compiler, check_core, environment_checks, install_command, qt_problem
from profviz.formats.chrome import reader
from profviz.model.run import Environment

Profviz = Callable[..., Any]


def test_doctor_tells_what_is_there(profviz: Profviz, fake_python: Callable[..., str]) -> None:
    ran = profviz("doctor", "--json", "--python", fake_python("normal"))
    assert ran.json["kind"] == "doctor"
    checks = {check["id"]: check for check in ran.json["checks"]}
    assert {"python", "qt", "display", "fonts", "torch", "cuda", "compiler", "core", "samples", "sessions"} <= set(
        checks
    )
    assert checks["torch"]["status"] == "ok"
    assert checks["display"]["status"] == "warn"
    assert checks["compiler"]["fix"]
    assert ran.code == 1, "a compiler is missing, as the fake worker tells"


def test_an_interpreter_without_torch_gets_the_command_that_brings_it(profviz: Profviz) -> None:
    ran = profviz("doctor", "--python", "no/such/python")
    assert ran.code == 1
    assert "no/such/python -m pip install torch" in ran.out


def test_what_qt_lacks_becomes_the_packages_that_bring_it() -> None:
    said = "ImportError: libEGL.so.1: cannot open shared object file: No such file or directory"
    check = qt_problem(f"Traceback ...\n{said}\n")
    assert (check.status, "libEGL.so.1" in check.text) == ("missing", True)
    assert check.fix.endswith("apt-get install libegl1")
    assert qt_problem("ModuleNotFoundError: No module named 'PySide6'").fix == "pip install PySide6-Essentials"
    assert qt_problem("").text


def test_a_library_that_nobody_knows_gives_no_wrong_command() -> None:
    assert install_command(["libEGL.so.1", "libunheard.so.9"]) == ""
    assert install_command([]) == ""


def test_torch_without_cuda_and_a_gpu_without_triton() -> None:
    plain = Environment("3.11.0", "/venv/bin/python", "linux", torch="2.13.0", cuda="")
    assert [check.status for check in environment_checks(plain)] == ["ok", "warn", "missing"]
    bare = Environment("3.11.0", "/venv/bin/python", "linux")
    assert environment_checks(bare)[0].fix == "/venv/bin/python -m pip install torch"
    assert check_compiler(plain).fix.endswith("g++")


def test_a_missing_c_core_is_told_with_what_it_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "HAS_NATIVE", False)
    assert (check_core().status, "17 times" in check_core().text) == ("warn", True)
    monkeypatch.setattr(reader, "HAS_NATIVE", True)
    assert (check_core().status, check_core().text, check_core().fix) == ("ok", "built", "")
