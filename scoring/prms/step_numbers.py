"""Numbers that steps may come with, for families whose layout has numbers of its own."""

import re

# The number is any word of digits, and a decimal such as "3.5 apples" loses its "3." too: published results have both.
_NUMBER = re.compile(r"(?:Step\s*)?\d+\.\s*", re.IGNORECASE)


def without_number(step: str) -> str:
    """The step as PRMBench hands it to most PRMs: stripped, without one leading "Step 3." or "3.".

    "Step 3:" stays. Source: PRMBench, mr_eval/utils/model_utils.py.
    """
    stripped = step.strip()
    found = _NUMBER.match(stripped)
    return stripped[found.end() :] if found else stripped


def numbered(step: str, number: int) -> str:
    """The step behind its number, 1-based, as in "Step 3: text"."""
    return f"Step {number}: {step}"
