"""The command `trees`: trees of searches and their wrong prunings, on a screen or as a document."""

import argparse
import gc
import shlex
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl

from inspector.cli.actions.output import form_of, put, say, say_facts
from inspector.cli.actions.progress import ReadingProgress
from inspector.cli.actions.view_page import print_view
from inspector.render.blocks import Note, Section
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, figure, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from scoring import __version__
from scoring.data.progress import told_to
from scoring.data.storage.files import open_plain
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.findings import counted as counted_findings
from scoring.metrics.trees.figures import DOUBTED, LOST, SHARES, figures_of, shares
from scoring.metrics.trees.reading import TreeFile, read_trees
from scoring.metrics.trees.search_tree import SearchTree

_LOST = (
    f"A node is listed as '{LOST}' where a leaf with a right answer is at or below it, and nothing else on the way to "
    "that leaf was dropped before; 'right left' counts the right answers that were not dropped after its round."
)
_DOUBTED = (
    f"It is listed as '{DOUBTED}' where nobody knows whether it led to a right answer, and of the judged answers of "
    "the other steps that were kept in its place none is right."
)
LEGEND = (_LOST, _DOUBTED)
_YES = {True: "yes", False: "no"}


def run(args: argparse.Namespace) -> int:
    """Open the screen on a terminal; print or write the document where a form or a file is asked for, or no terminal is
    there. The code is 1 where rows were left out.
    """
    paths = [Path(word) for word in args.files]
    file = _read(paths, quiet=args.quiet)
    say(finding_lines(file.findings, every=args.verbose), args)
    code = int(any(finding.severity == "error" for finding in file.findings))
    on_screen = not (form_of(args) or args.output or args.no_app) and sys.stdin.isatty() and sys.stdout.isatty()
    if on_screen:
        _open(file.trees, args)
        return code
    view = trees_view(file, args.files, prunings=args.prunings, form=form_of(args))
    if form_of(args) or args.output:
        put(view, args)
        return code
    print_view(view, ascii_only=args.ascii, pager=not args.quiet)
    say_facts(view.provenance, args)
    return code


def _read(paths: Sequence[Path], *, quiet: bool) -> TreeFile:
    """Read trees without looking for garbage meanwhile: of tens of thousands of objects a node none is."""
    gc.disable()
    try:
        with ReadingProgress("trees", quiet=quiet) as progress, told_to(progress):
            return read_trees(paths)
    finally:
        gc.freeze()
        gc.enable()


def _open(trees: Sequence[SearchTree], args: argparse.Namespace) -> None:
    from platformdirs import user_state_path
    from rich.console import Console

    from inspector.screens.trees import TreeScreen
    from inspector.widgets.themes import OneDialog, usual_theme

    file = TreeFile(tuple(trees), (), len(trees))
    document = partial(trees_view, file, args.files, True)
    screen = TreeScreen(trees, "Trees", ascii_only=args.ascii, document=document)
    theme = usual_theme(Console(force_terminal=True).color_system)
    state_folder = user_state_path("prm-inspect", appauthor=False)
    OneDialog(screen, state_folder=state_folder, theme=theme, ascii_only=args.ascii).run(mouse=not args.no_mouse)


def finding_lines(findings: Sequence[Finding], *, every: bool) -> Iterator[str]:
    """Say what was noticed: a line a kind with how many there are, or each of them."""
    if every:
        yield from map(str, findings)
        return
    for _, _, number, first in counted_findings(findings):
        yield str(first) + (f" (and {number - 1} more of this kind: -v lists them)" if number > 1 else "")


def trees_view(file: TreeFile, words: Sequence[str], prunings: bool = False, form: str = "") -> View:
    """Make the view of trees.

    Args:
        file: the trees.
        words: the files as they were named, for the command that makes the view again.
        prunings: whether its rows are wrong prunings; else they are trees.
        form: the form of the document, for that command.
    """
    trees, wrong = figures_of(file.trees)
    line = ["prm-inspect", "trees", *words, *(["--prunings"] if prunings else []), *([f"--{form}"] if form else [])]
    provenance = {
        "command": shlex.join(line),
        "version": __version__,
        "files": {word: _digest(Path(word)) for word in words},
        "trees": len(file.trees),
        "rows_left_out": file.rows - len(file.trees),
        "forms": sorted({tree.format for tree in file.trees}),
        "values": sorted({tree.value_is for tree in file.trees}),
        "chosen": sorted({tree.chosen_by for tree in file.trees}),
        "shares": {row["figure"]: row["value"] for row in shares(trees)},
        "notes": list(LEGEND),
    }
    rows = wrong if prunings else trees
    return View(rows, provenance, title="Trees", lay_out=lambda: _sections(trees, wrong, only=prunings))


def _digest(path: Path) -> str:
    digest = blake2b(digest_size=8)
    with open_plain(path) as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def _sections(trees: pl.DataFrame, wrong: pl.DataFrame, *, only: bool) -> tuple[Section, ...]:
    several = trees["source"].n_unique() > 1
    tables = (
        [_pruning_table(wrong)] if only else [_share_table(trees), _tree_table(trees, several), _pruning_table(wrong)]
    )
    notes = (
        [Note(sentence, "quiet") for sentence in LEGEND] if wrong.height else [Note("No pruning is known to be wrong.")]
    )
    return (Section("Trees", "trees", (*tables, *notes)),)


def _share_table(trees: pl.DataFrame) -> Table:
    lines = [[text(SHARES[row["figure"]]), figure(row), count(row["n"])] for row in shares(trees)]
    return table(counted(trees.height, "tree"), ["", Column("share", right=True), "trees"], lines, counted="trees")


def _known(row: dict[str, Any], name: str) -> Cell:
    return Cell(_YES.get(row[name]), reason=row["reason"] or "", style="bad" if row[name] is False else "")


def _tree_table(trees: pl.DataFrame, several: bool) -> Table:
    lines = [
        [
            text(row["tree"]),
            text(row["source"] if several else ""),
            count(row["nodes"]),
            count(row["leaves"]),
            count(row["depth"]),
            Cell(row["branching"], Kind.MEAN),
            count(row["dropped"]),
            text(f"{row['right']} of {row['judged']}"),
            _known(row, "chosen_right"),
            _known(row, "right_kept"),
            _known(row, "right_reached"),
            count(row["lost"]),
            count(row["doubted"]),
        ]
        for row in trees.iter_rows(named=True)
    ]
    heads: list[str | Column] = [
        "tree",
        Column("file", rank=2),
        "nodes",
        "leaves",
        "depth",
        Column("branching", rank=2),
        "dropped",
    ]
    heads += [Column("right", right=True), "chosen right", "right kept", "right reached", "lost", "doubted"]
    return table("Each tree", heads, lines)


def _pruning_table(wrong: pl.DataFrame) -> Table:
    lines = [
        [
            text(row["tree"]),
            text(row["node"]),
            count(row["depth"]),
            count(row["round"]),
            text(row["kind"], "bad" if row["kind"] == LOST else ""),
            count(row["right_lost"]),
            count(row["right_left"]),
            Cell(row["value"], Kind.REWARD),
            Cell(row["kept_value"], Kind.REWARD),
            text(row["text"]),
        ]
        for row in wrong.iter_rows(named=True)
    ]
    heads: list[str | Column] = [
        "tree",
        "node",
        Column("depth", rank=2),
        "round",
        "why",
        "right lost",
        "right left",
        "value",
        "best kept",
    ]
    return table("Wrong prunings", [*heads, Column("step", wraps=True, rank=2)], lines, labels=2)
