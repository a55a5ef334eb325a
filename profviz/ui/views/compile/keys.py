"""The keys and mouse gestures of the icicle of compile stages as one table."""

from __future__ import annotations

from profviz.ui.widgets.view_actions import ViewAction

_A = ViewAction

ACTIONS: tuple[ViewAction, ...] = (
    _A("zoom_in", "Zoom in", ("W",)),
    _A("zoom_out", "Zoom out", ("S",)),
    _A("pan_left", "Pan to the left", ("A",)),
    _A("pan_right", "Pan to the right", ("D",)),
    _A("fit", "Fit the chosen span, then everything", ("F",)),
    _A("reset_zoom", "Reset the zoom", ("0", "Z")),
    _A("previous", "Span before, of the same depth", ("Left",)),
    _A("next", "Span after, of the same depth", ("Right",)),
    _A("outer", "Span around", ("Up",)),
    _A("inner", "First span within", ("Down",)),
    _A("release", "Sum everything again", ("Esc",)),
    _A("click", "Sum this compilation alone", ("click",), mouse=True),
    _A("fit_mouse", "Zoom to the span", ("double-click",), mouse=True),
    _A("wheel_zoom", "Zoom at the mouse", ("Ctrl+wheel",), mouse=True),
    _A("wheel_pan", "Pan", ("Shift+wheel", "drag"), mouse=True),
)
