"""What rewards are joined on where a scorer reads more of a case than its problem and steps."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import polars as pl

from scoring.data.context_messages import context_messages, tools_text
from scoring.data.texts import Texts

BEFORE_ALL = -1
"""The place of the tools in a context that is written as a text: no step, since they hold for all."""


OF_PROBLEMS = ("question", "reference_answer")
"""Texts of `scoring.data.schema.READABLE` that belong to a problem: the unharmed original of a case has them too."""


def text_columns(reads: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of the texts that a scorer needs which reads these of `scoring.data.schema.READABLE`."""
    return (*reads, "tools") if "context" in reads else tuple(reads)


def further_texts(
    reads: Sequence[str], case: Mapping[str, Any], texts: Mapping[str, Any]
) -> Iterator[tuple[str, str | None]]:
    """Yield the name and the text of everything that a scorer reads beside problem and steps.

    The context of a trajectory is the JSON of a list, `[step that it stands before (0-based), speaker, text]` a
    message. Where the agent had tools the first entry is `[BEFORE_ALL, "tools", JSON of their definitions]`.

    Args:
        reads: some of `scoring.data.schema.READABLE`.
        case: its row of the cases frame.
        texts: its row of the texts.
    """
    for name in reads:
        if name != "context":
            yield name, texts.get(name)
            continue
        # Without the places of its steps a context would be another one.
        there = context_messages(case, texts)
        placed, tools = bool(case.get("step_messages")), tools_text(texts)
        messages = [(BEFORE_ALL, "tools", tools)] if tools and placed else []
        messages += [(message.before, message.speaker, message.text) for message in there if placed]
        yield name, json.dumps(messages, ensure_ascii=False, separators=(",", ":")) if messages else None


def reward_keys(cases: pl.DataFrame, texts: Texts, reads: Sequence[str]) -> pl.DataFrame:
    """Return the cases with the keys of a scorer's rewards in place of their contents' keys.

    Args:
        cases: n rows with a column `key`.
        texts: theirs, row for row.
        reads: what the scorer reads beside problem and steps, some of `scoring.data.schema.READABLE`; with none the
            frame comes back as it is.

    A case that has none of these texts keeps its key. So cases of equal problem and steps share their rewards where
    the further texts are equal too, and only there.

    Raises:
        DamagedWorkspace: a file of texts has gone or cannot be read.
    """
    if not reads:
        return cases
    rows = cases.select(pl.col("^(key|step_messages)$")).iter_rows(named=True)
    of_texts = texts.frame(text_columns(reads)).iter_rows(named=True)
    keys = [
        reward_key(case["key"], further_texts(reads, case, further))
        for case, further in zip(rows, of_texts, strict=True)
    ]
    return cases.with_columns(key=pl.Series(keys, dtype=pl.String))


def reward_key(key: str, further: Iterable[tuple[str, str | None]]) -> str:
    """Compute the hex blake2b (16 bytes) over a content's key and the further texts, each name and text with its
    length.

    It is the key itself where no text is there.
    """
    present = [(name, text) for name, text in further if text is not None]
    if not present:
        return key
    digest = blake2b(digest_size=16)
    for part in (key, *(part for pair in present for part in pair)):
        raw = part.encode()
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()
