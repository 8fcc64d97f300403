"""Trees of searches on a terminal: lines fold, wrong prunings are walked, and a step can be read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.actions.tree_pages import trees_view
from inspector.render.charts.glyphs import Glyphs
from inspector.screens.tree_rows import TreeRows, node_lines
from inspector.screens.trees import VIEWS, StepTable, TreeScreen
from inspector.widgets.themes import OneDialog
from opened import unpainted
from scoring.formats.reading.rows import SourceRow
from scoring.metrics.trees.reading import read_trees, tree_of_row
from screen_text import press, screen_text, shows, until
from search_trees import any_tree, node, paths, recorded, tree, written
from thoroughness import up_to

LOST = tree(
    {"id": "0", "parent": None},
    node("good", "0", value=0.25, visits=3, pruned=1),
    node("kept", "0", value=0.75, visits=7),
    node("right", "good", value=0.5, correct=True),
    node("wrong", "kept", value=0.5, correct=False),
    node("stub", "kept", value=0.125, pruned=2),
    id="first",
    reference_answer="12",
)
SEEN = ("How many crates are left?", "2 wrong prunings, 1 known", "Step kept.", "0.250", "right", "wrong")
"""What the screen says of it."""
FINE = tree(node("0", None), node("1", "0", value=0.5, text="So $\\frac{1}{2}$.\x1b[31m", correct=True), id="second")


@pytest.fixture(autouse=True)
def _no_frames():
    with unpainted():
        yield


def rows_of(row):
    return TreeRows(tree_of_row(SourceRow(1, 1, row), "trees.jsonl", []), Glyphs())


def under(app):
    """The name of the node under the cursor."""
    screen = next(screen for screen in app.screen_stack if isinstance(screen, TreeScreen))
    return screen._rows.tree.names[screen.place]


async def test_a_tree_is_seen_folded_and_walked(tmp_path):
    path = written(tmp_path / "trees.jsonl", [LOST, FINE])
    file = read_trees([path])
    screen = TreeScreen(
        file.trees,
        "Trees",
        document=lambda form: trees_view(file, [str(path)], True, form),
        folder=tmp_path,
    )
    app = OneDialog(screen)
    async with app.run_test(size=(200, 50), notifications=True) as pilot:
        assert not (await shows(pilot, *SEEN, "problem 1 of 2")).isascii()
        # The next wrong pruning, and what is said of it.
        await press(pilot, "n")
        await shows(pilot, "node good", "Dropped in round 1.", "That lost 1 right answer; 0 left")
        assert under(app) == "good"
        await press(pilot, "left")
        await until(pilot, lambda: "Step right." not in screen_text(app))
        await press(pilot, "n")
        await shows(pilot, "node stub", "What was kept beside it ended wrong")
        await press(pilot, "n")
        await shows(pilot, "There is no wrong pruning after this node")
        # A node that is folded away is unfolded for whoever goes there.
        await press(pilot, "left", "left")
        assert under(app) == "kept"
        await press(pilot, "left")
        assert under(app) == "0"
        await press(pilot, "left")
        await until(pilot, lambda: app.screen.query_one(StepTable).row_count == 1)
        await press(pilot, "n")
        await until(pilot, lambda: under(app) == "good")
        await press(pilot, "N")
        await shows(pilot, "There is no wrong pruning before this node")
        # Right unfolds, and goes on to the first child.
        await press(pilot, "right", "right")
        await until(pilot, lambda: under(app) == "right")
        # Enter shows the way there; Esc closes that alone.
        await press(pilot, "enter")
        await shows(pilot, "Step good.", "node right")
        await press(pilot, "escape")
        await until(pilot, lambda: app.screen is screen)
        # The next problem, and back to where one was.
        await press(pilot, "right_square_bracket", "j")
        text = await shows(pilot, "problem 2 of 2")
        assert "\x1b" not in text
        await until(pilot, lambda: under(app) == "1")
        await press(pilot, "right_square_bracket")
        await shows(pilot, "This is the last problem.")
        await press(pilot, "left_square_bracket")
        await until(pilot, lambda: under(app) == "right")
        # What is unfolded is chosen.
        await press(pilot, "v")
        await shows(pilot, "What was kept")
        await press(pilot, "down", "enter")
        await until(pilot, lambda: app.screen.query_one(StepTable).row_count == 5)
        assert under(app) == "good"
        await press(pilot, "y")
        await shows(pilot, "Copied 10 characters.")
        assert app.clipboard == "Step good."
        await press(pilot, "e", "enter")
        await until(pilot, (tmp_path / "trees-prunings.csv").exists)
        await press(pilot, "question_mark")
        await shows(pilot, "type letters to narrow")
        await press(pilot, "escape", "G", "g")
        await until(pilot, lambda: under(app) == "0")
        await press(pilot, "q")
    assert (tmp_path / "trees-prunings.csv").read_text().startswith("tree,node,parent,depth,round,kind")


async def test_the_text_of_a_step_stands_beneath_a_small_tree_and_beside_it_where_there_is_room(tmp_path):
    file = read_trees([written(tmp_path / "trees.jsonl", [LOST])])
    app = OneDialog(TreeScreen(file.trees, "Trees", ascii_only=True), ascii_only=True)
    async with app.run_test(size=(60, 16)) as pilot:
        assert (await shows(pilot, *SEEN)).isascii()
        pane, steps = app.screen.query_one("#tree-node"), app.screen.query_one(StepTable)
        assert pane.region.y >= steps.region.bottom
        await press(pilot, "n")
        await shows(pilot, "node good", "Dropped in round 1.")
        # To the text of the node, and back.
        await press(pilot, "tab")
        assert pane.has_focus
        await press(pilot, "shift+tab")
        assert steps.has_focus
        await press(pilot, "enter")
        await shows(pilot, "Step good.")
        await press(pilot, "escape", "home")
        await pilot.resize_terminal(160, 40)
        await until(pilot, lambda: pane.region.x >= steps.region.right)
        await shows(pilot, "Reference answer: 12", "Chosen answer right: no.", "A right answer kept: no;")


@up_to(100)
@given(row=any_tree(), data=st.data())
def test_what_is_seen_is_what_nothing_above_folds_away(row, data):
    rows, ways = rows_of(row), paths(row)
    folded = data.draw(st.sets(st.sampled_from(rows.tree.names)))
    rows.folded = np.array([name in folded and rows.tree.ends[at] > at + 1 for at, name in enumerate(rows.tree.names)])
    seen = {name for name in ways if not folded.intersection(ways[name][:-1])}
    assert {rows.tree.names[place] for place in rows.visible} == seen
    assert sorted(rows.visible) == rows.visible.tolist()


@up_to(60)
@given(row=any_tree(20))
def test_every_line_and_every_sentence_of_any_tree_can_be_made(row):
    rows = rows_of(row)
    names = ("place", "step", "value", "visits", "right", "dropped")
    for name, *_ in VIEWS:
        rows.show_view(name)
        made = rows.rows(names, rows.visible)
        assert [line[0] for line in made] == rows.visible.tolist()
        assert made[0][1][0].strip()
        hidden = sum(int(line[1][1].strip("+ ").replace(",", "") or 0) for line in made)
        assert hidden + len(made) == rows.tree.size
    for place in range(rows.tree.size):
        assert node_lines(rows, place, 30)


def test_guides_join_brothers_and_a_chain_is_moved_in_once():
    rows = rows_of(
        tree(
            node("0", None),
            node("1", "0"),
            node("2", "1"),
            node("3", "2"),
            node("4", "0"),
            node("5", "4"),
            node("6", "4"),
        )
    )
    lines = ["".join(line[0][:2]) for line in rows.rows(("step",), rows.visible)]
    assert lines == ["▾ ", "├╴▾ ", "│ ▾ ", "│ · ", "└╴▾ ", "  ├╴· ", "  └╴· "]


def test_views_fold_what_they_say():
    rows = rows_of(LOST)
    seen = {}
    for name, *_ in VIEWS:
        rows.show_view(name)
        seen[name] = [rows.tree.names[place] for place in rows.visible]
    assert seen == {
        "all": ["0", "good", "right", "kept", "wrong", "stub"],
        "kept": ["0", "good", "kept", "wrong", "stub"],
        "wrong": ["0", "good", "right", "kept", "wrong", "stub"],
        "first": ["0", "good", "kept"],
    }


def test_a_recorded_tree_has_its_planted_prunings_marked():
    rows, planted = recorded(1, 6)
    for row in rows:
        made = rows_of(row)
        lines = dict(zip(made.tree.names, made.rows(("dropped",), made.visible), strict=True))
        marked = {name for name, ((_, kind, lost),) in lines.items() if "lost" in kind and lost}
        assert marked == {name for tree_id, name in planted if tree_id == row["id"]}
