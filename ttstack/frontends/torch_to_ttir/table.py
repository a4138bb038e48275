"""How a family module declares which torch ops it converts, and to what."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.mlir import ir

Convert: TypeAlias = Callable[[Call], ir.Value | Sequence[ir.Value]]
"""Takes a torch op and returns what replaces its results; location and insertion point are the op's."""


@dataclass(frozen=True)
class Conversion:
    """One torch op, the `ttir` ops that it can become, and how."""

    source: str
    targets: tuple[str, ...]
    convert: Convert

    @property
    def note(self) -> str:
        """The first line of what the converting function says of itself; nothing of an op that becomes one other."""
        return "" if isinstance(self.convert, partial) else (self.convert.__doc__ or "").partition("\n")[0]


class ConversionTable:
    """The conversions of one family by the torch op's name. `typecast` is a target of all and not listed."""

    def __init__(self) -> None:
        self._conversions: dict[str, Conversion] = {}

    def __call__(self, *sources: str, to: str = "") -> Callable[[Convert], Convert]:
        """Register a function for ops `torch.aten.<source>` (or full names); `to` lists its targets."""

        def register(convert: Convert) -> Convert:
            self.add(sources, to.split(), convert)
            return convert

        return register

    def add(self, sources: Iterable[str], targets: Iterable[str], convert: Convert) -> None:
        """Register `convert` for several ops."""
        for source in sources:
            name = source if source.startswith("torch.") else f"torch.aten.{source}"
            if name in self._conversions:
                raise ValueError(f"{name} is already converted by {self._conversions[name].convert.__module__}")
            self._conversions[name] = Conversion(name, tuple(targets), convert)

    @property
    def by_name(self) -> Mapping[str, Conversion]:
        """The conversions, read only."""
        return MappingProxyType(self._conversions)
