"""The protocols for critics, by name: how steps are written into the prompt, and how an answer is read."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.texts import BEFORE_ALL
from scoring.formats.reading.answer_reasoning import joined, opened, place_of_reasoning
from scoring.formats.reading.boxed_answers import read_grben, read_loosely, read_processbench
from scoring.formats.reading.critic_answers import NOTHING_THERE, ParseFault, Reading, Span, fault_of
from scoring.formats.reading.rated_answers import read_agentprocessbench, read_prmbench, read_socratic
from scoring.models.prms.base import without_number

# -- how the steps of a case are written into a critic's prompt


class StepLayout(Struct, frozen=True):
    """`before`, the step's text and `after` for each step, joined by `between`.

    `{i}` in `before` and `after` is the step's number, counted from `base` (0 or 1). With `unnumbered` a step loses the
    number that it comes with ("Step 3." or "3.") and white space around it, as PRMBench has it.
    """

    base: int
    before: str
    after: str
    between: str
    unnumbered: bool = False

    def text(self, steps: Sequence[str], context: Sequence[tuple[int, str]] = ()) -> str:
        """Write all steps as one text; each step's own text stays as it is, but for its number.

        `context` are texts that stand before a step (0-based, the number of steps = after the last), in their order.
        """
        numbered = enumerate(map(self.step, steps), self.base)
        pieces = [f"{self._at(self.before, i)}{step}{self._at(self.after, i)}" for i, step in numbered]
        for place, text in reversed(context):
            pieces.insert(place, text)
        return self.between.join(pieces)

    def step(self, step: str) -> str:
        """Write the text of a step."""
        return without_number(step) if self.unnumbered else step

    def marks(self) -> re.Pattern[str]:
        """Return a pattern that finds in other texts the marks that number steps here, whatever the number."""
        numbered = (mark.strip() for mark in (self.before, self.after) if "{i}" in mark)
        return re.compile("|".join(re.escape(mark).replace(r"\{i\}", r"\d+") for mark in numbered) or r"(?!)")

    @staticmethod
    def _at(mark: str, number: int) -> str:
        return mark.replace("{i}", str(number))


# -- a critic's protocol as data: what one benchmark asks a language model, and how its answer is read


Gives = Literal["earliest error", "step rewards", "step labels"]
_ABOVE_ZERO = "positive iff above 0, as PRMBench's judges"
_LOWEST = "only -1 is wrong"
_SCALES: dict[Gives, dict[str, Any]] = {
    "earliest error": {},
    "step rewards": {"threshold": 0.0, "threshold_source": _ABOVE_ZERO, "comparison": "<=", "low": -1.0, "high": 1.0},
    "step labels": {"threshold": -0.5, "threshold_source": _LOWEST, "comparison": "<", "low": -1.0, "high": 1.0},
}
ReadAnswer = Callable[[str, int], Reading]
"""An answer as it came and how many steps the case has -> what it says. Never raises for a text."""


class CriticProtocol(Struct, frozen=True):
    """How one benchmark asks a critic.

    `template` is the file in `scoring/models/critics/templates` that `--template` replaces. `steps` says how the steps
    are written into it. `gives` says whether an answer names the earliest error (and may vote), rates every step, or
    labels every step, by its number, right (1), neutral (0) or wrong (-1); `redundancy` whether it rates redundancy
    too. `shots` is how many worked examples are sent unless `--shots` says otherwise, `votes` how many answers a case
    become one verdict where votes are asked for (1 = the protocol has none; without votes a case is asked once), and
    `runs` how many repetitions its paper averages for open models. `unparsed` says whether answers that cannot be read
    count as wrong or are left out. `source` is where the protocol is stated.

    `words` are what a prompt has to mention so that answers can be read, in small letters. `message` is how a message
    of a trajectory that is no step is written, of `{speaker}` and `{text}`; "" = steps are judged without these.
    `tools` is how the functions that its agent could call are written before all, `{text}` being the JSON of a list of
    them: what lacks them is sent as if there were no such thing.
    """

    name: str
    gives: Gives
    template: str
    steps: StepLayout
    read: ReadAnswer
    source: str
    words: tuple[str, ...]
    redundancy: bool = False
    shots: int = 0
    votes: int = 1
    runs: int = 1
    unparsed: Literal["wrong", "drop"] = "wrong"
    message: str = ""
    tools: str = ""

    @property
    def scale(self) -> dict[str, Any]:
        """What a scorer is to be told of its rewards, by attribute of `scoring.data.scorer.Scorer`."""
        redundancy = {"redundancy_threshold": 0.0, "redundancy_threshold_source": _ABOVE_ZERO}
        return {**_SCALES[self.gives], **(redundancy if self.redundancy else {})}

    @property
    def reads(self) -> tuple[str, ...]:
        """What is read of a case beside problem and steps, some of `scoring.data.schema.READABLE`."""
        return ("context",) if self.message else ()

    def text(self, steps: Sequence[str], context: str | None = None) -> str:
        """Write the steps as one text, and where the protocol reads it what stands between them.

        `context` is as `scoring.data.texts.further_texts` writes it; None = there is none.
        """
        entries = json.loads(context) if context and self.message else []
        messages = [(before, _filled(self.message, *entry)) for before, *entry in entries if before != BEFORE_ALL]
        tools = [(0, _filled(self.tools, *entry)) for before, *entry in entries if before == BEFORE_ALL and self.tools]
        return self.steps.text(steps, [*tools, *messages])


def _filled(layout: str, speaker: str, text: str) -> str:
    """A layout with who speaks and what is said; nothing in these is looked at."""
    before, _, after = layout.partition("{text}")
    return f"{before.replace('{speaker}', speaker)}{text}{after}"


PROTOCOLS: dict[str, CriticProtocol] = {
    protocol.name: protocol
    for protocol in (
        CriticProtocol(
            "processbench",
            gives="earliest error",
            template="processbench.txt",
            steps=StepLayout(0, "<paragraph_{i}>\n", "\n</paragraph_{i}>", "\n\n"),
            read=read_processbench,
            source="Zheng et al., arXiv 2412.06559, appendix D; QwenLM/ProcessBench, code/run_eval.py",
            words=("\\boxed",),
            votes=8,
            unparsed="wrong",
        ),
        CriticProtocol(
            "grben",
            gives="earliest error",
            template="grben.txt",
            steps=StepLayout(1, "<paragraph_{i}> ", " </paragraph_{i}>", "\n"),
            read=read_grben,
            source="Sun et al., arXiv 2605.01203; spirit-moon-fly/GR-Ben, evaluation/run_llm_eval.py",
            words=("\\boxed",),
            runs=3,
            unparsed="drop",
        ),
        CriticProtocol(
            "prmbench",
            gives="step rewards",
            template="prmbench.txt",
            # The blank and the empty line after every step, the last too, are the toolkit's.
            steps=StepLayout(1, "Step {i}: ", " \n\n", "", unnumbered=True),
            read=read_prmbench,
            source="Song et al., arXiv 2501.03124; ssmisya/PRMBench, mr_eval/models/openai_models.py, utils/prompts.py",
            words=("validity", "json", "redundancy"),
            redundancy=True,
            shots=2,
            unparsed="drop",
        ),
        CriticProtocol(
            "socratic",
            gives="step rewards",
            template="socratic.txt",
            # How the paper writes steps into its prompt is not published. Steps of this benchmark carry numbers and
            # lists of their own that do not count them: "Step 6: Step 3: ..." could be either, a tag cannot.
            steps=StepLayout(1, "<step_{i}>\n", "\n</step_{i}>", "\n\n"),
            read=read_socratic,
            source="Li et al., arXiv 2505.23474, Table 6; the layout of the steps is this program's own",
            words=("validity", "json"),
            unparsed="drop",
        ),
        CriticProtocol(
            "agentprocessbench",
            gives="step labels",
            template="agentprocessbench.txt",
            # The benchmark's judges are shown messages with their places, which count what is no step too. Here a step
            # has the number that it has everywhere else.
            steps=StepLayout(0, "<step_{i}>\n", "\n</step_{i}>", "\n\n"),
            message='<message from="{speaker}">\n{text}\n</message>',
            # In the authors' prompt they stand behind the task and before the messages too.
            tools="<tools>\n{text}\n</tools>",
            read=read_agentprocessbench,
            source="arXiv 2603.14465; RUCBM/AgentProcessBench, eval/llm_annotation.py; wording and layout are our own",
            words=("step_labels", "json"),
            unparsed="wrong",
        ),
    )
}
"""Name -> protocol. A name is that of the benchmark that states it."""


def critic_protocol(name: str) -> CriticProtocol:
    """Return the protocol of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in PROTOCOLS:
        raise UsageError(f"there is no protocol {name!r} for critics.", f"There are: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]


# -- which reader read an answer, and how an answer with its reasoning apart and its end is handed to one.
#
# A reader's version changes whenever the same text may be read as something else. It is kept beside what was read, so
# that readings of an older one are noticed and made again from the text (`scoring.runs.reparse`).


READERS: dict[str, ReadAnswer] = {
    "processbench-1": read_processbench,
    "grben-1": read_grben,
    "prmbench-1": read_prmbench,
    "socratic-1": read_socratic,
    "agentprocessbench-1": read_agentprocessbench,
    "processbench-1-from-1": partial(read_processbench, base=1),
    "grben-1-from-0": partial(read_grben, base=0),
    "loose-2": read_loosely,
    "loose-2-from-1": partial(read_loosely, base=1),
}
"""Version -> reader. One whose prompt calls the first step otherwise than its benchmark does is a version apart."""
CORRECTED = {"loose-1": "loose-2", "loose-1-from-1": "loose-2-from-1"}
"""Version of before -> the one that reads on for scorers that were made by it."""


class Parser(Struct, frozen=True):
    """A way to find what an answer says, whatever its prompt calls the first step.

    `gives` is what it finds, `about` says how. `versions` are those in READERS, by what the prompt calls the first step
    (0 or 1).
    """

    gives: Gives
    about: str
    versions: Mapping[int, str]

    def version(self, base: int) -> str:
        """Return the version that reads answers to a prompt that calls the first step so."""
        return self.versions[base]

    def read(self, base: int) -> ReadAnswer:
        """Return its reader."""
        return READERS[self.version(base)]


PARSERS: dict[str, Parser] = {
    "processbench": Parser(
        "earliest error",
        r"the last \boxed{...} of all that was generated, if a whole number is all it holds",
        {0: "processbench-1", 1: "processbench-1-from-1"},
    ),
    "grben": Parser(
        "earliest error",
        r"the last \boxed{number} after the reasoning; other boxes do not count",
        {0: "grben-1-from-0", 1: "grben-1"},
    ),
    "loose": Parser(
        "earliest error",
        r"the one whole number in the last \boxed{...}, whatever words stand around it",
        {0: "loose-2", 1: "loose-2-from-1"},
    ),
    "prmbench": Parser(
        "step rewards",
        "a JSON object with validity and redundancy, a number a step",
        dict.fromkeys((0, 1), "prmbench-1"),
    ),
    "socratic": Parser(
        "step rewards", "a JSON object with validity, a number a step", dict.fromkeys((0, 1), "socratic-1")
    ),
    "agentprocessbench": Parser(
        "step labels",
        "a JSON object with step_labels: 1, 0 or -1 by the step's number, counted from 0",
        dict.fromkeys((0, 1), "agentprocessbench-1"),
    ),
}
"""The parsers by name; those of a benchmark have its name."""


def parser_of(protocol: CriticProtocol) -> str:
    """Return the name of the parser by which a protocol's answers are read."""
    return next(name for name, parser in PARSERS.items() if version(protocol.read) in parser.versions.values())


_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


def version(read: ReadAnswer) -> str:
    """Return the reader's name and version; of one that is not in READERS, where it is defined."""
    known = next((name for name, reader in READERS.items() if reader is read), None)
    return known or f"{read.__module__}:{getattr(read, '__qualname__', type(read).__qualname__)}"


def was_cut(finish_reason: str | None) -> bool:
    """Return whether the answer ended because it had no tokens left, in the words of any server."""
    return finish_reason is not None and finish_reason.lower() in _CUT


def read_answer(
    read: ReadAnswer,
    text: str,
    n_steps: int,
    *,
    reasoning: str | None = None,
    finish_reason: str | None = None,
    thinking: bool = False,
) -> Reading:
    """Read what an answer says, as the text it would be if nothing had been told apart.

    Args:
        read: the protocol's reader.
        text: the answer as it came.
        n_steps: how many steps the case has.
        reasoning: what the server gave apart as the model's reasoning.
        finish_reason: in the server's words.
        thinking: whether the prompt ended within the reasoning, so that a text without any tag is reasoning that never
            ended.

    Where there is nothing to be read and the answer was cut, the reason says that first. The span is that of `text`, or
    of `reasoning`.
    """
    cut = was_cut(finish_reason)
    whole = text
    if reasoning is not None:
        whole = joined(text, reasoning, closed=not cut or bool(text.strip()))
    elif thinking:
        whole = opened(text)
    reading = read(whole, n_steps)
    if reading.span is not None and whole is not text:
        reading = replace(reading, span=_moved(reading.span, len(whole) - len(text), reasoning))
    if cut and reading.reason is not None and fault_of(reading.reason) in NOTHING_THERE:
        return replace(reading, reason=f"{ParseFault.CUT}: {reading.reason}")
    return reading


def _moved(span: Span, before: int, reasoning: str | None) -> Span | None:
    """A span of the text that was read, which has so many characters before the answer, as one of the answer or of the
    reasoning; None where it is neither's.
    """
    if span.start >= before:
        return Span(span.start - before, span.end - before)
    first = place_of_reasoning()
    if reasoning is None or span.end > first + len(reasoning):
        return None
    return Span(span.start - first, span.end - first, "reasoning")
