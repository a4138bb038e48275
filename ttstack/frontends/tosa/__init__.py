"""TOSA modules: large constants become weights, and the rest becomes TTIR."""

from ttstack.frontends.tosa.model import convert_module

__all__ = ["convert_module"]
