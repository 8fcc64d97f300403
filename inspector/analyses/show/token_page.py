"""The tokens that a PRM sees of a case: whose they are, which are read for each step, and what came of it."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from inspector.analyses import Params
from inspector.render.blocks import Block, Facts, Note, Section, Token, Tokens
from inspector.render.texts.text import apart_from
from inspector.render.texts.token_text import counts_of_parts, grouped, visible
from inspector.render.view import View
from inspector.state.processes.prm_question import answer_to, prm_words
from inspector.state.processes.weights_place import other_settings, place_of
from inspector.state.processes.xray import xray_problems
from scoring import __version__
from scoring.data.errors import UsageError
from scoring.data.scorer import Scorer
from scoring.selection.result_set import ResultSet

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
