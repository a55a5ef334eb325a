"""What to write instead at a line that breaks the graph, for the common reasons; a suggestion, never applied."""

from __future__ import annotations

import re
from collections.abc import Callable

from profviz.model.break_cost import Fix
from profviz.model.compile_report import GraphBreak, SkippedFrame

_CONDITION = re.compile(r"^(?:el)?if (.+?):\s*(?:#.*)?$")
_COMMENT = re.compile(r"\s+#(?=[^'\"]*$).*$")


def _without_item(line: str) -> str:
    match = _CONDITION.match(line)
    if match is None:
        return f"torch._dynamo.config.capture_scalar_outputs = True  # once, before compiling\n{line}"
    condition = match[1].replace(".item()", "")
    return f"x = torch.where({condition}, if_true, x)  # both ways are computed"


def _both_branches(line: str) -> str:
    match = _CONDITION.match(line)
    condition = match[1] if match else "condition"
    return f"x = torch.cond({condition}, if_true, if_false, (x,))  # two functions of x"


def _only_eager(line: str) -> str:
    return f"if not torch.compiler.is_compiling():\n    {line}"


def _own_operator(line: str) -> str:
    return (
        '@torch.library.custom_op("mine::step", mutates_args=())\n'
        "def step(x: torch.Tensor) -> torch.Tensor:\n"
        f"    {line}\n"
        "    ...\n\n"
        "@step.register_fake\n"
        "def _(x):\n"
        "    return torch.empty_like(x)"
    )


def _without_data(line: str) -> str:
    return line.replace(".data", "") if re.match(r"^\w+\.data = ", line) else ""


def _nothing(line: str) -> str:
    return ""


_PARALLEL = re.compile(r"torch[/\\]nn[/\\]parallel[/\\]")
_WRAPPED = (
    "It breaks inside of the parallel wrapper itself: compile the module and wrap that, DDP(torch.compile(model))."
)
_OWN = "Make it an operator of your own, which the graph holds as one node; compute beforehand what needs no tensor."
# what to find in "id | torch's title | plain words | line" -> (words, what could stand there); the first that fits
_FIXES: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    (
        r"Tensor\.item|GB0124|_local_scalar_dense",
        "Choose with torch.where instead of fetching the value, or set capture_scalar_outputs so that it is traced.",
        _without_item,
    ),
    (
        r"GB0170|Data-dependent branching|Which way to go depends|generic_jump",
        "Use torch.cond for two long ways, torch.where for a short one.",
        _both_branches,
    ),
    (
        r"prints here|is logged here|logging\.Logger|GB0291",
        "Move it out of the compiled function, keep it for eager runs only, or add it to "
        "torch._dynamo.config.reorderable_logging_functions.",
        _only_eager,
    ),
    (r"asks for a break|torch\._dynamo\.graph_break\(\)|GB0025", "Take the call out.", _nothing),
    (
        r"context manager|GB0142|`with` block",
        "Put the `with` around the call of the compiled function instead of into it.",
        _nothing,
    ),
    (r"tensor data attribute|GB0056", "Assign a new tensor to the name, or use an in-place operation.", _without_data),
    (r"requires_grad|GB0206", "Set requires_grad before the compiled function is called.", _nothing),
    (
        r"nonzero|dynamic shape operator",
        "Set torch._dynamo.config.capture_dynamic_output_shape_ops, or keep the size with a mask.",
        _nothing,
    ),
    (r"numpy", f"Use the function of PyTorch that does the same. {_OWN}", _own_operator),
    (r"marked as skipped|never traces|another library|GB0156|GB0007|compiled code", _OWN, _own_operator),
    (r"builtin|GB0059", _OWN, _nothing),
)


def fix_of(found: GraphBreak) -> Fix | None:
    """The fix for the first of a line's reasons; None where none is known, and torch's own hints have to do."""
    if any(_PARALLEL.search(line.file) for chain in found.chains[:1] for line in chain.calls):
        return Fix(_WRAPPED, found.source.text.strip())
    return _fix(found.source.text, f"{found.gb_id} | {found.reason} | {found.plain}")


def fix_of_skipped(found: SkippedFrame) -> Fix | None:
    """The fix for the line that kept a frame from being compiled."""
    line = found.cause.text if found.cause else ""
    return _fix(line, f"{found.reason.gb_id} | {found.reason.text} | {found.reason.plain}")


def _fix(line: str, reason: str) -> Fix | None:
    line = _COMMENT.sub("", line.strip())
    text = f"{reason} | {line}"
    for pattern, words, write in _FIXES:
        if re.search(pattern, text, re.IGNORECASE):
            return Fix(words, line, write(line) if line else "")
    return None
