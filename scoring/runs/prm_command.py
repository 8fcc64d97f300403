"""From a command's flags to a run of a PRM: in this process, on several devices, or on a cluster."""

import argparse
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing

import polars as pl

from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.data.storage.files import check_writable
from scoring.data.texts import Texts
from scoring.engines.memory import free_on_cards
from scoring.engines.placement import replicas
from scoring.runs.arguments import prm_of_arguments
from scoring.runs.engine_options import EngineOptions
from scoring.runs.events import Event
from scoring.runs.fleet import Fleet
from scoring.runs.interrupt import Interrupt
from scoring.runs.local_workers import LocalWorkers
from scoring.runs.preparation import PreparedRun, missing_texts, prepare, unread_context
from scoring.runs.prm_runs import Encoding
from scoring.runs.prm_worker import worker_prm
from scoring.runs.run import Method, Named, score
from scoring.runs.sizing import Sizing, speed_of
from scoring.runs.workers import WorkerPrm, Workers
from scoring.workspace.cache import Parts
from scoring.workspace.reservation import placed, reserve_scorer
from scoring.workspace.workspace import Workspace

_CASES_A_COPY = 8
"""Cases for which another copy of a model is not worth loading."""


def prm_events(
    args: argparse.Namespace,
    workspace: Workspace,
    cases: pl.DataFrame,
    texts: Texts,
    rows: list[int],
    interrupt: Interrupt,
    tell: Callable[[str], object],
) -> Generator[Event, None, None]:
    """Run what the arguments ask for. Nothing here imports an engine until one is needed.

    Raises:
        InspectError: the request cannot be granted, or what an engine and the workspace raise.
    """
    wished, running = prm_of_arguments(args), _running(args)
    devices: tuple[str, ...] = tuple(args.device.split(","))
    here = args.engine != "ray" and not args.server and not args.dry_run
    if len(devices) > 1 and here and {*devices} != {"cpu"}:
        # Otherwise the others would begin before one of the processes says that it has no device.
        from scoring.engines.transformers_engine import check_devices

        check_devices(devices)
    with interrupt.at_once():
        prepared = prepare(workspace, args.model, **wished, name=args.name, running=running, tell=tell)
        parts = reserve_scorer(workspace, prepared.scorer, variants=args.variants is not None)
        scorer, where = placed(
            prepared.scorer, parts, model=args.model, series=args.series, at=args.at, dry_run=args.dry_run
        )
        notes = [
            *prepared.notes,
            *where,
            *missing_texts(texts, rows, scorer.reads),
            *unread_context(cases, rows, scorer.reads),
        ]
        if here and args.device == "auto" and len(cards := free_on_cards()) > 1:
            devices, how = _over(cards, prepared, args.engine)
            notes.append(how)
    encoding = Encoding(prepared.encoder, truncate=args.truncate)
    # A process of its own also for one model that is not where this one would load it.
    several = args.engine == "ray" or len(devices) > 1 or devices[0] not in {args.device, "cuda:0"}
    least = _CASES_A_COPY if devices[0] != args.device.split(",")[0] else 1
    with ExitStack() as until_the_end:

        def engine() -> Named:
            # Known before minutes are spent on loading a model and computing what could not be kept.
            check_writable(parts.folder)
            if not several:
                return prepared.engine()
            worker = worker_prm(
                scorer.fingerprint, args.model, wished, running, truncate=args.truncate, root=workspace.root
            )
            return until_the_end.enter_context(closing(_workers(args, devices, worker, tell)))

        yield from score(
            cases,
            texts,
            scorer,
            parts,
            _sizing(args, encoding, parts) if args.cluster else Fleet(encoding, least) if several else encoding,
            engine=engine,
            rows=rows,
            retry_refused=args.retry_refused,
            dry_run=args.dry_run,
            notes=notes,
            interrupt=interrupt,
        )


