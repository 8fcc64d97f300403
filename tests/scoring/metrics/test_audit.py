"""Suspected gold labels: against plain loops over cases and steps, and the laws that hold whatever scorers say."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
from contested_space import ground_of, leaning, relabelled
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import align_scorers
from scoring.metrics.audit import (
    BEFOREHAND,
    BINS,
    FOLDS,
    POSITIONS,
    RIDGE,
    audit_ground,
    audit_labels,
    auditable,
    confident_learning,
    why_no_audit,
)
from thoroughness import up_to

# -- plain loops


def kinds_of(aligned, evaluations):
    """By scorer, case and step: the bin of the reward and where the verdict points; None = nothing on the case."""
    kinds = []
    for column, evaluation in enumerate(evaluations):
        given_here = [
            evaluation.compared_values.of(int(row)) if evaluation.coverage.answered[row] else None
            for row in aligned.rows
        ]
        every = sorted(value for values in given_here if values for value in values)
        edges = sorted({float(np.quantile(every, part / BINS)) for part in range(1, BINS)}) if every else []
        own = []
        for place, values in enumerate(given_here):
            verdict, n_steps = int(aligned.verdicts[place, column]), int(aligned.n_steps[place])
            if verdict == NO_VERDICT:
                own.append([None] * n_steps)
                continue
            steps = []
            for step in range(n_steps):
                points = (
                    "none" if verdict == -1 else "at" if verdict == step else "before" if verdict < step else "after"
                )
                points = points if -1 <= verdict < n_steps else "unclear"
                steps.append((sum(values[step] >= edge for edge in edges) if values else None, points))
            own.append(steps)
        kinds.append(own)
    return kinds


def logit(share):
    share = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(share / (1 - share))


def falling(rates, weights):
    """Pool neighbours as long as one is higher than the one before it."""
    blocks = []
    for rate, weight in zip(rates, weights, strict=True):
        blocks.append([rate, weight, 1])
        while len(blocks) > 1 and blocks[-1][0] > blocks[-2][0]:
            last, before = blocks.pop(), blocks.pop()
            both = last[1] + before[1]
            blocks.append([(last[0] * last[1] + before[0] * before[1]) / both, both, last[2] + before[2]])
    return [rate for rate, _, n in blocks for _ in range(n)]


def sigmoid(odds):
    return 1 / (1 + math.exp(-odds))


def tables_without(aligned, kinds, folds, left_out):
    """Log-odds by position, and by scorer what bins and relations change them by, without the cases of some folds."""
    marks, rows = {}, [[] for _ in kinds]
    for place, gold in enumerate(aligned.earliest.tolist()):
        if folds[place] in left_out:
            continue
        last = int(aligned.n_steps[place]) - 1 if gold < 0 else gold
        for step in range(last + 1):
            position = min(step, POSITIONS - 1)
            marks.setdefault(position, []).append(step == gold)
            for own, table in zip(kinds, rows, strict=True):
                if own[place][step] is not None:
                    table.append((*own[place][step], position, step == gold))
    every = [mark for each in marks.values() for mark in each]
    usual = (sum(every) + 0.5) / (len(every) + 1)
    base = {
        position: logit(
            (sum(marks.get(position, ())) + BEFOREHAND * usual) / (len(marks.get(position, ())) + BEFOREHAND)
        )
        for position in range(POSITIONS)
    }
    changes = []
    for table in rows:
        # Where the cases have no reward, and no bin of one: bin 0 of the tables.
        bins = [None, *range(BINS)]
        own = [[row for row in table if row[0] == number] for number in bins]
        expected = [sum(sigmoid(base[row[2]]) for row in part) / len(part) if part else usual for part in own]
        sizes = [len(part) + BEFOREHAND for part in own]
        rates = [
            (sum(row[3] for row in part) + BEFOREHAND * mean) / size
            for part, mean, size in zip(own, expected, sizes, strict=True)
        ]
        rates[1:] = falling(rates[1:], sizes[1:])
        by_bin = {number: logit(rate) - logit(mean) for number, rate, mean in zip(bins, rates, expected, strict=True)}
        by_relation = {}
        for relation in ("none", "before", "at", "after", "unclear"):
            part = [row for row in table if row[1] == relation]
            if part:
                mean = sum(sigmoid(base[row[2]] + by_bin[row[0]]) for row in part) / len(part)
                rate = (sum(row[3] for row in part) + BEFOREHAND * mean) / (len(part) + BEFOREHAND)
                by_relation[relation] = logit(rate) - logit(mean)
        changes.append((by_bin, by_relation))
    return base, changes


def evidence(kind, by_bin, by_relation):
    return (0.0, 0.0) if kind is None else (by_bin[kind[0]], by_relation.get(kind[1], 0.0))


def slow(aligned, evaluations, folds, weights):
    """Log-odds of every step of every case under these weights; and how far the weights are from being the best."""
    kinds = kinds_of(aligned, evaluations)
    odds, slopes = [None] * len(folds), np.zeros_like(weights)
    for fold in range(FOLDS):
        slopes[fold] = -RIDGE * (weights[fold] - 1 / len(evaluations))
        for other in range(FOLDS):
            base, changes = tables_without(aligned, kinds, folds, {fold, other})
            for place in np.flatnonzero(folds == other).tolist():
                gold = int(aligned.earliest[place])
                steps = []
                for step in range(int(aligned.n_steps[place])):
                    says = [evidence(own[place][step], *change) for own, change in zip(kinds, changes, strict=True)]
                    says = np.array(says).T
                    steps.append(base[min(step, POSITIONS - 1)] + float((weights[fold] * says).sum()))
                    if fold != other and (gold < 0 or step <= gold):
                        slopes[fold] += ((step == gold) - sigmoid(steps[-1])) * says
                if fold == other:
                    odds[place] = steps
    return odds, slopes


def probabilities(odds):
    """Of every label of a case: {-1: no error, 0: ...}, the chance that it is the first step that is wrong."""
    until, each = 1.0, {}
    for step, value in enumerate(odds):
        wrong = sigmoid(value)
        each[step] = until * wrong
        until *= 1 - wrong
    return {**each, -1: until}


def test_every_label_is_reckoned_again():
    tables = leaning(70, 3, seed=4, gaps=0.1)
    # Three solutions a problem, which are in one fold; some cases have an answer that cannot be used.
    tables[1] = [replace(case, refused="over length") if at % 9 == 0 else case for at, case in enumerate(tables[1])]
    problems = [f"p{at // 3}" for at in range(70)]
    # A critic has verdicts alone, right on two of three cases; some answers name no step, some one that is not there.
    said = [case.gold if at % 3 else (-2, -1, 0, 9)[at // 3 % 4] for at, case in enumerate(tables[0])]
    aligned, ground, evaluations = ground_of(tables, critics=[said], problem_id=problems)
    assert not evaluations[-1].rewards.scored.any()
    assert 50 < aligned.rows.size < 70
    assert all(np.unique(ground.folds[aligned.problems == number]).size == 1 for number in set(aligned.problems))
    audit = audit_labels(ground, aligned.earliest)
    odds, slopes = slow(aligned, evaluations, ground.folds, audit.weights)
    assert np.abs(slopes).max() < 1e-6
    flagged = 0
    for place, gold in enumerate(aligned.earliest.tolist()):
        each = probabilities(odds[place])
        other = max((label for label in each if label != gold), key=lambda label: each[label])
        assert audit.suggested[place] == other
        assert np.exp(audit.log_gold[place]) == pytest.approx(each[gold])
        assert audit.suspicions[place] == pytest.approx(each[other] / (each[other] + each[gold]))
        assert audit.flagged[place] == (each[other] > each[gold])
        flagged += each[other] > each[gold]
    assert 0 < flagged < aligned.rows.size / 2
    assert np.all(np.diff(audit.suspicions[audit.order]) <= 1e-9)
    assert sorted(audit.order.tolist()) == list(range(aligned.rows.size))


@up_to(24, 5)
@given(st.integers(0, 10**6), st.integers(0, 59))
def test_a_label_has_no_part_in_judging_itself(seed, place):
    """Were each of its labels the case's in turn, their probabilities would add up to 1, as those of one run do."""
    tables = leaning(60, 3, seed)
    aligned, ground, _ = ground_of(tables)
    labels = np.repeat(aligned.earliest[None], aligned.n_steps[place] + 1, axis=0)
    labels[:, place] = range(-1, aligned.n_steps[place])
    audits = [audit_labels(ground, row) for row in labels]
    assert sum(math.exp(audit.log_gold[place]) for audit in audits) == pytest.approx(1, abs=1e-9)
    assert np.ptp([audit.weights[ground.folds[place]] for audit in audits], axis=0).max() == 0


