"""What all source dialects share: tables of conversions, the driver over MLIR's dialect conversion, and TTIR values."""

from ttstack.frontends.conversion.call import Call
from ttstack.frontends.conversion.convert import Source, check, convert
from ttstack.frontends.conversion.table import Conversion, ConversionTable

__all__ = ["Call", "Conversion", "ConversionTable", "Source", "check", "convert"]
