"""Which part of a step an op belongs to, before the module's path."""

from collections.abc import Mapping

from torch import fx

from ttstack.frontends.torch.source_lines import module_of_node
from ttstack.program.step_parts import StepPart

PHASE = "phase"
"""The key of an op's annotation, which `torch.fx.traceback.annotate` makes."""


def name_phases(graph: fx.Graph) -> None:
    """Let the path of every op's module begin with its part; gradients are of the module whose op they belong to.

    An op of the backward pass has the number of the autograd node that the forward pass made.
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
