"""Writes into caches of keys and values; what the call gives is the cache afterwards."""

from ttstack.frontends.stablehlo_to_ttir.named import named
from ttstack.frontends.stablehlo_to_ttir.table import ConversionTable

CONVERSIONS = ConversionTable()

named(CONVERSIONS, "@tt.update_cache", "update_cache", "cache input update_index", batch_offset=0)
named(CONVERSIONS, "@tt.fill_cache", "fill_cache", "cache input", batch_offset=0)
named(CONVERSIONS, "@tt.paged_update_cache", "paged_update_cache", "cache input update_index page_table?")
named(CONVERSIONS, "@tt.paged_fill_cache", "paged_fill_cache", "cache input page_table batch_idx_tensor?")
