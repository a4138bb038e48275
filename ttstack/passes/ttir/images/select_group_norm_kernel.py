"""The library's kernel of group norms, if predicted to be faster than a decomposition."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ttstack.device.group_norm import has_form, mask_type
from ttstack.dialects.base import definition_of, operands_by_place
from ttstack.dialects.ttir.build import constant, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.matmul import ACTIVATIONS
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import TILE
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.fusion.fuse_activations import FuseActivations
from ttstack.passes.ttir.images.group_norm_affine import AFFINE
from ttstack.passes.ttir.legalize.decompose_norm import DecomposeNorms
from ttstack.passes.ttir.queries.aliases import VIEWS

_GROUP_NORM = f"ttir.{GroupNorm.mnemonic}"


class SelectGroupNormKernel(
    Pass,
    name="select-group-norm-kernel",
    optional=True,
    stage=Stage.IMAGES,
    after={"channels-last": "the kernel needs channels last"},
):
    """Use ttnn's group norm if predicted to be faster than the decomposed one.

    Group norms are in channels-last layout. They get a mask of their groups' columns, and weight and bias in rows. They
    are priced in bf16, the only 16-bit format that the library supports here, and together with a following activation.
    """

    def run(self, module: ir.Module) -> None:
        """Look at each by itself; equal ones are priced once."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, AFFINE)
            apply_patterns(module, [(_GROUP_NORM, _Chooser(prices).fit)])


@dataclass(frozen=True)
class _Chooser:
    """Chooses a kernel for each norm with its activation, with a cache."""

    prices: Prices
    pays: dict[tuple[Op, str], bool] = field(default_factory=dict[tuple[Op, str], bool])
    """The cached choices, by norm and name of the activation: True if the library's op is faster."""

    def fit(self, op: ir.Operation) -> list[ir.Value] | None:
        """Return the norm in the library's form; None if it has it, cannot have it, or is faster decomposed."""
        norm = definition_of(op)
        assert isinstance(norm, GroupNorm)
        if has_form(norm) or not has_form(form := _form(norm)):
            return None
        activation = _activation(op.results[0])
        if (key := (norm, activation)) not in self.pays:
            whole, written = (self._predicted(candidate, activation) for candidate in (form, norm))
            self.pays[key] = whole < written
        return _fitted(op, form) if self.pays[key] else None

    def _predicted(self, norm: GroupNorm, activation: str) -> float:
        """Return the nanoseconds of a program of the norm and the activation, in the given or the decomposed form."""

        def build(values: Sequence[ir.Value]) -> ir.Value:
            remaining = iter(values)
            operands = [None if getattr(norm, name) is None else next(remaining) for name in norm.operand_specs()]
            result = ttir.build(GroupNorm.mnemonic, *operands, **norm.attributes())
            return ttir.build(activation, result) if activation else result

        steps = (DecomposeNorms().run, FuseActivations().run)
        return self.prices.of_region(norm.operands, build, stored=range(1, len(norm.operands)), steps=steps)


def _form(norm: GroupNorm) -> GroupNorm:
    """Return the norm with a mask, and with weight and bias in rows, as the library requires."""
    rows = norm.input.with_shape((1, 1, norm.input.shape[-1] // TILE, TILE))
    affine = {name: rows for name in ("weight", "bias") if getattr(norm, name) is not None}
    return replace(norm, input_mask=mask_type(norm), **affine)


def _activation(value: ir.Value) -> str:
    """Return the activation that is the only user of a value, through views, by mnemonic; empty if there is none."""
    while len(uses := list(value.uses)) == 1:
        reader = uses[0].owner.operation
        if (name := reader.name.removeprefix("ttir.")) in ACTIVATIONS:
            return name
        if reader.name not in VIEWS:
            break
        value = reader.results[0]
    return ""


def _fitted(op: ir.Operation, form: GroupNorm) -> list[ir.Value]:
    x, _, *affine = operands_by_place(GroupNorm, op)
    wanted = (form.weight, form.bias)
    by_channel = [v and t and reshape_to(v, t.shape) for v, t in zip(affine, wanted, strict=True)]
    return [ttir.build(GroupNorm.mnemonic, x, _mask(form), *by_channel, **form.attributes())]


def _mask(norm: GroupNorm) -> ir.Value:
    """Return 1 in the columns of each group, counted from the tile in which they begin."""
    t = mask_type(norm)
    each = norm.input.shape[-1] // norm.num_groups
    begins = np.arange(norm.num_groups)[:, None] * each % TILE
    columns = np.arange(t.shape[-1])
    rows = (begins <= columns) & (columns < begins + each)
    return constant(np.broadcast_to(rows[None, :, None, :], t.shape).astype(np.float32), t)
