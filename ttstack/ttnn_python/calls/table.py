"""The table that the families' files fill."""

from collections.abc import Callable

from ttstack.ttnn_python.expression import Expression
from ttstack.ttnn_python.placed_op import PlacedOp

Statement = tuple[tuple[str, ...], Expression]
"""Variables, and what gives their values; a call for its effect has none."""

Spelling = Callable[[PlacedOp], Expression | list[Statement]]

CALLS: dict[str, Spelling] = {}
"""What spells each op: the expression that gives all its results, or several statements."""

PREPARED: dict[str, Callable[[PlacedOp], Statement]] = {}
"""What brings the weights of an op into the form that it reads, once for all passes."""

PREPARED_WITH_BIAS = ("conv_transpose2d",)
"""Ops of which the library prepares weights and bias together, from the host, or neither."""

WRITES_FROM_HOST = ("arange", "full", "ones", "reverse", "zeros")
"""Ops whose calls write what the host holds: values, or weights that they prepare themselves."""

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
"""Ops of the device that are refused, and why."""


def calls(*mnemonics: str) -> Callable[[Spelling], Spelling]:
    """Enter a function as what spells these ops."""

    def enter(function: Spelling) -> Spelling:
        CALLS.update(dict.fromkeys(mnemonics, function))
        return function

    return enter
