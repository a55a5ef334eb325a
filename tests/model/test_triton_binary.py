"""Which of a run's loaded Triton kernels is behind a launch, and how its spills are told."""

from __future__ import annotations

import pytest

from profviz.model.record import from_json, to_json
from profviz.model.run import VariantResult
from profviz.model.triton_binary import TritonBinary, find_binary, hash_of_launch, hash_of_path

SMALL = TritonBinary("triton_poi_0", "cab", (("XBLOCK", "64"),), 4, 1, 16, 0, 0, 1)
LARGE = TritonBinary("triton_poi_0", "cab", (("XBLOCK", "512"),), 8, 1, 255, 12, 2048, 3)
OTHER = TritonBinary("triton_poi_0", "cxy", registers=32)
RED = TritonBinary("triton_red_1", "cre", registers=40)


def test_the_hash_tells_kernels_of_one_name_apart() -> None:
    assert find_binary((SMALL, OTHER, RED), name="triton_poi_0", hash_="cxy") is OTHER
    assert find_binary((SMALL, OTHER, RED), name="triton_poi_0") is None, "two bear the name"
    assert find_binary((SMALL, OTHER, RED), name="triton_red_1") is RED, "a replayed graph's work has no hash"
    assert find_binary((SMALL, OTHER, RED), name="triton_red_1", hash_="cxy") is None
    assert find_binary((SMALL, OTHER, RED), name="triton_", hash_="cre") is RED, "all of them may be named alike"
    assert find_binary((SMALL, OTHER, RED), name="triton_") is None
    assert find_binary((SMALL,), name="Memset (Device)", hash_="cab") is None, "what a kernel's launch does besides"
    assert find_binary((), name="triton_red_1") is None


def test_of_a_kernel_loaded_twice_the_launch_decides() -> None:
    both = (SMALL, LARGE)
    assert (
        find_binary(both, name="triton_poi_0", hash_="cab", settings="XBLOCK 512, num_warps 8, num_stages 1") is LARGE
    )
    assert find_binary(both, name="triton_poi_0", hash_="cab") is None


def test_no_spill_is_a_number_and_some_are_explained() -> None:
    assert SMALL.spilling == "0"
    assert OTHER.spilling == "unknown"
    assert LARGE.spilling.startswith("12: so many 4-byte values of each thread did not fit into registers")


@pytest.mark.parametrize(
    ("path", "name"),
    [("/tmp/ab/cabc.py", "cabc"), ("C:\\tmp\\ab\\cabc.py", "cabc"), ("cabc.py", "cabc"), ("", "")],
)
def test_a_hash_is_the_name_of_the_codes_file(path: str, name: str) -> None:
    assert hash_of_path(path) == name
    assert hash_of_launch({"args": {"kernel_file": path}}) == name


def test_a_launch_tells_its_hash_or_nothing() -> None:
    assert hash_of_launch({"args": {"kernel_hash": "cab", "kernel_file": "/x/other.py"}}) == "cab"
    for odd in ({}, {"args": None}, {"args": {"kernel_file": None}}):
        assert hash_of_launch(odd) == ""


def test_they_pass_through_json_and_old_results_have_none() -> None:
    result = VariantResult("default", "Compiled", triton_kernels=(SMALL, OTHER))
    data = to_json(result)
    assert from_json(VariantResult, data) == result
    del data["triton_kernels"]
    assert from_json(VariantResult, data).triton_kernels == ()
