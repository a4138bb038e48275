"""Inputs of networks by the names of their parameters and the fields of their configurations."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

_SECOND = 16000
"""Samples of sound."""
_SIDE = 64
"""Height and width of latent images, where a configuration names none."""


@dataclass(frozen=True)
class Sizes:
    """The fields of a configuration and of those within it, and how long texts are."""

    fields: Mapping[str, Any]
    tokens: int

    def of(self, *names: str, default: int) -> int:
        """The first of the fields that is set, here or in a configuration within this one."""
        return self.numbers(*names, default=default)[0]

    def numbers(self, *names: str, default: int) -> list[int]:
        """The same as a list, such as the height and width of images."""
        values = (value for name in names for fields in _nested(self.fields) if (value := fields.get(name)))
        value = next(values, default)
        if isinstance(value, Mapping):
            value = list(value.values())
        return list(value) if isinstance(value, list | tuple) else [value]


def _nested(fields: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield fields
    for value in fields.values():
        if isinstance(value, Mapping):
            yield from _nested(value)


def transformers_inputs(sizes: Sizes) -> dict[str, torch.Tensor]:
    """Every input by its name."""
    images = (sizes.numbers("image_size", "img_size", default=224) * 2)[:2]
    channels = sizes.of("num_channels", "in_channels", "in_chans", default=3)
    ids = torch.randint(3, sizes.of("vocab_size", default=256), (1, sizes.tokens))
    bins = sizes.of("num_mel_bins", default=0)
    features = bins or sizes.of("feature_size", "input_feat_per_channel", default=80)
    length = sizes.of("context_length", "input_size", default=128)
    return {
        "input_ids": ids,
        "decoder_input_ids": ids,
        "attention_mask": torch.ones(1, sizes.tokens, dtype=torch.int64),
        "pixel_values": torch.randn(1, channels, *images),
        "pixel_values_videos": torch.randn(1, sizes.of("num_frames", default=16), channels, *images),
        "input_values": torch.randn(1, sizes.of("max_length", default=1024), bins) if bins else torch.randn(1, _SECOND),
        "input_features": torch.randn(1, features, 2 * sizes.of("max_source_positions", default=1500)),
        "past_values": torch.randn(1, length, sizes.of("num_input_channels", default=1)),
    }


def diffusers_inputs(sizes: Sizes, *, frames_first: bool) -> dict[str, torch.Tensor]:
    """Every input by its name; videos with frames before channels or after them."""
    width = sizes.of(
        *("caption_channels", "joint_attention_dim", "text_embed_dim", "text_dim", "caption_dim", "cap_feat_dim"),
        *("cross_attention_dim", "embedding_dim"),
        default=768,
    )
    tokens = sizes.of("max_text_seq_length", default=sizes.tokens)
    latents, texts, times = _latents(sizes, frames_first=frames_first), torch.randn(1, tokens, width), torch.ones(1)
    return {
        **dict.fromkeys(("sample", "x", "latent", "latents", "hidden_states", "controlnet_cond"), latents),
        **dict.fromkeys(("timestep", "timesteps", "timestep_r", "t", "guidance"), times),
        **dict.fromkeys(("encoder_hidden_states", "encoder_hidden_states_t5", "prompt_embeds", "cap_feats"), texts),
        "pooled_projections": torch.randn(1, sizes.of("pooled_projection_dim", default=768)),
        "proj_embedding": texts[:, 0],
        "class_labels": torch.ones(1, dtype=torch.int64),
        "encoder_attention_mask": torch.ones(1, tokens),
    }


def _latents(sizes: Sizes, *, frames_first: bool) -> torch.Tensor:
    """A latent image, or a latent video where the configuration has frames."""
    channels = sizes.of("in_channels", "latent_channels", default=4)
    side = (sizes.numbers("sample_size", "input_size", default=_SIDE) * 2)[:2]
    side = [sizes.of("sample_height", default=side[0]), sizes.of("sample_width", default=side[1])]
    frames = sizes.of("sample_frames", "num_frames", default=0)
    if not frames:
        return torch.randn(1, channels, *side)
    frames = (frames - 1) // sizes.of("temporal_compression_ratio", default=1) + 1
    return torch.randn(1, *((frames, channels) if frames_first else (channels, frames)), *side)
