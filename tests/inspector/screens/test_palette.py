"""The palette finds commands by synonyms."""

import pytest

import example
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.synonyms import SYNONYMS
from opened import opened
from screen_text import press, shows


@pytest.fixture(scope="module")
def query(tmp_path_factory):
    return example.write(tmp_path_factory.mktemp("palette"))


def test_every_word_is_for_a_command():
    assert set(SYNONYMS) <= {command.id for command in COMMANDS}


@pytest.mark.parametrize(
    ("typed", "found"),
    [("significance", "Compare (significance)"), ("calib", "Thresholds (calibration)"), ("latex", "Export (LaTeX)")],
)
async def test_it_finds_commands_by_other_words(query, typed, found):
    async with opened(query, size=(120, 36)) as pilot:
        await press(pilot, "ctrl+p", *typed)
        await shows(pilot, found)
