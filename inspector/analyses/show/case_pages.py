"""Pages of `show` beside the case itself: its original and variants, the prompt of a critic, the tokens of a PRM."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import polars as pl

from inspector.analyses import Params
from inspector.case_page.original import StepPair, against_list, aligned, pairs_of, summary
from inspector.case_page.variant_track import ScoredVariant, original_evaluation, original_of, tried_by_all
from inspector.render.blocks import (
    BESIDE,
    Block,
    Cell,
    Column,
    Facts,
    Note,
    Section,
    Token,
    Tokens,
    Verbatim,
    table,
    text,
)
from inspector.render.cells import GOLD
from inspector.render.readable import readable
from inspector.render.texts.sentences import counted, gold_word, outcome_sentence, reward_words
from inspector.render.texts.text import apart_from
from inspector.render.texts.token_text import counts_of_parts, grouped, visible
from inspector.render.view import View
from inspector.state.kept_answers import kept_answers
from inspector.state.processes.job import answer_to, prm_words
from inspector.state.processes.weights_place import other_settings, place_of
from inspector.state.processes.xray import xray_problems
from scoring import __version__
from scoring.data.errors import UsageError
from scoring.data.names import name_choices
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.single_case import judged_wrong
from scoring.runs.prompts import SentPrompt, sampling_words, sent
from scoring.selection.result_set import ResultSet

# -- a case against the solution that errors were put into, with what scorers gave to both


ORIGINAL_ROWS = {
    # same, changed, removed (of the original) or added (to it).
    "change": pl.String(),
    "original_step": pl.Int32(),
    "step": pl.Int32(),
    "original_text": pl.String(),
    "text": pl.String(),
}
STYLES = {"same": "dim", "removed": "bad", "added": "good"}
ORIGINAL_LEGEND = "-: only in the original. +: only in the modified solution. ~: in both, and changed. ✗: judged wrong."
_Value = TypeVar("_Value")


def original_view(results: ResultSet, row: int, params: Params) -> View:
    """Align the steps of the case with this row id with those of its original.

    Raises:
        UsageError: the case has no original.
    """
    texts, case = results.loaded.texts.row(row), results.cases["case"][row]
    original = original_of(texts)
    if original is None:
        raise UsageError(f"{case} has no original: its benchmark gives the one solution only.", "Name another case.")
    pairs = aligned(original[1], tuple(texts["steps"]))
    before = [original_evaluation(results, evaluation, row, original) for evaluation in results.chosen_evaluations]
    facts = {"case": case, "original_problem": original[0], "problem": texts["problem"]}
    facts |= {"modified_steps": texts["modified_steps"], "version": __version__}
    facts["command"] = results.query.command("show", case, "--original", form=params.form)
    rows = _rows(results, row, pairs, original[1], before)

    def lay_out() -> tuple[Section, ...]:
        return (Section(case, "original", tuple(_blocks(results, row, pairs, original, before))),)

    section_facts = frozenset({"original_problem", "problem"})
    return View(rows, facts, title="Original", lay_out=lay_out, in_sections=section_facts)


def _rows(
    results: ResultSet,
    row: int,
    pairs: Sequence[StepPair],
    original: Sequence[str],
    originals: Sequence[Evaluation | None],
) -> pl.DataFrame:
    """A row a step of either, in order, with the rewards of every scorer chosen."""
    steps = results.loaded.texts.row(row)["steps"]
    rows = pl.DataFrame(
        [
            {
                "change": pair.kind,
                "original_step": pair.before,
                "step": pair.after,
                "original_text": _at(original, pair.before),
                "text": _at(steps, pair.after),
            }
            for pair in pairs
        ],
        schema=ORIGINAL_ROWS,
    )
    for evaluation, before in zip(results.chosen_evaluations, originals, strict=True):
        for name, rewards_of, at, places in (
            ("original_", before, 0, [pair.before for pair in pairs]),
            ("", evaluation, row, [pair.after for pair in pairs]),
        ):
            rewards, wrong = _given(rewards_of, at)
            lead = f"{evaluation.scorer.name}.{name}"
            rows = rows.with_columns(
                pl.Series(f"{lead}reward", [_at(rewards, place) for place in places], dtype=pl.Float64),
                pl.Series(f"{lead}wrong", [_at(wrong, place) for place in places], dtype=pl.Boolean),
            )
    return rows


def _given(evaluation: Evaluation | None, row: int) -> tuple[Sequence[float], Sequence[bool | None]]:
    """Rewards and judgements of the steps of one case; of none where there is nothing."""
    if evaluation is None:
        return [], []
    rewards = evaluation.rewards
    return rewards.of(row) or rewards.first_of(row) or [], judged_wrong(evaluation, row) or []


def _at(values: Sequence[_Value], place: int | None) -> _Value | None:
    return values[place] if place is not None and place < len(values) else None


# -- for people


def _blocks(
    results: ResultSet,
    row: int,
    pairs: Sequence[StepPair],
    original: tuple[str, Sequence[str]],
    originals: Sequence[Evaluation | None],
) -> Iterator[Block]:
    texts, scorers = results.loaded.texts.row(row), results.chosen_evaluations
    yield Note(summary(pairs, asked_anew=original[0] != texts["problem"]), "lead")
    if disagreement := against_list(pairs, texts["modified_steps"]):
        yield Note(disagreement, "quiet")
    if original[0] != texts["problem"]:
        yield Facts((("- question", readable(original[0])), ("+ question", readable(texts["problem"]))))
    else:
        yield Facts((("question", readable(original[0])),))
    names = [evaluation.scorer.name for evaluation in scorers]
    numbered = len(names) > BESIDE
    heads = [f"({number})" for number in range(1, len(names) + 1)] if numbered else names
    lines = list(_lines(results.cases.row(row, named=True), pairs, original[1], texts["steps"]))
    reward_cells = [
        [_rewards(evaluation, row, before, line.steps) for evaluation, before in zip(scorers, originals, strict=True)]
        for line in lines
    ]
    labels = (Column("", right=False), Column("orig", right=True), Column("mod", right=True))
    written = (*labels, Column("gold"), Column("text", right=False, wraps=True))
    if numbered:
        yield table("", written, [(*line.label, *line.words) for line in lines], labels=3)
        rewards = [(*line.label, *cells) for line, cells in zip(lines, reward_cells, strict=True)]
        yield table("", (*labels, *heads), rewards, labels=3)
    else:
        rows = [(*line.label, *line.words, *cells) for line, cells in zip(lines, reward_cells, strict=True)]
        yield table("", (*written, *heads), rows, labels=3)
    yield Note(ORIGINAL_LEGEND, "quiet")
    outcomes = [
        "no rewards for it" if evaluation is None else outcome_sentence(evaluation, 0) for evaluation in originals
    ]
    outcome_cells = [
        ([text(head)] if numbered else []) + [text(name), text(words)]
        for head, name, words in zip(heads, names, outcomes, strict=True)
    ]
    columns: list[str | Column] = [
        *([""] if numbered else []),
        "scorer",
        Column("on the original", right=False, wraps=True),
    ]
    if outcome_cells:
        yield table("", columns, outcome_cells, labels=len(columns) - 1)


class _Line(NamedTuple):
    """A line of the changes: what it is about, its words, and the steps of the original and of the case on it."""

    label: tuple[Cell, ...]
    words: tuple[Cell, ...]
    steps: tuple[int | None, int | None]


def _lines(
    case: Mapping[str, Any], pairs: Sequence[StepPair], original: Sequence[str], steps: Sequence[str]
) -> Iterator[_Line]:
    """A line for what is in one of the two or the same in both, and two for what was changed."""
    for pair in pairs:
        both = (pair.before, pair.after)
        for before, after in ((pair.before, None), (None, pair.after)) if pair.kind == "changed" else (both,):
            sign = "" if pair.kind == "same" else "-" if after is None else "+"
            sign = f"~{sign}" if pair.kind == "changed" else sign
            words = _at(original, before) if after is None else steps[after]
            gold = None if after is None else gold_word(case, after)
            yield _Line(
                (text(sign), *(text(None if step is None else str(step)) for step in (before, after))),
                (text(GOLD.get(gold or "", gold)), text(readable(words or ""), STYLES.get(pair.kind, ""))),
                (before, after),
            )


def _rewards(evaluation: Evaluation, row: int, before: Evaluation | None, steps: tuple[int | None, int | None]) -> Cell:
    """What a scorer gave to the step of the original and to that of the modified solution."""
    rewards = [_reward(before, 0, steps[0]), _reward(evaluation, row, steps[1])]
    return text(" → ".join(filter(None, rewards)) or None)


def _reward(evaluation: Evaluation | None, row: int, step: int | None) -> str:
    rewards, wrong = _given(evaluation, row)
    reward = _at(rewards, step)
    words = "" if evaluation is None or reward is None else reward_words(reward, evaluation, row)
    return f"{words}{'✗' if _at(wrong, step) else ''}"


# -- what a critic was sent about a case, message for message, and how it is known that it is exactly that


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


# -- the tokens that a PRM sees of a case: whose they are, which are read for each step, and what came of it


TOKENS = {
    "sequence": pl.Int32(),
    "index": pl.Int32(),
    "id": pl.Int32(),
    "token": pl.String(),
    "part": pl.String(),
    "step": pl.Int32(),
    "read": pl.Boolean(),
    "logits": pl.List(pl.Float64()),
    "values": pl.List(pl.Float64()),
    "reward": pl.Float64(),
    "redundancy": pl.Float64(),
    "warning": pl.String(),
}
TOLD = ("case", "model", "family", "settings", "range", "rule", "outputs", "engine", "refused", "steps", "warnings",
        "notes")  # fmt: skip
"""What of an answer is provenance."""
_DIGITS = len("-12.3456")
AnswerMapping = Mapping[str, Any]


def tokens_view(results: ResultSet, row: int, params: Params, model: argparse.Namespace) -> View:
    """Ask a scoring process about the case with this row id; `model` says which PRM, as the flags of `score` do.

    Raises:
        UsageError: no PRM is named, or several scorers.
        Unanswered: the process could not tell, or was interrupted.
    """
    case, root = results.cases["case"][row], results.loaded.workspace.root
    scorer = _token_scorer(results)
    if model.model is None:
        vars(model).update(place_of(scorer, root)._asdict())
    words = [*prm_words(model), *(["--tokens-only"] if params.get("tokens_only") else [])]
    where = [*(["--workspace", str(root)] if root else []), f"--benchmark={results.cases['benchmark'][row]}"]
    answer = answer_to(["explain", case, *where, *words])
    whole = bool(params.get("all_tokens"))
    further = ["--all-tokens"] if whole else []
    command = results.query.command("show", case, "--explain", *further, *words, form=params.form)
    rows = [{**token, "token": token["text"]} for token in answer["tokens"]]
    facts = {"command": command, "version": __version__, **{name: answer[name] for name in TOLD}}
    notes = [*answer["notes"], *other_settings(scorer, answer)]
    steps = results.loaded.texts.row(row)["steps"]
    title = f"{case} as {answer['family']} sees it"
    return View(
        pl.DataFrame(rows, schema=TOKENS, orient="row"),
        facts,
        title="Tokens",
        lay_out=lambda: (Section(title, "tokens", tuple(token_blocks(answer, steps, whole=whole))),),
        because=tuple([*notes, *xray_problems(answer)] if params.form else notes),
    )


def _token_scorer(results: ResultSet) -> Scorer | None:
    """The one scorer that is named, if any."""
    if not results.query.scorers:
        return None
    if len(results.chosen) > 1:
        raise UsageError("--explain is about one scorer, and several are named.", "Name one.")
    return results.evaluation(results.chosen[0]).scorer


def token_blocks(answer: AnswerMapping, steps: Sequence[str], *, whole: bool) -> Iterator[Block]:
    """Lay an answer of `python -m scoring explain` out: the PRM, what is read for each step, with `whole` all tokens.

    `steps` are the case's own texts.
    """
    tokens: Sequence[AnswerMapping] = answer["tokens"]
    sequences: dict[int, list[AnswerMapping]] = {}
    for token in tokens:
        sequences.setdefault(token["sequence"], []).append(token)
    yield Facts(tuple(_about(answer)))
    if tokens:
        first, last = sequences[0], sequences[tokens[-1]["sequence"]]
        yield Tokens("it begins", _plain(first), 0)
        yield Tokens("it ends", _plain(last), len(last) - 1)
    yield from (Note(problem, "warning") for problem in xray_problems(answer))
    for token in tokens:
        if token["read"]:
            step = token["step"]
            written = visible(steps[step]) if step < len(steps) and steps[step].strip() else "(blank)"
            several = f" of sequence {token['sequence']}" if len(sequences) > 1 else ""
            words = f"read: token {token['index']}{several}, id {token['id']}"
            # It is where it stands in its sequence, whatever its number says.
            at = next(place for place, other in enumerate(sequences[token["sequence"]]) if other is token)
            in_order = _plain(sequences[token["sequence"]])
            yield Tokens(f"step {step}    {written}", in_order, at, words, tuple(_numbers(answer, token)))
    if whole and tokens:
        yield Note("Every token: its place, id and text; * where it is read.")
        for group in grouped(tokens):
            where = f", sequence {group.sequence}" if len(sequences) > 1 else ""
            yield Tokens(f"{group.name}{where}", _plain(group.tokens))


def _plain(tokens: Sequence[AnswerMapping]) -> tuple[Token, ...]:
    return tuple(
        Token(token["text"], token["index"], token["id"], bool(token["read"]), token["part"] == "layout")
        for token in tokens
    )


def _about(answer: AnswerMapping) -> Iterator[tuple[str, str]]:
    """What the PRM is, how many tokens it sees, and how a reward is made."""
    tokens, outputs = answer["tokens"], answer["outputs"]
    run = f" ({answer['engine']})" if answer["engine"] else ", not run"
    yield "model", f"{answer['model']}{run}"
    if tokens:
        sequences = tokens[-1]["sequence"] + 1
        several = f" in {sequences} sequences" if sequences > 1 else ""
        yield "tokens", f"{len(tokens):,}{several}: {counts_of_parts(tokens)}"
    if answer["reads"]:
        yield "also read", ", ".join(answer["reads"])
    yield "head", outputs["head"]
    by = f" by {outputs['transform']}" if outputs["transform"] == "softmax" else ""
    redundancy = f"; redundancy = {outputs['redundancy']}" if outputs["redundancy"] else ""
    bounds = answer["range"] if outputs["transform"] else "without bounds"
    yield "reward", f"{outputs['reward']}{by}, {bounds}{redundancy}"
    yield "rule", answer["rule"]


def _numbers(answer: AnswerMapping, read: AnswerMapping) -> Iterator[tuple[str, str]]:
    """What came of a token that is read."""
    if read["warning"]:
        yield "!", f"{read['warning']}: {visible(read['text'])!r}"
    if read["logits"] is None:
        return
    outputs, scale = answer["outputs"], answer["scale"]
    yield "logits", _labelled(outputs["labels"], read["logits"])
    if outputs["transform"]:
        yield outputs["transform"], _labelled(outputs["labels"], read["values"])
    reward = _number(read["reward"], scale["threshold"])
    yield "reward", f"{reward} = {outputs['reward']}{_verdict(scale, read['reward'])}"
    if read["redundancy"] is not None:
        cut = scale["redundancy_threshold"]
        over = cut is not None and read["redundancy"] > cut
        mark = f", redundant: > {cut:g}" if over else ""
        yield "redundant", f"{_number(read['redundancy'], cut)} = {outputs['redundancy']}{mark}"


def _verdict(scale: AnswerMapping, reward: float | None) -> str:
    """Whether the step is wrong by the family's own rule."""
    if reward is None:
        return ""
    cut, comparison = scale["threshold"], scale["comparison"]
    wrong = reward < cut or (comparison == "<=" and reward == cut)
    return f", wrong: {comparison} {cut:g}" if wrong else ", right"


