"""Where a key can do nothing, it says why; and the footer names a few that can. That no key is silent:
`test_situations`."""

import pytest

import example
from inspector.widgets.key_line import KeyLine
from opened import opened
from scoring.selection.query import Query
from screen_text import press, screen_text, shows


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("answering")


def asked(folder, kind):
    """A workspace of the kind, one for all tests of the file."""
    place = folder / kind
    return Query(workspace=str(place)) if place.exists() else example.write(place, scored=kind == "whole")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("t",), "There is no scorer, so there is no threshold to move."),
        (("x",), "Nothing is filtered."),
        (("o", "down", "enter"), "There is no scorer to look through."),
        (("enter", "N"), "This is the first case of the list."),
        (("G", "enter", "n"), "This is the last case of the list."),
    ],
)
async def test_it_says_why(folder, keys, said):
    async with opened(asked(folder, "no scorers")) as pilot:
        await press(pilot, *keys)
        await shows(pilot, said)


@pytest.mark.parametrize("kind", ["whole", "no scorers"])
async def test_the_footer_fits_80_columns_and_offers_a_few_keys(folder, kind):
    async with opened(asked(folder, kind), size=(80, 24)) as pilot:
        for screen, keys in {
            "board": ("g b",) if kind == "no scorers" else (),
            "cases": ("g l",),
            "case": ("enter",),
        }.items():
            await press(pilot, *keys)
            await shows(pilot, "? help")
            assert screen == pilot.app.screen.NAME
            hints = pilot.app.screen.query_one(KeyLine).keys
            assert 5 <= len(hints) <= 7
            last = screen_text(pilot.app).splitlines()[-1]
            for key in hints:
                assert f"{key.display} {key.description}" in last
