"""The benchmarks of the workspace and how they were read."""

from inspector.cli.commands import Verb

VERB = Verb(
    ("prm-inspect benchmarks", "prm-inspect benchmarks --benchmark demo --json"),
    module="inspector.cli.actions.listing",
    takes=("--benchmark",),
    rank=7,
)
