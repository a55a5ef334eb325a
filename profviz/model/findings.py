"""A finding: one sentence of diagnosis with its evidence."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from profviz.model.graph import SourceLine


class Verdict(enum.Enum):
    """How a finding reads at a glance; `UNKNOWN` always says why in the text."""

    GOOD = "good"
    DEPENDS = "depends"
    BAD = "bad"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a finding rests on: a sentence and where it can be looked at (a source line or a variant's slice)."""

    text: str
    source: SourceLine | None = None
    variant: str = ""
    slice: int = -1


@dataclass(frozen=True, slots=True)
class Finding:
    """`question` is what the user asks, `answer` a word or two, `text` the sentence, `advice` what to do."""

    id: str
    question: str
    answer: str
    verdict: Verdict
    text: str
    advice: str = ""
    evidence: tuple[Evidence, ...] = ()
