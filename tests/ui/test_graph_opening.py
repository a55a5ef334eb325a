"""Where a picture opens: whole where it is legible, else its beginning with nothing cut at the upper edge."""

from __future__ import annotations

import numpy as np

from profviz.ui.widgets.graph_opening import LEGIBLE, SCALES, opening
from profviz.ui.widgets.graph_picture import Picture, Rect, Role, Shape, empty_picture


def picture(rects: list[Rect], ends: list[tuple[int, int]], *, downwards: bool, inputs: int = 1) -> Picture:
    """The first `inputs` are those of the graph; edges run from middle to middle."""
    rows = np.array(rects, float)
    shapes = tuple(Shape(Role.PALE if at < inputs else Role.BOX, str(at)) for at in range(len(rects)))
    points = [rows[at, :2] + rows[at, 2:] / 2 for pair in ends for at in pair]
    offsets, pairs = np.arange(len(ends) + 1) * 2, np.array(ends, np.int64).reshape(-1, 2)
    return Picture(shapes, rows, np.array(points).reshape(-1, 2), offsets, pairs, downwards=downwards)


def window(shown: Picture, width: float, height: float) -> tuple[float, float, float, float]:
    scale, x, y = opening(shown, width, height)
    return x - width / scale / 2, y - height / scale / 2, x + width / scale / 2, y + height / scale / 2


def rows(count: int, *, longest: int = 40) -> Picture:
    """`count` rows of boxes to the right; the input stands beside row 5 and leads to it."""
    rects: list[Rect] = [(0, 5 * 60 + 11, 90, 38)]
    rects += [(120 + 120 * column, 60.0 * row, 100, 38) for row in range(count) for column in range(longest)]
    return picture(rects, [(0, 1 + 5 * longest)], downwards=False)


def test_what_is_legible_as_a_whole_is_shown_whole() -> None:
    shown = picture([(0, 0, 100, 38), (500, 0, 100, 38)], [(0, 1)], downwards=False)
    assert opening(shown, 1000, 400)[0] == 1.0
    left, top, right, bottom = window(shown, 400, 100)
    assert LEGIBLE <= opening(shown, 400, 100)[0] < 1.0
    assert left <= 0
    assert right >= 600
    assert top <= 0
    assert bottom >= 38


def test_a_long_graph_opens_at_its_beginning_with_all_of_its_rows_where_they_fit() -> None:
    shown = rows(6)
    left, top, _, bottom = window(shown, 800, 250)
    assert left == shown.bounds[0]
    assert top <= 0
    assert bottom >= 5 * 60 + 38
    assert opening(shown, 800, 250)[0] in SCALES


def test_where_rows_do_not_fit_what_the_input_leads_to_is_in_the_middle_and_no_row_is_cut_at_the_top() -> None:
    shown = rows(30)
    left, top, _, bottom = window(shown, 800, 150)
    assert opening(shown, 800, 150)[0] == SCALES[0]
    assert left == shown.bounds[0]
    assert top < 5 * 60
    assert bottom > 5 * 60 + 38
    assert abs((top + bottom) / 2 - (5 * 60 + 19)) <= 60
    assert not any(y < top < y + 38 for y in shown.rects[1:, 1])


def test_downwards_the_first_row_is_whole() -> None:
    boxes: list[Rect] = [(200.0 * column, 100.0 * row, 150, 38) for row in range(40) for column in range(3)]
    shown = picture(boxes, [(1, 4)], downwards=True, inputs=3)
    left, top, right, _ = window(shown, 500, 300)
    assert top == shown.bounds[1]
    assert left <= 0
    assert right >= 550


def test_a_picture_of_nothing_and_a_view_without_room_open() -> None:
    assert opening(empty_picture(), 800, 600)[0] == 1.0
    for downwards in (True, False):
        assert opening(picture([(0, 0, 9000, 9000)], [], downwards=downwards), 1, 1)[0] > 0
