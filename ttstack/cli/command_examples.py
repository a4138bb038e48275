"""Examples at the end of each command's help."""

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "ttstack": (
        "ttstack examples encoder_layer                 # write a model to try",
        "ttstack compile encoder_layer.mlir --dtype bf16",
        "ttstack perf encoder_layer.ttb                 # predicted time of it",
    ),
    "ttstack compile": (
        "ttstack compile model.onnx --dtype bf16 --input x=1x3x224x224",
        "ttstack compile package.module:factory --precision performance -o m.ttb",
        "ttstack compile model.mlir --system-desc n300 --placement optimal",
        "ttstack compile model.mlir --target cpu -o model.so",
    ),
    "ttstack inspect": (
        "ttstack inspect model.ttb",
        "ttstack inspect model.ttb --section ops",
        "ttstack inspect model.ttb --overrides placement.yaml",
    ),
    "ttstack explain": (
        "ttstack explain model.ttb 12",
        "ttstack explain model.ttb '*encoder.layer.0*' --resolve",
    ),
    "ttstack run": (
        "ttstack run model.ttb --inputs inputs.npz --output outputs.npz",
        "ttstack run model.ttb --numerics device --perf",
        "ttstack run step.ttb --steps 100 --state state.safetensors",
        "ttstack run ir/060-fuse.mlir --weights ir/weights.safetensors",
    ),
    "ttstack perf": (
        "ttstack perf model.ttb --top 20",
        "ttstack perf model.ttb --group-by module --depth 3",
        "ttstack perf model.ttb --what-if clock=1.2GHz --recompile model.onnx",
        "ttstack perf model.ttb --html report.html",
    ),
    "ttstack advise": (
        "ttstack advise model.ttb model.onnx",
        "ttstack advise model.ttb model.onnx --ops 5 --save-overrides best.yaml",
    ),
    "ttstack compare": (
        "ttstack compare before.ttb after.ttb --top 10",
        "ttstack compare model.ttb p150 --recompile model.onnx",
        "ttstack compare model.ttb --ttnn 0.75,0.81",
    ),
    "ttstack explore": (
        "ttstack explore model.onnx --dtype bf16",
        "ttstack explore model.ttb",
        "ttstack explore model.onnx --graphs graphs",
    ),
    "ttstack emit": (
        "ttstack emit model.ttb -o model.py",
        "ttstack emit model.ttb -o model.py --trace --two-queues",
    ),
    "ttstack check": (
        "ttstack check --setup .venv-ttnn",
        "ttstack check model.ttb --python .venv-ttnn/bin/python --differences",
    ),
    "ttstack opt": (
        "ttstack opt --list",
        "ttstack opt model.mlir -p fuse,cse",
        "ttstack opt errors.mlir --split-input-file --verify-diagnostics",
        "ttstack --load my_passes.py opt model.mlir -p 'my-pass{key=value}'",
    ),
    "ttstack filecheck": (
        "ttstack filecheck my_tests",
        "ttstack --load my_passes.py filecheck my_pass.mlir",
    ),
    "ttstack bisect": (
        "ttstack bisect model.onnx --patterns my_patterns.py",
        "ttstack bisect model.onnx --against outputs.npz --inputs inputs.npz",
        "ttstack bisect model.onnx --against before.ttb",
    ),
    "ttstack reduce": ("ttstack reduce model.mlir --keeps 'ttstack opt {} -p fuse' -o small.mlir",),
    "ttstack ops": ("ttstack ops", "ttstack ops layer_norm"),
    "ttstack passes": ("ttstack passes", "ttstack passes fuse-norms"),
    "ttstack env": ("ttstack env", "ttstack env --json"),
    "ttstack examples": (
        "ttstack examples",
        "ttstack examples encoder_layer -o encoder.mlir",
    ),
    "ttstack system-desc": (
        "ttstack system-desc list",
        "ttstack system-desc show n150 --no-sources",
        "ttstack system-desc check my_device.yaml",
    ),
}
"""Example command lines by command; `#` starts a comment."""
