import json
import shlex

import polars as pl
import pytest
from msgspec.structs import asdict

import judged
import making
from inspector.analyses.bias import bias
from inspector.analyses.breakdown.breakdown import breakdown
from inspector.cli import main
from inspector.cli.command_flags import FORMS
from inspector.state.filtering.facets import FacetColumn, facet_counts
from reference import Case
from scoring.data.errors import UsageError
from scoring.metrics.breakdown import TOTAL
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.filters import Filter, passing
from thoroughness import together
from views import breakdown_view, cases_view, metrics_view

VIEWS = {
    "usual": ("", {}),
    "two columns": ("", {"rows": "generator", "cols": "position"}),
    "outcomes of another": ("", {"rows": "gpt4.outcome", "cols": "rand-0.outcome"}),
    "length": ("length", {}),
    "offset": ("offset", {}),
    "position": ("position", {"preset": "relative"}),
    "step position": ("step_position", {"preset": "socratic"}),
    "all errors": ("position", {"errors": "all"}),
    "aligned": ("aligned", {}),
}


def shown(results, asked, form=""):
    page, told = asked
    return breakdown_view(results, told, form, page=page)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("it's a study")
    cases, scorers = making.study(n=100)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return str(root)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    root = tmp_path_factory.mktemp("judged")
    judged.workspace(root)
    return str(root)


def drilled(query, where):
    """How many rows `cases` prints with one more condition."""
    return cases_view(load(Query(**{**asdict(query), "where": (*query.where, where)}))).rows.height


@pytest.mark.parametrize("name", [name for name in VIEWS if name not in {"step position", "all errors", "aligned"}])
def test_every_count_is_the_number_of_cases_that_its_condition_selects(root, other, name):
    for folder, baselines in together((root, other), (True, False)):
        if name == "outcomes of another" and folder == other:
            continue
        query = Query(workspace=folder, baselines=baselines, where=("n_steps > 1",))
        results = load(query)
        rows = shown(results, VIEWS[name]).rows
        counts = rows.filter(pl.col("metric").is_in(["cases", "count"])).unique(["where", "value"])
        frame = results.evaluated.table(results.evaluated.columns).filter(pl.Series(results.mask))
        assert counts.height
        for where, value in counts.select("where", "value").iter_rows():
            assert passing(frame, [where]).sum() == value
        assert drilled(query, counts["where"][0]) == counts["value"][0]


def test_a_cells_outcomes_are_the_counts_of_the_facet(root):
    results = load(Query(workspace=root, where=("n_steps > 1",)))
    rows = breakdown_view(results, {"rows": "error_type", "cols": "subset"}).rows
    for (scorer, where), cell in rows.group_by("scorer", "where"):
        within = results.mask & passing(results.cases, [where]).to_numpy()
        if not within.any():
            continue
        column = f"{scorer}.outcome"
        facet = facet_counts(results, within, [FacetColumn(column, column, "outcomes")], (), Filter()).get(column)
        counted = {
            metric.removeprefix("count_"): value
            for metric, value in cell.select("metric", "value").iter_rows()
            if metric.startswith("count_") and value
        }
        if facet is not None:
            assert counted == {value: count for value, count in facet if count}
        assert sum(counted.values()) == within.sum()


def test_the_total_is_what_metrics_says(root):
    results = load(Query(workspace=root, unparsed="drop"))
    totals = breakdown_view(results, {"rows": "subset"}).rows.filter(pl.col("subset") == TOTAL)
    metrics = metrics_view(results).rows.filter(pl.col("subset") == "all")
    keys = ["scorer", "metric"]
    joined = metrics.join(totals, on=keys).select("value", "value_right", "n", "n_right")
    assert joined.height == 9
    assert joined["value"].to_list() == pytest.approx(joined["value_right"].to_list())
    assert joined["n"].to_list() == joined["n_right"].to_list()


@pytest.mark.parametrize(("name", "form"), [(name, FORMS[i % 5]) for i, name in enumerate(VIEWS)])
def test_the_command_in_a_document_prints_that_document(root, name, form, capsysbinary):
    document = shown(load(Query(workspace=root, seed=3, baselines=name == "usual")), VIEWS[name], form)
    assert main(shlex.split(document.provenance["command"])[1:]) == 0
    assert capsysbinary.readouterr().out == document.render(form).encode()


def test_bias_has_four_rows_a_unit_and_slices_that_select_their_cases(root):
    results = load(Query(workspace=root, baselines=True, scorers=("gpt4",)))
    rows = bias.view(results).rows
    whole = rows.filter(pl.col("column").is_null())
    assert whole.group_by("scorer", "unit").len()["len"].to_list() == [4] * 8
    slices = rows.filter(pl.col("column").is_not_null())
    assert slices.height
    for row in slices.iter_rows(named=True):
        side = "earliest_error >= 0" if row["metric"].startswith("error") else "earliest_error = -1"
        assert passing(results.cases, [row["where"], side]).sum() == row["n"]


@pytest.mark.parametrize(
    ("words", "folder"),
    together(
        [["breakdown"], ["bias"], *(["breakdown", "--of", page.name] for page in breakdown.pages)], ["root", "other"]
    ),
)
def test_a_terminal_gets_a_table(request, folder, words, capsys):
    assert main([*words, "-w", request.getfixturevalue(folder), "--baselines"]) == 0
    said = capsys.readouterr()
    assert "coin" in said.out
    assert "metric" not in said.out.splitlines()[0]
    assert "command: prm-inspect" in said.err


