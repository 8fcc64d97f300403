"""A mapping is tried on the first rows: the fate of every column, the first case, and how many rows join."""

import json

import pytest

import authored
from scoring.data.errors import UsageError
from scoring.formats.reading.rows import Rows
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.proposal import ColumnProposal, FirstCase, propose_mapping
from scoring.workspace.workspace import Workspace

N = 100
CASES = authored.rows(N)


@pytest.fixture
def cases(tmp_path):
    workspace = Workspace.create(tmp_path / "ws")
    read_sources([str(authored.write(tmp_path / "sums.json", CASES))], ImportOptions(), workspace, None).put(workspace)
    return workspace.cases(twins=True)[0]


def table(values):
    rows = Rows("my-prm.jsonl", "JSON Lines")
    for value in values:
        rows.add(value)
    return rows


ANNOTATED = [
    {
        "question": row["problem"],
        "response": "\n".join(row["steps"]),
        "first_error": row["label"] + 1,
        "scores": [0.9, 0.25, 0.5],
        "difficulty": "hard",
        "meta": {"source": "x", "tokens": [1, 2]},
    }
    for row in CASES
]


def test_a_table_of_cases(cases):
    proposal = propose_mapping(table(ANNOTATED), cases=cases)
    assert proposal.mapping == ColumnMapping(
        benchmark="my-prm",
        problem="question",
        steps="response",
        separator="\n",
        earliest_error="first_error",
        rewards={"my-prm": "scores"},
    )
    assert proposal.columns == (
        ColumnProposal("question", "claimed", "problem"),
        ColumnProposal("response", "claimed", "steps"),
        ColumnProposal("first_error", "claimed", "earliest_error"),
        ColumnProposal("scores", "claimed", "rewards of my-prm"),
        ColumnProposal("difficulty", "metadata", "difficulty"),
        ColumnProposal("meta.source", "metadata", "meta.source"),
        ColumnProposal("meta.tokens", "left out", "it holds lists"),
    )
    first = CASES[0]
    (reading,) = proposal.readings
    assert [choice.flags for choice in reading.choices] == ["--label-base 1 --clean 0", "--label-base 0 --clean steps"]
    assert (proposal.first.problem, proposal.first.steps) == (first["problem"], tuple(first["steps"]))
    assert proposal.rewards == {"my-prm": (0.9, 0.25, 0.5)}
    # They are cases of the benchmark, word for word.
    assert (proposal.tried, proposal.joined, proposal.benchmarks) == (N, N, ("processbench",))


def test_what_is_chosen_shows_in_the_first_case():
    wrong = table(ANNOTATED[1:])
    taken = propose_mapping(wrong)
    (reading,) = taken.readings
    chosen = propose_mapping(wrong, reading.choices[1].states)
    assert (taken.first.earliest_error, chosen.first.earliest_error) == (0, 1)
    assert (chosen.readings, chosen.joined) == ((), None)
    assert isinstance(chosen.first, FirstCase)


def test_labels_count_from_what_all_rows_show_and_not_the_first_alone():
    early = [{"problem": "q", "steps": ["a", "b", "c"], "first_error": 1} for _ in range(300)]
    late = [{"problem": "q", "steps": ["a", "b", "c"], "first_error": 3} for _ in range(20)]
    proposal = propose_mapping(table(early + late))
    assert (proposal.tried, proposal.first.earliest_error, proposal.readings) == (200, 0, ())


def test_results_join_by_ids_and_keep_nothing_else(cases):
    rows = [{"id": row["id"], "rewards": [0.5, 0.25, 0.5], "seconds": 3} for row in CASES]
    proposal = propose_mapping(table(rows), cases=cases)
    assert (proposal.first, proposal.joined, proposal.benchmarks, proposal.refusal) == (None, N, ("processbench",), "")
    assert [(one.name, one.fate) for one in proposal.columns] == [
        *(("id", "claimed"), ("rewards", "claimed")),
        ("seconds", "left out"),
    ]
    strange = propose_mapping(table([{**row, "id": f"x{row['id']}"} for row in rows]), cases=cases)
    assert strange.joined == 0
    assert "ids" in strange.refusal


def test_a_table_with_a_row_a_step_is_tried_on_whole_cases(cases):
    rows = [{"id": row["id"], "step": step, "score": 0.25} for row in CASES for step in range(3)]
    proposal = propose_mapping(table(rows), cases=cases)
    # 200 rows are 66 cases, and two steps of another one.
    assert (proposal.tried, proposal.joined, proposal.rewards) == (66, 66, {"my-prm": (0.25, 0.25, 0.25)})


def test_a_mapping_that_does_not_fit_is_one_sentence():
    with pytest.raises(UsageError, match="no column 'quesion'"):
        propose_mapping(table(ANNOTATED), mapping=ColumnMapping(problem="quesion", steps="response"))
    assert propose_mapping(table([{"a": 1}])) is None


def test_an_import_that_only_looks_gives_it(tmp_path, cases):
    path = tmp_path / "my-prm.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ANNOTATED))
    found = read_sources([str(path)], ImportOptions(), Workspace.open(tmp_path / "ws"), None, preview=True)
    (proposal,) = found.proposals
    assert proposal.joined == N
    assert read_sources([str(path)], ImportOptions(), None, None).proposals == ()
