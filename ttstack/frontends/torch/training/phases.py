"""The phase of a step that each op belongs to, in front of the module's path."""

from collections.abc import Mapping

from torch import fx

from ttstack.frontends.torch.source_lines import module_of_node
from ttstack.program.step_parts import StepPart

PHASE = "phase"
"""The key of an op's annotation by `torch.fx.traceback.annotate`."""


def name_phases(graph: fx.Graph) -> None:
    """Prefix the module path of every op with its phase; gradients have the module of their forward op.

    Ops of the backward pass have the number of the autograd node from the forward pass.
    """
    modules = dict[object, str]()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        phase, number = _phase(node), node.meta.get("seq_nr")
        module = module_of_node(node)
        if phase == StepPart.FORWARD:
            modules.setdefault(number, module)
        elif phase == StepPart.BACKWARD:
            module = modules.get(number, "")
        node.meta["nn_module_stack"] = {"": (".".join(filter(None, (phase, module))), "")}


def _phase(node: fx.Node) -> str:
    annotated: Mapping[str, str] = node.meta.get("custom") or {}
    return annotated.get(PHASE, StepPart.FORWARD)
