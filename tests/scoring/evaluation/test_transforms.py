"""What is compared with a threshold, and which step a verdict names: laws of every built-in rule."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
import reference
import rule_reference as slow
import selecting
import step_making
from reference import Case
from scoring.data.errors import UsageError
from scoring.data.reward_transforms import find_transform, maximum_of, transform
from scoring.data.rules import check_own_rule, check_rule
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.single_case import judged_wrong
from scoring.evaluation.verdicts import NO_VERDICT, OUTCOMES, Rule
from scoring.metrics.curve_bands import metric_bands
from scoring.metrics.deciding import dev_tuned
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.step_family import step_family
from scoring.metrics.step_labels import step_rows
from scoring.metrics.threshold_curves import metric_curve
from scoring.metrics.threshold_flips import AtThreshold, flip_conditions
from thoroughness import THOROUGH, together, up_to

# Sums of these are exact, so that z-scores are equal here where they are equal in truth.
VALUES = (-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0)
CUTS = (-1.5, -1.0, -0.5, 0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5)
WORDS = ("exact", "early", "late", "missed", "clean", "false_alarm")
RULES = pytest.mark.parametrize(("name", "step"), together(slow.NAMES, slow.STEPS))
BENCHES, COMPARISON = making.benches(VALUES), st.sampled_from(("<", "<="))


def decided(cases, name, step, threshold, comparison):
    rule = Rule(threshold, comparison, "chosen", name, step)
    return evaluate(Gold(making.frame(cases)), making.scorer(), making.rewards(cases), rule)


def compared(cases, name):
    return [value for case in cases if (rewards := reference.usable(case)) for value in slow.values(name, rewards)]


def cuts(data, cases, name, size=1):
    """Thresholds, many of them on values; but never on a z-score, which the reference rounds in another order."""
    values = compared(cases, name)
    found = [data.draw(st.sampled_from((*CUTS, *(() if name == "zscore" else values)))) for _ in range(size)]
    if name == "zscore":
        assume(not any(abs(cut - value) < 1e-9 for cut in found for value in values))
    return found


@RULES
@up_to(60, usually=5)
@given(cases=BENCHES, comparison=COMPARISON, data=st.data())
def test_verdicts_outcomes_and_steps_are_those_of_a_slow_reference(name, step, cases, comparison, data):
    (cut,) = cuts(data, cases, name)
    found = decided(cases, name, step, cut, comparison)
    verdicts = [slow.verdict(case, name, step, cut, comparison) for case in cases]
    assert found.verdicts.tolist() == [NO_VERDICT if verdict is None else verdict for verdict in verdicts]
    assert [OUTCOMES[code] for code in found.codes] == [
        slow.outcome(case, name, step, cut, comparison) for case in cases
    ]
    for row, case in enumerate(cases):
        rewards = reference.usable(case)
        values = None if rewards is None else slow.values(name, rewards)
        assert found.compared_values.of(row) == (values if values is None else pytest.approx(values, abs=1e-12))
        wrong = None if values is None else [reference.is_wrong(value, cut, comparison) for value in values]
        assert judged_wrong(found, row) == wrong
        assert found.rewards.of(row) == rewards
        alone = found.of_cases(np.array([row]))
        assert (alone.verdicts[0], alone.codes[0]) == (found.verdicts[row], found.codes[row])
        assert alone.at(0.5).codes[0] == found.at(0.5).codes[row]


@RULES
@up_to(40, usually=4)
@given(cases=BENCHES, comparison=COMPARISON, data=st.data())
def test_however_it_is_reached_a_rule_decides_alike_and_each_case_may_have_its_own_threshold(
    name, step, cases, comparison, data
):
    wanted = decided(cases, name, step, 0.1, comparison)
    start = making.evaluation(cases, 0.5)
    assert start.compared(comparison, name, step).at(0.1).codes.tolist() == wanted.codes.tolist()
    other = start.compared("<", data.draw(st.sampled_from(slow.NAMES)), data.draw(st.sampled_from(slow.STEPS)))
    back = other.compared(comparison, name, step).at(0.1)
    assert back.codes.tolist() == wanted.codes.tolist()
    assert np.array_equal(back.margins, wanted.margins, equal_nan=True)
    if not cases:
        return
    thresholds = data.draw(st.lists(st.sampled_from(CUTS), min_size=len(cases), max_size=len(cases)))
    each = wanted.by_case(np.array(thresholds), {}, "test")
    assert (each.rule.on, each.rule.step, each.rule.of(0).step) == (name, step, step)
    for row, threshold in enumerate(thresholds):
        one = wanted.at(threshold)
        assert (each.codes[row], each.verdicts[row]) == (one.codes[row], one.verdicts[row])
        assert np.array_equal(each.margins[row], one.margins[row], equal_nan=True)


@RULES
@up_to(40, usually=4)
@given(cases=making.balanced(VALUES), comparison=COMPARISON, data=st.data())
def test_the_sweep_of_f1_is_evaluation_at_every_cut(name, step, cases, comparison, data):
    found = decided(cases, name, step, 0.0, comparison)
    every = np.ones(len(cases), dtype=bool)
    curve = metric_curve(FIRST_ERRORS, found, every)

    def by_counting(threshold):
        verdicts = found.at(threshold).verdicts.tolist()
        outcomes = [
            slow.outcome(case, name, step, threshold, comparison)
            if verdict == NO_VERDICT
            else reference.outcome_of(verdict, case.gold, case.n_steps)
            for case, verdict in zip(cases, verdicts, strict=True)
        ]
        return slow.f1(cases, outcomes)

    for threshold, f1 in zip(curve.thresholds.tolist(), curve.score.tolist(), strict=True):
        expected = by_counting(threshold)
        assert np.isnan(f1) if expected is None else f1 == pytest.approx(expected, abs=1e-12)
    # Nothing happens between two cuts, and so nothing does at any other threshold.
    others = np.array(data.draw(st.lists(st.floats(-3, 3), min_size=1, max_size=4)))
    values = metric_bands(FIRST_ERRORS, found, every, others, seed=None).values
    for threshold, place in zip(others, curve.places(others, comparison), strict=True):
        expected = by_counting(threshold)
        f1 = curve.score[place]
        assert np.isnan(f1) if expected is None else f1 == pytest.approx(expected, abs=1e-12)
    f1_metric = next(
        one for one in metric_bands(FIRST_ERRORS, found, every, others, seed=None).metrics if one.name == "f1"
    )
    assert np.allclose(values(f1_metric), curve.score[curve.places(others, comparison)], equal_nan=True)
    if step == "lowest":
        # One number a case at which anything changes.
        sides = np.stack([found.floats.before, found.floats.at, found.floats.all])
        finite = np.where(np.isfinite(sides), sides, np.nan)
        assert all(np.unique(side[~np.isnan(side)]).size <= 1 for side in finite.T)


@RULES
@up_to(40, usually=4)
@given(items=step_making.items(min_size=1), comparison=COMPARISON, cut=st.sampled_from(CUTS))
def test_figures_of_steps_and_their_sweep_do_not_depend_on_which_step_is_named(name, step, items, comparison, cut):
    found = step_making.evaluation(items).compared(comparison, name, step).at(cut)
    rows = np.ones(len(items), dtype=bool)
    usual = found.compared(comparison, name, "first")
    assert list(step_rows(found, rows, step_making.FACTS)) == list(step_rows(usual, rows, step_making.FACTS))
    curve = metric_curve(step_family(step_making.FACTS), found, rows, whole="all")
    some = slice(None, None, 1 if THOROUGH else 1 + curve.thresholds.size // 6)
    value = {
        threshold: next(
            row["value"]
            for row in step_rows(found.at(threshold), rows, step_making.FACTS)
            if (row["subset"], row["metric"]) == ("all", "prmscore")
        )
        for threshold in curve.thresholds[some].tolist()
    }
    for score, expected in zip(curve.score[some].tolist(), value.values(), strict=True):
        assert np.isnan(score) if expected is None else score == pytest.approx(expected)
    bands = metric_bands(step_family(step_making.FACTS), found, rows, curve.thresholds, seed=None, whole="all")
    assert np.allclose(bands.values(bands.metrics[0]), curve.score, equal_nan=True)


@RULES
@up_to(40, usually=4)
@given(cases=BENCHES, comparison=COMPARISON, data=st.data())
def test_conditions_select_exactly_the_cases_of_an_outcome_and_of_a_flip(name, step, cases, comparison, data):
    old, new = cuts(data, cases, name, 2)
    evaluation = decided(cases, name, step, old, comparison)
    frame = selecting.beside(evaluation)
    before, after = ([OUTCOMES[code] for code in evaluation.at(cut).codes] for cut in (old, new))
    condition = AtThreshold("scorer", old, comparison)
    for word in WORDS:
        rows = [row for row, outcome in enumerate(before) if outcome == word]
        assert selecting.selected(frame, getattr(condition, word)) == rows
    expected = {"right": [], "wrong": [], "other": []}
    for row, (was, is_now) in enumerate(zip(before, after, strict=True)):
        if was != is_now:
            right = [outcome in {"exact", "clean"} for outcome in (was, is_now)]
            expected["right" if right[1] else "wrong" if right[0] else "other"].append(row)
    found = flip_conditions(evaluation.at(old), evaluation.at(new))
    assert {flip: selecting.selected(frame, where) for flip, where in found.items()} == expected


@RULES
@up_to(40, usually=4)
@given(cases=BENCHES, comparison=COMPARISON, data=st.data())
def test_a_margin_is_the_distance_to_the_nearest_threshold_that_turns_the_case(name, step, cases, comparison, data):
    (cut,) = cuts(data, cases, name)
    found = decided(cases, name, step, cut, comparison)
    edges = around(found.compared_values.values)
    right = [np.isin(found.at(float(at)).codes, (0, 4)) for at in edges]
    for row, case in enumerate(cases):
        if reference.usable(case) is None or case.gold is None:
            assert np.isnan(found.margins[row])
            continue
        now = bool(np.isin(found.codes[row], (0, 4)))
        turned = [abs(cut - float(at)) for at, each in zip(edges, right, strict=True) if each[row] != now]
        nearest = min(turned, default=np.inf)
        assert found.margins[row] == pytest.approx(nearest if now else -nearest, abs=1e-12)


def around(values):
    """Every value, and the floats beside it."""
    return np.unique(np.concatenate([values, np.nextafter(values, -np.inf), np.nextafter(values, np.inf)]))


@up_to(60, 8)
@given(cases=BENCHES)
def test_rewards_and_differences_are_what_they_were_to_the_last_bit(cases):
    rewards = making.evaluation(cases).rewards
    assert rewards.on("rewards") is rewards
    assert rewards.on("differences") is rewards.on("differences")
    for row, case in enumerate(cases):
        plain = reference.usable(case)
        expected = None if plain is None else [b - a for a, b in zip((0.0, *plain), plain, strict=False)]
        assert rewards.on("differences").of(row) == expected


NUMBER = st.floats(-1e6, 1e6, allow_nan=False)
CASES = st.lists(st.lists(NUMBER, max_size=8), max_size=6)


def flat(cases):
    return np.array([value for case in cases for value in case]), np.cumsum([0, *map(len, cases)])


@pytest.mark.parametrize("name", slow.NAMES)
@up_to(80, 10)
@given(cases=CASES, others=CASES)
def test_a_case_is_transformed_as_it_is_alone(name, cases, others):
    made, (values, offsets) = transform(name), flat([*others, *cases])
    kept = values.copy()
    found = made(values, offsets)
    assert (found.shape, found.dtype) == (values.shape, np.float64)
    assert np.array_equal(values, kept)
    for case, start in zip(cases, offsets[len(others) :].tolist(), strict=False):
        alone = made(*flat([case]))
        assert np.array_equal(found[start : start + len(case)], alone)
        assert np.isfinite(alone).all()
        exact = np.array(slow.values(name, case) if case else [])
        # Where nearly all cancels out, plain sums are the less exact ones.
        assume(name != "zscore" or not case or np.ptp(case) == 0 or np.ptp(case) > 1e-6 * np.abs(case).max())
        assert np.allclose(alone, exact, rtol=1e-9 if name != "zscore" else 1e-4, atol=1e-6)


@up_to(80)
@given(reward=NUMBER, others=st.lists(NUMBER, max_size=5))
def test_the_running_product_of_one_step_is_that_step(reward, others):
    found = transform("product")(*flat([[reward], others, [reward]]))
    assert (found[0], found[-1]) == (reward, reward)
    assert found[1 : 1 + len(others)].tolist() == (slow.values("product", others) if others else [])


@up_to(80, 10)
@given(
    case=st.lists(st.sampled_from((-3.0, -1.0, 0.0, 0.125, 0.5, 0.75, 1.0, 7.0)), min_size=1, max_size=9),
    scale=st.floats(1e-3, 1e3),
    shift=st.floats(-1e3, 1e3),
)
def test_z_scores_do_not_change_under_positive_affine_maps(case, scale, shift):
    made = transform("zscore")
    found, mapped = made(*flat([case])), made(*flat([[scale * reward + shift for reward in case]]))
    assert np.allclose(found, mapped, atol=1e-6)
    assert found.mean() == pytest.approx(0.0, abs=1e-12)
    assert (found.std() == pytest.approx(1.0)) if len(set(case)) > 1 else not found.any()


def test_equal_rewards_have_z_scores_of_0_however_their_mean_is_rounded():
    assert transform("zscore")(*flat([[0.1] * 3, [0.7] * 10, [5.0]])).tolist() == [0.0] * 14


def test_nothing_overflows_and_what_is_no_number_stays_in_its_case():
    made = transform("product")
    assert np.isfinite(made(*flat([[1e200] * 4, [-1e200, 1e200, 0.0]]))).all()
    assert np.isfinite(transform("zscore")(*flat([[1.7e308, -1.7e308, 0.0]]))).all()
    for name in slow.NAMES:
        found = transform(name)(*flat([[0.5, 0.25], [0.5, float("nan"), 0.25], [0.5, 0.25]]))
        assert np.isnan(found).any()
        assert found[:2].tolist() == found[5:].tolist()
        assert not np.isnan(found[:2]).any()


def test_a_stretch_of_low_steps_begins_at_its_first_and_the_last_step_counts_alone():
    case = Case(6, 3, (0.1, 0.9, 0.9, 0.2, 0.1, 0.8))
    assert decided([case], "max2", "first", 0.5, "<").verdicts.tolist() == [3]
    assert decided([case], "max3", "first", 0.5, "<").verdicts.tolist() == [-1]
    at_the_end = Case(4, 3, (0.1, 0.9, 0.9, 0.2))
    assert decided([at_the_end], "max2", "first", 0.5, "<").verdicts.tolist() == [3]
    assert decided([Case(1, 0, (0.2,))], "max3", "first", 0.5, "<").verdicts.tolist() == [0]


def test_the_lowest_step_is_named_and_of_equal_ones_the_first():
    cases = [Case(3, 1, (0.4, 0.1, 0.1)), Case(3, 0, (0.4, 0.1, 0.2)), Case(2, 1, (0.4, 0.6))]
    found = decided(cases, "rewards", "lowest", 0.3, "<")
    assert found.verdicts.tolist() == [1, 1, -1]
    assert [OUTCOMES[code] for code in found.codes] == ["exact", "late", "missed"]
    assert found.margins.tolist() == pytest.approx([0.2, -np.inf, -np.inf])
    assert judged_wrong(found, 0) == [False, True, True]
    assert decided(cases, "rewards", "first", 0.5, "<").verdicts.tolist() == [0, 0, 0]


def test_defaults_are_of_what_is_compared():
    start = making.evaluation([Case(2, 1, (0.9, 0.2))], 0.7)
    start = replace(start, scorer=replace(start.scorer, threshold=0.4, threshold_source="its file"))
    assert start.compared("<", "zscore").rule == Rule(-1.0, "<", "default", "zscore")
    # A product of rewards, and the largest of some, lie where rewards do.
    assert start.compared("<=", "product").rule == Rule(0.4, "<=", "its file", "product")
    assert start.compared("<", "max2", "lowest").rule == Rule(0.4, "<", "its file", "max2", "lowest")
    assert start.compared("<", None, "lowest").rule == Rule(0.7, "<", "chosen", "rewards", "lowest")
    falls = replace(start, scorer=replace(start.scorer, on="differences", threshold=-0.3))
    assert falls.compared("<", "product").rule.threshold == 0.5


def test_what_is_tuned_by_subset_keeps_the_rule():
    rng = np.random.default_rng(0)
    cases = [Case(3, -1 if index % 2 else 1, tuple(rng.choice(VALUES, 3).tolist())) for index in range(90)]
    tuned = dev_tuned(decided(cases, "product", "lowest", 0.5, "<="), 0)
    assert (tuned.rule.on, tuned.rule.step, tuned.rule.of(0).step) == ("product", "lowest", "lowest")
    assert "the product of the rewards up to it <= threshold of its subset; the verdict is the step" in str(tuned.rule)


def test_twins_are_decided_as_the_cases_are():
    item = step_making.Step(Case(2, 1, (0.9, 0.1), "", "circular", (1,)), "circular")
    found = step_making.evaluation([item]).compared("<", "zscore").at(-0.5)
    twins = step_making.twins(found.gold.cases, [Case(2, -1, (0.9, 0.88))])
    rows = {row["metric"]: row["value"] for row in step_rows(found, np.array([True]), step_making.FACTS, twins)}
    # One step of the twin is below its mean as well, however little.
    assert rows["similarity"] == 1.0


SPELLED = ("<", "<=", "diff<", "product<=", "zscore<", "max2<", "max12<=", "lowest:<", "lowest:<=", "lowest:diff<=")


@pytest.mark.parametrize("words", [*SPELLED, "lowest:max3<"])
def test_a_rule_is_spelled_as_it_is_asked_for(words):
    cases = [Case(2, 1, (0.9, 0.2))]
    assert making.evaluation(cases).compared(*check_rule(words)).rule.spelled == words


def test_names_and_what_the_flag_calls_them_are_one():
    assert check_rule("differences<") == check_rule("diff<") == ("<", "differences", None)
    assert check_rule("reward<=") == check_rule("rewards<=") == ("<=", "rewards", None)
    assert find_transform("max2") is maximum_of(2)
    for name in ("max", "max0", "max1", "max100", "maxi"):
        assert find_transform(name) is None


@pytest.mark.parametrize(
    "wish",
    ["", ">", "=", "product", "product>", "lowest", "lowest:", "lowest:lowest:<", "first:<", "max1<", "a b<", "<\n"],
)
def test_what_is_no_rule_is_refused_with_what_there_is(wish):
    with pytest.raises(UsageError) as caught:
        check_rule(wish)
    assert f"{wish!r} is not a rule." in str(caught.value)
    for word in ("reward, diff, product, zscore, max2, max3", "lowest:", "'<='"):
        assert word in str(caught.value)


def test_a_scorers_own_rule_is_on_rewards_or_differences_and_of_the_first_step():
    assert check_own_rule("diff<=") == ("<=", "differences")
    assert check_own_rule("<") == ("<", None)
    for wish in ("product<", "lowest:<", "max2<="):
        with pytest.raises(UsageError, match="cannot be a scorer's own rule"):
            check_own_rule(wish)


def test_a_transform_is_made_once_and_no_threshold_makes_it_again(monkeypatch):
    calls = []
    made = transform("product")
    monkeypatch.setattr(
        "scoring.evaluation.step_rewards.transform", lambda name: counting if name == "product" else transform(name)
    )
    counting = replace(made, function=lambda *flat: calls.append(1) or made.function(*flat))
    found = making.evaluation([Case(2, 1, (0.9, 0.2))]).compared("<", "product", "lowest")
    for cut in (0.1, 0.2, 0.3):
        assert found.at(cut).judged_steps.wrong.size == 2
        assert found.compared("<=").at(cut).verdicts.size == 1
    assert len(calls) == 1
