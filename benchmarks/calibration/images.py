"""Convolutions and pools as measurement tables spell them: positions, names, or shapes of image and filter."""

import re

from rows import Row
from shapes import extents, named, pick, plain

_POSITIONS = ("n", "oc", "ic", "h", "w", "kh", "kw", "sh", "sw", "ph", "pw")
"""What sweeps give in turn: batch, output and input channels, input, filter, stride, padding."""
_NAMES = {
    "n": ("n", "b", "batch", "batch_size"),
    "oc": ("oc", "co", "out_channels", "output_channels", "cout", "k_out", "filters", "out", "c_out"),
    "ic": ("ic", "ci", "c", "in_channels", "input_channels", "cin", "in", "c_in", "channels"),
    "h": ("h", "ih", "input_height", "input_h", "height"),
    "w": ("w", "iw", "input_width", "input_w", "width"),
    "kh": ("kh", "fh", "filter_height", "filter_h", "kernel_h", "k", "kernel", "kernel_size", "filter"),
    "kw": ("kw", "fw", "filter_width", "filter_w", "kernel_w", "k", "kernel", "kernel_size", "filter"),
    "sh": ("sh", "stride_h", "s", "stride"),
    "sw": ("sw", "stride_w", "s", "stride"),
    "ph": ("ph", "pad_h", "p", "pad", "padding"),
    "pw": ("pw", "pad_w", "p", "pad", "padding"),
    "dh": ("dh", "dilation_h", "d", "dilation"),
    "dw": ("dw", "dilation_w", "d", "dilation"),
    "groups": ("g", "groups"),
}
_DEFAULTS = {"n": 1, "sh": 1, "sw": 1, "ph": 0, "pw": 0, "dh": 1, "dw": 1, "groups": 1}
_FILTER = 15
"""No filter is larger."""


def sizes(row: Row, *, pooled: bool = False) -> dict[str, int]:
    """Extents by the keys of `_NAMES`; a pool has as many output channels as input channels."""
    listed, given = extents(row.shape), named(row.shape)
    longest = max(listed, key=len, default=())
    if len(longest) >= len(_POSITIONS) - (3 if pooled else 0):
        positions = tuple(p for p in _POSITIONS if p != "oc") if pooled else _POSITIONS
        return {**_DEFAULTS, **dict(zip(positions, longest, strict=False))}
    read = _shapes(listed) | _channels(plain(row.shape))
    if "h" in given and "w" not in given:
        given["w"] = given["h"]
    found = {k: next((given[n] for n in names if n in given), read.get(k)) for k, names in _NAMES.items()}
    known = {k: v for k, v in found.items() if v is not None}
    if pooled:
        known.setdefault("oc", known.get("ic", 0))
        for stride, kernel in (("sh", "kh"), ("sw", "kw")):
            known.setdefault(stride, known.get(kernel, 1))
    return {key: pick(known, (key,), _DEFAULTS.get(key)) for key in _NAMES}


def _channels(text: str) -> dict[str, int]:
    """Channels that `64 -> 128` says, or `... -> 128` after a shape."""
    found = re.search(r"(?:(?<![\dx])(\d+)|\S)\s*->\s*(\d+)(?![\dx])", text)
    if found is None:
        return {}
    return {"oc": int(found[2])} | ({"ic": int(found[1])} if found[1] else {})


def _shapes(listed: list[tuple[int, ...]]) -> dict[str, int]:
    """What shapes say: of four extents an image or a filter, of two an image when large, else filter and stride."""
    sizes: dict[str, int] = {}
    for shape in listed:
        if len(shape) == 4 and "h" not in sizes:
            sizes |= _image(shape)
        elif len(shape) == 4:
            sizes |= _filter(shape, sizes["ic"])
        elif len(shape) == 2 and "h" not in sizes and max(shape) > _FILTER:
            sizes |= {"h": shape[0], "w": shape[1]}
        elif len(shape) == 2 and max(shape) <= _FILTER:
            names = next((n for n in (("kh", "kw"), ("sh", "sw"), ("ph", "pw")) if n[0] not in sizes), ())
            sizes |= dict(zip(names, shape, strict=False))
    return sizes


def _image(shape: tuple[int, ...]) -> dict[str, int]:
    """NCHW where the last two are alike and the middle two are not, else NHWC."""
    n, a, b, c = shape
    first = b == c and a != b
    return dict(zip("nhw", (n, *((b, c) if first else (a, b))), strict=True)) | {"ic": a if first else c}


def _filter(shape: tuple[int, ...], channels: int) -> dict[str, int]:
    """OIHW where the last two are small, else HWIO."""
    if max(shape[2:]) <= _FILTER and channels in (shape[1], shape[1] * shape[0]):
        oc, ic, kh, kw = shape
    else:
        kh, kw, ic, oc = shape if max(shape[:2]) <= _FILTER else (*shape[2:], shape[1], shape[0])
    return {"oc": oc, "kh": kh, "kw": kw, "groups": max(channels // max(ic, 1), 1)}
