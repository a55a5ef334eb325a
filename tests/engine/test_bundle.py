"""The bundle: reproducible, whole, put in place atomically, and startable without profviz or the engine's packages."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

from profviz.engine import bundle
from profviz.engine.bundle import bundle_bytes, worker_bundle


def names() -> list[str]:
    return zipfile.ZipFile(io.BytesIO(bundle_bytes())).namelist()


def test_the_same_sources_give_the_same_bytes() -> None:
    assert bundle_bytes() == bundle_bytes()


def test_it_holds_what_the_worker_may_import_and_nothing_else() -> None:
    rooms = {name.split("/")[1] for name in names() if name.count("/") >= 2}
    assert rooms == {"model", "protocol", "worker"}
    assert {"__main__.py", "profviz/__init__.py", "profviz/protocol/wire.py"} <= set(names())
    assert not [name for name in names() if "__pycache__" in name or not name.endswith(".py")]


def test_it_is_written_once_and_mended_when_damaged(own_home: Path) -> None:
    first = worker_bundle()
    assert first.is_relative_to(own_home)
    born = first.stat().st_mtime_ns
    assert worker_bundle() == first
    assert first.stat().st_mtime_ns == born
    first.write_bytes(b"half of it")
    assert worker_bundle().read_bytes() == bundle_bytes()
    assert [path.name for path in first.parent.iterdir()] == [first.name]


def test_a_cache_that_cannot_be_written_falls_back(own_home: Path, monkeypatch: object) -> None:
    (own_home / "cache").write_text("a file where the folder should be")
    path = worker_bundle()
    assert not path.is_relative_to(own_home)
    assert path.read_bytes() == bundle_bytes()


def test_it_starts_where_profviz_is_not_installed(tmp_path: Path) -> None:
    """-S leaves out site-packages: only the bundle and the standard library are there."""
    code = (
        "import sys, runpy; sys.path.insert(0, sys.argv[1]);"
        "import profviz.protocol.wire, profviz; print(profviz.__file__)"
    )
    path = worker_bundle()
    command = [sys.executable, "-S", "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "No module named 'numpy'" in done.stderr or done.stdout.startswith(str(path)), done.stderr


def test_its_first_lines_are_understood_by_old_pythons() -> None:
    text = zipfile.ZipFile(io.BytesIO(bundle_bytes())).read("__main__.py").decode()
    assert "f'" not in text
    assert 'f"' not in text
    assert str(bundle.OLDEST_PYTHON) in text
