"""Rows with a solution before and after errors were put in, as PRMBench and Socratic-PRMBench have them; authored."""

import json

ELSEWHERE = {
    *("conclusion_invalidity", "decomposition_unsoundness", "integration_unsoundness"),
    *("premise_unsoundness", "regather_imprecision", "repeat_counterfactual"),
}
"""Socratic-PRMBench's classes that the figures for fourteen of its twenty files leave out."""


def row(number=0, classification="circular", **changes):
    """One sound row: three steps, of which the second was changed and is wrong. A change to `...` leaves a key out."""
    original = [f"Let n = {number}.", "Twice n is wanted.", "Add n to itself."]
    steps = [original[0], "Thrice n is wanted.", original[2]]
    sound = {
        "original_question": f"What is twice {number}?",
        "modified_question": f"What is twice {number}?",
        "original_process": original,
        "modified_process": steps,
        "modified_steps": [2],
        "error_steps": [2],
        "reason": "Step 2 asks for something else.",
        "idx": f"sum_{number}",
        "question": f"Double {number}.",
        "classification": classification,
    }
    return {key: value for key, value in {**sound, **changes}.items() if value is not ...}


def shifted(values, by):
    """The rows with every listed step counted from another base."""
    lists = ("error_steps", "modified_steps")
    return [{**one, **{name: [step + by for step in one[name]] for name in lists}} for one in values]


def shortened(values):
    """The rows with a short text in the place of each step and question, equal where those are."""
    names = {}

    def short(text):
        return names.setdefault(text, f"text {len(names)}")

    return [
        {
            **one,
            **{name: short(one[name]) for name in ("original_question", "modified_question")},
            **{name: list(map(short, one[name])) for name in ("original_process", "modified_process")},
        }
        for one in values
    ]


def codes(imported):
    """(severity, code) of every finding."""
    return [(finding.severity, finding.code) for finding in imported.findings]


def plain(file):
    """The rows of a JSON Lines file, read without any code of ours."""
    return [json.loads(line) for line in file.read_bytes().splitlines()]
