"""The `tt` dialect: the types and attributes that every level shares, and no ops."""

from ttstack.dialects.tt.dialect import TT
from ttstack.dialects.tt.layout import layout_attribute, read_layout

__all__ = ["TT", "layout_attribute", "read_layout"]
