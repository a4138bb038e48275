"""The `tt` dialect: types and attributes shared by every level, without ops."""

from ttstack.dialects.tt.dialect import TT
from ttstack.dialects.tt.layout import layout_attribute, read_layout

__all__ = ["TT", "layout_attribute", "read_layout"]
