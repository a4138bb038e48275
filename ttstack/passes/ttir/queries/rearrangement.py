"""Chains of reshapes and permutations as one: which part of which axis stands where."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

Atom = tuple[int, ...]
"""A part of an axis: the axis, then which part of each cut. In the order of tuples they lie as in the source."""


@dataclass(frozen=True)
class Rearrangement:
    """The elements of a tensor in another order; axes of extent 1 hold no atom."""

    sizes: dict[Atom, int]
    dims: tuple[tuple[Atom, ...], ...]
    """The atoms of each axis of the result, outermost first."""

    @staticmethod
    def of(shape: Sequence[int]) -> "Rearrangement":
        """Nothing moved yet in a tensor of this shape."""
        dims = tuple(((i,),) if extent != 1 else () for i, extent in enumerate(shape))
        return Rearrangement({(i,): extent for i, extent in enumerate(shape) if extent != 1}, dims)

    def permute(self, order: Sequence[int]) -> "Rearrangement":
        """After axis `order[i]` has become axis `i`."""
        return Rearrangement(self.sizes, tuple(self.dims[d] for d in order))

    def reshape(self, shape: Sequence[int]) -> "Rearrangement | None":
        """After the same elements took another shape; None where an axis would hold a part that is no atom."""
        left, sizes, dims = list(reversed(self.flat)), dict(self.sizes), list[tuple[Atom, ...]]()
        for extent in shape:
            atoms: list[Atom] = []
            while (missing := extent // math.prod(sizes[a] for a in atoms)) != 1:
                atom = left.pop()
                if sizes[atom] > missing:
                    if sizes[atom] % missing:
                        return None
                    outer, inner = (*atom, 0), (*atom, 1)
                    sizes |= {outer: missing, inner: sizes[atom] // missing}
                    left.append(inner)
                    atom = outer
                elif missing % sizes[atom]:
                    return None
                atoms.append(atom)
            dims.append(tuple(atoms))
        return Rearrangement(sizes, tuple(dims))

    def resize(self, atom: Atom, extent: int) -> "Rearrangement":
        """The same of a tensor that has `extent` of a part."""
        dims = tuple(tuple(a for a in dim if extent != 1 or a != atom) for dim in self.dims)
        return Rearrangement({**self.sizes, atom: extent}, dims)

    @property
    def flat(self) -> tuple[Atom, ...]:
        """All atoms in the order of the result."""
        return tuple(chain.from_iterable(self.dims))

    @property
    def keeps_order(self) -> bool:
        """Return True if a reshape computes it."""
        return list(self.flat) == sorted(self.flat)

    def order(self, shape: Sequence[int]) -> tuple[int, ...] | None:
        """The permutation of the axes of a source of this shape that it is; None where it cuts or joins some."""
        single = [i for i, extent in enumerate(shape) if extent == 1]
        axes: list[int] = []
        for dim in self.dims:
            if not dim and single:
                axes.append(single.pop(0))
            elif len(dim) == 1 and len(dim[0]) == 1:
                axes.append(dim[0][0])
            else:
                return None
        return tuple(axes) if len(axes) == len(shape) else None

    def in_place(self, rank: int) -> tuple[int, ...] | None:
        """The permutation of the axes of the source, those of extent 1 where they are; None where it cuts one."""
        if any(len(atom) > 1 for atom in self.flat):
            return None
        long, moved = iter(axis for (axis,) in self.flat), {axis for (axis,) in self.flat}
        return tuple(next(long) if axis in moved else axis for axis in range(rank))

    def merge(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """A shape of the source, and a permutation of its axes, with as few axes as do it."""
        ordered = sorted(self.flat)
        rank = {atom: i for i, atom in enumerate(ordered)}
        runs = [[self.flat[0]]]
        for before, atom in pairwise(self.flat):
            if rank[atom] == rank[before] + 1:
                runs[-1].append(atom)
            else:
                runs.append([atom])
        source = sorted(runs, key=lambda run: rank[run[0]])
        return tuple(math.prod(self.sizes[a] for a in run) for run in source), tuple(source.index(r) for r in runs)
