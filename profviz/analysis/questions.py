"""What can be worked out on demand, by id: one entry here and a module beside it adds a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from profviz.analysis.arrows import answer_chain
from profviz.analysis.artifact_texts import answer_difference, answer_search, answer_text, answer_whole
from profviz.analysis.break_account import answer_breaks
from profviz.analysis.call_order import answer_call_order
from profviz.analysis.compile_account import answer_compile
from profviz.analysis.cures import answer_cures
from profviz.analysis.durations import answer_durations
from profviz.analysis.graph_times import answer_graph_times, answer_step_runs
from profviz.analysis.memory_over_time import answer_memory
from profviz.analysis.overview import busy, overview
from profviz.analysis.queue_depth import answer_counters, answer_launch_queue, answer_queues
from profviz.analysis.range_sums import answer_range, answer_range_pair
from profviz.analysis.searching import search, search_args
from profviz.analysis.slice_details import answer_slice
from profviz.analysis.tables.registry import answer_pair, answer_table
from profviz.analysis.tape_times import answer_tape
from profviz.analysis.time_breakdown import answer_breakdown
from profviz.model.errors import UserError
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results

Answer = Any
QUESTIONS: Mapping[str, Callable[[Results, Question], Answer]] = {
    "table": answer_table,
    "table pair": answer_pair,
    "search": search,
    "search args": search_args,
    "overview": overview,
    "busy": busy,
    "breakdown": answer_breakdown,
    "counters": answer_counters,
    "queues": answer_queues,
    "launch queue": answer_launch_queue,
    "memory": answer_memory,
    "slice": answer_slice,
    "compile cost": answer_compile,
    "cures": answer_cures,
    "breaks": answer_breaks,
    "chain": answer_chain,
    "durations": answer_durations,
    "graph times": answer_graph_times,
    "step runs": answer_step_runs,
    "call order": answer_call_order,
    "tape": answer_tape,
    "range": answer_range,
    "range pair": answer_range_pair,
    "artifact text": answer_text,
    "artifact whole": answer_whole,
    "artifact difference": answer_difference,
    "artifact search": answer_search,
}


def answer(results: Results, question: Question) -> Answer:
    """The answer, or `Unanswered`: one that fails says so and leaves the others their turn."""
    try:
        return QUESTIONS[question.id](results, question)
    except UserError as error:
        return Unanswered(str(error))
    except Exception as error:
        return Unanswered(f"This could not be worked out: {type(error).__name__}: {error}. Please report it as a bug.")
