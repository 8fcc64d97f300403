"""`prms`: the PRMs that the program knows, everything about one, and the contract test of an adapter."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from inspector.cli.actions.output import form_of, put
from inspector.cli.actions.paging import WARNING, hanging, print_page, width_of
from inspector.render.documents.row_documents import Document
from inspector.render.texts.text import clean
from inspector.state.processes.job import ask, prm_words
from inspector.state.query import Query
from inspector.state.workspace_place import find_workspace
from scoring import __version__
from scoring.data.errors import NoWorkspace, UsageError
from scoring.data.names import match_name, without
from scoring.data.own_code import installed, is_file, package_of
from scoring.data.schema import Row
from scoring.models.prms.about import ABOUT
from scoring.models.prms.family_facts import FamilyFacts, facts_of
from scoring.models.prms.output_labels import OPTION, OPTION_MEANING, orders
from scoring.models.prms.own import GROUP, own_family
from scoring.models.prms.prm_catalogue import ADAPTERS, family

# -- PRM families and the checks of an adapter, as pages for people


WITH_MODELS, WITH_ALL = 132, 170
"""Cells from which the list has the checkpoints, and everything."""
_INDENT = 12
_GLYPHS = {"ok": ("✓", "+"), "failed": ("✗", "x"), "skipped": ("–", "-")}
_STYLES = {"ok": "blue", "failed": "bold yellow", "skipped": "dim"}
_STATUS = len("✓ skipped  ")
_BESIDE = 120
"""Cells from which the checks' names have a column of their own."""


