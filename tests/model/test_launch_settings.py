"""What a launching operator's event says of the kernel's settings."""

from __future__ import annotations

import pytest

from profviz.model.launch_settings import launch_settings


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            {"args": {"kernel_kwargs": "XBLOCK=2,R0_BLOCK=1024", "num_warps": 8, "num_stages": 1, "stream": 0}},
            "XBLOCK 2, R0_BLOCK 1024, num_warps 8, num_stages 1",
        ),
        ({"args": {"kernel_kwargs": "XBLOCK=2"}}, "XBLOCK 2"),
        ({"args": {"kernel_kwargs": ""}}, ""),
        ({"args": {"External id": 3}}, ""),
        ({"args": None}, ""),
        ({}, ""),
    ],
)
def test_settings_of_a_launch(event: dict[str, object], text: str) -> None:
    assert launch_settings(event) == text
