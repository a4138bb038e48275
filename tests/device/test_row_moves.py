"""Circular buffers of kernels that move rows: bytes that `ttnn` 0.81.1 shows when it runs the calls on a mock n150."""

from typing import Any

import pytest

from tests.device.test_circular_buffers import BF16, CHIP, F32, placed
from ttstack.device.footprint import circular_buffers, footprint
from ttstack.device.layout import Layout

SHAPE = (3, 50, 40)
WIDE = (100, 300)


@pytest.mark.parametrize(
    ("name", "shape", "attributes", "bf16", "f32"),
    [
        ("permute", SHAPE, {"permutation": (2, 1, 0)}, 12288, 24576),
        ("permute", SHAPE, {"permutation": (1, 0, 2)}, 192, 320),
        ("permute", (2, 3, 4, 5, 64), {"permutation": (1, 2, 3, 0, 4)}, 256, 512),
        ("slice_static", SHAPE, {"begins": (0, 0, 4), "ends": (3, 50, 36), "step": (1, 1, 1)}, 4096, 8192),
        ("slice_static", SHAPE, {"begins": (1, 0, 0), "ends": SHAPE, "step": (1, 1, 1)}, 6144, 5120),
        ("slice_static", WIDE, {"begins": (0, 4), "ends": (100, 296), "step": (1, 1)}, 5120, 4864),
        ("slice_static", WIDE, {"begins": (0, 0), "ends": WIDE, "step": (1, 2)}, 1216, 2432),
        ("pad", SHAPE, {"padding": (0, 0, 0, 3, 0, 5), "value": 0.0}, 33792, 33792),
        ("pad", WIDE, {"padding": (1, 3, 2, 5), "value": 0.0}, 39936, 39424),
        ("repeat", SHAPE, {"repeat_dimensions": (2, 1, 1)}, 768, 1280),
        ("repeat", WIDE, {"repeat_dimensions": (1, 3)}, 14592, 28928),
        ("repeat", (2, 3, 4, 5, 64), {"repeat_dimensions": (2, 1, 1, 1, 1)}, 0, 0),
        ("reshape", WIDE, {"shape": (100, 2, 150)}, 0, 0),
    ],
)
def test_rows_that_are_moved(name: str, shape: tuple[int, ...], attributes: dict[str, Any], bf16: int, f32: int):
    for held, nbytes in ((BF16, bf16), (F32, f32)):
        rows = (Layout(held, tiled=False),) * 2
        op = placed(name, shape, held=held, layouts=rows, **attributes)
        assert circular_buffers(op, CHIP) == footprint(op, CHIP) == nbytes
