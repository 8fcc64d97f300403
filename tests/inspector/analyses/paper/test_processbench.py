"""ProcessBench's tables beside scorers of which every figure is known, and the check."""

import pytest

import judged
import making
import papers
import reference
from scoring.metrics.paper_agreement import table_figures
from scoring.workspace.cache import RewardParts


def test_a_figure_that_rounds_to_the_printed_one_agrees(called, rows, root):
    papers.processbench(root, papers.gsm8k())
    found = rows("processbench", "5")
    row = papers.cell(found, "gsm8k")
    assert row["published_as"] == "Qwen2.5-Math-7B-PRM800K"
    assert row["value"] == pytest.approx(2 * (110 / 207) * (184 / 193) / (110 / 207 + 184 / 193))
    assert (row["published"], row["printed"], row["n"], row["agrees"]) == (pytest.approx(0.682), "68.2", 400, True)
    assert row["difference"] == pytest.approx(row["value"] - 0.682)
    missing = papers.cell(found, "math")
    assert (missing["value"], missing["agrees"]) == (None, None)
    assert (missing["published"], missing["reason"]) == (pytest.approx(0.626), "no erroneous case was scored")
    assert found["scorer"].unique().to_list() == [papers.MODEL]
    code, _, err = called("processbench", "5", "--check")
    assert code == 0
    assert "Checked 3 of 6 printed cells; differing: 0." in err
    assert "3 not checked: there is no figure here" in err


def test_a_figure_that_does_not_is_found_and_ends_with_1(called, root):
    papers.processbench(root, papers.gsm8k(exact=111))
    code, out, err = called("processbench", "5", "--check")
    assert code == 1
    assert "Checked 3 of 6 printed cells; differing: 2." in err
    assert f"  {papers.MODEL}, gsm8k, error_acc: 0.53623 here, 0.531 printed" in err
    assert "gsm8k, correct_acc" not in err
    assert "+0.5" in out
    assert called("processbench", "5")[0] == 0


def test_a_document_that_is_checked_is_the_same_document(called, root):
    papers.processbench(root, papers.gsm8k(exact=111))
    code, out, _ = called("processbench", "5", "--json", "--check", "--quiet")
    assert (code, out) == (1, called("processbench", "5", "--json")[1])


def test_a_subset_that_is_not_whole_is_not_checked(called, rows, root):
    papers.processbench(root, papers.gsm8k(exact=150)[:-1])
    row = papers.cell(rows("processbench", "5"), "gsm8k")
    assert row["value"] is not None
    assert row["agrees"] is None
    assert row["unchecked"] == "207 erroneous and 192 clean cases here, 207 and 193 in the paper"
    code, _, err = called("processbench", "5", "--check")
    assert code == 0
    assert "Checked 0 of 6 printed cells" in err


def test_a_filter_leaves_nothing_to_check(rows, root):
    papers.processbench(root, papers.gsm8k())
    row = papers.cell(rows("processbench", "5", "--where", "earliest_error = 0"), "gsm8k", "error_acc")
    assert row["value"] == pytest.approx(110 / 207)
    assert row["unchecked"] == "207 erroneous and 0 clean cases here, 207 and 193 in the paper"


def test_cases_that_were_not_scored_leave_nothing_to_check(rows, root):
    cases = papers.gsm8k()
    made = making.workspace(root, cases, [], benchmark="processbench")
    keys = made.cases()[0]["key"]
    papers.scored(root, making.scorer(papers.MODEL), cases[:-9], keys[:-9])
    row = papers.cell(rows("processbench", "5"), "gsm8k", "error_acc")
    assert (row["value"], row["unchecked"]) == (pytest.approx(110 / 207), "391 of 400 cases are scored")


def test_the_average_needs_all_four_subsets(rows, root):
    papers.processbench(root, papers.gsm8k())
    row = papers.cell(rows("processbench", "3"), "average")
    assert (row["value"], row["reason"]) == (None, "undefined on math, olympiadbench, omnimath")
    assert row["published"] == pytest.approx(0.565)


def test_a_scorer_that_the_paper_lacks_has_figures_and_no_published_ones(called, rows, root):
    papers.processbench(root, papers.gsm8k(), "my-own-prm")
    row = papers.cell(rows("processbench", "5"), "gsm8k")
    assert (row["published"], row["published_as"], row["agrees"]) == (None, None, None)
    assert row["unchecked"] == "the table names no such scorer"
    code, _, err = called("processbench", "5", "--check")
    assert code == 0
    assert "Checked 0 of 0 printed cells" in err


