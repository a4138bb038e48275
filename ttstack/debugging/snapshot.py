"""A module between two passes, with the values of its parameters, which can be executed and rewritten again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.debugging.samples import Sample
from ttstack.dialects.bytecode import bytecode
from ttstack.executable import executable
from ttstack.mlir import ir
from ttstack.passes.base import Pass, Pipeline
from ttstack.passes.rewrite_log import RewriteLog, log_rewrites
from ttstack.passes.weights import Weights
from ttstack.program.records import Binary
from ttstack_runtime.executor import run
from ttstack_runtime.inputs import random_weights

Array = np.ndarray[Any, Any]
Values = Mapping[str, Array]
"""Outputs and updated inputs of a function by name."""
AllValues = Mapping[tuple[str, str], Values]
"""Values by the name of a function and of a sample."""

_ITERATIONS = 16
"""Iterations of loops that are compared: on values that are drawn, a condition may hold for ever."""


@dataclass(frozen=True)
class Snapshot:
    """A module as bytecode, and the values of its parameters."""

    code: bytes
    weights: Weights

    @staticmethod
    def of(module: ir.Module, weights: Weights) -> "Snapshot":
        """Copy a module; arrays of parameters are shared."""
        return Snapshot(bytecode(module), weights.copy())

    def module(self) -> ir.Module:
        """Return the module in the current context."""
        return ir.Module.parse(self.code)

    def after(self, step: Pass, stop_after: int | None = None) -> "tuple[Snapshot, RewriteLog]":
        """Return the module after a pass of which only the first rewrites are applied, and what it did.

        Raises:
            TTStackError: the pass fails.
        """
        module, weights = self.module(), self.weights.copy()
        log = RewriteLog(stop_after, stops_all=True)
        with log_rewrites(log):
            Pipeline((step,)).with_weights(weights).run(module)
        return Snapshot.of(module, weights), log

    def program(self) -> Binary:
        """Return the module as a program that can be executed."""
        return executable(self.module(), self.weights.arrays)


def with_random_weights(module: ir.Module, weights: Mapping[str, Array]) -> dict[str, Array]:
    """Return values of all parameters: those that are given, and random ones."""
    program = random_weights(executable(module, weights))
    names = {t.holds.weight for f in program.functions for t in f.tensors if t.kind == "parameter"}
    return {name: w.data for name, w in program.weights.items() if name in names and w.data is not None} | dict(weights)


def execute(program: Binary, function: str, sample: Sample, numerics: str = "exact") -> Values:
    """Return the outputs and updated inputs of a function by name.

    Raises:
        ExecutionError: an op has no reference semantics, or the host has not enough memory.
    """
    done = run(
        program,
        sample.inputs,
        function=function,
        numerics=numerics,  # type: ignore[arg-type]
        check_buffers=False,
        loop_limit=_ITERATIONS,
    )
    return {**done.outputs, **{f"{name} (updated)": array for name, array in done.updated.items()}}


def all_values(program: Binary, drawn: Mapping[str, Sequence[Sample]], numerics: str = "exact") -> AllValues:
    """Return the values of all functions on all samples, by function and sample."""
    return {
        (function, sample.name): execute(program, function, sample, numerics)
        for function, found in drawn.items()
        for sample in found
    }
