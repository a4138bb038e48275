"""ONNX functions from text."""

from onnx import FunctionProto, parser


def function(signature: str, *nodes: str) -> FunctionProto:
    """Return the function with a signature `Name (inputs) => (outputs)` and nodes in ONNX's text form."""
    header = '<opset_import: ["" : 17], domain: "ttstack">'
    return parser.parse_function(f"{header} {signature} {{ {' '.join(nodes)} }}")
