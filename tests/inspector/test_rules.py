"""What is compared with a threshold and which step is named, in the commands and in the app; rules of one's own."""

import json
import math
import shlex
import sys
from pathlib import Path

import pytest

import making
import plugged_in
import rows_out
import rule_reference as slow
from inspector import analyses
from inspector.analyses._own import load_own
from inspector.analyses.board.board_rows import board_frame
from inspector.api import analysis
from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions
from inspector.cli import command_flags, main
from inspector.cli.actions import environment as doctor
from inspector.cli.command_flags import commands
from inspector.render import analysis_list
from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.sentences import outcome_sentence, threshold_name
from inspector.state.comparability import incomparable
from inspector.state.opening import inspect
from inspector.state.thresholds.threshold_span import threshold_span
from opened import inspected, opened
from reference import Case
from scoring.data import reward_transforms
from scoring.data.rules import GROUP
from scoring.evaluation.reward_exports import RewardSource, ScorerOutput, grben_details_row, mr_eval_row
from scoring.evaluation.verdicts import Rule
from scoring.metrics.reliability import why_no_reliability
from scoring.selection.loading import load
from scoring.selection.query import Query
from screen_text import press, shows
from views import card_view, metrics_view, thresholds_view, words_of

OWN = Path(__file__).parents[1] / "own"
FILE = str(OWN / "below_mean.py")
CASES = [
    Case(3, 1, (0.9, 0.7, 0.8)),
    Case(3, 2, (0.4, 0.88, 0.3)),
    Case(2, -1, (0.4, 0.42)),
    Case(2, -1, (0.9, 0.6)),
    Case(2, 0, (0.6, 0.9)),
]


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    for module, name in ((reward_transforms, "_OWN"), (analyses, "_OWN"), (analysis_list, "OWN")):
        monkeypatch.setattr(module, name, {})
    monkeypatch.setattr(analyses, "OWN", analysis_list.OWN)
    monkeypatch.setattr(command_flags, "OWN", analysis_list.OWN)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("rules") / "w"
    making.workspace(root, CASES, [(making.scorer("one"), CASES), (making.scorer("two"), CASES)])
    return str(root)


def asked(root, rule, *thresholds, **more):
    return load(Query(workspace=root, rules=(("one", rule),), thresholds=thresholds, **more))


WORDS = [
    (f"{prefix}{name}{side}") for prefix in ("", "lowest:") for name in ("product", "zscore", "max2") for side in "<"
]


@pytest.mark.parametrize("rule", [*WORDS, "lowest:<="])
def test_metrics_are_those_of_plain_counting_and_their_command_makes_them_again(root, rule, capsys):
    view = metrics_view(asked(root, rule, ("one", "0.55"), scorers=("one",)), "json")
    name = rule.removeprefix("lowest:").rstrip("<=") or "rewards"
    step, comparison = "lowest" if "lowest" in rule else "first", "<=" if "=" in rule else "<"
    outcomes = [slow.outcome(case, name, step, 0.55, comparison) for case in CASES]
    f1 = view.rows.filter(subset="average", metric="f1")["value"].item()
    assert f1 == pytest.approx(slow.f1(CASES, outcomes))
    assert main(shlex.split(view.provenance["command"])[1:]) == 0
    assert capsys.readouterr().out == view.render("json")
    assert reward_transforms.transform(name).words in view.provenance["rule"]
    assert ("the verdict is the step where this is lowest" in view.provenance["rule"]) == (step == "lowest")
    assert any(
        note.startswith("one: a step is judged wrong") and "as asked" in note for note in view.provenance["notes"]
    )


def test_the_best_threshold_is_among_all_that_decide_differently(root):
    rows = thresholds_view(asked(root, "lowest:product<", scorers=("one",))).rows
    assert set(rows["comparison"].drop_nulls()) == {"lowest:product<"}
    values = sorted({min(slow.values("product", case.rewards)) for case in CASES})
    each = [
        slow.f1(CASES, [slow.outcome(case, "product", "lowest", cut, "<") for case in CASES]) for cut in (*values, 9)
    ]
    best = rows.filter(kind="best", subset="average")["value"].item()
    assert best == pytest.approx(max(f1 for f1 in each if f1 is not None))


