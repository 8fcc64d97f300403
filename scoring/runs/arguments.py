"""The arguments of a scoring run, for every command that starts one; nothing of weight is imported here."""

import argparse
import math
from typing import Any

from msgspec import Struct

# -- of a run that asks a critic, or has its PRM on a server


OWN_SEED = -1
"""Stands for the seed that the protocol has: None is already the wish that none is sent."""
PROTOCOLS = ("processbench", "grben", "prmbench", "socratic", "agentprocessbench")
GENERATIVE = ("genprm", "thinkprm", "rprm")
"""Families of generative PRMs, which are asked as critics are."""


def add_critic_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what is asked of a language model, and how it answers."""
    critic = parser.add_argument_group("the critic")
    benchmarks, families = ", ".join(PROTOCOLS), ", ".join(GENERATIVE)
    help_text = (
        f"ask a language model, as a benchmark does (it judges the steps: {benchmarks}; or a generative PRM, in its own"
        f" layout: {families})"
    )
    critic.add_argument("--critic", metavar="PROTOCOL", choices=(*PROTOCOLS, *GENERATIVE), help=help_text)
    critic.add_argument("--template", metavar="FILE", help="a prompt of your own in place of the protocol's")
    critic.add_argument(
        "--votes",
        type=_one_or_more,
        metavar="N",
        help="answers to each case, which vote; the rewards of a generative PRM are averaged",
    )
    critic.add_argument(
        "--runs", type=_one_or_more, metavar="N", help="independent repetitions (whose metrics are averaged)"
    )
    critic.add_argument("--shots", type=_whole, metavar="N", help="worked examples sent before the case")
    critic.add_argument(
        "--mode", metavar="MODE", help="how the protocol has models think (such as fast or slow, of GR-Ben)"
    )
    sampling = parser.add_argument_group("how a critic answers (default: as the protocol says for the model)")
    sampling.add_argument(
        "--temperature", type=_number, metavar="T", help="how answers are sampled (temperature 0 is greedy)"
    )
    sampling.add_argument("--top-p", type=_number, metavar="P")
    sampling.add_argument("--top-k", type=_one_or_more, metavar="K")
    sampling.add_argument(
        "--max-tokens", type=_one_or_more, metavar="N", help="tokens of an answer, reasoning included"
    )
    sampling.add_argument("--effort", metavar="WORD", help="thinking effort in the model's own words (such as high)")
    sampling.add_argument("--thinking", choices=("on", "off"), help="switch a model's thinking")
    sampling.add_argument("--thinking-budget", type=_one_or_more, metavar="N", help="tokens that may be thought")
    sampling.add_argument("--logprobs", type=_whole, metavar="N", help="keep the N most likely tokens at each place")
    sampling.add_argument(
        "--answer-seed",
        type=_seed,
        metavar="N",
        default=OWN_SEED,
        help="seed of the first vote, or none to send none",
    )
    server = parser.add_argument_group("the server")
    words = (
        "an OpenAI-compatible server (such as http://127.0.0.1:8000; repeatable; its key is in $PRM_INSPECT_API_KEY)"
    )
    server.add_argument("--server", action="append", metavar="URL", default=[], help=words)
    served = "the PRM's name on the server (default: its only model); --model names the checkpoint with its tokenizer"
    server.add_argument("--served-model", metavar="NAME", help=served)
    endpoint = "what a PRM's server was started for (default: pooling for a head, scoring for two tokens)"
    server.add_argument("--endpoint", choices=("pooling", "scoring"), help=endpoint)
    server.add_argument(
        "--concurrency", type=_one_or_more, metavar="N", default=64, help="requests in flight (default 64)"
    )
    server.add_argument(
        "--timeout", type=_seconds, metavar="S", default=600.0, help="seconds for one request (default 600)"
    )
    server.add_argument(
        "--tries", type=_one_or_more, metavar="N", default=6, help="tries of a request that fails (default 6)"
    )
    server.add_argument("--prices", metavar="FILE", help="prices of tokens, to tell the cost")


def _whole(text: str) -> int:
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{number} is below 0")
    return number


def _one_or_more(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{number} is below 1")
    return number


def _number(text: str) -> float:
    if not math.isfinite(number := float(text)) or number < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 up")
    return number


def _seconds(text: str) -> float:
    if not (number := _number(text)):
        raise argparse.ArgumentTypeError("0 seconds are no time")
    return number


def _seed(text: str) -> int | None:
    return None if text == "none" else _whole(text)


ENGINES = ("transformers", "vllm", "ray")
DTYPES = ("auto", "float32", "bfloat16", "float16")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a scoring run that are its own, for every command that starts one."""
    parser.add_argument("benchmarks", nargs="+", metavar="BENCHMARK", help="benchmarks of the workspace, or demo")
    add_prm_arguments(parser, required=False)
    add_critic_arguments(parser)
    run = parser.add_argument_group("the run")
    run.add_argument(
        "--engine",
        choices=ENGINES,
        default="transformers",
        help="what runs a PRM (ray: workers of a cluster, see below)",
    )
    run.add_argument("--name", metavar="NAME", help="what to call the scorer (default: the folder's or model's name)")
    add_checkpoint_arguments(run, "model's folder")
    run.add_argument("--token-budget", type=_above_zero, metavar="N", help="tokens of a batch, padding included")
    add_cluster_arguments(parser)
    what = parser.add_argument_group("what to score")
    some = what.add_mutually_exclusive_group()
    some.add_argument("--limit", type=count, metavar="N", help="only the first N cases")
    some.add_argument("--spread", type=count, metavar="N", help="N cases spread evenly over the file, in its order")
    some.add_argument("--sample", type=count, metavar="N", help="N cases by chance; a larger N keeps the smaller ones")
    what.add_argument("--stratify", metavar="COL", help="each value of this column has its share (with --sample)")
    cut = (
        "of a case that is too long, score the first steps (that fit within the model's length limit; as they would be "
        "in the whole, where the PRM is causal; it stays refused, and its rewards are marked)"
    )
    part = (
        "part I of N, from 1, each about as much work (the same cases on every machine, for arrays of a batch system; "
        "parts may run in any order, at the same time and again)"
    )
    what.add_argument("--shard", type=_shard, metavar="I/N", help=part)
    what.add_argument("--truncate", action="store_true", help=cut)
    what.add_argument("--retry-refused", action="store_true", help="try again what an earlier run refused")
    what.add_argument("--dry-run", action="store_true", help="tell what would be done, and run nothing")


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what a run takes of a cluster."""
    cluster = parser.add_argument_group("a cluster (with --engine ray, or a dry run)")
    address = "HOST:PORT of the cluster (default: this machine's, or $RAY_ADDRESS)"
    cluster.add_argument("--address", metavar="ADDR", help=address)
    room = "workers, each with a model of its own (default: as many as there is room for, also when it grows)"
    cluster.add_argument("--workers", type=_one_or_more, metavar="N", help=room)
    cards = "GPUs of a worker, which hold one model together (default: 1, or none where the cluster has none)"
    cluster.add_argument("--gpus-per-worker", type=_gpus, metavar="N", help=cards)
    cluster.add_argument("--engine-on-worker", choices=ENGINES[:-1], default="transformers", help="what runs it there")
    size = "with --dry-run, how long NODESxGPUS would take (such as 8x8, or 8x8@35000 tokens a second each)"
    cluster.add_argument("--cluster", type=_cluster_size, metavar="NxG", help=size)
    cluster.add_argument(
        "--gpu-hour", type=_price, metavar="PRICE", help="what an hour of a GPU costs (with --cluster)"
    )


_LARGE = 1e9
"""More than a speed or a price is."""


def _gpus(text: str) -> float:
    if (number := _number(text)) > 1 and number != int(number):
        raise argparse.ArgumentTypeError(f"{text} is neither a whole number of GPUs nor a share of one")
    return number


def _price(text: str) -> float:
    if (number := _number(text)) > _LARGE:
        raise argparse.ArgumentTypeError(f"{text} is not a price")
    return number


class Shard(Struct, frozen=True):
    """One of `count` parts of what is to be scored; `number` counts from 1."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def _shard(text: str) -> Shard:
    number, slash, shards = text.partition("/")
    if not (slash and number.isdecimal() and shards.isdecimal() and 1 <= int(number) <= int(shards)):
        raise argparse.ArgumentTypeError(f"{text!r} is not I/N with I from 1 to N")
    return Shard(int(number), int(shards))


