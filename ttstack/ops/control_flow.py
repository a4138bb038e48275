"""Loops at run time, whose bodies are functions of their own."""

from functools import cached_property

from ttstack.ops.attributes import I32, I64, Bool, ResultTypes, Str
from ttstack.ops.base import Op
from ttstack.ops.loop_nests import movement
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate

UNKNOWN = -1
"""The trip count of a loop that ends when its condition is false."""


class While(Op, mnemonic="while"):
    """Run the function `body` on carried values until the function `condition` gives false, or `trip_count` times.

    Inputs are, in this order: the `carried` values before the first iteration; `scanned` tensors, of which iteration i
    takes slice i of the first dimension; and values that no iteration changes. The condition and the body take all of
    them, and the body returns the carried values for the next iteration, then `stacked` rows. Results are the last
    carried values, and all rows of each kind as one tensor. With `reverse`, slices and rows go from the last to the
    first. Parameters are arguments of the functions alone, by name.

    A loop without a condition runs `trip_count` times; one with a condition has neither slices nor rows, and ends with
    an error after `max_iterations`, if that is not 0. tt-mlir's op of this name has regions instead of functions.
    """

    functions = ("condition", "body")
    result_names = ("results",)
    variadic_results = True
    inputs: tuple[TensorType, ...]
    body: Str
    condition: Str = ""
    carried: I32
    scanned: I32 = 0
    stacked: I32 = 0
    reverse: Bool = False
    trip_count: I64 = UNKNOWN
    max_iterations: I64 = 0
    types: ResultTypes

    def infer(self) -> tuple[TensorType, ...]:
        """Return the declared types; raise `ValueError` if carried values change type or a count differs."""
        count = len(self.inputs)
        expect(min(self.carried, self.scanned, self.stacked, self.max_iterations) >= 0, "a count is negative")
        expect(
            0 < self.carried + self.scanned <= count,
            f"{self.carried} carried and {self.scanned} scanned values of {count} inputs",
        )
        expect(
            (self.trip_count >= 0) != bool(self.condition),
            f"trip_count {self.trip_count} and condition {self.condition!r}: it has one of both",
        )
        expect(not self.condition or not (self.scanned or self.stacked), "a loop with a condition has slices or rows")
        expect(
            len(self.types) == self.carried + self.stacked and self.types[: self.carried] == self.starts,
            f"results {', '.join(map(str, self.types))} for carried values {', '.join(map(str, self.starts))}",
        )
        for t in (*self.sources, *self.types[self.carried :]):
            expect(t.rank > 0 and t.shape[0] == self.trip_count, f"{t} for {self.trip_count} iterations")
        return self.types

    @property
    def starts(self) -> tuple[TensorType, ...]:
        """The types of carried values."""
        return self.inputs[: self.carried]

    @property
    def sources(self) -> tuple[TensorType, ...]:
        """The types of scanned tensors."""
        return self.inputs[self.carried : self.carried + self.scanned]

    @cached_property
    def taken(self) -> tuple[TensorType, ...]:
        """The types that the functions take."""
        slices = (t.with_shape(t.shape[1:]) for t in self.sources)
        return (*self.starts, *slices, *self.inputs[self.carried + self.scanned :])

    @cached_property
    def made(self) -> tuple[TensorType, ...]:
        """The types that the body returns."""
        return (*self.starts, *(t.with_shape(t.shape[1:]) for t in self.types[self.carried :]))

    def flops(self) -> int:
        """Return 0: its functions count for themselves."""
        return 0

    def dispatch(self) -> WorkEstimate:
        """Return the read and write of carried values, which the functions do."""
        return movement(self.operands, self.results)
