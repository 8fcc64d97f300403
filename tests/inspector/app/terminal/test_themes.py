from itertools import combinations, pairwise

import numpy as np
import pytest
from rich.color import Color, ColorSystem
from textual.app import App
from textual.theme import BUILTIN_THEMES

from colours import BLINDNESS, ciede2000, contrast, distance, hue, lab
from inspector.app.app import InspectApp
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.charts.heat_map import LEVELS, ColourScale
from inspector.widgets.line_scroll import LineScroll
from inspector.widgets.line_view import LineView
from inspector.widgets.theme_colours import COLOURS, REWARD_LEVELS, SCORERS, SIXTEEN
from inspector.widgets.themes import (
    DEFAULT,
    FEW_COLOURS,
    choose_theme,
    chosen_theme,
    themes,
    usual_theme,
    variables_for,
)
from looks import strips
from opened import opened
from screen_text import press, rests, settled, shows

EXACT = {name: colours for name, colours in COLOURS.items() if colours is not SIXTEEN}
ALIKE = 10
"""CIEDE2000 below which outcomes could be taken for each other."""
# The sixteen colours as the Linux console and xterm have them.
CONSOLES = {
    "linux": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa "
    "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
    "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
}
ANSI = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def texts(colours):
    yield "foreground", colours.foreground
    yield "dim", colours.dim
    yield from colours.outcomes.items()
    yield "accent", colours.accent
    yield from ((f"reward {level}", colour) for level, colour in enumerate(colours.rewards, 1))
    yield from ((f"scorer {level}", colour) for level, colour in enumerate(colours.brightness, 1))


# From the table of Sharma, Wu and Dalal (2005), which every implementation is held against.
PUBLISHED = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
    ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0000),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((50, 2.5, 0), (61, -5, 29), 22.8977),
]


@pytest.mark.parametrize(("one", "other", "published"), PUBLISHED)
def test_the_distance_is_the_published_one(one, other, published):
    assert ciede2000(one, other) == pytest.approx(published, abs=1e-4)


def test_the_contrast_is_the_published_one():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", EXACT)
def test_all_text_can_be_read_on_everything_it_stands_on(name):
    colours = EXACT[name]
    enough = 7 if "contrast" in name else 4.5
    low = {
        (what, ground): round(contrast(colour, ground), 2)
        for what, colour in texts(colours)
        for ground in colours.grounds
        if contrast(colour, ground) < enough
    }
    assert not low
    assert contrast(colours.match, colours.match_background) >= enough
    for heat in (*colours.heat, *colours.heat_low):
        assert contrast(colours.foreground, heat) >= enough
    assert contrast(colours.border, colours.surface) >= 1.5


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("name", EXACT)
def test_no_two_outcomes_look_alike_whatever_colours_one_sees(name, blindness):
    pairs = combinations(EXACT[name].outcomes.items(), 2)
    near = {
        (one, other): round(found, 1)
        for (one, first), (other, second) in pairs
        if (found := distance(first, second, BLINDNESS[blindness])) < ALIKE
    }
    assert not near


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("name", EXACT)
def test_levels_of_heat_rise_in_steps_and_lower_ones_differ_from_higher(name, blindness):
    colours, matrix = EXACT[name], BLINDNESS[blindness]
    levels = (colours.surface, *colours.heat)
    assert all(distance(one, next_, matrix) >= 4 for one, next_ in pairwise(levels))
    grounds = [contrast(colours.foreground, level) for level in levels]
    assert grounds == sorted(grounds, reverse=True)
    for low, high in zip(colours.heat_low, (colours.heat[1], colours.heat[3]), strict=True):
        assert distance(low, high, matrix) >= 2 * ALIKE


