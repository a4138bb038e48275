"""Recognition of a text's dialect."""

from collections import Counter

from ttstack.dialects.text.tokens import Tokens

_KINDS = {
    "ttir": "ttir",
    "ttnn": "ttnn",
    "stablehlo": "stablehlo",
    "vhlo": "stablehlo",
    "chlo": "stablehlo",
    "tosa": "tosa",
    "torch": "torch",
    "torch_c": "torch",
}


def looks_like(text: str) -> str:
    """Return the dialect of most ops: ``"ttir"``, ``"ttnn"``, ``"stablehlo"``, ``"tosa"`` or ``"torch"``.

    A text without such ops is ``"ttir"``. Strings, comments, attributes and types are ignored.
    """
    tokens = Tokens(text)
    kinds = (_KINDS.get(prefix) for prefix in (_op_prefix(tokens, index) for index in range(len(tokens))))
    counts = Counter(kind for kind in kinds if kind)
    return max(counts, key=lambda kind: counts[kind], default="ttir")


def _op_prefix(tokens: Tokens, index: int) -> str:
    """Return the dialect of the op whose name is this token, or an empty string."""
    token, following = tokens[index], tokens[index + 1]
    if tokens.kind(index) == "string":
        return token.strip('"').partition(".")[0] if following == "(" and tokens[index - 1] not in ("(", "[") else ""
    prefix, dot, _ = token.partition(".")
    return prefix if dot and tokens.kind(index) == "word" and following != "=" else ""
