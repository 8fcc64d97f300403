import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authored import rows
from scoring.data.errors import InspectError, UsageError
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks import processbench
from scoring.formats.reading.rows import Rows, read_rows
from scoring.formats.tables.column_guess import propose
from scoring.formats.tables.column_mapping import COLUMNS, ColumnMapping
from scoring.formats.tables.table import describe, load, table_name
from thoroughness import up_to

PLAIN = {"id": "id", "problem": "problem", "steps": "steps"}
MADE = {"id": "a", "problem": "p", "steps": ["one", "two", "three"]}


def table(*values):
    found = Rows("in/sums.jsonl", "JSON Lines")
    for line, value in enumerate(values, start=1):
        found.add(value, line)
    return found


def read(*values, **mapping):
    return load(table(*values), ColumnMapping(**{**PLAIN, **mapping}))


def one(imported):
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True)


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def test_a_row_becomes_a_case():
    value = {
        "uid": 7,
        "q": "What?",
        "meta": {"steps": ["a", "b"], "source": "a book"},
        "bad": 2,
        "ok": "yes",
        "share": "0.75",
        "of": "q1",
        "kind": "logical",
    }
    mapping = ColumnMapping(
        benchmark="own",
        id="uid",
        problem="q",
        steps="meta.steps",
        earliest_error="bad",
        label_base=1,
        final_answer_correct="ok",
        agreement="share",
        problem_id="of",
        error_type="kind",
        origin="meta.source",
    )
    imported = load(table(value), mapping)
    assert imported.cases.schema == CASES
    assert one(imported) == {
        **dict.fromkeys(CASES),
        "case": "own/7",
        "key": content_key("What?", ["a", "b"]),
        "benchmark": "own",
        "id": "7",
        "n_steps": 2,
        "earliest_error": 1,
        "final_answer_correct": True,
        "agreement": 0.75,
        "problem_id": "q1",
        "error_type": "logical",
        "origin": "a book",
        "source": "in/sums.jsonl",
        "line": 1,
        "problem": "What?",
        "steps": ["a", "b"],
    }
    assert imported.label_base == "1-based, as stated (0 labels are 0, 1 equal the number of steps), -1 = no error"
    assert imported.mapping == (
        "id = uid, problem = q, steps = meta.steps, earliest_error = bad, "
        "final_answer_correct = ok, agreement = share, error_type = kind, problem_id = of, origin = meta.source, "
        "one text of steps is split at blank lines, -1 = no error, label_base 1"
    )
    assert not imported.findings


@pytest.mark.parametrize("name", ["sums.jsonl", "sums.json", "sums.parquet"])
def test_processbench_as_a_table_is_processbench(processbench_file, name):
    found = read_rows(processbench_file(rows(8), name))
    columns = ["id", "problem", "steps", "earliest_error", "error_steps", "generator", "final_answer_correct", "line"]
    mapping = propose(found)
    assert mapping is not None
    as_table = load(found, mapping)
    assert as_table.cases.select(columns).equals(processbench.load(found).cases.select(columns))
    assert as_table.label_base.startswith("0-based, inferred (2 labels are 0")
    assert not as_table.findings


def test_csv(processbench_file):
    text = 'id,problem,response,label\n1,"Why, then?","First.\n\nSecond.",1\n2,How?,"[""a"", ""b""]",-1\n3,When?,x,\n'
    found = read_rows(processbench_file(text.encode(), "own sums.csv"))
    imported = load(found, propose(found))
    assert imported.benchmark == "own-sums"
    assert imported.cases["id"].to_list() == ["1", "2", "3"]
    assert imported.cases["steps"].to_list() == [["First.", "Second."], ["a", "b"], ["x"]]
    assert imported.cases["earliest_error"].to_list() == [1, -1, None]
    assert imported.cases["line"].to_list() == [2, 5, 6]
    assert ("note", "split-steps") in codes(imported)
    assert ("note", "no-label") in codes(imported)


def test_a_column_that_is_not_there_is_one_sentence_with_near_names():
    with pytest.raises(UsageError, match=r"no column 'problm', which is mapped as problem\. .*nearly.*: problem\."):
        read(MADE, problem="problm")
    with pytest.raises(UsageError, match=r"Columns there: id, problem, steps\.$"):
        read(MADE, subset="xyz")
    with pytest.raises(UsageError, match="no column 'r', which is mapped as rewards of a prm"):
        read(MADE, rewards={"a prm": "r"})


