r"""Implicit PRMs and EurusPRM: two language models, and how much likelier the one finds the solution than the other.

    SYSTEM TURN, PROBLEM as the user's turn, then as the assistant's: "Step 1: STEP\n\nStep 2: STEP ..."

Every token t of the answer counts delta(t) = log p(t) under the PRM - log p(t) under its reference model, both over the
whole vocabulary in float32. A step's reward is r = beta times the sum of delta up to the end of the step, or over the
step alone (option `sum`). Both models read the same ids, so they must have one vocabulary. Which reference belongs to a
PRM is for whoever runs it to say: the authors' script takes Qwen2.5-7B-Instruct for EurusPRM and others take
Qwen2.5-Math-7B-Instruct; what its card takes is not known here.

A step is wrong where sigmoid(r) < t. The authors tune t on each set, near 0.5 as the sums are small, so r itself is
what is shown, and t = 0.5 is r = 0; `output=sigmoid` gives sigmoid(r).

Where a step ends (option `offsets`): `processbench`, the authors' script, renders the chat up to each step and takes
the number of its tokens less two as a place in delta, so that a step counts the separator behind it and one or two
tokens of the next "Step k", and the last step the end of the turn. `card` is the same but for one token more before the
first step. `exact` counts from the first token of the answer to the last one with text of the step. For all three a
token may be text of a step and its separator together, so that a step's reward may change when others follow: the last
step that is left of a case cut with --truncate has the reward that it has at the end of a text.
The authors' script for best-of-N takes Llama's end of the turn off before it counts, so that its steps end a token
earlier than those of `card`; that is not offered.

The chat is Qwen's or Llama 3's by the body, its system turn the one that the checkpoint's template puts first, as the
authors render it. Sources: PRIME-RL/ImplicitPRM, eval/processbench.py, process_eval.sh and prm_eval_utils.py; the model
cards of PRIME-RL/EurusPRM-Stage1 and -Stage2, as others have copied them.
"""

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import OUTPUT, Encoded, LogRatio, Readout, Refused
from scoring.data.storage.files import read_plain
from scoring.models.checkpoint import Checkpoint, Reference, missing_tokenizer, positive
from scoring.models.prms.base import (
    NO_STEPS,
    Encoder,
    Family,
    Options,
    Scale,
    Tokenizer,
    check_tensors,
    numbered,
    too_long,
    without_number,
)
from scoring.models.prms.chat import CHATML, LLAMA3, Chat, template_system

SEPARATOR = "\n\n"
_CHATS = {"qwen2": CHATML, "qwen3": CHATML, "llama": LLAMA3}
"""Body -> its chat."""
_OTHER = "Give the model that the PRM was trained from as --reference."


