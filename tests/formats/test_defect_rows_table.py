"""The table of the rows of `cases.md` is whole: each has its files here or its test elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import test_defect_rows  # noqa: F401
import test_defect_rows_log  # noqa: F401
from defect_files import DEFECTS, SHARED
from defect_rows import ROWS

CASES = SHARED.parent / "cases.md"
TESTS = Path(__file__).parents[1]
ELSEWHERE = {
    39: "worker/test_defect_rows_run.py::test_a_compiler_that_never_rests_is_not_recorded_with_stacks",
    40: "worker/test_defect_rows_run.py::test_the_profiler_is_started_before_anything_is_captured",
    42: "worker/test_measuring.py::test_compiling_steps_are_kept_apart_even_a_whole_round_of_them",
}
"""Row number -> the test that runs the real worker for it."""


def rows_of_cases() -> set[int]:
    return {int(number) for number in re.findall(r"^\| *(\d+) *\|", CASES.read_text(encoding="utf-8"), re.MULTILINE)}


@pytest.mark.skipif(not CASES.exists(), reason="the shared list of cases is not beside this checkout")
def test_every_row_of_the_cases_is_in_the_table() -> None:
    assert rows_of_cases() == set(ROWS) | set(ELSEWHERE)


def test_every_file_of_the_table_is_there_and_every_test_it_names() -> None:
    files = {name for names in ROWS.values() for name in names}
    assert files <= {path.name for path in DEFECTS.iterdir()}
    for place in ELSEWHERE.values():
        path, _, test = place.partition("::")
        assert f"def {test}(" in (TESTS / path).read_text(encoding="utf-8")