def test_the_threshold_is_called_by_what_is_compared(root):
    names = {
        "zscore<": "threshold on z-scores",
        "lowest:<": "threshold of the lowest step",
        "lowest:max3<=": "threshold on 3-step maxima of the lowest step",
        "product<": "threshold on running products",
        "<": "threshold",
    }
    for rule, name in names.items():
        assert threshold_name(asked(root, rule).evaluation("one").rule) == name
    results = asked(root, "lowest:zscore<")
    sources = dict(board_frame(results).select("scorer", "threshold_source").rows())
    assert sources == {"one": "default, on z-scores of the lowest step", "two": "default"}
    card = words_of(card_view(results, "one"))
    assert "its z-score among the rewards of its case < threshold; the verdict is the step where this is" in card
    assert "lowest:zscore< (as asked; its own is <)" in card
    (reason,) = incomparable(results, ("one", "two"), "bench")
    assert reason.why == "rule"
    assert "one: threshold on z-scores of the lowest step; two: the usual threshold" in reason.sentence
    assert incomparable(load(Query(workspace=root, rules=((None, "zscore<"),))), ("one", "two"), "bench") == []


def test_sentences_have_what_is_compared_beside_the_reward(root):
    found = asked(root, "lowest:product<", ("one", "0.55")).evaluation("one")
    assert outcome_sentence(found, 0) == (
        "predicted step 2, gold step 1: one step late (reward 0.70 at the gold step, running product 0.63)"
    )
    assert outcome_sentence(found, 3).endswith("false alarm (lowest running product 0.54)")
    usual = asked(root, "lowest:<", ("one", "0.5")).evaluation("one")
    assert outcome_sentence(usual, 1).endswith("exactly right (reward 0.30 at the gold step)")


def test_a_threshold_on_something_else_has_no_mark_in_a_bar_of_rewards(root):
    def bars(rule):
        at = inspect(asked(root, rule, ("one", "0.5"))).focused("one", "bench")
        lines = case_lines(at, 1, DisplayOptions(100, Glyphs(ascii_only=True)))
        return ["".join(text for text, _ in lines.lines[at].parts) for at in lines.starts]

    marked, plain = bars("lowest:<"), bars("product<")
    assert all("|" in line for line in marked)
    assert not any("|" in line for line in plain)
    assert ["x" in line.partition("0.")[2] for line in plain] == [True, True, True]


def test_pages_on_rewards_say_that_the_threshold_is_on_something_else(root):
    one = asked(root, "zscore<").evaluation("one")
    assert why_no_reliability(one).startswith("the threshold is compared with z-scores")
    view = analysis(root, "thresholds", page="rewards", scorers="one", rules=(("one", "zscore<"),))
    assert "The threshold is on z-scores of rewards" in words_of(view)


def test_rewards_go_to_other_toolkits_as_these_decide():
    output, case = ScorerOutput([0.9, 0.4, 0.7]), rows_out.labelled()

    def source(on, step="first"):
        return RewardSource("one", Rule(0.5, "<=", "chosen", on, step))

    assert grben_details_row(case, output, source("product")).value is None
    assert "lowest step" in str(grben_details_row(case, output, source("rewards", "lowest")).notes)
    assert grben_details_row(case, output, source("rewards")).value["pred_label"] == 2
    for step in slow.STEPS:
        row = mr_eval_row(case, output, source("product", step)).value
        assert row["results"]["scores"]["step_level_validity_labels"] == [True, False, False]
        assert row["results"]["scores"]["step_level_validity_scores"] == output.rewards


async def test_the_rail_moves_the_threshold_on_what_is_compared(root):
    query = Query(workspace=root, rules=(("one", "lowest:product<"),), scorers=("one",))
    async with opened(query, size=(130, 36)) as pilot:
        await press(pilot, "t")
        await shows(pilot, "threshold on running products of the lowest step 0.500 (default)")
        start = inspected(pilot)
        values = start.evaluation.compared_values.values
        assert threshold_span(start.evaluation) == (values.min(), values.max())
        seen = []
        for _ in range(3):
            await press(pilot, "n")
            now = inspected(pilot)
            seen.append(now.evaluation.rule.threshold)
            outcomes = [slow.outcome(case, "product", "lowest", now.evaluation.rule.threshold, "<") for case in CASES]
            assert (now.summary.headline.score or 0.0) == pytest.approx(slow.f1(CASES, outcomes) or 0.0)
        # Only the lowest value of a case changes anything.
        lowest = sorted(min(slow.values("product", case.rewards)) for case in CASES)
        assert set(seen) <= {*lowest, math.nextafter(lowest[-1], 9)}
        assert "--rule 'one=lowest:product<'" in now.results.query.command("metrics")
        await press(pilot, "escape")


