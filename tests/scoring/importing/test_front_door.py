"""Rewards wherever they are: ids and rewards, or rewards beside the rows of a benchmark, need no mapping."""

import csv
import json

import polars as pl
import pytest

import authored
import modified
from imports import workspace_with
from scoring.data.errors import UsageError
from scoring.formats.reading.rows import Rows
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.results import results
from scoring.formats.tables.step_rows import gathered_steps
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.join import OF_CASES, join
from scoring.workspace.workspace import Workspace

N = 40
CASES = authored.rows(N)
REWARDS = [[round(0.05 + (17 * case + 5 * step) % 19 / 20, 2) for step in range(3)] for case in range(N)]
BY_ID = [{"id": row["id"], "rewards": rewards} for row, rewards in zip(CASES, REWARDS, strict=True)]
BY_STEP = [
    {"id": row["id"], "step": step, "score": reward} for row in BY_ID for step, reward in enumerate(row["rewards"])
]


@pytest.fixture
def workspace(tmp_path):
    return workspace_with(CASES, tmp_path / "ws")


def put(workspace, path):
    found = read_sources([str(path)], ImportOptions(), workspace, None)
    found.put(workspace)
    return found


def write(folder, form, rows):
    path = folder / f"my-prm.{form}"
    if form == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif form == "csv":
        with path.open("w", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows({name: cell if isinstance(cell, str) else json.dumps(cell) for name, cell in row.items()}
                             for row in rows)  # fmt: skip
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("rows", [BY_ID, BY_STEP], ids=["a row a case", "a row a step"])
def test_ids_and_rewards_join_without_a_mapping(workspace, tmp_path, form, rows):
    found = put(workspace, write(tmp_path, form, rows))
    (joined,) = found.joined
    assert (joined.results.name, joined.by, joined.joined) == ("my-prm", "ids", N)
    assert joined.rewards["rewards"].to_list() == REWARDS
    assert (joined.results.comparison, joined.results.threshold) == ("<", 0.5)
    assert workspace.cases()[0].height == N
    assert [one.code for one in joined.findings if one.code == "guessed-columns"] == ["guessed-columns"]


@pytest.mark.parametrize("named", [True, False])
def test_rewards_beside_the_texts_are_a_scorers_and_no_case_is_copied(workspace, tmp_path, named):
    rows = [{**row, "rewards": rewards} for row, rewards in zip(CASES, REWARDS, strict=True)]
    if not named:
        rows = [{name: value for name, value in row.items() if name != "id"} for row in rows]
    found = put(workspace, write(tmp_path, "jsonl", rows))
    (joined,) = found.joined
    assert (joined.results.name, joined.by, joined.joined) == ("my-prm", "content", N)
    assert joined.rewards["rewards"].to_list() == REWARDS
    assert workspace.cases()[0].height == N


def test_they_can_be_opened_alone(tmp_path):
    workspace = Workspace.create(tmp_path / "ws")
    rows = [{**row, "prm-a": rewards} for row, rewards in zip(CASES, REWARDS, strict=True)]
    found = put(workspace, write(tmp_path, "jsonl", rows))
    assert [one.results.name for one in found.joined] == ["prm-a"]
    assert workspace.cases()[0].height == N


def table(*cells):
    rows = Rows("steps.csv", "CSV")
    for case, step, score in cells:
        rows.add({"id": case, "step": step, "score": score})
    return gathered_steps(rows, ColumnMapping(id="id", step="step", rewards={"prm": "score"}))


def test_steps_are_put_in_order_and_may_count_from_1():
    gathered = table(("a", 2, 0.2), ("b", "1", "0.5"), ("a", 1, 0.1))
    assert gathered.frame.select("id", "rewards 0").rows() == [("a", [0.1, 0.2]), ("b", [0.5])]
    assert gathered.frame["_line"].to_list() == [1, 2]
    assert gathered.findings == []


@pytest.mark.parametrize("looked_at", [False, True])
def test_steps_in_columns_are_read_as_rows_are(looked_at):
    cells = [("a", 2, 0.2), ("b", 1, 0.5), ("a", 1, 0.1), ("odd", 3, 0.5)]
    frame = pl.DataFrame(cells, schema=["id", "step", "score"], orient="row")
    rows = Rows("steps.parquet", "Parquet", table=frame)
    if looked_at:
        rows.rows  # noqa: B018  # whoever looked at single rows before changes nothing
    columns = gathered_steps(rows, ColumnMapping(id="id", step="step", rewards={"prm": "score"}))
    single = table(*cells)
    assert columns.frame.equals(single.frame)
    assert [one.message for one in columns.findings] == [one.message for one in single.findings]
    assert columns.read == single.read


IN_ORDER = [{"id": row["id"], "score": reward} for row in BY_ID for reward in row["rewards"]]


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_steps_without_numbers_are_read_in_the_order_of_the_file_where_the_cases_fit(workspace, tmp_path, form):
    (joined,) = put(workspace, write(tmp_path, form, IN_ORDER)).joined
    assert joined.rewards["rewards"].to_list() == REWARDS
    assert joined.joined == N
    assert [one.code for one in joined.findings if one.severity in {"warning", "error"}] == []
    (note,) = [one for one in joined.findings if one.code == "two-readings"]
    assert "in the order of the file" in note.message
    assert "--step COLUMN" in note.message


def test_a_case_whose_rows_are_not_as_many_as_its_steps_is_refused_alone(workspace, tmp_path):
    (joined,) = put(workspace, write(tmp_path, "jsonl", IN_ORDER[1:])).joined
    assert joined.rewards["rewards"].to_list() == [REWARDS[0][1:], *REWARDS[1:]]
    (warning,) = [one for one in joined.findings if one.severity in {"warning", "error"}]
    assert warning.code == "length-mismatch"
    assert warning.case == BY_ID[0]["id"]


@pytest.mark.parametrize("broken", ["too few of three", "not together"])
def test_steps_without_numbers_that_do_not_fit_are_one_error_with_a_way_out(workspace, tmp_path, broken):
    lost = {0, 3, 6}
    few = [row for place, row in enumerate(IN_ORDER) if place not in lost]
    rows = few if broken == "too few of three" else [*IN_ORDER[1:], IN_ORDER[0]]
    (joined,) = put(workspace, write(tmp_path, "jsonl", rows)).joined
    assert joined.rewards["rewards"].null_count() == joined.rewards.height
    (error,) = [one for one in joined.findings if one.severity == "error"]
    assert error.code == "repeated-id"
    assert error.message.startswith(f"{len(rows):,} rows share {N} ids: this looks like one row a step")
    assert "--step COLUMN" in error.message


BY_SCORER = [
    {"id": row["id"], "model": model, "scores": [shift * reward for reward in row["rewards"]]}
    for model, shift in (("alpha", 1), ("beta", 0.5))
    for row in BY_ID
]


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_a_row_a_case_and_scorer_gives_every_scorer_its_own(workspace, tmp_path, form):
    alpha, beta = put(workspace, write(tmp_path, form, BY_SCORER)).joined
    assert [alpha.results.name, beta.results.name] == ["alpha", "beta"]
    assert alpha.rewards["rewards"].to_list() == REWARDS
    assert beta.rewards["rewards"].to_list() == [[0.5 * reward for reward in rewards] for rewards in REWARDS]
    notes = [one.message for one in alpha.findings if one.code == "guessed-columns"]
    assert any("'model' was taken for the scorer's name" in note and "--scorer-column" in note for note in notes)


def test_a_column_of_names_that_does_not_tell_rows_of_one_id_apart_names_no_scorer(workspace, tmp_path):
    rows = [{**row, "model": "ab"[place % 2]} for place, row in enumerate(BY_ID)]
    (joined,) = put(workspace, write(tmp_path, "jsonl", rows)).joined
    assert joined.results.name == "my-prm"
    assert joined.rewards["rewards"].to_list() == REWARDS


def test_a_stated_column_names_the_scorers_and_rows_without_one_are_errors(workspace, tmp_path):
    rows = [{**row, "who": None if place == 3 else "a"} for place, row in enumerate(BY_ID)]
    wish = ImportOptions(columns=ColumnMapping(scorer="who", rewards={"mine": "rewards"}))
    (joined,) = read_sources([str(write(tmp_path, "jsonl", rows))], wish, workspace, None).joined
    assert joined.results.name == "a"
    assert joined.joined == N - 1
    (error,) = [one for one in joined.findings if one.severity == "error"]
    assert (error.code, error.line) == ("no-scorer", 4)


def test_a_column_with_a_name_a_row_names_no_scorers(workspace, tmp_path):
    rows = [{"id": place, "who": f"w{place}", "rewards": [0.5]} for place in range(300)]
    wish = ImportOptions(columns=ColumnMapping(scorer="who", rewards={"mine": "rewards"}))
    with pytest.raises(UsageError, match="300 different texts"):
        read_sources([str(write(tmp_path, "jsonl", rows))], wish, workspace, None)


def test_a_few_repeated_ids_stay_errors_each(workspace, tmp_path):
    rows = [{"id": row["id"], "score": 0.5} for row in BY_ID]
    path = write(tmp_path, "jsonl", [*rows, {**rows[0], "score": 0.25}])
    wish = ImportOptions(columns=ColumnMapping(rewards={"mine": "score"}))
    (joined,) = read_sources([str(path)], wish, workspace, None).joined
    (error,) = [one for one in joined.findings if one.severity == "error"]
    assert "the id is that of line 1" in error.message


@pytest.mark.parametrize("steps", [(0, 2), (0, 1, 1), (1, 2)])
def test_steps_with_gaps_or_repeats_have_no_rewards_and_say_so(steps):
    gathered = table(("whole", 0, 0.5), *(("odd", step, 0.5) for step in steps))
    assert gathered.frame["rewards 0"].to_list() == [[0.5], None]
    (finding,) = gathered.findings
    assert (finding.severity, finding.case) == ("warning", "odd")
    assert f"steps {', '.join(map(str, steps))} (counted from 0)" in finding.message


def test_a_row_that_names_no_step_is_broken_and_counted():
    gathered = table(("a", 0, 0.5), ("a", "x", 0.5), (None, 1, 0.5))
    assert (gathered.read, gathered.frame.height) == (3, 1)
    assert [finding.code for finding in gathered.findings] == ["broken-row", "broken-row"]


NESTED = [
    {
        "uid": row["id"],
        "chat": [{"role": "user", "text": row["problem"]}, {"role": "assistant", "text": "\n\n".join(row["steps"])}],
        "sections": [{"content": step, "value": value} for step, value in zip(row["steps"], rewards, strict=False)],
        "label": row["label"],
    }
    for row, rewards in zip(CASES, REWARDS, strict=True)
]


@pytest.mark.parametrize("steps", ["sections[].content", "chat[role=assistant].text"])
def test_a_mapping_reaches_into_lists_of_objects(tmp_path, steps):
    workspace = Workspace.create(tmp_path / "ws")
    mapping = ColumnMapping(
        id="uid",
        problem="chat[role=user].text",
        steps=steps,
        separator="\n\n" if "chat" in steps else None,
        earliest_error="label",
        label_base=0,
        rewards={"mine": "sections[].value"},
    )
    found = read_sources([str(write(tmp_path, "jsonl", NESTED))], ImportOptions(mapping=mapping), workspace, None)
    found.put(workspace)
    assert workspace.cases()[0]["n_steps"].to_list() == [len(row["steps"]) for row in CASES]
    assert workspace.cases()[0]["earliest_error"].to_list() == [row["label"] for row in CASES]
    (joined,) = found.joined
    assert joined.rewards["rewards"].to_list() == [
        rewards[: len(row["steps"])] for row, rewards in zip(CASES, REWARDS, strict=True)
    ]
    (cases,) = found.imported
    assert {"chat", "sections", "uid", "label"} >= {*cases.fates.claimed}
    assert not cases.fates.left_out.keys() & {"sections" if "sections" in steps else "chat"}


def test_a_path_that_no_row_has_is_refused_and_others_are_offered(tmp_path):
    mapping = ColumnMapping(id="uid", rewards={"mine": "sections[].values"})
    with pytest.raises(UsageError) as refused:
        read_sources([str(write(tmp_path, "jsonl", NESTED))], ImportOptions(mapping=mapping), None, None)
    assert "sections[].value" in refused.value.next_step


# -- verdicts and answers


GOLD = [row["label"] for row in CASES]


def verdicts_of(joined):
    return joined.votes.sort("key")["verdict"].to_list()


@pytest.mark.parametrize("base", [0, 1])
def test_the_base_of_verdicts_is_found_from_the_cases(workspace, tmp_path, base):
    rows = [
        {"id": case["id"], "prediction": label + base if label >= 0 else -1}
        for case, label in zip(CASES, GOLD, strict=True)
    ]
    (joined,) = put(workspace, write(tmp_path, "jsonl", rows)).joined
    expected = pl.DataFrame({"id": [row["id"] for row in rows], "verdict": GOLD})
    cases = workspace.cases()[0].select("case", "id")
    found = joined.votes.join(cases, on="case").select("id", "verdict").sort("id")
    assert found.to_dicts() == expected.sort("id").to_dicts()
    assert f"verdicts are {base}-based, inferred" in joined.results.label_base
    assert [one.code for one in joined.findings if one.severity == "warning"] == []


def test_the_base_that_all_rows_show_stands_where_only_some_of_them_join(workspace):
    """The verdicts that are stored count from what the words on them say."""
    rows = Rows("critic.jsonl", "JSON Lines")
    for number in range(24):
        case = {name: CASES[number][name] for name in ("id", "problem", "steps")}
        strange = {} if number < 6 else {"id": f"x{number}", "problem": f"x{number}"}
        rows.add({**case, **strange, "verdict": 1 + number % 3})
    (foreign,) = results(rows, ColumnMapping(id="id", problem="problem", steps="steps", verdicts={"c": "verdict"}))
    joined = join(foreign, workspace.some_columns(list(OF_CASES)))
    assert "verdicts are 1-based, inferred" in joined.results.label_base
    assert sorted(verdicts_of(joined)) == [0, 0, 1, 1, 2, 2]
    assert [one.severity for one in joined.findings if one.code == "label-base"] == ["note"]


def test_a_verdict_that_names_no_step_is_no_sound_case(workspace, tmp_path):
    rows = [{"id": case["id"], "verdict": (1, 2, 3, -1, -5)[number % 5]} for number, case in enumerate(CASES)]
    (joined,) = put(workspace, write(tmp_path, "jsonl", rows)).joined
    assert "1-based, inferred" in joined.results.label_base
    assert sorted(set(verdicts_of(joined))) == [-2, -1, 0, 1, 2]


def test_verdicts_of_0_are_clear_only_where_no_error_is_said_otherwise(workspace, tmp_path):
    rows = [{"id": case["id"], "verdict": number % 2} for number, case in enumerate(CASES)]
    (joined,) = put(workspace, write(tmp_path, "jsonl", rows)).joined
    assert "0-based, assumed" in joined.results.label_base


def test_a_base_that_nothing_shows_is_assumed_with_a_warning_and_can_be_stated(workspace, tmp_path):
    rows = [{"id": case["id"], "verdict": 1} for case in CASES]
    path = write(tmp_path, "jsonl", rows)
    (joined,) = put(workspace, path).joined
    assert set(verdicts_of(joined)) == {1}
    assert [one.code for one in joined.findings if one.severity == "warning"] == ["label-base"]
    assert "(--base 0 or 1)" in next(one.message for one in joined.findings if one.code == "label-base")
    stated = ColumnMapping(verdict_base=1, verdicts={"counts-from-1": "verdict"})
    (joined,) = read_sources([str(path)], ImportOptions(columns=stated), workspace, None).joined
    assert set(verdicts_of(joined)) == {0}
    assert joined.results.name == "counts-from-1"


@pytest.mark.parametrize("several", [False, True])
def test_answers_are_read_by_the_benchmarks_parser(workspace, tmp_path, several):
    def said(label):
        one = f"It goes wrong somewhere. \\boxed{{{label}}}"
        return [one, "No idea.", one] if several else one

    rows = [{"id": case["id"], "answer": said(case["label"])} for case in CASES]
    (joined,) = put(workspace, write(tmp_path, "jsonl", rows)).joined
    assert joined.results.kind == "critic"
    assert joined.votes.height == N * (3 if several else 1)
    assert set(joined.votes["reader"]) == {"processbench-1"}
    assert joined.unparsed == (N if several else 0)
    cases = workspace.cases()[0].select("case", "earliest_error")
    read = joined.votes.filter(pl.col("vote") == 0).join(cases, on="case")
    assert read["verdict"].to_list() == read["earliest_error"].to_list()


def test_answers_about_ratings_come_as_ratings(tmp_path):
    workspace = Workspace.create(tmp_path / "ws")
    cases = [modified.row(number, "circular") for number in range(4)]
    put(workspace, authored.write(tmp_path / "circular.jsonl", cases))
    steps = len(cases[0]["modified_process"])
    answer = json.dumps({"validity": [0.5] * steps, "redundancy": [-1] * steps})
    rows = [{"id": f"circular_{case['idx']}", "answer": answer} for case in cases]
    (joined,) = put(workspace, write(tmp_path, "jsonl", rows)).joined
    assert joined.rewards.is_empty()
    assert joined.votes["rewards"].to_list() == [[0.5] * steps] * 4
    assert (joined.results.threshold, joined.results.comparison) == (0.0, "<=")


def test_what_flags_say_of_columns_and_rule_counts(workspace, tmp_path):
    rows = [
        {"name of it": row["id"], "a": row["rewards"], "b": [1 - reward for reward in row["rewards"]]} for row in BY_ID
    ]
    path = write(tmp_path, "jsonl", rows)
    stated = ColumnMapping(id="name of it", rewards={"other": "b"})
    (joined,) = read_sources(
        [str(path)], ImportOptions(columns=stated, threshold=0.25, comparison="<="), workspace, None
    ).joined
    assert joined.rewards["rewards"].to_list() == [row["b"] for row in rows]
    scorer = joined.results
    assert (scorer.name, scorer.threshold, scorer.comparison) == ("other", 0.25, "<=")
    assert scorer.threshold_source == "stated at import"
    assert [one.code for one in joined.findings] == ["left-out-columns"]


def test_rewards_beside_the_rows_of_any_benchmark_are_a_scorers(tmp_path):
    workspace = Workspace.create(tmp_path / "ws")
    cases = [modified.row(number, "circular") for number in range(4)]
    steps = len(cases[0]["modified_process"])
    rows = [{**case, "my-prm": [0.1 * case_number + 0.05] * steps} for case_number, case in enumerate(cases)]
    found = read_sources([str(write(tmp_path, "jsonl", rows))], ImportOptions(), workspace, None)
    assert [one.benchmark for one in found.imported] == ["prmbench"]
    (joined,) = found.joined
    assert (joined.results.name, joined.joined) == ("my-prm", 4)
    assert joined.rewards["rewards"].to_list() == [row["my-prm"] for row in rows]
