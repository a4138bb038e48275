"""The negative log-likelihood of classes without lookups by class: rows of a large vocabulary fit no core."""

import torch

Tensors = tuple[torch.Tensor, torch.Tensor]
_MEAN, _SUM = 1, 2
"""How PyTorch numbers reductions; 0 is none."""


def nll_loss_forward(
    found: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None, reduction: int, ignore_index: int
) -> Tensors:
    """The loss, and the weight of all targets, as `aten.nll_loss_forward` gives them."""
    mask = _picked(found, target, ignore_index)
    picked = _weighted(found, mask, weight)
    chosen = torch.where(mask, found, 0)  # no product: what is not picked may be minus infinity
    losses, total = -(chosen if weight is None else chosen * picked).sum(-1), picked.sum()
    if reduction == _MEAN:
        return losses.sum() / total, total
    return (losses.sum() if reduction == _SUM else losses), total


def nll_loss_backward(
    gradient: torch.Tensor,
    found: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: torch.Tensor,
) -> torch.Tensor:
    """The gradient of what was `found`, as `aten.nll_loss_backward` gives it."""
    scale = gradient / total_weight if reduction == _MEAN else gradient
    each = scale if reduction else scale.unsqueeze(-1)
    return _weighted(found, _picked(found, target, ignore_index), weight) * -each


def _picked(found: torch.Tensor, target: torch.Tensor, ignore_index: int) -> torch.Tensor:
    """Where the target's class stands in each row."""
    classes = torch.arange(found.shape[-1], device=found.device)
    return (classes == target.unsqueeze(-1)) & (target != ignore_index).unsqueeze(-1)


def _weighted(found: torch.Tensor, picked: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    """The weight of the target's class in each row, and 0 elsewhere."""
    return picked.to(found.dtype) if weight is None else picked * weight


DECOMPOSITIONS = {
    torch.ops.aten.nll_loss_forward.default: nll_loss_forward,
    torch.ops.aten.nll_loss_backward.default: nll_loss_backward,
}
