"""What a critic was sent about a case, message for message, and how it is known that it is exactly that."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from inspector.analyses import Params
from inspector.render.blocks import Block, Facts, Note, Section, Verbatim
from inspector.render.view import View
from inspector.state.kept_answers import kept_answers
from scoring import __version__
from scoring.data.errors import UsageError
from scoring.data.names import name_choices
from scoring.data.scorer import Scorer
from scoring.runs.prompts import SentPrompt, sampling_words, sent
from scoring.selection.result_set import ResultSet

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

    sent: SentPrompt
    answer: Mapping[str, Any] | None
    answers: int


def prompt_view(results: ResultSet, row: int, params: Params) -> View:
    """Show what the one scorer that is named was sent about the case with this row id.

    Raises:
        UsageError: no scorer is named and several could be meant, or it is sent no prompt.
        InputError: its template was not kept.
    """
    scorer, case = _scorer(results), results.cases["case"][row]
    prompts = _asked(results, row, scorer)
    rows = [
        {
            **_of(prompt.answer),
            "call": call,
            "step": each.step,
            "message": at,
            "role": message.role,
            "text": message.text,
        }
        for prompt in prompts
        for call, each in enumerate(prompt.sent.calls)
        for at, message in enumerate(each.prompt)
    ]
    facts = {
        "command": results.query.command("show", case, "--prompt", form=params.form),
        "version": __version__,
        "case": case,
        "scorer": scorer.name,
        "sampling": scorer.settings.get("sampling"),
        "template": prompts[0].sent.template,
        "kept": prompts[0].sent.kept,
        # Whether the hash of what is here is the one beside the answer; null = there is no answer.
        "exact": [prompt.sent.fits for prompt in prompts],
        "notes": [prompt.sent.words for prompt in prompts],
    }
    warnings = tuple(prompt.sent.words for prompt in prompts if prompt.sent.fits is False)
    return View(
        pl.DataFrame(rows, schema=MESSAGES, orient="row"),
        facts,
        title="Prompt",
        lay_out=lambda: (
            Section(f"{case} as {scorer.name} was asked", "prompt", tuple(_prompt_blocks(scorer, prompts))),
        ),
        because=warnings if params.form else (),
    )


def _scorer(results: ResultSet) -> Scorer:
    """The scorer that is named, or the only one here that is sent prompts."""
    scorers = [evaluation.scorer for evaluation in results.chosen_evaluations]
    prompted = [scorer for scorer in scorers if {"protocol", "template"} <= scorer.settings.keys()]
    if not results.query.scorers and len(prompted) != 1:
        names = f"There are: {', '.join(scorer.name for scorer in prompted)}." if prompted else "There is none."
        choices = name_choices("--scorer", [scorer.name for scorer in prompted], "prompt of")
        raise UsageError("--prompt is about one critic.", f"Name it with --scorer. {names}", instead=choices)
    if results.query.scorers and len(scorers) != 1:
        raise UsageError("--prompt is about one critic, and several are named.", "Name one.")
    return scorers[0] if results.query.scorers else prompted[0]


def _asked(results: ResultSet, row: int, scorer: Scorer) -> Sequence[_Asked]:
    """Every prompt that differs from the others, with its first answer."""
    texts = results.loaded.texts.row(row)
    answers: dict[str | None, list[Mapping[str, Any]]] = {}
    for answer in kept_answers(results, scorer.name, row).iter_rows(named=True):
        answers.setdefault(answer["prompt"], []).append(answer)
    groups: list[list[Mapping[str, Any]]] = list(answers.values()) or [[]]
    root, about = results.loaded.workspace.root, results.cases.row(row, named=True)
    return [
        _Asked(sent(root, scorer, about, texts, of_it[0] if of_it else None), of_it[0] if of_it else None, len(of_it))
        for of_it in groups
    ]


def _of(answer: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: None if answer is None else answer[name] for name in ("run", "vote")}


def _prompt_blocks(scorer: Scorer, prompts: Sequence[_Asked]) -> Iterator[Block]:
    yield Facts(
        (
            ("asked as", str(scorer.settings["protocol"])),
            ("model", str(scorer.settings.get("model") or scorer.family)),
            ("sampling", sampling_words(scorer, prompts[0].answer["seed"] if prompts[0].answer else None)),
        )
    )
    for prompt in prompts:
        words = f"{prompt.sent.words[:1].upper()}{prompt.sent.words[1:]}."
        if prompt.answer is not None and len(prompts) > 1:
            words = f"Run {prompt.answer['run']}, vote {prompt.answer['vote']}. {words}"
        yield Note(words, "" if prompt.sent.fits is not False else "warning")
        for call, each in enumerate(prompt.sent.calls):
            which = f"call {call}, " if len(prompt.sent.calls) > 1 else ""
            which += "" if each.step is None else f"step {each.step}, "
            yield from (Verbatim(f"{which}{message.role}", message.text) for message in each.prompt)
    yield Note("How a server's chat template makes tokens of the messages is the model's own.", "quiet")
