"""The functions that a program's loops run: which they are, and whether they fit the loop."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.fault import name_operation
from ttstack.program.records import Function, Operation, TensorKind

_BODY, _CONDITION, _CARRIED = "body", "condition", "carried"


def called_names(operation: Operation) -> tuple[str, ...]:
    """Return the names of the functions that an operation runs, in the order of its definition."""
    definition = OPS.get(operation.name)
    names = (operation.attributes.get(attribute) for attribute in (definition.functions if definition else ()))
    return tuple(str(name) for name in names if name)


def attach_loops(function: Function, others: Mapping[str, Function], running: tuple[str, ...] = ()) -> Function:
    """Return the function with the functions that its loops run.

    Raises:
        ValueError: a loop runs a function that there is not, or one that runs the loop.
    """
    found: dict[str, Function] = {}
    for operation in function.operations:
        for name in called_names(operation):
            if name not in others:
                raise ValueError(f"{operation.name} runs the function '{name}', which there is not")
            if name in (*running, function.name):
                raise ValueError(f"{operation.name} runs the function '{name}', which runs it")
            if name not in found:
                found[name] = attach_loops(others[name], others, (*running, function.name))
    return replace(function, loops=tuple(found.values())) if found else function


def loop_faults(function: Function) -> Iterator[str]:
    """Yield why functions do not fit the loops of a function that run them; its references must be valid."""
    known = {loop.name: loop for loop in function.loops}
    if len(known) < len(function.loops):
        yield f"two functions of its loops have one name among {', '.join(loop.name for loop in function.loops)}"
    for operation in function.operations:
        for name in called_names(operation):
            why = _fault(function, operation, name, known[name]) if name in known else "which there is not"
            if why:
                yield f"{name_operation(function, operation)} runs the function '{name}', {why}"


def _fault(function: Function, operation: Operation, name: str, loop: Function) -> str | None:
    given = [function.tensors[i].type for i in operation.operands if i is not None]
    taken = [tensor.type for tensor in loop.arguments.values()]
    if given != taken:
        return f"which takes {_spell(taken)}, not {_spell(given)}"
    made = [loop.tensors[output.tensor].type for output in loop.outputs]
    if name == operation.attributes.get(_BODY) and made != given[: operation.attributes[_CARRIED]]:
        return f"which gives {_spell(made)}, not {_spell(given[: operation.attributes[_CARRIED]])}"
    is_truth = len(made) == 1 and made[0].dtype is DType.I1 and made[0].size == 1
    if name == operation.attributes.get(_CONDITION) and not is_truth:
        return f"which gives {_spell(made)}, not one truth value"
    return None


def _spell(types: list[TensorType]) -> str:
    return ", ".join(map(str, types)) or "nothing"


def loop_arguments(loop: Function) -> tuple[str, ...]:
    """Return the names of what an iteration takes, in order: parameters are found by name."""
    return tuple(t.name for t in (loop.tensors[i] for i in loop.inputs) if t.kind is TensorKind.INPUT)
