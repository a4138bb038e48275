"""The `tt` dialect: the types and attributes that every level shares, and no ops."""

from ttstack.dialects.tt.dialect import TT
from ttstack.dialects.tt.layout import layout_attribute, read_layout
from ttstack.dialects.tt.system_desc import read_system_desc, system_desc_attribute

__all__ = ["TT", "layout_attribute", "read_layout", "read_system_desc", "system_desc_attribute"]
