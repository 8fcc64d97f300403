"""`stress`: what scorers made for it look like, its pages and links, and the command that scores what is missing."""

import json
import re
from functools import cache
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

import making
from inspector.analyses import Params, load
from inspector.case_page import rewriting_track
from inspector.render.table_blocks import Cell, Table
from inspector.screens.messages import Go
from inspector.state.case_list.listed import cleared, failures, unfiltered
from inspector.state.opening import inspect
from opened import opened
from scoring.data.errors import UsageError
from scoring.data.readout import Batch, Encoded, EngineOutput
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.formats.benchmarks import demo
from scoring.formats.benchmarks.case_format import Imported
from scoring.runs.prm_runs import Encoding
from scoring.runs.run import score
from scoring.runs.stress.cutting import WAYS
from scoring.runs.stress.trials import REWRITINGS, contents_of, judged_variants
from scoring.selection.loading import load as load_query
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from scoring_process import commanded_here
from screen_text import hides, press, shows
from servers.fault_server import running
from shown_case import seen

CASES, FEW_CASES = 40, 8
NAMES = ("long", "numb", "noisy", "convinced")


def letters(problem, steps):
    """Ids are letters, and each step is read at its last one."""
    ids, positions = list(problem.encode()), []
    for step in steps:
        ids += step.encode()
        positions.append(len(ids) - 1)
    return Encoded(tuple(ids), tuple(positions))


class Length:
    """Gives a step the more the longer it is."""

    name = "length 1.0"

    def read(self, encoded):
        for at, case in enumerate(encoded):
            starts = (case.positions[0] - 40, *case.positions)
            lengths = np.diff(starts)
            yield Batch((EngineOutput(at, tuple((lengths / (60 + lengths)).tolist())),), len(case.ids), 1)


class Numb:
    """Gives every step the same; with noise of its own for every content."""

    name = "numb 1.0"

    def __init__(self, noise=0.0):
        self.noise = noise

    def read(self, encoded):
        for at, case in enumerate(encoded):
            rng = np.random.default_rng(list(case.ids))
            rewards = np.clip(0.6 + self.noise * rng.normal(size=len(case.positions)), 0, 1)
            yield Batch((EngineOutput(at, tuple(rewards.tolist())),), len(case.ids), 1)


class Convinced:
    """Gives a step more where it is said to be certain."""

    name = "convinced 1.0"

    def read(self, encoded):
        for at, case in enumerate(encoded):
            text, starts = bytes(case.ids), (0, *case.positions)
            steps = [text[start + 1 : end + 1] for start, end in pairwise(starts)]
            sure = [re.search(rb"I am sure|no doubt|is certain", step) is not None for step in steps]
            yield Batch((EngineOutput(at, tuple(0.4 + 0.3 * each for each in sure)),), len(case.ids), 1)


ENGINES = {"long": Length, "numb": Numb, "noisy": lambda: Numb(0.15), "convinced": Convinced}


def scored(frame, texts, scorer, folder):
    """The one loop, with an engine made for it."""
    events = score(frame, texts, scorer, RewardParts(folder), Encoding(lambda: letters), engine=ENGINES[scorer.name])
    return list(events)


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """The demo's cases as those of a benchmark, scored as they are and rewritten by three scorers."""
    root = tmp_path_factory.mktemp("space")
    workspace = Workspace.create(root)
    cases = demo.read()
    other = cases.cases[:3].with_columns(case="other/" + pl.col("id"), benchmark=pl.lit("other"))
    workspace.add([cases, Imported("other", "other.jsonl", "made", "0-based", 3, other, ())])
    frame, texts = workspace.cases(("demo",))
    rows = np.arange(frame.height)[:CASES]
    contents = contents_of(frame, texts, Gold(frame), rows, 0)
    for number, name in enumerate(NAMES):
        scorer = Scorer(name, f"{number}" * 64, low=0.0, high=1.0)
        scored(frame[rows], texts.gather(rows), scorer, root / "rewards" / scorer.folder)
        scored(*contents.frames, scorer, root / "variants/rewards" / scorer.folder)
    return root


@cache
def first_cases(space, most):
    return load_query(Query(str(space), benchmarks=("demo",), where=(f"line <= {most}",)))


def selected(space, scorer, most=CASES):
    results = first_cases(space, most)
    return replace(results, query=replace(results.query, scorers=(scorer,)), chosen=(scorer,))


