"""Searching slices: what the words mean, and that what is found is what looking at every slice finds."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from factories import Piece, make_pair, make_side
from hypothesis import given
from hypothesis import strategies as st

from profviz.analysis.questions import answer
from profviz.analysis.search_query import QueryError, length_ns, parse
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results, Side, SliceKind
from profviz.model.searches import BINS, MOST_LISTED, Found
from profviz.model.trace import Shapes

PAIR = make_pair()


def found(text: str, *, side: int = 0, results: Results = PAIR, is_regex: bool = False) -> Found:
    made = answer(results, Question("search", side, (text, is_regex)))
    assert isinstance(made, Found), made
    return made


def names(text: str, *, side: Side | None = None, is_regex: bool = False) -> list[str]:
    results = PAIR if side is None else replace(PAIR, sides=(side,))
    own = results.sides[0]
    return [own.trace.name_of(index) for index in found(text, results=results, is_regex=is_regex).slices]


def wrong(text: str, *, is_regex: bool = False) -> str:
    made = answer(PAIR, Question("search", 0, (text, is_regex)))
    assert isinstance(made, Unanswered)
    return made.why


def test_plain_text_is_found_anywhere_in_the_name_in_capitals_or_not() -> None:
    assert names("LAUNCH") == ["cudaLaunchKernel"] * 24
    assert set(names("kernel")) == {"cudaLaunchKernel", "void ns::kernel<int>(float*)"}
    assert set(names("aten::op")) == {"aten::op"}
    assert set(names("kernel<int>(float*)")) == {"void ns::kernel<int>(float*)"}
    assert names("kernel nowhere") == []
    assert set(names("kernel -launch")) == {"void ns::kernel<int>(float*)"}
    assert set(names('"void ns"')) == {"void ns::kernel<int>(float*)"}


def test_hits_come_by_time_and_are_counted_in_bins() -> None:
    made = found("ns::kernel")
    start = PAIR.sides[0].trace.slices.start_ns[made.slices]
    assert made.count == len(made.slices) == made.density.sum() == 24
    assert (np.diff(start) > 0).all()
    assert made.density.shape == (BINS,)
    assert (np.bincount(start // made.bin_ns, minlength=BINS) == made.density).all()


def test_a_regular_expression_by_slashes_or_by_choice() -> None:
    assert set(names("/^aten/")) == {"aten::op"}
    assert set(names(r"/kernel<\w+>/")) == {"void ns::kernel<int>(float*)"}
    assert set(names("^(aten|void ).*", is_regex=True)) == {"aten::op", "void ns::kernel<int>(float*)"}
    assert set(names("name:/Step#2$/")) == {"ProfilerStep#2"}
    assert set(names("void.*kernel dur>1ns kind:pointwise", is_regex=True)) == {"void ns::kernel<int>(float*)"}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("kind:runtime", 24),
        ("-kind:runtime -kind:operator", 24),
        ("stream:7", 24),
        ("stream:8", 0),
        ('track:"stream 7"', 24),
        ("track:thread", 3 + 24 + 24),
        ("cat:any", 3 + 24 * 3),
        ("dur>400ns", 3 + 24 + 24),
        ("dur>=400ns name:kernel", 24 + 24),
        ("dur=0.4us", 24),
        ("dur<0.4us", 0),
        ("step:2", 1 + 8 * 3),
        ("step:9", 0),
        ("arg:grid=128,2,1", 24),
        ("arg:grid=128x2", 24),
        ("arg:grid=128", 0),
        ("arg:grid>255", 24),
        ("arg:grid>256", 0),
        ("arg:registers", 24),
        ("arg:registers>=24", 24),
        ("arg:shared", 0),
        ("arg:correlation=1003", 2),
    ],
)
def test_fields(text: str, count: int) -> None:
    assert found(text).count == count


def test_shapes_are_found_whatever_their_blanks() -> None:
    side = make_side([(1, 0, 9, "aten::mm", -1), (1, 20, 9, "aten::mm", -1)])
    texts = ("[[8, 128], [128, 4]]", "[[8, 64]]")
    shapes = Shapes(np.array([0, 1], dtype=np.int32), np.array([0, 1], dtype=np.int32), texts)
    shaped = replace(side, trace=replace(side.trace, shapes=shapes))
    results = replace(PAIR, sides=(shaped,))
    assert found("arg:shapes=[8,128]", results=results).slices.tolist() == [0]
    assert found('arg:shapes="[8, 64]"', results=results).slices.tolist() == [1]


def read_side() -> Side:
    side = make_side([(1, at * 10, 9, "op", -1) for at in range(4)])
    events = [{"args": {"Seq": n, "who": f"rank <{n}>", "deep": [n, {"x": n}]}} for n in range(3)] + [{"args": 5}]
    return replace(side, trace=replace(side.trace, args=lambda event: events[event]))


@pytest.mark.parametrize(
    ("text", "slices"),
    [
        ("arg:seq=2", (2,)),
        ("arg:seq>0", (1, 2)),
        ("arg:who=<1>", (1,)),
        ("args:nowhere", ()),
        ("args:rank", (0, 1, 2)),
        ("-args:rank", (3,)),
        ("arg:nobody", ()),
        ("arg:deep=[1,", (1,)),
    ],
)
def test_other_arguments_are_read_event_by_event(text: str, slices: tuple[int, ...]) -> None:
    results = replace(PAIR, sides=(read_side(),))
    first = found(text, results=results)
    assert first.reads_args
    assert first.count == 4
    asked = Question("search args", 0, (text, False, tuple(first.slices.tolist())))
    assert answer(results, asked) == slices


def test_more_than_can_be_listed_are_counted_and_the_first_listed() -> None:
    many = MOST_LISTED + 500
    side = make_side([(0, 0, 1, "k", -1)])
    slices = side.trace.slices
    start = np.arange(many, dtype=np.int64)[::-1].copy()
    wide = {name: np.zeros(many, dtype=getattr(slices, name).dtype) for name in slices.__slots__}
    wide |= {"start_ns": start, "dur_ns": np.ones(many, dtype=np.int64)}
    long = replace(side, trace=replace(side.trace, slices=replace(slices, **wide)), kinds=np.zeros(many, np.uint8))
    made = found("k", results=replace(PAIR, sides=(long,)))
    assert made.count == many == made.density.sum()
    assert start[made.slices].tolist() == list(range(MOST_LISTED))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("/a(b/", "not complete"),
        ("/(a+)+b/", "take for ever"),
        ("/(?:x|y*)*z/", "take for ever"),
        ("dur>10", "needs a unit"),
        ("dur>soon", "as in dur>10us"),
        ("step:two", "step:2"),
        ("arg:", "as in arg:grid"),
        ("arg:grid=a", "one to three numbers"),
        ("arg:registers>many", "a whole number"),
        ("kind>gemm", "write kind:gemm"),
        ("name:", "what to look for"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(text: str, part: str) -> None:
    assert part in wrong(text)


def test_patterns_that_end_are_taken() -> None:
    for pattern in ("/(ab)+/", r"/[(+]+\(\)*/", "/(a|b)*/", "/a+b+/", "/(?:foo){2}/", r"/(a\+)+/"):
        assert parse(pattern)[0].is_regex


def test_lengths_are_exact() -> None:
    assert length_ns("9007199254740993ns") == 9_007_199_254_740_993
    assert [length_ns(text) for text in ("1us", "1.5ms", ".5s", "3 µs")] == [1_000, 1_500_000, 500_000_000, 3_000]
    with pytest.raises(QueryError):
        length_ns("-3us")


def test_kinds_are_named_as_the_legend_names_them() -> None:
    side = make_side([(0, 0, 5, "k", -1)], kinds={"k": SliceKind.COMPILED_REGION})
    assert names('kind:"compiled region"', side=side) == ["k"]
    assert json.dumps([term.value for term in parse('kind:"compiled region"')]) == '["compiled region"]'


NAMES = ("aten::add", "void ns::k<int>(float*)", "ADD two", "nccl:all_reduce")
KINDS = {"aten::add": SliceKind.POINTWISE, "nccl:all_reduce": SliceKind.COMMUNICATION}
pieces = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 90), st.integers(0, 40), st.sampled_from(NAMES), st.just(-1)),
    max_size=30,
)
terms = st.sampled_from(
    (
        "add",
        "ADD",
        "-add",
        "k<int>",
        "kind:point",
        "-kind:comm",
        "dur>10ns",
        "dur<=5ns",
        "stream:7",
        "track:thread",
        "/^a/",
    )
)


def meets(side: Side, index: int, term: str) -> bool:
    """The same by looking at one slice."""
    slices, lane = side.trace.slices, side.trace.lanes[int(side.trace.slices.lane[index])]
    name, dur = side.trace.name_of(index).casefold(), int(slices.dur_ns[index])
    kind = SliceKind(int(side.kinds[index])).title
    return {
        "add": "add" in name,
        "ADD": "add" in name,
        "-add": "add" not in name,
        "k<int>": "k<int>" in name,
        "kind:point": "point" in kind,
        "-kind:comm": "comm" not in kind,
        "dur>10ns": dur > 10,
        "dur<=5ns": dur <= 5,
        "stream:7": lane.stream == 7,
        "track:thread": "thread" in lane.title,
        "/^a/": name.startswith("a"),
    }[term]


@given(pieces, st.lists(terms, min_size=1, max_size=3))
def test_what_is_found_is_what_looking_at_every_slice_finds(made: list[Piece], words: list[str]) -> None:
    side = make_side(made, kinds=KINDS)
    hits = found(" ".join(words), results=replace(PAIR, sides=(side,)))
    wanted = [at for at in range(len(side.trace.slices)) if all(meets(side, at, word) for word in words)]
    assert sorted(hits.slices.tolist()) == wanted
    assert hits.count == len(wanted)
