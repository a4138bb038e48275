"""The options of a compilation as the command line and Python take them, each said once; imports nothing heavy.

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
    """Who decides where tensors lie."""

    GREEDY = "greedy"
    OPTIMAL = "optimal"
    DRAM = "dram"


class Target(StrEnum):
    """What a model is compiled for."""

    DEVICE = "device"
    CPU = "cpu"


class Blas(StrEnum):
    """A library of matrix products on processors: Debian's OpenBLAS, or the one in SciPy's wheel."""

    OPENBLAS = "openblas"
    SCIPY = "scipy"


class RealFormat(StrEnum):
    """In which real numbers can be held on the device."""

    F32 = "f32"
    BF16 = "bf16"
    BFP8_B = "bfp8_b"
    BFP4_B = "bfp4_b"


class Precision(StrEnum):
    """How exact a whole model is on the device: formats and fidelities by what tensors and ops are for."""

    ACCURACY = "accuracy"
    BALANCED = "balanced"
    PERFORMANCE = "performance"
    THROUGHPUT = "throughput"


class Recompute(StrEnum):
    """What a step of training computes again in its backward pass."""

    NONE = "none"
    AUTO = "auto"
    ALL = "all"


class Approximation(StrEnum):
    """Functions that the device has in a faster form, which gives other values."""

    GELU = "gelu"


class Phase(StrEnum):
    """Where a compilation can stop, and go on from the text that it has come to."""

    SOURCE = "source"
    SIMPLIFIED = "simplified"
    DISPATCHED = "dispatched"
    PLACED = "placed"
    TTNN = "ttnn"


@dataclass(frozen=True)
class Choice:
    """What users read of an option, what it is where they say nothing, and the type that the command line reads.

    `option` is its name there, where that is another than in Python.
    """

    help: str
    type: type
    metavar: str | None = None
    default: Any = None
    option: str | None = None


PathLike = str | os.PathLike[str]

WeightStorage = Literal["auto", "inline", "beside"]
"""Where the values of weights are saved: by their size, in the program's file, or in one beside it."""

Numerics = Literal["ieee", "device"]
"""How a run computes: in the model's element types, or in the device's formats."""


Engine = Literal["numpy", "cpu"]
"""What a run executes on: the runtime's kernels, or code that is compiled for this machine's processor."""


class Choices(TypedDict, total=False):
    """What `ttstack.compile` takes beside the model, and `ttstack compile` as options of the same names."""

    system_desc: Annotated[
        PathLike | SystemDesc, Choice("The device: a YAML file, else a preset.", str, "NAME|PATH", "wormhole")
    ]
    ttnn: Annotated[
        str | None,
        Choice("Release of ttnn whose kernels run on the device; that of its description by default.", str, "VERSION"),
    ]
    placement: Annotated[
        str,
        Choice("Place op by op, all ops together within a proven gap, or all in DRAM.", Policy, default=Policy.GREEDY),
    ]
    placement_budget: Annotated[
        float | None,
        Choice(
            "Time for each function with --placement optimal; 60 by default, without end where nodes are given.",
            float,
            "SECONDS",
        ),
    ]
    placement_nodes: Annotated[
        int | None,
        Choice("Nodes that --placement optimal searches instead, for the same program on every machine.", int, "COUNT"),
    ]
    placement_caution: Annotated[
        float,
        Choice(
            "How much of what a prediction may be wrong by counts against shards and L1, which ttnn does not use by "
            "itself; 0: not at all.",
            float,
            "NUMBER",
            1.0,
        ),
    ]
    overrides: Annotated[
        PathLike | Mapping[str, Any] | None,
        Choice("YAML or JSON that fixes the placement of some ops.", Path, "FILE"),
    ]
    dtype: Annotated[
        str | None, Choice("Format of real numbers on the device; the model's own by default.", RealFormat)
    ]
    weights_dtype: Annotated[
        str | None, Choice("Format of weights on the device; that of all else by default.", RealFormat)
    ]
    half_dtype: Annotated[
        str | None,
        Choice(
            "Format of what the model itself has in 16 bits, as autocast makes it; bf16 by default.",
            RealFormat,
        ),
    ]
    precision: Annotated[
        str | None,
        Choice(
            "Formats and fidelities of weights, caches, attention and all else by a preset's name, instead of the "
            "three above.",
            Precision,
        ),
    ]
    recompute: Annotated[
        str,
        Choice(
            "What a step of training computes again in its backward pass: nothing, what it takes to fit, in the least "
            "time, or all that leaves fewer bytes.",
            Recompute,
            default=Recompute.AUTO,
        ),
    ]
    approximate: Annotated[
        str | Sequence[str] | None,
        Choice(
            f"Functions that are computed in the device's fast form, which changes values: {', '.join(Approximation)}; "
            "those of the precision by default.",
            str,
            "NAME,NAME|none",
        ),
    ]
    tensor_train: Annotated[
        PathLike | Mapping[str, Any] | None,
        Choice(
            "Compress embedding tables where that pays: rel_error=0.05, max_bytes=4MiB, ranks=32, min_rows=100000, "
            "max_slowdown=2, or a YAML file that says it table by table.",
            str,
            "SETTINGS|PATH",
        ),
    ]
    without: Annotated[
        str | Sequence[str] | None,
        Choice("Rewrites to leave out, by their names in `ttstack opt --list`; or all of them.", str, "NAME,NAME|all"),
    ]
    patterns: Annotated[
        PathLike | Sequence[PathLike] | None,
        Choice("Rewrites of your own, applied to the model first: files in PDL or Python.", list[Path], "FILE"),
    ]
    verify_patterns: Annotated[
        bool,
        Choice("Try each pattern that claims to keep values on random inputs before it is used.", bool, default=False),
    ]
    passes: Annotated[
        Mapping[str, Any] | Sequence[str] | None,
        Choice(
            "Passes of your own before or after the first pass of a name, as in after:fuse=my-pass{key=value}.",
            list[str],
            "PLACE:NAME=PASSES",
            option="--insert-pass",
        ),
    ]
    pipeline: Annotated[
        str | None,
        Choice("Passes in place of the whole pipeline, as `ttstack opt` takes them.", str, "PASSES"),
    ]
    function: Annotated[
        str | None,
        Choice("Compile this function of a module, public or private, instead of all public ones.", str, "NAME"),
    ]


CHOICES: Mapping[str, Choice] = {
    name: said.__metadata__[0] for name, said in get_type_hints(Choices, include_extras=True).items()
}
"""What is said of each option, by name."""