def view(space, scorer, page="", intervals=True, most=CASES, **options):
    return load("stress").view(selected(space, scorer, most), Params(page, options), intervals=intervals)


def accused(space, scorer):
    return view(space, scorer, intervals=False).rows.filter("accused")["rewriting"].to_list()


def test_a_scorer_that_prefers_length_is_found_out_and_an_invariant_one_is_not_accused(space):
    long = {*accused(space, "long")}
    assert {"inflation", "restating", "hedging"} <= long
    assert not {"delimiters", "separators", "changed-number", "flipped-sign"} & long
    assert accused(space, "convinced") == ["confidence"]
    assert accused(space, "numb") == []
    assert accused(space, "noisy") == []
    rows = view(space, "noisy", intervals=False).rows
    # Its noise violates laws, as often as under the control.
    assert rows.filter(kind="control")["violations"][0] > 10
    assert rows.filter(pl.col("cases") > 20)["violations"].min() > 0


def test_rows_have_every_rewriting_and_add_up(space):
    rows = view(space, "long").rows
    assert rows["rewriting"].to_list() == [each.name for each in REWRITINGS]
    assert (rows["cases"] + rows["refused"] + rows["unscored"]).unique().to_list() == [CASES]
    assert rows["unscored"].sum() == 0
    inflation = rows.row(by_predicate=pl.col("rewriting") == "inflation", named=True)
    assert 0 < inflation["shift_low"] < inflation["shift"] < inflation["shift_high"]
    assert inflation["share_low"] < inflation["violations"] / inflation["steps"] < inflation["share_high"]
    none = rows.filter(pl.col("steps") == 0)
    assert none["share"].null_count() == none.height
    assert none["reason"].null_count() == 0
    refused = rows.filter(pl.col("refused") > 0)["refusals"].to_list()
    assert [sum(int(part.rpartition(": ")[2]) for part in reasons.split("; ")) for reasons in refused] == rows.filter(
        pl.col("refused") > 0
    )["refused"].to_list()


def test_values_come_before_their_intervals(space):
    first, whole = view(space, "long", intervals=False).rows, view(space, "long").rows
    ends = ["share_low", "share_high", "shift_low", "shift_high"]
    assert first.drop(ends).equals(whole.drop(ends))
    assert first.select(ends).null_count().row(0) == (len(REWRITINGS),) * 4


def linked(made):
    blocks = [block for section in made.sections for block in section.blocks if isinstance(block, Table)]
    cells = [cell for block in blocks for row in block.rows for cell in row]
    return [cell for cell in cells if isinstance(cell, Cell) and cell.link]


@pytest.mark.parametrize(
    ("page", "options"),
    [
        ("", {}),
        ("violations", {"rewriting": "hedging"}),
        ("violations", {"case": "demo/arithmetic-007"}),
        ("cuts", {}),
        ("cuts", {"case": "demo/arithmetic-007"}),
    ],
)
def test_every_number_opens_its_cases(space, page, options):
    made = view(space, "noisy", page, **options)
    cells = linked(made)
    assert cells
    results = selected(space, "noisy")
    for link in {cell.link for cell in cells}:
        assert results.evaluated.passing((f"line <= {CASES}", *link.where)).sum() == link.n


def test_every_violation_is_told_with_both_texts(space):
    rows = view(space, "long", "violations").rows
    counts = dict(view(space, "long").rows.select("rewriting", "violations").rows())
    assert dict(rows.group_by("rewriting").len().rows()) == {name: n for name, n in counts.items() if n}
    for row in rows.iter_rows(named=True):
        wrong_way = -row["shift"] if row["gold"] == "right" else row["shift"]
        assert wrong_way > 0.1
        assert row["shift"] == pytest.approx(row["after"] - row["before"])
    alone = rows.filter(pl.col("rewriting") == "confidence")
    assert view(space, "long", "violations", rewriting="confidence").rows.equals(alone)
    assert all(after.endswith(before) for before, after in alone.select("text", "rewritten_text").rows())
    assert view(space, "long", tolerance=0.9).rows["violations"].sum() == 0


