"""Random layers of attention, in the ways in which models spell it."""

from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor, nn
from torch.nn import functional

CORES = ("sdpa", "matmul", "bmm", "einsum", "divided", "module")
PROJECTIONS = ("separate", "chunk", "unbind", "split", "grouped")
REPEATS = ("interleave", "expand", "gqa")
MASKS = ("none", "causal", "triangle", "window", "padding", "filled", "bias")
ROTATIONS = ("none", "halves", "pairs", "neighbours")
NORMS = ("layer", "rms", "none")
MLPS = ("none", "gelu", "tanh", "gated", "squared")


@dataclass(frozen=True)
class Shape:
    """Extents and spellings of a layer."""

    users: int
    length: int
    heads: int
    groups: int
    depth: int
    core: str
    projection: str
    repeat: str
    mask: str
    rotation: str
    norm: str
    mlp: str
    bias: bool
    layers: int

    @property
    def width(self) -> int:
        """Elements of a token."""
        return self.heads * self.depth


def draw_shape(rng: Random, length: int | None = None) -> Shape:
    """Extents that fill tiles and such that do not, and one of each spelling."""
    heads = rng.choice((1, 2, 3, 4, 4))
    return Shape(
        users=rng.choice((1, 1, 2, 3, 8, 32) if length == 1 else (1, 1, 2, 3, 8)),
        length=length or rng.choice((1, 5, 17, 31, 32, 33, 49, 64, 65, 100)),
        heads=heads,
        groups=rng.choice([n for n in (1, 2, heads) if heads % n == 0]),
        depth=rng.choice((8, 16, 24, 32, 32, 32, 64)),
        core=rng.choice(CORES),
        projection=rng.choice(PROJECTIONS),
        repeat=rng.choice(REPEATS),
        mask=rng.choice(MASKS),
        rotation=rng.choice(ROTATIONS),
        norm=rng.choice(NORMS),
        mlp=rng.choice(MLPS),
        bias=rng.random() < 0.5,
        layers=rng.choice((1, 1, 1, 2)),
    )


