"""What collectives cost follows from the links between chips."""

from io import StringIO

import pytest
from rich.console import Console

import ttstack
from tests.mesh.conftest import System
from tests.mesh.text import Text
from ttstack.report.model import OpReport
from ttstack.system_desc import SystemDesc, from_dict, load, to_dict


def costs(text: str, system: str | SystemDesc) -> dict[str, OpReport]:
    return {op.name: op for op in ttstack.compile(text, system_desc=system).cost().ops}


def gathered(mesh: tuple[int, int], rows: int, axis: int = 1) -> str:
    t = Text(mesh)
    return t.module(t.all_gather(t.argument(rows, 1024), axis, 0))


def reduced(mesh: tuple[int, int], rows: int, axis: int = 1) -> str:
    t = Text(mesh)
    return t.module(t.all_reduce(t.argument(rows, 1024), axis))


def changed(name: str, **links: object) -> SystemDesc:
    """The preset with other figures of its links or chips."""
    values = to_dict(load(name))
    for link in values["links"]:
        link["channels"] = links.get("channels", link["channels"])
    for chip in values["chips"]:
        chip["ethernet"] |= {k: v for k, v in links.items() if k != "channels"}
    return from_dict(values)


def test_an_all_gather_on_two_chips_sends_each_part_once():
    op = costs(gathered((1, 2), 1024), "wormhole_n300")["all_gather"]
    ethernet = load("wormhole_n300").chips[0].ethernet
    assert ethernet is not None
    nbytes = 1024 * 1024 * 4
    rate = 2 * ethernet.own_gather_fraction * ethernet.link_bytes_per_second
    assert ethernet.own_gather_fraction < ethernet.wire_fraction, (
        "a chip reads its share more slowly than links carry it"
    )
    assert op.terms["ethernet"] == pytest.approx(nbytes / rate * 1e9 + ethernet.gather_step_ns + ethernet.setup_ns)
    assert op.bound == "Ethernet"
    assert op.kernel_ns >= op.terms["ethernet"]


def test_an_all_reduce_on_a_line_sends_parts_twice():
    """The last link of a line of n carries (n - 1) / n of the tensor, to add it up and to gather the sums."""
    op = costs(reduced((2, 4), 1024), "wormhole_t3000")["all_reduce"]
    ethernet = load("wormhole_t3000").chips[0].ethernet
    assert ethernet is not None
    nbytes = 3 / 4 * 1024 * 1024 * 4
    carried = 2 * ethernet.carried_fraction(ring=False) * ethernet.link_bytes_per_second
    rates = carried * ethernet.reduce_fraction, carried
    steps = ethernet.step_ns, ethernet.gather_step_ns
    want = sum(nbytes / r * 1e9 + 3 * step + ethernet.setup_ns for r, step in zip(rates, steps, strict=True))
    assert op.terms["ethernet"] == pytest.approx(want)


def test_a_link_of_a_ring_carries_half_of_what_one_of_a_line_does():
    ethernet = load("wormhole_t3000").chips[0].ethernet
    assert ethernet is not None
    values = to_dict(load("wormhole_t3000"))
    values["links"] += [{"from_chip": a, "to_chip": a + 3, "channels": 2} for a in (0, 4)]
    line, ring = (
        costs(gathered((2, 4), 4096), system)["all_gather"].terms["ethernet"]
        for system in ("wormhole_t3000", from_dict(values))
    )
    on_line, on_ring = (ethernet.carried_fraction(ring=ring) for ring in (False, True))
    assert on_ring < on_line, "routers of a ring take longer for a packet than the wire"
    shares = max(1.5 / on_ring, 1 / ethernet.own_gather_fraction), 3 / on_line
    assert ring == pytest.approx(line * shares[0] / shares[1], rel=0.01)


@pytest.mark.parametrize("make", [gathered, reduced])
def test_more_bytes_and_more_chips_are_never_cheaper(make):
    by_rows = [costs(make((2, 4), rows), "wormhole_t3000") for rows in (32, 64, 1024, 4096)]
    times = [next(iter(found.values())).elapsed_ns for found in by_rows]
    assert times == sorted(times)
    assert times[-1] > times[0]
    few, many = (next(iter(costs(make((2, 4), 1024, axis), "wormhole_t3000").values())) for axis in (0, 1))
    assert few.terms["ethernet"] < many.terms["ethernet"]


WEAKER = ({"channels": 1}, {"wire_fraction": 0.1}, {"step_ns": 5000.0, "gather_step_ns": 5000.0})


@pytest.mark.parametrize("weaker", WEAKER, ids=str)
@pytest.mark.parametrize("make", [gathered, reduced])
def test_weaker_links_are_never_faster(make, weaker: dict[str, object]):
    text = make((2, 4), 512)
    strong, weak = (
        next(iter(costs(text, system).values())) for system in ("wormhole_t3000", changed("wormhole_t3000", **weaker))
    )
    assert weak.terms["ethernet"] > strong.terms["ethernet"]
    assert weak.kernel_ns > strong.kernel_ns


def test_far_devices_take_more_hops_than_near_ones():
    def sent(target: int) -> float:
        t = Text((2, 4))
        pairs = f"source_target_pairs = dense<[[0, {target}]]> : tensor<1x2xi64>"
        op = t.op("collective_permute", [t.argument(32, 32)], (32, 32), pairs)
        return costs(t.module(op), "wormhole_t3000")["collective_permute"].terms["ethernet"]

    ethernet = load("wormhole_t3000").chips[0].ethernet
    assert ethernet is not None
    assert sent(7) - sent(1) == pytest.approx(3 * ethernet.hop_ns)


