"""Which values are in no blocks because they hold scores beside what hides others."""

import numpy as np
import pytest

import ttstack
from ttstack.placement.element_values import ElementValues, contents_of

SCORES = "tensor<1x2x32x64xf32>"
ROWS = "tensor<1x1x1x64xf32>"
TRUE = "tensor<1x1x1x64xi1>"
ONE = "tensor<1x1x1x1xf32>"


def full(name: str, number: float) -> str:
    return f'%{name} = "ttir.full"() {{fill_value = {number:e} : f32, shape = array<i32: 1, 1, 1, 1>}} : () -> {ONE}'


def formats(*lines: str, without: str | None = None) -> dict[str, str]:
    """The formats of results by op and of arguments by number, at bfp8_b."""
    text = f"func.func @f(%a: {SCORES}, %m: {ROWS}, %c: {TRUE}) -> {SCORES} {{\n" + "\n".join(lines) + "\n}"
    (function,) = ttstack.compile(text, dtype="bfp8_b", without=without).binary.functions
    made = {op.name: op.results[0] for op in function.operations if op.results}
    tensors = {**made, **{str(i): tensor for i, tensor in enumerate(function.inputs)}}
    return {name: str(function.tensors[tensor].layout.dtype) for name, tensor in tensors.items()}


SOFTMAX = f'%s = "ttir.softmax"(%x) {{dimension = 3 : si32}} : ({SCORES}) -> {SCORES}\nreturn %s : {SCORES}'
ADDED = f'%x = "ttir.add"(%e, %m) : ({SCORES}, {ROWS}) -> {SCORES}'
PRODUCT = f'%e = "ttir.exp"(%a) : ({SCORES}) -> {SCORES}'


def test_scores_with_a_given_mask():
    have = formats(PRODUCT, ADDED, SOFTMAX, without="fuse-mask-into-softmax")
    assert (have["add"], have["1"], have["exp"], have["0"]) == ("bf16", "bf16", "bfp8_b", "bfp8_b")


def test_a_given_mask_that_softmax_adds():
    """The sum stays in the kernel's own buffers."""
    have = formats(PRODUCT, ADDED, SOFTMAX)
    assert "add" not in have
    assert (have["1"], have["exp"], have["0"], have["softmax"]) == ("bf16", "bfp8_b", "bfp8_b", "bfp8_b")


@pytest.mark.parametrize(
    ("number", "expected"), [(-1e4, "bf16"), (-np.finfo(np.float32).max, "bf16"), (-2.0, "bfp8_b")]
)
def test_scores_that_a_number_replaces(number: float, expected: str):
    chosen = f'%x = "ttir.where"(%c, %e, %n) : ({TRUE}, {SCORES}, {ONE}) -> {SCORES}'
    assert formats(PRODUCT, full("n", number), chosen, SOFTMAX)["where"] == expected


def test_what_is_added_to_no_scores():
    have = formats(PRODUCT, ADDED, f"return %x : {SCORES}")
    assert (have["add"], have["1"]) == ("bfp8_b", "bfp8_b")


@pytest.mark.parametrize(
    ("numbers", "uneven"),
    [
        ([0, -1e9], False),
        ([0, -np.inf], False),
        ([0, -1e9, -2e9], False),
        ([0, -1e4, -1e9], True),
        ([1, -1e4], True),
        ([1, 100], False),
        (np.arange(64), False),
        ([*np.arange(64), -1e9], True),
    ],
)
def test_constants(numbers, uneven: bool):
    assert contents_of(np.array(numbers, np.float32)).uneven is uneven


@pytest.mark.parametrize(
    "line",
    [
        f'%x = "ttir.add"(%a, %n) : ({SCORES}, {ONE}) -> {SCORES}',
        f'%x = "ttir.multiply"(%a, %m) : ({SCORES}, {ROWS}) -> {SCORES}',
    ],
)
def test_what_hides_no_score(line: str):
    """One number that moves all scores, and what scales each."""
    have = formats(full("n", -3.0), line, SOFTMAX)
    assert (have["0"], have["1"]) == ("bfp8_b", "bfp8_b")


def test_nothing_is_known_of_a_tensor_that_is_given():
    assert not ElementValues().uneven
