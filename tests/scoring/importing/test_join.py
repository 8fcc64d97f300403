import json
import math
import random
import time
from collections import Counter

import polars as pl
import pytest
from msgspec.structs import replace

from inspector.cli import main
from modified import row
from results_and_cases import SOURCE, case, cases_of, codes, results, rewards, texts, together
from scoring.data.errors import NotJoined, UsageError
from scoring.data.schema import REWARDS, VOTES
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.step_rewards import align
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.label_checks import gold_findings, verdict_findings
from scoring.importing.join import join
from scoring.importing.saving import scorer_of
from scoring.importing.step_values import grouped
from scoring.workspace.workspace import Workspace
from thoroughness import together as in_turn

A, B = case("a"), case("b")
CASES = cases_of("sums", A, B)
KEY_A, KEY_B = CASES["key"]
THREE = [0.1, 0.2, 0.3]
REFUSED = "the case is refused until the file has one number for each step of its solution"


def numbered(count, n_steps=3, start=0, **changes):
    return [case(number, n_steps, **changes) for number in range(start, start + count)]


def with_rewards(names, n=3):
    return [{"id": str(name), "rewards": [0.5] * (n - 1) + [0.25]} for name in names]


def test_content_wins_over_an_id_that_says_otherwise():
    found = join(results({"id": "a", **texts(B), "rewards": THREE}), CASES)
    assert rewards(found) == {KEY_B: THREE}
    assert (found.by, found.benchmarks, found.joined) == ("content", ("sums",), 1)
    assert codes(found) == []


def test_numbers_in_an_answer_that_are_not_one_a_step_are_not_said_to_be_refused():
    short = json.dumps({"validity": [0.5, -0.5], "redundancy": [0, 0]})
    read = results({"id": "a", **texts(A), "answer": short}, kind="critic", reads_answers=True)
    found = join(read, cases_of("prmbench", A, B))
    (finding,) = [finding for finding in found.findings if finding.code == "length-mismatch"]
    assert finding.message == "2 numbers for 3 steps; they count in official figures of steps alone"
    assert (found.votes["rewards"].to_list(), found.row_counts["refused"]) == ([[0.5, -0.5]], 0)


def test_other_content_does_not_join_by_its_id():
    found = join(results({"id": "b", **texts(B), "rewards": THREE}, {"id": "a", **texts(case("new"))}), CASES)
    assert rewards(found) == {KEY_B: THREE}
    (lost,) = found.findings
    assert (lost.severity, lost.code, lost.line, lost.case) == ("warning", "not-joined", 2, "a")
    assert lost.message == "the case of this id has another text"


def test_the_same_texts_cut_otherwise_are_other_content():
    cut = {**texts(A), "steps": ["".join(A["steps"])]}
    with pytest.raises(NotJoined):
        join(results({"id": "a", **cut, "rewards": [0.1]}), CASES)


@pytest.mark.parametrize("name", ["second", "twins/second"])
def test_of_cases_of_equal_content_that_of_the_same_id_is_meant(name):
    rows = [{**A, "id": "first", "earliest_error": 0}, {**A, "id": "second", "earliest_error": 2}]
    found = join(results({"id": name, **texts(A), "gold": 2, "rewards": THREE}), cases_of("twins", *rows))
    assert (found.joined, codes(found)) == (1, [])
    found = join(results({"id": name, **texts(A), "gold": 0, "rewards": THREE}), cases_of("twins", *rows))
    assert codes(found) == [("warning", "gold-differs")]


def test_of_cases_of_equal_content_the_first_one_is_meant_where_no_id_says_which():
    rows = [{**A, "id": "first", "earliest_error": 0}, {**A, "id": "second", "earliest_error": 2}]
    found = join(results({**texts(A), "gold": 2}), cases_of("twins", *rows))
    assert found.joined == 1
    assert codes(found) == [("warning", "gold-differs")]


@pytest.mark.parametrize(("fitting", "joins"), [(19, True), (18, False)])
def test_ids_join_where_95_percent_of_them_are_one_benchmarks(fitting, joins):
    cases = cases_of("sums", *numbered(fitting))
    foreign = results(*with_rewards(range(20)))
    if joins:
        found = join(foreign, cases)
        assert (found.by, found.joined) == ("ids", 19)
        assert [(one.code, one.line, one.message) for one in found.findings] == [
            ("not-joined", 20, "no case has this id")
        ]
    else:
        with pytest.raises(NotJoined, match="of its 20 ids sums has 18, 18 with as many numbers as steps"):
            join(foreign, cases)


