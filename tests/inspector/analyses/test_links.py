"""Every number of every analysis that leads to cases leads to exactly as many as it says, whatever is selected."""

import random
from itertools import pairwise, permutations, product
from pathlib import Path

import pytest
from msgspec.structs import replace

import example
import hostile_space
import judged
import making
import papers
import step_making
from inspector.analyses import Params, load
from inspector.render.analysis_list import summaries
from published_spaces import mr_math
from reference import Case
from scoring.data.errors import UsageError
from scoring.data.training_point import TrainingPoint
from scoring.formats.benchmarks.case_format import Imported
from scoring.metrics import own
from scoring.metrics.plugins import load_plugins
from scoring.selection.loading import load as load_query
from scoring.selection.query import Query
from scoring.selection.result_set import ResultSet
from scoring.workspace.triage.actions import NOTE, RATE, RULE, RULINGS, SORT, TAG
from scoring.workspace.triage.journal import Author, Journal
from step_reference import Step
from thoroughness import THOROUGH

QUESTIONS = {
    "as it is": {},
    "of one scorer": {"scorers": ("gpt4",)},
    "some cases": {"where": ("n_steps > 2",)},
    "no case": {"where": ("n_steps > 99",)},
    "at a threshold": {"thresholds": ((None, "0.3"),)},
    "at its best": {"thresholds": ((None, "best"),)},
    "on dev sets": {"thresholds": ((None, "dev"),)},
    "answers dropped": {"unparsed": "drop"},
    "grouped": {"by": ("n_steps",)},
}

OF_PEOPLE = {"taxonomy", "triage"}
"""What is of what people said; of published cases they say nothing."""
OF_RUNS = {"timeline"}
"""What is of training runs; published ones are checkpoints of none."""


