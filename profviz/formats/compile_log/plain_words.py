"""One plain sentence for each common kind of graph break; torch's own title stays beside it and names the rest."""

from __future__ import annotations

import re

# (GB id, what to find in "title | debug context", sentence); an empty id goes by the text alone, as torch 2.6 has none
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("", r"builtin:? print\b|print\(", "Python prints here, and its output can't be part of a graph."),
    ("", r"builtin:? setattr\b.*TensorVariable", "An attribute of a tensor is replaced, which a graph can't express."),
    ("", r"builtin:? open\b", "A file is opened here, and that can't be part of a graph."),
    (
        "GB0124",
        r"Tensor\.item|_local_scalar_dense",
        "A tensor's value is fetched into Python, so the graph must be run.",
    ),
    (
        "GB0170",
        r"Data-dependent (?:branching|jump)|generic_jump|Dynamic control flow",
        "Which way to go depends on a tensor's value.",
    ),
    ("GB0025", r"torch\._dynamo\.graph_break\(\)|skip function graph_break ", "The code asks for a break here."),
    (
        "GB0291",
        r"logging\.Logger|^Logger not supported",
        "Something is logged here, and that can't be part of a graph.",
    ),
    (
        "GB0142",
        r"Unsupported context manager|^BEFORE_WITH\b",
        "The `with` block enters something that Dynamo can't trace.",
    ),
    (
        "",
        r"GenericContextWrappingVariable",
        "Something broke the graph inside a `with` block, where it can't be resumed.",
    ),
    ("GB0294", r"numpy function unsupported|numpy\b", "A NumPy function is called that has no counterpart in PyTorch."),
    ("GB0059", r"Failed to trace builtin|^builtin: (?!setattr)", "A Python builtin is called that Dynamo can't trace."),
    (
        "GB0156",
        r"Unsupported method call|^call_method UserDefinedObjectVariable",
        "A method of another library's object is called that Dynamo can't trace.",
    ),
    ("GB0056", r"mutate tensor data attribute", "`.data` of a tensor is replaced, which a graph can't express."),
    ("GB0206", r"requires_grad", "`requires_grad` of a tensor is set, which a graph can't express."),
    ("GB4818", r"no traceable __call__", "An object of another library is called that Dynamo can't trace into."),
    (
        "",
        r"marked as skipped|skip(?:ped)? function|SkipFunctionVariable",
        "A function is called that Dynamo never traces.",
    ),
    ("", r"nonzero|dynamic shape operator", "The result's size depends on a tensor's values."),
    (
        "",
        r"C(?:/C\+\+)? (?:extension|function)|non-Python|unsupported builtin",
        "Compiled code of another library is called.",
    ),
    ("", r"loop", "The graph broke inside a loop, where it can't be resumed."),
    ("", r"setattr|STORE_ATTR|attribute", "An attribute is set or read in a way that Dynamo can't trace."),
    ("", r"generator", "A generator is used in a way that Dynamo can't trace."),
    ("", r"try|exception", "An exception is raised or handled in a way that Dynamo can't trace."),
    ("", r"compiler\.disable|torch\._dynamo\.disable", "The code keeps this function out of compilation."),
)
_COMPILED = tuple((gb_id, re.compile(pattern, re.IGNORECASE), sentence) for gb_id, pattern, sentence in _WORDS)


def plain_words(title: str, *, gb_id: str, context: str) -> str:
    """The sentence for a break; empty where none of the table fits."""
    text = f"{title} | {context}"
    by_text = next((sentence for _, pattern, sentence in _COMPILED if pattern.search(text)), "")
    # builtins share one id: what is called says more than the id does
    if by_text and gb_id == "GB0059":
        return by_text
    return next((sentence for known, _, sentence in _COMPILED if known and known == gb_id), by_text)