@pytest.mark.parametrize(("of_three", "joins"), [(19, True), (18, False)])
def test_an_id_counts_only_with_as_many_numbers_as_steps(of_three, joins):
    cases = cases_of("sums", *numbered(of_three), *numbered(20 - of_three, 4, of_three))
    foreign = results(*with_rewards(range(20)))
    if joins:
        found = join(foreign, cases)
        assert found.joined == 20
        assert [(one.severity, one.code, one.line, one.message) for one in found.findings] == [
            ("warning", "length-mismatch", 20, f"3 numbers for 4 steps; {REFUSED}")
        ]
    else:
        with pytest.raises(NotJoined, match="of its 20 ids sums has 20, 18 with as many numbers as steps"):
            join(foreign, cases)


@pytest.mark.parametrize(
    ("column", "n", "code", "said"),
    [
        ("rewards", 2, "length-mismatch", f"2 numbers for 3 steps; {REFUSED}"),
        ("rewards", 4, "length-mismatch", f"4 numbers for 3 steps; {REFUSED}"),
        ("labels", 2, "fewer-labels", "labels for 2 of 3 steps; the others are not judged"),
        ("labels", 4, "more-labels", "4 labels for 3 steps; those beyond count in official figures of steps alone"),
    ],
)
def test_missing_and_surplus_numbers_are_told_with_their_line(column, n, code, said):
    odd = {**texts(B), "id": "b", column: [True] * n if column == "labels" else [0.5] * n}
    found = join(results({**texts(A), "rewards": THREE}, odd), CASES)
    assert found.joined == 2
    assert [(one.code, one.line, one.case, one.message) for one in found.findings] == [(code, 2, "b", said)]


@pytest.mark.parametrize("given", [{"rewards": [*THREE, 0.5]}, {"rewards": THREE[:2]}, {"reason": "too long"}])
def test_what_an_evaluation_refuses_is_counted_as_refused_and_as_nothing_else(given):
    found = join(results({**texts(A), "rewards": THREE}, {**texts(B), **given}), CASES)
    assert (found.row_counts["rewards"], found.row_counts["refused"]) == (1, 1)
    assert align(CASES, found.rewards).refused.sum() == 1


def test_labels_decide_beside_rewards_that_are_not_as_many_as_the_steps():
    found = join(results({**texts(A), "rewards": THREE[:2], "labels": [True, False, True]}), CASES)
    assert (found.row_counts["labels"], found.row_counts["refused"]) == (1, 0)


@pytest.mark.parametrize("on", ["rewards", "differences"])
def test_of_rewards_and_labels_that_say_the_same_the_labels_stay_where_the_rewards_do_not_fit(on):
    values = [{**texts(A), "rewards": THREE, "labels": [True, False, True]}]
    values.append({**texts(B), "rewards": THREE[:2], "labels": [True, False]})
    found = join(replace(results(*values), labels_explained=True, on=on), CASES)
    assert found.rewards.select("rewards", "labels").rows() == [(THREE, None), (None, [True, False])]
    assert [one.code for one in found.findings] == ["fewer-labels"]
    # Where they are the scorer's own decisions, both stay, and the labels decide.
    found = join(results(*values), CASES)
    assert found.rewards["rewards"].null_count() == found.rewards["labels"].null_count() == 0


def test_ids_that_two_benchmarks_have_are_refused_with_both_named():
    both = together(cases_of("sums", *numbered(5)), cases_of("products", *numbered(5)))
    with pytest.raises(NotJoined) as caught:
        join(results(*with_rewards(range(5))), both)
    said = str(caught.value)
    assert "runs/a-prm.jsonl (made) has ids and no texts, and which benchmark they are of is not clear" in said
    assert "of its 5 ids sums has 5, 5 with as many numbers as steps; products has 5, 5 with as many" in said
    assert said.endswith("what does not fit is listed: --benchmark sums or --benchmark products")


