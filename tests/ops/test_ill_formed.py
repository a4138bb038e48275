"""One wrong op for every rule, and what the verifier says about it."""

import pytest

from tests.every import for_every
from ttstack.diagnostics import InvalidIRError
from ttstack.frontends.text import parse

F = "tensor<4x8xf32>"
ELTWISE = [
    (
        f'"ttir.add"(%a, %b) : ({F}, tensor<3x8xf32>) -> {F}',
        "shapes [4, 8] and [3, 8] do not broadcast",
    ),
    (f'"ttir.exp"(%a) : ({F}) -> tensor<8x4xf32>', "result is tensor<8x4xf32>, inferred tensor<4x8xf32>"),
    (f'"ttir.eq"(%a, %a) : ({F}, {F}) -> tensor<4x1xi1>', "result is tensor<4x1xi1>, inferred tensor<4x8xi1>"),
    (f'"ttir.bitcast_convert"(%a) : ({F}) -> tensor<4x8xbf16>', "element types f32 and bf16 differ in width"),
    (
        f'"ttir.gelu_bw"(%a, %a) {{approximate = "erf"}} : ({F}, {F}) -> {F}',
        "approximate is 'erf', not none or tanh",
    ),
    (f'"ttir.leaky_relu"(%a) : ({F}) -> {F}', "requires attribute 'parameter'"),
    (f'"ttir.clamp_scalar"(%a) {{min = 0.0 : f32}} : ({F}) -> {F}', "requires attribute 'max'"),
    (
        f'"ttir.leaky_relu"(%a) {{parameter = "x"}} : ({F}) -> {F}',
        """attribute 'parameter' is "x", expected float f32""",
    ),
    (
        f'"ttir.bitwise_and"(%a, %a) : ({F}, {F}) -> {F}',
        "lhs is f32, not an integer",
    ),
    (f'"ttir.bitwise_not"(%a) : ({F}) -> {F}', "input is f32, not an integer"),
    (
        f'"ttir.logical_left_shift"(%i, %v) : (tensor<6xi32>, tensor<8xf32>) -> {F}',
        "rhs is f32, not an integer",
    ),
]

CREATION = [
    (
        '"ttir.zeros"() {shape = array<i32: 4, 4>} : () -> tensor<4x8xf32>',
        "shape [4, 4] differs from the result's [4, 8]",
    ),
    ('"ttir.full"() {shape = array<i32: 4>} : () -> tensor<4xf32>', "requires attribute 'fill_value'"),
    (
        '"ttir.full"() {shape = array<i32: 4>, fill_value = "1"} : () -> tensor<4xf32>',
        """attribute 'fill_value' is "1", expected number f32""",
    ),
    (
        '"ttir.arange"() {start = 0 : si64, end = 9 : si64, step = 2 : si64, arange_dimension = 0 : i64} : () -> tensor<4xi32>',
        "0 to 9 by 2 has 5 values, the result 4",
    ),
    (
        '"ttir.arange"() {start = 0 : si64, end = 9 : si64, step = 0 : si64, arange_dimension = 0 : i64} : () -> tensor<4xi32>',
        "step is 0",
    ),
    (
        '"ttir.arange"() {start = 0 : si64, end = 4 : si64, step = 1 : si64, arange_dimension = 1 : i64} : () -> tensor<4xi32>',
        "arange_dimension 1 is out of range for rank 1",
    ),
    (
        '"ttir.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<8xf32>',
        "attribute 'value' holds tensor<4xf32>, result is tensor<8xf32>",
    ),
    ('"ttir.constant"() {value = 1.0 : f32} : () -> tensor<f32>', "expected elements"),
]

