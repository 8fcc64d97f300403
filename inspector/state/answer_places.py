"""Where in an answer its reading was made: the answer is read again, and what was kept is what must come of it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from scoring.data.scorer import Scorer
from scoring.formats.reading.critic_answers import Span
from scoring.models.critics.answer_parsers import READERS, read_answer
from scoring.models.critics.protocols import PROTOCOLS

ELSEWHERE = "the verdict came beside the text, from the file: no place in the text"
NOT_READ = "not read from the text"


class AnswerPlace(Struct, frozen=True):
    """Where the answer stands, or in `why` the reason that no place can be told; `notes` are what it is known for."""

    span: Span | None = None
    why: str = ""
    notes: tuple[str, ...] = ()


def place_of(scorer: Scorer, answer: Mapping[str, Any], n_steps: int) -> AnswerPlace:
    """Return the place of one answer (a row of VOTES) of a case of so many steps.

    It is that of the reader that read it; of imported answers that of the protocol, as far as it reads the same. Where
    a present reader reads something else, no place is told: it would not be that of the verdict on screen.
    """
    if answer["answer"] is None or not _says_something(answer):
        return AnswerPlace()
    name = str(scorer.settings.get("protocol"))
    reader = answer["reader"]
    if reader is None and name not in PROTOCOLS:
        return AnswerPlace(why=ELSEWHERE)
    read = PROTOCOLS[name].read if reader is None else READERS.get(reader)
    if read is None:
        return AnswerPlace(why=f"{reader} read it, which is not here: no place in the text")
    reading = read_answer(
        read, answer["answer"], n_steps, reasoning=answer["reasoning"], finish_reason=answer["finish_reason"]
    )
    same = (reading.ballot, reading.verdict, _as_list(reading.rewards)) == (
        answer["ballot"],
        answer["verdict"],
        _as_list(answer["rewards"]),
    )
    if not same:
        return AnswerPlace(
            why="read otherwise today than what was kept: no place in the text (reparse --save reads it again)"
        )
    return AnswerPlace(reading.span, "" if reading.span else NOT_READ, tuple(map(str, reading.notes)))


def _says_something(answer: Mapping[str, Any]) -> bool:
    return any(answer[name] is not None for name in ("ballot", "verdict", "rewards"))


def _as_list(values: Any) -> list[float] | None:
    return None if values is None else list(values)
