import time
from dataclasses import replace

import pytest

from results_and_cases import SOURCE, case, cases_of, codes, results, rewards, texts, together
from scoring.errors import NotJoined, UsageError
from scoring.importing.joining import join
from scoring.reading.findings import Finding
from scoring.schema import REWARDS, VOTES

A, B = case("a"), case("b")
CASES = cases_of("sums", A, B)
KEY_A, KEY_B = CASES["key"]
THREE = [0.1, 0.2, 0.3]


def numbered(count, n_steps=3, start=0, **changes):
    return [case(number, n_steps, **changes) for number in range(start, start + count)]


def with_rewards(names, n=3):
    return [{"id": str(name), "rewards": [0.5] * n} for name in names]


def test_content_wins_over_an_id_that_says_otherwise():
    found = join(results({"id": "a", **texts(B), "rewards": THREE}), CASES)
    assert rewards(found) == {KEY_B: THREE}
    assert (found.by, found.benchmarks, found.joined) == ("content", ("sums",), 1)
    assert codes(found) == []


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
            ("warning", "length-mismatch", 20, "3 numbers for 4 steps; the case is refused")
        ]
    else:
        with pytest.raises(NotJoined, match="of its 20 ids sums has 20, 18 with as many numbers as steps"):
            join(foreign, cases)


@pytest.mark.parametrize(
    ("column", "n", "code", "said"),
    [
        ("rewards", 2, "length-mismatch", "2 numbers for 3 steps; the case is refused"),
        ("rewards", 4, "length-mismatch", "4 numbers for 3 steps; the case is refused"),
        ("labels", 2, "fewer-labels", "labels for 2 of 3 steps; the others are not judged"),
        ("labels", 4, "more-labels", "4 labels for 3 steps; those beyond count in official figures of steps alone"),
    ],
)
def test_missing_and_surplus_numbers_are_told_with_their_line(column, n, code, said):
    odd = {**texts(B), "id": "b", column: [True] * n if column == "labels" else [0.5] * n}
    found = join(results({**texts(A), "rewards": THREE}, odd), CASES)
    assert found.joined == 2
    assert [(one.code, one.line, one.case, one.message) for one in found.findings] == [(code, 2, "b", said)]


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
    with pytest.raises(NotJoined, match="none of the 0 results"):
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
    rows = [{"id": str(number), "rewards": [0.5] * 6, "gold": number % 5 + 1} for number in range(10)]
    assert codes(join(results(*rows), cases)) == [("warning", "gold-shifted")]


def test_twenty_thousand_rows_are_not_joined_each_with_each():
    rows = numbered(20_000)
    cases = cases_of("sums", *rows)
    by_ids = results(*({"id": row["id"], "rewards": THREE} for row in rows))
    by_content = results(*({"id": str(-place), **texts(row), "rewards": THREE} for place, row in enumerate(rows)))
    start = time.perf_counter()
    assert join(by_ids, cases).joined == 20_000
    assert join(by_content, cases).joined == 20_000
    # A fifth of a second on an idle machine; anything quadratic takes minutes.
    assert time.perf_counter() - start < 30
