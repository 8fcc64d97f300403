"""`timeline --drift`: alarms of planted drifts, none where there is none, and numbers that open their rollouts."""

import json

import polars as pl
import pytest

import drifting
from authored import json_lines
from inspector.analyses import Params
from inspector.analyses.timeline.drift import DRIFT, drift_view
from inspector.analyses.timeline.timeline import timeline
from inspector.cli import main
from inspector.cli.actions import watching
from inspector.render.blocks import Note
from inspector.render.chart_blocks import Curve
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Table
from opened import opened
from scoring.data.errors import UsageError
from scoring.importing.batch import ImportOptions
from scoring.importing.watching import Watch
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.workspace import Workspace
from screen_text import press, rests


def write(folder, made, each=1):
    """The files of a run as verl dumps them, so many training steps in each; their paths in order."""
    folder.mkdir(parents=True)
    files = {}
    for number, (at, rewards, right) in enumerate(made):
        steps = [f"Step {place} of {number}." for place in range(len(rewards))]
        row = {"input": f"What is {number // 4}?", "output": "\n\n".join(steps), "score": float(right), "step": at}
        row["prm_scores"] = [round(reward, 6) for reward in rewards]
        files.setdefault(at - at % (10 * each), []).append(row)
    for first, rows in files.items():
        (folder / f"{first}.jsonl").write_bytes(json_lines(rows))
    return [folder / f"{first}.jsonl" for first in files]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Two runs, one whose rewards drift; and rollouts without a scorer."""
    home = tmp_path_factory.mktemp("runs")
    write(home / "steady's" / "rollouts", drifting.rollouts(0, each=16), each=4)
    write(home / "drifting" / "rollouts", drifting.rollouts(3, "outcome", each=16, steps=16), each=4)
    assert main(["import", "--workspace", str(home / "w"), str(home / "steady's"), str(home / "drifting")]) == 0
    return str(home / "w")


def selected(root, **asked):
    return load(Query(workspace=root, **asked))


def view_of(root, **asked):
    return timeline.view(selected(root, **asked), Params("drift"))


def links(view):
    for section in view.sections:
        for block in section.blocks:
            for row in block.rows if isinstance(block, Table) else ():
                yield from (cell.link for cell in row if isinstance(cell.link, CaseLink))


def test_the_drifting_run_raises_its_alarm_and_the_steady_one_none(root):
    view = view_of(root)
    assert view.rows.schema == pl.Schema(DRIFT)
    trends = view.rows.filter(pl.col("at").is_null()).select("series", "metric", "alarm").rows()
    assert [(run, metric) for run, metric, alarm in trends if alarm] == [("drifting", "outcome_trend")]
    assert len(trends) == 6
    assert view.exit_code == 1
    (sentence,) = view.because
    assert sentence.startswith(
        "Alarm: drifting, prm_scores: the rewards tell right rollouts from wrong ones less well: +"
    )
    notes = [block.text for section in view.sections for block in section.blocks if isinstance(block, Note)]
    assert sum(note.startswith("Alarm: the rewards") for note in notes) == 1
    assert "No alarm: none of the figures moves the way of a drift." in notes
    assert sum(isinstance(block, Curve) for section in view.sections for block in section.blocks) == 2


def test_figures_are_the_metrics_own_on_the_rows_of_the_file(root):
    made = [
        (at, [round(reward, 6) for reward in rewards], right) for at, rewards, right in drifting.rollouts(0, each=16)
    ]
    expected = drifting.figures(drifting.as_rollouts(made))
    rows = view_of(root).rows.filter(pl.col("at").is_not_null(), series="steady's")
    for name, values in expected.items():
        assert rows.filter(metric=name)["value"].to_list() == pytest.approx(values, abs=1e-9)
    counts = {name: rows.filter(metric=name)["value"].to_list() for name in ("rollouts", "right")}
    assert counts["rollouts"] == [16] * 12
    assert counts["right"] == [sum(right for at, _, right in made if at == step) for step in range(10, 130, 10)]


def test_every_number_opens_exactly_its_rollouts(root):
    for where in ((), ("n_steps > 3",)):
        results = selected(root, where=where)
        view = timeline.view(results, Params("drift"))
        opened_by = list(links(view))
        assert len(opened_by) > 40
        for link in opened_by:
            assert int((results.evaluated.passing(link.where) & results.mask).sum()) == link.n, link


def test_one_run_is_chosen_by_its_name_and_the_command_makes_it_again(root, capsys):
    assert main(["timeline", "steady", "--drift", "--workspace", root, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["series"] for row in document["rows"]} == {"steady's"}
    assert document["provenance"]["command"].startswith("prm-inspect timeline --drift steady ")
    assert main(["timeline", "--drift", "--workspace", root, "--csv"]) == 1
    assert "Alarm: drifting, prm_scores:" in capsys.readouterr().err


def test_what_has_no_answer_is_refused_with_what_to_do(root, tmp_path):
    with pytest.raises(UsageError, match="no training run"):
        drift_view(selected(root), "c", "nobody")
    with pytest.raises(UsageError, match="--drift says whether their rewards drift"):
        timeline.view(selected(root))
    with pytest.raises(UsageError, match="no case here says at which training step"):
        timeline.view(load(Query(benchmarks=("demo",))), Params("drift"))
    bare = tmp_path / "bare" / "1.jsonl"
    bare.parent.mkdir()
    bare.write_bytes(json_lines([{"input": "p", "output": "One.\n\nTwo.", "score": 1.0, "step": 1}]))
    assert main(["import", "--workspace", str(tmp_path / "w"), str(bare)]) == 0
    with pytest.raises(UsageError, match="no scorer gave the rollouts step rewards"):
        view_of(str(tmp_path / "w"))


def test_rollouts_are_followed_live_until_they_raise_the_alarm(tmp_path):
    files = write(tmp_path / "source" / "live", drifting.rollouts(3, "last", each=12, steps=10))
    folder = tmp_path / "live" / "rollouts"
    folder.mkdir(parents=True)
    place = tmp_path / "w"
    watch = Watch([str(folder)], ImportOptions(), None, lambda: Workspace.create(place), place)
    codes = []
    for new in (files[:1], files[1:5], files[5:]):
        for path in new:
            (folder / path.name).write_bytes(path.read_bytes())
        # What changes just now is looked at once more.
        taken = [*watch.look(last=True).taken, *watch.look(last=True).taken]
        assert sum(joined.joined for one in taken for joined, *_ in one.joined) == 12 * len(new)
        codes.append(view_of(str(place)).exit_code)
    assert codes == [0, 0, 1]


def test_watch_says_an_alarm_once(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0)
    monkeypatch.setattr(watching, "CASES_SECONDS", 0)
    monkeypatch.setattr(watching, "PACE", 0)
    write(tmp_path / "live" / "rollouts", drifting.rollouts(3, "last", each=12, steps=10))
    words = ["watch", str(tmp_path / "live"), "--workspace", str(tmp_path / "w"), "--until-idle", "0"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.count("Alarm: live, prm_scores: the reward gathers in the last step") == 1
    assert main([*words, "--jsonl"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {event["event"] for event in events} == {"imported", "end"}


async def test_the_screen_opens_on_the_page_that_has_something_to_show(root):
    async with opened(Query(workspace=root), size=(120, 60)) as pilot:
        await press(pilot, "g e")
        screen = await rests(
            pilot, "Alarm: the rewards tell right rollouts from wrong ones less well", "Training steps"
        )
        assert "[drift of rewards]" in screen
        assert "checkpoints" not in screen
        await press(pilot, "enter")
        await rests(pilot, "16 of 448 cases")
