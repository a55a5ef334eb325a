"""Where timelines put things: tracks, alignment, mapping, hits, ticks, sums; all without a window."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from factories import CPU, GPU, make_pair, make_side
from hypothesis import example, given
from hypothesis import strategies as st

from profviz.model.results import Results, SliceKind
from profviz.model.short_names import short_name
from profviz.model.trace import Lane, LaneKind, Slices
from profviz.model.units import format_exact_ns
from profviz.ui.view_state import TimeRange, TimeWindow, TrackArrangement
from profviz.ui.views.timeline import aligning, layout, texts
from profviz.ui.views.timeline.kinds.registry import tracks_of
from profviz.ui.views.timeline.layout import Scale
from profviz.ui.views.timeline.painting import title_room
from profviz.ui.views.timeline.placing import place
from profviz.ui.views.timeline.tracks import CPU_ROWS, Group

EPOCH_NS = 1_764_400_000_000_000_007


def test_gpu_stands_above_threads_and_other_tools_are_folded() -> None:
    side = make_side([(2, 0, 9, "span", -1), (1, 0, 9, "aten::op", -1), (0, 3, 2, "k", -1)])
    placed = place(tracks_of(side))
    assert [one.track.group for one in placed] == [Group.GPU, Group.CPU, Group.OTHER]
    assert [one.shown for one in placed] == [1, 1, 0]
    assert all(a.y + a.height <= b.y for a, b in pairwise(placed))
    assert place(tracks_of(side), TrackArrangement(rows={placed[2].track.id: 1}))[2].shown == 1


def test_no_gpu_is_said_in_its_place() -> None:
    side = make_side([(1, 0, 9, "aten::op", -1)])
    tracks = tracks_of(replace(side, occupancy=replace(side.occupancy, lanes=0)))
    assert tracks[0].missing == "no GPU activity in this trace"
    assert tracks[0].group is Group.GPU
    assert len(tracks) == 2
    assert [one.group for one in tracks_of(make_side([]))] == [Group.GPU]


def test_python_frames_do_not_push_operators_down_and_are_all_reachable() -> None:
    frames = [(1, depth, 1_000 - 2 * depth, f"frame {depth}", -1) for depth in range(20)]
    side = make_side(
        [*frames, (1, 100, 50, "aten::op", -1), (1, 110, 10, "aten::inner", -1)],
        kinds={f"frame {depth}": SliceKind.PYTHON for depth in range(20)},
    )
    operators, python = tracks_of(side)[1:]
    assert (operators.group, len(operators.rows)) == (Group.CPU, 2)
    assert (python.group, len(python.rows), python.few) == (Group.PYTHON, 20, 1)
    assert python.toggled(1) == 20
    assert python.toggled(20) == 1


def test_rows_do_not_work_out_whole_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    side = make_side([(1, depth, 1_000 - 2 * depth, "op", -1) for depth in range(30)])
    ends = side.trace.slices.end_ns
    monkeypatch.setattr(Slices, "end_ns", property(lambda _: pytest.fail("all ends, for one row")))
    for row in tracks_of(side)[1].rows:
        assert row.end_ns.tolist() == ends[row.slice].tolist()


def test_every_slice_of_a_deep_thread_is_on_one_row() -> None:
    side = make_side([(1, depth, 1_000 - 2 * depth, "op", -1) for depth in range(30)])
    track = tracks_of(side)[1]
    assert track.few == CPU_ROWS
    found = np.sort(np.concatenate([row.slice for row in track.rows]))
    assert found.tolist() == list(range(30))


def test_a_thread_of_runtime_calls_alone_stands_below_working_ones() -> None:
    lanes = (GPU, Lane(LaneKind.CPU, "1", "9", "p", "poller"), CPU)
    kinds = {"cudaEventQuery": SliceKind.RUNTIME}
    side = make_side([(1, 0, 1, "cudaEventQuery", -1), (2, 0, 1, "aten::op", -1)], kinds=kinds, lanes=lanes)
    assert [one.title for one in tracks_of(side)[1:]] == ["thread 1", "poller"]


def test_the_middle_steps_begin_together_and_the_longer_one_fits() -> None:
    sides = make_pair().sides
    found = aligning.align(sides)
    assert found.step == 1
    assert [side.steps[1].start_ns - offset for side, offset in zip(sides, found.offsets_ns, strict=True)] == [
        found.anchor_ns,
        found.anchor_ns,
    ]
    start, end = aligning.first_window(sides, found)
    assert start <= found.anchor_ns
    assert end - start == 16_000 + 16_000 * 3 // 100
    assert aligning.align(sides, step=9).step == 2


def test_only_sides_that_show_say_which_steps_there_are() -> None:
    pair, few = make_pair().sides, make_side([(0, 0, 9, "k", -1)], steps=[(70, 90)])
    none = make_side([(0, 0, 9, "k", -1)])
    assert aligning.align((*pair, few)).step == 0
    found = aligning.align((*pair, few, none), step=2, shown=(0, 1))
    assert found.step == 2
    assert found.offsets_ns[:2] == aligning.align(pair, step=2).offsets_ns
    assert [found.offsets_ns[side] + found.anchor_ns for side in (2, 3)] == [70, 0]


def test_without_steps_traces_begin_together_and_show_whole() -> None:
    sides = (make_side([(0, 0, 500, "k", -1)]), make_side([(0, 0, 900, "k", -1)]))
    found = aligning.align(sides)
    assert (found.offsets_ns, found.step) == ((0, 0), -1)
    assert aligning.first_window(sides, found) == (0, 900)
    assert aligning.first_window((), aligning.align(())) == (0, 1)


@given(st.integers(10, 10**12), st.integers(0, 10**6), st.floats(0.01, 50))
@example(11, 0, 0.99)
def test_zoom_keeps_the_time_under_the_mouse(span: int, share: int, factor: float) -> None:
    window = (EPOCH_NS, EPOCH_NS + span)
    at = EPOCH_NS + span * share // 10**6
    start, end = aligning.zoomed(window, at_ns=at, factor=factor, least_ns=10)
    wanted = round(span * factor)
    assert end - start == (max(wanted, span + 1) if factor > 1 else max(10, min(wanted, span - 1)))
    assert abs((at - start) / (end - start) - (at - EPOCH_NS) / span) <= 1 / (end - start) + 1e-9


def test_something_always_stays_in_view() -> None:
    whole = (0, 1_000)
    for window in ((-(10**9), -(10**9) + 100), (10**9, 10**9 + 100), (-(10**6), 10**6)):
        start, end = aligning.kept_near(window, whole)
        assert start < 1_000
        assert end > 0
        assert end - start <= 2_000


def test_x_is_exact_at_epoch_scale() -> None:
    scale = Scale(100.0, 800.0, EPOCH_NS, 8)
    assert [scale.x(EPOCH_NS + at) for at in range(4)] == [100.0, 200.0, 300.0, 400.0]
    assert scale.xs(np.array([EPOCH_NS + 5], dtype=np.int64)).tolist() == [600.0]
    assert scale.time_ns(399.9) == EPOCH_NS + 2


def test_a_point_finds_its_slice_its_row_and_thin_neighbours() -> None:
    side = make_side([(0, 100, 100, "a", -1), (0, 900, 1, "thin", -1), (1, 0, 1_000, "op", -1), (1, 10, 90, "in", -1)])
    placed = place(tracks_of(side))
    scale = Scale(0.0, 1_000.0, 0, 1_000)
    gpu, cpu = placed[0], placed[1]

    def name(x: float, y: float) -> str:
        found = layout.hit(0, placed, scale, x, y)
        return side.trace.name_of(found.slice) if found is not None and found.slice >= 0 else ""

    assert name(150, gpu.y + 5) == "a"
    assert name(902.5, gpu.y + 5) == "thin"
    assert name(500, gpu.y + 5) == ""
    assert name(50, cpu.row_y(1) + 3) == "in"
    assert name(500, cpu.row_y(0) + 3) == "op"
    assert layout.hit(0, placed, scale, 5, cpu.y - 2) is None


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ((0, 10_000_000), ["0 ms", "2 ms", "4 ms", "6 ms", "8 ms", "10 ms"]),
        ((-3, 7), ["−2 ns", "0 ns", "2 ns", "4 ns", "6 ns"]),
        ((5_012_340, 5_012_350), ["5 012.340 µs", "5 012.342 µs", "5 012.344 µs"]),
        ((2_000_000_000, 6_000_000_000), ["2 s", "3 s", "4 s", "5 s", "6 s"]),
    ],
)
def test_ticks_are_round_and_exact(window: tuple[int, int], expected: list[str]) -> None:
    made = layout.ticks(*window, zero_ns=0, width=500)
    assert [tick.text for tick in made][: len(expected)] == expected
    assert all(window[0] <= tick.time_ns <= window[1] for tick in made)


def test_ticks_count_from_the_aligned_moment() -> None:
    made = layout.ticks(EPOCH_NS, EPOCH_NS + 100, zero_ns=EPOCH_NS + 50, width=400)
    assert ("0 ns", EPOCH_NS + 50) in [(tick.text, tick.time_ns) for tick in made]


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("size", [(960, 560), (300, 120), (40, 10)])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_panes_do_not_overlap_and_stay_in_order(size: tuple[int, int], count: int, beside: bool) -> None:  # noqa: FBT001
    made = layout.arrange(*size, [90 + 200 * n for n in range(count)], beside=beside)
    assert [pane.side for pane in made.panes] == list(range(count))
    for first, second in pairwise(made.panes):
        assert first.right <= second.left if beside else first.bottom <= second.top
    if size[1] > 500:
        assert made.panes[-1].bottom <= size[1]
        assert len({pane.time_width for pane in made.panes}) == 1


def test_a_short_pane_leaves_its_room_to_a_tall_one() -> None:
    short, tall = layout.arrange(900, 600, [50, 2_000], beside=False).panes
    assert short.bottom - short.top == layout.HEADER + 50
    assert tall.bottom == 600


def test_ranges_are_told_by_their_lengths() -> None:
    assert texts.ranges_text(()) == ""
    assert texts.ranges_text((TimeRange(5, 1_234_572),)) == "Range of 1.234567 ms · sums in the panel Range"
    two = (TimeRange(0, 5), TimeRange(10, 27))
    assert texts.ranges_text(two) == "2 ranges, the last of 17 ns · sums in the panel Range"


def test_headers_tell_the_step_and_compare_kernels() -> None:
    results = make_pair()
    found = aligning.align(results.sides)
    window = TimeWindow(*aligning.first_window(results.sides, found))
    told = [texts.header(results, side, found, [window] * 2, tracks_of(results.sides[side])) for side in (0, 1)]
    assert told[0].startswith("step 2 of 3 · 8 kernels · many narrow · ")
    assert told[1].startswith("step 2 of 3 · 3 kernels · few wide · ")
    first, second = (side.steps[1].start_ns for side in results.sides)
    moved = f" · moved +{format_exact_ns(first - second)}"
    assert "moved" not in told[0]
    assert told[1].endswith(moved)
    whole = TimeWindow(*aligning.whole_window(results.sides, found))
    assert texts.header(results, 0, found, [whole] * 2, tracks_of(results.sides[0])) == "24 GPU slices in view"
    assert texts.header(results, 1, found, [whole] * 2, tracks_of(results.sides[1])).endswith(f" slices in view{moved}")


def test_details_tell_what_is_known_and_nothing_else() -> None:
    side = make_pair().sides[0]
    text = texts.details(side, int(side.trace.gpu.slice[0]))
    for part in ("duration  400 ns", "start  500 ns", "GPU 0 · stream 7", "kind  pointwise", "registers  24"):
        assert part in text
    assert "grid  128 × 2 × 1" in text
    assert "launch delay  490 ns" in text
    assert "shared" not in text
    host = int(side.links.launch[side.trace.gpu.slice[0]])
    assert "grid" not in texts.details(side, host)
    assert "launch delay" not in texts.details(side, host)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void at::native::(anonymous namespace)::copy_kernel<float, Op<1> >(int, float*)", "copy_kernel"),
        ("aten::addmm", "aten::addmm"),
        ("triton_poi_fused_add_0", "triton_poi_fused_add_0"),
        ("<<<odd>>>", "<<<odd>>>"),
        ("model.py(132): forward", "forward · model.py(132)"),
        ("torch/nn/modules/module.py(1783): _call_impl", "_call_impl · module.py(1783)"),
        ("<string>(2): __init__", "__init__ · <string>(2)"),
        ("<built-in method run_backward of torch._C._EngineBase object at 0x7f1b>", "run_backward · built-in"),
        ("<built-in function linear>", "linear · built-in"),
        ("nn.Module: GPT2Model_0", "nn.Module: GPT2Model_0"),
        ("Memcpy DtoH (Device -> Pinned)", "Memcpy DtoH (Device -> Pinned)"),
        (
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
        ),
        (
            "void cutlass::Kernel2<cutlass_80_tensorop_gemm_align2>(cutlass_80_tensorop_gemm_align2::Params)",
            "cutlass_80_tensorop_gemm_align2",
        ),
        (
            "void at::native::vectorized_elementwise_kernel<8, at::native::BinaryFunctor<float, "
            "at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)",
            "Mul · vectorized_elementwise_kernel",
        ),
        (
            "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add"
            "<long> >(at::TensorIteratorBase&, at::native::CUDAFunctor_add<long> const&)::{lambda(int)#1}>(int)",
            "add · elementwise_kernel",
        ),
        (
            "void at::native::vectorized_elementwise_kernel<8, at::native::tanh_kernel_cuda(at::TensorIteratorBase&)"
            "::{lambda()#2}::operator()() const::{lambda(c10::Half)#1}, std::array<char*, 2ul> >(int)",
            "tanh · vectorized_elementwise_kernel",
        ),
        (
            "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float> > >(int)",
            "Mean · reduce_kernel",
        ),
    ],
)
def test_bars_show_the_telling_part_of_a_name(name: str, short: str) -> None:
    assert short_name(name) == short


def test_what_is_missing_is_said() -> None:
    assert "No trace" in texts.empty(Results("", "", (), (), (), ()))
    assert "no slices" in texts.empty(Results("", "", (make_side([]),), (), (), ()))
    assert texts.empty(make_pair()) == ""


def test_sides_that_show_other_times_have_axes_of_their_own() -> None:
    linked = layout.arrange(900, 600, [100, 100], beside=False)
    apart = layout.arrange(900, 600, [1_000, 1_000], beside=False, apart=True, strip=30)
    assert len(linked.axes) == 1
    assert [axis.side for axis in apart.axes] == [0, 1]
    assert [axis.top for axis in apart.axes] == [pane.bottom for pane in apart.panes]
    assert apart.axes[1].top + layout.AXIS <= 600
    assert apart.strip == (apart.axes[0].top + layout.AXIS, 30)
    assert apart.panes[1].top >= apart.axes[0].top + layout.AXIS + 30


def test_the_scale_of_each_side_is_said_beside_the_other() -> None:
    wide, narrow = Scale(0.0, 100.0, 0, 1_000), Scale(0.0, 100.0, 0, 250)
    assert texts.scale_note([wide], 0) == "time"
    assert texts.scale_note([wide, wide], 0) == "same scale"
    assert [texts.scale_note([wide, narrow], side) for side in (0, 1)] == ["scale 1 : 4", "scale 4 : 1"]


def test_a_title_takes_the_room_that_the_text_beside_it_leaves_and_nearly_half_of_it_anyway() -> None:
    assert title_room(150.0, 400.0, room=800.0, gutter=120.0) == 150.0
    assert title_room(500.0, 400.0, room=800.0, gutter=120.0) == 384.0
    assert title_room(200.0, 460.0, room=470.0, gutter=120.0) == 200.0
    assert title_room(500.0, 460.0, room=200.0, gutter=120.0) == 112.0
