"""Write the demo benchmark: `python assets/make_demo.py` gives the same assets/demo/cases.jsonl every time.

240 cases in four subsets of 60, 36 of them with an error: those written by hand (`handwritten/`) and, for the rest,
what the generator gives for a fixed seed. Which cases these are was settled by seed and schedule alone, before any
scorer saw them: error types, voices and families take turns, and the error is asked to lie early, in the middle and
late in turn. `--check` writes nothing and exits with 1 if the file is another one.
"""

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count, cycle
from pathlib import Path
from random import Random

from generator import kinds
from generator.families import CAN_BE_LONG, SUBSET_OF
from generator.kinds import CATEGORY
from generator.plan import REGATHER
from generator.stream import Case, make
from handwritten import HANDWRITTEN
from handwritten.written import Written

SEED = 20
A_SUBSET = 60
ERRONEOUS = 36
LONG = 4
"""Long cases in each subset that has a family which can write them."""
VOICES = ("plain", "latex", "plain", "chatty")
HARD = 40
"""Attempts after which a case need no longer be of the family and have its error where they were asked for."""
TYPES: Mapping[str, Mapping[str, int]] = {
    "arithmetic": {
        kinds.CALCULATION_SLIP: 5, kinds.CARRIED_OVER: 4, kinds.MISREAD_PREMISE: 3, kinds.DROPPED_PREMISE: 2,
        kinds.CONTRADICTION: 2, kinds.WRONG_UNIT: 2, kinds.REDUNDANT_STEP: 3, kinds.WRONG_OPERATION: 2,
        kinds.INVALID_CONCLUSION: 2, kinds.WRONG_PLAN: 1, kinds.FAULTY_CHECK: 1, kinds.FAULTY_CORRECTION: 1,
    },
    "algebra": {
        kinds.CALCULATION_SLIP: 5, kinds.CARRIED_OVER: 3, kinds.MISREAD_PREMISE: 4, kinds.DROPPED_PREMISE: 3,
        kinds.REDUNDANT_STEP: 3, kinds.WRONG_OPERATION: 4, kinds.INVALID_CONCLUSION: 2, kinds.WRONG_PLAN: 1,
        kinds.MISREAD_QUESTION: 1, kinds.FAULTY_CHECK: 1, kinds.FAULTY_CORRECTION: 1,
    },
    "everyday": {
        kinds.CALCULATION_SLIP: 4, kinds.CARRIED_OVER: 3, kinds.MISREAD_PREMISE: 4, kinds.DROPPED_PREMISE: 3,
        kinds.CONTRADICTION: 3, kinds.WRONG_UNIT: 3, kinds.REDUNDANT_STEP: 2, kinds.INVALID_CONCLUSION: 2,
        kinds.WRONG_PLAN: 1, kinds.MISREAD_QUESTION: 1, kinds.FAULTY_CHECK: 1, kinds.FAULTY_CORRECTION: 1,
    },
    "reasoning": {
        kinds.CALCULATION_SLIP: 3, kinds.CARRIED_OVER: 4, kinds.MISREAD_PREMISE: 4, kinds.DROPPED_PREMISE: 3,
        kinds.CONTRADICTION: 3, kinds.REDUNDANT_STEP: 3, kinds.INVALID_CONCLUSION: 5, kinds.WRONG_UNIT: 1,
        kinds.WRONG_PLAN: 1, kinds.MISREAD_QUESTION: 1, kinds.FAULTY_CHECK: 1,
    },
}  # fmt: skip
"""How often each error type is among the generated cases of a subset (about; a subset takes as many as it needs)."""
TARGET = Path(__file__).parent / "demo" / "cases.jsonl"

Record = dict[str, object]


def main() -> int:
    """Write the file and say how many cases it holds, or check it."""
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records()]
    made = "".join(lines).encode()
    if check:
        stale = not TARGET.exists() or TARGET.read_bytes() != made
        print(f"{TARGET.name} is stale; run assets/make_demo.py" if stale else f"{len(lines)} cases up to date")
        return 1 if stale else 0
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(made)
    print(f"{len(lines)} cases in {TARGET.name}")
    return 0


