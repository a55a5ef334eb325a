"""What a compile log holds word for word: one entry for each thing the compiler wrote down, its text read when asked.

Knows neither the log's format nor who shows it.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


class Language(enum.Enum):
    """How a text reads."""

    PYTHON = "python"
    JSON = "json"
    TEXT = "text"
    DIFF = "diff"

    @property
    def suffix(self) -> str:
        """That of a file which holds such a text."""
        return {Language.PYTHON: ".py", Language.JSON: ".json"}.get(self, ".txt")


@dataclass(frozen=True, slots=True)
class Artifact:
    """One thing that was logged; `name` is torch's own for its kind, `label` tells it from others of its kind.

    `direction` is forward, backward or inference where it belongs to one lowering, `part` counts from 1 where its
    compilation has several of the same kind and direction, else 0. `records` is how many records of the log make it
    up, `offset` the first one's byte in the unpacked log, `size` the bytes of all. `is_known` is False for a kind that
    this version of profviz has not met.
    """

    name: str
    compile_id: str
    attempt: int
    language: Language
    size: int
    offset: int
    records: int = 1
    label: str = ""
    direction: str = ""
    part: int = 0
    is_known: bool = True


def _nothing(index: int) -> str:
    raise IndexError(index)


@dataclass(frozen=True, slots=True, eq=False)
class Artifacts:
    """`items` in the order of the log. The readers take an item's index, go back to the log, and may be called from
    any thread: `text` is what was logged, `records` the JSON of its records with file names put in. They raise
    UserError where the log has gone or changed since.
    """

    items: tuple[Artifact, ...] = ()
    text: Callable[[int], str] = field(default=_nothing, repr=False)
    records: Callable[[int], str] = field(default=_nothing, repr=False)

    def __len__(self) -> int:
        return len(self.items)

    def counts(self) -> dict[str, int]:
        """How many there are of each kind, in alphabetical order."""
        return dict(sorted(Counter(one.name for one in self.items).items()))

    def unknown_counts(self) -> dict[str, int]:
        """How many records there are of each kind that this version has not met."""
        found: Counter[str] = Counter()
        for one in self.items:
            if not one.is_known:
                found[one.name] += one.records
        return dict(sorted(found.items()))


TEXT, RECORDS = "text", "records"
"""What may be asked for of an artifact: itself, or the log's own records of it."""


@dataclass(frozen=True, slots=True)
class ArtifactText:
    """A text as it is shown: cut into `pages` at line ends, each small enough to be shown at once.

    `cut_lines` had more characters than can be shown; `remark` says what else is to be known of it.
    """

    pages: tuple[str, ...]
    language: Language
    cut_lines: int = 0
    remark: str = ""

    @property
    def nbytes(self) -> int:
        return sum(len(page) for page in self.pages)


@dataclass(frozen=True, slots=True)
class ArtifactHits:
    """Where words were found: artifact index to how often, in the order of the log; `unread` could not be read."""

    counts: dict[int, int]
    unread: str = ""
