"""The meaning of each output of a reward head, for an adapter and in the checkpoint's config.json.

An adapter weighs the outputs, which says what each of them means to it: right, neutral or wrong. `id2label` and
`label2id` of config.json may name them: the names of the Hugging Face classes for tokens and sequences. Where names and
adapter disagree, every reward would be that of the opposite label, so the checkpoint is refused until the option
`outputs` says which of the two holds. Names that say nothing (LABEL_0) are ignored.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import CheckpointError, UsageError
from scoring.data.readout import Readout, Vocabulary
from scoring.models.checkpoint import CONFIG, Checkpoint
from scoring.models.prms.base import Adapter, Encoder, Scale, Tokenizer

OPTION = "outputs"
OPTION_MEANING = f"the meaning of each output of the head, in order; needed where {CONFIG} names them otherwise"

RIGHT, NEUTRAL, WRONG = "right", "neutral", "wrong"
_OPPOSITE = {RIGHT: WRONG, WRONG: RIGHT}

_LISTS = {
    RIGHT: "+ right correct true positive good valid accurate sound yes pass passed accepted",
    NEUTRAL: "neutral ok okay",
    WRONG: "- wrong incorrect false negative bad invalid inaccurate unsound fail failed rejected "
    "error errors erroneous mistake mistakes mistaken flaw flawed faulty hallucination",
}
_WORDS = {word: meaning for meaning, words in _LISTS.items() for word in words.split()}
_NEGATIONS = frozenset({"no", "not", "non", "without", "free"})
_TOKEN = re.compile(r"[^\W\d_]+|[+-]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIGN_BETWEEN_WORDS = re.compile(r"(?<=\w)-(?=\w)")
_MINUS_SIGNS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}", "--")


class OutputLabels(Struct, frozen=True):
    """The names that config.json has for the outputs of a head.

    Attributes:
        names: The name of each output, () where config.json names none of them in a way that says something.
        readings: What each source (`id2label`, `label2id`) says of each output, "" where it says nothing. Sources that
            say nothing at all are left out.
        count: How many outputs config.json names.
    """

    names: tuple[str, ...] = ()
    readings: Mapping[str, tuple[str, ...]] = {}
    count: int = 0


def meaning_of(label: str) -> str:
    """Return right, neutral or wrong for a label, or "" where its words say nothing or contradict each other."""
    text = _SIGN_BETWEEN_WORDS.sub(" ", label.translate(_MINUS_SIGNS))
    words = _TOKEN.findall(text.casefold())
    if not _WORDS.keys() & {*words}:
        # Only then, because "InCorrect" is one word.
        words = _TOKEN.findall(_CAMEL.sub(" ", text).casefold())
    if words == ["no"]:
        return WRONG
    meanings = {_WORDS[word] for word in words if word in _WORDS}
    if len(meanings) != 1:
        return ""
    meaning = meanings.pop()
    is_negated = sum(word in _NEGATIONS for word in words) % 2 == 1
    # "Not neutral" says nothing of the direction.
    return _OPPOSITE.get(meaning, "") if is_negated else meaning


def meanings_of(readout: Readout) -> tuple[str, ...]:
    """Return what each output of a head means to an adapter, by its weights.

    () for tokens of a language model, which config.json does not name, and for weights that give no direction.
    """
    if isinstance(readout.head, Vocabulary):
        return ()
    weights = readout.reward
    if len(weights) == 1:
        return (RIGHT if weights[0] > 0 else WRONG,) if weights[0] else ()
    low, high = min(weights), max(weights)
    if low == high:
        return ()
    redundancy = readout.redundancy or (0.0,) * len(weights)
    meanings = {low: WRONG, high: RIGHT}
    return tuple(
        NEUTRAL if redundant > 0 else meanings.get(weight, NEUTRAL)
        for weight, redundant in zip(weights, redundancy, strict=True)
    )


def orders(meanings: Sequence[str]) -> tuple[str, ...]:
    """Return values of the option `outputs` for a head whose outputs have these meanings, the adapter's own first.

    All values, for a head of at most four outputs.
    """
    if len(meanings) == 1:
        return (meanings[0], _OPPOSITE[meanings[0]])
    every = permutations(meanings) if len(meanings) <= _FEW else (tuple(meanings),)
    return tuple(dict.fromkeys(",".join(order) for order in every))


def labels_of(config: Mapping[str, Any], outputs: int) -> OutputLabels:
    """Read the names of so many outputs from a config.json.

    Of two names for one output, which is then the logit of a binary head, the second names what a high number means.
    """
    sources = {"id2label": _by_index(config.get("id2label")), "label2id": _by_label(config.get("label2id"))}
    labels = {source: names for source, names in sources.items() if any(map(meaning_of, names.values()))}
    if not labels:
        return OutputLabels()
    count = max(index for names in labels.values() for index in names) + 1
    if outputs == 1 and count == 2:
        labels = {source: {0: names[1]} if 1 in names else {} for source, names in labels.items()}
        count = 1
    readings = {
        source: tuple(meaning_of(names.get(index, "")) for index in range(outputs)) for source, names in labels.items()
    }
    names_by_output = [dict.fromkeys(names[at] for names in labels.values() if at in names) for at in range(outputs)]
    names = tuple(" / ".join(names) or f"output {index}" for index, names in enumerate(names_by_output))
    return OutputLabels(names, readings, count)


def _by_index(id2label: Any) -> dict[int, str]:
    if isinstance(id2label, list):
        id2label = dict(enumerate(id2label))
    return _labels((key, label) for key, label in id2label.items()) if isinstance(id2label, Mapping) else {}


def _by_label(label2id: Any) -> dict[int, str]:
    return _labels((index, label) for label, index in label2id.items()) if isinstance(label2id, Mapping) else {}


def _labels(pairs: Any) -> dict[int, str]:
    """Labels by output. Several labels of one output are joined: they say something only where they agree."""
    labels: dict[int, str] = {}
    for index, label in pairs:
        number = str(index).strip()
        if not isinstance(index, bool) and number.isdecimal() and len(number) < _DIGITS:
            name = " ".join(str(label).split())[:_LONGEST_LABEL]
            labels[int(number)] = f"{labels[int(number)]} or {name}" if int(number) in labels else name
    return labels


_FEW, _DIGITS, _LONGEST_LABEL = 4, 5, 40


def check_labels(adapter: Adapter, checkpoint: Checkpoint, outputs: str | None, name: str) -> Adapter:
    """Return the adapter as it reads a checkpoint whose config.json may name the outputs of the head.

    Args:
        adapter: of the checkpoint.
        checkpoint: with its config.
        outputs: the value of the option `outputs`; None where it was not given.
        name: of the adapter.

    Raises:
        CheckpointError: config.json contradicts the adapter or itself, and `outputs` is None.
        UsageError: `outputs` does not fit the head.
    """
    own = meanings_of(adapter.readout)
    if not own:
        if outputs is not None:
            raise UsageError(
                f"adapter {name!r} has no option {OPTION!r}: no output of its head has a name.", "Leave it out."
            )
        return adapter
    allowed = orders(own)
    chosen = None if outputs is None else ",".join(part.strip() for part in outputs.split(","))
    if chosen is not None and chosen not in allowed and (len(own) == 1 or sorted(chosen.split(",")) != sorted(own)):
        raise UsageError(f"{OPTION} of adapter {name!r} is not {outputs!r}.", f"Give {' or '.join(allowed)}.")
    labels = labels_of(checkpoint.config, len(own))
    is_contradicted = labels.count > len(own) or any(
        _contradicts(reading, own) or _contradicts(reading, other)
        for reading in labels.readings.values()
        for other in labels.readings.values()
    )
    if chosen is None and is_contradicted:
        raise _refusal(checkpoint, name, own, labels)
    if chosen is None or (chosen == allowed[0] and not is_contradicted):
        return adapter
    # A decision is part of the fingerprint even if it is the adapter's own reading: results that were made without one
    # stay apart.
    return cast("Adapter", AdapterWithOutputs(adapter, chosen))


def _contradicts(reading: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two meanings of an output exclude each other. Neutral matters only where both know it."""
    has_neutral = NEUTRAL in reading and NEUTRAL in other
    return any(
        meaning != against and meaning and against and (has_neutral or NEUTRAL not in {meaning, against})
        for meaning, against in zip(reading, other, strict=True)
    )


