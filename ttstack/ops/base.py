"""What an op is: operands, attributes with defaults, the types it infers, and its loops over tiles.

One definition serves every level: the IRDL ops of `ttir` and `ttnn`, their verifiers, the records of a
program, cost, execution and documentation are all derived from it.
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
"""Operands that a variadic op can take."""

MAX_RESULTS = 32
"""Results that an op with any number of them can have."""


class Op(FrozenRecord):
    """Base of all op definitions. An instance is an op on given operand types with given attribute values.

    Fields of type `TensorType` are operands (`| None`: optional, `tuple[TensorType, ...]`: variadic), in the
    order of the text; all others are attributes, annotated with how they are spelled.
    """

    mnemonic: ClassVar[str] = ""
    family: ClassVar[str] = ""
    """Name of the file that defines the op; its kernel stands in the runtime's file of that name."""
    result_names: ClassVar[tuple[str, ...]] = ("result",)
    optional_result: ClassVar[bool] = False
    """Whether the last result is there only where operands or attributes ask for it."""
    variadic_results: ClassVar[bool] = False
    """Whether the last name of a result stands for any number of them."""
    computes: ClassVar[tuple[str, ...] | None] = None
    """Operands of one element type that the op computes in, if the text may give its results another; None: never."""
    scalar_as_vector: ClassVar[bool] = False
    """Whether the text can give a result of rank 0 as a vector of one element."""
    takes_quantized: ClassVar[bool] = False
    """Whether operands can be quantized in any way; ops that compute nothing take those quantized as a whole."""
    pure: ClassVar[bool] = True
    """Whether an op with unused results can be removed and equal ones merged."""
    executable: ClassVar[bool] = True
    """Whether the device has it; the others are replaced before lowering."""
    opaque: ClassVar[bool] = False
    """Whether only its own kernel knows what it computes: it has a cost, and cannot be executed here."""
    keeps_order: ClassVar[bool] = False
    """Whether the result has the operand's elements in the same order under another shape."""
    multiplied: ClassVar[tuple[int, ...]] = ()
    """The side of the matrix unit's multiplier that each operand goes to, first to last."""
    op_code: ClassVar[str] = ""
    """The device operation's name in profiler tables."""
    spans_mesh: ClassVar[bool] = False
    """Whether the op is one with the same op on the other devices of a mesh: a `ttstack.ops.devices.MeshOp`."""
    host_indices: ClassVar[tuple[str, ...]] = ()
    """Operands that the device reads in row-major order: indices and offsets."""
    in_rows: ClassVar[tuple[str, ...]] = ()
    """Operands that the device reads in row-major order too, which say nothing of positions."""
    unsigned: ClassVar[tuple[str, ...]] = ()
    """Operands that the device reads as integers without a sign: indices, none of which is below 0."""
    filters: ClassVar[tuple[str, ...]] = ()
    """Operands that the device reads as the matrix of a convolution."""
    decides: ClassVar[tuple[str, ...]] = ()
    """Places of operands whose numbers are not computed with, but decide a choice between others."""
    mutates: ClassVar[tuple[str, ...]] = ()
    """Operands whose buffers the op writes to: what reads them later sees the change."""

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
        """Result types; raises `ValueError` with both values where operands or attributes do not fit."""
        raise NotImplementedError(f"{type(self).__name__}.infer")

    def dispatch(self) -> LoopNest | WorkEstimate:
        """The loops over tiles of this op on these operands: its meaning, or what it says of its work."""
        raise NotImplementedError(f"{type(self).__name__}.dispatch")

    @cached_property
    def nest(self) -> LoopNest | None:
        """What a `ttir.generic` in its place says; None where maps and tile ops do not say all that the op does."""
        found = self.dispatch()
        return found if isinstance(found, LoopNest) else None

    def check_constants(self, values: Mapping[int, Any]) -> None:
        """Raise `ValueError` where operands do not fit whose values are known, by position, as arrays."""

    @cached_property
    def loops(self) -> Loops:
        """What grids, placement and cost read."""
        return self.kernel_work() or self.nest or self.dispatch()

    def kernel_work(self) -> WorkEstimate | None:
        """What a kernel does whose steps are not those of the nest; follows from the nest alone."""
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
        """Positions among `operands` of those that are read in row-major order."""
        return self.operand_positions(*self.host_indices, *self.in_rows)

    @cached_property
    def unsigned_operands(self) -> frozenset[int]:
        """Positions among `operands` of those that are read without a sign."""
        return self.operand_positions(*self.unsigned)

    @cached_property
    def filter_operands(self) -> frozenset[int]:
        """Positions among `operands` of those that are read as the matrix of a convolution."""
        return self.operand_positions(*self.filters)

    @cached_property
    def mutated_operands(self) -> frozenset[int]:
        """Positions among `operands` of those that are written to."""
        return self.operand_positions(*self.mutates)

    @property
    def title(self) -> str:
        """What messages and overrides call it."""
        return self.mnemonic

    def written_elements(self) -> int:
        """Elements that the op writes."""
        return sum(result.size for result in self.results)

    def attributes(self) -> dict[str, Any]:
        """Attribute values by name, defaults included, without what the result type says."""
        return {a.name: getattr(self, a.name) for a in self.attribute_specs().values()}

    def flops(self) -> int:
        """Floating-point operations as users count them: 2 for a multiply-add, 1 for each result of other ops."""
        return sum(result.size for result in self.results)

    def operand_positions(self, *names: str) -> frozenset[int]:
        """Positions among `operands` of those in the places of these names."""
        present = [n for n in self.operand_specs() if getattr(self, n) is not None]
        return frozenset(i for i, name in enumerate(present) if name in names)

    @classmethod
    @cache
    def operand_specs(cls) -> dict[str, Arity]:
        """Operand places in the order of the text."""
        return {name: arity for name, arity, spelling in read_fields(cls) if spelling is None}

    @classmethod
    @cache
    def attribute_specs(cls) -> dict[str, Attribute]:
        """Attributes that the text spells."""
        return {
            name: Attribute(name, spelling, default_of(cls, name))
            for name, _, spelling in read_fields(cls)
            if spelling is not None and spelling.kind != FROM_RESULT
        }

    @classmethod
    def has_several_results(cls) -> bool:
        """Whether such ops have more results than one, or may have."""
        return cls.variadic_results or len(cls.result_names) > 1

    @classmethod
    @cache
    def result_fields(cls) -> dict[str, int]:
        """Fields that are read off spelled result types, with the number of the result, -1 for all."""
        return {n: int(s.type) for n, _, s in read_fields(cls) if s is not None and s.kind == FROM_RESULT}

    @classmethod
    def on(
        cls,
        operands: Sequence[TensorType | None],
        attributes: Mapping[str, Any],
        *results: TensorType,
    ) -> "Op":
        """The op on operands in the order of the text.

        `results` are the spelled result types, for what only they say; `ValueError` says what is missing.
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
        """The same kind of op on others in place of the operands that are present, in order."""
        remaining = iter(operands)
        places: list[TensorType | None] = []
        for name in self.operand_specs():
            value: TensorType | tuple[TensorType, ...] | None = getattr(self, name)
            several = value if isinstance(value, tuple) else ()
            places += [next(remaining) for _ in several] if isinstance(value, tuple) else [value and next(remaining)]
        return type(self).on(places, attributes, *results)

    @classmethod
    def places(cls, count: int) -> list[str]:
        """The place of each of `count` operands in the order of the text; a variadic one takes all that is left."""
        names = list(cls.operand_specs())
        return [names[min(i, len(names) - 1)] for i in range(count)]

    @classmethod
    @cache
    def _required(cls) -> tuple[str, ...]:
        """Fields without a default."""
        return tuple(f.name for f in fields(cls) if f.default is MISSING)  # pyright: ignore[reportArgumentType]

    @classmethod
    def _spelled(cls, results: Sequence[TensorType]) -> dict[str, Any]:
        """The values of the fields that are read off result types."""
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
    """An op that knows nothing of scales must not compute on the integers that are held."""
    if op.takes_quantized or all(isinstance(t.dtype, DType) for t in op.operands):
        return
    found = next(t for t in op.operands if isinstance(t.dtype, QuantType))
    if op.flops():
        raise ValueError(f"computes on real numbers, {found} is quantized: dequantize it first")
    if any(isinstance(t.dtype, QuantType) and t.dtype.axis is not None for t in op.operands):
        raise ValueError(f"moves elements, {found} is quantized along a dimension: dequantize it first")


def define(base: type[Op], mnemonic: str, doc: str) -> type[Op]:
    """An op that differs from its family in nothing but its name and meaning."""
    name = "".join(part.capitalize() for part in mnemonic.split("_"))

    def body(namespace: dict[str, Any]) -> None:
        namespace |= {"__doc__": doc, "__module__": base.__module__, "__annotations__": {}}

    return new_class(name, (base,), {"mnemonic": mnemonic}, body)
