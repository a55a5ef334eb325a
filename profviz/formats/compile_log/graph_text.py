"""Text of an FX graph, as `print_readable` writes it, to nodes and edges.

One statement a node. Only the outermost module's forward is read: the bodies of higher-order operators are printed
as modules of their own behind it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from profviz.model.graph import Graph, Node, SourceLine, Stage, TensorSpec

_FILE = re.compile(r"# (?:Backward of forward node: )?File: (.+?):(\d+) in (.*?)(?:, code: (.*))?$")
_DEF = re.compile(r"^(\s*)def forward\((.*)$")
_STATEMENT = re.compile(r"^(\w+)(?:\s*:\s*\"([^\"]*)\")?\s*=\s*(.*)$", re.DOTALL)
_IN_PLACE = re.compile(r"^(\w+) (\+|-|\*|/|//|%|@|&|\||\^)= (.*?);\s+(\w+(?:\s*:\s*\"[^\"]*\")?) = \1\b")
_FLATTENED = re.compile(r"^([\w, ]+?),? = fx_pytree\.tree_flatten_spec\(")
_BARE = re.compile(r"^\w+: \"[^\"]*\"\s*(?:;|$)")
_KILLS = re.compile(r";\s+(?:\w+ = )+None\s*(?:#.*)?$")
_ARGUMENT = re.compile(r"(\w+)(?:\s*:\s*\"([^\"]*)\")?")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_NO_COMMENT = re.compile(r"(?:[^'\"#]+|'[^']*'|\"[^\"]*\")*")
_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?!\s*=[^=]|\w)")
_TENSOR = re.compile(r"^(\w+?)\[(.*?)\](?:\[(.*?)\])?(\S*)$")
_CALL = re.compile(r"^([A-Za-z_][\w.]*)\(")
_INFIX = re.compile(
    r"^\(?-?[\w.]+\)? (\+|-|\*\*|\*|//|/|%|@|==|!=|<=|>=|<|>|&|\||\^|<<|>>|(?:\+|-|\*|//|/|%|@|&|\||\^)=) "
)
_OPERATORS = {
    **{"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul", "**": "pow"},
    **{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&": "and_", "|": "or_", "^": "xor"},
    **{"<<": "lshift", ">>": "rshift"},
}
_DTYPES = {
    **{"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "b8": "bool", "u8": "uint8"},
    **{"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "c32": "complex32", "c64": "complex64"},
    **{"c128": "complex128", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"},
}


@dataclass
class _Reader:
    """State while going down the lines of one forward."""

    nodes: list[Node] = field(default_factory=list)
    index: dict[str, int] = field(default_factory=dict)
    edges: list[tuple[int, int]] = field(default_factory=list)
    source: SourceLine | None = None
    announced: dict[str, str] = field(default_factory=dict)

    def argument(self, name: str, annotation: str) -> None:
        self._add(Node(name, "placeholder", name, tensor=parse_tensor(annotation)))

    def statement(self, text: str) -> None:
        if _BARE.match(text):
            self.announced.update(_ARGUMENT.findall(text))
            return
        if flattened := _FLATTENED.match(text):
            self._flatten(flattened[1])
            return
        match = _STATEMENT.match(_IN_PLACE.sub(r"\4 = \1 \2= \3; \1", text))
        if match is None:
            return
        name, annotation, expression = match[1], match[2] or "", _KILLS.sub("", match[3]).strip()
        if expression in self.index and self.nodes[self.index[expression]].op == "placeholder":
            self._rename(expression, name)  # Dynamo prints `l_x_ = L_x_`: one placeholder under two names
            return
        op, target = _what(expression, self.index)
        at = self._add(Node(name, op, target, tensor=parse_tensor(annotation), source=self.source))
        self._use(expression, at)

    def _flatten(self, names: str) -> None:
        """The joint graph's parameters are two containers; its placeholders are what they are taken apart into."""
        self.nodes.clear()
        self.index.clear()
        for name in re.findall(r"\w+", names):
            self.argument(name, self.announced.get(name, ""))

    def output(self, text: str) -> None:
        expression = text.removeprefix("return").strip()
        at = self._add(Node("output", "output", "output"))
        self._use(expression, at)

    def _add(self, node: Node) -> int:
        self.nodes.append(node)
        self.index[node.name] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def _rename(self, old: str, new: str) -> None:
        at = self.index[old]
        before = self.nodes[at]
        self.nodes[at] = Node(new, before.op, before.target, tensor=before.tensor)
        self.index[new] = at

    def _use(self, expression: str, at: int) -> None:
        names = _NAME.findall(_QUOTED.sub("''", expression))
        used = dict.fromkeys(self.index[name] for name in names if name in self.index)
        self.edges += [(producer, at) for producer in used if producer != at]


