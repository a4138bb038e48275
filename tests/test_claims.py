"""What a file claims, and does not hold, costs no work: extents, numbers of digits, element types."""

from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import ttstack
from ttstack.device.circular_buffers import tiles
from ttstack.device.circular_buffers.tiles import untilize
from ttstack.diagnostics import CapacityError, UnsupportedOpError
from ttstack.ops.types import DType
from ttstack.support.whole_number import whole_number

IMAGE = f"tensor<1x{1 << 18}x{1 << 18}x4xf32>"
CONVOLUTION = f"""func.func @f(%x: {IMAGE}, %w: tensor<4x4x3x3xf32>) -> {IMAGE} {{
  %0 = "ttir.conv2d"(%x, %w) {{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32}}
      : ({IMAGE}, tensor<4x4x3x3xf32>) -> {IMAGE}
  return %0 : {IMAGE}
}}"""


@pytest.mark.parametrize("columns", [1, 33, 100, 1 << 12])
@pytest.mark.parametrize("rows", [1, 7, 33, 1 << 12])
def test_the_side_of_a_row_block_is_the_first_that_leaves_cores(rows: int, columns: int):
    shape = (rows * 32 - 1, columns * 32)
    first = next(a for a in range(1, columns + 1) if -(-columns // a) * -(-rows // a) < 64 or a == columns)
    whole = columns <= 32 or not (rows > 32 or columns > rows)
    kept = whole or -(-columns // first) * -(-rows // first) <= -(-rows // -(-rows // 64))
    assert untilize(shape, DType.F32, 64) == (columns if kept else first) * 2 * DType.F32.tile_bytes


def test_the_side_of_a_row_block_takes_few_steps(monkeypatch: pytest.MonkeyPatch):
    asked: list[Any] = []
    bisect = tiles.bisect_left

    def counting(sides: range, wanted: bool, key: Any) -> int:
        return bisect(sides, wanted, key=lambda side: (asked.append(side), key(side))[1])

    monkeypatch.setattr(tiles, "bisect_left", counting)
    untilize((1, 1 << 40), DType.F32, 64)
    assert 0 < len(asked) < 100


def test_sizes_that_no_attribute_spells_are_an_error_of_the_model():
    with pytest.raises(CapacityError, match="too large to be compiled: 68719476736 does not fit i32"):
        ttstack.compile(CONVOLUTION)


def test_numbers_of_many_digits_are_no_numbers():
    assert [whole_number(text) for text in ("12", "9" * 18, "9" * 5000, "²", "٣", "-1", "", " 1")] == [
        12,
        10**18 - 1,
        *[None] * 6,
    ]


def test_complex_constants_of_onnx_are_refused_by_name(tmp_path: Any):
    value = numpy_helper.from_array(np.array([1, 2j], np.complex64))
    node = helper.make_node("Constant", [], ["y"], value=value)
    result = helper.make_tensor_value_info("y", TensorProto.COMPLEX64, [2])
    graph = helper.make_graph([node], "g", [], [result])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedOpError, match="complex"):
        ttstack.compile(tmp_path / "m.onnx")


class Empty(torch.nn.Module):
    """Has a constant without elements."""

    def __init__(self) -> None:
        super().__init__()
        self.none = torch.zeros(0, 4)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Append nothing."""
        return torch.cat([x, self.none]), self.none


def test_constants_without_elements_of_saved_exports(tmp_path: Any):
    path = tmp_path / "m.pt2"
    torch.export.save(torch.export.export(Empty(), (torch.ones(2, 4),)), path)
    outputs = ttstack.compile(path).run({"x": torch.ones(2, 4).numpy()}).outputs.values()
    assert [out.shape for out in outputs] == [(2, 4), (0, 4)]
