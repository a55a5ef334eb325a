"""The table of the rows of `cases.md`, filled by the modules that test them: which files stand for each row."""

from __future__ import annotations

from collections.abc import Callable

import pytest

ROWS: dict[int, tuple[str, ...]] = {}
"""Row number -> files in tests/defects."""


def row(number: int, *files: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Enters a test and its files into the table; the test gets each file by itself when it asks for one."""
    ROWS[number] = (*ROWS.get(number, ()), *files)

    def entered(test: Callable[..., None]) -> Callable[..., None]:
        return pytest.mark.parametrize("name", files)(test) if "name" in test.__annotations__ else test

    return entered
