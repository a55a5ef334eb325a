"""The commands as data: menus, the command palette and the key sheet are all made from this table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """`handler` names a method of the main window. A key that is not `bound` is only shown: a page listens for it."""

    id: str
    title: str
    group: str
    handler: str
    shortcut: str = ""
    bound: bool = True
    separator: bool = False


COMMANDS: tuple[Command, ...] = (
    Command("file.open", "Open…", "File", "choose_files", "Ctrl+O"),
    Command("file.save_copy", "Save a copy of the session…", "File", "save_copy", "Ctrl+Shift+S"),
    Command("file.export", "Export a trace…", "File", "export_trace", "Ctrl+E"),
    Command("file.export_visible", "Export what the timeline shows…", "File", "export_visible", "Ctrl+Shift+E"),
    Command("file.close", "Close", "File", "close_page", "Ctrl+W", separator=True),
    Command("file.quit", "Quit", "File", "close", "Ctrl+Q"),
    Command("edit.undo", "Undo zoom or selection", "Edit", "undo", "Ctrl+Z"),
    Command("edit.redo", "Redo zoom or selection", "Edit", "redo", "Ctrl+Shift+Z"),
    Command("run.start", "Run", "Run", "start_run", "Ctrl+Return"),
    Command("run.cancel", "Cancel", "Run", "cancel", "Esc", bound=False),
    Command("view.start", "Start page", "View", "show_start", "Alt+1"),
    Command("view.run", "Run page", "View", "show_run", "Alt+2"),
    Command("view.results", "Results page", "View", "show_results", "Alt+3"),
    Command("view.reset_layout", "Reset layout", "View", "reset_layout", separator=True),
    Command("view.fullscreen", "Full screen", "View", "toggle_fullscreen", "F11"),
    Command("view.theme", "Switch the theme: light or dark", "View", "toggle_theme", "Ctrl+Shift+L", separator=True),
    Command("view.theme_system", "Follow the system's theme", "View", "follow_system_theme"),
    Command("help.palette", "Command palette", "Help", "show_palette", "Ctrl+Shift+P"),
    Command("help.keys", "Keys", "Help", "show_keys", "?"),
    Command("help.about", "About profviz", "Help", "show_about", separator=True),
)

GROUPS: tuple[str, ...] = tuple(dict.fromkeys(command.group for command in COMMANDS))

# Keys that the views listen for themselves; here only to be shown.
TIMELINE_KEYS: tuple[tuple[str, str], ...] = (
    ("W  S", "zoom in and out at the mouse"),
    ("A  D", "pan left and right"),
    ("Ctrl+wheel", "zoom at the mouse"),
    ("wheel", "scroll up and down"),
    ("Shift+wheel  Shift+drag", "pan"),
    ("click", "select, here and on the other side"),
    ("drag", "select a range and sum it up"),
    ("double-click", "zoom to the slice"),
    ("F  F F", "fit the selection, then the whole trace"),
    ("Z  0", "reset the zoom"),
    ("Esc", "clear the selection"),
    ("M", "mark the selection"),
    (",  .", "previous and next slice of the lane"),
    ("[  ]", "follow the launch arrow back and forth"),
)

GRAPH_KEYS: tuple[tuple[str, str], ...] = (
    ("arrows", "go along the edges"),
    ("/  Enter  Shift+Enter", "search, next and previous hit"),
    ("Space", "fit the whole graph"),
    ("F  F F", "fit the selection, then the whole graph"),
)


def key_sheet() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Groups of (keys, what they do), commands first."""
    commands = tuple((command.shortcut, command.title) for command in COMMANDS if command.shortcut)
    return (("Commands", commands), ("Timelines", TIMELINE_KEYS), ("Graphs", GRAPH_KEYS))
