"""Ops of a dialect, generated from op definitions: an IRDL op each, with a verifier that uses the definition."""

from collections.abc import Mapping, Sequence
from functools import cache
from io import BytesIO
from typing import Any, ClassVar

import numpy as np

from ttstack.dialects.attributes import make_attribute, read_attribute
from ttstack.dialects.built_ops import record
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.elements import read_elements
from ttstack.dialects.equal_ops import ask_once
from ttstack.dialects.region import read_nest
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import ext, ir, irdl
from ttstack.ops.attributes import REGION
from ttstack.ops.base import MAX_RESULTS, MAX_VARIADIC, OPS, Op
from ttstack.ops.conversion import conversion, is_spelling
from ttstack.ops.fields import Arity
from ttstack.ops.types import QuantType, TensorType
from ttstack.support.suggestion import did_you_mean

SEGMENTS = "operandSegmentSizes"
RESULT_SEGMENTS = "resultSegmentSizes"


class Dialect(ext.Dialect, name="ttstack_base"):
    """A dialect that can be loaded into any number of contexts, repeatedly."""

    _emitted: ClassVar[dict[tuple[str, int], bytes]] = {}
    """IRDL definitions by namespace and number of ops, as bytecode, which is three times as fast to read as to emit."""

    @classmethod
    def ensure_loaded(cls) -> None:
        """Load the dialect into the current context unless it is loaded."""
        if ir.Context.current.is_dialect_loaded(cls.DIALECT_NAMESPACE):
            return
        cls.define()
        if (code := cls._emitted.get(cls._content())) is None:
            cls.load()
            loaded: Any = cls
            written = BytesIO()
            loaded._mlir_module.operation.write_bytecode(written)
            cls._emitted[cls._content()] = written.getvalue()
        else:
            cls._load_again(code)

    @classmethod
    def _load_again(cls, code: bytes) -> None:
        """Load a dialect that was loaded into another context before, with existing classes."""
        irdl.load_dialects(ir.Module.parse(code))
        parts: Any = cls
        for op in parts.operations:
            op._attach_traits()
        for kind in parts.types:
            ext._cext.register_type_caster(ir.DynamicType.lookup_typeid(kind.type_name), replace=True)(kind)
        for kind in parts.attributes:
            ext._cext.register_type_caster(ir.DynamicAttr.lookup_typeid(kind.attr_name), replace=True)(kind)

    @classmethod
    def define(cls) -> None:
        """Add an op for each new definition; plug-ins can define ops at any time."""

    @classmethod
    def _content(cls) -> tuple[str, int]:
        return cls.DIALECT_NAMESPACE, len(cls.operations)

    @classmethod
    def op(cls, mnemonic: str) -> type[ext.Operation] | None:
        """Return the op class of a mnemonic, or None."""
        return next((o for o in cls.operations if o._op_name == mnemonic), None)


class Verified(ext.Operation):
    """An op with a verifier in Python: MLIR reports the `ValueError` of `check` with name and location.

    `create` builds it, and its operands are read by position: the bindings' constructor and properties for up to 256
    operands would take a third of this package's memory.
    """

    @classmethod
    def _generate_init_method(cls, fields: list[ext.OperandDef]) -> None:
        """Generate no constructor."""

    @classmethod
    def _generate_operand_properties(cls, operands: list[ext.OperandDef]) -> None:
        """Generate no properties."""

    stands_alone = True
    """Whether `check` depends only on name, types, attributes and regions of an op."""

    def check(self) -> None:
        """Raise `ValueError` if the op is ill-formed."""
        raise NotImplementedError

    def verify_invariants(self) -> bool:
        """Verify the op; MLIR calls it."""
        try:
            if self.stands_alone:
                ask_once(type(self).check, self, self.operation)
            else:
                self.check()
        except ValueError as e:
            self.location.emit_error(f"'{self.name}' op {e}")
            return False
        return True


