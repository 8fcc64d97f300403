"""What rewards and ids of an import are taken for is checked against the data."""

import json
import math
import random

import numpy as np
import polars as pl
import pytest

import authored
from imports import workspace_with
from scoring.data.errors import InputError, NotJoined, ScorerConflict
from scoring.formats.reading.reward_checks import auroc_below, implies_worse, length_pattern
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.batch import ImportOptions, read_sources

N = 12
LENGTHS = (3, 5, 4, 2)


def solution(number, label):
    n_steps = LENGTHS[number % len(LENGTHS)]
    steps = [f"Case {number}, step {step}." for step in range(n_steps)]
    return authored.row(number, steps=steps, label=label if label < n_steps else 0)


CASES = [solution(number, number // 2 % 3 if number % 2 else -1) for number in range(N)]
MANY = [solution(number, number // 2 % 3 if number % 2 else -1) for number in range(10 * N)]
LONGEST = max(LENGTHS)


def reward(case, step):
    """A reward that finds every error."""
    return round((0.2 if step == case["label"] else 0.8) + case["id"].__len__() % 3 / 100 + step / 50, 3)


def rewards(case):
    return [reward(case, step) for step in range(len(case["steps"]))]


def found(tmp_path, given, cases=CASES, name="mine.jsonl", wish=None, **stated):
    path = tmp_path / name
    if path.suffix == ".parquet":
        pl.DataFrame(given).write_parquet(path)
    else:
        path.write_text(given if isinstance(given, str) else "".join(json.dumps(row) + "\n" for row in given))
    workspace = workspace_with(cases, tmp_path / "ws")
    options = wish or ImportOptions(columns=ColumnMapping(**stated) if stated else None)
    return read_sources([str(path)], options, workspace, None)


def rows(cell, column="rewards", cases=CASES):
    return [{"id": case["id"], column: cell(case)} for case in cases]


def warnings(batch):
    parts = (*batch.joined, *batch.imported)
    return [finding.code for part in parts for finding in part.findings if finding.severity != "note"]


def read_rewards(batch):
    (joined,) = batch.joined
    return [[round(number, 6) for number in numbers] for numbers in joined.rewards["rewards"]]


RIGHT = [[round(number, 6) for number in rewards(case)] for case in CASES]


# -- what a higher value means


@pytest.mark.parametrize(
    ("column", "worse"),
    [
        *(
            (name, True)
            for name in ("error_prob", "pWrong", "is_wrong", "stepNLL", "token-entropy", "errorprob", "perror")
        ),
        *(
            (name, True)
            for name in ("P(incorrect)", "scores[].bad", "negative_log_likelihood", "hallucination", "risk")
        ),
        *((name, False) for name in ("error_free", "no_error", "error_detection_reward", "lossless", "1-error")),
        *((name, False) for name in ("neg_loss", "p_correct", "rewards[][0]", "terror", "confidence", "not_wrong")),
    ],
)
def test_a_name_says_that_higher_is_worse(column, worse):
    assert implies_worse(column) == worse


def flipped(case):
    return [round(1 - number, 6) for number in rewards(case)]


def long_rows(column):
    lines = [f"{case['id']},{step},{value}" for case in CASES for step, value in enumerate(flipped(case))]
    return "\n".join([f"id,step,{column}", *lines, ""])


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (rows(flipped, "error_prob"), "mine.jsonl"),
        (rows(flipped, "uncertainty"), "mine.jsonl"),
        (long_rows("error_probability"), "mine.csv"),
        (long_rows("step_nll"), "mine.csv"),
    ],
)
def test_a_column_whose_name_says_that_higher_is_worse_is_not_guessed(tmp_path, given, name):
    with pytest.raises(InputError) as refused:
        found(tmp_path, given, name=name)
    assert [flags for flags, _ in refused.value.instead] == ["--higher-is worse", "--higher-is better"]
    (tmp_path / "again").mkdir()
    worse = found(tmp_path / "again", given, name=name, higher_is="worse")
    assert (read_rewards(worse), warnings(worse)) == (RIGHT, [])
    assert worse.joined[0].results.settings["higher_is"] == "worse"


def test_a_column_that_is_named_is_read_with_a_warning_unless_its_direction_is_stated(tmp_path):
    given = rows(lambda case: [number < 0.5 for number in rewards(case)], "is_wrong")
    for place, (higher, codes) in enumerate(((None, ["reward-direction"]), ("better", []), ("worse", []))):
        (folder := tmp_path / str(place)).mkdir()
        batch = found(folder, given, rewards={"mine": "is_wrong"}, **({"higher_is": higher} if higher else {}))
        assert warnings(batch) == codes
        labels = batch.joined[0].rewards["labels"].to_list()
        assert labels == [[(number < 0.5) != (higher == "worse") for number in rewards(case)] for case in CASES]


def test_of_two_columns_the_one_whose_name_says_worse_is_left_out(tmp_path):
    given = [{"id": case["id"], "prm_a": rewards(case), "error_prob": flipped(case)} for case in CASES]
    batch = found(tmp_path, given)
    assert (read_rewards(batch), warnings(batch)) == (RIGHT, [])


def test_error_probabilities_beside_cases_are_not_taken_for_rewards(tmp_path):
    given = [{**case, "error_prob": flipped(case)} for case in CASES]
    batch = found(tmp_path, given, cases=MANY[-1:])
    assert (batch.joined, warnings(batch), batch.imported[0].cases.height) == ((), ["reward-direction"], N)
    (tmp_path / "again").mkdir()
    assert read_rewards(found(tmp_path / "again", given, cases=MANY[-1:], higher_is="worse")) == RIGHT


def test_the_same_file_read_the_other_way_takes_its_place_and_another_is_refused(tmp_path):
    workspace = workspace_with(CASES, tmp_path / "ws")
    first, second = (tmp_path / f"{name}.jsonl" for name in ("a", "b"))
    first.write_text("".join(json.dumps(row) + "\n" for row in rows(rewards)[: N // 2]))
    second.write_text("".join(json.dumps(row) + "\n" for row in rows(rewards)[N // 2 :]))

    def put(path, higher):
        columns = ColumnMapping(higher_is=higher)
        return read_sources([str(path)], ImportOptions(columns=columns, name="mine"), workspace, None).put(workspace)[1]

    assert [put(first, higher)[0].state for higher in ("better", "worse", "worse")] == ["new", "changed", "unchanged"]
    with pytest.raises(ScorerConflict):
        put(second, "better")


@pytest.mark.parametrize("higher", [None, "worse"])
@pytest.mark.parametrize("kind", ["rewards", "labels", "solution"])
def test_rewards_that_are_higher_on_wrong_steps_are_a_warning(tmp_path, kind, higher):
    cell = {
        "rewards": rewards,
        "labels": lambda case: [number > 0.5 for number in rewards(case)],
        "solution": lambda case: 0.9 if case["label"] == -1 else 0.1 + len(case["steps"]) / 50,
    }[kind]

    def turned(case):
        value = cell(case)
        if higher == "worse":
            return value
        return [not each if isinstance(each, bool) else 1 - each for each in value] if kind != "solution" else 1 - value

    stated = {"id": "id", "rewards": {"mine": "p"}}
    batch = found(tmp_path, rows(turned, "p", MANY), MANY, higher_is=higher or "better", **stated)
    assert warnings(batch) == ["rewards-reversed"]
    other = "better" if higher == "worse" else "worse"
    assert any(f"--higher-is {other}" in finding.message for finding in batch.joined[0].findings)
    (tmp_path / "right").mkdir()
    assert warnings(found(tmp_path / "right", rows(turned, "p", MANY), MANY, higher_is=other, **stated)) == []


def slow_auroc(values, is_wrong):
    pairs = [(right, wrong) for right in values[~is_wrong] for wrong in values[is_wrong]]
    return sum((right > wrong) + (right == wrong) / 2 for right, wrong in pairs) / len(pairs)


def test_the_auroc_is_that_of_all_pairs_with_ties_as_a_half():
    draws = np.random.default_rng(5)
    values, is_wrong = draws.integers(0, 6, 60).astype(float), draws.random(60) < 0.3
    auroc, bound = auroc_below(values, is_wrong, np.arange(60) // 4)
    assert auroc == pytest.approx(slow_auroc(values, is_wrong))
    assert bound > auroc


@pytest.mark.parametrize(("n_problems", "n_steps", "within"), [(12, 5, 0.0), (30, 5, 0.6), (15, 8, 0.7), (100, 4, 0.9)])
def test_rewards_at_chance_or_better_are_hardly_ever_doubted(n_problems, n_steps, within):
    """Nominally 1 in 1,000 at chance, the hardest case; `within` is the correlation of steps of one problem."""
    draws = np.random.default_rng(17)
    problems = np.repeat(np.arange(n_problems), n_steps)
    doubted = 0
    for _ in range(2000):
        is_wrong = draws.random(problems.size) < draws.beta(0.3, 1.2, n_problems)[problems]
        of_problem = draws.normal(size=n_problems)[problems]
        values = math.sqrt(within) * of_problem + math.sqrt(1 - within) * draws.normal(size=problems.size)
        doubted += auroc_below(values, is_wrong, problems)[1] < 0.5
    # Six or more of 2,000 at a rate of 1 in 1,000: 2%; at 1 in 200: 93%.
    assert doubted <= 6


def test_a_few_steps_of_known_truth_say_nothing_of_the_direction(tmp_path):
    batch = found(tmp_path, rows(lambda case: [1 - number for number in rewards(case)]))
    assert warnings(batch) == []


# -- padding


def padded(value, length=LONGEST):
    return lambda case: rewards(case) + [value] * (length - len(case["steps"]))


def padded_by_batch(case):
    """As batches of four are, each to its own longest."""
    start = CASES.index(case) // 4 * 4
    longest = max(len(other["steps"]) for other in CASES[start : start + 4])
    return padded(None, longest)(case)


def padded_long():
    lines = [f"{case['id']},{step},{value}" for case in CASES for step, value in enumerate(padded("")(case))]
    return "\n".join(["id,step,reward", *lines, ""])


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (rows(padded(math.nan)), "mine.jsonl"),
        (rows(padded(None)), "mine.jsonl"),
        (rows(padded(-100)), "mine.jsonl"),
        (rows(padded(math.nan, 9)), "mine.jsonl"),
        (rows(padded_by_batch), "mine.jsonl"),
        (rows(padded(math.nan)), "mine.parquet"),
        (rows(padded(None)), "mine.parquet"),
        (
            "id,rewards\n" + "".join(f'{row["id"]},"{json.dumps(row["rewards"])}"\n' for row in rows(padded(None))),
            "a.csv",
        ),
        (padded_long(), "mine.csv"),
    ],
    ids=[
        "NaN",
        "null",
        "-100",
        "longer than all",
        "by batch",
        "Parquet NaN",
        "Parquet null",
        "cells of CSV",
        "a row a step",
    ],
)
def test_padding_beyond_the_last_step_is_cut_off(tmp_path, given, name):
    batch = found(tmp_path, given, name=name)
    (joined,) = batch.joined
    assert (read_rewards(batch), warnings(batch), joined.row_counts["refused"]) == (RIGHT, [], 0)
    assert (joined.results.low, joined.results.high) == (0.0, 1.0)
    assert "padding" in {finding.code for finding in joined.findings}


def test_padding_is_cut_off_before_rewards_are_turned_round_and_off_labels(tmp_path):
    given = rows(lambda case: flipped(case) + [-100] * (LONGEST - len(case["steps"])))
    assert read_rewards(found(tmp_path, given, higher_is="worse")) == RIGHT
    (tmp_path / "labels").mkdir()
    labels = rows(lambda case: [number > 0.5 for number in rewards(case)] + [None] * (LONGEST - len(case["steps"])))
    (joined,) = found(tmp_path / "labels", labels).joined
    assert joined.rewards["labels"].to_list() == [[number > 0.5 for number in rewards(case)] for case in CASES]


def test_what_is_no_padding_stays_a_refusal_of_the_case(tmp_path):
    given = rows(rewards)
    given[0]["rewards"] = [0.9, 0.8, None]
    given[1]["rewards"] = [0.9, None, 0.8, 0.7, 0.6]
    given[2]["rewards"] = [None] * 4
    wish = ImportOptions(join_to="processbench")
    batch = found(tmp_path, given, wish=wish)
    assert (batch.joined[0].row_counts["refused"], warnings(batch)) == (3, ["bad-reward"] * 3)
    assert batch.joined[0].rewards["rewards"].to_list()[:3] == [None] * 3


@pytest.mark.parametrize("pad", [0, 0.0])
def test_padding_with_0_is_refused(tmp_path, pad):
    with pytest.raises(InputError, match="padding"):
        found(tmp_path, rows(padded(pad)))


# -- other numbers than one per step


@pytest.mark.parametrize("stated", [{}, {"rewards": {"mine": "rewards"}}])
def test_two_numbers_per_step_are_refused_with_both_paths(tmp_path, stated):
    given = rows(lambda case: [[round(1 - number, 6), number] for number in rewards(case)])
    with pytest.raises(InputError, match="sum to 1") as refused:
        found(tmp_path, given, **stated)
    assert [flags for flags, _ in refused.value.instead] == [f"--rewards 'rewards[][{place}]'" for place in (1, 0)]
    for place, codes in ((1, []), (0, ["reward-direction"])):
        (folder := tmp_path / str(place)).mkdir()
        batch = found(folder, given, rewards={"mine": f"rewards[][{place}]"})
        assert (warnings(batch), read_rewards(batch) == RIGHT) == (codes, place == 1)


def test_the_first_of_pairs_is_caught_by_the_gold_labels(tmp_path):
    given = rows(lambda case: [[1 - number, number] for number in rewards(case)], cases=MANY)
    batch = found(tmp_path, given, MANY, rewards={"mine": "rewards[][0]"}, higher_is="better")
    assert warnings(batch) == ["rewards-reversed"]


@pytest.mark.parametrize(
    ("cell", "paths"),
    [
        (lambda case: [[number] for number in rewards(case)], ["[][0]"]),
        (lambda case: [[0.1, 0.2, number] for number in rewards(case)], ["[][0]", "[][1]", "[][2]"]),
    ],
    ids=["one number", "three numbers"],
)
def test_lists_per_step_are_refused_with_their_paths(tmp_path, cell, paths):
    with pytest.raises(InputError) as refused:
        found(tmp_path, rows(cell), rewards={"mine": "rewards"})
    assert [flags for flags, _ in refused.value.instead] == [f"--rewards 'rewards{path}'" for path in paths]


@pytest.mark.parametrize("benchmark", [None, "processbench"])
@pytest.mark.parametrize(
    "cell",
    [
        lambda case: [random.Random(len(case["steps"])).random() for _ in range(30 * len(case["steps"]))],
        lambda case: [each for number in rewards(case) for each in (1 - number, number)],
    ],
    ids=["tokens", "pairs"],
)
def test_numbers_of_something_else_are_refused(tmp_path, cell, benchmark):
    with pytest.raises(InputError, match=r"number per token|numbers per step that sum to 1"):
        found(tmp_path, rows(cell), wish=ImportOptions(join_to=benchmark))


def test_lengths_without_a_pattern_stay_findings_of_their_rows():
    frame = pl.DataFrame({"rewards": [[0.5] * (3 + n % 3) for n in range(9)], "n_steps": [3] * 9})
    assert length_pattern(frame) is None
    shorter = frame.with_columns(rewards=pl.col("rewards").list.head(2))
    assert length_pattern(shorter)[0] == "one-off"


@pytest.mark.parametrize(
    ("cell", "codes"),
    [
        (lambda _: [0.7], ["reward-constant"]),
        (lambda case: [0.1 * int(case["id"].rpartition("-")[2])], ["reward-range", "reward-constant"]),
    ],
    ids=["all equal", "equal within each case"],
)
def test_constant_rewards_are_a_warning(tmp_path, cell, codes):
    batch = found(tmp_path, rows(lambda case: cell(case) * len(case["steps"]), cases=MANY), MANY)
    assert sorted(warnings(batch)) == sorted(codes)


# -- nothing usable


@pytest.mark.parametrize(
    ("given", "stated"),
    [
        (rows(lambda case: rewards(case)[:-1]), {}),
        (rows(lambda case: [math.inf] * len(case["steps"])), {"rewards": {"mine": "rewards"}}),
        (rows(lambda _: "step three", "said"), {"verdicts": {"mine": "said"}}),
        (rows(lambda _: [{"p": 0.5}]), {"rewards": {"mine": "rewards"}}),
    ],
    ids=["one too few", "not finite", "words as verdicts", "objects"],
)
def test_a_file_without_a_usable_result_is_refused(tmp_path, given, stated):
    wish = ImportOptions(columns=ColumnMapping(id="id", **stated), join_to="processbench")
    with pytest.raises(InputError, match="not one of the 12 results"):
        found(tmp_path, given, wish=wish)


def test_in_a_folder_the_other_files_are_imported_all_the_same(tmp_path):
    (folder := tmp_path / "in").mkdir()
    authored.write(folder / "a.jsonl", rows(rewards))
    authored.write(folder / "b.jsonl", rows(lambda case: rewards(case)[:-1]))
    batch = read_sources(
        [str(folder)], ImportOptions(join_to="processbench"), workspace_with(CASES, tmp_path / "ws"), None
    )
    assert ([joined.results.name for joined in batch.joined], len(batch.skipped)) == (["a"], 1)


def test_answers_that_nobody_can_parse_are_results(tmp_path):
    (joined,) = found(tmp_path, rows(lambda _: "I cannot say.", "response")).joined
    assert (joined.joined, joined.unparsed) == (N, N)


# -- ids


def renamed(rename):
    return [{"id": rename(number), "rewards": rewards(case)} for number, case in enumerate(CASES)]


def named(rename):
    return [{**case, "id": rename(number)} for number, case in enumerate(CASES)]


@pytest.mark.parametrize(
    ("result", "case"),
    [
        (lambda number: f"e\u0301poca-{number}", lambda number: f"\u00e9poca-{number}"),
        (lambda number: f"\u00e9poca-{number}", lambda number: f"e\u0301poca-{number}"),
        (lambda number: f"{number}.0", str),
        (float, str),
        (lambda number: f"sums-{number}.0", lambda number: f"sums-{number}"),
        (str, lambda number: f"{number}.0"),
    ],
    ids=["decomposed", "composed", "text of a float", "float", "with a prefix", "floats of the cases"],
)
def test_ids_that_are_equal_in_another_spelling_join(tmp_path, result, case):
    batch = found(tmp_path, renamed(result), named(case))
    assert (read_rewards(batch), warnings(batch)) == (RIGHT, [])


@pytest.mark.parametrize(
    ("result", "case", "difference"),
    [
        (lambda number: f"sums\u2011{number}", lambda number: f"sums-{number}", r"U\+2011 NON-BREAKING HYPHEN"),
        (lambda number: f"\uff53ums-{number}", lambda number: f"sums-{number}", r"U\+FF53"),
        (lambda number: f"su\u200bms-{number}", lambda number: f"sums-{number}", r"U\+200B ZERO WIDTH SPACE"),
        (str, lambda number: f"{number:03}", "leading zeros"),
    ],
    ids=["hyphen", "full width", "zero width", "leading zeros"],
)
def test_ids_that_only_look_alike_do_not_join_and_the_difference_is_told(tmp_path, result, case, difference):
    with pytest.raises(NotJoined, match=difference):
        found(tmp_path, renamed(result), named(case))


def test_two_spellings_in_one_file_are_two_ids(tmp_path):
    given = [*renamed(lambda number: f"\u00e9-{number}"), {"id": "e\u0301-1", "rewards": [0.1] * 5}]
    batch = found(tmp_path, given, named(lambda number: f"\u00e9-{number}"), wish=ImportOptions(join_to="processbench"))
    assert (batch.joined[0].joined, warnings(batch)) == (N, ["not-joined"])


FOUR = [authored.row(number, steps=[f"{number}, {step}" for step in range(4)]) for number in range(60)]


def shifted(first, last, name=str, length=lambda _: 4):
    return [
        {"id": name(number), "rewards": [0.3 + number / 200] * (length(number) - 1) + [0.9]}
        for number in range(first, last)
    ]


def cases_from(first, last, name=str):
    pairs = zip(range(first, last), FOUR, strict=False)
    return [{**case, "id": name(number)} for number, case in pairs]


@pytest.mark.parametrize(
    ("given", "cases"),
    [
        (shifted(0, 24), cases_from(1, 25)),
        (shifted(1, 25), cases_from(0, 24)),
        (shifted(0, 24, lambda number: f"sums-{number}"), cases_from(1, 25, lambda number: f"sums-{number}")),
        (shifted(0, 24), cases_from(1, 50)),
        (shifted(0, 50, lambda number: f"q{number:03}.json"), cases_from(2, 52, lambda number: f"q{number:03}.json")),
    ],
    ids=["from 0", "from 1", "with words", "the first of more cases", "by two"],
)
def test_ids_that_are_shifted_are_refused_or_joined_with_a_warning(tmp_path, given, cases):
    with pytest.raises(NotJoined, match="shifted by"):
        found(tmp_path, given, cases)
    (tmp_path / "named").mkdir()
    batch = found(tmp_path / "named", given, cases, wish=ImportOptions(join_to="processbench"))
    assert "ids-shifted" in warnings(batch)


def test_numbers_of_steps_show_a_shift_that_ranges_do_not(tmp_path):
    cases = [solution(number, -1) | {"id": str(number)} for number in range(40)]
    given = [{"id": str(number + 1), "rewards": rewards(cases[number])} for number in range(5, 30)]
    with pytest.raises(NotJoined, match="shifted by 1"):
        found(tmp_path, given, cases)


@pytest.mark.parametrize(
    ("given", "cases"),
    [
        (shifted(0, 24), cases_from(0, 24)),
        (shifted(5, 20), cases_from(0, 24)),
        (shifted(1, 24), cases_from(0, 50)),
        (shifted(0, 41), cases_from(1, 41)),
    ],
    ids=["equal", "some", "all but the first", "a case was dropped"],
)
def test_ids_that_are_not_shifted_join(tmp_path, given, cases):
    batch = found(tmp_path, given, cases)
    assert "ids-shifted" not in warnings(batch)
    assert batch.joined[0].joined == len({row["id"] for row in given} & {case["id"] for case in cases})


def test_ids_that_numbers_of_steps_confirm_join(tmp_path):
    """The first case was dropped, and so were the last results."""
    cases = [solution(number, -1) | {"id": str(number)} for number in range(1, 60)]
    given = [{"id": str(number), "rewards": [0.5 + number / 200] * LENGTHS[number % 4]} for number in range(40)]
    assert found(tmp_path, given, cases).joined[0].joined == 39


def test_rewards_of_a_known_format_are_read_the_other_way_round_too(tmp_path):
    bodies = [
        {"id": case["id"], "model": "m", "data": [{"object": "pooling", "data": rewards(case)}]} for case in CASES
    ]
    batch = found(tmp_path, bodies)
    assert (batch.joined[0].results.format, read_rewards(batch)) == ("vLLM pooling", RIGHT)
    (tmp_path / "again").mkdir()
    turned = found(tmp_path / "again", bodies, higher_is="worse")
    assert read_rewards(turned) == [[round(1 - number, 6) for number in numbers] for numbers in RIGHT]
    assert turned.joined[0].results.settings["higher_is"] == "worse"
