"""The options of a compilation for the command line and Python, each defined once; imports nothing heavy.

`ttstack.options.model` holds what they become: read, checked, and saved with the program.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, get_type_hints

if TYPE_CHECKING:
    from ttstack.system_desc import SystemDesc
else:
    SystemDesc = object  # the name alone: a device is given to Python only


class Policy(StrEnum):
    """Placement policy."""

    GREEDY = "greedy"
    OPTIMAL = "optimal"
    DRAM = "dram"


class Target(StrEnum):
    """Compilation target."""

    DEVICE = "device"
    CPU = "cpu"


class Blas(StrEnum):
    """A library of matrix products on processors: Debian's OpenBLAS, or the one in SciPy's wheel."""

    OPENBLAS = "openblas"
    SCIPY = "scipy"


class RealFormat(StrEnum):
    """Formats of real numbers on the device."""

    F32 = "f32"
    BF16 = "bf16"
    BFP8_B = "bfp8_b"
    BFP4_B = "bfp4_b"


class Precision(StrEnum):
    """Precision of a model on the device: formats and fidelities by the roles of tensors and ops."""

    ACCURACY = "accuracy"
    BALANCED = "balanced"
    PERFORMANCE = "performance"
    THROUGHPUT = "throughput"


class Recompute(StrEnum):
    """Policy of a training step for recomputing ops in its backward pass."""

    NONE = "none"
    AUTO = "auto"
    ALL = "all"


class Approximation(StrEnum):
    """Functions that the device has in a faster form, which gives other values."""

    GELU = "gelu"


class Phase(StrEnum):
    """Phase at which a compilation can stop, and from whose text it can continue."""

    SOURCE = "source"
    SIMPLIFIED = "simplified"
    DISPATCHED = "dispatched"
    PLACED = "placed"
    TTNN = "ttnn"


@dataclass(frozen=True)
class Choice:
    """The help, type and default of an option.

    `group` is its heading in the help of the command line. `option` is its name there if it differs from Python's.
    """

    help: str
    type: type
    metavar: str | None = None
    default: Any = None
    option: str | None = None
    group: str = "Placement"


PathLike = str | os.PathLike[str]

WeightStorage = Literal["auto", "inline", "beside"]
"""Location of weight values: by their size, in the program's file, or in a separate file."""

Numerics = Literal["ieee", "device"]
"""Numerics of a run: the model's element types, or the device's formats."""


Engine = Literal["numpy", "cpu"]
"""Engine of a run: the runtime's kernels, or code compiled for this machine's CPU."""


PolicyName = Policy | Literal["greedy", "optimal", "dram"] | str  # noqa: PYI051  (editors complete these)
FormatName = RealFormat | Literal["f32", "bf16", "bfp8_b", "bfp4_b"] | str  # noqa: PYI051  (editors complete these)
PrecisionName = Precision | Literal["accuracy", "balanced", "performance", "throughput"] | str  # noqa: PYI051  (editors complete these)
RecomputeName = Recompute | Literal["none", "auto", "all"] | str  # noqa: PYI051  (editors complete these)
"""Values as editors complete them; variables of text are accepted too."""


class Choices(TypedDict, total=False):
    """Options of `ttstack.compile`, and of `ttstack compile` under the same names."""

    system_desc: Annotated[
        PathLike | SystemDesc,
        Choice("Preset, board or YAML file.", str, "NAME|PATH", "wormhole", group="Device"),
    ]
    ttnn: Annotated[
        str | None,
        Choice("Release of ttnn (default: as in --system-desc).", str, "VERSION", group="Device"),
    ]
    placement: Annotated[
        PolicyName,
        Choice("greedy (default), optimal (proven gap) or dram.", Policy, "POLICY", Policy.GREEDY),
    ]
    placement_budget: Annotated[
        float | None,
        Choice(
            "Seconds per function for --placement optimal (default 60; none with --placement-nodes).",
            float,
            "TIME",
        ),
    ]
    placement_nodes: Annotated[
        int | None,
        Choice("Limit of search nodes for --placement optimal, for equal results on all machines.", int, "N"),
    ]
    placement_caution: Annotated[
        float,
        Choice(
            "Weight of uncertainty as a penalty on layouts that ttnn would not choose (default 1.0; 0 = ignore).",
            float,
            "X",
            1.0,
        ),
    ]
    overrides: Annotated[
        PathLike | Mapping[str, Any] | None,
        Choice("YAML or JSON file with the placement of some ops.", Path, "FILE"),
    ]
    dtype: Annotated[
        FormatName | None,
        Choice(
            "Format of real numbers: f32, bf16, bfp8_b or bfp4_b (default: as in the model).",
            RealFormat,
            "FORMAT",
            group="Formats",
        ),
    ]
    weights_dtype: Annotated[
        FormatName | None,
        Choice("Format of weights (default: as --dtype).", RealFormat, "FORMAT", group="Formats"),
    ]
    half_dtype: Annotated[
        FormatName | None,
        Choice("Format of 16-bit tensors (default bf16).", RealFormat, "FORMAT", group="Formats"),
    ]
    precision: Annotated[
        PrecisionName | None,
        Choice(
            "accuracy, balanced, performance or throughput: sets formats and math fidelity; excludes those above.",
            Precision,
            "PRESET",
            group="Formats",
        ),
    ]
    recompute: Annotated[
        RecomputeName,
        Choice(
            "Recompute activations in training: none, auto (until it fits; default) or all.",
            Recompute,
            "MODE",
            Recompute.AUTO,
        ),
    ]
    max_iterations: Annotated[
        int | None,
        Choice("Largest number of iterations of loops that end by a condition; predictions count it.", int, "N"),
    ]
    approximate: Annotated[
        str | Sequence[str] | None,
        Choice(
            f"Use fast, less exact functions of the device: {', '.join(Approximation)}, or none "
            "(default: by --precision).",
            str,
            "NAME,...",
            group="Formats",
        ),
    ]
    tensor_train: Annotated[
        PathLike | Mapping[str, Any] | None,
        Choice(
            "Compress embedding tables if profitable: rel_error=0.05,ranks=32 ... or a YAML file.",
            str,
            "SETTINGS",
            group="Formats",
        ),
    ]
    without: Annotated[
        str | Sequence[str] | None,
        Choice("Rewrites to skip, or all: see `ttstack opt --list`.", str, "NAME,...", group="Passes"),
    ]
    patterns: Annotated[
        PathLike | Sequence[PathLike] | None,
        Choice("Apply your own rewrites first (PDL or Python).", list[Path], "FILE", group="Passes"),
    ]
    verify_patterns: Annotated[
        bool,
        Choice(
            "Test patterns with `keeps_values` on random inputs.",
            bool,
            default=False,
            group="Passes",
        ),
    ]
    passes: Annotated[
        Mapping[str, Any] | Sequence[str] | None,
        Choice(
            "Insert your own passes next to a pass, such as after:fuse=my-pass{key=value}.",
            list[str],
            "SPEC",
            option="--insert-pass",
            group="Passes",
        ),
    ]
    pipeline: Annotated[
        str | None,
        Choice("Replace the pipeline; syntax of `ttstack opt -p`.", str, "PASSES", group="Passes"),
    ]
    function: Annotated[
        str | None,
        Choice("Compile this function, not all public ones.", str, "NAME", group="Input and output"),
    ]


CHOICES: Mapping[str, Choice] = {
    name: said.__metadata__[0] for name, said in get_type_hints(Choices, include_extras=True).items()
}
"""Help texts of the options, by name."""
