"""The registry of tile ops: operands, the unit and rate of each, and whether it reduces.

Elementwise ops and reductions register theirs where they are defined, under their own names. The dialect's `tile_*`
ops, the runtime's regions and the cost model are derived from these entries.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from enum import StrEnum

from ttstack.ops.attributes import Attribute, Spelling
from ttstack.support.suggestion import closest


class Unit(StrEnum):
    """The unit of a core that runs a tile op."""

    MATRIX = "matrix"
    VECTOR = "vector"


class Rate(StrEnum):
    """The field of a device description with the cycles per tile."""

    PRODUCT = "matrix.matmul_cycles_per_tile"
    MULTIPLY = "matrix.multiply_cycles_per_tile"
    ADD = "matrix.eltwise_cycles_per_tile"
    REDUCE = "matrix.reduce_cycles_per_tile"
    REDUCE_MAX = "matrix.reduce_max_cycles_per_tile"
    COPY = "matrix.copy_cycles_per_tile"
    FUNCTION = "vector.cycles_per_tile"
    """By name of the tile op; `vector.default_cycles_per_tile` if the table does not have it."""

    @property
    def unit(self) -> Unit:
        """The unit whose rate it is."""
        return Unit(self.value.partition(".")[0])


@dataclass(frozen=True)
class TileOpSpec:
    """One tile op: `ttir.tile_<name>` in MLIR."""

    name: str
    arity: int
    """Number of input tiles, without the accumulator of a reducing op."""
    meaning: str
    """The op whose kernel computes the same on whole arrays; empty if only regions define it."""
    doc: str
    rate: Rate = Rate.FUNCTION
    reduces: bool = False
    """Whether it reduces over reduction loops; the accumulator can be its last operand."""
    scans: bool = False
    """Whether it computes a running sum along a reduction loop."""
    optional: bool = False
    """Whether one more operand may follow."""
    typed: bool = False
    """Whether its result has a declared element type, the attribute `dtype` of the record."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute], compare=False)


TILE_OPS: dict[str, TileOpSpec] = {}
"""Every tile op by name."""


def register(spec: TileOpSpec) -> None:
    """Add a tile op; raise `ValueError` if the name is already defined."""
    if spec.name in TILE_OPS:
        raise ValueError(f"tile op '{spec.name}' is already defined")
    TILE_OPS[spec.name] = spec


def tile_op(name: str) -> TileOpSpec:
    """Return the tile op of that name; raise `ValueError` with the closest name if there is none."""
    if name not in TILE_OPS:
        close = closest(name, TILE_OPS)
        raise ValueError(f"there is no tile op '{name}'{f', perhaps {close}' if close else ''}")
    return TILE_OPS[name]


def _number(name: str) -> Attribute:
    return Attribute(name, Spelling("number", "f64"), MISSING)


OVER: Mapping[str, Attribute] = {"loops": Attribute("loops", Spelling("dense", "i64"), None)}
"""The reduction loops of a tile op; all of them if absent."""


for _spec in (
    TileOpSpec("fill", 0, "", "A tile of one value.", Rate.COPY, attributes={"value": _number("value")}),
    TileOpSpec(
        "iota",
        0,
        "",
        "`start + step * i` for the elements `i` along the loop `along`.",
        Rate.COPY,
        attributes={name: Attribute(name, Spelling("integer", "i64"), MISSING) for name in ("start", "step", "along")},
        typed=True,
    ),
    TileOpSpec("rand", 0, "", "A tile of samples."),
    TileOpSpec("exp_approx", 1, "exp", "e to the power, as softmax takes it."),
    TileOpSpec("copy", 1, "", "The tile as it is.", Rate.COPY),
    TileOpSpec("round", 1, "", "The nearest whole number, the even one of two."),
    TileOpSpec("transpose", 1, "", "Swap rows and columns of a tile.", Rate.COPY),
    TileOpSpec(
        "matmul", 2, "matmul", "Multiply two tiles onto the accumulator.", Rate.PRODUCT, reduces=True, attributes=OVER
    ),
):
    register(_spec)
