"""Which of several compile reports are the ranks of one job: each has a rank, and no two the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from profviz.model.compile_report import CompileReport


def job_ranks(reports: Sequence[tuple[str, CompileReport]]) -> tuple[int, ...]:
    """The rank of each report, in their order; empty where they are not those of one job."""
    ranks = [report.rank for _, report in reports]
    known = [rank for rank in ranks if rank is not None]
    return tuple(known) if len(known) > 1 and len(set(known)) == len(ranks) else ()


def ranks_named(ranks: Iterable[int]) -> str:
    """`rank 2`, `ranks 0–3`."""
    known = set(ranks)
    return f"rank{'s' * (len(known) != 1)} {ranks_text(known)}"


def ranks_text(ranks: Iterable[int]) -> str:
    """`0–3, 6`, ascending; runs of three and more are drawn together."""
    runs: list[list[int]] = []
    for rank in sorted(set(ranks)):
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
