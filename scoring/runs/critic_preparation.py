"""From options to a prepared critic: how a language model is asked, how often, and what identifies it.

A critic is asked by a benchmark's protocol (`scoring.models.critics.protocols`), a generative PRM in the layout of its
family (`scoring.runs.generative.generative_catalogue`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import CommandEdit, InputError, UsageError
from scoring.data.names import without
from scoring.data.scorer import Scorer
from scoring.engines.base import AnsweringEngine
from scoring.models.asking import Prompt, Sampling, left_open
from scoring.models.checkpoint import CHAT
from scoring.models.critics.answer_parsers import version
from scoring.models.critics.lint import CaseTexts, PromptFinding, about_cases, lint
from scoring.models.critics.protocols import CriticProtocol, StepLayout, critic_protocol
from scoring.models.critics.sampling import ChosenSampling, overridden, sampling_for
from scoring.models.critics.template import Template
from scoring.models.fingerprint import fingerprint
from scoring.runs.arguments import GENERATIVE
from scoring.runs.critic_runs import Asking, CriticAsker
from scoring.runs.generative.dialogues import Dialogues
from scoring.runs.generative.generative_catalogue import FAMILIES, FamilyOptions, GenerativeFamily
from scoring.runs.generative.talk_templates import TalkTemplate
from scoring.runs.token_prices import Price, Prices
from scoring.workspace.reservation import scorers
from scoring.workspace.workspace import Workspace

_HALF = "p(Yes) against p(No)"
_UNMARKED = StepLayout(1, "", "", "\n")
_SENT = ("temperature", "top_p", "top_k", "max_tokens", "effort", "thinking", "thinking_budget")


class CriticOptions(Struct, frozen=True):
    """What is wished of a critic beyond the protocol's own; None = as the protocol has it.

    `sampling` holds what was given of `scoring.models.critics.sampling`. `protocol` may name a family of generative
    PRMs (`scoring.runs.generative.generative_catalogue`), whose `options` these are then. `dry_run` only changes what
    is told.
    """

    protocol: str
    template: Path | None = None
    votes: int | None = None
    runs: int | None = None
    shots: int | None = None
    mode: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    prices: Path | None = None
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    dry_run: bool = False


class PreparedCritic(Struct, frozen=True):
    """A critic or a generative PRM, how it is asked, and what makes the engine when something has to be asked.

    `lint` tells what is odd about the prompts of cases; only warnings. It raises InputError where something would make
    the answers mean something else than the protocol says.
    """

    scorer: Scorer
    asking: Asking
    engine: Callable[[], AnsweringEngine]
    template: Template
    notes: tuple[str, ...]
    lint: Callable[[Sequence[CaseTexts]], list[PromptFinding]]


Identity = Mapping[str, Any]
"""What identifies a language model: its name on a server, or its weights."""
Connect = Callable[[ChosenSampling], AnsweringEngine]
"""Makes an engine with the sampling that was chosen."""


def prepare_critic(
    workspace: Workspace,
    request: CriticOptions,
    model: str,
    identity: Identity,
    engine: Connect,
    *,
    name: str | None = None,
    notes: Sequence[str] = (),
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> PreparedCritic:
    """Prepare the critic that a model is when it is asked by a protocol, or the generative PRM in a family's layout.

    Nothing is asked yet.

    Args:
        workspace: whose scorers keep their names.
        request: what is asked, and how often.
        model: the model's name, by which a protocol chooses its sampling.
        identity: what goes into the fingerprint as the model.
        engine: makes the engine with the sampling that was chosen.
        name: what to call the scorer.
        notes: sentences that are told first.
        defaults: the model's own settings, which hold where the sampling leaves them open.

    Raises:
        UsageError: no such protocol, mode or option, or wishes that do not go together.
        InputError: the template or the prices cannot be read.
    """
    made = _generative if request.protocol in GENERATIVE else _critic
    votes, runs = request.votes or 1, request.runs or 1
    prepared = made(request, model, identity, votes, runs)
    price = Prices.read(request.prices).of(model) if request.prices else None
    short = model.rstrip("/").rsplit("/", 1)[-1]
    temperature = prepared.settings["sampling"]["temperature"]
    sampled = "" if temperature == 0 else "-sampled" if temperature is None else f"-t{temperature:g}"
    used = left_open(prepared.chosen.sampling, defaults)
    settings = prepared.settings | ({"defaults": used} if used else {})
    called = name or f"{short}-{request.protocol}{sampled}"
    scorer, taken = _as_known(
        workspace, Scorer(called, fingerprint(settings), family=short, settings=settings, **prepared.scale), name
    )
    unpriced = [f"no price in {request.prices} fits the model {model}; its cost is not told"]
    return PreparedCritic(
        scorer,
        Asking(
            prepared.asker,
            votes,
            runs,
            prepared.max_tokens,
            None if price is None else partial(_cost, price),
            "" if price is None else price.currency,
        ),
        partial(engine, prepared.chosen),
        prepared.template,
        (*notes, *prepared.notes, *taken, *(unpriced if request.prices and price is None else ())),
        prepared.lint,
    )


_NOT_NOTED = "how its chats are written and what the model sets itself, and is taken to have been asked as now"


def _as_known(workspace: Workspace, scorer: Scorer, name: str | None) -> tuple[Scorer, tuple[str, ...]]:
    """The scorer as the workspace has it, if it does (of those called `name`, where that is wished), and what to say.

    Its model may have lain in a folder of another name. Earlier versions noted neither how chats are written nor what
    the model sets itself.
    """
    there = [other for other, _ in scorers(workspace) if name in {None, other.name}]
    for noted in (True, False):
        mark = _mark(scorer.settings, noted=noted)
        known = next((other for other in there if _mark(other.settings) == mark), None)
        if known is not None:
            who = {field: getattr(known, field) for field in ("name", "fingerprint", "family", "settings")}
            note = f"{known.name} was asked by a version that did not note {_NOT_NOTED}; --name makes another scorer"
            return replace(scorer, **who), () if noted else (note,)
    return scorer, ()


def _mark(settings: Mapping[str, Any], *, noted: bool = True) -> str:
    """A fingerprint of settings wherever the weights lie; not `noted`: as versions before had it."""
    weights = settings.get("weights")
    if not isinstance(weights, Mapping):
        # All that is known of a model on a server is its name.
        return fingerprint(settings)
    bare = {name: value for name, value in settings.items() if name != "model" and (noted or name != "defaults")}
    files = weights.get("files")
    if isinstance(files, Mapping) and not noted:
        weights = {"files": {name: digest for name, digest in files.items() if name not in CHAT}}
    return fingerprint({**bare, "weights": weights})


class _Found(Struct, frozen=True):
    """What a protocol or a family makes of a wish. `settings` is everything that changes what is answered."""

    asker: Callable[[], CriticAsker | Dialogues]
    chosen: ChosenSampling
    template: Template
    max_tokens: int | None
    settings: dict[str, Any]
    scale: dict[str, Any]
    notes: list[str]
    lint: Callable[[Sequence[CaseTexts]], list[PromptFinding]]


def _cost(price: Price, tokens_in: int, tokens_out: int) -> float:
    return float(price.of(tokens_in, tokens_out))


def _values(sampling: Sampling, names: Sequence[str]) -> str:
    """How it is sampled, in words; "" where nothing is sent."""
    values = [(name.replace("_", " "), getattr(sampling, name)) for name in names]
    return ", ".join(f"{name} {value}" for name, value in values if value is not None)


def _critic(request: CriticOptions, model: str, identity: Identity, votes: int, runs: int) -> _Found:
    protocol = critic_protocol(request.protocol)
    if request.options:
        others = without("--option", meaning=f"as {protocol.name} asks")
        raise UsageError(f"{protocol.name} has no options.", "Leave --option out.", instead=others)
    if votes > 1 and protocol.scale:
        raise UsageError(
            f"{protocol.name} asks for a number a step, and numbers do not vote.",
            "Leave --votes out, or give --runs.",
            instead=[
                (CommandEdit(f"--runs {votes}", without=("--votes",)), f"{votes} independent runs"),
                *without("--votes", meaning="one answer a case"),
            ],
        )
    chosen = overridden(sampling_for(protocol.name, model, votes * runs, request.mode), request.sampling, votes * runs)
    template = Template.read(request.template) if request.template else Template.packaged(protocol.template)
    shots = protocol.shots if request.shots is None else request.shots
    # A template with fewer examples says so here, and not after the first answers.
    template.prompt("", "", shots)
    return _Found(
        partial(CriticAsker, partial(_prompt, template, protocol, shots), protocol.read, chosen.seed),
        chosen,
        template,
        chosen.sampling.max_tokens,
        _critic_settings(protocol, template, shots, chosen, identity),
        {"kind": "critic", "about": f"critic, {protocol.name}", **protocol.scale},
        _about_critic(protocol, template, chosen, request),
        partial(_lint, template, protocol, shots),
    )


def _prompt(
    template: Template,
    protocol: CriticProtocol,
    shots: int,
    problem: str,
    steps: Sequence[str],
    context: str | None = None,
) -> Prompt:
    return template.prompt(problem, protocol.text(steps, context), shots)


def _critic_settings(
    protocol: CriticProtocol, template: Template, shots: int, chosen: ChosenSampling, identity: Identity
) -> dict[str, Any]:
    """Everything that changes what is answered; how answers are read is kept beside each of them."""
    sent = {name: getattr(chosen.sampling, name) for name in chosen.sampling.__struct_fields__}
    layout = {name: getattr(protocol.steps, name) for name in protocol.steps.__struct_fields__}
    return {
        "protocol": protocol.name,
        **identity,
        "template": template.hash,
        "steps": layout,
        "shots": shots,
        **({"reads": list(protocol.reads), "message": protocol.message} if protocol.message else {}),
        # A tuple and a list are one JSON value.
        "sampling": {name: list(value) if isinstance(value, tuple) else value for name, value in sent.items()},
        "seed": chosen.seed,
    }


def _about_critic(
    protocol: CriticProtocol, template: Template, chosen: ChosenSampling, request: CriticOptions
) -> list[str]:
    """How the critic is asked, in sentences: other settings would give other numbers as plausible."""
    counted = "counts as wrong" if protocol.unparsed == "wrong" else "is left out"
    read = f"read by {version(protocol.read)}; what it cannot read {counted} in {protocol.name}'s own figures"
    sent_as = _values(chosen.sampling, _SENT) or "nothing about sampling is sent"
    sentences = [
        f"asked as {protocol.name}: template {template.source} ({template.hash[:8]}); {sent_as}; {read}",
        f"sampling: {chosen.source}",
    ]
    if request.votes is None and protocol.votes > 1:
        sentences.append(
            f"one answer a case; {protocol.name}'s paper also lets {protocol.votes} vote: --votes {protocol.votes}"
        )
    if request.runs is None and protocol.runs > 1:
        sentences.append(
            f"one run; {protocol.name}'s paper averages {protocol.runs} for open models: --runs {protocol.runs}"
        )
    return sentences


def _lint(template: Template, protocol: CriticProtocol, shots: int, cases: Sequence[CaseTexts]) -> list[PromptFinding]:
    findings = lint(template, protocol, cases, shots)
    wrong = next((finding for finding in findings if finding.severity == "error"), None)
    if wrong:
        raise InputError(wrong.sentence, wrong.next_step)
    return findings


def _generative(request: CriticOptions, _: str, identity: Identity, votes: int, runs: int) -> _Found:
    family = FAMILIES[request.protocol]
    _only_its_own(family, request)
    options = family.chosen_options(request.options)
    chosen = overridden(family.sampling(options, votes * runs), request.sampling, votes * runs)
    wording = family.wording(request.template, options)
    made = family.make(wording, options, chosen.sampling)
    sampling = {name: getattr(chosen.sampling, name) for name in _SENT[:4]}
    settings = {
        "protocol": family.name,
        **identity,
        "template": wording.template.hash,
        "options": options,
        "reader": made.reader,
        "sampling": sampling,
        "seed": chosen.seed,
    }
    return _Found(
        partial(Dialogues, made, chosen.seed),
        chosen,
        wording.template,
        made.longest,
        settings,
        {"kind": "prm", "about": f"generative PRM, {family.name}", "threshold_source": _HALF},
        _about_generative(family, options, wording, chosen, request),
        lambda cases: list(about_cases(cases, _UNMARKED)),
    )


def _only_its_own(family: GenerativeFamily, request: CriticOptions) -> None:
    if request.mode is not None or request.shots is not None:
        lacking = "mode" if request.mode is not None else "worked examples"
        listed = ", ".join(f"{name}={'|'.join(values)}" for name, values in family.options.items())
        raise UsageError(f"{family.name} has no {lacking}.", f"Its options are: --option {listed}.")
    thinking = {"effort", "thinking", "thinking_budget", "logprobs"} & request.sampling.keys()
    if thinking:
        names = " and ".join(sorted(name.replace("_", " ") for name in thinking))
        raise UsageError(f"{family.name} says itself what is asked of {names}.", "Leave it out.")


def _about_generative(
    family: GenerativeFamily,
    options: FamilyOptions,
    wording: TalkTemplate,
    chosen: ChosenSampling,
    request: CriticOptions,
) -> list[str]:
    """How it is asked, in sentences: other settings would give other numbers as plausible."""
    named = ", ".join(f"{name} {value}" for name, value in options.items())
    sentences = [
        f"asked as {family.name} ({family.source}): {named}",
        wording.note,
        f"sampling: {chosen.source}; {_values(chosen.sampling, _SENT[:4]) or 'nothing about it is sent'}",
        family.note(options),
    ]
    if request.votes is None:
        sentences.append(f"one sample a case; its paper averages the rewards of up to {family.votes}: --votes N")
    if request.dry_run:
        sentences.append("a dry run counts first calls alone: what comes after them holds what is answered before")
    return sentences
