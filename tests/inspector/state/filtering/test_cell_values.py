import math

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.screens.cell_conditions import _reads_the_same
from scoring.workspace.filtering.filters import passing
from thoroughness import up_to

NUMBERS = st.floats(-3, 3) | st.sampled_from(
    (0.0, -0.0, 0.005, -0.005, 0.125, 0.135, 1 / 3, -0.0049, 1e-300, 5e-324, 123456.785, 1e17, -math.inf, math.inf)
)


@up_to(150)
@given(value=NUMBERS, others=st.lists(NUMBERS, max_size=5), decimals=st.sampled_from((0, 2, 3)))
@example(value=0.0, others=[0.004, -0.004, 0.006], decimals=2)
@example(value=-0.001, others=[0.004], decimals=2)
def test_what_reads_the_same_is_kept_and_everything_else_is_hidden(value, others, decimals):
    def reads(number):
        text = f"{number:.{decimals}f}"
        return text if math.isinf(number) or float(text) else f"{0:.{decimals}f}"

    cells = [value, *others, math.nextafter(value, math.inf), None]
    frame = pl.DataFrame({"x.margin": cells}, schema={"x.margin": pl.Float64})
    expected = [cell is not None and reads(cell) == reads(value) for cell in cells]
    assert passing(frame, [_reads_the_same("x.margin", value, decimals, keep=True)]).to_list() == expected
    hidden = passing(frame, [_reads_the_same("x.margin", value, decimals, keep=False)]).to_list()
    assert hidden == [not one for one in expected]


@pytest.mark.parametrize("keep", [True, False])
def test_no_number_is_a_missing_value(keep):
    frame = pl.DataFrame({"x": [0.5, None]})
    assert passing(frame, [_reads_the_same("x", math.nan, 2, keep=keep)]).to_list() == [not keep, keep]
