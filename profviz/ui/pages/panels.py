"""Where the panels of the results page stand: by area, by how much room there is, and as the user left them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.shell_panels import PanelDock, PanelWindow

WIDE, TALL = 1200, 720
"""From these sizes of the page on, details stand beside the timelines, and graphs below them."""

NARROWEST, WIDEST = 248, 304
"""Of what stands left of the timelines, a fifth of the window in between. Facts at the right need the latter."""

BOTTOM_SHARE, SMALL_BOTTOM_SHARE = 0.30, 0.36
GRAPH_SHARE, SMALL_GRAPH_SHARE, TIMELINES = 0.42, 0.34, 388
"""Of what stands over the tables graphs get the first where timelines keep so many pixels (of two sides steps, a stream
and two rows of a thread), else the second."""


def room_class(size: QSize) -> tuple[bool, bool]:
    """(wide, tall): a default arrangement is made anew when this changes."""
    return size.width() >= WIDE, size.height() >= TALL


class Panels(PanelWindow):
    """Docks for views, arranged by default or as restored."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._docks: dict[str, PanelDock] = {}
        self._areas: dict[str, Area] = {}
        self._empty: frozenset[str] = frozenset()
        self._arranged: object = None
        self._own = False
        self._arranging = False

    @property
    def docks(self) -> Mapping[str, PanelDock]:
        return self._docks

    def add_view(self, spec: ViewSpec, content: QWidget) -> None:
        dock = PanelDock(spec.id, spec.title, content)
        dock.setAllowedAreas(Qt.DockWidgetArea.AllDockWidgetAreas)
        expanding, preferred = QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred
        policy = expanding if spec.area is Area.CENTRE else preferred
        content.setSizePolicy(policy, policy)
        self._docks[spec.id] = dock
        self._areas[spec.id] = spec.area
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
        self.add_panel(dock)
        dock.toggleViewAction().triggered.connect(self._touch)
        dock.title.close_clicked.connect(self._touch)
        dock.topLevelChanged.connect(self._touch)

    def restore(self, state: QByteArray) -> bool:
        """Takes over what the user had; false where there is nothing that fits."""
        self._own = not state.isEmpty() and self.restoreState(state, self._version())
        return self._own

    def state(self) -> QByteArray:
        return self.saveState(self._version())

    def _version(self) -> int:
        """Another set of views is another version: a remembered layout knows no place for a new one."""
        return zlib.crc32(" ".join(sorted(self._docks)).encode()) & 0x7FFF_FFFF

    def reveal(self, id_: str) -> None:
        """Brings a panel to the front of its tabs, and back when it was hidden."""
        dock = self._docks.get(id_)
        if dock is not None:
            dock.show()
            dock.raise_()

    def go_to(self, id_: str) -> None:
        """Reveals a panel, and gives the keyboard to the first thing in it that takes it."""
        self.reveal(id_)
        for one in self._docks[id_].findChildren(QWidget):
            if one.isVisible() and one.focusPolicy() & Qt.FocusPolicy.TabFocus:
                one.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    def set_empty(self, ids: Iterable[str]) -> None:
        """Which views have nothing to show: by default they take no room from the timelines but stand behind tabs."""
        self._empty = frozenset(ids)

    @property
    def own(self) -> bool:
        """Whether the user moved, resized, hid or restored something; else the default follows the room."""
        return self._own

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress and self.childAt(event.position().toPoint()) is None:
            self._touch()  # the gaps between panels are what resizes them
        return super().event(event)

    def _touch(self) -> None:
        self._own = self._own or not self._arranging

    def arrange(self) -> None:
        """The default arrangement for the room there is."""
        self._arranging = True
        try:
            self._arrange()
        finally:
            self._arranging = self._own = False

    def _arrange(self) -> None:
        self._arranged = self._wanted()
        wide, tall = room_class(self.size())
        groups = self._groups(wide=wide, tall=tall)
        for dock in self._docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        self._place(groups)
        for dock in self._docks.values():
            dock.show()
        for names in groups.values():
            if names:
                self._docks[names[0]].raise_()
        self._size(groups)
        self.settle()

    def arrange_if_untouched(self) -> None:
        if not self._own and self._arranged != self._wanted():
            self.arrange()

    def _wanted(self) -> object:
        return room_class(self.size()), [id_ for id_ in self._below() if id_ in self._empty]

    def _below(self) -> list[str]:
        """What stands below the first view of the centre."""
        return [id_ for id_, area in self._areas.items() if area is Area.CENTRE][1:]

    def _groups(self, *, wide: bool, tall: bool) -> dict[str, list[str]]:
        """Dock ids by place: left, centre, graph, right and bottom; the first of each is on top."""
        by_area = {area: [id_ for id_, own in self._areas.items() if own is area] for area in Area}
        centre, below = by_area[Area.CENTRE][:1], [id_ for id_ in self._below() if tall and id_ not in self._empty]
        bottom, right = by_area[Area.BOTTOM], by_area[Area.RIGHT]
        bottom = [*bottom, *(id_ for id_ in self._below() if id_ not in below)]
        if not wide:
            bottom, right = [*bottom[:1], *right, *bottom[1:]], []
        return {"left": by_area[Area.LEFT], "centre": centre, "graph": below, "right": right, "bottom": bottom}

    def _place(self, groups: Mapping[str, Sequence[str]]) -> None:
        """One dock area, split: a row of left, centre over graph, right; and the bottom below the row."""
        firsts = {place: self._docks[names[0]] for place, names in groups.items() if names}
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        row = [firsts[place] for place in ("left", "centre", "right") if place in firsts]
        anchor = row[0] if row else None
        for place in firsts.values():
            if anchor is None or place is anchor:
                self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, place)
        if anchor is not None and "bottom" in firsts:
            self.splitDockWidget(anchor, firsts["bottom"], down)
        for before, after in pairwise(row):
            self.splitDockWidget(before, after, across)
        if "graph" in firsts and "centre" in firsts:
            self.splitDockWidget(firsts["centre"], firsts["graph"], down)
        for names in groups.values():
            for name in names[1:]:
                self.tabifyDockWidget(self._docks[names[0]], self._docks[name])

    def _size(self, groups: Mapping[str, Sequence[str]]) -> None:
        firsts = {place: self._docks[names[0]] for place, names in groups.items() if names}
        width, height = self.width(), self.height()
        left, right = min(max(NARROWEST, width // 5), WIDEST, width // 4), min(WIDEST, width // 4)
        centre = width - (left if "left" in firsts else 0) - (right if "right" in firsts else 0)
        widths = {"left": left, "centre": centre, "right": right}
        row = [place for place in widths if place in firsts]
        self.resizeDocks([firsts[p] for p in row], [widths[p] for p in row], Qt.Orientation.Horizontal)
        bottom = round(height * (BOTTOM_SHARE if height >= TALL else SMALL_BOTTOM_SHARE))
        upper = height - bottom
        if row and "bottom" in firsts:
            pair = [firsts[row[0]], firsts["bottom"]]
            self.resizeDocks(pair, [upper, bottom], Qt.Orientation.Vertical)
        if "graph" in firsts:
            graph = max(min(round(upper * GRAPH_SHARE), upper - TIMELINES), round(upper * SMALL_GRAPH_SHARE))
            self.resizeDocks([firsts["centre"], firsts["graph"]], [upper - graph, graph], Qt.Orientation.Vertical)
