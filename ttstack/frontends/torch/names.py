"""Names of inputs and outputs: argument names of `forward`, and paths into nested structures."""

from collections.abc import Collection, Sequence

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree


def input_names(program: ExportedProgram) -> list[str]:
    """Return a name for each flattened user input: `x`, `batch.dense`, `indices.3`."""
    signature = program.module_call_graph[0].signature
    paths = signature and _paths(signature.in_spec)
    if not signature or paths is None:
        specs = program.graph_signature.input_specs
        return [spec.arg.name for spec in specs if spec.kind == InputKind.USER_INPUT]
    return [".".join(_argument_path(path, signature.forward_arg_names)) for path in paths]


def output_names(program: ExportedProgram, count: int) -> list[str]:
    """Return a name for each of the `count` flattened user outputs: `output`, `output.1`, `pooler_output`."""
    spec = program.call_spec.out_spec
    paths = spec and _paths(spec)
    if paths is None:
        return [f"output.{i}" for i in range(count)]
    return [".".join(("output", *path) if not path or path[0].isdigit() else path) for path in paths]


def unique(names: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """Return `names` in order, with `_1`, `_2`, ... appended to those that are taken or repeated."""
    seen = set(taken)
    result = []
    for name in names:
        free = next(n for n in (name, *(f"{name}_{i}" for i in range(1, len(seen) + 2))) if n not in seen)
        seen.add(free)
        result.append(free)
    return result


def _argument_path(path: tuple[str, ...], forward: list[str] | None) -> tuple[str, ...]:
    kind, key, *inside = path
    if kind == "0":
        positional = forward or []
        key = positional[int(key)] if int(key) < len(positional) else f"arg{key}"
    return (key, *inside)


def _paths(spec: pytree.TreeSpec) -> list[tuple[str, ...]] | None:
    """Return the path of each leaf; None if a class in the structure does not list its keys."""
    try:
        tree = pytree.tree_unflatten(range(spec.num_leaves), spec)
        leaves, _ = pytree.tree_flatten_with_path(tree)
    except Exception:
        return None
    return [tuple(map(_key, path)) for path, _ in leaves]


def _key(entry: object) -> str:
    match entry:
        case pytree.MappingKey(key=key):
            return str(key)
        case pytree.SequenceKey(idx=index):
            return str(index)
        case pytree.GetAttrKey(name=name):
            return name
    return str(entry).strip("[].'")