def test_scorers_that_say_the_same_share_one_voice():
    """A scorer that is there five times is believed about as much as once; were each added in full, far more."""
    tables = leaning(200, 2, seed=3)
    aligned, ground, _ = ground_of(tables)
    copied, other_ground, _ = ground_of([*[tables[0]] * 5, tables[1]])
    once, often = audit_labels(ground, aligned.earliest), audit_labels(other_ground, copied.earliest)
    assert np.abs(once.suspicions - often.suspicions).max() < 0.025
    assert np.allclose(often.weights[:, :, :5].sum(axis=2), once.weights[:, :, 0], atol=0.1)


def test_neither_names_nor_an_increasing_scale_of_rewards_change_anything():
    tables = leaning(80, 3, seed=6)
    aligned, ground, evaluations = ground_of(tables)
    squared = [
        [replace(case, rewards=case.rewards and tuple(reward**3 for reward in case.rewards)) for case in rows]
        for rows in tables
    ]
    others = [making.evaluation(rows, 0.5**3, name=name) for name, rows in zip("xyz", squared, strict=True)]
    other = audit_labels(audit_ground(aligned, others), aligned.earliest)
    one_way = audit_labels(ground, aligned.earliest)
    assert np.allclose(other.suspicions, one_way.suspicions)
    assert [evaluation.rule.threshold for evaluation in evaluations] == [0.5] * 3


