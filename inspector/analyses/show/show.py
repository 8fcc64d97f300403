"""One case, a row a step (as a table for a paper with --markdown or --latex)."""

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, Page, Params, analysis
from inspector.analyses.show.original_page import original_view
from inspector.analyses.show.prompt_page import prompt_view
from inspector.analyses.show.token_page import tokens_view
from inspector.analyses.show.variant_page import variants_view
from inspector.case_page.images import named_images
from inspector.render.blocks import Block, CaseBlock, Judged, Note, Section, Step, Verbatim
from inspector.render.cells import share as share_text
from inspector.render.readable import readable
from inspector.render.table_blocks import Column, table, text
from inspector.render.texts.gold_words import counts_from_one, gold_word, gold_words
from inspector.render.texts.sentences import GLYPHS, WORDS, counted, outcome_sentence, reward_words, votes_words
from inspector.render.view import View
from inspector.state.figure_notes import first_run_notes
from inspector.state.kept_answers import described, kept_answers, measures
from inspector.state.label_words import changed_words
from inspector.state.provenance import provenance
from scoring.data.context_messages import context_messages, tools_text
from scoring.data.errors import NoWorkspace
from scoring.data.names import match_name
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.single_case import judged_wrong, verdict_of
from scoring.evaluation.verdicts import OUTCOMES
from scoring.formats.benchmarks.demo import NAME as DEMO
from scoring.runs.arguments import add_prm_arguments
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import ResultSet

CASE, ORIGINAL, VARIANTS, EXPLAIN, PROMPT = "case", "original", "variants", "explain", "prompt"
PAGES = (
    Page(CASE, "Case"),
    Page(ORIGINAL, "Original", help="what was changed in the solution it was made of"),
    Page(VARIANTS, "Variants", help="what was tried in the app: changed steps, with both rewards"),
    Page(EXPLAIN, "Tokens", "focus", help="the tokens where a PRM reads each step, logits, reward"),
    Page(PROMPT, "Prompt", "focus", help="what a critic was sent, message for message, exactly"),
)
PRM_FLAGS = tuple(
    Option.of_flag(action, pages=(EXPLAIN,), group="the PRM (with --explain)")
    for action in add_prm_arguments(argparse.ArgumentParser(), required=False)
)
OPTIONS = (
    Option("case", "a case's name or a unique part of it", metavar="CASE", positional=True, required=True),
    Option("answers", "also the texts of what critics answered", pages=(CASE,)),
    Option("all_tokens", "list every token below (with --explain)", pages=(EXPLAIN,)),
    Option("tokens_only", "run nothing, so no logits (with --explain)", pages=(EXPLAIN,)),
    *PRM_FLAGS,
)
EXAMPLES = (
    "prm-inspect show algebra-012 --benchmark demo --scorer blend",
    "prm-inspect show gsm8k-0 --explain --model ~/prm   (tokens, logits, rewards)",
)
CODES = """Exit codes: 0 shown (a refused case too, with its reason); 2 no such case or checkpoint, or wrong usage: one
sentence says what to do; 130 interrupted."""
ABSENT = "-"
"""Stands where there is no verdict and where step accuracy is undefined."""
DIFFERING = ("question", "original_problem")
"""Other wordings of the problem, told where they are another."""
OTHER_BASE = "This text counts steps from 1, not from 0 as everything else here."
LEGEND = (
    "Steps are numbered from 0. A number is the reward of the step. ✗: judged wrong. ←: the verdict, the first error in"
    " the scorer's eyes. ▲: the gold error."
)


def load_case(query: Query, params: Params) -> ResultSet:
    """Read what a query names; a case of the demo says itself whose it is, where there is no workspace.

    Raises:
        InspectError: as `scoring.selection.loading.load`.
    """
    try:
        return load(query)
    except NoWorkspace:
        if query.workspace or query.benchmarks or not str(params.get("case")).startswith(f"{DEMO}/"):
            raise
        return load(replace(query, benchmarks=(DEMO,)))


