"""From the words of a request to a run that asks a language model: whose model, on which engine, what and how often.

A critic is asked by a benchmark's protocol (`scoring.models.critics.protocols`), a generative PRM in the layout of its
family (`scoring.runs.generative.generative_catalogue`).
"""

import argparse
import json
import tomllib
from collections.abc import Callable, Generator, Mapping, Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import CommandEdit, InputError, UnreadableFile, UsageError
from scoring.data.names import without
from scoring.data.readout import Readout, Vocabulary
from scoring.data.scorer import Scorer
from scoring.data.texts import Texts
from scoring.engines.base import AnsweringEngine
from scoring.formats.reading.file_bytes import file_bytes, printable
from scoring.models.asking import Prompt, Sampling, left_open
from scoring.models.checkpoint import CHAT, Checkpoint, compute_dtype, positive
from scoring.models.critics.lint import CaseTexts, PromptFinding, about_cases, lint
from scoring.models.critics.protocols import CriticProtocol, StepLayout, critic_protocol, version
from scoring.models.critics.sampling import ChosenSampling, overridden, sampling_for
from scoring.models.critics.template import Template
from scoring.models.fingerprint import fingerprint
from scoring.runs.arguments import GENERATIVE, OWN_SEED
from scoring.runs.critic_runs import Asking, CriticAsker
from scoring.runs.events import Event, Interrupt
from scoring.runs.generative.dialogues import Dialogues
from scoring.runs.generative.generative_catalogue import FAMILIES, FamilyOptions, GenerativeFamily
from scoring.runs.generative.talk import TalkTemplate
from scoring.runs.preparation import unread_context
from scoring.runs.prompts import keep_template
from scoring.runs.run import score
from scoring.runs.run_cases import TextPages, run_cases
from scoring.workspace.cache import VoteParts
from scoring.workspace.reservation import placed, reserve_scorer, scorers
from scoring.workspace.workspace import Workspace

# -- what tokens cost, by a file of the user's: prices change, so none are shipped


_MILLION = 1_000_000
_EXAMPLE = 'A price is [[price]] with model = "a-model-*", in = 1.25 and out = 10, in money per million tokens.'
_KEYS = frozenset({"model", "in", "out"})


class Price(Struct, frozen=True):
    """Money per million tokens, of prompts and of answers, in a currency's own word."""

    tokens_in: Decimal
    tokens_out: Decimal
    currency: str

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        """Compute what so many tokens cost, exactly."""
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / _MILLION


class Prices(Struct, frozen=True):
    """The prices of a file, by model pattern and in its order.

    currency = "USD"

    [[price]]
    model = "some-model-*"     # a shell pattern; the first that fits counts
    in = 1.25                  # money per million tokens of the prompts
    out = 10                   # money per million tokens of the answers, thinking included
    """

    listed: tuple[tuple[str, Price], ...]

    @classmethod
    def read(cls, path: Path) -> "Prices":
        """Read the prices in a file of TOML.

        Raises:
            UnreadableFile: not there, not allowed, no plain file, or no TOML.
            InputError: a price lacks something or is no price; and which.
        """
        source = printable(path)
        try:
            document = tomllib.loads(file_bytes(path).decode(), parse_float=Decimal)
        except (ValueError, RecursionError) as error:
            raise UnreadableFile(f"{source} is not TOML ({error}).", _EXAMPLE) from None
        currency, prices = document.pop("currency", ""), document.pop("price", None)
        if document or not isinstance(currency, str) or not isinstance(prices, list) or not prices:
            odd = ", ".join(document) or "no [[price]], or a currency that is not text"
            raise InputError(f"{source} is not a price list: it has {odd}.", _EXAMPLE)
        return cls(tuple(_price(price, f"price {n} of {source}", currency) for n, price in enumerate(prices, 1)))

    def of(self, model: str) -> Price | None:
        """Return the price of the first pattern that fits the model's name, letter by letter; None = there is none."""
        return next((price for pattern, price in self.listed if fnmatchcase(model, pattern)), None)


def _price(price: Any, where: str, currency: str) -> tuple[str, Price]:
    if (
        not isinstance(price, Mapping)
        or price.keys() != _KEYS
        or not isinstance(price["model"], str)
        or not price["model"]
    ):
        raise InputError(f"{where} has not exactly model, in and out.", _EXAMPLE)
    return price["model"], Price(_money(price["in"], where), _money(price["out"], where), currency)