REDUCTION = [
    (
        f'"ttir.sum"(%a) {{keep_dim = false, dim_arg = [2 : i32]}} : ({F}) -> tensor<4xf32>',
        "dim_arg 2 is out of range for rank 2",
    ),
    (
        f'"ttir.max"(%a) {{keep_dim = false, dim_arg = [1 : i32, -1 : i32]}} : ({F}) -> tensor<4xf32>',
        "dim_arg [1, -1] names a dimension twice",
    ),
    (
        f'"ttir.mean"(%a) {{keep_dim = true, dim_arg = [1 : i32]}} : ({F}) -> tensor<4xf32>',
        "result is tensor<4xf32>, inferred tensor<4x1xf32>",
    ),
    (f'"ttir.sum"(%a) {{dim_arg = [1 : i32]}} : ({F}) -> tensor<4xf32>', "requires attribute 'keep_dim'"),
    (
        f'"ttir.sum"(%a) {{keep_dim = false, dim_arg = 1 : i32}} : ({F}) -> tensor<4xf32>',
        "attribute 'dim_arg' is 1 : i32, expected array i32",
    ),
    (f'"ttir.cumsum"(%a) {{dim = -3 : i64}} : ({F}) -> {F}', "dim -3 is out of range for rank 2"),
    (f'"ttir.softmax"(%a) {{dimension = 2 : si32}} : ({F}) -> {F}', "dimension 2 is out of range for rank 2"),
]

SHAPE = [
    (
        f'"ttir.reshape"(%a) {{shape = [4 : i32, 9 : i32]}} : ({F}) -> tensor<4x9xf32>',
        "shape [4, 9] has 36 elements, input [4, 8] has 32",
    ),
    (
        f'"ttir.reshape"(%a) {{shape = [-4 : i32, -8 : i32]}} : ({F}) -> {F}',
        "shape [-4, -8] has 32 elements, input [4, 8] has 32",
    ),
    (f'"ttir.squeeze"(%a) {{dim = 0 : si32}} : ({F}) -> tensor<8xf32>', "dimension 0 of input [4, 8] is not 1"),
    (f'"ttir.squeeze"(%a) {{dim = 5 : si32}} : ({F}) -> tensor<8xf32>', "dim 5 is out of range for rank 2"),
    (f'"ttir.unsqueeze"(%a) {{dim = 3 : si32}} : ({F}) -> {F}', "dim 3 is out of range for rank 3"),
    (
        f'"ttir.permute"(%a) {{permutation = array<i64: 0, 0>}} : ({F}) -> {F}',
        "[0, 0] is not a permutation of 2 dimensions",
    ),
    (
        f'"ttir.transpose"(%a) {{dim0 = 0 : si32, dim1 = 2 : si32}} : ({F}) -> {F}',
        "dim1 2 is out of range for rank 2",
    ),
    (
        f'"ttir.transpose"(%a) {{dim0 = -3 : si32, dim1 = 1 : si32}} : ({F}) -> {F}',
        "dim0 -3 is out of range for rank 2",
    ),
    (
        f'"ttir.concat"(%a, %b) {{dim = 1 : si32}} : ({F}, tensor<3x8xf32>) -> tensor<4x16xf32>',
        "input 1 is tensor<3x8xf32>, which does not join input 0, tensor<4x8xf32>, along dim 1",
    ),
    ('"ttir.concat"() {dim = 0 : si32} : () -> tensor<8x8xf32>', "needs at least one input"),
    (
        f'"ttir.slice_static"(%a) {{begins = [0 : i32], ends = [4 : i32, 8 : i32], step = [1 : i32, 1 : i32]}} : ({F}) -> {F}',
        "begins has 1 entries for rank 2",
    ),
    (
        f'"ttir.slice_static"(%a) {{begins = [0 : i32, 0 : i32], ends = [4 : i32, 8 : i32], step = [1 : i32, 0 : i32]}} : ({F}) -> {F}',
        "step of dimension 1 is 0",
    ),
    (
        f'"ttir.slice_static"(%a) {{begins = [0 : i32, 0 : i32], ends = [4 : i32, 9 : i32], step = [1 : i32, 1 : i32]}} : ({F}) -> {F}',
        "slice 0:9:1 of dimension 1 is outside of its extent 8, or turned round",
    ),
    (
        f'"ttir.index"(%a) {{dim = 0 : i32, begin = 3 : i32, end = 2 : i32, step = 1 : i32}} : ({F}) -> {F}',
        "slice 3:2:1 of dimension 0 is outside of its extent 4, or turned round",
    ),
    (
        f'"ttir.index"(%a) {{dim = 0 : i32, begin = 0 : i32, end = 2 : i32, step = -1 : i32}} : ({F}) -> {F}',
        "slice 0:2:-1 of dimension 0 is outside of its extent 4, or turned round",
    ),
    (
        f'"ttir.broadcast"(%a) {{broadcast_dimensions = array<i64: 2, 1>}} : ({F}) -> {F}',
        "factor 2 of dimension 0 needs extent 1, input has 4",
    ),
    (
        f'"ttir.broadcast"(%a) {{broadcast_dimensions = array<i64: 1>}} : ({F}) -> {F}',
        "1 factors for rank 2",
    ),
    (
        f'"ttir.repeat"(%a) {{repeat_dimensions = array<i64: 0, 1>}} : ({F}) -> {F}',
        "counts [0, 1] are not all positive",
    ),
    (f'"ttir.repeat"(%a) {{repeat_dimensions = array<i64: 2>}} : ({F}) -> {F}', "1 counts for rank 2"),
    (
        f'"ttir.pad"(%a) {{padding = array<i32: 1, 1>, value = 0.0 : f32}} : ({F}) -> {F}',
        "padding has 2 entries for rank 2",
    ),
    (
        f'"ttir.pad"(%a) {{padding = array<i32: 0, 0, -9, 2>, value = 0.0 : f32}} : ({F}) -> tensor<4x1xf32>',
        "padding [0, 0, -9, 2] cuts 9 off the 8 of dimension 1",
    ),
    (f'"ttir.reverse"(%a) {{dimensions = array<i64: 2>}} : ({F}) -> {F}', "dimensions 2 is out of range for rank 2"),
    (f'"ttir.gather"(%a, %a) {{dim = 0 : i32}} : ({F}, {F}) -> {F}', "index is f32, not an integer"),
    (
        f'"ttir.gather"(%a, %i) {{dim = 0 : i32}} : ({F}, tensor<6xi32>) -> {F}',
        "index [6] does not fit input [4, 8] along dim 0",
    ),
]

