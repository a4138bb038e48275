"""Names and kinds of a function's arguments and results, as function attributes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ttstack.diagnostics import InvalidIRError
from ttstack.mlir import func, ir
from ttstack.program.records import HeldWeight, TensorKind

NAME = "ttir.name"
IN_LOOP = "tt.in_loop"
"""The attribute of a function that a loop of another function runs."""
_GIVEN_SHAPE, _HELD_OF, _HELD_PART, _HELD_ORDER = "tt.given_shape", "tt.held_of", "tt.held_part", "tt.held_order"
_VARIABLE, _COMPLEX = "tt.variable", "tt.complex"
_VISIBILITY = "sym_visibility"
_KINDS = ("tt.argument_type", "ttcore.argument_type")
_PARAMETERS = {"parameter": TensorKind.PARAMETER, "constant": TensorKind.PARAMETER}
"""Kinds by tt-mlir's names of them; all others are inputs."""


@dataclass(frozen=True)
class ArgumentSignature:
    """The name of an argument, and the origin of its values."""

    name: str
    kind: TensorKind
    variable: bool = False
    """Whether other programs with the same state write to it, so that no pass folds its value."""
    is_complex: bool = False
    """Whether its values are pairs of reals of complex numbers."""


@dataclass(frozen=True)
class GivenWeight:
    """The stored form of an argument, and the shape of the user's weight."""

    held: HeldWeight
    shape: tuple[int, ...]


def write_given_weights(function: func.FuncOp, given: Mapping[str, GivenWeight]) -> None:
    """Record how the named arguments store the user's weights, if in another shape, order or as a slice."""
    attributes = list[ir.DictAttr]()
    for arguments in _named(function):
        found = {entry.name: entry.attr for entry in arguments}
        if (weight := given.get(ir.StringAttr(found[NAME]).value)) is not None:
            found |= _given_attributes(weight)
        attributes.append(ir.DictAttr.get(found))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def read_given_weights(function: func.FuncOp) -> dict[str, GivenWeight]:
    """Return the record of `write_given_weights`, by argument name."""
    found = (attributes for attributes in _named(function) if _GIVEN_SHAPE in attributes)
    return {ir.StringAttr(a[NAME]).value: _given_weight(a) for a in found}


def _given_attributes(given: GivenWeight) -> dict[str, ir.Attribute]:
    made: dict[str, ir.Attribute] = {
        _GIVEN_SHAPE: ir.DenseI64ArrayAttr.get(given.shape),
        _HELD_OF: ir.StringAttr.get(given.held.weight),
    }
    if given.held.part is not None:
        made[_HELD_PART] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), given.held.part)
    return made | ({_HELD_ORDER: ir.DenseI64ArrayAttr.get(given.held.order)} if given.held.order else {})


def _given_weight(attributes: ir.DictAttr) -> GivenWeight:
    part = ir.IntegerAttr(attributes[_HELD_PART]).value if _HELD_PART in attributes else None
    order = tuple(ir.DenseI64ArrayAttr(attributes[_HELD_ORDER])) if _HELD_ORDER in attributes else ()
    held = HeldWeight(ir.StringAttr(attributes[_HELD_OF]).value, part, order)
    return GivenWeight(held, tuple(ir.DenseI64ArrayAttr(attributes[_GIVEN_SHAPE])))


def weight_of(argument: ir.BlockArgument) -> str:
    """Return the name of the weight that a parameter stores, fully or as a slice."""
    attributes = _attributes(argument)
    return read_string(attributes, _HELD_OF) or read_string(attributes, NAME) or f"arg{argument.arg_number}"


def is_public(function: func.FuncOp) -> bool:
    """Return True if functions outside of the module may call it."""
    attributes = function.attributes
    return _VISIBILITY not in attributes or ir.StringAttr(attributes[_VISIBILITY]).value == "public"


def set_public(function: func.FuncOp, public: bool) -> None:
    """Set the visibility."""
    function.attributes[_VISIBILITY] = ir.StringAttr.get("public" if public else "private")


def read_arguments(function: func.FuncOp) -> list[ArgumentSignature]:
    """Return names and kinds of all arguments; by default `arg0`, `arg1`, ... and inputs."""
    count = len(function.regions[0].blocks[0].arguments)
    found = []
    for i, attributes in enumerate(_dictionaries(function, "arg_attrs", count)):
        name = read_string(attributes, NAME) or f"arg{i}"
        variable, is_complex = (attributes is not None and key in attributes for key in (_VARIABLE, _COMPLEX))
        found.append(ArgumentSignature(name, read_kind(attributes), variable, is_complex))
    return found


def is_variable(argument: ir.BlockArgument) -> bool:
    """Return True for an argument that other programs of the same state write to."""
    return (found := _attributes(argument)) is not None and _VARIABLE in found


def mark_variables(function: func.FuncOp, names: Collection[str]) -> None:
    """Mark the named arguments as written to by other programs."""
    marked = [
        ir.DictAttr.get({named.name: named.attr for named in attributes} | {_VARIABLE: ir.UnitAttr.get()})
        if ir.StringAttr(attributes[NAME]).value in names
        else attributes
        for attributes in _named(function)
    ]
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(marked)


