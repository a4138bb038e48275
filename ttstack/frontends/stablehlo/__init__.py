"""StableHLO modules: constant parts are evaluated, and the rest becomes TTIR."""

from ttstack.frontends.stablehlo.model import convert_module

__all__ = ["convert_module"]
