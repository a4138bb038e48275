"""Tables of conversions of StableHLO ops."""

from ttstack.frontends import conversion
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp


class StablehloConversionTable(conversion.ConversionTable[StablehloOp]):
    """The conversions of one family: `add` is `stablehlo.add`, `@target` a custom call."""

    def __init__(self, dialect: str = "stablehlo") -> None:
        super().__init__(f"{dialect}.")
