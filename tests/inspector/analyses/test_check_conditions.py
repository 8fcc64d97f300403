import polars as pl
import pytest

from inspector.analyses.check.check_conditions import FIGURES, FRACTIONS, check_condition, fulfilled, undefined_figures
from scoring.data.errors import FilterError, UsageError


def figures(**columns):
    """Rows of figures of which these are known; one value a row."""
    height = len(next(iter(columns.values())))
    return pl.DataFrame({name: columns.get(name, [None] * height) for name in FIGURES}, schema=FIGURES)


def test_a_condition_is_answered_a_row():
    rows = figures(difference=[-0.03, 0.01], newly_wrong=[6, 6])
    assert fulfilled("difference < -0.02", rows) == [True, False]
    assert fulfilled("difference < -0.02 OR newly_wrong > 5", rows) == [True, True]
    assert fulfilled("difference < -0.02 -- two points", rows) == [True, False]
    assert fulfilled("100 * difference < -2", rows) == [True, False]


def test_what_needs_an_undefined_figure_is_undecided_unless_the_rest_decides():
    rows = figures(high=[None, -0.1], newly_wrong=[6, 0])
    assert fulfilled("high < 0", rows) == [None, True]
    assert fulfilled("high < 0 OR newly_wrong > 5", rows) == [True, True]
    assert fulfilled("high < 0 AND newly_wrong > 9", rows) == [False, False]
    assert fulfilled("high IS NULL", rows) == [True, False]
    assert undefined_figures("high < 0 OR newly_wrong > 5", rows, 0) == ["high"]


def test_truths_are_figures_too():
    assert fulfilled("NOT comparable", figures(comparable=[True, False])) == [False, True]
    assert fulfilled("small", figures(small=[True, None])) == [True, None]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("f1_diference < 0", "there is no figure 'f1_diference'; did you mean f1_difference"),
        ("accuracy < 0", "There are: value, baseline_value, difference,"),
        ('"case" = 1', "there is no figure 'case'"),
        ("1 = 1", "names no figure"),
        ("true", "names no figure"),
        ("difference < -2", "difference is a fraction between -1 and 1, and -2 is beyond"),
        ("newly_wrong > 5 AND coverage < 99.5", "coverage is a fraction"),
        ("high<1.5", "high is a fraction"),
    ],
)
def test_what_names_no_figure_or_never_holds_is_refused(condition, said):
    with pytest.raises(UsageError) as error:
        check_condition(condition)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("difference <", "at character 13: something is missing here"),
        ("", "is not a condition"),
        ("difference", "gives a number"),
        ("difference < 0; DROP TABLE cases", "unexpected ;"),
        ("(SELECT 1) = 1", "cannot ask another table"),
        ("n IN (SELECT n FROM read_csv('/etc/passwd'))", "cannot ask another table or read a file"),
    ],
)
def test_what_cannot_be_read_or_asks_more_is_refused(condition, said):
    with pytest.raises(FilterError) as error:
        check_condition(condition)
    assert said in str(error.value)


def test_fractions_are_figures():
    assert set(FIGURES) > FRACTIONS
    assert {FIGURES[name] for name in FRACTIONS} == {pl.Float64()}
