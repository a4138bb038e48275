"""What the factories of all families share: how a model is made, and its inputs."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import nn

Example = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]
"""A model in evaluation mode, its positional arguments and its keyword arguments."""

Factory = Callable[[], Example]


def seeded(factory: Factory) -> Factory:
    """The model and its inputs with the same random values in every process."""

    @wraps(factory)
    def made() -> Example:
        with torch.random.fork_rng():
            torch.manual_seed(0)
            return _for_inference(factory())

    return made


def described(factory: Factory) -> Factory:
    """The model and its inputs as shapes without memory, on PyTorch's meta device."""

    @wraps(factory)
    def made() -> Example:
        with torch.device("meta"):
            return _for_inference(factory())

    return made


def tokens(vocabulary: int, batch: int, length: int) -> torch.Tensor:
    """Random token ids, of shape (batch, length)."""
    return torch.randint(0, vocabulary, (batch, length))


def _for_inference(example: Example) -> Example:
    model, args, kwargs = example
    return model.eval().requires_grad_(False), args, kwargs


def with_statistics(model: nn.Module) -> nn.Module:
    """The model with random running statistics in its batch norms, which start at no shift and no scale."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.normal_(module.running_mean, std=0.1)
            nn.init.uniform_(module.running_var, 0.5, 2.0)
    return model