@pytest.mark.parametrize(
    ("view", "word"),
    [
        (("", {"rows": "nonsense"}), "nonsense"),
        (("", {"rows": "case", "cols": "case"}), "two columns"),
        (("", {"cols": "subset"}), "--rows"),
        (("", {"rows": "benchmark"}), "apart"),
        (("offset", {"rows": "subset"}), "cannot be told 'rows'"),
        (("offset", {"preset": "socratic"}), "cannot be told 'preset'"),
        (("position", {"preset": "sense"}), "not a value of --preset"),
        (("offset", {"errors": "all"}), "cannot be told 'errors'"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(root, view, word):
    with pytest.raises(UsageError) as caught:
        shown(load(Query(workspace=root)), view)
    assert word in str(caught.value)


def test_a_wrong_column_is_exit_code_2(root, capsys):
    assert main(["breakdown", "-w", root, "--rows", "nonsense"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1


def test_the_usual_columns_are_the_benchmarks(tmp_path):
    cases, scorers = making.study(n=12)
    making.workspace(tmp_path / "w", cases, scorers, "grben", **making.labels(cases))
    columns = breakdown_view(load(Query(workspace=str(tmp_path / "w")))).rows.columns
    assert columns[:5] == ["scorer", "benchmark", "subset", "error_type", "metric"]


def test_two_benchmarks_are_told_apart_and_need_a_column(root):
    query = Query(workspace=root, benchmarks=("bench", "demo"))
    results = load(query)
    with pytest.raises(UsageError):
        breakdown_view(results)
    rows = breakdown_view(results, {"rows": "steps"}).rows
    totals = rows.filter((pl.col("steps") == TOTAL) & (pl.col("metric") == "cases") & (pl.col("scorer") == "gpt4"))
    assert dict(totals.select("benchmark", "value").iter_rows()) == {"bench": 100, "demo": 240}
    for benchmark, where in totals.select("benchmark", "where").iter_rows():
        assert set(results.cases.filter(passing(results.cases, [where]))["benchmark"]) == {benchmark}


def test_baselines_come_after_the_scorers_asked_for_and_can_be_conditions(root, capsys):
    assert main(["metrics", "-w", root, "--scorer", "gpt4", "--baselines", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    names = list(dict.fromkeys(row["scorer"] for row in document["rows"]))
    assert names == ["gpt4", "coin", "always-clean", "always-first-step"]
    assert document["provenance"]["command"].endswith("--baselines --json")
    one, same, seeded = (
        load(Query(workspace=root, baselines=True, seed=seed, where=("\"coin.outcome\" = 'exact'",))).shown.tolist()
        for seed in (0, 0, 9)
    )
    assert one == same != seeded
    assert not {"coin", "always-clean"} & {one.scorer.name for one in load(Query(workspace=root)).evaluations}


def test_nothing_shown_is_an_empty_table_and_a_sentence(root, capsys):
    for words in (["breakdown", "--rows", "subset"], ["breakdown", "--of", "length"]):
        assert main([*words, "-w", root, "--where", "n_steps > 99"]) == 0
        assert "No case is shown." in capsys.readouterr().err


@pytest.mark.parametrize("benchmark", ["mrmath", "processbench"])
def test_where_only_first_errors_are_labelled_the_others_are_not_counted(tmp_path, benchmark, capsys):
    cases = [Case(3, 1, (0.9, 0.2, 0.3)), Case(2, -1, (0.9, 0.1))]
    making.workspace(tmp_path / "w", cases, [(making.scorer("abel"), cases)], benchmark)
    words = ["breakdown", "-w", str(tmp_path / "w"), "--of", "position", "--errors", "all"]
    assert main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["metric"] for row in rows} == {"count", "share"}
    why = "the error steps after the first are not labelled"
    assert {(row["value"], row["reason"]) for row in rows} == {(None, why)}
    assert main(words) == 0
    assert why in capsys.readouterr().out


def test_rewards_around_the_error_are_those_of_the_cases_that_have_such_a_step(root):
    results = load(Query(workspace=root, where=("n_steps > 1",)))
    rows = breakdown_view(results, page="aligned").rows.filter(pl.col("scorer") == "gpt4")
    frame = results.evaluated.table(results.evaluated.columns).filter(pl.Series(results.mask))
    for where, n in rows.select("where", "n").iter_rows():
        assert passing(frame, [where]).sum() == n
    at = frame.filter((pl.col("earliest_error") >= 0) & pl.col("gpt4.verdict").is_not_null())["gpt4.reward_at_gold"]
    told = rows.filter(pl.col("offset") == 0).row(0, named=True)
    assert (told["value"], told["n"]) == (pytest.approx(at.mean()), at.drop_nulls().len())


def test_a_difference_is_of_two_scorers(root, capsys):
    words = ["breakdown", "-w", root, "--difference"]
    for wrong in ([], ["--scorer", "gpt4"]):
        assert main([*words, *wrong]) == 2
        assert "Name both" in capsys.readouterr().err
    assert main([*words, "--of", "offset", "--scorer", "gpt4", "--scorer", "x=y"]) == 2
    assert "page 'offset' of breakdown cannot be told 'difference'" in capsys.readouterr().err
    assert main([*words, "--rows", "generator", "--scorer", "gpt4", "--scorer", "rand-0", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {(row["scorer"], row["other"]) for row in document["rows"]} == {("gpt4", "rand-0")}
    assert "--difference" in document["provenance"]["command"]
    assert main(shlex.split(document["provenance"]["command"])[1:]) == 0
    assert json.loads(capsys.readouterr().out) == document
