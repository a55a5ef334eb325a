"""Does it still compute the same: each variant's outputs and gradients against eager's."""

from __future__ import annotations

from profviz.analysis.diagnosis import Case, Diagnosis
from profviz.model.findings import Finding, Verdict
from profviz.model.run import OutputCheck, VariantResult

QUESTION = "Same results as eager?"


def diagnose(case: Case) -> list[Finding]:
    return [_finding(variant, variant.check) for variant in case.compiled if variant.check is not None]


def _finding(variant: VariantResult, check: OutputCheck) -> Finding:
    if check.compared == 0:
        text = f"Unknown: {check.detail or 'the outputs hold no tensor to compare'}."
        return Finding("outputs", QUESTION, "unknown", Verdict.UNKNOWN, text.replace("..", "."))
    if check.equal:
        agree = "tensor agrees" if check.compared == 1 else "tensors agree"
        text = f"{variant.title}: {check.compared} {agree} within {check.tolerance}."
        text += f" {check.detail[:1].upper()}{check.detail[1:]}." if check.detail else ""
        return Finding("outputs", QUESTION, "yes", Verdict.GOOD, text)
    worst = f"{check.name} is off by {check.max_abs:.3g}" if check.max_abs is not None else f"{check.name} differs"
    text = f"{variant.title}: {worst}, more than {check.tolerance} allows. {check.detail}".strip()
    advice = "Check the model in float64, or with torch._inductor.config.emulate_precision_casts, before trusting it."
    return Finding("outputs", QUESTION, "no", Verdict.BAD, text, advice)


DIAGNOSIS = Diagnosis("outputs", QUESTION, diagnose)
