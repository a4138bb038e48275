"""Ops that ONNX Runtime's optimizer writes, against NumPy."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import parser

import ttstack
from ttstack.diagnostics import UnsupportedOpError

RNG = np.random.default_rng(3)
X, SKIP = (RNG.normal(size=(2, 3, 8)).astype(np.float32) for _ in range(2))
B, SCALE, SHIFT = (RNG.normal(size=8).astype(np.float32) for _ in range(3))
IMAGE, FILTERS = RNG.normal(size=(1, 2, 5, 5)).astype(np.float32), RNG.normal(size=(3, 2, 3, 3)).astype(np.float32)
OTHER = RNG.normal(size=(1, 3, 3, 3)).astype(np.float32)


def run(tmp_path: Path, call: str, **inputs: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Results of one node; `call` begins with the names of its results."""
    names = [name.strip() for name in call.partition("=")[0].split(",") if name.strip() != '""']
    declared = ", ".join(f"float[{','.join(map(str, x.shape))}] {name}" for name, x in inputs.items())
    body = call.replace("= ", "= com.microsoft.", 1)
    outputs = ", ".join(f"float[] {name}" for name in names)
    model = parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]> g ({declared}) => ({outputs}) {{ {body} }}'
    )
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    onnx.save(model, tmp_path / "model.onnx")
    return list(ttstack.compile(tmp_path / "model.onnx").run(inputs).outputs.values())


def gelu(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def tanh_gelu(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


@pytest.mark.parametrize(
    ("call", "wanted", "inputs"),
    [
        ("y = Gelu(x)", gelu(X), {"x": X}),
        ("y = BiasGelu(x, b)", gelu(X + B), {"x": X, "b": B}),
        ("y = FastGelu(x, b)", tanh_gelu(X + B), {"x": X, "b": B}),
        ("y = FastGelu(x)", tanh_gelu(X), {"x": X}),
        ("y = QuickGelu<alpha=1.5>(x)", X / (1 + np.exp(-1.5 * X)), {"x": X}),
        ("y = FusedMatMul<transB=1, alpha=0.5>(x, s)", X @ SKIP.mT / 2, {"x": X, "s": SKIP}),
        (
            'y = FusedGemm<transB=1, activation="Relu">(a, b, c)',
            np.maximum(X[0] @ SKIP[1].T + SKIP[0, 0, :3], 0),
            {"a": X[0], "b": SKIP[1], "c": SKIP[0, 0, :3]},
        ),
    ],
)
def test_values(tmp_path: Path, call: str, wanted: np.ndarray[Any, Any], inputs: dict[str, Any]):
    (got,) = run(tmp_path, call, **inputs)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_skip_layer_norm_returns_the_sum(tmp_path: Path):
    call = 'y, "", "", t = SkipLayerNormalization<epsilon=0.001>(x, s, scale, shift, b)'
    y, total = run(tmp_path, call, x=X, s=SKIP, scale=SCALE, shift=SHIFT, b=B)
    summed = X + SKIP + B
    centred = summed - summed.mean(-1, keepdims=True)
    wanted = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-3) * SCALE + SHIFT
    np.testing.assert_allclose(total, summed, rtol=1e-6)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)


def test_skip_rms_norm(tmp_path: Path):
    (y,) = run(tmp_path, "y = SkipSimplifiedLayerNormalization<epsilon=0.001>(x, s, scale)", x=X, s=SKIP, scale=SCALE)
    summed = X + SKIP
    wanted = summed / np.sqrt((summed**2).mean(-1, keepdims=True) + 1e-3) * SCALE
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)


def test_fused_convolution_adds_before_the_activation(tmp_path: Path):
    call = 'y = FusedConv<kernel_shape=[3,3], activation="Clip", activation_params=[-1.0, 2.0]>(x, w, b, z)'
    (y,) = run(tmp_path, call, x=IMAGE, w=FILTERS, b=B[:3], z=OTHER)
    windows = np.lib.stride_tricks.sliding_window_view(IMAGE[0], (3, 3), axis=(1, 2))
    image = np.einsum("cyxij,ocij->oyx", windows, FILTERS)[None] + B[:3, None, None]
    np.testing.assert_allclose(y, np.clip(image + OTHER, -1, 2), rtol=1e-4, atol=1e-5)


def test_unknown_activations_are_refused(tmp_path: Path):
    with pytest.raises(UnsupportedOpError, match=r"com\.microsoft\.FusedGemm: 1"):
        run(tmp_path, 'y = FusedGemm<activation="Other">(a, b)', a=X[0], b=X[0].T.copy())