def test_planted_labels_stand_first_where_scorers_see_the_truth():
    tables = leaning(120, 4, seed=2, skill=0.97)
    moved = {at: (case.gold + 2) % (case.n_steps + 1) - 1 for at, case in enumerate(tables[0]) if at % 20 == 0}
    aligned, ground, _ = ground_of(relabelled(tables, moved))
    audit = audit_labels(ground, aligned.earliest)
    changed = {at for at, label in moved.items() if label != tables[0][at].gold}
    assert changed == set(moved)
    assert len(changed.intersection(audit.order[:8].tolist())) >= 5
    assert all(audit.suggested[at] == tables[0][at].gold for at in changed.intersection(audit.order[:8].tolist()))


# -- confident learning


def test_confident_learning_is_reckoned_again():
    tables = leaning(60, 3, seed=8, gaps=0.1)
    aligned, ground, evaluations = ground_of(tables)
    flat = confident_learning(ground, aligned.earliest)
    kinds = [
        [[kind and (kind[0], kind[1] == "at") for kind in steps] for steps in own]
        for own in kinds_of(aligned, evaluations)
    ]
    labelled = [
        [(step, step == gold) for step in range(n_steps) if gold < 0 or step <= gold]
        for n_steps, gold in zip(aligned.n_steps.tolist(), aligned.earliest.tolist(), strict=True)
    ]
    chances = {}
    for place, steps in enumerate(labelled):
        others = [at for at in range(len(labelled)) if ground.folds[at] != ground.folds[place]]
        marks = [wrong for at in others for _, wrong in labelled[at]]
        usual = (sum(marks) + 0.5) / (len(marks) + 1)
        for step, _ in steps:
            rates = []
            for own in kinds:
                if own[place][step] is not None:
                    alike = [
                        wrong for at in others for other, wrong in labelled[at] if own[at][other] == own[place][step]
                    ]
                    rates.append((sum(alike) + BEFOREHAND * usual) / (len(alike) + BEFOREHAND))
            chances[place, step] = sum(rates) / len(rates)
    wrong_mean = np.mean([chances[place, step] for place, steps in enumerate(labelled) for step, mark in steps if mark])
    right_mean = np.mean(
        [1 - chances[place, step] for place, steps in enumerate(labelled) for step, mark in steps if not mark]
    )
    joint, keys = np.zeros((2, 2), dtype=int), []
    for place, steps in enumerate(labelled):
        own, off = [], []
        for step, mark in steps:
            chance = chances[place, step]
            classes = [(chance, 1)] if chance >= wrong_mean else []
            classes += [(1 - chance, 0)] if 1 - chance >= right_mean else []
            own.append(chance if mark else 1 - chance)
            if classes:
                joint[int(mark), max(classes)[1]] += 1
                off += [own[-1]] * (max(classes)[1] != mark)
        assert flat.off_diagonal[place] == bool(off)
        assert flat.confidences[place] == pytest.approx(min(off or own))
        keys.append((not off, round(min(off or own), 9)))
    assert flat.joint.tolist() == joint.tolist()
    assert joint[0, 1] + joint[1, 0] > 0
    assert flat.order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)


# -- what cannot be


def test_who_is_audited():
    tables = leaning(30, 3, seed=1)
    tables = relabelled(tables, {0: None, 1: tables[0][1].n_steps})
    tables[0][2] = tables[1][2] = replace(tables[0][2], rewards=None)
    tables = [
        [replace(case, n_steps=0, rewards=(), gold=-1) if at == 3 else case for at, case in enumerate(rows)]
        for rows in tables
    ]
    evaluations = [making.evaluation(rows, name=name) for name, rows in zip("abc", tables, strict=True)]
    aligned = align_scorers(evaluations, np.ones(30, dtype=bool))
    assert set(range(30)).difference(aligned.rows[auditable(aligned)].tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("labels", "columns", "words"),
    [
        (lambda _: -1, {}, "no case is labelled with an error"),
        (lambda at: 0 if at < 19 else -1, {}, "only 19 of the cases are labelled with an error, and fewer than 20"),
        (lambda at: -(at % 2), {"problem_id": [f"p{at % 9}" for at in range(60)]}, "fewer than 10 problems"),
        (lambda at: -(at % 2), {"problem_id": [f"p{at % 10}" for at in range(60)]}, None),
        (lambda _: None, {}, "one scorer cannot tell whose mistake it is"),
    ],
)
def test_why_labels_cannot_be_audited(labels, columns, words):
    tables = relabelled(leaning(60, 2, seed=5), {at: labels(at) for at in range(60)})
    evaluations = [making.evaluation(rows, name=name, **columns) for name, rows in zip("ab", tables, strict=True)]
    aligned = align_scorers(evaluations, np.ones(60, dtype=bool))
    why = why_no_audit(aligned.only(auditable(aligned), range(2)))
    assert why is None if words is None else words in why
