"""Rows of convolutions, pools and what comes before them."""

import math
import re
from dataclasses import replace

from images import sizes
from inexpressible import InexpressibleError
from layouts import dtype_of, fidelity_of, grid_of, layout_of, stated_layouts
from matmul import is_exact, stated_blocks
from placed import like
from rows import Row
from shapes import extents, named, pick, plain, results, tensors

from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.layout import Layout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType, tiles
from ttstack.placement.pricing import Pricing
from ttstack.system_desc import ChipDesc

_CORNERS = 4
"""Pixels around a point."""
_IMAGE_RANK = 4
_WIDEST = 8
"""No window of a table of matrices is as wide."""


def conv_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A convolution of images, sharded as its result where that fits."""
    x = _windows(row) or _flattened(row) or sizes(row)
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
    out = layout_of(_place(row), dtype_of(row.dtypes[2] or row.dtypes[0]), grid)
    given = replace(out, dtype=dtype)
    kernel = Layout(weights, filters=True)
    fidelity = Fidelity.HIFI4 if is_exact(row) else fidelity_of(row.fidelity, dtype, weights)
    for source in (given, given.interleave(given.memory_space), given.interleave(MemorySpace.DRAM)):
        found = Pricing(chip).fastest(DeviceOp(op, (source, kernel), (out,), grid, fidelity=fidelity), [grid])
        if found is not None:
            chosen = _whole(found.device_op) if is_exact(row) else found.device_op
            return stated_blocks(chosen, row.said.blocks | _block_height(row), chip)
    raise InexpressibleError("no blocks fit L1")


def _place(row: Row) -> str:
    """Where the result lies; shards whose memory is not stated are in L1, as all of a convolution are."""
    where = row.memory_layout.split(",")[0] or "height"
    return where if re.search(r"\b(dram|l1)(?![a-z])", where.lower()) else f"L1 {where}"


def _whole(chosen: DeviceOp) -> DeviceOp:
    """The convolution with all rows of a core in one block, as ttnn runs it where no height of blocks is asked for."""
    return replace(chosen, config=replace(chosen.config, out_block_h=None)) if chosen.config else chosen


def _block_height(row: Row) -> dict[str, int]:
    """The height of output blocks that the row states in elements, in tiles."""
    found = re.search(r"\bact_block_h (\d+)", row.memory_layout)
    return {"out_block_h": tiles(int(found[1]))} if found else {}


def _windows(row: Row) -> dict[str, int] | None:
    """A square image of as many pixels, windows and filters as the row gives the matrices of the product.

    The matrices count, where its channels are others. Windows of other channels are the least square.
    """
    found = re.search(r"\bwindows (\d+)x(\d+)x(\d+)", plain(row.shape))
    if found is None:
        return None
    pixels, deep, filters = (int(n) for n in found.groups())
    channels = pick(named(row.shape), ("in_channels",))
    squares = [side for side in range(2, _WIDEST) if deep % (side * side) == 0]
    own = [side for side in (1, *squares) if side * side * channels == deep]
    height = math.isqrt(pixels)
    if height * height != pixels or not (own or squares):
        raise InexpressibleError("the matrices of the windows are not of a square image")
    (side, *_), pad = own or squares, ((own or squares)[0] - 1) // 2
    extent = height + side - 1 - 2 * pad
    x = {"n": 1, "h": extent, "w": extent, "ic": deep // side**2, "oc": filters, "kh": side, "kw": side, "groups": 1}
    return x | {"dh": 1, "dw": 1, "sh": 1, "sw": 1, "ph": pad, "pw": pad}


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
