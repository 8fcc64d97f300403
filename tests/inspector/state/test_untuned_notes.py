"""`--threshold dev` where subsets have no dev set: the page says so, of the subsets of its own benchmark."""

import json
import random

import pytest

import making
from inspector.analyses.board.arrangement import Arrangement
from inspector.analyses.board.board import board_view
from inspector.analyses.report.benchmark_report import benchmarks_of
from inspector.analyses.report.report_board import board_table
from inspector.analyses.thresholds.curve_page import curve_chart
from inspector.cli import main
from inspector.state.figure_notes import untuned_notes
from inspector.state.opening import inspect
from inspector.state.thresholds.ways import scorers_there
from reference import Case
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import card_view

SMALL = "hof (12 clean and 20 erroneous cases)"
NEEDS = "a dev set takes more than 20 of each"
ASKED = {"thresholds": ((None, "dev"),)}


def cases(*subsets, seed=0):
    """Cases of subsets, each with so many clean and so many erroneous ones."""
    draw = random.Random(seed)
    return [
        Case(3, gold, tuple(round(draw.random(), 2) for _ in range(3)), subset=subset)
        for subset, clean, erroneous in subsets
        for gold in [-1] * clean + [draw.randrange(3) for _ in range(erroneous)]
    ]


SPACES = {"some": (("gut", 26, 26), ("hof", 12, 20)), "none": (("hof", 12, 20),), "all": (("gut", 26, 26),)}


@pytest.fixture(scope="module", params=SPACES)
def space(request, tmp_path_factory):
    """Whether some, none or all of the subsets have a dev set, and the workspace."""
    root = tmp_path_factory.mktemp("untuned")
    made = cases(*SPACES[request.param])
    scorers = [(making.scorer(name), cases(*SPACES[request.param], seed=at)) for at, name in enumerate("ab")]
    making.workspace(root, made, scorers, benchmark="kranich")
    return request.param, str(root)


@pytest.mark.parametrize(
    "words", [["metrics"], ["compare", "a", "b"], ["compare", "--pairs"], ["compare", "--upset"], ["compare"]]
)
def test_the_page_says_which_subsets_are_not_tuned_and_why(space, capsys, words):
    which, root = space
    for threshold in ("dev", "dev:kept", "default"):
        assert main([*words, "-w", root, "--threshold", threshold]) == 0
        lines = [line for line in capsys.readouterr().out.splitlines() if "dev-tuned" in line]
        if which == "all" or threshold == "default":
            assert lines == []
        else:
            (line,) = lines
            assert line.rstrip(".").endswith(f" on kranich: not dev-tuned, but at the default in {SMALL}; {NEEDS}")
            assert line.startswith(("a, b on", "b, a on"))


