"""Rows of convolutions, pools and what comes before them."""

import math
from dataclasses import replace

from images import sizes
from inexpressible import InexpressibleError
from layouts import dtype_of, fidelity_of, grid_of, layout_of, stated_layouts
from matmul import stated_blocks
from placed import like
from rows import Row
from shapes import extents, named, pick, results, tensors

from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.placement.pricing import Pricing
from ttstack.system_desc import ChipDesc

_CORNERS = 4
"""Pixels around a point."""
_IMAGE_RANK = 4


def conv_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A convolution of images, sharded as its result where that fits."""
    x = _flattened(row) or sizes(row)
    dilation = row.said.dilation or (x["dh"], x["dw"])
    dtype, weights = dtype_of(row.dtypes[0]), dtype_of(row.dtypes[1] or row.dtypes[0])
    image = TensorType((x["n"], x["h"], x["w"], x["ic"]), dtype)
    weight = TensorType((x["oc"], x["ic"] // x["groups"], x["kh"], x["kw"]), weights)
    attributes = {
        "stride": (x["sh"], x["sw"]),
        "padding": (x["ph"], x["pw"]),
        "dilation": dilation,
        "groups": x["groups"],
    }
    op = OPS["conv2d"].on([image, weight], attributes)
    grid = grid_of(row.grid, chip)
    out = layout_of(row.memory_layout.split(",")[0] or "L1 height", dtype_of(row.dtypes[2] or row.dtypes[0]), grid)
    given = replace(out, dtype=dtype)
    kernel, fidelity = Layout(weights, filters=True), fidelity_of(row.fidelity, dtype, weights)
    for source in (given, given.interleave(given.memory_space), given.interleave(MemorySpace.DRAM)):
        found = Pricing(chip).fastest(DeviceOp(op, (source, kernel), (out,), grid, fidelity=fidelity), [grid])
        if found is not None:
            return stated_blocks(found.device_op, row.said.blocks, chip)
    raise InexpressibleError("no blocks fit L1")


def _flattened(row: Row) -> dict[str, int] | None:
    """Profilers list pixels by channels, then the filter as a matrix: an image of one column and the same work."""
    listed = [shape[-2:] for shape in extents(row.shape) if math.prod(shape[:-2]) == 1 and len(shape) > 1]
    if len(listed) < 2 or listed[1][0] % listed[0][1]:
        return None
    (pixels, channels), (deep, filters) = listed[:2]
    taps = deep // channels
    x = {"n": 1, "h": pixels, "w": 1, "ic": channels, "oc": filters, "kh": taps, "kw": 1, "groups": 1}
    return x | {"dh": 1, "dw": 1, "sh": 1, "sw": 1, "ph": taps // 2, "pw": 0}


def pool_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A pool of images; a global one where the row names no window."""
    name = "avg_pool2d" if "avg" in row.op.lower() else "max_pool2d"
    if "global" in row.op.lower():
        return like(row, "global_avg_pool2d", tensors(row)[:1], {}, chip)
    x = sizes(row, pooled=True)
    dilation = row.said.dilation or (x["dh"], x["dw"])
    image = TensorType((x["n"], x["h"], x["w"], x["ic"]), dtype_of(row.dtypes[0]))
    attributes = {
        "kernel": (x["kh"], x["kw"]),
        "stride": (x["sh"], x["sw"]),
        "padding": (x["ph"], x["pw"]),
        "dilation": dilation,
        "ceil_mode": False,
    }
    return like(row, name, [image], attributes, chip)


def upsample_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Images [N, H, W, C] enlarged by a factor, which the row names or its result shows."""
    images, made = tensors(row)[:1], results(row)
    shown = made[0].shape[1] // images[0].shape[1] if made and made[0].rank == images[0].rank == _IMAGE_RANK else 0
    factor = pick(named(f"{row.shape} {row.notes}"), ("scale", "factor", "scale_factor", "s"), shown)
    if factor < 1:
        raise InexpressibleError("the row does not say by which factor images are enlarged")
    return like(row, "upsample2d", images, {"scale_factor": factor}, chip)


def grid_sample_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Points between pixels of images [N, H, W, C]: no op of ours, but each is the lookup of four rows of pixels."""
    image, _ = tensors(row, least=2)[:2]
    points = sum(t.size for t in results(row)) // image.shape[-1]
    table = TensorType((image.size // image.shape[-1], image.shape[-1]), image.dtype)
    stated = stated_layouts(row.memory_layout)
    laid = (
        f"in0 DRAM, in1 {stated.get('in0', 'DRAM ROW_MAJOR')}, out {stated.get('out', 'DRAM').replace('ROW_MAJOR', '')}"
    )
    ids = TensorType((1, _CORNERS * points), DType.UI32)
    return like(replace(row, memory_layout=laid), "embedding", [ids, table], {}, chip)
