"""The views in the order the results page offers them; one entry here and a folder beside it adds a view."""

from __future__ import annotations

import importlib
import importlib.util

from profviz.ui.views.spec import ViewSpec

_NAMES = ("findings", "timeline", "graphs", "details", "source", "kernels", "steps", "breaks", "health")


def _load(name: str) -> ViewSpec:
    return importlib.import_module(f"profviz.ui.views.{name}.view").SPEC


def _present(name: str) -> bool:
    try:
        return importlib.util.find_spec(f"profviz.ui.views.{name}.view") is not None
    except ModuleNotFoundError:
        return False


VIEWS: tuple[ViewSpec, ...] = tuple(_load(name) for name in _NAMES if _present(name))
