"""The table of calls that the families register."""

from collections.abc import Callable

from ttstack.ttnn_python.expression import Expression
from ttstack.ttnn_python.placed_op import PlacedOp

Statement = tuple[tuple[str, ...], Expression]
"""Variables and the expression of their values; a call for its effect has no variables."""

Spelling = Callable[[PlacedOp], Expression | list[Statement]]

CALLS: dict[str, Spelling] = {}
"""By op, the function that returns the expression of all its results, or several statements."""

PREPARED: dict[str, Callable[[PlacedOp], Statement]] = {}
"""By op, the function that prepares its weights once for all passes."""

PREPARED_WITH_BIAS = ("conv_transpose2d",)
"""Ops whose weights and bias the library prepares together, from the host, or not at all."""

NO_CALL = {
    "all_to_all_dispatch_metadata": "experimental.all_to_all_dispatch_metadata takes other operands",
    "collective_permute": "point_to_point takes one pair at a time",
    "adamw": "written out by `decompose`",
    "all_to_all_combine": "tokens between chips are not emitted",
    "all_to_all_dispatch": "tokens between chips are not emitted",
    "batch_norm_training": "written out by `decompose-norms`",
    "constant": "constants are tensors of a program, not ops",
    "conv3d": "its weights have a form that is not emitted",
    "generic": "a region of tile ops has no call",
    "max_pool2d_with_indices": "a maximum with indices is not emitted",
    "moe_compute": "experimental.moe_compute takes other operands",
    "moe_expert_token_remap": "tokens between chips are not emitted",
    "moe_gpt": "experimental.moe_gpt takes other operands",
    "rearrange": "written out by `decompose`",
    "sdpa_bw": "written out by `decompose`",
    "sdpa_fw": "written out by `decompose`",
    "selective_reduce_combine": "experimental.selective_reduce_combine takes other operands",
    "slice_dynamic": "bounds in tensors, along several dimensions, have no call",
    "tensor_train_embedding": "trains have no call: reconstruct the table, or look up each core",
    "tensor_train_embedding_bag": "trains have no call: reconstruct the table, or look up each core",
    "tensor_train_reconstruct": "trains have no call: decompose it to products",
    "topk_router_gpt": "written out by `decompose`",
    "tt_lang_op": "kernels of a program's own have no call",
}
"""Unsupported device ops, and the reasons."""


def calls(*mnemonics: str) -> Callable[[Spelling], Spelling]:
    """Return a decorator that registers a function for these ops."""

    def enter(function: Spelling) -> Spelling:
        CALLS.update(dict.fromkeys(mnemonics, function))
        return function

    return enter
