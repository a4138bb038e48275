"""Networks of the libraries by name: random weights in bf16, depth cut, default sizes, and inputs of batch 1."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from random import Random
from typing import Any

import torch
from torch import nn

from benchmarks.unseen.cut import cut_configuration, cut_modules
from benchmarks.unseen.inputs import Sizes, diffusers_inputs, transformers_inputs
from benchmarks.unseen.libraries import torchvision

Built = tuple[nn.Module, list[dict[str, torch.Tensor]]]
"""A network, and inputs by name that it may be exported with: the fewest first."""

_TOKENS = 128, 256
_FRAMES = 16


def build(library: str, name: str, *, cut: bool) -> Built:
    """A network in evaluation mode with its depth cut or whole, the same in every process."""
    torch.manual_seed(0)
    torchvision()
    model, inputs = _BUILDERS[library](name, cut)
    return model.to(torch.bfloat16).eval().requires_grad_(False), [_in_bf16(given) for given in inputs]


def _in_bf16(inputs: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: x.to(torch.bfloat16) if x.is_floating_point() else x for name, x in inputs.items()}


def _of_transformers(name: str, cut: bool) -> Built:
    auto = import_module("transformers.models.auto")
    family = auto.configuration_auto.CONFIG_MAPPING[name]
    config = family()
    if cut:
        config = family.from_dict(cut_configuration(config.to_dict()))
    for part in (config, getattr(config, "text_config", None)):
        if part is not None and hasattr(part, "use_cache"):
            part.use_cache = False
    model = auto.modeling_auto.AutoModel.from_config(config, dtype=torch.bfloat16)
    sizes = Sizes(config.to_dict(), Random(name).choice(_TOKENS))
    taken = list(inspect.signature(model.forward).parameters)
    first = [model.main_input_name, *(["decoder_input_ids"] if "decoder_input_ids" in taken else [])]
    return model, list(_candidates(first, taken, transformers_inputs(sizes)))


def _of_diffusers(name: str, cut: bool) -> Built:
    family = getattr(import_module("diffusers"), name)
    parameters = inspect.signature(family.__init__).parameters.values()
    config = {p.name: p.default for p in parameters if p.default is not p.empty}
    chosen = cut_configuration(config) if cut else config
    model = family(**{field: value for field, value in chosen.items() if value != config[field]})
    sizes = Sizes(dict(model.config), Random(name).choice(_TOKENS))
    arguments = inspect.signature(model.forward).parameters.values()
    required = [p.name for p in arguments if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    taken = [p.name for p in arguments if p.kind is not p.VAR_KEYWORD]
    return model, [
        inputs
        for frames_first in (False, True)
        for inputs in _candidates(required, taken, diffusers_inputs(sizes, frames_first=frames_first))
    ]


def _candidates(
    first: list[str], taken: list[str], inputs: Mapping[str, torch.Tensor]
) -> Iterator[dict[str, torch.Tensor]]:
    for names in (first, [*first, *taken]):
        yield {name: inputs[name].clone() for name in names if name in inputs}


def _of_timm(name: str, cut: bool) -> Built:
    model = import_module("timm").create_model(name, pretrained=False)
    if cut:
        cut_modules(model)
    return model, [{_first_parameter(model): torch.randn(1, *model.pretrained_cfg["input_size"])}]


def _of_torchvision(name: str, cut: bool) -> Built:
    models = torchvision().models
    model = models.get_model(name, weights=None, **_without_weights(models.get_model_builder(name)))
    if cut:
        cut_modules(model)
    side = _side(models.get_model_weights(name))
    sizes = (1, 3, side, side) if ".video" not in type(model).__module__ else (1, 3, _FRAMES, side, side)
    one = {_first_parameter(model): torch.randn(sizes)}
    images = [name for name, p in inspect.signature(model.forward).parameters.items() if p.default is p.empty]
    return model, [one, {name: torch.randn(sizes) for name in images}]


def _without_weights(builder: Callable[..., nn.Module]) -> dict[str, None]:
    return {name: None for name in inspect.signature(builder).parameters if name.startswith("weights_")}


def _side(weights: Any) -> int:
    preset = next(iter(weights)).transforms() if len(weights) else None
    size = getattr(preset, "crop_size", None) or getattr(preset, "resize_size", None) or [224]
    return size if isinstance(size, int) else size[0]


def _first_parameter(model: nn.Module) -> str:
    return next(iter(inspect.signature(model.forward).parameters))


_BUILDERS: Mapping[str, Callable[[str, bool], Built]] = {
    "transformers": _of_transformers,
    "diffusers": _of_diffusers,
    "timm": _of_timm,
    "torchvision": _of_torchvision,
}
