"""Conversion between `#tt.layout` and the layout record."""

import math

from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.dialects.equal_ops import ask_about
from ttstack.dialects.types import read_dtype, spelling
from ttstack.mlir import ir
from ttstack.ops.types import TILE, TensorType


def layout_attribute(layout: Layout, t: TensorType) -> ir.Attribute:
    """Return the attribute of the layout of `t`."""
    grid = layout.grid or Grid(1, 1)
    element = spelling(layout.dtype)
    if layout.tiled:
        element = f"!tt.tile<[{TILE}, {TILE}], {element}>"
    return ir.Attribute.parse(
        f"#tt.layout<{_linear_map(t, layout)}, #tt.grid<[{grid.rows}, {grid.cols}]>, {list(layout.shard(t))}, "
        f'{element}, #tt.memory_space<"{layout.memory_space}">, #tt.memory_layout<"{layout.memory_layout}">>'
    )


def read_layout(attribute: ir.Attribute) -> Layout:
    """Return the layout of a `#tt.layout`; raise `ValueError` if it is something else or ill-formed."""
    return ask_about(_read_layout, attribute)


def _read_layout(attribute: ir.Attribute) -> Layout:
    if not str(attribute).startswith("#tt.layout<"):
        raise ValueError(f"encoding {attribute} is not a #tt.layout")
    linear, grid, _, element, space, spread = ir.DynamicAttr(attribute).params
    element = ir.TypeAttr(element).value
    tiled = str(element).startswith("!tt.tile")
    if tiled:
        element = ir.TypeAttr(ir.DynamicType(element).params[1]).value
    memory_layout = MemoryLayout(_string(spread))
    rows, cols = read_grid(grid)
    return Layout(
        dtype=read_dtype(element),
        tiled=tiled,
        memory_space=MemorySpace(_string(space)),
        memory_layout=memory_layout,
        grid=Grid(rows, cols) if memory_layout.takes_grid else None,
        filters=_is_filters(linear),
    )


def grid_attribute(grid: Grid) -> ir.Attribute:
    """Return `#tt.grid<[rows, cols]>`."""
    return ir.Attribute.parse(f"#tt.grid<[{grid.rows}, {grid.cols}]>")


def read_grid(attribute: ir.Attribute) -> tuple[int, int]:
    """Return rows and columns of a `#tt.grid`."""
    rows, cols = (ir.IntegerAttr(a).value for a in ir.ArrayAttr(ir.DynamicAttr(attribute).params[0]))
    return rows, cols


def _string(attribute: ir.Attribute) -> str:
    return ir.StringAttr(ir.DynamicAttr(attribute).params[0]).value


def _is_filters(linear: ir.Attribute) -> bool:
    """Return True if the first of several dimensions is the column."""
    dims, _, results = str(linear).partition("->")
    return "," in dims and results.rstrip(")> ").rpartition(",")[2].strip() == "d0"


def _linear_map(t: TensorType, layout: Layout) -> str:
    """Return the map from logical dimensions to (row, column): leading dimensions stack as rows, padded to tiles."""
    names = [f"d{i}" for i in range(t.rank)]
    if layout.filters and t.rank > 1:
        rows = " + ".join(f"{n} * {math.prod(t.shape[i + 2 :])}" for i, n in enumerate(names[1:]))
        return f"affine_map<({', '.join(names)}) -> ({rows}, d0)>"
    column = names[-1] if names else "0"
    stride, terms = 1, []
    for i in reversed(range(t.rank - 1)):
        terms.append(names[i] if stride == 1 else f"{names[i]} * {stride}")
        extent = t.shape[i]
        padded = i == t.rank - 2 and layout.tiled
        stride *= -(-extent // TILE) * TILE if padded else extent
    return f"affine_map<({', '.join(names)}) -> ({' + '.join(reversed(terms)) or '0'}, {column})>"
