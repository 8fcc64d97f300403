import functools
import json
import re
import shlex

import pytest
from msgspec.structs import asdict, replace

import making
import reference
from inspector.analyses import Params
from inspector.analyses import load as load_analysis
from inspector.analyses.stats import stats
from inspector.cli import main
from inspector.cli.actions.output import form_of
from inspector.cli.command_flags import FORMS
from inspector.cli.entry import parse
from inspector.cli.query_arguments import query_from
from inspector.render.analysis_list import summaries
from inspector.render.texts.gold_words import gold_word, gold_words
from inspector.screens.exporting import export_document
from inspector.screens.messages import Export
from inspector.state.case_list.listed import cleared, failures
from inspector.state.focusing import next_scorer
from inspector.state.opening import inspect
from refusals import sentence_of
from scoring.data.schema import METADATA
from scoring.data.training_point import TrainingPoint
from scoring.metrics.deciding import OPTIMISTIC
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.filters import Facet, Filter
from scoring.workspace.triage.actions import NOTE, RATE, RULE, RULINGS, SORT
from scoring.workspace.triage.journal import Author, Journal
from thoroughness import also, one_of, together
from views import cases_view, metrics_view, show_view

REQUESTS = {
    "plain": Query(),
    "17 digits": Query(thresholds=((None, "0.30000000000000004"), ("gpt4", "-1e-17"), ("x=y", "0.7"))),
    "tuned": Query(thresholds=(("gpt4", "best"), ("x=y", "from:it's"), ("rand-0", "default")), where=("n_steps > 1",)),
    "conditions": Query(
        where=("\"rand-0.outcome\" <> 'late'", "error_type IN ('gap\n2', 'slip\"o''') OR error_type IS NULL")
    ),
    "subsets": Query(subsets=("words",), scorers=("rand-0", "gpt4"), unparsed="drop", seed=7),
    "by": Query(by=("generator", "subset"), unparsed="drop"),
    "instructive": Query(sort="instructive", scorers=("x=y",)),
    "sorted": Query(sort="gpt4.margin:desc", where=("subset = 'it''s'",)),
    "nothing": Query(where=("n_steps > 99",)),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("it's a study")
    cases, scorers = making.study()
    making.workspace(root, cases, scorers, **making.labels(cases))
    return str(root)


def printed(command, capture):
    capture.readouterr()
    assert main(shlex.split(command)[1:]) == 0
    return capture.readouterr()


def command_of(document, form):
    """The command that a document carries where it says how it came to be."""
    text = document.render(form)
    if form == "json":
        return json.loads(text)["provenance"]["command"]
    if form == "markdown":
        return re.search(r"^> command: (`+) ?(.*?) ?\1  $", text, re.MULTILINE)[2]
    if form == "latex":
        return re.search(r"^% command: (.*)$", text, re.MULTILINE)[1]
    return document.provenance["command"]  # CSV and JSON Lines have it in a file beside them


def assert_tells_its_command(document, form):
    command = document.provenance["command"]
    # A command with a line break in it cannot stand on one line of a footer.
    assert "\n" in command or command_of(document, form) == command
    return command


read = functools.cache(load)
"""Each query is read once."""


def assert_asks_the_same(document, form):
    """The command is read as the question that was asked; that such a question is printed, `assert_repeats` sees."""
    args = parse(shlex.split(assert_tells_its_command(document, form))[1:])
    analysis = load_analysis(args.command)
    params = analysis.params(args, form_of(args))
    query = query_from(args)
    query = replace(query, scorers=(*getattr(args, "scorers", ()), *query.scorers))
    results = read(query) if analysis.loader is None else analysis.load(query, params)
    again = analysis.view(results, params)
    assert again.render(form) == document.render(form)
    assert getattr(again, "empty", "") == getattr(document, "empty", "")


def assert_repeats(document, form, capture):
    command = assert_tells_its_command(document, form)
    again = printed(command, capture)
    assert again.out == document.render(form).encode()
    why_empty = getattr(document, "empty", "")
    assert again.err.decode() == (f"{why_empty}\n" if why_empty else "")


def assert_come_again(made, number, capture):
    """The commands of documents, each with its form, ask for the same again; one of them prints it, too."""
    printed_too = one_of(range(len(made)), number)
    for at, (document, form) in enumerate(made):
        if at in printed_too:
            assert_repeats(document, form, capture)
        else:
            assert_asks_the_same(document, form)


@pytest.mark.parametrize(
    ("name", "form"),
    [(name, form) for i, name in enumerate(REQUESTS) for form in one_of((FORMS[i % 5], FORMS[(i + 2) % 5]), i)],
)
def test_the_command_in_a_document_prints_that_document(root, name, form, capsysbinary):
    query = Query(**{**asdict(REQUESTS[name]), "workspace": root})
    results = read(query)
    made = [cases_view(results, form), metrics_view(results, form)]
    made += [stats.view(results, Params(form=form)), show_view(results, 8, form)]
    assert_come_again([(document, form) for document in made], [*REQUESTS].index(name), capsysbinary)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    """Checkpoints of a run and a scorer whose name looks like a flag; two people speak of the cases."""
    root = tmp_path_factory.mktemp("spoken of") / "it's w"
    cases, scorers = making.study(n=40)
    run = [(scorer.as_checkpoint(TrainingPoint("-run", at)), rows) for at, (scorer, rows) in enumerate(scorers)]
    making.workspace(root, cases, [*run, (making.scorer("-flag"), scorers[0][1])], **making.labels(cases))
    for who, step in (("ann", 2), ("bob", 3)):
        journal = Journal(root / "triage", Author(who, "gpu"))
        for number in range(0, 36, step):
            words = [(RULE, RULINGS[number % 3]), (RATE, f"0 {number % 2}"), (NOTE, "a, b"), (SORT, "it's signs")]
            journal.do([(kind, [f"bench/c{number}"], value) for kind, value in words])
        journal.rule(["bench/gone"], RULINGS[0])
    return str(root)


OPTIONS = {
    "check": {"baseline": "-flag"},
    "show": {"case": "bench/c8"},
    "similar": {"case": "bench/c8"},
    "timeline": {"series": "-run", "from": 0, "to": 2},
    "curve": {"curve": 7},
    "flips": {"flips": (0.3, 0.6)},
}
"""What analyses and pages of this name have to be told."""
SILENT = {"best-of-n", "paper", "reparse", "stress", "votes"}
"""Analyses that have nothing to say of these cases."""
UNSAID = {*(("show", page) for page in ("explain", "original", "prompt", "variants")), ("timeline", "drift")}
TOLD = sorted(summaries().keys() - SILENT)


@pytest.mark.parametrize("number", range(len(TOLD)), ids=TOLD)
def test_the_command_of_every_page_of_every_analysis_asks_for_that_page_and_prints_it(spoken, number, capsysbinary):
    """A page of each is printed."""
    name = TOLD[number]
    analysis = load_analysis(name)
    scorers = {"agreement": (), "taxonomy": (), "triage": (), "timeline": ()}
    query = Query(workspace=spoken, scorers=scorers.get(name, ("x=y", "-flag")), where=("n_steps > 1",), seed=3)
    pages = [page.name for page in analysis.pages if (name, page.name) not in UNSAID] or [""]
    made = []
    for at, page in enumerate(pages):
        options = {**OPTIONS.get(name, {}), **OPTIONS.get(page, {})}
        made += [(analysis.view(read(query), Params(page, options, form)), form) for form in one_of(FORMS, number + at)]
    assert_come_again(made, number, capsysbinary)


@pytest.fixture(scope="module")
def states(root):
    return list(ways(root))


def ways(root):
    """What a person may do in the app before exporting."""
    start = inspect(read(Query(workspace=root)))
    yield start
    failing = failures(start)
    yield failing
    yield failing.moved(0.30000000000000004).selected(chosen=failing.filter.toggled("final_answer_correct", True))
    yield start.moved(start.summary.sweep.best[0], OPTIMISTIC).selected(
        chosen=Filter((Facet("error_type", ("gap\n2", None), keep=False),))
    )
    yield start.moved(0.1).moved(start.evaluation.scorer.threshold, start.evaluation.scorer.threshold_source)
    yield next_scorer(failures(next_scorer(start, 1)), 1)
    yield start.selected(chosen=Filter((Facet("generator", (None, "m1")),))).selected(sort="n_steps:desc")
    yield cleared(start.moved(0.1))
    yield failures(inspect(read(Query(workspace=root, subsets=("words",), thresholds=((None, "best"),)))))
    yield inspect(read(Query(workspace=root, benchmarks=("bench", "demo"), where=("n_steps < 9",), seed=3)))


@pytest.mark.parametrize("index", [*range(5), *also(*range(5, 10))])
def test_the_command_in_what_the_app_exports_prints_the_same(states, index, capsysbinary):
    form = FORMS[index % len(FORMS)]
    made = [export_document(states[index], Export(what, form, row=3)) for what in ("cases", "metrics", "case")]
    assert_come_again([(document, form) for document in made], index, capsysbinary)


@pytest.mark.parametrize(
    ("verb", "ending"),
    together(
        ["metrics", "cases", "show bench/c8", "stats", "scorers", "benchmarks"],
        ["csv", "jsonl", "json", "md", "tex", ""],
    ),
)
def test_a_file_holds_what_its_command_prints(root, tmp_path, verb, ending, capsysbinary):
    path = tmp_path / f"out.{ending}" if ending else tmp_path / "out"
    decided = "" if verb == "benchmarks" else " --threshold 0.7"
    captured = printed(f"prm-inspect {verb} -w {shlex.quote(root)}{decided} -o {shlex.quote(str(path))}", capsysbinary)
    assert captured.out == b""
    assert b"Wrote" in captured.err
    beside = path.with_name("out.provenance.json")
    if ending in {"csv", "jsonl"}:
        command = json.loads(beside.read_text())["command"]
    else:
        assert not beside.exists()
        text = path.read_text()
        command = re.search(r'"command": "(.*?)(?<!\\)"|command: `(.*)`|% command: (.*)', text)
        command = next(filter(None, command.groups())).replace('\\"', '"') if command else None
    assert printed(command, capsysbinary).out == path.read_bytes()


def test_raw_is_part_of_the_command(tmp_path, capsysbinary):
    cases = [reference.Case(1, -1)]
    making.workspace(tmp_path, cases, [], generator=["=1+1"])
    for flag, cell in (("", b",'=1+1,"), (" --raw", b",=1+1,")):
        printed(f"prm-inspect cases -w {tmp_path}{flag} -o {tmp_path / 'out.csv'}", capsysbinary)
        assert cell in (tmp_path / "out.csv").read_bytes()
        command = json.loads((tmp_path / "out.provenance.json").read_text())["command"]
        assert printed(command, capsysbinary).out == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize(
    "words",
    [["--where", "rand-0.outcome = 'late'"], ["--scorer", "no\x1b[2Jone"], ["--threshold", "nan"], ["--by", "nothing"]],
)
def test_what_cannot_be_done_is_one_line_on_stderr_and_nothing_on_stdout(root, words, capsysbinary):
    assert main(["metrics", "-w", root, "--json", *words]) == 2
    captured = capsysbinary.readouterr()
    assert captured.out == b""
    assert sentence_of(captured.err.decode())
    assert b"\x1b" not in captured.err


def values_of(text):
    return {(row["scorer"], row["subset"], row["metric"]): row["value"] for row in json.loads(text)["rows"]}


@pytest.mark.parametrize("threshold", [0.4, making.FLOAT32, 2.0, *also(0.1, 1 / 3, 0.5, 0.7, 0.9, -1.0)])
def test_a_threshold_on_a_reward_gives_one_number_everywhere(root, threshold, capsysbinary):
    found = values_of(
        printed(f"prm-inspect metrics -w {shlex.quote(root)} --threshold={threshold!r} --json", capsysbinary).out
    )
    start = inspect(read(Query(workspace=root)))
    for scorer, rows in making.study()[1]:
        expected = reference.metrics(rows, threshold, "<")
        for (subset, metric), value in expected.items():
            assert found[scorer.name, subset, metric] == (
                pytest.approx(value, abs=1e-12) if value is not None else None
            )
        moved = start.focused(scorer.name, "bench").moved(threshold)
        assert moved.summary.headline.score == (
            None if expected["average", "f1"] is None else pytest.approx(expected["average", "f1"])
        )
        outcomes = [reference.outcome(case, threshold, "<") for case in rows]
        assert moved.summary.outcome_counts == {word: outcomes.count(word) for word in moved.summary.outcome_counts}


def test_the_demo_needs_no_workspace_and_its_numbers_are_those_of_plain_counting(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platformdirs.user_data_path", tmp_path.joinpath)
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    found = values_of(printed("prm-inspect metrics --benchmark demo --json", capsysbinary).out)
    results = load(Query(benchmarks=("demo",)))
    for one in results.evaluations:
        labels = results.cases.select("n_steps", "earliest_error", "subset").iter_rows()
        lists = one.rewards.lists.to_list()
        cases = [
            reference.Case(n, gold, None if rewards is None else tuple(rewards), "", subset)
            for (n, gold, subset), rewards in zip(labels, lists, strict=True)
        ]
        for (subset, metric), value in reference.metrics(cases, one.scorer.threshold, "<").items():
            assert found[one.scorer.name, subset, metric] == (
                pytest.approx(value, abs=1e-12) if value is not None else None
            )
    assert list(tmp_path.iterdir()) == []


def test_rows_have_the_columns_of_the_contract(root):
    results = read(Query(workspace=root, scorers=("gpt4", "rand-0")))
    metrics = metrics_view(results).rows
    assert metrics.columns == [
        *("scorer", "benchmark", "subset", "metric", "value", "low", "high", "n", "reason"),
        *("small", "sd", "runs"),
    ]
    cases = cases_view(results).rows
    for name in (
        "case",
        "key",
        "id",
        "benchmark",
        "subset",
        "generator",
        "n_steps",
        "earliest_error",
        "error_type",
        "pattern",
    ):
        assert cases.schema[name] == METADATA[name]
    for scorer in results.chosen:
        assert {
            f"{scorer}.{name}" for name in ("verdict", "outcome", "reward_at_gold", "margin", "step_accuracy")
        } <= set(cases.columns)
    assert cases["case"].to_list() == [f"bench/c{index}" for index in range(30)]


def test_grouped_metrics_are_those_of_the_group(root):
    found = metrics_view(read(Query(workspace=root, by=("generator",), scorers=("gpt4",)))).rows
    rows, generators = making.study()[1][0][1], making.labels(making.study()[0])["generator"]
    assert set(found["subset"]) == {"all"}
    for row in found.iter_rows(named=True):
        part = [case for case, generator in zip(rows, generators, strict=True) if (generator or "") == row["generator"]]
        expected = reference.metrics(part, 0.5, "<")["all", row["metric"]]
        assert row["value"] == (pytest.approx(expected) if expected is not None else None)
    assert found.height == 3 * len(set(generators))


def test_the_notes_say_what_a_reader_would_trip_over(tmp_path):
    cases = [
        reference.Case(1, -1, (0.9,), subset="a"),
        reference.Case(1, -1, subset="b"),
        reference.Case(1, 0, subset="b"),
    ]
    making.workspace(tmp_path, cases, [(making.scorer("x"), cases)])
    notes = metrics_view(load(Query(workspace=str(tmp_path)))).provenance["notes"]
    assert notes[1].startswith("small: fewer than 20 cases")
    assert notes[2:] == ["x on bench: average over 1 of 2 subsets, the others are not scored"]
    results = load(Query(workspace=str(tmp_path), subsets=("a",)))
    assert len(metrics_view(results).provenance["notes"]) == 2


def test_cases_that_share_problem_and_steps_are_counted(tmp_path):
    cases = [reference.Case(1, gold, (0.9,)) for gold in (-1, 0, -1)]
    same = {"problem": ["same"] * 3, "steps": [["one"]] * 3}
    making.workspace(tmp_path, cases, [], **same)
    notes = metrics_view(load(Query(workspace=str(tmp_path)))).provenance["notes"]
    assert any(note.startswith("2 cases repeat the problem and steps of another") for note in notes)


def test_coverage_counts_the_shown_cases(root):
    rows = making.study()[1][1][1]
    found = cases_view(read(Query(workspace=root, scorers=("rand-0",), where=("n_steps > 2",))))
    long = [case for case in rows if case.n_steps > 2]
    assert found.provenance["coverage"] == {"rand-0": f"{sum(map(reference.tried, long))} of {len(long)}"}
    assert found.rows.height == len(long)


def test_a_case_has_a_row_a_step(root):
    cases, scorers = making.study()
    for row in (0, 4, 8):
        document = show_view(read(Query(workspace=root)), row)
        assert document.rows["text"].to_list() == making.texts(row, cases[row])[1]
        for scorer, rows in scorers:
            rewards = reference.usable(rows[row])
            wrong = rewards and [reference.is_wrong(reward, scorer.threshold, "<") for reward in rewards]
            assert document.rows[f"{scorer.name}.reward"].to_list() == (rewards or [None] * cases[row].n_steps)
            assert document.rows[f"{scorer.name}.wrong"].to_list() == (wrong or [None] * cases[row].n_steps)


@pytest.mark.parametrize(
    "case", [(4, 1), (4, -1), (4, None), (2, 2), (4, 1, None, "", "one", (1, 3)), (3, None, None, "", "one", (7,))]
)
def test_words_of_gold(case):
    case = reference.Case(*case)
    labels = {"earliest_error": case.gold, "error_steps": case.error_steps}
    for step in range(case.n_steps):
        word = gold_word(labels, step)
        assert {"error": False, "error step": False, "right": True, None: None}[word] == reference.step_label(
            case, step
        )
        assert (word == "error") == (step == case.gold)


def test_gold_says_where_annotators_stopped():
    case = {"earliest_error": 1, "error_steps": None, "errors_so_far": [1, 3], "n_steps": 6}
    assert [gold_word(case, step) for step in range(5)] == ["right", "error", "right", "error step", None]
    assert gold_words(case) == "step 1 (also wrong: 3; nobody labelled the steps after 3)"
    assert gold_words({**case, "n_steps": 4}) == "step 1 (also wrong: 3)"


def test_a_name_that_looks_like_a_flag_is_checked_and_described_again(spoken, capsysbinary):
    for name, options in (("check", {"baseline": "x=y"}), ("card", {})):
        results = load(Query(workspace=spoken, scorers=("-flag",)))
        assert_repeats(load_analysis(name).view(results, Params("", options, "json")), "json", capsysbinary)
