"""Base class of op definitions: operands, attributes with defaults, type inference, and loops over tiles.

One definition serves every level: the IRDL ops of `ttir` and `ttnn`, their verifiers, the records of a program, cost,
execution and documentation are all derived from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache, cached_property
from types import new_class
from typing import Any, ClassVar

from ttstack.ops.attributes import FROM_RESULT, Attribute
from ttstack.ops.fields import Arity, default_of, read_fields
from ttstack.ops.frozen import FrozenRecord
from ttstack.ops.kernels import kernel_of
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loops import Loops
from ttstack.ops.types import DType, QuantType, TensorType
from ttstack.ops.work_estimate import WorkEstimate

OPS: dict[str, "type[Op]"] = {}
"""Every op by mnemonic."""

MAX_VARIADIC = 256
"""Maximum number of operands of a variadic op."""

MAX_RESULTS = 32
"""Maximum number of results of an op with variadic results."""


class Op(FrozenRecord):
    """Base of all op definitions; an instance is an op on given operand types and attribute values.

    Fields of type `TensorType` are operands (`| None`: optional, `tuple[TensorType, ...]`: variadic), in the order of
    the MLIR text; all others are attributes, annotated with their MLIR form.
    """

    mnemonic: ClassVar[str] = ""
    family: ClassVar[str] = ""
    """Name of the file that defines the op; the runtime's file of that name has its kernel."""
    result_names: ClassVar[tuple[str, ...]] = ("result",)
    optional_result: ClassVar[bool] = False
    """Whether the last result exists only if operands or attributes request it."""
    variadic_results: ClassVar[bool] = False
    """True if the last result name represents a variable number of results."""
    computes: ClassVar[tuple[str, ...] | None] = None
    """Operands whose element type the op computes in if the declared result type differs; None if it never differs."""
    scalar_as_vector: ClassVar[bool] = False
    """Whether a result of rank 0 can be declared as a vector of one element."""
    takes_quantized: ClassVar[bool] = False
    """Whether operands can be quantized with any parameters; ops that only move data accept per-tensor quantization."""
    pure: ClassVar[bool] = True
    """Whether an op with unused results can be removed and equal ones merged."""
    executable: ClassVar[bool] = True
    """Whether the device supports the op; other ops are replaced before lowering."""
    opaque: ClassVar[bool] = False
    """Whether only the op's own kernel defines its values: it has a cost, but cannot be executed here."""
    keeps_order: ClassVar[bool] = False
    """Whether the result has the operand's elements in the same order under another shape."""
    multiplied: ClassVar[tuple[int, ...]] = ()
    """The input of the matrix unit's multiplier that each operand uses, first to last."""
    op_code: ClassVar[str] = ""
    """The device operation's name in profiler tables."""
    spans_mesh: ClassVar[bool] = False
    """Whether the op exchanges values with the same op on other devices of a mesh: a `ttstack.ops.devices.MeshOp`."""
    host_indices: ClassVar[tuple[str, ...]] = ()
    """Operands that the device reads in row-major order: indices and offsets."""
    in_rows: ClassVar[tuple[str, ...]] = ()
    """Further operands that the device reads in row-major order, which are not positions."""
    unsigned: ClassVar[tuple[str, ...]] = ()
    """Operands that the device reads as unsigned integers: indices that are never negative."""
    filters: ClassVar[tuple[str, ...]] = ()
    """Operands that the device reads as a convolution's weight matrix."""
    decides: ClassVar[tuple[str, ...]] = ()
    """Names of operands that select between other values and take no part in the arithmetic."""
    mutates: ClassVar[tuple[str, ...]] = ()
    """Operands whose buffers the op writes to, visible to later reads."""
    functions: ClassVar[tuple[str, ...]] = ()
    """Attributes with the names of functions that the op runs, empty for none; it launches nothing by itself."""

    def __init_subclass__(cls, *, mnemonic: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not mnemonic:
            return
        if mnemonic in OPS:
            raise ValueError(f"op {mnemonic!r} is already defined in {OPS[mnemonic].__module__}")
        cls.mnemonic = mnemonic
        cls.family = cls.__module__.rsplit(".", 1)[-1]
        OPS[mnemonic] = cls

    def infer(self) -> TensorType | tuple[TensorType, ...]:
        """Return the result types; raise `ValueError` with both values if operands or attributes do not fit."""
        raise NotImplementedError(f"{type(self).__name__}.infer")

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the exact loop nest of the op on these operands, or an estimate of its work."""
        raise NotImplementedError(f"{type(self).__name__}.dispatch")

    @cached_property
    def nest(self) -> LoopNest | None:
        """The loop nest of an equivalent `ttir.generic`; None if maps and tile ops cannot express the op."""
        found = self.dispatch()
        return found if isinstance(found, LoopNest) else None

    def check_constants(self, values: Mapping[int, Any]) -> None:
        """Raise `ValueError` if constant operands, given as arrays by position, have unsupported values."""

    @cached_property
    def loops(self) -> Loops:
        """The loops that grids, placement and the cost model use."""
        return self.kernel_work() or self.nest or self.dispatch()

    def kernel_work(self) -> WorkEstimate | None:
        """Return the work of a kernel that does not follow the nest step by step; None if there is no such kernel."""
        return None if self.nest is None else kernel_of(self.nest, self.operands, self.results)

    @cached_property
    def results(self) -> tuple[TensorType, ...]:
        """The inferred result types, always as a tuple."""
        inferred = self.infer()
        return inferred if isinstance(inferred, tuple) else (inferred,)

    @cached_property
    def operands(self) -> tuple[TensorType, ...]:
        """The operand types that are present, in order."""
        flat: list[TensorType] = []
        for name in self.operand_specs():
            value = getattr(self, name)
            flat += [] if value is None else value if isinstance(value, tuple) else [value]
        return tuple(flat)

    @cached_property
    def host_operands(self) -> frozenset[int]:
        """The positions in `operands` of those that the device reads in row-major order."""
        return self.operand_positions(*self.host_indices, *self.in_rows)

    @cached_property
    def unsigned_operands(self) -> frozenset[int]:
        """The positions in `operands` of those that the device reads as unsigned integers."""
        return self.operand_positions(*self.unsigned)

    @cached_property
    def filter_operands(self) -> frozenset[int]:
        """The positions in `operands` of those that the device reads as a convolution's weight matrix."""
        return self.operand_positions(*self.filters)

    @cached_property
    def mutated_operands(self) -> frozenset[int]:
        """The positions in `operands` of those that the op writes to."""
        return self.operand_positions(*self.mutates)

    @property
    def title(self) -> str:
        """The name of the op in messages and overrides."""
        return self.mnemonic

    def written_elements(self) -> int:
        """Return the number of elements that the op writes."""
        return sum(result.size for result in self.results)

    def attributes(self) -> dict[str, Any]:
        """Return attribute values by name, with defaults, without those read from result types."""
        return {a.name: getattr(self, a.name) for a in self.attribute_specs().values()}

    def flops(self) -> int:
        """Return floating-point operations: 2 for a multiply-add, 1 for each result element of other ops."""
        return sum(result.size for result in self.results)

    def operand_positions(self, *names: str) -> frozenset[int]:
        """Return the positions in `operands` of the operands with these names."""
        present = [n for n in self.operand_specs() if getattr(self, n) is not None]
        return frozenset(i for i, name in enumerate(present) if name in names)

    @classmethod
    @cache
    def operand_specs(cls) -> dict[str, Arity]:
        """Return the arity of each operand by name, in the order of the MLIR text."""
        return {name: arity for name, arity, spelling in read_fields(cls) if spelling is None}

    @classmethod
    @cache
    def attribute_specs(cls) -> dict[str, Attribute]:
        """Return the attributes that the MLIR text can contain."""
        return {
            name: Attribute(name, spelling, default_of(cls, name))
            for name, _, spelling in read_fields(cls)
            if spelling is not None and spelling.kind != FROM_RESULT
        }

    @classmethod
    def has_several_results(cls) -> bool:
        """Return True if such ops have, or may have, more than one result."""
        return cls.variadic_results or len(cls.result_names) > 1

    @classmethod
    @cache
    def result_fields(cls) -> dict[str, int]:
        """Return the fields that are read from declared result types, with the number of the result (-1: all)."""
        return {n: int(s.type) for n, _, s in read_fields(cls) if s is not None and s.kind == FROM_RESULT}

    @classmethod
    def on(
        cls,
        operands: Sequence[TensorType | None],
        attributes: Mapping[str, Any],
        *results: TensorType,
    ) -> "Op":
        """Create the op on operands in the order of the MLIR text.

        `results` are the declared result types, for fields that only they define; `ValueError` names what is missing.
        """
        values: dict[str, Any] = dict(attributes) | cls._spelled(results)
        rest = list(operands)
        for name, arity in cls.operand_specs().items():
            if arity is Arity.VARIADIC:
                values[name], rest = tuple(t for t in rest if t is not None), []
            elif rest:
                values[name] = rest.pop(0)
                if values[name] is None and arity is Arity.ONE:
                    raise ValueError(f"requires operand '{name}'")
        if rest:
            raise ValueError(f"takes {len(operands) - len(rest)} operands, got {len(operands)}")
        for name in cls._required():
            if name not in values:
                kind = "operand" if name in cls.operand_specs() else "attribute"
                raise ValueError(f"requires {kind} '{name}'")
        op = cls(**values)
        _check_quantized(op)
        return op

    def with_operands(
        self, operands: Sequence[TensorType], attributes: Mapping[str, Any], *results: TensorType
    ) -> "Op":
        """Create an op of the same kind with other operands in place of the present ones, in order."""
        remaining = iter(operands)
        places: list[TensorType | None] = []
        for name in self.operand_specs():
            value: TensorType | tuple[TensorType, ...] | None = getattr(self, name)
            several = value if isinstance(value, tuple) else ()
            places += [next(remaining) for _ in several] if isinstance(value, tuple) else [value and next(remaining)]
        return type(self).on(places, attributes, *results)

    @classmethod
    def places(cls, count: int) -> list[str]:
        """Return the place of each of `count` operands in the order of the text.

        A variadic one takes all that is left.
        """
        names = list(cls.operand_specs())
        return [names[min(i, len(names) - 1)] for i in range(count)]

    @classmethod
    @cache
    def _required(cls) -> tuple[str, ...]:
        """Fields without a default."""
        return tuple(f.name for f in fields(cls) if f.default is MISSING)  # pyright: ignore[reportArgumentType]

    @classmethod
    def _spelled(cls, results: Sequence[TensorType]) -> dict[str, Any]:
        """Return the values of the fields that are read off result types."""
        values: dict[str, Any] = {}
        for name, number in cls.result_fields().items():
            if number < 0:
                values[name] = tuple(results)
            elif number < len(results):
                values[name] = results[number] if name == "type" else results[number].dtype
            elif default_of(cls, name) is MISSING:
                raise ValueError(f"needs the type of result {number}")
        return values


def _check_quantized(op: Op) -> None:
    """Raise `ValueError` if an op without support for scales would compute on stored integers."""
    if op.takes_quantized or all(isinstance(t.dtype, DType) for t in op.operands):
        return
    found = next(t for t in op.operands if isinstance(t.dtype, QuantType))
    if op.flops():
        raise ValueError(f"computes on real numbers, {found} is quantized: dequantize it first")
    if any(isinstance(t.dtype, QuantType) and t.dtype.axis is not None for t in op.operands):
        raise ValueError(f"moves elements, {found} is quantized along a dimension: dequantize it first")


def define(base: type[Op], mnemonic: str, doc: str) -> type[Op]:
    """Define an op that differs from its base class only in name and meaning."""
    name = "".join(part.capitalize() for part in mnemonic.split("_"))

    def body(namespace: dict[str, Any]) -> None:
        namespace |= {"__doc__": doc, "__module__": base.__module__, "__annotations__": {}}

    return new_class(name, (base,), {"mnemonic": mnemonic}, body)
