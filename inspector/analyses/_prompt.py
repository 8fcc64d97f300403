"""What a critic was sent about a case, message for message, and how it is known that it is exactly that."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from inspector.analyses import Params
from inspector.critique.kept import kept_answers
from inspector.provenance import program_version
from inspector.render.view import Block, Facts, Note, Section, Verbatim, View
from inspector.selection import Selection
from scoring.errors import UsageError
from scoring.prompts import Sent, sampling_words, sent
from scoring.scorer import Scorer

MESSAGES = {
    # Of the answers with this prompt the first one.
    "run": pl.Int32(),
    "vote": pl.Int32(),
    # Calls of an answer and messages of a call from 0; the step that a call is about, null where it is about all.
    "call": pl.Int32(),
    "step": pl.Int32(),
    "message": pl.Int32(),
    "role": pl.String(),
    "text": pl.String(),
}


class _Asked(NamedTuple):
    """One prompt, the first answer to it (None where there is none) and how many answers it has."""

    sent: Sent
    answer: Mapping[str, Any] | None
    answers: int


def prompt_view(results: Selection, row: int, params: Params) -> View:
    """Give what the one scorer that is named was sent about the case with this row id.

    Raises:
        UsageError: no scorer is named and several could be meant, or it is sent no prompt.
        InputError: its template was not kept.
    """
    scorer, case = _scorer(results), results.cases["case"][row]
    found = _asked(results, row, scorer)
    rows = [
        {**_of(one.answer), "call": call, "step": each.step, "message": at, "role": message.role, "text": message.text}
        for one in found
        for call, each in enumerate(one.sent.calls)
        for at, message in enumerate(each.prompt)
    ]
    facts = {
        "command": results.request.command("show", case, "--prompt", form=params.form),
        "version": program_version(),
        "case": case,
        "scorer": scorer.name,
        "sampling": scorer.settings.get("sampling"),
        "template": found[0].sent.template,
        "kept": found[0].sent.kept,
        # Whether the hash of what is here is the one beside the answer; null = there is no answer.
        "exact": [one.sent.fits for one in found],
        "notes": [one.sent.words for one in found],
    }
    warnings = tuple(one.sent.words for one in found if one.sent.fits is False)
    return View(
        pl.DataFrame(rows, schema=MESSAGES, orient="row"),
        facts,
        title="Prompt",
        lay_out=lambda: (Section(f"{case} as {scorer.name} was asked", "prompt", tuple(_blocks(scorer, found))),),
        because=warnings if params.form else (),
    )


def _scorer(results: Selection) -> Scorer:
    """The scorer that is named, or the only one here that is sent prompts."""
    scorers = [one.scorer for one in results.chosen_evaluations]
    asked = [one for one in scorers if {"protocol", "template"} <= one.settings.keys()]
    if not results.request.scorers and len(asked) != 1:
        names = f"There are: {', '.join(one.name for one in asked)}." if asked else "There is none."
        raise UsageError("--prompt is about one critic.", f"Name it with --scorer. {names}")
    if results.request.scorers and len(scorers) != 1:
        raise UsageError("--prompt is about one critic, and several are named.", "Name one.")
    return scorers[0] if results.request.scorers else asked[0]


def _asked(results: Selection, row: int, scorer: Scorer) -> Sequence[_Asked]:
    """Every prompt that differs from the others, with its first answer."""
    texts = results.texts.row(row)
    answers: dict[str | None, list[Mapping[str, Any]]] = {}
    for answer in kept_answers(results, scorer.name, row).iter_rows(named=True):
        answers.setdefault(answer["prompt"], []).append(answer)
    groups: list[list[Mapping[str, Any]]] = list(answers.values()) or [[]]
    root, problem, steps = results.workspace.root, texts["problem"], texts["steps"]
    return [
        _Asked(sent(root, scorer, problem, steps, of_it[0] if of_it else None), of_it[0] if of_it else None, len(of_it))
        for of_it in groups
    ]


def _of(answer: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: None if answer is None else answer[name] for name in ("run", "vote")}


def _blocks(scorer: Scorer, found: Sequence[_Asked]) -> Iterator[Block]:
    yield Facts(
        (
            ("asked as", str(scorer.settings["protocol"])),
            ("model", str(scorer.settings.get("model") or scorer.family)),
            ("sampling", sampling_words(scorer, found[0].answer["seed"] if found[0].answer else None)),
        )
    )
    for one in found:
        words = f"{one.sent.words[:1].upper()}{one.sent.words[1:]}."
        if one.answer is not None and len(found) > 1:
            words = f"Run {one.answer['run']}, vote {one.answer['vote']}. {words}"
        yield Note(words, "" if one.sent.fits is not False else "warning")
        for call, each in enumerate(one.sent.calls):
            which = f"call {call}, " if len(one.sent.calls) > 1 else ""
            which += "" if each.step is None else f"step {each.step}, "
            yield from (Verbatim(f"{which}{message.role}", message.text) for message in each.prompt)
    yield Note("How a server's chat template makes tokens of the messages is the model's own.", "quiet")
