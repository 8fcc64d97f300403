"""The examples of the README through the command: a benchmark and an adapter of one's own, a file each."""

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import checkpoints
import making
import plugged_in
from inspector import analyses, cli
from inspector.analyses import Params
from inspector.analyses import load as analysis
from inspector.analyses._own import load_own
from inspector.analyses.report.document import Choices, report_document
from inspector.api import analysis as ask
from inspector.cli import entry
from inspector.cli.actions import environment as doctor
from inspector.render import analysis_list
from inspector.render.analysis_list import summaries
from inspector.render.cells import signed
from inspector.render.chart_blocks import Curve
from opened import opened
from scoring.data import own_code, own_columns
from scoring.data.errors import PluginError
from scoring.metrics import own
from scoring.metrics.plugins import GROUPS, load_plugins
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring_process import jobs_here
from screen_text import press, shows, until
from views import panels_of, table_of, words_of

OWN = Path(__file__).parent / "own"
ROWS = [
    {"question": "1 + 1?", "lines": ["one and one", "so 3"], "first_wrong": 1},
    {"question": "2 + 2?", "lines": ["so 4"], "first_wrong": -1},
]


@pytest.fixture
def called(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", str(tmp_path / "ws"))
    monkeypatch.chdir(tmp_path)

    def call(*words):
        code = cli.main([str(word) for word in words])
        said = capfd.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return call


def test_a_file_reads_rows_and_another_scores_them(called, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    code, out, _ = called("import", OWN / "sums.py", rows)
    assert code == 0
    assert "sums" in out
    pytest.importorskip("torch")
    arrays = {name: array for name, array in checkpoints.tensors().items() if not name.startswith("score")}
    arrays["score.weight"] = np.full((1, checkpoints.HIDDEN), 0.1, np.float32)
    arrays["score.bias"] = np.zeros(1, np.float32)
    model = checkpoints.write(tmp_path / "mine", arrays=arrays)
    with jobs_here():
        code, _, err = called("score", "sums", "--model", model, "--adapter", OWN / "newline_prm.py", "--device", "cpu")
    assert (code, "2 cases scored" in err) == (0, True)
    code, out, _ = called("scorers", "--json")
    (scorer,) = json.loads(out)["rows"]
    assert (scorer["scored"], scorer["about"]) == (2, "newline PRM, float32")


def test_what_is_wrong_with_a_file_is_said_and_nothing_is_written(called, tmp_path):
    (tmp_path / "odd.py").write_text("NAME = 'odd'\n")
    (tmp_path / "rows.jsonl").write_text("{}\n")
    code, out, err = called("import", "odd.py", "rows.jsonl")
    assert (code, out) == (2, "")
    assert "odd.py has no FORMAT, no load" in err
    assert not (tmp_path / "ws").exists()


def near_at(evaluation, threshold):
    """How often a verdict is within a step of the earliest error at a threshold, case by case."""
    decided = evaluation.at(threshold)
    cases = zip(decided.coverage.tried, decided.verdicts, decided.gold.earliest, strict=True)
    pairs = [(verdict, gold) for tried, verdict, gold in cases if tried and gold >= 0]
    return sum(verdict >= 0 and abs(verdict - gold) <= 1 for verdict, gold in pairs) / len(pairs)


def test_a_metric_in_one_file_stands_wherever_official_ones_do(tmp_path, monkeypatch):
    monkeypatch.setattr(own, "_KEPT", {})
    cases, scorers = making.study(n=60)
    making.workspace(tmp_path / "w", cases, scorers[:2], **making.labels(cases))
    load_plugins([str(OWN / "near.py")])
    assert len((OWN / "near.py").read_text().splitlines()) <= 40
    results = load(Query(workspace=str(tmp_path / "w")))
    rows = analysis("metrics").view(results).rows.filter(pl.col("metric") == "near")
    average = dict(rows.filter(pl.col("subset") == "average").select("scorer", "value").iter_rows())
    assert rows["low"].null_count() == 0
    shown = {line["scorer"]: line["within a step"] for line in table_of(analysis("board").view(results))}
    assert shown == {scorer: f"{100 * value:.1f}" for scorer, value in average.items()}
    view = analysis("compare").view(results)
    (line,) = (one for one in panels_of(view)["Difference"] if one[""] == "within a step")
    compared = analysis("compare").view(results).rows
    (difference,) = compared.filter(pl.col("metric") == "near_difference").to_dicts()
    assert line["A − B"].startswith(f"{signed(difference['value'])} (")
    cells = analysis("breakdown").view(results, Params(options={"rows": "subset", "figure": "near"}))
    whole = cells.rows.filter(pl.col("metric") == "near", pl.col("subset") == "all").to_dicts()
    pooled = dict(rows.filter(pl.col("subset") == "all").select("scorer", "value").iter_rows())
    assert {row["scorer"]: row["value"] for row in whole} == pytest.approx(pooled)
    assert "Within a step by subset" in words_of(cells)
    assert cells.provenance["plugins"]["near"].startswith("near.py, sha256 ")
    curves = analysis("thresholds").view(results, Params("curve"))
    present = curves.rows.filter(metric="near", tick="present")
    official = rows.filter(subset="all").rename({"metric": "name"})
    for name in ("value", "low", "high", "n"):
        assert dict(present.select("scorer", name).iter_rows()) == pytest.approx(
            dict(official.select("scorer", name).iter_rows())
        )
    for params in (Params("curve"), Params("ways")):
        blocks = [
            block for section in analysis("thresholds").view(results, params).sections for block in section.blocks
        ]
        assert [block.y for block in blocks if isinstance(block, Curve)] == ["F1", "within a step"]
    ways = analysis("thresholds").view(results, Params("ways")).rows.filter(metric="near", subset="all")
    for row in ways.filter(pl.col("kind").is_in(["default", "best"])).iter_rows(named=True):
        assert row["value"] == pytest.approx(near_at(results.evaluation(row["scorer"]), row["threshold"]))
        if row["kind"] == "best":
            every = np.unique(results.evaluation(row["scorer"]).rewards.values)
            assert row["value"] == max(near_at(results.evaluation(row["scorer"]), cut) for cut in (*every, 2.0))
    assert ways.filter(kind="dev")["threshold"].null_count() < 2 or ways.filter(kind="dev")["reason"][0]
    names = results.chosen
    checked = ask(tmp_path / "w", "check", scorers=names[0], options={"baseline": names[1]})
    assert checked.rows["near_difference"][0] == pytest.approx(difference["value"])
    page = report_document(results, Choices(cases=1)).render("html")
    assert "within a step" in page
    assert all(f"{100 * value:.1f}" in page for value in average.values())


def within_cases(evaluation):
    """The metrics of `own/within_cases.py`, case by case: called too early, the reward at the gold step, AUROC."""
    early, rewards, aurocs = [], [], []
    starts = evaluation.rewards.offsets
    for case, gold in enumerate(evaluation.gold.earliest.tolist()):
        if gold < 0 or not evaluation.coverage.tried[case]:
            continue
        early.append(0 <= evaluation.verdicts[case] < gold)
        steps = evaluation.rewards.values[starts[case] : starts[case + 1]].tolist()
        if 1 <= gold < len(steps):
            rewards.append(steps[gold])
            pairs = [(before > steps[gold]) + (before == steps[gold]) / 2 for before in steps[:gold]]
            aurocs.append(sum(pairs) / len(pairs))
    return {
        "called_early": sum(early) / len(early),
        "gold_reward": sum(rewards) / len(rewards),
        "case_auroc": sum(aurocs) / len(aurocs),
    }


def test_metrics_of_any_contributions_are_those_of_plain_loops_and_what_has_no_curve_says_why(tmp_path, monkeypatch):
    """One for every benchmark is one entry, and stands where a user's own does."""
    monkeypatch.setattr(own, "_KEPT", {})
    cases, scorers = making.study(n=60)
    making.workspace(tmp_path / "w", cases, scorers[:2], **making.labels(cases))
    load_plugins([str(OWN / "within_cases.py")])
    every = own.own_metrics()
    monkeypatch.setattr(own, "_KEPT", {})
    monkeypatch.setattr(own, "FOR_EVERY_BENCHMARK", every)
    results = load(Query(workspace=str(tmp_path / "w")))
    rows = analysis("metrics").view(results).rows.filter(subset="all")
    compared = analysis("compare").view(results).rows
    expected = {evaluation.scorer.name: within_cases(evaluation) for evaluation in results.evaluations}
    for name in next(iter(expected.values())):
        own_rows = rows.filter(metric=name)
        assert own_rows["low"].null_count() == own_rows["high"].null_count() == 0
        for row in own_rows.iter_rows(named=True):
            assert row["value"] == pytest.approx(expected[row["scorer"]][name], abs=1e-12)
        (difference,) = compared.filter(metric=f"{name}_difference").to_dicts()
        assert difference["low"] < difference["value"] < difference["high"]
    page = analysis("thresholds").view(results, Params("curve"))
    assert set(page.rows["metric"].unique()) >= {"f1", "called_early"}
    assert set(page.rows["metric"].unique()).isdisjoint({"gold_reward", "case_auroc"})
    for title in ("reward at the gold step", "AUROC within a case"):
        assert f"{title} has no curve: it does not depend on the threshold" in words_of(page)


@pytest.mark.parametrize("cases", ["both", "Erroneous"])
def test_cases_of_a_metric_that_nobody_knows_are_refused(cases):
    with pytest.raises(ValueError, match="tried, erroneous, clean"):
        own.metric("odd", title="odd", counts=("n",), score=lambda sums: sums["n"], cases=cases)


@pytest.fixture
def nothing_kept(monkeypatch):
    """What a test loads no other one sees."""
    for module, name in ((own, "_KEPT"), (own_columns, "_KEPT"), (analyses, "_OWN"), (analysis_list, "OWN")):
        monkeypatch.setattr(module, name, {})
    monkeypatch.setattr(analyses, "OWN", analysis_list.OWN)


@pytest.mark.usefixtures("nothing_kept")
def test_a_column_in_one_file_is_one_wherever_columns_are(tmp_path):
    cases, scorers = making.study(n=20)
    problems = [f"What is {number}?" for number in range(20)]
    making.workspace(tmp_path / "w", cases, scorers[:1], **making.labels(cases), problem=problems)
    load_own([str(OWN / "digits.py")])
    results = load(Query(workspace=str(tmp_path / "w"), where=("digits = 2",)))
    assert results.shown.size == 10
    assert set(analysis("breakdown").view(results, Params(options={"rows": "digits"})).rows["digits"]) == {"2", "all"}
    listed = analysis("cases").view(load(Query(workspace=str(tmp_path / "w"), columns=("id", "digits")))).rows
    assert sorted(set(listed["digits"])) == [1, 2]


@pytest.mark.usefixtures("nothing_kept")
def test_an_analysis_in_one_file_is_asked_as_the_others_are(tmp_path):
    cases, scorers = making.study(n=20)
    making.workspace(tmp_path / "w", cases, scorers[:2], **making.labels(cases))
    load_own([str(OWN / "longest.py")])
    view = ask(tmp_path / "w", "longest")
    assert view.rows.columns == ["scorer", "steps"]
    assert view.rows.height == 2
    assert [line["steps"] for line in table_of(view)] == [str(steps) for steps in view.rows["steps"]]
    assert view.provenance["plugins"]["longest"].startswith("longest.py, sha256 ")
    assert "longest" in summaries()
    page = report_document(load(Query(workspace=str(tmp_path / "w"))), Choices(0, analyses=("longest",)))
    part = next(section for section in page.report.sections if section.anchor == "with-longest")
    assert part.blocks[0] == next(iter(view.blocks()))


@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("odd", "[1]", "1 values of Int64, for 20 cases"),
        ("odd", "1 / 0", "ZeroDivisionError"),
        ("subset", "1", "not a name for a column"),
        ("odd", "['a', *range(cases.height - 1)]", "does not give values of one type"),
    ],
)
def test_what_is_wrong_with_a_column_is_a_sentence(tmp_path, name, value, says):
    cases, scorers = making.study(n=20)
    making.workspace(tmp_path / "w", cases, scorers[:1], **making.labels(cases))
    text = f"from scoring.api import column\n@column({name!r})\ndef odd(cases):\n    return {value}\n"
    (tmp_path / "odd.py").write_text(text)

    def load_with_it():
        load_own([str(tmp_path / "odd.py")])
        load(Query(workspace=str(tmp_path / "w")))

    with pytest.raises(PluginError) as error:
        load_with_it()
    assert says in str(error.value)
    assert "odd.py" in str(error.value)


