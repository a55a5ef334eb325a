"""What is suggested for each common break: in the user's own line, and Python wherever there is code."""

from __future__ import annotations

import ast

import pytest

from profviz.analysis.break_fixes import fix_of
from profviz.model.compile_report import GraphBreak
from profviz.model.graph import SourceLine


def broken(line: str, reason: str, *, gb_id: str = "", plain: str = "") -> GraphBreak:
    return GraphBreak(SourceLine("m.py", 3, "forward", line), reason, plain=plain, gb_id=gb_id)


ITEM = "Unsupported Tensor.item() call with capture_scalar_outputs=False"


@pytest.mark.parametrize(
    ("found", "words", "after"),
    [
        (broken("if x.sum().item() > 0:  # why", ITEM, gb_id="GB0124"), "torch.where", "torch.where(x.sum() > 0, "),
        (broken("scale = x.max().item()", ITEM), "capture_scalar_outputs", "capture_scalar_outputs = True"),
        (broken("if x.sum() > 0:", "Data-dependent branching", gb_id="GB0170"), "torch.cond", "cond(x.sum() > 0, "),
        (
            broken('print("# no comment")', "Failed to trace builtin operator", plain="Python prints here, and"),
            "reorderable_logging_functions",
            'is_compiling():\n    print("# no comment")',
        ),
        (broken("log.info(1)", "logging.Logger method not supported"), "eager runs", "    log.info(1)"),
        (broken("y = json.loads(t)", "Unsupported method call", gb_id="GB0156"), "operator of your own", "custom_op"),
        (broken("y = np.sort(x)", "attempted to trace numpy function"), "PyTorch that does the same", "custom_op"),
        (broken("x.data = x.data.clamp(-3, 3)", "Failed to mutate tensor data attribute"), "new tensor", "x = x.clamp"),
        (broken("torch._dynamo.graph_break()", "Call to `torch._dynamo.graph_break()`"), "out", ""),
        (broken("with lock:", "Unsupported context manager", gb_id="GB0142"), "around the call", ""),
        (broken("", "Data-dependent branching"), "torch.cond", ""),
    ],
)
def test_fixes(found: GraphBreak, words: str, after: str) -> None:
    fix = fix_of(found)
    assert fix is not None
    assert words in fix.words
    assert after in fix.after
    assert bool(after) == bool(fix.after)
    ast.parse(fix.after)


def test_a_break_that_is_not_known_has_none() -> None:
    assert fix_of(broken("x = y", "Something new")) is None
