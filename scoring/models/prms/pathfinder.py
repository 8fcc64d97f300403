r"""PathFinder-PRM: a chat a step; the signs of two kinds of error, then P(the step is right) where both are `<+>`.

    user: SENTENCE\n\n Question: PROBLEM
    assistant: STEP\n\nSTEP\n\nCurrent Step: STEP Math reasoning: <extra>, Consistency: <extra>

Before each `<extra>` the model says `<+>` or `<->`. If either is likelier `<->` the step is wrong and its reward is -1.
Else the signs stand in the place of the two `<extra>`, `, Correctness: <extra>` follows them, and the reward is the
share of `<+>` in the two signs before that. The second chat is run whatever the first gives, as only `<+>` can stand in
it; so a case is read twice a step.

Option `reading`, the model card's own first. `processbench`, the authors' script for it: the first chat alone, and a
step is wrong where the likeliest token of either place is `<->`; the reward is the lesser P(`<+>`) of the two signs. (A
third token, likelier than both, ends that script; here the two are compared.) `prmbench`, their code for it: the first
chat with `Current step:`, steps without numbers, and P(`<+>`) among all tokens, of which the lesser is taken: a step is
right there where both are 0.5 or more. (That code stores their mean beside this.) The sentence differs in all three.
System turn: the one that the checkpoint's chat template puts first, option `system`.

Sources: declare-lab/PathFinder-PRM, src/evaluation and src/data_generation/build_dataset.py; the model card of
declare-lab/PathFinder-PRM-7B, as others have copied it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import OUTPUT, Encoded, Readout, Refused, Vocabulary
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import (
    NO_STEPS,
    Encoder,
    Family,
    Options,
    Scale,
    Tokenizer,
    special_id,
    too_long,
    without_number,
)
from scoring.models.prms.chat import CHATML, template_system

GOOD, BAD, EXTRA = "<+>", "<->", "<extra>"
_TEACHER = "You are a Math Teacher. Given a question and a student's solution, evaluate the"
_FUTURE = "logic consistency of the current step and whether it will lead to the correct final solution"
SENTENCES = {
    "card": f"{_TEACHER} mathemetical correctness, {_FUTURE}",
    "processbench": f"{_TEACHER} mathematical correctness, {_FUTURE}",
    "prmbench": f"{_TEACHER} mathematical correctness and logic consistency of the current step.",
}
"""What the model is told, by reading; the card has the slip of the pen."""


class PathfinderPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family.

    `signs` are the ids of `<+>` and `<->`, which differ by checkpoint; `own` is the system turn, "" = none.
    """

    signs: tuple[int, int]
    own: str = ""
    tied: bool = False
    reading: str = "card"

    NAME = "pathfinder"
    HEAD = f"a language model with {OUTPUT}"
    OPTIONS: ClassVar[Options] = {"reading": tuple(SENTENCES), "system": ("template", "none")}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "reading": "card: two passes, -1 or P(correct); processbench: the lesser sign of the first pass, as in the"
        " authors' script; prmbench: likewise among all tokens, steps without numbers, as in their code for it",
        "system": "template: the system turn that the checkpoint's chat template puts first; none: no system turn",
    }
    CHECKPOINTS = ("declare-lab/PathFinder-PRM-7B",)
    CHOSEN: ClassVar[Mapping[str, str]] = {"reading": "reading", "system_prompt": "own"}
    SOURCE = "declare-lab/PathFinder-PRM, src/evaluation; the model card, as copied"
    SCALE = Scale("PathFinder-PRM", -1.0, 1.0, 0.5, "the likelier of the two signs; -1 is wrong anyway")

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the reading, and the checkpoint's signs, system turn and output matrix.

        Raises:
            ForeignCheckpoint: its vocabulary has not the family's three tokens.
            CheckpointError: the tokenizer is missing or damaged, or the system turn is to be the template's and there
                is none.
        """
        added = checkpoint.added_tokens
        if lacking := [token for token in (GOOD, BAD, EXTRA) if token not in added]:
            raise ForeignCheckpoint(
                f"the vocabulary of {checkpoint.name} has no token {lacking[0]}, with which PathFinder-PRM judges.",
                "Use the tokenizer.json that came with the PRM.",
            )
        own = template_system(checkpoint, CHATML) if options["system"] == "template" else ""
        tied = checkpoint.config.get("tie_word_embeddings") is True
        return {"signs": (added[GOOD], added[BAD]), "own": own, "tied": tied, "reading": options["reading"]}

    @property
    def scale(self) -> Scale:
        """How to read the rewards."""
        if self.reading == "card":
            return self.SCALE
        whose = {
            "processbench": "the likelier sign at both places",
            "prmbench": "both are 0.5 or more, as in their code for PRMBench",
        }
        return Scale(self.SCALE.family, 0.0, 1.0, 0.5, whose[self.reading])

    @property
    def readout(self) -> Readout:
        """The share of `<+>` at each place, of the two signs or of all tokens, and what the places of a step become."""
        whole = self.reading == "prmbench"
        tied: dict[str, Any] = {} if self.tied else {"tied": OUTPUT}
        head = Vocabulary(self.signs[:1] if whole else self.signs, self.hidden, whole=whole, **tied)
        return Readout(head, reward=(1.0, 0.0), combine="gate" if self.reading == "card" else "least")

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: a token is not in the vocabulary, or a sign has another id in it.
        """
        return _Chats(self, tokenizer)


