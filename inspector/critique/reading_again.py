"""Where in an answer its reading was made: the answer is read again, and what was kept is what must come of it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from scoring.critics.catalogue import PROTOCOLS, READERS, read_answer
from scoring.critics.parsing import Span
from scoring.scorer import Scorer

ELSEWHERE = "the verdict came beside the text, from the file: no place in the text"
NOT_READ = "not read from the text"


class Place(Struct, frozen=True):
    """Where the answer stands, or in `why` the reason that no place can be told; `notes` are what it is known for."""

    span: Span | None = None
    why: str = ""
    notes: tuple[str, ...] = ()


def place_of(scorer: Scorer, answer: Mapping[str, Any], n_steps: int) -> Place:
    """The place of one answer (a row of VOTES) of a case of so many steps.

    It is that of the reader that read it; of imported answers that of the protocol, as far as it reads the same. Where
    a present reader reads something else, no place is told: it would not be that of the verdict on screen.
    """
    if answer["answer"] is None or not _says_something(answer):
        return Place()
    name = str(scorer.settings.get("protocol"))
    reader = answer["reader"]
    if reader is None and name not in PROTOCOLS:
        return Place(why=ELSEWHERE)
    read = PROTOCOLS[name].read if reader is None else READERS.get(reader)
    if read is None:
        return Place(why=f"{reader} read it, which is not here: no place in the text")
    found = read_answer(
        read, answer["answer"], n_steps, reasoning=answer["reasoning"], finish_reason=answer["finish_reason"]
    )
    same = (found.ballot, found.verdict, _listed(found.rewards)) == (
        answer["ballot"],
        answer["verdict"],
        _listed(answer["rewards"]),
    )
    if not same:
        return Place(
            why="read otherwise today than what was kept: no place in the text (reparse --save reads it again)"
        )
    return Place(found.span, "" if found.span else NOT_READ, tuple(map(str, found.notes)))


def _says_something(answer: Mapping[str, Any]) -> bool:
    return any(answer[name] is not None for name in ("ballot", "verdict", "rewards"))


def _listed(values: Any) -> list[float] | None:
    return None if values is None else list(values)
