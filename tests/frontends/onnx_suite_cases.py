"""Small ONNX graphs of narrow types and of ops that few models have, as `onnx_cases`: with the operator set."""

from tests.frontends.onnx_forms import Form

_X = "float[3,8] x"

_FORMATS = {17: "e4m3fn", 18: "e4m3fnuz", 19: "e5m2", 20: "e5m2fnuz", 23: "e2m1", 22: "int4", 21: "uint4"}

SUITE_CASES: dict[str, Form] = {
    **{
        f"Cast to {name}": (_X, "", f"s = Mul(x, x) t = Cast<to={number}>(s) y = Cast<to=1>(t)", 23)
        for number, name in _FORMATS.items()
    },
    "Cast without saturation": (_X, "", "s = Exp(x) t = Cast<to=17, saturate=0>(s) y = Cast<to=1>(t)", 23),
    "Cast to a power of two": (_X, "", "s = Exp(x) t = Cast<to=24>(s) y = Cast<to=1>(t)", 24),
    "Cast like": ("float[3,8] x, int8[2] n", "", "t = Cast<to=22>(n) s = CastLike(x, t) y = Cast<to=1>(s)", 23),
    "QuantizeLinear to int4": (
        "float[3,8] x, float[8] p",
        "int8[8] zero = {0, 1, -1, 2, 0, 1, 3, -4}",
        "z = Cast<to=22>(zero) q = QuantizeLinear<axis=1>(x, p, z) y = DequantizeLinear<axis=1>(q, p, z)",
        23,
    ),
    "QuantizeLinear of blocks": (
        "float[3,8] x, float[3,2] p",
        "",
        "q = QuantizeLinear<axis=1, block_size=4, output_dtype=3>(x, p) y = DequantizeLinear<axis=1, block_size=4>(q, p)",
        23,
    ),
}
"""Inputs, initialisers, nodes that compute `y`, and the operator set."""
