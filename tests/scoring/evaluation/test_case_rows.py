import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
from reference import Case
from scoring.data.schema import REWARDS, VOTES, conform
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.votes import by_run, tally
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.rows_of_cases import case_rows, cases_with_rows, rows_about, rows_of_cases
from thoroughness import up_to

KEYS, NAMES = ("k", "l", "m"), ("b/1", "b/2", "b/3", "b/4")
places = st.tuples(st.sampled_from(KEYS), st.none() | st.sampled_from(NAMES), st.integers(0, 1), st.integers(0, 1))
contents = st.lists(st.sampled_from(KEYS), min_size=1, max_size=len(NAMES))


def cases_of(keys):
    return pl.DataFrame({"case": NAMES[: len(keys)], "key": keys}, schema={"case": pl.String, "key": pl.String})


def rows_of(identities):
    schema = {name: VOTES[name] for name in ("key", "case", "vote", "run")}
    return pl.DataFrame(identities, schema=schema, orient="row")


def slow(keys, identities, *, runs):
    """(case, row) of all that counts, one case and one row after the other."""
    found = []
    for case, key in enumerate(keys):
        own = {number for number, row in enumerate(identities) if row[:2] == (key, NAMES[case])}
        decided = {identities[number][3] if runs else None for number in own}
        for number, row in enumerate(identities):
            by_content = row[:2] == (key, None) and (row[3] if runs else None) not in decided
            if number in own or by_content:
                found.append((case, number))
    return sorted(found)


@up_to(150, 18)
@given(contents, st.lists(places, unique=True, max_size=12), st.booleans())
def test_each_case_has_its_own_rows_or_those_of_its_content(keys, identities, runs):
    cases, rows = cases_of(keys), rows_of(identities)
    rows = rows if runs else rows.drop("run")
    pairs = case_rows(cases, rows)
    expected = slow(keys, identities, runs=runs)
    assert sorted(pairs.rows()) == expected
    assert pairs["row"].is_sorted()
    told = rows_of_cases(cases, rows)
    assert sorted(told.select("case_row", "key", "vote").rows()) == sorted(
        (case, identities[row][0], identities[row][2]) for case, row in expected
    )
    assert told["case"].to_list() == [NAMES[case] for case in told["case_row"]]
    assert rows_about(cases, rows).rows() == [rows.row(row) for row in sorted({row for _, row in expected})]
    assert cases_with_rows(cases, rows)["case"].to_list() == [NAMES[case] for case in sorted({c for c, _ in expected})]
    # Once each row names its case, nothing else is found.
    again = rows_of_cases(cases, told.drop("case_row"))
    assert sorted(again.rows()) == sorted(told.rows())


def test_without_names_of_cases_contents_alone_are_joined():
    rows = rows_of([("k", None, 0, 0), ("k", "b/1", 0, 0)])
    assert case_rows(pl.DataFrame({"key": ["k", "k"]}), rows).rows() == [(0, 0), (1, 0)]
    assert case_rows(cases_of(["k", "k"]), rows.drop("case", "run")[:1]).rows() == [(0, 0), (1, 0)]


def test_what_was_said_of_another_text_of_the_case_does_not_count():
    assert case_rows(cases_of(["l"]), rows_of([("k", "b/1", 0, 0)])).is_empty()


def arrays(evaluation):
    """What an evaluation holds of its cases, as lists."""
    rewards, given_of = evaluation.rewards, evaluation.fixed_verdicts
    found = [rewards.values, rewards.offsets, rewards.labels.values, rewards.scored, rewards.refused, evaluation.codes]
    return [one.tolist() for one in (*found, given_of.verdicts)] + [list(evaluation.coverage.reasons)]


@up_to(40, 5)
@given(making.benches(), st.randoms(use_true_random=False))
def test_rewards_by_content_give_what_joining_on_the_key_gave(bench, rng):
    cases = making.frame(bench)
    # Some cases have the text of the first one.
    keys = [cases["key"][0] if rng.random() < 0.3 else key for key in cases["key"]]
    lengths = [
        bench[0].n_steps if key == cases["key"][0] else case.n_steps for key, case in zip(keys, bench, strict=True)
    ]
    cases = cases.with_columns(key=pl.Series(keys), n_steps=pl.Series(lengths, dtype=pl.Int32))
    rewards = making.rewards(bench)
    scorer = making.scorer()
    found = evaluate(Gold(cases), scorer, rewards)
    # A key that each case has alone, and a row for each: nothing is left to be shared.
    alone = cases.with_columns(key=pl.col("case"))
    joined = cases.select("case", "key").join(rewards.drop("case"), on="key", how="inner", maintain_order="left")
    copied = conform(joined.with_columns(key=pl.col("case")).drop("case"), REWARDS, "rewards")
    assert repr(arrays(found)) == repr(arrays(evaluate(Gold(alone), scorer, copied)))
    named = rewards_of_each(cases, rewards)
    assert repr(arrays(found)) == repr(arrays(evaluate(Gold(cases), scorer, named)))


def rewards_of_each(cases, rewards):
    return rows_of_cases(cases, rewards).drop("case_row")


