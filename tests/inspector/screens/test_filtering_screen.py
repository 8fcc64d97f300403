import json
import shlex

import pytest
from msgspec.structs import replace

import example
import making
import reference
from inspector.cli import main
from inspector.screens.condition_dialog import ConditionScreen
from inspector.screens.slices import SlicesScreen
from inspector.state.filtering.slices import sliced
from inspector.state.focusing import on_benchmark
from inspector.state.opening import inspect
from inspector.state.subject import every_benchmark
from inspector.widgets.facet_list import FacetList, FacetValue
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.pick_list import PickList
from opened import inspected, listed, opened
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.saved_slices import SavedSlice, save_slice
from scoring.workspace.filtering.filters import Facet, Filter
from screen_text import hides, press, rests, shows, type_ahead, until


def ids(pilot):
    return [case.removeprefix("bench/") for case in listed(pilot)]


def printed(capsys, state, verb):
    """What the shell prints for the query behind the screen."""
    behind = every_benchmark(state) if verb == "metrics" else state.results
    words = shlex.split(behind.query.command(verb, form="json"))
    assert main(words[1:]) == 0
    return json.loads(capsys.readouterr().out)["rows"]


def at(pilot, value, column=None):
    """Put the cursor of the facets on a value."""
    facets = pilot.app.screen.query_one(FacetList)
    lines = enumerate(facets._lines)
    facets.cursor = next(
        number
        for number, line in lines
        if isinstance(line, FacetValue) and line.value == value and column in (None, line.column)
    )


# -- conditions


async def test_a_condition_is_completed_counted_and_added_as_it_was_typed_and_comes_back_with_up(query):
    async with opened(query) as pilot:
        await press(pilot, "g", "l", "colon")
        type_ahead(pilot, *"n_steps > 2", "enter", "colon", *"n_steps > 3", "enter")
        await shows(pilot, "filter n_steps > 2 AND n_steps > 3")
        await press(pilot, "x", "colon", "n", "up")
        await shows(pilot, ":n_steps > 3")
        await press(pilot, "up")
        await shows(pilot, ":n_steps > 2")
        await press(pilot, "up", "down", "down")
        await shows(pilot, "> n_steps")
        await press(pilot, "up", "enter")
        await shows(pilot, "filter n_steps > 3")
        await press(pilot, "x", "colon", *"err")
        await shows(pilot, "> error_type")
        await press(pilot, "tab")
        await shows(pilot, "> =", "This gives a text")
        await press(pilot, "=", "space", "'")
        await shows(pilot, "'slip'", "'gap'")
        await press(pilot, *"gap'")
        await shows(pilot, "3 of 9 cases fulfil it")
        await press(pilot, "enter")
        await shows(pilot, "3 of 9 cases", "filter error_type = 'gap'")
        assert ids(pilot) == ["late-one", "missed-one", "long-one"]
        assert inspected(pilot).results.query.where == ("error_type = 'gap'",)


async def test_what_is_wrong_is_pointed_at_also_in_a_line_longer_than_the_screen_and_not_taken(query):
    async with opened(query, size=(60, 24)) as pilot:
        await press(pilot, "g", "l", "colon")
        type_ahead(pilot, *"n_stepz > 2")
        lines = (await rests(pilot, "did you mean n_steps")).splitlines()
        at = next(number for number, line in enumerate(lines) if "n_stepz" in line)
        assert lines[at].index("n_stepz") == lines[at + 1].index("^^^^^^^")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ConditionScreen)
        await press(pilot, "escape")
        await shows(pilot, "9 of 9 cases")
        await press(pilot, "colon")
        type_ahead(pilot, *" AND ".join([*["n_steps >1"] * 5, "nothing"]))
        lines = (await rests(pilot, "^^^^^^^")).splitlines()
        at = next(number for number, line in enumerate(lines) if "^^^" in line)
        assert lines[at].index("^") == lines[at - 1].index("nothing")


