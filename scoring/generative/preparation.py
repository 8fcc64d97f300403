"""From the words of a request to a generative PRM: its family, its options, and what a run takes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from scoring.claim import find
from scoring.critic_runs.preparation import Identity, Wish, money
from scoring.critics.case_lint import about_cases
from scoring.critics.prices import Price, Prices
from scoring.critics.prompt_finding import PromptFinding
from scoring.critics.sampling import Chosen
from scoring.critics.sampling_overrides import overridden
from scoring.critics.step_layout import StepLayout
from scoring.critics.template import Template
from scoring.engines.base import AnsweringEngine
from scoring.errors import UsageError
from scoring.fingerprint import fingerprint
from scoring.generative.catalogue import FAMILIES, GenerativeFamily, Options
from scoring.generative.talks import Talking
from scoring.generative.wording import Wording
from scoring.scorer import Scorer
from scoring.workspace import Workspace

_HALF = "p(Yes) against p(No)"
_UNMARKED = StepLayout(1, "", "", "\n")


@dataclass(frozen=True)
class PreparedGenerative:
    """A generative PRM, what it is asked, and what makes the engine when something has to be asked."""

    scorer: Scorer
    asking: Talking
    engine: Callable[[], AnsweringEngine]
    template: Template
    notes: tuple[str, ...]

    def lint(self, cases: Sequence[tuple[str, Sequence[str]]]) -> list[PromptFinding]:
        """What is odd about the texts of these cases; only warnings."""
        return list(about_cases(cases, _UNMARKED))


def prepare_generative(
    workspace: Workspace,
    wish: Wish,
    model: str,
    identity: Identity,
    engine: Callable[[Chosen], AnsweringEngine],
    *,
    name: str | None = None,
    notes: Sequence[str] = (),
) -> PreparedGenerative:
    """The generative PRM that a model is in the layout of a family, `wish.protocol`. Nothing is asked yet.

    Args:
        workspace: whose scorers keep their names.
        wish: what is asked, and how often.
        model: the model's name.
        identity: what goes into the fingerprint as the model.
        engine: makes the engine with the sampling that was chosen.
        name: what to call the scorer.
        notes: sentences that are told first.

    Raises:
        UsageError: options or settings that the family does not have, or that do not go together.
        InputError: the template or the prices cannot be read.
    """
    family = FAMILIES[wish.protocol]
    _only_its_own(family, wish)
    options = family.chosen_options(wish.options)
    votes, runs = wish.votes or 1, wish.runs or 1
    chosen = overridden(family.sampling(options, votes * runs), wish.sampling, votes * runs)
    wording = family.wording(wish.template, options)
    made = family.make(wording, options, chosen.sampling)
    price = Prices.read(wish.prices).of(model) if wish.prices else None
    settings = _settings(family, options, wording, chosen, made.reader, identity)
    asking = Talking(
        made,
        votes,
        runs,
        chosen.seed,
        None if price is None else partial(money, price),
        "" if price is None else price.currency,
    )
    told = (*notes, *_told(family, options, wording, chosen, wish, price, model))
    scorer = _scorer(workspace, family, model, settings, name)
    return PreparedGenerative(scorer, asking, partial(engine, chosen), wording.template, told)


def _only_its_own(family: GenerativeFamily, wish: Wish) -> None:
    if wish.mode is not None or wish.shots is not None:
        given = "mode" if wish.mode is not None else "worked examples"
        listed = ", ".join(f"{name}={'|'.join(values)}" for name, values in family.options.items())
        raise UsageError(f"{family.name} has no {given}.", f"Its options are: --option {listed}.")
    thinking = {"effort", "thinking", "thinking_budget", "logprobs"} & wish.sampling.keys()
    if thinking:
        names = " and ".join(sorted(name.replace("_", " ") for name in thinking))
        raise UsageError(f"{family.name} says itself what is asked of {names}.", "Leave it out.")


def _settings(
    family: GenerativeFamily, options: Options, wording: Wording, chosen: Chosen, reader: str, identity: Identity
) -> dict[str, Any]:
    """Everything that changes the numbers."""
    one = chosen.sampling
    return {
        "protocol": family.name,
        **identity,
        "template": wording.template.hash,
        "options": options,
        "reader": reader,
        "sampling": {name: getattr(one, name) for name in ("temperature", "top_p", "top_k", "max_tokens")},
        "seed": chosen.seed,
    }


def _scorer(
    workspace: Workspace, family: GenerativeFamily, model: str, settings: Mapping[str, Any], name: str | None
) -> Scorer:
    mark = fingerprint(settings)
    known = find(workspace, mark) if name is None else None
    short = model.rstrip("/").rsplit("/", 1)[-1]
    temperature = settings["sampling"]["temperature"]
    sampled = "" if temperature == 0 else "-sampled" if temperature is None else f"-t{temperature:g}"
    called = known.name if known else name or f"{short}-{family.name}{sampled}"
    about = f"generative PRM, {family.name}"
    return Scorer(called, mark, "prm", short, about, threshold_source=_HALF, settings=settings)


def _told(
    family: GenerativeFamily,
    options: Options,
    wording: Wording,
    chosen: Chosen,
    wish: Wish,
    price: Price | None,
    model: str,
) -> list[str]:
    """How it is asked, in sentences: other settings would give other numbers as plausible."""
    one = chosen.sampling
    sent = [
        f"{name.replace('_', ' ')} {value}"
        for name in ("temperature", "top_p", "top_k", "max_tokens")
        if (value := getattr(one, name)) is not None
    ]
    named = ", ".join(f"{name} {value}" for name, value in options.items())
    found = [
        f"asked as {family.name} ({family.source}): {named}",
        wording.note,
        f"sampling: {chosen.source}; {', '.join(sent) or 'nothing about it is sent'}",
        family.note(options),
    ]
    if wish.votes is None:
        found.append(f"one sample a case; its paper averages the rewards of up to {family.votes}: --votes N")
    if wish.dry_run:
        found.append("a dry run counts first calls alone: what comes after them holds what is answered before")
    if wish.prices and price is None:
        found.append(f"no price in {wish.prices} fits the model {model}; its cost is not told")
    return found
