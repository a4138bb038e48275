"""Training ops: the AdamW step, and attention with its gradients."""

from collections.abc import Sequence
from dataclasses import replace

from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.attributes import F32, AttentionMaskType, Bool, SecondResultDType
from ttstack.ops.base import Op
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import elementwise_estimate
from ttstack.ops.loops import IndexingMap, TileWork
from ttstack.ops.shapes import check_trailing, expect
from ttstack.ops.types import DType, ElementType, TensorType
from ttstack.ops.work_estimate import WorkEstimate

STATISTICS = 32
"""Columns of the tensor of log-sum-exps: one tile."""


class Adamw(Op, mnemonic="adamw"):
    """One step of AdamW (Loshchilov and Hutter, 2019), with AMSGrad's maximum if given.

    `beta1_pow` and `beta2_pow` are the betas to the power of the step number. `stochastic_rounding` lets the device
    round bf16 at random; here results are rounded to nearest.
    """

    op_code = "BinaryNgDeviceOperation"
    result_names = ("param_out", "exp_avg_out", "exp_avg_sq_out", "max_exp_avg_sq_out")
    optional_result = True
    param: TensorType
    grad: TensorType
    exp_avg: TensorType
    exp_avg_sq: TensorType
    max_exp_avg_sq: TensorType | None = None
    lr: F32
    beta1: F32
    beta2: F32
    beta1_pow: F32
    beta2_pow: F32
    epsilon: F32
    weight_decay: F32
    stochastic_rounding: Bool = False

    def infer(self) -> tuple[TensorType, ...]:
        """Return the types of parameter and moments; all shapes must be the parameter's."""
        for name in ("grad", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"):
            check_trailing(name, getattr(self, name), self.param.shape)
        for name in ("beta1", "beta2"):
            expect(0 <= getattr(self, name) < 1, f"{name} is {getattr(self, name)}, must be in [0, 1)")
        results = self.param, self.exp_avg, self.exp_avg_sq
        return results if self.max_exp_avg_sq is None else (*results, self.max_exp_avg_sq)

    def flops(self) -> int:
        """Return sixteen for each element: two moments, two corrections, root, quotient, decay and step."""
        return 16 * self.param.size

    def dispatch(self) -> WorkEstimate:
        """Estimate independent work on each tile."""
        work = (("multiply", 8.0), ("add", 4.0), ("sqrt", 1.0), ("reciprocal", 1.0))
        tiles = [TileWork(name, (0,), count) for name, count in work]
        return elementwise_estimate(self.operands, self.param, tiles, len(self.results))


class TrainingAttention(Op):
    """Attention without a mask, with a causal mask, or with a mask operand that is added to the scores.

    Heads are [B, H, S, D], or [H, S, D] for one sample.
    """

    op_code = "SDPAOperation"
    dropout_probability: F32 = 0.0

    def forward(self) -> ScaledDotProductAttention:
        """Return the inference attention on the same heads."""
        raise NotImplementedError(f"{type(self).__name__}.forward")

    def _forward(
        self, heads: Sequence[TensorType], mask_type: str, attention_mask: TensorType | None
    ) -> ScaledDotProductAttention:
        """Return the forward attention; raise `ValueError` if mask or dropout do not fit."""
        kinds = ("none", "causal", "arbitrary")
        kind = mask_type.lower()
        expect(kind in kinds, f"mask_type is {mask_type!r}, not {', '.join(kinds[:-1])} or {kinds[-1]}")
        added = kind == "arbitrary"
        fits = added == (attention_mask is not None)
        expect(fits, f"mask_type {kind!r} {'needs an' if added else 'takes no'} attention_mask")
        probability = self.dropout_probability
        expect(0 <= probability < 1, f"dropout_probability is {probability}, must be in [0, 1)")
        query, key, value = map(of_a_batch, heads)
        return ScaledDotProductAttention(
            query=query, key=key, value=value, attention_mask=attention_mask, is_causal=kind == "causal"
        )


def of_a_batch(heads: TensorType) -> TensorType:
    """Return heads with a batch dimension of 1 if they have none."""
    return heads.with_shape((1, *heads.shape)) if heads.rank == 3 else heads


def _statistics(query: TensorType, dtype: ElementType) -> TensorType:
    """Return the type of log-sum-exps: one for each query, in all columns of a tile."""
    return TensorType((*query.shape[:-1], STATISTICS), dtype)


class SdpaFw(TrainingAttention, mnemonic="sdpa_fw"):
    """`softmax(query @ key^T / sqrt(D) + mask) @ value`, and the log-sum-exps if `return_intermediates`."""

    multiplied = (0, 1, 1)
    result_names = ("output", "intermediates")
    optional_result = True
    query: TensorType
    key: TensorType
    value: TensorType
    attention_mask: TensorType | None = None
    mask_type: AttentionMaskType = "causal"
    return_intermediates: Bool = False
    intermediates_dtype: SecondResultDType | None = None

    def forward(self) -> ScaledDotProductAttention:
        """Return the inference attention on the same heads."""
        return self._forward((self.query, self.key, self.value), self.mask_type, self.attention_mask)

    def infer(self) -> tuple[TensorType, ...]:
        """Return the query's shape with the value's width; intermediates are f32 unless declared otherwise."""
        (out,) = self.forward().results
        given = out.with_shape((*self.query.shape[:-1], out.shape[-1]))
        dtype = self.intermediates_dtype or DType.F32
        expect(dtype.is_float, f"intermediates are {dtype}, not real numbers")
        return (given, _statistics(self.query, dtype)) if self.return_intermediates else (given,)

    def flops(self) -> int:
        """Return the operations of two matmuls."""
        return self.forward().flops()

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops of attention; an estimate of its kernel if there is a second result."""
        forward = self.forward()
        if forward.nest is not None and self.operands == forward.operands and len(self.results) == 1:
            return forward.nest
        found = forward.estimate()
        return replace(found, outputs=found.outputs * len(self.results))


class SdpaBw(TrainingAttention, mnemonic="sdpa_bw"):
    """Gradients of query, key and value, from the output and the log-sum-exps of `sdpa_fw`."""

    result_names = ("grad_query", "grad_key", "grad_value")
    grad_output: TensorType
    attn_output: TensorType
    query: TensorType
    key: TensorType
    value: TensorType
    intermediates: TensorType
    attention_mask: TensorType | None = None
    mask_type: AttentionMaskType = "arbitrary"

    def forward(self) -> ScaledDotProductAttention:
        """Return the inference attention on the same heads."""
        return self._forward((self.query, self.key, self.value), self.mask_type, self.attention_mask)

    def infer(self) -> tuple[TensorType, ...]:
        """Return the types of query, key and value."""
        (out,) = self.forward().results
        for name in ("grad_output", "attn_output"):
            check_trailing(name, getattr(self, name), (*self.query.shape[:-1], out.shape[-1]))
        check_trailing("intermediates", self.intermediates, _statistics(self.query, DType.F32).shape)
        return self.query, self.key, self.value

    def flops(self) -> int:
        """Return the operations of five matmuls, compared with two in the forward pass."""
        return self.forward().flops() * 5 // 2

    def dispatch(self) -> WorkEstimate:
        """Estimate loops of attention with recomputed scores, and gradients for each block of keys."""
        found = self.forward().estimate()
        (row, *_), keys = found.outputs, found.inputs[1]
        per_key = IndexingMap(keys.loops)
        body = tuple(replace(op, count=op.count * 2.5) if op.name == "matmul" else op for op in found.body)
        inputs = (row, row, row, keys, keys, row, *found.inputs[3:])
        return replace(found, inputs=inputs, outputs=(row, per_key, per_key), body=body)