MATMUL = [
    (
        '"ttir.matmul"(%zero, %zero) {transpose_b = true} : (tensor<4x0xf32>, tensor<4x0xf32>) -> tensor<4x4xf32>',
        "inner dimension of a [4, 0] is 0",
    ),
    (
        '"ttir.dot_general"(%zero, %zero) {batch_dims_lhs = array<i64>, contract_dims_lhs = array<i64: 1>, batch_dims_rhs = array<i64>, contract_dims_rhs = array<i64: 1>} : (tensor<4x0xf32>, tensor<4x0xf32>) -> tensor<4x4xf32>',
        "contracted dimensions of lhs [0] have no elements",
    ),
    (
        f'"ttir.matmul"(%a, %a) : ({F}, {F}) -> tensor<4x8xf32>',
        "inner dimensions of a [4, 8] and b [4, 8] differ: 8 and 4",
    ),
    (
        f'"ttir.matmul"(%a, %s) : ({F}, tensor<f32>) -> tensor<4xf32>',
        "operands must have at least one dimension",
    ),
    (
        f'"ttir.linear"(%a, %w, %b) : ({F}, tensor<8x2xf32>, tensor<3x8xf32>) -> tensor<4x2xf32>',
        "shapes [4, 2] and [3, 8] do not broadcast",
    ),
    (
        '"ttir.linear"(%v, %w, %d) : (tensor<8xf32>, tensor<8x2xf32>, tensor<4x2xf32>) -> tensor<2xf32>',
        "result is tensor<2xf32>, inferred tensor<4x2xf32>",
    ),
    (
        f'"ttir.matmul"(%a, %w) {{activation = "add"}} : ({F}, tensor<8x2xf32>) -> tensor<4x2xf32>',
        "activation 'add' is none that kernels end in",
    ),
    (
        f'"ttir.dot_general"(%a, %a) {{batch_dims_lhs = array<i64>, contract_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64>, contract_dims_rhs = array<i64: 1>}} : ({F}, {F}) -> tensor<8x4xf32>',
        "contracted dimensions of lhs [4] and rhs [8] differ",
    ),
    (
        f'"ttir.dot_general"(%a, %a) {{batch_dims_lhs = array<i64: 0>, contract_dims_lhs = array<i64: 0>, batch_dims_rhs = array<i64: 0>, contract_dims_rhs = array<i64: 1>}} : ({F}, {F}) -> tensor<8x4xf32>',
        "dimensions of lhs [0, 0] names a dimension twice",
    ),
    (
        f'"ttir.dot_general"(%a, %a) {{batch_dims_lhs = array<i64: 0>, contract_dims_lhs = array<i64>, batch_dims_rhs = array<i64: 1>, contract_dims_rhs = array<i64>}} : ({F}, {F}) -> tensor<4x8x4xf32>',
        "batch dimensions of lhs [4] and rhs [8] differ",
    ),
]

