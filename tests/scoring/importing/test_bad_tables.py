"""Tables of results that are not as they should be: each ends in a finding or in a sentence, never in silence."""

import json

import pytest

import authored
from imports import workspace_with
from scoring.data.errors import InputError, NotJoined, UnknownFormat
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.batch import ImportOptions, read_sources

N = 40
CASES = authored.rows(N)
IDS = [row["id"] for row in CASES]
THREE = [0.9, 0.4, 0.6]


@pytest.fixture
def workspace(tmp_path):
    return workspace_with(CASES, tmp_path / "ws")


@pytest.fixture
def read(workspace, tmp_path):
    def read_(rows, wish=None, name="my-prm.jsonl"):
        path = tmp_path / name
        path.write_text(rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows))
        found = read_sources([str(path)], wish or ImportOptions(), workspace, None)
        assert found.imported == ()
        (joined,) = found.joined
        counts = {}
        for finding in joined.findings:
            if finding.severity != "note":
                counts[finding.severity, finding.code] = counts.get((finding.severity, finding.code), 0) + 1
        return joined, counts

    return read_


def of_each(cell):
    return [{"id": name, "rewards": cell(number)} for number, name in enumerate(IDS)]


@pytest.mark.parametrize("other", [None, "n/a", [], [0.5, None, 0.1], {"step": 1}])
def test_a_column_that_is_rewards_in_half_of_its_rows(read, other):
    joined, counts = read(of_each(lambda number: THREE if number % 2 else other))
    assert (joined.joined, joined.row_counts["rewards"], joined.row_counts["refused"]) == (N, N // 2, N // 2)
    assert sum(counts.values()) == N // 2


def test_an_id_with_different_values_counts_once_and_is_an_error(read):
    joined, counts = read([*of_each(lambda _: THREE), {"id": IDS[0], "rewards": [0.1, 0.1, 0.1]}])
    assert joined.rewards["rewards"].to_list() == [THREE] * N
    assert counts == {("error", "repeated-id"): 1}


def test_an_id_with_the_same_values_again_is_a_note(read):
    joined, counts = read([*of_each(lambda _: THREE), {"id": IDS[0], "rewards": THREE}])
    assert (joined.joined, counts) == (N, {})
    assert "repeated-id" in {finding.code for finding in joined.findings}


@pytest.mark.parametrize("length", [1, 2, 4, 9])
def test_a_list_that_is_not_as_long_as_the_solution_is_a_finding(read, length):
    joined, counts = read(of_each(lambda number: THREE if number else [0.5] * length))
    assert (joined.joined, counts) == (N, {("warning", "length-mismatch"): 1})


def test_lists_that_are_mostly_of_another_length_name_no_benchmark_but_can_be_told_one(read):
    rows = of_each(lambda number: THREE if number % 2 else [0.5])
    with pytest.raises(NotJoined, match="processbench has 40, 20 with as many"):
        read(rows)
    joined, counts = read(rows, ImportOptions(join_to="processbench"))
    assert (joined.joined, counts) == (N, {("warning", "length-mismatch"): N // 2})


def test_ids_of_two_benchmarks_have_to_be_told_apart(read, workspace, tmp_path):
    physics = [
        {
            **row,
            "problem": f"{row['problem']}!",
            "domain": "physics",
            "label": row["label"] + 1 or -1,
        }
        for row in CASES
    ]
    read_sources([str(authored.write(tmp_path / "physics.json", physics))], ImportOptions(), workspace, None).put(
        workspace
    )
    with pytest.raises(NotJoined, match=r"(?s)grben has 40, 40 with.*processbench has 40, 40 with.*--benchmark grben"):
        read(of_each(lambda _: THREE))
    joined, counts = read(of_each(lambda _: THREE), ImportOptions(join_to="grben"))
    assert (joined.benchmarks, joined.joined, counts) == (("grben",), N, {})


@pytest.mark.parametrize(
    "written", [["0.9", "0.4", "0.6"], "[0.9, 0.4, 0.6]", "[0.9 0.4 0.6]", ["+0.9", " .4 ", "6e-1"]]
)
def test_numbers_as_texts_are_numbers(read, written):
    joined, counts = read(of_each(lambda _: written))
    assert (joined.rewards["rewards"].to_list(), counts) == ([THREE] * N, {})


def test_verdicts_as_texts_are_whole_numbers(read):
    rows = [{"id": name, "predicted_error": f"{number % 4 - 1}.0"} for number, name in enumerate(IDS)]
    joined, _ = read(rows, ImportOptions(name="judge"))
    assert joined.votes["verdict"].to_list() == [number % 4 - 1 for number in range(N)]


def test_right_and_wrong_a_step_are_labels(read):
    joined, counts = read(of_each(lambda _: [True, False, True]))
    assert (joined.row_counts["labels"], counts) == (N, {})


def test_a_column_that_is_there_twice_is_a_warning_and_the_first_counts(read):
    lines = [f'{name},"[0.9,0.4,0.6]","[0.1,0.1,0.1]"\n' for name in IDS]
    joined, counts = read("id,rewards,rewards\n" + "".join(lines), name="my-prm.csv")
    assert joined.rewards["rewards"].to_list() == [THREE] * N
    assert counts == {("warning", "repeated-key"): 1}


@pytest.mark.parametrize(
    "rows",
    [
        of_each(lambda _: "0.9 0.4 0.6"),
        [{"rewards": THREE}] * N,
        [{"id": name, "step": f"step {step}", "score": 0.5} for name in IDS for step in range(3)],
    ],
)
def test_what_nobody_can_read_names_its_columns_and_the_flags(read, rows):
    with pytest.raises(UnknownFormat, match=r"rows have the keys .*--rewards"):
        read(rows)


def test_one_row_a_step_with_gaps_or_repeats_costs_the_case_its_rewards_and_no_other(read):
    steps = {IDS[0]: (0, 1, 1), IDS[1]: (0, 2), IDS[2]: (2, 0, 1)}
    rows = [{"id": name, "step": step, "score": 0.25 * step} for name in IDS for step in steps.get(name, (0, 1, 2))]
    joined, counts = read(rows)
    assert joined.row_counts["rewards"] == N - 2
    assert counts == {("warning", "step-rows"): 2, ("warning", "no-rewards"): 2}
    assert joined.rewards["rewards"].to_list()[2:] == [[0.0, 0.25, 0.5]] * (N - 2)


def test_an_id_that_leads_to_a_list_is_no_id(workspace, tmp_path):
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"config": {"seed": 1}, "results": of_each(lambda _: THREE)}))
    stated = ColumnMapping(id="results[].id", rewards={"mine": "results[].rewards"})
    with pytest.raises(NotJoined, match=r"not one row of .* gives a result: the row has no id"):
        read_sources([str(path)], ImportOptions(columns=stated), workspace, None)


