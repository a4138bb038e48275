"""Short-time Fourier transforms of real and imaginary parts, and signals from them, as PyTorch defines both."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ttstack.frontends.torch.fourier import fourier, real_fourier


@dataclass(frozen=True)
class FrameOptions:
    """The first options of `aten.stft` and `aten.istft`, in the order of their schemas."""

    size: int
    hop: int | None = None
    width: int | None = None
    window: Tensor | None = None

    @property
    def step(self) -> int:
        """The distance of frames."""
        return self.hop or self.size // 4

    def padded_window(self) -> Tensor | None:
        """Return the window, in the middle of a frame."""
        if self.window is None and not self.width:
            return None
        window = torch.ones(self.width or self.size) if self.window is None else self.window
        left = (self.size - window.shape[0]) // 2
        return functional.pad(window, (left, self.size - window.shape[0] - left))


@dataclass(frozen=True)
class StftOptions(FrameOptions):
    """The options of `aten.stft`, whose signal is padded already."""

    normalized: bool = False
    onesided: bool | None = None
    return_complex: bool | None = None
    align_to_window: bool | None = None


@dataclass(frozen=True)
class IstftOptions(FrameOptions):
    """The options of `aten.istft`."""

    center: bool = True
    normalized: bool = False
    onesided: bool | None = None
    length: int | None = None
    return_complex: bool = False


def transform_frames(options: StftOptions, re: Tensor, im: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return both parts of the frequencies of frames, [..., frequencies, frames]."""
    window = options.padded_window()

    def frame(part: Tensor) -> Tensor:
        frames = part.unfold(-1, options.size, options.step)
        return frames if window is None else frames * window

    frames = frame(re)
    onesided = im is None and options.onesided is not False
    divisor = options.size if options.normalized else 1
    other = None if im is None else frame(im)
    found = fourier(frames, other, frames.dim() - 1, False, onesided, divisor, options.normalized)
    return found[0].transpose(-1, -2), found[1].transpose(-1, -2)


def add_frames(options: IstftOptions, re: Tensor, im: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return the signal of frequencies [..., frequencies, frames], as both parts if it is complex.

    Frames are added where they overlap, and divided by the sum of squared windows.
    """
    onesided = options.onesided if options.onesided is not None else re.shape[-2] != options.size
    parts = re.transpose(-1, -2), im.transpose(-1, -2)
    dim, norm = re.dim() - 1, (options.size, options.normalized)
    if onesided:
        frames = [real_fourier(*parts, dim, options.size, *norm)]
    else:
        frames = [*fourier(*parts, dim, True, False, *norm)]
    window = options.padded_window()
    if window is None:
        window = torch.ones(options.size, dtype=re.dtype)
    weight = _overlap_add((window * window).expand(re.shape[-1], options.size), options.step)
    signals = [_cut(options, _overlap_add(f * window, options.step), weight, re.shape[-1]) for f in frames]
    return signals[0], signals[1] if options.return_complex else None


def _overlap_add(frames: Tensor, step: int) -> Tensor:
    """Add frames [..., frames, size] at their places in the signal."""
    *lead, count, size = frames.shape
    spanned = -(-size // step)
    blocks = functional.pad(frames, (0, spanned * step - size)).reshape(*lead, count, spanned, step)
    placed = [functional.pad(blocks[..., i, :], (0, 0, i, spanned - 1 - i)) for i in range(spanned)]
    total = placed[0]
    for part in placed[1:]:
        total = total + part
    return total.reshape(*lead, (count - 1 + spanned) * step)


def _cut(options: IstftOptions, signal: Tensor, weight: Tensor, count: int) -> Tensor:
    """Divide by the weight, and return the part of the signal that PyTorch returns."""
    whole = options.size + options.step * (count - 1)
    start = options.size // 2 if options.center else 0
    end = whole - start if options.length is None else min(start + options.length, whole)
    found = signal[..., start:end] / weight[start:end]
    missing = 0 if options.length is None else options.length - (end - start)
    return functional.pad(found, (0, missing)) if missing else found
