"""The words that label an error: type, category, and the kind it has in each reasoning pattern."""

from collections.abc import Mapping

from generator.plan import INTEGRATION, REGATHER

CALCULATION_SLIP = "calculation slip"
WRONG_OPERATION = "wrong operation"
CARRIED_OVER = "carried-over value"
MISREAD_PREMISE = "misread premise"
MISREAD_QUESTION = "misread question"
DROPPED_PREMISE = "dropped premise"
CONTRADICTION = "contradiction"
WRONG_UNIT = "wrong unit"
REDUNDANT_STEP = "redundant step"
WRONG_PLAN = "wrong plan"
INVALID_CONCLUSION = "invalid conclusion"
FAULTY_CHECK = "faulty check"
FAULTY_CORRECTION = "faulty correction"

# These occur in the cases written by hand only.
WRONG_FORMULA = "wrong formula"
MISSING_CASE = "missing case"
DOUBLE_COUNTING = "double counting"
CIRCULAR_REASONING = "circular reasoning"

CATEGORY: Mapping[str, str] = {
    CALCULATION_SLIP: "computing",
    WRONG_OPERATION: "computing",
    CARRIED_OVER: "keeping track",
    REDUNDANT_STEP: "keeping track",
    MISREAD_PREMISE: "reading",
    MISREAD_QUESTION: "reading",
    DROPPED_PREMISE: "reading",
    CONTRADICTION: "reading",
    WRONG_UNIT: "reading",
    WRONG_PLAN: "concluding",
    INVALID_CONCLUSION: "concluding",
    WRONG_FORMULA: "concluding",
    MISSING_CASE: "concluding",
    DOUBLE_COUNTING: "concluding",
    CIRCULAR_REASONING: "concluding",
    FAULTY_CHECK: "checking",
    FAULTY_CORRECTION: "checking",
}

_KIND: Mapping[str, str] = {
    CALCULATION_SLIP: "invalidity",
    WRONG_OPERATION: "unsoundness",
    CARRIED_OVER: "inconsistency",
    REDUNDANT_STEP: "redundancy",
    MISREAD_PREMISE: "unsoundness",
    MISREAD_QUESTION: "inconsistency",
    DROPPED_PREMISE: "incompleteness",
    CONTRADICTION: "counter-factuality",
    WRONG_UNIT: "imprecision",
    INVALID_CONCLUSION: "invalidity",
    FAULTY_CHECK: "detection",
    FAULTY_CORRECTION: "correction",
}
_KIND_IN: Mapping[tuple[str, str], str] = {
    # Facts that are only collected are imprecise; used as the ground of a conclusion they make it unsound.
    (MISREAD_PREMISE, REGATHER): "imprecision",
    # An answer other than what was found contradicts the steps before it.
    (INVALID_CONCLUSION, INTEGRATION): "inconsistency",
}


def kind_of(error: str, pattern: str) -> str:
    """The error kind of a type in a step of this pattern; a wrong plan has the kind its flaw names instead."""
    return _KIND_IN.get((error, pattern)) or _KIND[error]
