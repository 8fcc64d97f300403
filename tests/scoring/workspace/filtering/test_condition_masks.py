import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import FilterError
from scoring.workspace.filtering.coded_columns import Categories
from scoring.workspace.filtering.condition_masks import KEPT, ConditionMasks
from scoring.workspace.filtering.filters import Facet, passing
from thoroughness import up_to

SOME = up_to(80, 10)
OUTCOMES = ("exact", "late", "never")


class Table:
    """Columns of a frame, one of them kept as codes, which counts what it is asked for."""

    def __init__(self, frame, codes, asked=None):
        self.codes, self._frame = codes, frame
        self.whole = frame.with_columns(pl.Series("x.outcome", [OUTCOMES[code] for code in codes], dtype=pl.String))
        self.asked = [] if asked is None else asked
        self.columns, self.height = tuple(self.whole.columns), frame.height

    def column(self, name):
        self.asked.append(name)
        return self.whole.get_column(name)

    def owner(self, name):
        return self.codes if name == "x.outcome" else self._frame

    def coded(self, name):
        return Categories(OUTCOMES, self.codes) if name == "x.outcome" else None


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b'", None]), st.integers(0, 4), st.booleans() | st.none(), st.floats(0, 1), st.just(0)
    ),
    max_size=9,
)
FACETS = st.one_of(
    st.builds(
        Facet,
        st.just("subset"),
        st.lists(st.sampled_from(["a", "b'", "z", None]), min_size=1, unique=True).map(tuple),
        st.booleans(),
    ),
    st.builds(
        Facet,
        st.just("x.outcome"),
        st.lists(st.sampled_from([*OUTCOMES, "odd", None]), min_size=1, unique=True).map(tuple),
        st.booleans(),
    ),
    st.builds(
        Facet, st.just("n_steps"), st.lists(st.integers(0, 5), min_size=1, unique=True).map(tuple), st.booleans()
    ),
    st.builds(
        Facet, st.just("final_answer_correct"), st.sampled_from([(True,), (False, None), (None,)]), st.booleans()
    ),
)
TYPED = st.sampled_from(
    [
        "n_steps > 2",
        "\"x.outcome\" = 'late' AND n_steps < 4",
        "true",
        "subset LIKE 'a%'",
        "margin > 0.5 OR subset IS NULL",
        "n_steps > AVG(n_steps)",
        "NULL",
    ]
)
CONDITIONS = st.lists(FACETS.map(lambda facet: facet.sql) | TYPED, max_size=4)


def table(rows, codes, asked=None):
    names = ("subset", "n_steps", "final_answer_correct", "margin", "line")
    dtypes = (pl.String, pl.Int32, pl.Boolean, pl.Float64, pl.Int64)
    frame = pl.DataFrame(rows, schema=dict(zip(names, dtypes, strict=True)), orient="row")
    return Table(frame, np.array(codes, dtype=np.uint8), asked)


@SOME
@given(rows=ROWS, seeds=st.tuples(st.integers(0, 99), st.integers(0, 99)), conditions=CONDITIONS)
def test_masks_are_what_the_whole_frame_says_also_after_outcomes_moved(rows, seeds, conditions):
    masks = ConditionMasks()
    one, other = (table(rows, np.random.default_rng(seed).integers(0, 3, len(rows))) for seed in seeds)
    other._frame = one._frame
    for source in (one, other, one):
        expected = passing(source.whole, conditions).to_list()
        assert masks.passing(source, conditions).tolist() == expected


def test_only_what_changed_is_looked_at_again():
    asked = []
    first = table([("a", 1, None, 0.5, 0), ("c", 3, True, 0.1, 0)], [0, 1], asked)
    masks = ConditionMasks()
    both = ("n_steps > 2", "\"x.outcome\" = 'late'", "subset IN ('a', 'c')")
    assert masks.passing(first, both).tolist() == [False, True]
    assert asked == ["n_steps", "x.outcome", "subset"]
    moved = table([("a", 1, None, 0.5, 0), ("c", 3, True, 0.1, 0)], [1, 0], asked)
    moved._frame = first._frame
    assert masks.passing(moved, both).tolist() == [False, False]
    assert asked == ["n_steps", "x.outcome", "subset", "x.outcome"]
    # A facet on the same column takes the numbers that are there, one on outcomes needs no column.
    masks.passing(moved, ("subset IN ('c')", "\"x.outcome\" IN ('late')"))
    assert len(asked) == 4


def test_a_mask_is_nobodys_to_change():
    masks = ConditionMasks()
    found = masks.passing(table([("a", 1, None, 0.5, 0)], [0]), ("n_steps = 1",))
    with pytest.raises(ValueError, match="read-only"):
        found[0] = False


def test_old_answers_are_forgotten():
    asked = []
    source, masks = table([("a", 1, None, 0.5, 0)], [0], asked), ConditionMasks()
    for number in range(KEPT + 1):
        masks.passing(source, (f"margin > {number}",))
    assert asked == ["margin"] * (KEPT + 1)
    masks.passing(source, (f"margin > {KEPT}",))
    masks.passing(source, ("margin > 0",))
    assert len(asked) == KEPT + 2


@pytest.mark.parametrize(
    "condition", ["nothing = 1", "n_steps >", "n_steps + 1", "subset IN ('\udcff')", "x.outcome = 1"]
)
def test_an_error_is_that_of_the_whole_frame(condition):
    source = table([("a", 1, None, 0.5, 0)], [0])
    with pytest.raises(FilterError) as expected:
        passing(source.whole, (condition,))
    with pytest.raises(FilterError) as found:
        ConditionMasks().passing(source, (condition,))
    assert str(found.value) == str(expected.value)


def test_a_condition_without_columns_is_answered_for_as_many_cases_as_there_are():
    masks = ConditionMasks()
    for rows in ([("a", 1, None, 0.5, 0)], [("a", 1, None, 0.5, 0)] * 3):
        source = table(rows, [0] * len(rows))
        assert masks.passing(source, ("1 = 1",)).tolist() == [True] * len(rows)
        assert masks.passing(source, (f"COUNT(*) = {len(rows)}",)).tolist() == [True] * len(rows)
