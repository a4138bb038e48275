"""A zoo of models with random weights, a file a family, each with a small and a full-size configuration.

`python -m examples.zoo` compiles, runs and compares them; `ttstack compile examples.zoo.bert:small` takes one.
"""

FAMILIES = {
    "encoders": ("bert", "distilbert", "roberta", "albert", "deberta"),
    "decoders": ("gpt2", "llama", "llama_decode", "mistral", "qwen3", "gemma", "phi", "falcon", "mixtral", "mamba"),
    "sequence to sequence": ("t5", "whisper"),
    "vision": (
        "vit",
        "deit",
        "swin",
        "convnext",
        "resnet",
        "mobilenet_v2",
        "efficientnet",
        "segformer",
        "unet",
        "clip",
    ),
    "recurrent": ("lstm",),
    "recommenders": ("dlrm", "dcn_v2", "two_tower"),
}
"""The files of this folder that hold models, by kind."""
