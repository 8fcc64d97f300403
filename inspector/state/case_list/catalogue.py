"""Every column that a list of cases can show or be sorted by, with its words.

A key is what `--sort` and `--columns` take: `margin` and the like are of the scorer in focus, `beta.margin` of a scorer
by name, the others are columns of the cases.
"""

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.state.case_list.case_rows import FOUND_IN
from inspector.state.screen_state import ScreenState
from scoring.data.metadata_columns import OURS
from scoring.evaluation.evaluated_cases import MEASURES
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.scorer_columns import SPENT
from scoring.evaluation.triage_columns import SAID as TRIAGE
from scoring.selection.ordering import DIRECTIONS, INSTRUCTIVE

REWARDS = "rewards"
"""The key of the picture of a case's rewards."""

OF_SCORER = {
    "outcome": ("outcome", "what became of the case"),
    "verdict": ("pred", "the step that the scorer names"),
    "margin": ("margin", "from the threshold to where the outcome turns; negative where it is wrong"),
    "abs_margin": ("|margin|", "how far the threshold is from where the outcome turns"),
    REWARDS: ("rewards", "a picture of the step rewards with the gold step marked"),
    "reward_at_gold": ("at gold", "the reward of the earliest wrong step"),
    "drop_at_gold": ("drop", "by how much the reward falls at the earliest wrong step"),
    "lowest_reward": ("lowest", "the lowest reward of all steps"),
    "step_accuracy": ("step acc", "share of the labelled steps that are judged as labelled"),
    "decision_distance": ("distance", "how far the lowest reward is from the threshold, whatever the gold label is"),
    "lowest_compared": ("compared", "the lowest of what the threshold is compared with"),
    "lowest_to_gold": ("to gold", "the same of the steps up to the earliest wrong one"),
    "lowest_before_gold": ("before gold", "the same of the steps before the earliest wrong one"),
    "solution": ("solution", "one number for the whole solution"),
    "seconds": ("seconds", "how long it took; of a critic its answers together"),
    "tokens_in": ("tokens in", "tokens that were read for it"),
    "tokens_out": ("tokens out", "tokens that were written for it"),
    "cost": ("cost", "what its tokens cost, by the prices of the run"),
    "currency": ("currency", "the currency of that"),
}
"""Titles and meanings of what a scorer has a case."""

OF_CASES = {
    "id": ("case", "the id in its benchmark"),
    "case": ("benchmark/case", "the id with the benchmark before it"),
    "n_steps": ("steps", "how many steps"),
    "earliest_error": ("gold", "the earliest wrong step by the labels"),
    "error_steps": ("gold steps", "all wrong steps by the labels"),
    "neutral_steps": ("neutral steps", "all steps that are neither right nor wrong by the labels"),
    "step_messages": ("messages", "the place of each step among the messages of the trajectory"),
    "disagreement": ("differ", "share of the pairs of scorers whose predicted steps differ"),
    "adjudication": ("adjudication", "what triage made of its label"),
    "tags": ("tags", "tags that people put on it"),
    "note": ("note", "what people noted"),
    "subset": ("subset", "the benchmark's own partition"),
    "generator": ("generator", "the model that wrote the solution"),
    "pattern": ("pattern", "the kind of reasoning of the wrong step"),
    "error_type": ("error type", "the benchmark's class of the error"),
    "error_category": ("error category", "the group of that class"),
    "error_kind": ("error kind", "the kind of error that patterns share"),
    "final_answer_correct": ("answer right", "whether the solution ends in the right answer"),
    "subset_group": ("group", "the benchmark's group of subsets"),
    "origin": ("origin", "the collection the problem was taken from"),
    "language": ("language", "the language of the problem"),
    "agreement": ("agreement", "share of the annotators who gave this label"),
    "problem_id": ("problem", "what several solutions of one problem have in common"),
    "benchmark": ("benchmark", "the benchmark"),
    "source": ("source", "the file it was read from"),
    "line": ("line", "the line of that file"),
}
"""The same of the cases themselves, the most telling first; the others are inner business."""
OF_FILE = "a column of the file that the case was imported from"
"""What a metadata column means."""
FOR_CONDITIONS = frozenset({"lowest_compared", "lowest_to_gold", "lowest_before_gold"})
"""Those of a scorer that conditions speak of, and that would only make lists longer."""

