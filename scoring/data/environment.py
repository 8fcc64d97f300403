"""The environment variable that names a workspace; in a file of its own, since the first screen reads it."""

WORKSPACE = "PRM_INSPECT_WORKSPACE"
"""The folder or address that a command means where it names none."""
