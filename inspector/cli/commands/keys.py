"""The commands of the app with their keys (for a keymap file of your own)."""

import argparse
from typing import TYPE_CHECKING

from inspector.cli.commands import Verb

if TYPE_CHECKING:
    import polars as pl

    from inspector.app.terminal.keymap import BoundCommand, Keymap

VERB = Verb(("prm-inspect keys", "prm-inspect keys --csv -o keys.csv"), takes=(), rank=5)


def run(args: argparse.Namespace) -> int:
    """Print them; 1 where the file asks for something that cannot be followed."""
    from platformdirs import user_config_path

    from inspector.app.terminal.keymap import FILE, read
    from inspector.cli.actions.output import form_of, put
    from inspector.render.documents.row_documents import Document
    from scoring import __version__

    path = user_config_path("prm-inspect", appauthor=False) / FILE
    keymap = read(path)
    problems = [f"{path}: {problem}" for problem in keymap.problems]
    form = form_of(args)
    provenance = {"command": f"prm-inspect keys{f' --{form}' if form else ''}", "version": __version__}
    document = Document(_table(keymap), provenance)
    note = (
        f"Other keys go into {path}{'' if path.exists() else ' (which does not exist yet)'}, such as: zoom = 'ctrl+y'"
    )
    put(document, args, [*problems, note], document.rows.drop("help", "usual"))
    return 1 if problems else 0


def _table(keymap: "Keymap") -> "pl.DataFrame":
    import polars as pl

    from inspector.app.terminal.keymap import usual

    before = {bound.id: bound for bound in usual()}
    columns = ("command", "keys", "usual", "where", "title", "help")
    rows = [
        (bound.id, _written(bound.keys), _written(before[bound.id].keys), _where(bound), bound.title, bound.help)
        for bound in keymap.bound
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String()), orient="row")


def _written(keys: "tuple[str, ...]") -> str:
    from inspector.widgets.key_spelling import plain_key, written

    return ", ".join(plain_key(written(key)) for key in keys)


def _where(bound: "BoundCommand") -> str:
    if bound.layer == "rail":
        return "while the threshold moves"
    return f"{'in lists: ' if bound.layer == 'list' else ''}{', '.join(bound.places)}"
