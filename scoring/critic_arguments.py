"""The arguments of a run that asks a critic, or has its PRM on a server; nothing of weight is imported here."""

import argparse
import math

OWN_SEED = -1
"""Stands for the seed that the protocol has: None is already the wish that none is sent."""
PROTOCOLS = ("processbench", "grben", "prmbench", "socratic")
GENERATIVE = ("genprm", "thinkprm", "rprm")
"""Families of generative PRMs, which are asked as critics are."""


def add_critic_arguments(parser: argparse.ArgumentParser) -> None:
    """What is asked of a language model, and how it answers."""
    critic = parser.add_argument_group("the critic")
    benchmarks, families = ", ".join(PROTOCOLS), ", ".join(GENERATIVE)
    asked = (
        f"ask a language model, as a benchmark does (it judges the steps: {benchmarks}; or a generative PRM, in its own"
        f" layout: {families})"
    )
    critic.add_argument("--critic", metavar="PROTOCOL", choices=(*PROTOCOLS, *GENERATIVE), help=asked)
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
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 up")
    return number


def _seconds(text: str) -> float:
    if not (number := _number(text)):
        raise argparse.ArgumentTypeError("0 seconds are no time")
    return number


def _seed(text: str) -> int | None:
    return None if text == "none" else _whole(text)