class ClusterSize(Struct, frozen=True):
    """So many nodes with so many GPUs each (or CPUs of one worker each). `speed` is the tokens a second of a worker.

    None = as the scorer's rows in the cache say.
    """

    nodes: int
    gpus: int
    speed: float | None = None

    def __str__(self) -> str:
        return f"{self.nodes}x{self.gpus}" + (f"@{self.speed:g}" if self.speed else "")


def _cluster_size(text: str) -> ClusterSize:
    """Read NODESxGPUS or NODESxGPUS@TOKENS_A_SECOND, for argparse."""
    size, at, speed = text.partition("@")
    nodes, times, gpus = size.partition("x")
    try:
        read = ClusterSize(int(nodes), int(gpus), float(speed) if at else None)
    except ValueError:
        read = ClusterSize(0, 0)
    if not times or read.nodes < 1 or read.gpus < 1 or (at and not 1e-3 < (read.speed or 0) < _LARGE):
        raise argparse.ArgumentTypeError(f"{text!r} is not NODESxGPUS, such as 8x8, or with @TOKENS_A_SECOND")
    return read


def add_checkpoint_arguments(parser: argparse._ActionsContainer, place: str) -> None:
    """Add the arguments for the checkpoint of a training run that a scorer is; `place` is where it is guessed from."""
    usual = f"(default: seen from a {place} called checkpoint-N)"
    run = f"the training run that it is a checkpoint of {usual[:-1]}; for `timeline`)"
    parser.add_argument("--series", metavar="NAME", help=run)
    parser.add_argument("--at", type=count, metavar="STEP", help=f"the training step that it was saved at {usual}")