class Defined(Verified):
    """An op whose operands, attributes and result types follow a definition of `ttstack.ops`."""

    definition = Op

    def describe(self) -> Op:
        """Return the definition on this op's types and attributes; raise `ValueError` if they do not fit."""
        return definition_of(self.operation)

    def check(self) -> None:
        """Raise `ValueError` unless operands and attributes fit, and result types are the inferred ones."""
        spelled = [read_type(r.type) for r in self.operation.results]
        described = self._understood(spelled)
        inferred = described.results
        if len(spelled) != len(inferred):
            raise ValueError(f"has {len(spelled)} results, infers {len(inferred)}")
        for i, (got, want) in enumerate(zip(spelled, inferred, strict=True)):
            if got != want and not is_spelling(type(described), got, want):
                raise ValueError(f"{self._result_name(i)} is {got}, inferred {want}")
        self._check_elements(spelled)
        if type(described).check_constants is not Op.check_constants:
            described.check_constants(_constants(self.operation))

    def _understood(self, spelled: Sequence[TensorType]) -> Op:
        """Return the definition of the op, with casts of operands to one element type if needed."""
        spec, op = self.definition, self.operation
        if spec.computes is None:
            return self.describe()
        return conversion(spec, operand_types(spec, op), attribute_values(spec, op), spelled).op

    def _result_name(self, number: int) -> str:
        *_, last = names = self.definition.result_names
        return names[number] if number < len(names) and not self.definition.variadic_results else f"{last} {number}"

    def _check_elements(self, results: Sequence[TensorType]) -> None:
        """Raise `ValueError` unless elements have the result's shape, and a type that a typecast can convert."""
        for name, a in self.definition.attribute_specs().items():
            if a.spelling.kind != "elements":
                continue
            got, want = read_type(self.attributes[name].type), results[0]
            if got != want and (got.shape != want.shape or any(isinstance(t.dtype, QuantType) for t in (got, want))):
                raise ValueError(f"attribute '{name}' holds {got}, result is {want}")


def _constants(op: ir.Operation) -> dict[int, np.ndarray[Any, Any]]:
    """Return the values of constant operands, by position."""
    owners = ((i, defining_op(v)) for i, v in enumerate(op.operands))
    made_by = {i: o for i, o in owners if o is not None and o.name in ("ttir.constant", "ttnn.constant")}
    held = {i: o.attributes["value"] for i, o in made_by.items()}
    return {i: read_elements(e) for i, e in held.items() if isinstance(e, ir.DenseElementsAttr)}


def definition(op: ir.Operation) -> type[Op] | None:
    """Return the definition of an op of `ttir` or `ttnn`, or None."""
    dialect, _, mnemonic = op.name.partition(".")
    return OPS.get(mnemonic) if dialect in ("ttir", "ttnn") else None


def definition_of(op: ir.Operation) -> Op:
    """Return the definition of an MLIR operation on its types and attributes; equal ops share one."""
    spec = definition(op)
    assert spec is not None, op.name
    return ask_once(_describe, op, op)


def _describe(op: ir.Operation) -> Op:
    spec = OPS[op.name.partition(".")[2]]
    results = [read_type(r.type) for r in op.results] if spec.result_fields() else []
    return spec.on(operand_types(spec, op), attribute_values(spec, op), *results)


def attribute_values(spec: type[Op], op: ir.Operation) -> dict[str, Any]:
    """Return the values of the present attributes; raise `ValueError` if one is of the wrong kind."""
    attributes = op.attributes
    specs = {name: a.spelling for name, a in spec.attribute_specs().items() if name in attributes}
    try:
        written = {name: read_attribute(name, spelling, attributes[name]) for name, spelling in specs.items()}
    except TypeError as e:  # the bindings know no arrays of numbers with a sign, or without
        raise ValueError(f"has an attribute that cannot be read: {e}") from e
    return written | {name: read_nest(op) for name in _regions(spec)}


