"""How a family module declares which ops of a source dialect it converts, and to what."""

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
"""Takes an op of the source and returns what replaces its results; location and insertion point are the op's."""


@dataclass(frozen=True)
class ConversionRule(Generic[C]):
    """One op of the source, the `ttir` ops that it can become, and how."""

    source: str
    targets: tuple[str, ...]
    convert: Convert[C]

    def apply(self, call: C) -> list[ir.Value]:
        """What replaces the results of an op; raises `UnsupportedOpError` where it is of another form."""
        new = self.convert(call)
        call.finish()
        return [new] if isinstance(new, ir.Value) else list(new)

    @property
    def note(self) -> str:
        """The first line of what the converting function says of itself; nothing of an op that becomes one other."""
        return "" if isinstance(self.convert, partial) else (self.convert.__doc__ or "").partition("\n")[0]


class ConversionTable(Generic[C]):
    """The conversions of one family by the source op's name. `typecast` is a target of all and not listed.

    Names are given without `prefix`, or in full; targets of calls, which begin with `@`, are in full.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._conversions: dict[str, ConversionRule[C]] = {}

    def __call__(self, *sources: str, to: str = "") -> Callable[[Convert[C]], Convert[C]]:
        """Register a function for ops; `to` lists its targets."""

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
        """The conversions, read only."""
        return MappingProxyType(self._conversions)


def join_tables(families: Iterable[Any], others: ConversionTable[C]) -> Mapping[str, ConversionRule[C]]:
    """The conversions of modules by name, and those that plug-ins add, now or later, which come first."""
    own = {name: rule for family in families for name, rule in family.CONVERSIONS.by_name.items()}
    return ChainMap(others.by_name, own)  # pyright: ignore[reportArgumentType]  (both are only read)
