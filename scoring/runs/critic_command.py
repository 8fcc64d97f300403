"""From a command's flags to a run that asks a language model, on servers or on a vLLM of ours."""

import argparse
import json
from collections.abc import Callable, Generator
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.data.readout import Readout, Vocabulary
from scoring.data.texts import Texts
from scoring.engines.base import AnsweringEngine
from scoring.models.asking import Sampling
from scoring.models.checkpoint import CHAT, Checkpoint, compute_dtype, positive
from scoring.models.critics.lint import CaseTexts
from scoring.models.critics.sampling import ChosenSampling
from scoring.runs.arguments import OWN_SEED
from scoring.runs.critic_preparation import CriticOptions, PreparedCritic, prepare_critic
from scoring.runs.events import Event
from scoring.runs.interrupt import Interrupt
from scoring.runs.preparation import unread_context
from scoring.runs.prompts import keep_template
from scoring.runs.run import score
from scoring.runs.run_cases import TextPages, run_cases
from scoring.workspace.cache import VoteParts
from scoring.workspace.reservation import placed, reserve_scorer
from scoring.workspace.workspace import Workspace

_LOOKED_AT = 1000
"""Cases whose texts are looked at before the first call."""
_UNKNOWN = ChosenSampling(Sampling(), "not chosen yet")


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
    from scoring.engines.server.connections import RetryPolicy

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
    from scoring.engines.converted_store import ConvertedStore
    from scoring.engines.usable_weights import Weights
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