@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("    return 1\n", "gives int, and no View"),
        ("    return results.nonsense\n", "AttributeError"),
    ],
)
def test_what_is_wrong_with_an_analysis_is_a_sentence(tmp_path, text, says):
    cases, scorers = making.study(n=20)
    making.workspace(tmp_path / "w", cases, scorers[:1], **making.labels(cases))
    before = (
        "from inspector.api import define_analysis\n@define_analysis('Odd')\ndef odd(results, params, intervals):\n"
    )
    (tmp_path / "odd.py").write_text(before + text)
    load_own([str(tmp_path / "odd.py")])
    with pytest.raises(PluginError, match=says):
        ask(tmp_path / "w", "odd")


@pytest.mark.usefixtures("nothing_kept")
async def test_an_analysis_of_ones_own_has_a_screen(tmp_path):
    cases, scorers = making.study(n=20)
    making.workspace(tmp_path / "w", cases, scorers[:2], **making.labels(cases))
    load_own([str(OWN / "longest.py")])
    async with opened(Query(workspace=str(tmp_path / "w"))) as pilot:
        app = pilot.app
        offered = {command.title: command.callback for command in app.get_system_commands(app.screen)}
        assert {"Longest", "Agreement", "Contested gold labels"} <= set(offered)
        assert "Check" not in offered
        await offered["Longest"]()
        for one, _ in scorers[:2]:
            await shows(pilot, one.name)
        await shows(pilot, "steps")
        await press(pilot, "escape")
        assert app.screen.NAME == "board"