@pytest.mark.parametrize("shared", [0, 1])
def test_a_file_about_two_benchmarks_joins_both_where_no_id_is_of_two(shared):
    both = together(cases_of("sums", *numbered(5)), cases_of("products", *numbered(5, start=5 - shared)))
    every = results(*with_rewards(range(10 - shared)))
    if shared:
        with pytest.raises(NotJoined, match="which benchmark they are of is not clear"):
            join(every, both)
        return
    found = join(every, both)
    assert (found.by, found.benchmarks, found.joined) == ("ids", ("sums", "products"), 10)
    assert set(rewards(found)) == set(both["key"])
    # With other numbers of steps, one in ten would be another benchmark's.
    with pytest.raises(NotJoined):
        join(results(*with_rewards(range(9)), *with_rewards([9], 4)), both)


def test_ids_that_no_case_has_are_refused_with_what_both_look_like():
    with pytest.raises(NotJoined) as caught:
        join(results({"id": "q0", "rewards": THREE}), cases_of("sums", *numbered(3)))
    assert "They look like 'q0', and those that are here like sums: '0', '1'." in str(caught.value)
    with pytest.raises(NotJoined, match="Its ids look like 'q0', and theirs like '0', '1'"):
        join(results({"id": "q0", "rewards": THREE}), cases_of("sums", *numbered(3)), "sums")


def test_of_two_benchmarks_with_these_ids_the_number_of_steps_tells():
    both = together(cases_of("sums", *numbered(5, 4)), cases_of("products", *numbered(5, 3)))
    assert join(results(*with_rewards(range(5))), both).benchmarks == ("products",)
    assert join(results(*with_rewards(range(5), 4)), both).benchmarks == ("sums",)


def test_the_benchmark_that_the_format_is_of_is_meant_if_the_ids_fit_it():
    both = together(cases_of("sums", *numbered(5)), cases_of("products", *numbered(5)))
    assert join(results(*with_rewards(range(5)), benchmark="products"), both).benchmarks == ("products",)
    other = together(cases_of("sums", *numbered(5)), cases_of("products", *numbered(5, start=3)))
    assert join(results(*with_rewards(range(5)), benchmark="products"), other).benchmarks == ("sums",)


def test_the_benchmark_that_the_user_names_is_meant_however_few_of_the_ids_fit():
    both = together(cases_of("sums", *numbered(5)), cases_of("products", *numbered(5, start=4)))
    found = join(results(*with_rewards(range(5))), both, "products")
    assert (found.benchmarks, found.joined) == (("products",), 1)
    assert codes(found) == [("warning", "not-joined")] * 4


def test_what_judges_redundancy_joins_no_benchmark_of_errors_nor_the_other_way_round():
    both = together(cases_of("sums", *numbered(5)), cases_of("mrmath_redundant", *numbered(5)))
    answers = [{"id": str(number), "answer": "it is", "ballot": "-1", "verdict": -1} for number in range(5)]

    def joined(judges, cases=both, named=None):
        return join(results(*answers, kind="critic", judges=judges), cases, named)

    assert joined("errors").benchmarks == ("sums",)
    assert joined("redundancy").benchmarks == ("mrmath_redundant",)
    assert codes(joined("redundancy")) == []
    with pytest.raises(NotJoined, match=r"sums has 5, .*; mrmath_redundant has 5, "):
        joined("")
    alone = both.filter(both["benchmark"] == "sums")
    with pytest.raises(NotJoined, match=r"It judges redundancy, of which sums has no labels\. Import the benchmark"):
        joined("redundancy", alone)
    named = joined("redundancy", both, "sums")
    assert named.benchmarks == ("sums",)
    assert codes(named) == [("warning", "other-question")]


def test_answers_that_name_every_step_rate_all_of_them():
    def answer(name, **changes):
        return {"id": name, "answer": "it is", "ballot": "x", "verdict": -1, **changes}

    cases = cases_of("sums", A, B, case("c"), case("d", 1))
    rows = [
        answer("a", verdict=0, named_steps=[0, 2, 7]),
        answer("b", named_steps=[]),
        answer("c", verdict=5, named_steps=[5]),
        answer("d"),
    ]
    found = join(results(*rows, kind="critic"), cases)
    assert found.votes["rewards"].to_list() == [[-1.0, 1.0, -1.0], [1.0, 1.0, 1.0], None, None]
    assert found.votes["verdict"].to_list() == [0, -1, 5, -1]
    assert found.rewards.is_empty()
    (finding,) = [one for one in found.findings if one.code == "named-beyond-end"]
    assert finding.message == "2 answers name steps that are not there; these are left out"


