"""ALiBi, from each source: kept as slopes, values those of dense attention, no mask in memory."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from transformers import BloomConfig, BloomModel, FalconConfig, FalconModel, MptConfig, MptModel

import ttstack
from tests.masks.test_fold_masks import Attention, attention_of, run
from tests.ttnn_python.values import compare
from ttstack.diagnostics import InvalidIRError
from ttstack.ops.linear_bias import COLUMNS, LinearBiasAttention, slopes_text
from ttstack.ops.types import DType, TensorType

LENGTH, HEADS = 1024, 8
SLOPES = 2.0 ** -(torch.arange(1, HEADS + 1) * 8 / HEADS / 1.37)  # no powers of two
Q, K = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)[None, :]
MASK_BYTES = 4 * HEADS * LENGTH * LENGTH


def heads(batch: int = 1, key_heads: int = HEADS, width: int = 64) -> tuple[Tensor, Tensor, Tensor]:
    rng = torch.Generator().manual_seed(0)
    counts = (HEADS, key_heads, key_heads)
    return tuple(torch.randn(batch, n, LENGTH, width, generator=rng) for n in counts)  # pyright: ignore


def biased(seen: Tensor, away: Tensor = K - Q, slopes: Tensor = SLOPES) -> Tensor:
    return torch.where(seen, slopes[:, None, None] * away, -torch.inf)[None]


def _exactly(mask: Tensor) -> Tensor:
    """The same biases, counted from the query, in float64."""
    return torch.where(mask.isfinite(), SLOPES.double()[:, None, None] * (K - Q), -torch.inf)


def slopes_of(program: ttstack.Program) -> np.ndarray:
    op = attention_of(program)
    assert op.name == "linear_bias_attention"
    return np.array([float(s) for s in op.attributes["slopes"].split(",")])


@pytest.mark.parametrize(
    ("mask", "attributes"),
    [
        (biased(K <= Q), {"is_causal": True}),
        (biased(K <= Q, K + 0 * Q), {"is_causal": True}),
        (biased((K <= Q) & (K > Q - 300)), {"is_causal": True, "sliding_window_size": 300}),
    ],
    ids=["from the query", "from the first key", "a window"],
)
def test_a_constant_mask_becomes_slopes(mask: Tensor, attributes: dict[str, Any]):
    model, inputs = Attention(mask), heads()
    program, dense = ttstack.compile(model, inputs), ttstack.compile(model, inputs, without="fold-masks")
    np.testing.assert_allclose(slopes_of(program), SLOPES.numpy(), rtol=1e-6)
    assert attributes.items() <= attention_of(program).attributes.items()
    np.testing.assert_allclose(run(program, inputs), model(*inputs).numpy(), atol=1e-4)  # masks are in float32
    q, k, v = (x.double() for x in inputs)
    exact = nn.functional.scaled_dot_product_attention(q, k, v, _exactly(mask))
    np.testing.assert_allclose(run(program, inputs), exact.numpy(), atol=2e-6)
    assert program.cost().total_ns <= dense.cost().total_ns
    assert compare(program).differences == []
    held, before = (sum(np.asarray(w.data).nbytes for w in p.binary.weights.values()) for p in (program, dense))
    assert before >= MASK_BYTES >= 16 * held


@pytest.mark.parametrize("dtype", ["bf16", "bfp8_b"])
def test_formats_of_the_device_keep_the_bias(dtype: str):
    inputs = heads(4, key_heads=2)
    mask = biased(K <= Q)
    seen = partial(nn.functional.scaled_dot_product_attention, attn_mask=mask, enable_gqa=True)

    class Grouped(nn.Module):
        def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return seen(q, k, v)

    program = ttstack.compile(Grouped(), inputs, dtype=dtype)
    assert slopes_of(program).shape == (HEADS,)
    assert compare(program).differences == []


def test_products_of_columns_are_the_bias():
    types = (TensorType((1, 3, 1000, 64), DType.F32), TensorType((1, 1, 1000, 64), DType.F32))
    slopes = np.array([0.7, -0.003, 0.0], np.float32)
    op = LinearBiasAttention(
        query=types[0],
        key=types[1],
        value=types[1],
        query_columns=TensorType((1, 3, 1000, COLUMNS), DType.F32),
        key_columns=TensorType((1, 1, 1000, COLUMNS), DType.F32),
        slopes=slopes_text(slopes),
    )
    queries, keys = op.bias_of_queries().astype(np.float64), op.bias_of_keys().astype(np.float64)
    at = np.arange(1000)
    wanted = slopes.astype(np.float64)[:, None, None] * (at - at[:, None])
    np.testing.assert_allclose((queries @ keys.swapaxes(-1, -2))[0] / 8, wanted, rtol=2.0**-14, atol=1e-6)
    assert not (queries.astype(np.float32).view(np.uint32) & 0x0007FFFF).any()  # five bits of each number
    assert keys.max() < 2**5


class Spelled(nn.Module):
    """A model by its last hidden states."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor) -> Tensor:
        return self.model(input_ids=ids).last_hidden_state


