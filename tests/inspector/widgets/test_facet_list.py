import pytest
from textual.app import App, ComposeResult

from inspector.widgets.facet_list import FacetGroup, FacetList, FacetValue
from screen_text import press, screen_lines, settled


def group(title, *values, kept=(), hidden=(), **options):
    """A facet whose values are (label, count), the label's last word being the value."""
    made = [
        FacetValue(
            title,
            label.split()[-1] if label else None,
            label,
            count,
            "keep" if label in kept else "hide" if label in hidden else "",
        )
        for label, count in values
    ]
    return FacetGroup(title, title, tuple(made), **options)


OUTCOMES = group("outcome", ("= exact", 1200), ("> late", 0), ("o missed", 7), kept=("> late",), hidden=("o missed",))
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
        self.told.append((event.column, event.value, "only" if event.alone else "keep" if event.keep else "hide"))

    def on_facet_list_folded(self, event: FacetList.Folded) -> None:
        assert event.control is self.facets
        self.told.append((event.group, "open" if event.now_open else "fold"))

    def on_facet_list_listed(self, event: FacetList.Listed) -> None:
        assert event.control is self.facets
        self.told.append((event.group, "list"))


def shown(app):
    return [line[:29].rstrip() for line in screen_lines(app)[:8]]


async def test_headings_values_ticks_and_counts():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        assert shown(app) == [
            " - outcome",
            ">[ ] = exact            1,200",
            " [x] > late                 0",
            " [-] o missed               7",
            " - subset",
            " [ ] sums                   4",
            " [ ] (none)                 3",
            "",
        ]


async def test_a_pane_that_was_small_shows_again_what_is_above_the_cursor():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        app.facets.styles.height = 5
        await settled(pilot)
        before = shown(app)
        assert before[0] == " - outcome"
        app.facets.styles.height = 1
        await settled(pilot)
        assert shown(app)[0].startswith(">[ ] = exact")
        app.facets.styles.height = 5
        await settled(pilot)
        assert shown(app) == before


async def test_the_cursor_goes_over_headings_too_and_stops_at_the_ends():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        assert app.facets.cursor == 1
        await press(pilot, "up", "k")
        assert app.facets.cursor == 0
        await press(pilot, "down", "j", "j", "j")
        assert shown(app)[4].startswith(">- subset")
        await press(pilot, "G", "down")
        assert app.facets.cursor == 6
        await press(pilot, "home")
        assert app.facets.cursor == 0
        await press(pilot, "pagedown")
        assert app.facets.cursor == 6
        await press(pilot, "pageup")
        assert app.facets.cursor == 0


async def test_keys_tell_what_is_kept_and_hidden_and_change_nothing_here():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        before = shown(app)
        await press(pilot, "space", "enter", "at", "number_sign", "number_sign")
        assert shown(app) == before
        await press(pilot, "G", "space")
        keep, only, hide = (("outcome", "exact", what) for what in ("keep", "only", "hide"))
        assert app.told == [keep, only, only, hide, hide, ("subset", None, "keep")]


async def test_a_heading_folds_and_opens():
    app = FacetApp(OUTCOMES, group("subset", folded=True, note="2 kept"))
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        assert shown(app)[4] == " + subset: 2 kept"
        await press(pilot, "left")
        assert app.facets.cursor == 0
        await press(pilot, "enter", "right", "G", "space", "l", "h")
        assert app.told == [("outcome", "fold"), ("outcome", "fold"), ("subset", "open"), ("subset", "open")]


async def test_what_is_not_listed_can_be_asked_for():
    app = FacetApp(group("subset", ("a", 4), ("b", 3), more=12))
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        assert shown(app)[3] == "     ... 12 more"
        await press(pilot, "G", "enter")
        assert app.told == [("subset", "list")]
        app.facets.show([group("subset", ("a", 4), ("b", 3), whole=True)])
        await settled(pilot)
        assert shown(app)[3] == ">    ... fewer"


async def test_of_a_benchmark_one_is_chosen_and_what_was_given_stays():
    one, other = (
        FacetValue("benchmark", "a", "a", 4, "keep", radio=True),
        FacetValue("benchmark", "b", "b", 3, radio=True),
    )
    app = FacetApp(
        FacetGroup("benchmark", "benchmark", (one, other)),
        FacetGroup("given", "given", (FacetValue("g", 1, "n", None, "fixed"),)),
    )
    async with app.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        assert shown(app)[:6] == [
            " - benchmark",
            " (o) a                      4",
            " ( ) b                      3",
            " - given",
            ">[=] n",
            "",
        ]


async def test_a_click_keeps_a_right_click_hides_and_a_heading_folds():
    app = FacetApp(OUTCOMES, SUBSETS)
    async with app.run_test(size=(40, 10)) as pilot:
        for line in (3, 4, 7):
            await pilot.click(FacetList, offset=(5, line))
        await pilot.click(FacetList, offset=(5, 2), button=3)
        await pilot.click(FacetList, offset=(5, 1), control=True)
        assert app.told == [
            ("outcome", "missed", "keep"),
            ("subset", "fold"),
            ("outcome", "late", "hide"),
            ("outcome", "exact", "hide"),
        ]


async def test_the_cursor_stays_on_its_value_when_the_order_changes_and_stays_in_sight():
    many = [(f"v{number}", 30 - number) for number in range(30)]
    app = FacetApp(OUTCOMES, group("type", *many))
    async with app.run_test(size=(40, 10)) as pilot:
        await press(pilot, "G")
        assert any(line.startswith(">[ ] v29") for line in shown(app))
        app.facets.show([OUTCOMES, group("type", *many[::-1], kept=("v29",))])
        await settled(pilot)
        assert any(line.startswith(">[x] v29") for line in shown(app))
        app.facets.show([OUTCOMES])
        await settled(pilot)
        assert any(line.startswith(">[-] o missed") for line in shown(app))


async def test_a_click_goes_to_the_line_that_is_seen_after_scrolling():
    app = FacetApp(group("type", *[(f"v{number}", number) for number in range(30)]))
    async with app.run_test(size=(40, 10)) as pilot:
        await press(pilot, "G")
        line = next(index for index, text in enumerate(shown(app)) if "v27" in text)
        await pilot.click(FacetList, offset=(5, line))
        assert app.told == [("type", "v27", "keep")]


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
            assert "]0;…" in "".join(screen_lines(app))
            assert "123,456" in "".join(screen_lines(app))


async def test_without_facets_nothing_breaks():
    app = FacetApp()
    async with app.run_test(size=(40, 10)) as pilot:
        await press(pilot, "down", "up", "space", "G", "home")
        await pilot.click(FacetList, offset=(3, 3))
        assert app.told == []
        app.facets.show([OUTCOMES])
        await settled(pilot)
        assert shown(app)[1].startswith(">[ ] = exact")


async def test_where_a_title_has_no_room_all_are_short():
    long, other = "outcome of a-prm-of-a-very-long-name", "outcome of gpt4"
    groups = (
        FacetGroup(long, long, short="a-prm-of-a-very-long-name"),
        FacetGroup(other, other, short="gpt4"),
        SUBSETS,
    )
    app = FacetApp(*groups)
    async with app.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        assert shown(app)[:3] == [" - a-prm-of-a-very-long-name", " - gpt4", " - subset"]
        app.facets.styles.width = 44
        await settled(pilot)
        assert [line[:42].rstrip() for line in screen_lines(app)[:2]] == [f" - {long}", f" - {other}"]