def _labelled(labels: Sequence[str], numbers: Sequence[float | None]) -> str:
    named = [*labels, *(f"output {at}" for at in range(len(labels), len(numbers)))]
    return "   ".join(f"{label} {_number(number):>{_DIGITS}}" for label, number in zip(named, numbers, strict=False))


def _number(number: float | None, threshold: float | None = None) -> str:
    return "no number" if number is None else apart_from(number, threshold, 4)


# -- the variants of a case: what a person changed in it, and what scorers gave to both


VARIANT_ROWS = {
    # The record, and which step of the case became which of the variant: same, changed, removed or added.
    "variant": pl.String(),
    "change": pl.String(),
    "case_step": pl.Int32(),
    "step": pl.Int32(),
    "case_text": pl.String(),
    "text": pl.String(),
}
SIGNS = {"same": "", "changed": "~", "removed": "-", "added": "+"}
VARIANTS_LEGEND = (
    "-: taken out. +: put in. ~: changed. A number is the reward in the case → in the variant (the difference)."
)


def variants_view(results: ResultSet, row: int, params: Params) -> View:
    """Put every variant of the case in this row beside the case, as the scorers chosen see both.

    Raises:
        UsageError: the case has no variant.
    """
    case, key = results.cases["case"][row], results.cases["key"][row]
    there = results.loaded.workspace.variants
    variants = there.of(key) if there else ()
    if not variants:
        raise UsageError(f"{case} has no variants.", "Make one: W on the case in the app.")
    seen = tried_by_all(results, row, variants)
    has_rewards = [any(of_variant[at].rewards[1] for of_variant in seen) for at in range(len(seen[0]))]
    facts: dict[str, Any] = {"case": case, "key": key, "problem": results.loaded.texts.row(row)["problem"]}
    facts |= {"edits": {variant.id: [edit.document() for edit in variant.edits] for variant in variants}}
    facts |= {"version": __version__}
    facts["command"] = results.query.command("show", case, "--variants", form=params.form)
    rows = pl.concat([_variant_rows(of_variant, has_rewards) for of_variant in seen])

    def lay_out() -> tuple[Section, ...]:
        blocks: list[Block] = [Facts((("question", readable(facts["problem"])),))]
        for number, of_variant in enumerate(seen, 1):
            blocks += _variant_blocks(number, of_variant, has_rewards)
        return (Section(case, "variants", (*blocks, Note(VARIANTS_LEGEND, "quiet"))),)

    return View(rows, facts, title="Variants", lay_out=lay_out, in_sections=frozenset({"problem", "edits"}))