def parse_graph(text: str, *, stage: Stage, compile_id: str) -> Graph:
    """The graph of a text; empty when it holds no forward. Edges are one for each pair of producer and user."""
    reader = _Reader()
    lines = text.split("\n")
    start = next((i for i, line in enumerate(lines) if _DEF.match(line)), None)
    if start is not None:
        body = _arguments(lines, start, reader)
        indent = len(lines[start]) - len(lines[start].lstrip())
        _body(lines, body, indent, reader)
    return Graph(stage, compile_id, tuple(reader.nodes), tuple(reader.edges), text)


def parse_tensor(annotation: str) -> TensorSpec | None:
    """The spec of `f16[64, 1024][1024, 1]cuda:0`; None for anything else (symbols, tuples)."""
    match = _TENSOR.match(annotation)
    if match is None or match[1] == "Sym":
        return None
    return TensorSpec(_sizes(match[2]), _DTYPES.get(match[1], match[1]), _sizes(match[3] or ""), match[4])


def _sizes(text: str) -> tuple[int | str, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(int(part) if part.isdigit() else part for part in parts)


def _arguments(lines: list[str], start: int, reader: _Reader) -> int:
    """Reads the parameters, on one line or on many; returns the first line of the body."""
    at = start
    parts = [_without_comment(lines[start].split("(", 1)[1])]
    while not parts[-1].rstrip().endswith(":") and at + 1 < len(lines):
        at += 1
        parts.append(_without_comment(lines[at].strip()))
    text = " ".join(parts)
    for name, annotation in _ARGUMENT.findall(_signature(text)):
        if name != "self":
            reader.argument(name, annotation)
    return at + 1


def _signature(text: str) -> str:
    """The parameters alone: without the closing bracket, a return annotation and the colon."""
    return text.rsplit(")", 1)[0]


def _without_comment(text: str) -> str:
    """`text` up to a `#` that stands outside quotes."""
    if "#" not in text:
        return text
    match = _NO_COMMENT.match(text)
    end = match.end() if match else 0
    return text[:end] if text[end : end + 1] == "#" else text


def _body(lines: list[str], start: int, indent: int, reader: _Reader) -> None:
    """Statements until the return; text indented no deeper than `def` belongs to something else."""
    at = start
    while at < len(lines):
        line = lines[at]
        stripped = line.strip()
        at += 1
        if not stripped:
            continue
        if len(line) - len(line.lstrip()) <= indent:
            return
        if stripped.startswith("#"):
            reader.source = _source(stripped, reader.source)
        elif stripped.startswith("return"):
            text, _ = _whole(stripped, lines, at)
            reader.output(text)
            return
        else:
            text, at = _whole(stripped, lines, at)
            reader.statement(text)


def _whole(text: str, lines: list[str], at: int) -> tuple[str, int]:
    """A statement with the lines it goes on over (open brackets), and the line behind it."""
    text = _without_comment(text)
    while _depth(text) > 0 and at < len(lines):
        text += " " + _without_comment(lines[at].strip())
        at += 1
    return text, at


def _depth(text: str) -> int:
    if text.count("(") + text.count("[") + text.count("{") == text.count(")") + text.count("]") + text.count("}"):
        return 0
    bare = _QUOTED.sub("", text)
    return sum(bare.count(char) for char in "([{") - sum(bare.count(char) for char in ")]}")


def _source(comment: str, before: SourceLine | None) -> SourceLine | None:
    match = _FILE.match(comment)
    if match:
        return SourceLine(match[1], int(match[2]), match[3], match[4] or "")
    return None if "No stacktrace" in comment else before


def _what(expression: str, index: dict[str, int]) -> tuple[str, str]:
    """FX's opcode and target of an expression."""
    call = _CALL.match(expression)
    if call:
        return _called(call[1], index)
    infix = _INFIX.match(expression)
    if infix:
        return "call_function", _OPERATORS[infix[1]] if infix[1] in _OPERATORS else f"i{_OPERATORS[infix[1][:-1]]}"
    head = re.match(r"[A-Za-z_]\w*", expression)
    if head and head[0] in index:
        rest = expression[head.end() :]
        return "call_function", "getitem" if rest.startswith("[") else f"getattr {rest[1:]}" if rest else "identity"
    if expression.startswith("self."):
        return "get_attr", expression.removeprefix("self.")
    if expression.startswith(("-", "~", "not ")):
        return "call_function", {"-": "neg", "~": "invert", "n": "not_"}[expression[0]]
    return "call_function", expression[:60]


def _called(path: str, index: dict[str, int]) -> tuple[str, str]:
    owner, _, method = path.rpartition(".")
    if owner in index:
        return "call_method", method
    if path.startswith("self."):
        return "call_module", path.removeprefix("self.")
    return "call_function", path.removeprefix("torch.ops.")
