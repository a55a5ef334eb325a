"""What the actions of the graphs do, by id, and the keys that work wherever in the view the keyboard is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from profviz.ui.views.graphs.pane import GraphPane
from profviz.ui.widgets.view_actions import Deed

if TYPE_CHECKING:
    from profviz.ui.views.graphs.view import GraphsView

KEYS: Mapping[str, str] = {
    "/": "search",
    "T": "swap",
    "E": "open_all",
    "Shift+E": "open_first",
    "I": "path_in",
    "O": "path_out",
    "P": "play",
    "X": "export",
    "Shift+X": "export_seen",
    ",": "previous_kernel",
    ".": "next_kernel",
}


def run_deed(view: GraphsView, id_: str) -> None:
    deed = view.deeds.get(id_)
    if deed is not None and deed.usable():
        deed.run()


def deeds_of(view: GraphsView) -> dict[str, Deed]:
    pane = view.focused
    if pane is None:
        return {}
    canvas = pane.canvas
    steps = {"step_left": (-1, 0), "step_right": (1, 0), "step_up": (0, -1), "step_down": (0, 1)}
    return {
        **{id_: Deed(lambda by=by: canvas.step(*by)) for id_, by in steps.items()},
        "search": Deed(view.start_search),
        "next_hit": Deed(lambda: view.step_search(1), lambda: view.has_hits),
        "previous_hit": Deed(lambda: view.step_search(-1), lambda: view.has_hits),
        "toggle": Deed(canvas.toggle_current),
        "close_around": Deed(canvas.close_around),
        "open_all": Deed(lambda: view.each(GraphPane.open_all)),
        "open_first": Deed(lambda: view.each(GraphPane.open_first_sight)),
        "path_in": Deed(lambda: pane.show_path(upwards=True)),
        "path_out": Deed(lambda: pane.show_path(upwards=False)),
        "play": Deed(view.transport.toggle, lambda: view.transport.usable),
        "previous_kernel": Deed(lambda: view.transport.step(-1), lambda: view.transport.usable),
        "next_kernel": Deed(lambda: view.transport.step(1), lambda: view.transport.usable),
        "export": Deed(lambda: view.export(only_seen=False)),
        "export_seen": Deed(lambda: view.export(only_seen=True)),
        "fit": Deed(canvas.fit),
        "fit_selection": Deed(canvas.fit_selection),
        "reset_zoom": Deed(canvas.open_view),
        "zoom_in": Deed(canvas.zoom_in),
        "zoom_out": Deed(canvas.zoom_out),
        "turn": Deed(view.turn_layout),
        "swap": Deed(view.heating.toggle),
    }
