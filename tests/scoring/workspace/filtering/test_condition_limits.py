"""Conditions and patterns that would take the process, its memory or minutes are refused; usual ones are not."""

import json
import subprocess
import sys
import threading

import polars as pl
import pytest

from scoring.data.errors import FilterError, SearchError
from scoring.data.texts import Texts
from scoring.workspace.filtering import condition_limits, text_search
from scoring.workspace.filtering.condition_expressions import _cost_of, columns_read, expression_of
from scoring.workspace.filtering.condition_limits import (
    _COPIES,
    _NO_ARGUMENT,
    FUNCTIONS,
    MOST_TEXT,
    ConditionCost,
    in_time,
)
from scoring.workspace.filtering.filters import passing
from scoring.workspace.filtering.text_query import TextQuery

ROWS = pl.DataFrame({"case": [f"case-{number}" for number in range(240)], "n": range(240)})
BIG = "a" * 30


def nested(begin, end, depth):
    return begin * depth + "n" + end * depth


HOSTILE = {
    "width": "LPAD(case, 50000000, 'x') = 'x'",
    "width on the right": "RPAD(case, 50000000, 'x') = 'x'",
    "width from a column": "LPAD(case, n * 100000000, 'x') = 'x'",
    "quoted function": "\"LPAD\"(case, 50000000, 'x') = 'x'",
    "backtick": "`LPAD`(case, 50000000, 'x') = 'x'",
    "replacements": "REPLACE(" * 7 + "case" + f", 'a', '{BIG}')" * 7 + " = 'x'",
    "replacement of nothing": "REPLACE(" * 7 + "case" + f", '', '{BIG}')" * 7 + " = 'x'",
    "replacement from a column": "REPLACE(case, 'a', case) = 'x'",
    "separators": f"CONCAT_WS('{'x' * 100_000}', {', '.join(['case'] * 400)}) = 'x'",
    "separator": f"ARRAY_TO_STRING(STRING_TO_ARRAY(case, ''), '{'x' * 10_000_000}') = 'x'",
    "joined": " || ".join(["LPAD(case, 1000000, 'x')"] * 9) + " = 'x'",
    "rows": "GENERATE_SERIES(1, 10000000000) IS NULL",
    "lists": "ARRAY_LENGTH(RANGE(1, n * 1000000000)) > 1",
    "unnested": "UNNEST(RANGE(1, 10000000000)) = 1",
    "all texts": "STRING_AGG(case) || case = 'x'",
    "all lists": "ARRAY_LENGTH(ARRAY_AGG(case)) = n",
    "deep type": f"CAST(n AS {'ARRAY<' * 20_000}INT{'>' * 20_000}) = 1",
    "long type": f"n::INT{'[]' * 20_000} IS NULL",
    "decimals": "CAST(n AS DECIMAL(99999, 99)) = 1",
    "BETWEEN in a chain": "n" + " BETWEEN 1 AND 2" * 150,
    "BETWEEN in parentheses": nested("(", " BETWEEN 1 AND 2)", 30),
    "CASE in CASE": nested("CASE ", " WHEN 1 THEN n WHEN 2 THEN n WHEN 3 THEN n END", 30) + " = 1",
    "columns in columns": f"({' + '.join(['n'] * 200)}) IN ({', '.join(['n'] * 200)})",
    "sums": nested("SUM(", ")", 30) + " = 1",
    "parentheses": nested("(", ")", 100_000) + " = 1",
    "open parentheses": "(" * 100_000,
    "brackets": "[" * 100_000,
    "negations": "NOT " * 100_000 + "n = 1",
    "nothing": "GREATEST() = 1",
    "hidden in another quote": "case = E'\\'' || LPAD(case, 50000000, 'x') || ''",
    "hidden in dollars": "case = $$'$$ OR LPAD(case, 50000000, 'x') = $$'$$",
    "hidden behind a comment": "case = '' -- '\n OR LPAD(case, 50000000, 'x') = ''",
    "hidden in a comment": "case = '' -- \r '\n OR LPAD(case, 50000000, 'x') = '' -- \r '",
    "hidden in a long comment": "case = '' /* ' */ OR LPAD(case, 50000000, 'x') = '' /* ' */",
}


