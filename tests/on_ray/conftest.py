"""What tests of a real Ray cluster share: the cluster, which takes seconds to start."""

from importlib.util import find_spec
from pathlib import Path

import pytest

import scoring_process
from servers.ray_cluster import RayCluster
from thoroughness import also

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    if find_spec("ray") is None:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip("Ray is not installed"))


@pytest.fixture(scope="session", params=["light", *also("torch")])
def cluster(request):
    """A node of four CPUs, beside the head. What Ray does with workers does not ask what they compute, or how."""
    engine = scoring_process.light(0.1) if request.param == "light" else {}
    with RayCluster(OMP_NUM_THREADS="1", **engine) as made:
        made.add(cpus=4)
        yield made
