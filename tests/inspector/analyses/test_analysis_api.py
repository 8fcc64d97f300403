"""`inspector.api`: what a command prints, as a value in Python."""

import json

import pytest

import example
from inspector.api import analyses, analysis
from inspector.cli import main
from report_parts import Parts
from scoring.data.errors import FilterError, InspectError, NoWorkspace, UsageError


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("api") / "w"
    example.write(root)
    return str(root)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["metrics"], {"name": "metrics"}),
        (["metrics", "--by", "n_steps", "--where", "n_steps > 1"], {"by": "n_steps", "where": "n_steps > 1"}),
        (["metrics", "--threshold", "0.3", "--seed", "7"], {"threshold": 0.3, "seed": 7}),
        (["compare", "--pairs"], {"name": "compare", "page": "pairs"}),
        (["thresholds", "--curve", "11"], {"name": "thresholds", "page": "curve", "options": {"curve": 11}}),
        (
            ["thresholds", "--flips", "0.3", "0.6"],
            {"name": "thresholds", "page": "flips", "options": {"flips": (0.3, 0.6)}},
        ),
    ],
)
def test_its_rows_and_provenance_are_those_of_the_command(root, words, asked, capsys):
    assert main([*words, "-w", root, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    view = analysis(root, **{"name": "metrics", **asked})
    made = json.loads(view.render("json"))
    assert made["provenance"].pop("command") in printed["provenance"].pop("command")
    assert made == printed
    assert view.rows.height == len(printed["rows"])


def test_a_card_is_about_the_scorers_that_are_named(root, capsys):
    assert main(["card", "alpha", "beta", "-w", root, "--json"]) == 0
    assert (
        analysis(root, "card", scorers=("alpha", "beta")).rows.to_dicts() == json.loads(capsys.readouterr().out)["rows"]
    )
    with pytest.raises(UsageError, match="card is about 2 scorers at most"):
        analysis(root, "card", scorers=("alpha", "beta", "alpha"))


def test_a_check_has_its_exit_code(root, capsys):
    code = main(["check", "alpha", "--baseline", "beta", "-w", root, "--json"])
    view = analysis(root, "check", scorers="alpha", options={"baseline": "beta"})
    assert view.rows.to_dicts() == json.loads(capsys.readouterr().out)["rows"]
    assert view.exit_code == code == view.provenance["exit_code"]
    assert analysis(root, "check", scorers="alpha", options={"baseline": "beta", "fail_if": "n > 0"}).exit_code == 1
    with pytest.raises(UsageError, match="check needs --baseline"):
        analysis(root, "check", scorers="alpha")


def test_a_paper_is_read_without_its_benchmark(root):
    view = analysis(root, "paper", options={"name": "grben", "table": 3})
    assert view.rows["published"].is_not_null().all()
    assert view.rows["value"].is_null().all()
    assert view.provenance["data"] == "no cases"


def test_without_intervals_values_stay(root):
    whole, bare = analysis(root, "metrics"), analysis(root, "metrics", intervals=False)
    assert whole.rows.drop("low", "high", "small").equals(bare.rows.drop("low", "high", "small"))
    assert whole.rows["low"].is_not_null().any()
    assert bare.rows["low"].is_null().all()


def test_a_notebook_shows_what_people_see(root):
    view = analysis(root, "metrics")
    page = Parts(f"<!DOCTYPE html><title>t</title><main>{view._repr_html_()}</main>")
    assert page.wrong == []
    f1 = next(row for row in view.rows.iter_rows(named=True) if row["metric"] == "f1" and row["subset"] == "average")
    assert f"{100 * f1['value']:.1f}" in page.text
    assert f1["scorer"] in page.text


def test_it_lists_what_may_be_asked():
    assert set(analyses()) >= {"metrics", "compare", "thresholds"}
    assert all(told and not told.endswith("\n") for told in analyses().values())


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"name": "metric"}, UsageError, "Did you mean 'metrics'?"),
        ({"name": "metrics", "page": "pairs"}, UsageError, "It has one page"),
        ({"name": "compare", "page": "sets"}, UsageError, "It has: "),
        ({"name": "thresholds", "page": "curve", "options": {"curve": "many"}}, UsageError, "2 to 1000 points"),
        ({"name": "thresholds", "page": "curve", "options": {"pionts": 5}}, UsageError, "It can be told: curve."),
        ({"name": "thresholds", "options": {"curve": 5}}, UsageError, "cannot be told 'curve'"),
        ({"name": "thresholds", "page": "flips", "options": {"flips": 0.3}}, UsageError, "two thresholds"),
        ({"name": "metrics", "no_such": 1}, UsageError, "cannot be told 'no_such'"),
        ({"name": "metrics", "benchmarks": ("a",)}, UsageError, "cannot be told 'benchmarks'"),
        ({"name": "metrics", "scorers": "nobody"}, UsageError, "nobody"),
        ({"name": "metrics", "where": "no_such > 1"}, FilterError, "no_such"),
        ({"name": "thresholds", "page": "curve", "options": {"curve": 1}}, UsageError, "2 to 1000 points"),
        ({"name": "thresholds", "page": "flips", "options": {"flips": ("0.3",)}}, UsageError, "two thresholds"),
    ],
)
def test_what_cannot_be_answered_is_a_sentence(root, asked, error, says):
    with pytest.raises(error) as raised:
        analysis(root, **asked)
    assert says in str(raised.value)


def test_a_folder_without_a_workspace_is_one(tmp_path):
    with pytest.raises(NoWorkspace) as raised:
        analysis(tmp_path / "nowhere", "metrics")
    assert isinstance(raised.value, InspectError)
