"""Transfers between chips over Ethernet, and between chips and the host over PCIe."""

import re
from collections.abc import Iterable, Mapping

from ttstack.cost.terms import Term
from ttstack.device.device_op import DeviceOp
from ttstack.ops.devices import Mesh, MeshOp
from ttstack.ops.mesh import MeshShard
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.interconnect import EthernetDesc, FabricDesc, PcieDesc
from ttstack.system_desc.network import Leg, Network


def exchange_ns(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc | None) -> dict[Term, float]:
    """Return the nanoseconds on the busiest Ethernet link and of the slowest PCIe transfer.

    Nothing of ops that stay on a chip.
    """
    op = device_op.op
    if not isinstance(op, MeshOp):
        return {}
    chips = (chip,) if system is None else system.chips
    mesh = Mesh((1, 1) if system is None else system.mesh_shape)
    traffic = _Traffic(Network(chips, () if system is None else system.links))
    if isinstance(op, MeshShard):
        return {Term.PCIE: _host_ns(device_op, op, mesh, chips, traffic), Term.ETHERNET: traffic.ns()}
    (given, *_), (layout, *_) = op.operands, device_op.operands
    nbytes = given.size * layout.dtype.row_major_bytes if op.by_rows else layout.nbytes(given)
    for group in op.groups(mesh):
        for turn in range(op.rounds):
            traffic.circulate(group, op.circulated_share(mesh) * nbytes, chip.ethernet, reduced=turn < op.reducing)
    traffic.deliver({pair: share * nbytes for pair, share in op.sent_shares(mesh).items()}, op.turns, chip.ethernet)
    ns = traffic.ns()
    return {Term.ETHERNET: ns + op.rounds * chip.ethernet.setup_ns if ns and chip.ethernet else ns}


