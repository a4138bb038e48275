"""Rows of convolutions and pools, with shapes as tt-metal spells them."""

from elementwise import like
from inexpressible import InexpressibleError
from layouts import dtype_of, fidelity_of, grid_of, layout_of
from rows import Row
from shapes import named, pick

from ttstack.cost import cheapest_matmul
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.device_op import DeviceOp
from ttstack.program.layout import Layout
from ttstack.system_desc import ChipDesc

_POSITIONS = ("n", "oc", "ic", "h", "w", "kh", "kw", "sh", "sw", "ph", "pw")
"""Of sweeps: batch, output and input channels, input, filter, stride, padding."""
_NAMES = {
    "n": ("n", "b", "batch", "batch_size"),
    "oc": ("oc", "co", "out_channels", "output_channels", "cout", "k_out", "filters"),
    "ic": ("ic", "ci", "c", "in_channels", "input_channels", "cin"),
    "h": ("h", "ih", "input_height", "input_h", "height"),
    "w": ("w", "iw", "input_width", "input_w", "width"),
    "kh": ("kh", "fh", "filter_height", "filter_h", "kernel_h", "k", "kernel", "filter"),
    "kw": ("kw", "fw", "filter_width", "filter_w", "kernel_w", "k", "kernel", "filter"),
    "sh": ("sh", "stride_h", "s", "stride"),
    "sw": ("sw", "stride_w", "s", "stride"),
    "ph": ("ph", "pad_h", "p", "pad", "padding"),
    "pw": ("pw", "pad_w", "p", "pad", "padding"),
    "groups": ("g", "groups"),
}
_DEFAULTS = {"n": 1, "sh": 1, "sw": 1, "ph": 0, "pw": 0, "groups": 1}


def _sizes(row: Row) -> dict[str, int]:
    given, numbers = named(row.shape), row.numbers()
    if not {"h", "ih", "input_height", "input_h", "height"} & given.keys() and len(numbers) >= len(_POSITIONS):
        return dict(zip(_POSITIONS, numbers, strict=False)) | {"groups": 1}
    if "h" in given and "w" not in given:
        given["w"] = given["h"]
    return {key: pick(given, names, _DEFAULTS.get(key)) for key, names in _NAMES.items()}


def conv_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A convolution of images, as the matrix product that the device makes of it."""
    x = _sizes(row)
    dtype, weights = dtype_of(row.dtypes[0]), dtype_of(row.dtypes[1] or row.dtypes[0])
    image = TensorType((x["n"], x["h"], x["w"], x["ic"]), dtype)
    weight = TensorType((x["oc"], x["ic"] // x["groups"], x["kh"], x["kw"]), weights)
    attributes = {"stride": (x["sh"], x["sw"]), "padding": (x["ph"], x["pw"]), "dilation": 1, "groups": x["groups"]}
    op = OPS["conv2d"].on([image, weight], attributes)
    grid = grid_of(row.grid, chip)
    out = layout_of(row.memory_layout.split(",")[0] or "L1 height", dtype, grid)
    source = out.interleaved(out.memory_space)
    kernel = Layout(weights, filters=True)
    fidelity = fidelity_of(row.fidelity, dtype, weights)
    found = cheapest_matmul(op, [source, kernel], out, grid, chip, chip.l1_usable_bytes, fidelity)
    if found is None:
        raise InexpressibleError("no blocks fit L1")
    return found


def pool_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A pool of images."""
    given = named(row.shape)
    x = _sizes(row) if given else dict(zip(("n", "ic", "h", "w", "kh", "kw", "sh", "sw"), row.numbers(), strict=False))
    name = "avg_pool2d" if "avg" in row.op.lower() else "max_pool2d"
    image = TensorType((x["n"], x["h"], x["w"], x["ic"]), DType.BF16)
    attributes = {
        "kernel": (x["kh"], x["kw"]),
        "stride": (x["sh"], x["sw"]),
        "padding": (x.get("ph", 0), x.get("pw", 0)),
        "dilation": 1,
        "ceil_mode": False,
    }
    return like(row, name, [image], attributes, chip)