def add_prm_arguments(
    parser: argparse.ArgumentParser, flag: str = "--model", *, required: bool = True
) -> list[argparse.Action]:
    """Add the arguments that say which PRM, and how it is run; these are what is returned.

    With another `flag` for the checkpoint, the command names the adapter in its own way.
    """
    which = parser.add_argument_group("the PRM")
    words = "a checkpoint's folder, or ORG/NAME of the hub"
    several = "A,B shares the cases among processes, A+B lays one model's layers over both"
    chosen = "an option of the family, such as joiner=blank-line (repeatable; `prm-inspect prms` lists them)"
    family = "the PRM's family, or a file with one of your own (Python; default: seen from the checkpoint)"
    return [
        which.add_argument(flag, dest="model", required=required, metavar="DIR_OR_ID", help=words),
        which.add_argument("--revision", metavar="REV", help="a branch, tag or commit of the hub's model"),
        which.add_argument("--base", metavar="DIR_OR_ID", help=f"the base model, where {flag} is a LoRA adapter"),
        which.add_argument(
            "--reference", metavar="DIR_OR_ID", help="the reference model, where rewards are ratios to one"
        ),
        which.add_argument("--allow-pickle", action="store_true", help="open weights that are pickles (weights only)"),
        *([which.add_argument("--adapter", metavar="NAME|FILE.py", help=family)] if flag == "--model" else []),
        which.add_argument("--option", action="append", type=_option, metavar="NAME=VALUE", default=[], help=chosen),
        which.add_argument(
            "--dtype",
            choices=DTYPES,
            default="auto",
            help="how weights are held (auto: float32 up to 1 GiB of weights, else as stored)",
        ),
        which.add_argument("--device", default="auto", help=f"cpu, cuda, cuda:N, or auto (default); {several}"),
    ]


def prm_of_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """Return which PRM it is, beside its place, as `scoring.runs.preparation.prepare` and `open_prm` take it."""
    names = ("revision", "base", "reference", "allow_pickle", "adapter", "dtype")
    return {**{name: getattr(args, name) for name in names}, "options": dict(args.option)}


def count(text: str) -> int:
    """Read a whole number, 0 or more."""
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"{number} is below 0")
    return number


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _above_zero(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{number} is below 1")
    return number