WIDTH = {"vocab_size": 64, "use_cache": False}
MODELS: dict[str, Callable[[], nn.Module]] = {
    "bloom": lambda: BloomModel(BloomConfig(hidden_size=512, n_layer=1, n_head=8, **WIDTH)),
    "mpt": lambda: MptModel(MptConfig(d_model=512, n_layers=1, n_heads=8, max_seq_len=2048, **WIDTH)),
    "falcon": lambda: FalconModel(
        FalconConfig(hidden_size=512, num_hidden_layers=1, num_attention_heads=8, alibi=True, bias=False, **WIDTH)
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_transformers(name: str):
    torch.manual_seed(0)
    model, ids = Spelled(MODELS[name]()).eval(), torch.randint(64, (1, LENGTH))
    program = ttstack.compile(model, (ids,))
    (found,) = program.run({n: ids.numpy() for n in program.inputs()}).outputs.values()
    np.testing.assert_allclose(found, model(ids).detach().numpy(), atol=1e-4)
    if name == "falcon":  # rounds its biases to bf16: they are on no line
        assert attention_of(program).name == "block_sparse_attention"
    else:
        np.testing.assert_allclose(slopes_of(program), 2.0 ** -np.arange(1, 9), rtol=1e-5)


class Flexible(nn.Module):
    """Attention whose slopes are a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("slopes", SLOPES)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        seen = create_block_mask(lambda b, h, i, j: j <= i, None, None, LENGTH, LENGTH, "cpu")
        slopes: Any = self.slopes
        return flex_attention(q, k, v, lambda x, b, h, i, j: x + slopes[h] * (j - i), seen)  # pyright: ignore


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_flex_attention():
    program = ttstack.compile(Flexible(), heads())
    np.testing.assert_allclose(slopes_of(program), SLOPES.numpy(), rtol=1e-6)
    np.testing.assert_allclose(run(program, heads()), Flexible()(*heads()).numpy(), atol=2e-5)


def test_jax():
    program = ttstack.compile(Path(__file__).parent / "jax_exports" / "library_alibi.mlir")
    np.testing.assert_allclose(slopes_of(program), 2.0 ** -np.arange(1, 9), rtol=1e-6)
    q, k, v = heads()
    given = dict(zip(program.inputs(), (x.numpy() for x in (q, k, v)), strict=True))
    (found,) = program.run(given).outputs.values()
    mask = biased(K <= Q, slopes=2.0 ** -torch.arange(1, HEADS + 1))
    np.testing.assert_allclose(found, Attention(mask)(q, k, v).numpy(), atol=2e-5)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.index_put(
            (torch.tensor(0), torch.tensor(3), torch.tensor(900), torch.tensor(899)), m.new_tensor(0.5)
        ),
        lambda m: m.bfloat16().float(),
        lambda m: m.where(K != 700, 0.0),
    ],
    ids=["one element beside its line", "rounded", "one column"],
)
def test_a_mask_that_is_no_line_is_kept(change: Callable[[Tensor], Tensor]):
    model, inputs = Attention(change(biased(K <= Q, K + 0 * Q))), heads()
    program = ttstack.compile(model, inputs)
    assert attention_of(program).name != "linear_bias_attention"
    np.testing.assert_allclose(run(program, inputs), model(*inputs).numpy(), atol=2e-5)


def test_a_short_sequence_keeps_its_mask_where_that_is_faster():
    at = torch.arange(128)
    model = Attention(torch.where(at <= at[:, None], SLOPES[:2, None, None] * (at - at[:, None]), -torch.inf)[None])
    rng = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, 2, 128, 32, generator=rng) for _ in range(3))
    program, dense = ttstack.compile(model, (q, k, v)), ttstack.compile(model, (q, k, v), without="fold-masks")
    assert attention_of(program).name != "linear_bias_attention"
    assert program.cost().total_ns <= dense.cost().total_ns


OP = """func.func @f(%q: tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32> {{
  %c = "ttir.constant"() {{value = dense<1.0> : tensor<1x2x64x32xf32>}} : () -> tensor<1x2x64x32xf32>
  %0 = "ttir.linear_bias_attention"(%q, %q, %q, {columns}) {{{said}}} : ({types}) -> tensor<1x2x64x32xf32>
  return %0 : tensor<1x2x64x32xf32>
}}"""
SIZES = "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1>, is_causal = true"


@pytest.mark.parametrize(
    ("slopes", "columns", "why"),
    [
        ("0.5", "%q, %q", "slopes are 1 numbers, of 2 heads"),
        ("0.5,x", "%q, %q", "'0.5,x' are not numbers"),
        ("0.5,inf", "%q, %q", "not all finite"),
        ("0.5,0.25", "%q, %c", "key_columns does not match slopes"),
        ("0.5,0.25", "%c, %q", "query_columns does not match slopes"),
    ],
)
def test_slopes_that_do_not_fit_are_refused(slopes: str, columns: str, why: str):
    types = ", ".join(["tensor<1x2x64x32xf32>"] * 5)
    text = OP.format(columns=columns, types=types, said=f'{SIZES}, slopes = "{slopes}"')
    with pytest.raises(InvalidIRError, match=why):
        ttstack.compile(text)