def _variant_rows(seen: Sequence[ScoredVariant], has_rewards: Sequence[bool]) -> pl.DataFrame:
    """A row a step of either, in order; of each scorer that has seen a variant both rewards and their difference."""
    first = seen[0]
    pairs = pairs_of(first.before, first.steps)
    rows = pl.DataFrame(
        [
            {
                "variant": first.variant.id,
                "change": pair.kind,
                "case_step": pair.before,
                "step": pair.after,
                "case_text": None if pair.before is None else first.before[pair.before],
                "text": None if pair.after is None else first.steps[pair.after].text,
            }
            for pair in pairs
        ],
        schema=VARIANT_ROWS,
    )
    for tried, rewarded in zip(seen, has_rewards, strict=True):
        if rewarded and tried.scorer is not None:
            before, after = tried.rewards
            columns = {
                "case_reward": [_variant_at(before, pair.before) for pair in pairs],
                "reward": [_variant_at(after, pair.after) for pair in pairs],
                "difference": [_variant_at(tried.differences, pair.after) for pair in pairs],
            }
            name = tried.scorer.name
            rows = rows.with_columns(
                pl.Series(f"{name}.{what}", values, dtype=pl.Float64) for what, values in columns.items()
            )
    return rows


def _variant_at(values: Sequence[float | None], place: int | None) -> float | None:
    return values[place] if place is not None and place < len(values) else None