WAITING = """
import threading
from scoring.api import metric

go_on = threading.Event()

@metric("slow", title="slow one", counts=("n",), score=lambda sums: sums["n"] / sums["n"])
def slow(decided):
    go_on.wait(60)
    return decided.members[:, None]
"""


@pytest.mark.usefixtures("nothing_kept")
async def test_the_board_does_not_wait_for_a_metric_that_takes_long_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(own_code, "SLOW", 0.5)
    cases, scorers = making.study(n=20)
    making.workspace(tmp_path / "w", cases, scorers[:2], **making.labels(cases))
    (tmp_path / "slow.py").write_text(WAITING)
    plugin = str(tmp_path / "slow.py")
    async with opened(Query(workspace=str(tmp_path / "w"), plugins=(plugin,)), size=(120, 30)) as pilot:
        await shows(pilot, "slow one", "…")
        # On the screen a line may end within it.
        said = pilot.app._notifications
        await until(pilot, lambda: any("it has been running for 0.5 s" in one.message for one in said))
        await shows(pilot, scorers[0][0].name)
        vars(sys.modules[own.own_metrics()[0].contribute.__module__])["go_on"].set()
        await shows(pilot, "100.0")


@pytest.mark.usefixtures("nothing_kept")
async def test_a_metric_that_raises_leaves_the_board_and_says_where(tmp_path):
    cases, scorers = making.study(n=20)
    making.workspace(tmp_path / "w", cases, scorers[:2], **making.labels(cases))
    (tmp_path / "odd.py").write_text(WAITING.replace("go_on.wait(60)", "1 / 0").replace('"slow"', '"odd"'))
    plugin = str(tmp_path / "odd.py")
    async with opened(Query(workspace=str(tmp_path / "w"), plugins=(plugin,)), size=(120, 30)) as pilot:
        # On the screen a line may end within it.
        said = pilot.app._notifications
        await until(pilot, lambda: any("odd.py, line 9" in one.message for one in said))
        await shows(pilot, scorers[0][0].name, "!")


