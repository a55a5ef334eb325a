"""Packing, joining and picking of columns, with the C core and with its twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profviz.core import columns
from profviz.core.moving import extremes, inverse, lessened, picked, plain_picked, plain_put, put

WHOLE = ("u1", "u2", "u4", "i4", "u8", "i8")
Column = npt.NDArray[Any]


@pytest.fixture(params=["native", "twin"])
def core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "native" and not columns.NATIVE:
        pytest.skip("the C core is not built")
    monkeypatch.setattr(columns, "NATIVE", request.param == "native")


def ends(kind: str) -> Column:
    """The outermost values of a type and some between."""
    known = np.iinfo(kind)
    return np.array([known.max, 0, known.min, 1, 77, known.max - 1], dtype=kind)


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("kind", WHOLE)
def test_extremes_are_exact_in_every_type(kind: str) -> None:
    assert extremes(ends(kind)) == (np.iinfo(kind).min, np.iinfo(kind).max)
    assert extremes(ends(kind)[4:5]) == (77, 77)
    with pytest.raises(ValueError, match=r"element|identity"):
        extremes(ends(kind)[:0])


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize(
    ("kind", "base", "small"),
    [("i8", -(1 << 62), "u2"), ("u8", (1 << 64) - 9, "u1"), ("i4", -(1 << 31), "u2"), ("u4", (1 << 32) - 300, "u2")],
)
def test_values_less_a_base_fit_a_smaller_type(kind: str, base: int, small: str) -> None:
    values = np.array([base, base + 8, base + 3], dtype=kind)
    less = lessened(values, base, np.dtype(small))
    assert less.dtype == small
    assert less.tolist() == [0, 8, 3]


@pytest.mark.usefixtures("core")
def test_spans_go_where_they_belong() -> None:
    out = np.zeros(6, dtype=np.int32)
    bounds = np.array([[1, 3, 4], [0, 1, 0], [2, 2, 6]], dtype=np.int64)
    put(out, np.array([5, 6, 7], dtype=np.uint8), bounds, base=-10)
    assert out.tolist() == [-5, 0, 0, 0, -4, -3]


@pytest.mark.usefixtures("core")
def test_spans_move_by_as_much_as_their_rows_do() -> None:
    out = np.zeros(4, dtype=np.uint32)
    bounds = np.array([[0, 2, 2], [2, 4, 0]], dtype=np.int64)
    put(out, np.arange(4, dtype=np.uint16), bounds, base=100, moves=np.array([1_000, -90], dtype=np.int64))
    assert out.tolist() == [12, 13, 1_100, 1_101]


@pytest.mark.usefixtures("core")
def test_what_is_all_alike_is_written_out() -> None:
    alike = np.broadcast_to(np.uint8(0), (3,))
    bounds = np.array([[0, 3, 1]], dtype=np.int64)
    plain, known = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.uint16)
    put(plain, alike, bounds, base=-1)
    put(known, alike, bounds, base=2, known=np.array([7, 8, 9], dtype=np.uint32))
    assert plain.tolist() == [0, -1, -1, -1]
    assert known.tolist() == [0, 9, 9, 9]


@pytest.mark.usefixtures("core")
def test_numbers_are_looked_up() -> None:
    out = np.zeros(3, dtype=np.uint8)
    bounds = np.array([[0, 3, 0]], dtype=np.int64)
    put(out, np.array([0, 2, 1], dtype=np.uint8), bounds, base=1, known=np.array([9, 30, 20, 10], dtype=np.uint32))
    assert out.tolist() == [30, 10, 20]


@pytest.mark.skipif(not columns.NATIVE, reason="the C core is not built")
@pytest.mark.parametrize("bounds", [[0, 4, 0], [-1, 2, 0], [2, 1, 0], [0, 3, 1], [0, 1, -1], [0, 3, 1 << 62]])
@pytest.mark.parametrize("known", [None, np.arange(9, dtype=np.uint32)])
def test_no_span_leaves_its_columns(bounds: list[int], known: Any) -> None:
    with pytest.raises(ValueError, match="contradict"):
        put(np.zeros(3, np.uint32), np.zeros(3, np.uint16) + 1, np.array([bounds], np.int64), known=known)


@pytest.mark.skipif(not columns.NATIVE, reason="the C core is not built")
@pytest.mark.parametrize("known", [[], [1], [1, 2]])
@pytest.mark.parametrize("part", [np.array([0, 2], np.uint8), np.broadcast_to(np.uint8(0), (2,))])
def test_no_number_is_looked_up_beyond_what_is_known(known: list[int], part: Column) -> None:
    with pytest.raises(ValueError, match="contradict"):
        put(np.zeros(2, np.uint8), part, np.array([[0, 2, 0]]), base=2, known=np.array(known, np.uint32))


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("places", ["u1", "u2", "u4", "i4", "i8"])
def test_values_are_picked_whatever_their_type(places: str) -> None:
    at = np.array([2, 0, 200, 1], dtype=places)
    for column in (np.array([1.5, np.nan, -2]), np.array([True, False, True]), np.array([-1, 5, 300], dtype=np.int16)):
        found = picked(column, at)
        assert found.dtype == column.dtype
        np.testing.assert_array_equal(found, column[[2, 0, 2, 1]])


@pytest.mark.usefixtures("core")
def test_places_before_the_first_give_the_first() -> None:
    assert picked(np.array([4, 5]), np.array([-1, 1, -(1 << 62)])).tolist() == [4, 5, 4]
    assert picked(np.array([], dtype=np.int8), np.array([], dtype=np.uint32)).tolist() == []
    with pytest.raises((ValueError, IndexError)):
        picked(np.array([], dtype=np.int8), np.array([0], dtype=np.uint32))


def test_the_inverse_says_where_each_place_went() -> None:
    order = np.random.default_rng(1).permutation(100_000).astype(np.uint32)
    assert (inverse(order)[order] == np.arange(100_000)).all()
    assert inverse(order[:0]).tolist() == []


@pytest.mark.skipif(not columns.NATIVE, reason="the C core is not built")
@given(
    st.sampled_from(WHOLE), st.sampled_from(WHOLE), st.integers(-(1 << 63), (1 << 64) - 1), st.integers(0, 1), st.data()
)
def test_the_c_core_and_its_twin_agree(part: str, out: str, base: int, alike: int, data: st.DataObject) -> None:
    values = np.array(data.draw(st.lists(st.sampled_from(ends(part).tolist()), min_size=1, max_size=40)), dtype=part)
    if alike:
        values = np.broadcast_to(np.uint8(0), values.shape)
    cut = data.draw(st.integers(0, len(values)))
    bounds = np.array([[cut, len(values), 0], [0, cut, len(values) - cut]], dtype=np.int64)
    moves = np.array(data.draw(st.lists(st.integers(-(1 << 62), 1 << 62), min_size=2, max_size=2)), dtype=np.int64)
    made, plain = np.zeros(len(values), dtype=out), np.zeros(len(values), dtype=out)
    put(made, values, bounds, base=base, moves=moves)
    plain_put(plain, values, bounds, base=base, moves=moves, known=None)
    assert made.tolist() == plain.tolist()
    assert (
        picked(values, made).tolist() == plain_picked(values, np.minimum(made, len(values)).astype(np.int64)).tolist()
    )
