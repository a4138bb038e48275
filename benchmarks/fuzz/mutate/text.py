"""Changes of MLIR text: its tokens, lines, numbers, types and nesting."""

import random
import re
from collections.abc import Callable

from benchmarks.fuzz.case import Files, Mutator, Promise, first, on_first, with_first
from benchmarks.fuzz.mutate import plain
from benchmarks.fuzz.mutate.numbers import WHOLE

_TOKEN = re.compile(r'"[^"\n]*"|[%@!#]?[\w.$-]+|->|\S|\s+')
_NUMBER = re.compile(r"(?<![\w%#.])-?\d+(?![\w.])|(?<=[<x])\d+(?=x)")
_ELEMENT = re.compile(r"(?<=[<x])(?:f|bf|ui|si|i)\d+(?=>)")
_TYPE = re.compile(r"tensor<[^<>]*>")
_NAME = re.compile(r"%[\w]+")
_ELEMENTS = (
    "f16",
    "bf16",
    "f32",
    "f64",
    "i1",
    "i4",
    "i8",
    "i32",
    "i64",
    "ui8",
    "ui64",
    "si32",
    "i7",
    "i128",
    "index",
    "none",
)
_TYPES = (
    "tensor<*xf32>",
    "tensor<?xf32>",
    "tensor<0xf32>",
    "f32",
    "tuple<>",
    "tensor<4xcomplex<f32>>",
    "!ttcore.x",
    "()",
)


def _tokens(rng: random.Random, text: str) -> str:
    tokens = _TOKEN.findall(text)
    a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    match rng.randrange(4):
        case 0:
            tokens[a], tokens[b] = tokens[b], tokens[a]
        case 1:
            tokens[a] = tokens[b]
        case 2:
            tokens[a] += " " + tokens[b]
        case _:
            del tokens[a]
    return "".join(tokens)


def _lines(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            lines.insert(b, lines[a])
        case 1:
            del lines[a]
        case _:
            lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def _replaced(rng: random.Random, text: str, pattern: re.Pattern[str], value: str) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text + value
    at = rng.choice(found)
    if rng.randrange(3) == 0:  # in all places: more of what stays consistent
        return text.replace(at[0], value)
    return text[: at.start()] + value + text[at.end() :]


def _numbers(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, _NUMBER, str(rng.choice((*WHOLE, 2**70, "0x7fffffff", "1.5", "1e400"))))


def _elements(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, _ELEMENT, rng.choice(_ELEMENTS))


def _types(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, _TYPE, rng.choice((*_TYPES, *_TYPE.findall(text))))


def _values(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, _NAME, rng.choice(_NAME.findall(text) or ["%x"]))


def _nesting(rng: random.Random, text: str) -> str:
    depth = rng.choice((3, 50, 300, 20_000))
    before, after = rng.choice(
        (("(", ")"), ("tuple<", ">"), ("[", "]"), ("{", "}"), ("module {", "}"), ('loc(fused["a", ', "])"))
    )
    at = rng.choice([m.start() for m in _TOKEN.finditer(text)])
    return text[:at] + before * depth + rng.choice(("", "f32", "%0")) + after * depth + text[at:]


def _strings(rng: random.Random, text: str) -> str:
    odd = rng.choice(('"\\FF"', '"\\00"', '"', '""', '@"\\80"', '"' + "a" * 70_000 + '"', "\0", "\u202e"))
    return _replaced(rng, text, re.compile(r'"[^"\n]*"|@\w+'), odd)


def _locations(rng: random.Random, text: str) -> str:
    spelled = (
        'loc("\\FF":1:1)',
        "loc(unknown)",
        'loc("../../etc/passwd":1:1)',
        'loc("a"("b":1:99999999999))',
        "loc(#loc9)",
    )
    return re.sub(r"\n", lambda m: f" {rng.choice(spelled)}\n" if rng.randrange(6) == 0 else m[0], text)


def _resources(rng: random.Random, text: str) -> str:
    body = rng.choice(('w: "0x04000000"', 'w: "0xzz"', 'w: "0x"', 'w: "0x' + "00" * 9000 + '"', '"é": 3', 'w: "0x04'))
    return f"{text}\n{{-# dialect_resources: {{ builtin: {{ {body} }} }} #-}}\n".replace(
        "dense<", "dense_resource<w", 1
    )


def _in_text(change: Callable[[random.Random, str], str]) -> Callable[[random.Random, Files], Files]:
    return on_first(lambda rng, data: change(rng, data.decode()).encode(errors="surrogatepass"))


def _comments(rng: random.Random, files: Files) -> Files:
    text = files[first(files)].decode()
    return with_first(files, "".join(f"{line} // {rng.randrange(9)}\n" for line in text.split("\n")).encode())


_CHANGES = (_tokens, _lines, _numbers, _elements, _types, _values, _nesting, _strings, _locations, _resources)

MUTATORS = [
    *plain.mutators(),
    *(Mutator(f"text{change.__name__}", _in_text(change)) for change in _CHANGES),
    *(Mutator(f"text{change.__name__}", _in_text(change)) for change in (_numbers, _elements, _types)),
    Mutator("text_comments", _comments, Promise.EQUAL),
]
