"""The model lists of the libraries that networks are drawn from."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch

_OPERATORS = "nms", "qnms"
"""Ops that torchvision describes when it is imported, and that its library of compiled ops defines."""


@dataclass(frozen=True)
class Entry:
    """A network of a library: its name there, and the module that defines it."""

    library: str
    name: str
    module: str

    @property
    def family(self) -> str:
        """The first word of the name in lower case: `resnet` of `resnet50_gn`, `autoencoder` of `AutoencoderKL`."""
        return first_word(self.name)


def first_word(name: str) -> str:
    """The first word of a name in snake case or camel case, in lower case and without digits."""
    word = re.match(r"[A-Z]*[a-z]+|[A-Za-z]+", name)
    return word[0].lower() if word else name.lower()


def torchvision() -> Any:
    """Return torchvision, also where its compiled ops do not fit the installed PyTorch."""
    try:
        return import_module("torchvision")
    except RuntimeError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        _DEFINED.append(torch.library.Library("torchvision", "FRAGMENT"))
        for op in _OPERATORS:
            _DEFINED[-1].define(f"{op}(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor")
        return import_module("torchvision")


_DEFINED: list[torch.library.Library] = []
"""Ops stay defined as long as these are referenced."""


def _of_transformers() -> Iterator[Entry]:
    torchvision()
    auto = import_module("transformers.models.auto")
    for name in auto.modeling_auto.MODEL_MAPPING_NAMES:
        yield Entry("transformers", name, auto.configuration_auto.model_type_to_module_name(name))


def _of_diffusers() -> Iterator[Entry]:
    torchvision()
    library = import_module("diffusers")
    for name in sorted(dir(library)):
        made = getattr(library, name, None)
        if isinstance(made, type) and issubclass(made, library.ModelMixin) and made is not library.ModelMixin:
            yield Entry("diffusers", name, made.__module__.rpartition(".")[2])


def _of_timm() -> Iterator[Entry]:
    torchvision()
    timm = import_module("timm")
    for module in timm.list_modules():
        yield from (Entry("timm", name, module) for name in timm.list_models(module=module))


def _of_torchvision() -> Iterator[Entry]:
    models = torchvision().models
    for name in models.list_models():
        yield Entry("torchvision", name, models.get_model_builder(name).__module__.rpartition(".")[2])


LIBRARIES: Mapping[str, Callable[[], Iterator[Entry]]] = {
    "transformers": _of_transformers,
    "diffusers": _of_diffusers,
    "timm": _of_timm,
    "torchvision": _of_torchvision,
}
