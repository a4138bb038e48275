"""Programs as Python that calls `ttnn`, to run on a card."""

from ttstack.ttnn_python.program import Emission, emit_python
from ttstack.ttnn_python.write import write_python

__all__ = ["Emission", "emit_python", "write_python"]
