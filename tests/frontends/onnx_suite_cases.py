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
    **{
        f"GridSample, {mode}, {padding}, {corners}": (
            "float[2,3,5,4] x, float[2,3,2,2] g",
            "",
            f'y = GridSample<mode="{mode}", padding_mode="{padding}", align_corners={corners}>(x, g)',
            20,
        )
        for mode in ("linear", "nearest", "cubic")
        for padding in ("zeros", "border", "reflection")
        for corners in (0, 1)
    },
    "GridSample of volumes": (
        "float[1,2,3,4,3] x, float[1,2,2,3,3] g",
        "",
        'y = GridSample<padding_mode="border">(x, g)',
        20,
    ),
    "RoiAlign": (
        "float[2,3,6,7] x",
        "float[2,4] rois = {0.5, 1, 4, 5, -2, 0, 3, 8}, int64[2] batch = {1, 0}",
        "y = RoiAlign<output_height=2, output_width=3, sampling_ratio=2, spatial_scale=0.8>(x, rois, batch)",
        16,
    ),
    "DeformConv": (
        "float[2,4,5,4] x, float[6,2,3,2] w, float[2,24,3,3] d, float[6] b, float[2,12,3,3] m",
        "",
        "y = DeformConv<kernel_shape=[3,2], group=2, offset_group=2>(x, w, d, b, m)",
        19,
    ),
    "TensorScatter": (
        "float[2,3,6,4] x, float[2,3,2,4] u",
        "int64[2] start = {1, 4}",
        "y = TensorScatter(x, u, start)",
        24,
    ),
    "TensorScatter in a circle": (
        "float[2,3,6,4] x, float[2,3,2,4] u",
        "int64[2] start = {5, 0}",
        'y = TensorScatter<mode="circular">(x, u, start)',
        24,
    ),
    "MaxUnpool": (
        "float[1,1,2,2] x",
        "int64[1,1,2,2] places = {5, 7, 13, 15}",
        "y = MaxUnpool<kernel_shape=[2,2], strides=[2,2]>(x, places)",
        13,
    ),
    "BitCast": ("float[3,4] x", "", "y = BitCast<to=6>(x)", 26),
    **{
        f"CumProd {reverse} {exclusive}": (
            "float[3,4] x",
            "int64 a = {1}",
            f"y = CumProd<reverse={reverse}, exclusive={exclusive}>(x, a)",
            26,
        )
        for reverse in (0, 1)
        for exclusive in (0, 1)
    },
    "Resize of a region": (
        "float[1,1,4,5] x",
        "float[8] roi = {0, 0, 0.4, 0.6, 1, 1, 0.6, 1.2}, int64[4] sizes = {1, 1, 3, 4}",
        'y = Resize<mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=9.0>(x, roi, , sizes)',
        19,
    ),
    "Resize without aliasing": (
        "float[1,2,7,6] x",
        "float[4] scales = {1, 1, 0.6, 0.5}",
        'y = Resize<mode="cubic", antialias=1>(x, , scales)',
        19,
    ),
    "Resize of one aspect ratio": (
        "float[1,2,4,6] x",
        "int64[2] sizes = {7, 8}",
        'y = Resize<mode="linear", keep_aspect_ratio_policy="not_larger", axes=[2, 3]>(x, , , sizes)',
        19,
    ),
    "AveragePool of volumes": (
        "float[1,2,5,6,4] x",
        "",
        "y = AveragePool<kernel_shape=[2,3,2], strides=[1,2,1], pads=[0,1,1,1,0,0]>(x)",
        19,
    ),
    "ConvInteger": (
        "uint8[1,2,5,4] n, uint8[3,2,2,2] m",
        "uint8 zero = {3}",
        "y = ConvInteger<pads=[1,0,0,1]>(n, m, zero)",
        17,
    ),
    "SpaceToDepth in columns": ("float[1,2,4,6] x", "", 'y = SpaceToDepth<blocksize=2, mode="CRD">(x)', 28),
    "Compress": ("float[3,4] x", "bool[4] taken = {0, 1, 1, 0}", "y = Compress<axis=1>(x, taken)", 17),
}
"""Inputs, initialisers, nodes that compute `y`, and the operator set."""
