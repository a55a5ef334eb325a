"""Findings: texts, evidence links, bars that sum up and a verdict that claims no more than was measured."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from side_view_contract import keeps_the_contract, made
from side_view_samples import BREAK_LINE, FINDINGS, full, run, side, traces_only

from profviz.model.findings import Evidence
from profviz.model.run import Failure
from profviz.ui.view_state import Pick
from profviz.ui.views.findings import layout
from profviz.ui.views.findings.view import SPEC, FindingsView
from profviz.ui.widgets.panel_text import LinkButton, TextLabel


def test_contract(qtbot: QtBot) -> None:
    keeps_the_contract(qtbot, SPEC)


def view_of(qtbot: QtBot) -> tuple[FindingsView, list[Pick]]:
    view, state = made(qtbot, SPEC)
    assert isinstance(view, FindingsView)
    picks: list[Pick] = []
    state.picked.connect(picks.append)
    view.show_results(full())
    return view, picks


def test_evidence_picks_its_line_or_its_slice(qtbot: QtBot) -> None:
    view, picks = view_of(qtbot)
    links = {link.accessibleName(): link for link in view.findChildren(LinkButton)}
    assert len(links) == 2
    qtbot.mouseClick(links[f"net.py:40  {BREAK_LINE.text}"], Qt.MouseButton.LeftButton)
    qtbot.keyClick(links["the longest gap"], Qt.Key.Key_Space)
    assert picks == [Pick(source=BREAK_LINE), Pick(side=1, slice=4)]


def test_every_text_of_a_finding_is_shown_as_plain_text(qtbot: QtBot) -> None:
    view, _ = view_of(qtbot)
    labels = view.findChildren(TextLabel)
    shown = {label.text() for label in labels}
    for finding in full().findings:
        assert {finding.question, finding.answer, finding.text} <= shown
    assert "→ Replace the branch by torch.where." in shown
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels)
    tones = {label.text(): label.property("role") for label in labels}
    assert (tones["depends"], tones["unknown"]) == ("warn", "muted")


def test_bars_sum_to_the_change_in_kernel_time_per_step() -> None:
    time = layout.where_time_went(full())
    assert time is not None
    before, after = (sum(row.total_ns for row in one.table) // 3 for one in full().sides)
    assert sum(bar.amount for bar in time.bars) == after - before == -10_246
    assert time.total == "sums to −10.2 µs"
    assert time.basis == "Sum of kernel time per step, Eager → Compiled: 20.5 µs → 10.2 µs"
    assert [(bar.label, bar.tone) for bar in time.bars] == [
        ("pointwise", "good"),
        ("normalisation", "good"),
        ("fused", "bad"),
    ]


def test_unlike_tables_are_not_compared() -> None:
    mixed = replace(traces_only(), sides=(side(), replace(side(), table_of="operators")))
    time = layout.where_time_went(mixed)
    assert time is not None
    assert time.bars == ()
    assert "not comparable" in time.basis
    assert layout.where_time_went(replace(traces_only(), sides=(side(),))) is None


def test_verdict_faster_slower_unclear() -> None:
    assert layout.verdict(full()).text == "Compile it, if it runs more than 3 132 steps"  # type: ignore[union-attr]
    slower = layout.verdict(replace(full(), run=run(compiled_ms=20.0)))
    assert slower is not None
    assert (slower.text, slower.tone) == ("Do not compile it at this shape", "bad")
    unclear = layout.verdict(replace(full(), run=run(compiled_ms=8.15)))
    assert unclear is not None
    assert unclear.text == "No clear difference"


def test_an_unmeasured_first_call_gives_no_number_of_steps() -> None:
    ran = run()
    silent = replace(ran.variants[1], first_call_ns=None)
    line = layout.verdict(replace(full(), run=replace(ran, variants=(ran.variants[0], silent))))
    assert line is not None
    assert line.text == "Compiled steps are faster"
    assert "not measured" in line.detail


def test_verdict_without_timing_or_with_a_failure_claims_nothing() -> None:
    assert layout.verdict(traces_only()).text == "No timing"  # type: ignore[union-attr]
    ran = run()
    failed = replace(ran.variants[1], failure=Failure("No C++ compiler was found"), timing=None)
    line = layout.verdict(replace(full(), run=replace(ran, variants=(ran.variants[0], failed))))
    assert line is not None
    assert line.text == "Compiled failed: No C++ compiler was found"
    untimed = replace(ran.variants[1], timing=None)
    line = layout.verdict(replace(full(), run=replace(ran, variants=(ran.variants[0], untimed))))
    assert line is not None
    assert line.text == "No verdict"


def test_long_words_and_links_never_push_an_answer_out_of_sight(qtbot: QtBot) -> None:
    view, _ = made(qtbot, SPEC)
    assert isinstance(view, FindingsView)
    view.resize(280, 500)
    long = "TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS_AND_MUCH_MORE_WITHOUT_A_SPACE=1 " * 3
    finding = replace(FINDINGS[1], text=long, advice=long, evidence=(Evidence(long, source=BREAK_LINE),))
    view.show_results(replace(full(), findings=(finding,)))
    view.show()
    answers = [label for label in view.findChildren(TextLabel) if label.text() == "yes"]
    right = answers[0].mapTo(view, answers[0].rect().topRight()).x()
    assert right < view.width()
    text = next(label for label in view.findChildren(TextLabel) if label.text() == long)
    assert text.height() >= 5 * text.fontMetrics().lineSpacing()


def test_of_thousands_of_pieces_of_evidence_the_first_are_links_and_the_rest_is_counted(qtbot: QtBot) -> None:
    evidence = tuple(Evidence(f"net.py:{line}", replace(BREAK_LINE, line=line)) for line in range(1, 5001))
    view, _ = view_of(qtbot)
    view.show_results(replace(full(), findings=(replace(FINDINGS[0], evidence=evidence),)))
    assert len(view.findChildren(LinkButton)) == layout.MOST_EVIDENCE
    assert "and 4 980 more" in [label.text().replace("\u202f", " ") for label in view.findChildren(TextLabel)]


def test_the_verdict_is_about_the_fastest_of_several_variants() -> None:
    ran, fast = run(compiled_ms=20.0), run(compiled_ms=2.0).variants[1]
    other = replace(fast, id="reduce-overhead", title="Compiled, reduce-overhead")
    line = layout.verdict(replace(full(), run=replace(ran, variants=(*ran.variants, other))))
    assert line is not None
    assert line.text.startswith("Compile it")
    assert "(Compiled, reduce-overhead, the fastest)" in line.detail
