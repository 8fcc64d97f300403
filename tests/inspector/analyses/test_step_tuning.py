"""Thresholds of benchmarks whose official figure is PRMScore of steps, from the command line to the screen."""

import functools
import json
import random
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
import reference
import step_making
import step_reference
from inspector.cli import main
from opened import inspected, opened
from reference import Case
from scoring.data.errors import UsageError
from scoring.evaluation.gold import Gold
from scoring.formats.benchmarks.case_format import Imported
from scoring.metrics.deciding import OPTIMISTIC, TuningContext, at_wish, dev_sets
from scoring.selection.loading import load
from scoring.selection.query import Query
from screen_text import press, shows
from step_reference import Step
from thoroughness import together, up_to
from views import flips_view, metrics_view, table_of, thresholds_view, words_of

CUT = 0.3
"""The redundancy threshold of `abel`; `bert` has none, `carl` gives no redundancy."""


def made(seed=0, each=6):
    """Cases of four classes with three labelled steps each, rewards that lean towards the labels, and redundancy."""
    rng, items = random.Random(seed), []
    for name in step_making.CLASSES:
        for _ in range(each):
            wrong = () if name == step_reference.ALONE else tuple(sorted(rng.sample(range(3), rng.randint(1, 2))))
            rewards = tuple(round(rng.random() * (0.8 if step in wrong else 1.2) % 1, 2) for step in range(3))
            numbers = tuple(round(rng.random() * (1.0 if step in wrong else 0.6), 2) for step in range(3))
            items.append(Step(Case(3, min(wrong, default=-1), rewards, "", name, wrong), name, numbers))
    items[1] = Step(Case(3, 1, refused="over length", subset=items[1].name, error_steps=(1,)), items[1].name)
    return items


ITEMS = made()
BARE = [replace(item, numbers=None) for item in ITEMS]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("tuning") / "w"
    abel = making.scorer("abel", threshold=0.4, comparison="<=", redundancy_threshold=CUT)
    step_making.workspace(
        root,
        ITEMS,
        [
            (abel, ITEMS),
            (making.scorer("bert", comparison="<"), ITEMS),
            (making.scorer("carl", comparison="<="), BARE),
        ],
    )
    return str(root)


@functools.cache
def view_of(root, **asked):
    return thresholds_view(load(Query(workspace=root, **asked)))


def rows_of(root, **asked):
    return view_of(root, **asked).rows


def tries(values):
    """Every distinct value, one between each two, and one below and above all."""
    values = sorted(set(values))
    between = [low + (high - low) / 2 for low, high in pairwise(values)]
    return [values[0] - 1, *values, *between, values[-1] + 1] if values else []


def score(items, threshold, comparison, redundancy=None):
    return step_reference.figures(items, threshold, comparison, redundancy)["prmscore"]


def brute_force(items, comparison, redundancy=None):
    """The highest PRMScore of all decisions a threshold on rewards can make; None where there is none."""
    rewards = [reward for item in items for reward in reference.usable(item.case) or ()]
    found = [score(items, threshold, comparison, redundancy) for threshold in tries(rewards)]
    return max((value for value in found if value is not None), default=None)


SCORERS = {"abel": ("<=", CUT, ITEMS), "bert": ("<", None, ITEMS), "carl": ("<=", None, BARE)}


@pytest.mark.parametrize(("scorer", "where"), together(SCORERS, [(), ("id <> 'counterfactual_13'",)]))
def test_a_kind_gives_the_digits_of_metrics_at_that_threshold(root, scorer, where):
    rows = rows_of(root, scorers=(scorer,), where=where, seed=3)
    for wish in ("default", "best", "from:counterfactual"):
        query = Query(workspace=root, scorers=(scorer,), where=where, thresholds=((None, wish),), seed=3)
        same = metrics_view(load(query)).rows
        same = same.filter(pl.col("metric") == "prmscore").drop("reason")
        assert same["subset"].to_list()[-1] == "average"
        assert rows.filter(rows["kind"] == wish).select(same.columns).equals(same), wish


