"""Programs divided over the chips of a mesh: products, a batch, and a layer of a decoder with its heads and columns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.mesh.text import Text
from ttstack.system_desc import SystemDesc, load


@dataclass(frozen=True)
class Sizes:
    """Sizes of a layer: rows of a batch, and the widths of a decoder of Llama's kind."""

    batch: int
    rows: int
    width: int
    heads: int
    kv_heads: int
    hidden: int

    @property
    def head(self) -> int:
        """Elements of a head."""
        return self.width // self.heads


SIZES = {"small": Sizes(8, 32, 256, 8, 4, 512), "full": Sizes(8, 512, 4096, 32, 8, 14336)}


def data_parallel(t: Text, s: Sizes) -> str:
    """A batch over all chips, weights on each of them."""
    x, up, down = t.argument(s.batch, s.rows, s.width), t.argument(s.width, s.hidden), t.argument(s.hidden, s.width)
    x, up, down = t.shard(x, (0, 0)), t.shard(up, (-1, -1)), t.shard(down, (-1, -1))
    return t.join(t.matmul(t.elementwise("gelu", t.matmul(x, up)), down), (0, 0))


def gathered_columns(t: Text, s: Sizes) -> str:
    """Columns of a weight over axis 1, and what they give joined on all chips."""
    x, w = t.argument(s.rows, s.width), t.argument(s.width, s.hidden)
    return t.join(t.all_gather(t.matmul(t.shard(x, (-1, -1)), t.shard(w, (-1, 1))), 1, 1))


def scattered_rows(t: Text, s: Sizes) -> str:
    """Rows of a weight over axis 1, and each chip's part of the sum."""
    x, w = t.argument(s.rows, s.hidden), t.argument(s.hidden, s.width)
    return t.join(t.reduce_scatter(t.matmul(t.shard(x, (-1, 1)), t.shard(w, (-1, 0))), 1, 1), (-1, 1))


def norm_of_columns(t: Text, s: Sizes) -> str:
    """Rows divided over axis 1, normalized by the statistics of all parts."""
    x, weight = t.shard(t.argument(1, 1, s.rows, s.width), (-1, 3)), t.shard(t.argument(s.width), (-1, 0))
    segments = "operandSegmentSizes = array<i32: 1, 1, 0>"
    attributes = f"cluster_axis = 1 : ui32, epsilon = 1.0e-05 : f32, {segments}"
    return t.join(t.op("distributed_rms_norm", [x, weight], t.shapes[x], attributes), (-1, 3))


def mlp(t: Text, s: Sizes) -> str:
    """Rows of the batch over axis 0, the hidden width over axis 1."""
    x = t.shard(t.argument(s.batch * s.rows, s.width), (0, -1))
    return t.join(_mlp(t, s, x), (0, -1))


def decoder_layer(t: Text, s: Sizes) -> str:
    """Sequences over axis 0; heads and the hidden width over axis 1, with a sum over chips after either."""
    x = t.shard(t.argument(s.batch, s.rows, s.width), (0, -1))
    x = t.elementwise("add", x, _attention(t, s, _norm(t, s, x)))
    return t.join(t.elementwise("add", x, _mlp(t, s, _norm(t, s, x))), (0, -1))


MODELS: Mapping[str, Callable[[Text, Sizes], str]] = {
    f.__name__: f for f in (data_parallel, gathered_columns, scattered_rows, norm_of_columns, mlp, decoder_layer)
}
"""What gives the output of each, by name."""


def _norm(t: Text, s: Sizes, x: str) -> str:
    weight = t.shard(t.argument(s.width), (-1, -1))
    attributes = f"normalized_shape = array<i64: {s.width}>, operandSegmentSizes = array<i32: 1, 1, 0>"
    return t.op("rms_norm", [x, weight], t.shapes[x], attributes)


def _mlp(t: Text, s: Sizes, x: str) -> str:
    gate, up = (t.shard(t.argument(s.width, s.hidden), (-1, 1)) for _ in range(2))
    down = t.shard(t.argument(s.hidden, s.width), (-1, 0))
    gated = t.elementwise("multiply", t.elementwise("silu", t.matmul(x, gate)), t.matmul(x, up))
    return t.all_reduce(t.matmul(gated, down), 1)


def _attention(t: Text, s: Sizes, x: str) -> str:
    q, k, v = (_heads(t, s, x, heads) for heads in (s.heads, s.kv_heads, s.kv_heads))
    segments = "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>"
    attended = t.op("scaled_dot_product_attention", [q, k, v], t.shapes[q], f"is_causal = true, {segments}")
    batch, heads, rows, width = t.shapes[attended]
    joined = t.op("concatenate_heads", [attended], (batch, rows, heads * width))
    out = t.shard(t.argument(s.heads * s.head, s.width), (-1, 0))
    return t.all_reduce(t.matmul(joined, out), 1)


def _heads(t: Text, s: Sizes, x: str, heads: int) -> str:
    """Projected to the chip's heads: [batch, heads, rows, width of a head]."""
    w = t.shard(t.argument(s.width, heads * s.head), (-1, 1))
    made = t.matmul(x, w)
    batch, rows, columns = t.shapes[made]
    here = columns // s.head
    apart = t.op("reshape", [made], (batch, rows, here, s.head), f"shape = [{_i32(batch, rows, here, s.head)}]")
    return t.op("permute", [apart], (batch, here, rows, s.head), "permutation = array<i64: 0, 2, 1, 3>")


def _i32(*extents: int) -> str:
    return ", ".join(f"{extent} : i32" for extent in extents)


def board(name: str) -> SystemDesc:
    """A mesh by its name; with `-8x8`, of chips whose cores are all there, as those that the library mocks have."""
    preset, _, whole = name.partition("-")
    desc = load(f"wormhole_{preset}")
    if not whole:
        return desc
    chips = [chip.model_copy(update={"grid": (8, 8)}) for chip in desc.chips]
    return desc.model_copy(update={"chips": tuple(chips)})


BOARDS = ("n300", "n300-8x8", "t3000", "t3000-8x8")


def text(model: str, size: str, mesh: tuple[int, int]) -> str:
    """The program for the chips of a mesh."""
    t = Text(mesh)
    return t.module(MODELS[model](t, SIZES[size]))
