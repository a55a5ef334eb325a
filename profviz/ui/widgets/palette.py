"""The colours of both themes as values; a kind of slice is an index, so nothing here knows a profiler."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as `#rrggbb`. `kinds[i]` is the colour of slice kind i (see `model.results.SliceKind`)."""

    name: str
    dark: bool
    window: str
    panel: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    good: str
    warn: str
    bad: str
    lane: str
    selection: str
    kinds: tuple[str, ...]


DARK = Palette(
    name="dark",
    dark=True,
    window="#14171c",
    panel="#1b1f26",
    raised="#232831",
    border="#2d333d",
    text="#e6e9ef",
    muted="#98a1ad",
    accent="#58a6ff",
    on_accent="#0b1420",
    good="#4cc38a",
    warn="#f0a84e",
    bad="#f2717b",
    lane="#20252d",
    selection="#ffffff",
    kinds=(
        "#6d7376",  # other
        "#6f76ff",  # gemm
        "#a8ebfa",  # convolution
        "#9a4fb7",  # attention
        "#ee6a2a",  # pointwise
        "#b486a4",  # reduction
        "#fcde3f",  # normalisation
        "#b2c0d2",  # copy
        "#c34d36",  # communication
        "#64c885",  # fused
        "#efa628",  # optimizer
        "#5b6673",  # runtime
        "#46525f",  # annotation
        "#5a5470",  # python
        "#677381",  # operator
        "#3f5a7d",  # compiled region
    ),
)

LIGHT = Palette(
    name="light",
    dark=False,
    window="#f3f5f8",
    panel="#ffffff",
    raised="#f0f2f5",
    border="#d9dee5",
    text="#1c2128",
    muted="#5d6672",
    accent="#1a6fe0",
    on_accent="#ffffff",
    good="#177a46",
    warn="#a85a00",
    bad="#c0303c",
    lane="#f1f3f6",
    selection="#101418",
    kinds=(
        "#353d4d",  # other
        "#17449f",  # gemm
        "#2ec0ee",  # convolution
        "#7854de",  # attention
        "#e69b29",  # pointwise
        "#945680",  # reduction
        "#5f5e18",  # normalisation
        "#8592a3",  # copy
        "#740f08",  # communication
        "#85b986",  # fused
        "#b27a50",  # optimizer
        "#a9b2bd",
        "#c3cad3",
        "#c8bedb",
        "#b4bdc8",
        "#9db6d8",
    ),
)
