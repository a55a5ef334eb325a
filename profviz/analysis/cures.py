"""What usually helps against each recompile of a report, as a view asks for it."""

from __future__ import annotations

from profviz.analysis.diagnoses.recompiles import cure
from profviz.model.compile_report import Recompile
from profviz.model.questions import Question
from profviz.model.results import Results

LIMIT = (
    "The limit of recompiles was reached: the frame runs eager for what fits none of its versions. Cure the guards, "
    "or raise torch._dynamo.config.recompile_limit."
)


def answer_cures(results: Results, question: Question) -> tuple[tuple[str, ...], ...]:
    """For each recompile of the report at the position in `question.args` its cures, the newest entry's first."""
    (position,) = question.args
    assert isinstance(position, int)
    return tuple(cures(one) for one in results.reports[position][1].recompiles)


def cures(one: Recompile) -> tuple[str, ...]:
    found = [words for failed in one.failed if (words := cure(failed))]
    return tuple(dict.fromkeys([*found, *([LIMIT] if one.over_limit else [])]))