def test_the_app_imports_no_file_of_ones_own_before_it_paints(tmp_path):
    (tmp_path / "marked.py").write_text("raise SystemExit('imported')")
    words = ["--plugin", str(tmp_path / "marked.py")]
    assert entry.plugins_in(words) == [str(tmp_path / "marked.py")]
    assert not entry._may_name_own(words)
    assert not entry._may_name_own([*words, "board"])
    assert not entry._may_name_own([*words, str(tmp_path)])
    assert entry._may_name_own([*words, "marked"])
    assert entry._may_name_own([*words, "--help"])


@pytest.mark.usefixtures("nothing_kept")
def test_what_an_installed_package_names_is_brought_by_its_name(called, tmp_path, monkeypatch):
    cases, scorers = making.study(n=20)
    making.workspace(tmp_path / "w", cases, scorers[:2], **making.labels(cases))
    files = {f"own_{name}.py": (OWN / f"{name}.py").read_text() for name in ("near", "longest")}
    plugged_in.install(tmp_path / "site", monkeypatch, GROUPS["metric"], {"near": "own_near:near"}, files)
    # What engines are installed is asked in a process that imports all of them.
    monkeypatch.setattr(doctor, "_probe", lambda: ({}, False))
    code, out, _ = called("doctor")
    assert "metric near: own_near:near of the package mine 1.2" in out
    assert own.own_metrics() == ()
    code, out, _ = called("metrics", "-w", tmp_path / "w", "--plugin", "near", "--json")
    told = json.loads(out)
    assert code == 0
    assert "near" in {row["metric"] for row in told["rows"]}
    assert told["provenance"]["plugins"]["near"].startswith("own_near.py, mine 1.2, sha256 ")
    code, _, err = called("metrics", "-w", tmp_path / "w", "--plugin", "far")
    assert (code, "far is neither a Python file nor an installed plugin. There are: near." in err) == (2, True)


