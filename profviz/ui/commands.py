"""The commands as data: menus, the command palette and the key sheet are all made from this table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from profviz.ui.views.compile.keys import ACTIONS as COMPILE_ACTIONS
from profviz.ui.views.graphs.keys import ACTIONS as GRAPH_ACTIONS
from profviz.ui.views.tables.keys import ACTIONS as TABLE_ACTIONS
from profviz.ui.views.timeline.keys import ACTIONS as TIMELINE_ACTIONS
from profviz.ui.widgets.view_actions import ViewAction


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
    Command("file.add", "Compare with another file…", "File", "add_files", "Ctrl+Shift+O"),
    Command("file.replace_side", "Replace a side…", "File", "replace_side"),
    Command("file.save_copy", "Save a copy of the session…", "File", "save_copy", "Ctrl+Shift+S"),
    Command("file.export", "Export a trace…", "File", "export_trace", "Ctrl+E"),
    Command("file.export_visible", "Export what the timeline shows…", "File", "export_visible", "Ctrl+Shift+E"),
    Command("file.close", "Close", "File", "close_page", "Ctrl+W", separator=True),
    Command("file.quit", "Quit", "File", "close", "Ctrl+Q"),
    Command("edit.undo", "Undo zoom, selection, marks, tracks", "Edit", "undo", "Ctrl+Z"),
    Command("edit.redo", "Redo zoom, selection, marks, tracks", "Edit", "redo", "Ctrl+Shift+Z"),
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


@dataclass(frozen=True, slots=True)
class ViewActions:
    """What the view `view` of the registry can do; `title` stands before each in the command palette."""

    view: str
    title: str
    actions: tuple[ViewAction, ...]


VIEW_ACTIONS: tuple[ViewActions, ...] = (
    ViewActions("timeline", "Timelines", TIMELINE_ACTIONS),
    ViewActions("graphs", "Graphs", GRAPH_ACTIONS),
    ViewActions("tables", "Tables", TABLE_ACTIONS),
    ViewActions("compile", "Compile", COMPILE_ACTIONS),
)
"""The views listen for these keys themselves, but for those that work wherever the keyboard is."""


def view_action_ids() -> Mapping[str, tuple[str, ViewAction]]:
    """(view, action) by the id that the command palette knows it by; without what only a mouse can do."""
    return {
        f"{group.view}.{action.id}": (group.view, action)
        for group in VIEW_ACTIONS
        for action in group.actions
        if not action.mouse
    }


def key_sheet() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Groups of (keys, what they do), commands first; everything that has a key or a gesture, once."""
    commands = tuple((command.shortcut, command.title) for command in COMMANDS if command.shortcut)
    views = tuple((group.title, tuple(_sheet_row(one) for one in group.actions if one.keys)) for group in VIEW_ACTIONS)
    return (("Commands", commands), *views)


def _sheet_row(action: ViewAction) -> tuple[str, str]:
    title = action.brief or action.title[0].lower() + action.title[1:]
    return "  ".join(action.keys), title