def test_parts_that_all_send_to_all_go_as_fast_as_a_chip_reads_its_own():
    """From each chip of a line of four to each other: the first link carries three parts of one chip, the last is 3 far."""
    t = Text((2, 4))
    groups = "replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>"
    attributes = f"concat_dim = 1 : si32, split_dim = 0 : si32, split_count = 4 : si32, {groups}"
    op = t.op("all_to_all", [t.argument(1024, 1024)], (256, 4096), attributes)
    have = costs(t.module(op), "wormhole_t3000")["all_to_all"].terms["ethernet"]
    ethernet = load("wormhole_t3000").chips[0].ethernet
    assert ethernet is not None
    assert have > 2 * ethernet.step_ns + ethernet.hop_ns
    part = 1024 * 1024 * 4 / 4
    own = 3 * part / (2 * ethernet.own_exchange_fraction * ethernet.link_bytes_per_second) * 1e9
    assert have - 2 * ethernet.step_ns - ethernet.hop_ns - ethernet.setup_ns == pytest.approx(own)


def test_the_host_feeds_the_boards_side_by_side(system: System):
    """Each board's first chip takes the parts of both: PCIe moves two parts, Ethernet one."""
    t = system.text()
    whole = t.argument(1024 * system.devices, 1024)
    part = t.shard(whole, (0, 0))
    found = ttstack.compile(t.module(t.join(part, (0, 0))), system_desc=system.preset).cost().ops
    chip = next(c for c in load(system.preset).chips if c.pcie)
    assert chip.pcie is not None
    pcie, nbytes = chip.pcie, 2 * 1024 * 1024 * 4
    there, back = (op for op in found if op.name == "mesh_shard")
    written = pcie.to_device_call_ns + nbytes / pcie.to_device_bytes_per_second * 1e9
    fetched = pcie.from_device_call_ns + nbytes / pcie.from_device_bytes_per_second * 1e9
    read = fetched + nbytes / 4096 * pcie.page_ns
    for op, sent in zip((there, back), (written, read), strict=True):
        assert op.terms["pcie"] == pytest.approx(sent + pcie.latency_ns)
        assert op.terms["ethernet"] > 0
        assert op.bound == "PCIe"


def test_weights_are_put_on_the_devices_once_and_not_in_every_pass():
    t = Text((1, 2))
    text = t.module(t.all_reduce(t.shard(t.argument(64, 64), (-1, 0)), 1))
    as_input = costs(text, "wormhole_n300")
    kind = "%arg0: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}"
    as_weight = costs(text.replace("%arg0: tensor<64x64xf32>", kind, 1), "wormhole_n300")
    assert set(as_input) == {"mesh_shard", "all_reduce"}
    assert set(as_weight) == {"all_reduce"}


def test_of_an_input_and_a_weight_the_weight_alone_is_put_there_once():
    t = Text((1, 2))
    x, w = t.shard(t.argument(64, 64), (-1, 0)), t.shard(t.argument(64, 64), (-1, 0))
    text = t.module(t.op("add", [x, w], t.shapes[x]))
    kind = "%arg1: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}"
    text = text.replace("%arg1: tensor<64x64xf32>", kind, 1)
    ops = ttstack.compile(text, system_desc="wormhole_n300").cost().ops
    assert [op.name for op in ops] == ["mesh_shard", "add"]


def test_the_report_shows_what_goes_between_chips():
    report = ttstack.compile(reduced((1, 2), 1024), system_desc="wormhole_n300").cost()
    shown = StringIO()
    Console(width=200, file=shown).print(report)
    assert "ethernet" in shown.getvalue()


def slowed(name: str, link: tuple[int, int]) -> SystemDesc:
    """The preset with one channel instead of two between those chips."""
    values = to_dict(load(name))
    for found in values["links"]:
        if (found["from_chip"], found["to_chip"]) == link:
            found["channels"] = 1
    return from_dict(values)


@pytest.mark.parametrize("text", [gathered((2, 4), 1024), reduced((2, 4), 1024)], ids=["gathered", "reduced"])
def test_a_slow_link_at_either_end_of_a_line_costs_the_same(text: str):
    """What one end sends and the other gets are the same bytes, in every round."""
    first, last = (costs(text, slowed("wormhole_t3000", link)) for link in ((0, 1), (2, 3)))
    whole = costs(text, "wormhole_t3000")
    for name in whole:
        assert first[name].kernel_ns == pytest.approx(last[name].kernel_ns)
    assert sum(op.kernel_ns for op in first.values()) > sum(op.kernel_ns for op in whole.values())


def test_weights_that_are_divided_beforehand_cost_the_bound_nothing():
    """No report has them, so that a bound which counts them is above the time that is predicted."""
    t = Text((1, 2))
    x, w = t.argument(64, 256), t.argument(256, 128)
    text = t.module(t.elementwise("relu", t.matmul(x, t.shard(w, (-1, 1)))))
    kind = "tensor<256x128xf32>"
    text = text.replace(f"%arg1: {kind}", f"%arg1: {kind} {{ttcore.argument_type = #ttcore.argument_type<parameter>}}")
    program = ttstack.compile(text, system_desc="wormhole_n300", placement="optimal")
    bound = program.function().bound_ns
    assert bound is not None
    assert bound == pytest.approx(program.cost().total_ns, abs=1e-3)
