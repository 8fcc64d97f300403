import json
import re
from collections import Counter

import make_demo
from baselines.equations import equations
from baselines.tokens import tokens
from generator.kinds import CATEGORY
from handwritten import HANDWRITTEN
from handwritten.written import Written
from scoring.data.schema import CASES

LINES = make_demo.TARGET.read_text(encoding="utf-8").splitlines()
RECORDS = [json.loads(line) for line in LINES]
ERRONEOUS = [r for r in RECORDS if r["earliest_error"] != -1]
CLEAN = [r for r in RECORDS if r["earliest_error"] == -1]
BY_HAND = [case for cases in HANDWRITTEN.values() for case in cases]
PATTERNS = {"Transformation", "Decomposition", "Regather", "Deduction", "Verification", "Integration"}
OF_A_CLEAN_CASE = {
    "error_steps": [], "error_type": None, "error_category": None, "error_kind": None, "pattern": None, "reason": None,
    "final_answer_correct": True, "original_problem": None, "original_steps": None, "modified_steps": None,
}  # fmt: skip


def false_equations(steps: list[str] | tuple[str, ...]) -> list[int]:
    return [i for i, step in enumerate(steps) if not all(e.holds for e in equations(tokens(step)))]


def test_keys_are_the_columns_of_the_cases_frame() -> None:
    derived = {"case", "key", "benchmark", "n_steps", "source", "line"}
    other_benchmarks = {"subset_group", "origin", "language", "problem_id", "agreement", "sub_steps", "twin_of"}
    other_benchmarks |= {
        "earliest_error_as_given",
        "error_type_as_given",
        "neutral_steps",
        "step_messages",
        "errors_so_far",
    }
    other_texts = {"question", "reference_answer", "step_patterns", "context", "tools"}
    assert all(set(record) == set(CASES) - derived - other_benchmarks - other_texts for record in RECORDS)


def test_four_subsets_each_with_enough_of_both() -> None:
    assert len(RECORDS) == 240
    assert Counter(r["subset"] for r in RECORDS) == dict.fromkeys(
        ("arithmetic", "algebra", "everyday", "reasoning"), 60
    )
    for found in (ERRONEOUS, CLEAN):
        assert min(Counter(r["subset"] for r in found).values()) >= 22
    assert 0.55 < len(ERRONEOUS) / len(RECORDS) < 0.65


def test_ids_and_problems_are_unique() -> None:
    assert len({r["id"] for r in RECORDS}) == len({r["problem"] for r in RECORDS}) == 240
    assert all(re.fullmatch(rf"{r['subset']}-\d\d\d", r["id"]) for r in RECORDS)


def test_clean_cases_have_no_trace_of_an_error() -> None:
    for record in CLEAN:
        assert {key: record[key] for key in OF_A_CLEAN_CASE} == OF_A_CLEAN_CASE
        assert not false_equations(record["steps"])


def test_erroneous_cases_are_labelled_consistently() -> None:
    for record in ERRONEOUS:
        errors, modified, count = record["error_steps"], record["modified_steps"], len(record["steps"])
        assert record["earliest_error"] == errors[0]
        assert errors == sorted(set(errors))
        assert modified == sorted(set(modified))
        assert set(errors) <= set(modified)
        assert errors[-1] < count > modified[-1]
        assert record["original_steps"] != record["steps"]
        assert record["steps"][: modified[0]] == record["original_steps"][: modified[0]]
        assert record["error_category"] == CATEGORY[record["error_type"]]
        assert all(record[key] for key in ("reason", "error_kind", "original_problem"))
        assert record["pattern"] in PATTERNS


def test_only_error_steps_state_false_equations() -> None:
    for record in ERRONEOUS:
        assert set(false_equations(record["steps"])) <= set(record["error_steps"])
        assert not false_equations(record["original_steps"])


def test_every_pattern_and_kind_occurs_and_they_cross() -> None:
    kinds_of = {pattern: {r["error_kind"] for r in ERRONEOUS if r["pattern"] == pattern} for pattern in PATTERNS}
    assert all(len(kinds) >= 2 for kinds in kinds_of.values())
    assert len(set().union(*kinds_of.values())) == 9


