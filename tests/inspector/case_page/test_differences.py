"""`--rule 'diff<='`: thresholds on differences of neighbouring rewards, in the commands and in the app."""

import shlex

import pytest

import making
import reference
from inspector.analyses.board.board_rows import board_frame
from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions
from inspector.cli import main
from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.sentences import outcome_sentence
from inspector.state.opening import inspect
from inspector.state.thresholds.threshold_span import threshold_span
from opened import inspected, opened
from reference import Case
from scoring.evaluation.evaluation import columns_of
from scoring.selection.loading import load
from scoring.selection.query import Query
from screen_text import press, shows
from views import metrics_view, show_view, thresholds_view

CASES = [
    Case(3, 1, (0.9, 0.7, 0.8)),
    Case(3, 2, (0.9, 0.88, 0.4)),
    Case(2, -1, (0.4, 0.42)),
    Case(2, -1, (0.9, 0.6)),
    Case(2, 0, (0.6, 0.9)),
]
VERDICTS = [1, 2, -1, 1, -1]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("differences") / "w"
    own = making.scorer("own", threshold=-0.2, threshold_source="its file", comparison="<=", on="differences")
    making.workspace(root, CASES, [(making.scorer("falls"), CASES), (own, CASES)])
    return str(root)


def asked(root, *rules, **more):
    return load(Query(workspace=root, rules=rules, **more))


def falls(case):
    rewards = case.rewards
    return Case(case.n_steps, case.gold, tuple(r - b for r, b in zip(rewards, (0.0, *rewards), strict=False)))


def test_the_rule_decides_by_differences_and_the_rewards_stay(root):
    found = asked(root, ("falls", "diff<=")).evaluation("falls")
    assert (found.rule.threshold, found.rule.source) == (-0.05, "PRMBench's toolkit")
    assert columns_of(found)["falls.verdict"].to_list() == VERDICTS
    rows = show_view(asked(root, ("falls", "diff<=")), 0).rows
    assert rows["falls.reward"].to_list() == [0.9, 0.7, 0.8]
    assert rows["falls.wrong"].to_list() == [False, True, False]


@pytest.mark.parametrize("threshold", ["-0.25", "-0.05", "0.5", "best"])
def test_metrics_are_those_of_plain_counting_and_their_command_makes_them_again(root, threshold, capsys):
    rules, thresholds = ((None, "diff<="),), (("falls", threshold),)
    results = asked(root, *rules, scorers=("falls",), thresholds=thresholds)
    document = metrics_view(results, "json")
    at = results.evaluation("falls").rule.threshold
    expected = reference.metrics([falls(case) for case in CASES], at, "<=")
    found = {(row["subset"], row["metric"]): row["value"] for row in document.rows.iter_rows(named=True)}
    assert found == pytest.approx(expected)
    assert main(shlex.split(document.provenance["command"])[1:]) == 0
    assert capsys.readouterr().out == document.render("json")
    facts = document.provenance
    assert facts["rule"].startswith("a step is judged wrong iff its reward less that of the step before")
    assert any(note.startswith("falls: a step is judged wrong") and "as asked" in note for note in facts["notes"])


def test_a_boundary_alone_leaves_what_is_compared_and_rewards_can_be_asked_for(root):
    found = {name: asked(root, (None, name)) for name in ("<", "reward<=", "diff<")}
    rules = {
        name: [(one.rule.on, one.rule.comparison, one.rule.threshold) for one in results.evaluations]
        for name, results in found.items()
    }
    assert rules["<"] == [("rewards", "<", 0.5), ("differences", "<", -0.2)]
    assert rules["reward<="] == [("rewards", "<=", 0.5), ("rewards", "<=", 0.5)]
    assert rules["diff<"] == [("differences", "<", -0.05), ("differences", "<", -0.2)]