def test_what_is_no_rule_is_refused_in_one_sentence_with_what_there_is(root, capsys):
    for rule in ("lowst:<", "one=nonsense<"):
        assert main(["metrics", "-w", root, "--rule", rule]) == 2
        said = capsys.readouterr().err
        assert f"{rule.removeprefix('one=')!r} is not a rule." in said
        assert "(reward, diff, product, zscore, max2, max3, ...)" in said
    assert main(["import", "nothing.jsonl", "-w", root, "--rule", "product<"]) == 2
    assert "'product<' cannot be a scorer's own rule." in capsys.readouterr().err


# -- of one's own


def test_a_file_brings_a_rule_and_its_digest_stands_in_the_provenance(root, capsys):
    words = ["-w", root, "--scorer", "one", "--rule", "lowest:below-mean<", "--plugin", FILE]
    assert main(["metrics", *words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    code = reward_transforms.transform("below-mean").code
    assert document["provenance"]["plugins"] == {"below-mean": f"below_mean.py, sha256 {code.digest}"}
    assert document["provenance"]["threshold_source"] == {"one": "the rule below-mean"}
    assert f"--plugin {FILE}" in document["provenance"]["command"]
    assert main(shlex.split(document["provenance"]["command"])[1:]) == 0
    assert json.loads(capsys.readouterr().out) == document
    assert main(["card", "one", *words[:2], *words[4:]]) == 0
    assert f"below_mean.py, sha256 {code.digest}" in capsys.readouterr().out
    view = analysis(root, "metrics", scorers="one", rules=((None, "lowest:below-mean<"),), plugin=FILE)
    assert json.loads(view.render("json"))["rows"] == document["rows"]


def test_without_being_named_it_is_not_known_and_what_is_wrong_with_it_is_a_sentence(root, tmp_path, capsys):
    assert main(["metrics", "-w", root, "--rule", "below-mean<"]) == 2
    assert "'below-mean<' is not a rule." in capsys.readouterr().err
    assert main(["metrics", "-w", root, "--plugin", "nowhere.py"]) == 2
    assert "Cannot use the plugin: nowhere.py cannot be read" in capsys.readouterr().err
    path = tmp_path / "mine.py"
    path.write_text(
        "from scoring.api import rule\n@rule('mine', words='it')\ndef mine(values, _):\n    return values[1:]\n"
    )
    assert main(["metrics", "-w", root, f"--plugin={path}", "--rule", "mine<"]) == 2
    said = capsys.readouterr().err
    assert f"{path}, line 2, the rule 'mine': it gives an array of shape" in said
    assert "Traceback" not in said
    # Nobody is decided by it here.
    assert main(["metrics", "-w", root, "--plugin", str(path), "--quiet"]) == 0


def test_an_analysis_in_a_file_is_a_command_while_the_file_is_named(root, capsys):
    longest = str(OWN / "longest.py")
    assert main(["--plugin", longest, "longest", "-w", root, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["provenance"]["command"] == f"prm-inspect longest --workspace {root} --plugin {longest} --json"
    assert "longest" in commands()


def test_the_app_decides_by_a_rule_of_ones_own(root):
    load_own([FILE])
    results = load(Query(workspace=root, rules=(("one", "below-mean<"),), plugins=(FILE,)))
    now = inspect(results).focused("one", "bench")
    assert now.evaluation.rule.threshold == -0.2
    assert threshold_name(now.evaluation.rule) == "threshold on below-mean"
    assert now.evaluation.verdicts.tolist() == [-1, 2, -1, -1, -1]
    assert now.evaluation.alone(1).verdicts.tolist() == [2]


def test_doctor_lists_what_installed_packages_bring_and_imports_none(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "_probe", lambda: ({}, False))
    assert main(["doctor", "-w", str(tmp_path)]) == 0
    assert "code of your own" not in capsys.readouterr().out
    source = {"plugged_rules.py": "raise AssertionError('imported')\n"}
    plugged_in.install(tmp_path / "site", monkeypatch, GROUP, {"mine": "plugged_rules:mine"}, source)
    assert main(["doctor", "-w", str(tmp_path)]) == 0
    assert "code of your own\n  rule mine: plugged_rules:mine of the package mine 1.2\n" in capsys.readouterr().out
    assert "plugged_rules" not in sys.modules
