"""The graph of a step as an exported program, with state as buffers that it writes to."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from torch.utils import _pytree as pytree

from ttstack.frontends.torch.names import unique

TARGET = "target"
"""The name of the loss's second input; `target.0` and so on for several."""


class StepProgram(ExportedProgram):
    """A training step; other steps may write to parameters that it only reads, unless they are frozen."""


def build_program(
    forward: ExportedProgram, traced: fx.GraphModule, state: Mapping[str, torch.Tensor], targets: Sequence[torch.Tensor]
) -> ExportedProgram:
    """Return the program of a graph whose placeholders are `state`, the inputs of `forward`, and targets."""
    graph = traced.graph
    placeholders = graph.find_nodes(op="placeholder")
    kept, given = placeholders[: len(state)], placeholders[len(state) :]
    constants = dict(forward.constants)
    literals = _lift_constants(traced, given, constants)
    inputs = _add_numbers(graph, forward, given)
    specs = [
        *map(_state_spec(forward), state, kept),
        *(InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(n.name), name) for name, n in literals.items()),
        *(InputSpec(InputKind.USER_INPUT, argument, None) for argument in inputs),
    ]
    (loss,) = graph.output_node().all_input_nodes
    graph.output_node().args = ((loss,),)
    outputs = [OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(loss.name), None)]
    return StepProgram(
        root=traced,
        graph=graph,
        graph_signature=ExportGraphSignature(specs, outputs),
        state_dict={name: t.detach() if _is_written(t) else t for name, t in state.items() if name not in constants},
        range_constraints={},
        module_call_graph=[ModuleCallEntry("", _signature(forward, targets))],
        constants=constants,
        verifiers=list(forward.verifiers),
    )


def _is_written(value: torch.Tensor) -> bool:
    """Return True for a trained parameter, which becomes a buffer."""
    return value.requires_grad


def _state_spec(forward: ExportedProgram) -> Any:
    """Return a function that creates the spec of a state value: the model's own, or a buffer if it is written to."""
    own = {spec.target: spec for spec in forward.graph_signature.input_specs}

    def spec(name: str, node: fx.Node) -> InputSpec:
        found = own.get(name)
        if found is None or (found.kind == InputKind.PARAMETER and forward.state_dict[name].requires_grad):
            return InputSpec(InputKind.BUFFER, TensorArgument(node.name), name, persistent=True)
        return InputSpec(found.kind, TensorArgument(node.name), name, found.persistent)

    return spec


def _lift_constants(traced: fx.GraphModule, given: Sequence[fx.Node], constants: dict[str, Any]) -> dict[str, fx.Node]:
    """Add placeholders before `given` for the graph's constant tensors, which are added to `constants`."""
    lifted = dict[str, fx.Node]()
    for node in traced.graph.find_nodes(op="get_attr"):
        name = str(node.target)
        if name not in lifted:
            constants[name] = getattr(traced, name)
            with traced.graph.inserting_before(given[0]):
                lifted[name] = traced.graph.placeholder(f"c_{name}")
            lifted[name].meta["val"] = node.meta["val"]
        node.replace_all_uses_with(lifted[name])
        traced.graph.erase_node(node)
    return lifted


def _add_numbers(
    graph: fx.Graph, forward: ExportedProgram, given: Sequence[fx.Node]
) -> list[TensorArgument | ConstantArgument]:
    """Return the inputs in order, with placeholders for numbers and None between the tensors in `given`."""
    left, arguments = list(given), list[TensorArgument | ConstantArgument]()
    for spec in forward.graph_signature.input_specs:
        if spec.kind != InputKind.USER_INPUT:
            continue
        if not isinstance(spec.arg, ConstantArgument):
            arguments.append(TensorArgument(left.pop(0).name))
            continue
        anchor = left[0] if left else next(n for n in graph.nodes if n.op != "placeholder")
        with graph.inserting_before(anchor):
            node = graph.placeholder(spec.arg.name)
        node.meta["val"] = spec.arg.value
        arguments.append(ConstantArgument(node.name, spec.arg.value))
    return [*arguments, *(TensorArgument(node.name) for node in left)]


def _signature(forward: ExportedProgram, targets: Sequence[torch.Tensor]) -> ModuleCallSignature:
    """Return a signature with the model's input structure, then named targets, and the loss by name."""
    signature = forward.module_call_graph[0].signature
    assert signature is not None
    args, kwargs = pytree.tree_unflatten(range(signature.in_spec.num_leaves), signature.in_spec)
    names = list(signature.forward_arg_names or ())
    *_, target = unique([*names, TARGET])
    wanted = {target: targets[0] if len(targets) == 1 else tuple(targets)} if targets else {}
    in_spec = pytree.tree_structure((args, {**kwargs, **wanted}))
    out_spec = pytree.tree_structure({"loss": 0})
    return ModuleCallSignature([], [], in_spec, out_spec, [*names, *wanted])
