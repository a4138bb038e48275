"""Tensor-Train lookups as functions of upstream dialects, as text.

Row numbers are split into digits, one for each core; the slices of these digits are gathered, and multiplied from left
to right. 16-bit elements are widened and computed in f32. A row out of range ends the program.
"""

import math
from collections.abc import Iterator

from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, ElementType, TensorType


def tensor(*shape: int | ElementType | str) -> str:
    """Return the tensor type of these extents and, last, the element type."""
    return f"tensor<{'x'.join(map(str, shape))}>"


def to_index(t: TensorType) -> str:
    """Return the op that casts an integer of this type to an index."""
    return "arith.index_castui" if t.dtype.is_unsigned else "arith.index_cast"


def signless(t: TensorType) -> DType:
    """Return the signless element type of the same width for `arith`."""
    assert isinstance(t.dtype, DType)
    return t.dtype if t.dtype.is_float else DType(f"i{t.dtype.bits}")


def product_dtype(train: TensorTrainType) -> DType:
    """Return the type in which products are computed."""
    return train.dtype if train.dtype.bits >= DType.F32.bits else DType.F32


def rows_text(train: TensorTrainType, indices: TensorType) -> str:
    """Return the lines that compute `%rows`, a table row for each of the flat `%ids`, from the cores."""
    count = indices.size
    lines = [f"%table_rows = arith.constant {train.plan.rows} : index"]
    for k in range(train.plan.order):
        lines += [*_digits(train, k, indices), *_gather(train, k, count), *_multiply(train, k, count)]
    f, order = product_dtype(train), train.plan.order
    last = tensor(count, train.plan.cols, 1, f)
    rows = tensor(count, train.plan.cols, f)
    return "\n".join([*lines, f"%rows = tensor.collapse_shape %left{order} [[0], [1, 2]] : {last} into {rows}"])


def _digits(train: TensorTrainType, k: int, indices: TensorType) -> Iterator[str]:
    factors, count, index = train.plan.row_factors, indices.size, signless(indices)
    yield f"""%divisor{k} = arith.constant {math.prod(factors[k + 1 :])} : index
    %factor{k} = arith.constant {factors[k]} : index
    %no_digits{k} = tensor.empty() : {tensor(count, "index")}
    %digits{k} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]}}
        ins(%ids : {tensor(count, index)}) outs(%no_digits{k} : {tensor(count, "index")}) {{
      ^bb0(%id: {index}, %_: index):
        %row = {to_index(indices)} %id : {index} to index
        %inside = arith.cmpi ult, %row, %table_rows : index
        cf.assert %inside, "index of a lookup is not a row of its table, {train.table}"
        %quotient = arith.divui %row, %divisor{k} : index
        %digit = arith.remui %quotient, %factor{k} : index
        linalg.yield %digit : index
    }} -> {tensor(count, "index")}"""


def _gather(train: TensorTrainType, k: int, count: int) -> Iterator[str]:
    _, inner, width = train.plan.core_shapes[k]
    f, core = product_dtype(train), tensor(*train.plan.core_shapes[k], train.dtype)
    slices, value = tensor(count, inner, width, f), "%value"
    widen = ""
    if f is not train.dtype:
        value, widen = "%wide", f"%wide = arith.extf %value : {train.dtype} to {f}"
    yield f"""%no_slices{k} = tensor.empty() : {slices}
    %slices{k} = linalg.generic {{indexing_maps = [affine_map<(i, j, l) -> (i)>, affine_map<(i, j, l) -> (i, j, l)>],
        iterator_types = ["parallel", "parallel", "parallel"]}}
        ins(%digits{k} : {tensor(count, "index")}) outs(%no_slices{k} : {slices}) {{
      ^bb0(%digit: index, %_: {f}):
        %j = linalg.index 1 : index
        %l = linalg.index 2 : index
        %value = tensor.extract %core{k}[%digit, %j, %l] : {core}
        {widen}
        linalg.yield {value} : {f}
    }} -> {slices}"""


def _multiply(train: TensorTrainType, k: int, count: int) -> Iterator[str]:
    """Yield the lines of the product with the slices, `%left{k}`, as (rows, columns so far, rank)."""
    plan, f = train.plan, product_dtype(train)
    before, factor, rank = math.prod(plan.col_factors[:k]), plan.col_factors[k], plan.ranks[k + 1]
    left = tensor(count, before, plan.ranks[k], f)
    right = tensor(count, plan.ranks[k], factor * rank, f)
    product = tensor(count, before, factor * rank, f)
    apart, together = tensor(count, before, factor, rank, f), tensor(count, before * factor, rank, f)
    name = f"%slices{k}"
    if k:
        name = f"%product{k}"
        yield f"""%zero{k} = arith.constant 0.0 : {f}
    %no_product{k} = tensor.empty() : {product}
    %zeros{k} = linalg.fill ins(%zero{k} : {f}) outs(%no_product{k} : {product}) -> {product}
    %product{k} = linalg.batch_matmul ins(%left{k}, %slices{k} : {left}, {right})
        outs(%zeros{k} : {product}) -> {product}"""
    shape = f"[{count}, {before}, {factor}, {rank}]"
    yield f"""%apart{k} = tensor.expand_shape {name} [[0], [1], [2, 3]] output_shape {shape} : {product} into {apart}
    %left{k + 1} = tensor.collapse_shape %apart{k} [[0], [1, 2], [3]] : {apart} into {together}"""
