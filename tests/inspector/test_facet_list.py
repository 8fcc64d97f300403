import pytest
from textual.app import App, ComposeResult

from inspector.widgets.facet_list import FacetList, Group, Value
from screen_text import press, screen_lines, settled


def group(title, *values, ticked=()):
    """A facet whose values are (label, count), the label's last word being the value."""
    made = [
        Value(title, label.split()[-1] if label else None, label, count, label in ticked) for label, count in values
    ]
    return Group(title, tuple(made))


OUTCOMES = group("outcome", ("= exact", 1200), ("> late", 0), ("o missed", 7), ticked=("> late",))
SUBSETS = group("subset", ("sums", 4), ("", 3))


class FacetApp(App[None]):
    CSS = "FacetList { width: 30; height: 8; border: none; }"

    def __init__(self, *groups):
        super().__init__()
        self.groups = groups
        self.told = []

    def compose(self) -> ComposeResult:
        yield FacetList(id="facets")

    def on_mount(self) -> None:
        self.facets.show(self.groups)
        self.facets.focus()

    @property
    def facets(self) -> FacetList:
        return self.query_one(FacetList)

    def on_facet_list_toggled(self, event: FacetList.Toggled) -> None:
        assert event.control is self.facets
        self.told.append((event.column, event.value))


def shown(app):
    return [line[:29].rstrip() for line in screen_lines(app)[:8]]


async def test_headings_values_ticks_and_counts():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        assert shown(app) == [
            "outcome",
            ">[ ] = exact            1,200",
            " [x] > late                 0",
            " [ ] o missed               7",
            "subset",
            " [ ] sums                   4",
            " [ ] (none)                 3",
            "",
        ]


async def test_the_cursor_goes_over_the_values_and_stops_at_the_ends():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        await press(pilot, "up", "k")
        assert app.facets.cursor == 0
        await press(pilot, "down", "j", "j")
        assert shown(app)[5].startswith(">[ ] sums")
        await press(pilot, "G", "down")
        assert app.facets.cursor == 4
        await press(pilot, "home")
        assert app.facets.cursor == 0
        await press(pilot, "end", "g")
        assert app.facets.cursor == 0


async def test_space_and_enter_tell_what_was_ticked_and_change_nothing_here():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        before = shown(app)
        await press(pilot, "space", "enter")
        assert shown(app) == before
        await press(pilot, "G", "space")
        assert app.told == [("outcome", "exact"), ("outcome", "exact"), ("subset", None)]


async def test_a_click_on_a_value_ticks_it_and_on_a_heading_does_nothing():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        for line in (3, 4, 0, 7):
            await pilot.click(FacetList, offset=(5, line))
        assert app.told == [("outcome", "missed")]
        assert app.facets.cursor == 2


async def test_the_cursor_stays_on_its_value_when_the_order_changes_and_stays_in_sight():
    many = [(f"v{number}", 30 - number) for number in range(30)]
    app = FacetApp(OUTCOMES, group("type", *many))
    async with app.run_test(size=(40, 10)) as pilot:
        await press(pilot, "G")
        assert any(line.startswith(">[ ] v29") for line in shown(app))
        app.facets.show([OUTCOMES, group("type", *many[::-1], ticked=("v29",))])
        await settled(pilot)
        assert any(line.startswith(">[x] v29") for line in shown(app))
        app.facets.show([OUTCOMES])
        await settled(pilot)
        assert any(line.startswith(">[ ] o missed") for line in shown(app))


async def test_a_click_goes_to_the_line_that_is_seen_after_scrolling():
    app = FacetApp(group("type", *[(f"v{number}", number) for number in range(30)]))
    async with app.run_test(size=(40, 10)) as pilot:
        await press(pilot, "G")
        line = next(index for index, text in enumerate(shown(app)) if "v27" in text)
        await pilot.click(FacetList, offset=(5, line))
        assert app.told == [("type", "v27")]


@pytest.mark.parametrize("width", [1, 2, 5, 8, 29])
async def test_labels_are_cut_to_the_width_and_nothing_in_them_acts(width):
    label = "\x1b]0;title\x07[red]x[/red] \u202e" + "wide文字" * 20
    app = FacetApp(group("\x1b[2Jfacet", (label, 123456)))
    app.CSS = f"FacetList {{ width: {width}; height: 8; }}"
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        for line in screen_lines(app):
            assert "\x1b" not in line
            assert "\u202e" not in line
            assert len(line) <= 40
        if width > 20:
            assert "[red…" in "".join(screen_lines(app))
            assert "123,456" in "".join(screen_lines(app))


async def test_without_facets_nothing_breaks():
    app = FacetApp()
    async with app.run_test(size=(40, 10)) as pilot:
        await press(pilot, "down", "up", "space", "G", "g")
        await pilot.click(FacetList, offset=(3, 3))
        assert app.told == []
        app.facets.show([OUTCOMES])
        await settled(pilot)
        assert shown(app)[1].startswith(">[ ] = exact")
