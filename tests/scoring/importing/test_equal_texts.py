"""Results of cases whose texts are equal: whose they are, what they come to, and what cannot be told apart."""

import json
import random
from collections import Counter

import pytest

from inspector.cli import main
from modified import row
from results_and_cases import case, cases_of, codes, results, texts, together
from scoring.evaluate import evaluate
from scoring.gold import Gold
from scoring.importing.joining import join
from scoring.importing.saving import scorer_of
from scoring.workspace import Workspace

PAIR = [{**case("a"), "id": name, "earliest_error": gold} for name, gold in (("first", 0), ("second", 2))]
OTHER = case("other")
CASES = cases_of("sums", *PAIR, OTHER)
LOW, HIGH = [0.1, 0.9, 0.9], [0.9, 0.9, 0.1]


def of_cases(joined):
    """(case, rewards) as they are stored."""
    return joined.rewards.select("case", "rewards").rows()


def verdicts(joined, cases=CASES):
    found = evaluate(Gold(cases), scorer_of(joined), joined.rewards, votes=joined.votes)
    return found.verdicts.tolist()


def decided(joined, cases=CASES):
    """{case: rewards} of all that have some."""
    found = evaluate(Gold(cases), scorer_of(joined), joined.rewards).rewards
    return {name: found.of(number) for number, name in enumerate(cases["case"]) if found.of(number) is not None}


@pytest.mark.parametrize("prefix", ["", "sums/"])
@pytest.mark.parametrize("repeats", [True, False], ids=["with texts", "ids alone"])
def test_cases_of_equal_text_keep_their_own_results(prefix, repeats):
    told = [(PAIR[0], LOW), (PAIR[1], HIGH), (OTHER, LOW)]
    rows = [{"id": prefix + one["id"], "rewards": rewards, **(texts(one) if repeats else {})} for one, rewards in told]
    for order in (rows, rows[::-1]):
        joined = join(results(*order), CASES)
        assert dict(of_cases(joined)) == {"sums/first": LOW, "sums/second": HIGH, "sums/other": LOW}
        assert decided(joined) == {"sums/first": LOW, "sums/second": HIGH, "sums/other": LOW}
        assert (joined.joined, codes(joined)) == (3, [])


def test_a_result_that_is_named_is_no_other_cases():
    joined = join(results({"id": "first", **texts(PAIR[0]), "rewards": LOW}), CASES)
    assert decided(joined) == {"sums/first": LOW}


def test_one_result_without_a_name_is_that_of_all_cases_of_its_text():
    for name in ({}, {"id": "nobody"}):
        joined = join(results({**name, **texts(PAIR[0]), "rewards": LOW}), CASES)
        assert of_cases(joined) == [(None, LOW)]
        assert decided(joined) == {"sums/first": LOW, "sums/second": LOW}
        assert codes(joined) == []


def test_what_names_no_case_is_left_to_those_that_are_not_named():
    rows = [{**texts(PAIR[0]), "rewards": LOW}, {"id": "second", **texts(PAIR[0]), "rewards": HIGH}]
    joined = join(results(*rows), CASES)
    assert decided(joined) == {"sums/first": LOW, "sums/second": HIGH}
    assert codes(joined) == []
    everywhere = join(results(*rows, {"id": "first", **texts(PAIR[0]), "rewards": HIGH}), CASES)
    assert decided(everywhere) == {"sums/first": HIGH, "sums/second": HIGH}
    assert codes(everywhere) == [("note", "repeated-result")]


def test_different_results_that_nothing_tells_apart_are_a_warning_with_the_ids():
    joined = join(results({**texts(PAIR[0]), "rewards": LOW}, {**texts(PAIR[0]), "rewards": HIGH}), CASES)
    assert decided(joined) == {"sums/first": LOW, "sums/second": LOW}
    (finding,) = joined.findings
    assert (finding.severity, finding.code, finding.line) == ("warning", "equal-texts", 1)
    assert finding.message == (
        "sums/first, sums/second have the same text, and the file gives it several results without naming the case: "
        "the first one counts for all of them; ids in the file would tell them apart"
    )


