"""Training attention on heads of one sample, as on a batch of one."""

from ttstack.dialects.base import attribute_values, create, describe, operands_by_place
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.training import TrainingAttention, of_a_batch
from ttstack.passes.pattern import Pattern


def _training(op: ir.Operation) -> list[ir.Value] | None:
    found = describe(op)
    assert isinstance(found, TrainingAttention)
    (query, *_) = found.results
    if query.rank == 4:
        return None
    spec, mask = type(found), list(type(found).operand_specs()).index("attention_mask")
    places = operands_by_place(spec, op)
    batched = [v if v is None or i == mask else _batch(v) for i, v in enumerate(places)]
    results = [of_a_batch(read_type(r.type)) for r in op.results]
    made = create("ttir", spec.mnemonic, batched, attribute_values(spec, op), results=results).results
    return [reshape_to(new, read_type(old.type).shape) for new, old in zip(made, op.results, strict=True)]


def _batch(value: ir.Value) -> ir.Value:
    return reshape_to(value, of_a_batch(read_type(value.type)).shape)


ATTENTION: tuple[tuple[str, Pattern], ...] = (("ttir.sdpa_fw", _training), ("ttir.sdpa_bw", _training))
