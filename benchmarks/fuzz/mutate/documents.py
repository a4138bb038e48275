"""Changes of YAML and JSON: values of other kinds, deep or endless structures, tags that ask for code."""

import copy
import json
import random
import re
from collections.abc import Callable
from typing import Any

import yaml

from benchmarks.fuzz.case import CANARY, Files, Mutator, Promise, first, on_first, with_first
from benchmarks.fuzz.mutate import plain
from benchmarks.fuzz.mutate.numbers import REAL, TEXT, WHOLE

Change = Callable[[random.Random, Any], Any]
_ODD: tuple[Any, ...] = (
    None,
    True,
    [],
    {},
    [[]],
    {"": None},
    "1e999",
    "0x10",
    "12 parsecs",
    [1, "a", None],
    *WHOLE,
    *REAL,
    *TEXT,
)
_LINES = (
    "a: &a [*a]",
    "<<: 3",
    "<<: {x: 1}",
    "? [1, 2]\n: x",
    "x: !!int ''",
    "x: 2021-13-45",
    "x: !!binary 'é'",
    "x: !!set {a}",
    "x: !!timestamp spam",
    "x: .nan",
    "x: " + "9" * 5000,
    "x: " + "[" * 400 + "]" * 400,
    "- x",
    "---\nx: 1",
    "...",
    "%TAG ! x",
    "1: 2",
    "base: ../../secret",
    "base: /etc/hostname",
    "base: /dev/zero",
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where values stand in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


def _place(rng: random.Random, value: Any) -> tuple[Any, Any]:
    """A place in a document: what holds it, and under which key; deep places are as likely as others."""
    holder, key, inner = None, None, value
    while isinstance(inner, dict | list) and inner and (holder is None or rng.randrange(8)):
        holder, key = inner, rng.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        inner = holder[key]
    return holder, key


def change_value(rng: random.Random, value: Any) -> Any:
    """The document with one value changed, dropped, repeated or renamed; it is changed in place."""
    holder, key = _place(rng, value)
    if holder is None:
        return rng.choice(_ODD)
    held = holder[key]
    match rng.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[rng.choice((*TEXT, 3, "x"))] = holder.pop(key)
        case 1 | 2 if isinstance(holder, list):
            holder.append(held)
        case 3:
            holder[key] = [held]
        case 4:
            holder[key] = deep(held, rng.choice((3, 60, 300)))
        case _:
            holder[key] = copy.deepcopy(rng.choice(_ODD))
    return value


def deep(value: Any, depth: int) -> Any:
    """The value inside so many lists."""
    for _ in range(depth):
        value = [value]
    return value


def dumped(value: Any, text: str) -> bytes:
    """A document as YAML, or as JSON where it was that."""
    if text.lstrip().startswith("{"):
        return json.dumps(value).encode(errors="replace")
    try:
        return yaml.safe_dump(value, sort_keys=False, allow_unicode=True).encode(errors="surrogatepass")
    except (yaml.YAMLError, RecursionError):
        return repr(value).encode(errors="surrogatepass")


def _values(rng: random.Random, data: bytes) -> bytes:
    text = data.decode()
    value = yaml.load(text, yaml.CSafeLoader)
    for _ in range(rng.choice((1, 1, 2))):
        value = change_value(rng, value)
    return dumped(value, text)


def _lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.decode().split("\n")
    a = rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            lines.insert(rng.randrange(len(lines)), lines[a])
        case 1:
            del lines[a]
        case _:
            indent = re.match(r"\s*", lines[a])
            lines.insert(a, (indent[0] if indent else "") + rng.choice(_LINES))
    return "\n".join(lines).encode()


def _scalars(rng: random.Random, data: bytes) -> bytes:
    """Values replaced in the text: spellings, anchors and aliases that no dump writes."""
    text = data.decode()
    found = list(re.finditer(r"(?<=: )[^\n{}\[\],]+|(?<=- )[\w.]+", text))
    if not found:
        return data + b"\n&a *a"
    at = rng.choice(found)
    spelled = (
        "&a",
        "*a",
        "!!str",
        "!!float x",
        "|",
        ">-",
        '"\\ud800"',
        "'",
        "[",
        "{a: }",
        "0o17",
        "1_000",
        "1:30",
        "+.inf",
        "~",
        "@",
        "`",
    )
    return (text[: at.start()] + rng.choice((*spelled, *map(str, WHOLE))) + text[at.end() :]).encode()


def _bombs(rng: random.Random, data: bytes) -> bytes:
    text = data.decode().rstrip("\n")
    match rng.randrange(5):
        case 0:
            aliases = ["a0: &a0 [1, 2, 3]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
            return "\n".join((text, *aliases)).encode()
        case 1:
            return b"[" * rng.choice((900, 100_000))
        case 2:
            return b'{"ops":' * rng.choice((900, 100_000))
        case 3:
            return (text + "\n" + "".join(f"{' ' * i}k{i}:\n" for i in range(1500))).encode()
        case _:
            merges = ["m0: &m0 {a: 1}"] + [
                f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 9)}], b{i}: 1}}" for i in range(1, 9)
            ]
            return "\n".join((text, *merges)).encode()


def _code(rng: random.Random, files: Files) -> Files:
    """Tags by which careless readers of YAML run something."""
    tag = rng.choice(
        (
            f"!!python/object/apply:os.mkdir ['../{CANARY}']",
            f"!!python/object/new:os.mkdir ['../{CANARY}']",
            f"!!python/object/apply:builtins.eval [\"__import__('os').mkdir('../{CANARY}')\"]",
            f"!!python/object/apply:subprocess.check_output [['mkdir', '../{CANARY}']]",
            "!!python/module:antigravity",
            "!!python/name:os.system",
        )
    )
    text = files[first(files)].decode().rstrip("\n")
    found = [m.start() for m in re.finditer(r"(?<=: )(?=\w)", text)]
    at = rng.choice(found or [len(text)])
    if text[text.rfind("\n", 0, at) + 1 :].lstrip().startswith("#"):  # nobody reads it there
        at, tag = len(text), f"\n{tag}"
    line = text.find("\n", at)
    return with_first(files, (text[:at] + tag + text[line if line > 0 else len(text) :]).encode())


def _stays(rng: random.Random, files: Files) -> Files:
    text = files[first(files)].decode()
    if text.lstrip().startswith("{"):
        return with_first(files, json.dumps(json.loads(text), indent=rng.randrange(4)).encode())
    return with_first(files, (text.rstrip("\n") + "\n" + "# said\n" * rng.randrange(1, 5)).encode())


MUTATORS = [
    *plain.mutators(),
    *(Mutator(f"yaml{c.__name__}", on_first(c)) for c in (_values, _values, _values, _lines, _scalars, _bombs)),
    Mutator("yaml_code", _code, Promise.REFUSED),
    Mutator("yaml_stays", _stays, Promise.EQUAL),
]
