"""TOSA modules: large constants leave them, and the rest becomes TTIR."""

from ttstack.frontends.tosa.model import convert_module

__all__ = ["convert_module"]
