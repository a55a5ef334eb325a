"""The views in the order the results page offers them; one entry here and a folder beside it adds a view."""

from __future__ import annotations

from profviz.ui.views.spec import ViewSpec

VIEWS: tuple[ViewSpec, ...] = ()