def test_a_case_stands_beside_its_rewritings_part_by_part(space):
    def page(scorer, **options):
        return view(space, scorer, "violations", most=FEW_CASES, **options)

    every = page("noisy").rows
    case = "demo/arithmetic-007"
    parts = page("noisy", case=case).rows
    violating = parts.filter("violates").drop("change", "violates")
    assert violating.sort(pl.all()).equals(every.filter(case=case).select(violating.columns).sort(pl.all()))
    assert set(parts["rewriting"]) == set(every.filter(case=case)["rewriting"])
    # Every step of both is there, and what became of it.
    steps = parts.filter(rewriting="neutral-step")
    assert steps.filter(change="added").select("step", "text", "before", "shift").null_count().row(0) == (1, 1, 1, 1)
    assert steps["step"].drop_nulls().to_list() == list(range(5))
    assert steps["rewritten_step"].drop_nulls().to_list() == list(range(6))
    for row in parts.iter_rows(named=True):
        assert (row["change"] == "same") == (row["text"] == row["rewritten_text"])
        if row["shift"] is not None:
            assert row["shift"] == pytest.approx(row["after"] - row["before"])
    # One that violates nothing is shown where it is asked for, and where there is none that is said.
    calm = page("numb", case=case)
    assert calm.rows.is_empty()
    assert "No step of demo/arithmetic-007 violates a law" in calm.render("markdown")
    asked = page("numb", case=case, rewriting="confidence").rows
    assert asked["change"].unique().to_list() == ["changed"]
    assert not asked["violates"].any()
    nothing = page("numb", case=case, rewriting="blank-lines")
    assert "blank-lines does not rewrite demo/arithmetic-007." in nothing.render("markdown")
    with pytest.raises(UsageError, match="not among the 8 cases"):
        page("noisy", case="demo/reasoning-060")


async def test_enter_on_a_violation_opens_the_case_beside_its_rewriting(space):
    violations = view(space, "noisy", "violations", most=FEW_CASES, rewriting="flipped-sign")
    (moved,) = violations.rows.filter(case="demo/arithmetic-007").iter_rows(named=True)
    query = selected(space, "noisy", FEW_CASES).query
    async with opened(query, size=(120, 36)) as pilot:
        pilot.app.screen.post_message(Go("stress"))
        await shows(pilot, "[Rewritings]", "noisy is accused of none")
        pilot.app.screen.turn_to("violations")
        await shows(pilot, "control: a blank behind the problem")
        link = next(cell.link for cell in linked(violations) if cell.value == "demo/arithmetic-007")
        pilot.app.screen.drill(link)
        screen = await shows(pilot, "flipped-sign: a plus made a minus", "arithmetic-007", "~-", "~+", "v o shows")
        assert f"{moved['before']:.2f}" in screen
        assert f"{moved['after']:.2f}   {moved['shift']:+.2f} {moved['rewritten_text']}" in screen
        assert f"{moved['text']}" in screen
        await press(pilot, "v", "o")
        await hides(pilot, "flipped-sign: a plus")
        await press(pilot, "v", "o")
        await shows(pilot, "flipped-sign: a plus")
        # The rewriting goes with the list that it was of.
        await press(pilot, "escape")
        await shows(pilot, "[Violations]")
        await press(pilot, "g", "l")
        await shows(pilot, "8 of 240 cases")
        await press(pilot, "enter")
        await hides(pilot, "flipped-sign")


def test_the_page_of_a_case_says_why_there_is_no_rewriting_of_it(space):
    start = inspect(selected(space, "numb", FEW_CASES))
    row = int((start.cases["case"] == "demo/arithmetic-007").arg_max())

    def page(rewriting, **display):
        return "\n".join(
            seen(replace(start, focus=replace(start.focus, rewriting=rewriting)), row, mode="rewriting", **display)[1]
        )

    assert "blank-lines does not rewrite demo/arithmetic-007" in page("blank-lines")
    assert "numb predicts no error in the case, no error in the rewriting" in page("hedging")
    assert "numb predicts" not in page("hedging", blind=True)
    # What differs in nothing that is seen is not shown twice.
    assert "question" not in page("control")
    plain = "\n".join(seen(start, row)[1])
    assert page("") == page("no rewriting at all") == plain
    of_list = replace(start, focus=replace(start.focus, rewriting="hedging"))
    assert of_list.selected(sort="n_steps").focused("noisy", "demo").focus.rewriting == "hedging"
    assert {made.focus.rewriting for made in (unfiltered(of_list), cleared(of_list), failures(of_list))} == {""}
    # A scorer that was given none has its rewards of the case, beside the text.
    elsewhere = replace(
        start.results,
        evaluated=replace(start.results.evaluated, loaded=replace(start.results.loaded, workspace=Workspace(None))),
    )
    assert "numb was not given it" in "\n".join(seen(replace(of_list, results=elsewhere), row, mode="rewriting")[1])


