"""`ttir.generic`: the dispatch of one computation on a grid of cores, and its region's `ttir.yield`."""

from collections.abc import Sequence
from typing import Any

from ttstack.dialects.base import SEGMENTS, Verified, operand_annotations, segments
from ttstack.dialects.ttir.dialect import TTIR
from ttstack.dialects.ttir.indexing_maps import map_attribute, read_map
from ttstack.dialects.ttir.tile import build_tile_op, read_tile, read_tile_op, tile_type
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import ext, ir
from ttstack.ops.base import MAX_VARIADIC, OPS
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Iterator
from ttstack.ops.types import ElementType, TensorType, tile_shape

BOUND = "index_bound"
"""The symbol of the maps that pick by the values of operand 0: what these are below."""

_UNSEEN = -1
"""The extent of a loop that no map has named yet."""


class YieldOp(Verified, dialect=TTIR, name="yield", traits=[ir.IsTerminatorTrait]):
    """The tiles that an iteration gives."""

    value: ext.Operand[Any]

    def check(self) -> None:
        """The value is a tile."""
        read_tile(self.operation.operands[0].type)


class GenericOp(Verified, dialect=TTIR, name="generic", traits=[ext.Pure]):
    """Loops over tiles: inputs and a destination, a map and an access for each, and a region on tiles."""

    __annotations__ = {
        **operand_annotations(MAX_VARIADIC),
        "result": ext.Result[ir.RankedTensorType],
        "body": ext.Region,
    }

    def check(self) -> None:
        """Maps, accesses and block arguments fit the operands; loops have one extent."""
        operation = self.operation
        types = [read_type(v.type) for v in operation.operands]
        dispatch = read_generic(operation)
        if read_type(operation.results[0].type) != types[-1]:
            raise ValueError(f"result is {read_type(operation.results[0].type)}, its destination {types[-1]}")
        if dispatch.index_bound is not None:
            _check_index(types[0], dispatch.index_bound)
        for i, (t, m) in enumerate(zip(types, dispatch.maps, strict=True)):
            _check_map(f"operand {i}", t, m, dispatch)


def read_generic(op: Any) -> LoopNest:
    """The record of a `ttir.generic` operation; raises `ValueError` where it is ill-formed."""
    types = [read_type(v.type) for v in op.operands]
    maps, iterators, access = (_list(op, n) for n in ("indexing_maps", "iterator_types", "access"))
    for name, given in (("indexing_maps", maps), ("access", access)):
        if len(given) != len(types):
            raise ValueError(f"has {len(given)} {name} for {len(types)} operands")
    read = [read_map(str(m)) for m in maps]
    loops = [x for x, _ in read]
    records = [IndexingMap(x, Access(ir.StringAttr(a).value), pick) for (x, pick), a in zip(read, access, strict=True)]
    return LoopNest(
        domain=_domain(types, loops, len(iterators)),
        iterators=tuple(Iterator(ir.StringAttr(a).value) for a in iterators),
        inputs=tuple(records[:-1]),
        outputs=(records[-1],),
        body=_read_body(op.regions[0].blocks[0], len(types)),
        index_bound=_bound(op),
    )


def build_generic(dispatch: LoopNest, inputs: Sequence[ir.Value], out: TensorType) -> ir.Value:
    """A `ttir.generic` at the current insertion point."""
    result = tensor_type(out)
    destination = ir.Operation.create("ttir.empty", results=[result]).results[0]
    operands = [*inputs, destination]
    op = ir.Operation.create(
        "ttir.generic",
        results=[result],
        operands=operands,
        attributes=_index_attributes(dispatch)
        | {
            "indexing_maps": ir.ArrayAttr.get([map_attribute(m, len(dispatch.domain)) for m in dispatch.maps]),
            "iterator_types": _strings(dispatch.iterators),
            "access": _strings(m.access for m in dispatch.maps),
            SEGMENTS: ir.DenseI32ArrayAttr.get(segments("generic", [True] * len(operands)) or []),
        },
        regions=1,
    )
    _build_body(op, dispatch, [read_type(v.type).dtype for v in operands])
    return op.results[0]


