"""Partial evaluation: functions without calls, branches and tuples.

Constants are evaluated, and a short loop with a constant condition is unrolled; of any other loop, `ttir.while` runs
the condition and the body as functions.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.functions import only_block, refresh_signature
from ttstack.dialects.location import read_location
from ttstack.dialects.op_groups import clone_on
from ttstack.frontends.limits import OPS, STEPS
from ttstack.frontends.stablehlo.external_constants import ExternalConstants
from ttstack.frontends.stablehlo.fold import Known, constant, fold, truth
from ttstack.frontends.stablehlo.loop_parts import LoopParts, Value, inline_index_calls, is_short, loop_count
from ttstack.frontends.stablehlo.loops import write_loop
from ttstack.mlir import func, ir

_TRANSPARENT = {"Sharding", "annotate_device_placement"}
"""Targets of custom calls that annotate a value, whose results have the types of operands."""


class Straightener:
    """Rewrites functions; `callees` are all functions by name."""

    def __init__(self, callees: Mapping[str, func.FuncOp], weights: ExternalConstants) -> None:
        self._callees = callees
        self.weights = weights
        self.values: dict[ir.Value, Value] = {}
        self._running: list[str] = []
        self._emitted = self._steps = 0
        self._given: Mapping[ir.Value, Value] = {}
        self._constants: dict[ir.Attribute, ir.Value] = {}
        self._ops = {
            "func.call": self._call,
            "stablehlo.composite": self._call,
            "stablehlo.constant": self._constant,
            "stablehlo.while": self._while,
            "stablehlo.if": self._if,
            "stablehlo.case": self._case,
            "stablehlo.tuple": lambda op: [tuple(self._operands(op))],
            "stablehlo.get_tuple_element": self._element,
            "stablehlo.optimization_barrier": self._operands,
            "stablehlo.custom_call": self._custom_call,
        }

    def rewrite(self, function: func.FuncOp, parameters: Mapping[int, str]) -> func.FuncOp:
        """Return a new function before the old one, which others may still call; its weights are its last arguments.

        Functions of its loops are before it. `parameters` are the names of the arguments that are parameters.
        """
        old = only_block(function)
        kept = {name: function.attributes[name] for name in function.attributes}
        with insert_before(function):
            new = ir.Operation.create("func.func", attributes=kept, regions=1).opview
        assert isinstance(new, func.FuncOp)
        block = ir.Block.create_at_start(
            new.regions[0], [a.type for a in old.arguments], [a.location for a in old.arguments]
        )
        self._emitted, self._steps, self._constants = 0, 0, {}
        self.function, self.parameters = new, {block.arguments[at]: name for at, name in parameters.items()}
        self.weights.enter(block)
        with ir.InsertionPoint(block):
            self._return(self.run(old, list(block.arguments)), function.location)
        refresh_signature(new)
        outputs, declared = list(new.type.results), list(function.type.results)
        if outputs != declared:
            self._refuse(function.operation, f"gives {_list_types(outputs)}, and declares {_list_types(declared)}")
        return new

    def _return(self, results: Sequence[Value], location: ir.Location) -> None:
        with location:
            ir.Operation.create("func.return", operands=[self.write(v) for v in results])

    def fill(
        self,
        block: ir.Block,
        old: ir.Block,
        arguments: Sequence[Value],
        values: Mapping[ir.Value, Value],
        given: Mapping[ir.Value, Value],
        returned: Callable[[Sequence[Value]], Sequence[Value]],
    ) -> None:
        """Write an old block into the block of another function; see `loops.FunctionWriter`."""
        outer = self.values, self._constants, self._given
        self.values, self._constants, self._given = {**self.values, **values}, {}, given
        with ir.InsertionPoint(block):
            self._return(returned(self.run(old, arguments)), old.owner.location)
        self.values, self._constants, self._given = outer

    def run(self, block: ir.Block, arguments: Sequence[Value]) -> list[Value]:
        """Return the values that the block returns."""
        self.values |= dict(zip(block.arguments, arguments, strict=True))
        *ops, last = (op.operation for op in block.operations)
        self._steps += 1 + len(ops)
        if self._steps > STEPS:
            self._refuse(block.owner.operation, f"is written out in more than {STEPS:,} steps", "shorten the loops")
        for op in ops:
            with op.location:
                known = [self._given[r] for r in op.results if r in self._given]
                results = known or self._ops.get(op.name, self._op)(op)
            self.values |= dict(zip(op.results, results, strict=True))
        return self._operands(last)

    def _op(self, op: ir.Operation) -> Sequence[Value]:
        """Fold any other op, or copy it."""
        operands = self._operands(op)
        known = [v for v in operands if isinstance(v, Known)]
        if len(known) == len(operands) and self._is_closed(op) and (found := fold(op, known)) is not None:
            return found
        self._emitted += 1
        if self._emitted > OPS:
            self._refuse(op, f"is one of more than {OPS:,} ops that loops are written out to", "shorten the loops")
        copy = clone_on(op, [self.write(v) for v in operands])
        self._recapture(copy)
        return list(copy.results)

    def _is_closed(self, op: ir.Operation) -> bool:
        """Return True if its regions use no outside values."""
        inside: set[ir.Value] = set()
        outside: list[ir.Value] = []

        def visit(nested: ir.Operation) -> ir.WalkResult:
            inside.update(nested.results)
            for region in nested.regions:
                inside.update(a for block in region.blocks for a in block.arguments)
            if nested != op:
                outside.extend(nested.operands)
            return ir.WalkResult.ADVANCE

        if op.regions:
            op.walk(visit, ir.WalkOrder.PRE_ORDER)
        return inside.issuperset(outside)

    def _recapture(self, copy: ir.Operation) -> None:
        """Replace outside values in the regions of a copied op by those of this function."""

        def visit(nested: ir.Operation) -> ir.WalkResult:
            for i, operand in enumerate(nested.operands):
                if nested != copy and operand in self.values:
                    with ir.InsertionPoint(copy):
                        nested.operands[i] = self.write(self.values[operand])
            return ir.WalkResult.ADVANCE

        if copy.regions:
            copy.walk(visit)

    def _call(self, op: ir.Operation) -> Sequence[Value]:
        name = ir.FlatSymbolRefAttr(op.attributes["callee" if op.name == "func.call" else "decomposition"]).value
        if name in self._running:
            self._refuse(op, f"calls '{name}', which calls itself", "unroll the recursion in the source")
        if name not in self._callees:
            self._refuse(op, f"calls '{name}', which has no body here")
        self._running.append(name)
        results = self.run(self._callees[name].regions[0].blocks[0], self._operands(op))
        self._running.pop()
        return results

    def _constant(self, op: ir.Operation) -> Sequence[Value]:
        weight = self.weights.argument(op)
        return [weight if weight is not None else Known(op.attributes["value"])]

    def _while(self, op: ir.Operation) -> Sequence[Value]:
        if (found := self._fold_whole(op)) is not None:
            return found
        loop, start = LoopParts(op), self._operands(op)
        carried, count = start, loop_count(loop, start)
        if count is not None and not is_short(loop, count.iterations):
            inline_index_calls(loop, self._callees)
            return write_loop(self, loop, start, count)
        while True:
            (go_on,) = self.run(loop.condition, carried)
            if not isinstance(go_on, Known):  # ops of iterations that are written out by now have no use
                return write_loop(self, loop, start, None)
            if not truth(go_on):
                return carried
            carried = self.run(loop.body, carried)

    def _fold_whole(self, op: ir.Operation) -> Sequence[Value] | None:
        operands = [v for v in self._operands(op) if isinstance(v, Known)]
        whole = len(operands) == len(op.operands) and self._is_closed(op)
        return fold(op, operands) if whole else None

    def _if(self, op: ir.Operation) -> Sequence[Value]:
        """Keep one branch of a constant condition; otherwise select between the results of both."""
        (condition,) = self._operands(op)
        yes, no = (region.blocks[0] for region in op.regions)
        if isinstance(condition, Known):
            return self.run(yes if truth(condition) else no, [])
        return self._choose(condition, self.run(yes, []), self.run(no, []))

    def _case(self, op: ir.Operation) -> Sequence[Value]:
        """Keep the branch of a constant index, the last one if out of range; otherwise select among all results."""
        (index,) = self._operands(op)
        blocks = [region.blocks[0] for region in op.regions]
        if isinstance(index, Known):
            at = truth(index)
            return self.run(blocks[at if 0 <= at < len(blocks) else -1], [])
        *first, last = (self.run(block, []) for block in blocks)
        results = last
        for at, branch in reversed(list(enumerate(first))):
            results = self._choose(_equals(self.write(index), at), branch, results)
        return results

    def _choose(self, condition: Value, yes: Sequence[Value], no: Sequence[Value]) -> list[Value]:
        """Compute both branches, which have no side effects, and select."""
        values = [(self.write(condition), self.write(a), self.write(b)) for a, b in zip(yes, no, strict=True)]
        return [_create("stablehlo.select", [c, a, b], a.type) for c, a, b in values]

    def _element(self, op: ir.Operation) -> Sequence[Value]:
        (parts,) = self._operands(op)
        assert isinstance(parts, tuple)
        return [parts[ir.IntegerAttr(op.attributes["index"]).value]]

    def _custom_call(self, op: ir.Operation) -> Sequence[Value]:
        target = ir.StringAttr(op.attributes["call_target_name"]).value
        if target in _TRANSPARENT and [v.type for v in op.operands] == [r.type for r in op.results]:
            return self._operands(op)
        if len(op.results) == 1 and isinstance(op.results[0].type, ir.TupleType):
            return [tuple(self._op(_untuple(op)))]
        return self._op(op)

    def _operands(self, op: ir.Operation) -> list[Value]:
        return [self.values[v] for v in op.operands]

    def write(self, value: Value) -> ir.Value:
        """Return the value in the new function."""
        if isinstance(value, tuple):
            raise UnsupportedOpError("the module gives or takes tuples", hint="give each tensor by itself")
        if not isinstance(value, Known):
            return value
        if value.source is not None:
            return clone_on(value.source, [self.write(v) for v in value.operands]).results[0]
        if value.elements not in self._constants:
            self._constants[value.elements] = constant(value)
        return self._constants[value.elements]

    def _refuse(self, op: ir.Operation, why: str, hint: str | None = None) -> NoReturn:
        raise UnsupportedOpError(f"`{op.operation.name}` {why}", loc=read_location(op.location) or None, hint=hint)


def _untuple(call: ir.Operation) -> ir.Operation:
    """Replace a tuple result by one result for each element."""
    types = ir.TupleType(call.results[0].type)
    attributes = {name: call.attributes[name] for name in call.attributes}
    with insert_before(call):
        return ir.Operation.create(
            call.name,
            results=[types.get_type(i) for i in range(types.num_types)],
            operands=list(call.operands),
            attributes=attributes,
        )


def _list_types(types: Sequence[ir.Type]) -> str:
    return ", ".join(map(str, types))


def _equals(index: ir.Value, at: int) -> ir.Value:
    element = ir.RankedTensorType(index.type).element_type
    tensor = ir.RankedTensorType(index.type)
    number = constant(Known(ir.DenseElementsAttr.get_splat(tensor, ir.IntegerAttr.get(element, at))))
    direction = {"comparison_direction": ir.Attribute.parse("#stablehlo<comparison_direction EQ>")}
    bools = ir.RankedTensorType.get(list(tensor.shape), ir.IntegerType.get_signless(1))
    return _create("stablehlo.compare", [index, number], bools, direction)


def _create(
    name: str, operands: Sequence[ir.Value], result: ir.Type, attributes: dict[str, ir.Attribute] | None = None
) -> ir.Value:
    return ir.Operation.create(name, results=[result], operands=operands, attributes=attributes).results[0]
