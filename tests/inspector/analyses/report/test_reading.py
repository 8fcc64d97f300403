"""How texts of a case stand in a report."""

from inspector.render.readable import readable


def test_formulas_are_unicode_and_drawings_are_named():
    assert readable(r"$\angle A$ is") == "∠A is"
    assert readable("See [asy]\ndraw(a);\nlabel(b);\n[/asy] there") == "See [a drawing: 2 lines of Asymptote] there"
    assert readable("[asy]x[/asy]") == "[a drawing: 1 line of Asymptote]"
    assert readable("[asy] is not closed") == "[asy] is not closed"
