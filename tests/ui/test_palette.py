"""The colours of slices are told apart by everyone, in both themes, also where one sees two of three colours only."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from profviz.core.detail import SHADES
from profviz.model.results import SliceKind
from profviz.ui.widgets.oklab import colour_of, lightened, linear_of, linear_of_oklab, oklab_of
from profviz.ui.widgets.palette import DARK, LIGHT, Palette
from profviz.ui.widgets.timeline_look import SHADE_STEPS, shaded

KERNELS = tuple(kind for kind in SliceKind if kind <= SliceKind.OPTIMIZER)
HOST = tuple(kind for kind in SliceKind if kind > SliceKind.OPTIMIZER)

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009),
# the whole of each deficiency, on linear red, green and blue
VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def seen(colour: str, vision: str) -> np.ndarray:
    return oklab_of(linear_of(colour) @ VISIONS[vision].T)


def distance(first: str, second: str, vision: str) -> float:
    """In OKLab: from about 0.02 on two colours beside each other are told apart."""
    return float(np.linalg.norm(seen(first, vision) - seen(second, vision)))


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda palette: palette.name)
def test_every_two_categories_are_far_apart(palette: Palette, vision: str) -> None:
    for first, second in combinations(KERNELS, 2):
        assert distance(palette.kinds[first], palette.kinds[second], vision) > 0.08, (first, second)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda palette: palette.name)
def test_shades_stay_nearer_to_their_own_category_than_to_another(palette: Palette, vision: str) -> None:
    shades = {kind: [shaded(palette.kinds[kind], shade) for shade in range(SHADES)] for kind in KERNELS}
    for own in shades.values():
        assert min(distance(a, b, "usual") for a, b in combinations(own, 2)) > 0.012
        assert max(distance(own[0], shade, vision) for shade in own) < 0.045
    for first, second in combinations(KERNELS, 2):
        assert min(distance(a, b, vision) for a, b in product(shades[first], shades[second])) > 0.022, (first, second)


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda palette: palette.name)
def test_what_the_host_does_stays_in_the_background_and_is_told_from_kernels(palette: Palette) -> None:
    for first, second in combinations(HOST, 2):
        assert distance(palette.kinds[first], palette.kinds[second], "usual") > 0.025, (first, second)
    for kernel, host in product(KERNELS[1:], HOST):
        assert distance(palette.kinds[kernel], palette.kinds[host], "usual") > 0.05, (kernel, host)


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda palette: palette.name)
def test_categories_stand_out_from_an_empty_lane(palette: Palette) -> None:
    for kind in KERNELS:
        assert distance(palette.kinds[kind], palette.lane, "usual") > 0.12, kind


def test_colours_come_back_from_oklab_as_they_were() -> None:
    for colour in (*DARK.kinds, *LIGHT.kinds, "#000000", "#ffffff"):
        assert colour_of(linear_of_oklab(oklab_of(linear_of(colour)))) == colour
        assert lightened(colour, 0.0) == colour
    assert oklab_of(linear_of("#ffffff"))[0] == pytest.approx(1.0, abs=1e-3)
    assert len(SHADE_STEPS) == SHADES
