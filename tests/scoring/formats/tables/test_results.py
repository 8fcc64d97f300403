import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import InspectError, UsageError
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import RESULT_COLUMNS
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.results import results

MADE = {"id": "a", "problem": "p", "steps": ["one", "two"]}
FULL = {"id": "id", "problem": "problem", "steps": "steps"}


def table(*values):
    found = Rows("in/sums.jsonl", "JSON Lines")
    for line, value in enumerate(values, start=1):
        found.add(value, line)
    return found


def read(*values, **mapping):
    return results(table(*values), ColumnMapping(**mapping))


def codes(foreign):
    return [(finding.severity, finding.code) for finding in foreign.findings]


def one(foreign):
    assert foreign.rows.height == 1
    return foreign.rows.row(0, named=True)


def test_verdicts_in_which_0_is_no_error_call_the_first_step_1():
    rows = [{"id": str(number), "v": number % 4} for number in range(12)]
    (found,) = read(*rows, id="id", verdicts={"critic": "v"}, clean="0")
    assert found.rows["verdict"].to_list() == [-1, 0, 1, 2] * 3
    words = "verdicts are 1-based, as stated (0 labels equal the number of steps), -1 or 0 = no error"
    assert (found.label_base, codes(found)) == (words, [])


def test_rewards_with_all_that_tells_their_case():
    (found,) = read(
        {**MADE, "r": [0.9, "0.1"], "x": 1, "s": "sums"},
        **FULL,
        subset="s",
        rewards={"a prm": "r"},
        earliest_error="x",
        label_base=0,
    )
    assert (found.format, found.source, found.name, found.kind, found.read) == (
        "table",
        "in/sums.jsonl",
        "a prm",
        "prm",
        1,
    )
    assert (found.threshold, found.low, found.high, found.label_base) == (0.5, 0.0, 1.0, "no indices")
    assert found.rows.schema == RESULT_COLUMNS
    assert one(found) == {
        **dict.fromkeys(RESULT_COLUMNS),
        "line": 1,
        "id": "a",
        "subset": "sums",
        "problem": "p",
        "steps": ["one", "two"],
        "gold": 1,
        "vote": 0,
        "run": 0,
        "rewards": [0.9, 0.1],
    }
    assert not found.findings


@pytest.mark.parametrize(
    ("cell", "columns"),
    [
        ([0.5, 1], {"rewards": [0.5, 1.0]}),
        ("[0.5, 1]", {"rewards": [0.5, 1.0]}),
        ([True, False], {"labels": [True, False]}),
        ("[true, false]", {"labels": [True, False]}),
        (0.25, {"solution": 0.25}),
        ("0.25", {"solution": 0.25}),
    ],
)
def test_what_a_cell_of_rewards_may_be(cell, columns):
    (found,) = read({"id": "a", "r": cell}, id="id", rewards={"prm": "r"})
    assert {name: value for name, value in one(found).items() if value is not None} == {
        "line": 1,
        "id": "a",
        "vote": 0,
        "run": 0,
        **columns,
    }
    assert not found.findings


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        *((cell, "no-rewards") for cell in (None, "", [], "[]")),
        *((cell, "bad-reward") for cell in ([None, 0.5], [float("nan")], ["x"], [[1]], [10**400], "high", {}, True)),
        ([True, 0.5], "bad-reward"),
        (float("inf"), "bad-reward"),
    ],
)
def test_a_cell_that_cannot_be_used_is_kept_with_its_reason(cell, code):
    found = read({"id": "a", "r": cell}, {"id": "b", "r": [1]}, id="id", rewards={"prm": "r"})[0]
    first, second = found.rows.iter_rows(named=True)
    assert first["rewards"] is first["labels"] is first["solution"] is None
    assert first["reason"]
    assert second["rewards"] == [1.0]
    assert codes(found) == [("warning", code)]


def test_rewards_of_another_range_are_said():
    (found,) = read({"id": "a", "r": [-3.2, 4]}, id="id", rewards={"prm": "r"})
    assert (found.low, found.high) == (-4.0, 4.0)
    assert codes(found) == [("warning", "reward-range")]


def test_every_scorer_has_its_own():
    found = read(
        {"id": "a", "r": [1], "q": [0], "v": 0},
        id="id",
        rewards={"one": "r", "two": "q"},
        verdicts={"one": "v"},
        verdict_base=0,
    )
    assert [(each.name, each.kind) for each in found] == [("one", "prm"), ("two", "prm"), ("one", "critic")]
    assert [one(each)["rewards"] for each in found] == [[1.0], [0.0], None]
    assert one(found[2])["verdict"] == 0


