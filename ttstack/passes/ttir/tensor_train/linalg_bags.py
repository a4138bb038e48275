"""Pooling of rows by bag in upstream dialects, as text."""

from ttstack.ops.tensor_train import TensorTrainBagLookup
from ttstack.passes.ttir.tensor_train.linalg_text import product_dtype, signless, tensor, to_index

_POOL = {"sum": "arith.addf", "mean": "arith.addf", "max": "arith.maximumf"}


def bags_text(op: TensorTrainBagLookup) -> str:
    """Return the lines that compute `%pooled` from `%rows`, `%ids`, and `%offsets` or `%weights` if present."""
    (bags, width), count, f = op.results[0].shape, op.indices.size, product_dtype(op.train)
    pooled, row, index = tensor(bags, width, f), tensor(width, f), signless(op.indices)
    counts = "arith.constant true"
    if op.padding_idx >= 0:
        counts = f"arith.cmpi ne, %id, %padding : {index}"
    start = "0xFF800000" if f.bits == 32 else "0xFFF0000000000000"
    weight = f"%given = tensor.extract %weights[%at] : {tensor(count, op.train.dtype)}" if op.has_weights else ""
    factor = "%one"
    if op.has_weights:
        factor = "%given" if f is op.train.dtype else "%factor"
        weight += "" if f is op.train.dtype else f"\n%factor = arith.extf %given : {op.train.dtype} to {f}"
    return f"""%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bags = arith.constant {bags} : index
    %count = arith.constant {count} : index
    %zero = arith.constant 0.0 : {f}
    %one = arith.constant 1.0 : {f}
    %start = arith.constant {start if op.mode == "max" else "0.0"} : {f}
    %padding = arith.constant {op.padding_idx} : {index}
    %nothing = tensor.empty() : {pooled}
    %pooled = scf.for %bag = %c0 to %bags step %c1 iter_args(%done = %nothing) -> ({pooled}) {{
      {_bounds(op)}
      %no_row = tensor.empty() : {row}
      %first = linalg.fill ins(%start : {f}) outs(%no_row : {row}) -> {row}
      %sum, %members = scf.for %at = %begin to %end step %c1 iter_args(%so_far = %first, %n = %zero) -> ({row}, {f}) {{
        %id = tensor.extract %ids[%at] : {tensor(count, index)}
        %counts = {counts}
        {weight}
        %one_row = tensor.extract_slice %rows[%at, 0] [1, {width}] [1, 1] : {tensor(count, width, f)} to {row}
        %more = linalg.generic {{indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>],
            iterator_types = ["parallel"]}} ins(%one_row : {row}) outs(%so_far : {row}) {{
          ^bb0(%x: {f}, %before: {f}):
            %scaled = arith.mulf %x, {factor} : {f}
            %added = {_POOL[op.mode]} %before, %scaled : {f}
            %kept = arith.select %counts, %added, %before : {f}
            linalg.yield %kept : {f}
        }} -> {row}
        %next = arith.addf %n, %one : {f}
        %now = arith.select %counts, %next, %n : {f}
        scf.yield %more, %now : {row}, {f}
      }}
      %whole = linalg.generic {{indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]}}
          outs(%sum : {row}) {{
        ^bb0(%total: {f}):
          %empty = arith.cmpf oeq, %members, %zero : {f}
          %least = arith.maximumf %members, %one : {f}
          %share = {f"arith.divf %total, %least : {f}" if op.mode == "mean" else f"arith.mulf %total, %one : {f}"}
          %given_back = arith.select %empty, %zero, %share : {f}
          linalg.yield %given_back : {f}
      }} -> {row}
      %filled = tensor.insert_slice %whole into %done[%bag, 0] [1, {width}] [1, 1] : {row} into {pooled}
      scf.yield %filled : {pooled}
    }}"""


def _bounds(op: TensorTrainBagLookup) -> str:
    """Return the lines that compute `%begin` and `%end` of `%bag` among the flat indices."""
    if not op.has_offsets:
        return f"""%length = arith.constant {op.indices.shape[1]} : index
      %begin = arith.muli %bag, %length : index
      %end = arith.addi %begin, %length : index"""
    offsets_type = op.inputs[op.train.plan.order]
    offset, cast = signless(offsets_type), to_index(offsets_type)
    offsets = offsets_type.size
    return f"""%last = arith.constant {offsets - 1} : index
      %low = tensor.extract %offsets[%bag] : {tensor(offsets, offset)}
      %begin = {cast} %low : {offset} to index
      %after = arith.addi %bag, %c1 : index
      %is_there = arith.cmpi ule, %after, %last : index
      %safe = arith.minui %after, %last : index
      %high = tensor.extract %offsets[%safe] : {tensor(offsets, offset)}
      %given_end = {cast} %high : {offset} to index
      %end = arith.select %is_there, %given_end, %count : index"""