def test_content_of_another_benchmark_than_the_user_names_does_not_join():
    both = together(CASES, cases_of("products", case("c")))
    with pytest.raises(NotJoined, match=r"none of the 1 results of .* belongs to a case of products"):
        join(results({**texts(A), "rewards": THREE}), both, "products")


def test_a_benchmark_that_is_not_there_is_one_sentence():
    with pytest.raises(UsageError, match=r"no cases of a benchmark 'products'\. Benchmarks here: sums\."):
        join(results(*with_rewards("ab")), CASES, "products")


def test_ids_may_carry_their_benchmarks_name():
    both = together(CASES, cases_of("products", A, B))
    assert join(results(*with_rewards(["products/a", "products/b"])), both).benchmarks == ("products",)


def test_nothing_that_joins_is_one_sentence():
    with pytest.raises(NotJoined, match=r"none of the 1 results .* belongs to a case of sums\. Import the benchmark"):
        join(results({**texts(case("new")), "rewards": THREE}), CASES)
    with pytest.raises(NotJoined, match=r"not one row of .* gives a result\. Name the columns"):
        join(results(), CASES)
    with pytest.raises(NotJoined, match="no benchmark is imported that they could be of"):
        join(results(*with_rewards("ab")), CASES.clear())


def test_a_refusal_counts_and_never_rounds_up_to_enough():
    with pytest.raises(NotJoined, match=r"of its 1,000 ids sums has 949, .* \(95% in one benchmark alone are needed"):
        join(results(*with_rewards(range(1000))), cases_of("sums", *numbered(949)))


def test_some_rows_by_content_and_some_by_ids():
    found = join(results({**texts(A), "rewards": THREE}, {"id": "b", "rewards": THREE}), CASES)
    assert (found.by, found.joined, codes(found)) == ("content and ids", 2, [])
    assert found.rewards["key"].to_list() == [KEY_A, KEY_B]


def test_ids_that_are_not_clear_beside_content_are_listed():
    both = together(CASES, cases_of("products", case("c"), case("b")))
    found = join(results({**texts(A), "rewards": THREE}, {"id": "b", "rewards": THREE}), both)
    assert found.joined == 1
    assert [(one.line, one.message) for one in found.findings] == [(2, "which benchmark its id is of is not clear")]


def test_unclear_ids_beside_content_of_no_case_are_refused_with_the_candidates():
    both = together(CASES, cases_of("products", case("c"), case("b")))
    with pytest.raises(NotJoined, match=r"sums has 1, .*; products has 1, "):
        join(results({**texts(case("new")), "rewards": THREE}, {"id": "b", "rewards": THREE}), both)


def test_every_row_that_is_lost_is_told_with_its_line():
    rows = [
        {"rewards": THREE},
        {"problem": A["problem"], "rewards": THREE},
        texts(case("new")),
        {"id": "x", **texts(case("new"))},
        {"problem": "What?", "steps": ["one", None]},
        {"id": "x", "rewards": THREE},
    ]
    found = join(results({**texts(A), "rewards": THREE}, *rows), CASES)
    assert found.joined == 1
    assert [(one.line, one.message) for one in found.findings if one.code == "not-joined"] == [
        (2, "it has neither an id nor a whole text"),
        (3, "it has neither an id nor a whole text"),
        (4, "its text is no case's"),
        (5, "neither its text nor its id is a case's"),
        (6, "its text is no case's"),
        (7, "no case has this id"),
    ]


def test_a_twin_gets_its_rewards_and_another_twin_its_own():
    twin = {**case("correct_a"), "twin_of": "sums/a"}
    found = join(results(*with_rewards(["a", "b", "correct_a"])), cases_of("sums", A, B, twin))
    assert (found.joined, found.rewards.height, codes(found)) == (3, 3, [])


def test_of_several_results_for_one_solution_the_first_counts():
    later = {"id": "a", "rewards": [0.9] * 3}
    found = join(results({"id": "a", "rewards": THREE}, {"id": "b", "rewards": THREE}, later), CASES)
    assert rewards(found) == {KEY_A: THREE, KEY_B: THREE}
    assert [(one.severity, one.code, one.message) for one in found.findings] == [
        ("note", "repeated-result", "1 result is of a case that already has one; the first one counts")
    ]
    assert found.joined == 3


