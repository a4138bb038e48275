"""Programs in tt-mlir's text, for one chip or for all chips of a mesh."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from math import prod

Shape = Sequence[int]


@dataclass
class Text:
    """One function, line by line; values are known by name, with their shapes."""

    mesh: tuple[int, int] = (1, 1)
    lines: list[str] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    numbers: count = field(default_factory=count)
    dtype: str = "f32"
    dtypes: dict[str, str] = field(default_factory=dict)
    """Element types of values that have another than `dtype`."""

    def type(self, shape: Shape, dtype: str = "") -> str:
        return f"tensor<{''.join(f'{e}x' for e in shape)}{dtype or self.dtype}>"

    def type_of(self, value: str) -> str:
        return self.type(self.shapes[value], self.dtypes.get(value, ""))

    def argument(self, *shape: int, dtype: str = "") -> str:
        name = f"%arg{len(self.arguments)}"
        self.arguments.append(name)
        self.shapes[name], self.dtypes[name] = shape, dtype
        return name

    def ops(
        self, mnemonic: str, operands: Sequence[str], results: Sequence[tuple[Shape, str]], attributes: str
    ) -> list[str]:
        """An op with several results, each of a shape and an element type."""
        name = f"%{next(self.numbers)}"
        names = [f"{name}#{i}" for i in range(len(results))]
        for result, (shape, dtype) in zip(names, results, strict=True):
            self.shapes[result], self.dtypes[result] = tuple(shape), dtype
        types, made = (", ".join(map(self.type_of, side)) for side in (operands, names))
        left = f"{name}:{len(names)} = "
        self.lines.append(f'{left}"ttir.{mnemonic}"({", ".join(operands)}) <{{{attributes}}}> : ({types}) -> ({made})')
        return names

    def op(self, mnemonic: str, operands: Sequence[str], shape: Shape, attributes: str = "") -> str:
        name = f"%{next(self.numbers)}"
        dtype = self.dtypes.get(operands[0], "")
        types = ", ".join(map(self.type_of, operands))
        properties = f" <{{{attributes}}}>" if attributes else ""
        line = f'{name} = "ttir.{mnemonic}"({", ".join(operands)}){properties} : ({types}) -> {self.type(shape, dtype)}'
        self.lines.append(line)
        self.shapes[name], self.dtypes[name] = tuple(shape), dtype
        return name

    def matmul(self, a: str, b: str) -> str:
        return self.op("matmul", [a, b], (*self.shapes[a][:-1], self.shapes[b][-1]))

    def elementwise(self, mnemonic: str, *operands: str) -> str:
        return self.op(mnemonic, operands, self.shapes[operands[0]])

    def shard(self, value: str, dims: tuple[int, int], direction: str = "full_to_shard", kind: str = "") -> str:
        """Parts of a value, divided over the mesh's axes along `dims`; replicated where no axis divides it."""
        kind = kind or ("devices" if max(dims) >= 0 else "replicate")
        shape = self.shapes[value]
        parts = [prod(self.mesh[a] for a in (0, 1) if dims[a] == d) for d in range(len(shape))]
        along: tuple[int, ...] = dims
        if kind in ("replicate", "maximal"):
            parts, along, out = [1], (-1,), shape
        elif direction == "full_to_shard":
            out = tuple(e // p for e, p in zip(shape, parts, strict=True))
        else:
            out = tuple(e * p for e, p in zip(shape, parts, strict=True))
        return self.op(
            "mesh_shard",
            [value],
            out,
            f"shard_dims = array<i64: {', '.join(map(str, along))}>, "
            f"shard_direction = #ttcore.shard_direction<{direction}>, "
            f"shard_shape = array<i64: {', '.join(map(str, parts))}>, shard_type = #ttcore.shard_type<{kind}>",
        )

    def join(self, value: str, dims: tuple[int, int] = (-1, -1)) -> str:
        """The whole value that parts on the devices make."""
        return self.shard(value, dims, "shard_to_full")

    def all_reduce(self, value: str, axis: int, kind: str = "sum", mnemonic: str = "all_reduce") -> str:
        attributes = f"cluster_axis = {axis} : ui32, reduce_type = #ttcore.reduce_type<{kind}>"
        return self.op(mnemonic, [value], self.shapes[value], attributes)

    def all_gather(self, value: str, axis: int, dim: int) -> str:
        attributes = f"all_gather_dim = {dim} : si32, cluster_axis = {axis} : ui32"
        return self.op("all_gather", [value], self.resized(value, dim, self.mesh[axis]), attributes)

    def reduce_scatter(self, value: str, axis: int, dim: int) -> str:
        attributes = f"cluster_axis = {axis} : ui32, reduce_type = #ttcore.reduce_type<sum>, scatter_dim = {dim} : si32"
        return self.op("reduce_scatter", [value], self.resized(value, dim, 1 / self.mesh[axis]), attributes)

    def resized(self, value: str, dim: int, factor: float) -> tuple[int, ...]:
        shape = list(self.shapes[value])
        shape[dim] = int(shape[dim] * factor)
        return tuple(shape)

    def module(self, *outputs: str) -> str:
        arguments = ", ".join(f"{a}: {self.type_of(a)}" for a in self.arguments)
        results = ", ".join(map(self.type_of, outputs))
        rows, cols = self.mesh
        body = "\n".join(f"    {line}" for line in self.lines)
        return (
            f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = {rows}x{cols}>]>}} {{\n'
            f"  func.func @main({arguments}) -> ({results}) {{\n{body}\n"
            f"    return {', '.join(outputs)} : {results}\n  }}\n}}\n"
        )
