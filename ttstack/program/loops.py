"""The functions that a program's loops run: which they are, and whether they fit the loop."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ttstack.ops.base import OPS
from ttstack.ops.control_flow import While
from ttstack.ops.types import DType, TensorType
from ttstack.program.fault import name_operation
from ttstack.program.records import Function, Operation


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
    op = function.definition(operation)
    assert isinstance(op, While), "no other op runs functions"
    taken = tuple(tensor.type for tensor in loop.arguments.values())
    return interface_fault(op, name, taken, tuple(loop.tensors[output.tensor].type for output in loop.outputs))


def interface_fault(op: While, name: str, taken: Sequence[TensorType], made: Sequence[TensorType]) -> str | None:
    """Return why a function of that name does not fit a loop, from the types that it takes and gives."""
    if tuple(taken) != op.taken:
        return f"which takes {_spell(taken)}, not {_spell(op.taken)}"
    if name == op.body and tuple(made) != op.made:
        return f"which gives {_spell(made)}, not {_spell(op.made)}"
    is_truth = len(made) == 1 and made[0].dtype is DType.I1 and made[0].size == 1
    return f"which gives {_spell(made)}, not one truth value" if name == op.condition and not is_truth else None


def _spell(types: Sequence[TensorType]) -> str:
    return ", ".join(map(str, types)) or "nothing"