@pytest.mark.parametrize("scorer", list(SCORERS))
def test_best_is_the_best_of_every_distinct_value(root, scorer):
    comparison, redundancy, items = SCORERS[scorer]
    rows = rows_of(root, scorers=(scorer,))
    best = rows.filter(kind="best", subset="all").row(0, named=True)
    assert best["value"] == pytest.approx(brute_force(items, comparison, redundancy))
    assert best["value"] == pytest.approx(score(items, best["threshold"], comparison, redundancy))
    assert best["optimistic"]
    assert (best["metric"], best["comparison"]) == ("prmscore", comparison)
    for name in ("counterfactual", "redundency"):
        own = [item for item in items if item.name == name]
        found = rows.filter(kind=f"from:{name}", subset=name)
        if name == "redundency" and redundancy is not None:
            assert found.is_empty()
            assert "no threshold decides a labelled step" in rows.filter(kind=f"from:{name}")["reason"][0]
            continue
        assert found["value"][0] == pytest.approx(brute_force(own, comparison, redundancy))
        own_best = rows.filter(kind="best-per-subset", subset=name)
        assert own_best.select("value", "threshold").equals(found.select("value", "threshold"))


def test_the_transfer_matrix_is_that_of_plain_counting(root):
    rows = rows_of(root, scorers=("carl",))
    for name in ("redundency", "circular", "counterfactual"):
        part = rows.filter(kind=f"from:{name}")
        threshold = part["threshold"][0]
        expected = step_reference.table(BARE, threshold, "<=", None)
        own = {name, step_reference.CATEGORY[name], "all", "average"}
        for row in part.iter_rows(named=True):
            assert row["value"] == pytest.approx(expected[row["subset"], "prmscore"])
            assert row["optimistic"] == (row["subset"] in own)


def test_a_class_without_wrong_steps_cannot_be_tuned_on_and_says_so(root, capsys):
    rows = rows_of(root, scorers=("carl",))
    alone = step_reference.ALONE
    assert rows.filter(kind=f"from:{alone}")["reason"].to_list() == [
        "PRMScore is undefined on the cases it would be tuned on, which hold no wrong step"
    ]
    per_class = rows.filter(kind="best-per-subset", subset=alone).row(0, named=True)
    assert (per_class["threshold"], per_class["optimistic"]) == (0.5, False)
    assert per_class["reason"].startswith("at the default: PRMScore is undefined")
    groups = dict(rows.filter(kind="best-per-subset").select("subset", "threshold").iter_rows())
    assert groups["Simplicity"] is groups["all"] is groups["average"] is None
    assert groups["Soundness"] == groups["counterfactual"]
    assert main(["metrics", "-w", root, "--threshold", f"carl=from:{alone}"]) == 2
    said = capsys.readouterr().err
    assert "carl has no best threshold: PRMScore is undefined" in said
    assert "F1" not in said


@pytest.mark.parametrize(("scorers", "asked"), together([("abel",), ("bert",)], [{}, {"thresholds": ((None, "0.6"),)}]))
def test_the_threshold_on_redundancy_numbers_has_rows_of_its_own(root, scorers, asked):
    rows = rows_of(root, scorers=(*scorers, "carl"), **asked)
    assert not rows.filter(scorer="carl")["kind"].str.starts_with("redundancy").any()
    numbers = [number for item in ITEMS if item.name in step_reference.SWAPPED for number in item.numbers or ()]
    for scorer in scorers:
        comparison, redundancy, _ = SCORERS[scorer]
        threshold = 0.6 if asked else {"abel": 0.4, "bert": 0.5}[scorer]
        own = rows.filter(scorer=scorer, subset="all")
        default, best = (own.filter(kind=f"redundancy:{kind}").row(0, named=True) for kind in ("default", "best"))
        assert (default["threshold"], default["optimistic"]) == (redundancy, False)
        assert default["value"] == pytest.approx(score(ITEMS, threshold, comparison, redundancy))
        assert (default["reason"] is None) == (redundancy is not None)
        assert default["comparison"] == (None if redundancy is None else ">")
        highest = max(score(ITEMS, threshold, comparison, cut) for cut in tries(numbers))
        assert best["value"] == pytest.approx(highest)
        assert best["value"] == pytest.approx(score(ITEMS, threshold, comparison, best["threshold"]))
        assert (best["comparison"], best["optimistic"]) == (">", True)
        untouched = rows.filter(scorer=scorer, kind="redundancy:best", subset="counterfactual").row(0, named=True)
        assert not untouched["optimistic"]


