"""What the device's number formats and multipliers do to float32 values; how close two results are."""

from ttstack_runtime.numerics.closeness import pcc
from ttstack_runtime.numerics.fidelity import truncate_for_fidelity
from ttstack_runtime.numerics.formats import largest, quantize

__all__ = ["largest", "pcc", "quantize", "truncate_for_fidelity"]
