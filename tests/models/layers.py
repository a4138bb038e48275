"""Models of equal layers."""

import ttstack
from ttstack.report.report import Report


def stack(layers: int) -> Report:
    """A stack of equal layers of an MLP, each named as a module, between two others."""
    t = "tensor<128x256xbf16>"
    w = "tensor<256x256xbf16>"
    names = ["first", *(f"blocks.{i}" for i in range(layers)), "head"]
    weights = ", ".join(f'%w{i}: {w} {{ttir.kind = "parameter"}}' for i in range(len(names)))
    body: list[str] = []
    value = "%x"
    for i, name in enumerate(names):
        product, activation = f"%p{i}", f"%a{i}"
        body += [
            f'{product} = "ttir.matmul"({value}, %w{i}) : ({t}, {w}) -> {t} loc("{name}.fc"("m.py":7:1))',
            f'{activation} = "ttir.cumsum"({product}) {{dim = 0 : i64}} : ({t}) -> {t} loc("{name}.act"("m.py":8:1))',
        ]
        value = activation
    text = f"func.func @forward(%x: {t}, {weights}) -> {t} {{\n" + "\n".join(body) + f"\nreturn {value} : {t}\n}}"
    return ttstack.compile(text).cost()