def test_dev_sets_are_not_for_figures_of_steps(root, tmp_path, capsys):
    rows = rows_of(root, scorers=("abel",))
    assert rows.filter(kind="dev")["reason"].to_list() == [
        "'dev' tunes F1 of first errors, and the figure of prmbench is PRMScore of its steps."
    ]
    assert "dev:kept" not in set(rows["kind"])
    for wish in ("dev", "dev:kept"):
        assert main(["metrics", "-w", root, "--threshold", wish]) == 2
        assert "tunes F1 of first errors" in capsys.readouterr().err
    plain = [Case(1, gold, (0.5,)) for gold in (-1, 0) for _ in range(25)]
    both = Gold(pl.concat([making.frame(plain, name) for name in ("bench", "prmbench")]))
    sets = dev_sets(both, 0)
    assert set(both.cases["benchmark"].filter(pl.Series(sets.rows))) == {"bench"}
    assert all("PRMScore" in why for name, why in sets.lacking.items() if name.startswith("prmbench/"))
    assert len(sets.lacking) == 1


def test_several_benchmarks_are_tuned_apart_and_one_has_to_be_chosen(root, tmp_path, capsys):
    space = step_making.workspace(tmp_path / "w", ITEMS, [(making.scorer("abel", threshold=0.4), ITEMS)])
    other = making.full_frame([item.case for item in made(5)], "other")
    space.add([Imported("other", "made.jsonl", "made", "0-based", other.height, other, ())])
    words = ["-w", str(tmp_path / "w")]
    assert main(["metrics", *words, "--threshold", "best"]) == 2
    said = capsys.readouterr().err
    assert "'best' tunes the figure of one benchmark, and there are 2: other, prmbench. Choose one" in said
    assert main(["metrics", *words, "--threshold", "best", "--benchmark", "prmbench"]) == 0
    rows = rows_of(str(tmp_path / "w"))
    metrics = dict(rows.select("benchmark", "metric").unique().iter_rows())
    assert metrics == {"other": "f1", "prmbench": "prmscore"}
    alone = rows_of(str(tmp_path / "w"), benchmarks=("prmbench",))
    assert rows.filter(benchmark="prmbench").equals(alone)


def test_people_are_told_once_why_a_way_comes_to_nothing(root, capsys):
    view = view_of(root, scorers=("abel",))
    lines = {line["way"]: line for line in table_of(view, "Ways")}
    assert lines["dev-tuned, seed 0"]["PRMScore"] == "–"
    assert words_of(view).count("'dev' tunes F1") == 1
    assert int(lines["best on these"]["n (steps)"]) > 0
    assert main(["thresholds", "-w", root]) == 0
    assert "redundancy, best" in capsys.readouterr().out


def test_where_a_class_stays_at_the_default_the_whole_is_no_upper_bound(root):
    rows = rows_of(root, scorers=("carl",)).filter(kind="best-per-subset")
    reasons = dict(rows.select("subset", "reason").iter_rows())
    assert reasons["multi_solutions"].startswith("at the default: PRMScore is undefined")
    for whole in ("all", "average"):
        assert reasons[whole].startswith("no upper bound, at the default: multi_solutions (PRMScore is undefined")
    assert reasons["circular"] is None


