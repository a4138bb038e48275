"""What the device's number formats and multipliers do to float32 values; how close two results are."""

from ttstack_runtime.numerics.closeness import ValueDifference, difference, pcc
from ttstack_runtime.numerics.fidelity import is_truncated, truncate_for_fidelity
from ttstack_runtime.numerics.formats import quantize

__all__ = ["ValueDifference", "difference", "is_truncated", "pcc", "quantize", "truncate_for_fidelity"]
