"""Laws of the conversion: every number and word of a formula is still there, once, in the order in which it is read."""

import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.render.mathtext import unicode_math
from inspector.render.mathtext.symbols import SUBSCRIPTS, SUPERSCRIPTS
from thoroughness import up_to

Formula = tuple[str, list[str]]
"""LaTeX, and its numbers in the order in which a reader says them: above before below, subscript before superscript."""

_NORMAL = {small: char for table in (SUPERSCRIPTS, SUBSCRIPTS) for char, small in table.items()}
_RUN = re.compile(
    f"[{''.join(re.escape(small) for small in SUPERSCRIPTS.values())}]+|[{''.join(SUBSCRIPTS.values())}]+"
)
_ROOTS = {"∛": " 3 ", "∜": " 4 "}
leaves = st.integers(10, 999).map(lambda number: (str(number), [str(number)]))


def read(text: str) -> list[str]:
    """The numbers of a converted text in order, small ones and those beneath a line as well."""
    text = "".join(_ROOTS.get(char, char) for char in text if not unicodedata.combining(char))
    text = _RUN.sub(lambda run: f" {''.join(_NORMAL[char] for char in run[0])} ", text)
    return re.findall(r"\d+", text)


def shape(latex: str, *order: int) -> Callable[[list[Formula]], Formula]:
    """What builds a formula: `{0}` and `{1}` in the LaTeX are its parts, `order` that in which they are read."""

    def built(parts: list[Formula]) -> Formula:
        written = re.sub(r"@(\d)", lambda place: parts[int(place[1])][0], latex)
        return written, [number for part in order for number in parts[part][1]]

    return built


ONE = [
    shape(latex, 0)
    for latex in (
        r"\sqrt{@0}",
        r"\left(@0\right)",
        r"|@0|",
        r"-@0",
        r"\mathbf{@0}",
        r"\text{is @0}",
        r"\boxed{@0}",
        r"\pmod{@0}",
        r"\lfloor @0\rfloor",
        r"\sin @0",
        r"\overline{@0}",
        r"\foo{@0}",
        r"{@0}",
    )
]
TWO = [
    shape(latex, *order)
    for latex, order in (
        (r"\frac{@0}{@1}", (0, 1)),
        (r"{@0 \over @1}", (0, 1)),
        (r"\binom{@0}{@1}", (0, 1)),
        (r"@0+@1", (0, 1)),
        (r"@0\cdot @1", (0, 1)),
        (r"@0/@1", (0, 1)),
        (r"x^{@0}_{@1}", (1, 0)),
        (r"x_{@0}^{@1}", (0, 1)),
        (r"\sum_{@0}^{@1}k", (0, 1)),
        (r"\int_{@0}^{@1}x", (0, 1)),
        (r"{@0}^{@1}", (0, 1)),
        (r"\stackrel{@0}{@1}", (1, 0)),
        (r"\begin{pmatrix}@0&@1\end{pmatrix}", (0, 1)),
        (r"\begin{cases}@0&@1\\\end{cases}", (0, 1)),
        (r"\begin{aligned}@0&=@1\end{aligned}", (0, 1)),
        (r"\left\{\begin{array}{l}@0\\@1\end{array}\right.", (0, 1)),
    )
]
formulas = st.recursive(
    leaves,
    lambda sub: st.one_of(
        st.tuples(st.sampled_from(ONE), sub).map(lambda built: built[0]([built[1]])),
        st.tuples(st.sampled_from(TWO), sub, sub).map(lambda built: built[0]([*built[1:]])),
    ),
    max_leaves=10,
)


@up_to(400)
@given(formulas, st.sampled_from(["${}$", r"\({}\)", r"\[{}\]", "so {} is", "${}$ and 5 more"]))
def test_every_number_is_there_once_and_in_order(formula: Formula, frame: str) -> None:
    latex, numbers = formula
    converted = unicode_math(frame.replace("{}", latex))
    wanted = [*numbers, *(["5"] if "5" in frame else [])]
    # What stands in a command that is not known stays as it was written, an upper index before a lower one, too.
    kept = sorted if "foo" in latex else list
    assert kept(read(converted)) == kept(wanted), converted


@up_to(200)
@given(formulas)
def test_no_brace_is_left_where_everything_is_known(formula: Formula) -> None:
    latex = formula[0]
    converted = unicode_math(f"${latex}$")
    # Words know no \over: there it stays as it was written.
    if "foo" not in latex and not (r"\text" in latex and r"\over " in latex):
        assert "\\" not in converted
        assert "$" not in converted
    assert converted.count("(") == converted.count(")")


@given(st.lists(st.text("abcxyz0123456789 .,;:!?()[]=+-*/<>'\"|#@~`\u4e2d\u6587é²\n", max_size=30)))
def test_prose_between_formulas_is_kept(pieces: list[str]) -> None:
    text = r" \(q\) ".join(pieces)
    squeezed = re.sub(r"\s+", "", text.replace(r"\(q\)", "q"))
    assert re.sub(r"[\s]+", "", unicode_math(text)) == squeezed


@pytest.mark.parametrize("name", ["frac", "forall", "boxed", "beta", "vec", "times", "theta", "text", "alpha"])
def test_a_command_whose_backslash_was_lost_to_a_control_is_found_again(name: str) -> None:
    control = {"f": "\f", "b": "\b", "v": "\v", "t": "\t", "a": "\a"}[name[0]]
    rest = "{7}{8}" if name in {"frac", "boxed", "vec", "text"} else " 7"
    assert unicode_math(f"$4{control}{name[1:]}{rest}$") == unicode_math(f"$4\\{name}{rest}$")
