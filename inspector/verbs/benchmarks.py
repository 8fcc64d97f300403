"""The benchmarks of the workspace and how they were read."""

from inspector.verbs import Verb

VERB = Verb(
    ("prm-inspect benchmarks", "prm-inspect benchmarks --benchmark demo --json"),
    module="inspector.shell.listing",
    takes=("--benchmark",),
    rank=7,
)
