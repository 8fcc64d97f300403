"""The protocols for critics, as a table of names."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from scoring.critics.parsing import Reading, read_grben, read_prmbench, read_processbench, read_socratic
from scoring.errors import UsageError
from scoring.prms.step_numbers import without_number

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

    def text(self, steps: Sequence[str]) -> str:
        """All steps as one text; each step's own text stays as it is, but for its number."""
        numbered = enumerate(map(self.step, steps), self.base)
        return self.between.join(f"{self._at(self.before, i)}{step}{self._at(self.after, i)}" for i, step in numbered)

    def step(self, step: str) -> str:
        """The text of a step as it is written."""
        return without_number(step) if self.unnumbered else step

    def marks(self) -> re.Pattern[str]:
        """What finds in other texts the marks that number steps here, whatever the number."""
        numbered = (mark.strip() for mark in (self.before, self.after) if "{i}" in mark)
        return re.compile("|".join(re.escape(mark).replace(r"\{i\}", r"\d+") for mark in numbered) or r"(?!)")

    @staticmethod
    def _at(mark: str, number: int) -> str:
        return mark.replace("{i}", str(number))


# -- a critic's protocol as data: what one benchmark asks a language model, and how its answer is read


Gives = Literal["earliest error", "step rewards"]
Read = Callable[[str, int], Reading]
"""An answer as it came and how many steps the case has -> what it says. Never raises for a text."""


class CriticProtocol(Struct, frozen=True):
    """How one benchmark asks a critic.

    `template` is the file in `scoring/critics/templates` that `--template` replaces. `steps` says how the steps are
    written into it. `gives` says whether an answer names the earliest error (and may vote) or rates every step;
    `redundancy` whether it rates redundancy too. `shots` is how many worked examples are sent unless `--shots` says
    otherwise, `votes` how many answers a case become one verdict where votes are asked for (1 = the protocol has none;
    without votes a case is asked once), and `runs` how many repetitions its paper averages for open models. `unparsed`
    says whether answers that cannot be read count as wrong or are left out. `source` is where the protocol is stated.
    """

    name: str
    gives: Gives
    template: str
    steps: StepLayout
    read: Read
    source: str
    redundancy: bool = False
    shots: int = 0
    votes: int = 1
    runs: int = 1
    unparsed: Literal["wrong", "drop"] = "wrong"


PROTOCOLS: dict[str, CriticProtocol] = {
    one.name: one
    for one in (
        CriticProtocol(
            "processbench",
            gives="earliest error",
            template="processbench.txt",
            steps=StepLayout(0, "<paragraph_{i}>\n", "\n</paragraph_{i}>", "\n\n"),
            read=read_processbench,
            source="Zheng et al., arXiv 2412.06559, appendix D; QwenLM/ProcessBench, code/run_eval.py",
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
            unparsed="drop",
        ),
    )
}
"""Name -> protocol. A name is that of the benchmark that states it."""


def critic_protocol(name: str) -> CriticProtocol:
    """The protocol of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in PROTOCOLS:
        raise UsageError(f"there is no protocol {name!r} for critics.", f"There are: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]
