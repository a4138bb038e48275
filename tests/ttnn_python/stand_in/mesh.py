"""The stand-in for `ttnn` on a mesh: every function on each chip, tensors that go between them, and collectives."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.ttnn_python.stand_in.tensor import Array, Tensor, made


class Parts(list[Tensor]):
    """What each chip has, row by row."""

    @property
    def shape(self) -> tuple[int, ...]:
        """What one of them has for a shape."""
        return self[0].shape


@dataclass(frozen=True)
class Mapper:
    """The dimension that each axis of the mesh divides, None where all along it have the same."""

    dims: tuple[int | None, ...]


@dataclass(frozen=True)
class Composer:
    """The dimension along which parts are joined for each axis of `shape`, and which chips have them."""

    dims: tuple[int, ...]
    shape: tuple[int, ...]


class MeshLibrary:
    """The names of `ttnn` where a mesh of `shape` is open, over those of one chip."""

    def __init__(self, one_chip: Any, shape: tuple[int, int]) -> None:
        self._one_chip, self.shape = one_chip, shape
        self.Topology = SimpleNamespace(Linear="line")
        self.experimental = SimpleNamespace(
            **{k: _on_each(f) for k, f in vars(one_chip.experimental).items()}, all_to_all_async_generic=self._exchange
        )
        self.transformer = SimpleNamespace(**{k: _on_each(f) for k, f in vars(one_chip.transformer).items()})

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._one_chip, name)
        return _on_each(found) if callable(found) and not isinstance(found, type) else found

    MeshShape = staticmethod(lambda *extents: tuple(extents[0]) if isinstance(extents[0], list) else extents)
    MeshMapperConfig = staticmethod(lambda row_dim=None, col_dim=None: Mapper((row_dim, col_dim)))
    create_mesh_mapper = create_mesh_composer = staticmethod(lambda _, config: config)

    @staticmethod
    def MeshComposerConfig(*dims: Any, mesh_shape_override: tuple[int, ...]) -> Composer:  # noqa: N802 as ttnn has it
        """By rows and columns, or by a list."""
        return Composer(tuple(dims[0]) if isinstance(dims[0], list) else dims, mesh_shape_override)

    def replicate_tensor_to_mesh_mapper(self, _: object) -> Mapper:
        """All chips have all of it."""
        return Mapper((None,))

    def shard_tensor_to_mesh_mapper(self, _: object, dim: int) -> Mapper:
        """All chips, row by row, divide a dimension."""
        return Mapper((dim,))

    def concat_mesh_to_tensor_composer(self, _: object, dim: int) -> Composer:
        """Parts of all chips, row by row."""
        return Composer((dim,), (prod(self.shape),))

    def distribute_tensor(self, x: Tensor, mapper: Mapper, _: object) -> Parts:
        """The part or copy of each chip."""
        axes = self.shape if len(mapper.dims) == len(self.shape) else (prod(self.shape),)
        return Parts(_divided(x, mapper.dims, axes))

    def aggregate_tensor(self, parts: Parts, composer: Composer) -> Tensor:
        """Parts of the first chips along each axis, side by side."""
        axes = self.shape if len(composer.shape) == len(self.shape) else (prod(self.shape),)
        chips = np.arange(prod(self.shape)).reshape(axes)[tuple(slice(extent) for extent in composer.shape)]
        return made(parts[0], _joined(parts, chips, composer.dims))

    def from_device(self, x: Any) -> Any:
        """A copy on the host."""
        return Parts(made(part, part.values.copy()) for part in x) if isinstance(x, Parts) else x

    def get_device_tensors(self, parts: Tensor | Parts) -> Sequence[Tensor]:
        """What each chip has."""
        return parts if isinstance(parts, Parts) else [parts]

    def all_gather(self, parts: Parts, *, dim: int, cluster_axis: int, **_: Any) -> Parts:
        """What all along an axis have, side by side."""
        return self._between(parts, cluster_axis, lambda held: [np.concatenate(held, dim)] * len(held))

    def all_reduce(self, parts: Parts, *, cluster_axis: int, **_: Any) -> Parts:
        """Sums over an axis."""
        return self._between(parts, cluster_axis, lambda held: [np.sum(held, 0)] * len(held))

    def reduce_scatter(self, parts: Parts, *, dim: int, cluster_axis: int, **_: Any) -> Parts:
        """A part of the sums over an axis for each chip along it."""
        return self._between(parts, cluster_axis, lambda held: np.split(np.sum(held, 0), len(held), dim))

    def mesh_partition(self, parts: Parts, dim: int, cluster_axis: int | None = None, **_: Any) -> Parts:
        """Each chip's own part of what all along an axis have."""
        return self._between(
            parts, cluster_axis, lambda held: [np.split(x, len(held), dim)[i] for i, x in enumerate(held)]
        )

    def all_broadcast(self, parts: Parts, *, cluster_axis: int, **_: Any) -> list[Parts]:
        """What the first along an axis has, the second, and so on."""
        places = range(self.shape[cluster_axis])
        return [self._between(parts, cluster_axis, lambda held, i=i: [held[i]] * len(held)) for i in places]

    def rms_norm_pre_all_gather(self, parts: Parts, **_: Any) -> Parts:
        """The mean of squares."""
        return Parts(made(x, np.mean(x.values**2, -1, keepdims=True)) for x in parts)

    def rms_norm_post_all_gather(
        self, parts: Parts, gathered: Parts, *, epsilon: float, weight: Parts, **_: Any
    ) -> Parts:
        """By the mean of all means, all parts being as wide."""
        each = zip(parts, gathered, weight, strict=True)
        return Parts(
            made(x, x.values / np.sqrt(s.values.mean(-1, keepdims=True) + epsilon) * w.values) for x, s, w in each
        )

    def _exchange(self, parts: Parts, *, in_dim: int, out_dim: int, cluster_axis: int, **_: Any) -> Parts:
        def exchanged(held: list[Array]) -> list[Array]:
            split = [np.split(x, len(held), in_dim) for x in held]
            return [np.concatenate([pieces[i] for pieces in split], out_dim) for i in range(len(held))]

        return self._between(parts, cluster_axis, exchanged)

    def _between(self, parts: Parts, axis: int | None, function: Callable[[list[Array]], Sequence[Array]]) -> Parts:
        """What the function gives each chip of those along an axis, of what they have."""
        chips = np.arange(len(parts)).reshape(self.shape)
        lines = chips.reshape(1, -1) if axis is None else np.moveaxis(chips, axis, -1).reshape(-1, self.shape[axis])
        found: dict[int, Tensor] = {}
        for line in lines.tolist():
            results = function([parts[chip].values for chip in line])
            found |= {chip: made(parts[chip], values) for chip, values in zip(line, results, strict=True)}
        return Parts(found[chip] for chip in range(len(parts)))