def test_votes_by_content_give_what_joining_on_the_key_gave():
    cases = making.frame([Case(3)] * 3)
    keys = cases["key"]
    equal = cases.with_columns(key=pl.Series([keys[0], keys[0], keys[2]]))
    votes = pl.concat([judged.votes([keys[0], keys[2]], [["1", "2", "2"], ["0"]], run) for run in (3, 5)])
    runs = by_run(equal, votes)
    assert [tally(equal, run).verdicts.tolist() for run in runs] == [[2, 2, 0], [2, 2, 0]]
    assert [run["case"].n_unique() for run in runs] == [3, 3]


def test_votes_that_name_a_case_are_its_own_in_that_run():
    cases = making.frame([Case(3), Case(3)]).with_columns(key=pl.lit("k"))
    first, second = cases["case"]
    by_content = pl.concat([judged.votes(["k"], [["1", "1"]], run) for run in (0, 1)])
    own = judged.votes(["k"], [["2", "0", "0"]], 1).with_columns(case=pl.lit(second))
    runs = by_run(cases, pl.concat([by_content, own]))
    assert [tally(cases, run).verdicts.tolist() for run in runs] == [[1, 1], [1, 0]]
    assert tally(cases, runs[1]).of(second) == [("0", 2, 0), ("2", 1, 2)]
    assert tally(cases, runs[1]).of(first) == [("1", 2, 1)]


def test_answers_that_rate_steps_are_those_of_their_case():
    cases = making.frame([Case(2), Case(2)]).with_columns(key=pl.lit("k"))
    first, second = cases["case"]
    rows = [
        {"key": "k", "case": name, "vote": vote, "run": 0, "answer": "a", "rewards": rewards}
        for name, given_rewards in ((first, [[1.0, -1.0], [1.0, 0.0]]), (second, [[0.5, 0.5]]))
        for vote, rewards in enumerate(given_rewards)
    ]
    votes = conform(pl.DataFrame(rows, schema_overrides={"vote": pl.Int32, "run": pl.Int32}), VOTES, "votes")
    # What else is there of the content holds for nobody here; what names the rated case does not come back either.
    others = conform(
        pl.DataFrame(
            {
                "key": ["k", "k"],
                "case": [None, first],
                "vote": pl.Series([0, 0], dtype=pl.Int32),
                "rewards": [[9.0, 9.0]] * 2,
            }
        ),
        REWARDS,
        "rewards",
    )
    found = evaluate(Gold(cases), making.scorer(), others, votes=votes)
    assert [found.rewards.of(row) for row in (0, 1)] == [[1.0, -0.5], [0.5, 0.5]]


def test_parts_without_the_column_are_read_as_by_content(tmp_path):
    old = making.rewards([Case(1, rewards=(0.5,))])
    parts = RewardParts(tmp_path)
    parts.append(old)
    old.drop("case").write_parquet(tmp_path / "part-0.1.parquet")
    key = old["key"][0]
    assert parts.read()[0].equals(old)
    assert parts.of(key, "bench/c0")["case"].to_list() == ["bench/c0"]
    parts.append(old.with_columns(case=pl.lit("bench/c0"), rewards=pl.lit([0.25])))
    parts.append(old.with_columns(case=pl.lit("bench/c1"), rewards=pl.lit([0.75])))
    parts.compact()
    assert len(parts.parts()) == 1
    assert sorted(parts.read()[0].select("case", "rewards").rows(), key=repr) == [
        ("bench/c0", [0.25]),
        ("bench/c1", [0.75]),
        (None, [0.5]),
    ]
    assert parts.of(key, "bench/c1")["rewards"].to_list() == [[0.75]]
    assert parts.of(key, "bench/c2")["rewards"].to_list() == [[0.5]]
    assert parts.of(key).height == 3


def test_a_refusal_of_ones_own_goes_before_a_result_by_content(tmp_path):
    cases = making.frame([Case(1), Case(1)]).with_columns(key=pl.lit("k"))
    rows = [
        {"key": "k", "vote": 0, "rewards": [0.9]},
        {"key": "k", "case": cases["case"][0], "vote": 0, "reason": "no"},
    ]
    RewardParts(tmp_path).append(pl.DataFrame(rows, schema=REWARDS))
    found = evaluate(Gold(cases), making.scorer(), RewardParts(tmp_path).read()[0]).rewards
    assert (found.refused.tolist(), found.scored.tolist()) == ([True, False], [False, True])
    assert np.isclose(found.of(1), [0.9]).all()


def test_answers_of_one_case_are_read_alone(tmp_path):
    parts = VoteParts(tmp_path)
    by_content = judged.votes(["k"], [["1", "1"]])
    parts.append(by_content)
    parts.append(judged.votes(["k"], [["0"]]).with_columns(case=pl.lit("b/1")))
    assert parts.answers("k", "b/1")["ballot"].to_list() == ["0"]
    assert parts.answers("k", "b/2").select("ballot", "case").rows() == [("1", "b/2"), ("1", "b/2")]
    assert parts.answers("k").height == 3
