"""Time on a graph: heat and words of its shapes, the slowest nodes, and what is said of one. Pure.

Work that several nodes share, a kernel's or a slice's, is never split: each shows all of it, and sums count it once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from profviz.model.graph import Graph, GraphTimes
from profviz.model.units import format_ns
from profviz.ui.views.graphs.kinds import own_kernel
from profviz.ui.views.graphs.labels import Colouring
from profviz.ui.views.graphs.layout import Placement
from profviz.ui.widgets.graph_picture import Hull, Picture, Role

SLOWEST = 10
TIMED = (Colouring.EAGER, Colouring.COMPILED)


@dataclass(frozen=True, slots=True)
class Slow:
    """One line of the list of the slowest: a node, or the first of a kernel's."""

    node: int
    time_ns: int
    name: str


def heated(placement: Placement, graph: Graph, times: GraphTimes, colouring: Colouring) -> Picture:
    """The picture with heat and times; eager one box a node and no kernels, compiled with the kernels around."""
    picture = placement.picture
    measure = measure_of(graph, times, colouring)
    known = [measure(nodes) for nodes in placement.nodes_of]
    solid = [
        time if time is not None and shape.role is not Role.FAR else None
        for time, shape in zip(known, picture.shapes, strict=True)
    ]
    boxes = [t for t, shape in zip(solid, picture.shapes, strict=True) if t and shape.role is not Role.GROUP]
    hottest = max(boxes, default=0) or max((time for time in solid if time), default=1)
    shapes = []
    for shape, time in zip(picture.shapes, solid, strict=True):
        if time is None:
            pale = shape.role is Role.BOX
            shapes.append(replace(shape, role=Role.PALE, colour=-1, tag="") if pale else replace(shape, colour=-1))
            continue
        detail = f"{format_ns(time)} · {shape.detail}" if shape.detail else format_ns(time)
        role = Role.BOX if shape.role is Role.PALE else shape.role
        shapes.append(replace(shape, role=role, detail=detail, heat=min(time / hottest, 1.0) ** 0.5))
    if colouring is Colouring.EAGER:
        plain = tuple(replace(shape, tag="") for shape in shapes)
        return replace(picture, shapes=plain, hulls=(), hull_rects=picture.hull_rects[:0])
    return replace(picture, shapes=tuple(shapes), hulls=timed_hulls(picture, times))


def timed_hulls(picture: Picture, times: GraphTimes) -> tuple[Hull, ...]:
    """The hulls with their kernels' times in their titles, where they are known."""
    return tuple(_timed_hull(hull, times) for hull in picture.hulls)


def _timed_hull(hull: Hull, times: GraphTimes) -> Hull:
    number, _, name = hull.title.partition(" ")
    time = times.kernel_ns.get(f"{name}:{number.removeprefix('#')}")
    return hull if time is None else replace(hull, title=f"{number} {format_ns(time)} · {name}")


def measure_of(graph: Graph, times: GraphTimes, colouring: Colouring) -> Callable[[Sequence[int]], int | None]:
    """What some nodes took together: eager that of their slices, compiled that of their kernels, each once."""

    def compiled(nodes: Sequence[int]) -> int | None:
        kernels = dict.fromkeys(own_kernel(graph.nodes[node]) for node in nodes)
        known = [times.kernel_ns[kernel] for kernel in kernels if kernel in times.kernel_ns]
        return sum(known) if known else None

    return times.eager_ns if colouring is Colouring.EAGER else compiled


def slowest(graph: Graph, times: GraphTimes, colouring: Colouring) -> list[Slow]:
    """The slowest nodes, or kernels by their first node; the longest first."""
    if colouring is Colouring.EAGER:
        firsts: dict[tuple[int, ...], int] = {}
        for node, slices in times.eager_slices.items():
            firsts.setdefault(slices, node)
        found = [Slow(node, times.eager_ns([node]) or 0, graph.nodes[node].name) for node in firsts.values()]
    else:
        first: dict[str, int] = {}
        for index, node in enumerate(graph.nodes):
            first.setdefault(own_kernel(node), index)
        found = [Slow(first[name], time, name) for name, time in times.kernel_ns.items() if name in first]
    return sorted(found, key=lambda slow: (-slow.time_ns, slow.node))[:SLOWEST]


def time_lines(graph: Graph, nodes: Sequence[int], times: GraphTimes | None) -> list[str]:
    """`eager 12.3 µs a step` and `compiled 40 µs a step (4 operations, one kernel)`; what is unknown is left out."""
    if times is None:
        return []
    lines = []
    eager = times.eager_ns(nodes)
    if eager is not None:
        own = {index for node in nodes for index in times.eager_slices.get(node, ())}
        sharing = sum(not own.isdisjoint(slices) for slices in times.eager_slices.values())
        shared = f" ({sharing} operations together)" if sharing > len(nodes) else ""
        lines.append(f"eager {format_ns(eager)} a step{shared}")
    compiled = measure_of(graph, times, Colouring.COMPILED)(nodes)
    if compiled is not None:
        kernels = {own_kernel(graph.nodes[node]) for node in nodes} & set(times.kernel_ns)
        together = sum(own_kernel(node) in kernels for node in graph.nodes)
        what = "one kernel" if len(kernels) == 1 else f"{len(kernels)} kernels"
        lines.append(f"compiled {format_ns(compiled)} a step ({together} operations, {what})")
    return lines


def total_words(graph: Graph, times: GraphTimes, colouring: Colouring) -> str:
    """`6.04 ms a step, eager`, or why there is none."""
    if colouring is Colouring.EAGER:
        if times.eager_slices:
            return f"{format_ns(times.eager_ns(times.eager_slices))} a step, eager"
        return "no eager time is known of these nodes" if times.eager else "no eager run is open"
    if times.kernel_ns:
        return f"{format_ns(sum(times.kernel_ns.values()))} a step, compiled"
    return "no kernel of this graph is known in the trace" if times.compiled else "no compiled run is open"
