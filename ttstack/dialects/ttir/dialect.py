"""Named `ttir` ops: one for each definition that input models can use."""

from ttstack.dialects.base import Dialect
from ttstack.dialects.defined_ops import define_ops
from ttstack.ops.base import OPS


class TTIR(Dialect, name="ttir"):
    """Target-independent tensor ops in value semantics."""

    @classmethod
    def define(cls) -> None:
        """Add an op for each new definition."""
        define_ops(cls, [spec for spec in OPS.values() if spec.family != "generic"])


TTIR.define()
