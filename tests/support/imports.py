"""Reading sources in tests."""

from scoring.importing.sources import ReadOptions, read_source


def import_source(source, benchmark=None):
    """The one benchmark that a source holds."""
    (imported,) = read_source(source, ReadOptions(benchmark=benchmark)).imported
    return imported
