"""The result of one execution of a program."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ttstack.support.tensors import to_array

if TYPE_CHECKING:
    from ttstack.report.report import Report

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Run:
    """The result of one execution: arrays, or tensors of the inputs' framework."""

    outputs: Mapping[str, Any]
    """Values by name, in the model's element types."""
    updated: Mapping[str, Any]
    """New values of inputs and parameters that the program writes to, such as KV caches, by name.

    The input arrays, and the program's own, are unchanged: pass these values to the next run."""
    predict: Callable[[], "Report"] = field(repr=False)
    """Predicts the function's time, for `report`."""

    @property
    def report(self) -> "Report":
        """Predicted time op by op, computed on first use."""
        return self.predict()

    @property
    def values(self) -> Any:
        """The output, or a tuple of several in the order of the function."""
        found = tuple(self.outputs.values())
        return found[0] if len(found) == 1 else found

    def _repr_html_(self) -> str:
        from ttstack.report.html.notebook import run_fragment

        kinds = {"outputs": self.outputs, "updated": self.updated}
        arrays = {kind: {name: to_array(value) for name, value in of.items()} for kind, of in kinds.items()}
        return run_fragment(arrays, self.report)
