"""What fact trees and bars show, as values; no Qt, so that layouts can use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fact:
    """One line; `target` is any value handed back when the user follows it, `parts` stand below it."""

    key: str
    value: str = ""
    tone: str = "plain"
    mono: bool = False
    target: Any = None
    parts: tuple[Fact, ...] = ()
    open: bool = True
    heading: bool = False


def cut(text: str, letters: int) -> str:
    """The text, of a longer one the beginning."""
    return text if len(text) <= letters else text[: letters - 1] + "…"


@dataclass(frozen=True, slots=True)
class SignedBar:
    """`amount` is drawn right of zero when positive, left when negative; `text` is the number as read."""

    label: str
    amount: float
    text: str
    tone: str
    dot: int = -1