def test_many_cases_of_one_text_are_not_all_listed():
    many = cases_of("sums", *({**PAIR[0], "id": f"n{number}"} for number in range(9)))
    joined = join(results({**texts(PAIR[0]), "rewards": LOW}, {**texts(PAIR[0]), "rewards": HIGH}), many)
    assert "sums/n5 and 3 more have the same text" in joined.findings[0].message


def test_equal_results_of_equal_texts_are_no_repetition_until_there_are_more_than_cases():
    same = {**texts(PAIR[0]), "rewards": LOW}
    assert codes(join(results(same, same), CASES)) == []
    (finding,) = join(results(same, same, same), CASES).findings
    assert (finding.code, finding.message) == (
        "repeated-result",
        "1 result is of a case that already has one; the first one counts",
    )
    named = {"id": "first", **same}
    assert codes(join(results(named, {"id": "second", **same}), CASES)) == []
    assert join(results(named, named, named), CASES).findings[0].message.startswith("2 results are of a case")


@pytest.mark.parametrize("between", ["_", "-", "/"])
def test_an_id_with_its_subset_names_a_case(between):
    pair = [{**PAIR[0], "id": f"{subset}{between}p7", "subset": subset} for subset in ("one", "two")]
    cases = cases_of("sums", *pair)
    rows = [
        {"id": "p7", "subset": subset, **texts(PAIR[0]), "rewards": some}
        for subset, some in zip(("two", "one"), (LOW, HIGH), strict=True)
    ]
    joined = join(results(*rows), cases)
    assert decided(joined, cases) == {f"sums/one{between}p7": HIGH, f"sums/two{between}p7": LOW}
    assert codes(joined) == []


def test_an_id_that_two_benchmarks_have_is_that_of_both_unless_the_subset_tells():
    cases = together(
        cases_of("sums", {**PAIR[0], "subset": "one"}), cases_of("again", {**PAIR[0], "subset": "two"}, PAIR[1])
    )
    joined = join(results({"id": "first", **texts(PAIR[0]), "rewards": LOW}), cases)
    assert decided(joined, cases) == {"sums/first": LOW, "again/first": LOW}
    assert (joined.joined, joined.given["rewards"], codes(joined)) == (1, 1, [])
    joined = join(results({"id": "first", "subset": "two", **texts(PAIR[0]), "rewards": LOW}), cases)
    assert decided(joined, cases) == {"again/first": LOW}


def test_an_id_of_another_text_names_nothing():
    joined = join(results({"id": "other", **texts(PAIR[0]), "rewards": LOW}), CASES)
    assert decided(joined) == {"sums/first": LOW, "sums/second": LOW}


def answers(name, ballots, **more):
    return [
        {
            **name,
            **texts(PAIR[0]),
            "vote": vote,
            "answer": f"so {ballot}",
            "ballot": str(ballot),
            "verdict": ballot,
            **more,
        }
        for vote, ballot in enumerate(ballots)
    ]


def test_a_critics_votes_are_those_of_their_case_in_every_run():
    rows = [
        *answers({"id": "first"}, [0, 0, 2]),
        *answers({"id": "second"}, [2, 2, 0]),
        *answers({"id": "first"}, [2, 2, 0], run=1),
        *answers({"id": "second"}, [0, -1, -1], run=1),
    ]
    joined = join(results(*rows, kind="critic"), CASES)
    assert codes(joined) == []
    found = evaluate(Gold(CASES), scorer_of(joined), joined.rewards, votes=joined.votes)
    assert [run.verdicts.tolist()[:2] for run in found.runs] == [[0, 2], [2, -1]]
    assert found.votes.of("sums/first") == [("0", 2, 0), ("2", 1, 2)]
    assert found.votes.of("sums/second") == [("2", 2, 2), ("0", 1, 0)]


