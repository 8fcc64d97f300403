"""Variants of a case on the screen and in the shell: what is shown of them, what is refused, who scores them."""

import json
import os
import shutil
import signal
import subprocess
from types import SimpleNamespace

import polars as pl
import pytest
from msgspec.structs import replace

import example
import making
import reference
from at_the_terminal import printed, shell
from inspector.analyses import Params
from inspector.analyses.show.show import VARIANTS, show
from inspector.case_page.variant_track import ScoredVariant, variant_beside, variant_rows
from inspector.screens import what_if
from inspector.screens.what_if import WhatIf
from inspector.widgets import text_editor
from inspector.widgets.text_editor import TextEditor
from opened import opened
from scoring.data.reward_keys import further_texts, reward_key, reward_keys
from scoring.data.schema import REWARDS as REWARD_COLUMNS
from scoring.data.schema import content_key
from scoring.formats.benchmarks import demo
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.variants import Edit, Variant, Variants, apply_edits
from scoring_process import commanded_here, light
from screen_text import press, screen_text, shows, type_ahead, until

TINY = str(demo.folder() / "models/tiny-prm-m")
STEPS = [f"Step {step} of exact-one." for step in range(3)]
REWARDS = example.EXAMPLES[0].rewards


@pytest.fixture
def query(tmp_path):
    return example.write(tmp_path / "w")


@pytest.fixture
def lightly(monkeypatch):
    """Processes that score cases need no torch, and take half a second for one."""
    for name, value in {**light(0.5), "LIGHT_DEVICE": "auto"}.items():
        monkeypatch.setenv(name, value)


def kept(tmp_path, *edits, rewards=()):
    return example.keep_variant(tmp_path / "w", *edits, rewards=rewards)


EXPECTED = [
    ("added", None, 0, None),
    ("changed", 1, 1, 0.1 - 0.2),
    # Behind what was made of the step before it, wherever that went.
    ("removed", 2, None, None),
    ("changed", 0, 2, 0.8 - 0.9),
    ("changed", 0, 3, 0.7 - 0.9),
]


def test_the_shell_tells_each_step_with_both_rewards_and_their_difference(tmp_path, query):
    variant = kept(tmp_path, *example.ALL_KINDS, rewards=example.GIVEN)
    rows = printed("show", "exact-one", "--variants", "-w", "w", "--scorer", "alpha", cwd=tmp_path)
    assert [(row["change"], row["case_step"], row["step"]) for row in rows] == [row[:3] for row in EXPECTED]
    assert [row["alpha.difference"] for row in rows] == [pytest.approx(row[3]) for row in EXPECTED]
    assert {row["variant"] for row in rows} == {variant.id}
    assert [row["alpha.reward"] for row in rows] == [0.5, 0.1, None, 0.8, 0.7]
    assert [row["alpha.case_reward"] for row in rows] == [None, 0.2, 0.8, 0.9, 0.9]
    lines = shell("export", "variants", "--to", "jsonl", "-w", "w", "--scorer", "alpha", cwd=tmp_path).splitlines()
    (exported,) = map(json.loads, lines)
    assert exported["steps"] == [row["text"] for row in rows if row["step"] is not None]
    assert exported["case_steps"] == STEPS
    assert exported["origins"] == [None, 1, 0, 0]
    assert exported["rewards"] == {"alpha": list(example.GIVEN)}
    assert exported["case_rewards"] == {"alpha": list(REWARDS)}
    # A case without variants, and a scorer that has seen none.
    refused = commanded_here("show", "late-one", "--variants", "-w", "w", cwd=tmp_path)
    assert (refused.returncode, "bench/late-one has no variants." in refused.stderr) == (2, True)
    bare = printed("show", "exact-one", "--variants", "-w", "w", "--scorer", "beta", cwd=tmp_path)
    assert [name for name in bare[0] if "." in name] == []


def test_variants_change_nothing_that_is_said_of_the_benchmark(tmp_path, query):
    asked = (("metrics",), ("cases",), ("board",), ("show", "exact-one"))
    before = [printed(*words, "-w", "w", cwd=tmp_path) for words in asked]
    kept(tmp_path, *example.ALL_KINDS, rewards=example.GIVEN)
    assert [printed(*words, "-w", "w", cwd=tmp_path) for words in asked] == before


