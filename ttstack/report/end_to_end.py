"""Time and rate of a pass with the transfers of its inputs and outputs over PCIe."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ttstack.cost.mesh import pcie_ns
from ttstack.device.host_writes import WRITES_FROM_HOST
from ttstack.ops.base import OPS
from ttstack.ops.kv_cache import PagedUpdateCache, UpdateCache
from ttstack.program.records import Function, Tensor
from ttstack.program.written import written_tensors
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.interconnect import PcieDesc


@dataclass(frozen=True)
class HostTransfers:
    """Transfers between host and device in one pass: inputs before it, outputs after it, one tensor at a time.

    Weights stay on the device, and so does state that the function writes to, such as caches.
    """

    inputs_ns: float
    outputs_ns: float
    input_bytes: int
    output_bytes: int
    untraced: tuple[str, ...] = ()
    """Ops that a trace cannot record: the host dispatches the pass op by op, for which there is no price."""
    estimated: bool = False
    """True if parameters of the device's PCIe are estimates."""


@dataclass(frozen=True)
class EndToEnd:
    """A pass from a trace with the transfers of its inputs and outputs; without other work of the host."""

    elapsed_ns: float
    inputs_ns: float
    """Writes of the inputs to the device."""
    outputs_ns: float
    """Reads of the outputs from the device."""
    input_bytes: int
    """Bytes on the device, with padding."""
    output_bytes: int
    per_pass: Mapping[str, int]
    """Number of `samples` or `tokens` in one pass: as given by the user, or by shapes; empty if unknown."""
    per_second: Mapping[str, float]
    """Samples and tokens per second."""
    untraced: tuple[str, ...] = ()
    """Ops that a trace cannot record; if there are any, dispatch by the host is not included."""
    estimated: bool = False
    """True if parameters of the device's PCIe are estimates."""


def end_to_end(device_ns: float, transfers: HostTransfers, per_pass: Mapping[str, int]) -> EndToEnd:
    """Add the transfers to the time of the device."""
    moved = transfers
    elapsed = device_ns + moved.inputs_ns + moved.outputs_ns
    rates = {what: 1e9 * number / elapsed for what, number in per_pass.items()} if elapsed else {}
    times = (elapsed, moved.inputs_ns, moved.outputs_ns)
    return EndToEnd(*times, moved.input_bytes, moved.output_bytes, per_pass, rates, moved.untraced, moved.estimated)


def host_transfers(function: Function, chip: ChipDesc) -> HostTransfers | None:
    """Price the transfers of a pass; None if the device has no PCIe parameters.

    Tensors that are on the host for the program, such as those of a mesh, are part of the device's time.
    """
    if chip.pcie is None:
        return None
    inputs, outputs = ([t for t in tensors if not t.layout.on_host] for tensors in _exchanged(function))
    return HostTransfers(
        sum(_ns(chip.pcie, tensor, to_device=True) for tensor in inputs),
        sum(_ns(chip.pcie, tensor, to_device=False) for tensor in outputs),
        sum(tensor.layout.nbytes(tensor.type) for tensor in inputs),
        sum(tensor.layout.nbytes(tensor.type) for tensor in outputs),
        tuple(dict.fromkeys(op.name for op in function.operations if op.name in WRITES_FROM_HOST)),
        any((chip.source_of(f"pcie.{name}") or "").startswith("ESTIMATE") for name in PcieDesc.model_fields),
    )


def units_per_pass(function: Function) -> dict[str, int]:
    """Return the tokens of a decode step, one for each user, or the samples of a batch; empty if shapes differ.

    A decode step writes one row per user into caches. Samples are the first dimension, if all inputs and outputs share
    it; single numbers, such as a position, do not count.
    """
    if users := _decoded_users(function):
        return {"tokens": users}
    inputs, outputs = _exchanged(function)
    leading = {t.type.shape[0] for t in (*inputs, *outputs) if t.type.size != 1}
    return {"samples": samples} if inputs and len(leading) == 1 and (samples := leading.pop()) else {}


def _exchanged(function: Function) -> tuple[list[Tensor], list[Tensor]]:
    """Inputs and outputs without state, which stays on the device."""
    state = written_tensors(function)

    def exchanged(tensors: Iterable[Tensor]) -> list[Tensor]:
        return [tensor for tensor in tensors if function.owners[tensor.id] not in state]

    outputs = dict.fromkeys(output.tensor for output in function.outputs)
    return exchanged(function.arguments.values()), exchanged(function.tensors[i] for i in outputs)


def _ns(pcie: PcieDesc, tensor: Tensor, *, to_device: bool) -> float:
    layout, t = tensor.layout, tensor.type
    return pcie_ns(pcie, layout.nbytes(t), layout.page_bytes(t), to_device=to_device)


def _decoded_users(function: Function) -> int:
    """Users for whom one row is written into caches; 0 if no caches are updated, or with more rows."""
    users: set[int] = set()
    for operation in function.operations:
        if OPS.get(operation.name) not in (UpdateCache, PagedUpdateCache):
            continue
        op = function.definition(operation)
        if isinstance(op, PagedUpdateCache):
            users.add(op.input.shape[1])
        elif isinstance(op, UpdateCache):
            rows = op.rows // max(op.cache.shape[1], 1)
            users.add(op.users + op.batch_offset if rows == op.users else 0)
    return max(users, default=0) if 0 not in users else 0
