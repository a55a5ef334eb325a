"""The lasting picture: what it shows, that only what differs is painted anew, and at two device pixels to one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from factories import make_pair, make_side
from PySide6.QtGui import QColor, QFont, QImage
from pytestqt.qtbot import QtBot

from profviz.core.picture import stamp
from profviz.core.raster import pixel_edges
from profviz.core.series import Series
from profviz.model.questions import Unit
from profviz.model.results import Results, SliceKind
from profviz.model.trace import Memory
from profviz.ui.view_state import TimeWindow, TrackArrangement, ViewState
from profviz.ui.views.timeline import backdrop, lines
from profviz.ui.views.timeline.areas import area_of, bounds_of
from profviz.ui.views.timeline.backdrop import Backdrop
from profviz.ui.views.timeline.hands import Timelines
from profviz.ui.views.timeline.tracks import Group, Line
from profviz.ui.widgets import timeline_text
from profviz.ui.widgets.palette import DARK, LIGHT
from profviz.ui.widgets.timeline_look import Look, number_of
from profviz.ui.widgets.timeline_text import FEWEST_PX, UNKNOWN, Stencils

NAMES = ("aten::addmm", "triton_poi_fused_add_mul_pow_tanh_view_4", "")


@pytest.fixture
def shown(qtbot: QtBot) -> Callable[[Results], Timelines]:
    def show(results: Results) -> Timelines:
        canvas = Timelines(ViewState(), DARK)
        qtbot.addWidget(canvas)
        canvas.resize(900, 500)
        canvas.show_results(results)
        return canvas

    return show


def picture(canvas: Timelines, made: Backdrop, *, ratio: float = 1.0) -> np.ndarray:
    image = made.painted(canvas._headings(canvas.scenes()), canvas.size(), ratio, canvas.look)
    return pixels_of(image)


def pixels_of(image: QImage) -> np.ndarray:
    shape = image.height(), image.width()
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(shape).copy()


def test_the_lasting_picture_is_what_painting_everything_gives(shown: Callable[[Results], Timelines]) -> None:
    """After any changes, in any order, the same as from an empty one."""
    canvas, lasting = shown(make_pair()), Backdrop()
    start, end = canvas.whole
    steps: list[Callable[[], object]] = [
        lambda: canvas.state.show_window(TimeWindow(start, end)),
        lambda: canvas.state.show_window(TimeWindow(start + 500, start + 4_000)),
        lambda: canvas.scroll_by(0, 30),
        lambda: canvas.resize(700, 300),
        lambda: canvas.scroll_by(1, 17),
        lambda: canvas.state.arrange_tracks(0, TrackArrangement(pinned=("steps",), heights={"0 GPU": 2.0})),
        lambda: canvas.scroll_by(0, 25),
        lambda: canvas.set_palette(LIGHT),
        lambda: canvas.set_beside(beside=True),
        lambda: canvas.state.free_windows(2),
        lambda: canvas.state.show_side_window(1, TimeWindow(start, start + 9_000)),
        lambda: canvas.state.undo(),
    ]
    for step in steps:
        step()
        kept, fresh = picture(canvas, lasting), picture(canvas, Backdrop())
        assert np.array_equal(kept, fresh)


def test_pointing_paints_no_row_and_scrolling_no_line_again(
    shown: Callable[[Results], Timelines], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = {"lines": 0, "rows": 0}
    paint_rows, fill = lines.paint_rows, backdrop.fill

    def counting_lines(rows: object, *args: object, **options: object) -> object:
        counted["lines"] += len(rows)  # type: ignore[arg-type]
        return paint_rows(rows, *args, **options)  # type: ignore[arg-type]

    def counting_rows(*args: object) -> None:
        counted["rows"] += 1
        fill(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(lines, "paint_rows", counting_lines)
    monkeypatch.setattr(backdrop, "fill", counting_rows)
    canvas = shown(make_pair())
    canvas.resize(900, 220)
    canvas.grab()
    assert counted["lines"] > 0
    assert counted["rows"] == 2
    counted.update(lines=0, rows=0)
    canvas.pointer = 400.0, 60.0
    canvas.grab()
    canvas.state.pick(canvas.state.selection.pick)
    canvas.grab()
    assert counted == {"lines": 0, "rows": 0}
    canvas.scroll_by(0, 9)
    canvas.grab()
    assert counted["rows"] == 1
    assert counted["lines"] <= 1, "no more than the row that came into view"


def test_at_two_device_pixels_to_one_everything_is_twice_as_large_and_as_sharp(
    shown: Callable[[Results], Timelines],
) -> None:
    canvas = shown(make_pair())
    once, twice = picture(canvas, Backdrop()), picture(canvas, Backdrop(), ratio=2.0)
    assert twice.shape == (once.shape[0] * 2, once.shape[1] * 2)
    scene = canvas.scenes()[0]
    one = next(one for one in scene.placed if one.track.group is Group.GPU)
    top, left = scene.row_top(one, 0), scene.pane.time_left
    wide = twice[2 * top : 2 * (top + one.row_height - 1), 2 * left : 2 * (left + scene.pane.time_width)]
    assert (wide == wide[:1])[:, :40].all()
    edges = np.flatnonzero(np.diff(wide[3].astype(np.int64)))
    assert (edges % 2 == 0).any(), "edges between two logical pixels are told"


def test_a_track_that_shows_no_slices_shows_its_values(shown: Callable[[Results], Timelines]) -> None:
    side = make_side([(1, 0, 1_000, "aten::op", -1)])
    times, none = np.array([200, 600], dtype=np.int64), np.full(2, -1, dtype=np.int64)
    device = np.ones(2, dtype=np.int32)
    memory = Memory(times, none, none, np.array([64, 16]), np.array([64, 64]), device, device * 0, device, none)
    canvas = shown(Results("", "", (replace(side, trace=replace(side.trace, memory=memory)),), (), (), ()))
    canvas.state.show_window(TimeWindow(0, 1_000))
    pixels, scene = picture(canvas, Backdrop()), canvas.scenes()[0]
    one = next(one for one in scene.placed if one.track.group is Group.MEMORY)
    top, accent = scene.row_top(one, 0), number_of(canvas.look.accent)
    heights = []
    for time in (100, 400, 800):
        column = pixels[top : top + one.row_height - 1, round(scene.scale.x(time))]
        heights.append(int(np.flatnonzero(column == accent)[0]) if (column == accent).any() else -1)
    assert heights[0] == -1
    assert 0 < heights[1] < heights[2]


def test_areas_reach_from_the_lowest_to_the_highest_value_of_each_pixel() -> None:
    series = Series(np.array([0, 50, 51, 80], dtype=np.int64), np.array([2.0, 8.0, 0.0, 4.0]))
    line = Line("", Unit.COUNT, series)
    assert bounds_of([line]) == (0.0, 8.0)
    ground = np.full(10, 0xFF000000, dtype=np.uint32)
    made = area_of([line], pixel_edges(0, 100, 10), 39, ground=ground, colours=[0xFFFFFFFF], ratio=1.0)
    strong = made == 0xFFFFFFFF
    assert [int(np.flatnonzero(strong[:, x])[0]) for x in (0, 5, 6, 9)] == [27, 3, 35, 19]
    assert strong[:, 5].sum() == 33, "the pixel of the spike holds its whole height"
    assert (made[:3] == ground).all()
    flat = Line("", Unit.COUNT, Series(np.array([0], dtype=np.int64), np.array([0.0])))
    assert bounds_of([flat]) == (0.0, 1.0)
    below = Line("", Unit.COUNT, Series(np.array([0], dtype=np.int64), np.array([-4.0])))
    assert bounds_of([below]) == (-4.0, 0.0)


def stencils(*, ratio: float = 1.0) -> Stencils:
    font = QFont()
    font.setPixelSize(11)
    return Stencils(font, ratio)


def test_texts_are_rendered_once_and_no_more_than_allowed_at_a_time(qtbot: QtBot) -> None:
    made, asked = stencils(), []

    def shown_as(name: str) -> str:
        asked.append(name)
        return name

    at = np.array([0, 1, 0, 1, 2])
    first, new = made.numbers(NAMES, at, shown_as, most_new=1)
    assert (new, (first == UNKNOWN).tolist()) == (3, [False, True, False, True, True])
    second, new = made.numbers(NAMES, at, shown_as, most_new=9)
    assert (new, bool((second == UNKNOWN).any())) == (2, False)
    assert asked == list(NAMES)
    assert made.numbers(NAMES, at, shown_as, most_new=9)[0].tolist() == second.tolist()
    assert len(asked) == 3


def test_texts_are_cut_between_letters_with_an_ellipsis_or_left_out(qtbot: QtBot) -> None:
    made = stencils()
    numbers, _ = made.numbers(NAMES, np.array([1]), str, most_new=9)
    whole = int(made.widths[numbers[0]])
    rooms = np.arange(0, whole + 20, dtype=np.int32)
    pieces = made.pieces(np.repeat(numbers, len(rooms)), rooms)
    end = made.place(made.ellipsis)[1]
    total = pieces.width + np.where(pieces.is_cut, end + 1, 0)
    assert (total <= rooms).all()
    assert (np.diff(pieces.width) >= 0).all()
    assert (pieces.width[rooms >= whole] == whole).all()
    assert not pieces.is_cut[rooms >= whole].any()
    assert (pieces.width[pieces.is_cut] >= FEWEST_PX).all()
    assert pieces.width[:FEWEST_PX].max() == 0
    assert pieces.width[rooms == whole - 1].item() > whole - 30, "no more is cut off than has to be"


def test_every_name_shows_after_as_many_frames_as_it_takes(
    shown: Callable[[Results], Timelines], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names of the trace come first, but those of steps have their turn too."""
    pieces = [(0, 100 * number, 90, f"kernel_{number}", -1) for number in range(30)]
    side = make_side(pieces, steps=[(0, 1_400), (1_400, 3_000)])
    canvas, made, whole = shown(Results("", "", (side,), (), (), ())), Backdrop(), Backdrop()
    canvas.resize(3_000, 300)
    canvas.state.show_window(TimeWindow(0, 3_000))
    frames = 1
    before = picture(canvas, made)
    while made.is_waiting:
        before, frames = picture(canvas, made), frames + 1
    assert 1 < frames <= 4
    monkeypatch.setattr(backdrop, "stamps_of", partial(backdrop.stamps_of, most_new=10**6))
    assert np.array_equal(picture(canvas, whole), before)