def _over(free: Sequence[int], prepared: PreparedRun, engine: str) -> tuple[tuple[str, ...], str]:
    """Which devices hold a model each (as `--device` names them) where there are several, and that in words."""
    weights = prepared.weight_bytes
    # vLLM does not lay layers over devices but cuts every one.
    groups = replicas(weights, free, prepared.may_be_cut_over if engine == "vllm" else lambda _: True)
    devices = tuple("+".join(f"cuda:{card}" for card in group) for group in groups)
    over = len(groups[0])
    how = "fit one GPU" if over == 1 else f"do not fit one GPU: each copy takes {over}"
    copies = "one copy" if len(groups) == 1 else f"up to {len(groups)} copies"
    return devices, f"its weights ({weights / 1e9:.1f} GB) {how}; {copies} on {', '.join(devices)} (or say --device)"


def _sizing(args: argparse.Namespace, encoding: Encoding, parts: Parts) -> Method:
    """The method that tells how long a cluster would take.

    Raises:
        UsageError: the workers have no room, or no speed is known.
    """
    size, gpus = args.cluster, args.gpus_per_worker or 1
    room = size.nodes * int(size.gpus / gpus)
    if not room:
        raise UsageError(f"a worker of {gpus:g} GPUs has no room on a node of {size.gpus}.", "Give larger nodes.")
    if (args.workers or 0) > room:
        raise UsageError(f"{args.workers} workers have no room: {room} have.", "Give a larger cluster, or fewer.")
    hour = None if args.gpu_hour is None else args.gpu_hour * size.nodes * size.gpus
    return Sizing(encoding, args.workers or room, *speed_of(size, parts), hour)


def _workers(
    args: argparse.Namespace, devices: Sequence[str], prm: WorkerPrm, tell: Callable[[str], object]
) -> Workers:
    if args.engine == "ray":
        from scoring.runs.ray_workers import Cluster, RayWorkers

        return RayWorkers(Cluster(args.address, args.workers, args.gpus_per_worker), prm, tell)
    return LocalWorkers(devices, prm)


def _running(args: argparse.Namespace) -> EngineOptions:
    """The wish for an engine.

    Raises:
        UsageError: flags that are of no use together.
    """
    of_cluster = {"--address": args.address}
    if not args.cluster:
        of_cluster |= {"--workers": args.workers, "--gpus-per-worker": args.gpus_per_worker}
    cluster_flags = [flag for flag, value in of_cluster.items() if value is not None]
    if args.cluster and not args.dry_run:
        message = "--cluster is for a look beforehand."
        estimate = ("--dry-run", "estimate the run on such a cluster")
        raise UsageError(message, "Give --dry-run too; --engine ray runs on one.", instead=[estimate])
    if args.gpu_hour is not None and not args.cluster:
        raise UsageError("--gpu-hour is the price of a cluster.", "Give --dry-run --cluster NODESxGPUS too.")
    if args.engine_on_worker != "transformers":
        cluster_flags.append("--engine-on-worker")
    if args.engine != "ray" and cluster_flags:
        in_process = without(*cluster_flags, meaning="run in this process")
        message = f"{cluster_flags[0]} is about a cluster."
        raise UsageError(
            message,
            "Give --engine ray too, or leave it out.",
            instead=[("--engine ray", "run on the cluster"), *in_process],
        )
    if args.engine == "ray" and args.device != "auto":
        raise UsageError(
            "the cluster says which devices a worker has.",
            "Leave --device out; --gpus-per-worker says how many.",
            instead=without("--device", meaning="devices as the cluster has them"),
        )
    if args.engine == "ray" and args.server:
        others = without("--engine", meaning="on the server")
        raise UsageError("a server runs the model itself.", "Leave --engine out.", instead=others)
    return EngineOptions(
        args.engine_on_worker if args.engine == "ray" else args.engine,
        args.device,
        args.token_budget,
        tuple(args.server),
        args.served_model,
        args.endpoint,
        args.concurrency,
        args.timeout,
        args.tries,
    )