def test_a_solution_is_cut_in_five_ways(space):
    rows = view(space, "long", "cuts", most=FEW_CASES).rows
    assert rows["way"].to_list() == list(WAYS)
    assert rows["flips"][0] == 0
    assert rows["steps"][-1] == 1
    case = "demo/arithmetic-004"
    ways = view(space, "long", "cuts", most=FEW_CASES, case=case).rows
    assert ways["case"].unique().to_list() == [case]
    assert ways["verdict"][0] == ways["verdict_as_given"][0]
    both = load_query(Query(str(space), scorers=("long",), where=(f"line <= {FEW_CASES}",)))
    assert len(both.benchmarks) == 2
    of_one = load("stress").view(both, Params("cuts", {"case": case}))
    assert of_one.rows.equals(ways)
    assert [section.title for section in of_one.sections] == ["long on demo"]
    with pytest.raises(UsageError, match="not among the 8 cases"):
        view(space, "long", "cuts", most=FEW_CASES, case="demo/reasoning-060")


def test_what_an_agent_does_is_not_reworded():
    frame, texts = Workspace(None).cases(("demo",))
    frame = frame[:2].with_columns(step_messages=pl.Series([[1, 3], None], dtype=pl.List(pl.Int32)))
    contents = contents_of(frame, texts.gather(np.arange(2)), Gold(frame), np.arange(2), 0)
    assert {content.made_by for content in contents.every if content.row == 0} == {*WAYS}
    assert all(any("trajectory" in reason for reason in counts) for counts in contents.refused.values())


def test_where_nothing_was_scored_the_command_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    query = Query(benchmarks=("demo",), scorers=("blend",), where=("line <= 4",))
    # No case is rewritten for that.
    monkeypatch.setattr(rewriting_track, "contents_of", None)
    made = load("stress").view(load_query(query))
    assert made.rows.is_empty()
    assert made.empty.endswith("prm-inspect stress blend --benchmark demo --where 'line <= 4'")


def test_the_command_scores_what_is_missing_and_shows_it(tmp_path):
    def stressed(*words):
        return commanded_here("stress", *words, "--benchmark", "demo", cwd=tmp_path)

    first = stressed("tiny-prm-s", "--cases", "1", "--json")
    assert first.returncode == 0
    assert "to do" in first.stderr
    rows = json.loads(first.stdout)["rows"]
    assert [row["rewriting"] for row in rows] == [each.name for each in REWRITINGS]
    assert rows[0]["cases"] == 1
    # They are kept, and with no benchmark: it has the rewards that it came with.
    (folder,) = (tmp_path / ".prm-inspect/variants/rewards").iterdir()
    kept = RewardParts(folder).read()[0]
    assert not (tmp_path / ".prm-inspect/rewards").exists()
    again = stressed("tiny-prm-s", "--cases", "1", "--json")
    assert (again.stdout, "to do" in again.stderr) == (first.stdout, False)
    # A larger sample holds the smaller one: what is there already counts.
    assert stressed("tiny-prm-s", "--cases", "2").returncode == 0
    assert RewardParts(folder).read()[0].filter(pl.col("key").is_in(kept["key"].implode())).equals(kept)
    for words, problem in ((("blend",), "blend is not run here"), (("tiny",), "tiny"), ((), "Name one of")):
        refused = stressed(*words)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert problem in refused.stderr
        assert "Traceback" not in refused.stderr