def kind_of(argument: ir.BlockArgument) -> TensorKind:
    """Return the kind of one argument of a function, without reading the others."""
    return read_kind(_attributes(argument))


def _attributes(argument: ir.BlockArgument) -> ir.DictAttr | None:
    attributes = argument.owner.owner.attributes
    if "arg_attrs" not in attributes:
        return None
    return ir.DictAttr(ir.ArrayAttr(attributes["arg_attrs"])[argument.arg_number])


def read_kind(attributes: ir.DictAttr | None) -> TensorKind:
    """Return the kind in an attribute dictionary; by default an input."""
    kind = next((k for key in _KINDS if (k := read_string(attributes, key))), "input")
    return _PARAMETERS.get(kind, TensorKind.INPUT)


def read_results(function: func.FuncOp, count: int) -> list[str]:
    """Return the names of all results; by default `output`, or `output.0`, `output.1`, ..."""
    default = ["output"] if count == 1 else [f"output.{i}" for i in range(count)]
    attributes = _dictionaries(function, "res_attrs", count)
    return [read_string(a, NAME) or d for a, d in zip(attributes, default, strict=True)]


def read_complex_results(function: func.FuncOp, count: int) -> list[bool]:
    """Return for all results whether they are complex numbers as pairs of reals."""
    return [a is not None and _COMPLEX in a for a in _dictionaries(function, "res_attrs", count)]


def write_signature(
    function: func.FuncOp,
    arguments: Sequence[ArgumentSignature],
    results: Sequence[str],
    complex_results: Collection[str] = (),
) -> None:
    """Set names and kinds on the function."""
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([_argument(a) for a in arguments])
    write_results(function, results, complex_results)


def write_results(function: func.FuncOp, names: Sequence[str], complex_results: Collection[str] = ()) -> None:
    """Set the names of the results, and which ones are complex numbers as pairs of reals."""
    function.attributes["res_attrs"] = ir.ArrayAttr.get(
        [ir.DictAttr.get({NAME: ir.StringAttr.get(name)} | _mark(_COMPLEX, name in complex_results)) for name in names]
    )


def _mark(key: str, is_set: bool) -> dict[str, ir.Attribute]:
    return {key: ir.UnitAttr.get()} if is_set else {}


def _dictionaries(function: func.FuncOp, key: str, count: int) -> Sequence[ir.DictAttr | None]:
    if key not in function.attributes:
        return [None] * count
    return [ir.DictAttr(a) for a in ir.ArrayAttr(function.attributes[key])]


def read_string(attributes: ir.DictAttr | None, key: str) -> str:
    """Return a string of a dictionary, or of a `tt` attribute in it; empty if absent.

    Raises:
        InvalidIRError: it is of another kind.
    """
    if attributes is None or key not in attributes:
        return ""
    attribute = attributes[key]
    if isinstance(attribute, ir.DynamicAttr):
        attribute = attribute.params[0]
    try:
        return ir.StringAttr(attribute).value
    except ValueError as e:
        raise InvalidIRError(f"'{key}' is {attributes[key]}, expected a string") from e


def insert_parameters(function: func.FuncOp, names: Sequence[str], types: Sequence[ir.Type]) -> list[ir.Value]:
    """Add parameters after all arguments, and return their values."""
    block, attributes = function.regions[0].blocks[0], _named(function)
    added = [block.add_argument(t, function.location) for t in types]
    new = [_argument(ArgumentSignature(name, TensorKind.PARAMETER)) for name in names]
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([*attributes, *new])
    return added


def erase_unused_parameters(function: func.FuncOp, names: Collection[str]) -> None:
    """Erase unused parameters among the named ones; all others keep their names."""
    block, attributes = function.regions[0].blocks[0], _named(function)
    for i, argument in reversed(list(enumerate(read_arguments(function)))):
        if argument.name in names and not list(block.arguments[i].uses):
            block.erase_argument(i)
            del attributes[i]
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def _named(function: func.FuncOp) -> list[ir.DictAttr]:
    """Return the attributes of all arguments, with explicit names."""
    signatures = read_arguments(function)
    found = _dictionaries(function, "arg_attrs", len(signatures))
    given: list[dict[str, ir.Attribute]] = [{named.name: named.attr for named in a or ()} for a in found]
    return [ir.DictAttr.get(g | {NAME: ir.StringAttr.get(s.name)}) for g, s in zip(given, signatures, strict=True)]


def _argument(signature: ArgumentSignature) -> ir.DictAttr:
    kind = ir.Attribute.parse(f'#tt.argument_type<"{signature.kind}">')
    marks = _mark(_VARIABLE, signature.variable) | _mark(_COMPLEX, signature.is_complex)
    return ir.DictAttr.get({NAME: ir.StringAttr.get(signature.name), _KINDS[0]: kind} | marks)
