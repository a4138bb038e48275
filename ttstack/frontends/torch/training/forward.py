"""The model's forward pass in a step, on parameters and buffers by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from ttstack.frontends.torch.training.dropout import DROPPING, Dropouts

_TYPES = torch.ops.aten._assert_tensor_metadata.default
"""A check that a tensor has its exported type, which autocast violates."""


class _Interpreter(fx.Interpreter):
    """Interprets the graph, with dropout ops replaced by those of the step."""

    def __init__(self, module: fx.GraphModule, dropouts: Dropouts | None) -> None:
        super().__init__(module)
        self._dropouts = dropouts

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Return the result of the op."""
        if target is _TYPES:
            return None
        drop = DROPPING.get(target)
        if drop is None or self._dropouts is None:
            return super().call_function(target, args, kwargs)
        return drop(self._dropouts, *args, **kwargs)


@dataclass(frozen=True)
class ForwardPass:
    """An exported model, with its dropout; `tied` maps other names of a value to its name."""

    program: ExportedProgram
    tied: Mapping[str, str]
    dropouts: Dropouts | None

    def run(self, values: Mapping[str, torch.Tensor], inputs: list[torch.Tensor]) -> Any:
        """Return the model's output for the tensors among its inputs."""
        left = iter(inputs)
        placeholders = self.program.graph.find_nodes(op="placeholder")
        arguments = list[object]()
        for spec, node in zip(self.program.graph_signature.input_specs, placeholders, strict=True):
            if spec.kind != InputKind.USER_INPUT:
                name = str(spec.target)
                arguments.append(values[self.tied.get(name, name)])
            else:
                arguments.append(next(left) if isinstance(node.meta["val"], torch.Tensor) else node.meta["val"])
        results = _Interpreter(self.program.graph_module, self.dropouts).run(*arguments)
        spec = self.program.call_spec.out_spec
        return results if spec is None else pytree.tree_unflatten(results, spec)
