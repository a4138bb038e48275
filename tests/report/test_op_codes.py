"""Names of device operations, as `ttnn` 0.81.1 has them in its graphs and a profiler in its tables."""

from typing import Any

import pytest

from tests.device.test_circular_buffers import BF16, F32, WORKERS, placed
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.ops.indexing import Gather, Scatter
from ttstack.ops.types import DType, TensorType
from ttstack.report.op_codes import op_code

ORDER = {"dim": 1, "dtype": DType.UI16}
PLACES = TensorType((32, 8), DType.SI32)


@pytest.mark.parametrize(
    ("name", "shapes", "held", "attributes", "code"),
    [
        ("sort", [(32, 64)], BF16, ORDER, "SortDeviceOperation"),
        ("topk", [(32, 64)], BF16, {"k": 4} | ORDER, "TopKDeviceOperation"),
        ("repeat", [(1, 64)], BF16, {"repeat_dimensions": (4, 1)}, "RepeatCodegenDeviceOperation"),
        ("repeat", [(2, 1, 1, 1, 64)], BF16, {"repeat_dimensions": (1, 4, 1, 1, 1)}, "RepeatDeviceOperation"),
        ("sum", [(8, 64, 64)], BF16, {"dim_arg": (0,), "keep_dim": True}, "FastReduceNCDeviceOperation"),
        ("sum", [(8, 64, 64)], F32, {"dim_arg": (0,), "keep_dim": True}, "ReduceDeviceOperation"),
        ("prod", [(8, 64, 64)], BF16, {"dim_arg": (0,), "keep_dim": True}, "ProdNcDeviceOperation"),
        (
            "rotary_embedding",
            [(1, 4, 64, 64), (1, 1, 64, 64), (1, 1, 64, 64)],
            BF16,
            {},
            "RotaryEmbeddingHfDeviceOperation",
        ),
        ("rotary_embedding", [(1, 4, 1, 64), (1, 1, 1, 64), (1, 1, 1, 64)], BF16, {}, "RotaryEmbeddingDeviceOperation"),
        ("fill_cache", [(1, 4, 64, 64), (1, 4, 32, 64)], BF16, {"batch_offset": 0}, "UpdateKVCacheOperation"),
    ],
)
def test_codes(name: str, shapes: list[tuple[int, ...]], held: DType, attributes: dict[str, Any], code: str):
    assert op_code(placed(name, *shapes, held=held, **attributes)) == code


@pytest.mark.parametrize(("held", "code"), [(BF16, "GatherCodegenDeviceOperation"), (F32, "GatherDeviceOperation")])
def test_elements_by_index(held: DType, code: str):
    x, places = TensorType((32, 64), held), Layout(DType.SI32)
    gather = Gather(input=x, index=PLACES, dim=1)
    assert op_code(DeviceOp(gather, (Layout(held), places), (Layout(held),), WORKERS)) == code
    scatter = Scatter(input=x, index=PLACES, source=x.with_shape(PLACES.shape), dim=1)
    put = DeviceOp(scatter, (Layout(held), places, Layout(held)), (Layout(held),), WORKERS)
    assert op_code(put) == "ScatterDeviceOperation"


@pytest.mark.parametrize(
    ("shape", "held", "code"),
    [
        ((64, 64), BF16, "UntilizeCodegenDeviceOperation"),
        ((64, 64), F32, "UntilizeDeviceOperation"),
        ((64, 8192), BF16, "UntilizeDeviceOperation"),
        ((64, 50), BF16, "UntilizeWithUnpaddingDeviceOperation"),
    ],
)
def test_rows_out_of_tiles(shape: tuple[int, ...], held: DType, code: str):
    layouts = (Layout(held), Layout(held, tiled=False))
    assert op_code(placed("to_layout", shape, held=held, layouts=layouts)) == code