def test_votes_and_runs_of_one_solution_are_no_repetitions():
    answers = [{"id": "a", "vote": vote, "run": run, "answer": "x"} for vote in range(2) for run in range(2)]
    found = join(results(*answers, {"id": "b", "answer": "x"}, kind="critic"), CASES)
    assert found.votes.height == 5
    assert codes(found) == [("note", "ids-alone")]


def test_ids_without_any_number_to_compare_are_said_to_be_all_there_is():
    found = join(results({"id": "a", "verdict": 1}, {"id": "b", "verdict": 1}, kind="critic"), CASES)
    assert [one.message for one in found.findings] == ["nothing but their ids says that these are cases of sums"]


def test_critics_give_votes_and_prms_rewards():
    answered = [{"id": "a", "answer": "it is 1", "ballot": "1", "verdict": 1}, {"id": "b", "reason": "too long"}]
    critic = join(results(*answered, kind="critic"), CASES)
    assert critic.rewards.is_empty()
    assert critic.votes.schema == VOTES
    assert critic.votes.select("key", "answer", "ballot", "verdict", "reason").rows() == [
        (KEY_A, "it is 1", "1", 1, None),
        (KEY_B, None, None, None, "too long"),
    ]
    prm = join(results({"id": "a", "rewards": THREE}, {"id": "b", "reason": "too long"}), CASES)
    assert prm.votes.is_empty()
    assert prm.rewards.schema == REWARDS
    assert prm.rewards.select("key", "rewards", "reason").rows() == [(KEY_A, THREE, None), (KEY_B, None, "too long")]


@pytest.mark.parametrize(
    "given", [{"rewards": THREE}, {"labels": [True] * 3}, {"solution": 0.5}], ids=["rewards", "labels", "solution"]
)
def test_a_row_with_an_answer_and_numbers_is_in_both(given):
    foreign = results({"id": "a", "answer": "x", "ballot": "1", "verdict": 1, **given}, {"id": "b", **given})
    found = join(foreign, CASES)
    assert found.votes["key"].to_list() == [KEY_A]
    assert found.rewards["key"].to_list() == [KEY_A, KEY_B]


def test_answers_that_say_nothing_are_counted():
    answers = [
        {"id": "a", "answer": "?", "reason": "no box"},
        {"id": "a", "vote": 1, "answer": "two", "ballot": "two"},
        {"id": "b", "verdict": 0},
    ]
    assert join(results(*answers, kind="critic"), CASES).unparsed == 2


def test_what_the_reader_noticed_stays():
    noticed = Finding("warning", "unparsed", "no box", SOURCE, 1)
    assert join(results(*with_rewards("ab"), findings=(noticed,)), CASES).findings == (noticed,)


def test_gold_labels_that_count_from_another_base_are_told():
    cases = cases_of("sums", *[case(number, 6, earliest_error=number % 5) for number in range(10)])
    rows = [{"id": str(number), "rewards": [0.5, 0.25] * 3, "gold": number % 5 + 1} for number in range(10)]
    assert codes(join(results(*rows), cases)) == [("warning", "gold-shifted")]


def test_ten_thousand_rows_are_not_joined_each_with_each():
    rows = numbered(10_000)
    cases = cases_of("sums", *rows)
    by_ids = results(*({"id": row["id"], "rewards": THREE} for row in rows))
    by_content = results(*({"id": str(-place), **texts(row), "rewards": THREE} for place, row in enumerate(rows)))
    start = time.process_time()
    assert join(by_ids, cases).joined == 10_000
    assert join(by_content, cases).joined == 10_000
    # A tenth of a second; anything quadratic takes far longer.
    assert time.process_time() - start < 2


PAIR = [{**case("a"), "id": name, "earliest_error": gold} for name, gold in (("first", 0), ("second", 2))]
OTHER = case("other")
CASES_EQUAL = cases_of("sums", *PAIR, OTHER)
LOW, HIGH = [0.1, 0.9, 0.9], [0.9, 0.9, 0.1]


def of_cases(joined):
    """(case, rewards) as they are stored."""
    return joined.rewards.select("case", "rewards").rows()


def verdicts(joined, cases=CASES_EQUAL):
    found = evaluate(Gold(cases), scorer_of(joined), joined.rewards, votes=joined.votes)
    return found.verdicts.tolist()