def test_a_column_that_only_some_rows_have_is_there():
    imported = read(MADE, {**MADE, "id": "b", "m": {"s": "x"}}, subset="m.s")
    assert imported.cases["subset"].to_list() == [None, "x"]


@pytest.mark.parametrize("field", ["problem", "steps"])
def test_cases_need_a_problem_and_steps(field):
    with pytest.raises(UsageError, match=f"names no column for {field}"):
        read(MADE, **{field: None})


def test_without_a_column_for_ids_cases_are_called_after_the_file():
    imported = read(MADE, MADE, id=None)
    assert imported.cases["id"].to_list() == ["sums#1", "sums#2"]
    assert codes(imported) == [("note", "no-id")]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"steps": []}, "no-steps"),
        ({"steps": " \n"}, "no-steps"),
        ({"steps": "['a', 'b']"}, "printed-list"),
        ({"steps": ["a", 1]}, "wrong-type"),
        ({"steps": None}, "wrong-type"),
        ({"problem": 5}, "wrong-type"),
        ({"id": "a"}, "repeated-id"),
    ],
)
def test_a_row_that_cannot_become_a_case_is_left_out_with_a_finding(changes, code):
    imported = read(MADE, {**MADE, "id": "b", **changes})
    assert imported.cases["id"].to_list() == ["a"]
    assert imported.read == 2
    assert [(f.severity, f.code, f.line) for f in imported.findings if f.severity != "note"] == [("error", code, 2)]


def labelled(label, **mapping):
    """The earliest error of the last of these rows, of which the others make the base clear."""
    others = [{**MADE, "id": str(number), "x": number - 1} for number in range(4)]
    imported = read(*others, {**MADE, "x": label}, earliest_error="x", **mapping)
    return imported.cases["earliest_error"].to_list()[-1], codes(imported)


@pytest.mark.parametrize(
    ("label", "mapping", "wanted", "found"),
    [
        *((label, {}, 2, []) for label in (2, "2", 2.0, "2.0")),
        *((label, {}, -1, []) for label in (-1, "-1", -1.0)),
        *((label, {}, None, [("note", "no-label")]) for label in (None, "", float("nan"))),
        *((label, {"clean": "null"}, -1, []) for label in (None, "", -1)),
        *((label, {"clean": "None"}, -1, []) for label in ("none", "NONE", -1)),
        (3, {}, 3, [("warning", "label-beyond-end")]),
        (-2, {}, None, [("warning", "bad-label")]),
        *((label, {}, None, [("warning", "wrong-type")]) for label in ("two", True, 1.5, [1], 2**40, "1e0")),
    ],
)
def test_labels(label, mapping, wanted, found):
    assert labelled(label, **mapping) == (wanted, found)


@pytest.mark.parametrize(
    ("label", "mapping", "wanted", "found"),
    [
        (3, {}, 2, []),
        (1, {}, 0, []),
        (-1, {}, -1, []),
        (0, {}, None, ["bad-label"]),
        (0, {"clean": "0"}, -1, []),
        (4, {}, 3, ["label-beyond-end"]),
    ],
)
def test_labels_from_1(label, mapping, wanted, found):
    imported = read({**MADE, "x": label}, {**MADE, "id": "b", "x": 3}, earliest_error="x", label_base=1, **mapping)
    assert imported.cases["earliest_error"].to_list() == [wanted, 2]
    assert [code for _, code in codes(imported)] == found


def test_an_assumed_base_is_said():
    imported = read({**MADE, "x": 1}, earliest_error="x")
    assert one(imported)["earliest_error"] == 1
    assert codes(imported) == [("warning", "label-base")]
    assert "assumed" in imported.label_base


def test_a_base_is_inferred_from_lists_too():
    values = [{**MADE, "id": str(n), "bad": [n % 3 + 1]} for n in range(12)]
    imported = read(*values, error_steps="bad")
    assert imported.cases["earliest_error"].to_list() == [n % 3 for n in range(12)]
    assert imported.label_base.startswith("1-based, inferred")
    assert imported.label_base.endswith("an empty list = no error")


