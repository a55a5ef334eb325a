"""What is remembered survives a restart, and broken settings do not stop the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from profviz.ui.settings import RECENT_LIMIT, Settings


def test_recent_files_come_back_newest_first(tmp_path: Path) -> None:
    settings = Settings()
    for name in ("a.json", "b.json", "a.json"):
        settings.remember((str(tmp_path / name),), kind="trace")
    settings.sync()
    names = [Path(file.paths[0]).name for file in Settings().recent()]
    assert names == ["a.json", "b.json"]


def test_a_comparison_is_one_entry_and_a_missing_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    settings = Settings()
    settings.remember((str(tmp_path / "a.json"), str(tmp_path / "b.json")), kind="comparison")
    (entry,) = settings.recent()
    assert entry.missing
    (tmp_path / "b.json").write_text("{}")
    assert not entry.missing


def test_the_list_is_bounded(tmp_path: Path) -> None:
    settings = Settings()
    for number in range(RECENT_LIMIT + 5):
        settings.remember((str(tmp_path / f"{number}.json"),), kind="trace")
    assert len(settings.recent()) == RECENT_LIMIT


def test_settings_live_under_profviz_home(own_home: Path) -> None:
    settings = Settings()
    settings.theme = "light"
    settings.keep_blob("window", QByteArray(b"abc"))
    settings.sync()
    assert (own_home / "window.ini").is_file()
    assert Settings().theme == "light"
    assert Settings().blob("window") == QByteArray(b"abc")


def test_broken_recent_files_are_no_reason_to_fail(own_home: Path) -> None:
    store = QSettings(str(own_home / "window.ini"), QSettings.Format.IniFormat)
    for broken in ("{", "[1]", '[{"paths": ["a"]}]'):
        store.setValue("recent", broken)
        store.sync()
        assert Settings().recent() == ()
