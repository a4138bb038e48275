"""Mixtures of experts divided over the devices of a mesh give what all experts computed on one chip give."""

from dataclasses import dataclass

import numpy as np
import pytest

import ttstack
from tests.mesh.conftest import System, run, run_alone
from tests.mesh.text import Text
from ttstack.diagnostics import InvalidIRError
from ttstack.ops.devices import Mesh
from ttstack.ops.moe import column
from ttstack.system_desc import load

K, WIDTH, PER_DEVICE, LENGTH = 2, 32, 2, 4


@dataclass(frozen=True)
class Routing:
    """Tokens of all devices along the axis, the experts and scores of each, and what each expert does."""

    tokens: np.ndarray
    experts: np.ndarray
    scores: np.ndarray
    mapping: np.ndarray
    weights: np.ndarray

    @property
    def arrays(self) -> list[np.ndarray]:
        return [self.tokens, self.experts, self.scores, self.mapping, self.weights]

    @property
    def dense(self) -> np.ndarray:
        """The scores of all experts, 0 where one is not chosen: [experts, tokens, 1]."""
        found = np.zeros((len(self.weights), self.experts.size // K, 1), np.float32)
        rows = zip(self.experts.reshape(-1, K), self.scores.reshape(-1, K), strict=True)
        for token, (experts, scores) in enumerate(rows):
            found[experts, token, 0] = scores
        return found


def routed(batch: int, experts: int, holders: int, rng: np.random.Generator) -> Routing:
    """Every token chooses different experts; expert e is on device e // PER_DEVICE."""
    chosen = np.argsort(rng.random((batch, 1, LENGTH, experts)), axis=-1)[..., :K]
    mapping = np.zeros((1, 1, experts, holders), np.int64)
    mapping[0, 0, np.arange(experts), np.arange(experts) // PER_DEVICE] = 1
    scores = rng.random((batch, 1, LENGTH, K), np.float32)
    tokens = rng.standard_normal((batch, 1, LENGTH, WIDTH), np.float32)
    weights = rng.standard_normal((experts, WIDTH, WIDTH), np.float32) / 6
    return Routing(tokens, chosen.astype(np.int32), scores, mapping, weights)


def dense_text(given: Routing) -> str:
    """Every expert on every token, weighed by its score."""
    t, rows, experts = Text(), given.experts.size // K, len(given.weights)
    x, w, scores = t.argument(experts, rows, WIDTH), t.argument(*given.weights.shape), t.argument(experts, rows, 1)
    return t.module(summed(t, t.op("multiply", [t.matmul(x, w), scores], (experts, rows, WIDTH))))


def dense(given: Routing) -> np.ndarray:
    rows = np.broadcast_to(given.tokens.reshape(1, -1, WIDTH), (len(given.weights), given.experts.size // K, WIDTH))
    (found,) = run_alone(dense_text(given), np.ascontiguousarray(rows), given.weights, given.dense)
    return found


def summed(t: Text, value: str) -> str:
    return t.op("sum", [value], t.shapes[value][1:], "dim_arg = [0 : i32], keep_dim = false")


def reshaped(t: Text, value: str, *shape: int) -> str:
    return t.op("reshape", [value], shape, f"shape = [{', '.join(f'{e} : i32' for e in shape)}]")


def along(axis: int, dim: int) -> tuple[int, int]:
    """A dimension divided over one axis of the mesh."""
    return (dim, -1) if axis == 0 else (-1, dim)


def exchange(system: System, axis: int) -> str:
    return f"num_devices = {system.mesh[axis]} : i64, cluster_axis = {axis} : i64"


def expert_parallel(system: System, given: Routing, axis: int, tokens: tuple[int, int], held: tuple[int, int]) -> str:
    """Tokens divided as `tokens` says, experts as `held`; where axes divide experts alone, their sums are added."""
    t, count = system.text(), system.mesh[axis]
    kinds = ("", "i32", "", "i64", "")
    arguments = [t.argument(*a.shape, dtype=d) for a, d in zip(given.arrays, kinds, strict=True)]
    x, experts, scores = (t.shard(a, tokens) for a in arguments[:3])
    mapping, w = t.shard(arguments[3], (-1, -1)), t.shard(arguments[4], held)
    local = t.shapes[x][0]
    whole = (1, local * count, LENGTH)
    results = [((*whole, WIDTH), "f32"), ((*whole, K), "i32")]
    sent, metadata = t.ops("all_to_all_dispatch", [x, experts, mapping], results, exchange(system, axis))
    rows = reshaped(t, sent, 1, local * count * LENGTH, WIDTH)
    here = [rows] * PER_DEVICE
    every = t.op("concat", here, (PER_DEVICE, *t.shapes[rows][1:]), "dim = 0 : si32")
    made = reshaped(t, t.matmul(every, w), PER_DEVICE, *whole[1:], WIDTH)
    attributes = f"{exchange(system, axis)}, num_experts_per_tok = {K} : i64, output_shard_dim = 1 : i64"
    back = t.op("all_to_all_combine", [made, metadata, mapping], (K, local, LENGTH, WIDTH), attributes)
    permuted = "permutation = array<i64: 3, 0, 2, 1>"
    weights = t.op("permute", [scores], (K, local, LENGTH, 1), permuted)
    out = summed(t, t.op("multiply", [back, weights], t.shapes[back]))
    other = 1 - axis
    out = t.all_reduce(out, other) if held[other] >= 0 and tokens[other] < 0 else out
    return t.module(t.join(out, tokens))


@pytest.mark.parametrize("axis", [0, 1])
def test_experts_along_one_axis(axis: int, system: System, rng: np.random.Generator):
    """Tokens are divided over both axes; each row of devices along the axis holds all experts."""
    count = system.mesh[axis]
    given = routed(2 * system.devices, PER_DEVICE * max(count, 1), count, rng)
    text = expert_parallel(system, given, axis, (0, 0), along(axis, 0))
    (have,) = run(system.compile(text), *given.arrays)
    np.testing.assert_allclose(have.reshape(-1, WIDTH), dense(given), rtol=1e-4, atol=1e-5)


def test_experts_on_all_devices(system: System, rng: np.random.Generator):
    """The mapping is of the whole mesh; tokens are the same along axis 0, where the sums of experts are added."""
    given = routed(2 * system.mesh[1], PER_DEVICE * system.devices, system.devices, rng)
    text = expert_parallel(system, given, 1, (-1, 0), (0, 0))
    (have,) = run(system.compile(text), *given.arrays)
    np.testing.assert_allclose(have.reshape(-1, WIDTH), dense(given), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("by_sequence", [False, True])
def test_dispatch_puts_tokens_at_their_global_positions(by_sequence: bool, system: System, rng: np.random.Generator):
    count = system.mesh[1]
    given = routed(2 * (1 if by_sequence else count), PER_DEVICE * count, count, rng)
    tokens, experts, scores = given.arrays[:3]
    if by_sequence:
        tokens, experts, scores = (np.tile(a, (1, 1, count, 1)) + a.dtype.type(0) for a in (tokens, experts, scores))
        tokens += rng.standard_normal(tokens.shape, np.float32)
    t, dims = system.text(), (-1, 2 if by_sequence else 0)
    kinds = zip((tokens, experts, scores), ("", "i32", ""), strict=True)
    parts = [t.shard(t.argument(*a.shape, dtype=d), dims) for a, d in kinds]
    mapping = t.shard(t.argument(*given.mapping.shape, dtype="i64"), (-1, -1))
    whole = (1, tokens.shape[0], tokens.shape[2])
    results = [((*whole, WIDTH), "f32"), ((*whole, K), "i32"), ((*whole, K), "f32")]
    found = t.ops("all_to_all_dispatch_metadata", [*parts, mapping], results, exchange(system, 1))
    text = t.module(*(t.join(f, (-1, 0)) for f in found))
    have, metadata, weights = run(system.compile(text), tokens, experts, scores, given.mapping)
    for device in range(count):
        goes = (experts[:, 0] // PER_DEVICE == device).any(-1, keepdims=True)
        np.testing.assert_array_equal(have[device], np.where(goes, tokens[:, 0], 0))
        np.testing.assert_array_equal(metadata[device], experts[:, 0])
        np.testing.assert_array_equal(weights[device], scores[:, 0])


def test_combine_by_sequence_gives_each_device_its_tokens(system: System, rng: np.random.Generator):
    count, rows = system.mesh[1], 3
    length = 2 * count
    experts = rng.integers(0, PER_DEVICE * count, (1, rows, length, K), dtype=np.int32)
    made = rng.standard_normal((PER_DEVICE * count, rows, length, WIDTH), np.float32)
    mapping = routed(1, PER_DEVICE * count, count, rng).mapping
    t = system.text()
    operands = [
        t.shard(t.argument(*made.shape), (-1, 0)),
        t.shard(t.argument(*experts.shape, dtype="i32"), (-1, -1)),
        t.shard(t.argument(*mapping.shape, dtype="i64"), (-1, -1)),
    ]
    attributes = f"{exchange(system, 1)}, num_experts_per_tok = {K} : i64"
    back = t.op("all_to_all_combine", operands, (K, rows, length // count, WIDTH), attributes)
    (have,) = run(system.compile(t.module(t.join(back, (-1, 2)))), made, experts, mapping)
    for k, b, s in np.ndindex(K, rows, length):
        np.testing.assert_array_equal(have[k, b, s], made[experts[0, b, s, k], b, s])


@pytest.mark.parametrize("whole", [True, False])
def test_remap_keeps_the_weights_of_each_devices_experts(whole: bool, system: System, rng: np.random.Generator):
    """With a mapping of the whole mesh, or of its columns."""
    holders = system.devices if whole else system.mesh[1]
    count = PER_DEVICE * holders
    given = routed(3, count, holders, rng)
    weights, experts = rng.random((1, 3, LENGTH, count), np.float32), given.experts.reshape(1, 3, LENGTH, K)
    t = system.text()
    kinds = zip((weights, given.mapping, experts), ("", "i64", "i32"), strict=True)
    operands = [t.shard(t.argument(*a.shape, dtype=d), (-1, -1)) for a, d in kinds]
    results = [((1, 3, LENGTH, PER_DEVICE), "f32"), ((1, 1, 3, PER_DEVICE), "ui16")]
    found = t.ops("moe_expert_token_remap", operands, results, f"reduction_size = {LENGTH} : i64")
    program = system.compile(t.module(*(t.join(f, (0, 0)) for f in found)))
    local, reduced = run(program, weights, given.mapping, experts)
    for device in range(system.devices):
        place = column(Mesh(system.mesh), device, holders)
        held = np.arange(place * PER_DEVICE, (place + 1) * PER_DEVICE)
        chosen = (experts[0][..., None] == held).any(axis=2)
        np.testing.assert_array_equal(local[device], np.where(chosen, weights[0][..., held], 0))
        np.testing.assert_array_equal(reduced[device, 0], chosen.any(axis=1))


def test_tokens_and_metadata_go_over_the_links(rng: np.random.Generator):
    """Each of two devices sends 3 of 4 tokens, and the experts of all; back come half of what experts made."""
    system = System("wormhole_n300", (1, 2))
    text = expert_parallel(system, routed(64, 4, 2, rng), 1, (-1, 0), (-1, 0))
    terms = {op.name: op.terms["ethernet"] for op in system.compile(text).cost().ops if "all_to_all" in op.name}
    ethernet = load(system.preset).chips[0].ethernet
    assert ethernet is not None
    tokens = 32 * LENGTH
    sent = tokens * (0.75 * WIDTH + K) * 4, tokens * K * WIDTH * 4 / 2
    rate = 2 * ethernet.own_exchange_fraction * ethernet.link_bytes_per_second / 1e9
    steps = ethernet.gather_step_ns, 0.0  # metadata is handed on from neighbour to neighbour
    want = [n / rate + step + ethernet.hop_ns + ethernet.setup_ns for n, step in zip(sent, steps, strict=True)]
    have = [terms["all_to_all_dispatch"], terms["all_to_all_combine"]]
    assert have == pytest.approx(want, rel=0.05)


def test_more_experts_of_a_token_are_never_cheaper(rng: np.random.Generator):
    def ethernet(width: int) -> float:
        t = Text((2, 4))
        x, experts = t.argument(1, 1, 256, 64), t.argument(1, 1, 256, width, dtype="i32")
        mapping = t.argument(1, 1, 8, 4, dtype="i64")
        results = [((1, 4, 256, 64), "f32"), ((1, 4, 256, width), "i32")]
        attributes = "num_devices = 4 : i64, cluster_axis = 1 : i64"
        sent, _ = t.ops("all_to_all_dispatch", [x, experts, mapping], results, attributes)
        (op,) = (
            o
            for o in ttstack.compile(t.module(t.join(sent, (-1, 0))), system_desc="wormhole_t3000").cost().ops
            if o.name == "all_to_all_dispatch"
        )
        return op.terms["ethernet"]

    times = [ethernet(width) for width in (1, 2, 4, 8)]
    assert times == sorted(times)
    assert times[0] < times[-1]


def mesh_op(devices: int, columns: int, mnemonic: str) -> str:
    t = Text((2, 4))
    experts, mapping = t.argument(1, 4, 16, K, dtype="i32"), t.argument(1, 1, 24, columns, dtype="i64")
    exchanged = f"num_devices = {devices} : i64, cluster_axis = 1 : i64"
    if mnemonic == "all_to_all_combine":
        made = t.argument(PER_DEVICE, 4, 16, WIDTH)
        attributes = f"{exchanged}, num_experts_per_tok = {K} : i64"
        return t.module(t.op(mnemonic, [made, experts, mapping], (K, 4, 16 // devices, WIDTH), attributes))
    if mnemonic == "moe_expert_token_remap":
        held = 24 // columns
        results = [((1, 4, 16, held), "f32"), ((1, 1, 2, held), "ui16")]
        attributes = "reduction_size = 32 : i64"
        return t.module(*t.ops(mnemonic, [t.argument(1, 4, 16, 24), mapping, experts], results, attributes))
    scores = [t.argument(1, 4, 16, K)] if mnemonic.endswith("metadata") else []
    results = [((1, 4 * devices, 16, n), d) for n, d in ((WIDTH, "f32"), (K, "i32"), (K, "f32"))][: 2 + len(scores)]
    return t.module(*t.ops(mnemonic, [t.argument(1, 4, 16, WIDTH), experts, *scores, mapping], results, exchanged))


EXCHANGES = ("all_to_all_dispatch", "all_to_all_dispatch_metadata", "all_to_all_combine")
MISFITS = [
    *((m, 2, 4, "num_devices is 2, axis 1 of the mesh 2x4 has 4 devices") for m in EXCHANGES),
    *((m, 4, 6, "expert_mapping has 6 devices, axis 1 of the mesh 2x4 has 4, the mesh 8") for m in EXCHANGES),
    ("moe_expert_token_remap", 4, 6, "expert_mapping has 6 devices, the mesh 2x4 has 8"),
]


@pytest.mark.parametrize(("mnemonic", "devices", "columns", "says"), MISFITS)
def test_what_does_not_fit_the_mesh_says_why(mnemonic: str, devices: int, columns: int, says: str):
    with pytest.raises(InvalidIRError) as refused:
        ttstack.compile(mesh_op(devices, columns, mnemonic), system_desc="wormhole_t3000")
    assert f"'ttir.{mnemonic}' op {says}" in str(refused.value)
    assert "note: system 't3000' is a mesh of 2x4 devices" in str(refused.value)
