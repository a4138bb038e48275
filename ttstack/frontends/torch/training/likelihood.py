"""The negative log-likelihood loss without lookups by class, as rows of a large vocabulary do not fit a core."""

import torch

Tensors = tuple[torch.Tensor, torch.Tensor]
_MEAN, _SUM = 1, 2
"""PyTorch's numbers of reductions; 0 is none."""


def nll_loss_forward(
    found: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None, reduction: int, ignore_index: int
) -> Tensors:
    """Return the loss, and the total weight of targets, as `aten.nll_loss_forward`."""
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
    """Return the gradient of `found`, as `aten.nll_loss_backward`."""
    scale = gradient / total_weight if reduction == _MEAN else gradient
    each = scale if reduction else scale.unsqueeze(-1)
    return _weighted(found, _picked(found, target, ignore_index), weight) * -each


def _picked(found: torch.Tensor, target: torch.Tensor, ignore_index: int) -> torch.Tensor:
    """Return whether each element is the target's class of its row."""
    classes = torch.arange(found.shape[-1], device=found.device)
    return (classes == target.unsqueeze(-1)) & (target != ignore_index).unsqueeze(-1)


def _weighted(found: torch.Tensor, picked: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    """Return the weight of the target's class in each row, and 0 elsewhere."""
    return picked.to(found.dtype) if weight is None else picked * weight


DECOMPOSITIONS = {
    torch.ops.aten.nll_loss_forward.default: nll_loss_forward,
    torch.ops.aten.nll_loss_backward.default: nll_loss_backward,
}
