"""Text of a number to integer nanoseconds, digit by digit: a float has no room for today's microseconds."""

from __future__ import annotations

import re

# as long as any number can be that still means a time: endless digits would cost endless work
_NUMBER = re.compile(rb"^\s*([+-]?)(\d{0,40})(?:\.(\d{0,400}))?(?:[eE]([+-]?\d{1,3}))?\s*$")
NS_DIGITS = 19
"""An integer with this many digits counts nanoseconds: as microseconds it would lie 30,000 years ahead."""
FAR_NS = 1 << 62
"""No time lies beyond and no slice is longer, so that adding two times never overflows."""


def parse_us(text: bytes) -> int | None:
    """Nanoseconds of a microsecond number (or a string holding one, without its quotes); None when it is none.

    Digits beyond the nanosecond round half away from zero. Integers of 19 digits and more are nanoseconds already.
    """
    whole, dot, fraction = text.partition(b".")
    if dot and len(fraction) == 3 and len(whole) < NS_DIGITS and whole.isdigit() and fraction.isdigit():
        return int(whole + fraction)
    return _parse_any(text)


def time_ns(text: bytes) -> int | None:
    """As `parse_us`; None too when it lies further off than any clock counts."""
    time = parse_us(text)
    return time if time is not None and -FAR_NS < time < FAR_NS else None


def duration_ns(text: bytes, time: bytes) -> int | None:
    """As `parse_us`, in the unit of the event's time, and at most `FAR_NS` long.

    Who writes a time of 19 digits in nanoseconds writes both so.
    """
    if NS_DIGITS <= len(time) < 40 and time.isdigit() and len(text) < 40 and text.removeprefix(b"-").isdigit():
        dur = int(text)
    else:
        parsed = parse_us(text)
        if parsed is None:
            return None
        dur = parsed
    return max(-FAR_NS, min(dur, FAR_NS))


def _parse_any(text: bytes) -> int | None:
    match = _NUMBER.match(text)
    if match is None or not (match[2] or match[3]):
        return None
    sign, whole, fraction, exponent = match[1], match[2], match[3] or b"", int(match[4] or 0)
    if len(whole.lstrip(b"0")) >= NS_DIGITS and not fraction and not match[4]:
        value = int(whole)
    else:
        value = _scaled(int(whole + fraction or b"0"), 3 + exponent - len(fraction))
    return -value if sign == b"-" else value


def _scaled(digits: int, power: int) -> int:
    """digits * 10 ** power for digits >= 0, halves rounded up."""
    if power >= 0:
        return digits * int(10**power)
    size = int(10**-power)
    return (digits + size // 2) // size
