"""`votes --steps`: how many answers of a critic give a step which label, in the rows, the tables and on the case."""

import random

import polars as pl
import pytest

import making
from at_the_terminal import printed
from inspector.analyses import Params
from inspector.analyses.votes.votes import votes
from inspector.state.opening import inspect
from reference import Case
from scoring.data.errors import UsageError
from scoring.data.reward_keys import reward_keys
from scoring.data.schema import VOTES
from scoring.metrics.label_votes import LABELS, label_votes
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import VoteParts
from shown_case import seen

JUDGE = making.scorer(
    "judge",
    kind="critic",
    low=-1.0,
    threshold=-0.5,
    settings={"protocol": "agentprocessbench", "reads": ["context"], "message": "x"},
)
CASES = [Case(3, 1, error_steps=(1,)), Case(2, -1, error_steps=()), Case(1, 0, error_steps=(0,))]
CONTEXT = [[{"role": "user", "name": None, "text": f"Task {number}"}] for number in range(3)]
# Answers by case: labels, or none. The last case has one answer, where nothing votes.
ANSWERS = {
    0: [[1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, -1.0], None],
    1: [[0.0, 1.0], [1.0, 1.0], [1.0]],
    2: [[1.0]],
}
COUNTS = [
    # case, step, answers, right, neutral, wrong, none, majority
    ("bench/c0", 0, 4, 3, 0, 0, 1, "right", "right"),
    ("bench/c0", 1, 4, 0, 1, 2, 1, "wrong", "wrong"),
    ("bench/c0", 2, 4, 0, 2, 1, 1, "neutral", "neutral"),
    ("bench/c1", 0, 3, 1, 1, 0, 1, "tie", "right"),
    ("bench/c1", 1, 3, 2, 0, 0, 1, "right", "right"),
]


def space(root, answers=ANSWERS, scorer=JUDGE):
    columns = {"context": CONTEXT, "step_messages": [[1, 2, 3], [1, 2], [1]], "neutral_steps": [[2], None, None]}
    made = making.workspace(root, CASES, [], **columns)
    cases, texts = made.cases(("bench",))
    keys = reward_keys(cases, texts, scorer.reads)["key"]
    rows = [
        {
            "key": keys[case],
            # Some are votes of one run, some are runs of their own.
            "vote": number % 2,
            "run": number // 2,
            "rewards": labels,
            "reason": None if labels and len(labels) == CASES[case].n_steps else "no JSON",
            "answer": "I see.",
        }
        for case, given in answers.items()
        for number, labels in enumerate(given)
    ]
    scorer.save(root / "rewards" / scorer.folder)
    frame = pl.DataFrame([{name: row.get(name) for name in VOTES} for row in rows], schema=VOTES)
    VoteParts(root / "rewards" / scorer.folder).append(frame)
    return Query(workspace=str(root))


def test_answers_are_counted_step_by_step_and_links_open_their_cases(tmp_path):
    results = load(space(tmp_path))
    view = votes.view(results, Params("steps"))
    names = ("case", "step", "answers", *LABELS, "none", "majority", "gold")
    assert view.rows.select(names).rows() == COUNTS
    assert view.rows["scorer"].unique().to_list() == ["judge"]
    (section,) = view.sections
    links = [cell.link for block in section.blocks for row in getattr(block, "rows", ()) for cell in row if cell.link]
    assert len(links) == 4 + 5
    for link in links:
        assert int(results.evaluated.passing(link.where).sum()) == link.n
    text = view.render("markdown")
    assert "All answers give one label to 0 of 5 steps (2 cases, 4 answers to one at most)." in text
    # Where every other answer says otherwise comes first.
    assert text.index("bench/c1") < text.index("bench/c0")
    few = votes.view(load(Query(workspace=str(tmp_path), where=("n_steps = 2",))), Params("steps"))
    assert few.rows["case"].to_list() == ["bench/c1", "bench/c1"]
    rows = printed("votes", "--steps", "-w", str(tmp_path), cwd=tmp_path)
    assert [(row["case"], row["step"], row["wrong"]) for row in rows][:2] == [("bench/c0", 0, 0), ("bench/c0", 1, 2)]


def test_they_stand_beneath_each_step_of_the_case_unless_there_is_one_answer_or_nobody_may_see(tmp_path):
    space(tmp_path)
    state = inspect(load(Query(workspace=str(tmp_path), scorers=("judge",))))
    said_of = [line.strip() for line in seen(state, 0, 80)[1] if "votes: " in line]
    assert said_of[-3:] == [
        "votes: 3 right, 1 none",
        "votes: 1 neutral, 2 wrong, 1 none",
        "votes: 2 neutral, 1 wrong, 1 none",
    ]
    assert not any("votes: " in line for line in seen(state, 2, 80)[1])
    assert not any("votes: " in line for line in seen(state, 0, 80, blind=True)[1])


@pytest.mark.parametrize("scorer", [JUDGE, making.scorer("rater", kind="critic", settings={"protocol": "prmbench"})])
def test_without_several_answers_that_label_it_is_said_how_to_get_some(tmp_path, scorer):
    query = space(tmp_path, {0: ANSWERS[0][:1]} if scorer is JUDGE else ANSWERS, scorer)
    with pytest.raises(UsageError, match="no scorer that was asked for labels steps"):
        votes.view(load(query), Params("steps"))


@pytest.mark.parametrize("seed", range(3))
def test_the_counts_are_those_of_plain_loops(seed):
    rng = random.Random(seed)
    cases = pl.DataFrame(
        {"key": [f"k{number // 2}" for number in range(8)], "case": [f"c{number}" for number in range(8)],
         "n_steps": [1 + number // 2 for number in range(8)]}
    )  # fmt: skip
    rows = []
    for number in range(40):
        key = rng.randrange(5)
        labels = [
            rng.choice([1.0, 0.0, -1.0, 0.5, None]) for _ in range(max(0, 1 + key + rng.choice([0, 0, 0, 1, -1])))
        ]
        # Some answers are of one case alone, and then go before those of its content.
        case = f"c{2 * key}" if key < 2 and rng.random() < 0.5 else None
        reason = rng.choice([None, None, "broken"])
        rows.append(
            {
                "key": f"k{key}",
                "case": case,
                "vote": number,
                "rewards": rng.choice([labels, labels, None]),
                "reason": reason,
            }
        )
    schema = {name: VOTES[name] for name in ("key", "case", "vote", "rewards", "reason")}
    counted = label_votes(cases, pl.DataFrame(rows, schema=schema))
    expected = []
    for place, case in enumerate(cases.iter_rows(named=True)):
        own = [row for row in rows if row["case"] == case["case"]] or [
            row for row in rows if row["case"] is None and row["key"] == case["key"]
        ]
        for step in range(case["n_steps"] if own else 0):
            given = [
                row["rewards"][step]
                for row in own
                if row["reason"] is None and row["rewards"] is not None and len(row["rewards"]) == case["n_steps"]
            ]
            by_label = [given.count(label) for label in (1.0, 0.0, -1.0)]
            most = [name for name, count in zip(LABELS, by_label, strict=True) if count == max(by_label)]
            majority = None if not any(by_label) else most[0] if len(most) == 1 else "tie"
            expected.append((place, step, len(own), *by_label, len(own) - sum(by_label), majority))
    assert counted.rows() == expected
