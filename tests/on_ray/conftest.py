"""What tests of a real Ray cluster share: the cluster, which takes seconds to start."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from servers.ray_cluster import RayCluster

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    if find_spec("ray") is None:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip("Ray is not installed"))


@pytest.fixture(scope="session")
def cluster():
    """Four nodes of a CPU each."""
    with RayCluster(OMP_NUM_THREADS="1") as made:
        made.add(4)
        yield made