def decided(joined, cases=CASES_EQUAL):
    """{case: rewards} of all that have some."""
    found = evaluate(Gold(cases), scorer_of(joined), joined.rewards).rewards
    return {name: found.of(number) for number, name in enumerate(cases["case"]) if found.of(number) is not None}


@pytest.mark.parametrize("prefix", ["", "sums/"])
@pytest.mark.parametrize("repeats", [True, False], ids=["with texts", "ids alone"])
def test_cases_of_equal_text_keep_their_own_results(prefix, repeats):
    told = [(PAIR[0], LOW), (PAIR[1], HIGH), (OTHER, LOW)]
    rows = [{"id": prefix + one["id"], "rewards": rewards, **(texts(one) if repeats else {})} for one, rewards in told]
    for order in (rows, rows[::-1]):
        joined = join(results(*order), CASES_EQUAL)
        assert dict(of_cases(joined)) == {"sums/first": LOW, "sums/second": HIGH, "sums/other": LOW}
        assert decided(joined) == {"sums/first": LOW, "sums/second": HIGH, "sums/other": LOW}
        assert (joined.joined, codes(joined)) == (3, [])


def test_a_result_that_is_named_is_no_other_cases():
    joined = join(results({"id": "first", **texts(PAIR[0]), "rewards": LOW}), CASES_EQUAL)
    assert decided(joined) == {"sums/first": LOW}


def test_one_result_without_a_name_is_that_of_all_cases_of_its_text():
    for name in ({}, {"id": "nobody"}):
        joined = join(results({**name, **texts(PAIR[0]), "rewards": LOW}), CASES_EQUAL)
        assert of_cases(joined) == [(None, LOW)]
        assert decided(joined) == {"sums/first": LOW, "sums/second": LOW}
        assert codes(joined) == []


def test_what_names_no_case_is_left_to_those_that_are_not_named():
    rows = [{**texts(PAIR[0]), "rewards": LOW}, {"id": "second", **texts(PAIR[0]), "rewards": HIGH}]
    joined = join(results(*rows), CASES_EQUAL)
    assert decided(joined) == {"sums/first": LOW, "sums/second": HIGH}
    assert codes(joined) == []
    everywhere = join(results(*rows, {"id": "first", **texts(PAIR[0]), "rewards": HIGH}), CASES_EQUAL)
    assert decided(everywhere) == {"sums/first": HIGH, "sums/second": HIGH}
    assert codes(everywhere) == [("note", "repeated-result")]


def test_different_results_that_nothing_tells_apart_are_a_warning_with_the_ids():
    joined = join(results({**texts(PAIR[0]), "rewards": LOW}, {**texts(PAIR[0]), "rewards": HIGH}), CASES_EQUAL)
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
    assert codes(join(results(same, same), CASES_EQUAL)) == []
    (finding,) = join(results(same, same, same), CASES_EQUAL).findings
    assert (finding.code, finding.message) == (
        "repeated-result",
        "1 result is of a case that already has one; the first one counts",
    )
    named = {"id": "first", **same}
    assert codes(join(results(named, {"id": "second", **same}), CASES_EQUAL)) == []
    assert join(results(named, named, named), CASES_EQUAL).findings[0].message.startswith("2 results are of a case")


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
    assert (joined.joined, joined.row_counts["rewards"], codes(joined)) == (1, 1, [])
    joined = join(results({"id": "first", "subset": "two", **texts(PAIR[0]), "rewards": LOW}), cases)
    assert decided(joined, cases) == {"again/first": LOW}


def test_an_id_of_another_text_names_nothing():
    joined = join(results({"id": "other", **texts(PAIR[0]), "rewards": LOW}), CASES_EQUAL)
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
    joined = join(results(*rows, kind="critic"), CASES_EQUAL)
    assert codes(joined) == []
    found = evaluate(Gold(CASES_EQUAL), scorer_of(joined), joined.rewards, votes=joined.votes)
    assert [run.verdicts.tolist()[:2] for run in found.runs] == [[0, 2], [2, -1]]
    assert found.votes.of("sums/first") == [("0", 2, 0), ("2", 1, 2)]
    assert found.votes.of("sums/second") == [("2", 2, 2), ("0", 1, 0)]


def test_a_critics_votes_that_nothing_tells_apart_are_a_warning_with_the_ids():
    joined = join(results(*answers({}, [0, 0]), *answers({}, [2, 2]), kind="critic"), CASES_EQUAL)
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


