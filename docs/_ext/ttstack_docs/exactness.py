"""Which ops a loop nest says all about, and why it does not say it of the others."""

from typing import get_args, get_type_hints

from ttstack.ops import Op
from ttstack.ops.attention import HeadMovement
from ttstack.ops.creation import Creation
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.movement import Movement
from ttstack.ops.quantization import Quantization
from ttstack.ops.tensor_train import Contraction
from ttstack.ops.windows import WindowOp

_ESTIMATED = (
    Movement.moved_tiles,
    HeadMovement.moved_tiles,
    Creation.dispatch,
    Contraction.dispatch,
    Quantization.dispatch,
)
"""What says for a whole family that there is no nest."""

REASONS = {
    **dict.fromkeys(("gather", "scatter"), "its positions are data"),
    **dict.fromkeys(("rand", "dropout"), "draws at random"),
    **dict.fromkeys(("quantize", "dequantize", "requantize"), "scales are part of an element type"),
    "batch_norm_inference": "channels of parameters are columns of tiles, those of images a loop",
    "concat": "joins tensors",
    "concatenate_heads_decode": "rows of tiles become columns",
    "constant": "its elements are data",
    "deallocate": "frees memory",
    "empty": "its values are not defined",
    "group_norm": "sums over parts of a loop",
    "linear_bias_attention": "what slopes add to scores goes by their place",
    "pad": "pads tiles with a number",
    "rotary_embedding": "takes halves of rows one for the other",
    "tensor_train_reconstruct": "merges digits of rows",
    "to_layout": "changes memory, not values",
    "while": "its functions compute",
}
"""Why ops that are the only ones of their kind have no nest."""


def on_tiles(spec: type[Op]) -> str:
    """Whether a loop nest says all that the op does, or the op estimates its work."""
    hint = get_type_hints(spec.dispatch)["return"]
    kinds = get_args(hint) or (hint,)
    if LoopNest not in kinds or {spec.dispatch, getattr(spec, "moved_tiles", None)} & set(_ESTIMATED):
        return "estimate"
    return "nest" if kinds == (LoopNest,) else "nest or estimate"


def why_no_nest(spec: type[Op]) -> str:
    """What of an op maps, loops and tile ops do not say; empty where nobody wrote it down."""
    reasons = {
        "only its own kernel knows": spec.opaque,
        "depends on other devices": spec.spans_mesh,
        "writes into an operand": bool(spec.mutates),
        "slides windows": issubclass(spec, WindowOp),
        "its positions are data": bool(spec.host_indices),
        "several results": len(spec.result_names) > 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), None) or REASONS.get(spec.mnemonic, "")
