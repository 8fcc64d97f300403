"""The scorers that have rewards in the workspace."""

from inspector.verbs import Verb

VERB = Verb(
    ("prm-inspect scorers --benchmark demo", "prm-inspect scorers --threshold best --csv"),
    module="inspector.shell.listing",
    rank=8,
)
