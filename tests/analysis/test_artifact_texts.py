"""Texts of a log as they are shown, compared and searched."""

from __future__ import annotations

import difflib

import pytest

from profviz.analysis import artifact_texts
from profviz.analysis.artifact_texts import difference, shown, spread
from profviz.analysis.questions import answer
from profviz.model.artifacts import Artifact, Artifacts, ArtifactText, Language
from profviz.model.compile_report import CompileReport
from profviz.model.errors import UserError
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results

TEXTS = ("first\nline", '{"a": [1, 2], "b": "x\\ny"}', "FIRST again, first")


def results(texts: tuple[str, ...] = TEXTS) -> Results:
    items = tuple(
        Artifact("a", "0/0", 0, Language.JSON if text.startswith("{") else Language.TEXT, len(text), 0)
        for text in texts
    )

    def text(index: int) -> str:
        if texts[index] == "gone":
            raise UserError("The file has changed.")
        return texts[index]

    found = Artifacts(items, text=text, records=lambda index: f'{{"record": {index}}}')
    return Results(
        "", "", (), (("log", CompileReport("", None, (), (), (), (), (), (), 0, None, artifacts=found)),), (), ()
    )


def asked(id_: str, *args: object, of: Results | None = None) -> object:
    return answer(of or results(), Question(id_, -1, args))  # type: ignore[arg-type]


def test_a_text_comes_as_it_is_and_json_spread_over_lines() -> None:
    assert asked("artifact text", 0, 0, "text") == ArtifactText(("first\nline",), Language.TEXT)
    found = asked("artifact text", 0, 1, "text")
    assert isinstance(found, ArtifactText)
    assert found.pages == ('{\n  "a": [1, 2],\n  "b": "x\n    y"\n}',)
    assert asked("artifact text", 0, 2, "records") == ArtifactText(('{"record": 2}',), Language.JSON)
    assert asked("artifact whole", 0, 1) == ArtifactText((TEXTS[1],), Language.JSON)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("[]", "[]"),
        ('{"a": {}}', '{\n  "a": {}\n}'),
        ("[1795958014064321.250, 12345678901234567890]", "[1795958014064321.250, 12345678901234567890]"),
        ('["long", "texts"]', '[\n  "long",\n  "texts"\n]'),
        ('{"s": "{\\n\\"t\\": true}"}', '{\n  "s": {\n    "t": true\n  }\n}'),
        ('{"s": "{\\nno json}"}', '{\n  "s": "{\n    no json}"\n}'),
        ("no json", "no json"),
        ("[" * 9_000, "[" * 9_000),
    ],
)
def test_json_is_spread_with_its_digits_kept(text: str, lines: str) -> None:
    assert spread(text) == lines


@pytest.mark.parametrize("levels", [600, 900, 5000])
def test_json_too_deep_to_spread_is_shown_as_it_is(levels: int) -> None:
    text = "[" * levels + "]" * levels
    assert spread(text) == text


def test_a_long_text_comes_in_pages_that_end_with_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact_texts, "PAGE_CHARACTERS", 10)
    monkeypatch.setattr(artifact_texts, "PAGE_LINES", 3)
    monkeypatch.setattr(artifact_texts, "LINE_CHARACTERS", 8)
    text = "a\nb\nc\nd\n1234567\n12345678901\nend\n"
    found = shown(text, Language.TEXT)
    assert found.pages == ("a\nb\nc", "d\n1234567", "12345678 … (3 more characters)", "end\n")
    assert found.cut_lines == 1
    assert "\n".join(found.pages).count("\n") == text.count("\n")


def test_the_difference_says_what_a_pass_changed() -> None:
    before = [f"line {number}" for number in range(40)]
    after = [*before[:20], "new", *before[21:30], *before[31:]]
    found = difference("\n".join(before), "\n".join(after))
    assert found.pages == ("\n".join(list(difflib.unified_diff(before, after, lineterm=""))[2:]),)
    assert (found.language, found.remark) == (Language.DIFF, "2 lines gone, 1 new")


@pytest.mark.parametrize(("before", "after"), [("", "a"), ("a\nb\nc", "a\nb\nc\nd"), ("x\na", "a"), ("a", "b")])
def test_differences_at_the_ends(before: str, after: str) -> None:
    told = list(difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm=""))[2:]
    assert "\n".join(difference(before, after).pages) == "\n".join(told)


def test_the_same_and_the_endless_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert difference("a\nb", "a\nb").remark == "Both say the same."
    monkeypatch.setattr(artifact_texts, "MOST_COMPARED", 3)
    assert "too many to compare" in difference("a\nb\nc", "d\ne\nf").remark
    assert difference("same\na", "same\nb").pages, "only what differs counts"


def test_two_texts_are_compared_by_where_they_stand() -> None:
    found = asked("artifact difference", 0, 0, 0, 2)
    assert isinstance(found, ArtifactText)
    assert found.pages[0].splitlines()[1:] == ["-first", "-line", "+FIRST again, first"]


def test_a_search_counts_in_every_text_whatever_the_case() -> None:
    found = asked("artifact search", 0, "First")
    assert found.counts == {0: 1, 2: 2}  # type: ignore[attr-defined]
    assert found.unread == ""  # type: ignore[attr-defined]


def test_a_log_that_has_gone_is_told_and_no_bug() -> None:
    gone = results(("here", "gone"))
    for id_, args in (
        ("artifact text", (0, 1, "text")),
        ("artifact whole", (0, 1)),
        ("artifact difference", (0, 0, 0, 1)),
    ):
        assert asked(id_, *args, of=gone) == Unanswered("The file has changed.")
    found = asked("artifact search", 0, "here", of=gone)
    assert (found.counts, found.unread) == ({0: 1}, "The file has changed.")  # type: ignore[attr-defined]