def test_rewards_that_are_objects_are_told_the_way_in(read):
    stated = ColumnMapping(id="id", rewards={"mine": "rewards"})
    with pytest.raises(InputError, match=r"an object .* --rewards 'COL\[\]\.KEY'"):
        read(of_each(lambda _: [{"p": 0.5}] * 3), ImportOptions(columns=stated))


@pytest.mark.parametrize("column", ["subset", "classification"])
@pytest.mark.parametrize("what", [{"rewards": THREE}, {"prediction": -1}], ids=["rewards", "verdicts"])
def test_a_subset_tells_whose_an_id_is_that_begins_anew_in_each(tmp_path, column, what):
    several = [authored.row(number, prefix) for prefix in ("sums", "products") for number in range(N)]
    rows = [dict(zip((column, "idx"), row["id"].split("-"), strict=True)) | what for row in several]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (joined,) = read_sources([str(path)], ImportOptions(), workspace_with(several, tmp_path / "ws"), None).joined
    assert joined.joined == 2 * N
    assert not [finding for finding in joined.findings if finding.severity != "note"]


def test_rewards_that_rise_at_the_error_are_doubted(tmp_path):
    rows = [authored.row(number, label=1 + number % 2) for number in range(N)]
    path = tmp_path / "error_probs.jsonl"
    workspace = workspace_with(rows, tmp_path / "ws")
    for right, wrong, expected in ((0.1, 0.8, ["rewards-reversed"]), (0.8, 0.1, [])):
        given = [[wrong if step == row["label"] else right for step in range(3)] for row in rows]
        path.write_text(
            "".join(json.dumps({"id": row["id"], "p": cell}) + "\n" for row, cell in zip(rows, given, strict=True))
        )
        (joined,) = read_sources([str(path)], ImportOptions(), workspace, None).joined
        assert [finding.code for finding in joined.findings if finding.severity != "note"] == expected


def test_answers_of_which_most_cannot_be_read_are_a_warning_with_a_next_step(read):
    for readable, expected in ((N // 2 - 1, {("warning", "mostly-unparsed"): 1}), (N // 2, {})):
        answers = ["\\boxed{-1}" if number < readable else "\\boxed{Paragraph 1}" for number in range(N)]
        joined, counts = read([{"id": name, "response": answer} for name, answer in zip(IDS, answers, strict=True)])
        assert (joined.unparsed, counts) == (N - readable, expected)
        assert any("prm-inspect reparse" in finding.message for finding in joined.findings) == bool(expected)


@pytest.mark.parametrize("beside", [(), ("id",)])
def test_rewards_with_texts_that_are_all_here_make_no_case_again(tmp_path, beside):
    def rows(cases):
        return [{name: row[name] for name in (*beside, "problem", "steps")} | {"scores": THREE} for row in cases]

    path = tmp_path / "mine.jsonl"
    path.write_bytes(authored.json_lines(rows(CASES)))
    workspace = workspace_with(CASES, tmp_path / "ws")
    found = read_sources([str(path)], ImportOptions(), workspace, None)
    assert (found.imported, [one.benchmarks for one in found.joined]) == ((), [("processbench",)])
    # Where one is new, all of them are cases of their own, as before.
    path.write_bytes(authored.json_lines(rows([*CASES, authored.row(0, "new", problem="What is new?")])))
    found = read_sources([str(path)], ImportOptions(), workspace, None)
    assert [part.cases.height for part in found.imported] == [N + 1]
