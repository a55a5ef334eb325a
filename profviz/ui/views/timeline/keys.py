"""The keys and mouse gestures of the timelines as one table: hands, command palette, key sheet and tests read it."""

from __future__ import annotations

from profviz.ui.widgets.view_actions import ViewAction

_A = ViewAction

ACTIONS: tuple[ViewAction, ...] = (
    _A("zoom_in", "Zoom in at the mouse", ("W", "+")),
    _A("zoom_out", "Zoom out at the mouse", ("S", "-")),
    _A("pan_left", "Pan left", ("A", "Left")),
    _A("pan_right", "Pan right", ("D", "Right")),
    _A("scroll_up", "Scroll the tracks up", ("Up",)),
    _A("scroll_down", "Scroll the tracks down", ("Down",)),
    _A("wheel_zoom", "Zoom at the mouse", ("Ctrl+wheel",), mouse=True),
    _A("wheel_scroll", "Scroll up and down, never zoom", ("wheel",), mouse=True),
    _A("wheel_pan", "Pan", ("Shift+wheel",), mouse=True),
    _A("drag_pan", "Pan", ("Shift+drag",), mouse=True),
    _A("click", "Select, here and on the other side", ("click",), mouse=True),
    _A("drag", "Select a range, measure it and sum it up; Alt: do not snap to edges", ("drag",), mouse=True),
    _A("double_click", "Zoom to the slice", ("double-click",), mouse=True),
    _A("fit", "Fit the selection, then the whole trace", ("F",), brief="fit the selection; F again: the whole trace"),
    _A("reset_zoom", "Reset the zoom", ("0", "Z")),
    _A("clear", "Clear selection, range and search", ("Esc",)),
    _A("mark", "Make the selected slice the range", ("M",), brief="mark the selection: sum up what ran meanwhile"),
    _A("keep_mark", "Keep a mark at the selection, range or mouse", ("Shift+M",), brief="keep the mark, with a note"),
    _A("show_marks", "List the marks: jump, rename, delete", ("Ctrl+M",), anywhere=True),
    _A("next_slice", "Next slice of the track", (".",)),
    _A("previous_slice", "Previous slice of the track", (",",)),
    _A("follow_launch", "Follow the launch arrow to the kernel", ("]",)),
    _A("follow_back", "Follow the launch arrow back", ("[",)),
    _A("arrows", "Arrows of the selection: one hop, or the whole chain", ("Shift+]", "}")),
    _A("search", "Search slices", ("/",)),
    _A("next_hit", "Next hit of the search", ("Enter",)),
    _A("previous_hit", "Previous hit of the search", ("Shift+Enter",)),
    _A("find_track", "Find a track", ("Ctrl+P",), anywhere=True),
    _A("pin", "Pin the track, or let it go", ("Shift+T",)),
    _A("hide", "Hide the track", ("Shift+H",)),
    _A("show_hidden", "Show all hidden tracks", ("Shift+A",)),
    _A("only_process", "Show only the tracks of its process", ("Shift+P",)),
    _A("move_up", "Move the track up", ("Alt+Up",)),
    _A("move_down", "Move the track down", ("Alt+Down",)),
    _A("fold", "Fold or unfold the track", ("C",)),
    _A("fold_all", "Fold or unfold all tracks", ("Shift+C",)),
    _A("taller", "Make the track taller", ("Alt++",)),
    _A("shorter", "Make the track shorter", ("Alt+-",)),
    _A("copy_name", "Copy the name of the track", ("Ctrl+Shift+C",)),
    _A("filter_tracks", "Filter the tracks by name", ("T",)),
    _A("track_menu", "Menu of the track", ("Menu", "Shift+F10")),
    _A("drag_title", "Move the track", ("drag its title",), mouse=True),
    _A("drag_edge", "Resize the track", ("drag its lower edge",), mouse=True),
    _A("overview_drag", "Drag or click: move the window; wheel: zoom", ("on the minimap",), mouse=True),
)
