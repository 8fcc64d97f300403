"""Text to ids: a byte-level BPE trained on the stream, split as Qwen2 splits, and the layout of a case.

Ids are built piece by piece, and no piece of data is ever searched for special tokens: a step that says `<extra_0>`
is eight tokens or so like any other text, and each step has exactly one separator after it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from generator.stream import examples
from tiny_prm.recipes import TOKENIZER_EXAMPLES, TRAINING_SEED, VOCABULARY

PADDING, TURN, TURN_END, SEPARATOR = "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<extra_0>"
SPECIALS = (PADDING, TURN, TURN_END, SEPARATOR)
"""They have the last ids, in this order."""

SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
"""Qwen2's: every digit is a piece of its own."""

CHAT_TEMPLATE = (
    "{%- for message in messages if message.role != 'system' -%}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"
)
"""Qwen2.5's turns; a system turn says nothing to this model and is left out."""


def train(texts: Iterable[str], size: int) -> Tokenizer:
    """A tokenizer with `size` entries, the special ones included; equal texts give an equal tokenizer."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in SPECIALS])
    tokenizer.encode_special_tokens = True
    return tokenizer


@dataclass(frozen=True)
class Encoded:
    """A case as ids. All positions are 0-based indices into `ids`.

    `separators[i]` is where the separator after step `i` stands; `ends[i]` holds, for each token of step `i`, the
    character of the step at which the token ends, and `starts[i]` the position of the step's first token.
    """

    ids: tuple[int, ...]
    separators: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[tuple[int, ...], ...]


class Encoder:
    """Cases to ids with one tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Take a tokenizer that has the four special tokens.

        Raises:
            ValueError: it lacks one.
        """
        tokenizer.encode_special_tokens = True
        self.padding, turn, end, self.separator = (_id(tokenizer, token) for token in SPECIALS)
        self._pieces = lru_cache(maxsize=4096)(lambda text: _pieces(tokenizer, text))
        self._before = (turn, *self._pieces("user\n")[0])
        self._between = (end, *self._pieces("\n")[0], turn, *self._pieces("assistant\n")[0])
        self._after = (end, *self._pieces("\n")[0])
        self.digits = frozenset(_id(tokenizer, digit) for digit in "0123456789")

    def __call__(self, problem: str, steps: Sequence[str]) -> Encoded:
        """The ids of a case in the layout of the chat template: one user turn, one assistant turn."""
        ids = [*self._before, *self._pieces(problem)[0], *self._between]
        separators, starts, ends = [], [], []
        for step in steps:
            step_ids, step_ends = self._pieces(step)
            starts.append(len(ids))
            ends.append(step_ends)
            ids += step_ids
            separators.append(len(ids))
            ids.append(self.separator)
        return Encoded((*ids, *self._after), tuple(separators), tuple(starts), tuple(ends))


def _id(tokenizer: Tokenizer, token: str) -> int:
    found = tokenizer.token_to_id(token)
    if found is None:
        raise ValueError(f"the tokenizer has no entry {token!r}")
    return found


def _pieces(tokenizer: Tokenizer, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids of a text and the character at which each token ends."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    return tuple(encoding.ids), tuple(end for _start, end in encoding.offsets)


def of_the_stream() -> Tokenizer:
    """The tokenizer of the shipped checkpoints: trained on the first examples of the training stream."""

    def texts() -> Iterator[str]:
        for example in islice(examples(TRAINING_SEED), TOKENIZER_EXAMPLES):
            yield example.problem
            yield from example.steps

    return train(texts(), VOCABULARY)
