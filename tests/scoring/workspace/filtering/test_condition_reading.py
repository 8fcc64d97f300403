import polars as pl
import pytest

from scoring.data.errors import FilterError
from scoring.workspace.filtering.condition_expressions import columns_read, expression_of
from scoring.workspace.filtering.condition_limits import LONGEST
from scoring.workspace.filtering.filters import passing

ROWS = pl.DataFrame({"id": ["a", "b"], "n_steps": [1, 2], "tags": [["read_csv"], ["select"]]})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "letters.csv"
    path.write_text("x,y\na,1\n")
    return path


@pytest.mark.parametrize(
    "condition",
    [
        "id IN (SELECT x FROM read_csv('{}'))",
        "id IN (select x from READ_CSV ('{}'))",
        "EXISTS (SELECT x FROM read_csv('{}'))",
        "id = ANY(SELECT x FROM read_csv('{}'))",
        "id IN (FROM read_csv('{}'))",
        "id IN (WITH t AS (FROM read_csv('{}')) FROM t)",
        "id IN (SELECT x FROM \"read_csv\"('{}'))",
        "id IN (SELECT x FROM read_csv/**/('{}'))",
        "id = E'\\'' OR id IN (FROM read_csv('{}')) OR id = ''",
        "id IN (SELECT x FROM read_parquet('{}'))",
        "id IN (SELECT x FROM read_ipc('{}'))",
        "id IN (SELECT x FROM read_ndjson('{}'))",
        "id IN (SELECT x FROM read_json('{}'))",
        "id IN (SELECT 'a')",
        "id IN (VALUES ('a'))",
    ],
)
def test_a_condition_opens_no_file_and_asks_no_other_table(condition, file, monkeypatch):
    asked = condition.replace("{}", str(file))
    monkeypatch.setattr(pl, "sql_expr", lambda _: pytest.fail("it was given to the engine"))
    with pytest.raises(FilterError, match="cannot ask another table or read a file") as caught:
        expression_of(asked)
    start, end = caught.value.place
    assert asked[start:end].lower() in {"select", "values", "read_csv"}
    assert columns_read(asked) == frozenset()


def test_a_file_that_is_not_there_is_not_looked_for():
    with pytest.raises(FilterError):
        passing(ROWS, ["id IN (SELECT x FROM read_csv('/not/there.csv'))"])


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("id = 'select'", []),
        ("id = 'x from read'", []),
        ("ARRAY_CONTAINS(tags, 'read_csv')", ["a"]),
        ("ARRAY_CONTAINS(tags, 'select')", ["b"]),
        ("SUBSTR(id, 1) = 'a' AND n_steps IS DISTINCT FROM 2", ["a"]),
    ],
)
def test_such_words_in_a_text_are_text(condition, kept):
    assert ROWS.filter(passing(ROWS, [condition]))["id"].to_list() == kept


def test_a_column_may_be_called_like_one_of_them():
    named = pl.DataFrame({"select": [1, 2]})
    assert passing(named, ['"select" > 1']).to_list() == [False, True]


@pytest.mark.parametrize("link", [" AND ", " OR "])
def test_a_chain_that_would_take_minutes_or_the_process_is_refused(link):
    with pytest.raises(FilterError, match="put values into a list") as caught:
        passing(ROWS, [link.join(["n_steps > 1"] * LONGEST)])
    assert len(str(caught.value)) < 300


def test_a_long_list_of_values_is_not():
    values = ", ".join(f"'{number}'" for number in range(20_000))
    assert passing(ROWS, [f"id IN ('a', {values})"]).to_list() == [True, False]


def test_columns_that_are_read():
    assert columns_read("n_steps > 1 AND \"x.outcome\" = 'late'") == {"n_steps", "x.outcome"}
    assert columns_read("1 = 1") == columns_read("n_steps >") == columns_read("id = '\udcff'") == frozenset()