@pytest.mark.parametrize(
    ("bad", "earliest", "several", "code"),
    [
        ([2, 0, 2], 0, [0, 2], None),
        ("[2, 1]", 1, [1, 2], None),
        (["1", "2.0"], 1, [1, 2], None),
        ([], -1, [], None),
        ("[]", -1, [], None),
        ([1, 5], 1, [1, 5], "label-beyond-end"),
        ([5], None, [5], "no-error-in-range"),
        ([-1], None, None, "bad-label"),
        ("1", None, None, "wrong-type"),
        ([True], None, None, "wrong-type"),
        (None, None, None, "no-label"),
    ],
)
def test_error_steps(bad, earliest, several, code):
    case = one(imported := read({**MADE, "bad": bad}, error_steps="bad", label_base=0))
    assert (case["earliest_error"], case["error_steps"]) == (earliest, several)
    assert (code is None and not imported.findings) or code in [found for _, found in codes(imported)]


@pytest.mark.parametrize(
    ("labels", "earliest", "several", "code"),
    [
        ([True, False, True], 1, [1], None),
        ([1, 1, 1], -1, [], None),
        ("[1, 0.2, 0]", 1, [1, 2], None),
        (["+", "-", "Right"], 1, [1], None),
        (["correct", "0", "1"], 1, [1], None),
        ([1, 0], 1, None, "label-count"),
        ([1, 1], None, None, "label-count"),
        ([1, 1, 1, 0], None, None, "label-count"),
        ([1, None, 0], None, None, "bad-label"),
        ([1, "meh", 0], None, None, "bad-label"),
        ("right", None, None, "wrong-type"),
        (None, None, None, "no-label"),
    ],
)
def test_labels_of_steps(labels, earliest, several, code):
    case = one(imported := read({**MADE, "marks": labels}, step_labels="marks"))
    assert (case["earliest_error"], case["error_steps"]) == (earliest, several)
    assert [found for _, found in codes(imported)] == ([] if code is None else [code])
    assert "below 0.5 (assumed)" in imported.label_base


@pytest.mark.parametrize(
    ("ratings", "wrong", "severity"), [([1, 0, -1], [2], "note"), ([0, 0, -1], [2], "warning"), ([1, 1, -1], [2], None)]
)
def test_ratings_of_0_are_right_beside_ratings_below_0_until_it_is_stated(ratings, wrong, severity):
    imported = read({**MADE, "marks": ratings}, step_labels="marks")
    assert one(imported)["error_steps"] == wrong
    assert codes(imported) == ([] if severity is None else [(severity, "label-ratings")])
    imported = read({**MADE, "marks": ratings}, step_labels="marks", wrong_below=0.5)
    assert one(imported)["error_steps"] == [step for step, rating in enumerate(ratings) if rating < 0.5]
    assert not imported.findings


def test_an_index_beside_labels_of_steps():
    both = {"earliest_error": "x", "step_labels": "marks", "label_base": 0}
    case = one(imported := read({**MADE, "x": 1, "marks": [1, 0, 0]}, **both))
    assert (case["earliest_error"], case["error_steps"]) == (1, [1, 2])
    assert not imported.findings
    imported = read({**MADE, "x": 2, "marks": [1, 0, 0]}, **both)
    assert codes(imported) == [("warning", "labels-disagree")]
    assert one(imported)["earliest_error"] == 2
    case = one(read({**MADE, "x": 1, "marks": [1, 0]}, **both))
    assert (case["earliest_error"], case["error_steps"]) == (1, None)
    assert one(read({**MADE, "x": -1}, earliest_error="x"))["error_steps"] == []


def test_a_stated_separator():
    imported = read({**MADE, "steps": "a; b; c"}, separator="; ")
    assert one(imported)["steps"] == ["a", "b", "c"]
    assert codes(imported) == [("note", "split-steps")]
    assert "1 solutions were one text and were split at every '; '" in imported.findings[0].message
    assert "one text of steps is split at every '; '" in imported.mapping


@pytest.mark.parametrize("share", [1.5, -0.1, "75%", True, float("inf")])
def test_an_agreement_that_is_no_share_is_left_out_with_a_warning(share):
    imported = read({**MADE, "share": share}, agreement="share")
    assert one(imported)["agreement"] is None
    assert codes(imported) == [("warning", "wrong-type")]


