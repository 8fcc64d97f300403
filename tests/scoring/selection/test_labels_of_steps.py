"""Adjudicated labels where every error step is labelled: as if the benchmark had had them all along."""

import random
from pathlib import Path

import pytest

import making
import step_reference
from reference import Case
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.triage.actions import RATE, RULE
from scoring.workspace.triage.journal import Author, Journal
from scoring.workspace.workspace import Workspace
from step_reference import Step
from views import metrics_view

CLASSES = ("redundency", "circular", "counterfactual", step_reference.ALONE)
N, N_STEPS = 24, 4


def items(labels):
    """Cases of four classes with these error steps (None = no label at all), and always the same rewards."""
    rng, made = random.Random(5), []
    for index, wrong in enumerate(labels):
        rewards = tuple(rng.choice((0.1, 0.3, 0.5, 0.6, 0.8)) for _ in range(N_STEPS))
        gold = None if wrong is None else min(wrong, default=-1)
        name = CLASSES[index % len(CLASSES)]
        made.append(Step(Case(N_STEPS, gold, rewards, subset=name, error_steps=wrong), name))
    return made


def write(root, made):
    names = [item.name for item in made]
    columns = {"id": [f"{name}_p{index}" for index, name in enumerate(names)], "error_type": names}
    columns["error_category"] = [step_reference.CATEGORY[name] for name in names]
    cases = making.full_frame([item.case for item in made], "prmbench", **columns)
    Workspace.create(root).add([Imported("prmbench", "a", "made", "0-based", cases.height, cases, ())])
    folder = root / "rewards" / making.scorer("alpha").folder
    making.scorer("alpha", comparison="<=").save(folder)
    RewardParts(folder).append(making.rewards([item.case for item in made], cases["key"]))
    return cases["case"].to_list()


def rows(root, labels):
    return metrics_view(load(Query(workspace=str(root), labels=labels))).rows


@pytest.mark.parametrize("seed", range(4))
def test_figures_are_those_of_a_benchmark_with_these_labels(tmp_path, seed):
    rng = random.Random(seed)
    own = [tuple(sorted(rng.sample(range(N_STEPS), rng.randint(0, 2)))) for _ in range(N)]
    names = write(tmp_path / "own", items(own))
    journal = Journal(Path(tmp_path / "own" / "triage"), Author("ann", "gpu"))
    after = list(own)
    for index in rng.sample(range(N), 12):
        if rng.random() < 0.3:
            after[index] = None
            journal.do([(RULE, [names[index]], "import problem")])
            continue
        after[index] = tuple(sorted(rng.sample(range(N_STEPS), rng.randint(0, 3))))
        rated = dict.fromkeys(range(N_STEPS), 1) | dict.fromkeys(after[index], -1)
        ratings = [(RATE, [names[index]], f"{step} {rating}") for step, rating in rated.items()]
        journal.do([(RULE, [names[index]], "gold wrong"), *ratings])
    write(tmp_path / "after", items(after))
    found = rows(tmp_path / "own", "adjudicated")
    assert found.equals(rows(tmp_path / "after", "original"))
    assert not found.equals(rows(tmp_path / "own", "original"))
    plain = step_reference.table([item for item in items(after) if item.case.gold is not None], 0.5, "<=", None)
    values = {(row["subset"], row["metric"]): row["value"] for row in found.iter_rows(named=True)}
    for place, value in plain.items():
        assert values[place] == (None if value is None else pytest.approx(value)), place
