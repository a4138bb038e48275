"""What would make a program faster: changes of options and of single ops, each tried by compiling the model again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from glob import escape
from typing import TYPE_CHECKING, Any

from ttstack.compiled_program import Program
from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.diagnostics import TTStackError
from ttstack.ops.types import DType
from ttstack.options.choices import Policy, Precision, RealFormat
from ttstack.options.model import CompileOptions
from ttstack.placement.explain import Explainer
from ttstack.placement.graph_from_program import overrides_of, placed_positions
from ttstack.placement.overrides import ArgumentOverride, OpOverride, Overrides, export_overrides
from ttstack.program.launched import launched_positions
from ttstack.program.records import Function, Tensor, TensorKind

if TYPE_CHECKING:
    from ttstack.report.report import Report

_FASTER = {Fidelity.HIFI4: Fidelity.HIFI2, Fidelity.HIFI3: Fidelity.HIFI2, Fidelity.HIFI2: Fidelity.LOFI}
"""The fidelity that is tried for an op in place of its own."""


@dataclass(frozen=True)
class OptionChange:
    """One change of how a model is compiled."""

    what: str
    """The change in words."""
    option: str
    """What `ttstack compile` takes for it; empty where `overrides` say it."""
    changes_values: bool
    """Whether results are others: formats and fidelities are coarser."""
    updates: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options in place of the program's."""
    overrides: Overrides | None = None
    """What `--overrides` takes for it, where it changes an op or an edge of the model."""
    inputs: Mapping[str, str] | None = None
    """Shapes of the inputs, where they are others."""
    passes: int = 1
    """How many passes of the program as it is one pass stands for: 2 for a batch of twice the size."""


@dataclass(frozen=True)
class Advice:
    """A change that was tried, and what it gave."""

    change: OptionChange
    total_ns: float
    """One pass of the program as it is takes that long; half of a pass with a batch of twice the size."""
    gain_ns: float
    """By how much the program is predicted to be faster; negative where it is slower."""
    expected_error: float
    """Share of the new total within which it is expected."""
    refused: str = ""
    """Why it could not be tried; its figures are those of the program then."""


def advise(
    program: Program,
    source: Any,
    function: str | None = None,
    *,
    ops: int = 3,
    progress: Callable[[str], None] | None = None,
) -> "tuple[Report, list[Advice]]":
    """The report of the model compiled again as it was, and every change that was tried, largest gain first.

    Tried are other formats, precisions and the optimal placement for all, the format in which the model takes and gives
    tensors, a batch of twice the size, and for the `ops` that take the most time the best placement that was not chosen
    and a lower fidelity.

    Raises:
        TTStackError: the source is no model, or the program was saved before programs held options.
    """
    options = CompileOptions.of_program(program.binary)
    if progress:
        progress("as it is")
    program = program.recompile(source)
    before = program.cost(function)
    placed = program.function(function)
    found = [*_of_all(options), *_of_edges(placed, options), *_of_batch(program, placed)]
    found += _of_ops(program, placed, before, options, ops)
    tried: list[Advice] = []
    for change in found:
        if progress:
            progress(change.what)
        tried.append(_try(program, source, before, change))
    return before, sorted(tried, key=lambda advice: (bool(advice.refused), -advice.gain_ns))


def _try(program: Program, source: Any, before: "Report", change: OptionChange) -> Advice:
    try:
        again = program.recompile(source, change.inputs, **change.updates).cost(before.function)
    except TTStackError as error:
        return Advice(change, before.total_ns, 0.0, before.expected_error()[0], error.diagnostic.message)
    total = again.total_ns / change.passes
    return Advice(change, total, before.total_ns - total, again.expected_error()[0])


def _of_all(options: CompileOptions) -> Iterator[OptionChange]:
    """Changes of options that hold for all ops; those that the program was compiled with are none."""
    formats = {"dtype": "all real numbers", "weights_dtype": "weights"}
    for name, what in formats.items() if options.precision is None else ():
        for to in (RealFormat.BFP8_B, RealFormat.BFP4_B):
            if getattr(options, name) != to:
                yield _change(f"{what} in {to}", name, to, changes_values=True)
    for precision in (Precision.PERFORMANCE, Precision.THROUGHPUT):
        if options.precision != precision:
            updates = {"precision": precision, **dict.fromkeys((*formats, "half_dtype"))}
            yield OptionChange(
                f"precision {precision}", f"--precision {precision}", changes_values=True, updates=updates
            )
    if options.placement != Policy.OPTIMAL:
        yield _change("all ops placed together", "placement", Policy.OPTIMAL, changes_values=False)


def _change(what: str, option: str, value: str, *, changes_values: bool) -> OptionChange:
    return OptionChange(what, f"--{option.replace('_', '-')} {value}", changes_values, {option: value})


def _of_edges(function: Function, options: CompileOptions) -> Iterator[OptionChange]:
    """Real inputs that are taken, and results that are given, in blocks that share their exponents."""
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
    """Twice as many samples a pass, where all inputs begin with the same extent."""
    types = program.inputs(function.name)
    if len({t.shape[:1] for t in types.values()}) == 1 and all(t.shape for t in types.values()):
        shapes = {name: (2 * t.shape[0], *t.shape[1:]) for name, t in types.items()}
        inputs = {name: f"{'x'.join(map(str, shape))}x{types[name].dtype}" for name, shape in shapes.items()}
        option = " ".join(f"--input {name}={text}" for name, text in inputs.items())
        yield OptionChange("a batch of twice the size", option, changes_values=False, inputs=inputs, passes=2)


def _of_ops(
    program: Program, function: Function, before: "Report", options: CompileOptions, ops: int
) -> Iterator[OptionChange]:
    """For the longest ops, the best placement that was not chosen where it is faster, and a lower fidelity."""
    explainer = Explainer.of(function, program.binary.chip(function), program.binary.system_desc)
    positions, entries = placed_positions(function), overrides_of(function).ops
    launched, own = launched_positions(function), dict(zip(positions, entries, strict=True))
    for op in [op for op in before.ordered("time") if launched[op.index] in own][:ops]:
        at = launched[op.index]
        where = f"op {op.index} {op.name}"
        if better := _better_placement(explainer, at):
            entry = export_overrides([(op.location, better)], {}).ops[0].model_copy(update={"number": own[at].number})
            yield _of_op(f"{where}: another placement", entry, options, changes_values=False)
        if op.flops_utilisation and (lower := _FASTER.get(Fidelity(op.fidelity))):
            entry = OpOverride(location=own[at].location, name=op.name, number=own[at].number, fidelity=lower)
            yield _of_op(f"{where}: {lower} in place of {op.fidelity}", entry, options, changes_values=True)


def _better_placement(explainer: Explainer, at: int) -> DeviceOp | None:
    """The placement of an op that makes the function fastest while all others stay; None where it has that."""
    _, *others = explainer.explain(at, most=1)
    return others[0].device_op if others and others[0].more_ns < 0 else None


def _of_op(what: str, entry: OpOverride, options: CompileOptions, *, changes_values: bool) -> OptionChange:
    return _override(what, Overrides(ops=(entry,)), options, changes_values=changes_values)


def _override(what: str, entries: Overrides, options: CompileOptions, *, changes_values: bool) -> OptionChange:
    together = (options.overrides or Overrides()).extend(entries)
    return OptionChange(what, "", changes_values, {"overrides": together}, entries)