def test_a_scorer_that_is_not_run_here_is_tried_by_what_was_judged_elsewhere(tmp_path):
    def stressed(*words):
        return commanded_here("stress", "blend", "--benchmark", "demo", "--cases", "3", *words, cwd=tmp_path)

    assert "to solutions.jsonl" in stressed("--write", "solutions.jsonl").stderr
    lines = [json.loads(line) for line in (tmp_path / "solutions.jsonl").read_text().splitlines()]
    assert len({(line["problem"], *line["steps"]) for line in lines}) == len(lines)
    filled = [line | {"rewards": [len(step) / 200 for step in line["steps"]]} for line in lines]
    filled[2]["rewards"].pop()
    filled[3]["rewards"][0] = float("nan")
    filled[4]["rewards"][0] = None
    del filled[5]["rewards"]
    text = "".join(f"{json.dumps(line)}\n" for line in filled)
    (tmp_path / "judged.jsonl").write_text(f"{text}no JSON\n[]\n")
    done = stressed("--read", "judged.jsonl", "--json")
    assert done.returncode == 0
    for number in (3, 4, 5, len(lines) + 1, len(lines) + 2):
        assert f"judged.jsonl:{number}: warning: the line" in done.stderr
    assert f"{len(lines) - 4} solutions of blend read" in done.stderr
    rows = {row["rewriting"]: row for row in json.loads(done.stdout)["rows"]}
    assert rows["restating"]["shift"] > 0
    assert rows["control"]["shift"] == 0
    # Where the rest cannot be scored here, that is said, and what there is is shown; what was read is missing no more.
    again = stressed("--json")
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "is not run here" in again.stderr
    assert stressed("--write", "rest.jsonl").returncode == 0
    assert len((tmp_path / "rest.jsonl").read_text().splitlines()) == 4
    for words in (("--read", "nothing.jsonl"), ("--read", "a", "--write", "b")):
        assert stressed(*words).returncode == 2


def test_a_critic_is_asked_about_rewritings_as_it_was_about_cases(tmp_path):
    def told(*words):
        return commanded_here(*words, cwd=tmp_path)

    with running() as server:
        assert told("score", "demo", "--critic", "processbench", "--server", server.url, "--limit", "2").returncode == 0
        before = server.seen.paths["/v1/chat/completions"]
        refused = told("stress", "tiny-processbench", "--benchmark", "demo", "--cases", "2")
        assert (refused.returncode, server.seen.paths["/v1/chat/completions"]) == (2, before)
        assert "Say which: --server URL" in refused.stderr
        done = told(
            "stress", "tiny-processbench", "--benchmark", "demo", "--cases", "2", "--server", server.url, "--json"
        )
        assert server.seen.paths["/v1/chat/completions"] > before
    rows = {row["rewriting"]: row for row in json.loads(done.stdout)["rows"]}
    # It names paragraph 2 whatever it is asked: the same step wherever none was put in before it.
    assert (rows["inflation"]["verdicts"], rows["inflation"]["flips"]) == (2, 0)
    assert rows["neutral-step"]["flips"] == rows["neutral-step"]["verdicts"] == 2
    assert rows["inflation"]["reason"] == "the scorer gives no rewards"
    assert rows["inflation"]["share"] is None


def test_what_was_scored_in_part_is_counted_as_that(space, tmp_path):
    results = selected(space, "long")
    frame, texts = results.cases, results.loaded.texts
    contents = contents_of(frame, texts, Gold(frame), np.arange(3), 0)
    (folder,) = (space / "variants/rewards").glob("long-*")
    rewards = RewardParts(folder).read()[0]
    seen = results.evaluation("long")
    keys = contents.frames[0]["key"]
    # Nothing is known of the first case as it is, nor of the second one inflated.
    gone = [keys[contents.place[0, "as given"]], keys[contents.place[1, "inflation"]]]
    RewardParts(tmp_path).append(rewards.filter(~pl.col("key").is_in(gone)))
    made = judged_variants(contents, seen, [tmp_path])
    rewritings = {each.name: each for each in REWRITINGS}
    assert [len(made.trials(rewritings[name])) for name in ("inflation", "hedging")] == [1, 2]
    assert [made.unscored(rewritings[name]) for name in ("inflation", "hedging")] == [2, 1]
    assert {keys[place] for place in made.missing} == {*gone}
    assert {trial.case for trial in made.trials(rewritings["hedging"])} == {*frame["case"][1:3]}


def test_a_scorer_that_reads_the_context_is_not_held_against_solutions_without_it(tmp_path):
    frame, texts = Workspace(None).cases(("demo",))
    frame = frame[:2].with_columns(step_messages=pl.Series([[1, 3], None], dtype=pl.List(pl.Int32)))
    contents = contents_of(frame, texts.gather(np.arange(2)), Gold(frame), np.arange(2), 0)
    evaluation = evaluate(Gold(frame), making.scorer("reader", settings={"reads": ["context"]}), making.rewards([]))
    with pytest.raises(UsageError, match="1 of these cases are trajectories"):
        judged_variants(contents, evaluation, [])