ORDERS = {
    INSTRUCTIVE: ("most instructive first", "least instructive first"),
    "": ("as in the file", "as in the file"),
    "n_steps": ("shortest first", "longest first"),
    "earliest_error": ("without error, then earliest gold step first", "latest gold step first"),
    "verdict": ("none predicted, then earliest first", "latest prediction first"),
    "margin": ("lowest margin first", "highest margin first"),
    "abs_margin": ("nearest to flipping first", "farthest from flipping first"),
    "decision_distance": ("least sure first", "most sure first"),
    "disagreement": ("least disagreed first", "most disagreed first"),
    "reward_at_gold": ("lowest reward at gold first", "highest reward at gold first"),
    "drop_at_gold": ("smallest drop at gold first", "largest drop at gold first"),
    "lowest_reward": ("lowest reward first", "highest lowest reward first"),
    "step_accuracy": ("lowest step accuracy first", "highest step accuracy first"),
    "line": ("first lines first", "last lines first"),
}
"""What an order is called, upwards and downwards, where its column alone does not say it."""
LARGEST_FIRST = frozenset({"n_steps", "disagreement", "reward_at_gold", "drop_at_gold"})
"""Columns that are sorted downwards first."""


class Entry(Struct, frozen=True):
    """A column: what `--sort` and `--columns` take, its title and its meaning; `of` is the scorer by name, if it is of
    another than the one in focus. `sortable` where its values have an order, `listable` where it can be shown;
    `largest_first` where the usual order goes downwards.
    """

    key: str
    title: str
    meaning: str
    of: str = ""
    sortable: bool = True
    listable: bool = True
    largest_first: bool = False

    @property
    def name(self) -> str:
        """The title, and whose it is where it is another's."""
        return f"{self.title} of {self.of}" if self.of else self.title

    @property
    def first(self) -> str:
        """The sort key for the direction that is usual first."""
        if self.key in {"", INSTRUCTIVE}:
            return self.key
        return f"{self.key}:{'desc' if self.largest_first or _measure(self.key) in LARGEST_FIRST else 'asc'}"


def catalogue(state: ScreenState) -> tuple[Entry, ...]:
    """Return the columns of a benchmark's list: of the scorer in focus, the cases, their files, then the other scorers.

    Columns of the cases without any value are left out.
    """
    results = state.results
    entries = [Entry("", "file order", "as in the file", listable=False)]
    if state.focus.scorer is not None:
        entries.insert(0, Entry(INSTRUCTIVE, "instructive", "confident mistakes before near misses", listable=False))
        there = _columns_of(results.evaluation(state.focus.scorer))
        entries += [Entry(key, *OF_SCORER[key], sortable=key != REWARDS) for key in there]
    schema = results.evaluated.schema
    entries += [
        Entry(key, *words, sortable=not isinstance(schema[key], pl.List))
        for key, words in OF_CASES.items()
        if key in {*MEASURES, *TRIAGE}
        or (key in schema and results.evaluated.column(key).null_count() < results.evaluated.height)
    ]
    entries += [
        Entry(name, name, OF_FILE)
        for name in results.loaded.metadata.of(state.focus.benchmark)
        if results.evaluated.is_metadata(name)
    ]
    for evaluation in results.evaluations:
        name = evaluation.scorer.name
        if name != state.focus.scorer and evaluation.coverage.covers(state.focus.benchmark):
            there = [key for key in _columns_of(evaluation) if key != REWARDS]
            entries += [Entry(f"{name}.{key}", *OF_SCORER[key], of=name) for key in there]
    return tuple(entries)


def _columns_of(evaluation: Evaluation) -> list[str]:
    """What a scorer has a case: few give one number for the whole solution, and not of all is known what they took."""
    lacking = set(SPENT) - (evaluation.usage.stored if evaluation.usage else set())
    if not np.isfinite(evaluation.rewards.solutions).any():
        lacking.add("solution")
    return [key for key in OF_SCORER if key not in FOR_CONDITIONS and key not in lacking]


def entry_of(key: str) -> Entry:
    """Return the entry of a column, known or not, by its key."""
    if key == FOUND_IN:
        return Entry(key, "found in", "where the search found something", sortable=False, listable=False)
    if key in OF_CASES:
        return Entry(key, *OF_CASES[key])
    scorer, _, name = key.rpartition(".")
    if name in OF_SCORER and scorer != OURS.rstrip("."):
        return Entry(key, *OF_SCORER[name], of=scorer, sortable=name != REWARDS)
    return Entry(key, key.replace("_", " "), "")


def order_words(sort: str) -> str:
    """Describe an order in words."""
    key, colon, direction = sort.rpartition(":")
    if not colon or direction not in DIRECTIONS:
        key, direction = sort, "asc"
    place = DIRECTIONS.index(direction)
    entry = entry_of(key)
    of = f" ({entry.of})" if entry.of else ""
    if _measure(key) in ORDERS:
        return f"{ORDERS[_measure(key)][place]}{of}"
    return f"by {entry.title}{of} {('upwards', 'downwards')[place]}"


def _measure(key: str) -> str:
    """The key without the scorer's name."""
    name = key.rpartition(".")[2]
    return name if name in OF_SCORER else key