def test_a_critics_votes_that_nothing_tells_apart_are_a_warning_with_the_ids():
    joined = join(results(*answers({}, [0, 0]), *answers({}, [2, 2]), kind="critic"), CASES)
    assert [(one.severity, one.code) for one in joined.findings] == [("warning", "equal-texts")]
    assert joined.findings[0].message.startswith("sums/first, sums/second have the same text")
    assert verdicts(joined)[:2] == [0, 0]


def counted(cases, results_by_id):
    """How many steps are right or not, and judged right or not, step after step."""
    counts = Counter()
    for name, (n_steps, wrong) in cases.items():
        for step in range(n_steps):
            counts[step not in wrong, results_by_id[name][step] >= 0.5] += 1
    return counts


def defined(counts):
    """Whether no figure is undefined."""
    return all(counts[right, judged] for right in (True, False) for judged in (True, False))


def naive(counts):
    """Figures of steps, pooled, as PRMBench's toolkit has them."""
    right_right, right_wrong = counts[True, True], counts[True, False]
    wrong_wrong, wrong_right = counts[False, False], counts[False, True]
    positive = 2 * right_right / (2 * right_right + wrong_right + right_wrong)
    negative = 2 * wrong_wrong / (2 * wrong_wrong + wrong_right + right_wrong)
    return {
        "f1_positive": positive,
        "f1_negative": negative,
        "prmscore": (positive + negative) / 2,
        "acc": (right_right + wrong_wrong) / sum(counts.values()),
        "positive_acc": right_right / (right_right + right_wrong),
        "negative_acc": wrong_wrong / (wrong_wrong + wrong_right),
    }


BENCHES = {
    "prmbench": ("counterfactual", "confidence"),
    "socratic": ("detection_error", "correction_error"),
}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("benchmark", BENCHES)
def test_figures_of_equal_texts_equal_those_counted_step_by_step(tmp_path, capsys, benchmark, seed):
    one, other = BENCHES[benchmark]
    # Number 0 stands in two classes with the same text and other error steps.
    rows = [row(0, one), row(0, other, error_steps=[3]), row(1, one), row(2, other)]
    named = {f"{value['classification']}_{value['idx']}": value for value in rows}
    rng = random.Random(seed)
    wrong = {name: (3, {step - 1 for step in value["error_steps"]}) for name, value in named.items()}
    parts = {"all": wrong, **{cls: only(wrong, cls) for cls in (one, other)}}
    given_to = dict.fromkeys(named, [0.0] * 3)
    while not all(defined(counted(part, given_to)) for part in parts.values()):
        given_to = {name: rng.sample([0.1, 0.4, 0.6, 0.9], 3) for name in named}
        # Of the two cases of equal text each is judged otherwise.
        given_to[list(named)[1]] = [1 - score for score in given_to[next(iter(named))]]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(value) + "\n" for value in rows))
    records = [
        {
            "task_name": benchmark,
            "model_name": "a-prm",
            "results": {
                "idx": name,
                "scores": {
                    "step_level_validity_scores": some,
                    "step_level_validity_labels": [score >= 0.5 for score in some],
                },
            },
        }
        for name, some in given_to.items()
    ]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    space = str(tmp_path / "w")
    assert main(["import", str(tmp_path / "cases.jsonl"), str(tmp_path / "results.jsonl"), "-w", space]) == 0
    assert "repeated-result" not in capsys.readouterr().out
    cases, _ = Workspace.open(tmp_path / "w").cases()
    assert cases["key"].n_unique() == 3
    assert main(["metrics", "-w", space, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["rows"]
    for subset, part in parts.items():
        figures = {line["metric"]: line["value"] for line in found if line["subset"] == subset}
        for metric, value in naive(counted(part, given_to)).items():
            assert abs(figures[metric] - value) < 1e-12
    for name, some in given_to.items():
        assert main(["show", f"{benchmark}/{name}", "-w", space, "--json"]) == 0
        steps = json.loads(capsys.readouterr().out)["rows"]
        assert [step["a-prm.reward"] for step in steps] == some


def only(cases, cls):
    return {name: value for name, value in cases.items() if name.startswith(cls)}
