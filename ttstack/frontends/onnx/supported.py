"""Supported ONNX ops, and the error that lists all unsupported ones."""

from collections import Counter
from collections.abc import Iterable

from onnx import NodeProto

from ttstack.frontends.onnx_to_ttir import WHOLE
from ttstack.frontends.unsupported import unsupported_error

_NAMES = """
    Abs Acos Add And ArgMax ArgMin Asin Asinh Atan BatchNormalization BitwiseAnd BitwiseNot BitwiseOr BitwiseXor
    Ceil Celu Clip Concat Constant ConstantOfShape Conv ConvTranspose Cos Cosh CumSum DepthToSpace
    Div Dropout Einsum Elu Equal Erf Exp Expand EyeLike Floor GatherElements GatherND Gelu Gemm
    GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual HardSigmoid HardSwish Hardmax Identity
    InstanceNormalization IsInf IsNaN LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax
    MatMul MatMulInteger Max Mean Min Mod Mul Neg Not Or PRelu Pad Pow Range Reciprocal ReduceL1
    ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceSum ReduceSumSquare Relu
    ScatterElements ScatterND Selu Shape Shrink Sigmoid Sign Sin Sinh Size Softmax Softplus SpaceToDepth Sqrt
    Sub Sum Tan Tanh Tile TopK Transpose Trilu Where Xor
"""
THROUGH_TORCH = frozenset(_NAMES.split())
"""ONNX ops that are converted to the torch dialect first."""

OWN_DOMAINS = ("", "ai.onnx")
"""The domain names of ONNX's own ops."""

SUPPORTED = THROUGH_TORCH | WHOLE
"""Ops with a conversion. ONNX defines further ops by these, or their values are constant."""


def check_ops(nodes: Iterable[NodeProto]) -> None:
    """Raise one `UnsupportedOpError` for all nodes that cannot be compiled."""
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for node in nodes:
        if node.domain not in OWN_DOMAINS or node.op_type not in SUPPORTED:
            name = f"{node.domain or 'onnx'}.{node.op_type}"
            found[name] += 1
            first.setdefault(name, node.name)
            if node.domain not in OWN_DOMAINS:
                reasons[name] = f"it is of the domain {node.domain}: only ONNX's own ops can be compiled"
    if found:
        raise unsupported_error(found, first, [f"onnx.{name}" for name in SUPPORTED], reasons)
