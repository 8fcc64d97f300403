"""From the words of a request to a run of a PRM: the scorer, and how to make its encoder and its engine."""

import argparse
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from msgspec import Struct
from msgspec.structs import asdict, replace

from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.data.readout import Readout, Vocabulary
from scoring.data.rules import when_wrong
from scoring.data.scorer import Scorer, point_of_model
from scoring.data.storage.files import check_writable
from scoring.data.texts import Texts, text_columns
from scoring.engines.base import Engine
from scoring.engines.placement import free_on_cards, replicas, tensor_parallel
from scoring.engines.usable_weights import ConvertedStore, Weights
from scoring.formats.benchmarks.benchmark_registry import WITH_IMAGES
from scoring.models.checkpoint import Checkpoint, Reference, compute_dtype
from scoring.models.fingerprint import FILE, CheckpointDigests, Digests, fingerprint, weights_of
from scoring.models.prms.base import Adapter, Encoder
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.arguments import prm_of_arguments
from scoring.runs.events import Event, Interrupt
from scoring.runs.opened import reference_of
from scoring.runs.prm_runs import Encoding
from scoring.runs.run import Method, Named, score
from scoring.workspace.cache import Parts
from scoring.workspace.reservation import find, placed, reserve_scorer, same_model
from scoring.workspace.workspace import Workspace

if TYPE_CHECKING:
    from scoring.runs.workers import WorkerPrm, Workers


# -- what runs a PRM: transformers in this process, a vLLM that we start, or servers elsewhere


EngineName = Literal["transformers", "vllm"]
Endpoint = Literal["pooling", "scoring"]


class EngineOptions(Struct, frozen=True):
    """The wish for an engine. It does not change what a scorer is, unless servers hold the weights.

    `token_budget` is for transformers. With `servers` (base URLs of vLLM) the model there is `served`,
    None = the only one, and `endpoint` says what the servers were started for, None = pooling for a head, scoring (a
    server that generates) for a PRM that compares two tokens.
    """

    engine: EngineName = "transformers"
    device: str = "auto"
    token_budget: int | None = None
    servers: tuple[str, ...] = ()
    served: str | None = None
    endpoint: Endpoint | None = None
    concurrency: int = 64
    timeout: float = 600.0
    tries: int = 6

    def __post_init__(self) -> None:
        if self.engine == "vllm" and self.token_budget is not None:
            others = without("--token-budget", meaning="batches as vLLM chooses them")
            raise UsageError("vLLM chooses its batches itself.", "Leave --token-budget out.", instead=others)
        if self.servers and (self.engine == "vllm" or self.device != "auto" or self.token_budget is not None):
            flags = ("--engine", "--device", "--token-budget")
            others = without(*flags, meaning="on the server")
            raise UsageError(
                "a server runs the model itself.", "Leave --engine, --device and --token-budget out.", instead=others
            )
        if not self.servers and (self.served is not None or self.endpoint is not None):
            raise UsageError("--served-model and --endpoint are about a server.", "Give --server URL.")

    def known(self) -> "EngineOptions":
        """Return the same with the name of the model on the servers, for which they are asked where it was not given.

        Raises:
            EngineError: a server does not answer, or has several models.
            UsageError: an address or a key cannot be used.
        """
        if not self.servers or self.served is not None:
            return self
        from scoring.engines.server.capabilities import greet

        return replace(self, served=greet(self.servers).model)

    def check(self, checkpoint: Checkpoint, readout: Readout) -> None:
        """Make sure that the engine can give a checkpoint's numbers, as far as that is known before it is loaded.

        Raises:
            UsageError: nothing but transformers gives what the family reads.
            EngineError: vLLM does not run this checkpoint.
        """
        if readout.several and (self.servers or self.engine != "transformers"):
            raise UsageError(
                "a reward of this family is made of several readings, which neither vLLM nor a server gives.",
                "Leave --engine and --server out: transformers runs it in this process.",
                instead=without("--engine", "--server", meaning="in this process, with transformers"),
            )
        if self.engine == "vllm" and not self.servers:
            from scoring.engines.vllm_engine import vllm_head

            vllm_head(checkpoint, readout)

    def load(
        self,
        checkpoint: Checkpoint,
        readout: Readout,
        seen: CheckpointDigests,
        dtype: str,
        root: Path | None = None,
        tell: Callable[[str], object] = lambda _: None,
        *,
        reference: Reference | None = None,
    ) -> Engine:
        """Load the engine; what it loaded is what the fingerprint was taken of.

        `root` is the workspace's folder, where vLLM's log goes, and `tell` hears how a start goes that takes long.

        Raises:
            InspectError: what the engine raises.
        """
        if self.servers:
            return self._connected(readout)
        engine: Engine
        if self.engine == "vllm":
            from scoring.engines.vllm_child import log_for
            from scoring.engines.vllm_engine import VllmEngine

            log = log_for(root, checkpoint.name)
            engine = VllmEngine.load(checkpoint, readout, dtype=dtype, log=log, device=self.device, tell=tell)
        else:
            from scoring.engines.transformers_engine import TransformersEngine

            engine = TransformersEngine.load(
                checkpoint,
                readout,
                dtype=dtype,
                device=self.device,
                token_budget=self.token_budget,
                reference=reference,
            )
        seen.check()
        return engine

    def _connected(self, readout: Readout) -> Engine:
        from scoring.engines.server.client import RetryPolicy
        from scoring.engines.server.rewards import GenerativeScoring, Pooling, RewardServers

        own: Endpoint = "scoring" if isinstance(readout.head, Vocabulary) else "pooling"
        endpoint = GenerativeScoring(readout) if (self.endpoint or own) == "scoring" else Pooling(readout)
        policy = RetryPolicy(timeout=self.timeout, tries=self.tries)
        return RewardServers.connect(
            self.servers, endpoint, model=self.served, concurrency=self.concurrency, policy=policy
        )