def _divided(x: Tensor, dims: Sequence[int | None], axes: Sequence[int]) -> Iterator[Tensor]:
    for place in np.ndindex(*axes):
        values = x.values
        for dim, count, at in zip(dims, axes, place, strict=True):
            values = values if dim is None else np.split(values, count, dim)[at]
        yield made(x, values.copy())


def _joined(parts: Parts, chips: Array, dims: Sequence[int]) -> Array:
    if not dims:
        return parts[int(chips)].values
    return np.concatenate([_joined(parts, line, dims[1:]) for line in chips], dims[0])


def _on_each(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on what each chip has, where it is given that."""

    def called(*arguments: Any, **keywords: Any) -> Any:
        lists = [x for x in _flat((*arguments, *keywords.values())) if isinstance(x, Parts)]
        if not lists:
            return function(*arguments, **keywords)
        chips = range(len(lists[0]))
        found = [
            function(*_at(arguments, chip), **dict(zip(keywords, _at(tuple(keywords.values()), chip), strict=True)))
            for chip in chips
        ]
        several = isinstance(found[0], list | tuple)
        return [Parts(held) for held in zip(*found, strict=True)] if several else Parts(found)

    return called


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        yield value
        if isinstance(value, list) and not isinstance(value, Parts):
            yield from value


def _at(values: Sequence[Any], chip: int) -> list[Any]:
    return [_chip(value, chip) for value in values]


def _chip(value: Any, chip: int) -> Any:
    if isinstance(value, Parts):
        return value[chip]
    return [_chip(v, chip) for v in value] if isinstance(value, list) else value
