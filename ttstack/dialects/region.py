"""The MLIR form of a loop nest: maps, iterators and accesses as attributes, tile ops as a region."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ttstack.dialects.indexing_maps import map_attribute, read_map
from ttstack.dialects.tile import build_tile_op, read_tile_op, tile_type
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Iterator
from ttstack.ops.types import ElementType, TensorType, tile_shape

BOUND = "index_bound"
"""The attribute with the upper bound of operand 0, whose values index other operands."""

DOMAIN = "domain"
"""The extents of the loops, if maps do not imply them."""

_UNSEEN = -1
"""The extent of a loop that no map uses."""


def read_nest(op: ir.Operation) -> LoopNest:
    """Return the loop nest of a `generic` operation; raise `ValueError` if it is ill-formed."""
    types = nest_types(op)
    maps, iterators, access = (_list(op, n) for n in ("indexing_maps", "iterator_types", "access"))
    for name, given in (("indexing_maps", maps), ("access", access)):
        if len(given) != len(types):
            raise ValueError(f"has {len(given)} {name} for {len(types)} operands")
    ways = [Access(ir.StringAttr(a).value) for a in access]
    records = [replace(read_map(str(m)), access=way) for m, way in zip(maps, ways, strict=True)]
    return LoopNest(
        domain=_domain(op, types, records, len(iterators)),
        iterators=tuple(Iterator(ir.StringAttr(a).value) for a in iterators),
        inputs=tuple(records[:-1]),
        outputs=(records[-1],),
        body=_read_body(op.regions[0].blocks[0], len(types)),
        index_bound=ir.IntegerAttr(op.attributes[BOUND]).value if BOUND in op.attributes else None,
    )


def nest_types(op: ir.Operation) -> list[TensorType]:
    """Return the types that the maps index: inputs and destination in `ttir`, inputs and result in `ttnn`."""
    values = list(op.operands) if op.name.startswith("ttir.") else [*op.operands, *op.results]
    return [read_type(v.type) for v in values]


def nest_attributes(nest: LoopNest, types: Sequence[TensorType]) -> dict[str, ir.Attribute]:
    """Return all attributes of a nest over operands and a result of these types."""
    bound = nest.index_bound
    index = {} if bound is None else {BOUND: ir.IntegerAttr.get(ir.IntegerType.get_signless(64), bound)}
    said = any(m.terms for m in nest.maps) or _extents(types, nest.maps, len(nest.domain)) != nest.domain
    return {
        **index,
        **({DOMAIN: ir.DenseI64ArrayAttr.get(list(nest.domain))} if said else {}),
        "indexing_maps": ir.ArrayAttr.get([map_attribute(m, len(nest.domain)) for m in nest.maps]),
        "iterator_types": _strings(nest.iterators),
        "access": _strings(m.access for m in nest.maps),
    }


def build_region(op: ir.Operation, nest: LoopNest, dtypes: Sequence[ElementType]) -> None:
    """Build the region of a new `generic` operation, with these element types of inputs and result."""
    dialect, _, _ = op.name.partition(".")
    location = op.location
    tiles = [tile_type(d) for d in dtypes]
    block = ir.Block.create_at_start(op.regions[0], tiles, [location] * len(tiles))
    values: list[ir.Value] = list(block.arguments)
    formats = list(dtypes)
    with ir.InsertionPoint(block), location:
        for i, tile_op in enumerate(nest.body):
            last = i == len(nest.body) - 1
            dtype = dtypes[-1] if last else _tile_result(tile_op, [formats[a] for a in tile_op.args], dtypes[-1])
            values.append(build_tile_op(dialect, tile_op, [values[a] for a in tile_op.args], dtype))
            formats.append(dtype)
        ir.Operation.create(f"{dialect}.yield", operands=[values[-1]])


def check_nest(op: ir.Operation, nest: LoopNest) -> None:
    """Raise `ValueError` if maps do not fit the operands."""
    types = nest_types(op)
    if nest.index_bound is not None:
        _check_index(types[0], nest.index_bound)
    for i, (t, m) in enumerate(zip(types, nest.maps, strict=True)):
        _check_map(f"operand {i}", t, m, nest)


def _tile_result(tile_op: TileOp, operands: list[ElementType], default: ElementType) -> ElementType:
    spec, attributes = OPS.get(tile_op.name), dict(tile_op.attributes)
    if "dtype" in attributes:
        return attributes["dtype"]
    if spec is None or not issubclass(spec, Eltwise):
        return default
    return spec.on([TensorType((), d) for d in operands], attributes).results[0].dtype


def _read_body(block: ir.Block, count: int) -> tuple[TileOp, ...]:
    arguments = list(block.arguments)
    if len(arguments) != count:
        raise ValueError(f"the region has {len(arguments)} arguments for {count} operands")
    numbers: dict[ir.Value, int] = {value: i for i, value in enumerate(arguments)}
    body: list[TileOp] = []
    *ops, last = [op.operation for op in block.operations]
    for op in ops:
        body.append(read_tile_op(op, _numbers(op, numbers)))
        numbers[op.results[0]] = count + len(body) - 1
    if not last.name.endswith(".yield"):
        raise ValueError("the region does not end in ttir.yield")
    if not body or _numbers(last, numbers) != (count + len(body) - 1,):
        raise ValueError("ttir.yield does not give the result of the last tile op")
    return tuple(body)


def _numbers(op: ir.Operation, numbers: dict[ir.Value, int]) -> tuple[int, ...]:
    if any(v not in numbers for v in op.operands):
        raise ValueError(f"'{op.name}' uses a value from outside of the region")
    return tuple(numbers[v] for v in op.operands)


def _domain(op: ir.Operation, types: list[TensorType], maps: list[IndexingMap], loops: int) -> tuple[int, ...]:
    """Return the extents from the attribute, or of the operands that the loops index."""
    if DOMAIN in op.attributes:
        return tuple(ir.DenseI64ArrayAttr(op.attributes[DOMAIN]))
    return _extents(types, maps, loops)


def _extents(types: Sequence[TensorType], maps: Sequence[IndexingMap], loops: int) -> tuple[int, ...]:
    """Return the extent of each loop: that of the largest dimension that it indexes."""
    domain = [_UNSEEN] * loops
    for t, m in zip(types, maps, strict=True):
        for extent, loop in zip(tile_shape(t.shape), m.loops, strict=False):
            if loop is not None and loop < loops:
                domain[loop] = max(domain[loop], extent)
    return tuple(1 if extent == _UNSEEN else extent for extent in domain)


def _check_index(index: TensorType, bound: int) -> None:
    if index.dtype.is_float or bound < 1:
        raise ValueError(f"{BOUND} is {bound}, of operand 0, {index}: it bounds integers, and is at least 1")


def _check_map(name: str, t: TensorType, m: IndexingMap, nest: LoopNest) -> None:
    if len(m.loops) != t.rank:
        raise ValueError(f"{name} has rank {t.rank}, its map {len(m.loops)} results")
    if m.pick is not None:
        _check_pick(name, t, m, nest.index_bound)
    if nest.index_bound is not None and m.access in (Access.INDIRECT, Access.GATHER):
        return
    if m.terms:
        _check_terms(name, t, m, nest)
        return
    partly = m.access is Access.GATHER and m is not nest.outputs[-1]
    for d, (extent, loop) in enumerate(zip(tile_shape(t.shape), m.loops, strict=True)):
        want = 1 if loop is None else nest.domain[loop]
        if extent < want or (extent > want and not partly):
            raise ValueError(f"{name} has {extent} tiles along dimension {d}, its loop runs over {want}")


def _check_terms(name: str, t: TensorType, m: IndexingMap, nest: LoopNest) -> None:
    places = zip(tile_shape(t.shape), m.loops, m.terms, strict=True)
    for d, (extent, loop, term) in enumerate(places):
        first, last = term.reach(1 if loop is None else nest.domain[loop])
        if not 0 <= first <= last < extent:
            raise ValueError(f"{name} has {extent} tiles along dimension {d}, its map goes from {first} to {last}")


def _check_pick(name: str, t: TensorType, m: IndexingMap, bound: int | None) -> None:
    modulus = m.pick.modulus if m.pick else None
    if m.access is not Access.INDIRECT or bound is None:
        raise ValueError(
            f"{name} is gathered by an index, so its access must be '{Access.INDIRECT}' and the op needs {BOUND}"
        )
    if modulus is not None and t.shape[0] != modulus:
        raise ValueError(f"{name} has {t.shape[0]} slices, its map picks one of {modulus}")


def _strings(values: Iterable[object]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.StringAttr.get(str(v)) for v in values])


def _list(op: ir.Operation, name: str) -> list[ir.Attribute]:
    if name not in op.attributes:
        raise ValueError(f"requires attribute '{name}'")
    return list(ir.ArrayAttr(op.attributes[name]))