def _refusal(checkpoint: Checkpoint, name: str, own: tuple[str, ...], labels: OutputLabels) -> CheckpointError:
    """Name all readings, each with the flags that choose it."""
    allowed = orders(own)
    offered: dict[str, str] = {}
    for source, reading in labels.readings.items():
        complete = [",".join(reading)] if sorted(reading) == sorted(own) else []
        fitting = complete or [order for order in allowed if not _contradicts(reading, order.split(","))]
        if len(fitting) == 1 and labels.count <= len(own):
            offered[fitting[0]] = f"as {source} of {CONFIG}"
    if not offered:
        offered = dict.fromkeys(allowed[1:], "if the checkpoint was trained so")
    offered.setdefault(allowed[0], f"as adapter {name!r}, against {CONFIG}")
    if labels.count > len(own):
        sentence = f"{CONFIG} of {checkpoint.name} names {labels.count} outputs, and the head has {len(own)}"
    else:
        named = ", ".join(f"output {index} {label!r}" for index, label in enumerate(labels.names))
        sentence = f"{CONFIG} of {checkpoint.name} calls {named}"
    return CheckpointError(
        f"{sentence}; adapter {name!r} reads {_listed(own)}. One of the two would reverse every reward.",
        "Choose one of these readings.",
        instead=[
            (f"--option {OPTION}={order}", f"{_listed(order.split(','))}, {why}") for order, why in offered.items()
        ],
    )


