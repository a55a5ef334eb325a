from __future__ import annotations

import pytest

from profviz.model.units import format_bytes, format_count, format_exact_ns, format_ns, format_percent, format_ratio


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0, "0 ns"),
        (17, "17 ns"),
        (17.25, "17.2 ns"),
        (999, "999 ns"),
        (13_600, "13.6 µs"),
        (8_100_000, "8.10 ms"),
        (16_600_000_000, "16.6 s"),
        (-2_050_000, "-2.05 ms"),
        (3_131_000_000_000, "3131 s"),
    ],
)
def test_durations_take_their_best_unit(value: int | None, text: str) -> None:
    assert format_ns(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(17, "17 ns"), (1_234_567, "1 234.567 µs"), (-1_500, "-1.500 µs"), (1_000, "1.000 µs")]
)
def test_exact_durations_lose_nothing(value: int, text: str) -> None:
    assert format_exact_ns(value) == text


def test_bytes_counts_ratios_and_percentages() -> None:
    assert format_bytes(52_743_372) == "50.3 MiB"
    assert format_bytes(12) == "12 B"
    assert format_count(3131) == "3 131"
    assert format_count(2.5) == "2.5"
    assert format_ratio(2.893) == "2.89×"
    assert format_ratio(None) == "–"
    assert format_percent(0.744) == "74 %"
    assert format_percent(0.9958, digits=1) == "99.6 %"
