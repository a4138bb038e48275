"""PyTorch ops with nested graphs: which are inlined, and workarounds for the others."""

from collections.abc import Mapping
from types import MappingProxyType

from ttstack.diagnostics import UnsupportedOpError

PREFIX = "torch.ops.higher_order."
"""The prefix of their names in saved programs."""

INLINED = frozenset({"wrap_with_autocast", "wrap_with_set_grad_enabled"})
"""Ops whose graph is inlined by PyTorch's decompositions."""

_SCAN = 'give it combine_mode="generic"'
_BRANCH = "choose the branch before the export, or compute both and select with torch.where"
_WAYS_OUT: Mapping[str, str] = MappingProxyType(
    dict[str, str]()
    | {"associative_scan": _SCAN, "switch": _BRANCH}
    | {"flex_attention": "leave out return_lse and return_aux: its other outputs are for training only"}
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
    """Return the error for a higher-order op that is not inlined, by its name."""
    return UnsupportedOpError(
        f"`{name}` is not supported in a PyTorch model",
        loc=loc,
        hint=_WAYS_OUT.get(name, "write it with tensor operations alone"),
    )
