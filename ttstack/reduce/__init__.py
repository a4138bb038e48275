"""Modules made smaller while a command fails on them."""

from ttstack.reduce.command import FailingCommand
from ttstack.reduce.module import reduce_module

__all__ = ["FailingCommand", "reduce_module"]