def test_a_scorer_that_is_on_differences_by_itself_says_so(root):
    results = asked(root)
    assert [one.rule.threshold for one in results.evaluations] == [0.5, -0.2]
    notes = metrics_view(results).provenance["notes"]
    assert next(note for note in notes if note.startswith("own: ")).startswith("own: a step is judged wrong iff its")
    assert not any("falls: " in note for note in notes)


def test_thresholds_are_chosen_among_differences(root):
    rows = thresholds_view(asked(root, (None, "diff<"), scorers=("falls",))).rows
    assert set(rows["comparison"].drop_nulls()) == {"diff<"}
    default = rows.filter(kind="default", subset="all")
    assert default["threshold"].to_list() == [-0.05]
    best = rows.filter(kind="best", subset="average")
    assert best["value"].to_list() == pytest.approx([reference.best_f1([falls(case) for case in CASES], "<")])


def test_what_is_no_rule_is_refused_in_one_sentence(root, capsys):
    assert main(["metrics", "-w", root, "--rule", "dif<"]) == 2
    assert "'dif<' is not a rule." in capsys.readouterr().err


def test_the_board_and_the_sentences_say_what_is_compared(root):
    results = asked(root, ("falls", "diff<="), thresholds=(("falls", "-0.2"),))
    sources = dict(board_frame(results).select("scorer", "threshold_source").rows())
    assert sources == {"falls": "chosen, on differences", "own": "its file, on differences"}
    found = results.evaluation("falls")
    assert outcome_sentence(found, 1).endswith(
        "exactly right (reward 0.40 at the gold step, -0.48 from the step before)"
    )
    assert outcome_sentence(found, 3).endswith("false alarm (lowest difference from the step before -0.30)")
    assert outcome_sentence(found, 4).endswith("missed (reward 0.60 at the gold step, the first one)")


BAR = 10


def test_the_mark_in_a_bar_is_the_threshold_below_the_reward_before(root):
    def bars(results, row):
        lines = case_lines(
            inspect(results).focused("falls", "bench"), row, DisplayOptions(100, Glyphs(ascii_only=True))
        )
        return ["".join(text for text, _ in lines.lines[at].parts) for at in lines.starts]

    plain = Glyphs(ascii_only=True)
    found = bars(asked(root, ("falls", "diff<="), thresholds=(("falls", "-0.3"),)), 1)
    for step, (reward, mark) in enumerate(((0.9, -0.3), (0.88, 0.9 - 0.3), (0.4, 0.88 - 0.3))):
        expected = "".join(text for text, _ in plain.reward_bar(reward, BAR, mark, "good"))
        assert expected in found[step]
        assert f"{reward:.2f}" in found[step]
    assert ["0x" in line for line in found] == [False, False, True]


async def test_the_rail_moves_the_threshold_on_differences(root):
    query = Query(workspace=root, rules=(("falls", "diff<="),), scorers=("falls",))
    async with opened(query, size=(130, 36)) as pilot:
        await press(pilot, "t")
        await shows(pilot, "threshold on differences -0.050 (PRMBench's toolkit)", "d default -0.05")
        start = inspected(pilot)
        values = start.evaluation.compared_values.values
        assert threshold_span(start.evaluation) == (values.min(), values.max())
        await press(pilot, "n")
        now = inspected(pilot)
        threshold = now.evaluation.rule.threshold
        assert threshold > -0.05
        expected = reference.metrics([falls(case) for case in CASES], threshold, "<=")["average", "f1"]
        assert (now.summary.headline.score or 0.0) == pytest.approx(expected or 0.0)
        await shows(pilot, f"threshold on differences {threshold:.3f} (was -0.050)")
        await press(pilot, "v", "m")
        best = reference.best_f1([falls(case) for case in CASES], "<=")
        assert inspected(pilot).summary.headline.score == pytest.approx(best)
        await press(pilot, "x")
        assert inspected(pilot).evaluation.rule.threshold == -0.05
        command = inspected(pilot).results.query.command("metrics")
        assert "--rule 'falls=diff<='" in command
        assert "--threshold falls=default" in command
        await press(pilot, "escape")