def test_errors_lie_early_in_the_middle_and_late() -> None:
    thirds = Counter(3 * r["earliest_error"] // len(r["steps"]) for r in ERRONEOUS)
    assert min(thirds[0], thirds[1], thirds[2]) >= 35


def test_right_answers_with_a_wrong_process_long_ones_latex_and_cjk_occur() -> None:
    assert sum(r["final_answer_correct"] for r in ERRONEOUS) >= 15
    assert sum(15 <= len(r["steps"]) <= 40 for r in RECORDS) >= 12
    assert sum("\\" in "".join(r["steps"]) for r in RECORDS) >= 50
    assert sum(bool(re.search("[぀-ヿ一-鿿]", r["problem"])) for r in RECORDS) >= 8
    assert sum(len(r["error_steps"]) > 1 for r in RECORDS) >= 1


def test_text_is_printable() -> None:
    for line, record in zip(LINES, RECORDS, strict=True):
        assert "\\u" not in line.replace("\\\\", "")
        assert all(ch.isprintable() or ch == "\n" for text in (record["problem"], *record["steps"]) for ch in text)


def test_written_cases_compute_rightly_outside_their_errors() -> None:
    for case in BY_HAND:
        assert set(false_equations(case.steps)) <= set(case.errors), case.problem
        assert not false_equations(case.original), case.problem
        assert set(case.errors) <= set(case.right), case.problem
        assert all(text != case.steps[i] for i, text in case.right.items()), case.problem
        assert bool(case.errors) == bool(case.type) == bool(case.kind) == bool(case.pattern) == bool(case.reason)
        if not case.errors:
            assert case.answer, case.problem
            assert case.original == case.steps, case.problem


def written(words: str) -> Written:
    return next(case for case in BY_HAND if words in case.problem)


def test_the_tower_of_four_disks_is_moved_by_the_rules() -> None:
    pegs = {"A": [4, 3, 2, 1], "B": [], "C": []}
    moves = [m for step in written("Four disks").steps if (m := re.match(r"Disk (\d) goes from (\w) to (\w)", step))]
    for disk, start, end in (move.groups() for move in moves):
        assert pegs[start].pop() == int(disk)
        assert not pegs[end] or pegs[end][-1] > int(disk)
        pegs[end].append(int(disk))
    assert pegs == {"A": [], "B": [], "C": [4, 3, 2, 1]}
    assert len(moves) == 15


def test_the_bubble_sort_is_run_as_written() -> None:
    case, a, swaps = written("bubble sort"), [3, 1, 5, 2, 4], 0
    states = [list(a)]
    while True:
        before = swaps
        for i in range(len(a) - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swaps += 1
                states.append(list(a))
        if swaps == before:
            break
    assert [str(state) for state in states] == [m[0] for s in case.original for m in re.finditer(r"\[[\d, ]+\]", s)]
    assert case.original[-1] == f"The count stands at {swaps}. The answer is {swaps}."


def test_the_array_is_filled_as_its_rule_says() -> None:
    a = [2]
    while len(a) < 7:
        a.append(3 * a[-1] - 1)
    assert written("An array").original[-1] == f"The answer is {a[6]}."


def test_the_logic_puzzles_have_the_answers_that_trying_all_gives() -> None:
    both = (True, False)
    knights = [(a, b) for a in both for b in both if a == (not b) and b == (a != b)]
    assert knights == [(False, True)]
    three = [(x, y, z) for x in both for y in both for z in both
             if x + y + z == 1 and x == (not y) and y == (not z) and z == (not x and not y)]  # fmt: skip
    assert three == [(False, True, False)]
    assert "乙" in written("甲、乙、丙").original[-1]


def test_counts_and_chances_have_the_answers_that_trying_all_gives() -> None:
    from itertools import combinations, permutations, product

    groups = [g for g in combinations("WWWWWMMMM", 3) if "M" in g]
    assert str(len(groups)) in written("5 women").original[-1]
    even = [d for d in permutations((1, 2, 3, 4), 3) if d[-1] % 2 == 0]
    assert str(len(even)) in written("三位偶数").steps[-1]
    assert sum(a + b >= 10 for a, b in product(range(1, 7), repeat=2)) == 6
    red = [pair for pair in permutations("RRRRRBBB", 2) if pair == ("R", "R")]
    assert len(red) * 14 == 8 * 7 * 5
    assert str(sum(n % 3 == 0 or n % 5 == 0 for n in range(1, 101))) in written("divisible by 3 or").original[-1]