@analysis("Case", PAGES, options=OPTIONS, examples=EXAMPLES, epilog=CODES, loader=load_case)
def show(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing here is resampled
    """Show one case; its rows are its steps."""
    row = row_of(results, params.get("case"))
    if params.page == ORIGINAL:
        return original_view(results, row, params)
    if params.page == PROMPT:
        return prompt_view(results, row, params)
    if params.page == VARIANTS:
        return variants_view(results, row, params)
    if params.page == EXPLAIN:
        model = {option.name: params.get(option.name) for option in PRM_FLAGS}
        return tokens_view(results, row, params, argparse.Namespace(**model))
    with_answers = bool(params.get("answers"))
    facts = _provenance(results, row, params.form)
    answers = _answers(results, row, texts=with_answers) if with_answers or not params.form else {}
    if with_answers and answers:
        facts |= {"command": f"{facts['command']} --answers", "answers": answers}

    def lay_out() -> tuple[Section, ...]:
        block = case_block(results, row, results.chosen_evaluations)
        legend = (Note(LEGEND, "quiet"),) if block.scorers and params.form != "latex" else ()
        silent = (
            (Note("No critic shown here has answered this case.", "quiet"),) if with_answers and not answers else ()
        )
        blocks = (block, *legend, *_answer_blocks(answers, facts.get("votes", {})), *silent)
        return (Section(block.title, "case", blocks),)

    section_facts = frozenset({"problem", "reason_of_gold", *(["answers"] if with_answers else [])})
    return View(_steps(results, row), facts, title="Case", lay_out=lay_out, in_sections=section_facts)


def row_of(results: ResultSet, wanted: str) -> int:
    """Find the row id of the case of this name or id, or of the only one whose name contains it.

    Raises:
        UsageError: none or several are called so.
    """
    names = results.cases["case"]
    exact = results.cases.with_row_index("_row").filter((pl.col("case") == wanted) | (pl.col("id") == wanted))
    if exact.height == 1:
        return int(exact["_row"][0])
    name = match_name(wanted, names.to_list(), "case")
    return int((names == name).arg_max() or 0)


# -- for programs


def _steps(results: ResultSet, row: int) -> pl.DataFrame:
    """A row a step with its text, its gold label, and the reward and judgement of each scorer.

    `gold` is `error` for the earliest error, `error step` for the others, `right` before the first and, where every
    error step is labelled, after it; else null. A scorer that judges redundancy has a further column for its numbers,
    and one for which the case was truncated a column that marks the steps that have any.
    """
    case = results.cases.row(row, named=True)
    n_steps = case["n_steps"]
    none = [None] * n_steps
    columns: dict[str, Any] = {
        "step": list(range(n_steps)),
        "text": results.loaded.texts.row(row)["steps"],
        "gold": [gold_word(case, step) for step in range(n_steps)],
    }
    for evaluation in results.chosen_evaluations:
        name, first = evaluation.scorer.name, evaluation.rewards.first_of(row) or []
        rewards, wrong = evaluation.rewards.of(row) or first, judged_wrong(evaluation, row)
        columns[f"{name}.reward"] = pl.Series([*rewards, *none[len(rewards) :]], dtype=pl.Float64)
        columns[f"{name}.wrong"] = pl.Series(wrong or none, dtype=pl.Boolean)
        if second := evaluation.rewards.redundancies_of(row):
            columns[f"{name}.redundancy"] = pl.Series([*second, *none[len(second) :]], dtype=pl.Float64)
        if first:
            columns[f"{name}.truncated"] = [step < len(first) for step in range(n_steps)]
    return pl.DataFrame(columns)


def _provenance(results: ResultSet, row: int, form: str) -> dict[str, Any]:
    """How the numbers came to be, what is known of the case, and what happened to it."""
    case, texts = results.cases.row(row, named=True), results.loaded.texts.row(row)
    command = results.query.command("show", case["case"], form=form)
    facts = {**provenance(results, command, tuple(first_run_notes(results)))}
    facts |= {"coverage": None, "filter": None, "averaging": None}
    facts |= {name: case[name] for name in ("case", "subset", "generator", "earliest_error", "error_steps")}
    if changed := changed_words(results.labels.adjudicated, case["case"]):
        facts["label"] = changed
    facts |= {name: case[name] for name in ("error_type", "error_kind", "pattern", "final_answer_correct")}
    facts["read_from"] = f"{case['source']}:{case['line']}" if case["source"] else None
    scorers = results.chosen_evaluations
    outcomes = {evaluation.scorer.name: outcome_sentence(evaluation, row) for evaluation in scorers}
    facts |= {"problem": texts["problem"], "reason_of_gold": texts["reason"], "outcome": outcomes}
    facts |= {name: texts[name] for name in DIFFERING if texts[name] not in (None, texts["problem"])}
    facts |= {"reference_answer": texts["reference_answer"]} if texts["reference_answer"] is not None else {}
    if context := [message._asdict() for message in context_messages(case, texts)]:
        facts["context"] = context
    if tools := tools_text(texts):
        facts["tools"] = json.loads(tools)
    facts |= {"metadata": metadata} if (metadata := results.loaded.metadata.row(row)) else {}
    votes = {evaluation.scorer.name: votes_words(evaluation, row) for evaluation in scorers}
    votes = {name: words for name, words in votes.items() if words}
    return facts | ({"votes": votes} if votes else {})


def _answers(results: ResultSet, row: int, *, texts: bool) -> dict[str, list[dict[str, Any]]]:
    """What critics answered, by name; with their texts where asked for."""
    kept = {name: kept_answers(results, name, row) for name in results.chosen}
    return {
        name: described(answers, results.evaluation(name).scorer, texts=texts)
        for name, answers in kept.items()
        if answers.height
    }


# -- for people


MOST_TOOLS = 5
"""So many tools are named above the steps; `show --json` has all."""


def case_block(
    results: ResultSet,
    row: int,
    beside: Sequence[Evaluation],
    with_outcomes: Sequence[Evaluation] | None = None,
    others: Sequence[Evaluation] = (),
) -> CaseBlock:
    """Make the block of the case with this row id.

    `beside` are the scorers that have a judgement a step, `with_outcomes` those whose outcome stands there in a
    sentence (None = the same), and of `others` a few words say what they made of it.
    """
    case, texts = results.cases.row(row, named=True), results.loaded.texts.row(row)
    steps, name, reason = texts["steps"] or [], case["case"], texts["reason"] or ""
    judged = [_judged(evaluation, row, len(steps)) for evaluation in beside]
    gold = (gold_words(case), changed_words(results.labels.adjudicated, name))
    return CaseBlock(
        title=name,
        facts=(*_facts(case, texts, len(steps)), *_images(results, row)),
        problem=texts["problem"] or "",
        steps=tuple(
            Step(number, text or "", gold_word(case, number), tuple(of_scorer[number] for of_scorer in judged))
            for number, text in enumerate(steps)
        ),
        scorers=tuple(evaluation.scorer.name for evaluation in beside),
        verdicts=tuple(_verdict_word(verdict_of(evaluation, row)) for evaluation in beside),
        accuracies=tuple(_percent(float(evaluation.alone(row).step_accuracies[0])) for evaluation in beside),
        outcomes=tuple(
            _outcome(evaluation, row) for evaluation in (beside if with_outcomes is None else with_outcomes)
        ),
        gold="; ".join(filter(None, gold)),
        others=_others(others, row),
        reason=reason,
        reason_note=OTHER_BASE if counts_from_one(case["benchmark"], reason) else "",
        written=tuple(_written(texts)),
    )


def _facts(case: Mapping[str, Any], texts: Mapping[str, Any], n_steps: int) -> Iterator[str]:
    yield counted(n_steps, "step")
    if messages := context_messages(case, texts):
        speakers = ", ".join(dict.fromkeys(message.speaker for message in messages))
        yield f"{counted(len(messages), 'message')} of context ({speakers})"
    if tools := texts["tools"]:
        names = [tool["name"] or "no name" for tool in tools[:MOST_TOOLS]]
        names += [f"{len(tools) - MOST_TOOLS} more"] if len(tools) > MOST_TOOLS else []
        yield f"{counted(len(tools), 'tool')} ({', '.join(names)})"
    for name in ("subset", "generator", "error_type", "error_kind", "pattern"):
        if case[name]:
            yield f"{name.replace('_', ' ')}: {case[name]}"
    if case["final_answer_correct"] is not None:
        yield f"final answer {'right' if case['final_answer_correct'] else 'wrong'}"


def _images(results: ResultSet, row: int) -> Iterator[str]:
    case, metadata = results.cases.row(row, named=True), results.loaded.metadata.row(row)
    for image in named_images(results.loaded.workspace, case, metadata):
        yield f"image: {image.name} ({image.words})"


def _judged(evaluation: Evaluation, row: int, n_steps: int) -> list[Judged]:
    """What a scorer says of each step: its reward, or `right` or `wrong` where it gave labels, or nothing."""
    first = evaluation.rewards.first_of(row) or []
    rewards, wrong = evaluation.rewards.of(row) or first, judged_wrong(evaluation, row)
    verdict = verdict_of(evaluation, row)
    judged = []
    for step in range(n_steps):
        reward = rewards[step] if step < len(rewards) else None
        words = "" if reward is None else reward_words(reward, evaluation, row)
        if wrong and evaluation.fixed_verdicts.by_label[row]:
            words = {True: "wrong", False: "right", None: ""}[wrong[step]]
        is_wrong = bool(wrong and wrong[step])
        share = None if reward is None else _share(evaluation, reward)
        judged.append(Judged(words, share, is_wrong, step == verdict, truncated=step < len(first)))
    return judged


def _share(evaluation: Evaluation, reward: float) -> float | None:
    """Where a reward lies in the scorer's range."""
    low, high = evaluation.scorer.low, evaluation.scorer.high
    if not (math.isfinite(reward) and high > low):
        return None
    return min(1.0, max(0.0, (reward - low) / (high - low)))


def _verdict_word(verdict: int | None) -> str:
    """A verdict in one word: the step's number (0-based), `none` for no error, `no step` for one that names none."""
    if verdict is None:
        return ABSENT
    return {-1: "none", -2: "no step"}.get(verdict, str(verdict))


def _percent(share: float) -> str:
    """A share with one digit; all of them is `100%`, so that columns stay narrow."""
    if math.isnan(share):
        return ABSENT
    return "100%" if share == 1 else f"{share_text(share)}%"


def _outcome(evaluation: Evaluation, row: int) -> tuple[str, str, str]:
    glyph = GLYPHS[OUTCOMES[evaluation.codes[row]]].strip()
    return evaluation.scorer.name, glyph, outcome_sentence(evaluation, row)


def _others(scorers: Sequence[Evaluation], row: int) -> str:
    """Which scorers have which outcome."""
    names: dict[str, list[str]] = {}
    for evaluation in scorers:
        names.setdefault(WORDS[OUTCOMES[evaluation.codes[row]]], []).append(evaluation.scorer.name)
    return "; ".join(f"{word}: {', '.join(some)}" for word, some in names.items())


def _written(texts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts that are shown otherwise than they were written."""
    steps = ((f"step {number}", text) for number, text in enumerate(texts["steps"] or []))
    for name, written in (("problem", texts["problem"]), *steps, ("why", texts["reason"])):
        if written and written != readable(written):
            yield name, written


def _answer_blocks(answers: Mapping[str, Sequence[Mapping[str, Any]]], votes: Mapping[str, str]) -> Iterator[Block]:
    """How each critic's answers voted, a line an answer, and their texts where they are there."""
    for name, of_critic in answers.items():
        several = len({answer["run"] for answer in of_critic}) > 1
        lines = [
            [
                *([text(str(answer["run"]))] if several else []),
                text(str(answer["vote"])),
                text(answer["said"]),
                text(measures(answer, of_critic)),
            ]
            for answer in of_critic
        ]
        counts = f": {votes[name]}" if name in votes else ""
        heads: list[str | Column] = [
            *(["run"] if several else []),
            "vote",
            Column("read as", right=False, wraps=True),
            "how it ended",
        ]
        yield table(f"Answers of {name}{counts}", heads, lines, labels=len(heads) - 2)
        for answer in of_critic:
            run = f"run {answer['run']}, " if several else ""
            for part, written in _texts(answer):
                yield Verbatim(f"{run}vote {answer['vote']}, {part}", written)


def _texts(answer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of an answer and what each is: a talk's call for call, by the step that they are about."""
    for call in answer.get("talk", ()):
        yield call["stage"] if call["step"] is None else f"{call['stage']} of step {call['step']}", call["text"]
    parts = ("reasoning",) if "talk" in answer else ("reasoning", "answer")
    yield from ((part, answer[part]) for part in parts if answer.get(part) is not None)