@pytest.mark.parametrize("name", EXACT)
def test_the_failures_have_hues_of_their_own(name):
    colours = EXACT[name]
    hues = [hue(colour) for colour in (colours.early, colours.late, colours.missed)]
    assert all(abs((one - other + 180) % 360 - 180) > 20 for one, other in combinations(hues, 2))


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("name", EXACT)
def test_rewards_below_and_above_the_threshold_never_look_alike_and_the_middle_is_grey(name, blindness):
    rewards, matrix = EXACT[name].rewards, BLINDNESS[blindness]
    assert distance(rewards[0], rewards[-1], matrix) >= 2 * ALIKE
    # The weaker colours differ less, but the cross also distinguishes them.
    assert distance(rewards[1], rewards[-2], matrix) >= 4
    assert np.hypot(*lab(rewards[2])[1:]) < 12
    assert all(np.hypot(*lab(colour)[1:]) > np.hypot(*lab(rewards[2])[1:]) for colour in (*rewards[:2], *rewards[3:]))


@pytest.mark.parametrize("name", EXACT)
def test_no_hue_of_rewards_is_that_of_an_outcome(name):
    colours = EXACT[name]
    coloured = {what: colour for what, colour in colours.outcomes.items() if np.hypot(*lab(colour)[1:]) > 12}
    for reward in (colours.rewards[0], colours.rewards[-1]):
        assert all(distance(reward, colour) >= ALIKE for colour in colours.outcomes.values())
        near = {what: round(turn(hue(reward), hue(colour))) for what, colour in coloured.items()}
        assert min(near.values()) >= 12, near


def turn(one, other):
    """The angle between two hues."""
    return abs((one - other + 180) % 360 - 180)


@pytest.mark.parametrize("name", EXACT)
def test_scorers_beside_each_other_differ_in_brightness_alone(name):
    colours = EXACT[name].brightness
    assert all(distance(one, other) >= 8 for one, other in combinations(colours, 2))
    assert all(np.hypot(*lab(colour)[1:]) < 12 for colour in colours)
    steps = [contrast(colour, EXACT[name].surface) for colour in colours]
    assert steps == sorted(steps, reverse=True)


@pytest.mark.parametrize("console", CONSOLES)
def test_sixteen_colours_can_be_read_on_their_own_black(console):
    values = [f"#{value}" for value in CONSOLES[console].split()]
    known = {f"ansi_{name}": values[at] for at, name in enumerate(ANSI)}
    known |= {f"ansi_bright_{name}": values[at + 8] for at, name in enumerate(ANSI)}
    black = known[SIXTEEN.background]
    low = {what: contrast(known[colour], black) for what, colour in texts(SIXTEEN)}
    assert {what: ratio for what, ratio in low.items() if ratio < 3.9} == {}
    assert contrast(known[SIXTEEN.foreground], known[SIXTEEN.cursor]) > 7
    assert len(set(SIXTEEN.outcomes.values())) == len(SIXTEEN.outcomes)
    assert not {SIXTEEN.rewards[0], SIXTEEN.rewards[-1], SIXTEEN.accent} & set(SIXTEEN.outcomes.values())


def test_every_outcome_reward_and_scorer_has_a_style():
    known = {name.removeprefix("line--") for name in LineScroll.COMPONENT_CLASSES}
    assert set(OUTCOME_STYLES.values()) <= known
    assert {f"line--reward-{level}" for level in range(1, REWARD_LEVELS + 1)} <= LineScroll.COMPONENT_CLASSES
    assert {f"line--scorer-{letter}" for letter in SCORERS} <= LineView.COMPONENT_CLASSES
    assert len(set(OUTCOME_STYLES.values())) == len(OUTCOME_STYLES)
    scales = (ColourScale(0, 1, signed=False), ColourScale(-1, 1, signed=True))
    assert {f"line--{scale.style(level)}" for scale in scales for level in range(LEVELS)} <= LineView.COMPONENT_CLASSES


def test_few_colours_are_told_by_what_the_terminal_has():
    assert usual_theme("truecolor") == usual_theme("256") == usual_theme(None) == DEFAULT
    assert usual_theme("standard") == FEW_COLOURS


