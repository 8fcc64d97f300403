"""No key is silent: where it can do nothing, it says why."""

import pytest

import example
from inspector.commands import COMMANDS
from inspector.request import Request
from opened import opened
from screen_text import press, screen_text, settled, shows, until

# Keys that move within what is on screen do nothing where all of it is, and show whom to ask.
MOVES = {"next-step", "previous-step", "first-step", "last-step", "quit"}
WITHOUT_A_CASE = {"reason", "blind", "raw"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("answering")


def asked(folder, kind):
    if kind == "no scorers":
        return example.write(folder / kind, scored=False) if not (folder / kind).exists() else _of(folder / kind)
    request = example.write(folder / kind) if not (folder / kind).exists() else _of(folder / kind)
    where = "id = 'nobody'" if kind == "no cases" else "id = 'late-one'"
    return Request(workspace=request.workspace, where=(where,))


def _of(path):
    return Request(workspace=str(path))


REACHED = {
    ("no scorers", "cases"): (),
    ("no scorers", "case"): ("enter",),
    ("no scorers", "board"): ("escape",),
    ("one case", "board"): (),
    ("one case", "cases"): ("a",),
    ("one case", "case"): ("a", "enter"),
    ("no cases", "board"): (),
    ("no cases", "cases"): ("a",),
}


@pytest.mark.parametrize(("kind", "screen"), REACHED)
async def test_every_key_answers_where_there_is_little(folder, tmp_path, kind, screen):
    silent = set()
    for command in (one for one in COMMANDS if screen in one.screens and one.id not in MOVES):
        async with opened(asked(folder, kind), folder=tmp_path) as pilot:
            await press(pilot, *REACHED[kind, screen])
            await settled(pilot)
            before = screen_text(pilot.app)
            await press(pilot, command.keys.split(",")[0])
            try:
                await until(pilot, lambda before=before: screen_text(pilot.app) != before, timeout=1)
            except TimeoutError:
                silent.add(command.id)
    assert silent - (WITHOUT_A_CASE if kind == "no cases" else set()) == set()


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("t",), "There is no scorer, so there is no threshold to move."),
        (("x",), "Nothing is filtered."),
        (("m",), "There is no scorer to look through."),
        (("enter", "p"), "This is the first case of the list."),
        (("G", "enter", "n"), "This is the last case of the list."),
        (("escape", "enter"), "There is no scorer whose failures could be shown"),
    ],
)
async def test_it_says_why(folder, keys, said):
    async with opened(asked(folder, "no scorers")) as pilot:
        await press(pilot, *keys)
        await shows(pilot, said)


@pytest.mark.parametrize("screen", ["board", "cases", "case"])
@pytest.mark.parametrize("kind", ["whole", "no scorers"])
async def test_the_footer_fits_80_columns_and_offers_a_few_keys(folder, kind, screen):
    request = asked(folder, kind) if kind == "no scorers" else _of(folder / "one case")
    if kind == "whole" and not (folder / "one case").exists():
        request = example.write(folder / "one case")
    keys = {"board": (), "cases": ("a",), "case": ("a", "enter")}[screen]
    async with opened(request, size=(80, 24)) as pilot:
        if kind == "no scorers":
            keys = {"board": ("escape",), "cases": (), "case": ("enter",)}[screen]
        await press(pilot, *keys)
        await shows(pilot, "Quit")
        shown = [binding.binding for binding in pilot.app.screen.active_bindings.values() if binding.binding.show]
        assert 5 <= len({binding.action for binding in shown}) <= 7
        last = screen_text(pilot.app).splitlines()[-1]
        for binding in shown:
            assert f"{pilot.app.get_key_display(binding)} {binding.description}" in last
