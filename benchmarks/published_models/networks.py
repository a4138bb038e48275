"""The networks of published measurements, of PyTorch's meta device, by their public architectures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn
from transformers import (
    BertConfig,
    DistilBertConfig,
    FalconConfig,
    FalconForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MixtralConfig,
    MobileNetV2Config,
    Qwen2Config,
    Qwen2ForCausalLM,
    SegformerConfig,
    ViTConfig,
)

from benchmarks.published_models.folded_resnet import folded_resnet
from benchmarks.published_models.vgg import vgg16
from examples.zoo import bert, distilbert, dlrm, falcon, mistral, mixtral, mobilenet_v2, segformer, unet, vit
from examples.zoo import mamba as mamba_family
from examples.zoo import whisper as whisper_family
from examples.zoo.factory import Example, described, tokens
from examples.zoo.llama import LLAMA_3_1_8B
from examples.zoo.llama_decode import DecodeStep


@dataclass(frozen=True)
class Network:
    """How a network is made with some of its layers, how many it has, and what it is compiled with."""

    make: Callable[[int], Example]
    layers: int = 0
    """Equal ones; 0 where the whole is made in any case."""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    differs: str = ""
    """What the program that was measured does otherwise, where that is known."""


class Greedy(nn.Module):
    """A step of decoding with the choice of the next token."""

    def __init__(self, step: DecodeStep) -> None:
        super().__init__()
        self.step = step

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        """(batch, 1) tokens to (batch,) tokens."""
        return self.step(input_ids)[:, -1].argmax(-1)


class ChannelsLast(nn.Module):
    """A network of images that come with channels last, as hosts of the library's demos lay them out."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, images: torch.Tensor) -> object:
        """(batch, height, width, 3) to what the network gives."""
        return self.model(images.permute(0, 3, 1, 2))


def _of_images(example: Example) -> Example:
    model, (images,), kwargs = example
    return ChannelsLast(model), (torch.empty(images.permute(0, 2, 3, 1).shape, device=images.device),), kwargs


def whole(build: Callable[[], Example], precision: str, differs: str = "") -> Network:
    """A network that is made with all its layers."""
    return Network(lambda _: described(build)(), options={"precision": precision}, differs=differs)


def layered(build: Callable[[int], Example], layers: int, precision: str, differs: str = "") -> Network:
    """A network of equal layers."""
    return Network(lambda n: described(lambda: build(n))(), layers, {"precision": precision}, differs)


def bf16(example: Example) -> Example:
    """The same with parameters in bfloat16."""
    model, args, kwargs = example
    return model.to(torch.bfloat16), args, kwargs


def _with_values(network: Network) -> Network:
    """The network in memory, buffers alone filled: positions that a model makes of lists have values then."""

    def made(layers: int) -> Example:
        model, args, kwargs = network.make(layers)
        given = [torch.zeros(t.shape, dtype=t.dtype) for t in args]
        named = {
            k: torch.zeros(v.shape, dtype=v.dtype) if isinstance(v, torch.Tensor) else v for k, v in kwargs.items()
        }
        model.to_empty(device="cpu")
        for buffer in model.buffers():
            buffer.uniform_(0.1, 1) if buffer.is_floating_point() else buffer.zero_()
        for step in (module for module in model.modules() if isinstance(module, DecodeStep)):
            for layer in step.cache.layers:
                layer.device = torch.device("cpu")
        return model, tuple(given), named

    return replace(network, make=made)


def decode(
    family: type[Any], config: Mapping[str, Any], batch: int, context: int, precision: str, differs: str = ""
) -> Network:
    """A step of decoding of `batch` users with `context` tokens each."""
    sizes = {name: value for name, value in config.items() if name != "num_hidden_layers"}

    def build(layers: int) -> Example:
        made = LlamaForCausalLM if family is LlamaConfig else Qwen2ForCausalLM
        model = made(family(**sizes, num_hidden_layers=layers)).to(torch.bfloat16)
        return Greedy(DecodeStep(model, batch, context)), (), {"input_ids": tokens(config["vocab_size"], batch, 1)}

    return layered(build, config["num_hidden_layers"], precision, differs)


def _falcon_decode(layers: int) -> Example:
    config = FalconConfig(num_hidden_layers=layers)
    config.num_key_value_heads = 1  # what multi_query means, by the name that caches ask for
    model = FalconForCausalLM(config).to(torch.bfloat16)
    return Greedy(DecodeStep(model, 32, 128)), (), {"input_ids": tokens(config.vocab_size, 32, 1)}


def prefill(
    build: Callable[[Any, int, int], Example], config: Callable[[int], Any], layers: int, n: int, differs: str = ""
) -> Network:
    """A prompt of `n` tokens."""
    return layered(lambda count: bf16(build(config(count), 1, n)), layers, "performance", differs)


