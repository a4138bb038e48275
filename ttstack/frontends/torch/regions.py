"""Ops of PyTorch's that hold graphs of their own: which of them are inlined, and what to do instead of the others."""

from collections.abc import Mapping
from types import MappingProxyType

from ttstack.diagnostics import UnsupportedOpError

PREFIX = "torch.ops.higher_order."
"""How saved programs begin their names."""

INLINED = frozenset({"wrap_with_autocast", "wrap_with_set_grad_enabled"})
"""Those whose graph is a part of the model in other settings: the decompositions of PyTorch's leave nothing of them."""

_LOOP = "unroll the loop before the export: a Python loop over a fixed number of steps is unrolled by torch.export"
_BRANCH = "choose the branch before the export, or compute both and select with torch.where"
_WAYS_OUT: Mapping[str, str] = MappingProxyType(
    dict[str, str]()
    | dict.fromkeys(("while_loop", "scan", "associative_scan", "map_impl", "map"), _LOOP)
    | dict.fromkeys(("cond", "switch"), _BRANCH)
    | {"flex_attention": "leave out return_lse and return_aux: what it gives beside its output serves training alone"}
    | {"flex_attention_backward": "export the forward pass, and compile it with ttstack.compile_step"}
    | dict.fromkeys(
        ("tag_activation_checkpoint", "checkpoint"), "call the function itself: checkpoints serve training alone"
    )
    | dict.fromkeys(
        ("autograd_function_apply", "custom_function_call"),
        "call the computation of its forward itself: an autograd.Function serves training alone",
    )
)


def region_error(name: str, loc: str | None) -> UnsupportedOpError:
    """The error for an op that holds graphs and is not inlined, by its name among PyTorch's higher-order ops."""
    return UnsupportedOpError(
        f"`{name}` is not supported in a PyTorch model",
        loc=loc,
        hint=_WAYS_OUT.get(name, "write it with tensor operations alone"),
    )
