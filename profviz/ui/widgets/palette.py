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
        "#7d8793",  # other
        "#4f81d6",  # gemm
        "#2fa8b8",  # convolution
        "#a274d0",  # attention
        "#ee9a4d",  # pointwise
        "#d9708f",  # reduction
        "#d3ba3f",  # normalisation
        "#98a1ad",  # copy
        "#e0645c",  # communication
        "#3eae7c",  # fused
        "#b08968",  # optimizer
        "#5b6673",  # runtime
        "#46525f",  # annotation
        "#4a5560",  # python
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
        "#98a1ac",
        "#4a78cc",
        "#1f93a3",
        "#9463c4",
        "#e38a35",
        "#c95a7b",
        "#c2a51f",
        "#87919d",
        "#d0514a",
        "#2f9b6a",
        "#9b7350",
        "#a9b2bd",
        "#c3cad3",
        "#cdd3da",
        "#b4bdc8",
        "#9db6d8",
    ),
)
