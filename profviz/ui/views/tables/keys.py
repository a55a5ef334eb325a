"""Which tables there are, and the keys and actions of them as one table; loads nothing, for it is read at the start."""

from __future__ import annotations

from profviz.ui.widgets.view_actions import ViewAction

_A = ViewAction

TABLES: tuple[tuple[str, str], ...] = (
    ("kernels", "Kernels"),
    ("operators", "Operators"),
    ("launches", "Launches"),
    ("memory", "Memory"),
    ("categories", "Categories"),
    ("fusions", "Fusions"),
    ("steps", "Steps"),
)
"""Ids of the question "table" and their titles."""

ACTIONS: tuple[ViewAction, ...] = (
    _A("next_slice", "Next slice that the row stands for", ("Enter", "N")),
    _A("previous_slice", "Previous slice that the row stands for", ("Shift+Enter", "Shift+N")),
    _A("copy", "Copy the selected rows, or all", ("Ctrl+C",)),
    _A("filter", "Filter the table", ("Ctrl+F",)),
    _A("export", "Export the rows as they are shown"),
    _A("in_range", "Only the marked range, or everything"),
    *(_A(id_, f"Show {title.lower()}") for id_, title in TABLES),
    _A("click", "Select the first slice of the row", ("click",), mouse=True),
    _A("sort", "Sort by a column, again the other way round", ("click on a head",), mouse=True),
    _A("columns", "Choose columns", ("right click",), mouse=True),
)
