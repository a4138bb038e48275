"""How expressions are laid out."""

from ttstack.ttnn_python.expression import Item, Name, call, spell


def test_a_call_that_fits_stays_on_its_line():
    assert (
        spell(Item(call("split", Name("x"), [1, 2], dim=None, name='a"b'), 0))
        == 'ttnn.split(x, [1, 2], name="a\\"b")[0]'
    )


def test_a_long_call_has_an_argument_a_line():
    names = [Name(f"operand_{i}" * 4) for i in range(3)]
    inner = call("inner", *names[:2])
    assert spell(call("outer", inner, names[2], dim=1), 4, 4) == (
        f"ttnn.outer(\n        {spell(inner)},\n        {names[2].text},\n        dim=1,\n    )"
    )
