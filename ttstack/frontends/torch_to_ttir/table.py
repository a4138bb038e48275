"""Tables of conversions of torch ops."""

from ttstack.frontends import conversion
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp


class TorchConversionTable(conversion.ConversionTable[TorchOp]):
    """The conversions of one family: `relu` is `torch.aten.relu`, other names are given in full."""

    def __init__(self) -> None:
        super().__init__("torch.aten.")