_SIZES = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
LLAMA_1B = LLAMA_3_1_8B | {
    **dict(zip(_SIZES, (128256, 2048, 8192, 16, 32), strict=True)),
    "head_dim": 64,
    "tie_word_embeddings": True,
}
"""https://huggingface.co/meta-llama/Llama-3.2-1B/blob/main/config.json"""
LLAMA_3B = LLAMA_3_1_8B | dict(zip(_SIZES, (128256, 3072, 8192, 28, 24), strict=True)) | {"head_dim": 128}
"""https://huggingface.co/meta-llama/Llama-3.2-3B/blob/main/config.json"""
_FALCON3_1B = {
    **dict(zip(_SIZES, (131072, 2048, 8192, 18, 8), strict=True)),
    "num_key_value_heads": 4,
    "head_dim": 256,
    "rope_theta": 1000042.0,
}
"""https://huggingface.co/tiiuae/Falcon3-1B-Base/blob/main/config.json"""
_QWEN_05B = {
    **dict(zip(_SIZES, (151936, 896, 4864, 24, 14), strict=True)),
    "num_key_value_heads": 2,
    "rope_theta": 1000000.0,
    "tie_word_embeddings": True,
}
"""https://huggingface.co/Qwen/Qwen2.5-0.5B/blob/main/config.json"""


_LOFI = {"ops": [{"location": "*", "name": name, "fidelity": "LoFi"} for name in ("conv2d", "linear")]}
"""models/demos/vgg of tt-metal: LoFi, weights and activations in bf16."""


_LLAMA_DIFFERS = (
    "the measured products of gates take what weights in bfp8_b do, 1.27 ms more than in bfp4_b, and its step has "
    "0.67 ms of selections, changes of type and untilizing that this program has not"
)
_BERT_DIFFERS = "the measured program attends by two products and a softmax with the mask, its scores in shards"
_DISTILBERT_DIFFERS = "a demo in bf16 whose masks are slices, transposes and changes of layout of all scores"
_FALCON_DIFFERS = "the measured prefill attends by two products and a softmax in shards of 57 cores, and fills caches"
_FALCON_STEP_DIFFERS = (
    "the measured step attends by two products and a softmax in shards, for which 55.7 ms are predicted"
)
_STEP_DIFFERS = (
    "the measured step takes queries and keys out of their shards after rotary embeddings, cuts off what fills up "
    "heads, and brings keys back"
)
_SEGFORMER_DIFFERS = (
    "the measured program reads depthwise filters in bf16 again for each row of tiles, keeps scores in memory, and "
    "brings images into shards and back"
)
"""What public profiles and model code of these programs show."""


def _bert_large(layers: int) -> Example:
    sizes = {"hidden_size": 1024, "num_attention_heads": 16, "intermediate_size": 4096}
    return bert._build(BertConfig(num_hidden_layers=layers, **sizes), 8, 384)


def _mixtral(layers: int) -> Example:
    return bf16(mixtral._build(MixtralConfig(num_hidden_layers=layers), 1, 128))


def _mamba(layers: int) -> Example:
    from transformers import MambaConfig

    return bf16(mamba_family._build(MambaConfig(hidden_size=2560, num_hidden_layers=layers), 1, 16))


NETWORKS: Mapping[str, Network] = {
    "BERT-large": layered(_bert_large, 24, "throughput", _BERT_DIFFERS),
    "DistilBERT": layered(
        lambda n: distilbert._build(DistilBertConfig(n_layers=n), 8, 384), 6, "throughput", _DISTILBERT_DIFFERS
    ),
    "ViT-base 224": layered(
        lambda n: _of_images(vit._build(ViTConfig(num_labels=1000, num_hidden_layers=n), 8)), 12, "throughput"
    ),
    "ResNet-50 224": whole(lambda: folded_resnet(16), "throughput"),
    "SegFormer-B0 512": whole(
        lambda: _of_images(segformer._build(SegformerConfig(num_labels=150), 1, 512)), "throughput", _SEGFORMER_DIFFERS
    ),
    "VGG-16 224": Network(
        lambda _: described(lambda: _of_images(vgg16(1)))(),
        options={"dtype": "bf16", "overrides": _LOFI},
    ),
    "Falcon-7B prefill": _with_values(
        prefill(falcon._build, lambda n: FalconConfig(num_hidden_layers=n), 32, 128, _FALCON_DIFFERS)
    ),
    "Falcon-7B decode": _with_values(layered(_falcon_decode, 32, "balanced", _FALCON_STEP_DIFFERS)),
    "Llama-3.2-1B decode": decode(LlamaConfig, LLAMA_1B, 32, 128, "performance", _LLAMA_DIFFERS),
    "Llama-3.2-3B decode": decode(LlamaConfig, LLAMA_3B, 32, 128, "performance"),
    "Llama-3.1-8B decode": decode(LlamaConfig, LLAMA_3_1_8B, 32, 128, "performance"),
    "Falcon3-1B decode": decode(LlamaConfig, _FALCON3_1B, 32, 128, "balanced", _STEP_DIFFERS),
    "Qwen2.5-0.5B decode": decode(Qwen2Config, _QWEN_05B, 32, 128, "balanced", _STEP_DIFFERS),
    "MobileNetV2 224": whole(
        lambda: _of_images(mobilenet_v2._build(MobileNetV2Config(num_labels=1001), 1)), "throughput"
    ),
    "UNet 256": Network(lambda _: _of_images(unet.full()), options={"precision": "throughput"}),
    "DLRM": Network(lambda _: dlrm.full(), options={"precision": "balanced"}),
    "Whisper-base": Network(lambda _: whisper_family.full(), options={"precision": "balanced"}),
    "Mistral-7B prefill": whole(lambda: bf16(mistral._build(MistralConfig(), 1, 1024)), "performance"),
    "Mixtral-8x7B prefill": layered(_mixtral, 32, "performance"),
    "Mamba-2.8B": layered(_mamba, 64, "balanced"),
}
"""By the names of the table; those that nobody measured come last."""
