"""Advice: changes that make a program faster, each tried by compiling the model again."""

from ttstack.advise.advice import Advice, Advisor, advise
from ttstack.advise.changes import OptionChange
from ttstack.advise.measure import ValueChange

__all__ = ["Advice", "Advisor", "OptionChange", "ValueChange", "advise"]
