"""`timeline`: figures of checkpoints on one set of cases, and exactly the cases that broke or were mended."""

import random
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
import side_by_side
import step_making
from inspector.analyses import Params
from inspector.analyses.compare.compare import compare
from inspector.analyses.timeline.timeline import TIMELINE, timeline
from inspector.analyses.timeline.training_course import TrainingCourse, TrainingRun
from inspector.api import analysis
from inspector.cli import main
from inspector.render.blocks import Note
from inspector.render.cells import signed
from inspector.render.chart_blocks import Curve
from opened import opened
from reference import Case
from scoring.data.errors import UsageError
from scoring.data.training_point import TrainingPoint
from scoring.metrics.aligned_conditions import EVERY
from scoring.metrics.first_error import SIDES
from scoring.selection.loading import load
from scoring.selection.query import Query, shell_word
from screen_text import press, rests, shows
from step_reference import Step
from thoroughness import THOROUGH, up_to
from views import table_of, words_of

STEPS = (100, 2000, 30_000)


def checkpoint(name, series, at, **settings):
    return making.scorer(name, series=series, at=at, **settings)


def study(n=60):
    """The cases of a study, and its three scorers as checkpoints of a run, out of order."""
    cases, scorers = making.study(n=n)
    order = zip((STEPS[1], STEPS[2], STEPS[0]), scorers, strict=True)
    return cases, [(scorer.as_checkpoint(TrainingPoint("my run", at)), rows) for at, (scorer, rows) in order]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Three checkpoints of a run, two of another, and a scorer that is none."""
    root = tmp_path_factory.mktemp("study") / "it's w"
    cases, run = study()
    further = [
        (checkpoint("flag-1", "-flag", 1), run[0][1]),
        (checkpoint("flag-2", "-flag", 2), run[1][1]),
        (making.scorer("alone"), run[0][1]),
    ]
    making.workspace(root, cases, [*run, *further], **making.labels(cases))
    return str(root)


def selected(root, **asked):
    return load(Query(workspace=root, **asked))


def view_of(root, intervals=True, told=None, **asked):
    return timeline.view(selected(root, **asked), Params("", told or {}), intervals=intervals)


def cells(view):
    return {
        (row["scorer"], row["other"], row["metric"]): row
        for row in view.rows.filter(series="my run").iter_rows(named=True)
    }


# -- laws


MARKS = st.text("10x-", min_size=12, max_size=12)


@st.composite
def courses(draw):
    gold = "EC" + draw(st.text("EC", min_size=10, max_size=10))
    marks = [draw(MARKS) for _ in range(draw(st.integers(1, 4)))]
    places = st.sampled_from([None, *range(len(marks))])
    subsets = draw(st.lists(st.sampled_from(("one", "two")), min_size=12, max_size=12))
    unparsed = draw(st.sampled_from(("wrong", "drop")))
    aligned = side_by_side.aligned(gold, *marks, subsets=subsets, unparsed=unparsed)
    run = TrainingRun("RUN", tuple(range(len(marks))), aligned.names)
    return TrainingCourse(run, "bench", aligned, aligned, (), (draw(places), draw(places)), None), marks, gold, unparsed


@up_to(100, 15)
@given(courses())
def test_broken_and_mended_are_counted_case_by_case_and_add_up(drawn):
    course, marks, gold, unparsed = drawn
    counted = "10x" if unparsed == "wrong" else "10"
    trying = [one for one in marks if set(one) & set(counted)]
    # A checkpoint that tried nothing is set aside, and takes no case from the others.
    common = [at for at in range(12) if trying and all(one[at] in counted for one in trying)]
    assert course.members.tolist() == [at in common for at in range(12)]
    for later, earlier in product(course.aligned.trying, repeat=2):
        for side, letters in (("erroneous", "E"), ("clean", "C"), (EVERY, "EC")):
            there = [at for at in common if gold[at] in letters]
            before, after = ([marks[place][at] == "1" for at in there] for place in (earlier, later))
            found = course.changes(later, earlier, side)
            assert found.broken == sum(one and not other for one, other in zip(before, after, strict=True))
            assert found.mended == sum(other and not one for one, other in zip(before, after, strict=True))
            assert found.mended - found.broken == sum(after) - sum(before)
            assert found.n == len(there)


@up_to(100, 10)
@given(courses())
def test_a_checkpoint_less_itself_is_nothing_and_differences_add_up(drawn):
    course, *_ = drawn
    rows = {(row["scorer"], row["other"], row["metric"]): row["value"] for row in course.rows}
    trying = course.official.trying
    for (scorer, other, metric), value in rows.items():
        if other is not None and metric.endswith("_difference"):
            one, two = (rows[name, None, metric.removesuffix("_difference")] for name in (scorer, other))
            assert (value is None) == (one is None or two is None)
            assert value is None or value == pytest.approx(one - two, abs=1e-12)
            assert value in {None, 0.0} or scorer != other
    place = trying[0] if trying else None
    if place is not None:
        same = replace(course, compared_steps=(place, place))
        made = [row for row in same.rows if row["scorer"] == row["other"] and not row["metric"].endswith("mcnemar")]
        assert len(made) == 3 + 2 * len(SIDES)
        assert all(row["value"] in {None, 0.0} for row in made)


# -- rows


def test_rows_are_in_long_form_and_say_how_they_came_to_be(root):
    view = view_of(root, seed=3)
    assert view.rows.columns == list(TIMELINE)
    assert view.rows.schema == pl.Schema(TIMELINE)
    facts = view.provenance
    assert facts["command"] == f"prm-inspect timeline --workspace {shell_word(root)} --seed 3"
    assert set(facts["scorers"]) == set(view.rows["scorer"]) == {"gpt4", "rand-0", "x=y", "flag-1", "flag-2"}
    assert facts["test"] == "exact McNemar, two-sided, on erroneous and on clean cases apart, Holm over the two"
    n = int(view.rows.filter(series="my run", metric="f1")["n"][0])
    left_out = int(view.rows.filter(series="my run", metric="f1")["left_out"][0])
    assert (n + left_out, 0 < left_out < 60) == (60, True)
    words = facts["common_cases"]["bench"]["my run"]
    assert words.startswith(f"{n} cases that all 3 checkpoints tried, {left_out} left out; step ")


def test_checkpoints_are_in_the_order_of_their_steps_and_each_is_held_against_the_one_before(root):
    rows = view_of(root).rows.filter(series="my run")
    figures = rows.filter(pl.col("metric") == "f1", pl.col("other").is_null())
    assert figures["at"].to_list() == list(STEPS)
    assert figures["scorer"].to_list() == ["x=y", "gpt4", "rand-0"]
    pairs = rows.filter(metric="f1_difference").select("scorer", "other").rows()
    assert pairs == [("gpt4", "x=y"), ("rand-0", "gpt4"), ("rand-0", "x=y")]
    assert set(rows.filter(pl.col("metric").str.ends_with("mcnemar"))["scorer"]) == {"rand-0"}


def test_figures_are_those_of_compare_on_the_same_cases(root):
    mine = cells(view_of(root))
    names = ("x=y", "gpt4", "rand-0")
    theirs = {
        (row["scorer"], row["metric"]): row
        for row in compare.view(selected(root, scorers=names)).rows.iter_rows(named=True)
        if row["scorer"] is not None and row["metric"] in {"f1", "error_acc", "correct_acc"}
    }
    for (name, metric), row in theirs.items():
        for part in ("subset", "value", "low", "high", "n", "left_out"):
            assert mine[name, None, metric][part] == row[part], (name, metric, part)


def test_of_two_checkpoints_differences_and_tests_are_those_of_compare(root):
    mine = view_of(root, told={"series": "-flag"}).rows
    theirs = compare.view(selected(root, scorers=("flag-2", "flag-1"))).rows
    pair = theirs.filter(scorer="flag-2", other="flag-1")
    assert mine.height
    for metric in ("f1", "error_acc", "correct_acc"):
        one, two = mine.filter(metric=f"{metric}_difference"), pair.filter(metric=f"{metric}_difference")
        two = two.filter(subset="average")
        assert one.select("value", "low", "high", "n").equals(two.select("value", "low", "high", "n"))
    for side in SIDES:
        one, two = (frame.filter(metric=f"{side}_mcnemar") for frame in (mine, pair))
        assert one.select("value", "n", "p", "p_holm").equals(two.select("value", "n", "p", "p_holm"))
        for what, quadrant in (("broken", "only_other_right"), ("mended", "only_scorer_right")):
            counted = mine.filter(metric=f"{side}_{what}")["value"].item()
            assert counted == pair.filter(metric=f"{side}_{quadrant}")["value"].item()


def test_without_intervals_all_else_is_there(root):
    quick, whole = (view_of(root, intervals=intervals).rows for intervals in (False, True))
    assert quick["low"].null_count() == quick.height
    assert whole["low"].null_count() < whole.height
    assert quick.drop("low", "high", "note").equals(whole.drop("low", "high", "note"))


@pytest.mark.parametrize(
    ("first", "last"),
    list(product(STEPS, STEPS)) if THOROUGH else [(STEPS[0], STEPS[2]), (STEPS[2], STEPS[1]), (STEPS[1], STEPS[1])],
)
def test_any_two_steps_can_be_held_against_each_other(root, first, last):
    view = view_of(root, told={"series": "my", "from": first, "to": last})
    names = dict(zip(STEPS, ("x=y", "gpt4", "rand-0"), strict=True))
    tests = view.rows.filter(pl.col("metric").str.ends_with("mcnemar"))
    assert set(tests.select("scorer", "other").rows()) == {(names[last], names[first])}
    lines = table_of(view, f"Cases from step {first:,} to step {last:,}")
    for line, side in zip(lines, SIDES, strict=True):
        before, broke, mended, after = (int(line[name]) for name in ("right before", "broke", "mended", "right after"))
        assert after - before == mended - broke
        row = view.rows.filter(metric=f"{side}_broken", scorer=names[last], other=names[first])
        assert row["value"].to_list() == [broke]
    difference = view.rows.filter(metric="f1_difference", scorer=names[last], other=names[first])
    assert difference.height == 1
    assert (difference["value"].item() == 0) == (first == last)


def test_a_scorer_that_is_left_out_leaves_its_cases_to_the_others(root):
    every, two = view_of(root, told={"series": "my"}), view_of(root, told={"series": "my"}, scorers=("gpt4", "x=y"))
    assert two.rows["n"].max() == 60 > every.rows["n"].max()
    assert set(two.rows["at"]) == set(STEPS[:2])


# -- what cannot be answered


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"series": "other"}, "no training run matches 'other'. There are: -flag, my run."),
        ({"from": 100}, "--from is a step of one training run, and there are 2. Name: -flag, my run."),
        ({"series": "my", "to": 150}, "my run has no checkpoint at step 150. There are: 100, 2000, 30000."),
        ({"series": "my", "from": "100"}, "my run has no checkpoint at step '100'."),
    ],
)
def test_what_there_is_not_is_one_sentence(root, told, said):
    with pytest.raises(UsageError) as caught:
        view_of(root, told=told)
    assert said in str(caught.value)


def test_without_a_run_one_sentence_says_how_to_name_one(root, capsys):
    assert main(["timeline", "-w", root, "--scorer", "alone"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "Wrong usage: no scorer here is said to be a checkpoint of a training run. Say it with --series NAME --at STEP:"
        " of `score`, or of `import` (the same file again changes nothing else)."
    )


def test_a_checkpoint_that_tried_nothing_is_set_aside(tmp_path):
    cases, run = study()
    unlabelled = Case(2, None)
    nothing = [*(replace(case, rewards=None) for case in cases), replace(unlabelled, rewards=(0.1, 0.9))]
    scorers = [(scorer, [*rows, unlabelled]) for scorer, rows in run]
    late = (checkpoint("late", "my run", 40_000), nothing)
    making.workspace(tmp_path / "w", [*cases, unlabelled], [*scorers, late])
    view = view_of(str(tmp_path / "w"))
    late = view.rows.filter(scorer="late")
    assert set(late["reason"]) == {"tried no case"}
    assert late["value"].null_count() == late.height == 3
    assert view.rows.filter(pl.col("metric").str.ends_with("mcnemar"))["at"].unique().to_list() == [STEPS[-1]]
    assert "late tried no case and is set aside." in words_of(view)
    asked = view_of(str(tmp_path / "w"), told={"to": 40_000})
    assert "No cases are held against each other" in words_of(asked)
    assert not asked.rows["metric"].str.ends_with("mcnemar").any()


def test_checkpoints_without_a_case_in_common_say_so(tmp_path):
    cases, run = study()
    halves = [
        (scorer, [case if at % 2 == number else replace(case, rewards=None) for at, case in enumerate(rows)])
        for number, (scorer, rows) in enumerate(run[:2])
    ]
    making.workspace(tmp_path / "w", cases, halves)
    view = view_of(str(tmp_path / "w"))
    assert set(view.rows.filter(pl.col("value").is_null())["reason"]) >= {"no case in common"}
    assert "0 cases that all 2 checkpoints tried" in words_of(view)
    assert not list(view.links())


def test_no_case_at_all_is_no_error(root):
    view = view_of(root, where=("n_steps > 99",))
    assert view.rows["value"].null_count() == view.rows.height > 0
    assert "no case was tried by a checkpoint" in words_of(view)


def test_one_checkpoint_has_a_figure_and_nothing_to_be_held_against(tmp_path):
    cases, run = study()
    making.workspace(tmp_path / "w", cases, run[:1])
    view = view_of(str(tmp_path / "w"))
    assert view.rows["metric"].to_list() == ["f1", "error_acc", "correct_acc"]
    assert not any(isinstance(block, Curve) for block in view.blocks())
    assert "1 checkpoint, step 2,000" in words_of(view)


def test_several_scorers_at_one_step_are_told(tmp_path):
    cases, run = study()
    again = (checkpoint("again", "my run", STEPS[0]), run[0][1])
    making.workspace(tmp_path / "w", cases, [*run, again])
    view = view_of(str(tmp_path / "w"), told={"from": STEPS[0]})
    note = "my run: several scorers are at step 100: again, x=y; the first is held against others"
    assert note in view.provenance["notes"]
    assert f"{note}." in words_of(view, (200, 60))
    assert set(view.rows.filter(pl.col("metric").str.ends_with("mcnemar"))["other"]) == {"again"}


def test_a_mean_over_subsets_that_is_undefined_gives_way_to_all_subsets_together(tmp_path):
    gold = ["one", "one", "two", "two"]
    right, wrong = (side_by_side.cases("ECEE", marks, gold) for marks in ("1111", "0111"))
    making.workspace(tmp_path / "w", right, [(checkpoint("a", "r", 1), right), (checkpoint("b", "r", 2), wrong)])
    rows = view_of(str(tmp_path / "w")).rows
    assert set(rows["subset"]) == {"all"}
    assert rows.filter(pl.col("metric") == "f1", pl.col("other").is_null())["value"].to_list() == [1.0, 0.8]


# -- steps


def test_where_prmscore_is_official_figures_are_of_steps_and_cases_of_first_errors(tmp_path):
    rng, items = random.Random(1), []
    scored = {name: [] for name in ("a", "b")}
    for name in step_making.CLASSES * 4:
        wrong = (rng.randrange(3),)
        items.append(Step(Case(3, wrong[0], None, "", name, wrong), name))
        for rows in scored.values():
            rewards = tuple(round(rng.random(), 2) for _ in range(3))
            rows.append(Step(Case(3, wrong[0], rewards, "", name, wrong), name))
    scorers = [(checkpoint(name, "r", at), rows) for at, (name, rows) in enumerate(scored.items(), start=1)]
    step_making.workspace(tmp_path / "w", items, scorers)
    results = selected(str(tmp_path / "w"))
    view = timeline.view(results, Params())
    figures = view.rows.filter(pl.col("other").is_null())
    assert set(figures["metric"]) == {"prmscore", "positive_acc", "negative_acc"}
    theirs = compare.view(selected(str(tmp_path / "w"), scorers=("b", "a"))).rows
    pair = theirs.filter(scorer="b", other="a")
    for metric in ("prmscore", "positive_acc", "negative_acc"):
        one, two = (frame.filter(metric=f"{metric}_difference") for frame in (view.rows, pair))
        assert one.select("value", "low", "high", "n").equals(two.select("value", "low", "high", "n"))
    broken = view.rows.filter(metric="erroneous_broken")["value"].item()
    assert broken == pair.filter(metric="erroneous_only_other_right")["value"].item() > 0
    words = words_of(view)
    assert "cases whose steps all 2 checkpoints judged" in words
    assert "PRMScore" in words


# -- what people see, in every form


def test_people_see_a_curve_a_line_a_checkpoint_and_what_changed(root):
    view = view_of(root, told={"series": "my"})
    (curve,) = (block for block in view.blocks() if isinstance(block, Curve))
    rows = view.rows.filter(pl.col("metric") == "f1", pl.col("other").is_null())
    (series,) = curve.series
    assert np.asarray(series.xs).tolist() == rows["at"].to_list()
    for name, values in (("value", series.ys), ("low", series.low), ("high", series.high)):
        assert np.asarray(values).tolist() == rows[name].to_list()
    assert curve.whole
    lines = table_of(view, "Checkpoints")
    assert [line["step"] for line in lines] == ["100", "2,000", "30,000"]
    assert [line["scorer"] for line in lines] == rows["scorer"].to_list()
    found = cells(view)
    for line, value in zip(lines, rows["value"], strict=True):
        assert line["F1"].startswith(f"{100 * value:.1f} (")
    for line, before in zip(lines[1:], lines, strict=False):
        difference = found[line["scorer"], before["scorer"], "f1_difference"]["value"]
        assert line["vs. the one before"].startswith(f"{signed(difference)} (")
        for name, what in (("broke", "broken"), ("mended", "mended")):
            whole = sum(found[line["scorer"], before["scorer"], f"{side}_{what}"]["value"] for side in SIDES)
            assert int(line[name]) == whole
    assert "Step 30,000 minus step 100" in words_of(view)


def test_whole_steps_have_no_sign_and_many_have_no_number_each(root, tmp_path, capsys):
    assert "+2,000" not in words_of(view_of(root))
    assert main(["timeline", "my run", "-w", root, "--html", "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ">30,000<" in page
    assert "+30" not in page
    cases, run = study(20)
    many = [(checkpoint(f"s{at}", "long", at), run[at % 3][1]) for at in range(1, 16)]
    making.workspace(tmp_path / "w", cases, many)
    (curve,) = (block for block in view_of(str(tmp_path / "w")).blocks() if isinstance(block, Curve))
    assert not curve.whole


def test_a_link_opens_exactly_its_cases_with_both_checkpoints_beside_each_other(root):
    results = selected(root)
    view = timeline.view(results, Params("", {"series": "my"}))
    changed = 0
    for link in view.links():
        kept = np.flatnonzero(results.mask & results.evaluated.passing(link.where))
        assert kept.size == link.n
        if not link.words.startswith(("broke", "mended")):
            continue
        changed += 1
        assert len(set(link.others)) == 2
        assert link.scorer == link.others[1]
        outcomes = [
            results.evaluated.column(f"{name}.outcome").gather(kept).is_in(["exact", "clean"]) for name in link.others
        ]
        assert outcomes[0].all() == link.words.startswith("broke")
        assert outcomes[1].any() != link.words.startswith("broke")
    assert changed >= 6


def test_python_asks_for_it_too(root):
    view = analysis(root, "timeline", options={"series": "-flag"}, intervals=False)
    assert set(view.rows["series"]) == {"-flag"}


# -- on screen


async def test_run_and_steps_are_chosen_on_screen(root):
    async with opened(Query(workspace=root), size=(120, 60)) as pilot:
        await press(pilot, "g", "e")
        await rests(pilot, "my run: 3 checkpoints", "-flag: 2 checkpoints")
        await press(pilot, "v", "v")
        await shows(pilot, "Training run", "From step", "To step")
        await press(pilot, "j", "enter")
        await shows(pilot, "There is nothing to choose from")
        await press(pilot, "v", "v", "enter")
        await shows(pilot, "all of them", "3 checkpoints, steps 100 to 30,000")
        await press(pilot, "j", "j", "enter")
        await rests(pilot, "Step 30,000 minus step 100")
        await press(pilot, "v", "v", "j", "enter")
        await shows(pilot, "the first one", "2,000")
        await press(pilot, "j", "j", "enter")
        await rests(pilot, "Step 30,000 minus step 2,000", "Cases from step 2,000 to step 30,000")


def test_notes_are_sentences(root):
    notes = [block.text for block in view_of(root).blocks() if isinstance(block, Note)]
    assert all(note[0] == note[0].upper() or note.startswith(("my run", "-flag", "late")) for note in notes)
