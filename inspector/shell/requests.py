"""Parsed arguments become a request."""

import argparse
import re

from inspector.request import Request, split
from scoring.errors import UsageError


def choosing(args: argparse.Namespace) -> list[str]:
    """The flags given that choose what is shown, for commands that take things whole."""
    names = ("subset", "scorer", "where", "slice", "search", "redundancy", "protocol", "unparsed", "baselines")
    return [f"--{name}" for name in names if getattr(args, name)]


def request_of(args: argparse.Namespace) -> Request:
    """The request that a command's arguments make.

    Raises:
        UsageError: a flag is given that says nothing: it would be passed over in silence.
    """
    if args.within and args.search is None:
        raise UsageError("--in says where --search looks, and there is no --search.", "Add --search TEXT.")
    if args.search is not None and not args.search.strip():
        raise UsageError("--search is empty.", "Give it a word, or leave it out for all cases.")
    columns = getattr(args, "columns", None)
    if columns is not None and not split(columns):
        raise UsageError(
            "--columns is empty.", "Give it names with commas between, or leave it out for the usual ones."
        )
    if args.labels == "both" and args.command != "metrics":
        raise UsageError("--labels both is for metrics.", "Choose --labels original or --labels adjudicated.")
    return Request(
        workspace=args.workspace,
        benchmarks=tuple(args.benchmark),
        subsets=tuple(args.subset),
        scorers=tuple(args.scorer),
        where=tuple(args.where),
        slices=tuple(args.slice),
        search=args.search or "",
        within=tuple(args.within),
        thresholds=tuple(_threshold(text) for text in args.threshold),
        rules=tuple(_rule(text) for text in args.rule),
        redundancy=tuple(_threshold(text) for text in args.redundancy),
        protocol=args.protocol,
        unparsed=args.unparsed,
        labels=args.labels,
        seed=args.seed,
        baselines=args.baselines,
        by=tuple(getattr(args, "by", ())),
        sort=getattr(args, "sort", ""),
        columns=split(columns or ""),
    )


def _rule(text: str) -> tuple[str | None, str]:
    """`SCORER=RULE` or `RULE`; what is neither comes whole, to be refused by name."""
    parts = re.fullmatch(r"(?:(.*)=)?((?:diff|reward)?<=?)", text, re.DOTALL)
    return (parts[1], parts[2]) if parts else (None, text)


def _threshold(text: str) -> tuple[str | None, str]:
    """`SCORER=X` or `X`; a scorer's name and the SUBSET of a `from:SUBSET` may hold `=` themselves."""
    parts = re.fullmatch(r"(?:(.*?)=)??(from:.*|[^=]*)", text, re.DOTALL)
    return (parts[1], parts[2]) if parts else (None, text)