@pytest.mark.parametrize(
    ("contributes", "why"),
    [
        ("decided.members * np.arange(decided.members.size)", "what a case contributes depends on other cases"),
        ("decided.members & (decided.earliest >= 0)", "it does not depend on the threshold"),
    ],
)
def test_a_metric_without_a_curve_says_why(contributes, why, tmp_path, monkeypatch):
    monkeypatch.setattr(own, "_KEPT", {})
    cases, scorers = making.study(n=40)
    making.workspace(tmp_path / "w", cases, scorers[:1])
    code = f"""import numpy as np
from scoring.api import metric


@metric("odd", title="odd", counts=("a", "b"), score=lambda sums: sums["a"] / sums["b"])
def odd(decided):
    return np.column_stack([{contributes}, decided.members])
"""
    (tmp_path / "odd.py").write_text(code)
    load_plugins([str(tmp_path / "odd.py")])
    results = load(Query(workspace=str(tmp_path / "w"), scorers=(scorers[0][0].name,)))
    for params in (Params("curve"), Params("ways")):
        view = analysis("thresholds").view(results, params)
        (section,) = view.sections
        assert [block.y for block in section.blocks if isinstance(block, Curve)] == ["F1"]
        assert f"odd has no curve: {why}." in words_of(view)
    assert "odd" not in set(analysis("thresholds").view(results, Params("curve")).rows["metric"])
