"""StableHLO modules of one custom call or composite, as Tenstorrent's front ends write them, and what programs give."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import ttstack

Array = np.ndarray[Any, Any]

_ELEMENTS = {"f4": "f32", "i4": "i32", "i8": "i64", "u4": "ui32", "b1": "i1"}


def typed(array: Array) -> str:
    return f"tensor<{'x'.join([*map(str, array.shape), _ELEMENTS[array.dtype.str[1:]]])}>"


def words(options: Mapping[str, Any]) -> str:
    """As PyTorch/XLA can say it: strings alone."""
    spelled = ", ".join(f'{name} = "{value}"' for name, value in options.items())
    return f"mhlo.frontend_attributes = {{{spelled}}}"


def ffi(options: Mapping[str, Any]) -> str:
    """As JAX's typed foreign function calls say it."""
    return f"api_version = 4 : i32, backend_config = {{{_attributes(options)}}}"


def converted(options: Mapping[str, Any]) -> str:
    """As tt-mlir says it of a composite that it made a call."""
    return f"tt.has_custom_sharding, tt.composite_attributes = {{{_attributes(options)}}}"


def _attributes(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_attribute(value)}" for name, value in options.items())


def _attribute(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:e} : f32"
    if isinstance(value, list | tuple):
        return f"dense<{list(value)}> : tensor<{len(value)}xi64>"
    return f'"{value}"' if isinstance(value, str) else f"{value} : i64"


def call(target: str, inputs: Sequence[Array], results: Sequence[Array], options: str = "") -> str:
    """A module whose only op calls `@target`."""
    return _module(inputs, results, f"stablehlo.custom_call @{target}({_operands(inputs)}) {{{options}}}")


def composite(
    name: str, inputs: Sequence[Array], results: Sequence[Array], options: Mapping[str, Any], body: str = ""
) -> str:
    """A module whose only op is a composite; `body` is what it is made of, of arguments `%0`, `%1`, ..."""
    given = f"{{composite_attributes = {{{_attributes(options)}}}, decomposition = @body}}"
    arguments = ", ".join(f"%{i}: {typed(x)}" for i, x in enumerate(inputs))
    types = ", ".join(map(typed, results))
    decomposition = f"func.func private @body({arguments}) -> ({types}) {{\n{body or _zeros(results)}\n}}"
    main = _module(inputs, results, f'stablehlo.composite "{name}" {_operands(inputs)} {given}')
    return f"{main}\n{decomposition}"


def _operands(inputs: Sequence[Array]) -> str:
    return ", ".join(f"%{i}" for i in range(len(inputs)))


def _zeros(results: Sequence[Array]) -> str:
    """A body that nobody may take for the op."""
    made = [f"%z{i} = stablehlo.constant dense<0> : {typed(x)}" for i, x in enumerate(results)]
    made = [m if x.dtype.kind != "f" else m.replace("<0>", "<0.0>") for m, x in zip(made, results, strict=True)]
    values = ", ".join(f"%z{i}" for i in range(len(results)))
    return "\n".join([*made, f"return {values} : {', '.join(map(typed, results))}"])


def _module(inputs: Sequence[Array], results: Sequence[Array], op: str) -> str:
    arguments = ", ".join(f"%{i}: {typed(x)}" for i, x in enumerate(inputs))
    given, types = ", ".join(map(typed, inputs)), ", ".join(map(typed, results))
    several = len(results) > 1
    names = ", ".join(f"%r#{i}" for i in range(len(results))) if several else "%r"
    body = f"%r{f':{len(results)}' if several else ''} = {op} : ({given}) -> ({types})"
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}\nreturn {names} : {types}\n}}"


def results_of(text: str, inputs: Sequence[Array]) -> list[Array]:
    """What the compiled module gives."""
    program = ttstack.compile(text)
    return list(program.run(dict(zip(program.inputs(), inputs, strict=True))).outputs.values())