@pytest.mark.parametrize(("benchmark", "seed"), in_turn(BENCHES, [0, 1]))
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


NAMED = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3]


def told(find, **columns):
    """(code, message) of what is found in rows of the given columns."""
    count = len(columns["earliest_error"])
    frame = pl.DataFrame({"key": [str(n) for n in range(count)], "line": range(1, count + 1), **columns})
    frame = frame.with_columns(id=pl.col("key"))
    return [(one.code, one.message) for one in find("runs/x.jsonl", frame)]


def test_equal_gold_labels_say_nothing():
    assert told(gold_findings, earliest_error=[*NAMED, -1], gold=[*NAMED, -1]) == []
    assert told(gold_findings, earliest_error=[1, None], gold=[None, 2]) == []


@pytest.mark.parametrize(("by", "way"), [(1, "higher"), (-1, "lower")])
def test_gold_labels_that_are_all_moved_by_one_are_told(by, way):
    gold = [*(step + by for step in NAMED), -1, -1]
    assert told(gold_findings, earliest_error=[*NAMED, -1, -1], gold=gold) == [
        (
            "gold-shifted",
            (
                f"10 of 10 gold error steps of the file are one {way} than the benchmark's: "
                "one of the two counts from another base"
            ),
        )
    ]


def test_one_label_that_is_not_moved_hides_no_shift():
    gold = [*(step + 1 for step in NAMED[1:]), NAMED[0]]
    found = told(gold_findings, earliest_error=[*NAMED[1:], NAMED[0]], gold=gold)
    assert found[0][1].startswith("9 of 10 gold error steps of the file are one higher")


def test_few_labels_that_differ_are_no_shift():
    assert told(gold_findings, earliest_error=[0, 1, 2, 3], gold=[1, 2, 3, 4]) == [
        ("gold-differs", "4 gold labels of the file are not the benchmark's, here 1 and not 0, 0-based")
    ]


def test_only_clean_labels_that_differ_are_no_shift():
    found = told(gold_findings, earliest_error=[*NAMED, -1], gold=[*NAMED, 2])
    assert found == [("gold-differs", "1 gold labels of the file are not the benchmark's, here 2 and not -1, 0-based")]


def test_labels_that_are_moved_by_two_are_no_other_base():
    found = told(gold_findings, earliest_error=NAMED, gold=[step + 2 for step in NAMED])
    assert [code for code, _ in found] == ["gold-differs"]


def test_several_answers_to_one_case_are_one_label():
    keys = ["a"] * 8
    assert [code for code, _ in told(gold_findings, key=keys, earliest_error=[1] * 8, gold=[2] * 8)] == ["gold-differs"]


@pytest.mark.parametrize(("by", "way"), [(1, "higher"), (-1, "lower")])
def test_verdicts_that_are_mostly_moved_by_one_are_told(by, way):
    gold = [step + 1 for step in NAMED]
    assert told(verdict_findings, earliest_error=gold, verdict=[step + by for step in gold]) == [
        (
            "verdicts-shifted",
            f"10 verdicts are one {way} than the gold error and 0 equal it: they may count from another base",
        )
    ]


def test_verdicts_that_are_often_right_are_not_shifted():
    late = [*NAMED[:3], *(step + 1 for step in NAMED[3:])]
    assert told(verdict_findings, earliest_error=NAMED, verdict=late) == []


def test_a_critic_that_sees_no_errors_is_not_shifted():
    assert told(verdict_findings, earliest_error=[0] * 20, verdict=[-1] * 20) == []
    assert told(verdict_findings, earliest_error=[0] * 20, verdict=[-2] * 20) == []


def test_clean_cases_and_cases_without_a_gold_label_show_no_shift():
    assert told(verdict_findings, earliest_error=[-1] * 9 + [None], verdict=[0] * 10) == []


def test_eight_equal_votes_for_one_case_are_one_verdict():
    assert told(verdict_findings, key=["a"] * 8, earliest_error=[1] * 8, verdict=[2] * 8) == []


COARSE = case("a", 3, sub_steps=[1, 2, 2])
FIVE = [0.9, 0.8, 0.3, 0.4, 0.7]


def joined(row, of=COARSE):
    return join(results({"id": "a", **row}), cases_of("nested", of))


