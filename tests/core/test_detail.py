"""Busy time before any moment against adding up slice by slice; native and twin, narrow and wide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profviz.core import columns
from profviz.core.detail import BLOCK, KINDS, Detail, busy_before, make_detail, plain_busy, plain_detail

TRIPLES = st.tuples(st.integers(0, 2**32), st.integers(0, 200), st.sampled_from([1, 2**31, 2**33]))


def source(described: tuple[int, int, int], at: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    seed, count, unit = described
    chance = np.random.default_rng(seed)
    gap, dur = chance.integers(0, 5, count), chance.integers(0, 5, count) * unit
    return (
        at + np.cumsum(gap + dur) - dur,
        dur,
        chance.choice(np.array([2, 5, 63, 2 + KINDS, 63 + 3 * KINDS], dtype=np.uint8), count),
    )


def by_definition(start: np.ndarray, dur: np.ndarray, kind: np.ndarray, time: int) -> dict[int, int]:
    busy = dict.fromkeys((kind % KINDS).tolist(), 0)
    for begin, length, own in zip(start.tolist(), dur.tolist(), (kind % KINDS).tolist(), strict=True):
        busy[own] += max(0, min(begin + length, time) - begin)
    return busy


def same(first: Detail, second: Detail) -> bool:
    names = ("base_ns", "start", "dur", "kind", "kinds", "sums_ns")
    pairs = [(getattr(first, name), getattr(second, name)) for name in names]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


@settings(max_examples=60, deadline=None)
@given(
    TRIPLES, st.sampled_from([1, 2]), st.sampled_from([0, 2**62, -(2**62)]), st.lists(st.floats(-0.1, 1.1), max_size=12)
)
def test_agrees_with_adding_up(described: tuple[int, int, int], every: int, origin: int, shares: list[float]) -> None:
    start, dur, kind = source(described, origin)
    at = np.arange(0, len(start), every, dtype=np.uint32) if every > 1 else None
    own = slice(None) if at is None else at
    detail = make_detail(start, dur, kind, at)
    assert same(detail, plain_detail(start, dur, kind, at))
    span = int(start[-1] + dur[-1] - origin) if len(start) else 10
    times = np.array([origin + int(span * share) for share in shares], dtype=np.int64)  # in any order
    for busy, before in (busy_before(detail, times), plain_busy(detail, times)):
        assert before.tolist() == [int((start[own] < time).sum()) for time in times]
        for i, time in enumerate(times.tolist()):
            found = dict(zip(detail.kinds.tolist(), busy[:, i].tolist(), strict=True))
            assert found == by_definition(start[own], dur[own], kind[own], time)


def test_scattered_slices_are_kept_narrowly_and_adjoining_ones_not_at_all() -> None:
    start = np.arange(0, 6_000, 2, dtype=np.int64) + 10**18
    dur, kind = np.full(3_000, 2), np.zeros(3_000, dtype=np.uint8)
    whole = make_detail(start, dur, kind, None)
    assert whole.start is start
    assert whole.kind is kind
    picked = make_detail(start, dur, kind, np.arange(0, 3_000, 3, dtype=np.uint32))
    assert picked.start.dtype == picked.dur.dtype == np.uint32
    assert picked.start_ns().tolist() == start[::3].tolist()
    assert sum(part.nbytes for part in picked.parts) < 10 * 1_000
    assert len(picked.base_ns) == -(-1_000 // BLOCK)


@pytest.mark.parametrize("longest", [2**32 - 1, 2**32])
def test_what_does_not_fit_in_32_bits_is_kept_widely(longest: int) -> None:
    start, dur = np.array([0, 0, longest, 0, 2 * longest]), np.array([longest, 0, 1, 0, longest])
    at, kind = np.array([0, 2, 4], dtype=np.uint32), np.zeros(5, dtype=np.uint8)
    detail = make_detail(start[:3], dur[:3], kind[:3], at[:2])
    assert detail.start.dtype == (np.uint32 if longest < 2**32 else np.int64)
    assert same(detail, plain_detail(start[:3], dur[:3], kind[:3], at[:2]))
    assert make_detail(start, dur, kind, at).start.dtype == np.int64


@pytest.mark.skipif(not columns.NATIVE, reason="the extension profviz.core._columns is not built")
def test_the_extension_itself_refuses_what_would_crash_it() -> None:
    start, dur, kind = source((1, 100, 1))
    beyond = np.array([3, 100], dtype=np.uint32)
    with pytest.raises(ValueError, match="contradict"):
        make_detail(start, dur, kind, beyond)
    with pytest.raises(ValueError, match="contradict"):
        columns.native.visible(start, dur, beyond, 10**6, 10**6)
    with pytest.raises(ValueError, match="kind"):
        columns.native.gather(start, dur, kind[1:], beyond, start[:1], beyond, beyond, kind[:2])
    with pytest.raises(ValueError, match="base_ns"):
        columns.native.gather(start, dur, kind, beyond, start[:0], beyond, beyond, kind[:2])
    parts = make_detail(start, dur, kind, None).parts
    with pytest.raises(ValueError, match="sums_ns"):
        columns.native.sum_blocks(*parts[:5], parts[5][1:])
    with pytest.raises(ValueError, match="busy"):
        columns.native.busy(parts, start, start, start.copy())
    with pytest.raises(TypeError, match="dur"):
        columns.native.sum_blocks(parts[0], parts[1], parts[2].astype(np.uint32), *parts[3:])
