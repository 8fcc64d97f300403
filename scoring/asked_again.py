"""The flags by which a critic, or a generative PRM, that was asked here is asked again."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from scoring.critics.sampling import MODES, sampling_for
from scoring.critics.sampling_overrides import overridden
from scoring.errors import UsageError
from scoring.scorer import Scorer

_FLAGS = ("temperature", "top_p", "top_k", "max_tokens", "effort", "thinking", "thinking_budget", "logprobs")


def asked_here(scorer: Scorer) -> bool:
    """Whether it was asked here: whoever imports answers knows the protocol at most."""
    return {"protocol", "template", "sampling", "seed"} <= scorer.settings.keys()


def flags_again(scorer: Scorer, votes: int, runs: int, template: Path | None) -> Iterator[str]:
    """Give the flags of `score` that make the same scorer, but for whose model it is and where that runs.

    It keeps its name, under which nothing else is saved: where no flags make its settings the run is refused.

    Args:
        scorer: one that was asked here.
        votes: answers to a case.
        runs: repetitions.
        template: a copy of its prompt; None = the protocol's own.
    """
    settings = scorer.settings
    sampling = {name: value for name in _FLAGS if (value := settings["sampling"].get(name)) is not None}
    yield f"--critic={settings['protocol']}"
    yield f"--name={scorer.name}"
    yield from (f"--{name}={count}" for name, count in (("votes", votes), ("runs", runs)) if count > 1)
    if template is not None:
        yield f"--template={template}"
    if "shots" in settings:
        yield f"--shots={settings['shots']}"
    if mode := _mode(settings, sampling, votes * runs):
        yield f"--mode={mode}"
    yield from (f"--option={name}={value}" for name, value in settings.get("options", {}).items())
    for name, value in sampling.items():
        yield f"--{name.replace('_', '-')}={'on' if value is True else 'off' if value is False else value}"
    yield f"--answer-seed={'none' if settings['seed'] is None else settings['seed']}"


def _mode(settings: Mapping[str, Any], sampling: Mapping[str, Any], answers: int) -> str | None:
    """The mode of the protocol that sends nothing beside these settings; None = its usual one, or none does."""
    protocol, model = settings["protocol"], settings["model"]
    for mode in (None, *MODES[protocol]) if protocol in MODES else ():
        # Not every mode is one for every model.
        with suppress(UsageError):
            made = overridden(sampling_for(protocol, model, answers, mode), sampling, answers).sampling
            if all(getattr(made, name) == sampling.get(name) for name in _FLAGS):
                return mode
    return None
