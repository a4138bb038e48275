"""What the rewrites make of whole networks: ops and predicted times without any of them, and with all.

    python -m benchmarks.published_models.rewrites [NAME ...] [--json FILE]

The networks of published measurements, Llama in three sizes, prompts and batches, and Stable Diffusion's UNet.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from transformers import LlamaConfig

from benchmarks.published_models.networks import (
    LLAMA_1B,
    LLAMA_3B,
    NETWORKS,
    Network,
    bf16,
    decode,
    layered,
    whole,
)
from benchmarks.published_models.predict import Figures, predict
from benchmarks.published_models.stable_diffusion import unet
from examples.zoo.factory import Example
from examples.zoo.llama import LLAMA_3_1_8B, of_last_token
from ttstack.support.files import write_whole

_LLAMAS = {"Llama-3.2-1B": LLAMA_1B, "Llama-3.2-3B": LLAMA_3B, "Llama-3.1-8B": LLAMA_3_1_8B}
_PROMPTS = 128, 1024, 4096
_BATCHES, _CONTEXTS = (1, 8, 32), (128, 4096)


def _llamas() -> Iterator[tuple[str, Network]]:
    for name, config in _LLAMAS.items():
        for tokens in _PROMPTS:
            yield f"{name}, prompt of {tokens}", _prompt(config, tokens)
        for batch in _BATCHES:
            for context in _CONTEXTS:
                yield f"{name}, step of {batch} x {context}", decode(LlamaConfig, config, batch, context, "performance")


def _prompt(config: Mapping[str, object], tokens: int) -> Network:
    def build(layers: int) -> Example:
        return bf16(of_last_token(LlamaConfig(**config | {"num_hidden_layers": layers}), tokens))

    return layered(build, int(str(config["num_hidden_layers"])), "performance")


ALL: Mapping[str, Network] = (
    {name: network for name, network in NETWORKS.items() if "Llama-3.2-" not in name and "Llama-3.1" not in name}
    | dict(_llamas())
    | {"Stable Diffusion 1.5, UNet": whole(lambda: unet(1), "throughput")}
)


def main() -> None:
    """Print a line for each network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(ALL)}")
    parser.add_argument("--json", type=Path, help="where figures are kept; those of networks that are there stay")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in ALL]:
        parser.error(f"no {', '.join(unknown)}; there are {', '.join(ALL)}")
    kept = json.loads(asked.json.read_text()) if asked.json and asked.json.exists() else {}
    for name in asked.names or [name for name in ALL if name not in kept]:
        kept[name] = _record(ALL[name])
        print(_line(name, kept[name]), flush=True)
        if asked.json:
            write_whole(asked.json, json.dumps({n: kept[n] for n in ALL if n in kept}, indent=1) + "\n")


def _record(network: Network) -> dict[str, dict[str, float] | str]:
    """Figures of both ways; why there are none of one, where it cannot be compiled."""
    plain = replace(network, options=network.options | {"without": "all"})
    return {"without": _figures(plain), "with": _figures(network)}


def _figures(network: Network) -> dict[str, float] | str:
    try:
        return asdict(predict(network, whole=False, system="wormhole")[0])
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"


def _line(name: str, record: Mapping[str, dict[str, float] | str]) -> str:
    parts = (f"{way} {_spelled(figures)}" for way, figures in record.items())
    return f"{name}: {'; '.join(parts)}"


def _spelled(found: dict[str, float] | str) -> str:
    if isinstance(found, str):
        return found
    figures = Figures(**found)  # pyright: ignore[reportArgumentType]  ops are whole in JSON too
    moving = figures.moving_ns / figures.total_ns
    return f"{figures.ops} ops, {figures.total_ns / 1e6:.3f} ms, {moving:.1%} of it moves data"


if __name__ == "__main__":
    main()
