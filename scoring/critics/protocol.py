"""A critic's protocol as data: what one benchmark asks a language model, and how its answer is read."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from scoring.critics.reading import Reading
from scoring.critics.step_layout import StepLayout

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