class ImplicitPrm(Family, frozen=True):
    """The adapter of one checkpoint. `max_length` in tokens, `hidden` the width of the body, `body` its model type.

    `own` is the text of the system turn, "" = none; `tied`: the output matrix is the embeddings.
    """

    body: str
    own: str = ""
    tied: bool = False
    beta: str = "0.001"
    sum: str = "cumulative"
    offsets: str = "processbench"
    output: str = "log-ratio"
    numbers: str = "kept"

    NAME = "implicit"
    HEAD = f"a language model with {OUTPUT}"
    OPTIONS: ClassVar[Options] = {
        "beta": ("0.001", "0.005"),
        "sum": ("cumulative", "single"),
        "offsets": ("processbench", "card", "exact"),
        "output": ("log-ratio", "sigmoid"),
        "system": ("template", "none"),
        "numbers": ("kept", "removed"),
    }
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "beta": "the factor of the log-ratio: 0.001, the code's own and the card's, or 0.005, as in process_eval.sh",
        "sum": "cumulative: over all tokens up to the end of the step; single: over those since the step before",
        "offsets": "where steps end. processbench: as the authors' script, one or two tokens late; card: likewise, and"
        " one token more at the start; exact: the last token of the step's own text",
        "output": "log-ratio: r itself; sigmoid: sigmoid(r), of which 0.5 is r = 0",
        "system": "template: the system turn that the checkpoint's chat template puts first; none: no system turn",
        "numbers": "removed: without a leading 'Step 3.' or '3.' before 'Step 3: ' is put there; kept: as they are",
    }
    CHECKPOINTS = ("PRIME-RL/EurusPRM-Stage1", "PRIME-RL/EurusPRM-Stage2")
    SOURCE = "PRIME-RL/ImplicitPRM, eval/processbench.py; the model cards of EurusPRM, as copied"
    SCALE = Scale("Implicit PRM", -1.0, 1.0, 0.0, "sigmoid(r) < 0.5; its authors tune it on each set")
    PREFIX = False
    SEPARATED = False

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the options, and the body with its system turn and its output matrix.

        Raises:
            ForeignCheckpoint: it is no language model whose chat is known.
            CheckpointError: the system turn is to be the template's and there is none.
        """
        config = checkpoint.config
        body = str(config.get("model_type"))
        if body not in _CHATS:
            raise ForeignCheckpoint(
                f"{checkpoint.name} is a {body} model, and adapter 'implicit' knows the chats of {', '.join(_CHATS)}.",
                "Another chat is an adapter of your own: --adapter FILE.py.",
            )
        own = template_system(checkpoint, _CHATS[body]) if options["system"] == "template" else ""
        kept = {name: value for name, value in options.items() if name != "system"}
        return {**kept, "body": body, "own": own, "tied": config.get("tie_word_embeddings") is True}

    @property
    def scale(self) -> Scale:
        """How to read the rewards."""
        if self.output == "log-ratio":
            return self.SCALE
        return Scale(self.SCALE.family, 0.0, 1.0, 0.5, "the middle; its authors tune the cut on each set")

    @property
    def readout(self) -> Readout:
        """The log-ratio of the text's own tokens, summed up."""
        head = _head(self.hidden, tied=self.tied)
        head = replace(head, factor=float(self.beta), single=self.sum == "single")
        return Readout(head, "sigmoid" if self.output == "sigmoid" else "none", (1.0,))

    @property
    def chosen(self) -> Mapping[str, Any]:
        """What of the settings is the family's own."""
        options = {name: getattr(self, name) for name in self.OPTIONS if name != "system"}
        return {"chat": self.body, "system_prompt": self.own, **options}

    def reference_model(self, policy: Checkpoint, reference: Checkpoint) -> Reference:
        """Return how the reference model is read, which fits this PRM (`policy`).

        Raises:
            ForeignCheckpoint: it is no language model, or has another vocabulary.
            CheckpointError: its config lacks a number, or a tokenizer is missing or damaged.
        """
        config = reference.config
        head = _head(positive(config, "hidden_size"), tied=config.get("tie_word_embeddings") is True)
        readout = Readout(head, "none", (1.0,))
        check_tensors(readout, reference, "implicit", f"a language model with {OUTPUT}")
        last = _check_vocabularies(policy, reference, _CHATS[self.body])
        rows = reference.shapes[readout.used(reference.shapes)[-1]][0]
        if last >= rows:
            raise ForeignCheckpoint(
                f"the reference model {reference.name} knows {rows:,} tokens, and {policy.name} has the id {last:,}.",
                _OTHER,
            )
        return Reference(reference, readout)

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: a token of the chat is not in the vocabulary.
        """
        return _Answer(self, tokenizer)


class _Answer:
    """The ids of a case, and where its steps end among the log-probabilities of its tokens."""

    def __init__(self, adapter: ImplicitPrm, tokenizer: Tokenizer) -> None:
        chat = _CHATS[adapter.body]
        self._adapter, self._writer, self._content = adapter, chat.writer(tokenizer), chat.content
        self._separator = len(tokenizer.encode(SEPARATOR))
        self._start = [*self._writer.start, *(self._writer.turn("system", adapter.own) if adapter.own else ())]

    def __call__(self, problem: str, steps: Sequence[str]) -> Encoded | Refused:
        """The tokens of one case. A position is of the token before the last one that counts for its step."""
        if not steps:
            return NO_STEPS
        bare = map(without_number, steps) if self._adapter.numbers == "removed" else steps
        texts = [numbered(text, number) for number, text in enumerate(bare, 1)]
        before = [*self._start, *self._writer.turn("user", problem)]
        opened, places = self._writer.spans("assistant", SEPARATOR.join(texts))
        ids = (*before, *opened, *self._writer.end)
        if len(ids) > self._adapter.max_length:
            return too_long(len(ids), self._adapter.max_length)
        if self._adapter.offsets == "exact":
            since, *ends = self._exact(texts, places)
        else:
            since, *ends = self._published(texts)
        since, *positions = (min(max(0, len(before) + end), len(ids) - 2) for end in (since, *ends))
        if any(before >= other for before, other in zip((since - 1, *positions), positions, strict=False)):
            return Refused("the steps do not end one behind the other in the tokens of this text")
        return Encoded(ids, tuple(positions), since=since)

    def _published(self, texts: Sequence[str]) -> list[int]:
        """The first place that counts, then the last one of each step, among the turn's tokens."""
        ends = []
        for number in range(len(texts) + 1):
            # Behind the text stands the token that ends the turn, and then, but for no and for all steps, a blank line.
            tail = 1 + (self._separator if 0 < number < len(texts) else 0)
            ends.append(len(self._writer.open("assistant", SEPARATOR.join(texts[:number]))) + tail - 2)
        return [ends[0] - (1 if self._adapter.offsets == "card" else 0), *ends[1:]]

    def _exact(self, texts: Sequence[str], places: Sequence[int]) -> list[int]:
        whole, written = self._content("assistant", SEPARATOR.join(texts)), 0
        ends = []
        for text in texts:
            written += len(text)
            # The token before the one whose text reaches the end of the step.
            ends.append(bisect_left(places, min(written, len(whole))) - 1)
            written += len(SEPARATOR)
        return [bisect_left(places, 1) - 1, *ends]