class RMSNorm(nn.Module):
    """As transformers spells it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: Tensor) -> Tensor:
        """Rows of mean square one, weighed."""
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def make_norm(kind: str, width: int) -> nn.Module:
    """The norm of that name."""
    return {"layer": nn.LayerNorm, "rms": RMSNorm, "none": lambda _: nn.Identity()}[kind](width)


def rotate(x: Tensor, kind: str, positions: Tensor) -> Tensor:
    """Rotary embedding of (users, heads, length, depth) in one of its forms."""
    if kind == "none":
        return x
    depth = x.shape[-1]
    angles = positions[:, None].float() * 10000.0 ** (-torch.arange(0, depth, 2).float() / depth)
    if kind == "pairs":
        pairs = x.unflatten(-1, (depth // 2, 2))
        a, b, cos, sin = pairs[..., 0], pairs[..., 1], angles.cos(), angles.sin()
        return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)
    if kind == "neighbours":
        part = depth // 2
        cos, sin = (f(angles[:, : part // 2]).repeat_interleave(2, -1) for f in (torch.cos, torch.sin))
        first = x[..., :part]
        turned = torch.stack((-first[..., 1::2], first[..., ::2]), -1).flatten(-2)
        return torch.cat((first * cos + turned * sin, x[..., part:]), -1)
    both = torch.cat((angles, angles), -1)
    first, second = x.chunk(2, -1)
    turned = torch.cat((-second, first), -1)
    return x * both.cos() + turned * both.sin()


def mask_of(kind: str, queries: int, keys: int) -> Tensor | None:
    """What is added to scores, or a truth value for each that counts; None where nothing hides."""
    ahead = torch.ones(queries, keys, dtype=torch.bool).triu(1 + keys - queries)
    match kind:
        case "triangle":
            return torch.zeros(queries, keys).masked_fill(ahead, float("-inf"))
        case "window":
            return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries).triu(keys - queries - 7)
        case "padding":
            return (torch.arange(keys) < max(keys - 3, 1)).view(1, 1, 1, keys)
        case "filled":
            return torch.zeros(queries, keys).masked_fill(ahead, torch.finfo(torch.float32).min)
        case "bias":
            return (torch.arange(keys)[None] - torch.arange(queries)[:, None]).float().abs().neg() / 8
        case _:
            return None


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, core: str, *, causal: bool = False) -> Tensor:
    """Attention over (users, heads, length, depth), spelled as `core` says."""
    if core == "sdpa":
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
    if causal:
        mask = mask_of("triangle", q.shape[2], k.shape[2])
    scale = q.shape[-1] ** -0.5
    match core:
        case "einsum":
            scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * scale
        case "divided":
            scores = torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5
        case "bmm":
            flat = torch.bmm((q * scale).flatten(0, 1), k.flatten(0, 1).transpose(1, 2))
            scores = flat.view(*q.shape[:3], k.shape[2])
        case _:
            scores = (q @ k.mT) * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
    weights = scores.softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v) if core == "einsum" else weights @ v


class Attention(nn.Module):
    """Attention of tokens over themselves."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape, width, kept = shape, shape.width, shape.groups * shape.depth
        whole = shape.projection in ("chunk", "unbind") and shape.groups == shape.heads
        self.sizes = [width, kept, kept]
        self.module = nn.MultiheadAttention(width, shape.heads, bias=shape.bias, batch_first=True)
        if whole or shape.projection in ("split", "grouped"):
            self.qkv = nn.Linear(width, sum(self.sizes), bias=shape.bias)
        else:
            self.parts = nn.ModuleList(nn.Linear(width, n, bias=shape.bias) for n in self.sizes)
        self.out = nn.Linear(width, width, bias=shape.bias)

    def forward(self, x: Tensor) -> Tensor:
        """(users, length, width) to the same."""
        shape, length = self.shape, x.shape[1]
        mask, causal = mask_of(shape.mask, length, length), shape.mask == "causal"
        if shape.core == "module" and (mask is None or mask.dim() == 2):
            hidden = ~mask if mask is not None and mask.dtype == torch.bool else mask
            hidden = mask_of("triangle", length, length) if causal else hidden
            return self.module(x, x, x, attn_mask=hidden, need_weights=False)[0]
        q, k, v = self._heads(x)
        positions = torch.arange(length)
        q, k = (rotate(part, shape.rotation, positions) for part in (q, k))
        k, v = (self._repeat(part) for part in (k, v))
        found = attend(q, k, v, mask, shape.core, causal=causal)
        return self.out(found.transpose(1, 2).reshape(x.shape))

    def _heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        shape, (users, length, _) = self.shape, x.shape
        if not hasattr(self, "qkv"):
            parts = [of(x) for of in self.parts]
        elif shape.projection == "unbind":
            q, k, v = self.qkv(x).view(users, length, 3, shape.heads, shape.depth).permute(2, 0, 3, 1, 4).unbind(0)
            return q, k, v
        elif shape.projection == "grouped":
            rows = self.qkv(x).view(users, length, shape.groups, -1, shape.depth)
            each = shape.heads // shape.groups
            parts = [part.flatten(2) for part in (rows[..., :each, :], rows[..., each, :], rows[..., each + 1, :])]
        elif shape.projection == "chunk":
            parts = self.qkv(x).chunk(3, -1)
        else:
            parts = self.qkv(x).split(self.sizes, -1)
        q, k, v = (part.view(users, length, -1, shape.depth).transpose(1, 2) for part in parts)
        return q, k, v

    def _repeat(self, part: Tensor) -> Tensor:
        shape = self.shape
        each = shape.heads // shape.groups
        if part.shape[1] == shape.heads:
            return part
        if shape.repeat == "expand":
            users, groups, length, depth = part.shape
            return part[:, :, None].expand(users, groups, each, length, depth).reshape(users, -1, length, depth)
        return part.repeat_interleave(each, dim=1)


class Mlp(nn.Module):
    """What follows attention, in one of its forms."""

    def __init__(self, kind: str, width: int, *, bias: bool) -> None:
        super().__init__()
        self.kind, inner = kind, 3 * width + 8
        self.up, self.down = nn.Linear(width, inner, bias=bias), nn.Linear(inner, width, bias=bias)
        self.gate = nn.Linear(width, inner, bias=bias) if kind == "gated" else None

    def forward(self, x: Tensor) -> Tensor:
        """(users, length, width) to the same."""
        rows = self.up(x)
        if self.gate is not None:
            return self.down(functional.silu(self.gate(x)) * rows)
        match self.kind:
            case "gelu":
                return self.down(0.5 * rows * (1 + torch.erf(rows * 0.5**0.5)))
            case "tanh":
                return self.down(functional.gelu(rows, approximate="tanh"))
            case "squared":
                return self.down(functional.relu(rows).square())
            case _:
                return x


class Transformer(nn.Module):
    """Layers of attention and what follows it, with residuals."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(shape.layers):
            norms = [make_norm(shape.norm, shape.width) for _ in range(2)]
            parts = [Attention(shape), Mlp(shape.mlp, shape.width, bias=shape.bias)]
            self.layers += [nn.Sequential(norm, part) for norm, part in zip(norms, parts, strict=True)]

    def forward(self, x: Tensor) -> Tensor:
        """(users, length, width) to the same."""
        for layer in self.layers:
            x = x + layer(x)
        return x