@pytest.mark.parametrize(
    ("cell", "base", "verdict"),
    [
        *((cell, 0, 1) for cell in (1, "1", 1.0)),
        *((cell, 1, 0) for cell in (1, "1", 1.0)),
        *((-1, base, -1) for base in (0, 1)),
        ("none", 1, -1),
        (0, 1, -2),
        (-5, 0, -2),
        (-5, 1, -2),
        (9, 0, 9),
    ],
)
def test_verdicts(cell, base, verdict):
    (found,) = read({"id": "a", "v": cell}, id="id", verdicts={"critic": "v"}, verdict_base=base, clean="none")
    assert one(found)["verdict"] == verdict
    assert one(found)["ballot"] is not None
    assert found.label_base.startswith(f"verdicts are {base}-based, as stated")


@pytest.mark.parametrize("cell", ["step two", "1e3", True, [1], 2**40, "half \ud800"])
def test_a_verdict_that_is_no_index_is_unparsed(cell):
    (found,) = read({"id": "a", "v": cell}, id="id", verdicts={"critic": "v"}, verdict_base=0)
    row = one(found)
    assert row["verdict"] is row["ballot"] is None
    assert "is not an index of a step" in row["reason"]
    assert ("warning", "unparsed") in codes(found)


def test_a_verdict_that_is_not_there_has_a_reason():
    (found,) = read({"id": "a", "v": None}, id="id", verdicts={"critic": "v"}, verdict_base=0)
    assert one(found)["reason"] == "there is no verdict here"
    assert codes(found) == [("warning", "no-verdict")]


def test_the_base_of_verdicts_is_inferred_or_its_assumption_said():
    def values(verdicts):
        return [{**MADE, "id": str(number), "v": one} for number, one in enumerate(verdicts)]

    mapping = {**FULL, "verdicts": {"critic": "v"}}
    (found,) = read(*values([1, 2] * 6), **mapping)
    assert found.rows["verdict"].to_list() == [0, 1] * 6
    assert codes(found) == [("note", "label-base")]
    assert not found.open_base
    (found,) = read(*values([1, -1]), **mapping)
    assert found.rows["verdict"].to_list() == [1, -1]
    assert codes(found) == [("warning", "label-base")]
    assert "state verdict_base" in found.findings[0].message
    (found,) = read(*values([1, -1]), **mapping, label_base=1)
    assert found.rows["verdict"].to_list() == [0, -1]
    (found,) = read({"id": "a", "v": 2}, id="id", verdicts={"critic": "v"})
    assert codes(found) == [("warning", "label-base")]


def test_without_steps_a_gold_label_is_read_only_with_a_stated_base():
    for base, gold in ((None, None), (1, 4)):
        (found,) = read(
            {"id": "a", "r": [1], "x": 5}, id="id", rewards={"prm": "r"}, earliest_error="x", label_base=base
        )
        assert one(found)["gold"] == gold


def test_the_benchmark_is_the_one_that_is_stated():
    assert read({"id": "a", "r": [1]}, id="id", rewards={"prm": "r"}, benchmark="own")[0].benchmark == "own"
    assert read({"id": "a", "r": [1]}, id="id", rewards={"prm": "r"})[0].benchmark is None


def test_rows_that_name_no_case_or_one_again_are_errors():
    found = read(
        {"id": "a", "r": [1]}, {"id": None, "r": [1]}, {"id": "a", "r": [2]}, 5, id="id", rewards={"prm": "r"}
    )[0]
    assert found.rows["rewards"].to_list() == [[1.0]]
    assert found.read == 4
    assert sorted((finding.line, finding.code) for finding in found.findings if finding.severity == "error") == [
        (2, "no-id"),
        (3, "repeated-id"),
        (4, "broken-row"),
    ]


def test_content_is_enough_where_there_is_no_id():
    (found,) = read({**MADE, "r": [1, 1]}, problem="problem", steps="steps", rewards={"prm": "r"})
    assert (one(found)["id"], one(found)["problem"], one(found)["steps"]) == (None, "p", ["one", "two"])


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"id": "id"}, "names no column of results"),
        ({"problem": "problem", "rewards": {"prm": "r"}}, "names no case"),
        ({"id": "id", "rewards": {"prm": "rr"}}, "no column 'rr', which is mapped as rewards of prm"),
    ],
)
def test_a_mapping_that_does_not_do_is_one_sentence(mapping, said):
    with pytest.raises(UsageError, match=said):
        read({**MADE, "r": [1]}, **mapping)


CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcd"), CELLS | st.sampled_from([[0.5], "[1]", "2", 0]), min_size=2) | CELLS,
        max_size=6,
    ),
    st.sampled_from([{"id": "a"}, {"problem": "a", "steps": "b"}, {"id": "d", "earliest_error": "d"}]),
    st.sampled_from([None, 0, 1]),
)
def test_any_row_is_a_result_or_has_an_error(values, mapping, base):
    try:
        found = read(*values, **mapping, rewards={"prm": "c"}, verdicts={"critic": "c"}, label_base=base)
    except InspectError:
        return
    # What is wrong with a whole row is said once, with the first scorer.
    stray = {finding.line for finding in found[0].findings if finding.code in {"broken-row", "no-id", "bad-run"}}
    for foreign in found:
        left_out = [one for one in foreign.findings if one.severity == "error" or one.code == "repeated-id"]
        lost = {finding.line for finding in left_out}
        if None in lost:
            # Rows that look like one row a step are left out with one sentence for all.
            assert foreign.rows["id"].is_unique().all()
        else:
            assert sorted([*foreign.rows["line"], *(lost | stray)]) == list(range(1, len(values) + 1))
        for row in foreign.rows.iter_rows(named=True):
            held = [row[name] for name in ("rewards", "labels", "solution", "verdict", "reason")]
            # Numbers that may be padded stay with the reason until the case is known.
            assert sum(value is not None for value in held) == 1 or row["reason"]


def test_the_verdicts_of_several_runs_are_no_repetitions():
    rows = [{"id": "a", "v": verdict, "run": run} for verdict, run in ((0, 0), (1, 1), (2, 1))]
    (found,) = read(*rows, id="id", run="run", verdicts={"critic": "v"}, verdict_base=0)
    assert found.rows.select("run", "verdict").rows() == [(0, 0), (1, 1)]
    assert codes(found) == [("error", "repeated-id")]


def test_the_answers_of_each_run_are_counted_from_0():
    rows = [{"id": "a", "v": ["x", "y"], "run": run} for run in (0, 1)]
    (found,) = read(*rows, id="id", run="run", answers={"critic": "v"})
    assert found.rows.select("run", "vote").rows() == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert found.settings["votes"] == 2


def test_a_row_whose_run_cannot_be_read_is_left_out_with_an_error():
    (found,) = read({"id": "a", "v": 0, "run": "x"}, id="id", run="run", verdicts={"critic": "v"}, verdict_base=0)
    assert found.rows.is_empty()
    assert codes(found) == [("error", "bad-run")]


def test_a_row_with_half_a_text_and_no_id_names_no_case():
    rows = [{**MADE, "id": None, name: None, "r": [0.5, 0.25]} for name in ("problem", "steps", "id")]
    (found,) = read(*rows, **FULL, rewards={"prm": "r"})
    assert found.rows["line"].to_list() == [3]
    assert codes(found) == [("error", "no-id")] * 2


def test_a_gold_label_whose_base_the_rows_show_is_not_read_where_a_row_has_no_steps():
    rows = [{**MADE, "id": str(number), "x": 1 + number % 2, "r": [0.5, 0.25]} for number in range(12)]
    rows[3]["steps"] = None
    (found,) = read(*rows, **FULL, rewards={"prm": "r"}, earliest_error="x")
    assert found.rows["gold"].to_list() == [0, 1, 0, None, *([0, 1] * 4)]


def test_verdicts_with_a_word_for_no_error_may_name_step_0():
    rows = [{**MADE, "id": str(number), "v": verdict} for number, verdict in enumerate([0, 1])]
    (found,) = read(*rows, **FULL, verdicts={"critic": "v"}, clean="none")
    assert found.label_base.startswith("verdicts are 0-based, inferred")
    assert not found.findings


def test_rows_that_only_their_text_names_are_no_repetitions():
    rows = [{**MADE, "id": None, "problem": problem, "r": [0.5, 0.25]} for problem in ("p", "q", "p")]
    (found,) = read(*rows, **FULL, rewards={"prm": "r"})
    assert found.rows["problem"].to_list() == ["p", "q", "p"]
    assert not found.findings


STEP_ROWS = [{"id": f"sums-{at // 3}", "at": {"step": at % 3, "reward": 0.25 * at}} for at in range(6)]


def test_columns_of_a_table_with_a_row_a_step_may_lie_inside_objects():
    (found,) = read(*STEP_ROWS, id="id", step="at.step", rewards={"prm": "at.reward"})
    assert found.rows["rewards"].to_list() == [[0.0, 0.25, 0.5], [0.75, 1.0, 1.25]]


@pytest.mark.parametrize(
    ("wrong", "column"),
    [({"id": "idd"}, "idd"), ({"step": "at.s"}, "at.s"), ({"rewards": {"prm": "reward"}}, "reward")],
)
def test_a_column_that_is_not_there_is_refused_where_a_row_is_a_step(wrong, column):
    with pytest.raises(UsageError, match=f"no column '{column}'"):
        read(*STEP_ROWS, **{"id": "id", "step": "at.step", "rewards": {"prm": "at.reward"}, **wrong})
