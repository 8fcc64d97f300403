"""An app that is open while a scorer or a benchmark is removed from its workspace, and brought back."""

import pytest

import example
import making
import reference
from inspector.app.services import following
from opened import inspected, opened
from scoring.selection.query import Query
from scoring.workspace import trash
from scoring.workspace.workspace import Workspace
from screen_text import press, screen_text, settled, shows, until


@pytest.fixture(autouse=True)
def _followed_closely(monkeypatch):
    """The app looks at its files every tenth of a second."""
    monkeypatch.setattr(following, "FOLLOW_SECONDS", 0.1)


@pytest.fixture
def space(tmp_path):
    """Two benchmarks: `bench`, and `other`, which `alpha` has scored too."""
    root = tmp_path / "w"
    example.write(root)
    cases = [reference.Case(3, 1, (0.9, 0.2, 0.8)), reference.Case(2, -1, (0.9, 0.8))]
    making.workspace(root, cases, [(example.ALPHA, cases)], "other", problem=["q1", "q2"], steps=[["a"] * 3, ["b"] * 2])
    return Workspace.open(root)


def remove(workspace, kind, name):
    return trash.remove(workspace, next(one for one in trash.removable(workspace, kind) if one.name == name))


def scorers(pilot):
    return [one.scorer.name for one in pilot.app.front.state.results.evaluations]


def sound(pilot):
    assert pilot.app.is_running
    assert pilot.app._exception is None
    assert "Traceback" not in screen_text(pilot.app)


async def test_a_removed_scorer_goes_and_comes_back_and_a_benchmark_that_was_asked_for_stays_without_texts(space):
    """On the board, and while a case is read."""
    async with opened(Query(workspace=str(space.root), benchmarks=("bench",)), size=(160, 40)) as pilot:
        for keys in ((), ("enter", "enter")):
            pilot.app.clear_notifications()
            while inspected(pilot).focus.scorer != "alpha":
                await press(pilot, "j")
            await press(pilot, *keys)
            screen = pilot.app.screen
            # What was asked of it must not keep the others from being read.
            pilot.app.front.put(pilot.app.front.state.moved(0.53))
            await settled(pilot)
            gone = remove(space, "scorer", "alpha")
            await shows(pilot, "The rewards of alpha are gone.", "beta's.")
            await until(pilot, lambda: scorers(pilot) == ["beta"])
            sound(pilot)
            assert pilot.app.screen is screen
            trash.restore(space, gone)
            await until(pilot, lambda: scorers(pilot) == ["alpha", "beta"])
            sound(pilot)
        pilot.app.clear_notifications()
        await press(pilot, "g", "l")
        remove(space, "benchmark", "bench")
        await shows(pilot, "bench: removed from the workspace.", "no texts")
        await press(pilot, "j", "enter", "n", "escape", "escape")
        sound(pilot)
        assert pilot.app.front.state.cases.height == len(example.EXAMPLES)


async def test_conditions_on_what_was_removed_go_with_it_and_that_is_said(space):
    """The figures stood on the cases that both scorers have, or the app was opened on what one of them found."""
    of_beta = "\"beta.outcome\" = 'exact'"
    for where, keys in (((), ("v", "a")), ((of_beta,), ())):
        query = Query(workspace=str(space.root), benchmarks=("bench",), where=where)
        async with opened(query, size=(160, 40)) as pilot:
            await press(pilot, *keys)
            assert any("beta" in condition for condition in inspected(pilot).base)
            gone = remove(space, "scorer", "beta")
            await shows(pilot, "No longer filtered by", "beta.outcome")
            await until(pilot, lambda: scorers(pilot) == ["alpha"])
            assert inspected(pilot).base == ()
            assert inspected(pilot).slice.sum() == len(example.EXAMPLES)
            sound(pilot)
        trash.restore(space, gone)


async def test_a_removed_benchmark_goes_and_another_one_is_shown_and_without_any_nothing_is(space):
    async with opened(Query(workspace=str(space.root)), size=(160, 40)) as pilot:
        for keys, name, left in (
            (("enter", "enter"), "bench", "other"),
            (("enter",), "other", "bench"),
            (("g", "c", "question_mark"), "bench", "other"),
        ):
            pilot.app.clear_notifications()
            while inspected(pilot).focus.scorer != "alpha" or inspected(pilot).focus.benchmark != name:
                await press(pilot, "j")
            await press(pilot, *keys)
            gone = remove(space, "benchmark", name)
            await shows(pilot, f"{name}: removed from the workspace.", f"On screen is {left}.")
            assert pilot.app.front.state.focus.benchmark == left
            assert set(pilot.app.front.state.cases["benchmark"]) == {left}
            await press(pilot, "j", "k", "enter", "n", "N", "escape", "escape", "escape")
            sound(pilot)
            trash.restore(space, gone)
            await until(pilot, lambda: set(pilot.app.front.state.cases["benchmark"]) == {"bench", "other"})
            sound(pilot)
        pilot.app.clear_notifications()
        await press(pilot, "enter")
        gone = [remove(space, "benchmark", name) for name in ("bench", "other")]
        await shows(pilot, "0 cases")
        for text in ("removed from the workspace. There is no", "In its trash: bench, other"):
            await until(pilot, lambda text=text: any(text in said.text for said in pilot.app.message_history))
        await press(pilot, "j", "enter", "n", "f", "escape", "escape", "escape", "enter", "t", "escape")
        sound(pilot)
        trash.restore(space, gone[0])
        await until(pilot, lambda: not pilot.app.front.state.cases.is_empty())
        sound(pilot)


async def test_a_benchmark_that_comes_waits_until_nobody_is_interrupted(space):
    gone = remove(space, "benchmark", "bench")
    async with opened(Query(workspace=str(space.root)), size=(160, 40)) as pilot:
        await press(pilot, "g", "l", "enter")
        await shows(pilot, "other ▸ alpha ▸ cases ▸")
        screen, looks = pilot.app.screen, []
        real = pilot.app.following.would_interrupt
        pilot.app.following.would_interrupt = lambda workspace: looks.append(real(workspace)) or looks[-1]
        trash.restore(space, gone)
        await until(pilot, lambda: True in looks)
        assert pilot.app.screen is screen
        await press(pilot, "escape", "escape")
        await until(pilot, lambda: set(pilot.app.front.state.cases["benchmark"]) == {"bench", "other"})
        assert pilot.app.front.state.focus.benchmark == "other"
        sound(pilot)
