"""What the words of a search mean: plain text, /regex/, `field:value`, `dur>10us`, `arg:grid=128`; knows no trace."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

TEXT_FIELDS = ("name", "cat", "kind", "stream", "track")
FIELDS = (*TEXT_FIELDS, "dur", "step", "arg", "args")
UNITS_NS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
LONGEST_TEXT = 4_096
"""Of a longer name only the beginning is searched."""

_WORD = re.compile(
    r"""(?P<no>-(?=\S))?
        (?:(?P<field>[a-z]+)(?P<op>:(?!:)|>=|<=|=|>|<))?
        (?P<value>/(?:[^/\\]|\\.)*/(?=\s|$)|(?:"[^"]*"?|[^\s"])*)""",
    re.VERBOSE,
)
_COMPARED = re.compile(r"\s*(?P<key>[^<>=]+?)\s*(?P<op>>=|<=|=|>|<)\s*(?P<value>.*)", re.DOTALL)
_LENGTH = re.compile(r"(?P<number>[0-9]*\.?[0-9]+)\s*(?P<unit>[a-zµμ]*)")


class QueryError(ValueError):
    """The words can't be understood; the text says why in plain words."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: `field` of FIELDS, `op` of : = > < >= <=, `value` as written, `key` of an arg.

    `is_regex` says that the value is a regular expression; `negated` that it must not hold.
    """

    field: str
    op: str
    value: str
    key: str = ""
    is_regex: bool = False
    negated: bool = False


def parse(text: str, *, is_regex: bool = False) -> tuple[Term, ...]:
    """All conditions, of which each must hold; with `is_regex` what names no field is one regular expression.

    Raises QueryError.
    """
    terms, rest, at = [], [], 0
    while (found := _WORD.match(text, _skip(text, at))) and found.end() > found.start():
        at = found.end()
        term = _term(found)
        if is_regex and term.field == "name" and found["field"] is None:
            rest.append(found[0])
        elif term.value or found["field"] is not None:
            terms.append(term)
    if rest:
        terms.append(Term("name", ":", " ".join(rest), is_regex=True))
    for term in terms:
        _check(term)
    return tuple(terms)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _term(found: re.Match[str]) -> Term:
    value, is_regex = found["value"], False
    negated = found["no"] is not None
    field, op = found["field"], found["op"]
    if field is not None and field not in FIELDS:
        value, field = found[0][1 if negated else 0 :], None  # `aten::add`, `x=1`: a text like any other
    if len(value) > 1 and value[0] == value[-1] == "/":
        value, is_regex = value[1:-1], True
    value = value if is_regex else value.replace('"', "")
    if field is None:
        return Term("name", ":", value, is_regex=is_regex, negated=negated)
    if field == "arg" and (compared := _COMPARED.fullmatch(value)):
        return Term("arg", compared["op"], compared["value"], compared["key"], negated=negated)
    return Term(field, op, "" if field == "arg" else value, value if field == "arg" else "", is_regex, negated)


def _check(term: Term) -> None:
    if term.is_regex:
        compiled(term.value)
    if term.field == "dur":
        length_ns(term.value)
    elif term.field == "step" and not term.value.isdigit():
        raise QueryError("step: is followed by the number of a step, as in step:2")
    elif term.field in ("arg", "args") and not (term.key or term.value):
        raise QueryError("arg: is followed by the name of an argument, as in arg:grid=128 or arg:shapes=[8")
    elif term.field in TEXT_FIELDS and not term.value:
        raise QueryError(f"{term.field}: is followed by what to look for")
    elif term.field in TEXT_FIELDS and term.op not in (":", "="):
        raise QueryError(f"{term.field} is a text: write {term.field}:{term.value}")


def length_ns(text: str) -> int:
    """A length such as 10us or 1.5ms, exactly; raises QueryError."""
    found = _LENGTH.fullmatch(text.strip().lower())
    if found is None:
        raise QueryError("dur is followed by a length, as in dur>10us or dur<1.5ms")
    if found["unit"] not in UNITS_NS:
        raise QueryError(f"dur needs a unit: {found['number']}us, {found['number']}ms, ns or s")
    try:
        return int(Decimal(found["number"]) * UNITS_NS[found["unit"]])
    except InvalidOperation:
        raise QueryError(f"{text} is no length") from None


def compiled(pattern: str) -> re.Pattern[str]:
    """Raises QueryError for what is no regular expression, or one that may never come to an end."""
    try:
        made = re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        where = f" at character {error.pos + 1}" if isinstance(error, re.error) and error.pos is not None else ""
        what = error.msg if isinstance(error, re.error) else str(error)
        raise QueryError(f"The regular expression is not complete: {what}{where}") from None
    if _repeats_repeated(pattern):
        raise QueryError("A repeated group with a repetition in it may take for ever: write it without the outer one")
    return made


def _repeats_repeated(pattern: str) -> bool:
    """Whether a group that holds an unbounded repetition is repeated itself, as in (a+)+."""
    plain = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", pattern, flags=re.DOTALL)
    holds = [False]
    for at, letter in enumerate(plain):
        if letter == "(":
            holds.append(False)
        elif letter == ")" and len(holds) > 1:
            inner = holds.pop()
            if inner and plain[at + 1 : at + 2] in ("*", "+", "{"):
                return True
            holds[-1] = holds[-1] or inner
        elif letter in "*+" or re.match(r"\{\d+,\}", plain[at:]):
            holds[-1] = True
    return False


def text_matcher(term: Term) -> Callable[[str], bool]:
    """Whether a text holds the value anywhere, in capitals or not; without a look at `negated`."""
    if term.is_regex:
        pattern = compiled(term.value)
        return lambda text: pattern.search(text[:LONGEST_TEXT]) is not None
    wanted = term.value.casefold()
    return lambda text: wanted in text.casefold()
