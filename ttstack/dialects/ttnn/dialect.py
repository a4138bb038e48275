"""`ttnn` ops: one for each definition that the device supports."""

from ttstack.dialects.base import Dialect
from ttstack.dialects.defined_ops import define_ops
from ttstack.ops.base import OPS


class TTNN(Dialect, name="ttnn"):
    """Device ops."""

    @classmethod
    def define(cls) -> None:
        """Add an op for each new definition."""
        define_ops(cls, [spec for name, spec in OPS.items() if spec.executable and name != "generic"])


TTNN.define()