class _Traffic:
    """Bytes on every link, all at the same time, and the hops that follow one another."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._bytes: dict[Leg, float] = {}
        self._hops = 0
        self._own_ns: dict[Leg, float] = {}
        self._steps: dict[tuple[int, ...], float] = {}
        self._handed_on_ns = 0.0

    def send(self, source: int, target: int, nbytes: float, *, times: int = 1) -> None:
        """Add the traffic from one chip to another over the shortest path, `times` times in sequence."""
        legs = self._add(source, target, nbytes)
        if nbytes:
            self._hops = max(self._hops, legs * times)

    def _add(self, source: int, target: int, nbytes: float) -> int:
        """Return the bytes on every leg of the shortest way, and how many these are."""
        legs = self._network.path(source, target) or ()
        for leg in legs:
            self._bytes[leg] = self._bytes.get(leg, 0.0) + nbytes
        return len(legs)

    def deliver(self, sent: Mapping[tuple[int, int], float], turns: int, ethernet: EthernetDesc | None) -> None:
        """Add the traffic between chips. If the targets send too, use packets and steps of circulated shares.

        The first neighbour is a hop away, each further one a step. Chips with two ways to each other are of a ring.
        A chip sends what is its own no faster than it reads that.
        """
        for (source, target), nbytes in sent.items():
            path = self._network.path(source, target) or ()
            if ethernet is None or (target, source) not in sent or not path:
                self.send(source, target, nbytes, times=turns)
                continue
            ring = self._network.path(source, target, without=path) is not None
            self._add(source, target, nbytes * ethernet.effective_fraction / ethernet.carried_fraction(ring=ring))
            self._send_own(path[0], nbytes, ethernet, ethernet.own_exchange_fraction)
            self._hops = max(self._hops, turns)
            self._handed_on_ns = max(self._handed_on_ns, (len(path) - 1) * turns * ethernet.step_ns)

    def circulate(self, group: tuple[int, ...], nbytes: float, ethernet: EthernetDesc | None, *, reduced: bool) -> None:
        """Add the traffic from each chip to all others, forwarded between neighbours in both directions.

        A ring carries all shares half way round each way. On a line, a link carries the shares of all chips
        behind it.
        """
        if not nbytes:
            return
        count = len(group)
        ring = count > 2 and self._network.is_linked(group[-1], group[0])
        own = 0.0
        if ethernet is not None:
            carried = ethernet.carried_fraction(ring=ring) * (ethernet.reduce_fraction if reduced else 1.0)
            own = 0.0 if reduced else nbytes * ethernet.effective_fraction / ethernet.own_gather_fraction
            nbytes *= ethernet.effective_fraction / carried
            reducing = (count // 2 if ring else count - 1) * ethernet.step_ns
            steps = reducing if reduced else (count - 1) * ethernet.gather_step_ns
            self._steps[group] = self._steps.get(group, 0.0) + steps
        for i, (a, b) in enumerate(zip(group, (*group[1:], group[0]), strict=True)):
            if i == count - 1 and not ring:
                break
            forth, back = ((count - 1) / 2,) * 2 if ring else (i + 1, count - 1 - i)
            self._add(a, b, max(forth * nbytes, own))
            self._add(b, a, max(back * nbytes, own))

    def _send_own(self, leg: Leg, nbytes: float, ethernet: EthernetDesc, fraction: float) -> None:
        """Add bytes that a chip reads from its own memory and sends over all channels of a leg."""
        rate = self._network.channels(leg) * fraction * ethernet.link_bytes_per_second
        self._own_ns[leg] = self._own_ns.get(leg, 0.0) + nbytes / rate * 1e9

    def distance(self, source: int, target: int) -> int | None:
        """Return the number of links on the shortest path; None if there is no path."""
        path = self._network.path(source, target)
        return None if path is None else len(path)

    def ns(self) -> float:
        """Return the nanoseconds until the busiest link and the busiest sending chip are done."""
        carried = (n / self._network.bytes_per_second(leg) * 1e9 for leg, n in self._bytes.items())
        slowest = max([*carried, *self._own_ns.values()], default=0.0)
        steps = max(self._steps.values(), default=0.0) + self._handed_on_ns
        return slowest + self._hops * self._network.hop_ns() + steps


def _host_ns(device_op: DeviceOp, op: MeshShard, mesh: Mesh, chips: Iterable[ChipDesc], traffic: _Traffic) -> float:
    """Return the PCIe nanoseconds; each part goes to the nearest chip that has it, and then over Ethernet."""
    if op.shard_type == "identity":
        return 0.0
    types, layouts = (op.results, device_op.results) if op.to_devices else (op.operands, device_op.operands)
    nbytes, page = layouts[0].nbytes(types[0]), layouts[0].page_bytes(types[0])
    doors = {i: chip.pcie for i, chip in enumerate(chips) if chip.pcie}
    parts = dict.fromkeys(doors, 0)
    for device in op.holders(mesh):
        ways = [(far, door) for door in doors if (far := traffic.distance(door, device)) is not None]
        if ways:
            _, door = min(ways)
            parts[door] += 1
            traffic.send(*((door, device) if op.to_devices else (device, door)), nbytes)
    used = ((pcie, parts[i] * nbytes) for i, pcie in doors.items() if parts[i])
    return max((pcie_ns(pcie, n, page, to_device=op.to_devices) for pcie, n in used), default=0.0)


def packet_ns(ethernet: EthernetDesc, fabric: FabricDesc, nbytes: float, pattern: str) -> float:
    """Return the nanoseconds between packets of a traffic `pattern` of tt-metal, limited by links or routers."""
    words = pattern.lower()
    if "mesh" in words:
        least = fabric.mesh_packet_ns
    else:
        least = fabric.exchange_packet_ns if re.search("exchange|ring", words) else fabric.line_packet_ns
    atomic = fabric.multicast_atomic_ns if "multicast" in words else fabric.atomic_ns
    return max(least, ethernet.wire_ns(nbytes)) + (atomic if "atomic" in words else 0.0)


def pcie_ns(pcie: PcieDesc, nbytes: float, page_bytes: float, *, to_device: bool) -> float:
    """Return the nanoseconds of a buffer's way over PCIe, page by page.

    Writes prepare a page while the one before is under way; reads fetch a page from memory, then send it.
    """
    pages = nbytes / max(page_bytes, 1) * pcie.page_ns
    if to_device:
        called, sent = pcie.to_device_call_ns, max(pages, nbytes / pcie.to_device_bytes_per_second * 1e9)
    else:
        called, sent = pcie.from_device_call_ns, pages + nbytes / pcie.from_device_bytes_per_second * 1e9
    return pcie.latency_ns + called + sent
