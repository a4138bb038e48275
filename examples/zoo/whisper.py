"""Whisper: convolutions over a spectrogram, an encoder, and a decoder of tokens."""

import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: WhisperConfig, batch: int, generated: int) -> Example:
    inputs = {
        "input_features": torch.randn(batch, config.num_mel_bins, 2 * config.max_source_positions),
        "decoder_input_ids": tokens(config.vocab_size, batch, generated),
        "use_cache": False,
    }
    return WhisperForConditionalGeneration(config), (), inputs


def _config(width: int, layers: int, heads: int, hidden: int, **others: int) -> WhisperConfig:
    sides = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in {"layers": layers, "attention_heads": heads, "ffn_dim": hidden}.items()
    }
    return WhisperConfig(d_model=width, **sides, **others)


@seeded
def small() -> Example:
    """Two layers of width 64 on either side, 64 frames of sound."""
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    sizes = {"vocab_size": 100, "max_source_positions": 32, "max_target_positions": 32, "num_mel_bins": 16}
    return _build(_config(64, 2, 4, 128, **sizes, **special), batch=2, generated=16)


@described
def full() -> Example:
    """Whisper-base, 30 s of sound and 64 tokens."""
    return _build(_config(512, 6, 8, 2048), batch=1, generated=64)