@cache
def _regions(spec: type[Op]) -> tuple[str, ...]:
    return tuple(name for name, a in spec.attribute_specs().items() if a.spelling.kind == REGION)


def operand_types(spec: type[Op], op: ir.Operation) -> list[TensorType | None]:
    """Return the operand types by position in the definition, None for absent ones."""
    return [None if v is None else read_type(v.type) for v in operands_by_place(spec, op)]


def _unknown(op: str, name: str, known: Sequence[str]) -> str:
    hint = did_you_mean(name, known) or f"it has {', '.join(known)}"
    return f"{op} has no attribute '{name}'; {hint}"


def operands_by_place(spec: type[Op], op: ir.Operation) -> Sequence[ir.Value | None]:
    """Return the operands by position in the definition, None for absent optional ones."""
    values = list(op.operands)
    if SEGMENTS not in op.attributes:
        return values
    sizes = list(ir.DenseI32ArrayAttr(op.attributes[SEGMENTS]))
    if sum(sizes) != len(values) or not set(sizes) <= {0, 1}:
        raise ValueError(f"{SEGMENTS} {sizes} do not fit {len(values)} operands")
    if Arity.VARIADIC in spec.operand_specs().values():
        return values
    taken = iter(values)
    return [next(taken) if size else None for size in sizes]


def segments(mnemonic: str, given: Sequence[bool]) -> list[int] | None:
    """Return the operandSegmentSizes of an op with operands present as `given`; None if it needs none."""
    spec = OPS[mnemonic].operand_specs()
    if Arity.VARIADIC in spec.values():
        places = MAX_VARIADIC + len(spec) - 1
        if len(given) > places:
            raise ValueError(f"has {len(given)} operands, at most {places} are supported")
        return [1] * len(given) + [0] * (places - len(given))
    if sum(a is Arity.OPTIONAL for a in spec.values()) < 2:
        return None
    return [int(g) for g in given] + [0] * (len(spec) - len(given))


def result_segments(mnemonic: str, count: int) -> list[int] | None:
    """Return the resultSegmentSizes of an op with `count` results; None if it needs none."""
    if not OPS[mnemonic].variadic_results:
        return None
    if count > MAX_RESULTS:
        raise ValueError(f"has {count} results, at most {MAX_RESULTS} are supported")
    return [1] * count + [0] * (MAX_RESULTS - count)


def create(
    dialect: str,
    mnemonic: str,
    operands: Sequence[ir.Value | None],
    attributes: Mapping[str, Any] | None = None,
    *,
    results: Sequence[TensorType] = (),
    encodings: Sequence[ir.Attribute | None] = (),
) -> ir.Operation:
    """Build `dialect.mnemonic` at the current insertion point, with inferred result types and without defaults.

    `results` are the types that cannot be inferred; `encodings` are the layouts of the results.
    """
    spec = OPS[mnemonic]
    attributes = attributes or {}
    if unknown := attributes.keys() - spec.attribute_specs().keys():
        raise TypeError(_unknown(f"{dialect}.{mnemonic}", min(unknown), [*spec.attribute_specs(), "result"]))
    op = spec.on([None if v is None else read_type(v.type) for v in operands], attributes, *results)
    specs = spec.attribute_specs()
    written = {n: make_attribute(specs[n].spelling, v) for n, v in attributes.items() if v != specs[n].default}
    if (sizes := segments(mnemonic, [v is not None for v in operands])) is not None:
        written[SEGMENTS] = ir.DenseI32ArrayAttr.get(sizes)
    if (sizes := result_segments(mnemonic, len(op.results))) is not None:
        written[RESULT_SEGMENTS] = ir.DenseI32ArrayAttr.get(sizes)
    layouts = encodings or [None] * len(op.results)
    operation = ir.Operation.create(
        f"{dialect}.{mnemonic}",
        results=[tensor_type(t, e) for t, e in zip(op.results, layouts, strict=True)],
        operands=[v for v in operands if v is not None],
        attributes=written,
    )
    return record(operation)
