"""The protocols for critics, by name: how steps are written into the prompt, and how an answer is read."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.reward_keys import BEFORE_ALL
from scoring.formats.reading.boxed_answers import read_grben, read_processbench
from scoring.formats.reading.critic_answers import Reading
from scoring.formats.reading.rated_answers import read_agentprocessbench, read_prmbench, read_socratic
from scoring.models.prms.base import without_number


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

        `context` is as `scoring.data.reward_keys.further_texts` writes it; None = there is none.
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
