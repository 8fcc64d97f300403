"""The scorers that have rewards in the workspace."""

from inspector.cli.commands import Verb

VERB = Verb(
    ("prm-inspect scorers --benchmark demo", "prm-inspect scorers --threshold best --csv"),
    module="inspector.cli.actions.listing",
    rank=8,
)