def test_several_solutions_of_one_problem():
    values = [{**MADE, "id": f"a{number}", "of": "a"} for number in range(3)]
    assert read(*values, problem_id="of").cases["problem_id"].to_list() == ["a"] * 3


def test_findings_of_the_rows_are_kept_and_rows_that_are_no_objects_are_findings():
    found = table(MADE, 5)
    found.broken(3, "why")
    imported = load(found, ColumnMapping(**PLAIN))
    assert imported.read == 3
    assert [(f.severity, f.line) for f in imported.findings] == [("error", 2), ("error", 3)]


@pytest.mark.parametrize(
    ("source", "name"),
    [("a/b c.csv", "b-c"), ("../..", "table"), (".csv", "csv"), ("中.json", "table"), ("x" * 99, "x" * 64)],
)
def test_a_table_is_called_after_its_file(source, name):
    assert table_name(source) == name
    ColumnMapping(benchmark=name)


def test_options_that_are_not_used_are_not_described():
    assert (
        describe(ColumnMapping(id="i", rewards={"a": "r"}, verdict_base=1))
        == "id = i, rewards of a = r, verdict_base 1"
    )


CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)
SOUND = st.sampled_from(["-1", 0, 1, "2", "a\n\nb", '["a", "b"]', ["a", "b"], [0, 1], "[1]", [True, False], "['a']"])
NAMES = st.sampled_from(["a", "b", "c", "a.b", "d"])
ROWS = st.lists(st.dictionaries(st.sampled_from("abcd"), SOUND | CELLS, min_size=2) | CELLS, max_size=6)
MAPPINGS = st.builds(
    lambda columns, rest: ColumnMapping(**{"problem": "a", "steps": "b", **columns, **rest}),
    st.dictionaries(st.sampled_from(COLUMNS), NAMES, max_size=8),
    st.fixed_dictionaries(
        {},
        optional={
            "separator": st.sampled_from([" ", "\n", "a"]),
            "clean": st.sampled_from(["null", "0", "none"]),
            "label_base": st.sampled_from([0, 1]),
            "wrong_below": st.sampled_from([0, 0.5]),
        },
    ),
)


@given(ROWS, MAPPINGS)
@up_to(500, 30)
def test_any_row_is_a_case_or_has_an_error_and_nothing_but_expected_errors_escapes(values, mapping):
    found = table(*values)
    try:
        imported = load(found, mapping)
    except InspectError:
        return
    lost = [finding.line for finding in imported.findings if finding.severity == "error"]
    assert sorted([*imported.cases["line"], *set(lost)]) == list(range(1, len(values) + 1))
    assert imported.read == len(values)
    assert imported.cases["case"].is_unique().all()
    assert imported.cases.filter(pl.col("earliest_error") < -1).is_empty()
    assert imported.cases.select(pl.col("error_steps").explode(empty_as_null=False) < 0).to_series().sum() == 0
    str(imported.mapping).encode()
    for finding in imported.findings:
        str(finding).encode()


@given(ROWS)
def test_what_is_guessed_can_be_loaded(values):
    found = table(*({"problem": "p", **one} if isinstance(one, dict) else one for one in values))
    if mapping := propose(found):
        load(found, mapping)


def test_sound_rows_become_cases_in_the_property_too():
    assert load(
        table({"a": "p", "b": "x\n\ny", "c": "1"}), ColumnMapping(problem="a", steps="b", earliest_error="c")
    ).cases.height


@pytest.mark.parametrize("subset", ["gsm8k", "math"])
def test_the_published_files_of_processbench_as_tables(data_folder, subset):
    found = read_rows(data_folder / "processbench" / f"{subset}.json")
    imported = load(found, propose(found))
    assert (imported.erroneous, imported.clean) == processbench.OFFICIAL[subset]
    assert imported.label_base.startswith("0-based, inferred")
    assert {f.severity for f in imported.findings} <= {"note"}
    shifted = table(*({**one.value, "label": one.value["label"] + (one.value["label"] >= 0)} for one in found.rows))
    again = load(shifted, propose(shifted))
    assert again.cases["earliest_error"].equals(imported.cases["earliest_error"])
    assert again.label_base.startswith("1-based, inferred")
