"""Writes into caches of keys and values; the call returns the updated cache."""

from ttstack.frontends.stablehlo_to_ttir.named import register_op
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable

CONVERSIONS = StablehloConversionTable()

register_op(CONVERSIONS, "@tt.update_cache", "update_cache", "cache input update_index", batch_offset=0)
register_op(CONVERSIONS, "@tt.fill_cache", "fill_cache", "cache input", batch_offset=0)
register_op(CONVERSIONS, "@tt.paged_update_cache", "paged_update_cache", "cache input update_index page_table?")
register_op(CONVERSIONS, "@tt.paged_fill_cache", "paged_fill_cache", "cache input page_table batch_idx_tensor?")
