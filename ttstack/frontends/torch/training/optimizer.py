"""PyTorch's optimizers: their state by name, and their update on given tensors."""

import copy
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn
from torch.optim import SGD, Optimizer

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.source_lines import as_source_error

PREFIX = "optimizer."
"""The prefix of the names of optimizer state: `optimizer.exp_avg.encoder.weight`, `optimizer.step`."""

OptimizerLike = Optimizer | Callable[[Iterable[nn.Parameter]], Optimizer]

_SPELLING = {"foreach": False, "fused": False, "capturable": True, "differentiable": False}
"""Options that select a separate update for each parameter, in tensors only, without changing values."""


class NamedOptimizer:
    """An optimizer with parameters and state by name; the original is unchanged."""

    def __init__(self, optimizer: OptimizerLike, model: nn.Module) -> None:
        """Raise a SourceError if it is not an optimizer, or has parameters that the model does not have."""
        self._names = {parameter: name for name, parameter in model.named_parameters()}
        with as_source_error("the optimizer", "it is called with the model's parameters"):
            made = optimizer(model.parameters()) if callable(optimizer) else optimizer
        if not isinstance(made, Optimizer):
            raise SourceError(
                f"the optimizer is a {type(made).__name__}",
                hint="give a torch.optim.Optimizer, or a function that makes one of parameters",
            )
        closure = inspect.signature(inspect.unwrap(type(made).step)).parameters.get("closure")
        if closure is not None and closure.default is closure.empty:
            raise SourceError(
                f"`{type(made).__name__}` computes the loss several times in a step, which is no one program",
                hint="take an optimizer whose `step` needs no closure",
            )
        self._optimizer = made
        groups: list[dict[str, Any]] = made.param_groups
        self._trained = [p for group in groups for p in group["params"] if p.requires_grad]
        if any(p not in self._names for p in self._trained):
            raise SourceError(
                "the optimizer holds parameters that the model does not have",
                hint="make it of model.parameters() of the model that is compiled",
            )
        self._state = {p: self._begin(p) for p in self._trained}
        self._shared = self._find_shared()

    @property
    def trained(self) -> list[str]:
        """The names of the parameters that it updates."""
        return [self._names[p] for p in self._trained]

    def state(self) -> dict[str, torch.Tensor]:
        """Return its state between steps by name; state that all parameters share, such as `step`, once."""
        return {self._name(p, key): value for p, kept in self._state.items() for key, value in kept.items()}

    def update(
        self, values: Mapping[str, torch.Tensor], state: Mapping[str, torch.Tensor], factor: torch.Tensor | None = None
    ) -> None:
        """Update the parameters `values`, which have gradients, and `state`, in place.

        `factor` multiplies the rate of every group. As the rate of PyTorch's SGD cannot be a tensor, its update, which
        is proportional to it, is scaled instead.
        """
        if factor is not None and isinstance(self._optimizer, SGD):
            before = {name: value.clone() for name, value in values.items()}
            self.update(values, state)
            for name, value in values.items():
                value.copy_(torch.lerp(before[name], value, factor))
            return
        stand_ins = {p: values[self._names[p]] for p in self._trained}
        made = copy.copy(self._optimizer)
        made.param_groups = [_respell(group, stand_ins, factor) for group in self._optimizer.param_groups]
        kept = {p: {key: self._tensor(state, p, key) for key in found} for p, found in self._state.items()}
        made.state = defaultdict(dict, {stand_ins[p]: tensors for p, tensors in kept.items()})
        with as_source_error("the optimizer's step", "it is called without a closure, on tensors without values"):
            inspect.unwrap(type(made).step)(made)
        for key in self._shared:
            state[f"{PREFIX}{key}"].copy_(kept[self._trained[0]][key])

    def _tensor(self, state: Mapping[str, torch.Tensor], parameter: nn.Parameter, key: str) -> torch.Tensor:
        found = state[self._name(parameter, key)]
        return found.clone() if key in self._shared else found

    def _name(self, parameter: nn.Parameter, key: str) -> str:
        return f"{PREFIX}{key}" if key in self._shared else f"{PREFIX}{key}.{self._names[parameter]}"

    def _begin(self, parameter: nn.Parameter) -> dict[str, torch.Tensor]:
        """Return the state of one parameter: the optimizer's own, or the initial one."""
        found = self._optimizer.state.get(parameter) or _first_state(self._optimizer, parameter)
        return {key: value.detach().clone() for key, value in found.items() if isinstance(value, torch.Tensor)}

    def _find_shared(self) -> set[str]:
        """Return the names of numbers that are equal for all parameters."""
        states = list(self._state.values())
        keys = set[str]().union(*states)
        return {key for key in keys if all(key in s and not s[key].dim() for s in states) and _equal(states, key)}


def _equal(states: list[dict[str, torch.Tensor]], key: str) -> bool:
    """Return True if all have the same number, or have no values."""
    if any(state[key].is_meta for state in states):
        return all(state[key].is_meta for state in states)
    return all(torch.equal(state[key], states[0][key]) for state in states)


def _respell(
    group: Mapping[str, Any], stand_ins: Mapping[nn.Parameter, torch.Tensor], factor: torch.Tensor | None
) -> dict[str, Any]:
    spelled = {key: value for key, value in _SPELLING.items() if key in group}
    rate = group["lr"] if factor is None else factor * group["lr"]
    return {**group, **spelled, "lr": rate, "params": [stand_ins[p] for p in group["params"] if p in stand_ins]}


def _first_state(optimizer: Optimizer, parameter: nn.Parameter) -> dict[str, Any]:
    """Return the state that PyTorch's optimizers create before their first step; SGD's momentum starts at zero.

    Raises:
        SourceError: it is an optimizer of another kind, which creates state as it steps.
    """
    group = next(g for g in optimizer.param_groups if any(p is parameter for p in g["params"]))
    if isinstance(optimizer, SGD):
        return _first_momentum(group, parameter)
    begin = getattr(optimizer, "_init_group", None)
    if begin is None:
        raise SourceError(
            f"what `{type(optimizer).__name__}` begins with is not known", hint="take one step of it before compiling"
        )
    made = copy.copy(optimizer)
    made.state = defaultdict(dict)
    stand_in = parameter.detach().clone().requires_grad_()
    stand_in.grad = torch.zeros_like(stand_in)
    lists = len(inspect.signature(begin).parameters) - 1
    spelled = {key: value for key, value in _SPELLING.items() if key in group}
    type(optimizer)._init_group(made, {**group, **spelled, "params": [stand_in]}, *([] for _ in range(lists)))  # type: ignore[attr-defined]
    return made.state[stand_in]


def _first_momentum(group: Mapping[str, Any], parameter: nn.Parameter) -> dict[str, torch.Tensor]:
    if not group["momentum"]:
        return {}
    if group["dampening"]:
        raise SourceError(
            "SGD with dampening does not dampen its first step, so that this is another program than the others",
            hint="take one step before compiling, or use dampening=0",
        )
    return {"momentum_buffer": torch.zeros_like(parameter)}
