"""Lowering of Tensor-Train lookups to `linalg`, `tensor`, `scf` and `arith`."""

from collections.abc import Sequence

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.types import tensor_type
from ttstack.mlir import func, ir
from ttstack.ops.tensor_train import Contraction, TensorTrainBagLookup, TensorTrainReconstruct
from ttstack.ops.types import DType, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import defined_functions
from ttstack.passes.ttir.tensor_train.linalg_bags import bags_text
from ttstack.passes.ttir.tensor_train.linalg_text import product_dtype, rows_text, signless, tensor

_NAMES = tuple(f"ttir.tensor_train_{name}" for name in ("embedding", "embedding_bag", "reconstruct"))


class ConvertTensorTrainToLinalg(Pass, name="convert-tensor-train-to-linalg"):
    """Lower Tensor-Train lookups to functions of upstream dialects; equal lookups share one function.

    Values equal the runtime's, so that tests can compare MLIR's lowering to LLVM with it.
    """

    def run(self, module: ir.Module) -> None:
        """Convert every lookup and reconstruction of the module."""
        function_names: dict[Contraction, str] = {}
        for function in list(defined_functions(module)):
            ops = [op.operation for block in function.regions[0].blocks for op in block.operations]
            for op in ops:
                if op.name in _NAMES:
                    _convert(module, op, function_names)
            refresh_signature(function)


def _convert(module: ir.Module, op: ir.Operation, function_names: dict[Contraction, str]) -> None:
    definition = definition_of(op)
    assert isinstance(definition, Contraction)
    if definition not in function_names:
        function_names[definition] = f"{definition.mnemonic}_{len(function_names)}"
        parsed = ir.Module.parse(_function(function_names[definition], definition))
        (function,) = parsed.body.operations
        function.detach_from_parent()
        module.body.append(function)
    results = [r.type for r in op.results]
    with insert_before(op):
        operands = [_signless(v, t) for v, t in zip(op.operands, definition.operands, strict=True)]
        call = func.CallOp(results, function_names[definition], operands)
    for old, new in zip(op.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _signless(value: ir.Value, t: TensorType) -> ir.Value:
    """Return signless integers with the same bits; the type of an argument that only lookups use is changed."""
    plain = tensor_type(t.with_dtype(signless(t)))
    if plain == value.type:
        return value
    if isinstance(value.owner, ir.Block) and all(use.owner.name in (*_NAMES, "func.call") for use in value.uses):
        value.set_type(plain)
        return value
    return ir.Operation.create("tensor.bitcast", results=[plain], operands=[value]).results[0]


def _function(name: str, op: Contraction) -> str:
    (result,) = op.results
    indices = op.operands[0] if op.chain.first else TensorType((op.chain.picked,), DType.I64)
    types = [tensor(*t.shape, signless(t)) for t in op.operands]
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip(_operand_names(op), types, strict=True))
    rows, lines = "%rows", [_ids(op, str(signless(indices))), rows_text(op.train, indices)]
    rows_type = TensorType((op.chain.picked, op.train.plan.cols), op.train.dtype)
    if isinstance(op, TensorTrainBagLookup):
        lines.append(bags_text(op))
        rows, rows_type = "%pooled", result
    lines.append(_result(op, rows, rows_type, result))
    body = "\n    ".join(lines)
    return f"func.func private @{name}({arguments}) -> {tensor(*result.shape, result.dtype)} {{\n    {body}\n}}"


def _operand_names(op: Contraction) -> Sequence[str]:
    names = [f"core{k}" for k in range(op.train.plan.order)]
    if op.chain.first:
        names.insert(0, "indices")
    if isinstance(op, TensorTrainBagLookup):
        names += ["offsets"] * op.has_offsets + ["weights_given"] * op.has_weights
    return names


def _ids(op: Contraction, index: str) -> str:
    """Return the lines of `%ids`, all indices in one dimension, and of `%weights`."""
    if isinstance(op, TensorTrainReconstruct):
        return f"""%ids = tensor.generate {{
      ^bb0(%i: index):
        %row = arith.index_cast %i : index to i64
        tensor.yield %row : i64
    }} : {tensor(op.chain.picked, index)}"""
    lines = _flatten("%ids", "%indices", op.operands[0].shape, index)
    if isinstance(op, TensorTrainBagLookup) and op.has_weights:
        lines += "\n    " + _flatten("%weights", "%weights_given", op.operands[0].shape, op.train.dtype)
    return lines


def _flatten(name: str, source: str, shape: tuple[int, ...], element: str) -> str:
    source_type, flat = tensor(*shape, element), tensor(TensorType(shape, DType.F32).size, element)
    if len(shape) == 0:
        return f"{name} = tensor.expand_shape {source} [] output_shape [1] : {source_type} into {flat}"
    return f"{name} = tensor.collapse_shape {source} [{list(range(len(shape)))}] : {source_type} into {flat}"


def _result(op: Contraction, rows: str, rows_type: TensorType, result: TensorType) -> str:
    """Return the lines that convert to the table's element type and the shape of the indices."""
    f, lines = product_dtype(op.train), []
    if f is not result.dtype:
        t = tensor(*rows_type.shape, result.dtype)
        lines.append(f"""%narrow_to = tensor.empty() : {t}
    %narrow = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}}
        ins({rows} : {tensor(*rows_type.shape, f)}) outs(%narrow_to : {t}) {{
      ^bb0(%x: {f}, %_: {result.dtype}):
        %y = arith.truncf %x : {f} to {result.dtype}
        linalg.yield %y : {result.dtype}
    }} -> {t}""")
        rows = "%narrow"
    if rows_type.shape != result.shape:
        have, want = tensor(*rows_type.shape, result.dtype), tensor(*result.shape, result.dtype)
        lead = list(range(max(result.rank - 1, 0)))
        if result.rank == 1:
            lines.append(f"%shaped = tensor.collapse_shape {rows} [[0, 1]] : {have} into {want}")
        else:
            groups = f"[{lead}, [{len(lead)}]] output_shape {list(result.shape)}"
            lines.append(f"%shaped = tensor.expand_shape {rows} {groups} : {have} into {want}")
        rows = "%shaped"
    lines.append(f"return {rows} : {tensor(*result.shape, result.dtype)}")
    return "\n    ".join(lines)
