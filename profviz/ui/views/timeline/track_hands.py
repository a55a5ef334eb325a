"""What can be done to tracks: pin, hide, move, fold, size, find, filter; by key, menu and chip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QPushButton

from profviz.ui.view_state import TrackArrangement
from profviz.ui.views.timeline import arranging
from profviz.ui.views.timeline.canvas import TimelineCanvas
from profviz.ui.views.timeline.keys import ACTIONS
from profviz.ui.views.timeline.layout import HEADER, Pane
from profviz.ui.views.timeline.placing import Placed
from profviz.ui.views.timeline.tracks import Track
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.shell_picker import Picker
from profviz.ui.widgets.view_actions import Deed

MENU = (
    ("pin", "hide", "only_process"),
    ("move_up", "move_down", "fold", "taller", "shorter"),
    ("sum_track", "copy_name"),
    ("find_track", "filter_tracks", "fold_all", "show_hidden"),
)
MOST_LISTED = 24
_BY_ID = {action.id: action for action in ACTIONS}


class TrackHands:
    """`touched` is the track last pointed at, found or selected on: the one that keys act on."""

    def __init__(self, canvas: TimelineCanvas) -> None:
        self._canvas = canvas
        self.touched: tuple[int, str] | None = None
        self.filter_asked: Callable[[], None] = lambda: None
        self._chips: list[QPushButton] = []
        self._placed: list[tuple[str, Pane, Palette] | None] = []

    def forget(self) -> None:
        self.touched = None
        self.place_chips()

    def touch(self, side: int, id_: str) -> None:
        if self.touched != (side, id_):
            self.touched = side, id_
            self._canvas.update()

    @property
    def target(self) -> tuple[int, Track] | None:
        """The track touched, else that of the selection, else the first one of the first side."""
        picked = self._canvas.picked
        for side, id_ in (self.touched or (-1, ""), (picked.side, picked.track) if picked else (-1, "")):
            if 0 <= side < len(self._canvas.sides):
                track = self._canvas.stage.store.of_id(side, id_)
                if track is not None:
                    return side, track
        for side in range(len(self._canvas.sides)):
            if len(placed := self._canvas.placed(side)):
                return side, placed[0].track
        return None

    @property
    def deeds(self) -> dict[str, Deed]:
        return {
            "pin": Deed(lambda: self._change(lambda side, track, wanted: arranging.toggle_pin(wanted, track.id))),
            "hide": Deed(lambda: self._change(lambda side, track, wanted: arranging.hide(wanted, [track.id]))),
            "sum_track": Deed(self._sum_track, lambda: bool(self._canvas.state.ranges) and self.target is not None),
            "show_hidden": Deed(self.show_hidden, self.any_hidden),
            "only_process": Deed(self._only_process, lambda: bool(self._process_ids())),
            "move_up": Deed(lambda: self._move(-1)),
            "move_down": Deed(lambda: self._move(1)),
            "fold": Deed(self._fold, lambda: self.target is not None and self.target[1].foldable),
            "fold_all": Deed(self._fold_all),
            "taller": Deed(lambda: self._resize(taller=True)),
            "shorter": Deed(lambda: self._resize(taller=False)),
            "copy_name": Deed(self._copy_name),
            "find_track": Deed(self.find),
            "filter_tracks": Deed(lambda: self.filter_asked()),
            "track_menu": Deed(self.open_menu),
        }

    # Changing

    def _change(self, change: Callable[[int, Track, TrackArrangement], TrackArrangement]) -> None:
        if (target := self.target) is not None:
            side, track = target
            self._canvas.state.arrange_tracks(side, change(side, track, self._canvas.state.tracks_of(side)))

    def _move(self, by: int) -> None:
        self._change(lambda side, track, now: arranging.move_by(self._canvas.tracks[side], now, track.id, by))

    def _resize(self, *, taller: bool) -> None:
        self._change(lambda side, track, wanted: arranging.resize(wanted, track.id, taller=taller))

    def _fold(self) -> None:
        if (target := self.target) is not None and target[1].foldable:
            self._canvas.toggle_track(*target)

    def _fold_all(self) -> None:
        """Folds every track to one row; where all are, shows every row."""
        open_ = any(one.shown > 1 for side in range(len(self._canvas.sides)) for one in self._canvas.placed(side))
        for number, tracks in enumerate(self._canvas.tracks):
            rows = [(track.id, min(1, track.few) if open_ else track.row_count) for track in tracks if track.foldable]
            wanted = arranging.set_rows(self._canvas.state.tracks_of(number), rows)
            self._canvas.state.arrange_tracks(number, wanted, remember=number == 0)

    def _process_ids(self) -> list[str]:
        if (target := self.target) is None or target[1].lane < 0:
            return []
        side, track = target
        lanes = self._canvas.sides[side].trace.lanes
        process = lanes[track.lane].process, lanes[track.lane].pid
        own = [one for one in self._canvas.tracks[side] if one.lane >= 0]
        return [one.id for one in own if (lanes[one.lane].process, lanes[one.lane].pid) == process]

    def _only_process(self) -> None:
        ids = self._process_ids()
        if ids:
            self._change(lambda side, track, wanted: arranging.only(self._canvas.tracks[side], wanted, ids))

    def _sum_track(self) -> None:
        """Adds the track to those that the ranges are summed over, or takes it away; without any left it is all."""
        if (target := self.target) is not None:
            own = target[0], target[1].id
            ranges = self._canvas.state.ranges
            known = {track for one in ranges for track in one.tracks}
            changed = known - {own} if own in known else known | {own}
            tracks = tuple(sorted(changed))
            self._canvas.state.show_ranges(tuple(replace(one, tracks=tracks) for one in ranges))

    def _copy_name(self) -> None:
        if (target := self.target) is not None:
            QGuiApplication.clipboard().setText(target[1].title)

    def show_hidden(self) -> None:
        first = True
        for side in range(len(self._canvas.sides)):
            wanted = self._canvas.state.tracks_of(side)
            if wanted.hidden or wanted.words:
                self._canvas.state.arrange_tracks(side, arranging.show_all(wanted), remember=first)
                first = False

    def any_hidden(self) -> bool:
        wanted = [self._canvas.state.tracks_of(side) for side in range(len(self._canvas.sides))]
        return any(one.hidden or one.words for one in wanted)

    def filter_by(self, words: str) -> None:
        """Of all sides; what is typed in one go is one step of undo."""
        sides = range(len(self._canvas.sides))
        remember = not any(self._canvas.state.tracks_of(side).words for side in sides)
        for side in sides:
            wanted = arranging.filter_by(self._canvas.state.tracks_of(side), words)
            self._canvas.state.arrange_tracks(side, wanted, remember=remember and side == 0)

    # Finding

    def find(self) -> Picker | None:
        """Opens the picker of all tracks, hidden ones too."""
        if not self._canvas.sides:
            return None
        entries = []
        for side, tracks in enumerate(self._canvas.tracks):
            wanted = self._canvas.state.tracks_of(side)
            shown = {track.id for track in self._canvas.placed(side).tracks}
            before = f"{self._canvas.sides[side].title}: " if len(self._canvas.sides) > 1 else ""
            for track in tracks:
                note = "pinned" if track.id in wanted.pinned else "" if track.id in shown else "hidden"
                entries.append((f"{side} {track.id}", before + track.title, note))
        picker = Picker(entries, self._canvas.window(), name="Find a track", prompt="Type a part of its name")
        picker.picked.connect(lambda id_: self.reveal(int(id_.partition(" ")[0]), id_.partition(" ")[2]))
        picker.show_over(top=64)
        return picker

    def reveal(self, side: int, id_: str) -> None:
        """Brings a track back where it is put away, and scrolls to it; does nothing where the track is no more."""
        if side >= len(self._canvas.tracks) or all(track.id != id_ for track in self._canvas.tracks[side]):
            return  # it was chosen from a list that other results came under
        wanted = self._canvas.state.tracks_of(side)
        if self._canvas.placed(side).of(id_) is None:
            shown = arranging.show(arranging.filter_by(wanted, ""), [id_])
            self._canvas.state.arrange_tracks(side, shown)
        self._canvas.arrangement()
        self._canvas.stage.scroll_to_row(side, id_, 0)
        self._canvas.scroll_by(side, 0)
        self.touch(side, id_)

    # Menus

    def menu(self) -> QMenu:
        """For the track touched; what can't be done now is grey."""
        menu, deeds = QMenu(self._canvas), self.deeds
        target = self.target
        if target is not None:
            menu.addAction(target[1].title.replace("&", "&&")).setEnabled(False)
            menu.addSeparator()
        for number, group in enumerate(MENU):
            if number:
                menu.addSeparator()
            for id_ in group:
                action = _BY_ID[id_]
                made = menu.addAction(f"{self._title(id_)}\t{action.keys[0]}")
                made.setObjectName(id_)
                made.setEnabled(deeds[id_].usable())
                made.triggered.connect(lambda _=False, deed=deeds[id_]: deed.run())
        return menu

    def _title(self, id_: str) -> str:
        if id_ == "pin" and (target := self.target) is not None:
            pinned = target[1].id in self._canvas.state.tracks_of(target[0]).pinned
            return "Let the track go" if pinned else "Pin the track to the top"
        return _BY_ID[id_].title

    def open_menu(self, at: QPoint | None = None) -> QMenu | None:
        """At a point of the canvas, else at the title of the track touched."""
        if self.target is None:
            return None
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._canvas.mapToGlobal(at if at is not None else self._title_point()))
        return menu

    def _title_point(self) -> QPoint:
        assert self.target is not None
        side, track = self.target
        scene, one = self._canvas.scenes()[side], self._canvas.placed(side).of(track.id)
        y = scene.row_top(one, 0) + one.row_height // 2 if one is not None else scene.pane.body_top
        return QPoint(scene.pane.left + 24, max(scene.pane.body_top, min(y, scene.pane.bottom)))

    # The chips that say how many tracks are hidden

    def place_chips(self) -> None:
        """Cheap while nothing is other than before: it is called for every move of the window."""
        count = len(self._canvas.sides)
        while len(self._chips) < count:
            self._chips.append(self._chip(len(self._chips)))
            self._placed.append(None)
        for side in range(len(self._chips)):
            text = self._hidden_text(side) if side < count else ""
            pane = self._canvas.arrangement().panes[side] if text else None
            wanted = (text, pane, self._canvas.look.palette) if pane is not None and pane.right > pane.left else None
            if wanted != self._placed[side]:
                self._placed[side] = wanted
                self._place_chip(side, wanted)

    def _place_chip(self, side: int, wanted: tuple[str, Pane, Palette] | None) -> None:
        chip = self._chips[side]
        chip.setVisible(wanted is not None)
        if wanted is not None:
            text, pane, palette = wanted
            chip.setStyleSheet(f"QPushButton#chip {{ background: {palette.raised}; }}")
            chip.setText(text)
            chip.setAccessibleName(f"{text} on {self._canvas.sides[side].title}")
            chip.adjustSize()
            chip.setFixedHeight(HEADER - 6)
            chip.move(pane.right - chip.width() - 8, pane.top + 3)

    def _hidden_text(self, side: int) -> str:
        wanted = self._canvas.state.tracks_of(side)
        if not (wanted.hidden or wanted.words):
            return ""
        hidden = len(self._canvas.tracks[side]) - len(self._canvas.placed(side))
        return f"{hidden} track{'' if hidden == 1 else 's'} hidden ▾" if hidden else ""

    def _chip(self, side: int) -> QPushButton:
        chip = QPushButton(self._canvas)
        chip.setObjectName("chip")
        chip.setAccessibleName("Hidden tracks")
        chip.setToolTip(plain_tip("Bring hidden tracks back (Shift+A: all)"))
        chip.clicked.connect(lambda: self._open_hidden(side))
        chip.hide()
        return chip

    def _open_hidden(self, side: int) -> None:
        menu = self.hidden_menu(side)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chip = self._chips[side]
        menu.popup(chip.mapToGlobal(QPoint(0, chip.height() + 2)))

    def hidden_menu(self, side: int) -> QMenu:
        """All hidden tracks of a side, to bring back one by one or all at once."""
        menu = QMenu(self._canvas)
        menu.addAction(f"Show all\t{_BY_ID['show_hidden'].keys[0]}").triggered.connect(lambda: self.show_hidden())
        menu.addSeparator()
        now = arranging.arranged(self._canvas.tracks[side], self._canvas.state.tracks_of(side))
        put_away = (*now.hidden, *now.filtered)
        for track in put_away[:MOST_LISTED]:
            action = menu.addAction(track.title.replace("&", "&&"))
            action.triggered.connect(lambda *_, id_=track.id: self.reveal(side, id_))
        if len(put_away) > MOST_LISTED:
            menu.addAction(f"{len(put_away) - MOST_LISTED} more: find them with Ctrl+P").setEnabled(False)
        return menu


def track_details(one: Placed) -> str:
    """What a pointer at a track's title tells."""
    track = one.track
    if track.missing:
        return f"{track.title}: {track.missing}"
    hidden = track.row_count - one.shown
    rows = f"{track.row_count} rows" if track.row_count != 1 else "1 row"
    action = f", {hidden} hidden: click to show all" if hidden else ", click to fold" if track.foldable else ""
    return "\n".join([track.title, *([track.about] if track.about else []), *([rows + action] if track.rows else [])])
