"""Rules of the user's own: one file each, or an entry point; what is wrong with one is a sentence with its line."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import making
import plugged_in
import reference
import rule_reference as slow
from reference import Case
from scoring.api import open_workspace
from scoring.data import reward_transforms
from scoring.data.errors import PluginError, UsageError
from scoring.data.rules import GROUP, check_rule, installed_rules, rule
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.plugins import load_plugins
from scoring.metrics.threshold_curves import metric_curve

FILE = Path(__file__).parents[2] / "own" / "below_mean.py"
HEAD = "import numpy as np\nfrom scoring.api import rule\n"
CASES = [Case(3, 1, (0.9, 0.2, 0.7)), Case(2, -1, (0.5, 0.5)), Case(1, 0, (0.1,)), Case(0, -1, ())]


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    monkeypatch.setattr(reward_transforms, "_OWN", {})


def written(tmp_path, body, name="mine", file="mine.py"):
    path = tmp_path / file
    path.write_text(f"{HEAD}@rule({name!r}, words='what it is')\ndef mine(values, offsets):\n    {body}\n")
    return str(path)


def test_one_file_is_a_rule_in_at_most_twenty_lines_and_nothing_of_it_is_known_before():
    assert len(FILE.read_text().splitlines()) <= 20
    with pytest.raises(UsageError, match="'below-mean<' is not a rule"):
        check_rule("below-mean<")
    load_plugins([str(FILE)])
    assert check_rule("lowest:below-mean<=") == ("<=", "below-mean", "lowest")
    with pytest.raises(UsageError, match=r"max3, \.\.\., below-mean"):
        check_rule("nonsense<")


@pytest.mark.parametrize("step", slow.STEPS)
def test_it_decides_as_plain_counting_does_and_its_sweep_is_exact(step):
    load_plugins([str(FILE)])
    found = making.evaluation(CASES).compared("<=", "below-mean", step)
    assert (found.rule.threshold, found.rule.source) == (-0.2, "the rule below-mean")
    assert found.compared_values.of(0) == pytest.approx([0.3, -0.4, 0.1])
    assert found.verdicts.tolist() == [1, -1, -1, found.verdicts[3]]
    assert [OUTCOMES[code] for code in found.codes] == ["exact", "clean", "missed", "refused"]
    assert found.of_cases(np.array([0])).verdicts.tolist() == [1]
    curve = metric_curve(FIRST_ERRORS, found, np.ones(4, dtype=bool), whole="all")
    for threshold, f1 in zip(curve.thresholds.tolist(), curve.score.tolist(), strict=True):
        verdicts = found.at(threshold).verdicts.tolist()
        told = [
            reference.outcome_of(verdict, case.gold, case.n_steps)
            for verdict, case in zip(verdicts[:3], CASES[:3], strict=True)
        ]
        expected = slow.f1(CASES, [*told, "refused"])
        assert np.isnan(f1) if expected is None else f1 == pytest.approx(expected)


def test_rows_from_python_are_those_of_the_rule(tmp_path):
    cases, scorers = making.study()
    making.workspace(tmp_path / "w", cases, scorers[:1])
    rows = open_workspace(tmp_path / "w").metrics(rule="below-mean<", plugin=str(FILE))
    load_plugins([str(FILE)])
    found = making.evaluation(scorers[0][1]).compared("<", "below-mean").at(-0.2)
    outcomes = [OUTCOMES[code] for code in found.codes]
    average = rows.filter(pl.col("subset") == "average", pl.col("metric") == "f1")["value"].item()
    assert average == pytest.approx(slow.f1(scorers[0][1], outcomes))


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("return values[:-1]", 3, "it gives an array of shape (5,) and should give one of (6,)"),
        ("return 0.5", 3, "it gives an array of shape () and should give one of (6,)"),
        ("return None", 3, "it gives object and should give numbers"),
        ("return [1, [2]]", 3, "it gives lists of several lengths and should give one array"),
        ("return np.sqrt(values - 0.2)", 3, "it gives nan where the reward is 0.1"),
        ("return np.where(values > 0.5, np.inf, 1)", 3, "it gives inf where the reward is 0.9"),
        ("return values / len(values)", 3, "what it makes of a case depends on other cases"),
        ("return values - values.mean()", 3, "what it makes of a case depends on other cases"),
        ("values[0] = 0; return values", 5, "read-only"),
        ("return values + nonsense", 5, "NameError"),
        ("raise SystemExit(3)", 5, "SystemExit"),
    ],
)
def test_what_it_gives_is_looked_at_before_anything_is_compared_with_it(tmp_path, body, line, says):
    path = written(tmp_path, body)
    load_plugins([path])
    with pytest.raises(PluginError) as caught:
        making.evaluation(CASES).compared("<", "mine")
    assert f"{path}, line {line}," in str(caught.value)
    assert "the rule 'mine'" in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_reward_that_is_no_number_may_stay_none_and_whole_numbers_will_do(tmp_path):
    load_plugins([written(tmp_path, "return (values > 0.5).astype(int)")])
    found = making.evaluation(CASES).compared("<", "mine").at(0.5)
    assert found.verdicts[:3].tolist() == [1, 0, 0]
    made = reward_transforms.transform("mine")
    load_plugins([written(tmp_path, "return 2 * values", "other", "other.py")])
    assert np.isnan(reward_transforms.transform("other")(np.array([np.nan, 1.0]), np.array([0, 2]))[0])
    assert made(np.empty(0), np.array([0, 0])).size == 0


def test_no_case_that_it_is_given_is_empty(tmp_path):
    load_plugins([written(tmp_path, "return np.full(values.size, np.diff(offsets).min())")])
    found = making.evaluation([Case(0, -1, ()), Case(2, 1, (0.5, 0.6)), Case(2, 1, None, "over length")])
    assert found.compared("<", "mine").compared_values.of(1) == [2.0, 2.0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("'diff', words='x'", "'diff' is a rule of the program"),
        ("'max4', words='x'", "'max4' is a rule of the program"),
        ("'a b', words='x'", "'a b' is not a name of a rule"),
        ("'x', words=' '", "words should say what is compared"),
        ("'x', words='x', threshold=float('nan')", "is not a finite number"),
        ("'x'", "TypeError"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_its_line(tmp_path, arguments, says):
    path = tmp_path / "mine.py"
    path.write_text(f"{HEAD}@rule({arguments})\ndef mine(values, offsets):\n    return values\n")
    with pytest.raises(PluginError, match=r"mine\.py, line 3, while it was imported") as caught:
        load_plugins([str(path)])
    assert says in str(caught.value)


def test_a_decorated_function_is_still_one():
    made = rule("mine", words=" what\n it is ", threshold=1)(lambda values, _offsets: 2 * values)
    assert made(np.array([1.0]), np.array([0, 1])).tolist() == [2.0]
    assert (made.words, made.default, made.code) == ("what it is", (1.0, "the rule mine"), None)


def test_two_files_with_one_name_are_refused_and_a_file_that_changed_takes_the_place_of_the_old(tmp_path):
    first = written(tmp_path, "return values")
    load_plugins([first, first])
    known = reward_transforms.transform("mine")
    load_plugins([first])
    assert reward_transforms.transform("mine") is known
    with pytest.raises(PluginError, match="two files hold a rule 'mine'"):
        load_plugins([written(tmp_path, "return values", file="again.py")])
    load_plugins([written(tmp_path, "return 2 * values  # another")])
    assert reward_transforms.transform("mine")(np.array([1.0]), np.array([0, 1])).tolist() == [2.0]


def test_an_installed_package_names_rules_and_none_is_imported_before_it_is_asked_for(tmp_path, monkeypatch):
    entries = {"twice": "plugged_rule:mine", "other": "plugged_rule:mine", "odd": "plugged_rule:np", "max2": "x:y"}
    source = f"{HEAD}@rule('twice', words='twice its reward')\ndef mine(values, offsets):\n    return 2 * values\n"
    plugged_in.install(tmp_path / "site", monkeypatch, GROUP, entries, {"plugged_rule.py": source})
    assert set(installed_rules()) == {"twice", "other", "odd"}
    with pytest.raises(UsageError, match=r"\.\.\., odd, other, twice"):
        check_rule("nonsense<")
    assert not reward_transforms.own_transforms()
    found = making.evaluation(CASES).compared(*check_rule("twice<="))
    assert found.compared_values.of(0) == [1.8, 0.4, 1.4]
    assert reward_transforms.transform("twice").code.package == "mine 1.2"
    with pytest.raises(PluginError, match="is the rule 'twice' and not 'other'"):
        check_rule("other<")
    with pytest.raises(PluginError, match=r"plugged_rule:np of mine 1\.2 is not a rule"):
        check_rule("odd<")
