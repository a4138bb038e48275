"""Find out which pass, and which application of a rewrite, changed values or times."""

from ttstack.debugging.bisect import Culprit, bisect_values
from ttstack.debugging.value_check import OutputChange, ValueCheck

__all__ = ["Culprit", "OutputChange", "ValueCheck", "bisect_values"]