def test_a_step_takes_the_lowest_reward_of_its_sub_steps():
    found = joined({"rewards": FIVE})
    assert list(rewards(found).values()) == [[0.9, 0.3, 0.4]]
    assert [(one.severity, one.code, one.message) for one in found.findings] == [
        (
            "note",
            "grouped-sub-steps",
            (
                "1 cases have one number a sub-step: each step takes the lowest of its sub-steps' rewards "
                "(of redundancy the highest)"
            ),
        )
    ]


def test_a_step_takes_the_highest_redundancy_of_its_sub_steps():
    found = joined({"rewards": FIVE, "redundancy": FIVE}).rewards
    assert found["redundancy"].to_list() == [[0.9, 0.8, 0.7]]


def test_a_step_is_right_if_all_its_sub_steps_are_and_redundant_if_one_is():
    labels = [True, True, False, False, False]
    found = joined({"labels": labels, "redundancy_labels": labels}).rewards
    assert found["labels"].to_list() == [[True, False, False]]
    assert found["redundancy_labels"].to_list() == [[True, True, False]]


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("column", ["rewards", "redundancy", "labels", "redundancy_labels"])
def test_an_absent_number_is_never_hidden_by_its_neighbour(column, place):
    sound = FIVE if column in {"rewards", "redundancy"} else [True, False, True, False, True]
    hurt = [*sound[:place], None, *sound[place + 1 :]]
    found = joined({"rewards": FIVE, column: hurt}).rewards
    assert found[column].to_list()[0][1] is None


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("column", ["rewards", "redundancy"])
def test_a_number_that_is_not_finite_is_never_hidden_by_its_neighbour(column, odd, place):
    hurt = [*FIVE[:place], odd, *FIVE[place + 1 :]]
    found = joined({"rewards": FIVE, column: hurt}).rewards[column].to_list()[0]
    assert math.isnan(found[1])
    assert all(map(math.isfinite, (found[0], found[2])))


def test_a_step_without_sub_steps_was_not_judged_and_the_case_is_refused():
    cases = cases_of("nested", case("a", 3, sub_steps=[2, 0, 2]))
    found = join(results({"id": "a", "rewards": FIVE[:4]}), cases)
    assert found.rewards["rewards"].to_list() == [[0.8, None, 0.3]]
    assert align(cases, found.rewards).refused.tolist() == [True]


def test_one_number_a_step_is_left_as_it_is():
    found = joined({"rewards": [0.1, 0.2, 0.3]})
    assert list(rewards(found).values()) == [[0.1, 0.2, 0.3]]
    assert codes(found) == []


def test_sub_steps_that_are_as_many_as_steps_are_not_grouped():
    found = joined({"rewards": [0.1, 0.2, 0.3]}, case("a", 3, sub_steps=[1, 1, 1]))
    assert list(rewards(found).values()) == [[0.1, 0.2, 0.3]]


def test_any_other_number_of_numbers_is_a_mismatch():
    found = join(results({"id": "a", "rewards": FIVE[:4]}), cases_of("nested", COARSE), "nested")
    assert list(rewards(found).values()) == [FIVE[:4]]
    assert codes(found) == [("warning", "length-mismatch")]


def test_a_list_of_another_length_beside_the_numbers_is_left_as_it_is():
    found = joined({"rewards": FIVE, "redundancy": [0.5, 0.6, 0.7]}).rewards
    assert found["rewards"].to_list() == [[0.9, 0.3, 0.4]]
    assert found["redundancy"].to_list() == [[0.5, 0.6, 0.7]]


def test_grouped_rows_stay_in_their_place_and_each_case_is_counted_once():
    rows = [case("b", 5), COARSE, case("c", 5)]
    values = [{"id": name, "rewards": FIVE} for name in ("b", "a", "c")]
    again = {"id": "a", "vote": 1, "rewards": FIVE}
    found = join(results(*values, again), cases_of("nested", *rows))
    assert found.rewards["rewards"].list.len().to_list() == [5, 3, 5, 3]
    assert found.findings[0].message.startswith("1 cases have")


def test_nothing_to_group_gives_the_rows_themselves():
    rows = pl.DataFrame({"sub_steps": [[2, 1], None], "_numbers": [2, 3], "n_steps": [2, 3]})
    assert grouped(rows, "a file") == (rows, [])