def test_all_adds_those_that_only_the_paper_has(rows, root):
    papers.processbench(root, papers.gsm8k())
    ours, everyone = rows("processbench", "3"), rows("processbench", "3", "--all")
    assert (ours.height, everyone.height) == (5, 125)
    assert everyone["scorer"].null_count() == 120
    assert everyone.select("published_as", "subset").is_duplicated().sum() == 0


def test_votes_are_laid_beside_votes_and_one_answer_beside_greedy(rows, root):
    cases = papers.gsm8k()
    papers.processbench(root, cases)
    for name, votes in (("Qwen2.5-72B-Instruct", 8), ("Qwen2-72B-Instruct", 1), ("QwQ-32B-Preview", 3)):
        papers.critic(root, cases, name, votes)
    papers.critic(root, cases, "Qwen2.5-7B-Instruct", 1, temperature=0.7)
    voted, greedy = rows("processbench", "5"), rows("processbench", "9")
    beside = {
        name: (
            papers.cell(voted, "gsm8k", scorer=name)["printed"],
            papers.cell(greedy, "gsm8k", scorer=name)["printed"],
        )
        for name in voted["scorer"].unique()
    }
    assert beside == {
        papers.MODEL: ("68.2", None),
        "Qwen2.5-72B-Instruct": ("76.2", None),
        "Qwen2-72B-Instruct": (None, papers.cell(greedy, "gsm8k", scorer="Qwen2-72B-Instruct")["printed"]),
        "QwQ-32B-Preview": (None, None),
        "Qwen2.5-7B-Instruct": (None, None),
    }
    assert beside["Qwen2-72B-Instruct"][1] is not None
    why = papers.cell(voted, "gsm8k", scorer="QwQ-32B-Preview")["unchecked"]
    assert why == "the table prints it for voting@8, and this scorer is voting@3"
    why = papers.cell(greedy, "gsm8k", scorer="Qwen2.5-7B-Instruct")["unchecked"]
    assert why == "the table prints it for greedy, and this scorer is not said to be so"


def test_a_scorer_whose_setting_is_not_known_stands_beside_that_of_its_name_in_the_paper(called, root):
    name = "Qwen2.5-7B-Instruct"
    cases = papers.gsm8k()
    making.workspace(root, cases, [], benchmark="processbench")
    papers.critic(root, cases, name, 1, temperature=0.7)
    for number, setting in (("5", "voting@8"), ("9", "greedy")):
        paper = papers.cell(table_figures("processbench", int(number)), "gsm8k", "error_acc", scorer=name)
        lines = [
            line.split() for line in called("processbench", number, "--all")[1].splitlines() if line.startswith(name)
        ]
        assert [line[:3] for line in lines] == [[name, "here", "100.0"], [name, setting, "published"]]
        assert lines[1][3] == paper["printed"]


def test_the_best_threshold_of_each_subset_is_found(rows, root):
    # At 0.5 the first subset is all alarm and the second all missed; at the best threshold of each all is right.
    cases = [
        *(reference.Case(1, 0, (0.1,), "", "gsm8k"), reference.Case(1, -1, (0.3,), "", "gsm8k")),
        *(reference.Case(1, 0, (0.6,), "", "math"), reference.Case(1, -1, (0.8,), "", "math")),
    ]
    prm, critic = "Skywork/Skywork-o1-Open-PRM-Qwen-2.5-7B", "Skywork-PRM-1.5B"
    papers.processbench(root, cases, prm)
    papers.critic(root, cases, critic, 8)
    own, best = rows("processbench", "5"), rows("processbench", "6")
    assert [papers.cell(own, name, scorer=prm)["value"] for name in ("gsm8k", "math")] == [0.0, 0.0]
    assert [papers.cell(best, name, scorer=prm)["value"] for name in ("gsm8k", "math")] == [1.0, 1.0]
    assert papers.cell(best, "gsm8k", scorer=prm)["published_as"] == "Skywork-PRM-7B"
    assert papers.cell(best, "gsm8k", scorer=critic)["reason"] == "no threshold: verdicts as given (vote of 8)"
    assert papers.cell(best, "gsm8k", scorer=critic)["published"] is None


def test_one_number_a_solution_names_no_step_and_has_no_figure(rows, root):
    cases = papers.one_step(2, 2, 1, 1)
    made = papers.processbench(root, cases)
    scorer = making.scorer("number", kind="baseline")
    scorer.save(root / "rewards" / scorer.folder)
    RewardParts(root / "rewards" / scorer.folder).append(judged.solutions(made.cases()[0]["key"], [0.5] * 4))
    row = papers.cell(rows("processbench", "5"), "gsm8k", scorer="number")
    assert row["value"] is None
    assert row["reason"]
