"""Modules made smaller while a command fails on them."""

from ttstack.reduce.command import FailingCommand
from ttstack.reduce.module import reduce_module
from ttstack.reduce.progress import ReductionState

__all__ = ["FailingCommand", "ReductionState", "reduce_module"]
