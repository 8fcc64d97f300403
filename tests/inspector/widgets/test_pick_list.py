"""Labels make room for notes, but not all of it."""

import pytest
from textual.app import App, ComposeResult

from inspector.widgets.pick_list import NARROWEST, Pick, PickList
from screen_text import screen_lines

LABEL = "a-scorer-of-a-very-long-name.outcome"


class Picking(App[None]):
    def __init__(self, *picks: Pick) -> None:
        super().__init__()
        self.picks = picks

    def compose(self) -> ComposeResult:
        yield PickList()

    def on_mount(self) -> None:
        self.query_one(PickList).show(self.picks)


async def lines(width: int, *picks: Pick) -> list[str]:
    app = Picking(*picks)
    async with app.run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        return [line.rstrip() for line in screen_lines(app)[: len(picks)]]


async def test_with_room_labels_and_notes_are_whole():
    first, second = await lines(80, Pick("a", LABEL, "its outcome"), Pick("b", "steps", "how many"))
    assert first == f">{LABEL}  its outcome"
    assert second == f" {'steps'.ljust(len(LABEL))}  how many"


async def test_without_it_labels_lose_their_middle_so_that_notes_stay_whole():
    note = "what became of the case"
    first, second = await lines(57, Pick("a", LABEL, note), Pick("b", "steps", "how many"))
    label = first[1 : first.index(note)].rstrip()
    assert first.endswith(f"{label}  {note}")
    assert len(label) > NARROWEST
    assert label.startswith(LABEL[:6])
    assert label.endswith(".outcome")
    assert "…" in label
    assert second.index("how many") == first.index(note)


@pytest.mark.parametrize("ticked", [None, True])
async def test_labels_keep_some_cells_whatever_the_notes(ticked):
    (line,) = await lines(60, Pick("a", LABEL, "long " * 20, ticked=ticked))
    box = "" if ticked is None else "[x] "
    assert line.index("  long") + 2 == 1 + len(box) + NARROWEST + 2
    assert line.endswith("…")


async def test_in_a_few_cells_there_is_something_of_each():
    first, _ = await lines(4, Pick("a", LABEL, "note", ticked=True), Pick("b", "", ""))
    assert first.startswith(">")


async def test_labels_without_notes_take_the_whole_line():
    words = "what a label says where nothing is said of any of them"
    assert len(words) > 50
    assert await lines(len(words) + 2, Pick("a", words), Pick("b", "other")) == [f">{words}", " other"]
