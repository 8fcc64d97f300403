"""A critic's or generative PRM's run as the command line asks for it: whose model, on which engine."""

import argparse
from collections.abc import Callable, Generator
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from scoring.asking import Sampling
from scoring.cache import VoteParts
from scoring.checkpoint import Checkpoint, compute_dtype, positive
from scoring.claim import claim, placed
from scoring.critic_arguments import GENERATIVE, OWN_SEED
from scoring.critic_runs.preparation import Identity, PreparedCritic, Wish, prepare_critic
from scoring.critic_runs.run import ask
from scoring.critics.sampling import Chosen
from scoring.engines.base import AnsweringEngine
from scoring.errors import UsageError
from scoring.events import Event
from scoring.generative.preparation import PreparedGenerative, prepare_generative
from scoring.interrupt import Interrupt
from scoring.readout import Readout, Vocabulary
from scoring.run_cases import run_cases
from scoring.text_pages import TextPages
from scoring.texts import Texts
from scoring.workspace import Workspace

_LOOKED_AT = 1000
"""Cases whose texts are looked at before the first call."""
_UNKNOWN = Chosen(Sampling(), "not chosen yet")
Prepared = PreparedCritic | PreparedGenerative


def critic_events(
    args: argparse.Namespace,
    workspace: Workspace,
    cases: pl.DataFrame,
    texts: Texts,
    rows: list[int],
    interrupt: Interrupt,
    tell: Callable[[str], object],
) -> Generator[Event, None, None]:
    """The run that the arguments ask for.

    Raises:
        InspectError: the request cannot be granted, or what an engine and the workspace raise.
    """
    with interrupt.at_once():
        critic = _prepared(args, workspace, tell)
        place = claim(workspace, critic.scorer)
        scorer, where = placed(
            critic.scorer, place, model=args.model, series=args.series, at=args.at, dry_run=args.dry_run
        )
        parts = VoteParts(place.folder)
        looked_at = islice(rows, _LOOKED_AT)
        numbers = pl.Series(list(looked_at), dtype=pl.UInt32)
        read = run_cases(cases[numbers], numbers, range(len(numbers)), TextPages(texts))
        found = critic.lint([(one.problem, one.steps) for one in read])
    yield from ask(
        cases,
        texts,
        scorer,
        parts,
        critic.asking,
        engine=critic.engine,
        rows=rows,
        retry_refused=args.retry_refused,
        dry_run=args.dry_run,
        notes=(*critic.notes, *where, *map(str, found)),
        interrupt=interrupt,
    )


def _prepared(args: argparse.Namespace, workspace: Workspace, tell: Callable[[str], object]) -> Prepared:
    if args.server:
        return _on_servers(args, workspace)
    if args.model is None:
        raise UsageError(
            "a critic needs a model.",
            "Give --server URL of one that runs, or --model DIR_OR_ID to run it here with vLLM.",
        )
    return _on_vllm(args, workspace, tell)


def _on_servers(args: argparse.Namespace, workspace: Workspace) -> Prepared:
    from scoring.engines.server.chat import ChatServers
    from scoring.engines.server.client import RetryPolicy

    policy = RetryPolicy(timeout=args.timeout, tries=args.tries)

    def connect(chosen: Chosen) -> ChatServers:
        return ChatServers.connect(
            args.server, chosen.sampling, model=args.model, concurrency=args.concurrency, policy=policy
        )

    # Which model it is decides how it is asked, so a server's only one has to be known before.
    model = args.model or connect(_UNKNOWN).model
    args.model = model
    note = f"{model} is known by its name alone: a server that exchanges the model under this name is not noticed"
    return _prepared_as(args, workspace, model, {"model": model}, connect, (note,))


def _on_vllm(args: argparse.Namespace, workspace: Workspace, tell: Callable[[str], object]) -> Prepared:
    from scoring.fingerprint import FILE, Digests, weights_of
    from scoring.weights.store import Store
    from scoring.weights.usable import Weights

    digests = Digests(workspace.root / FILE if workspace.root else None)
    weights_here = Weights(Store(workspace.root), digests, tell, pickles=args.allow_pickle)
    usable = weights_here.of(args.model, args.revision, look=_any_word, base=args.base, dtype=args.dtype)
    checkpoint = usable.checkpoint
    dtype = compute_dtype(checkpoint, args.dtype)
    weights, seen = weights_of(checkpoint, digests)

    def load(chosen: Chosen) -> AnsweringEngine:
        from scoring.engines.vllm_child import log_for
        from scoring.engines.vllm_generate import VllmGenerate

        log = log_for(workspace.root, checkpoint.name)
        engine = VllmGenerate.load(checkpoint, chosen.sampling, dtype=dtype, log=log, tell=tell)
        seen.check()
        return engine

    identity = {"model": checkpoint.name.rsplit("/", 1)[-1], "weights": weights, "dtype": dtype}
    notes = (usable.note,) if usable.note else ()
    return _prepared_as(args, workspace, checkpoint.name, identity, load, notes)


def _prepared_as(
    args: argparse.Namespace,
    workspace: Workspace,
    model: str,
    identity: Identity,
    engine: Callable[[Chosen], AnsweringEngine],
    notes: tuple[str, ...],
) -> Prepared:
    """The critic or the generative PRM that the model is."""
    prepare = prepare_generative if args.critic in GENERATIVE else prepare_critic
    return prepare(workspace, _wish(args), model, identity, engine, name=args.name, notes=notes)


def _any_word(checkpoint: Checkpoint) -> Readout:
    """What a language model is read as: every row of its output matrix."""
    return Readout(Vocabulary((), positive(checkpoint.config, "hidden_size"), whole=True))


def _wish(args: argparse.Namespace) -> Wish:
    switches = {"on": True, "off": False}
    given: dict[str, Any] = {
        name: value
        for name in ("temperature", "top_p", "top_k", "max_tokens", "effort", "thinking_budget", "logprobs")
        if (value := getattr(args, name)) is not None
    }
    if args.thinking is not None:
        given["thinking"] = switches[args.thinking]
    if args.answer_seed != OWN_SEED:
        given["seed"] = args.answer_seed
    paths = {name: Path(value) for name in ("template", "prices") if (value := getattr(args, name)) is not None}
    return Wish(
        args.critic,
        votes=args.votes,
        runs=args.runs,
        shots=args.shots,
        mode=args.mode,
        sampling=given,
        options=dict(args.option),
        dry_run=args.dry_run,
        **paths,
    )
