"""Masks that a stranger wrote: what is known of their values is found in as many looks as they have ops."""

import ttstack

LENGTH = 400


def test_a_mask_added_to_itself_again_and_again_is_looked_at_once_an_op():
    t = "tensor<1x1x32x32xf32>"
    mask = "\n".join(f'%m{i + 1} = "ttir.add"(%m{i}, %m{i}) : ({t}, {t}) -> {t}' for i in range(LENGTH))
    text = f"""func.func @f(%q: {t}, %k: {t}, %v: {t}, %m0: {t}) -> {t} {{
      %s = "ttir.matmul"(%q, %k) <{{transpose_b = true}}> : ({t}, {t}) -> {t}
      {mask}
      %a = "ttir.add"(%s, %m{LENGTH}) : ({t}, {t}) -> {t}
      %w = "ttir.softmax"(%a) <{{dimension = 3 : si32}}> : ({t}) -> {t}
      %o = "ttir.matmul"(%w, %v) : ({t}, {t}) -> {t}
      return %o : {t}
    }}"""
    (function,) = ttstack.compile(text, placement="dram").binary.functions
    names = [op.name for op in function.operations]
    assert "scaled_dot_product_attention" in names
    assert names.count("add") == LENGTH + 1, "the mask's own, and the one that makes hidden rows NaN"
