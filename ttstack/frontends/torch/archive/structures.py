"""Structures of inputs and results, as text: classes become lists and dictionaries, which import nothing."""

import json
from collections.abc import Mapping
from typing import Any

from torch._export.serde import schema

from ttstack.frontends.torch.archive.allowed import MisfitError, identifier

_PROTOCOL = 1
_KEYS = str | int | float | bool | None


def plain_signature(module: schema.GraphModule) -> schema.ModuleCallSignature:
    """Return the program's signature, with lists and dictionaries of as many leaves.

    Raises:
        MisfitError: it has none, or one of another form.
    """
    signature = module.module_call_graph[0].signature if module.module_call_graph else None
    if signature is None:
        raise MisfitError("the program has no signature")
    specs = module.signature
    inputs = sum(spec.type in ("user_input", "constant_input") for spec in specs.input_specs)
    outputs = sum(spec.type in ("user_output", "loss_output") for spec in specs.output_specs)
    fields = {name: made.field_names for name, made in module.treespec_namedtuple_fields.items()}
    given, results = (_plain(text, fields) for text in (signature.in_spec, signature.out_spec))
    _check_arguments(given)
    for structure, wanted in ((given, inputs), (results, outputs)):
        if _leaves(structure) != wanted:
            raise MisfitError(f"the structure of {wanted} values has {_leaves(structure)}")
    return schema.ModuleCallSignature(
        inputs=[],
        outputs=[],
        in_spec=json.dumps([_PROTOCOL, given]),
        out_spec=json.dumps([_PROTOCOL, results]),
        forward_arg_names=signature.forward_arg_names,
    )


def _plain(text: str, fields: Mapping[str, list[str]]) -> dict[str, Any]:
    match _json(text):
        case [protocol, dict() as root] if protocol == _PROTOCOL:
            return _plain_node(root, fields)
    raise MisfitError("a structure is written in another protocol")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as e:
        raise MisfitError(f"a structure is not JSON: {e}") from e


def _plain_node(node: Any, fields: Mapping[str, list[str]]) -> dict[str, Any]:
    match node:
        case {"type": None, "children_spec": []}:
            return {"type": None, "context": None, "children_spec": []}
        case {"type": str() as name, "context": context, "children_spec": list() as inner}:
            children = [_plain_node(child, fields) for child in inner]
            keys = _keys(name, context, fields)
            if keys is None or not len(keys) == len(children) == len(set(map(str, keys))):
                kind = name if name == "builtins.tuple" else "builtins.list"
                return {"type": kind, "context": "null", "children_spec": children}
            return {"type": "builtins.dict", "context": json.dumps(keys), "children_spec": children}
    raise MisfitError("a structure has another form")


def _keys(name: str, context: object, fields: Mapping[str, list[str]]) -> list[Any] | None:
    """Return the keys of a structure's parts, if any; users' classes list theirs, or have none."""
    match context:
        case str() if name == "collections.namedtuple":
            return fields.get(context)
        case {"dict_context": list() as keys}:
            pass
        case str():
            try:
                keys = json.loads(context)
            except ValueError:
                return None
        case _:
            return None
    return keys if isinstance(keys, list) and all(isinstance(key, _KEYS) for key in keys) else None


def _check_arguments(node: Mapping[str, Any]) -> None:
    """Check arguments by position and by name; torch turns the names into code."""
    match node:
        case {"type": "builtins.tuple", "children_spec": [{"type": "builtins.tuple"}, {"context": str() as context}]}:
            for name in _json(context) or ():
                identifier(str(name))
        case _:
            raise MisfitError("the program's arguments have another form")


def _leaves(node: Mapping[str, Any]) -> int:
    return 1 if node["type"] is None else sum(map(_leaves, node["children_spec"]))
