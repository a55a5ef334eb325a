"""The keys and mouse gestures of the graphs as one table."""

from __future__ import annotations

from profviz.ui.widgets.view_actions import ViewAction

_A = ViewAction

ACTIONS: tuple[ViewAction, ...] = (
    _A("step_left", "Go along an edge to the left", ("Left",)),
    _A("step_right", "Go along an edge to the right", ("Right",)),
    _A("step_up", "Go along an edge upwards", ("Up",)),
    _A("step_down", "Go along an edge downwards", ("Down",)),
    _A("toggle", "Open the module", ("Return",)),
    _A("close_around", "Close the module around", ("Backspace",)),
    _A("open_all", "Open all modules", ("E",)),
    _A("open_first", "Close modules to the first sight", ("Shift+E",)),
    _A("search", "Search nodes", ("/",)),
    _A("next_hit", "Next hit of the search", ("Enter",)),
    _A("previous_hit", "Previous hit of the search", ("Shift+Enter",)),
    _A("fit", "Fit the whole graph", ("Space",)),
    _A("fit_selection", "Fit the selection, then the whole graph", ("F",)),
    _A("reset_zoom", "Reset the zoom", ("0", "Z")),
    _A("zoom_in", "Zoom in", ("W", "+")),
    _A("zoom_out", "Zoom out", ("S", "-")),
    _A("path_in", "Show the way from the inputs", ("I",)),
    _A("path_out", "Show the way to the outputs", ("O",)),
    _A("play", "Play the step, or pause", ("P",)),
    _A("previous_kernel", "Play-head to the previous kernel", (",",)),
    _A("next_kernel", "Play-head to the next kernel", (".",)),
    _A("export", "Export the whole graph as SVG or PNG", ("X",)),
    _A("export_seen", "Export what is seen of the graph", ("Shift+X",)),
    _A("swap", "Eager boxes or fused groups", ("T",)),
    _A("turn", "Lay out in the other direction"),
    _A("wheel_zoom", "Zoom at the mouse", ("Ctrl+wheel",), mouse=True),
    _A("click", "Select, everywhere", ("click",), mouse=True),
    _A("toggle_mouse", "Open or close a module", ("double-click",), mouse=True),
)
