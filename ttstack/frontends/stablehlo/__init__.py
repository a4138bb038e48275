"""StableHLO modules: what can be known before they run is worked out, and the rest becomes TTIR."""

from ttstack.frontends.stablehlo.model import convert_module

__all__ = ["convert_module"]
