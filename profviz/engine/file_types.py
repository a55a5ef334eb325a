"""What can be opened, as file dialogs want it; made from the registry of formats."""

from __future__ import annotations

from profviz.formats.registry import FORMATS


def file_patterns() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Title and patterns (`*.json`) of each format by its id."""
    return {form.id: (form.title, tuple(f"*{suffix}" for suffix in form.suffixes)) for form in FORMATS}
