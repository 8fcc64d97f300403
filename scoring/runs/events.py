"""What a scoring run says while it goes: one event a line as JSON, or these values to whoever iterates over it.

A line is an object whose `event` is the event's name, in snake case, beside its fields. The order is

    start, [ready | estimate], (case_refused | saved | progress | nodes | notice)*, end

with `doing` before whatever takes long. But for these, `start` is always first. `ready` comes when the engine is
loaded, and not at all where nothing had to be computed; a run on several workers has an engine for each, and tells of
them as they come. `end` is always last, also when the run failed (`status` failed, `error` filled in by the process),
unless the process was killed or hit a bug. Later versions may add fields and events: readers pass over what they do not
know.
All counts of cases are counts of distinct contents: cases with the same problem and steps are scored once.
"""

import re
from typing import Any, Literal

from msgspec import Struct, to_builtins

GO_ON = b"go on\n"
"""What whoever started a run writes to its standard input so that it goes on when nobody reads its events any more."""
Status = Literal["done", "interrupted", "failed", "dry_run"]


class Asked(Struct, frozen=True):
    """What a critic has been asked and has answered in this run; answers are counted one by one, votes and runs alike.

    `wanted` answers were missing and `answers` have come. Of these `unparsed` could not be read, `unanswered` are
    failures of the server or prompts it cannot take, `cut` ended at the token limit. `tokens_in` and `tokens_out` are
    those that were told. `calls` were made, `retries` of them again after a failure. `flawed` counts replies with an
    unusable field, such as an impossible token count; their answers are kept.
    """

    wanted: int = 0
    answers: int = 0
    unparsed: int = 0
    unanswered: int = 0
    cut: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0
    retries: int = 0
    flawed: int = 0


class Doing(Struct, frozen=True):
    """What is being done that may take long before a case is computed: weights converted, a vLLM started."""

    sentence: str


class Start(Struct, frozen=True):
    """What is asked for and how much of it is there: `cached` + `refused` + `to_do` == `contents`.

    `cases` are the rows that were asked for, `contents` the distinct ones among them, `cached` those with rewards,
    `refused` those that an earlier run refused and this one leaves alone. `folder` is where rewards go. `notes` are
    sentences about how the weights were converted and about parts of the cache that could not be read.
    """

    scorer: str
    fingerprint: str
    folder: str
    cases: int
    contents: int
    cached: int
    refused: int
    to_do: int
    notes: tuple[str, ...] = ()


class Ready(Struct, frozen=True):
    """The engine is loaded; it took `seconds`."""

    engine: str
    seconds: float


class Progress(Struct, frozen=True):
    """How far the run is: `done` of `to_do` contents are computed, here or by another run of the same scorer;
    `refused` were here, without rewards or (`truncated` of these) with rewards for their first steps alone.

    `seconds` have passed since the run began, `computing` of them in the engine. `tokens` are the tokens it ran,
    padding left out. At most ten a second. `asked` is there for critics; theirs are tokens in and out.
    """

    done: int
    to_do: int
    refused: int
    seconds: float
    computing: float
    tokens: int
    truncated: int = 0
    asked: Asked | None = None


class NodeProgress(Struct, frozen=True):
    """What the workers of one machine have done: `done` contents and `tokens`, without padding. `working` of them are
    at work now; the one that computed longest did so for `computing` seconds.
    """

    name: str
    working: int
    done: int
    tokens: int
    computing: float


class Nodes(Struct, frozen=True):
    """How far each machine is, at most once a second, of a run on several workers."""

    nodes: tuple[NodeProgress, ...]


class Saved(Struct, frozen=True):
    """`rows` more rows are on the disk, in the file `part`; `total` by this run so far. They survive whatever comes."""

    rows: int
    total: int
    part: str


class CaseRefused(Struct, frozen=True):
    """A case has no verdict, or lacks an answer that votes. The next `saved` saves it.

    `case` is the first case of this content, `key` the content.

    Of a case that was truncated the first `scored_steps` steps have rewards, which are saved too; of others none has.
    """

    case: str
    key: str
    reason: str
    scored_steps: int = 0


class Notice(Struct, frozen=True):
    """Something was noticed: of the engine, which changes what the numbers mean, or another run of the same scorer."""

    sentence: str


class Estimate(Struct, frozen=True):
    """What a critic would be asked, told by a dry run.

    `prompts` are so many, for so many `answers`, with so many `characters` and about `tokens_in` tokens; `subsets` has
    the same for each benchmark and subset. An answer has at most `max_tokens`, None = no limit is set. `money` is what
    the prompts cost and `money_at_most` what all costs if every answer is as long as it may be, in `currency`; None
    where that is not known.
    """

    prompts: int
    answers: int
    characters: int
    tokens_in: int
    subsets: tuple[dict[str, Any], ...]
    max_tokens: int | None = None
    money: float | None = None
    money_at_most: float | None = None
    currency: str = ""


class ClusterEstimate(Struct, frozen=True):
    """How long so many `workers` would take for the `cases` that have no rewards, told by a dry run.

    `speed` is the tokens a second of each worker, `measured` on an engine ("" = as was said), `seconds` the time
    without their start, `idle` the share of it that a worker has nothing to do, and `cost` what all of the cluster
    costs, None where no price was given.
    """

    workers: int
    speed: float
    cases: int
    tokens: int
    seconds: float
    idle: float
    measured: str = ""
    cost: float | None = None


class End(Struct, frozen=True):
    """The last event. Everything computed has been saved, unless `error` says otherwise.

    `scored` and `refused` were computed by this run, `cached` and `cached_refused` found, those that another run saved
    meanwhile among them; `left` are still to do.
    `truncated` of the `refused` have rewards for their first steps.
    `case_tokens` are the tokens of the cases computed, `tokens` those the engine ran for them without padding
    (more only where memory ran out and a batch was run again), `padding` the rest of what it ran. `signal` is the
    number of the signal that stopped it. `error` has the `fields` of an `InspectError`. `asked` is there for critics,
    whose tokens are those in and out; `money` is what they cost, where prices were given.
    """

    status: Status
    scored: int = 0
    refused: int = 0
    truncated: int = 0
    cached: int = 0
    cached_refused: int = 0
    left: int = 0
    saved: int = 0
    seconds: float = 0.0
    computing: float = 0.0
    case_tokens: int = 0
    tokens: int = 0
    padding: int = 0
    signal: int | None = None
    error: dict[str, Any] | None = None
    asked: Asked | None = None
    money: float | None = None
    currency: str = ""


class RunTally(Struct):
    """What a run had told when it failed: nobody else can say then how far it was."""

    saved: int = 0
    progress: Progress | None = None

    def note(self, event: "Event") -> None:
        """Remember what counts of an event."""
        if isinstance(event, Saved):
            self.saved = event.total
        elif isinstance(event, Progress):
            self.progress = event

    def failed(self, error: dict[str, Any]) -> End:
        """Return the end of a run that failed, as far as it got."""
        if self.progress is None:
            return End("failed", saved=self.saved, error=error)
        progress = self.progress
        return End(
            "failed",
            scored=progress.done - progress.refused,
            refused=progress.refused,
            truncated=progress.truncated,
            left=progress.to_do - progress.done,
            saved=self.saved,
            seconds=progress.seconds,
            computing=progress.computing,
            tokens=progress.tokens,
            error=error,
            asked=progress.asked,
        )


Event = Doing | Start | Ready | Estimate | ClusterEstimate | Progress | Nodes | Saved | CaseRefused | Notice | End


def document(event: Event) -> dict[str, Any]:
    """Return the event as its JSON object."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
    return {"event": name, **to_builtins(event)}