async def test_the_screen_says_the_same_and_hides_what_is_judged_from_who_is_blind(tmp_path, query):
    kept(tmp_path, *example.ALL_KINDS, rewards=example.GIVEN)
    async with opened(query, size=(100, 30)) as pilot:
        await press(pilot, "g", "l", "enter")
        await shows(pilot, "1 variant: 2 more, step 0 put in, step 4 taken out, step 1 changed (g w opens it)")
        await press(pilot, "g", "w")
        await shows(pilot, "alpha predicts step 1 in the case, step 1 in the variant")
        await shows(pilot, "largest difference -0.20, at step 3")
        lines = screen_text(pilot.app).splitlines()
        assert any("-0.20 of exact-one." in line for line in lines), lines
        assert any("-0.10 Step 0" in line for line in lines), lines
        assert any("-0.10 Step 1 of exact-two." in line for line in lines), lines
        await press(pilot, "escape", "v", "b", "g", "w")
        await shows(pilot, "5 edits")
        assert "predicts" not in screen_text(pilot.app)
        assert "pred" not in screen_text(pilot.app)


def test_what_another_device_may_have_rounded_is_said():
    def told(*engines):
        return list(ScoredVariant(Variant("k", "c"), (), (), example.ALPHA, engines=engines).words())

    there, here = "transformers 5.16, torch 2.9, cuda, bfloat16", "transformers 5.17, torch 2.10, cpu, bfloat16"
    assert told(there, here) == [
        "the case ran on cuda, bfloat16, the variant on cpu, bfloat16: some of it may be rounding"
    ]
    assert told(here, here.replace("2.10", "2.11")) == told("", here) == told("", "") == []


async def test_variants_are_walked_and_one_without_edits_is_none_and_of_what_cannot_be_the_text_stays_to_be_mended(
    tmp_path, query
):
    kept(tmp_path, Edit("delete", 0))
    there = Variants(tmp_path / "w" / "variants")
    async with opened(query, size=(120, 30)) as pilot:
        await press(pilot, "g", "l", "enter", "g", "w")
        await shows(pilot, "variant 1 of 1", "step 0 taken out")
        await press(pilot, "n")
        await shows(pilot, "variant 2 of 2", "Nothing is changed yet.")
        await press(pilot, "n")
        await shows(pilot, "This one is new")
        await press(pilot, "minus", "N")
        await shows(pilot, "variant 1 of 2")
        assert len(there.every()) == 2
        await press(pilot, "n", "u")
        await shows(pilot, "Nothing is changed yet.")
        assert len(there.every()) == 1
        await press(pilot, "u")
        await shows(pilot, "There is nothing to undo.")
        await press(pilot, "home", "enter")
        await shows(pilot, "The problem stays as it is")
        await press(pilot, "plus", "space", "enter")
        await shows(pilot, "A step needs some text.")
        assert pilot.app.screen.query_one(TextEditor).display
        await press(pilot, "x", "enter")
        await shows(pilot, "1 edit: step 0 put in")
        await press(pilot, "vertical_line", "enter")
        await shows(pilot, "Both parts of a step")
        await press(pilot, "escape", "G", "x")
        await shows(pilot, "There is no step behind it")
        await press(pilot, "minus", "minus", "minus", "minus")
        await shows(pilot, "A solution needs one step")
        # The app ends at once there too.
        await pilot.press("ctrl+c")
        await until(pilot, lambda: pilot.app._exit)


async def test_what_the_scorer_notices_stands_above_the_steps_until_something_changes(tmp_path, query):
    """An answer of the PRM before is not taken for one of the PRM that was chosen since."""
    kept(tmp_path, Edit("replace", 1, "a <extra_0> b"))
    async with opened(query, size=(120, 30)) as pilot:
        await press(pilot, "g", "l", "enter", "g", "w")
        await shows(pilot, "Not scored as it is: S scores it with a PRM that you choose.")
        screen = pilot.app.screen
        assert isinstance(screen, WhatIf)
        told = {"event": "scored", "rewards": [0.1, 0.2, 0.3], "scorer": "alpha", "notes": ["step 1 holds '<extra_0>'"]}
        screen._waiting = 1
        screen._answered(screen._variant, screen._prm, told)
        await shows(pilot, "! step 1 holds '<extra_0>'")
        await press(pilot, "u")
        await until(pilot, lambda: "! step 1" not in screen_text(pilot.app))
        await press(pilot, "ctrl+r")
        before, screen._waiting = {"model": "one"}, 1
        screen._chosen({"model": "other"}, None)
        await shows(pilot, "still being scored")
        told = {**told, "scorer": "one", "notes": ["of one"], "folder": "/nowhere"}
        screen._answered(screen._variant, before, told)
        await shows(pilot, "no scorer", "S scores it with a PRM that you choose")
        assert "of one" not in screen_text(pilot.app)