async def test_ctrl_n_and_shift_tab_mark_another_word_and_right_answer_wrong_process_is_two_keys():
    async with opened(size=(80, 24)) as pilot:
        await press(pilot, "g", "l", "colon", *"error_")
        await shows(pilot, "> error_type")
        await press(pilot, "ctrl+n", "ctrl+n", "shift+tab", "tab")
        await shows(pilot, ":error_category")
        await press(pilot, "escape", "v", "s", "w")
        text = await rests(pilot, "filter final answer right = yes AND the process is wrong")
        rows = inspected(pilot).cases[inspected(pilot).shown]
        assert rows.height > 10
        assert rows["final_answer_correct"].all()
        assert (rows["earliest_error"] >= 0).all()
        assert f"{rows.height} of 240 cases" in text


async def test_conditions_are_a_group_of_the_facets_and_can_be_taken_away(query):
    where = "earliest_error >= 0"
    async with opened(replace(query, where=("n_steps > 1",))) as pilot:
        await press(pilot, "g", "l", "colon", *where, "enter", "f")
        await shows(pilot, "- conditions", "[=] n_steps > 1", "[x] the process is wrong")
        at(pilot, "n_steps > 1")
        await press(pilot, "space")
        await shows(pilot, "This was given when prm-inspect was started")
        at(pilot, where)
        await press(pilot, "space")
        await until(pilot, lambda: not inspected(pilot).filter)
        await hides(pilot, "the process is wrong")


# -- the value of a cell


async def test_the_cell_cursor_is_seen_without_colour_and_keeps_and_hides_what_reads_the_same(query):
    """Where there is a value, of whatever kind."""
    async with opened(query, size=(200, 30)) as pilot:
        await press(pilot, "g", "l", "at")
        await shows(pilot, "[= exact", "The cell in brackets can be another one")
        await press(pilot, "at")
        await shows(pilot, "2 of 9 cases", "filter outcome = exact")
        await press(pilot, "x", "left", "left")
        await shows(pilot, "[   1]")
        await press(pilot, "number_sign")
        await shows(pilot, "filter gold step not 1", "7 of 9 cases")
        assert "exact-one" not in ids(pilot)
        await press(pilot, "h", "at")
        await shows(pilot, "filter gold step not 1 AND steps = 3")
        assert ids(pilot) == ["early-one", "late-one", "missed-two"]
        await press(pilot, "x")
        pilot.app.screen.query_one(FrameTable).cell_name = "rewards"
        await press(pilot, "at")
        await shows(pilot, "picture of several columns")
        assert not inspected(pilot).filter
        await press(pilot, "colon", *"false", "enter")
        await shows(pilot, "0 of 9 cases")
        await press(pilot, "l", "at", "number_sign")
        await shows(pilot, "There is no row here")
        await press(pilot, "x", "v", "z")
        table = pilot.app.screen.query_one(FrameTable)
        like_early = [one.id for one in example.EXAMPLES if _margin(inspected(pilot), one.id) == "-inf"]
        assert "early-one" in like_early
        for row, column, kept in [
            ("early-one", "margin", like_early),
            ("clean-two", "margin", ["clean-two"]),
            ("exact-one", "reward_at_gold", ["exact-one"]),
            ("clean-one", "reward_at_gold", ["clean-one", "alarm-one", "clean-two"]),
            ("late-one", "generator", ["late-one"]),
            ("clean-one", "error_type", ["clean-one", "alarm-one", "clean-two"]),
            ("late-one", "id", ["late-one"]),
            ("missed-one", "verdict", ["missed-one", "missed-two", "clean-one", "clean-two"]),
        ]:
            table.go_to(f"bench/{row}")
            table.cell_name = column
            await press(pilot, "at")
            assert ids(pilot) == kept, (row, column)
            await press(pilot, "x")
            table.go_to(f"bench/{row}")
            await press(pilot, "number_sign")
            assert sorted([*ids(pilot), *kept]) == sorted(one.id for one in example.EXAMPLES), (row, column)
            await press(pilot, "x")


def _margin(state, case):
    row = state.cases["id"].to_list().index(case)
    return str(state.results.evaluated.column("alpha.margin")[row])


# -- metrics


