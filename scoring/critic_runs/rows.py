"""One answer of a critic as the row that is kept of it."""

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from scoring.asking import Answer, Prompt, TokenLogprobs
from scoring.critic_runs.plan import FAILED, REFUSED
from scoring.critics.protocol import Read
from scoring.critics.readers import read_answer, version


def answer_row(answer: Answer, read: Read, n_steps: int) -> dict[str, Any]:
    """The columns of `scoring.schema.VOTES` that an answer fills: the text as it came, and what it was read as.

    An answer that did not come has no text, and a reason that says whether to ask again.
    """
    row: dict[str, Any] = {
        "answer": answer.text,
        "reasoning": answer.reasoning,
        "finish_reason": answer.finish_reason,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "seed": answer.seed,
        "logprobs": None if answer.logprobs is None else _logprobs(answer.logprobs),
    }
    if answer.text is None:
        kind = REFUSED if answer.lasting else FAILED
        return row | {"reason": kind + (answer.reason or "nothing was said")}
    found = read_answer(read, answer.text, n_steps, reasoning=answer.reasoning, finish_reason=answer.finish_reason)
    return row | {
        "ballot": found.ballot,
        "verdict": found.verdict,
        "rewards": found.rewards,
        "redundancy": found.redundancy,
        "reason": found.reason,
        "reader": version(read),
    }


def prompt_hash(prompt: Prompt) -> str:
    """Hex blake2b (16 bytes) over the roles and texts of a prompt, each with its length."""
    digest = blake2b(digest_size=16)
    for message in prompt:
        for part in (message.role, message.text):
            raw = part.encode()
            digest.update(len(raw).to_bytes(8, "little"))
            digest.update(raw)
    return digest.hexdigest()


def _logprobs(tokens: Sequence[TokenLogprobs]) -> str:
    told = [[one.token, one.logprob, [list(pair) for pair in one.top]] for one in tokens]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))
