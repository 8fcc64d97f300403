"""A Python that finds this folder first scores on the CPU without a model: seconds are not spent on importing torch.

Its engine is `fake_scoring.Engine`; a batch of it takes as many seconds as BATCH_SECONDS says. What a machine that died
had begun is free after LEASE_SECONDS, where they are given.
"""

import os

from fake_scoring import Engine
from scoring.runs.engine_options import EngineOptions

_load = EngineOptions.load
_DEVICE = os.environ.get("LIGHT_DEVICE", "cpu")


def load(self, *wishes, **further):
    """The light engine for the CPU, or for LIGHT_DEVICE; any other device is asked for as ever."""
    return (
        Engine(seconds=float(os.environ["BATCH_SECONDS"]))
        if self.device == _DEVICE
        else _load(self, *wishes, **further)
    )


EngineOptions.load = load
if "LEASE_SECONDS" in os.environ:
    # What a machine that died had begun is free after so long.
    from scoring.runs import leases

    leases.EXPIRES = float(os.environ["LEASE_SECONDS"])
    leases._TOUCHED = leases.EXPIRES / 4
