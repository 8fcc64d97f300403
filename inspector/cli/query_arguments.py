"""The query that a command's arguments ask for."""

import argparse
import re

from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.selection.query import Query, split


def query_from(args: argparse.Namespace) -> Query:
    """Make the query of a command's arguments.

    Raises:
        UsageError: a flag is given that says nothing: it would be passed over in silence.
    """
    if args.within and args.search is None:
        others = without("--in", meaning="all cases")
        sentence = "--in says where --search looks, and there is no --search."
        raise UsageError(sentence, "Add --search TEXT.", instead=others)
    if args.search is not None and not args.search.strip():
        others = without("--search", "--in", meaning="all cases")
        raise UsageError("--search is empty.", "Give it a word, or leave it out for all cases.", instead=others)
    columns = getattr(args, "columns", None)
    if columns is not None and not split(columns):
        raise UsageError(
            "--columns is empty.",
            "Give it names with commas between, or leave it out for the usual ones.",
            instead=without("--columns", meaning="the usual columns"),
        )
    if args.labels == "both" and args.command != "metrics":
        sets = [("--labels original", "the benchmark's own"), ("--labels adjudicated", "the labels after triage")]
        raise UsageError("--labels both is for metrics.", "Choose one of the two.", instead=sets)
    return Query(
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
        plugins=tuple(args.plugin),
        redundancy=tuple(_threshold(text) for text in args.redundancy),
        protocol=args.protocol,
        unparsed=args.unparsed,
        labels=args.labels,
        seed=args.seed,
        baselines=args.baselines,
        by=tuple(getattr(args, "by", ())),
        sort=getattr(args, "sort", None) or "",
        columns=split(columns or ""),
    )


def _rule(text: str) -> tuple[str | None, str]:
    """`SCORER=RULE` or `RULE`; what is neither comes whole, to be refused by name."""
    parts = re.fullmatch(r"(?:(.*)=)?((?:\w+:)?(?:[\w-]+)?<=?)", text, re.DOTALL)
    return (parts[1], parts[2]) if parts else (None, text)


def _threshold(text: str) -> tuple[str | None, str]:
    """`SCORER=X` or `X`; a scorer's name, and the SUBSET or BENCHMARK that X is from, may hold `=` themselves."""
    parts = re.fullmatch(r"(?:(.*?)=)??(from:.*|best:[^:=]*:.*|[^=]*)", text, re.DOTALL)
    return (parts[1], parts[2]) if parts else (None, text)
