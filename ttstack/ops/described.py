"""Descriptions of op definitions, for the command line and the documentation."""

import inspect
from dataclasses import dataclass
from typing import cast

from ttstack.ops.attributes import Attribute, Spelling
from ttstack.ops.base import Op
from ttstack.ops.fields import Arity

SPELLINGS = {
    "bool": "{name} = true",
    "string": '{name} = "text"',
    "integer": "{name} = 1 : {type}",
    "float": "{name} = 1.0 : {type}",
    "number": "{name} = 1.0 : {type}",
    "array": "{name} = [1 : {type}]",
    "dense": "{name} = array<{type}: 1>",
    "enum": "{name} = #tt.{type}<sum>",
    "elements": "{name} = dense<1.0> : type of the result",
    "table": "{name} = dense<[[0, 1]]> : tensor<1x2x{type}>",
    "sides": "{name} = array<{type}: 1, 1> or 1 : {type}",
    "flattened": "{name} = #ttir<flattened_compat batch_size = 1, input_height = 2, input_width = 3>",
    "region": "a region",
    "tensor_train": "{name} = #tt.tensor_train<{{rows = 100, columns = 16, row_factors = [10, 10], "
    "column_factors = [4, 4], ranks = [1, 8, 1], element = f32}}>",
}
"""An example of each kind of attribute, in MLIR syntax."""
_MARKS = {Arity.ONE: "", Arity.OPTIONAL: "?", Arity.VARIADIC: "..."}


@dataclass(frozen=True)
class OpDescription:
    """The description of an op."""

    mnemonic: str
    family: str
    meaning: str
    """The op's docstring as one paragraph, and the origin of its results' element type."""
    operands: tuple[str, ...]
    """Names in order: `name`, `name?` if optional, `name...` if variadic."""
    results: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]
    """Each attribute in MLIR syntax, and its default."""
    view: str
    """The op's class in `ttstack.dialects.ttir.views`, for passes and patterns in Python."""
    executable: bool
    """False if the op is replaced before lowering."""


def describe_op(spec: type[Op]) -> OpDescription:
    """Return the description of an op definition."""
    return OpDescription(
        spec.mnemonic,
        spec.family,
        " ".join((inspect.getdoc(spec) or "").split()) + _elements(spec),
        tuple(name + _MARKS[arity] for name, arity in spec.operand_specs().items()),
        spec.result_names,
        tuple((spell_attribute(a.name, a.spelling), _default(a)) for a in spec.attribute_specs().values()),
        spec.__name__,
        spec.executable,
    )


def spell_attribute(name: str, spelling: Spelling) -> str:
    """Return the MLIR syntax of an attribute."""
    return SPELLINGS.get(spelling.kind, "{name}").format(name=name, type=spelling.type)


def _elements(spec: type[Op]) -> str:
    if spec.result_fields():
        return " The result's type determines the element type."
    return "" if spec.computes is None else " Results can be of another element type."


def _default(attribute: Attribute) -> str:
    """Return the default in MLIR syntax, or `required`."""
    if attribute.required:
        return "required"
    default: object = attribute.default
    if default is None:
        return "absent"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return f"[{', '.join(map(str, cast('tuple[object, ...]', default)))}]"
    return f'"{default}"' if isinstance(default, str) else str(default)
