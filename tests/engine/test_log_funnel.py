from __future__ import annotations

import random

from profviz.engine.log_funnel import LINE_BYTES, LogFunnel


def lines(*chunks: bytes) -> list[str]:
    funnel = LogFunnel()
    for chunk in chunks:
        funnel.feed(chunk)
    return funnel.take(0.0, final=True)


def test_lines_come_as_they_were_printed() -> None:
    assert lines(b"one\ntwo\r\n\nth", b"ree\n", b"last") == ["one", "two", "", "three", "last"]


def test_a_carriage_return_starts_its_line_anew() -> None:
    assert lines(b"10 %\r", b"20 %\r", b"30 %\r\nnext\n") == ["30 %", "next"]
    assert lines(b"abc\r", b"\ndef") == ["abc", "def"]


def test_bytes_that_are_no_text_are_marked_and_colours_taken_away() -> None:
    assert lines(b"\x1b[31mred\x1b[0m \xff \x07\ttab") == ["red \ufffd \ufffd\ttab"]


def test_a_flood_keeps_its_head_and_its_tail_and_says_what_is_left_out() -> None:
    funnel = LogFunnel(head=3, tail=2)
    funnel.feed(b"".join(b"line %d\n" % number for number in range(1000)))
    assert funnel.take(0.0) == [
        "line 0",
        "line 1",
        "line 2",
        f"… 995 lines ({sum(len(b'line %d' % n) + 1 for n in range(3, 998)):,} bytes) left out …",
        "line 998",
        "line 999",
    ]
    funnel.feed(b"after\n")
    assert funnel.take(0.0) == ["after"]


def test_how_the_bytes_were_cut_changes_nothing() -> None:
    chance = random.Random(1)
    data = b"".join(
        b"%d\n" % number + b"x" * chance.randrange(40) + b"\n" * chance.randrange(3) for number in range(500)
    )
    whole = LogFunnel(head=7, tail=5)
    whole.feed(data)
    pieces = LogFunnel(head=7, tail=5)
    left = data
    while left:
        size = chance.randrange(1, 60)
        pieces.feed(left[:size])
        left = left[size:]
    assert pieces.take(0.0, final=True) == whole.take(0.0, final=True)


def test_a_line_without_end_is_cut_and_never_piles_up() -> None:
    funnel = LogFunnel(head=2, tail=2)
    for _ in range(100):
        funnel.feed(b"x" * 50_000)
    shown = funnel.take(0.0, final=True)
    assert len(shown) == 5
    assert all(len(line) <= LINE_BYTES for line in shown)
    assert len(funnel.text()) == 64 << 10


def test_a_question_without_a_line_end_shows_after_a_pause() -> None:
    funnel = LogFunnel()
    funnel.feed(b"Continue? ")
    assert funnel.take(0.0) == []
    assert funnel.take(0.5) == []
    assert funnel.take(2.0) == ["Continue? "]
    assert funnel.take(9.0, final=True) == []
