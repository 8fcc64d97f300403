"""What stands between the steps of a trajectory on the page of a case."""

import json

import making
from benchmark_rows import judged_trajectory, trajectory
from inspector import cli
from inspector.api import analysis
from inspector.case_view.open_case import Stop
from inspector.case_view.prose import copied
from inspector.case_view.steps import LONGEST_MESSAGE
from inspector.inspection import inspect
from inspector.request import Request
from inspector.selection import load
from reference import Case
from shown_case import at_hand, seen

LONG = "word " * 30_000
CASES = [Case(2, 0, (0.2, 0.9), error_steps=(0,))]


def start(root):
    context = [
        {"role": "system", "name": None, "text": "Be\nkind. \x1b[31m"},
        {"role": None, "name": None, "text": "brief"},
        {"role": "tool", "name": "till", "text": LONG},
    ]
    columns = {"context": [context], "step_messages": [[1, 3]], "neutral_steps": [[1]]}
    making.workspace(root, CASES, [(making.scorer("s"), CASES)], **columns)
    return inspect(load(Request(workspace=str(root))))


def test_messages_fold_between_the_steps_unfold_whole_and_never_act(tmp_path):
    inspection = start(tmp_path)
    page, lines = seen(inspection, 0, 80)
    places = [next(at for at, line in enumerate(lines) if mark in line) for mark in ("[0]", " 0 ", "[2]", " 1 ", "[4]")]
    assert places == sorted(places)
    assert places[1:3] == [page.starts[0], page.starts[0] + 1]
    assert "system: Be kind. " in lines[places[0]]
    assert not any("\x1b" in line for line in lines)
    assert lines[places[2]].endswith("no role: brief")
    assert "tool till: word word" in lines[places[4]]
    assert max(map(len, lines)) <= 80
    wide = " ".join(seen(inspection, 0, 120)[1])
    assert f"... {len(LONG):,} characters (Enter)" in wide
    assert lines[places[3]].startswith("neut ")

    stop = Stop("context", 4)
    assert stop in dict(page.stops)
    unfolded, lines = seen(inspection, 0, 80, turned=frozenset({stop}))
    assert sum(line.count("word") for line in lines) == LONGEST_MESSAGE // len("word ")
    assert f"... {len(LONG) - LONGEST_MESSAGE:,} more characters" in " ".join(lines)
    # The steps that come before it stay where they were.
    assert unfolded.starts == page.starts
    assert copied(at_hand(inspection, 0), stop) == (LONG, "message 4 of bench/c0")


def test_show_says_how_many_messages_there_are_and_gives_them_to_programs(tmp_path):
    start(tmp_path)
    view = analysis(tmp_path, "show", options={"case": "c0"})
    assert [message["place"] for message in view.provenance["context"]] == [0, 2, 4]
    assert "3 messages of context (system, no role, tool till)" in view.render("markdown")


def test_a_judges_reason_stands_beneath_the_step_that_it_is_of(tmp_path):
    reasons = {"steps": {"2": "It asks\n\x1b[31mthe till.", "5": "A box holds four, " * 30}, "final": "Miscounted."}
    for name, row in (("runs", trajectory()), ("judge", judged_trajectory(explanations=reasons))):
        (tmp_path / f"{name}.jsonl").write_text(f"{json.dumps(row)}\n")
    files = [str(tmp_path / f"{name}.jsonl") for name in ("runs", "judge")]
    assert cli.main(["import", *files, "-w", str(tmp_path / "space"), "-q"]) == 0
    inspection = inspect(load(Request(workspace=str(tmp_path / "space"))))
    page, lines = seen(inspection, 0, 100)
    why = [(at, line.strip()) for at, line in enumerate(lines) if "why: " in line]
    assert [at > start for (at, _), start in zip(why, (page.starts[0], page.starts[2]), strict=True)] == [True, True]
    assert why[0][1].startswith("why: It asks ")
    assert why[0][1].endswith("the till.")
    assert lines[why[1][0] + 1].endswith(" ...")
    assert max(map(len, lines)) <= 100
    assert not any("\x1b" in line for line in lines)
    assert not any("why: " in line for line in seen(inspection, 0, 100, blind=True)[1])