def test_the_metric_on_screen_is_what_the_exported_command_prints(tmp_path, capsys):
    cases, scorers = making.study()
    making.workspace(tmp_path, cases, scorers, **making.labels(cases))
    start = inspect(load(Query(workspace=str(tmp_path)))).focused("gpt4", "bench")
    gpt4 = next(rows for scorer, rows in scorers if scorer.name == "gpt4")
    for chosen in (
        Filter((Facet("gpt4.outcome", ("exact", "late")), Facet("subset", ("two words",)))),
        Filter((Facet("rand-0.outcome", ("exact",)),)),
        Filter(where=("\"gpt4.outcome\" = 'late'", "n_steps > 1")),
        Filter(where=('"gpt4.margin" < 0 AND n_steps > 1',)),
        Filter(where=("disagreement > 0",)),
        Filter((Facet("gpt4.verdict", (-1,), keep=False),), ("subset = 'it''s'",)),
        Filter(where=("n_steps > 2",)),
    ):
        now = start.selected(chosen=chosen)
        rows = printed(capsys, now, "metrics")
        found = [row for row in rows if (row["scorer"], row["subset"], row["metric"]) == ("gpt4", "average", "f1")]
        assert [row["value"] for row in found] == [now.summary.headline.score], chosen
        assert (now.data_filter != now.filter) == (chosen.where != ("n_steps > 2",)), chosen
        if now.data_filter == now.filter:
            part = [case for case in gpt4 if case.n_steps > 2]
            assert now.summary.headline.score == pytest.approx(reference.metrics(part, 0.5, "<")["average", "f1"])
        elif chosen.facets[:1] == (Facet("rand-0.outcome", ("exact",)),):
            assert now.summary.headline.score == pytest.approx(reference.metrics(gpt4, 0.5, "<")["average", "f1"])
        listed_ = [row["case"] for row in printed(capsys, now, "cases")]
        assert listed_ == now.cases["case"].gather(now.shown).to_list(), chosen


# -- slices


async def test_a_slice_is_saved_with_its_search_shown_again_repeated_and_deleted(tmp_path):
    root = tmp_path / "workspace"
    async with opened(example.write(root)) as pilot:
        await press(pilot, "enter", "colon")
        type_ahead(pilot, *"n_steps >2", "enter")
        await shows(pilot, "3 of 9 cases", "n_steps >2")
        shown = listed(pilot)
        await press(pilot, "v", "s")
        await shows(pilot, "nothing is saved here yet")
        await press(pilot, "s")
        type_ahead(pilot, *"long-ones", "enter")
        await shows(pilot, "Saved: long-ones. Repeat it with --slice.", "1  long-ones")
        await press(pilot, "escape", "x")
        await shows(pilot, "9 of 9 cases")
        await press(pilot, "v", "s", "1")
        await shows(pilot, "3 of 9 cases", "sorted by most instructive", "filter outcome = any failure AND n_steps >2")
        assert listed(pilot) == shown
        assert inspected(pilot).filter.facet("alpha.outcome") is not None
        again = load(Query(workspace=str(root), scorers=("alpha",), slices=("long",)))
        assert again.cases["case"].gather(again.shown).to_list() == shown
        assert again.query == replace(inspected(pilot).results.query, thresholds=())
        await press(pilot, "v", "s")
        type_ahead(pilot, *"j" * 30, "minus")
        await shows(pilot, "Deleted: long-ones.", "nothing is saved here yet")
        await press(pilot, "u")
        await shows(pilot, "Back again: long-ones.", "1  long-ones")
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, SlicesScreen)
        await press(pilot, "x", "slash", *"clean", "enter")
        await shows(pilot, "2 of 9 cases")
        await press(pilot, "v", "s", "s", *"found", "enter")
        await shows(pilot, "2  found", "searches")
        await press(pilot, "escape", "x")
        await shows(pilot, "9 of 9 cases")
        await press(pilot, "v", "s", "2")
        await shows(pilot, "2 of 9 cases", "search")
        assert sorted(ids(pilot)) == ["clean-one", "clean-two"]