SILENT = {"best-of-n", "paper", "reparse", "show", "similar", "stress", "votes"}
"""Analyses without a number of these cases: no paper, one response a problem, one vote a case, no critic, one case,
nothing rewritten.

Links of `similar` are walked where a case is named."""
HERE = sorted(set(summaries()) - SILENT - OF_PEOPLE - OF_RUNS)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three scorers with gaps and refusals, on two subsets, beside another benchmark; two people speak of its cases."""
    root = tmp_path_factory.mktemp("study") / "w"
    cases, scorers = making.study(n=60 if THOROUGH else 40)
    run = [(one.as_checkpoint(TrainingPoint("run", at)), rows) for at, (one, rows) in enumerate(scorers)]
    made = making.workspace(root, cases, run, **making.labels(cases))
    other = making.full_frame(cases[:40], "other", **making.labels(cases[:40]))
    made.add([Imported("other", "other.jsonl", "made", "0-based", other.height, other, ())])
    for who, step in (("ann", 2), ("bob", 3)):
        journal = Journal(root / "triage", Author(who, "gpu"))
        for number in range(0, 36, step):
            words = [(RULE, RULINGS[number % 3]), (RATE, f"0 {number % step - 1}"), (TAG, ("odd", "it's")[number % 2])]
            words += [(NOTE, f"note {number}"), (SORT, ("", "signs", "units")[number % 4 % 3])]
            for benchmark in ("bench", "other"):
                journal.do([(kind, [f"{benchmark}/c{number}"], value) for kind, value in words if value])
    return Query(workspace=str(root))


def pages(name: str) -> list[Params]:
    """Every page of an analysis, told what it has to be told."""
    options = {"flips": {"flips": (0.3, 0.6)}}
    return [Params(page.name, options.get(page.name, {})) for page in load(name).pages] or [Params()]


def told(about: ResultSet, name: str, params: Params) -> Params:
    """The same with what an analysis has to be told: of two scorers the second is the baseline of the first."""
    if name != "check" or len(about.query.scorers) != 2:
        return params
    return replace(params, options={"baseline": about.query.scorers[1]})


def asked(results: ResultSet, name: str) -> list[ResultSet]:
    """What an analysis is asked about: what was selected, or, where it is of a few scorers, each and every two."""
    most = load(name).most
    there = results.chosen
    names = [one for size in range(1, most + 1) for one in permutations(there, size)] if most else [()]
    if most == 2 and not THOROUGH:
        # Each alone, and beside the one after it.
        names = [(one,) for one in there] + list(pairwise(there))
    return [
        replace(results, query=replace(results.query, scorers=some), chosen=some) if some else results for some in names
    ]


def few(query: Query, *scorers: str) -> Query:
    """Usually two scorers are enough."""
    return query if THOROUGH or query.scorers else replace(query, scorers=scorers)


def turns(names, number: int) -> list[str]:
    """All analyses to the first question, and every fourth that has a number to each of the others."""
    if THOROUGH or not number:
        return list(names)
    return sorted({*names} - SILENT)[-number % 4 :: 4]


def walked(results: ResultSet, name: str, *, intervals: bool = False) -> int:
    """Follow the links of all pages; how many there are."""
    count, sizes = 0, {}
    for params, about in product(pages(name), asked(results, name)):
        try:
            view = load(name).view(about, told(about, name, params), intervals=intervals)
        except UsageError:
            # Nothing to answer, such as a comparison of one scorer.
            continue
        for link in view.links():
            if link.where not in sizes:
                sizes[link.where] = (results.mask & results.evaluated.passing(link.where)).sum()
            assert sizes[link.where] == link.n, (name, params.page, link)
            count += 1
    return count


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_link_of_first_errors_opens_as_many_cases_as_it_says(study, question):
    # What is best is best of one benchmark.
    query = replace(study, benchmarks=("bench",) if question == "at its best" else (), **QUESTIONS[question])
    # With intervals there are numbers that are slow to come by, and lead to cases as well.
    number = list(QUESTIONS).index(question)
    names = turns(summaries(), number)
    results = load_query(few(query, "gpt4", "x=y") if number else query)
    found = {name: walked(results, name, intervals=not number) for name in names}
    if question == "as it is":
        assert {name for name, links in found.items() if not links} == SILENT


def test_so_does_a_link_of_a_metric_of_the_users_own(study, monkeypatch):
    monkeypatch.setattr(own, "_KEPT", {})
    load_plugins([str(Path(__file__).parents[2] / "own" / "within_cases.py")])
    results = load_query(few(replace(study, benchmarks=("bench",)), "gpt4", "x=y"))
    for name in ("metrics", "compare", "check", "thresholds", "breakdown"):
        before = walked(results, name)
        with monkeypatch.context() as patch:
            patch.setattr(own, "_KEPT", {})
            assert walked(results, name) < before, name


STEPS = "as it is", "at a threshold", "at its best"


@pytest.mark.parametrize("question", STEPS)
def test_so_does_a_link_of_steps(tmp_path, question):
    gold, rng = random.Random(0), random.Random(1)
    items = []
    for name in step_making.CLASSES * (4 if THOROUGH else 1):
        wrong = (gold.randrange(3),)
        rewards = tuple(round(rng.random(), 2) for _ in range(3))
        items.append(Step(Case(3, wrong[0], rewards, "", name, wrong), name))
    run = [making.scorer(name, series="run", at=at, threshold=0.3 + at / 5) for at, name in enumerate("ba")]
    step_making.workspace(tmp_path, items, [(one, items) for one in run])
    query = Query(workspace=str(tmp_path), **QUESTIONS[question])
    results = load_query(query)
    found = {name: walked(results, name) for name in turns(summaries(), STEPS.index(question))}
    assert all(found.get(name, 1) for name in ("metrics", "card", "thresholds", "timeline"))


def test_so_does_a_link_of_published_scores(tmp_path, data_folder):
    results = load_query(few(mr_math(tmp_path / "w", data_folder), "gpt4", "math-shepherd"))
    assert all(walked(results, name) for name in (HERE if THOROUGH else HERE[1::3]))


def of_every_kind(root: Path) -> Query:
    """Scorers with a threshold, with labels, with votes, with a number a solution."""
    judged.workspace(root)
    return Query(workspace=str(root))


def of_small_range(root: Path) -> Query:
    """Rewards in [-1, 1] beside others; every outcome."""
    return replace(example.write(root), scorers=())


def of_hostile_names(root: Path) -> Query:
    """Whatever SQL, markup or a terminal could take for its own stands in names and values."""
    return Query(workspace=str(hostile_space.make(root)))


@pytest.mark.parametrize("write", [of_every_kind, of_small_range, of_hostile_names])
def test_so_does_a_link_whatever_scorers_give_and_whatever_they_are_called(tmp_path, write):
    results = load_query(write(tmp_path / "w"))
    for name in summaries():
        assert walked(results, name) or name not in {"board", "breakdown", "compare", "metrics"}


def test_so_does_a_link_of_a_benchmark_with_a_paper(tmp_path):
    papers.processbench(tmp_path / "w", papers.one_step(4, 3, 2, 2), "Skywork-PRM-7B", "Math-Shepherd-PRM-7B")
    results = load_query(Query(workspace=str(tmp_path / "w")))
    assert walked(results, "paper") == 2