def test_programs_read_it_among_the_notes(space, capsys):
    which, root = space
    assert main(["metrics", "-w", root, "--threshold", "dev", "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["provenance"]["notes"]
    assert [note for note in notes if "not dev-tuned" in note] == list(
        untuned_notes(load(Query(workspace=root, **ASKED)))
    )
    assert any(SMALL in note for note in notes) == (which != "all")


def test_a_number_after_dev_sets_leaves_nothing_untuned(space):
    _, root = space
    results = load(Query(workspace=root, thresholds=((None, "dev"), (None, "0.3"))))
    assert list(untuned_notes(results)) == []
    (tuned, *_) = load(Query(workspace=root, **ASKED)).evaluations
    assert tuned.at(0.3).rule.untuned == ()


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Three benchmarks: some subsets of the first are tuned, none of the second, all of the third."""
    root = tmp_path_factory.mktemp("several")
    first, second, third = (cases(*SPACES[which]) for which in ("some", "none", "all"))
    made = making.workspace(root, first, [(making.scorer("a"), first)], benchmark="kranich")
    # Texts that agree have the rewards of the first.
    for name, listed in (("milan", second), ("sperber", third)):
        frame = making.full_frame(listed, name)
        made.add([Imported(name, f"{name}.jsonl", "made", "0-based", frame.height, frame, ())])
    return load(Query(workspace=str(root), **ASKED))


TUNED = "dev-tuned per subset, 20+20 of each, seed 0"
HEADS = {"kranich": f"{TUNED}; at the default: ", "milan": "default; not dev-tuned: "}


@pytest.mark.parametrize("benchmark", ["kranich", "milan", "sperber"])
def test_what_is_said_of_a_benchmark_lists_its_own_subsets_alone(several, benchmark):
    """Where the rule names its untuned subsets, those of other benchmarks are among them."""
    assert "kranich/hof" in several.evaluations[0].rule.source
    assert "milan/hof" in several.evaluations[0].rule.source
    source = f"{HEADS[benchmark]}{SMALL}" if benchmark in HEADS else TUNED
    board = board_view(inspect(several), Arrangement()).rows
    assert board.filter(benchmark=benchmark)["threshold_source"].to_list() == [source]
    card = card_view(several, "a").rows.filter(benchmark=benchmark)
    assert card.filter(fact="threshold source")["value"].to_list() == [source]
    (of,) = (of for of in benchmarks_of(several) if of.name == benchmark)
    ((*_, threshold, from_where),) = board_table(of).rows
    assert from_where.value == source
    at_default = benchmark == "milan"
    assert (str(threshold.value), threshold.note.rpartition(" ")[0]) == (
        ("< 0.5", "") if at_default else ("< by subset", "gut")
    )
    own = [note for note in untuned_notes(several) if f" on {benchmark}: " in note]
    assert own == [f"a on {benchmark}: not dev-tuned, but at the default in {SMALL}; {NEEDS}"] * (benchmark in HEADS)


def test_the_row_of_a_subset_tells_its_own_threshold(several):
    rows = board_view(inspect(several), Arrangement("scorer")).rows.filter(benchmark="kranich")
    sources = dict(rows.filter(rows["subset"].is_not_null()).select("subset", "threshold_source").iter_rows())
    assert sources == {
        "gut": TUNED,
        "hof": f"default; not dev-tuned: {SMALL}",
    }


def test_subsets_that_are_not_shown_are_not_named(several):
    query = Query(workspace=several.query.workspace, subsets=("gut",), **ASKED)
    assert list(untuned_notes(load(query))) == []


@pytest.fixture(scope="module")
def untuned(tmp_path_factory):
    """Two scorers and two benchmarks, none of whose subsets has a dev set."""
    root = tmp_path_factory.mktemp("no-dev-sets")
    first, second = cases(("hof", 12, 20)), cases(("berg", 12, 20))
    scorers = [(making.scorer(name), cases(("hof", 12, 20), seed=at)) for at, name in enumerate("ab")]
    made = making.workspace(root, first, scorers, benchmark="kranich")
    frame = making.full_frame(second, "milan")
    made.add([Imported("milan", "milan.jsonl", "made", "0-based", frame.height, frame, ())])
    return str(root)


@pytest.mark.parametrize(("benchmark", "subset"), [("kranich", "hof"), ("milan", "berg")])
def test_the_curve_and_check_tell_the_source_of_their_own_benchmark(untuned, capsys, benchmark, subset):
    source = f"default; not dev-tuned: {subset} (12 clean and 20 erroneous cases)"
    results = load(Query(workspace=untuned, **ASKED))
    chart = curve_chart(results, scorers_there(results, benchmark), benchmark)
    assert next(tick.words for tick in chart.ticks if tick.letter != "*") == f"present: {source}"
    main(["check", "a", "--baseline", "b", "-w", untuned, "--threshold", "dev", "--json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    (row,) = (row for row in rows if row["benchmark"] == benchmark)
    assert (row["threshold_source"], row["baseline_threshold_source"]) == (source, source)
