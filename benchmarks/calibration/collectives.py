"""Rows of what the chips of a ring or a line exchange."""

import re
from typing import Any

from exchanges import stated_us
from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from layouts import dtype_of, grid_of, layout_of
from rows import Row
from shapes import named, refuse_prose, tensors

from ttstack.cost import predict
from ttstack.cost.confidence import confidence
from ttstack.cost.measured_class import measured_keys
from ttstack.cost.roofline import roofline
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Layout
from ttstack.ops import OPS
from ttstack.ops.types import TILE, TensorType
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.system import LinkDesc

_CHIPS = (("n300", 2), ("t3", 8), ("llmbox", 8), ("loudbox", 8), ("quietbox", 8), ("galaxy", 8), ("tg", 8), ("6u", 8))
_OPS = (
    (r"reduce_?scatter", "reduce_scatter"),
    (r"all_?reduce", "all_reduce"),
    (r"all_?gather|broadcast", "all_gather"),
    (r"all_?to_?all$", "all_to_all"),
)


def collective_row(row: Row) -> Expressed:
    """A gather, scatter or reduction, over all links that the row gives each pair of neighbours."""
    words = row.op.lower()
    refuse_prose(row)
    count, ring, links = _ring(row)
    name = next((name for pattern, name in _OPS if re.search(pattern, words)), None)
    if name is None:
        raise InexpressibleError(f"no collective of ours is {row.op!r}")
    given, made = _types(row, name, count)
    op = OPS[name].on([given], _attributes(name, given, made, count), made)

    def forecast(chip: ChipDesc) -> Forecast:
        laid = _layout(row, chip)
        placed = DeviceOp(op, (laid,), (laid,), grid_of(row.grid, chip), Spread.FLAT)
        cost = predict(placed, chip, _system(chip, count, ring=ring, links=links))
        said, alike = confidence(placed, cost, chip), measured_keys(placed, cost)
        us, least = cost.total_ns / 1e3, roofline(placed, chip) / 1e3
        between = said.interval if said.skewed else None
        return Forecast(us, least, cost.largest_term, stated_error=said.error, stated_interval=between, alike=alike)

    moved = max(_bytes(row, t) for t in (given, made))
    return Expressed(row, "collective", stated_us(row, moved), forecast)


def _attributes(name: str, given: TensorType, made: TensorType, count: int) -> dict[str, Any]:
    match name:
        case "all_gather":
            return {"cluster_axis": 1, "all_gather_dim": _along(given, made)}
        case "reduce_scatter":
            return {"cluster_axis": 1, "reduce_type": "sum", "scatter_dim": _along(given, made)}
        case "all_to_all":
            last = given.rank - 1
            groups = (tuple(range(count)),)
            return {"split_dim": last, "concat_dim": last, "split_count": count, "replica_groups": groups}
        case _:
            return {"cluster_axis": 1, "reduce_type": "sum"}


def _along(given: TensorType, made: TensorType) -> int:
    """The dimension in which operand and result differ, or the last."""
    pairs = enumerate(zip(given.shape, made.shape, strict=True))
    return next((i for i, (a, b) in pairs if a != b), given.rank - 1)


def _bytes(row: Row, t: TensorType) -> float:
    return Layout(dtype_of(row.dtypes[0])).nbytes(t)


def _layout(row: Row, chip: ChipDesc) -> Layout:
    laid = layout_of(row.memory_layout.split(",")[0], dtype_of(row.dtypes[0]), grid_of(row.grid, chip))
    return laid.interleave(laid.memory_space)


def _types(row: Row, name: str, count: int) -> tuple[TensorType, TensorType]:
    """Operand and result of one chip: two shapes, or the operand's where the row does not call it the output.

    Bytes that nccl-tests defines are those of a gather's result.

    Scatters list the buffers of both directions, which are no smaller than the operand.
    """
    listed = tensors(row)
    buffers = name == "reduce_scatter" and len(listed) > 1 and listed[1].size >= listed[0].size
    if len(listed) > 1 and listed[0].rank == listed[1].rank and not buffers:
        return listed[0], listed[1]
    t, along = listed[0], listed[0].shape[-1]
    if name in ("all_reduce", "all_to_all"):
        return t, t
    whole = name == "all_gather" and re.search("out|nccl-tests", f"{row.shape} {row.notes}".lower())
    factor = count if name == "all_gather" and not whole else 1 / count
    other = t.with_shape((*t.shape[:-1], max(int(along * factor), TILE)))
    return (other, t) if whole else (t, other)


def _ring(row: Row) -> tuple[int, bool, int]:
    """Chips that take part, whether they form a ring, and links between neighbours."""
    words = f"{row.op} {row.shape} {row.notes} {row.grid} {row.table}"
    sizes = named(words)
    chips = next(
        (sizes[name] for name in ("devices", "chips", "num_devices", "num_chips", "ring_size") if name in sizes), None
    )
    if chips is None:
        chips = _gathered(row)
    if chips is None:
        chips = next((count for name, count in _CHIPS if name in row.board.lower()), None)
    if chips is None or chips < 2:
        raise InexpressibleError("the row does not say how many chips take part")
    line, ring = (re.search(rf"\b{shape}\b", words.lower()) for shape in ("line(?:ar)?", "ring"))
    if line and ring:
        raise InexpressibleError(f"the row says both {line[0]!r} and {ring[0]!r}")
    return chips, line is None, sizes.get("links", sizes.get("num_links", 1))


def _gathered(row: Row) -> int | None:
    """Chips by how much larger the result of a gather is than what each brings."""
    listed = tensors(row)
    if "gather" not in row.op.lower() or len(listed) < 2 or listed[1].size <= listed[0].size:
        return None
    return listed[1].size // listed[0].size


def _system(chip: ChipDesc, count: int, *, ring: bool, links: int) -> SystemDesc:
    pairs = [(i, i + 1) for i in range(count - 1)] + ([(count - 1, 0)] if ring and count > 2 else [])
    joined = tuple(LinkDesc(from_chip=a, to_chip=b, channels=links) for a, b in pairs)
    chips = (chip,) * count  # a description that was checked when it was loaded
    return SystemDesc.model_construct(name="neighbours", chips=chips, mesh_shape=(1, count), links=joined)
