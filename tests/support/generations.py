"""What lies in a workspace after imports of authored rows."""


def ids(workspace):
    """The ids of its cases, in order."""
    return workspace.cases(["processbench"])[0]["id"].to_list()


def home(workspace):
    """The folder of the benchmark."""
    return workspace.root / "benchmarks" / "processbench"


def generations(workspace):
    """The names of everything in it."""
    return sorted(path.name for path in home(workspace).iterdir())
