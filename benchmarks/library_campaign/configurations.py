"""Random ops near the limits of blocks, shards and L1: whether our rules and the library say the same of each."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from benchmarks.library_campaign.draw_configuration import drawn
from benchmarks.library_campaign.judging import judgements, outcome
from benchmarks.library_campaign.outcome import Outcome, numbered
from ttstack.device.config_limits import config_faults
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import footprint
from ttstack.device.layout import Grid
from ttstack.device.rules import rule_faults
from ttstack.diagnostics import UnsupportedOpError
from ttstack.program.records import Binary, Function, Operation, Output, Tensor, TensorKind
from ttstack.system_desc import ChipDesc, load
from ttstack.ttnn_python import Emission

BATCH = 125
keys = numbered(1000)
"""One a configuration."""
Draw = Callable[[Random, ChipDesc], tuple[str, DeviceOp]]
_BOARDS = ("wormhole", "wormhole", "wormhole", "blackhole_p150")


def judged(seed: int, keys: Sequence[str]) -> Iterator[Outcome]:
    """Whether both verdicts on the configurations with these keys are alike."""
    return compared("configuration", drawn, seed, keys)


def compared(name: str, draw: Draw, seed: int, keys: Sequence[str]) -> Iterator[Outcome]:
    """Whether both verdicts on what is drawn for these keys are alike, and where both take it, bytes of buffers."""
    asked: dict[str, tuple[str, list[str], Emission]] = {}
    for key in keys:
        random = Random(f"{name}/{seed}/{key}")
        system = load(random.choice(_BOARDS))
        chip = system.chips[0]
        kind, device_op = draw(random, chip)
        emission, missing = None, list[str]()
        try:
            function = function_of(device_op, chip)
            emission = Emission(Binary((function,), system), function, key)
            emission.check_tensors()
            missing = [step.missing for step in emission.steps if step.missing]
        except UnsupportedOpError as why:
            missing = [*why.diagnostic.notes, why.diagnostic.message]
        if emission is None or missing:
            yield Outcome(key, kind, "no call", missing[0])
        else:
            asked[key] = kind, list(_faults(device_op, chip)), emission
    said = judgements([emission for *_, emission in asked.values()])
    for (key, (kind, ours, emission)), found in zip(asked.items(), said, strict=True):
        theirs = outcome(key, kind, emission, found)
        taken = theirs.result == "accepted"
        result = "both take" if taken else "both refuse"
        if taken == bool(ours):
            result = "ours alone" if ours else "theirs alone"
        verdicts = f"ours {'; '.join(ours) or 'takes it'}, theirs {theirs.detail or 'takes it'}"
        shown = f"{_described(device_op_of(emission))}: {verdicts}"
        alike = theirs.same_buffers if result == "both take" else 0
        yield Outcome(key, kind, result, "" if result.startswith("both") else shown, 1, same_buffers=alike)


def device_op_of(emission: Emission) -> DeviceOp:
    """The one op of a configuration."""
    (operation,) = emission.function.operations
    return emission.function.device_op(operation)


def _faults(device_op: DeviceOp, chip: ChipDesc) -> Iterator[str]:
    """The rules that an op breaks, and whether it fits L1 with its tensors beside it."""
    device = Grid(*chip.grid)
    for layout in device_op.layouts():
        if fault := layout.fault(device, chip.dram.num_channels):
            yield fault
    yield from config_faults(device_op)
    yield from rule_faults(device_op, chip)
    held = [(layout, t) for layout, t in zip(device_op.layouts(), device_op.types(), strict=True) if layout.in_l1]
    need = footprint(device_op, chip) + sum(layout.bank_bytes(t, chip.num_cores) for layout, t in held)
    if need > chip.l1_usable_bytes:
        yield f"{need:,} bytes of L1"


def function_of(device_op: DeviceOp, chip: ChipDesc) -> Function:
    """The op alone, of tensors that are given."""
    present = list(zip(device_op.types(), device_op.layouts(), strict=True))
    count = len(device_op.operands)
    tensors = [
        Tensor(i, f"x{i}", t, layout, TensorKind.INPUT if i < count else TensorKind.INTERMEDIATE)
        for i, (t, layout) in enumerate(present)
    ]
    operation = Operation(
        name=device_op.op.mnemonic,
        operands=tuple(_places(device_op)),
        results=tuple(range(count, len(present))),
        attributes=device_op.op.attributes(),
        grid=device_op.grid,
        spread=device_op.spread,
        fidelity=device_op.fidelity,
        config=device_op.config,
        circular_buffer_bytes=footprint(device_op, chip),
        location=f"{device_op.op.mnemonic}.py:1",
    )
    outputs = tuple(Output(f"y{i}", i) for i in operation.results)
    return Function("f", tuple(tensors), (operation,), tuple(range(count)), outputs)


def _places(device_op: DeviceOp) -> Iterator[int | None]:
    """For each place of the definition its operand, None where it has none."""
    for place in device_op.op.operand_specs():
        yield next(iter(sorted(device_op.op.operand_positions(place))), None)


def _described(device_op: DeviceOp) -> str:
    operands = ", ".join(f"{t} {layout}" for t, layout in zip(device_op.types(), device_op.layouts(), strict=True))
    config = {} if device_op.config is None else device_op.config.tiles()
    return f"{operands} on {device_op.grid} {device_op.spread} {config}"
