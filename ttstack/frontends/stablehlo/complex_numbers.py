"""StableHLO functions on complex numbers as functions on pairs of reals.

Each complex value becomes its real and its imaginary part. Arguments and results are pairs of reals along one more
dimension at the end, which the signature records.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.elements import elements_attribute, read_complex_constant
from ttstack.dialects.functions import only_block, refresh_signature
from ttstack.dialects.location import read_location
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo.complex_arithmetic import ELEMENTWISE, Parts, absolute, apply, compare, create, splat
from ttstack.frontends.stablehlo_to_ttir.fourier import build_transform
from ttstack.frontends.unsupported import unsupported_error
from ttstack.mlir import func, ir

_PREFIX, _CONSTANT = "stablehlo.", "stablehlo.constant"
_MOVES = """all_gather all_to_all broadcast broadcast_in_dim collective_broadcast collective_permute concatenate
    custom_call dynamic_slice dynamic_update_slice gather pad reshape reverse select slice transpose"""
"""Ops that treat both parts alike: they move elements, or select some."""
_LINEAR = ("add", "subtract", "negate", "return")
"""Ops in the regions of reductions and scatters that treat both parts alike."""
_BILINEAR = ("dot_general", "convolution")
_WITH_REGIONS = ("reduce", "reduce_window", "scatter", "all_reduce", "reduce_scatter")


def is_complex(t: ir.Type) -> bool:
    """Return True for tensors of complex numbers."""
    return isinstance(t, ir.RankedTensorType) and isinstance(t.element_type, ir.ComplexType)


class ComplexSignature(NamedTuple):
    """For each argument and each result of a function whether it is complex."""

    arguments: Sequence[bool]
    results: Sequence[bool]


def split_complex(function: func.FuncOp) -> ComplexSignature:
    """Replace complex numbers of a function by pairs of reals, in place.

    Args:
        function: A function without control flow, after `write_constants_as_parts`.

    Returns:
        The signature before.

    Raises:
        UnsupportedOpError: lists all ops that have no form on pairs of reals.
    """
    arguments = [is_complex(t) for t in function.type.inputs]
    results = [is_complex(t) for t in function.type.results]
    ops = [op.operation for op in only_block(function).operations]
    if any(arguments) or any(is_complex(v.type) for op in ops for v in op.results):
        _Splitter(function).run(ops)
    return ComplexSignature(arguments, results)


def part_type(t: ir.Type, *more: int) -> ir.RankedTensorType:
    """Return the type of both parts of a complex tensor, or of pairs with more dimensions at the end."""
    tensor = ir.RankedTensorType(t)
    element = tensor.element_type
    real = ir.ComplexType(element).element_type if isinstance(element, ir.ComplexType) else element
    return ir.RankedTensorType.get([*tensor.shape, *more], real)


class _Splitter:
    """The parts of all complex values of one function."""

    def __init__(self, function: func.FuncOp) -> None:
        self._function = function
        self._parts: dict[ir.Value, Parts] = {}
        self._unknown, self._first = Counter[str](), dict[str, str]()
        self._rules: Mapping[str, Callable[[ir.Operation], Sequence[ir.Value | Parts] | None]] = {
            "complex": lambda op: [Parts(*op.operands)],
            "real": lambda op: [self._both(op.operands[0]).re],
            "imag": lambda op: [self._both(op.operands[0]).im],
            "abs": lambda op: [absolute(self._both(op.operands[0]))],
            "convert": self._convert,
            "compare": self._compare,
            "fft": self._fft,
            **dict.fromkeys(_MOVES.split(), self._alike),
            **dict.fromkeys(ELEMENTWISE, self._elementwise),
            **dict.fromkeys(_BILINEAR, self._product),
            **dict.fromkeys(_WITH_REGIONS, self._with_region),
        }

    def run(self, ops: Sequence[ir.Operation]) -> None:
        """Replace all complex values; `ops` are those of the function in order."""
        block = only_block(self._function)
        with ir.InsertionPoint.at_block_begin(block):
            for argument in filter(lambda a: is_complex(a.type), block.arguments):
                argument.set_type(part_type(argument.type, 2))
                with argument.location:
                    self._parts[argument] = _from_pairs(argument)
        *inner, last = ops
        dead = [op for op in inner if self._replace(op)]
        if self._unknown:
            reasons = dict.fromkeys(self._unknown, "it has no form on pairs of real numbers")
            raise unsupported_error(self._unknown, self._first, reasons=reasons)
        with insert_before(last), last.location:
            for i, value in enumerate(last.operands):
                if value in self._parts:
                    last.operands[i] = _to_pairs(self._parts[value])
        for op in reversed(dead):
            op.erase()
        refresh_signature(self._function)

    def _replace(self, op: ir.Operation) -> bool:
        """Compute the results of an op from parts; return False if it has no complex values."""
        if not any(v in self._parts for v in op.operands) and not any(is_complex(v.type) for v in op.results):
            return False
        rule = self._rules.get(op.name.removeprefix(_PREFIX)) if op.name.startswith(_PREFIX) else None
        with insert_before(op), op.location:
            found = None if rule is None else rule(op)
        if found is None or len(found) != len(op.results):
            self._unknown[op.name] += 1
            self._first.setdefault(op.name, read_location(op.location))
            found = [Parts(r, r) for r in op.results]
        for result, value in zip(op.results, found, strict=True):
            if isinstance(value, Parts):
                self._parts[result] = value
            else:
                result.replace_all_uses_with(value)
        return True

    def _both(self, value: ir.Value) -> Parts:
        """Return the parts of a value; a real one has no imaginary part."""
        return self._parts[value] if value in self._parts else Parts(value, splat(0.0, value))

    def _alike(self, op: ir.Operation) -> list[Parts]:
        clones = [self._clone(op, part).results for part in range(2)]
        return [Parts(*values) for values in zip(*clones, strict=True)]

    def _clone(self, op: ir.Operation, part: int) -> ir.Operation:
        """Clone an op on one part of its operands, with results and regions of real numbers."""
        operands = [self._parts[v][part] if v in self._parts else v for v in op.operands]
        attributes = {name: op.attributes[name] for name in op.attributes}
        types = [part_type(r.type) for r in op.results]
        made = ir.Operation.create(op.name, types, operands, attributes, regions=len(op.regions))
        for region, source in zip(made.regions, op.regions, strict=True):
            _copy_region(region, source)
        return made

    def _convert(self, op: ir.Operation) -> list[ir.Value | Parts]:
        t, value = part_type(op.results[0].type), op.operands[0]
        re, im = (create("convert", [p], t) for p in self._parts.get(value, (value, value)))
        if not is_complex(op.results[0].type):
            return [re]
        return [Parts(re, im if value in self._parts else splat(0.0, re))]

    def _compare(self, op: ir.Operation) -> list[ir.Value] | None:
        word = str(op.attributes["comparison_direction"])
        direction = "EQ" if "EQ" in word else "NE"
        if direction not in word:
            return None
        x, y = map(self._both, op.operands)
        return [
            apply("and" if direction == "EQ" else "or", compare(direction, x.re, y.re), compare(direction, x.im, y.im))
        ]

    def _elementwise(self, op: ir.Operation) -> list[Parts]:
        return [ELEMENTWISE[op.name.removeprefix(_PREFIX)](*map(self._both, op.operands))]

    def _product(self, op: ir.Operation) -> list[Parts]:
        x, y = map(self._both, op.operands)

        def product(a: ir.Value, b: ir.Value) -> ir.Value:
            attributes = {name: op.attributes[name] for name in op.attributes}
            return ir.Operation.create(op.name, [part_type(op.results[0].type)], [a, b], attributes).results[0]

        re = apply("subtract", product(x.re, y.re), product(x.im, y.im))
        return [Parts(re, apply("add", product(x.re, y.im), product(x.im, y.re)))]

    def _with_region(self, op: ir.Operation) -> list[Parts] | None:
        (region,) = op.regions
        names = [inner.operation.name for inner in region.blocks[0].operations]
        return self._alike(op) if all(name.removeprefix(_PREFIX) in _LINEAR for name in names) else None

    def _fft(self, op: ir.Operation) -> list[ir.Value | Parts]:
        value = op.operands[0]
        re, im = self._parts.get(value, (value, None))
        lengths = [int(n) for n in ir.DenseI64ArrayAttr(op.attributes["fft_length"])]
        found = build_transform(str(op.attributes["fft_type"]), re, im, lengths)
        return [found[0] if len(found) == 1 else Parts(*found)]


def _copy_region(target: ir.Region, source: ir.Region) -> None:
    """Copy a region of one block, with the parts of complex types."""
    block = source.blocks[0]
    types = [part_type(a.type) for a in block.arguments]
    made = ir.Block.create_at_start(target, types, [a.location for a in block.arguments])
    values: dict[ir.Value, ir.Value] = dict(zip(block.arguments, made.arguments, strict=True))
    with ir.InsertionPoint(made):
        for op in (op.operation for op in block.operations):
            types, operands = [part_type(r.type) for r in op.results], [values[v] for v in op.operands]
            copy = ir.Operation.create(op.name, types, operands, loc=op.location)
            values.update(zip(op.results, copy.results, strict=True))


def write_constants_as_parts(module: ir.Module) -> None:
    """Replace complex constants, whose attributes the bindings do not read, by `complex` of two real constants.

    Raises:
        UnsupportedOpError: the elements are in a resource.
    """
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == _CONSTANT and is_complex(op.results[0].type):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        t = part_type(op.results[0].type)
        values = read_complex_constant(op)
        with insert_before(op), op.location:
            parts = [
                create("constant", [], t, {"value": elements_attribute(part, read_type(t))})
                for part in (values.real, values.imag)
            ]
            op.results[0].replace_all_uses_with(create("complex", parts, op.results[0].type))
        op.erase()


def _from_pairs(pairs: ir.Value) -> Parts:
    """Return both parts of pairs of reals along the last dimension."""
    *shape, _ = ir.RankedTensorType(pairs.type).shape
    element = ir.RankedTensorType(pairs.type).element_type
    column, part = (ir.RankedTensorType.get(s, element) for s in ((*shape, 1), shape))
    parts: list[ir.Value] = []
    for i in range(2):
        bounds = {
            "start_indices": ir.DenseI64ArrayAttr.get([0] * len(shape) + [i]),
            "limit_indices": ir.DenseI64ArrayAttr.get([*shape, i + 1]),
            "strides": ir.DenseI64ArrayAttr.get([1] * (len(shape) + 1)),
        }
        parts.append(create("reshape", [create("slice", [pairs], column, bounds)], part))
    return Parts(*parts)


def _to_pairs(parts: Parts) -> ir.Value:
    """Return both parts as pairs of reals along one more dimension at the end."""
    shape = ir.RankedTensorType(parts.re.type).shape
    columns = [create("reshape", [part], part_type(part.type, 1)) for part in parts]
    dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), len(shape))
    return create("concatenate", columns, part_type(parts.re.type, 2), {"dimension": dimension})
