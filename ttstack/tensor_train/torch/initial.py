"""Initialization of cores, so that table entries are distributed as in an ordinary embedding."""
# Not all of PyTorch says its types.
# pyright: reportUnknownMemberType=false

from collections.abc import Iterable
from math import erfc, exp, pi, prod, sqrt
from typing import cast

import torch
from torch import Tensor

from ttstack.tensor_train.shape import TensorTrainPlan

_CUT = 2.0  # standard deviations that samples are drawn beyond

_BEYOND = erfc(_CUT / sqrt(2)) / 2  # probability of one tail
_VARIANCE = 1 + _CUT * exp(-(_CUT**2) / 2) / sqrt(2 * pi) / _BEYOND  # of a standard normal beyond the cut


def sampled_gaussian_(cores: Iterable[Tensor], plan: TensorTrainPlan) -> None:
    """Fill cores with the sampled Gaussian of TT-Rec, so that entries of the table have variance 1 / (3 rows).

    Products of normal samples concentrate near zero; samples from the tails alone, beyond two standard deviations, make
    products that are closer to normal (Yin et al., "TT-Rec", MLSys 2021, section 4.2).
    """
    terms = prod(plan.ranks)
    scale = (1 / (3 * plan.rows * terms)) ** (1 / (2 * plan.order)) / sqrt(_VARIANCE)
    with torch.no_grad():
        for core in cores:
            tail = torch.rand(core.shape, dtype=torch.float64, device=core.device) * _BEYOND
            sign = torch.randint(0, 2, core.shape, device=core.device) * 2 - 1
            normal = cast(Tensor, torch.special.ndtri(tail.clamp_min(torch.finfo(torch.float64).tiny)))
            core.copy_(normal * sign * scale)