@pytest.mark.parametrize("condition", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_condition_is_refused_before_polars_evaluates_it(condition, monkeypatch):
    monkeypatch.setattr(pl.DataFrame, "with_columns", lambda *_: pytest.fail("polars got it"))
    with pytest.raises(FilterError) as raised:
        passing(ROWS, [condition])
    assert len(str(raised.value)) < 700
    assert columns_read(condition) <= {*ROWS.columns}


def test_the_process_survives_hostile_conditions():
    """In a process of its own, as they come."""
    code = """
import sys, json
import polars as pl
from scoring.workspace.filtering.filters import passing
from scoring.data.errors import FilterError
rows = pl.DataFrame({"case": ["a"] * 240, "n": range(240)})
for condition in json.load(sys.stdin):
    try:
        passing(rows, [condition])
    except FilterError:
        print("refused")
"""
    words = [sys.executable, "-c", code]
    told = json.dumps(list(HOSTILE.values()))
    done = subprocess.run(words, input=told, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["refused"] * len(HOSTILE)
    assert "panicked" not in done.stderr


USUAL = {
    "n BETWEEN 3 AND 5 OR n BETWEEN 8 AND 9 OR NOT (n BETWEEN 1 AND 200)": 45,
    "LPAD(case, 12, '0') = '000000case-7'": 1,
    "case || '-' || n::TEXT = 'case-7-7'": 1,
    "CONCAT(case, n) = 'case-77'": 1,
    "REPLACE(case, 'case-', 'number ') LIKE 'number 7%'": 11,
    "CASE WHEN n > 100 THEN 'many' WHEN n > 10 THEN 'some' ELSE 'few' END = 'few'": 11,
    "CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END IN ('a', 'b')": 2,
    "n IN (1, 2, - 3) AND case IN ('case-1', 'case-2')": 2,
    "LENGTH(TRIM(LOWER(UPPER(case)))) = 6": 10,
    "ARRAY_LENGTH(STRING_TO_ARRAY(case, '-')) = 2": 240,
    "SPLIT_PART(case, '-', 2) = '7'": 1,
    "CAST(n AS FLOAT) / 2 < 1 -- the first two": 2,
    "n < AVG(n) - 100": 20,
    "case ~ '^case-[0-7]$'": 8,
    "REGEXP_LIKE(case, '9$')": 24,
    "n - -1 = 5": 1,
    "POSITION('-' IN case) = 5 AND SUBSTRING(case FROM 1 FOR 4) = 'case' AND n < 2": 2,
    "ROW_NUMBER() OVER (PARTITION BY LENGTH(case) ORDER BY n DESC) = 1": 3,
    "case IN ('--', '/*', '`', '$$', 'E''x''')": 0,
}


@pytest.mark.parametrize(("condition", "passes"), USUAL.items())
def test_a_usual_condition_is_evaluated(condition, passes):
    assert passing(ROWS, [condition]).sum() == passes


def test_each_function_is_one_of_polars_and_its_copies_are_counted():
    """What polars writes of an argument is at most what `_COPIES` says."""
    given = (
        "q_1",
        "q_1, 1",
        "q_1, 'x'",
        "q_1, q_1",
        "1, q_1",
        "q_1, 'x', 'y'",
        "q_1, 1, 2",
        "'x', 'y', q_1",
        "x, 1, q_1",
    )
    given += ("q_1 AS INT", "'x' IN q_1", "YEAR FROM q_1", "'year', q_1", "", "'q_1'")
    unread = set()
    for name in FUNCTIONS:
        read = False
        for arguments in given:
            if not arguments and name not in _NO_ARGUMENT:
                continue
            for window in ("", " OVER (ORDER BY z)"):
                try:
                    written = pl.sql_expr(f"{name}({arguments}){window}").meta.serialize(format="json").count("q_1")
                except pl.exceptions.PolarsError:
                    continue
                read = True
                assert written <= _COPIES.get(name, 1) * max(1, arguments.count("q_1")), (name, arguments)
        unread |= set() if read else {name}
    assert unread == set()


def test_text_is_bounded_by_what_polars_makes():
    for condition, made in {
        "LPAD(case, 1000, 'x') = ''": pl.col("case").str.pad_start(1000, "x"),
        "REPLACE(case, 'a', 'aaaaaaa') = ''": pl.col("case").str.replace_all("a", "aaaaaaa"),
        "REPLACE(case, '', 'xyz') = ''": pl.col("case").str.replace_all("", "xyz", literal=True),
        "case || case || case = ''": pl.col("case") + pl.col("case") + pl.col("case"),
        "NORMALIZE(case, NFKD) || 'some text' = ''": pl.col("case").str.normalize("NFKD") + "some text",
    }.items():
        for table in (ROWS, pl.DataFrame({"case": ["\ufdfa" * 100, "ß" * 1000, ""]})):
            written = int(table.select(made.str.len_bytes().sum()).item())
            assert written <= _cost_of(condition).text_made(table, table.height), condition


def test_a_condition_that_makes_no_text_costs_none_on_any_table():
    many = ", ".join(f"'{'x' * 40}{number}'" for number in range(20_000))
    for condition in (f"case IN ({many})", "n + n + n > 3 AND n < 5", "LENGTH(case) > 3"):
        cost = _cost_of(condition)
        assert isinstance(cost, ConditionCost)
        assert cost.text_made(ROWS.select("n"), 10_000_000) < MOST_TEXT
    expression_of(f"case IN ({many})")


# -- time


@pytest.fixture
def slow(monkeypatch):
    """Evaluation that goes on until the test has ended, and limits that are soon over."""
    ended = threading.Event()
    monkeypatch.setattr(condition_limits, "SECONDS", 0.05)
    yield ended
    ended.set()


def test_work_has_so_long_and_its_errors_are_its_own(slow):
    assert in_time(lambda: 7, 30) == 7
    with pytest.raises(KeyError):
        in_time({}.popitem, 30)
    with pytest.raises(TimeoutError):
        in_time(slow.wait)


def test_a_slow_condition_is_refused_and_named(slow, monkeypatch):
    monkeypatch.setattr(pl.DataFrame, "with_columns", lambda *_: slow.wait())
    for condition in ("LENGTH(case) > 3", "case LIKE '%a_b%'", "case ~ 'x'"):
        with pytest.raises(FilterError) as raised:
            passing(ROWS, [condition])
        assert condition in str(raised.value)


def test_a_slow_pattern_is_refused(slow, monkeypatch):
    texts = pl.DataFrame({"steps": [["one", "two"]], "problem": ["three"]})
    among = text_search.Searchable(Texts.whole([texts], [1]), pl.Series(["a"]))
    # The first asks for the height alone.
    collects = iter([text_search._collected])

    def collect(*given):
        return next(collects, lambda *_: slow.wait())(*given)

    monkeypatch.setattr(text_search, "_collected", collect)
    with pytest.raises(SearchError):
        text_search.search_all(TextQuery.parse("/(.{1,100}){9}Z/", ("steps",)), among)


@pytest.mark.parametrize(
    "pattern", ["(\\w{100}){100}", "(((a{1000}){1000}){1000}){1000}", "(" * 3000 + ")" * 3000, "(?:\\pL{99}){99}", "["]
)
def test_a_pattern_that_takes_too_much_memory_is_refused(pattern):
    with pytest.raises(SearchError):
        TextQuery.parse(f"/{pattern}/")
