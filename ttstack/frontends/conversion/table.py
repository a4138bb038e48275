"""Tables of conversions: the ops of a source dialect in each family, and their target ops."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

from ttstack.frontends.conversion.source_op import SourceOp
from ttstack.mlir import ir

C = TypeVar("C", bound=SourceOp)

Convert: TypeAlias = Callable[[C], ir.Value | Sequence[ir.Value]]
"""Takes a source op and returns the replacement of its results; location and insertion point are the op's."""


@dataclass(frozen=True)
class ConversionRule(Generic[C]):
    """The conversion of one source op, and its possible target ops in `ttir`."""

    source: str
    targets: tuple[str, ...]
    convert: Convert[C]

    def apply(self, call: C) -> list[ir.Value]:
        """Return the replacement of an op's results; raise `UnsupportedOpError` for an unsupported form."""
        new = self.convert(call)
        call.finish()
        return [new] if isinstance(new, ir.Value) else list(new)

    @property
    def note(self) -> str:
        """The first line of the conversion function's docstring; empty for a one-to-one conversion."""
        return "" if isinstance(self.convert, partial) else (self.convert.__doc__ or "").partition("\n")[0]


class ConversionTable(Generic[C]):
    """The conversions of one family by the source op's name; `typecast` is a target of all and is not listed.

    Names are given without `prefix`, or in full; targets of calls, which begin with `@`, are in full.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._conversions: dict[str, ConversionRule[C]] = {}

    def __call__(self, *sources: str, to: str = "") -> Callable[[Convert[C]], Convert[C]]:
        """Return a decorator that registers a function for ops; `to` lists its targets."""

        def register(convert: Convert[C]) -> Convert[C]:
            self.add(sources, to.split(), convert)
            return convert

        return register

    def add(self, sources: Iterable[str], targets: Iterable[str], convert: Convert[C]) -> None:
        """Register `convert` for several ops."""
        dialect = self._prefix.partition(".")[0]
        for source in sources:
            name = source if source.startswith((f"{dialect}.", "@")) else self._prefix + source
            if name in self._conversions:
                raise ValueError(f"{name} is already converted by {self._conversions[name].convert.__module__}")
            self._conversions[name] = ConversionRule(name, tuple(targets), convert)

    @property
    def by_name(self) -> Mapping[str, ConversionRule[C]]:
        """The conversions, read-only."""
        return MappingProxyType(self._conversions)


def join_tables(families: Iterable[Any], others: ConversionTable[C]) -> Mapping[str, ConversionRule[C]]:
    """Join the conversions of modules by name with those of plug-ins, now or later, which take precedence."""
    own = {name: rule for family in families for name, rule in family.CONVERSIONS.by_name.items()}
    return ChainMap(others.by_name, own)  # pyright: ignore[reportArgumentType]  (both are only read)