def _variant_blocks(number: int, seen: Sequence[ScoredVariant], has_rewards: Sequence[bool]) -> Iterator[Block]:
    """A table of a variant's steps, beneath what was done."""
    first = seen[0]
    scored = [tried for tried, rewarded in zip(seen, has_rewards, strict=True) if rewarded and tried.scorer is not None]
    yield Note(f"Variant {number}, {counted(len(first.variant.edits), 'edit')}: {first.variant.words}", "lead")
    yield from (Note(words, "quiet") for words in (*first.moved, first.unplaced) if words)
    for tried in scored:
        if words := "; ".join(tried.words()):
            yield Note(words)
    lines = []
    for pair in pairs_of(first.before, first.steps):
        words = first.before[pair.before or 0] if pair.after is None else first.steps[pair.after].text
        cells = (text(SIGNS[pair.kind]), *(text(None if at is None else str(at)) for at in (pair.before, pair.after)))
        lines.append(
            (*cells, *(_variant_reward(tried, pair.before, pair.after) for tried in scored), text(readable(words)))
        )
    names = [tried.scorer.name for tried in scored if tried.scorer]
    heads = (Column("", right=False), Column("case", right=True), Column("variant", right=True))
    yield table("", (*heads, *names, Column("text", right=False, wraps=True)), lines, labels=3)


def _variant_reward(tried: ScoredVariant, before: int | None, after: int | None) -> Cell:
    pair = [_variant_at(rewards, place) for rewards, place in zip(tried.rewards, (before, after), strict=True)]
    words = " → ".join(f"{reward:.2f}" for reward in pair if reward is not None)
    difference = _variant_at(tried.differences, after)
    return text((words if difference is None else f"{words} ({difference:+.2f})") or None)
