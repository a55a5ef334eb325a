"""Every number the user reads is written here: times, bytes, counts, ratios; one place, table-tested."""

from __future__ import annotations

_TIME_STEPS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))
_BYTE_STEPS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
UNKNOWN = "–"


def format_ns(value_ns: float | None, *, digits: int = 3) -> str:
    """A duration in ns with its best unit and `digits` significant figures: 13.6 µs, 17 ns; None is a dash."""
    if value_ns is None:
        return UNKNOWN
    for size, unit in _TIME_STEPS:
        if abs(value_ns) >= size:
            return f"{_significant(value_ns / size, digits)} {unit}"
    return f"{int(value_ns) if float(value_ns).is_integer() else _significant(value_ns, digits)} ns"


def format_exact_ns(value_ns: int) -> str:
    """A duration without rounding: 1 234.567 µs, 17 ns."""
    if abs(value_ns) < 1_000:
        return f"{value_ns} ns"
    sign = "-" if value_ns < 0 else ""
    whole, rest = divmod(abs(value_ns), 1_000)
    return f"{sign}{whole:,}.{rest:03d} µs".replace(",", " ")


def format_bytes(value: int | None) -> str:
    """Bytes in powers of two: 50.3 MiB; None is a dash."""
    if value is None:
        return UNKNOWN
    for size, unit in _BYTE_STEPS:
        if abs(value) >= size:
            return f"{_significant(value / size, 3)} {unit}"
    return f"{value} B"


def format_count(value: float | None) -> str:
    """A count with thin groups: 3 131; a fraction keeps one decimal; None is a dash."""
    if value is None:
        return UNKNOWN
    text = f"{value:,.1f}" if value != int(value) else f"{int(value):,}"
    return text.replace(",", " ")


def format_ratio(value: float | None) -> str:
    """A speed-up: 2.89×; None is a dash."""
    return UNKNOWN if value is None else f"{_significant(value, 3)}×"


def format_percent(value: float | None, *, digits: int = 0) -> str:
    """A fraction of one as a percentage: 0.74 gives 74 %; None is a dash."""
    return UNKNOWN if value is None else f"{value * 100:.{digits}f} %"


def _significant(value: float, digits: int) -> str:
    """`value` with about `digits` figures but never fewer than its whole part has."""
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 1
    return f"{value:.{max(0, digits - whole)}f}"
