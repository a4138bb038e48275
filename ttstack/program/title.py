"""The first line about a program: the model, the shape of its input, its formats and its device."""

import math
from dataclasses import dataclass
from pathlib import Path

from ttstack.escape import name_fault
from ttstack.program.formats import program_formats
from ttstack.program.records import Binary, Function
from ttstack.program.saved_options import saved_options
from ttstack.program.written import written_tensors
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.releases import extrapolation

_LONGEST = 60
"""Characters of a model's name."""


@dataclass(frozen=True)
class ProgramTitle:
    """Title of a program: `mynet.dit, 2x4x32x32, float32 on n150, ttnn 0.81`."""

    model: str
    """Name of the model, of the function if the program has no name, or both if it has several functions."""
    inputs: str
    """Shape of the first input that is not state; empty if there is none."""
    formats: str
    """Formats of activations and weights, as `ttstack.program.formats` spells them."""
    device: str
    """Name of the device and the release of `ttnn`."""

    @property
    def program(self) -> str:
        """The title without the device."""
        return ", ".join(filter(None, (self.model, self.inputs, self.formats)))

    def __str__(self) -> str:
        return f"{self.program} on {self.device}"


def program_title(binary: Binary, function: Function) -> ProgramTitle:
    """Return the title of one function of a program."""
    model = model_of_options(binary.options)
    names = (model, function.name) if len(binary.functions) > 1 or not model else (model,)
    return ProgramTitle(
        ".".join(filter(None, names)),
        input_shape(function),
        str(program_formats(function)),
        device_title(binary.system_desc.name, binary.chip(function)),
    )


def device_title(system: str, chip: ChipDesc) -> str:
    """Return the name of a device and the release of `ttnn` that runs on it."""
    note = " (extrapolated)" if extrapolation(chip.ttnn) else ""
    return f"{system}, ttnn {chip.ttnn}{note}"


def input_shape(function: Function) -> str:
    """Return the shape of the first input with dimensions that the function does not write to: `2x4x32x32`."""
    state = written_tensors(function)
    shapes = [t.given_type.shape for t in function.arguments.values() if t.id not in state]
    shapes.sort(key=lambda shape: math.prod(shape) == 1)  # a scalar, such as a position, does not describe the input
    return "x".join(map(str, shapes[0])) if shapes else ""


def model_name(source: object) -> str:
    """Return the name of a model: a file's stem, `mynet.dit` for `package.mynet:dit`, or a module's class."""
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return ""
    if isinstance(source, str | Path):
        module, colon, factory = str(source).rpartition(":")
        name = f"{module.rpartition('.')[2]}.{factory}" if colon and factory.isidentifier() else Path(source).stem
    else:
        own = not type(source).__module__.startswith(("torch.export", "torch.fx", "ttstack", "torch_mlir"))
        name = type(source).__name__ if own and type(source).__name__ != "Module" else ""
    return "" if len(name) > _LONGEST or name_fault(name) else name


def model_of_options(options: str) -> str:
    """Return the name that a saved program's options hold; empty for older programs and for names that do not fit."""
    name = saved_options(options).get("model")
    return name if isinstance(name, str) and len(name) <= _LONGEST and not name_fault(name) else ""
