"""Mixture of experts: against a loop over tokens, what is ill-formed, and kernels that are not known here."""

import numpy as np
import pytest

import ttstack
from tests.ops.text import assert_refused, module, run
from ttstack.diagnostics import ExecutionError
from ttstack.dialects.text import print_module
from ttstack.frontends.text import parse

torch = pytest.importorskip("torch")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(17)


def plain(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def test_the_router_takes_the_best_experts_and_weighs_them(rng):
    text = module(
        *("topk_router_gpt", "k = 3 : i32, num_experts = 16 : i32", ["4x8xf32", "8x16xf32", "4x16xf32"]),
        ["4x3xui16", "4x3xf32"],
    )
    x, weight, bias = plain(rng, 4, 8), plain(rng, 8, 16), plain(rng, 4, 16)
    experts, weights = run(text, x, weight, bias)
    best = torch.topk(torch.from_numpy(x @ weight + bias), 3)
    np.testing.assert_array_equal(experts, best.indices.numpy())
    np.testing.assert_allclose(weights, torch.softmax(best.values, -1).numpy(), atol=1e-6)


@pytest.mark.parametrize("sparse", ["b", "a", "both"])
def test_sparse_matmul(sparse: str, rng):
    lead = {"b": (2, 3), "a": (5, 4), "both": (1, 4)}[sparse]
    a, b = plain(rng, *lead, 6, 8), plain(rng, 1, 4, 8, 10)
    blocks = (*lead, 4) if sparse == "b" else lead
    mask = rng.integers(0, 2, blocks).astype(np.float32)
    wanted = np.zeros((*((*lead, 1, 4) if sparse == "b" else lead), 6, 10), np.float32)
    for at in np.argwhere(mask):
        i, j, e = (*at, at[1])[:3] if sparse != "b" else at
        wanted[(i, j, 0, e) if sparse == "b" else (i, j)] = a[i, j] @ b[0, e]
    flags = f"is_input_a_sparse = {str(sparse != 'b').lower()}, is_input_b_sparse = {str(sparse != 'a').lower()}"
    shapes = ["x".join(map(str, x.shape)) + "xf32" for x in (a, b, mask.reshape(1, 1, 1, -1), wanted)]
    text = module("sparse_matmul", f"{flags}, nnz = 0 : i64", shapes[:3], shapes[3:])
    (got,) = run(text, a, b, mask.reshape(1, 1, 1, -1))
    np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_known_zeros_make_a_sparse_product_cheaper():
    def cost(nnz: int) -> float:
        operands = ["8x4x32x512xbf16", "1x32x512x512xbf16", "8x4x1x32xbf16"]
        text = module("sparse_matmul", f"nnz = {nnz} : i64", operands, ["8x4x1x32x32x512xbf16"])
        return ttstack.compile(text).cost().kernel_ns

    assert cost(32) < cost(1024) == cost(0)


MAPPING = np.ones((1, 1, 6, 1), np.int64)
DEVICE = "num_devices = 1 : i64, cluster_axis = 0 : i64"


def test_dispatch_on_one_device_moves_nothing(rng):
    tokens, experts = plain(rng, 2, 1, 5, 8), rng.integers(0, 6, (2, 1, 5, 3))
    operands = ["2x1x5x8xf32", "2x1x5x3xi64", "1x1x6x1xi64"]
    text = module("all_to_all_dispatch", DEVICE, operands, ["1x2x5x8xf32", "1x2x5x3xi64"])
    dispatched, metadata = run(text, tokens, experts, MAPPING)
    np.testing.assert_array_equal(dispatched[0], tokens[:, 0])
    np.testing.assert_array_equal(metadata[0], experts[:, 0])


def test_dispatch_with_scores_on_one_device(rng):
    tokens, scores = plain(rng, 1, 1, 10, 8), plain(rng, 1, 1, 10, 3)
    experts = rng.integers(0, 6, (1, 1, 10, 3))
    operands = ["1x1x10x8xf32", "1x1x10x3xi64", "1x1x10x3xf32", "1x1x6x1xi64"]
    text = module("all_to_all_dispatch_metadata", DEVICE, operands, ["1x10x8xf32", "1x10x3xi64", "1x10x3xf32"])
    for got, wanted in zip(run(text, tokens, experts, scores, MAPPING), (tokens, experts, scores), strict=True):
        np.testing.assert_array_equal(got, wanted[0])


@pytest.mark.parametrize("experts_first", [True, False])
def test_combine_on_one_device(experts_first: bool, rng):
    made, experts = plain(rng, 6, 2, 5, 8), rng.integers(0, 6, (1, 2, 5, 3))
    given = made if experts_first else made.transpose(1, 2, 0, 3)
    shape = "x".join(map(str, given.shape))
    operands = [f"{shape}xf32", "1x2x5x3xi64", "1x1x6x1xi64"]
    text = module("all_to_all_combine", f"{DEVICE}, num_experts_per_tok = 3 : i64", operands, ["3x2x5x8xf32"])
    (got,) = run(text, np.ascontiguousarray(given), experts, MAPPING)
    for k, b, s in np.ndindex(3, 2, 5):
        np.testing.assert_array_equal(got[k, b, s], made[experts[0, b, s, k], b, s])


def test_combine_gives_0_for_experts_of_other_devices(rng):
    made, experts = plain(rng, 6, 1, 2, 4), np.array([[[[0, 1], [2, 3]]]])
    mapping = np.array([1, 0, 1, 0]).reshape(1, 1, 4, 1)
    operands = ["6x1x2x4xf32", "1x1x2x2xi64", "1x1x4x1xi64"]
    text = module("all_to_all_combine", f"{DEVICE}, num_experts_per_tok = 2 : i64", operands, ["2x1x2x4xf32"])
    (got,) = run(text, made, experts, mapping)
    np.testing.assert_array_equal(got[0, 0], np.stack([made[0, 0, 0], made[1, 0, 1]]))
    assert (got[1] == 0).all()


def test_remap_keeps_the_weights_of_the_experts_that_are_chosen(rng):
    weights, experts = plain(rng, 1, 2, 8, 6), rng.integers(0, 6, (1, 2, 8, 2))
    operands = ["1x2x8x6xf32", "1x1x6x1xi64", "1x2x8x2xi64"]
    text = module("moe_expert_token_remap", "reduction_size = 5 : i64", operands, ["1x2x8x6xf32", "1x1x4x6xui16"])
    local, reduced = run(text, weights, MAPPING, experts)
    used = (experts[0].reshape(16, 2, 1) == np.arange(6)).any(axis=1)
    np.testing.assert_array_equal(local.reshape(16, 6), np.where(used, weights.reshape(16, 6), 0))
    np.testing.assert_array_equal(reduced[0, 0], [used[i : i + 5].any(axis=0) for i in range(0, 16, 5)])


def test_dispatch_gives_0_for_tokens_whose_experts_are_not_here(rng):
    tokens, experts = plain(rng, 1, 1, 2, 4), np.array([[[[0, 1], [1, 3]]]])
    mapping = np.array([1, 0, 1, 0]).reshape(1, 1, 4, 1)
    operands = ["1x1x2x4xf32", "1x1x2x2xi64", "1x1x4x1xi64"]
    text = module("all_to_all_dispatch", DEVICE, operands, ["1x1x2x4xf32", "1x1x2x2xi64"])
    dispatched, metadata = run(text, tokens, experts, mapping)
    np.testing.assert_array_equal(dispatched[0, 0], [tokens[0, 0, 0], np.zeros(4)])
    np.testing.assert_array_equal(metadata, experts)


MOE_GPT = module(
    *("moe_gpt", "hidden_size = 2880 : ui32, cluster_axis = 0 : ui32"),
    [
        *("128x2880xbf16", "128x4xui16", "128x4xbf16", "1x16xui16"),
        *("12x1x4x4x2880x128xbf16", "12x1x4x2x2880x128xbf16"),
    ],
    ["1x16xui32", "1x512xui32", "4x129xui32", "12x2x32x2880xbf16", "12x2x32x2880xbf16"],
)
MOE_COMPUTE = module(
    "moe_compute",
    "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>, layer_id = 0 : ui32, "
    "output_height_shard_dim = 4 : ui32, intermediate_size = 384 : ui32, cluster_axis = 1 : ui32, "
    "activation_function = #ttcore.moe_activation<Swiglu>",
    ["1x32x384xbf16", "1x32x2xui16", "1x32x2xbf16", "1x2xui16", *["1x2x384x384xbf16"] * 3],
    ["2x32x384xbf16"],
)
REDUCE = module(
    "selective_reduce_combine",
    "hidden_size = 2880 : ui32, batch_size = 1 : ui32, seq_size = 128 : ui32, select_experts_k = 4 : ui32, "
    "experts = 32 : ui32",
    ["4x2x128x2880xbf16", "4x2x128x2880xbf16", "1x2x128x4xi64", "1x2x128x1xi64"],
    ["4x1x128x2880xbf16"],
)
TT_LANG = module(
    "tt_lang_op",
    'kernel_id = "pkg.dual::v1", version_tag = "2.0", arg_roles = "in,in,out,out", shard_spec = "{\\22axis\\22:0}"',
    ["4x4xbf16", "4x4xf32", "8x4xf32", "2x4xbf16"],
    ["8x4xf32", "2x4xbf16"],
)
OPAQUE = {"moe_gpt": MOE_GPT, "moe_compute": MOE_COMPUTE, "selective_reduce_combine": REDUCE, "tt_lang_op": TT_LANG}


@pytest.mark.parametrize("mnemonic", OPAQUE)
def test_opaque_ops_are_compiled_costed_and_saved_but_not_executed(mnemonic: str, tmp_path):
    program = ttstack.compile(OPAQUE[mnemonic])
    program.save(tmp_path / "f.ttb")
    again = ttstack.load(tmp_path / "f.ttb")
    assert again.cost().kernel_ns == program.cost().kernel_ns > 0
    assert mnemonic in [op.name for op in again.function().operations]
    with pytest.raises(ExecutionError) as refused:
        again.run()
    assert f"op '{mnemonic}' has no reference semantics" in str(refused.value)
    assert refused.value.diagnostic.hint == "predict its time without running it (--cost-only)"


def test_a_kernel_with_results_of_several_types_prints_and_parses():
    text = print_module(parse(TT_LANG))
    assert "SegmentSizes" not in text
    assert print_module(parse(text)) == text


def test_destinations_of_a_kernel_are_its_operands():
    t = "tensor<32x32xf32>"
    text = f"""func.func @f(%x: {t}) -> {t} {{
      %0 = ttir.empty() : {t}
      %1 = "ttir.tt_lang_op"(%x, %0) <{{kernel_id = "k", version_tag = "1", arg_roles = "in,out"}}> : ({t}, {t}) -> ({t})
      return %1 : {t}
    }}"""
    (kernel,) = (op for op in ttstack.compile(text).function().operations if op.name == "tt_lang_op")
    assert len(kernel.operands) == 2


ROUTER = ["4x8xf32", "8x16xf32", "4x16xf32"]
ROUTED = ["4x3xui16", "4x3xf32"]
GPT_OPERANDS = ["128x64xbf16", "128x4xui16", "128x4xbf16", "1x16xui16"]
COMPUTE = "layer_id = 0 : ui32, output_height_shard_dim = 4 : ui32, cluster_axis = 1 : ui32, intermediate_size = "
SEGMENTS = "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>, "
EXPERTS = [
    "1x32x64xbf16",
    "1x32x2xui16",
    "1x32x2xbf16",
    "1x2xui16",
    "1x2x64x96xbf16",
    "1x2x64x96xbf16",
    "1x2x96x64xbf16",
]
LANG = 'kernel_id = "k", version_tag = "1", arg_roles = '

REFUSED = [
    ("topk_router_gpt", "k = 0 : i32, num_experts = 16 : i32", ROUTER, ROUTED, "k is 0, there are 16 experts"),
    ("topk_router_gpt", "k = 17 : i32, num_experts = 16 : i32", ROUTER, ROUTED, "k is 17, there are 16 experts"),
    (
        *("topk_router_gpt", "k = 3 : i32, num_experts = 8 : i32", ROUTER, ROUTED),
        "num_experts is 8, weight has 16 columns",
    ),
    (
        *("topk_router_gpt", "k = 3 : i32, num_experts = 16 : i32", ["1x4x8xf32", *ROUTER[1:]], ROUTED),
        "input has rank 3, not 2",
    ),
    (
        *("topk_router_gpt", "k = 3 : i32, num_experts = 16 : i32", ["4x7xf32", *ROUTER[1:]], ROUTED),
        "inner dimensions of input and weight differ: 7 and 8",
    ),
    (
        *("topk_router_gpt", "k = 3 : i32, num_experts = 16 : i32", ROUTER, ["4x8xui16", "4x3xf32"]),
        "expert_indices is tensor<4x8xui16>, inferred tensor<4x3xui16>",
    ),
    ("sparse_matmul", "", ["2x6x8xf32", "1x4x8x10xf32", "1x1x1x4xf32"], ["2x4x6x10xf32"], "a has rank 3, not 4"),
    (
        *("sparse_matmul", "", ["2x3x6x7xf32", "1x4x8x10xf32", "2x3x1x4xf32"], ["2x3x1x4x6x10xf32"]),
        "inner dimensions of a [2, 3, 6, 7] and b [1, 4, 8, 10] differ: 7 and 8",
    ),
    (
        *("sparse_matmul", "", ["2x3x6x8xf32", "1x4x8x10xf32", "2x3x1x3xf32"], ["2x3x1x4x6x10xf32"]),
        "sparsity has 18 entries for 24 blocks",
    ),
    (
        *("sparse_matmul", "is_input_b_sparse = false", ["2x3x6x8xf32", "1x4x8x10xf32", "2x3x1x4xf32"]),
        *(["2x3x1x4x6x10xf32"], "neither input is sparse: use matmul"),
    ),
    (
        *("sparse_matmul", "nnz = 25 : i64", ["2x3x6x8xf32", "1x4x8x10xf32", "2x3x1x4xf32"]),
        *(["2x3x1x4x6x10xf32"], "nnz is 25, there are 24 blocks"),
    ),
    (
        *("all_to_all_dispatch", DEVICE, ["1x1x8x4xf32", "1x1x7x2xi64", "1x1x6x1xi64"]),
        *(["1x1x8x4xf32", "1x1x7x2xi64"], "expert_indices has 7 tokens, input_tensor 8"),
    ),
    (
        *("all_to_all_dispatch", DEVICE, ["1x1x8x4xf32", "1x1x8x2xi64", "6x1xi64"]),
        *(["1x1x8x4xf32", "1x1x8x2xi64"], "expert_mapping is [6, 1], expected [1, 1, experts, devices]"),
    ),
    (
        *("all_to_all_dispatch", DEVICE, ["1x1x8x4xf32", "1x1x8x2xi64", "1x1x6x1xi64"]),
        *(["1x2x8x4xf32", "1x1x8x2xi64"], "does not hold 1 times tensor<1x1x8x4xf32>"),
    ),
    (
        *("all_to_all_dispatch", "num_devices = 1 : i64, cluster_axis = 2 : i64"),
        *(["1x1x8x4xf32", "1x1x8x2xi64", "1x1x6x1xi64"], ["1x1x8x4xf32", "1x1x8x2xi64"]),
        "cluster_axis is 2, the axes of a mesh are 0 and 1",
    ),
    (
        *("all_to_all_combine", f"{DEVICE}, num_experts_per_tok = 2 : i64"),
        *(["6x2x5x8xf32", "1x2x5x3xi64", "1x1x6x1xi64"], ["2x2x5x8xf32"]),
        "num_experts_per_tok is 2, metadata has 3",
    ),
    (
        *("all_to_all_combine", f"{DEVICE}, num_experts_per_tok = 3 : i64"),
        *(["6x2x4x8xf32", "1x2x5x3xi64", "1x1x6x1xi64"], ["3x2x5x8xf32"]),
        "input_tensor [6, 2, 4, 8] does not hold the tokens of expert_metadata [1, 2, 5, 3]",
    ),
    (
        *("all_to_all_combine", "num_devices = 2 : i64, cluster_axis = 0 : i64, num_experts_per_tok = 3 : i64"),
        *(["6x2x5x8xf32", "1x2x5x3xi64", "1x1x6x2xi64"], ["3x2x5x8xf32"]),
        "5 tokens along output_shard_dim 2 do not split over 2 devices",
    ),
    (
        *("all_to_all_combine", f"{DEVICE}, num_experts_per_tok = 3 : i64, output_shard_dim = 0 : i64"),
        *(["6x2x5x8xf32", "1x2x5x3xi64", "1x1x6x1xi64"], ["3x2x5x8xf32"]),
        "output_shard_dim is 0, not 1 or 2",
    ),
    (
        *("all_to_all_combine", "num_devices = 2 : i64, cluster_axis = 0 : i64, num_experts_per_tok = 3 : i64"),
        *(["6x2x4x8xf32", "1x2x4x3xi64", "1x1x6x2xi64"], ["3x1x4x8xf32"]),
        "result is tensor<3x1x4x8xf32>, expected tensor<3x2x2x8xf32>: a part of 2",
    ),
    (
        *("moe_expert_token_remap", "reduction_size = 0 : i64", ["1x2x8x6xf32", "1x1x6x2xi64", "1x2x8x2xi64"]),
        *(["1x2x8x3xf32", "1x1x1x3xf32"], "reduction_size is 0, not positive"),
    ),
    (
        *("moe_expert_token_remap", "reduction_size = 4 : i64", ["1x2x8x5xf32", "1x1x6x2xi64", "1x2x8x2xi64"]),
        *(["1x2x8x3xf32", "1x1x4x3xf32"], "topk_tensor has weights of 5 experts, expert_mapping 6"),
    ),
    (
        *("moe_gpt", "hidden_size = 64 : ui32", [*GPT_OPERANDS, "12x4x64x128xbf16", "12x1x4x2x64x128xbf16"]),
        *(["1x16xui32"] * 5, "w0_w1_tensor has rank 4, not 6"),
    ),
    (
        *("moe_gpt", "hidden_size = 32 : ui32", [*GPT_OPERANDS, *["12x1x4x2x64x128xbf16"] * 2]),
        *(["1x16xui32"] * 5, "input_tensor has rows of 64, hidden_size is 32"),
    ),
    (
        *("moe_compute", SEGMENTS + COMPUTE + "100 : ui32", EXPERTS, ["2x32x64xbf16"]),
        "intermediate_size is 100, not a positive multiple of 32",
    ),
    (
        *("moe_compute", SEGMENTS + COMPUTE + "64 : ui32", EXPERTS, ["2x32x64xbf16"]),
        "w0 is [1, 2, 64, 96], expected [layers, experts, 64, 64]",
    ),
    (
        *("moe_compute", SEGMENTS + COMPUTE + "96 : ui32", EXPERTS, ["4x32x64xbf16"]),
        "combine_output is tensor<4x32x64xbf16>, expected [2, tokens, 64]",
    ),
    ("tt_lang_op", LANG + '"in,in,out"', ["4xf32", "4xf32"], ["4xf32"], "arg_roles has 3 roles for 2 operands"),
    ("tt_lang_op", LANG + '"in,in"', ["4xf32", "4xf32"], ["4xf32"], "arg_roles 'in,in' has no operand that is written"),
    ("tt_lang_op", LANG + '"out,in"', ["4xf32", "4xf32"], ["4xf32"], "arg_roles 'out,in' has an in after an out"),
    ("tt_lang_op", LANG + '"in,inout"', ["4xf32", "4xf32"], ["4xf32"], "has the role 'inout', which is not in or out"),
    ("tt_lang_op", LANG + '"in,out"', ["4xf32", "4xf32"], ["4xf32", "4xf32"], "has 2 results, infers 1"),
    (
        "tt_lang_op",
        LANG + '"in,out"',
        ["4xf32", "4xf32"],
        ["4xbf16"],
        "results 0 is tensor<4xbf16>, inferred tensor<4xf32>",
    ),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "results", "says"), REFUSED)
def test_what_is_ill_formed(mnemonic: str, properties: str, operands: list[str], results: list[str], says: str):
    assert_refused(module(mnemonic, properties, operands, results), says)
