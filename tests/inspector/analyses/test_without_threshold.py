"""Scorers that give labels, verdicts or one number a solution, in every view."""

import json

import pytest

import judged
import making
import reference
from inspector.analyses.board.board import board
from inspector.analyses.board.board_rows import board_frame
from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions
from inspector.cli import main
from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.sentences import outcome_sentence, votes_words
from inspector.screens.case_columns import case_columns
from inspector.screens.facet_groups import facet_groups
from inspector.state.case_list.listed import failures
from inspector.state.filtering.filter_words import filter_words
from inspector.state.focusing import next_scorer
from inspector.state.kept_answers import kept_answers
from inspector.state.opening import inspect
from inspector.widgets.frame_table import FrameTable
from opened import inspected, listed, opened
from scoring.data.errors import UsageError
from scoring.evaluation.evaluation import columns_of
from scoring.metrics.deciding import OPTIMISTIC
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import VoteParts
from screen_text import press, rests, screen_lines, shows
from views import cases_view, metrics_view, show_view, table_of, words_of

PLAIN = Glyphs(ascii_only=True)
UNMOVABLE = {
    "labels": "labels as given",
    "critic": "verdicts as given (vote of 5)",
    "number": "one number a solution",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("judged") / "w"
    judged.workspace(root)
    return str(root)


@pytest.fixture(scope="module")
def results(root):
    return load(Query(workspace=root))


def seen(results, scorer, row, width=100):
    lines = case_lines(inspect(results).focused(scorer, "bench"), row, DisplayOptions(width, PLAIN))
    texts = ["".join(text for text, _ in line.parts).rstrip() for line in lines.lines]
    return texts, [texts[at] for at in lines.starts]


def test_all_are_loaded_and_listed(results):
    assert results.chosen == ("critic", "labels", "moving", "number")
    assert not results.problems
    frame = board_frame(results)
    assert sorted(frame["scorer"]) == ["critic", "labels", "moving", "number"]
    rows = {row["scorer"]: row for row in frame.iter_rows(named=True)}
    for name, source in UNMOVABLE.items():
        assert (rows[name]["threshold"], rows[name]["threshold_source"]) == (None, source)
    assert (rows["number"]["score"], rows["number"]["reason"]) == (None, "one number a solution, no step rewards")
    assert (rows["number"]["scored"], rows["number"]["cases"], rows["number"]["unscored"]) == (0, 6, 5)
    assert (rows["critic"]["scored"], rows["critic"]["unparsed"]) == (4, 2)
    assert frame["scorer"][-1] == "number"


def test_the_board_in_plain_lines_says_why(results):
    lines = {line["scorer"]: line for line in table_of(board.view(results))}
    assert lines["number"]["its source"] == "one number a solution"
    assert "one number a solution, no step rewards" in words_of(board.view(results))
    assert lines["critic"]["threshold"] == "–"
    assert lines["critic"]["its source"] == "verdicts as given (vote of 5)"


def test_provenance_has_no_threshold_and_says_the_rule(results):
    facts = metrics_view(results).provenance
    assert facts["threshold"] == {"moving": 0.5, **dict.fromkeys(UNMOVABLE)}
    assert facts["threshold_source"] == {"moving": "default", **UNMOVABLE}
    assert facts["coverage"] == {"moving": "5 of 6", "labels": "5 of 6", "critic": "4 of 6", "number": "0 of 6"}
    assert "first step that the scorer labelled wrong" in facts["rule"]
    assert "None" not in metrics_view(results, "markdown").render("markdown")


def test_the_metrics_of_a_critic_are_those_of_its_verdicts(results):
    rows = metrics_view(results).rows
    found = {(row["scorer"], row["subset"], row["metric"]): row for row in rows.iter_rows(named=True)}
    assert (found["critic", "one", "error_acc"]["value"], found["critic", "one", "error_acc"]["n"]) == (0.25, 4)
    assert found["critic", "one", "correct_acc"]["value"] == 0.5
    assert found["number", "average", "f1"]["reason"] == "one number a solution, no step rewards"
    dropped = metrics_view(load(Query(workspace=results.query.workspace, unparsed="drop"))).rows
    (row,) = dropped.filter(scorer="critic", subset="one", metric="error_acc").rows(named=True)
    assert (row["value"], row["n"]) == (0.5, 2)


@pytest.mark.parametrize("wish", ["0.3", "best", "best:0.5", "from:one"])
def test_a_threshold_for_one_that_has_none_is_refused_by_name_and_passed_over_otherwise(root, wish):
    for name, source in UNMOVABLE.items():
        with pytest.raises(UsageError, match=f"{name} has no threshold to set: {source.split(' (')[0]}"):
            load(Query(workspace=root, thresholds=((name, wish),)))
    found = load(Query(workspace=root, thresholds=((None, wish), ("critic", "default"))))
    plain = load(Query(workspace=root))
    for name in UNMOVABLE:
        assert found.evaluation(name).codes.tolist() == plain.evaluation(name).codes.tolist()
        assert found.evaluation(name).rule == plain.evaluation(name).rule
    assert found.evaluation("moving").rule != plain.evaluation("moving").rule
    if wish == "best":
        assert found.evaluation("moving").rule.source == OPTIMISTIC


def test_no_threshold_is_still_said_to_be_none(root):
    with pytest.raises(UsageError, match="'much' is not a threshold"):
        load(Query(workspace=root, thresholds=((None, "much"),)))


def test_further_runs_are_told(tmp_path):
    judged.workspace(tmp_path)
    (folder,) = (tmp_path / "rewards").glob("critic-*")
    keys = load(Query(workspace=str(tmp_path))).cases["key"]
    VoteParts(folder).append(judged.votes(keys, [["0"] * 5] * 6, run=1))
    found = load(Query(workspace=str(tmp_path)))
    assert not found.problems
    assert columns_of(found.evaluation("critic"))["critic.verdict"].to_list() == [1, 0, -1, 1, None, None]
    assert votes_words(found.evaluation("critic"), 0).endswith("(first of 2 runs)")
    assert kept_answers(found, "critic", 0).filter(run=0).height == 5
    assert (
        "critic ran 2 times: this is its first run; metrics is about all of them"
        in (cases_view(found).provenance["notes"])
    )


# -- one case


def test_sentences(results):
    said = {name: [outcome_sentence(results.evaluation(name), row) for row in range(6)] for name in UNMOVABLE}
    assert said["labels"][:3] == [
        "predicted step 1, gold step 1: exactly right",
        "predicted step 0, gold step 2: two steps early",
        "predicted no error, and there is none: clean",
    ]
    assert said["labels"][3] == "predicted step 1, gold no error: false alarm"
    assert said["labels"][5] == "refused: labels for 0 of 1 steps"
    assert said["critic"][4] == "unparsed: no number in the box"
    assert said["number"][0] == "no verdict, one number for the solution: 0.5"
    assert said["number"][5] == "refused: the file has no number"


def test_votes_in_words(results):
    critic = results.evaluation("critic")
    assert [votes_words(critic, row) for row in (0, 2, 3, 4, 5)] == [
        "3 x step 1, 1 x none, 1 unparsed",
        "5 x none",
        "2 x step 1, 1 x step 1 ('1'), 1 x none, 1 x no step",
        "2 x 'two', 1 x step 0, 1 x step 1, 1 unparsed",
        "5 unparsed",
    ]
    assert votes_words(results.evaluation("labels"), 0) == ""


def test_labels_show_a_tick_or_a_cross_a_step_and_no_bar(results):
    _, steps = seen(results, "labels", 0)
    assert [step[9:12] for step in steps] == [" + ", " x ", " + "]
    assert [step[12:18] for step in steps] == ["step 0", "step 1", "step 2"]
    assert steps[1].startswith("exact")
    assert not any("|" in step or "#" in step for step in steps)
    _, refused = seen(results, "labels", 5)
    assert refused[0][9:18] == "   step 0"


def test_a_critics_case_shows_its_mark_and_its_votes(results):
    texts, steps = seen(results, "critic", 1)
    assert steps[0].split()[:2] == ["pred", "0"]
    assert steps[2].split()[:2] == ["gold", "2"]
    assert [step[9:15] for step in steps] == ["step 0", "step 1", "step 2"]
    assert "votes: 2 x step 0, 2 x step 1, 1 x step 2" in texts


def test_an_unparsed_case_shows_why_and_how_the_answer_ends(results):
    texts, _ = seen(results, "critic", 5, width=1000)
    assert "? unparsed: no number in the box  [critic]" in texts
    (end,) = [line for line in texts if line.startswith("The answer ends: ...")]
    assert end.endswith("answer 0 is None")
    assert len(end) == len("The answer ends: ...") + 300
    assert not any("The answer ends" in line for line in seen(results, "critic", 0)[0])


def test_one_number_stands_where_a_verdict_would(results):
    texts, steps = seen(results, "number", 1)
    assert any("no verdict, one number for the solution: 0.25  [number]" in line for line in texts)
    assert not any(step.startswith("pred") for step in steps)


def test_the_document_of_a_case_holds_what_was_judged(results):
    document = show_view(results, 0)
    assert document.rows["labels.wrong"].to_list() == [False, True, False]
    assert document.rows["labels.reward"].to_list() == [None] * 3
    assert document.rows["critic.wrong"].to_list() == document.rows["number.wrong"].to_list() == [None] * 3
    assert document.provenance["votes"] == {"critic": "3 x step 1, 1 x none, 1 unparsed"}


# -- lists


def test_columns_are_those_that_the_scorer_can_fill(results):
    start = inspect(results)
    titles = {
        name: [column.title for column in case_columns(start.focused(name, "bench"), PLAIN)] for name in results.chosen
    }
    common = ["case", "steps", "gold", "pred", "outcome"]
    assert titles["critic"] == titles["labels"] == common
    assert titles["number"] == [*common, "solution"]
    assert titles["moving"] == [*common, "margin", "rewards", "at gold"]
    assert start.focused("number", "bench").rows.get_column("solution").to_list() == judged.NUMBERS


def test_failures_hold_what_could_not_be_read_unless_it_is_dropped(root):
    for unparsed, rows in (("wrong", [1, 3, 4, 5]), ("drop", [1, 3])):
        start = inspect(load(Query(workspace=root, unparsed=unparsed))).focused("critic", "bench")
        failing = failures(start)
        assert sorted(failing.shown.tolist()) == rows
        assert filter_words(failing) == "filter outcome = any failure"
        kept = next(group for group in facet_groups(failing) if group.title == "outcome of critic")
        assert {value.value for value in kept.values if value.mark == "keep"} >= {"early", "false_alarm"}


def test_the_way_round_passes_every_scorer_that_gave_something(results):
    now, names = inspect(results), []
    for _ in range(4):
        names.append(now.focus.scorer)
        now = next_scorer(now, 1)
    assert sorted(names) == sorted(results.chosen)


def test_commands_print_it(root, capsys):
    assert main(["scorers", "-w", root, "--json"]) == 0
    rows = {row["scorer"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert (rows["critic"]["scored"], rows["critic"]["unparsed"], rows["critic"]["threshold"]) == (4, 2, None)
    assert rows["labels"]["refused"] == rows["number"]["refused"] == 1
    for command in ("metrics", "cases", "show bench/c4", "scorers"):
        assert main([*command.split(), "-w", root]) == 0
    said = capsys.readouterr()
    assert "unparsed: no number in the box" in said.out
    assert main(["metrics", "-w", root, "--threshold", "critic=0.5"]) == 2
    assert "critic has no threshold to set: verdicts as given (vote of 5)." in capsys.readouterr().err


def test_metrics_without_a_scorer_print_a_sentence_and_no_empty_table(tmp_path, capsys):
    making.workspace(tmp_path, [reference.Case(1, -1)], [])
    assert main(["metrics", "-w", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "there is no metric" in said.err
    assert main(["metrics", "-w", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == []


def test_cases_hold_verdicts_and_outcomes(results):
    rows = cases_view(results).rows
    assert rows["critic.outcome"].to_list()[-2:] == ["unparsed", "unparsed"]
    assert rows["number.verdict"].to_list() == [None] * 6
    assert rows["number.outcome"].to_list() == ["unscored"] * 5 + ["refused"]


# -- screens


async def test_every_line_of_the_board_fits_80_columns(root):
    async with opened(Query(workspace=root, scorers=("number",)), size=(80, 24)) as pilot:
        await shows(pilot, "No F1: one number a solution, no step rewards.")
        pilot.app.screen.query_one(FrameTable).cell_name = "outcomes"
        await shows(pilot, "? unparsed", "x refused")
        lines = [line.rstrip() for line in screen_lines(pilot.app)]
        assert max(map(len, lines)) <= 80


async def test_the_cases_of_a_critic_are_read_and_cannot_be_moved(root):
    """The board says why; failing that no threshold grades are not called instructive."""
    async with opened(Query(workspace=root, scorers=("critic",)), size=(160, 30)) as pilot:
        await shows(pilot, "verdicts as given (vote of 5)", "4 scorers")
        await press(pilot, "t")
        await shows(pilot, "critic has no threshold to move: verdicts as given")
        assert not pilot.app.screen.rail_open
        await press(pilot, "right", "left")
        assert inspected(pilot).focus.scorer == "critic"
        pilot.app.clear_notifications()
        await press(pilot, "enter")
        text = await rests(pilot, "4 of 6 cases", "critic", "verdicts as given (vote of 5)", "? unparsed", "votes: ")
        assert "wrong ones first" in text.splitlines()[1]
        assert "margin" not in text
        assert set(listed(pilot)) == {"bench/c1", "bench/c3", "bench/c4", "bench/c5"}
        await press(pilot, "t")
        await shows(pilot, "has no threshold to move")
        assert not pilot.app.screen.rail_open
        await press(pilot, "G", "enter")
        await shows(pilot, "▸ c5 ", "The answer ends")
        await press(pilot, "t")
        assert not pilot.app.screen.rail_open
        for scorer, words in (("labels", "labels as given"), ("moving", "θ 0.500"), ("number", "the file has")):
            await press(pilot, "l")
            await shows(pilot, scorer, words)
            assert inspected(pilot).focus.scorer == scorer
        await press(pilot, "h", "escape")
        await shows(pilot, "sorted by most instructive", "moving")