def test_stencils_hold_the_ink_of_their_text(qtbot: QtBot) -> None:
    for ratio in (1.0, 2.0):
        made = stencils(ratio=ratio)
        numbers, _ = made.numbers(("l",), np.array([0]), str, most_new=1)
        first, width = made.place(int(numbers[0]))
        canvas = np.zeros((made.height, 30), dtype=np.uint32)
        stamps = np.array([[0, 0, width, made.height, first, width]], dtype=np.int32)
        stamp(canvas, made.stencil, stamps, np.array([0xFFFFFFFF], dtype=np.uint32))
        inked = np.flatnonzero((canvas & 0xFF).max(axis=1) > 128)
        assert len(inked) >= 7 * ratio
        assert width < 6 * ratio


def test_names_too_many_to_keep_are_forgotten_and_made_again(
    shown: Callable[[Results], Timelines], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never in between the names of one frame, or bars would have those of others."""
    canvas, small, large = shown(make_pair()), Backdrop(), Backdrop()
    windows = [TimeWindow(0, 9_000), TimeWindow(20_000, 24_000), TimeWindow(0, 9_000)]
    for window in windows:
        canvas.state.show_window(window)
        monkeypatch.setattr(timeline_text, "ROOM", 10)
        forgetting = picture(canvas, small)
        monkeypatch.setattr(timeline_text, "ROOM", 10**9)
        assert np.array_equal(forgetting, picture(canvas, large))


def test_a_look_has_a_colour_for_every_kind_and_shade(qtbot: QtBot) -> None:
    for palette in (DARK, LIGHT):
        look = Look(palette, QFont())
        for kind in SliceKind:
            assert int(look.colours[kind, -1]) == number_of(QColor(palette.kinds[kind]))
            assert len({int(look.colours[kind + 64 * shade, -1]) for shade in range(4)}) == 4
