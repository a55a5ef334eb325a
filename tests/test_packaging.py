"""What is installed: every package is listed, and a built wheel carries its resources and samples."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def listed_packages() -> set[str]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return set(config["tool"]["setuptools"]["packages"])


def test_every_package_is_listed() -> None:
    real = {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "profviz").rglob("__init__.py")}
    assert listed_packages() - {"profviz.resources", "profviz.samples"} == real


@pytest.mark.slow
def test_a_wheel_carries_resources_and_samples(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("samples", "resources"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert files
        assert {f"profviz/{path.relative_to(ROOT).as_posix()}" for path in files} <= names


def test_the_native_core_was_built_where_it_can_be() -> None:
    """It is optional, so an install that fails to compile it says nothing: here it would be noticed."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if shutil.which("cc") is None or not header.exists():
        pytest.skip("no C compiler or no header of Python here")
    for name in ("_scan", "_columns"):
        assert importlib.util.find_spec(f"profviz.core.{name}") is not None, "run pip install -e . once more"
