"""A checkpoint's `tokenizer.json`, for text that must not be read as anything but text."""

import re
from collections.abc import Mapping
from pathlib import Path

from scoring.data.errors import CheckpointError, MissingExtra
from scoring.models.checkpoint import missing_tokenizer


class TokenizerFile:
    """The vocabulary in a `tokenizer.json`, exactly as the file describes it."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            CheckpointError: it is missing or damaged.
            MissingExtra: the package that reads it is not installed.
        """
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra("tokenizers", "score") from None
        if not path.is_file():
            raise missing_tokenizer(path)
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # noqa: BLE001  # the package raises the bare class for every damage
            raise CheckpointError(f"{path} cannot be read ({error}).", "Download the checkpoint again.") from None
        # Text that says <|im_end|> is five pieces of text. Added tokens that are not special are cut apart below.
        self._tokenizer.encode_special_tokens = True
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        added = self._tokenizer.get_added_tokens_decoder()
        self._specials = {token.content: index for index, token in added.items()}
        ordinary = [token.content for token in added.values() if token.content and not token.special]
        # Looked for at every place, because a cut inside one must not leave another behind it.
        self._ordinary = re.compile(f"(?={'|'.join(map(re.escape, ordinary))})") if ordinary else None

    def encode(self, text: str) -> list[int]:
        """Return the ids of plain text, no added token among them; [] for no text."""
        return [index for piece in self._pieces(text) for index in self._ids(piece)]

    def spans(self, text: str) -> tuple[list[int], list[int]]:
        """Return the ids, and for each the place in the text (characters, 0-based) behind the last it stands for."""
        ids: list[int] = []
        ends: list[int] = []
        start = 0
        for piece in self._pieces(text):
            encoding = self._tokenizer.encode(piece, add_special_tokens=False)
            ids += encoding.ids
            ends += [start + end for _, end in encoding.offsets]
            start += len(piece)
        return ids, ends

    def special(self, token: str) -> int | None:
        """Return the id of an added token."""
        return self._specials.get(token)

    @property
    def added(self) -> Mapping[str, int]:
        """The added tokens, special or not: text -> id."""
        return self._specials

    def piece(self, index: int) -> str | None:
        """Return the vocabulary's own writing of a token; None for an id that it does not have."""
        text: str | None = self._tokenizer.id_to_token(index)
        return text

    def has(self, piece: str) -> bool:
        """Return whether the vocabulary has a piece of this writing."""
        return self._tokenizer.token_to_id(piece) is not None

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def _pieces(self, text: str) -> list[str]:
        """The text cut after the first character of whatever would be matched as an added token."""
        if self._ordinary is None:
            return [text]
        cuts = [match.start() + 1 for match in self._ordinary.finditer(text)]
        return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
