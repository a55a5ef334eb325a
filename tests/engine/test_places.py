from __future__ import annotations

from pathlib import Path

import pytest

from profviz.engine import places
from profviz.model.errors import UserError

ROOT = Path(__file__).parent.parent.parent


def test_a_checkout_has_its_samples_and_resources() -> None:
    assert places.samples_folder() == ROOT / "samples"
    assert places.resources_folder() == ROOT / "resources"


def test_an_installed_wheel_has_them_within_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "profviz"
    (package / "samples").mkdir(parents=True)
    monkeypatch.setattr("profviz.__file__", str(package / "__init__.py"))
    assert places.samples_folder() == package / "samples"
    assert places.resources_folder() is None


def test_the_users_folder_can_be_moved(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places.sessions_folder() == own_home / "sessions"
    monkeypatch.delenv("PROFVIZ_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    monkeypatch.setattr("sys.platform", "linux")
    assert places.data_folder() == Path("/data/profviz")
    assert places.cache_folder() == Path("/cache/profviz")


def test_a_new_session_takes_no_files_name() -> None:
    first = places.new_session_path("/somewhere/gpt2.py")
    assert first.name.startswith("gpt2-")
    first.write_bytes(b"")
    for _ in range(3):
        path = places.new_session_path("/somewhere/gpt2.py")
        assert not path.exists()
        path.write_bytes(b"")


def test_a_folder_that_cannot_be_made_says_so(own_home: Path) -> None:
    (own_home / "sessions").write_text("in the way")
    with pytest.raises(UserError, match="cannot be made"):
        places.new_session_path("gpt2.py")