def _head(hidden: int, *, tied: bool) -> LogRatio:
    """The whole output matrix; that of a model which does not share it with the embeddings must be there."""
    return LogRatio((), hidden, whole=True) if tied else LogRatio((), hidden, whole=True, tied=OUTPUT)


def _check_vocabularies(policy: Checkpoint, reference: Checkpoint, chat: Chat) -> int:
    """Make sure that the same ids are the same tokens to both models; the largest id."""
    (own, own_added), (others, _) = _vocabulary(policy), _vocabulary(reference)
    # Tokens that somebody added to one of them alone are in no text, but for those that the chat is written with.
    spare = own_added - {chat.start, chat.turn, chat.role_end, chat.end}
    differing = [token for token, index in own.items() if others.get(token, index if token in spare else None) != index]
    if differing:
        first = min(differing, key=own.__getitem__)
        there = f"{others[first]:,} there" if first in others else "unknown there"
        raise ForeignCheckpoint(
            f"the reference model {reference.name} has another vocabulary than {policy.name}: {first!r} is "
            f"{own[first]:,} here and {there} ({len(differing):,} tokens differ).",
            _OTHER,
        )
    return max(own.values(), default=0)


def _vocabulary(checkpoint: Checkpoint) -> tuple[dict[str, int], set[str]]:
    """The ids of all tokens by their text, and the added ones among them."""
    path = checkpoint.tokenizer
    try:
        document = json.loads(read_plain(path))
        added = {str(token["content"]): int(token["id"]) for token in document["added_tokens"]}
        return {**document["model"]["vocab"], **added}, set(added)
    except FileNotFoundError:
        raise missing_tokenizer(path) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(
            f"{path} is not a tokenizer that can be compared ({type(error).__name__}).", "Download it again."
        ) from None
