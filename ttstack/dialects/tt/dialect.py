"""Types and attributes of the `tt` dialect."""

from types import new_class
from typing import Any

from ttstack.dialects.base import Dialect
from ttstack.mlir import ext, ir
from ttstack.ops.types import DType


class TT(Dialect, name="tt"):
    """Tiles, block formats, layouts, grids and the description of the device."""


class TileType(ext.Type, dialect=TT, name="tile"):
    """A tile of elements: `!tt.tile<[32, 32], bf16>`."""

    shape: ir.ArrayAttr
    element: Any


for _dtype in (dtype for dtype in DType if dtype.is_block):
    new_class(f"Bfp{_dtype.bits}Type", (ext.Type,), {"dialect": TT, "name": _dtype.value})


class GridAttr(ext.Attribute, dialect=TT, name="grid"):
    """Rows and columns of cores: `#tt.grid<[8, 8]>`."""

    shape: ir.ArrayAttr


class MemorySpaceAttr(ext.Attribute, dialect=TT, name="memory_space"):
    """`#tt.memory_space<"dram">`, `"l1"`, or `"system_memory"` of the host."""

    value: ir.StringAttr


class MemoryLayoutAttr(ext.Attribute, dialect=TT, name="memory_layout"):
    """`#tt.memory_layout<"interleaved">`, or height-, width- or block-sharded, or replicated."""

    value: ir.StringAttr


class LayoutAttr(ext.Attribute, dialect=TT, name="layout"):
    """The layout of a logical tensor on the device.

    The map goes from logical to physical dimensions (rows and columns of a matrix), the shard counts pages of the
    fullest core, and the element is a tile if tiled.
    """

    linear: ir.AffineMapAttr
    grid: GridAttr
    shard: ir.ArrayAttr
    element: Any
    memory_space: MemorySpaceAttr
    memory_layout: MemoryLayoutAttr


class TensorTrainAttr(ext.Attribute, dialect=TT, name="tensor_train"):
    """A table as a Tensor-Train: rows, columns, factors of both, ranks and element type, in a dictionary."""

    fields: ir.DictAttr


class SystemDescAttr(ext.Attribute, dialect=TT, name="system_desc"):
    """The device description: a dictionary of the fields of its YAML form."""

    fields: ir.DictAttr


for _name in (
    "argument_type",
    "arch",
    "attention_mask_type",
    "moe_activation",
    "operand_constraint",
    "reduce_type",
    "shard_direction",
    "shard_status",
    "shard_type",
):
    new_class(
        "".join(part.capitalize() for part in _name.split("_")) + "Attr",
        (ext.Attribute,),
        {"dialect": TT, "name": _name},
        lambda ns: ns.update(__annotations__={"value": ir.StringAttr}, __module__=__name__),
    )
