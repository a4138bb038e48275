"""Options of placement; `ttstack.options.choices` documents each."""

import math
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ttstack.device.layout import storage
from ttstack.ops.types import DType
from ttstack.options.choices import CHOICES, Policy, Precision, Recompute
from ttstack.placement.overrides import Format, Overrides, OverridesSource, load_overrides
from ttstack.placement.precision import PRECISIONS, is_half
from ttstack.placement.roles import Role

BUDGET_SECONDS = 60.0
"""Time after which `optimal` stops to look for better placements and better bounds."""


def _check_number(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError(f"{value} is not a number")
    return value


def _read_overrides(source: OverridesSource | Overrides | None) -> Overrides | None:
    return None if source is None else load_overrides(source)


class Formats(BaseModel):
    """Formats of real numbers on the device."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    dtype: Format | None = None
    weights_dtype: Format | None = None
    half_dtype: Format | None = None
    precision: Precision | None = None

    @model_validator(mode="after")
    def _check_formats(self) -> Self:
        formats = [name for name in ("dtype", "weights_dtype", "half_dtype") if getattr(self, name) is not None]
        if self.precision is not None and formats:
            raise ValueError(
                f"precision and {formats[0]} both set formats: give one of them, and overrides for single ops"
            )
        return self

    @property
    def has_formats(self) -> bool:
        """Return True unless all formats stay open."""
        return any(getattr(self, name) is not None for name in Formats.model_fields)

    @property
    def text(self) -> str:
        """The formats as JSON, without those that stay open."""
        return self.model_dump_json(include=set(Formats.model_fields), exclude_defaults=True)

    @property
    def table_dtype(self) -> DType | None:
        """Return the format of embedding tables; None for the model's own."""
        return self.dtype if self.precision is None else PRECISIONS[self.precision][Role.PARAMETERS].format

    def activation_format(self, own: DType) -> DType:
        """Return the format in which the device stores activations of a real element type."""
        if self.precision is not None:
            return storage(own, PRECISIONS[self.precision][Role.ACTIVATIONS].format)
        return storage(own, (self.half_dtype if is_half(own) else None) or self.dtype)


class PlacementOptions(Formats):
    """Options for the memories, layouts and formats of tensors."""

    placement: Policy = Policy(CHOICES["placement"].default)
    placement_budget: Annotated[float, BeforeValidator(_check_number), Field(gt=0)] | None = None
    placement_nodes: Annotated[int, BeforeValidator(_check_number), Field(ge=1)] | None = None
    placement_caution: Annotated[float, BeforeValidator(_check_number), Field(ge=0)] = CHOICES[
        "placement_caution"
    ].default
    recompute: Recompute = Recompute(CHOICES["recompute"].default)
    overrides: Annotated[Overrides | None, BeforeValidator(_read_overrides)] = None

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self.placement is not Policy.OPTIMAL and (self.placement_budget, self.placement_nodes) != (None, None):
            what = "a budget is" if self.placement_nodes is None else "nodes are"
            raise ValueError(f"{what} for the policy optimal, not {self.placement}")
        return self

    @property
    def seconds(self) -> float:
        """Seconds that `optimal` may search for each function."""
        return self.placement_budget or (BUDGET_SECONDS if self.placement_nodes is None else math.inf)
