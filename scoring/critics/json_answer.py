"""The JSON object of an answer, found as PRMBench's toolkit finds it.

`extract_nested_json` in `mr_eval/utils/model_utils.py` of ssmisya/PRMBench: braces are paired from the left, those in
texts and comments too; of the first outermost pair that is JSON once everything from `//` or `#` to the end of its line
is gone, the object counts, whatever it holds. A brace that closes nothing ends the search, and so does JSON that breaks
a limit of Python's. What the toolkit cannot read for these reasons is not read here either: a scorer's figures would
else not be those of the benchmark.
"""

import json
import re
from typing import Any, NamedTuple

from scoring.critics.faults import Fault

_BRACE = re.compile(r"[{}]")
_COMMENT = re.compile(r"(?://|#).*")


class Placed(NamedTuple):
    """An object, and the characters of the text from which it was read (the end not among them)."""

    value: dict[str, Any]
    start: int
    end: int


def json_object(text: str) -> dict[str, Any] | Fault:
    """The object that counts, or why there is none. Numbers may be NaN or infinite, as Python's JSON has them."""
    found = placed_object(text)
    return found if isinstance(found, Fault) else found.value


def placed_object(text: str) -> Placed | Fault:
    """The same with its place. Takes linear time: the pairs do not overlap."""
    depth, start, fault = 0, 0, Fault.NO_JSON
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            start = start if depth else brace.start()
            depth += 1
            continue
        if not depth:
            return Fault.STRAY_BRACE
        depth -= 1
        if depth:
            continue
        try:
            found: dict[str, Any] = json.loads(_COMMENT.sub("", text[start : brace.end()]))
        except json.JSONDecodeError:
            fault = Fault.BROKEN_JSON
        except (ValueError, RecursionError):
            # Thousands of digits, or of levels: the toolkit gives up on the whole answer.
            return Fault.BROKEN_JSON
        else:
            return Placed(found, start, brace.end())
    return Fault.OPEN_JSON if depth else fault