@up_to(60)
@given(items=step_making.items(min_size=1), comparison=st.sampled_from(("<", "<=")), data=st.data())
def test_best_is_the_best_of_every_distinct_value_whatever_the_cases(items, comparison, data):
    redundancy = data.draw(st.none() | st.sampled_from(step_making.VALUES))
    shown = np.array(data.draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items))))
    found = step_making.evaluation(items, 0.5, comparison, redundancy_threshold=redundancy)
    around = TuningContext(lambda: shown, (), lambda _: "drop", 0)
    taken = [item for item, there in zip(items, shown, strict=True) if there]
    highest = brute_force(taken, comparison, redundancy)
    moves = [item for item in taken if moving(item, redundancy)]
    if highest is None or not moves:
        # Where no step moves there may be a figure, but there is no threshold to choose.
        why = "PRMScore is undefined|no threshold decides|there is no case"
        with pytest.raises(UsageError, match=f"no best threshold: ({why})"):
            at_wish(found, "best", around)
        return
    best = at_wish(found, "best", around)
    assert best.rule.source == OPTIMISTIC
    assert score(taken, best.rule.threshold, comparison, redundancy) == pytest.approx(highest, abs=1e-12)


def moving(item, redundancy):
    """Whether the threshold on rewards decides a labelled step of the case."""
    if reference.usable(item.case) is None:
        return False
    swapped = item.labels is not None or (item.numbers is not None and redundancy is not None)
    labels = [reference.step_label(item.case, step) for step in range(item.case.n_steps)]
    return any(label is not None for label in labels) and not (item.name in step_reference.SWAPPED and swapped)


@pytest.mark.parametrize("comparison", ["<", "<="])
@pytest.mark.parametrize(
    ("rewards", "wrong", "why"),
    [
        ((0.5, 0.5, 0.5), (1,), "undefined on the cases it would be tuned on."),
        ((0.2, 0.9), (), "which hold no wrong step"),
        ((0.2, 0.9), (0, 1), "which hold no right step"),
        ((0.2,), (0,), "which hold no right step"),
        ((), (), "no threshold decides a labelled step"),
        ((0.2, float("nan")), (0,), "no threshold decides a labelled step"),
        ((0.2, None), (0,), "no threshold decides a labelled step"),
    ],
)
def test_what_has_no_best_says_why(comparison, rewards, wrong, why):
    item = Step(Case(len(rewards), min(wrong, default=-1), rewards, "", "one", wrong), "counterfactual")
    around = TuningContext(lambda: np.array([True]), (), lambda _: "drop", 0)
    with pytest.raises(UsageError) as caught:
        at_wish(step_making.evaluation([item], comparison=comparison), "best", around)
    assert why in caught.value.sentence


def test_two_steps_told_apart_have_a_best_under_both_rules():
    item = Step(Case(2, 0, (0.2, 0.6), "", "one", (0,)), "counterfactual")
    around = TuningContext(lambda: np.array([True]), (), lambda _: "drop", 0)
    for comparison, threshold in (("<", 0.6), ("<=", 0.2)):
        best = at_wish(step_making.evaluation([item], comparison=comparison), "best", around)
        assert best.rule.threshold == threshold


# -- what a change of threshold turns over


def right_steps(item, threshold, comparison, redundancy):
    """For each labelled step whether it is judged rightly; None where the case is not judged."""
    wrong = step_reference.judged_wrong(item, threshold, comparison, redundancy)
    labels = [reference.step_label(item.case, step) for step in range(item.case.n_steps)]
    if wrong is None:
        return None
    return [label is not judged for label, judged in zip(labels, wrong, strict=True) if label is not None]