class _Chats:
    """The ids of a case: a chat a step, or two; the pieces that are alike in every case are made once."""

    def __init__(self, adapter: PathfinderPrm, tokenizer: Tokenizer) -> None:
        self._adapter, self._encode = adapter, tokenizer.encode
        self._writer = CHATML.writer(tokenizer)
        self._start = self._writer.turn("system", adapter.own) if adapter.own else []
        self._extra = special_id(tokenizer, EXTRA)
        sign_ids = (special_id(tokenizer, GOOD), special_id(tokenizer, BAD))
        if sign_ids != adapter.signs:
            raise CheckpointError(
                f"the tokenizer has {GOOD} and {BAD} as {sign_ids}, and the adapter was made for {adapter.signs}.", ""
            )
        self._consistency, self._correctness = (self._encode(f", {name}: ") for name in ("Consistency", "Correctness"))
        self._sentence = SENTENCES[adapter.reading]
        self._current = "Current step: " if adapter.reading == "prmbench" else "Current Step: "

    def __call__(self, problem: str, steps: Sequence[str]) -> Encoded | Refused:
        """The tokens of one case, a sequence a pass and step."""
        if not steps:
            return NO_STEPS
        prmbench, twice = self._adapter.reading == "prmbench", self._adapter.reading == "card"
        texts = [without_number(step) for step in steps] if prmbench else steps
        before = [*self._start, *self._writer.turn("user", f"{self._sentence}\n\n Question: {problem}")]
        sequences = []
        for number, step in enumerate(texts):
            earlier = "\n\n".join(texts[:number])
            # PRMBench's code leaves the blank line out where the earlier steps are empty texts.
            context = f"{earlier}\n\n" if (earlier if prmbench else number) else ""
            opened = [*before, *self._writer.open("assistant", f"{context}{self._current}{step} Math reasoning: ")]
            ids = [*opened, self._extra, *self._consistency, self._extra]
            places = (len(opened) - 1, len(ids) - 2)
            sequences.append(Encoded((*ids, *self._writer.end), places))
            if twice:
                good = self._adapter.signs[0]
                ids = [*opened, good, *self._consistency, good, *self._correctness, self._extra]
                sequences.append(Encoded((*ids, *self._writer.end), (len(ids) - 2,)))
        longest = max(len(sequence.ids) for sequence in sequences)
        if longest > self._adapter.max_length:
            return too_long(longest, self._adapter.max_length)
        return Encoded.together(sequences, places=3 if twice else 2)
