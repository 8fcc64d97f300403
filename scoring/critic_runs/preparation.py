"""From the words of a request to what `scoring.critic_runs.run.ask` takes: who is asked what, and how often."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scoring.asking import Prompt
from scoring.claim import find
from scoring.critic_runs.asker import Asking
from scoring.critics.catalogue import critic_protocol
from scoring.critics.lint import lint
from scoring.critics.prices import Price, Prices
from scoring.critics.prompt_finding import PromptFinding
from scoring.critics.protocol import CriticProtocol
from scoring.critics.readers import version
from scoring.critics.sampling import Chosen, sampling_for
from scoring.critics.sampling_overrides import overridden
from scoring.critics.template import Template
from scoring.engines.base import AnsweringEngine
from scoring.errors import InputError, UsageError
from scoring.fingerprint import fingerprint
from scoring.scorer import Scorer
from scoring.workspace import Workspace

_ABOVE_ZERO = "positive iff above 0, as PRMBench's judges"


@dataclass(frozen=True)
class Wish:
    """What is wished of a critic beyond the protocol's own; None = as the protocol has it.

    `sampling` holds what was given of `scoring.critics.sampling_overrides`. `protocol` may name a family of generative
    PRMs (`scoring.generative.catalogue`), whose `options` these are then. `dry_run` only changes what is told.
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


@dataclass(frozen=True)
class PreparedCritic:
    """A critic, what it is asked, and what makes the engine when something has to be asked."""

    scorer: Scorer
    asking: Asking
    engine: Callable[[], AnsweringEngine]
    protocol: CriticProtocol
    template: Template
    chosen: Chosen
    shots: int
    price: Price | None
    notes: tuple[str, ...]

    def lint(self, cases: Sequence[tuple[str, Sequence[str]]]) -> list[PromptFinding]:
        """What is odd about the prompts of these cases; only warnings.

        Raises:
            InputError: something would make the answers mean something else than the protocol says.
        """
        found = lint(self.template, self.protocol, cases, self.shots)
        wrong = next((one for one in found if one.severity == "error"), None)
        if wrong:
            raise InputError(wrong.sentence, wrong.next_step)
        return found


Identity = Mapping[str, Any]
"""What identifies a language model: its name on a server, or its weights."""


def prepare_critic(
    workspace: Workspace,
    wish: Wish,
    model: str,
    identity: Identity,
    engine: Callable[[Chosen], AnsweringEngine],
    *,
    name: str | None = None,
    notes: Sequence[str] = (),
) -> PreparedCritic:
    """The critic that a model is when it is asked by a protocol. Nothing is asked yet.

    Args:
        workspace: whose scorers keep their names.
        wish: what is asked, and how often.
        model: the model's name, by which the protocol chooses its sampling.
        identity: what goes into the fingerprint as the model.
        engine: makes the engine with the sampling that was chosen.
        name: what to call the scorer.
        notes: sentences that are told first.

    Raises:
        UsageError: no such protocol or mode, or wishes that do not go together.
        InputError: the template or the prices cannot be read.
    """
    protocol = critic_protocol(wish.protocol)
    if wish.options:
        raise UsageError(f"{protocol.name} has no options.", "Leave --option out.")
    votes, runs = wish.votes or 1, wish.runs or 1
    if votes > 1 and protocol.gives == "step rewards":
        raise UsageError(
            f"{protocol.name} asks for a number a step, and numbers do not vote.", "Leave --votes out, or give --runs."
        )
    chosen = overridden(sampling_for(protocol.name, model, votes * runs, wish.mode), wish.sampling, votes * runs)
    template = Template.read(wish.template) if wish.template else Template.packaged(protocol.template)
    shots = protocol.shots if wish.shots is None else wish.shots
    # A template with fewer examples says so here, and not after the first answers.
    template.prompt("", "", shots)
    price = Prices.read(wish.prices).of(model) if wish.prices else None
    scorer = _scorer(workspace, protocol, model, _settings(protocol, template, shots, chosen, identity), name)
    asking = Asking(
        partial(_prompt, template, protocol, shots),
        protocol.read,
        votes,
        runs,
        chosen.seed,
        chosen.sampling.max_tokens,
        None if price is None else partial(money, price),
        "" if price is None else price.currency,
    )
    told = (*notes, *_told(protocol, template, chosen, wish, price, model))
    return PreparedCritic(scorer, asking, partial(engine, chosen), protocol, template, chosen, shots, price, told)