def test_the_shell_knows_a_slice_by_a_part_of_its_name(tmp_path, capsys):
    query = example.write(tmp_path)
    save_slice(tmp_path, SavedSlice("long ones", ("n_steps > 2",), sort="n_steps:desc"))
    for before in (True, False):
        words = ["--slice", "long", "cases"] if before else ["cases", "--slice", "long"]
        assert main([*words, "-w", query.workspace, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert [row["id"] for row in document["rows"]] == [
            "long-one",
            "exact-one",
            "early-one",
            "late-one",
            "missed-two",
        ]
        # The command says what the slice was, whatever becomes of it.
        assert "--where 'n_steps > 2' --sort n_steps:desc" in document["provenance"]["command"]
    assert main(["metrics", "-w", query.workspace, "--slice", "short"]) == 2
    assert "no slice matches 'short'" in capsys.readouterr().err


async def test_tags_are_a_facet_of_lists_and_what_a_slice_speaks_of_and_is_not_here_is_told(tmp_path):
    root = tmp_path / "workspace"
    query = example.write(root)
    slices = [{"name": "other", "where": ["\"gamma.outcome\" = 'late'"]}, {"name": "\x1b[2Jbad", "where": 3}]
    (root / "slices.json").write_text(json.dumps({"slices": slices}))
    async with opened(query) as pilot:
        await press(pilot, "g", "l", "v", "s")
        text = await rests(pilot, "not for these cases", "1 of the slices")
        assert "\x1b" not in text
        await press(pilot, "1")
        await shows(pilot, "Bad condition", "gamma.outcome")
        assert not inspected(pilot).filter
        await press(pilot, "w", *"slip odd", "enter", "j", "w", *"slip", "enter", "f")
        await shows(pilot, "- tags")
        facets = pilot.app.screen.query_one(FacetList)
        counts = {
            line.value: line.count for line in facets._lines if isinstance(line, FacetValue) and line.column == "tags"
        }
        assert counts == {"slip": 2, "odd": 1, None: 7}
        for value, cases in (("slip", ["exact-one", "early-one"]), ("odd", ["exact-one"])):
            at(pilot, value, "tags")
            await press(pilot, "space")
            assert ids(pilot) == cases
            assert "ARRAY_CONTAINS(tags" in inspected(pilot).results.query.where[-1]
            await press(pilot, "space")
        await press(pilot, "number_sign")
        assert len(ids(pilot)) == 8
        await shows(pilot, "filter tags not odd")


# -- everywhere


def test_hostile_values_are_kept_one_by_one(tmp_path):
    """What is shown of them: `test_hostile_screens`."""
    hostile = ["\x1b]0;owned\x07[red]x[/red]", "a'b\"c\n\x1b[2J", "\u202eabc", None]
    making.workspace(
        tmp_path, [reference.Case(2, 0) for _ in hostile], [], error_type=hostile, pattern=["p", "q", "p", "q"]
    )
    start = inspect(load(Query(workspace=str(tmp_path))))
    for value in hostile:
        now = start.selected(chosen=start.filter.toggled("error_type", value))
        assert now.rows.get_column("error_type").gather(now.shown).to_list() == [value]


async def test_a_slice_is_read_from_its_first_case_on_and_question_mark_tells_the_keys_of_the_facets(query):
    """A span that is none of the usual is counted too. Enter keeps one value of a facet alone."""
    async with opened(query) as pilot:
        await press(pilot, "g", "l", "j", "j", "j", "v", "s", "f")
        await shows(pilot, "▸ failures ")
        table = pilot.app.screen.table
        assert (table.cursor, table.key) == (0, "bench/alarm-one")
        await press(pilot, "x", "v", "s", "l", "f")
        await shows(pilot, "filter steps = 30 or more", "[x] 30 or more", "1 of 9 cases")
        facets = pilot.app.screen.query_one(FacetList)
        counts = {line.label: line.count for line in facets._lines if isinstance(line, FacetValue)}
        assert (counts["30 or more"], counts["15 or more"], counts["0 to 4"]) == (1, 1, 8)
        await press(pilot, "g", "b", "enter", "f")
        at(pilot, "false_alarm")
        # Among the failures, where it was kept with others.
        await press(pilot, "enter")
        await shows(pilot, "filter outcome = false alarm")
        assert ids(pilot) == ["alarm-one"]
        await press(pilot, "enter")
        await shows(pilot, "9 of 9 cases")
        await press(pilot, "question_mark")
        await shows(pilot, "Only this", "Keep this value and no other of its facet")
        listed_there = [pick.label.split() for pick in pilot.app.screen.query_one(PickList)._picks]
        assert [line for line in listed_there if line[0] in {"Space", "Enter", "#"}] == [
            ["Space", "Keep"],
            ["Enter", "Only", "this"],
            ["#", "Hide"],
        ]
        type_ahead(pilot, *"hide this value", "enter")
        await shows(pilot, "filter outcome not false alarm")
        assert len(ids(pilot)) == 8
        # What is changed while a slice is searched out is not undone.
        slow = SavedSlice("found", search="step")
        screen, before = pilot.app.screen, inspected(pilot)
        screen.put(before.moved(0.9))
        screen.call_later(screen.slicing._sliced, slow, before, sliced(before, slow))
        await until(pilot, lambda: inspected(pilot).results.matches is not None)
        assert inspected(pilot).evaluation.rule.threshold == 0.9


@pytest.fixture
def of_two_benchmarks(tmp_path):
    cases, scorers = making.study()
    made = making.workspace(tmp_path, cases, scorers, benchmark="bench")
    other = making.full_frame(cases[:4], "second")
    made.add([making.Imported("second", "made.jsonl", "made", "0-based", other.height, other, ())])
    return Query(workspace=str(tmp_path), scorers=("gpt4",))


def test_an_order_goes_along_to_another_benchmark(of_two_benchmarks):
    for sort in ("margin:desc", "instructive", "n_steps:desc", ""):
        start = inspect(load(of_two_benchmarks)).selected(sort=sort)
        there = on_benchmark(start, "second")
        assert (there.focus.scorer, there.results.query.sort) == ("gpt4", sort)
        assert there.shown.size == 4
        assert on_benchmark(there, "bench").shown.tolist() == start.shown.tolist()


def test_an_order_by_what_a_scorer_said_ends_where_none_has_said_anything(tmp_path):
    cases, scorers = making.study()
    made = making.workspace(tmp_path, cases, scorers, benchmark="bench")
    other = making.full_frame([replace(case, n_steps=case.n_steps + 1) for case in cases[:4]], "second")
    made.add([making.Imported("second", "made.jsonl", "made", "0-based", other.height, other, ())])
    start = inspect(load(Query(workspace=str(tmp_path))))
    for sort, kept in (("margin:desc", ""), ("instructive:desc", ""), ("n_steps:desc", "n_steps:desc")):
        there = on_benchmark(start.selected(sort=sort), "second")
        assert (there.focus.scorer, there.results.query.sort) == (None, kept), sort


async def test_another_benchmark_is_chosen_among_the_facets(of_two_benchmarks):
    async with opened(of_two_benchmarks, size=(120, 40)) as pilot:
        await press(pilot, "g", "l", "f")
        await shows(pilot, "- benchmark (one at a time)", "(o) bench", "( ) second")
        lines = pilot.app.screen.query_one(FacetList)._lines
        lines = {(line.column, line.value): line for line in lines if isinstance(line, FacetValue)}
        assert (lines["benchmark", "bench"].count, lines["benchmark", "second"].count) == (30, 4)
        at(pilot, "second", "benchmark")
        await press(pilot, "number_sign")
        await shows(pilot, "Metrics differ")
        await press(pilot, "space")
        await shows(pilot, "second ▸ gpt4 ▸ cases", "4 of 4 cases", "(o) second", "( ) bench")
        assert inspected(pilot).focus.benchmark == "second"
        assert inspected(pilot).results.query.where == ("benchmark IN ('second')",)


@pytest.mark.parametrize("asked", [{"search": "missed"}, {"where": ("n_steps > 1",)}, {}])
async def test_x_does_not_say_that_nothing_is_filtered_where_the_app_was_opened_on_some_cases(query, asked):
    async with opened(replace(query, **asked)) as pilot:
        await press(pilot, "g", "l", "x")
        await shows(pilot, "Only conditions that hold for the whole app" if asked else "Nothing is filtered.")


async def test_the_condition_of_common_cases_does_not_hold_until_the_app_is_left(query):
    async with opened(query) as pilot:
        await press(pilot, "v", "a", "g", "l", "f")
        await shows(pilot, "- conditions")
        at(pilot, *inspected(pilot).base)
        await press(pilot, "space")
        await shows(pilot, "This puts all figures on the common cases; v a on the board takes it away.")