def records() -> Iterator[Record]:
    """Every case of the demo, subset by subset, in a shuffled order within each."""
    for subset, written in HANDWRITTEN.items():
        by_hand = [_from_hand(each) for each in written]
        wrong = sum(record["earliest_error"] != -1 for record in by_hand)
        made = _generated(subset, ERRONEOUS - wrong, A_SUBSET - ERRONEOUS - len(by_hand) + wrong)
        together = [*by_hand, *map(_from_stream, made)]
        Random(f"{SEED}/{subset}/order").shuffle(together)
        for number, record in enumerate(together, start=1):
            yield {"id": f"{subset}-{number:03d}", "subset": subset, **record}


def _generated(subset: str, erroneous: int, clean: int) -> Iterator[Case]:
    families = [family for family, its_subset in SUBSET_OF.items() if its_subset == subset]
    longs = [family for family in families if family in CAN_BE_LONG]
    plans = [True] * erroneous + [False] * clean
    Random(f"{SEED}/{subset}/plan").shuffle(plans)
    errors, voices, thirds = _errors(subset), cycle(VOICES), cycle((2, 0, 1, 2, 1))
    seen: set[str] = set()
    for number, wrong in enumerate(plans):
        long = bool(longs) and number < LONG
        family = (longs if long else families)[number % len(longs if long else families)]
        voice, third = next(voices), next(thirds)
        error, pattern = next(errors) if wrong else ("", "")
        for attempt in count():
            rng = Random(f"{SEED}/{subset}/{number}/{attempt}")
            case = make(rng, family if attempt < HARD else rng.choice(families), voice, error, long=long)
            if case is not None and case.problem not in seen and (attempt > HARD or _fits(case, third, pattern)):
                seen.add(case.problem)
                yield case
                break


def _errors(subset: str) -> Iterator[tuple[str, str]]:
    """The subset's error types in turn, in an order of its own, and the pattern asked for ("" = any).

    Every second misread premise is asked to stand in a step that collects facts.
    """
    types = [error for error, times in TYPES[subset].items() for _ in range(times)]
    Random(f"{SEED}/{subset}/types").shuffle(types)
    turns = Counter[str]()
    for error in cycle(types):
        turns[error] += 1
        yield error, REGATHER if error == kinds.MISREAD_PREMISE and turns[error] % 2 else ""


def _fits(case: Case, third: int, pattern: str) -> bool:
    """Whether the error has the pattern, or, if none is asked for, lies in this third of the steps (0 early, 2 late).

    A clean case always fits.
    """
    if pattern:
        return case.pattern == pattern
    return not case.erroneous or 3 * case.earliest_error // len(case.steps) == third


def _from_stream(case: Case) -> Record:
    return {
        "generator": f"template-{case.voice}",
        "problem": case.problem,
        "steps": list(case.steps),
        **_gold((case.earliest_error,) if case.erroneous else (), case.error, case.kind, case.pattern, case.reason),
        "final_answer_correct": case.final_answer_correct,
        "original_problem": case.problem if case.erroneous else None,
        "original_steps": list(case.original) or None,
        "modified_steps": list(case.modified) or None,
    }


def _from_hand(case: Written) -> Record:
    return {
        "generator": "by-hand",
        "problem": case.problem,
        "steps": list(case.steps),
        **_gold(case.errors, case.type, case.kind, case.pattern, case.reason),
        "final_answer_correct": case.answer,
        "original_problem": (case.original_problem or case.problem) if case.errors else None,
        "original_steps": list(case.original) if case.errors else None,
        "modified_steps": sorted(case.right) if case.errors else None,
    }


def _gold(errors: tuple[int, ...], error: str, kind: str, pattern: str, reason: str) -> Mapping[str, object]:
    return {
        "earliest_error": errors[0] if errors else -1,
        "error_steps": list(errors),
        "error_type": error or None,
        "error_category": CATEGORY[error] if error else None,
        "error_kind": kind or None,
        "pattern": pattern or None,
        "reason": reason or None,
    }


if __name__ == "__main__":
    raise SystemExit(main())
