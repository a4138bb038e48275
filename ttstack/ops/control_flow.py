"""Loops at run time, whose bodies are functions of their own."""

from ttstack.ops.attributes import I32, I64, Str
from ttstack.ops.base import Op
from ttstack.ops.loop_nests import movement
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate

UNKNOWN = -1
"""The trip count of a loop that ends when its condition is false."""


class While(Op, mnemonic="while"):
    """Run the function `body` on carried values until the function `condition` gives false, or `trip_count` times.

    The first `carried` inputs are the values before the first iteration; both functions take all inputs, and the body
    returns the carried ones for the next iteration. Parameters are arguments of the functions alone, by name. A loop
    without a condition runs `trip_count` times; one with a condition ends after `max_iterations` with an error, if
    that is not 0. tt-mlir's op of this name has regions instead of functions.
    """

    functions = ("condition", "body")
    result_names = ("results",)
    variadic_results = True
    inputs: tuple[TensorType, ...]
    body: Str
    condition: Str = ""
    carried: I32
    trip_count: I64 = UNKNOWN
    max_iterations: I64 = 0

    def infer(self) -> tuple[TensorType, ...]:
        """Return the types of carried values."""
        count = len(self.inputs)
        expect(0 < self.carried <= count, f"{self.carried} carried values of {count} inputs")
        expect(
            (self.trip_count >= 0) != bool(self.condition),
            f"trip_count {self.trip_count} and condition {self.condition!r}: it has one of both",
        )
        expect(self.max_iterations >= 0, f"max_iterations is {self.max_iterations}")
        return self.inputs[: self.carried]

    def flops(self) -> int:
        """Return 0: its functions count for themselves."""
        return 0

    def dispatch(self) -> WorkEstimate:
        """Return the read and write of carried values, which the functions do."""
        return movement(self.operands, self.results)