def _listed(meanings: Sequence[str]) -> str:
    return ", ".join(f"output {index} as {meaning}" for index, meaning in enumerate(meanings))


class AdapterWithOutputs(Struct, frozen=True):
    """An adapter that reads the outputs of its head in the order of the option `outputs`. See
    `scoring.models.prms.base`.
    """

    adapter: Adapter
    outputs: str

    def __getattr__(self, name: str) -> Any:
        """Return what else the adapter has, such as `cautions`."""
        return getattr(self.adapter, name)

    @property
    def scale(self) -> Scale:
        """How to read the rewards."""
        return self.adapter.scale

    @property
    def reads(self) -> tuple[str, ...]:
        """Which texts of a case are read beside problem and steps, by column."""
        return tuple(getattr(self.adapter, "reads", ()))

    @property
    def readout(self) -> Readout:
        """The adapter's read-out with its weights put in the order of `outputs`."""
        return reordered(self.adapter.readout, self.outputs.split(","))

    @property
    def settings(self) -> Mapping[str, Any]:
        """The adapter's settings, and the order of the outputs."""
        return {**self.adapter.settings, OPTION: self.outputs}

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the adapter's encoder.

        Raises:
            CheckpointError: the tokenizer lacks a token that the family needs.
        """
        return self.adapter.encoder(tokenizer)


def reordered(readout: Readout, outputs: Sequence[str]) -> Readout:
    """Return a read-out for a head whose outputs have these meanings, which are those of the read-out in some order.

    One output that means the opposite gives the opposite number: 1 - P for a probability, -x for a logit.
    """
    own = meanings_of(readout)
    if len(outputs) == 1:
        if outputs[0] == own[0]:
            return readout
        weight = readout.reward[0]
        return replace(readout, reward=(-weight,), offset=readout.offset + weight * (readout.transform == "sigmoid"))
    columns: list[int] = []
    for meaning in outputs:
        columns.append(next(index for index, known in enumerate(own) if known == meaning and index not in columns))
    redundancy = readout.redundancy
    return replace(
        readout,
        reward=tuple(readout.reward[column] for column in columns),
        redundancy=None if redundancy is None else tuple(redundancy[column] for column in columns),
    )
