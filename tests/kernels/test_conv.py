"""Convolutions against torch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.kernel_of import kernel_of
from ttstack_runtime.kernels import conv

torch = pytest.importorskip("torch")
F = torch.nn.functional


def to_first(x):
    """Channels-last to a torch tensor with channels first."""
    return torch.from_numpy(np.moveaxis(x, -1, 1).copy())


def to_last(x):
    return np.moveaxis(x.numpy(), 1, -1)


@settings(deadline=None, max_examples=50)
@given(
    size=st.tuples(st.integers(5, 9), st.integers(5, 9)),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    padding=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    groups=st.sampled_from([1, 2, 6]),
    out_channels=st.sampled_from([6, 12]),
    block=st.sampled_from([1, 200, 1 << 22]),
)
def test_conv2d(size, kernel, *, stride, padding, dilation, groups, out_channels, block):
    rng = np.random.default_rng(sum(size))
    x, weight = rng.standard_normal((2, *size, 6)), rng.standard_normal((out_channels, 6 // groups, *kernel))
    bias = rng.standard_normal((1, 1, 1, out_channels))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conv, "_COLUMNS", block)
        got = kernel_of("conv2d")(x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups)
    wanted = F.conv2d(
        to_first(x),
        torch.from_numpy(weight),
        torch.from_numpy(bias.reshape(-1)),
        stride,
        padding,
        dilation,
        groups,
    )
    np.testing.assert_allclose(got, to_last(wanted), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("padding", [1, (1, 2), (0, 1, 2, 1)])
def test_padding_of_each_side(padding, run, agree, rng):
    x, weight = rng.standard_normal((1, 5, 6, 3)), rng.standard_normal((4, 3, 3, 3))
    top, left, bottom, right = (padding,) * 4 if padding == 1 else padding if len(padding) == 4 else padding * 2
    source = F.pad(to_first(x), (left, right, top, bottom))
    got = run("conv2d", x, weight, None, stride=1, padding=padding, dilation=1, groups=1)
    agree(got, to_last(F.conv2d(source, torch.from_numpy(weight))))


def test_conv2d_of_channels_first(run, agree, rng):
    x, weight = rng.standard_normal((2, 3, 5, 6)), rng.standard_normal((4, 3, 2, 2))
    got = run(
        "conv2d",
        x,
        weight,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        channel_dim=1,
        height_dim=2,
        width_dim=3,
    )
    agree(got, F.conv2d(torch.from_numpy(x), torch.from_numpy(weight)))


def test_conv2d_in_float32(run, agree, rng):
    x, weight = rng.standard_normal((1, 14, 14, 32)), rng.standard_normal((16, 32, 3, 3))
    x, weight = x.astype(np.float32), weight.astype(np.float32)
    wanted = to_last(F.conv2d(to_first(x), torch.from_numpy(weight), padding=1))
    agree(run("conv2d", x, weight, stride=1, padding=1, dilation=1, groups=1), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("groups", [1, 2])
def test_conv1d(groups, run, agree, rng):
    x, weight, bias = (
        rng.standard_normal((2, 9, 4)),
        rng.standard_normal((6, 4 // groups, 3)),
        rng.standard_normal(6),
    )
    got = run("conv1d", x, weight, bias, stride=2, padding=1, dilation=[2], groups=groups)
    agree(got, to_last(F.conv1d(to_first(x), *map(torch.from_numpy, (weight, bias)), 2, 1, 2, groups)))


@pytest.mark.parametrize("padding_mode", ["zeros", "replicate"])
def test_conv3d(padding_mode, run, agree, rng):
    x, weight = rng.standard_normal((2, 4, 5, 6, 4)), rng.standard_normal((6, 2, 2, 3, 3))
    mode = "constant" if padding_mode == "zeros" else "replicate"
    source = F.pad(to_first(x), (1, 1, 2, 2, 1, 1), mode=mode)
    wanted = F.conv3d(source, torch.from_numpy(weight), stride=(1, 2, 1), groups=2)
    got = run("conv3d", x, weight, stride=(1, 2, 1), padding=(1, 2, 1), groups=2, padding_mode=padding_mode)
    agree(got, to_last(wanted))


@settings(deadline=None, max_examples=40)
@given(
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    padding=st.integers(0, 1),
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    groups=st.sampled_from([1, 2]),
)
def test_conv_transpose2d(kernel, stride, padding, *, dilation, groups):
    rng = np.random.default_rng(sum(kernel))
    x, weight = rng.standard_normal((2, 4, 5, 4)), rng.standard_normal((4, 6 // groups, *kernel))
    bias, extra = (
        rng.standard_normal(6),
        tuple(min(1, max(s, d) - 1) for s, d in zip(stride, dilation, strict=True)),
    )
    got = kernel_of("conv_transpose2d")(
        x,
        weight,
        bias,
        stride=stride,
        padding=padding,
        output_padding=extra,
        dilation=dilation,
        groups=groups,
    )
    wanted = F.conv_transpose2d(
        to_first(x), *map(torch.from_numpy, (weight, bias)), stride, padding, extra, groups, dilation
    )
    np.testing.assert_allclose(got, to_last(wanted), rtol=1e-10, atol=1e-12)
