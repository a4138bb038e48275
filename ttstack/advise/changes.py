"""Changes of options, formats and single ops that may make a program faster."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from glob import escape
from typing import TYPE_CHECKING, Any

from ttstack.compiled_program import Program
from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.ops.types import DType
from ttstack.options.choices import Approximation, Policy, Precision, RealFormat
from ttstack.options.model import CompileOptions
from ttstack.placement.explain import Explainer
from ttstack.placement.graph_from_program import overrides_of, placed_positions
from ttstack.placement.overrides import ArgumentOverride, OpOverride, Overrides, export_overrides
from ttstack.program.formats import program_formats
from ttstack.program.launched import launched_positions
from ttstack.program.records import Function, Tensor, TensorKind

if TYPE_CHECKING:
    from ttstack.report.report import Report

_FASTER = {Fidelity.HIFI4: Fidelity.HIFI2, Fidelity.HIFI3: Fidelity.HIFI2, Fidelity.HIFI2: Fidelity.LOFI}
"""The lower fidelity to try for an op."""


@dataclass(frozen=True)
class OptionChange:
    """A change of compile options."""

    what: str
    """The change in words."""
    option: str
    """The option of `ttstack compile`; empty if `overrides` describe the change."""
    changes_values: bool
    """Whether results can differ, by formats, fidelities or functions."""
    updates: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options that replace the program's."""
    overrides: Overrides | None = None
    """The `--overrides` content for a change of an op, an input or an output."""
    inputs: Mapping[str, str] | None = None
    """Changed shapes of the inputs."""
    passes: int = 1
    """Number of passes of the unchanged program that one pass replaces: 2 for a doubled batch."""


def changes(
    program: Program, placed: Function, before: "Report", options: CompileOptions, ops: int
) -> list[OptionChange]:
    """List all changes of a program with these options; those of single ops for the `ops` longest."""
    found = [*_of_formats(placed, options), *_of_all(placed, options), *_of_edges(placed, options)]
    return [*found, *_of_batch(program, placed), *_of_ops(program, placed, before, options, ops)]


def _of_formats(placed: Function, options: CompileOptions) -> Iterator[OptionChange]:
    """Yield other formats of all tensors or of weights, and precisions."""
    now = program_formats(placed)
    own = {"dtype": now.activations, "weights_dtype": now.weights or now.activations}
    formats = {"dtype": "all real numbers", "weights_dtype": "weights"}
    for name, what in formats.items() if options.precision is None else ():
        for to in (RealFormat.BF16, RealFormat.BFP8_B, RealFormat.BFP4_B):
            if getattr(options, name) != to and (DType(to.value),) != own[name]:
                yield _change(f"{what} in {to}", name, to, changes_values=True)
    for precision in Precision:
        if options.precision != precision:
            updates = {"precision": precision, **dict.fromkeys((*formats, "half_dtype"))}
            option = f"--precision {precision}"
            yield OptionChange(f"precision {precision}", option, changes_values=True, updates=updates)


def _of_all(placed: Function, options: CompileOptions) -> Iterator[OptionChange]:
    """Yield fast forms of functions in the program, and the optimal placement."""
    for name in Approximation:
        used = any(name in (op.name, op.attributes.get("activation")) for op in placed.operations)
        if used and name not in options.approximated:
            updates = {"approximate": (*options.approximated, name)}
            yield OptionChange(
                f"{name} in its fast form", f"--approximate {name}", changes_values=True, updates=updates
            )
    if options.placement != Policy.OPTIMAL:
        yield _change("all ops placed together", "placement", Policy.OPTIMAL, changes_values=False)


def _change(what: str, option: str, value: str, *, changes_values: bool) -> OptionChange:
    return OptionChange(what, f"--{option.replace('_', '-')} {value}", changes_values, {option: value})


def _of_edges(function: Function, options: CompileOptions) -> Iterator[OptionChange]:
    """Yield real inputs and results in block formats."""
    taken = [t for i in function.inputs if _is_wide(t := function.tensors[i]) and t.kind is TensorKind.INPUT]
    if taken:
        arguments = tuple(ArgumentOverride(name=escape(t.name), dtype=DType.BFP8_B) for t in taken)
        yield _override(f"inputs taken in {DType.BFP8_B}", Overrides(arguments=arguments), options, changes_values=True)
    given = {o.tensor for o in function.outputs if _is_wide(function.tensors[o.tensor])}
    positions, entries = placed_positions(function), overrides_of(function).ops
    makers = [
        OpOverride(location=entry.location, name=entry.name, number=entry.number, dtype=DType.BFP8_B)
        for at, entry in zip(positions, entries, strict=True)
        if given.intersection(function.operations[at].results)
    ]
    if makers:
        ops = Overrides(ops=tuple(makers))
        yield _override(f"results given in {DType.BFP8_B}", ops, options, changes_values=True)


def _is_wide(tensor: Tensor) -> bool:
    return tensor.layout.dtype in (DType.BF16, DType.F32)


def _of_batch(program: Program, function: Function) -> Iterator[OptionChange]:
    """Yield a doubled batch, if all inputs have the same first extent."""
    types = program.inputs(function.name)
    if len({t.shape[:1] for t in types.values()}) == 1 and all(t.shape for t in types.values()):
        shapes = {name: (2 * t.shape[0], *t.shape[1:]) for name, t in types.items()}
        inputs = {name: f"{'x'.join(map(str, shape))}x{types[name].dtype}" for name, shape in shapes.items()}
        option = " ".join(f"--input {name}={text}" for name, text in inputs.items())
        yield OptionChange(
            "a batch of twice the size, per sample", option, changes_values=False, inputs=inputs, passes=2
        )


def _of_ops(
    program: Program, function: Function, before: "Report", options: CompileOptions, ops: int
) -> Iterator[OptionChange]:
    """Yield for the longest ops the best alternative placement, if faster, and a lower fidelity."""
    explainer = Explainer.of(function, program.binary.chip(function), program.binary.system_desc)
    positions, entries = placed_positions(function), overrides_of(function).ops
    launched, own = launched_positions(function), dict(zip(positions, entries, strict=True))
    for op in [op for op in before.ordered("time") if launched[op.index] in own][:ops]:
        at = launched[op.index]
        where = f"op {op.index} {op.name}"
        if better := _better_placement(explainer, at):
            entry = export_overrides([(op.location, better)], {}).ops[0].model_copy(update={"number": own[at].number})
            yield _of_op(f"{where}: placement", entry, options, changes_values=False)
        if op.flops_utilisation and (lower := _FASTER.get(Fidelity(op.fidelity))):
            entry = OpOverride(location=own[at].location, name=op.name, number=own[at].number, fidelity=lower)
            yield _of_op(f"{where}: {lower}", entry, options, changes_values=True)


def _better_placement(explainer: Explainer, at: int) -> DeviceOp | None:
    """Return the placement of an op that makes the function fastest with all others fixed; None if it is chosen."""
    _, *others = explainer.explain(at, most=1)
    return others[0].device_op if others and others[0].more_ns < 0 else None


def _of_op(what: str, entry: OpOverride, options: CompileOptions, *, changes_values: bool) -> OptionChange:
    return _override(what, Overrides(ops=(entry,)), options, changes_values=changes_values)


def _override(what: str, entries: Overrides, options: CompileOptions, *, changes_values: bool) -> OptionChange:
    together = (options.overrides or Overrides()).extend(entries)
    return OptionChange(what, "", changes_values, {"overrides": together}, entries)