def _settings(
    protocol: CriticProtocol, template: Template, shots: int, chosen: Chosen, identity: Identity
) -> dict[str, Any]:
    """Everything that changes what is answered; how answers are read is kept beside each of them."""
    sent = {name: getattr(chosen.sampling, name) for name in chosen.sampling.__dataclass_fields__}
    layout = {name: getattr(protocol.steps, name) for name in protocol.steps.__dataclass_fields__}
    return {
        "protocol": protocol.name,
        **identity,
        "template": template.hash,
        "steps": layout,
        "shots": shots,
        # A tuple and a list are one JSON value.
        "sampling": {name: list(value) if isinstance(value, tuple) else value for name, value in sent.items()},
        "seed": chosen.seed,
    }


def _scorer(
    workspace: Workspace, protocol: CriticProtocol, model: str, settings: dict[str, Any], name: str | None
) -> Scorer:
    mark = fingerprint(settings)
    known = find(workspace, mark) if name is None else None
    short = model.rstrip("/").rsplit("/", 1)[-1]
    temperature = settings["sampling"]["temperature"]
    sampled = "" if temperature == 0 else "-sampled" if temperature is None else f"-t{temperature:g}"
    called = known.name if known else name or f"{short}-{protocol.name}{sampled}"
    about = f"critic, {protocol.name}"
    if protocol.gives == "earliest error":
        return Scorer(called, mark, "critic", short, about, settings=settings)
    redundancy = (0.0, _ABOVE_ZERO) if protocol.redundancy else (None, "")
    return Scorer(
        called, mark, "critic", short, about,
        threshold=0.0, threshold_source=_ABOVE_ZERO, comparison="<=", low=-1.0, high=1.0,
        redundancy_threshold=redundancy[0], redundancy_threshold_source=redundancy[1], settings=settings,
    )  # fmt: skip


def _prompt(template: Template, protocol: CriticProtocol, shots: int, problem: str, steps: Sequence[str]) -> Prompt:
    return template.prompt(problem, protocol.steps.text(steps), shots)


def money(price: Price, tokens_in: int, tokens_out: int) -> float:
    """What so many tokens cost."""
    return float(price.of(tokens_in, tokens_out))


def _told(
    protocol: CriticProtocol, template: Template, chosen: Chosen, wish: Wish, price: Price | None, model: str
) -> list[str]:
    """How the critic is asked, in sentences: other settings would give other numbers as plausible."""
    sent = chosen.sampling
    names = ("temperature", "top_p", "top_k", "max_tokens", "effort", "thinking", "thinking_budget")
    values = [f"{name.replace('_', ' ')} {getattr(sent, name)}" for name in names if getattr(sent, name) is not None]
    counted = "counts as wrong" if protocol.unparsed == "wrong" else "is left out"
    read = f"read by {version(protocol.read)}; what it cannot read {counted} in {protocol.name}'s own figures"
    sent_as = ", ".join(values) or "nothing about sampling is sent"
    found = [
        f"asked as {protocol.name}: template {template.source} ({template.hash[:8]}); {sent_as}; {read}",
        f"sampling: {chosen.source}",
    ]
    if wish.votes is None and protocol.votes > 1:
        found.append(
            f"one answer a case; {protocol.name}'s paper also lets {protocol.votes} vote: --votes {protocol.votes}"
        )
    if wish.runs is None and protocol.runs > 1:
        found.append(
            f"one run; {protocol.name}'s paper averages {protocol.runs} for open models: --runs {protocol.runs}"
        )
    if wish.prices and price is None:
        found.append(f"no price in {wish.prices} fits the model {model}; its cost is not told")
    return found
