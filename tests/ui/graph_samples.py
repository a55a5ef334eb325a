"""Small graphs made by hand, and the graph view over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graph_driving import wait
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from profviz.model.compile_report import CompileReport, GraphBreak
from profviz.model.graph import Graph, Node, SourceLine, Stage, TensorSpec
from profviz.model.results import Results
from profviz.ui.view_state import ViewState
from profviz.ui.views.graphs.choices import Direction
from profviz.ui.views.graphs.view import GraphsView
from profviz.ui.widgets.palette import DARK

SOURCE = SourceLine("/home/me/model.py", 12, "forward", "return torch.relu(self.fc(x))")


def chain(stage: Stage, compile_id: str, *names: str, count: int = 0) -> Graph:
    """An input, then one operation after another; `count` repeats the last."""
    calls = [*names, *(f"{names[-1]}_{number}" for number in range(count))]
    nodes = [Node("x", "placeholder", "x", TensorSpec((8, 16), "float32"))]
    nodes += [
        Node(
            name, "call_function", f"torch.ops.aten.{name.split('_')[0]}.default", TensorSpec((8, 4), "float32"), SOURCE
        )
        for name in calls
    ]
    nodes.append(Node("output", "output", "output"))
    return Graph(stage, compile_id, tuple(nodes), tuple((i, i + 1) for i in range(len(nodes) - 1)))


def report(*graphs: Graph, breaks: tuple[GraphBreak, ...] = ()) -> CompileReport:
    return CompileReport("2.11.0", None, (), graphs, breaks, (), (), (), len(graphs), None)


def results(*reports: CompileReport) -> Results:
    titled = tuple((f"log {number}", each) for number, each in enumerate(reports))
    return Results("t", "", (), titled, (), ())


TWO_CUTS = report(
    chain(Stage.DYNAMO, "0/0", "relu"),
    chain(Stage.AOT_FORWARD, "0/0", "mm", "relu"),
    chain(Stage.AOT_BACKWARD, "0/0", "mm", "mul"),
    chain(Stage.POST_GRAD_FORWARD, "0/0", "mm", "relu"),
    chain(Stage.POST_GRAD_BACKWARD, "0/0", "mm", "mul"),
    chain(Stage.DYNAMO, "1/0", "tanh"),
    chain(Stage.AOT_INFERENCE, "1/0", "tanh"),
    chain(Stage.DYNAMO, "2/0", "sin"),
    breaks=(GraphBreak(SOURCE, "Tensor.item() with capture_scalar_outputs=False.", compile_ids=("0/0",)),),
)


OpenGraphs = Callable[..., tuple[GraphsView, ViewState]]


@contextmanager
def graph_views(qtbot: QtBot) -> Iterator[OpenGraphs]:
    """Gives what opens a view over results, laid out; all that were opened end with it."""
    made: list[GraphsView] = []

    def open_view(
        shown: Results, *, width: int = 1700, height: int = 700, choice: int = 0
    ) -> tuple[GraphsView, ViewState]:
        state = ViewState()
        view = GraphsView(state, DARK)
        made.append(view)
        view.resize(width, height)
        view.show()
        view.show_results(shown)
        choose(view, choice)
        wait(qtbot, view)
        return view, state

    yield open_view
    for view in made:
        delete(view)


def choose(view: GraphsView, choice: int) -> None:
    if 0 <= choice < view.chooser.count():
        view.chooser.setCurrentIndex(choice)
        view.chooser.activated.emit(choice)


def visible(view: GraphsView) -> set[int]:
    canvas = view.panes[Direction.FORWARD].canvas
    return set(canvas.picture.shapes_within(*canvas.visible_window()).tolist())
