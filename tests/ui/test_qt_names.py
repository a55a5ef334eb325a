"""What profviz adds to Qt's classes takes no name by which Qt itself calls them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Signal

import profviz.ui

GENERATED = {"staticMetaObject"}


def below(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from below(one)


def own_kinds() -> list[type]:
    for module in pkgutil.walk_packages(profviz.ui.__path__, "profviz.ui."):
        importlib.import_module(module.name)
    own = {kind for kind in below(QObject) if kind.__module__.startswith("profviz")}
    return sorted(own, key=lambda kind: (kind.__module__, kind.__qualname__))


def taken(kind: type) -> list[str]:
    """A signal called `event`, say, is found in place of the virtual function each time Qt delivers something."""
    qts = [base for base in kind.__mro__ if base.__module__.startswith("PySide6")]
    own = {name: value for name, value in vars(kind).items() if not name.startswith("__")}
    names = [name for name, value in own.items() if isinstance(value, Signal) or not callable(value)]
    return sorted(name for name in names if name not in GENERATED and any(name in vars(base) for base in qts))


@pytest.mark.parametrize("kind", own_kinds(), ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_no_attribute_hides_a_name_of_qts(kind: type) -> None:
    assert taken(kind) == []
