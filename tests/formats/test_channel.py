"""What one side of a channel sees of how the other one ended."""

from __future__ import annotations

import pytest

from profviz.formats.channel import Channel
from profviz.formats.document import Cancelled


def filled(*blocks: bytes) -> Channel:
    channel = Channel()
    assert all(channel.put(block) for block in blocks)
    return channel


def test_blocks_come_in_order_and_then_the_end() -> None:
    channel = filled(b"a", b"b")
    channel.finish()
    assert list(channel) == [b"a", b"b"]
    channel.close()
    assert list(channel) == []


def test_an_error_comes_behind_the_blocks_before_it() -> None:
    channel = filled(b"a")
    channel.finish(OSError("gone"))
    taken = iter(channel)
    assert next(taken) == b"a"
    with pytest.raises(OSError, match="gone"):
        next(taken)


@pytest.mark.parametrize("finished_first", [True, False])
def test_an_early_end_does_not_look_like_the_end(*, finished_first: bool) -> None:
    channel = filled(b"a", b"b")
    for end in (channel.finish, channel.close) if finished_first else (channel.close, channel.finish):
        end()
    assert not channel.put(b"c")
    with pytest.raises(Cancelled):
        list(channel)