def test_a_choice_is_read_back_and_no_file_breaks_it(tmp_path):
    assert chosen_theme(None) == chosen_theme(tmp_path / "nowhere") == ""
    assert not choose_theme(tmp_path / "state", "prm-light")
    assert chosen_theme(tmp_path / "state") == "prm-light"
    (tmp_path / "state" / "theme").write_bytes(b"\xff\xfe")
    assert chosen_theme(tmp_path / "state") == ""
    (tmp_path / "file").touch()
    assert choose_theme(tmp_path / "file", "prm-light").startswith("The theme will not be remembered.")


def seen(app, style):
    """The colour of a style name, as the list or board on screen has it."""
    table = app.screen.query_one("FrameTable")
    return table.line_style(style).color.get_truecolor().hex


async def test_every_kind_of_theme_shows_every_screen_in_its_colours(query):
    async with opened(query) as pilot:
        for name in EXACT:
            pilot.app.theme = name
            await settled(pilot)
            colours = COLOURS[name]
            assert {style: seen(pilot.app, style) for style in colours.outcomes} == colours.outcomes, name
            assert seen(pilot.app, "dim") == colours.dim
            assert seen(pilot.app, "") == colours.foreground
        assert {FEW_COLOURS, "nord", "ansi-dark", "ansi-light"} <= set(pilot.app.available_themes)
        for name in ("nord", FEW_COLOURS, "solarized-light", "ansi-light"):
            pilot.app.theme = name
            await settled(pilot)
            if not pilot.app.current_theme.ansi:
                continue
            await press(pilot, "enter", "f")
            await shows(pilot, "outcome of")
            await press(pilot, "escape", "enter", "t", "e")
            await shows(pilot, "CSV file")
            await press(pilot, "escape", "escape", "g", "b")
            await shows(pilot, "2 scorers")


def test_a_theme_of_somebody_elses_gets_our_variables():
    ours = {variable for theme in themes() for variable in COLOURS[theme.name].variables}
    for theme in BUILTIN_THEMES.values():
        assert set(variables_for(dark=theme.dark, ansi=theme.ansi)) == ours


async def test_the_chosen_theme_is_there_at_the_next_start(query, tmp_path):
    app = InspectApp(query, state_folder=tmp_path)
    assert app.theme == DEFAULT
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await shows(pilot, "2 scorers")
        await press(pilot, "question_mark", *"theme", "enter")
        text = await rests(pilot, "prm-light-contrast", "colour-blind")
        assert text.index("prm-dark") < text.index("prm-16-colours")
        await press(pilot, *"light-con", "enter")
        await settled(pilot)
        assert app.theme == "prm-light-contrast"
        await app.workers.wait_for_complete()
    assert InspectApp(query, state_folder=tmp_path).theme == "prm-light-contrast"


async def test_a_theme_that_is_gone_is_not_asked_for(query, tmp_path):
    choose_theme(tmp_path, "of a later version")
    app = InspectApp(query, state_folder=tmp_path)
    assert app.theme == DEFAULT
    async with app.run_test() as pilot:
        await shows(pilot, "2 scorers")
    assert chosen_theme(tmp_path) == "of a later version"


async def test_a_theme_that_cannot_be_kept_is_told(query, tmp_path):
    (tmp_path / "theme").mkdir()
    app = InspectApp(query, state_folder=tmp_path)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await shows(pilot, "2 scorers")
        app.theme = "prm-light"
        await shows(pilot, "The theme will not be remembered.")
        app.clear_notifications()
        await shows(pilot, "2 scorers")
    assert isinstance(app, App)


@pytest.mark.parametrize("theme", [FEW_COLOURS, DEFAULT])
async def test_without_colours_every_text_differs_from_what_is_behind_it(theme, query, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = InspectApp(query, theme=theme)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, "2 scorers")
        segments = [part for line in strips(app) for part in line if part.style]
        system = ColorSystem.STANDARD if theme == FEW_COLOURS else ColorSystem.TRUECOLOR
        for style in {part.style for part in segments if part.text.strip()}:
            here, behind = (getattr(style, side) or Color.default() for side in ("color", "bgcolor"))
            assert here.is_default or here.downgrade(system) != behind.downgrade(system)