def _money(value: Any, where: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite() or value < 0:
        raise InputError(f"{where} has an amount that is not a number from 0.", _EXAMPLE)
    return Decimal(value)


_LOOKED_AT = 1000
"""Cases whose texts are looked at before the first call."""
_UNKNOWN = ChosenSampling(Sampling(), "not chosen yet")
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


def critic_events(
    args: argparse.Namespace,
    workspace: Workspace,
    cases: pl.DataFrame,
    texts: Texts,
    rows: list[int],
    interrupt: Interrupt,
    tell: Callable[[str], object],
) -> Generator[Event, None, None]:
    """Run what the arguments ask for.

    Raises:
        InspectError: the request cannot be granted, or what an engine and the workspace raise.
    """
    with interrupt.at_once():
        critic = _prepared(args, workspace, tell)
        place = reserve_scorer(workspace, critic.scorer, variants=args.variants is not None)
        scorer, where = placed(
            critic.scorer, place, model=args.model, series=args.series, at=args.at, dry_run=args.dry_run
        )
        if not args.dry_run:
            keep_template(workspace.root, critic.template)
        looked_at = islice(rows, _LOOKED_AT)
        numbers = pl.Series(list(looked_at), dtype=pl.UInt32)
        read = run_cases(cases[numbers], numbers, range(len(numbers)), TextPages(texts, scorer.reads))
        findings = critic.lint([CaseTexts(case.problem, case.steps, _between(*case.further)) for case in read])
    yield from score(
        cases,
        texts,
        scorer,
        VoteParts(place.folder),
        critic.asking,
        engine=critic.engine,
        rows=rows,
        retry_refused=args.retry_refused,
        dry_run=args.dry_run,
        notes=(*critic.notes, *where, *unread_context(cases, rows, scorer.reads), *map(str, findings)),
        interrupt=interrupt,
    )


def _between(context: str | None = None) -> list[str]:
    return [text for _, _, text in json.loads(context or "[]")]


def _prepared(args: argparse.Namespace, workspace: Workspace, tell: Callable[[str], object]) -> PreparedCritic:
    if args.engine == "ray" or args.cluster:
        raise UsageError(
            "workers of a cluster run PRMs that give rewards in one pass; what answers in words is a server's.",
            "Start one on each node (vllm serve), and give them all: --server URL --server URL.",
        )
    if args.server:
        if args.device != "auto":
            others = without("--device", meaning="on the server")
            raise UsageError("a server runs the model itself.", "Leave --device out.", instead=others)
        return _on_servers(args, workspace)
    if "," in args.device:
        raise UsageError(
            "a critic is asked on one vLLM here.",
            "Join its GPUs by +, or start a server on each (vllm serve): --server URL --server URL.",
            instead=[(f"--device {args.device.replace(',', '+')}", "one vLLM over all of them")],
        )
    if args.model is None:
        raise UsageError(
            "a critic needs a model.",
            "Give --server URL of one that runs, or --model DIR_OR_ID to run it here with vLLM.",
        )
    return _on_vllm(args, workspace, tell)


def _on_servers(args: argparse.Namespace, workspace: Workspace) -> PreparedCritic:
    from scoring.engines.server.chat import ChatServers
    from scoring.engines.server.client import RetryPolicy

    policy = RetryPolicy(timeout=args.timeout, tries=args.tries)

    def connect(chosen: ChosenSampling) -> ChatServers:
        return ChatServers.connect(
            args.server, chosen.sampling, model=args.model, concurrency=args.concurrency, policy=policy
        )

    # Which model it is decides how it is asked, so a server's only one has to be known before.
    model = args.model or connect(_UNKNOWN).model
    args.model = model
    note = f"{model} is known by its name alone: a server that exchanges the model under this name is not noticed"
    return prepare_critic(workspace, _wish(args), model, {"model": model}, connect, name=args.name, notes=(note,))


def _on_vllm(args: argparse.Namespace, workspace: Workspace, tell: Callable[[str], object]) -> PreparedCritic:
    from scoring.engines.usable_weights import ConvertedStore, Weights
    from scoring.models.fingerprint import FILE, Digests, weights_of

    digests = Digests(workspace.root / FILE if workspace.root else None)
    weights_here = Weights(ConvertedStore(workspace.root), digests, tell, pickles=args.allow_pickle)
    usable = weights_here.of(args.model, args.revision, look=_any_word, base=args.base, dtype=args.dtype)
    checkpoint = usable.checkpoint
    dtype = compute_dtype(checkpoint, args.dtype)
    weights, seen = weights_of(checkpoint, digests, also=CHAT)

    def load(chosen: ChosenSampling) -> AnsweringEngine:
        from scoring.engines.vllm_child import log_for
        from scoring.engines.vllm_generate import VllmGenerate

        log = log_for(workspace.root, checkpoint.name)
        device = args.device
        engine = VllmGenerate.load(checkpoint, chosen.sampling, dtype=dtype, log=log, device=device, tell=tell)
        seen.check()
        return engine

    identity = {"model": checkpoint.name.rsplit("/", 1)[-1], "weights": weights, "dtype": dtype}
    notes = (usable.note,) if usable.note else ()
    return prepare_critic(
        workspace,
        _wish(args),
        checkpoint.name,
        identity,
        load,
        name=args.name,
        notes=notes,
        defaults=checkpoint.generation,
    )


def _any_word(checkpoint: Checkpoint) -> Readout:
    """What a language model is read as: every row of its output matrix."""
    return Readout(Vocabulary((), positive(checkpoint.config, "hidden_size"), whole=True))


def _wish(args: argparse.Namespace) -> CriticOptions:
    switches = {"on": True, "off": False}
    sampling: dict[str, Any] = {
        name: value
        for name in ("temperature", "top_p", "top_k", "max_tokens", "effort", "thinking_budget", "logprobs")
        if (value := getattr(args, name)) is not None
    }
    if args.thinking is not None:
        sampling["thinking"] = switches[args.thinking]
    if args.answer_seed != OWN_SEED:
        sampling["seed"] = args.answer_seed
    paths = {name: Path(value) for name in ("template", "prices") if (value := getattr(args, name)) is not None}
    return CriticOptions(
        args.critic,
        votes=args.votes,
        runs=args.runs,
        shots=args.shots,
        mode=args.mode,
        sampling=sampling,
        options=dict(args.option),
        dry_run=args.dry_run,
        **paths,
    )


# -- who is asked what


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


# -- critics


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


# -- generative PRMs


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
