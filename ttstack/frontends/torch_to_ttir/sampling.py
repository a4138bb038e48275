"""Samples of volumes at real positions."""

from ttstack.dialects.ttir.build import reshape_to, slice_along
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.sampling import OPS, Interpolation, sample
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

_MODES = ("linear", "nearest", "cubic")
_PADDINGS = ("zeros", "border", "reflection")


@CONVERSIONS("grid_sampler_3d", to=f"{OPS} slice_static")
def _grid_sampler(call: TorchOp) -> ir.Value:
    """Gather the elements around each position, and add them by weights."""
    how = Interpolation(_MODES[call.integer(2)], _PADDINGS[call.integer(3)], corners=call.flag(4))
    return grid_sample(call.tensor(0), call.tensor(1), how, call.result.shape)


def grid_sample(x: ir.Value, grid: ir.Value, how: Interpolation, shape: tuple[int, ...]) -> ir.Value:
    """Return [N, C, sizes] at the positions of a grid [N, sizes, dimensions] from -1 to 1, the last dimension first."""
    batch, _, *sizes = read_type(x.type).shape
    *_, rank = read_type(grid.type).shape
    points = reshape_to(grid, (batch, read_type(grid.type).size // max(batch * rank, 1), rank))
    places = list[ir.Value]()
    for d, size in enumerate(sizes):
        line = slice_along(points, 2, rank - 1 - d, rank - d)
        places.append(how.place(reshape_to(line, read_type(line.type).shape[:2]), size))
    return reshape_to(sample(x, places, how), shape)
