"""What can be done in a view by key, mouse and command palette, as data; knows no view and no profiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ViewAction:
    """`keys` are key sequences in Qt's words; of a `mouse` gesture they are words to be read.

    `brief` is what the key sheet says, the title where it is empty; the keys of an action `anywhere` work wherever the
    keyboard is while the view shows.
    """

    id: str
    title: str
    keys: tuple[str, ...] = ()
    mouse: bool = False
    brief: str = ""
    anywhere: bool = False


def always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Deed:
    """What a view does for an action, and whether there is anything to do now."""

    run: Callable[[], None]
    usable: Callable[[], bool] = always
