"""Critics on DeltaBench: sections that answers name, and their figures as its code makes them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_rows import deltabench
from inspector.state.case_links import figure_link
from scoring.formats.results.deltabench_results import named_sections
from scoring.importing.batch import ImportOptions, read_sources
from scoring.metrics.official_rows import CountingRules, figures_of
from scoring.metrics.sections import NAMES
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.workspace import Workspace

NAMED = "Conclusion: yes\nError Section Number: {}\nExplanation: why 7."


@pytest.mark.parametrize(
    ("answer", "sections"),
    [
        ("Conclusion: no error", []),
        ("", []),
        ("Conclusion: no\nError Section Number: 2\nExplanation: x", []),
        (NAMED.format(2), [2]),
        (NAMED.format("Section 12 and 13"), [12]),
        (f"{NAMED.format(2)}\n{NAMED.format(2)}\nError Section Number: 1", [2, 2, 1]),
        (NAMED.format("the last"), [None]),
        # The last conclusion before the first number counts, whatever its letters' case.
        ("Conclusion: no. Conclusion: **YES**\nError Section Number: 3", [3]),
        ("Yes, all of it.\nError Section Number: 3", [3]),
    ],
)
def test_what_an_answer_names(answer, sections):
    assert named_sections(answer) == sections


@given(st.text(alphabet="Conclusion: yesErrorSectionNumber 123\n", max_size=80))
def test_any_answer_is_read(answer):
    assert all(number is None or number >= 0 for number in named_sections(answer))


def test_a_critics_file_gives_the_figures_of_the_authors_code(tmp_path):
    answers = [
        # Of two listed one is named, and one other; the third is beyond the last one listed.
        ([1, 2], f"{NAMED.format(2)}\n{NAMED.format(3)}"),
        ([2], NAMED.format(1)),
        ([2], "Conclusion: no error"),
        # Left out: it was never answered.
        ([2], ""),
        # Named beyond the last section: dropped, and the row counts.
        ([1], NAMED.format(9)),
    ]
    rows = [
        deltabench(number, reason_error_section_numbers=listed, sections_labeled_info=[], critic=answer, judge=1)
        for number, (listed, answer) in enumerate(answers)
    ]
    (tmp_path / "critic.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    workspace = Workspace.create(tmp_path / "w")
    # The rows are the benchmark's own, so that they make the cases as well.
    read_sources([str(tmp_path / "critic.jsonl")], ImportOptions(), workspace, None).put(workspace)
    results = load(Query(workspace=str(tmp_path / "w")))
    (evaluation,) = results.evaluations
    assert (evaluation.scorer.kind, evaluation.gold.cases.height) == ("critic", 5)
    made = figures_of(evaluation, "deltabench", results.mask, CountingRules("deltabench", seed=None))
    found = {row["metric"]: (row["value"], row["n"]) for row in made if row["subset"] == "all"}
    # The first row has precision 1 and recall a half, the three others 0 and 0.
    assert found["precision_macro"] == (pytest.approx(1 / 4), 4)
    assert found["recall_macro"] == (pytest.approx(0.5 / 4), 4)
    assert found["f1_macro"] == (pytest.approx(2 / 3 / 4), 4)
    assert found["precision_micro"] == (pytest.approx(1 / 2), 4)
    assert found["recall_micro"] == (pytest.approx(1 / 5), 4)
    for name in NAMES:
        link = figure_link(results, evaluation, "deltabench", name)
        assert link.n == results.evaluated.passing(link.where).sum() == 4