NORMALIZATION = [
    (
        f'"ttir.layer_norm"(%a) {{normalized_shape = array<i64: 4>}} : ({F}) -> {F}',
        "normalized_shape [4] is not the end of input [4, 8]",
    ),
    (
        f'"ttir.rms_norm"(%a) {{normalized_shape = array<i64>}} : ({F}) -> {F}',
        "normalized_shape [] is not the end of input [4, 8]",
    ),
    (
        f'"ttir.layer_norm"(%a, %c) {{normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 0>}} : ({F}, tensor<4xf32>) -> {F}',
        "weight has shape [4], expected [8]",
    ),
    (
        f'"ttir.rms_norm"(%a, %c) {{normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 0, 1>}} : ({F}, tensor<4xf32>) -> {F}',
        "bias has shape [4], expected [8]",
    ),
    (
        f'"ttir.batch_norm_inference"(%a, %c, %c, %c, %c) {{epsilon = 0.1 : f32, dimension = 1 : i32}} : ({F}, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> {F}',
        "scale has shape [4], expected [8]",
    ),
    (
        '"ttir.batch_norm_inference"(%v, %v, %v, %v, %v) {epsilon = 0.1 : f32, dimension = 0 : i32} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>',
        "rank of operand is 1, not 2 to 5",
    ),
]

BAG = "tensor<6xi32>, tensor<4x8xf32>"
EMBEDDING = [
    (
        '"ttir.embedding"(%i, %v) : (tensor<6xi32>, tensor<8xf32>) -> tensor<6x8xf32>',
        "weight [8] is not a matrix of rows",
    ),
    (
        '"ttir.embedding"(%i, %q) : (tensor<6xi32>, tensor<1x2x8x4xf32>) -> tensor<6x4xf32>',
        "weight [1, 2, 8, 4] is not a matrix of rows",
    ),
    (
        f'"ttir.embedding_bag"(%i, %a) : ({BAG}) -> tensor<6x8xf32>',
        "input has rank 1, needs 2 here",
    ),
    (
        f'"ttir.embedding_bag"(%i, %a, %i) {{mode = "median"}} : ({BAG}, tensor<6xi32>) -> tensor<6x8xf32>',
        "mode is 'median', not sum, mean or max",
    ),
    (
        f'"ttir.embedding_bag"(%i, %a, %j) : ({BAG}, tensor<2x3xi32>) -> tensor<6x8xf32>',
        "offsets have rank 2, not 1",
    ),
    (
        f'"ttir.embedding_bag"(%j, %a, %i) : (tensor<2x3xi32>, {F}, tensor<6xi32>) -> tensor<6x8xf32>',
        "input has rank 2, needs 1 here",
    ),
    (
        f'"ttir.embedding_bag"(%i, %a, %i, %v) : ({BAG}, tensor<6xi32>, tensor<8xf32>) -> tensor<6x8xf32>',
        "per_sample_weights [8] differ from input [6]",
    ),
    (
        f'"ttir.embedding_bag"(%i, %a, %i, %v) {{mode = "max"}} : ({BAG}, tensor<6xi32>, tensor<8xf32>) -> tensor<6x8xf32>',
        "per_sample_weights need mode 'sum', not 'max'",
    ),
]