@pytest.mark.parametrize(("pair", "scorer"), together([(0.2, 0.7), (0.7, 0.2), (0.5, 0.52), (0.3, 0.3)], SCORERS))
def test_flips_tell_steps_as_the_official_figure_judges_them(root, pair, scorer):
    comparison, redundancy, items = SCORERS[scorer]
    results = load(Query(workspace=root, scorers=(scorer,)))
    document = flips_view(results, *map(repr, pair))
    expected = {}
    for index, item in enumerate(items):
        before, after = (right_steps(item, threshold, comparison, redundancy) for threshold in pair)
        outcomes = [reference.outcome(item.case, threshold, comparison) for threshold in pair]
        if before is None:
            continue
        counts = [
            sum(new and not old for old, new in zip(before, after, strict=True)),
            sum(old and not new for old, new in zip(before, after, strict=True)),
        ]
        if any(counts) or outcomes[0] != outcomes[1]:
            expected[f"prmbench/{item.name}_{index}"] = (*outcomes, *counts)
    columns = ("outcome_before", "outcome_after", "steps_right", "steps_wrong")
    found = {row["case"]: tuple(row[name] for name in columns) for row in document.rows.iter_rows(named=True)}
    assert found == expected
    same = {case for case, row in expected.items() if row[0] == row[1]}
    assert set(document.rows.filter(flip="steps")["case"]) == same
    steps = document.provenance["steps"][scorer]
    right = [
        sum(step_reference.counts(items, threshold, comparison, redundancy)[part] for part in ("TP", "TN"))
        for threshold in pair
    ]
    assert steps["right"] - steps["wrong"] == right[1] - right[0]
    if expected:
        (line,) = table_of(document)
        assert int(line["steps become right"] or 0) == steps["right"]


def test_flips_of_first_errors_count_no_steps(tmp_path):
    cases, scorers = making.study()
    making.workspace(tmp_path, cases, scorers)
    document = flips_view(load(Query(workspace=str(tmp_path))), "0.2", "0.7")
    assert "steps" not in document.provenance
    assert document.rows["steps_right"].null_count() == document.rows.height > 0
    assert all("steps become right" not in line for line in table_of(document))


# -- on screen


async def test_the_best_on_screen_is_that_of_the_command_to_all_digits(root, tmp_path):
    path = tmp_path / "best.json"
    words = ["-w", root, "--scorer", "abel", "--threshold", "best", "--json", "-q", "-o", str(path)]
    assert main(["metrics", *words]) == 0
    document = json.loads(path.read_bytes())
    told = next(row for row in document["rows"] if row["subset"] == "all" and row["metric"] == "prmscore")
    async with opened(Query(workspace=root, scorers=("abel",))) as pilot:
        await press(pilot, "t", "v", "m")
        await shows(pilot, "tuned on these cases, optimistic", f"PRMScore {100 * told['value']:.1f}")
        now = inspected(pilot)
    assert now.focus.scorer == "abel"
    assert now.evaluation.rule.threshold == document["provenance"]["threshold"]["abel"]
    assert now.evaluation.rule.source == document["provenance"]["threshold_source"]["abel"] == OPTIMISTIC
    line = now.summary.headline
    assert (line.score, line.low, line.high, line.n) == (told["value"], told["low"], told["high"], told["n"])


def test_redundancy_numbers_beside_labels_are_tuned_where_no_other_threshold_decides(tmp_path):
    space = step_making.workspace(tmp_path / "w", ITEMS, [])
    cases, _ = space.cases(("prmbench",))
    said = [[step not in (item.case.error_steps or ()) for step in range(3)] for item in ITEMS]
    one = making.scorer("dora", redundancy_threshold=CUT)
    one.save(tmp_path / "w" / "rewards" / one.folder)
    rows = pl.DataFrame(
        {"key": cases["key"], "labels": said, "redundancy": [list(item.numbers or ()) for item in ITEMS]}
    )
    rows = rows.filter(pl.col("redundancy").list.len() > 0).with_columns(vote=0)
    rows.write_parquet(tmp_path / "w" / "rewards" / one.folder / "part-0001.parquet")
    found = rows_of(str(tmp_path / "w")).filter(subset="all")
    assert found["kind"].to_list() == ["default", "redundancy:default", "redundancy:best"]
    assert found["value"][0] == found["value"][1] <= found["value"][2]
    assert found["comparison"].to_list() == [None, ">", ">"]