def list_page(rows: Sequence[Row], width: int, *, ascii_only: bool = False) -> Iterator[RenderableType]:
    """Yield the families, a line each with what there is room for; wide terminals have everything."""
    table = Table(box=None if ascii_only else box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    # Where rows have several lines a line between two of them keeps them apart.
    table.leading = int(width >= WITH_MODELS)
    columns = {"name": "name", "what is read": "reads", "range": "range", "wrong iff": "cut"}
    if width >= WITH_MODELS:
        columns["models"] = "checkpoints"
    if width >= WITH_ALL:
        columns |= {"whose rule, options and sources": "more"}
    for head, name in columns.items():
        table.add_column(head, overflow="fold", no_wrap=name != "more")
    for row in rows:
        cells = {**row, "reads": row.get("reads") or f"from {row['source']}", "more": "\n".join(_more(row))}
        table.add_row(*(_cell(cells.get(name)) for name in columns.values()))
    yield table
    yield Text()
    more = "" if width >= WITH_ALL else "; more columns: a wider terminal, or --json"
    yield from hanging("", f"All of one: prm-inspect prms NAME{more}", width, indent=0)


def _more(row: Row) -> Iterator[str]:
    if row.get("rule"):
        yield row["rule"]
    if row.get("options"):
        yield f"options: {'; '.join(row['options'])}"
    if row.get("reads"):
        yield f"from {row['source']}"


def _cell(value: Any) -> Text:
    text = "\n".join(value) if isinstance(value, list) else str(value or "")
    return Text(clean(text, lines=True))


def family_page(row: Row, width: int, bounds: str = "", *, reference: bool = False) -> Iterator[Text]:
    """Yield everything that is known of one family; `bounds` is what is to be said of its range.

    `reference`: its rewards are ratios to a reference model, which has to be named.
    """
    title = f"{row['name']}: {row['family']}" if row.get("family") else row["name"]
    yield from hanging("", title, width, indent=0, style="bold")
    yield Text()
    facts = {name: row.get(name) for name in ("reads", "range", "rule")} | {"length": _length(row)}
    facts["range"] = f"{facts['range']} ({bounds})" if bounds else facts["range"]
    for name, words in facts.items():
        if words:
            yield from _fact(name, words, width)
    yield from _several("thresholds", row.get("thresholds") or (), width)
    yield from _several("models", row.get("checkpoints") or (), width)
    meanings = {name: words for name, _, words in (meaning.partition(": ") for meaning in row.get("meanings") or ())}
    for at, option in enumerate(row.get("options") or ()):
        name, _, values = option.partition("=")
        own, *others = values.split("|")
        words = f"{name}={own}, the family's own" + (f"; or {', '.join(others)}" if others else "")
        yield from _fact("" if at else "options", words, width)
        for line in hanging("", meanings.get(name, ""), width - _INDENT - 2, indent=0) if name in meanings else ():
            yield Text(" " * (_INDENT + 2)).append_text(line)
    if row.get("source"):
        yield from _fact("from", row["source"], width)
    yield Text()
    other = " --reference DIR_OR_ID" if reference else ""
    run_it = f"prm-inspect score BENCHMARK --model DIR_OR_ID{other} --adapter {row['name']}{_other(row)}"
    yield from _fact("run it", run_it, width)
    yield from _fact("test it", f"prm-inspect prms check {row['name']} --weights DIR_OR_ID{other}", width)


def _other(row: Row) -> str:
    """Return the flag that sets the first option of a family to its second value; "" without such an option."""
    own = [option for option in row.get("options") or () if not option.startswith(f"{OPTION}=")]
    if not own:
        return ""
    name, _, values = own[0].partition("=")
    return f" [--option {name}={values.split('|')[1]}]" if "|" in values else ""


def _length(row: Row) -> str:
    """How long a case may be; "" where nothing is known of the family."""
    if not row.get("reads"):
        return ""
    known = f" ({row['length']})" if row.get("length") else ""
    return f"max_position_embeddings of the checkpoint's config, in tokens{known}; longer cases are refused"


def _fact(name: str, words: str, width: int) -> Iterator[Text]:
    return hanging(name, words, width, indent=_INDENT, label_style="bold")


def _several(name: str, values: Sequence[str], width: int) -> Iterator[Text]:
    for at, value in enumerate(values):
        yield from _fact("" if at else name, value, width)


def check_page(answer: Mapping[str, Any], width: int, *, ascii_only: bool = False) -> Iterator[Text]:
    """Yield a line a check, what to do where one failed, and how many there are of each."""
    results: Sequence[Row] = answer["results"]
    run = f": {answer['family']}, {answer['model']}, {answer['dtype']}" if answer.get("model") else ""
    yield from hanging("", f"{answer['adapter']}{run}", width, indent=0, style="bold")
    yield Text()
    names = max((len(row["check"]) for row in results), default=0) + 2 if width >= _BESIDE else 0
    for row in _gathered(results):
        yield from _check(row, width, names, ascii_only=ascii_only)
    yield Text()
    yield from hanging("", summary(results), width, indent=0, style="bold")


def _gathered(results: Sequence[Row]) -> Iterator[Row]:
    """The results, with checks that were skipped for the same reason and follow each other as one."""
    for (status, reason), group in groupby(results, lambda row: (row["status"], row["reason"])):
        some = list(group)
        if status == "skipped" and len(some) > 1:
            yield {"check": ", ".join(row["check"] for row in some), "status": status, "reason": reason}
        else:
            yield from some


def _check(row: Row, width: int, names: int, *, ascii_only: bool) -> Iterator[Text]:
    status, style = row["status"], _STYLES[row["status"]]
    label = f"{_GLYPHS[status][ascii_only]} {status}"
    if names:
        label, words = f"{label.ljust(_STATUS)}{row['check']}", row["reason"]
    else:
        words = f"{row['check']}: {row['reason']}"
    yield from hanging(label, words, width, indent=_STATUS + names, label_style=style)
    if row.get("next_step"):
        for line in hanging("What to do:", row["next_step"], width - _STATUS, indent=0, label_style=WARNING):
            yield Text(" " * _STATUS).append_text(line)


def summary(results: Sequence[Row]) -> str:
    """Say how many checks passed, failed and were skipped."""
    count = {status: sum(row["status"] == status for row in results) for status in _GLYPHS}
    counts = f"{count['ok']} passed, {count['failed']} failed, {count['skipped']} skipped"
    if count["failed"]:
        return f"{counts}: do not trust rewards of this adapter with these weights."
    return f"{counts}."


LISTED = {
    "name": pl.String(),
    "family": pl.String(),
    "checkpoints": pl.List(pl.String()),
    "range": pl.String(),
    "rule": pl.String(),
    "source": pl.String(),
    "options": pl.List(pl.String()),
    "meanings": pl.List(pl.String()),
    "reads": pl.String(),
    "length": pl.String(),
    "thresholds": pl.List(pl.String()),
}
CHECKED = {"check": pl.String(), "status": pl.String(), "reason": pl.String(), "next_step": pl.String()}
LIST_PIPED, PAGE_PIPED = 200, 100
"""Cells of a line where there is no terminal."""


def run(args: argparse.Namespace) -> int:
    """Print the list or one family, or check an adapter: 1 where a check failed."""
    if args.action == "check":
        return _check_adapter(args)
    if args.model or args.cases or args.name:
        others = without("--weights", "--cases", meaning="list the families")
        sentence = "--weights and --cases belong to `prms check NAME`."
        raise UsageError(sentence, "Name the adapter to check.", instead=others)
    return _list(args) if args.action is None else _one(args)


def _list(args: argparse.Namespace) -> int:
    if form_of(args):
        put(listing(form_of(args), raw=args.raw), args)
        return 0
    width = width_of(LIST_PIPED)
    print_page(list_page([*map(_cut, _rows())], width, ascii_only=args.ascii), width, pager=not args.quiet)
    return 0


def _one(args: argparse.Namespace) -> int:
    """Everything about one family, or about an adapter of the user's own."""
    row = _row_of(args.action)
    if form_of(args):
        command = Query().command("prms", row["name"], form=form_of(args))
        rows = pl.DataFrame([row], schema=LISTED, orient="row")
        put(Document(rows, _provenance(command, raw=args.raw), raw=args.raw), args)
        return 0
    width = width_of(PAGE_PIPED)
    about = ABOUT.get(row["name"])
    reference = row["name"] in ADAPTERS and hasattr(family(row["name"]), "reference_model")
    page = family_page(row, width, about.bounds if about else "", reference=reference)
    print_page(page, width, pager=not args.quiet)
    return 0


def _check_adapter(args: argparse.Namespace) -> int:
    if args.name is None:
        raise UsageError("which adapter should be checked?", f"Known are {', '.join(ADAPTERS)}; or give a FILE.py.")
    words = [args.name, *(["--cases", args.cases] if args.cases else []), *prm_words(args, "--weights")]
    code, answer = ask(["check", *words, *_workspace(args)])
    if answer is None:
        return code or 2
    if form_of(args):
        command = Query(workspace=args.workspace).command("prms", "check", *words, form=form_of(args))
        rows = pl.DataFrame(answer["results"], schema=CHECKED, orient="row")
        put(Document(rows, _provenance(command, raw=args.raw), raw=args.raw), args)
        return code
    width = width_of(PAGE_PIPED)
    print_page(check_page(answer, width, ascii_only=args.ascii), width, pager=not args.quiet)
    return code


def listing(form: str = "", *, raw: bool = False) -> Document:
    """Return every adapter by name: the program's own families, then those of installed packages, not imported."""
    command = Query().command("prms", form=form)
    return Document(pl.DataFrame(_rows(), schema=LISTED, orient="row"), _provenance(command, raw=raw), raw=raw)


def _rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [_row(name) for name in ADAPTERS]
    for name, entry in installed(GROUP).items():
        # A name of the program's own cannot be taken over.
        if name not in ADAPTERS:
            rows.append({"name": name, "source": f"{entry.value} of the package {package_of(entry)}"})
    return rows


def _row_of(word: str) -> dict[str, Any]:
    """The row of the adapter that is called so, in whole or by a part of its name."""
    rows = {row["name"]: row for row in _rows()}
    if word not in rows and is_file(word):
        own = own_family(word)
        return _facts(word, facts_of(getattr(own, "made", own)))
    return rows[match_name(word, list(rows), "PRM family")]


def _row(name: str) -> dict[str, Any]:
    about = ABOUT[name]
    own = {
        "reads": about.reads,
        "length": about.length,
        "thresholds": [f"{who}: {rule}" for who, rule in about.thresholds],
    }
    row = _facts(name, facts_of(family(name))) | own
    if about.outputs:
        row["options"].append(f"{OPTION}={'|'.join(orders(about.outputs))}")
        row["meanings"].append(f"{OPTION}: {OPTION_MEANING}")
    return row


def _facts(name: str, facts: FamilyFacts) -> dict[str, Any]:
    return {
        "name": name,
        "family": facts.scale.family if facts.scale else name,
        "checkpoints": list(facts.checkpoints),
        "range": facts.range,
        "rule": facts.rule,
        "source": facts.source,
        "options": list(facts.choices),
        "meanings": [f"{option}: {meaning}" for option, meaning in facts.meanings.items()],
    }


def _cut(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its rule in short: how a reward stands to the threshold where its step is wrong."""
    return {**row, "cut": facts_of(family(row["name"])).cut if row["name"] in ADAPTERS else ""}


def _provenance(command: str, *, raw: bool) -> dict[str, str]:
    return {"command": f"{command} --raw" if raw else command, "version": __version__}


def _workspace(args: argparse.Namespace) -> list[str]:
    """Weights that have to be converted are kept in the workspace, where there is one."""
    try:
        root = find_workspace(args.workspace).root
    except NoWorkspace:
        if args.workspace is not None:
            raise
        return []
    return ["--workspace", str(root)] if root else []