_NOT_TOLD = frozenset({"layout", "system_prompt", "adapter_source"})
"""Settings that are no words for a person."""
_HERE = EngineOptions()
_CASES_A_COPY = 8
"""Cases for which another copy of a model is not worth loading."""


class PreparedRun(Struct, frozen=True):
    """A scorer, and what makes its encoder and its engine when they are needed; `notes` are sentences about it.

    `weight_bytes` is the memory that its weights take, those of a reference model among them; `config` is the model's.
    """

    scorer: Scorer
    encoder: Callable[[], Encoder]
    engine: Callable[[], Engine]
    notes: tuple[str, ...] = ()
    weight_bytes: int = 0
    config: Mapping[str, Any] = MappingProxyType({})

    def may_be_cut_over(self, devices: int) -> bool:
        """Return whether vLLM can cut the model over exactly so many."""
        return tensor_parallel(self.config, devices) == devices


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
            from scoring.runs.workers import worker_prm

            worker = worker_prm(
                scorer.fingerprint, args.model, wished, running, truncate=args.truncate, root=workspace.root
            )
            return until_the_end.enter_context(closing(_workers(args, devices, worker, tell)))

        yield from score(
            cases,
            texts,
            scorer,
            parts,
            _sizing(args, encoding, parts) if args.cluster else _fleet(encoding, least) if several else encoding,
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


def _fleet(encoding: Encoding, least: int) -> Method:
    from scoring.runs.fleet import Fleet

    return Fleet(encoding, least)


def _sizing(args: argparse.Namespace, encoding: Encoding, parts: Parts) -> Method:
    """The method that tells how long a cluster would take.

    Raises:
        UsageError: the workers have no room, or no speed is known.
    """
    from scoring.runs.sizing import Sizing, speed_of

    size, gpus = args.cluster, args.gpus_per_worker or 1
    room = size.nodes * int(size.gpus / gpus)
    if not room:
        raise UsageError(f"a worker of {gpus:g} GPUs has no room on a node of {size.gpus}.", "Give larger nodes.")
    if (args.workers or 0) > room:
        raise UsageError(f"{args.workers} workers have no room: {room} have.", "Give a larger cluster, or fewer.")
    hour = None if args.gpu_hour is None else args.gpu_hour * size.nodes * size.gpus
    return Sizing(encoding, args.workers or room, *speed_of(size, parts), hour)


def _workers(
    args: argparse.Namespace, devices: Sequence[str], prm: "WorkerPrm", tell: Callable[[str], object]
) -> "Workers":
    if args.engine == "ray":
        from scoring.runs.ray_workers import Cluster, RayWorkers

        return RayWorkers(Cluster(args.address, args.workers, args.gpus_per_worker), prm, tell)
    from scoring.runs.workers import LocalWorkers

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


def prepare(
    workspace: Workspace,
    model: str,
    *,
    revision: str | None = None,
    base: str | None = None,
    reference: str | None = None,
    allow_pickle: bool = False,
    adapter: str | None = None,
    options: Mapping[str, str] = MappingProxyType({}),
    name: str | None = None,
    dtype: str = "auto",
    running: EngineOptions = _HERE,
    tell: Callable[[str], object] = lambda _: None,
) -> PreparedRun:
    """Read a checkpoint as far as needed to know who it is, without importing an engine.

    Pickled weights and LoRA adapters are converted first, once for the workspace, which does import torch; `tell` hears
    of it. `base`, `allow_pickle`: see `scoring.engines.usable_weights`. `reference` is the model, like `model`, to
    which the rewards of some families are ratios. Without a `name` a scorer that the workspace already has keeps the
    name it has there.

    Raises:
        InputError: the checkpoint cannot be had or used.
        UsageError: there is no such adapter, `base` was given for a whole model, `reference` where none is needed or
            not where one is, or the engine cannot give what the family reads.
        WorkspaceError: something has to be converted and cannot be kept.
        MissingExtra: a package for hub names or for a conversion is not installed.
        EngineError: the engine cannot give the checkpoint's numbers.
    """
    digests = Digests(workspace.root / FILE if workspace.root else None)
    weights_here = Weights(ConvertedStore(workspace.root), digests, tell, pickles=allow_pickle)
    usable = weights_here.of(
        model, revision, look=lambda weights: adapter_of(weights, adapter, options).readout, base=base, dtype=dtype
    )
    checkpoint = usable.checkpoint
    family = adapter_of(checkpoint, adapter, options)
    running.check(checkpoint, family.readout)
    other = reference_of(weights_here, checkpoint, family, reference, dtype)
    computed = compute_dtype(checkpoint, dtype)
    weights, seen = weights_of(checkpoint, digests)
    notes: tuple[str, ...] = ()
    ratio: dict[str, Any] = {}
    if other is not None:
        reference_weights, reference_seen = weights_of(other.checkpoint, digests)
        if reference_weights == weights:
            raise UsageError(
                f"the reference model of {checkpoint.name} is the PRM itself, so that every reward would be 0.",
                "Give the model that it was trained from as --reference.",
            )
        seen = CheckpointDigests(seen.digests, {**seen.stamps, **reference_seen.stamps})
        ratio, notes = {"reference": reference_weights}, (f"rewards are ratios to {other.checkpoint.name}",)
    if running.servers:
        # What the only model is called is part of who the scorer is: another server has another one.
        running = running.known()
        weights, computed, notes = _served(running, weights)
    reads = {"reads": list(family.reads)} if family.reads else {}
    settings = {**family.settings, **reads, "weights": weights, **ratio, "dtype": computed}
    mark = fingerprint(settings)
    known = find(workspace, mark)
    scorer = Scorer(
        name=name or (known.name if known else _usual_name(checkpoint, model)),
        fingerprint=mark,
        about=f"{family.scale.family}, {computed}",
        **asdict(family.scale),
        # Where converted weights came from does not change what they are, so it is told and not part of the mark.
        settings=settings | ({"sources": usable.sources} if usable.sources else {}),
    )
    return PreparedRun(
        scorer,
        partial(_encoder, checkpoint, family),
        partial(running.load, checkpoint, family.readout, seen, computed, workspace.root, tell, reference=other),
        (
            *((usable.note,) if usable.note else ()),
            *notes,
            _how(family),
            *getattr(family, "cautions", ()),
            # To render a template takes longer than a finished run does: it is told when the scorer is new.
            *(() if known else _template_notes(family, checkpoint)),
            *same_model(workspace, scorer),
        ),
        sum(_weight_bytes(model, computed) for model in (checkpoint, *([other.checkpoint] if other else []))),
        checkpoint.config,
    )


def _weight_bytes(checkpoint: Checkpoint, dtype: str) -> int:
    return sum(map(prod, checkpoint.shapes.values())) * (4 if dtype == "float32" else 2)


def _usual_name(checkpoint: Checkpoint, model: str) -> str:
    """The name of the model, or of the training run with its step: every run has a `checkpoint-500`."""
    training = point_of_model(model)
    return f"{training.series}-{training.at}" if training.known else checkpoint.name.rsplit("/", 1)[-1]


def _template_notes(family: Adapter, checkpoint: Checkpoint) -> tuple[str, ...]:
    """What a checkpoint's own chat template would do otherwise, of families that write chats."""
    note_of = getattr(family, "template_note", None)
    note = note_of(checkpoint) if note_of else ""
    return (note,) if note else ()


def _how(family: Adapter) -> str:
    """In a sentence how a checkpoint is read: another adapter or option would give other numbers as plausible."""
    settings = {name: value for name, value in family.settings.items() if name not in _NOT_TOLD}
    listed = ", ".join(f"{name.replace('_', ' ')} {value!r}" for name, value in settings.items())
    scale = family.scale
    rule = when_wrong("rewards", scale.comparison, f"{scale.threshold:g}")
    return f"read as {scale.family}: {listed}; {rule} ({scale.threshold_source})"


def _encoder(checkpoint: Checkpoint, family: Adapter) -> Encoder:
    from scoring.runs.opened import TokenizerFile

    return family.encoder(TokenizerFile(checkpoint.tokenizer))


def _served(running: EngineOptions, weights: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, tuple[str, ...]]:
    """What identifies weights on a server, what they are computed in, and a sentence about both.

    Nobody can see a server's weights: the scorer is another one than the checkpoint whose tokenizer is read here.
    """
    note = (
        f"{running.served} on the server is taken at its word: that its weights are those of the checkpoint, and in "
        "which dtype they are computed, cannot be seen from here"
    )
    return {"served": running.served, "tokenizer": weights}, "as served", (note,)


def unread_context(cases: pl.DataFrame, rows: Sequence[int], reads: Sequence[str] = ()) -> Iterator[str]:
    """Yield a sentence where some of these rows of `cases` have more to them than whoever scores reads.

    That is the context of trajectories where it is not among `reads`, and images.
    """
    some = cases.select(pl.col("^(step_messages|benchmark)$").gather(pl.Series(rows, dtype=pl.UInt32)))
    if "benchmark" in some.columns and (about_images := some["benchmark"].is_in(WITH_IMAGES).sum()):
        yield f"{about_images:,} of {len(rows):,} cases are about images: texts are read, and no image is"
    if "step_messages" not in some.columns or "context" in reads:
        return
    trajectories = some["step_messages"].count()
    if trajectories:
        yield (
            f"{trajectories:,} of {len(rows):,} cases are trajectories: problem and steps are read, and nothing of "
            "what users and tools say between the steps (a critic asked by agentprocessbench reads it)"
        )


def missing_texts(texts: Texts, rows: Sequence[int], reads: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each column of `reads` that is null or empty in some of these rows of `texts`."""
    if not reads or not rows:
        return
    frame = texts.gather(pl.Series(rows, dtype=pl.UInt32).to_numpy()).frame(text_columns(reads))
    for name in reads:
        lacks = [pl.col(name).fill_null("") == ""]
        if name == "context":
            lacks = [pl.col(part).list.len().fill_null(0) == 0 for part in text_columns((name,))]
        missing = frame.filter(pl.all_horizontal(lacks)).height
        if missing:
            yield f"{missing:,} of {frame.height:,} cases have no {name.replace('_', ' ')}, which this PRM also reads"
