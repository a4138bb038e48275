"""Allowed values of torch's schema: names, which torch turns into Python code, and kinds of values."""

from collections.abc import Callable, Mapping
from textwrap import shorten
from types import MappingProxyType
from typing import Any

from torch._export.serde import schema


class MisfitError(ValueError):
    """A value that the schema does not allow, or that is unsupported; `path` leads to it, innermost last."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.path: list[str] = []

    def __str__(self) -> str:
        return f"{'.'.join(map(shorten_text, self.path))}: {self.args[0]}" if self.path else self.args[0]


def shorten_text(text: str) -> str:
    """Shorten untrusted text to one line of ASCII."""
    return shorten(ascii(text)[1:-1], 80, placeholder="...")


def identifier(name: str) -> None:
    """Raise `MisfitError` unless a name is a Python identifier."""
    if not name.isidentifier():
        raise MisfitError(f"'{shorten_text(name)}' is not a name")


def _path(name: str) -> None:
    """Raise `MisfitError` for names of weights that are unsafe in quotes in generated code."""
    if not name.isprintable() or set(name) & set('"\\') or any(part[:2] in ("", "__") for part in name.split(".")):
        raise MisfitError(f"'{shorten_text(name)}' is not a name of a weight")


def _named(made: Any) -> None:
    identifier(made.name)


def _symbol_named(made: Any) -> None:
    if made.type == "as_name":
        identifier(made.value)


def _node(made: schema.Node) -> None:
    if made.name is not None:
        identifier(made.name)


def _argument_name(made: schema.NamedArgument) -> None:
    if made.name:
        identifier(made.name)


def _graph(made: schema.Graph) -> None:
    for values in (made.tensor_values, made.sym_int_values, made.sym_bool_values, made.sym_float_values):
        for name in values:
            identifier(name)


def _signature(made: schema.ModuleCallSignature) -> None:
    for name in made.forward_arg_names or ():
        identifier(name)


def _tensor(made: schema.TensorMeta) -> None:
    """Raise `MisfitError` unless a tensor is dense, with nonnegative extents and strides; clear its gradient flag."""
    if made.layout is not schema.Layout.Strided:
        raise MisfitError("is sparse")
    for extent in (*made.sizes, *made.strides, made.storage_offset):
        if extent.type == "as_int" and extent.value < 0:
            raise MisfitError(f"has the extent {extent.value}")
    if len(made.sizes) != len(made.strides):
        raise MisfitError(f"has {len(made.sizes)} extents and {len(made.strides)} strides")
    made.requires_grad = False


def _device(made: schema.Device) -> None:
    """Drop the device of the export, but keep the meta device, whose tensors have no values."""
    made.type, made.index = "meta" if made.type == "meta" else "cpu", None


def _attribute(field: str, check: Callable[[str], None]) -> Callable[[Any], None]:
    return lambda made: check(getattr(made, field))


CHECKS: Mapping[type, Callable[[Any], None]] = MappingProxyType(
    dict.fromkeys((schema.TensorArgument, schema.GraphArgument, schema.InputToConstantInputSpec), _named)
    | dict.fromkeys((schema.SymIntArgument, schema.SymFloatArgument, schema.SymBoolArgument), _symbol_named)
    | dict.fromkeys(
        (schema.InputToParameterSpec, schema.ParameterMutationSpec, schema.GradientToParameterSpec),
        _attribute("parameter_name", _path),
    )
    | dict.fromkeys((schema.InputToBufferSpec, schema.BufferMutationSpec), _attribute("buffer_name", _path))
    | dict.fromkeys(
        (schema.UserInputMutationSpec, schema.GradientToUserInputSpec), _attribute("user_input_name", identifier)
    )
    | {
        schema.InputToTensorConstantSpec: _attribute("tensor_constant_name", _path),
        schema.Node: _node,
        schema.NamedArgument: _argument_name,
        schema.Graph: _graph,
        schema.ModuleCallSignature: _signature,
        schema.TensorMeta: _tensor,
        schema.Device: _device,
    }
)
"""The checks of each class, which also remove unneeded data."""

_OBJECT, _FUNCTION = "is an object of a class of its own", "is a function"

REFUSED: Mapping[type, Mapping[str, str]] = MappingProxyType(
    {
        schema.Argument: {
            "as_custom_obj": _OBJECT,
            "as_operator": _FUNCTION,
            "as_string_to_argument": "is a dictionary",
            "as_nested_tensors": "is a list of lists",
        },
        schema.InputSpec: {"custom_obj": _OBJECT, "token": "orders effects"},
        schema.OutputSpec: {"token": "orders effects"},
    }
)
"""Unsupported kinds of values, and their descriptions."""
