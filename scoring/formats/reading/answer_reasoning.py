"""The reasoning of an answer told from what it answers.

Who reads what: ProcessBench's code reads the last box of all that was generated, reasoning included
(`run_eval.py`). GR-Ben's reads the message's content alone (`run_llm_eval.py`), and the protocols that rate steps
are read so here: an example of the JSON that a model writes to itself while it thinks is no answer. The text is
kept as it came, whoever reads it.
"""

from msgspec import Struct

from scoring.formats.reading.critic_answers import ParseFault, fault_words

_BEGINS = ("<think>", "<thinking>")
_ENDS = ("</think>", "</thinking>")


class SplitAnswer(Struct, frozen=True):
    """A text in two: `reasoning` (None = there is none) and the `answer` after it.

    `closed` is false where the reasoning never ended: then all of the text is reasoning and the answer is empty.
    """

    reasoning: str | None
    answer: str
    closed: bool = True


def parted(text: str) -> SplitAnswer:
    """Part reasoning and answer: reasoning stands before the last end tag, `</think>` or `</thinking>`, or begins the
    text and has no end.

    The end tag alone is enough, because many chat templates write the other one into the prompt. The last one counts,
    so that reasoning that mentions the tag is not taken for an answer. A begin tag counts only where nothing but blanks
    is before it, at the start or after the last end: elsewhere it is a word of the answer.
    """
    ends = [(text.rfind(tag), len(tag)) for tag in _ENDS if tag in text]
    at, length = max(ends, default=(0, 0))
    answer = text[at + length :]
    if answer.lstrip().startswith(_BEGINS):
        return SplitAnswer(_without_tag(text), "", closed=False)
    return SplitAnswer(_without_tag(text[:at]), answer) if ends else SplitAnswer(None, text)


def joined(answer: str, reasoning: str | None, *, closed: bool = True) -> str:
    """Join the text as it would have come, of a server that gives reasoning and answer apart.

    `parted` undoes it, unless the answer itself mentions a tag.
    """
    if reasoning is None:
        return answer
    return f"{_BEGINS[0]}{reasoning}{_ENDS[0] if closed else ''}{answer}"


def place_of_reasoning() -> int:
    """Return at which character of a joined text the reasoning begins."""
    return len(_BEGINS[0])


def opened(text: str) -> str:
    """Put before the text the begin tag that the chat template put into the prompt, so that reasoning that never ends
    is known to be reasoning.
    """
    return text if text.lstrip().startswith(_BEGINS) else _BEGINS[0] + text


def silent(part: SplitAnswer) -> str | None:
    """Return the reason why there is no answer beside the reasoning; None where there is one."""
    if not part.closed:
        return fault_words(ParseFault.REASONING_OPEN)
    if part.answer.strip():
        return None
    return fault_words(ParseFault.EMPTY_ANSWER, "reasoning alone" if part.reasoning and part.reasoning.strip() else "")


def _without_tag(text: str) -> str:
    bare = text.lstrip()
    return next((bare[len(tag) :] for tag in _BEGINS if bare.startswith(tag)), text)