async def test_a_case_of_the_demo_is_scored_where_the_demo_is_also_after_a_process_has_died(
    tmp_path, monkeypatch, lightly
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "data/prm-inspect/demo"
    mine = str(shutil.copytree(TINY, tmp_path / "mine"))
    async with opened(Query(benchmarks=("demo",)), size=(120, 30)) as pilot:
        await press(pilot, "g", "l", "enter", "S", "tab")
        type_ahead(pilot, *TINY, "enter")
        # At once: later it may have answered already.
        await until(pilot, lambda: pilot.app.scoring._cases)
        os.kill(pilot.app.scoring._cases._job._process.pid, signal.SIGKILL)
        await shows(pilot, "The scoring process ended without a word (exit code -9)")
        pilot.app.clear_notifications()
        await press(pilot, "S", "tab")
        type_ahead(pilot, *TINY, "enter")
        # The rewards that come with the demo are of this very checkpoint, and stand where they were.
        await until(pilot, lambda: "has its rewards already by tiny-prm-m" in squeezed_text(pilot), timeout=60)
        assert not (own / "rewards").exists()
        pilot.app.screen._case_scored({"event": "loading"})
        await shows(pilot, "Loading the model.")
        await press(pilot, "S", "tab")
        type_ahead(pilot, *mine, "enter")
        await until(pilot, lambda: "scored in" in screen_text(pilot.app), timeout=60)
        # The case is seen through it, and only this case has rewards of it.
        await until(pilot, lambda: pilot.app.state.focus.scorer == "mine")
        evaluations = {one.scorer.name: one for one in pilot.app.state.results.evaluations}
        assert evaluations["mine"].coverage.present.sum() == 1
        assert evaluations["tiny-prm-m"].coverage.present.all()
        assert pilot.app.state.results.loaded.workspace.root == own
        process = pilot.app.scoring._cases._job._process
    assert process.wait(10) is not None


def squeezed_text(pilot):
    return " ".join(screen_text(pilot.app).replace("▌", " ").split())


def test_an_editor_ends_a_file_with_a_line_break_that_is_none_of_the_steps(tmp_path):
    editor_of = SimpleNamespace(run_editor=lambda words: subprocess.run(words, check=False))
    script = tmp_path / "my editor"
    script.write_text("#!/bin/sh\nprintf 'two\\nlines\\n' > \"$1\"\n")
    script.chmod(0o755)
    assert text_editor._written_in(f"'{script}'", "one", editor_of) == "two\nlines"
    assert text_editor._written_in(f"'{script}'", "one\n", editor_of) == "two\nlines\n"
    assert text_editor._written_in("true", "as é was\n", editor_of) == "as é was\n"
    with pytest.raises(OSError, match="nowhere"):
        text_editor._written_in("/nowhere/vi", "", editor_of)


@pytest.mark.parametrize(("text", "place", "at"), [("abc", 2, 2), ("a\tbc", 5, 2), ("a\u200bbc", 1, 1), ("abc", 9, 3)])
def test_a_place_on_screen_is_one_in_the_text(text, place, at):
    assert what_if._place(text, place) == at


def test_the_view_is_the_same_in_python(tmp_path, query):
    kept(tmp_path, Edit("delete", 0), rewards=(0.3, 0.9))
    view = show.view(load(query), Params(VARIANTS, {"case": "exact-one"}))
    assert view.rows["alpha.difference"].to_list() == [None, pytest.approx(0.1), pytest.approx(0.1)]


# -- a trajectory, and a scorer that reads what stands between its steps

CALLED = [{"role": "user", "name": None, "text": "How many?"}, {"role": "tool", "name": "till", "text": "twelve"}]
READER = making.scorer("reader", settings={"reads": ["context"]})


def trajectory(root, *edits):
    """Three steps: the user asks before step 0, the till answers step 0; a variant, and what `reader` gave to it."""
    cases = [reference.Case(3, 1)]
    tools = [[{"name": "till", "about": "What is there.", "definition": '{"name": "till"}'}]]
    columns = {"context": [CALLED], "step_messages": [[1, 3, 4]], "tools": tools}
    made = making.workspace(root, cases, [], **columns)
    frame, texts = made.cases(("bench",))
    given(root / "rewards" / READER.folder, reward_keys(frame, texts, READER.reads)["key"][0], [0.9, 0.2, 0.8])
    query = Query(workspace=str(root), scorers=("reader",))
    results = load(query)
    variant = Variant(results.cases["key"][0], results.cases["case"][0], edits)
    results.loaded.workspace.variants.save(variant)
    return query, results, variant


def saved(results, variant, places, rewards):
    """Rewards that `reader` gave to a variant whose steps stand at these places among the messages."""
    texts = results.loaded.texts.row(0)
    steps = [step.text for step in apply_edits(texts["steps"], variant.edits)]
    key = reward_key(
        content_key(texts["problem"], steps), further_texts(READER.reads, {"step_messages": places}, texts)
    )
    given(results.loaded.workspace.variants.folder / "rewards" / READER.folder, key, rewards)


def given(folder, key, rewards):
    READER.save(folder)
    row = {"key": key, "vote": 0, "rewards": rewards}
    RewardParts(folder).append(pl.DataFrame([row], schema={name: REWARD_COLUMNS[name] for name in row}))


@pytest.mark.parametrize(
    ("edits", "places", "said"),
    [
        ([Edit("replace", 1, "Another.")], [1, 3, 4], []),
        ([Edit("cut", 0, at=4)], [1, 2, 4, 5], []),
        (
            [Edit("delete", 0)],
            [2, 3],
            ["[2] tool till, behind step 0 in the case, stands before all steps here"],
        ),
        (
            [Edit("insert", 1, "Well."), Edit("delete", 0)],
            [2, 3, 4],
            [
                "[2] tool till, behind step 0 in the case, stands before all steps here",
                "step 0, put in, stands behind [2] tool till",
            ],
        ),
        ([Edit("swap", 1, other=2)], [1, 3, 4], []),
    ],
)
def test_a_variant_keeps_its_context_and_is_known_by_it(tmp_path, edits, places, said):
    query, results, variant = trajectory(tmp_path / "w", *edits)
    # The same steps elsewhere among the messages are another variant.
    saved(results, variant, [0, *places[1:]], [0.9] * len(places))
    evaluation = results.evaluations[0]
    made = variant_beside(results, 0, variant, READER, evaluation)
    assert (made.places, list(made.moved), made.refused, made.rewards[1]) == (places, said, "", [])
    told = [0.1 * number for number in range(1, len(places) + 1)]
    saved(results, variant, places, told)
    assert variant_beside(load(query), 0, variant, READER, evaluation).rewards == ([0.9, 0.2, 0.8], told)
    (row,) = variant_rows(load(query))
    assert (row["step_messages"], row["rewards"]) == (places, {"reader": told})


async def test_the_screen_shows_the_context_and_refuses_only_what_has_no_place_in_it(tmp_path):
    query, _, variant = trajectory(tmp_path / "w", Edit("delete", 0))
    async with opened(query, size=(100, 30)) as pilot:
        await press(pilot, "g", "l", "enter", "g", "w")
        await shows(pilot, "[2] tool till, behind step 0 in the case, stands before all steps here")
        await shows(pilot, "[0] user: How many?", "[2] tool till: twelve", "1 tool:")
        await press(pilot, "u")
        await until(pilot, lambda: "stands before all steps" not in screen_text(pilot.app))
        # Step 0 and what comes behind it are parted by the answer of the till.
        await press(pilot, "g", "j", "x")
        await shows(pilot, "Step 0 and step 1 are swapped, and messages between them answer the first")
        await shows(pilot, "Nothing is changed yet.")
        await press(pilot, "j", "x")
        await shows(pilot, "1 edit: step 1 and step 2 swapped")
        await press(pilot, "S")
        await until(pilot, lambda: type(pilot.app.screen).__name__ == "CaseScorerDialog")
    # Who reads problem and steps alone may be given it: it is kept, and said to have no place here.
    Variants(tmp_path / "w" / "variants").save(replace(variant, edits=(Edit("swap", 0, other=1),)))
    text = shell("show", "c0", "--variants", "-w", "w", cwd=tmp_path)
    assert b"where these belong then is not known" in text
    made = variant_beside(load(query), 0, replace(variant, edits=(Edit("swap", 0, other=1),)), READER)
    assert made.refused.startswith("Step 0 and step 1 are swapped")
    assert (made.places, made.messages) == (None, ())
    assert (
        variant_beside(load(query), 0, replace(variant, edits=(Edit("swap", 0, other=1),)), example.ALPHA).refused == ""
    )