def _build_body(op: Any, dispatch: LoopNest, dtypes: list[ElementType]) -> None:
    location = op.location
    tiles = [tile_type(d) for d in dtypes]
    block = ir.Block.create_at_start(op.regions[0], tiles, [location] * len(tiles))
    values: list[ir.Value] = list(block.arguments)
    formats = list(dtypes)
    with ir.InsertionPoint(block), location:
        for i, tile_op in enumerate(dispatch.body):
            last = i == len(dispatch.body) - 1
            dtype = dtypes[-1] if last else _tile_result(tile_op, [formats[a] for a in tile_op.args], dtypes[-1])
            values.append(build_tile_op(tile_op, [values[a] for a in tile_op.args], dtype))
            formats.append(dtype)
        ir.Operation.create("ttir.yield", operands=[values[-1]])


def _tile_result(tile_op: TileOp, operands: list[ElementType], default: ElementType) -> ElementType:
    spec, attributes = OPS.get(tile_op.name), dict(tile_op.attributes)
    if "dtype" in attributes:
        return attributes["dtype"]
    if spec is None or not issubclass(spec, Eltwise):
        return default
    return spec.on([TensorType((), d) for d in operands], attributes).results[0].dtype


def _read_body(block: Any, count: int) -> tuple[Any, ...]:
    arguments = list(block.arguments)
    if len(arguments) != count:
        raise ValueError(f"the region has {len(arguments)} arguments for {count} operands")
    numbers: dict[Any, int] = {value: i for i, value in enumerate(arguments)}
    body = []
    *ops, last = list(block.operations)
    for op in ops:
        body.append(read_tile_op(op, _numbers(op, numbers)))
        numbers[op.results[0]] = count + len(body) - 1
    if last.name != "ttir.yield":
        raise ValueError("the region does not end in ttir.yield")
    if not body or _numbers(last, numbers) != (count + len(body) - 1,):
        raise ValueError("ttir.yield does not give the result of the last tile op")
    return tuple(body)


def _numbers(op: Any, numbers: dict[Any, int]) -> tuple[int, ...]:
    if any(v not in numbers for v in op.operands):
        raise ValueError(f"'{op.name}' uses a value from outside of the region")
    return tuple(numbers[v] for v in op.operands)


def _domain(types: list[TensorType], maps: list[tuple[int | None, ...]], loops: int) -> tuple[int, ...]:
    domain = [_UNSEEN] * loops
    for t, m in zip(types, maps, strict=True):
        for extent, loop in zip(tile_shape(t.shape), m, strict=False):
            if loop is not None and loop < loops:
                domain[loop] = max(domain[loop], extent)
    return tuple(1 if extent == _UNSEEN else extent for extent in domain)


def _bound(op: Any) -> int | None:
    return ir.IntegerAttr(op.attributes[BOUND]).value if BOUND in op.attributes else None


def _index_attributes(dispatch: LoopNest) -> dict[str, ir.Attribute]:
    bound = dispatch.index_bound
    return {} if bound is None else {BOUND: ir.IntegerAttr.get(ir.IntegerType.get_signless(64), bound)}


def _check_index(index: TensorType, bound: int) -> None:
    if index.dtype.is_float or bound < 1:
        raise ValueError(f"{BOUND} is {bound}, of operand 0, {index}: it bounds integers, and is at least 1")


def _check_map(name: str, t: TensorType, m: IndexingMap, dispatch: LoopNest) -> None:
    if len(m.loops) != t.rank:
        raise ValueError(f"{name} has rank {t.rank}, its map {len(m.loops)} results")
    if m.pick is not None:
        _check_pick(name, t, m, dispatch.index_bound)
    if dispatch.index_bound is not None and m.access in (Access.INDIRECT, Access.GATHER):
        return
    for d, (extent, loop) in enumerate(zip(tile_shape(t.shape), m.loops, strict=True)):
        want = 1 if loop is None else dispatch.domain[loop]
        if extent != want:
            raise ValueError(f"{name} has {extent} tiles along dimension {d}, its loop runs over {want}")


def _check_pick(name: str, t: TensorType, m: IndexingMap, bound: int | None) -> None:
    modulus = m.pick.modulus if m.pick else None
    if m.access is not Access.INDIRECT or bound is None:
        raise ValueError(f"{name} is picked by an index: its access is '{Access.INDIRECT}', and there is an {BOUND}")
    if modulus is not None and t.shape[0] != modulus:
        raise ValueError(f"{name} has {t.shape[0]} slices, its map picks one of {modulus}")


def _strings(values: Any) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.StringAttr.get(str(v)) for v in values])


def _list(op: Any, name: str) -> list[Any]:
    if name not in op.attributes:
        raise ValueError(f"requires attribute '{name}'")
    return list(ir.ArrayAttr(op.attributes[name]))