Q = "tensor<1x2x8x4xf32>"
ATTENTION = [
    (
        f'"ttir.scaled_dot_product_attention"(%q, %a, %q) : ({Q}, {F}, {Q}) -> {Q}',
        "key has rank 2, not 4",
    ),
    (
        f'"ttir.scaled_dot_product_attention"(%q, %q, %k) : ({Q}, {Q}, tensor<1x3x8x4xf32>) -> {Q}',
        "key [1, 2, 8, 4] and value [1, 3, 8, 4] differ in batch, heads or length",
    ),
    (
        f'"ttir.scaled_dot_product_attention"(%q, %k, %k) : ({Q}, tensor<1x3x8x4xf32>, tensor<1x3x8x4xf32>) -> {Q}',
        "2 query heads are not a multiple of 3 key heads",
    ),
    (
        f'"ttir.scaled_dot_product_attention"(%q, %l, %l) : ({Q}, tensor<2x2x8x4xf32>, tensor<2x2x8x4xf32>) -> {Q}',
        "batch of query is 1, of key 2",
    ),
    (
        f'"ttir.scaled_dot_product_attention"(%q, %m, %m) : ({Q}, tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) -> {Q}',
        "head width of query is 4, of key 8",
    ),
    (
        f'"ttir.scaled_dot_product_attention"(%q, %q, %q, %m) {{is_causal = true}} : ({Q}, {Q}, {Q}, tensor<1x2x8x8xf32>) -> {Q}',
        "takes an attention_mask or is_causal, not both",
    ),
    (
        f'"ttir.scaled_dot_product_attention"(%q, %q, %q, %l) {{is_causal = false}} : ({Q}, {Q}, {Q}, tensor<2x2x8x4xf32>) -> {Q}',
        "do not broadcast",
    ),
    (
        f'"ttir.scaled_dot_product_attention"(%q, %q, %q, %n) {{is_causal = false}} : ({Q}, {Q}, {Q}, tensor<2x2x8x8xf32>) -> {Q}',
        "attention_mask [2, 2, 8, 8] does not broadcast to [1, 2, 8, 8]",
    ),
    (f'"ttir.concatenate_heads"(%a) : ({F}) -> {F}', "input has rank 2, not 4"),
    (
        f'"ttir.split_query_key_value_and_split_heads"(%a) {{num_heads = 2 : ui32, transpose_key = false}} : ({F}) -> ({F}, {F}, {F})',
        "input_tensor has rank 2, not 3",
    ),
    (
        f'"ttir.split_query_key_value_and_split_heads"(%t) {{num_heads = 2 : ui32, transpose_key = false}} : (tensor<1x4x8xf32>) -> ({F}, {F}, {F})',
        "width 8 does not split into 6 heads",
    ),
    (
        f'"ttir.split_query_key_value_and_split_heads"(%t, %u) {{num_heads = 2 : ui32, transpose_key = false}} : (tensor<1x4x8xf32>, tensor<1x4x12xf32>) -> ({F}, {F}, {F})',
        "kv_input_tensor has width 12, expected 16",
    ),
]

TYPES = [
    ('"ttir.exp"(%x) : (tensor<4x?xf32>) -> tensor<4x?xf32>', "has a dynamic shape; give every dimension an extent"),
    (
        '"ttir.exp"(%z) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>',
        "element type complex<f32> is not supported",
    ),
]

ARGUMENTS = {
    "a": F,
    "b": "tensor<3x8xf32>",
    "c": "tensor<4xf32>",
    "d": "tensor<4x2xf32>",
    "f": "tensor<4x8xf16>",
    "g": "tensor<6xui32>",
    "h": "tensor<4x8xbf16>",
    "i": "tensor<6xi32>",
    "j": "tensor<2x3xi32>",
    "k": "tensor<1x3x8x4xf32>",
    "l": "tensor<2x2x8x4xf32>",
    "m": "tensor<1x2x8x8xf32>",
    "n": "tensor<2x2x8x8xf32>",
    "q": Q,
    "s": "tensor<f32>",
    "t": "tensor<1x4x8xf32>",
    "u": "tensor<1x4x12xf32>",
    "v": "tensor<8xf32>",
    "w": "tensor<8x2xf32>",
    "x": "tensor<4x?xf32>",
    "z": "tensor<4xcomplex<f32>>",
    "zero": "tensor<4x0xf32>",
}

ALL = [*ELTWISE, *CREATION, *REDUCTION, *SHAPE, *MATMUL, *NORMALIZATION, *EMBEDDING, *ATTENTION, *TYPES]


@for_every("text, says", ALL)
def test_an_ill_formed_op_is_refused_at_its_line(text: str, says: str):
    arguments = ", ".join(f"%{name}: {t}" for name, t in ARGUMENTS.items())
    count = 3 if "split_query" in text else 1
    results = f"%0:{count}" if count > 1 else "%0"
    module = f"func.func @f({arguments}) {{\n  {results} = {text}\n  return\n}}\n"
    with pytest.raises(InvalidIRError) as refused:
        parse(module, "model.mlir")
    assert says in refused.value.diagnostic.message
    assert f"'{text.partition('(')[0][1:-1]}' op" in refused.value.diagnostic.message
    column = module.splitlines()[1].index('"') + 1
    assert refused.value.diagnostic.loc == f"model.mlir:2:{column}"
